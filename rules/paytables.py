"""The paytables of the four games, from `rules/data/paytables.yaml`: which hand a wager pays, how much, and by what law.

The numbers live in the data file with their section of law; this module reads, checks and looks up. A `Paytable` is one
column of a table of the chapter, its lines best hand first.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

from rules.cards import Card
from rules.dated import file_of_day, law_day, load_file
from rules.hands import FiveCard, HandRank, ThreeCardRank, is_six_card_royal
from rules.money import Cents, MoneyError, Pay, parse_pay

DATA_FILE = "paytables.yaml"
RESERVE = "reserve"
"""The meter that only collects; the chapters do not say what it pays (ALL-A16)."""


class PaytableError(ValueError):
    """A paytable that does not exist, or a data file that cannot be used; the text says which and what is allowed."""


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a paytable: the hand and what it pays."""

    hand: str
    pay: Pay


@dataclass(frozen=True, slots=True)
class Meter:
    """How a progressive meter starts and grows.

    Attributes:
        name: "meter", "mega", "major", "minor" or "reserve".
        seed_for_1: dollars it starts with for every dollar of the wager offered.
        reseed_for_1: the same after a 100% payout.
        increment_percent: part of each wager that raises it; None where the chapter names no rate (DJW-A13).
    """

    name: str
    seed_for_1: int
    reseed_for_1: int
    increment_percent: int | None

    def reseed(self, unit: Cents) -> Cents:
        """What stands on the meter after a 100% payout where one wager is `unit`."""
        return Cents(self.reseed_for_1 * unit)

    def increment(self, wager: Cents) -> Cents:
        """By how much one accepted wager raises it, in whole cents, a part of a cent dropped."""
        return Cents(wager * (self.increment_percent or 0) // 100)


@dataclass(frozen=True, slots=True)
class Paytable:
    """One column of a paytable.

    Attributes:
        game: e.g. "raise_it_up".
        wager: e.g. "pair_plus".
        name: the letter or number chosen in the Rules Submission; "A" where the chapter prints one table only.
        citation: e.g. "58 Pa. Code § 669a.12(a)".
        effective: since when the section reads so.
        checked: when it was last compared with the text.
        lines: best hand first; the first line met is the one paid.
        meters: by name; empty for a wager without a meter.
        meters_citation: where the law has the meters, "" without.
        envy: cents by wager of the receiver in cents, then by hand; empty where this table carries no envy bonus.
        envy_citation: where the law has the envy bonus, "" without.
        extras: payouts beside the lines, e.g. "magic_card".
        extras_citation: where the law has the extras, "" without.
    """

    game: str
    wager: str
    name: str
    citation: str
    effective: datetime.date
    checked: datetime.date
    lines: tuple[Line, ...]
    meters: Mapping[str, Meter]
    meters_citation: str
    envy: Mapping[Cents, Mapping[str, Cents]]
    envy_citation: str
    extras: Mapping[str, Pay]
    extras_citation: str

    def line(self, hands: Iterable[str]) -> Line | None:
        """The line paid to a hand, given the names it answers to (`five_card_names` ...); None if it loses."""
        names = frozenset(hands)
        return next((line for line in self.lines if line.hand in names), None)

    def envy_for(self, receiver_wager: Cents, hands: Iterable[str]) -> tuple[str, Cents] | None:
        """The hand and the amount of the envy bonus another player's hand brings, None if it brings none.

        Raises:
            PaytableError: if the chapter names no amount for a wager of this size.
        """
        if not self.envy:
            return None
        names = frozenset(hands)
        hand = next((hand for amounts in self.envy.values() for hand in amounts if hand in names), None)
        if hand is None:
            return None
        if receiver_wager not in self.envy:
            allowed = " or ".join(f"${cents // 100}" for cents in self.envy)
            raise PaytableError(
                f"{self.game} {self.wager}: {self.envy_citation} names envy bonuses for a wager of {allowed}, not of "
                f"{receiver_wager} cents"
            )
        return hand, self.envy[receiver_wager][hand]


@dataclass(frozen=True, slots=True)
class PayoutLimit:
    """The highest amount a casino may set for one hand. Source: 58 Pa. Code § 643a.12(h)."""

    citation: str
    wagers: tuple[str, ...]
    least: Cents


@dataclass(frozen=True, slots=True)
class GamePaytables:
    """All paytables of one game: by wager, then by name."""

    game: str
    title: str
    chapter: str
    tables: Mapping[str, Mapping[str, Paytable]]
    payout_limit: PayoutLimit | None

    def table(self, wager: str, name: str) -> Paytable:
        """One paytable.

        Raises:
            PaytableError: naming the wager or the paytable that does not exist and those that do.
        """
        columns = self.tables.get(wager)
        if columns is None:
            raise PaytableError(
                f"{self.game}: no wager {wager!r} with a paytable; those with one: {_join(self.tables)}"
            )
        table = columns.get(name)
        if table is None:
            citation = next(iter(columns.values())).citation
            raise PaytableError(
                f"{self.game} {wager}: no paytable {name!r} in {citation}; it allows {_join(sorted(columns))}"
            )
        return table


def game_paytables(game: str) -> GamePaytables:
    """The paytables of a game, e.g. "raise_it_up".

    Raises:
        PaytableError: naming the games there are.
    """
    games = all_paytables()
    if game not in games:
        raise PaytableError(f"no game {game!r}; those known: {_join(games)}")
    return games[game]


def all_paytables() -> Mapping[str, GamePaytables]:
    """The paytables of all games as they stand on the day set by `rules.dated.law_of`."""
    return _all_paytables(file_of_day(DATA_FILE.removesuffix(".yaml"), law_day()))


@cache
def _all_paytables(name: str) -> Mapping[str, GamePaytables]:
    return parse_paytables(load_file(name), source=f"rules/data/{name}")


def parse_paytables(document: Mapping[str, Any], *, source: str) -> Mapping[str, GamePaytables]:
    """Paytables from the structure of the data file, checked.

    Args:
        document: the parsed YAML; its layout is described at the head of `rules/data/paytables.yaml`.
        source: what to call the file in an error.

    Raises:
        PaytableError: naming the file, game and wager, and what is wrong.
    """
    code = document["code"]
    games = {}
    for game, entry in document.items():
        if game == "code":
            continue
        tables = {}
        for wager, table in entry["wagers"].items():
            where = f"{source}: {game}.{wager}"
            try:
                tables[wager] = _columns(game, wager, code, entry, table)
            except (KeyError, TypeError, IndexError, MoneyError) as err:
                raise PaytableError(f"{where}: {type(err).__name__} {err}; see the head of the file") from err
        limit = entry.get("payout_limit")
        games[game] = GamePaytables(
            game=game,
            title=entry["title"],
            chapter=entry["chapter"],
            tables=MappingProxyType(tables),
            payout_limit=_limit(code, limit) if limit else None,
        )
    return MappingProxyType(games)


def _limit(code: str, entry: Mapping[str, Any]) -> PayoutLimit:
    least = Cents(entry["least_dollars"] * 100)
    return PayoutLimit(f"{code} {entry['citation']}", tuple(entry["wagers"]), least)


def _columns(
    game: str, wager: str, code: str, entry: Mapping[str, Any], table: Mapping[str, Any]
) -> Mapping[str, Paytable]:
    names: Sequence[str] = table["columns"]
    for hand, cells in table["odds"].items():
        if len(cells) != len(names):
            raise PaytableError(f"{game}.{wager}: {hand!r} has {len(cells)} cells, there are {len(names)} columns")
    meters, envy, extras = table.get("meters", {}), table.get("envy", {}), table.get("extras", {})
    columns = {}
    for place, name in enumerate(names):
        columns[name] = Paytable(
            game=game,
            wager=wager,
            name=name,
            citation=f"{code} {table['citation']}",
            effective=table.get("effective", entry["effective"]),
            checked=table.get("checked", entry["checked"]),
            lines=tuple(
                Line(hand, parse_pay(cells[place])) for hand, cells in table["odds"].items() if cells[place] is not None
            ),
            meters=MappingProxyType({m: _meter(m, values) for m, values in meters.get(name, {}).items()}),
            meters_citation=_cite(code, meters),
            envy=MappingProxyType(_envy(envy) if name in envy.get("columns", ()) else {}),
            envy_citation=_cite(code, envy),
            extras=MappingProxyType({key: parse_pay(text) for key, text in extras.items() if key != "citation"}),
            extras_citation=_cite(code, extras),
        )
    return MappingProxyType(columns)


def _cite(code: str, entry: Mapping[str, Any]) -> str:
    return f"{code} {entry['citation']}" if entry else ""


def _meter(name: str, values: Mapping[str, Any]) -> Meter:
    if name == RESERVE:
        return Meter(name, 0, 0, values["increment_percent"])
    return Meter(name, values["seed_for_1"], values["reseed_for_1"], values["increment_percent"])


def _envy(entry: Mapping[str, Any]) -> dict[Cents, Mapping[str, Cents]]:
    return {
        Cents(dollars * 100): MappingProxyType({hand: Cents(amount * 100) for hand, amount in amounts.items()})
        for dollars, amounts in entry["dollars_by_receivers_wager"].items()
    }


def _join(names: Iterable[str]) -> str:
    return ", ".join(names)


PAIR_OF_TENS = "pair of 10s or better"


def five_card_names(rank: HandRank) -> tuple[str, ...]:
    """The rows of a paytable that a five-card hand answers to, the most telling first."""
    names = [rank.label]
    if rank.category is FiveCard.PAIR and rank.is_pair_of_tens_or_better:
        names.insert(0, PAIR_OF_TENS)
    if rank.category <= FiveCard.PAIR:
        names.append("pair or less")
    if rank.category <= FiveCard.THREE_OF_A_KIND:
        names.append("three-of-a-kind or less")
    return (*names, "any")


def three_card_names(rank: ThreeCardRank) -> tuple[str, ...]:
    """The rows of a paytable that a three-card hand answers to, the most telling first."""
    if not rank.is_mini_royal:
        return (rank.label,)
    of = "spades" if rank.suit == "s" else "hearts, diamonds or clubs"
    return (f"mini-royal of {of}", "mini-royal", rank.label)


def six_card_names(cards: Sequence[Card], best: HandRank) -> tuple[str, ...]:
    """The rows of a paytable that six cards answer to, given the best five of them."""
    if not is_six_card_royal(cards):
        return five_card_names(best)
    of = "diamonds" if cards[0].suit == "d" else "hearts, spades or clubs"
    return (f"six-card royal flush of {of}", *five_card_names(best))
