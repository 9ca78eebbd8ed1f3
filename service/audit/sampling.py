"""Sampling plans: which rounds to check by eye, what was found, and what that says of all of them.

The rounds are drawn by a seeded generator from every stratum in proportion to its size, so that anyone can draw the same
sample again. A round checked by eye either agrees with the books, differs, or cannot be told from what there is to see.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from random import Random
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.audit.facts import AuditError
from service.audit.questions import By, Questions, Scope, natural, places, within
from service.audit.statistics import exact_interval, sample_size, upper_limit
from service.audit.tables import AuditRoundRow, RoundSumRow, SampleResultRow, SampleRoundRow, SampleRow
from service.errors import NotFoundError
from service.stamps import stamp

STRATA = (By.TABLE, By.GAME, By.SHIFT, By.DEALER, By.DAY)
"""Properties of whole rounds."""
MOST = 20_000
"""Rounds of one sample; more cannot be looked at."""
MOST_LISTED = 200


class Result(StrEnum):
    """What someone saw who checked a round by eye."""

    AGREES = "agrees"
    """Cards, wagers and payouts are those of the books."""
    DIFFERS = "differs"
    """Something is not as the books have it; the note says what."""
    UNREADABLE = "unreadable"
    """It cannot be told from what there is to see."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sample is to show.

    Attributes:
        scope: which rounds; wager and line are left out.
        confidence: 0..1.
        tolerable: 0..1, the rate of differing rounds that is still borne.
        allowed: differing rounds the sample may hold and still pass.
        by: strata.
        seed: of the draw.
    """

    scope: Scope
    confidence: float = 0.95
    tolerable: float = 0.01
    allowed: int = 0
    by: tuple[By, ...] = (By.TABLE, By.SHIFT)
    seed: int = 1

    def verify(self) -> None:
        """Checks the plan.

        Raises:
            AuditError: naming what is out of bounds.
        """
        if not 0.5 <= self.confidence <= 0.9999:
            raise AuditError(f"a confidence of {self.confidence}", do="Give 0.5 to 0.9999, e.g. 0.95")
        if not 0.0001 <= self.tolerable <= 0.5:
            raise AuditError(f"a tolerable rate of {self.tolerable}", do="Give 0.0001 to 0.5, e.g. 0.01")
        if not 0 <= self.allowed <= 50:
            raise AuditError(f"{self.allowed} differing rounds allowed", do="Give 0 to 50")
        if wrong := [one for one in self.by if one not in STRATA]:
            raise AuditError(f"rounds have no {wrong[0]}", do=f"Draw by {', '.join(STRATA)}")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A round of a sample.

    Attributes:
        result: the last one entered, None before.
    """

    number: int
    round_seq: int
    stratum: str
    table_id: str
    day: str
    round_id: str
    at_utc: str
    result: Result | None
    note: str
    by: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the results so far say of all rounds.

    Attributes:
        interval: exact, two-sided, at the plan's confidence; of rounds that could be told.
        upper: the rate that is exceeded with at most 1 - confidence, rounds that could not be told counted as differing.
        passes: the plan's bound is held; None while rounds are still to be checked.
    """

    checked: int
    agrees: int
    differs: int
    unreadable: int
    rate: float | None
    interval: tuple[float, float]
    upper: float
    passes: bool | None


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample as recorded."""

    sample_id: int
    made_utc: str
    by: str
    plan: Plan
    population: int
    size: int
    estimate: Estimate


