"""What the base wagers return to a player who decides best, exactly, by counting every hand.

Raise It Up (Ante, Blind and Play), Caribbean Stud (Ante and Bet against the dealer), DJ Wild (Ante, Blind and Raise) and Let
It Ride (three bets, two of which may be taken back). The unit is the Ante, or one of the three bets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from rules.cards import ACE, DECK_52, KING, Card
from rules.disjoint import Disjoint, hands, others, plain, plain_deck, wild
from rules.hands import FiveCard, HandRank, five_card_score, six_card_code_score
from rules.money import Cents, Odds
from rules.paytables import Paytable, five_card_names, game_paytables

SCALE = 2
"""Odds are counted on a wager of 2, so that 3 to 2 is a whole number."""


@dataclass(frozen=True, slots=True)
class PlayOdds:
    """A base game played best.

    Attributes:
        hands: hands of the player that were counted.
        play: of these, how often the player goes on, as a part of 1 (both bets of Let It Ride: the first).
        edge: what the house keeps on average of one unit.
    """

    hands: int
    play: Fraction
    edge: Fraction


def _winnings(table: Paytable, rank: HandRank) -> Fraction:
    """Winnings on a wager of 1, 0 where the hand pushes or is not paid."""
    line = table.line(five_card_names(rank))
    if line is None or not isinstance(line.pay, Odds):
        return Fraction(0)
    return Fraction(line.pay.winnings(Cents(SCALE)), SCALE)


def _rank_of(score: int) -> HandRank:
    return HandRank(FiveCard(score >> 20), score)


def caribbean_stud() -> PlayOdds:
    """Ante and Bet of Caribbean Stud, the player seeing the dealer's up-card (58 Pa. Code § 639a.11, .12(a), (b)).

    A pair or better is played and less than an ace and a king folded, as every analysis of the game has it; with an ace and
    a king and no pair the better of the two is counted for each hand and each up-card.
    """
    counted, bet = plain(), game_paytables("caribbean_stud").table("bet", "A")
    qualifies = _first(counted, FiveCard.HIGH_CARD, (ACE, KING, 4, 3, 2))
    pair = _first(counted, FiveCard.PAIR, (2, 5, 4, 3))
    places_all = range(len(counted.deck.cards))
    sure, shown, number, folded, always, chosen = 0, 0, 0, 0, 0, 0
    for count, places, rank in hands(counted):
        number += count
        if rank < qualifies:
            folded += count
            continue
        odds = int(SCALE * _winnings(bet, _rank_of(counted.scores[rank])))
        if rank >= pair:
            sure += count * _against(counted, places, rank, qualifies, odds, ())
            always += count
            continue
        lose = -SCALE * others(counted, 1)
        for card in places_all:
            if card not in places:
                value = _against(counted, places, rank, qualifies, odds, (card,))
                shown += count * max(value, lose)
                chosen += count if value > lose else 0
    up_cards = len(places_all) - 5
    total = (
        Fraction(sure, SCALE * others(counted)) + Fraction(shown, SCALE * others(counted, 1) * up_cards) - folded
    )  # fmt: skip
    return PlayOdds(number, (always + Fraction(chosen, up_cards)) / number, -total / number)


def _first(counted: Disjoint, category: FiveCard, ranks: tuple[int, ...]) -> int:
    """The lowest rank of this category with these cards or better ones."""
    score = int(category)
    for rank in (*ranks, 0, 0, 0, 0, 0)[:5]:
        score = score << 4 | rank
    return next(i for i, known in enumerate(counted.scores) if known >= score)


def _against(
    counted: Disjoint, places: tuple[int, ...], rank: int, qualifies: int, odds: int, shown: tuple[int, ...]
) -> int:
    """What a player who bets returns against all hands of the dealer together, `SCALE` times the Ante as the unit."""
    below, lower, equal = counted.counts(places, (qualifies, max(rank, qualifies), max(rank + 1, qualifies)), shown)
    losses = others(counted, len(shown)) - equal
    return SCALE * below + (lower - below) * (SCALE + 2 * odds) - 3 * SCALE * losses


def dj_wild() -> PlayOdds:
    """Ante, Blind and Raise of DJ Wild (58 Pa. Code § 687a.11, .12(a), (b)); the unit is the Ante."""
    counted, table = wild(), game_paytables("dj_wild").table("blind", "A")
    total, played, number = 0, 0, 0
    everyone = others(counted)
    fold = -2 * SCALE * everyone
    for count, places, rank in hands(counted):
        number += count
        lower, equal = counted.counts(places, (rank, rank + 1))
        odds = int(SCALE * _winnings(table, _rank_of(counted.scores[rank])))
        value = lower * (3 * SCALE + odds) - 4 * SCALE * (everyone - equal)
        total += count * max(value, fold)
        played += count if value > fold else 0
    return PlayOdds(number, Fraction(played, number), Fraction(-total, SCALE * everyone * number))


def raise_it_up() -> PlayOdds:
    """Ante, Blind and Play of Raise It Up, decided best at each of the three questions; the unit is the Ante.

    Play is 1 to 3 times the Ante before the first community card, 1 or 2 times before the second, once before the third, or
    the hand is folded then (58 Pa. Code § 669a.11(b), (d), (f), .12(b)-(d)). What a Play Wager wins is linear in its amount,
    so that only the least and the most can be best. `play` counts the hands played at once.
    """
    law = game_paytables("raise_it_up")
    tables = {wager: law.table(wager, "A") for wager in ("ante", "play", "blind")}
    known: dict[int, tuple[int, int]] = {}
    deck, cards = plain_deck(), DECK_52
    total, kept, number = 0, 0, 0
    for count, places in deck.classes(3).values():
        own = [cards[i] for i in places]
        base = sum(deck.codes[i] for i in places)
        rest = [i for i in range(len(cards)) if i not in places]
        fixed, play = _by_pairs(own, base, rest, deck.codes, tables, known)
        value, at_once = _best_of_three(fixed, play, len(rest))
        total += count * value
        kept += count if at_once else 0
        number += count
    return PlayOdds(number, Fraction(kept, number), Fraction(-total, number * 49 * 48 * 47 * SCALE))


def _by_pairs(
    own: Sequence[Card],
    base: int,
    rest: Sequence[int],
    codes: Sequence[int],
    tables: Mapping[str, Paytable],
    known: dict[int, tuple[int, int]],
) -> tuple[list[list[int]], list[list[int]]]:
    """By the first two community cards, over all third ones: what Ante and Blind win together, and what a Play of 1 wins."""
    size = len(rest)
    fixed, play = [[0] * size for _ in rest], [[0] * size for _ in rest]
    for (i, a), (j, b), (k, c) in combinations(list(enumerate(rest)), 3):
        score = six_card_code_score(base + codes[a] + codes[b] + codes[c], (*own, DECK_52[a], DECK_52[b], DECK_52[c]))
        ends = known.get(score)
        if ends is None:
            ends = known[score] = _ends(_rank_of(score), tables)
        for one, other in ((i, j), (i, k), (j, k)):
            fixed[one][other] += ends[0]
            play[one][other] += ends[1]
    return fixed, play


def _ends(best: HandRank, tables: Mapping[str, Paytable]) -> tuple[int, int]:
    """What Ante and Blind of 1 win together, and a Play Wager of 1, `SCALE` times."""
    if not best.is_pair_of_tens_or_better:
        return -2 * SCALE, -SCALE
    won = {wager: int(SCALE * _winnings(table, best)) for wager, table in tables.items()}
    return won["ante"] + won["blind"], won["play"]


def _best_of_three(fixed: Sequence[Sequence[int]], play: Sequence[Sequence[int]], size: int) -> tuple[int, bool]:
    """The best value over all orders of the community cards, and whether it is to play before the first."""
    fold = -2 * SCALE * (size - 2)
    first_fixed, first_play, later = 0, 0, 0
    for i in range(size):
        pairs = [(fixed[min(i, j)][max(i, j)], play[min(i, j)][max(i, j)]) for j in range(size) if j != i]
        own, one = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        third = sum(max(fold, a + p) for a, p in pairs)
        later += max(third, own + one, own + 2 * one)
        first_fixed += own
        first_play += one
    now = max(first_fixed + first_play, first_fixed + 3 * first_play)
    return max(now, later), now > later


def let_it_ride(name: str) -> PlayOdds:
    """The three bets of Let It Ride (58 Pa. Code § 643a.11, .12(a)); the unit is one bet.

    Args:
        name: the paytable, "A" or "B".
    """
    table = game_paytables("let_it_ride").table("main", name)
    deck = plain_deck()
    returns: dict[int, int] = {}
    total, kept, number = 0, 0, 0
    for count, places in deck.classes(3).values():
        base = sum(deck.codes[i] for i in places)
        rest = [deck.codes[i] for i in range(len(DECK_52)) if i not in places]
        after = [0] * len(rest)
        whole = 0
        for i, j in combinations(range(len(rest)), 2):
            score = five_card_score(base + rest[i] + rest[j])
            value = returns.get(score)
            if value is None:
                won = _winnings(table, _rank_of(score))
                value = returns[score] = int(won) if won else -1
            whole += value
            after[i] += value
            after[j] += value
        number += count
        kept += count if whole > 0 else 0
        # of the 49 x 48 orders of the two community cards each pair is two
        first = 2 * max(whole, 0)
        second = sum(max(value, 0) for value in after)
        total += count * (first + second + 2 * whole)
    orders = 49 * 48
    return PlayOdds(number, Fraction(kept, number), Fraction(-total, number * orders))
