"""Money in whole cents and odds kept exactly as the law writes them.

"3 to 2" pays winnings and the stake comes back; "50 for 1" pays that in all, for the stake was already collected; "10%
of the meter" is a share of an amount that stands outside the wager. They are different things and stay so (58 Pa. Code
§ 669a.12 and the same section of the sister chapters).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

Cents = NewType("Cents", int)
MOST_CENTS = 10**11
"""No amount is larger: a billion dollars. The sums of 90 million of them still fit a database's 63 bits."""


class MoneyError(ValueError):
    """Odds or an amount that cannot be read; the text says what was expected."""


class Basis(StrEnum):
    """What the first number of the odds counts."""

    TO = "to"
    """Winnings on top of the stake: the stake stays with the player."""
    FOR = "for"
    """All that is paid: the stake is gone."""


@dataclass(frozen=True, slots=True)
class Odds:
    """Odds such as "3 to 2" or "50 for 1".

    Attributes:
        numerator: paid,
        denominator: for this much staked.
        basis: whether the stake comes back on top.
    """

    numerator: int
    denominator: int
    basis: Basis

    def __post_init__(self) -> None:
        if self.numerator <= 0 or self.denominator <= 0:
            raise MoneyError(f"odds {self.numerator} {self.basis} {self.denominator}: both numbers must be positive")

    def winnings(self, stake: Cents) -> Cents:
        """The amount the house puts down for a winning wager, in whole cents, a part of a cent dropped.

        With chips of a dollar and the odds of the four chapters (3 to 2 the only fraction) nothing is ever dropped.
        """
        return Cents(stake * self.numerator // self.denominator)

    def total_return(self, stake: Cents) -> Cents:
        """All that goes back to the player, the stake included where the basis is "to"."""
        return Cents(self.winnings(stake) + (stake if self.basis is Basis.TO else 0))

    def __str__(self) -> str:
        return f"{self.numerator} {self.basis} {self.denominator}"


@dataclass(frozen=True, slots=True)
class MeterShare:
    """A share of what stands on a progressive meter when the player's turn comes.

    Attributes:
        percent: 1..100.
        meter: which meter of the wager: "meter" where there is one, else "mega", "major" or "minor".
    """

    percent: int
    meter: str

    def __post_init__(self) -> None:
        if not 1 <= self.percent <= 100:
            raise MoneyError(f"{self.percent}% of {self.meter}: expected 1 to 100 percent")

    def of(self, balance: Cents) -> Cents:
        """The share of `balance` in whole cents, a part of a cent dropped."""
        return Cents(balance * self.percent // 100)

    def drops(self, balance: Cents) -> bool:
        """Whether a part of a cent is dropped of the share."""
        return balance * self.percent % 100 > 0

    def __str__(self) -> str:
        return f"{self.percent}% of {self.meter}"


@dataclass(frozen=True, slots=True)
class Push:
    """Neither paid nor collected: the stake stays with the player."""

    def __str__(self) -> str:
        return "push"


Pay = Odds | MeterShare | Push

_ODDS = re.compile(r"([\d,]+) (to|for) ([\d,]+)")
_SHARE = re.compile(r"(\d+)% of (\w+)")


def parse_pay(text: str) -> Pay:
    """What a cell of a paytable says: "1,000 to 1", "50 for 1", "10% of meter" or "push".

    Raises:
        MoneyError: for anything else.
    """
    if text == "push":
        return Push()
    if match := _ODDS.fullmatch(text):
        paid, basis, staked = match.groups()
        return Odds(int(paid.replace(",", "")), int(staked.replace(",", "")), Basis(basis))
    if match := _SHARE.fullmatch(text):
        return MeterShare(int(match[1]), match[2])
    raise MoneyError(f"{text!r} is no payout: expected as '3 to 2', '50 for 1', '10% of meter' or 'push'")


def format_cents(cents: int) -> str:
    """Cents as dollars with two decimals, e.g. 123456 -> "1,234.56" and -50 -> "-0.50"."""
    dollars, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{dollars:,}.{rest:02d}"