@dataclass(slots=True)
class Samples:
    """Draws, records and evaluates samples.

    Args:
        questions: the books.
        tables: there are only samples drawn from none but these; None for all.
    """

    questions: Questions
    tables: frozenset[str] | None = None

    def draw(self, plan: Plan, *, by: str, now: datetime) -> Sample:
        """Draws a sample and records it.

        Raises:
            AuditError: the plan is out of bounds, or there is no round in its scope.
        """
        plan.verify()
        scope = plan.scope.of_rounds
        with self.questions.database.write() as session:
            counts = _strata(session, scope, plan.by)
            population = sum(counts.values())
            if not population:
                raise AuditError(
                    "there is no round to draw from", where=scope.words(), do="Choose other days or tables"
                )
            size = sample_size(population, confidence=plan.confidence, tolerable=plan.tolerable, allowed=plan.allowed)
            if size > MOST:
                raise AuditError(f"{size} rounds would have to be checked", do=f"Allow a higher rate or fewer differing rounds; at most {MOST} can be")  # fmt: skip
            row = SampleRow(
                made_utc=stamp(now), by=by, plan=json.dumps(_plan_json(plan)), population=population, size=size
            )
            session.add(row)
            session.flush()
            chosen = _draw(session, scope, plan, counts, size)
            session.execute(
                sa.insert(SampleRoundRow),
                [
                    {"sample_id": row.sample_id, "number": n, "round_seq": seq, "stratum": stratum}
                    for n, (stratum, seq) in enumerate(chosen, start=1)
                ],
            )
            sample_id = row.sample_id
        return self.sample(sample_id)

    def sample(self, sample_id: int) -> Sample:
        """A sample with what its results say so far.

        Raises:
            NotFoundError: there is none of this number.
        """
        with self.questions.database.read() as session:
            row, plan = self._row(session, sample_id)
            results = [result for result, _, _ in _results(session, sample_id).values()]
            return Sample(
                row.sample_id, row.made_utc, row.by, plan, row.population, row.size, estimate(plan, row.size, results)
            )

    def samples(self) -> list[Sample]:
        """The samples, newest first."""
        query = sa.select(SampleRow.sample_id, SampleRow.plan).order_by(SampleRow.sample_id.desc())
        with self.questions.database.read() as session:
            mine = (number for number, plan in session.execute(query) if self._holds(_plan_of(json.loads(plan)).scope))
            numbers = list(islice(mine, MOST_LISTED))
        return [self.sample(number) for number in numbers]

    def drawn(self, sample_id: int, *, after: int = 0, limit: int = 100) -> list[Drawn]:
        """The rounds of a sample in the order drawn.

        Raises:
            NotFoundError: there is none of this number.
        """
        row, told = SampleRoundRow, AuditRoundRow
        query = sa.select(row.number, row.round_seq, row.stratum, told.table_id, told.day, told.round_id, told.at_utc)
        query = query.join(told, told.round_seq == row.round_seq).where(row.sample_id == sample_id, row.number > after)
        with self.questions.database.read() as session:
            self._row(session, sample_id)
            results = _results(session, sample_id)
            return [
                Drawn(*found, *results.get(found[0], (None, "", "")))
                for found in session.execute(query.order_by(row.number).limit(limit))
            ]

    def enter(self, sample_id: int, number: int, result: Result, *, note: str, by: str, now: datetime) -> Sample:
        """Records what someone saw; a later entry for the same round stands instead of the earlier, which is kept.

        Raises:
            NotFoundError: no such round in this sample.
            AuditError: a round that differs without a note.
        """
        if result is Result.DIFFERS and not note.strip():
            raise AuditError("a round differs with a note that says what", where=f"sample {sample_id}, round {number}", do="Say what was seen")  # fmt: skip
        with self.questions.database.write() as session:
            self._row(session, sample_id)
            if session.get(SampleRoundRow, (sample_id, number)) is None:
                raise NotFoundError(f"sample {sample_id} has no round {number}", do="See its rounds first")
            session.add(
                SampleResultRow(
                    sample_id=sample_id,
                    number=number,
                    result=result.value,
                    note=note.strip(),
                    by=by,
                    at_utc=stamp(now),
                )
            )
        return self.sample(sample_id)

    def _row(self, session: Session, sample_id: int) -> tuple[SampleRow, Plan]:
        row = session.get(SampleRow, sample_id)
        plan = None if row is None else _plan_of(json.loads(row.plan))
        if row is None or plan is None or not self._holds(plan.scope):
            raise NotFoundError(f"there is no sample {sample_id}", do="List them with GET /api/audit/samples")
        return row, plan

    def _holds(self, scope: Scope) -> bool:
        """Whether a scope names none but the tables; one that names none is of all."""
        return self.tables is None or (bool(scope.tables) and self.tables.issuperset(scope.tables))


