"""What the service remembers: runs, events, rounds, alerts and what people decided about them. Append-only.

SQLite in write-ahead mode by default, PostgreSQL by URL (`postgresql+psycopg://...`). Nothing in here reads the clock;
whoever records says when.
"""

from __future__ import annotations

from service.store.base import Base, Database
from service.store.changes import Changes
from service.store.handover import Handover, Handovers
from service.store.overview import Choices, Overviews
from service.store.recording import Recording
from service.store.records import (
    CLOSED,
    SEVERITIES,
    Action,
    Alert,
    AlertFilter,
    AlertKind,
    Change,
    Counts,
    Disposition,
    Order,
    Picture,
    Status,
)
from service.store.steps import Steps

__all__ = [
    "CLOSED",
    "SEVERITIES",
    "Action",
    "Alert",
    "AlertFilter",
    "AlertKind",
    "Base",
    "Change",
    "Choices",
    "Counts",
    "Database",
    "Disposition",
    "Handover",
    "Order",
    "Picture",
    "Status",
    "Store",
]


class Store(Recording, Steps, Handovers, Overviews, Changes):
    """The database behind the service; safe to use from several threads.

    Args:
        url: SQLAlchemy URL, e.g. `sqlite:///var/pitwatch.db`.

    Raises:
        ServiceError: the database cannot be opened, or was written by a newer version.
    """
