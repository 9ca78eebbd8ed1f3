"""Counting alerts as they come and change, so that no list ever has to count them."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from service.law import sentence
from service.store.records import CLOSED, AlertFilter
from service.store.tables import AlertRow, CellRow

NAMES = ("table_id", "game", "check_id", "severity", "origin", "kind", "citation")


def enter(session: Session, alert: AlertRow) -> None:
    """Counts an alert where its fields and status put it; the transaction must hold the lock of changes."""
    values = {name: getattr(alert, name) for name in NAMES} | {"status": alert.status}
    here = [getattr(CellRow, name) == value for name, value in values.items()]
    cell_id = session.scalar(sa.select(CellRow.cell_id).where(*here))
    if cell_id is None:
        cell = CellRow(**values, alerts=1)
        session.add(cell)
        session.flush()
        alert.cell_id = cell.cell_id
        return
    session.execute(sa.update(CellRow).where(CellRow.cell_id == cell_id).values(alerts=CellRow.alerts + 1))
    alert.cell_id = cell_id


def leave(session: Session, alert: AlertRow) -> None:
    """Takes an alert out of its cell, before its status changes."""
    session.execute(sa.update(CellRow).where(CellRow.cell_id == alert.cell_id).values(alerts=CellRow.alerts - 1))


def conditions(session: Session, wanted: AlertFilter) -> list[sa.ColumnElement[bool]]:
    """What a cell must fulfil for its alerts to be wanted; empty if any will do."""
    out: list[sa.ColumnElement[bool]] = []
    for column, value in (
        (CellRow.table_id, wanted.table_id), (CellRow.game, wanted.game), (CellRow.check_id, wanted.check_id),
        (CellRow.severity, wanted.severity), (CellRow.origin, wanted.origin), (CellRow.kind, wanted.kind),
        (CellRow.status, wanted.status),
    ):  # fmt: skip
        if value is not None:
            out.append(column == str(value))
    if wanted.standing:
        out.append(CellRow.status.not_in([status.value for status in CLOSED]))
    if wanted.tables is not None:
        out.append(CellRow.table_id.in_(sorted(wanted.tables)))
    if wanted.text is not None:
        cited = session.scalars(sa.select(CellRow.citation).distinct())
        out.append(CellRow.citation.in_([one for one in cited if says(one, wanted.text)]))
    return out


def says(citation: str, text: str) -> bool:
    """Whether a citation, or the sentence of law it names, holds a text.

    >>> says("58 Pa. Code § 669a.12(b)", "669A.12"), says("58 Pa. Code § 669a.12(b)", "winning ante")
    (True, True)
    """
    looked_for = " ".join(text.casefold().split())
    return looked_for in citation.casefold() or looked_for in " ".join(sentence(citation, None).casefold().split())
