"""Finds rounds: the rarest term leads, walked from the newest round down, the others are looked up beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.reviews.search import Term, read_query
from service.reviews.tables import ReviewRow
from service.store.base import Database
from service.store.round_tables import RoundFactRow, RoundFindingRow
from service.store.tables import AlertRow

RARE = 5000
"""Terms that hold for at most so many rows are gathered and sorted; of more common ones only an index in order leads."""
MOST = 201
"""A page of the interface, and one more that says whether another follows."""


class FoundRound(BaseModel):
    """A round found by a search, as lists show it and the interface gives it."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    number: int = Field(description="rises with every round; pages go by it")
    run_id: str
    review_id: int | None = Field(None, description="the review it was seen in, null for a live table")
    review_name: str | None = Field(None, description="what people call that recording")
    round_id: str
    table_id: str
    game: str
    opened_s: float = Field(description="capture time: seconds into the recording, or of the camera")
    closed_s: float
    opened_ms: int | None = Field(description="milliseconds since 1970, null where nobody knows when it was played")
    complete: bool = Field(description="its cards were seen to leave the table")
    community: str
    dealer: str
    players: str
    stake_cents: int
    owed_cents: int = Field(description="over wagers of which both amounts are known")
    paid_cents: int = Field(description="over the same wagers")
    difference_cents: int
    unknown: int = Field(description="wagers of which an amount is not known")
    breaches: int
    checks: tuple[str, ...] = Field((), description="its breaches by their check ids")
    alerts: tuple[int | None, ...] = Field(
        (), description="their alerts in the same order; null where another run's alert stands for it"
    )

    @property
    def opened_utc(self) -> datetime | None:
        """When it began, None where nobody knows."""
        return None if self.opened_ms is None else datetime.fromtimestamp(self.opened_ms / 1000, UTC)


def find_rounds(
    database: Database, text: str = "", *, run_id: str | None = None, tables: frozenset[str] | None = None,
    before: int | None = None, limit: int = 50,
) -> list[FoundRound]:  # fmt: skip
    """Rounds for which all words of a search hold, newest first.

    Args:
        database: the store's.
        text: the search, see `service.reviews.search`; empty for all.
        run_id: only of this run.
        tables: only of these tables, None for all; what the one who asks may see.
        before: only rounds with a smaller number.
        limit: how many at most.

    Raises:
        ReviewError: a word is none of the language.
    """
    terms = [*read_query(text), *_limits(run_id, tables)]
    limit = min(limit, MOST)
    with database.read() as session:
        fact = sa.orm.aliased(RoundFactRow)
        listed = sa.select(fact).order_by(fact.number.desc()).limit(limit)
        if before is not None:
            listed = listed.where(fact.number < before)
        if terms:
            listed = listed.where(fact.number.in_(_numbers(session, terms, before, limit)))
        return _found(session, list(session.scalars(listed)))


def _limits(run_id: str | None, tables: frozenset[str] | None) -> Iterator[Term]:
    if run_id is not None:
        fact = sa.orm.aliased(RoundFactRow)
        yield Term("run", fact.number, fact.run_id == run_id, in_order=False)
    if tables is not None:
        fact = sa.orm.aliased(RoundFactRow)
        yield Term("tables", fact.number, fact.table_id.in_(sorted(tables)), in_order=False)


def _numbers(session: Session, terms: Sequence[Term], before: int | None, limit: int) -> sa.Select[Any] | list[int]:
    """The newest rounds for which all terms hold, led by the rarest: as numbers, or as the query for them."""
    some = sorted(((_some(session, term), term) for term in terms), key=lambda one: len(one[0]))
    numbers, ordered = some[0][0], [term for _, term in some]
    if len(numbers) <= RARE:
        gathered = sorted({number for number in numbers if before is None or number < before}, reverse=True)
        if len(terms) == 1:
            return gathered[:limit]
        fact = sa.orm.aliased(RoundFactRow)
        column, others, query = fact.number, ordered[1:], sa.select(fact.number).where(fact.number.in_(gathered))
    else:
        lead = next((term for term in ordered if term.in_order), None)
        column = lead.number if lead is not None else sa.orm.aliased(RoundFactRow).number
        others, query = [term for term in ordered if term is not lead], sa.select(column).distinct()
        if lead is not None:
            query = query.where(lead.where)
    if before is not None:
        query = query.where(column < before)
    return query.where(*(_holds(term, column) for term in others)).order_by(column.desc()).limit(limit)


def _some(session: Session, term: Term) -> Sequence[int]:
    """The numbers of the first rows for which a term holds, one more than `RARE` at most."""
    return session.scalars(sa.select(term.number).where(term.where).limit(RARE + 1)).all()


def _holds(term: Term, number: InstrumentedAttribute[int]) -> sa.ColumnElement[bool]:
    return sa.exists().where(term.where & (term.number == number))


def _found(session: Session, rows: Sequence[RoundFactRow]) -> list[FoundRound]:
    checks, reviews = _checks(session, [row.number for row in rows]), _reviews(session, {row.run_id for row in rows})
    out = []
    for row in rows:
        review_id, name = reviews.get(row.run_id, (None, None))
        found = checks.get(row.number, [])
        more = {
            "checks": tuple(check for check, _ in found), "alerts": tuple(alert for _, alert in found), "review_id": review_id,
            "review_name": name,
        }  # fmt: skip
        out.append(FoundRound.model_validate(row).model_copy(update=more))
    return out


def _checks(session: Session, numbers: Sequence[int]) -> dict[int, list[tuple[str, int | None]]]:
    """The breaches of each round: check id and alert, None where another run's alert stands for it."""
    fact, finding, alert = RoundFactRow, RoundFindingRow, AlertRow
    query = (
        sa.select(finding.number, finding.check_id, alert.seq)
        .join(fact, fact.number == finding.number)
        .outerjoin(alert, (alert.run_id == fact.run_id) & (alert.finding_id == finding.finding_id))
        .where(finding.number.in_(numbers), finding.verdict == "breach")
        .order_by(finding.number, finding.check_id, finding.finding_id)
    )
    checks: dict[int, list[tuple[str, int | None]]] = {}
    for number, check, seq in session.execute(query):
        checks.setdefault(number, []).append((check, seq))
    return checks


def _reviews(session: Session, run_ids: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Number and name of the newest review of each run; none for live tables."""
    query = sa.select(ReviewRow.run_id, ReviewRow.review_id, ReviewRow.name).where(
        ReviewRow.run_id.in_(sorted(run_ids))
    )
    return {str(run): (number, name) for run, number, name in session.execute(query.order_by(ReviewRow.review_id))}
