"""What the audit keeps: a round with one fact for each of its wagers, whatever source it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from rules.settlement.results import Outcome
from service.audit.calendar import Moment
from service.errors import ServiceError


class AuditError(ServiceError):
    """Something of an audit that the user can put right."""


class Verdict(IntEnum):
    """How a wager was paid."""

    RIGHT = 0
    """To the cent what the law owes."""
    OVER = 1
    """The player got more back than owed."""
    UNDER = 2
    """The player got less back than owed."""
    UNDETERMINED = 3
    """What was owed or what was paid is not known."""

    @property
    def label(self) -> str:
        """The name used in files and on screens."""
        return self.name.lower()


MISPAID = (Verdict.OVER, Verdict.UNDER)


@dataclass(frozen=True, slots=True)
class Kind:
    """What sort of wager it is.

    Attributes:
        game: e.g. "let_it_ride".
        wager: e.g. "five_card_bonus".
        line: the line of the paytable it falls under, e.g. "two pair 2 to 1", or "lost", "folded", "push", "returned";
            "" for all lines together.
    """

    game: str
    wager: str
    line: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One wager of a round.

    Attributes:
        seat: 1 is farthest to the dealer's left.
        staked_cents: None where unknown; 0 for a payout of its own such as an envy bonus.
        owed_cents: all that must go back to the player, the stake included; None where unknown.
        paid_cents: all that went back; None where unknown.
        way: the way to what is owed or why it is not known, where it cannot be worked out again from the round.
        citation: the section, as `way`.
    """

    seat: int
    kind: Kind
    staked_cents: int | None
    owed_cents: int | None
    paid_cents: int | None
    verdict: Verdict
    way: str = ""
    citation: str = ""

    @property
    def difference_cents(self) -> int | None:
        """Cents paid too much, below zero too little; None where unknown."""
        if self.owed_cents is None or self.paid_cents is None:
            return None
        return self.paid_cents - self.owed_cents


@dataclass(frozen=True, slots=True)
class AuditedRound:
    """A round with its facts.

    Attributes:
        table_id: its table.
        round_id: its name, unique for a table and a gaming day.
        dealer: the dealer's number, "" where not known.
        run_id: the run of the store it was seen in, "" for rounds that came without video.
        digest: of its content, so that the same round is known again.
        body: the round as it came, packed, so that it can be worked out again; see `service.audit.bodies`.
    """

    table_id: str
    round_id: str
    game: str
    moment: Moment
    dealer: str
    facts: tuple[Fact, ...]
    digest: bytes
    body: bytes
    run_id: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is known by."""
        return self.table_id, self.moment.day, self.round_id


def line_of(outcome: str, *, hand: str, odds: str, why: str) -> str:
    """The line of the paytable that a result falls under, in words that many rounds share.

    >>> line_of("win", hand="two pair", odds="3 to 2", why=""), line_of("lose", hand="pair", odds="", why="fold")
    ('two pair 3 to 2', 'folded')
    """
    if outcome == Outcome.WIN:
        return f"{hand} {odds.partition(' / ')[0]}".strip() or "fixed amount"
    if outcome == Outcome.LOSE:
        return "folded" if why == "fold" else "lost"
    return outcome or "unknown"


def judge_amounts(owed_cents: int | None, paid_cents: int | None) -> Verdict:
    """The verdict that two amounts alone give.

    >>> judge_amounts(1500, 1500).label, judge_amounts(0, 500).label, judge_amounts(1500, None).label
    ('right', 'over', 'undetermined')
    """
    if owed_cents is None or paid_cents is None:
        return Verdict.UNDETERMINED
    if owed_cents == paid_cents:
        return Verdict.RIGHT
    return Verdict.OVER if paid_cents > owed_cents else Verdict.UNDER


@dataclass(slots=True)
class Tally:
    """Counts and sums of many facts; every field is additive."""

    wagers: int = 0
    right: int = 0
    over: int = 0
    under: int = 0
    undetermined: int = 0
    unpriced: int = 0
    staked_cents: int = 0
    owed_cents: int = 0
    paid_cents: int = 0
    over_cents: int = 0
    under_cents: int = 0

    def add(self, fact: Fact) -> None:
        """Count a fact; what is owed and paid is summed where both are known."""
        self.wagers += 1
        self.staked_cents += fact.staked_cents or 0
        verdict, off = fact.verdict, fact.difference_cents
        if verdict is Verdict.UNDETERMINED:
            self.undetermined += 1
            return
        if verdict is Verdict.RIGHT:
            self.right += 1
        elif verdict is Verdict.OVER:
            self.over += 1
        else:
            self.under += 1
        if off is None:
            self.unpriced += verdict in MISPAID
            return
        self.owed_cents += fact.owed_cents or 0
        self.paid_cents += fact.paid_cents or 0
        if off > 0:
            self.over_cents += off
        else:
            self.under_cents -= off

    def include(self, other: Tally) -> None:
        """Add another tally to this one."""
        for name in MEASURES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def checked(self) -> int:
        """Wagers with a verdict."""
        return self.wagers - self.undetermined

    @property
    def mispaid(self) -> int:
        """Wagers paid over or under."""
        return self.over + self.under


MEASURES: Sequence[str] = tuple(Tally.__dataclass_fields__)
"""The names of a tally's fields, which are the columns of the summary tables."""
