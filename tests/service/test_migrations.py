"""Migrations: a new database, one made before there were migrations, one of a newer version, several starts at once."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from service_fakes import NOW, TABLE, finding

from rules.findings import finding_to_dict
from service.errors import ServiceError
from service.store import Base, Store
from service.store.base import open_engine
from service.store.migrate import TABLES, upgrade
from service.store.migrations.versions import r0001_first

ROOT = Path(__file__).resolve().parents[2]
OLD_ALERT = {
    "run_id": "run-0", "finding_id": "f" * 16, "table_id": TABLE, "check_id": "RIU-C1-WHEN", "severity": "critical",
    "raised_utc": "2026-02-01T10:00:00.000Z",
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.store.base.upgrade", upgrade)


def before_migrations(url: str) -> None:
    """Makes a database as it was before there were migrations, with one alert confirmed in it."""
    engine = open_engine(url)
    with engine.execution_options(writes=True).begin() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            r0001_first.upgrade()
        old = sa.MetaData()
        old.reflect(connection)
        run = {"run_id": "run-0", "table_id": TABLE, "origin": "live", "opened_utc": NOW.isoformat(), "about": "{}"}
        connection.execute(old.tables["runs"].insert().values(run))
        raw = json.dumps(finding_to_dict(finding(finding_id=OLD_ALERT["finding_id"])))
        connection.execute(old.tables["alerts"].insert().values(OLD_ALERT | {"finding": raw}))
        decided = {
            "alert_seq": 1,
            "status": "confirmed",
            "reason": "seen",
            "by": "ann",
            "at_utc": "2026-02-01T10:01:00.000Z",
        }
        connection.execute(old.tables["dispositions"].insert().values(decided))
    engine.dispose()


def test_migrations_make_the_tables_the_code_declares(empty_database_url: str) -> None:
    for module in TABLES:
        importlib.import_module(module)
    store = Store(empty_database_url)
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_a_database_made_before_there_were_migrations_is_adopted(empty_database_url: str) -> None:
    before_migrations(empty_database_url)
    for _ in range(2):
        store = Store(empty_database_url)
        (alert,) = store.alerts()
        assert (alert.finding_id, alert.status, alert.history[0].by) == (OLD_ALERT["finding_id"], "confirmed", "ann")
        store.close()


def test_a_database_of_a_newer_version_is_refused_and_left_alone(empty_database_url: str) -> None:
    store = Store(empty_database_url)
    with store.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(ServiceError, match=r"written by a newer Pitwatch \(revision 9999\)"):
        Store(empty_database_url)
    with open_engine(empty_database_url).connect() as connection:
        assert connection.scalar(sa.text("SELECT version_num FROM alembic_version")) == "9999"


def test_a_stranger_s_database_is_refused(empty_database_url: str) -> None:
    with open_engine(empty_database_url).begin() as connection:
        connection.execute(sa.text("CREATE TABLE alerts (id integer)"))
    with pytest.raises(ServiceError, match="no database of Pitwatch"):
        Store(empty_database_url)


def test_several_processes_may_start_at_once(empty_database_url: str) -> None:
    code = "import sys; from service.store import Store; Store(sys.argv[1]).close()"
    starts = [subprocess.Popen([sys.executable, "-c", code, empty_database_url], cwd=ROOT) for _ in range(3)]
    assert [start.wait(60) for start in starts] == [0, 0, 0]
    assert Store(empty_database_url).alerts() == []


def test_a_migration_that_fails_leaves_nothing(empty_database_url: str) -> None:
    def power_cut(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "CREATE TABLE dispositions" in statement:
            raise sa.exc.OperationalError("power", None, Exception("cut"))

    sa.event.listen(sa.Engine, "before_cursor_execute", power_cut)
    try:
        with pytest.raises(ServiceError, match="cannot be opened"):
            Store(empty_database_url)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", power_cut)
    assert sa.inspect(open_engine(empty_database_url)).get_table_names() == []
    assert Store(empty_database_url).alerts() == []


def test_a_host_that_vanishes_holds_nobody_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What libpq is told of lost connections; the address of the database goes first."""
    told: list[dict[str, object]] = []

    def connect(*_: object, **options: object) -> object:
        told.append(options)
        raise OSError("asked")

    for url in ("postgresql+psycopg://h/d", "postgresql+psycopg://h/d?connect_timeout=3"):
        engine = open_engine(url)
        monkeypatch.setattr(engine.dialect, "connect", connect)
        with pytest.raises(OSError, match="asked"):
            engine.connect()
    assert [int(str(options["connect_timeout"])) for options in told] == [10, 3]
    assert all(options["keepalives_idle"] == 20 and options["tcp_user_timeout"] == 40_000 for options in told)
