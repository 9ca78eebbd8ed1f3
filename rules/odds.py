"""What a side wager wins in the long run, exactly, by counting every hand it can meet.

Covered are the wagers that no decision of the player touches: Pair Plus, Six Card Bonus and Progressive Payout of Raise It
Up, and Three Card Bonus, Three-Card Progressive and Six Card Bonus of Let It Ride. Three cards: all c(52, 3) = 22,100
hands one by one. Six cards: all c(52, 6) = 20,358,520, counted by ranks and suits, which a slow test compares with the
hands one by one. What the hand of one other player brings in envy bonuses is counted by itself (`envy_odds`).

    >>> from rules.paytables import game_paytables
    >>> odds = side_wager_odds(game_paytables("raise_it_up").table("pair_plus", "A"))
    >>> odds.counts["pair"], odds.total
    (3744, 22100)
    >>> f"{float(odds.house_edge()):.4%}"
    '2.3167%'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from types import MappingProxyType

from rules.cards import ACE, DECK_52, SUITS, Card
from rules.hands import rank_best_of_six, rank_five, rank_three
from rules.money import Basis, Cents, MeterShare, Odds, Pay
from rules.paytables import Line, Paytable, five_card_names, six_card_names, three_card_names

THREE_CARD = frozenset({"pair_plus", "three_card_bonus", "progressive3"})
"""Wagers on a player's three cards, with the Progressive of Raise It Up."""
FIVE_CARD = frozenset(
    {
        ("caribbean_stud", "bonus"),
        ("caribbean_stud", "progressive"),
        ("caribbean_stud", "five_card_hand_bonus"),
        ("let_it_ride", "five_card_bonus"),
        ("let_it_ride", "progressive5"),
        ("let_it_ride", "five_card_hand_bonus"),
        ("dj_wild", "progressive"),
    }
)
"""Wagers on five cards of 52. In DJ Wild the extra card takes the joker's place, so that they are any five of 52."""
SIX_CARD = frozenset({"six_card_bonus"})
LOSES = "loses"

Names = tuple[str, ...]


class OddsError(ValueError):
    """A wager that cannot be counted this way, or a meter that is not given; the text says which."""


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """A paytable with how often each of its rows is met.

    Attributes:
        table: the paytable.
        counts: hands by row, best first, and "loses" for the rest.
        total: all hands.
    """

    table: Paytable
    counts: Mapping[str, int]
    total: int

    def probability(self, hand: str) -> Fraction:
        """How often a row of the paytable, or "loses", is met."""
        return Fraction(self.counts[hand], self.total)

    def hit_rate(self) -> Fraction:
        """How often the wager wins."""
        return 1 - self.probability(LOSES)

    def expected_return(self, meters: Mapping[str, Fraction] | None = None) -> Fraction:
        """What a wager of 1 returns on average, the stake included.

        Args:
            meters: what stands on each meter as a multiple of the wager, e.g. {"meter": Fraction(1000)} for $1,000 and
                a wager of $1; needed where a row pays a share of a meter.

        Raises:
            OddsError: if a row pays a share of a meter that is not given.
        """
        return sum(
            (self.probability(line.hand) * _return(line.pay, meters or {}) for line in self.table.lines), Fraction(0)
        )

    def house_edge(self, meters: Mapping[str, Fraction] | None = None) -> Fraction:
        """The part of a wager that the house keeps on average; below zero where the player has the advantage."""
        return 1 - self.expected_return(meters)

    def break_even(self, meter: str) -> Fraction:
        """The meter, as a multiple of the wager, at which the wager returns what it costs, the other meters empty.

        Raises:
            OddsError: if no row pays a share of that meter.
        """
        empty = dict.fromkeys(self.table.meters, Fraction(0))
        per_unit = self.expected_return({**empty, meter: Fraction(1)}) - self.expected_return(empty)
        if not per_unit:
            raise OddsError(f"{self.table.game} {self.table.wager} {self.table.name}: no row pays from meter {meter!r}")
        return (1 - self.expected_return(empty)) / per_unit


def _return(pay: Pay, meters: Mapping[str, Fraction]) -> Fraction:
    if isinstance(pay, Odds):
        return Fraction(pay.numerator, pay.denominator) + (1 if pay.basis is Basis.TO else 0)
    if isinstance(pay, MeterShare):
        if pay.meter not in meters:
            raise OddsError(f"a row pays {pay}: give what stands on {pay.meter!r} as a multiple of the wager")
        return meters[pay.meter] * pay.percent / 100
    return Fraction(1)


