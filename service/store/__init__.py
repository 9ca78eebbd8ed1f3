"""What the service remembers: runs, events, rounds, alerts and what people decided about them. Append-only.

SQLite in write-ahead mode by default, PostgreSQL by URL (`postgresql+psycopg://...`). Nothing in here reads the clock;
whoever records says when.
"""

from __future__ import annotations

from service.store.alerts import Alerts
from service.store.base import Base, Database
from service.store.records import CLOSED, Alert, AlertFilter, Disposition, Picture, Status
from service.store.runs import Runs

__all__ = [
    "CLOSED",
    "Alert",
    "AlertFilter",
    "Base",
    "Database",
    "Disposition",
    "Picture",
    "Status",
    "Store",
]


class Store(Runs, Alerts):
    """The database behind the service; safe to use from several threads.

    Args:
        url: SQLAlchemy URL, e.g. `sqlite:///var/pitwatch.db`.

    Raises:
        ServiceError: the database cannot be opened, or was written by a newer version.
    """
