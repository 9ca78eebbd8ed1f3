"""Alerts carry how they stand, what lists filter by, and which incident they tell of; changes have one order."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

NEW_ON_ALERTS = (
    sa.Column("origin", sa.String(10), nullable=False, server_default="live"),
    sa.Column("game", sa.String(40), nullable=False, server_default=""),
    sa.Column("kind", sa.String(10), nullable=False, server_default="finding"),
    sa.Column("citation", sa.String(200), nullable=False, server_default=""),
    sa.Column("status", sa.String(20), nullable=False, server_default="open"),
    sa.Column("assignee", sa.String(80)),
    sa.Column("incident", sa.String(40), nullable=False, server_default=""),
    sa.Column("incident_ms", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("sort_key", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("cell_id", sa.Integer, nullable=False, server_default="0"),
)
CELL = ("table_id", "game", "check_id", "severity", "origin", "kind", "citation", "status")
GAMES = {"669a": "raise_it_up", "639a": "caribbean_stud", "643a": "let_it_ride", "687a": "dj_wild"}
ACTIONS = {"acknowledged": "acknowledge", "confirmed": "confirm", "dismissed": "dismiss"}


def upgrade() -> None:
    """Adds the columns and tables, and fills them from what is there."""
    op.add_column("runs", sa.Column("game", sa.String(40), nullable=False, server_default=""))
    op.add_column("runs", sa.Column("scope", sa.String(80), nullable=False, server_default=""))
    op.add_column("runs", sa.Column("epoch_ms", sa.BigInteger, nullable=False, server_default="0"))
    for column in NEW_ON_ALERTS:
        op.add_column("alerts", column)
    op.add_column("dispositions", sa.Column("action", sa.String(20), nullable=False, server_default="comment"))
    op.add_column("dispositions", sa.Column("assignee", sa.String(80)))
    _make_tables()
    _fill(op.get_bind())
    for name in ("run_id", "table_id", "check_id", "severity"):
        op.drop_index(f"ix_alerts_{name}", "alerts")
    op.create_index("ix_alerts_newest", "alerts", ["sort_key", "cell_id"])
    op.create_index("ix_alerts_cell", "alerts", ["cell_id", "sort_key"])
    op.create_index("ix_alerts_assignee", "alerts", ["assignee", "sort_key", "cell_id"])
    op.create_index("ix_alerts_run", "alerts", ["run_id", "sort_key", "cell_id"])
    op.create_index("ix_alerts_incident", "alerts", ["incident", "incident_ms"])
    op.create_index("ix_dispositions_at_utc", "dispositions", ["at_utc"])


def _make_tables() -> None:
    op.create_table(
        "alert_cells",
        sa.Column("cell_id", sa.Integer, primary_key=True, autoincrement=True),
        *(sa.Column(name, sa.String(length), nullable=False) for name, length in zip(CELL, (80, 40, 60, 20, 10, 10, 200, 20), strict=True)),
        sa.Column("alerts", sa.Integer, nullable=False),
        sa.UniqueConstraint(*CELL, name="one_cell"),
    )  # fmt: skip
    op.create_index("ix_alert_cells_status", "alert_cells", ["status", "severity"])
    op.create_table(
        "changes",
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("alert_seq", sa.Integer, sa.ForeignKey("alerts.seq"), nullable=False),
        sa.Column("step", sa.Integer),
        sa.Column("at_utc", sa.String(40), nullable=False),
    )
    op.create_table(
        "changes_head",
        sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger, nullable=False),
    )


def _fill(bind: sa.Connection) -> None:
    tables = sa.MetaData()
    tables.reflect(bind, only=["runs", "alerts", "dispositions", "alert_cells", "changes", "changes_head"])
    runs, alerts, steps = tables.tables["runs"], tables.tables["alerts"], tables.tables["dispositions"]
    for status, action in ACTIONS.items():
        bind.execute(steps.update().where(steps.c.status == status).values(action=action))
    origins = {row.run_id: row for row in bind.execute(sa.select(runs))}
    stepped = bind.execute(sa.select(steps.c.alert_seq, steps.c.status).order_by(steps.c.number))
    last = {row.alert_seq: row.status for row in stepped}
    cells: dict[tuple[str, ...], int] = {}
    counted: dict[int, int] = {}
    position = 0
    columns = (alerts.c.seq, alerts.c.run_id, alerts.c.table_id, alerts.c.check_id, alerts.c.severity, alerts.c.raised_utc, alerts.c.finding)  # fmt: skip
    for row in bind.execute(sa.select(*columns).order_by(alerts.c.seq)).all():
        values = _values(row, origins[row.run_id], last.get(row.seq, "open"))
        cell = tuple(
            {"table_id": row.table_id, "check_id": row.check_id, "severity": row.severity, **values}[name]
            for name in CELL
        )
        values["cell_id"] = cells.setdefault(cell, len(cells) + 1)
        counted[values["cell_id"]] = counted.get(values["cell_id"], 0) + 1
        bind.execute(alerts.update().where(alerts.c.seq == row.seq).values(values))
        position += 1
        change = {"position": position, "kind": "raised", "alert_seq": row.seq, "step": None, "at_utc": row.raised_utc}
        bind.execute(tables.tables["changes"].insert().values(change))
    for step in bind.execute(sa.select(steps).order_by(steps.c.number)).all():
        position += 1
        change = {
            "position": position,
            "kind": step.action,
            "alert_seq": step.alert_seq,
            "step": step.number,
            "at_utc": step.at_utc,
        }
        bind.execute(tables.tables["changes"].insert().values(change))
    for cell, cell_id in cells.items():
        made = dict(zip(CELL, cell, strict=True)) | {"cell_id": cell_id, "alerts": counted[cell_id]}
        bind.execute(tables.tables["alert_cells"].insert().values(made))
    if cells and bind.dialect.name == "postgresql":
        bind.execute(
            sa.text("SELECT setval(pg_get_serial_sequence('alert_cells', 'cell_id'), :last)"), {"last": len(cells)}
        )
    bind.execute(tables.tables["changes_head"].insert().values({"one": 1, "position": position}))


def _values(row: Any, run: Any, status: str) -> dict[str, Any]:
    """The new columns of an alert made before; its incident is its run's own."""
    citation = json.loads(row.finding).get("citation", "")
    chapter = citation.partition("§ ")[2].partition(".")[0]
    raised_ms = round(datetime.fromisoformat(row.raised_utc.replace("Z", "+00:00")).timestamp() * 1000)
    return {
        "origin": run.origin, "game": GAMES.get(chapter, ""), "kind": "finding", "citation": citation, "status": status,
        "incident": "", "incident_ms": 0, "sort_key": (raised_ms << 20) + (row.seq & 0xFFFFF),
    }  # fmt: skip
