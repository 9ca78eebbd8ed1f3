"""What a closed round is listed and searched by: its row, cards, hands, wagers, findings, all from the round as JSON values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rules.cards import Card, CardError, parse_cards
from rules.hands import HandError, HandRank, rank_best_of_six, rank_five, rank_five_wild, rank_three

COMMUNITY, DEALER = 0, -1
"""Places of cards that are no seat's."""
FOUND = ("breach", "undetermined")
"""Verdicts that rounds are searched by."""


def round_row(table_id: str, record: Mapping[str, Any], breaches: int) -> dict[str, Any]:
    """A round in one row: its cards as people write them, and its sums over what is known."""
    payouts = record.get("payouts", ())
    known = [p for p in payouts if p.get("owed_cents") is not None and p.get("paid_cents") is not None]
    owed, paid = sum(p["owed_cents"] for p in known), sum(p["paid_cents"] for p in known)
    stakes = [p["stake_cents"] for p in payouts if p.get("stake_cents") is not None]
    seats = (f"{seat['seat']}: {cards_text(seat['cards'])}" for seat in record["seats"] if seat["cards"])
    return {
        "table_id": table_id, "round_id": record["round_id"], "number": record["number"], "opened_s": record["opened_s"],
        "closed_s": record["closed_s"], "complete": record["complete"], "community": cards_text(record["community"]),
        "dealer": cards_text(record.get("dealer", ())), "players": "; ".join(seats), "stake_cents": sum(stakes),
        "owed_cents": owed, "paid_cents": paid, "difference_cents": paid - owed, "unknown": len(payouts) - len(known),
        "breaches": breaches,
    }  # fmt: skip


def cards_text(cards: Sequence[str | None]) -> str:
    """Cards as in `As Td ?`."""
    return " ".join(card or "?" for card in cards)


def cards_of(record: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Every card that was read, with its place."""
    groups = [(seat["cards"], seat["seat"]) for seat in record["seats"]]
    for cards, place in (*groups, (record["community"], COMMUNITY), (record.get("dealer", ()), DEALER)):
        yield from ((card, place) for card in cards if card is not None)


def hands_of(game: str, record: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """What every hand that was read whole was worth, with its place."""
    if game not in LAST_CARDS:
        return
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
