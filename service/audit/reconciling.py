"""Totals held against each other: sums made apart must agree to the cent and to the number of rounds.

Everything on the audit's screens comes from sums kept ready. `reconcile` adds up each of these tables of sums by itself;
they were added to fact by fact, and the rounds' own totals once more apart from them. `recount` goes further and adds
every single fact and every round again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.audit.facts import MEASURES, Tally, Verdict
from service.audit.questions import By, Questions, Row, Scope, places, within
from service.audit.tables import (
    AuditRoundRow,
    DealerSumRow,
    ExceptionRow,
    FactRow,
    FullSumRow,
    LineSumRow,
    RecountRow,
    RoundSumRow,
    WagerSumRow,
)
from service.stamps import stamp


@dataclass(frozen=True, slots=True)
class Account:
    """One way to the same totals.

    Attributes:
        name: what was added up.
        rounds: None where it knows nothing of rounds.
    """

    name: str
    tally: Tally
    rounds: int | None = None


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Several ways to the same totals."""

    scope: Scope
    accounts: tuple[Account, ...]

    @property
    def disagreements(self) -> list[str]:
        """What does not agree, in words; empty where everything does."""
        first = self.accounts[0]
        found = []
        for other in self.accounts[1:]:
            for name in MEASURES:
                ours, theirs = getattr(first.tally, name), getattr(other.tally, name)
                if theirs is not None and ours != theirs:
                    found.append(f"{name}: {first.name} {ours}, {other.name} {theirs}")
        counted = [(one.name, one.rounds) for one in self.accounts if one.rounds is not None]
        found += [
            f"rounds: {counted[0][0]} {counted[0][1]}, {name} {n}" for name, n in counted[1:] if n != counted[0][1]
        ]
        return found

    @property
    def agrees(self) -> bool:
        """Whether everything agrees."""
        return not self.disagreements


def reconcile(
    questions: Questions, scope: Scope, shown: Sequence[Row] = (), *, every_round: bool = False
) -> Reconciliation:
    """Holds the tables of sums against each other, and the rows of a shown table against them.

    Args:
        questions: the books.
        scope: which payouts; wager and line are left out where rounds are counted.
        shown: rows of a table of the same scope, which must add up to its whole.
        every_round: also count every round and add up its totals, which takes as long as reading them takes.
    """
    whole, accounts = scope.of_rounds, []
    with questions.database.read() as session:
        for name, table in (
            ("by wager", WagerSumRow), ("by line", LineSumRow), ("by dealer", DealerSumRow), ("by round", RoundSumRow),
        ):  # fmt: skip
            accounts.append(_sum(session, questions, table, name, whole))
        each = [_rounds(session, whole)] if every_round else []
    accounts[3] = Account("by round", accounts[3].tally, questions.rounds(whole))
    accounts += each
    if whole.dealers:
        accounts = [one for one in accounts if one.name in ("by dealer", "by round", "every round")]
    if shown and whole == scope:
        total = Tally()
        for row in shown:
            total.include(row.tally)
        accounts.append(Account("rows shown", total))
    return Reconciliation(whole, tuple(accounts))


def recount(questions: Questions, scope: Scope, *, now: datetime, by: str) -> Reconciliation:
    """Adds every fact, every exception and every round of a scope again, and records what came out.

    Takes as long as reading all of them takes; nothing of it comes from the tables of sums but what they are held against.
    """
    whole = scope.of_rounds
    with questions.database.read() as session:
        facts = _facts(session, whole)
        rounds = _rounds(session, whole)
        full = _sum(session, questions, FullSumRow, "sums of all properties", whole)
        exceptions = _exceptions(session, questions, whole)
    accounts = (*reconcile(questions, whole).accounts, facts, rounds, full)
    result = Reconciliation(whole, accounts)
    wrong = result.disagreements + _compare_exceptions(facts.tally, exceptions)
    report = {
        "accounts": [{"name": a.name, "rounds": a.rounds, **asdict(a.tally)} for a in accounts],
        "disagreements": wrong,
    }
    with questions.database.write() as session:
        session.add(
            RecountRow(
                at_utc=stamp(now),
                by=by,
                scope=json.dumps(whole.as_json()),
                agrees=not wrong,
                report=json.dumps(report),
            )
        )
    return result


