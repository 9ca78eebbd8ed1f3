"""What a wager returns, and the way there written out so that a person can follow it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from rules.money import Basis, Cents, MeterShare, Odds, Pay, Push, format_cents


class SettlementError(ValueError):
    """A round that cannot be settled as written; the text says where, what was found and what is expected."""


class Outcome(StrEnum):
    """How a wager ended."""

    WIN = "win"
    """Paid."""
    LOSE = "lose"
    """Collected."""
    PUSH = "push"
    """Neither paid nor collected."""
    RETURNED = "returned"
    """Given back: withdrawn, not in action, or the round is void."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerResult:
    """The settlement of one wager.

    Attributes:
        outcome: how it ended.
        stake_cents: what was wagered; 0 for a payout of its own such as an envy bonus.
        return_cents: all that goes back to the player, the stake included.
        owed_cents: what the house puts down for it, without a stake that only stays where it is.
        odds: as the paytable has them, e.g. "3 to 2"; "" where nothing is paid.
        hand: the hand it rests on, e.g. "two pair"; "" where the hand does not matter.
        why: a reason other than the hand, e.g. "fold"; "" without.
        way: the way to the amount in words and numbers.
        citation: the section of law that decides it.
    """

    outcome: Outcome
    stake_cents: Cents
    return_cents: Cents
    owed_cents: Cents
    way: str
    citation: str
    odds: str = ""
    hand: str = ""
    why: str = ""

    @property
    def net_cents(self) -> Cents:
        """What the player is richer or, below zero, poorer by."""
        return Cents(self.return_cents - self.stake_cents)


def paid(stake: Cents, odds: Odds, *, hand: str, subject: str = "", citation: str) -> WagerResult:
    """A winning wager at odds; `subject` stands for the hand in the text where no hand decides."""
    owed = odds.winnings(stake)
    end = " and the stake" if odds.basis is Basis.TO else " in all, the stake was collected before"
    return WagerResult(
        outcome=Outcome.WIN,
        stake_cents=stake,
        return_cents=odds.total_return(stake),
        owed_cents=owed,
        odds=str(odds),
        hand=hand,
        way=f"{subject or hand} {odds} on {format_cents(stake)}: {format_cents(owed)}{end}",
        citation=citation,
    )


def paid_amount(stake: Cents, amount: Cents, *, odds: str, hand: str, way: str, citation: str) -> WagerResult:
    """A win of a fixed amount: a share of a meter or an envy bonus; the stake, if any, does not come back."""
    return WagerResult(
        outcome=Outcome.WIN,
        stake_cents=stake,
        return_cents=amount,
        owed_cents=amount,
        odds=odds,
        hand=hand,
        way=way,
        citation=citation,
    )


def lost(stake: Cents, *, because: str, citation: str, hand: str = "", why: str = "") -> WagerResult:
    """A losing wager; `because` is what the text says before the amount."""
    return WagerResult(
        outcome=Outcome.LOSE,
        stake_cents=stake,
        return_cents=Cents(0),
        owed_cents=Cents(0),
        hand=hand,
        why=why,
        way=f"{because}: {format_cents(stake)} collected",
        citation=citation,
    )


def pushed(stake: Cents, *, because: str, citation: str, hand: str = "") -> WagerResult:
    """A wager neither paid nor collected."""
    return _kept(Outcome.PUSH, stake, f"{because}: push, {format_cents(stake)} stays", citation, hand)


def returned(stake: Cents, *, because: str, citation: str) -> WagerResult:
    """A wager given back."""
    return _kept(Outcome.RETURNED, stake, f"{because}: {format_cents(stake)} returned", citation, "")


def _kept(outcome: Outcome, stake: Cents, way: str, citation: str, hand: str) -> WagerResult:
    return WagerResult(
        outcome=outcome,
        stake_cents=stake,
        return_cents=stake,
        owed_cents=Cents(0),
        hand=hand,
        way=way,
        citation=citation,
    )


def settle_by_line(
    stake: Cents, pay: Pay | None, *, hand: str, citation: str, subject: str = "", lose_because: str = ""
) -> WagerResult:
    """Settle at odds, push, or lose where no line pays.

    Args:
        stake: the wager.
        pay: what the paytable's line says, None without a line; a share of a meter is settled elsewhere.
        hand: name of the hand for the result.
        citation: the paytable's section.
        subject: name of the hand for the text, e.g. "straight of the three cards"; the hand where empty.
        lose_because: what the text says of a loss; that the hand is not paid where empty.
    """
    assert not isinstance(pay, MeterShare), "a share of a meter needs the meter"
    if isinstance(pay, Odds):
        return paid(stake, pay, hand=hand, subject=subject, citation=citation)
    if isinstance(pay, Push):
        return pushed(stake, because=subject or hand, citation=citation, hand=hand)
    return lost(stake, because=lose_because or f"{subject or hand} is not paid", citation=citation, hand=hand)
