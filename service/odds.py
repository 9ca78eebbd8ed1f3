"""The odds of every wager and paytable, counted hand by hand, printed as tables or JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TextIO

from rich.console import Console
from rich.table import Table

from rules.law import GAMES
from rules.money import MeterShare, Push, format_cents
from rules.odds import LOSES, OddsError, WagerOdds, envy_odds, side_wager_odds
from rules.odds_play import PlayOdds, caribbean_stud, dj_wild, let_it_ride, raise_it_up
from rules.odds_wild import bad_beat_odds, trips_numbers, trips_odds
from rules.paytables import Paytable, game_paytables
from service.errors import ServiceError

BASE: Mapping[str, Mapping[str, Callable[[], PlayOdds]]] = {
    "raise_it_up": {"Ante, Blind and Play": raise_it_up},
    "caribbean_stud": {"Ante and Bet": caribbean_stud},
    "dj_wild": {"Ante, Blind and Raise": dj_wild},
    "let_it_ride": {name: lambda name=name: let_it_ride(name) for name in ("A", "B")},  # type: ignore[misc]
}
"""Base games, played best, by game and paytable."""


UNCOUNTED: Mapping[str, Mapping[str, str]] = {
    "caribbean_stud": {
        "magic_card, lucky_bonus": "the chapter does not say how often the system draws, nor what for (§ 639a.1)",
        "five_card_hand_bonus on the dealer's hand": "as on the player's; a share of the meter is divided among all who wagered on it",
    },
    "let_it_ride": {
        "magic_card, lucky_bonus": "the chapter does not say how often the system draws, nor what for (§ 643a.1)",
    },
}
"""What cannot be enumerated, and why."""


def print_odds(game: str, wager: str, out: Console, *, as_json: bool) -> None:
    """Print the odds of a game's wagers, or of one; "base" is the base game.

    Raises:
        ServiceError: no such game or wager.
    """
    if game not in GAMES:
        raise ServiceError(f"no game {game!r}", do=f"Give one of {', '.join(GAMES)} with --game")
    skipped: list[str] = []
    side = list(_side(game, wager, skipped))
    base = BASE.get(game, {}) if wager in ("", "base") else {}
    if not side and not base:
        known = sorted({odds.table.wager for odds in _side(game, "", [])}) + (["base"] if game in BASE else [])
        raise ServiceError(f"no odds of {wager!r} in {game}", do=f"Give one of {', '.join(known)} with --wager")
    for odds in side:
        print_line(json.dumps(_as_dict(odds))) if as_json else out.print(_listing(odds), highlight=False)
    for name, count in base.items():
        played = count()
        if as_json:
            line = {
                "game": game, "wager": "base", "paytable": name, "hands": played.hands, "play": str(played.play),
                "house_edge": str(played.edge), "house_edge_percent": _percent(played.edge),
            }  # fmt: skip
            print_line(json.dumps(line))
        else:
            out.print(
                f"base game, {name}: {played.hands:,} hands, goes on with {_percent(played.play)} %, house edge {_percent(played.edge)} %",
                highlight=False,
            )
    for name, why in UNCOUNTED.get(game, {}).items() if not wager and not as_json else ():
        out.print(f"not counted: {name}: {why}", highlight=False)
    for why in skipped:
        print_line(f"not counted by itself: {why}", sys.stderr) if as_json else out.print(f"not counted by itself: {why}", highlight=False)  # fmt: skip


def print_line(text: str, file: TextIO | None = None) -> None:
    """One line to standard output, or another file, unwrapped."""
    (file or sys.stdout).write(text + "\n")


def _side(game: str, wager: str, skipped: list[str]) -> Iterator[WagerOdds]:
    """The odds of a game's side wagers, or of one; to `skipped` is added what cannot be counted, and why."""
    for name, columns in game_paytables(game).tables.items():
        if wager in ("", name) and (game, name) == ("dj_wild", "trips"):
            yield from map(trips_odds, trips_numbers())
        elif wager in ("", name) and (game, name) == ("dj_wild", "bad_beat"):
            yield from (bad_beat_odds(column, two_way=way) for way in (False, True) for column in columns)
        elif wager in ("", name):
            yield from _by_paytable(columns.values(), skipped)
        if wager in ("", name, "envy"):
            yield from (envy_odds(table, cents) for table in columns.values() for cents in table.envy)


def _by_paytable(tables: Iterable[Paytable], skipped: list[str]) -> Iterator[WagerOdds]:
    for table in tables:
        try:
            odds = side_wager_odds(table)
        except OddsError as error:
            skipped.append(f"paytable {table.name}: {error}")
            continue
        yield odds


def _percent(value: Fraction) -> str:
    return f"{float(100 * value):.4f}"


def _edge(odds: WagerOdds) -> tuple[str, Fraction | None]:
    """The house edge, or with a meter what it is while the meter is empty."""
    meters = {line.pay.meter for line in odds.table.lines if isinstance(line.pay, MeterShare)}
    if not meters:
        return "house edge", odds.house_edge()
    return "house edge with an empty meter", odds.house_edge(dict.fromkeys(meters, Fraction(0)))


def _as_dict(odds: WagerOdds) -> dict[str, object]:
    words, edge = _edge(odds)
    assert edge is not None
    return {
        "game": odds.table.game, "wager": odds.table.wager, "paytable": odds.table.name, "citation": odds.table.citation,
        "hands": odds.total, "hits": dict(odds.counts), "return": str(1 - edge),
        words.replace(" ", "_"): str(edge), "house_edge_percent": _percent(edge),
    }  # fmt: skip


def _listing(odds: WagerOdds) -> Table:
    words, edge = _edge(odds)
    assert edge is not None
    if odds.table.wager.endswith("envy"):
        return _envy_listing(odds)
    title = f"{odds.table.wager} {odds.table.name} ({odds.table.citation}): return {_percent(1 - edge)} %, {words} {_percent(edge)} %"
    listing = Table("hand", "pays", "hits", "of", "chance", title=title)
    pays = {line.hand: str(line.pay) for line in odds.table.lines}
    for hand, count in odds.counts.items():
        listing.add_row(
            hand, pays.get(hand, "-"), f"{count:,}", f"{odds.total:,}", f"{float(odds.probability(hand)):.6%}"
        )
    return listing


def _envy_listing(odds: WagerOdds) -> Table:
    """The envy bonuses for the hand of one other player."""
    cents = next(line.pay.denominator for line in odds.table.lines if not isinstance(line.pay, MeterShare | Push))
    value = f"{float(odds.expected_return() * cents):.4f}"
    title = (
        f"{odds.table.wager} {odds.table.name} ({odds.table.citation}) for a wager of {format_cents(cents)}: "
        f"{value} cents for each other player whose hand counts"
    )
    listing = Table("hand of the other player", "brings", "hits", "of", "chance", title=title)
    paid = {line.hand: line.pay.numerator for line in odds.table.lines if not isinstance(line.pay, MeterShare | Push)}
    for hand, count in odds.counts.items():
        brings = format_cents(paid[hand]) if hand in paid else "-"
        shown = "nothing" if hand == LOSES else hand
        listing.add_row(shown, brings, f"{count:,}", f"{odds.total:,}", f"{float(odds.probability(hand)):.6%}")
    return listing
