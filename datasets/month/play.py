"""Rounds as players play them without much thought: wagers, cards, decisions; no settlement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from datasets.month.pit import CHAPTERS, PitTable
from rules.cards import DECK_52, DECK_53, Card, parse_card
from rules.hands import is_wild, rank_best_of_six, rank_five, rank_five_wild

STAKES = (500, 500, 1000, 1000, 1500, 2500, 2500, 5000, 10000)
SIDE_STAKES = (500, 500, 1000, 2500)
UNIT = 100
_TEXT_52 = tuple(map(str, DECK_52))
_TEXT_53 = tuple(map(str, DECK_53))
_CARD: Mapping[str, Card] = {text: parse_card(text) for text in _TEXT_53}


def play_round(table: PitTable, round_id: str, random: Random, meters: Mapping[str, int]) -> dict[str, Any]:
    """One round of a table in the format of `docs/settle.md`, its paytables left to the table's file.

    Args:
        table: where it is played.
        round_id: its name.
        random: everything follows from it.
        meters: cents on each progressive meter before the round.
    """
    most = 6 if table.game in ("raise_it_up", "dj_wild") else 7
    players = random.choices((1, 2, 3), (70, 24, 6))[0]
    seats = sorted(random.sample(range(1, most + 1), players))
    config: dict[str, Any] = {"meters_before": dict(meters)}
    document = {"id": round_id, "game": CHAPTERS[table.game], "config": config}
    _GAMES[table.game](document, table, seats, random)
    return document


def _cards(random: Random, deck: tuple[str, ...], count: int) -> list[str]:
    return random.sample(deck, count)


def _ranked(texts: list[str]) -> tuple[Card, ...]:
    return tuple(_CARD[text] for text in texts)


def _side(wagers: dict[str, int], random: Random, name: str, share: float, unit: int | None = None) -> None:
    if random.random() < share:
        wagers[name] = unit or random.choice(SIDE_STAKES)


def _raise_it_up(document: dict[str, Any], _table: PitTable, seats: list[int], random: Random) -> None:
    cards = _cards(random, _TEXT_52, 3 * len(seats) + 3)
    document["community"] = community = cards[-3:]
    document["seats"] = out = []
    for place, seat in enumerate(seats):
        hand, stake = cards[3 * place : 3 * place + 3], random.choice(STAKES)
        wagers = {"ante": stake, "blind": stake}
        for name, share, unit in (
            ("pair_plus", 0.35, None),
            ("six_card_bonus", 0.25, None),
            ("progressive", 0.3, UNIT),
        ):
            _side(wagers, random, name, share, unit)
        out.append({"seat": seat, "wagers": wagers, "cards": hand, "decision": _raise(hand, community, random)})


def _raise(hand: list[str], community: list[str], random: Random) -> dict[str, Any]:
    if len({text[0] for text in hand}) < 3:
        return {"action": "play", "street": "third", "multiple": random.choice((2, 3, 3))}
    if rank_best_of_six(_ranked(hand + community)).category >= 1:
        street = random.choice(("fourth", "fifth"))
        return {"action": "play", "street": street, "multiple": 1 if street == "fifth" else random.choice((1, 2))}
    if random.random() < 0.4:
        return {"action": "play", "street": "fifth", "multiple": 1}
    return {"action": "fold"}


def _caribbean_stud(document: dict[str, Any], _table: PitTable, seats: list[int], random: Random) -> None:
    cards = _cards(random, _TEXT_52, 5 * len(seats) + 5)
    document["dealer"] = {"upcard": cards[-5], "cards": cards[-5:]}
    document["config"] |= {"magic_card": random.choice(_TEXT_52), "lucky": random.choice((*range(1, 8), "dealer"))}
    document["seats"] = out = []
    for place, seat in enumerate(seats):
        hand = cards[5 * place : 5 * place + 5]
        wagers = {"ante": random.choice(STAKES)}
        for name, share, unit in (
            ("bonus", 0.35, None), ("progressive", 0.5, UNIT), ("fchb_player", 0.3, UNIT), ("fchb_dealer", 0.15, UNIT),
        ):  # fmt: skip
            _side(wagers, random, name, share, unit)
        rank = rank_five(_ranked(hand))
        stays = rank.category >= 1 or rank.ranks[0] == 14
        out.append({"seat": seat, "wagers": wagers, "cards": hand, "decision": {"action": "bet" if stays else "fold"}})


def _let_it_ride(document: dict[str, Any], table: PitTable, seats: list[int], random: Random) -> None:
    cards = _cards(random, _TEXT_52, 3 * len(seats) + 5)
    document["community"], document["six_cards"] = cards[-5:-3], cards[-3:]
    document["config"] |= {"magic_card": random.choice(_TEXT_52), "lucky": random.choice(range(1, 8))}
    progressive = next(name for name in table.paytables if name.startswith("progressive"))
    document["seats"] = out = []
    for place, seat in enumerate(seats):
        hand, stake = cards[3 * place : 3 * place + 3], random.choice(STAKES)
        wagers = dict.fromkeys(("bet1", "bet2", "bet3"), stake)
        for name, share, unit in (
            ("five_card_bonus", 0.2, None), ("three_card_bonus", 0.3, None), (progressive, 0.3, UNIT),
            ("fchb", 0.2, UNIT), ("six_card_bonus", 0.2, None),
        ):  # fmt: skip
            _side(wagers, random, name, share, unit)
        good = len({text[0] for text in hand}) < 3
        decisions = {
            bet: "ride" if good or random.random() < share else "withdraw"
            for bet, share in (("bet1", 0.2), ("bet2", 0.35))
        }
        out.append({"seat": seat, "wagers": wagers, "cards": hand, "decisions": decisions})


def _dj_wild(document: dict[str, Any], _table: PitTable, seats: list[int], random: Random) -> None:
    cards = _cards(random, _TEXT_53, 5 * len(seats) + 6)
    document["dealer"], document["replacement"] = {"cards": cards[-6:-1]}, cards[-1]
    document["seats"] = out = []
    for place, seat in enumerate(seats):
        hand, stake = cards[5 * place : 5 * place + 5], random.choice(STAKES)
        wagers = {"ante": stake, "blind": stake}
        for name, share, unit in (("progressive", 0.3, UNIT), ("trips", 0.4, None), ("bad_beat", 0.25, None)):
            _side(wagers, random, name, share, unit)
        held = _ranked(hand)
        stays = any(map(is_wild, held)) or rank_five_wild(held).category >= 1
        out.append(
            {"seat": seat, "wagers": wagers, "cards": hand, "decision": {"action": "raise" if stays else "fold"}}
        )


_GAMES: Mapping[str, Callable[[dict[str, Any], PitTable, list[int], Random], None]] = {
    "raise_it_up": _raise_it_up,
    "caribbean_stud": _caribbean_stud,
    "let_it_ride": _let_it_ride,
    "dj_wild": _dj_wild,
}
