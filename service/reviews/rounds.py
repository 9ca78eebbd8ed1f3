"""Finds rounds: the rarest term leads, walked from the newest round down, the others are looked up beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import InstrumentedAttribute, Session

from service.reviews.search import Term, read_query
from service.reviews.tables import RoundFactRow, RoundFindingRow
from service.store.base import Database

RARE = 5000
"""Terms that hold for at most so many rows are gathered and sorted; of more common ones only an index in order leads."""
MOST = 200


@dataclass(frozen=True, slots=True)
class FoundRound:
    """A round as a list shows it.

    Attributes:
        number: rises with every round; pages go by it.
        checks: its breaches by their check ids.
    """

    number: int
    run_id: str
    round_id: str
    table_id: str
    game: str
    opened_s: float
    closed_s: float
    complete: bool
    community: str
    dealer: str
    players: str
    stake_cents: int
    owed_cents: int
    paid_cents: int
    difference_cents: int
    unknown: int
    breaches: int
    checks: tuple[str, ...] = ()


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
            number, query = _numbers(session, terms)
            if before is not None:
                query = query.where(number < before)
            listed = listed.where(fact.number.in_(query.order_by(number.desc()).limit(limit)))
        return _with_checks(session, list(session.scalars(listed)))


def _limits(run_id: str | None, tables: frozenset[str] | None) -> Iterator[Term]:
    if run_id is not None:
        fact = sa.orm.aliased(RoundFactRow)
        yield Term("run", fact.number, fact.run_id == run_id, in_order=False)
    if tables is not None:
        fact = sa.orm.aliased(RoundFactRow)
        yield Term("tables", fact.number, fact.table_id.in_(sorted(tables)), in_order=False)


def _numbers(session: Session, terms: Sequence[Term]) -> tuple[InstrumentedAttribute[int], sa.Select[Any]]:
    """The rounds for which all terms hold, led by the rarest; the column that numbers them, and the query."""
    counts = [(_rows(session, term), place) for place, term in enumerate(terms)]
    ordered = [terms[place] for _, place in sorted(counts)]
    if min(counts)[0] > RARE:
        lead = next((term for term in ordered if term.in_order), None)
        if lead is None:
            fact = sa.orm.aliased(RoundFactRow)
            return fact.number, sa.select(fact.number).where(*(_holds(term, fact.number) for term in ordered))
    else:
        lead = ordered[0]
    others = [_holds(term, lead.number) for term in ordered if term is not lead]
    return lead.number, sa.select(lead.number).where(lead.where, *others).distinct()


def _rows(session: Session, term: Term) -> int:
    """For how many rows a term holds, counted no further than `RARE` plus one."""
    some = sa.select(sa.literal(1)).where(term.where).select_from(term.number.table).limit(RARE + 1).subquery()
    return session.scalar(sa.select(sa.func.count()).select_from(some)) or 0


def _holds(term: Term, number: InstrumentedAttribute[int]) -> sa.ColumnElement[bool]:
    return sa.exists().where(term.where & (term.number == number))


def _with_checks(session: Session, rows: Sequence[RoundFactRow]) -> list[FoundRound]:
    numbers = [row.number for row in rows]
    query = sa.select(RoundFindingRow.number, RoundFindingRow.check_id).where(
        RoundFindingRow.number.in_(numbers), RoundFindingRow.verdict == "breach"
    )
    checks: dict[int, list[str]] = {}
    for number, check in session.execute(query.order_by(RoundFindingRow.number, RoundFindingRow.check_id)):
        checks.setdefault(number, []).append(check)
    names = [name for name in FoundRound.__slots__ if name != "checks"]
    return [FoundRound(**{name: getattr(row, name) for name in names}, checks=tuple(checks.get(row.number, ()))) for row in rows]  # fmt: skip
