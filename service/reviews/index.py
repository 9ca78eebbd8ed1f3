"""What rounds are searched by, taken from closed rounds and written beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from rules.cards import Card, CardError, parse_cards
from rules.hands import HandError, HandRank, rank_best_of_six, rank_five, rank_five_wild, rank_three
from service.reviews.results import round_row
from service.reviews.tables import RoundCardRow, RoundFactRow, RoundFindingRow, RoundHandRow, RoundWagerRow
from service.store.base import Database

COMMUNITY, DEALER = 0, -1
"""Places of cards that are no seat's."""
FOUND = ("breach", "undetermined")
"""Verdicts that rounds are searched by."""
FACT_COLUMNS = tuple(column.name for column in sa.inspect(RoundFactRow).columns if column.name not in ("number", "run_id", "game"))  # fmt: skip
ROUNDS_AT_ONCE = 200


def index_rounds(
    database: Database, run_id: str, *, table_id: str, game: str, rounds: Iterable[Mapping[str, Any]],
    findings: Iterable[Mapping[str, Any]],
) -> int:  # fmt: skip
    """Writes what closed rounds are searched by; rounds already there are left as they are.

    Args:
        database: the store's.
        run_id: the run they belong to; it is in the store.
        table_id, game: of the run.
        rounds: closed rounds as JSON values.
        findings: of the run, as JSON values.

    Returns:
        How many rounds were new.
    """
    by_round: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for finding in findings:
        if finding["verdict"] in FOUND:
            by_round[finding["round_id"]].append(finding)
    new, part = 0, []
    for record in rounds:
        part.append(record)
        if len(part) >= ROUNDS_AT_ONCE:
            new += _write(database, run_id, table_id, game, part, by_round)
            part = []
    return new + _write(database, run_id, table_id, game, part, by_round)


def _write(
    database: Database, run_id: str, table_id: str, game: str, part: Sequence[Mapping[str, Any]],
    by_round: Mapping[str, Sequence[Mapping[str, Any]]],
) -> int:  # fmt: skip
    if not part:
        return 0
    ids = [record["round_id"] for record in part]
    with database.write() as session:
        query = sa.select(RoundFactRow.round_id).where(RoundFactRow.run_id == run_id, RoundFactRow.round_id.in_(ids))
        known = set(session.scalars(query))
        for record in part:
            if record["round_id"] not in known:
                _index(session, run_id, table_id, game, record, by_round.get(record["round_id"], ()))
    return len(part) - len(known)


def _index(
    session: Session, run_id: str, table_id: str, game: str, record: Mapping[str, Any], found: Sequence[Mapping[str, Any]]
) -> None:  # fmt: skip
    rung = sum(finding["verdict"] == "breach" for finding in found)
    row = round_row(table_id, record, rung)
    fact = RoundFactRow(run_id=run_id, game=game, **{name: row[name] for name in FACT_COLUMNS})
    session.add(fact)
    session.flush()
    number = fact.number
    cards, hands = sorted(set(cards_of(record))), sorted(set(hands_of(game, record)))
    for table, rows in (
        (RoundCardRow, [{"card": card, "number": number, "place": place} for card, place in cards]),
        (RoundHandRow, [{"hand": hand, "number": number, "place": place} for hand, place in hands]),
        (RoundWagerRow, [row | {"number": number} for row in wagers_of(record)]),
        (RoundFindingRow, [row | {"number": number} for row in findings_of(found)]),
    ):
        if rows:
            session.execute(sa.insert(table), rows)


def cards_of(record: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Every card that was read, with its place."""
    groups = [(seat["cards"], seat["seat"]) for seat in record["seats"]]
    for cards, place in (*groups, (record["community"], COMMUNITY), (record.get("dealer", ()), DEALER)):
        yield from ((card, place) for card in cards if card is not None)


def hands_of(game: str, record: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """What every hand that was read whole was worth, with its place."""
    board = tuple(record["community"])
    for seat in record["seats"]:
        yield from ((name, seat["seat"]) for name in hand_names(game, tuple(seat["cards"]), board))
    if game in ("caribbean_stud", "dj_wild"):
        yield from ((name, DEALER) for name in hand_names(game, tuple(record.get("dealer", ())), ()))


def hand_names(game: str, hand: Sequence[str | None], board: Sequence[str | None]) -> Iterator[str]:
    """The names of a hand: by the game's ranking, and for three cards as `three:...`; none where a card was not read.

    >>> list(hand_names("let_it_ride", ("As", "Ks", "Qs"), ("Js", "Ts")))
    ['three:straight-flush', 'royal-flush']
    """
    known = [card for card in hand if card is not None]
    whole = [*known, *(card for card in board if card is not None)]
    if len(known) < len(hand):
        return
    try:
        if len(hand) == 3:
            yield "three:" + named(rank_three(parse_cards(known)).label)
        if len(whole) == len(hand) + len(board) == LAST_CARDS[game]:
            yield named(RANKERS[game](parse_cards(whole)).label)
    except (CardError, HandError):
        return  # a card twice, read wrong or of two decks: no hand of this game


def named(label: str) -> str:
    """The name of a hand as one word."""
    return label.replace(" ", "-")


LAST_CARDS = {"raise_it_up": 6, "caribbean_stud": 5, "let_it_ride": 5, "dj_wild": 5}
RANKERS: dict[str, Callable[[Sequence[Card]], HandRank]] = {
    "raise_it_up": rank_best_of_six, "caribbean_stud": rank_five, "let_it_ride": rank_five, "dj_wild": rank_five_wild,
}  # fmt: skip


def wagers_of(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every wager once: as it was settled, or as it lay there where it was not."""
    settled = {(p["seat"], p["wager"]): p for p in record.get("payouts", ())}
    lay = {(seat["seat"], wager): stake for seat in record["seats"] for wager, stake in seat["wagers"]}
    for seat, wager in sorted(settled.keys() | lay.keys()):
        payout = settled.get((seat, wager), {})
        owed, paid = payout.get("owed_cents"), payout.get("paid_cents")
        yield {
            "seat": seat, "wager": wager, "outcome": payout.get("outcome") or "", "verdict": payout.get("verdict", ""),
            "stake_cents": payout.get("stake_cents", lay.get((seat, wager))), "owed_cents": owed, "paid_cents": paid,
            "difference_cents": None if owed is None or paid is None else paid - owed,
        }  # fmt: skip


def findings_of(found: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Findings by what they are searched by; the same one once."""
    seen = set()
    for finding in found:
        if finding["finding_id"] not in seen:
            seen.add(finding["finding_id"])
            section = finding["citation"].rpartition("§")[2].strip()
            yield {name: finding[name] for name in ("finding_id", "check_id", "verdict")} | {"section": section}
