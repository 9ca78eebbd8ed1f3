"""What a room asks of all its alerts at once: what there is to filter by, and how many stand at each table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from service.store import cells
from service.store.base import Database
from service.store.records import AlertFilter
from service.store.tables import CellRow


@dataclass(frozen=True, slots=True)
class Choices:
    """What alerts can be filtered by, each in alphabetical order.

    Attributes:
        tables: their ids.
        games: of these tables.
        checks: by their ids.
    """

    tables: tuple[str, ...]
    games: tuple[str, ...]
    checks: tuple[str, ...]


class Overviews(Database):
    """Questions that the cells alone answer, however many alerts there are."""

    def choices(self, wanted: AlertFilter = AlertFilter()) -> Choices:
        """What there is to choose from among some alerts."""
        with self.read() as session:
            conditions = cells.conditions(session, wanted)

            def those(column: sa.orm.InstrumentedAttribute[str]) -> tuple[str, ...]:
                return tuple(session.scalars(sa.select(column).where(*conditions).distinct().order_by(column)))

            return Choices(those(CellRow.table_id), those(CellRow.game), those(CellRow.check_id))

    def by_table(self, wanted: AlertFilter = AlertFilter()) -> Mapping[str, int]:
        """How many alerts each table has of those wanted; the filter's times and person do not count."""
        with self.read() as session:
            query = sa.select(CellRow.table_id, sa.func.sum(CellRow.alerts)).where(*cells.conditions(session, wanted))
            return {name: int(number) for name, number in session.execute(query.group_by(CellRow.table_id)) if number}
