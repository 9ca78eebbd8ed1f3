"""A round of any game as one JSON object: reading it, settling it, writing the result.

The format is that of `docs/settle.md`: the Rules Submission under `config`, the cards, and per seat the wagers placed
before the deal and the decisions. What is particular to a game stands in its module; `GAMES` is the list of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from rules.cards import Card
from rules.documents import load_json
from rules.hands import HandError
from rules.law import GAMES as NAMES
from rules.money import Cents
from rules.paytables import Paytable, PaytableError, game_paytables
from rules.settlement.fields import Field, verify_one_deck
from rules.settlement.progressive import MeterBank
from rules.settlement.readings import verify_readings
from rules.settlement.results import SettlementError, WagerResult, returned
from rules.settlement.table import GameRules, Round, Seat

GAMES: Mapping[str, GameRules] = {
    rules.chapter: rules for rules in (import_module(f"rules.settlement.{game}").RULES for game in NAMES)
}
"""The games by their chapter."""


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round settled.

    Attributes:
        round_id: its name.
        seats: results by seat and wager, in the order of settlement.
        meters: the meters after the round, with every change in its order.
    """

    round_id: str
    seats: Mapping[int, Mapping[str, WagerResult]]
    meters: MeterBank


def settle_round(document: Mapping[str, Any]) -> dict[str, Any]:
    """Settle one round and write the result with the way to every amount.

    Args:
        document: the round as parsed from JSON.

    Returns:
        `id`; `seats`: by seat and wager `outcome`, `return`, `wager`, `net` in cents, `odds`, `hand`, `why` where they
        apply, `way` and `citation`; `settle_order`; `meter_log`; `meters_after`.

    Raises:
        SettlementError: naming the field that is wrong, what it holds and what is expected.
    """
    settled = settle(document)
    return {
        "id": settled.round_id,
        "settle_order": list(settled.seats),
        "seats": {
            str(seat): {wager: _written(result) for wager, result in results.items()}
            for seat, results in settled.seats.items()
        },
        "meter_log": [[e.kind, e.seat, e.meter, e.amount, e.balance] for e in settled.meters.log],
        "meters_after": dict(settled.meters.balances),
    }


