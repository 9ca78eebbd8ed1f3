"""What the side wagers of DJ Wild that rest on wild cards win in the long run, exactly, by counting every hand.

Trips Bonus: all 2,869,685 hands of the deck of 53, natural or with a wild card (687a.12(d)). Two-Way Bad Beat: every hand of a
player against every hand that the dealer can hold beside it (687a.11(f)(3), 687a.12(e)). Both by the default readings
DJW-A1, A3, A5 and A14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from rules.disjoint import hands, others, wild
from rules.hands import FiveCard, HandRank, rank_five
from rules.odds import LOSES, WagerOdds
from rules.paytables import Line, five_card_names, game_paytables

GAME = "dj_wild"
NATURAL, WITH_WILD = "natural", "with wild"


def trips_numbers() -> tuple[str, ...]:
    """The paytables of the Trips Bonus, e.g. "04"; each has a natural and a wild column."""
    return tuple(sorted({name.partition(" ")[0] for name in game_paytables(GAME).tables["trips"]}))


def trips_odds(number: str) -> WagerOdds:
    """The Trips Bonus of a paytable.

    Raises:
        rules.paytables.PaytableError: no such paytable.
    """
    law, counts = game_paytables(GAME), trips_counts()
    columns = {column: law.table("trips", f"{number} {column}") for column in (NATURAL, WITH_WILD)}
    lines = [
        Line(f"{line.hand}, {column}", line.pay) for column, table in columns.items() for line in table.lines
    ]  # fmt: skip
    hits = {line.hand: 0 for line in lines} | {LOSES: 0}
    for (label, column), count in counts.items():
        line = columns[column].line((label,))
        hits[f"{line.hand}, {column}" if line is not None else LOSES] += count
    table = replace(columns[NATURAL], name=number, lines=tuple(lines))
    return WagerOdds(table, MappingProxyType(hits), sum(counts.values()))


@cache
def trips_counts() -> Mapping[tuple[str, str], int]:
    """All 2,869,685 hands by their name, and whether they are natural: no joker, and every 2 playing as a 2."""
    counted = wild()
    found: Counter[tuple[str, str]] = Counter()
    for count, places, rank in hands(counted):
        category = FiveCard(counted.scores[rank] >> 20)
        cards = [counted.deck.cards[place] for place in places]
        plain = not any(card.is_joker for card in cards) and rank_five(cards).category is category
        found[(category.label, NATURAL if plain else WITH_WILD)] += count
    return MappingProxyType(found)


def bad_beat_odds(name: str, *, two_way: bool = False) -> WagerOdds:
    """The Two-Way Bad Beat of a paytable, for a player who raises with three of a kind or better.

    Args:
        name: the paytable.
        two_way: the other reading of DJW-A14, by which the dealer's beaten hand wins too. It is as often beaten as the
            player's, hand by hand.

    Raises:
        rules.paytables.PaytableError: no such paytable.
    """
    table, counts = game_paytables(GAME).table("bad_beat", name), bad_beat_counts()
    hits = dict.fromkeys([*(line.hand for line in table.lines), LOSES], 0)
    for names, count in counts.items():
        line = table.line(names) if names else None
        hits[line.hand if line is not None else LOSES] += count
    if two_way:
        won = {hand: 2 * count for hand, count in hits.items() if hand != LOSES}
        hits = {**won, LOSES: sum(counts.values()) - sum(won.values())}
        table = replace(table, name=f"{name} two-way")
    return WagerOdds(table, MappingProxyType(hits), sum(counts.values()))


@cache
def bad_beat_counts() -> Mapping[tuple[str, ...], int]:
    """Every hand of a player with every hand of the dealer: by the rows that a beaten player's hand answers to, () else."""
    counted = wild()
    everyone = others(counted)
    found: Counter[tuple[str, ...]] = Counter()
    for count, places, rank in hands(counted):
        score = counted.scores[rank]
        best = HandRank(FiveCard(score >> 20), score)
        if best.category < FiveCard.THREE_OF_A_KIND:
            found[()] += count * everyone
            continue
        (not_above,) = counted.counts(places, (rank + 1,))
        beaten = everyone - not_above
        found[five_card_names(best)] += count * beaten
        found[()] += count * not_above
    return MappingProxyType(found)
