"""What the base wagers return to a player who decides best, exactly, by counting every hand.

Caribbean Stud (Ante and Bet against the dealer), DJ Wild (Ante, Blind and Raise) and Let It Ride (three bets, two of which
may be taken back). The unit is the Ante, or one of the three bets.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from rules.cards import ACE, DECK_52, KING
from rules.disjoint import Disjoint, hands, others, plain, plain_deck, wild
from rules.hands import FiveCard, HandRank, five_card_score
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