def settle_lines(lines: Iterable[str], *, explain: bool = False) -> Iterator[str]:
    """Settle rounds given as one JSON object a line, and give one line for each; empty lines are passed over.

    Args:
        lines: the rounds.
        explain: whether to give everything `settle_round` gives; otherwise id, outcome and return of every wager, and
            the meters after the round.

    Raises:
        SettlementError: naming the line, the field and what is wrong, when that line is reached.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            document = load_json(line)
        except ValueError as err:
            raise SettlementError(f"line {number}: no JSON object: {err}") from err
        try:
            result = settle_round(document)
        except SettlementError as err:
            name = document.get("id") if isinstance(document, dict) else None
            where = f"line {number} (round {name})" if isinstance(name, str) else f"line {number}"
            raise SettlementError(f"{where}: {err}") from err
        yield json.dumps(result if explain else _short(result), separators=(", ", ": "))


def _short(result: Mapping[str, Any]) -> dict[str, Any]:
    seats = {
        seat: {wager: {"outcome": one["outcome"], "return": one["return"]} for wager, one in results.items()}
        for seat, results in result["seats"].items()
    }
    return {"id": result["id"], "seats": seats, "meters_after": result["meters_after"]}


def _written(result: WagerResult) -> dict[str, Any]:
    texts = {"odds": result.odds, "hand": result.hand, "why": result.why}
    return {
        "wager": result.stake_cents,
        "outcome": str(result.outcome),
        "return": result.return_cents,
        "net": result.net_cents,
        **{key: text for key, text in texts.items() if text},
        "way": result.way,
        "citation": result.citation,
    }


def settle(document: Mapping[str, Any]) -> SettledRound:
    """Settle one round.

    Raises:
        SettlementError: naming the field that is wrong, what it holds and what is expected.
    """
    root = Field(document)
    rules = GAMES[root.get("game").choice(*GAMES)]
    played = read_round(root, rules)
    try:
        if played.void:
            results = _void(played, rules)
        else:
            contribute(played, rules)
            results = rules.settle(played)
    except (PaytableError, HandError) as err:
        raise SettlementError(str(err)) from err
    return SettledRound(played.round_id, results, played.meters)


def _void(played: Round, rules: GameRules) -> Mapping[int, Mapping[str, WagerResult]]:
    live = rules.settle_void(played) if played.void_settles_bonus and rules.settle_void else {}
    because = f"void: {played.void}"
    citation = f"58 Pa. Code § {rules.chapter}.13"
    return {
        seat.number: {
            **{
                wager: returned(stake, because=because, citation=citation)
                for wager, stake in seat.wagers.items()
                if wager not in live.get(seat.number, {})
            },
            **live.get(seat.number, {}),
        }
        for seat in played.settlement_order
    }


def contribute(played: Round, rules: GameRules) -> None:
    """Add every accepted progressive and electronic wager to its meters, before anything is settled (ALL-A17)."""
    for group, wagers in rules.metered.items():
        for seat in played.seats:
            for wager in wagers:
                if wager in seat.wagers:
                    table = played.paytable(wager)
                    played.meters.contribute(table, group, seat.number, seat.wagers[wager])


def read_round(root: Field, rules: GameRules) -> Round:
    """A round of one game, checked.

    Raises:
        SettlementError: naming the field that is wrong, what it holds and what is expected.
    """
    config = root.get("config")
    void, settles_bonus = _read_void(root)
    seats = _read_seats(root, rules, config, is_void=bool(void))
    shared = {
        name.removesuffix("?"): _read_shared(root, name, count, rules, is_void=bool(void))
        for name, count in rules.shared_cards.items()
    }
    placed = [(f"seat {seat.number}", card) for seat in seats for card in seat.cards]
    placed += [(name, card) for name, cards in shared.items() for card in cards]
    verify_one_deck(placed)
    if deck := root.find("deck"):
        verify_one_deck([(field.path, field.card(rules.deck)) for field in deck.elements()])
    limit = config.find("max_payout")
    if limit is not None and game_paytables(rules.game).payout_limit is None:
        raise limit.fail(f"nothing: chapter {rules.chapter} lets no house limit its payouts; leave it out")
    meters, magic = config.find("meters_before"), config.find("magic_card")
    return Round(
        round_id=root.get("id").text(),
        seats=seats,
        shared=shared,
        paytables=_read_paytables(config, rules, seats),
        meters=MeterBank({name: field.cents() for name, field in meters.items()} if meters else {}),
        readings=_read_readings(config),
        config=config,
        magic_card=magic.card(rules.deck) if magic else None,
        lucky=_read_lucky(config, rules),
        void=void,
        void_settles_bonus=settles_bonus,
    )


def _read_void(root: Field) -> tuple[str, bool]:
    void = root.find("void")
    if void is None:
        return "", False
    bonus = void.find("settle_bonus")
    return void.get("reason").text() or "no reason given", bonus.flag() if bonus else False


def _read_lucky(config: Field, rules: GameRules) -> int | str | None:
    field = config.find("lucky")
    if field is None or field.value == "dealer":
        return None if field is None else "dealer"
    return field.number(1, rules.seats)


def _read_readings(config: Field) -> Mapping[str, str]:
    readings = config.find("readings")
    chosen = {name: field.text() for name, field in readings.items()} if readings else {}
    verify_readings(chosen)
    return chosen


def _read_shared(root: Field, name: str, count: int, rules: GameRules, *, is_void: bool) -> tuple[Card, ...]:
    """Cards that belong to no player; a name ending in "?" may be missing, "dealer" has its cards inside."""
    optional, name = name.endswith("?"), name.removesuffix("?")
    field = root.find(name) if optional or is_void else root.get(name)
    if field is None:
        return ()
    if name == "dealer":
        return field.get("cards").cards(rules.deck, None if is_void else count)
    if isinstance(field.value, str):
        return (field.card(rules.deck),)
    return field.cards(rules.deck, None if is_void else count)


def _read_seats(root: Field, rules: GameRules, config: Field, *, is_void: bool) -> tuple[Seat, ...]:
    seats: list[Seat] = []
    for field in root.get("seats").elements():
        number = field.get("seat").number(1, rules.seats)
        if any(seat.number == number for seat in seats):
            raise SettlementError(f"{field.path}.seat: seat {number} is there twice")
        wagers = field.get("wagers")
        stakes = {wager: stake.cents(least=1) for wager, stake in wagers.items()}
        for wager in stakes:
            if wager not in rules.before_deal:
                allowed = ", ".join(rules.before_deal)
                raise SettlementError(f"{wagers.path}.{wager}: no wager of this game before the deal; those: {allowed}")
        for wager in rules.required:
            wagers.get(wager)
        _verify_units(wagers, stakes, rules, config)
        cards = field.get("cards").cards(rules.deck, None if is_void else rules.cards_each)
        decided = not is_void or field.find("decision") or field.find("decisions")
        decision = rules.read_decision(field) if decided else {}
        seats.append(Seat(number, stakes, cards, decision))
    if not seats:
        raise root.get("seats").fail("at least one seat")
    _verify_printed_units(seats, rules, config)
    return tuple(sorted(seats, key=lambda seat: seat.number))


def _verify_units(wagers: Field, stakes: Mapping[str, Cents], rules: GameRules, config: Field) -> None:
    """A progressive or electronic wager has one amount at a table; it must be that amount."""
    for group, names in rules.metered.items():
        unit = config.find(rules.unit_keys[group])
        for wager in names:
            if wager in stakes and unit is not None and stakes[wager] != unit.cents(least=1):
                raise wagers.get(wager).fail(f"{unit.cents()} cents, the one amount of this wager ({unit.path})")


def _verify_printed_units(seats: Sequence[Seat], rules: GameRules, config: Field) -> None:
    """A paytable that is printed for one amount of its wager goes with that amount."""
    chosen = config.get("paytables")
    for group, (printed, section) in rules.printed_units.items():
        for wager in rules.metered[group]:
            name = chosen.find(rules.chosen[wager])
            due = printed.get(name.text()) if name is not None else None
            for seat in seats if due is not None else ():
                if name is not None and seat.wagers.get(wager, due) != due:
                    text = f"paytable {name.text()} is printed for a wager of {due} cents ({section})"
                    raise SettlementError(f"{name.path}: {text}; seat {seat.number} has {seat.wagers[wager]}")


def _read_paytables(config: Field, rules: GameRules, seats: Sequence[Seat]) -> Mapping[str, Paytable]:
    """The paytable of every wager of the round, by wager."""
    chosen = config.get("paytables")
    law = game_paytables(rules.game)
    tables = {}
    for key, field in chosen.items():
        if key not in rules.chosen.values():
            raise SettlementError(f"{field.path}: no wager of this game has a choice of paytables of that name")
        for wager, name in rules.chosen.items():
            if name == key:
                try:
                    tables[wager] = rules.find_table(law, key, field.text())
                except PaytableError as err:
                    raise SettlementError(f"{field.path}: {err}") from err
    for wager in rules.fixed:
        tables[wager] = law.table(wager, "A")
    for seat in seats:
        for wager in (*rules.required, *seat.wagers):
            if wager not in tables:
                raise SettlementError(
                    f"config.paytables.{rules.chosen[wager]}: missing, but seat {seat.number} has a wager on {wager}"
                )
    return tables
