"""What an auditor asks: payouts counted by any of their properties, over any days; answered from sums kept ready."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from datasets.score.intervals import Share
from service.audit.calendar import UNKNOWN
from service.audit.facts import MEASURES, AuditError, Kind, Tally
from service.audit.statistics import Limits, control_limits
from service.audit.tables import DealerSumRow, FullSumRow, KindRow, LineSumRow, RoundSumRow, WagerSumRow
from service.store.base import Database


class By(StrEnum):
    """A property that payouts are counted by."""

    GAME = "game"
    TABLE = "table"
    WAGER = "wager"
    LINE = "line"
    SHIFT = "shift"
    DEALER = "dealer"
    DAY = "day"


FIELDS = {
    By.TABLE: "tables",
    By.GAME: "games",
    By.WAGER: "wagers",
    By.LINE: "lines",
    By.SHIFT: "shifts",
    By.DEALER: "dealers",
}
"""The field of a `Scope` that holds to some of a kind."""
WORDS = {field: kind.value for kind, field in FIELDS.items()}
"""One of a kind, by its field."""
_COLUMNS = {By.TABLE: "table_id", By.SHIFT: "shift", By.DEALER: "dealer", By.DAY: "day"}
_OF_KIND = (By.GAME, By.WAGER, By.LINE)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which payouts; an empty list means all.

    Attributes:
        first, last: gaming days as ISO text, both included; "" for open.
    """

    first: str = ""
    last: str = ""
    tables: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    wagers: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()
    dealers: tuple[str, ...] = ()

    def words(self) -> str:
        """The scope as a person reads it."""
        days = f"{self.first or 'the beginning'} to {self.last or 'now'}"
        parts = [f"{word} {', '.join(getattr(self, name))}" for name, word in WORDS.items() if getattr(self, name)]
        return "; ".join([days, *parts])

    @property
    def of_rounds(self) -> Scope:
        """The same without wager and line, which say nothing of whole rounds."""
        return Scope(self.first, self.last, self.tables, self.games, (), (), self.shifts, self.dealers)

    def as_json(self) -> dict[str, Any]:
        """What the scope names, as JSON values."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value if isinstance(value, str) else list(value) for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class Row:
    """Payouts that share their key."""

    key: tuple[str, ...]
    tally: Tally
    rounds: int | None = None

    @property
    def accuracy(self) -> Share:
        """The share of payouts checked that were right, with its 95% interval."""
        return Share(self.tally.right, self.tally.checked)


@dataclass(frozen=True, slots=True)
class Point:
    """A day of the trend.

    Attributes:
        limits: mistakes that chance alone explains if the rate is that of the whole chart.
    """

    day: str
    tally: Tally
    limits: Limits

    @property
    def rate(self) -> float | None:
        """Mistakes of payouts checked; None where none was checked."""
        return self.tally.mispaid / self.tally.checked if self.tally.checked else None

    @property
    def is_out(self) -> bool:
        """Whether chance alone does not explain it."""
        return self.tally.checked > 0 and not self.limits.holds(self.tally.mispaid)


@dataclass(frozen=True, slots=True)
class Trend:
    """Mistakes day by day against control limits."""

    points: tuple[Point, ...]
    centre: float


@dataclass(slots=True)
class Questions:
    """Asks the books."""

    database: Database
    _kinds: dict[int, Kind] = field(default_factory=dict)

    def table(self, scope: Scope, by: Sequence[By]) -> list[Row]:
        """Payouts counted by properties, in the order of their keys."""
        rows: dict[tuple[str, ...], Tally] = {}
        with self.database.read() as session:
            for key, tally in self._sums(session, scope, by):
                if key in rows:
                    rows[key].include(tally)
                else:
                    rows[key] = tally
        return [Row(key, rows[key]) for key in sorted(rows, key=natural)]

    def whole(self, scope: Scope) -> Row:
        """All payouts together, summed by the database without taking them apart, with the number of rounds."""
        with self.database.read() as session:
            table, condition = self._where(session, scope, ())
            sums = [sa.func.coalesce(sa.func.sum(getattr(table, name)), 0) for name in MEASURES]
            tally = Tally(*(int(value) for value in session.execute(sa.select(*sums).where(*condition)).one()))
        return Row((), tally, self.rounds(scope))

    def rounds(self, scope: Scope) -> int:
        """Rounds of the days, tables, games, shifts and dealers of a scope."""
        row = RoundSumRow
        condition = [*places(row, scope), *within(row.dealer, scope.dealers), *within(row.game, scope.games)]
        with self.database.read() as session:
            return int(session.scalar(sa.select(sa.func.coalesce(sa.func.sum(row.rounds), 0)).where(*condition)) or 0)

    def undated(self, scope: Scope) -> str:
        """What is to be said of the rounds of which nobody knows when they were played, "" where there are none.

        They count with all rounds; where days are asked for they are left out, which must not happen without a word.
        """
        there = self.rounds(replace(scope, first=UNKNOWN, last=UNKNOWN))
        if not there:
            return ""
        return (
            f"{there:,} more of no known day, left out" if scope.first or scope.last else f"{there:,} of no known day"
        )

    def trend(self, scope: Scope) -> Trend:
        """Mistakes day by day; the centre line is the rate of all of them. Rounds of no known day are left out."""
        days = [row for row in self.table(scope, (By.DAY,)) if row.key[0] != UNKNOWN]
        checked = sum(row.tally.checked for row in days)
        centre = sum(row.tally.mispaid for row in days) / checked if checked else 0.0
        points = (Point(row.key[0], row.tally, control_limits(row.tally.checked, centre)) for row in days)
        return Trend(tuple(points), centre)

    def choices(self, tables: frozenset[str] | None = None) -> dict[By, list[str]]:
        """Every value that occurs at some tables, for the filters; None for all tables."""
        row = RoundSumRow
        columns = {
            By.TABLE: row.table_id,
            By.SHIFT: row.shift,
            By.DEALER: row.dealer,
            By.GAME: row.game,
            By.DAY: row.day,
        }
        with self.database.read() as session:
            there = [] if tables is None else [row.table_id.in_(tables)]
            asked = {by: sa.select(one).distinct().where(*there) for by, one in columns.items()}
            found = {by: [str(value) for value in session.scalars(query)] for by, query in asked.items()}
            found[By.DAY] = [day for day in found[By.DAY] if day != UNKNOWN]
            kinds = self._kinds_at(session, tables)
        found[By.WAGER] = list({kind.wager for kind in kinds})
        found[By.LINE] = list({kind.line for kind in kinds if kind.line})
        return {by: sorted(values, key=lambda v: natural((v,))) for by, values in found.items()}

    def kinds(self, session: Session) -> Mapping[int, Kind]:
        """The kinds of wagers by their number."""
        newest = session.scalar(sa.select(sa.func.max(KindRow.kind_id))) or 0
        if newest not in self._kinds:
            query = sa.select(KindRow.kind_id, KindRow.game, KindRow.wager, KindRow.line)
            self._kinds = {number: Kind(game, wager, line) for number, game, wager, line in session.execute(query)}
        return self._kinds

    def _kinds_at(self, session: Session, tables: frozenset[str] | None) -> list[Kind]:
        known = self.kinds(session)
        if tables is None:
            return list(known.values())
        sums = (WagerSumRow, LineSumRow)
        queries = (sa.select(one.kind_id).distinct().where(one.table_id.in_(tables)) for one in sums)
        return [known[number] for query in queries for number in session.scalars(query)]

    def kinds_of(self, session: Session, scope: Scope, *, lines: bool) -> list[int] | None:
        """Numbers of the kinds of a scope; None where it names none."""
        if not (scope.games or scope.wagers or scope.lines):
            return None
        return [
            number
            for number, kind in self.kinds(session).items()
            if bool(kind.line) is lines
            and (not scope.games or kind.game in scope.games)
            and (not scope.wagers or kind.wager in scope.wagers)
            and (not scope.lines or kind.line in scope.lines)
        ]

    def _where(self, session: Session, scope: Scope, by: Iterable[By]) -> tuple[Any, list[Any]]:
        """The smallest table of sums that knows what is asked, and the condition on it."""
        line = bool(scope.lines) or By.LINE in by
        dealer = bool(scope.dealers) or By.DEALER in by
        table: Any = (FullSumRow if line else DealerSumRow) if dealer else LineSumRow if line else WagerSumRow
        condition = places(table, scope)
        if dealer:
            condition += within(table.dealer, scope.dealers)
        numbers = self.kinds_of(session, scope, lines=line)
        if numbers is not None:
            condition.append(table.kind_id.in_(numbers))
        return table, condition

    def _sums(self, session: Session, scope: Scope, by: Sequence[By]) -> Iterable[tuple[tuple[str, ...], Tally]]:
        table, condition = self._where(session, scope, by)
        by_kind = any(one in _OF_KIND for one in by)
        groups = [getattr(table, _COLUMNS[one]) for one in by if one in _COLUMNS] + ([table.kind_id] if by_kind else [])
        sums = [sa.func.sum(getattr(table, name)) for name in MEASURES]
        kinds = self.kinds(session)
        for row in session.execute(sa.select(*groups, *sums).where(*condition).group_by(*groups)):
            plain = iter(row[: len(groups)])
            values = {one: next(plain) for one in by if one in _COLUMNS}
            if by_kind:
                kind = kinds[next(plain)]
                values |= {By.GAME: kind.game, By.WAGER: kind.wager, By.LINE: kind.line}
            yield tuple(str(values[one]) for one in by), Tally(*(int(value) for value in row[len(groups) :]))


LAST_DAY = "9999-12-31"
NO_TABLE = "-"
"""The name of no table: names begin with a letter or digit."""


def limited(scope: Scope, tables: frozenset[str] | None) -> Scope:
    """A scope without tables that someone may not see; None for someone who may see all."""
    if tables is None:
        return scope
    left = sorted(tables.intersection(scope.tables) if scope.tables else tables)
    return replace(scope, tables=tuple(left) or (NO_TABLE,))


def read_by(names: Sequence[str]) -> tuple[By, ...]:
    """Properties by their names.

    Raises:
        AuditError: there is none of a name.
    """
    for name in names:
        if name not in set(By):
            raise AuditError(f"payouts cannot be counted by {name!r}", do=f"Use {', '.join(By)}")
    return tuple(dict.fromkeys(By(name) for name in names))


def read_days(first: str, last: str) -> tuple[str, str]:
    """Two gaming days as given, checked.

    Raises:
        AuditError: one is no day, or they are the wrong way round.
    """
    for text in (first, last):
        try:
            if text and date.fromisoformat(text).isoformat() != text:
                raise ValueError
        except ValueError:
            raise AuditError(f"no day: {text!r}", do="Give it as 2026-10-01") from None
    if first and last and first > last:
        raise AuditError(f"the first day {first} is after the last, {last}", do="Turn them round")
    return first, last


def natural(key: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    """Sorts numbers by their size and everything else by its letters."""
    return tuple((int(part), "") if part.isdigit() else (1 << 62, part) for part in key)


def places(table: Any, scope: Scope) -> list[Any]:
    """Conditions on days, tables and shifts."""
    condition = [table.day >= scope.first] if scope.first else []
    if scope.first or scope.last:
        condition.append(table.day <= (scope.last or LAST_DAY))  # "unknown" is behind every day
    return condition + within(table.table_id, scope.tables) + within(table.shift, scope.shifts)


def within(column: Any, values: Sequence[str]) -> list[Any]:
    """The condition that a column is one of some values; none where there are none."""
    return [column.in_(values)] if values else []
