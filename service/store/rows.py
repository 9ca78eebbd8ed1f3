"""Rows put into a table once, however often it is tried."""

from __future__ import annotations

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from service.store.base import Base


def insert_new(session: Session, table: type[Base], rows: list[dict[str, Any]]) -> None:
    """Inserts rows; those whose primary key is already there are left as they are."""
    if not rows:
        return
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    session.execute(insert(table).on_conflict_do_nothing(), rows)