def estimate(plan: Plan, size: int, results: Sequence[Result]) -> Estimate:
    """What results say of all rounds; strata are drawn in proportion, so that the pooled rate is unbiased."""
    agrees, differs = results.count(Result.AGREES), results.count(Result.DIFFERS)
    unreadable = results.count(Result.UNREADABLE)
    told = agrees + differs
    upper = upper_limit(differs + unreadable, len(results), plan.confidence)
    done = len(results) >= size
    return Estimate(
        checked=len(results),
        agrees=agrees,
        differs=differs,
        unreadable=unreadable,
        rate=differs / told if told else None,
        interval=exact_interval(differs, told, plan.confidence),
        upper=upper,
        passes=differs + unreadable <= plan.allowed if done else False if differs > plan.allowed else None,
    )


def allocate(counts: dict[tuple[str, ...], int], size: int) -> dict[tuple[str, ...], int]:
    """How many to draw from each stratum: in proportion to its size, by largest remainders, the first key on a tie.

    >>> allocate({("a",): 50, ("b",): 30, ("c",): 20}, 7)
    {('a',): 4, ('b',): 2, ('c',): 1}
    """
    total = sum(counts.values())
    exact = {key: size * count / total for key, count in counts.items()}
    given = {key: min(int(value), counts[key]) for key, value in exact.items()}
    rest = sorted(exact, key=lambda key: (-(exact[key] - int(exact[key])), natural(key)))
    for key in rest[: size - sum(given.values())]:
        given[key] = min(given[key] + 1, counts[key])
    return given


def _columns(table: Any, by: Sequence[By]) -> list[Any]:
    names = {By.TABLE: "table_id", By.GAME: "game", By.SHIFT: "shift", By.DEALER: "dealer", By.DAY: "day"}
    return [getattr(table, names[one]) for one in by]


def _strata(session: Session, scope: Scope, by: Sequence[By]) -> dict[tuple[str, ...], int]:
    row = RoundSumRow
    condition = [*places(row, scope), *within(row.dealer, scope.dealers), *within(row.game, scope.games)]
    columns = _columns(row, by)
    query = sa.select(*columns, sa.func.coalesce(sa.func.sum(row.rounds), 0)).where(*condition).group_by(*columns)
    found = {tuple(map(str, line[:-1])): int(line[-1]) for line in session.execute(query)}
    return {key: found[key] for key in sorted(found, key=natural) if found[key]}


def _draw(
    session: Session, scope: Scope, plan: Plan, counts: dict[tuple[str, ...], int], size: int
) -> list[tuple[str, int]]:
    """Rounds by their place in the order of day, table and name within the stratum."""
    random, row = Random(plan.seed), AuditRoundRow
    chosen: list[tuple[str, int]] = []
    for key, wanted in allocate(counts, size).items():
        picks = sorted(random.sample(range(counts[key]), wanted))
        if not picks:
            continue
        condition = [*places(row, scope), *within(row.dealer, scope.dealers), *within(row.game, scope.games)]
        condition += [column == value for column, value in zip(_columns(row, plan.by), key, strict=True)]
        query = sa.select(row.round_seq).where(*condition).order_by(row.day, row.table_id, row.round_id)
        places_of = set(picks)
        for place, seq in enumerate(session.scalars(query.limit(picks[-1] + 1).execution_options(yield_per=2000))):
            if place in places_of:
                chosen.append((" / ".join(key), seq))
    random.shuffle(chosen)
    return chosen


def _results(session: Session, sample_id: int) -> dict[int, tuple[Result, str, str]]:
    row = SampleResultRow
    query = (
        sa.select(row.number, row.result, row.note, row.by).where(row.sample_id == sample_id).order_by(row.result_id)
    )
    return {number: (Result(result), note, by) for number, result, note, by in session.execute(query)}


def _plan_json(plan: Plan) -> dict[str, Any]:
    return {
        "scope": plan.scope.as_json(), "confidence": plan.confidence, "tolerable": plan.tolerable,
        "allowed": plan.allowed, "by": list(plan.by), "seed": plan.seed,
    }  # fmt: skip


def _plan_of(raw: dict[str, Any]) -> Plan:
    named: dict[str, Any] = {n: v if isinstance(v, str) else tuple(v) for n, v in raw["scope"].items()}
    scope = Scope(**named)
    return Plan(
        scope, raw["confidence"], raw["tolerable"], raw["allowed"], tuple(By(one) for one in raw["by"]), raw["seed"]
    )