def side_wager_odds(table: Paytable, *, ace_low: bool = True) -> WagerOdds:
    """Count how often each row of a side wager's paytable is met.

    Args:
        table: the paytable.
        ace_low: whether ace, 2 and 3 are a three-card straight (RIU-A5).

    Raises:
        OddsError: for a wager whose hands are not the three or six cards counted here.
    """
    if table.wager in THREE_CARD or (table.game, table.wager) == ("raise_it_up", "progressive"):
        hands = three_card_counts(ace_low)
    elif (table.game, table.wager) in FIVE_CARD:
        hands = five_card_counts()
    elif table.wager in SIX_CARD:
        hands = six_card_counts()
    else:
        raise OddsError(f"{table.game} {table.wager}: not a wager on three or six cards that no decision touches")
    counts = dict.fromkeys([*(line.hand for line in table.lines), LOSES], 0)
    for names, count in hands.items():
        line = table.line(names)
        counts[line.hand if line else LOSES] += count
    return WagerOdds(table, MappingProxyType(counts), sum(hands.values()))


def envy_odds(table: Paytable, receiver_wager: Cents) -> WagerOdds:
    """What the hand of one other player brings as envy bonuses, for every wager of this size.

    The other player's hand is any hand of the deck, whatever the receiver holds. It must count: not folded where a fold's
    hand does not.

    Raises:
        OddsError: the paytable carries no envy bonus.
    """
    if receiver_wager not in table.envy:
        raise OddsError(f"{table.game} {table.wager} {table.name}: no envy bonus for a wager of {receiver_wager} cents")
    amounts = table.envy[receiver_wager]
    hands = three_card_counts() if any("mini-royal" in hand for hand in amounts) else five_card_counts()
    counts = dict.fromkeys([*amounts, LOSES], 0)
    for names, count in hands.items():
        known = table.envy_for(receiver_wager, names)
        counts[known[0] if known is not None else LOSES] += count
    lines = tuple(Line(hand, Odds(cents, receiver_wager, Basis.FOR)) for hand, cents in amounts.items())
    paid = replace(table, wager=f"{table.wager} envy", citation=table.envy_citation, lines=lines, meters={})
    return WagerOdds(paid, MappingProxyType(counts), sum(hands.values()))


@cache
def three_card_counts(ace_low: bool = True) -> Mapping[Names, int]:
    """All 22,100 three-card hands by the rows they answer to."""
    ranks = (rank_three(cards, ace_low=ace_low) for cards in combinations(DECK_52, 3))
    return MappingProxyType(Counter(map(three_card_names, ranks)))


@cache
def five_card_counts() -> Mapping[Names, int]:
    """All 2,598,960 five-card hands by the rows they answer to, counted by ranks and suits."""
    counts: Counter[Names] = Counter()
    for ranks in combinations_with_replacement(range(2, ACE + 1), 5):
        held = Counter(ranks)
        if max(held.values()) > 4:
            continue
        ways = prod(comb(4, times) for times in held.values())
        if len(held) == 5:
            suited = [Card(rank, SUITS[0]) for rank in ranks]
            counts[five_card_names(rank_five(suited))] += 4
            ways -= 4
        counts[five_card_names(rank_five(_mixed(held)))] += ways
    return MappingProxyType(counts)


@cache
def six_card_counts() -> Mapping[Names, int]:
    """All 20,358,520 six-card hands by the rows they answer to, counted by ranks and suits."""
    return MappingProxyType(_with_five_suited() + _without_five_suited())


def _with_five_suited() -> Counter[Names]:
    """Hands with five or six cards of one suit: 39 cards of the other suits beside five, none beside six.

    The sixth card of another suit never betters the hand: it makes a pair at most.
    """
    counts: Counter[Names] = Counter()
    for suit in SUITS:
        for ranks in combinations(range(2, ACE + 1), 5):
            suited = [Card(rank, suit) for rank in ranks]
            beside = Card(2, SUITS[0] if suit != SUITS[0] else SUITS[1])
            counts[six_card_names([*suited, beside], rank_best_of_six([*suited, beside]))] += 39
        for six in combinations(range(2, ACE + 1), 6):
            suited = [Card(rank, suit) for rank in six]
            counts[six_card_names(suited, rank_best_of_six(suited))] += 1
    return counts


def _without_five_suited() -> Counter[Names]:
    """The other hands, by the multiset of their ranks: each is as many hands as there are ways to give it suits."""
    counts: Counter[Names] = Counter()
    for ranks in combinations_with_replacement(range(2, ACE + 1), 6):
        held = Counter(ranks)
        if max(held.values()) > 4:
            continue
        # With six ranks five of a suit are 4 x 6 x 3 ways and six of it 4; with five ranks, one of them twice, every rank
        # has the suit and the pair one of the three others, 4 x 3; with fewer ranks there are none.
        suited = {6: 4 * 6 * 3 + 4, 5: 4 * 3}.get(len(held), 0)
        ways = prod(comb(4, times) for times in held.values()) - suited
        counts[five_card_names(rank_best_of_six(_mixed(held)))] += ways
    return counts


def _mixed(held: Mapping[int, int]) -> list[Card]:
    """Cards of these ranks, no five of them of one suit."""
    cards: list[Card] = []
    for place, (rank, times) in enumerate(held.items()):
        cards += [Card(rank, SUITS[(place + turn) % 4]) for turn in range(times)]
    return cards
