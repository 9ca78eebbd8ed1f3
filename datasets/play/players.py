"""Players who decide: what they wager and when they play, check or fold, sensibly but not perfectly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datasets.play.deal import rank_of, suit_of
from datasets.play.settle import ORDER_FIVE, best_of_six, three_card_hand

ANTES = (600, 1000, 1000, 2000, 2000, 3000, 5000, 5000, 6000, 10000, 10000, 20000)
"""Antes in cents, all even in dollars so that 3 to 2 is payable in chips; few chips each."""
SIDE_WAGERS = (500, 500, 1000, 2500)


@dataclass(frozen=True, slots=True)
class Wagers:
    """Stakes of one seat before the deal, in cents; 0 is not placed."""

    ante: int
    blind: int
    pair_plus: int = 0
    six_card_bonus: int = 0

    def placed(self) -> dict[str, int]:
        """Stakes above 0 by wager, in the order in which players put them down."""
        stakes = {
            "ante": self.ante, "blind": self.blind, "pair_plus": self.pair_plus, "six_card_bonus": self.six_card_bonus
        }  # fmt: skip
        return {wager: cents for wager, cents in stakes.items() if cents > 0}


@dataclass(frozen=True, slots=True)
class Decision:
    """When a seat plays: `street` 1..3 and the multiple of the ante, or `multiple` 0 = folded at the third."""

    street: int
    multiple: int


def choose_wagers(rng: np.random.Generator) -> Wagers:
    """A player's wagers before the deal."""
    ante = int(rng.choice(ANTES))
    side = [int(rng.choice(SIDE_WAGERS)) if rng.random() < chance else 0 for chance in (0.5, 0.35)]
    return Wagers(ante, ante, *side)


def decide(cards: Sequence[str], community: Sequence[str], wagers: Wagers, rng: np.random.Generator) -> Decision:
    """When and how much a player plays, knowing the community cards turned so far at each decision."""
    for street in (1, 2, 3):
        strength = _strength(cards, community[: street - 1]) + rng.normal(0.0, 0.12)
        if strength > 0.8:
            return Decision(street, (0, 3, 2, 1)[street] if rng.random() < 0.8 else 1)
    may_fold = not wagers.pair_plus or bool(wagers.six_card_bonus)
    return Decision(3, 0) if strength < 0.35 and may_fold else Decision(3, 1)


def _strength(cards: Sequence[str], community: Sequence[str]) -> float:
    """About 1 when the hand already stands, 0.3-0.7 for a draw, below that for nothing."""
    seen = [*cards, *community]
    ranks = Counter(rank_of(card) for card in seen)
    pair = max((rank for rank, count in ranks.items() if count >= 2), default=0)
    if len(seen) >= 5 and ORDER_FIVE.index(best_of_six(seen)) >= 1:
        return 1.0
    if pair >= 10 or three_card_hand(cards) in ("three-of-a-kind", "straight flush"):
        return 1.0
    suited = max(Counter(suit_of(card) for card in seen).values())
    high = sum(rank >= 10 for rank in ranks)
    return 0.18 * high + (0.3 if pair else 0.0) + 0.08 * (suited - 1) - 0.1 * len(community)