def _sum(session: Session, questions: Questions, table: Any, name: str, scope: Scope) -> Account:
    condition = places(table, scope)
    if hasattr(table, "dealer"):
        condition += within(table.dealer, scope.dealers)
    if hasattr(table, "game"):
        condition += within(table.game, scope.games)
    else:
        numbers = questions.kinds_of(session, scope, lines=table in (LineSumRow, FullSumRow))
        if numbers is not None:
            condition.append(table.kind_id.in_(numbers))
    return Account(name, _tally(session, [getattr(table, one) for one in MEASURES], condition))


def _tally(session: Session, columns: Sequence[Any], condition: Sequence[Any]) -> Tally:
    query = sa.select(*(sa.func.coalesce(sa.func.sum(column), 0) for column in columns)).where(*condition)
    return Tally(*(int(value) for value in session.execute(query).one()))


def _of_round(scope: Scope) -> list[Any]:
    row = AuditRoundRow
    return [*places(row, scope), *within(row.dealer, scope.dealers), *within(row.game, scope.games)]


def _rounds(session: Session, scope: Scope) -> Account:
    row, condition = AuditRoundRow, _of_round(scope)
    count = session.scalar(sa.select(sa.func.count()).select_from(row).where(*condition)) or 0
    return Account("every round", _tally(session, [getattr(row, name) for name in MEASURES], condition), int(count))


def _facts(session: Session, scope: Scope) -> Account:
    """Every fact, judged again here from its two amounts."""
    row = FactRow
    known = sa.and_(row.owed_cents.is_not(None), row.paid_cents.is_not(None), row.verdict != int(Verdict.UNDETERMINED))
    off = row.paid_cents - row.owed_cents
    columns = {
        "wagers": sa.literal(1),
        "right": sa.case((sa.and_(known, off == 0), 1), else_=0),
        "over": sa.case(
            (sa.or_(sa.and_(known, off > 0), sa.and_(sa.not_(known), row.verdict == int(Verdict.OVER))), 1), else_=0
        ),
        "under": sa.case(
            (sa.or_(sa.and_(known, off < 0), sa.and_(sa.not_(known), row.verdict == int(Verdict.UNDER))), 1), else_=0
        ),
        "undetermined": sa.case((row.verdict == int(Verdict.UNDETERMINED), 1), else_=0),
        "unpriced": sa.case(
            (sa.and_(sa.not_(known), row.verdict.in_((int(Verdict.OVER), int(Verdict.UNDER)))), 1), else_=0
        ),
        "staked_cents": sa.func.coalesce(row.staked_cents, 0),
        "owed_cents": sa.case((known, row.owed_cents), else_=0),
        "paid_cents": sa.case((known, row.paid_cents), else_=0),
        "over_cents": sa.case((sa.and_(known, off > 0), off), else_=0),
        "under_cents": sa.case((sa.and_(known, off < 0), -off), else_=0),
    }
    condition = _of_round(scope)
    if condition:
        condition = [row.round_seq.in_(sa.select(AuditRoundRow.round_seq).where(*condition))]
    return Account("every wager", _tally(session, [columns[name] for name in MEASURES], condition))


def _exceptions(session: Session, questions: Questions, scope: Scope) -> dict[Verdict, int]:
    row = ExceptionRow
    condition = [*places(row, scope), *within(row.dealer, scope.dealers)]
    numbers = questions.kinds_of(session, scope, lines=True)
    if numbers is not None:
        condition.append(row.kind_id.in_(numbers))
    query = sa.select(row.verdict, sa.func.count()).where(*condition).group_by(row.verdict)
    return {Verdict(verdict): int(count) for verdict, count in session.execute(query)}


def _compare_exceptions(facts: Tally, listed: dict[Verdict, int]) -> list[str]:
    wanted = {Verdict.OVER: facts.over, Verdict.UNDER: facts.under, Verdict.UNDETERMINED: facts.undetermined}
    return [
        f"{verdict.label}: {count} wagers, {listed.get(verdict, 0)} in the list of exceptions"
        for verdict, count in wanted.items()
        if count != listed.get(verdict, 0)
    ]


BLOCK_BY = (By.GAME, By.TABLE, By.WAGER, By.LINE, By.SHIFT, By.DEALER, By.DAY)
"""The properties that a report's reconciliation adds up one after the other."""


def by_every_property(questions: Questions, scope: Scope) -> Reconciliation:
    """The totals by every property in turn against the whole: the parts of each must add up to it."""
    whole = questions.whole(scope)
    accounts = [Account("whole", whole.tally)]
    for by in BLOCK_BY:
        total = Tally()
        for row in questions.table(scope, (by,)):
            total.include(row.tally)
        accounts.append(Account(f"by {by}", total))
    return Reconciliation(scope, tuple(accounts))
