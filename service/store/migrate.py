"""Brings a database's tables to what this version of the code needs: at start, under a lock, all or nothing."""

from __future__ import annotations

import functools
import threading
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from service.errors import ServiceError

FIRST = "0001"
FIRST_TABLES = {"runs", "alerts", "evidence", "dispositions", "events", "rounds"}
"""What a database made before there were migrations holds."""
LOCK = 0x7069_7477
"""PostgreSQL advisory lock under which one process at a time migrates."""
_ONE_THREAD = threading.Lock()
"""Alembic keeps what it works on in module globals."""
TABLES = (
    "service.store.tables",
    "service.store.round_tables",
    "service.access.tables",
    "service.reviews.tables",
    "service.audit.tables",
    "service.feed.tables",
)
"""Modules that declare tables on `Base`; a test compares them with what the migrations make."""


def upgrade(engine: sa.Engine) -> None:
    """Runs the migrations a database still lacks; does nothing where it is up to date.

    Several processes may start at once: one migrates, the others wait and find the work done.

    Raises:
        ServiceError: the database was written by a newer version, or is no database of this service.
        sqlalchemy.exc.SQLAlchemyError: it cannot be reached or changed.
    """
    head = _head()
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == head:
            return
    with _ONE_THREAD, engine.execution_options(writes=True).begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
        config = _config(connection)
        _check(connection, config)
        command.upgrade(config, "head")


@functools.cache
def _head() -> str | None:
    """The newest revision of this code."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _check(connection: sa.Connection, config: Config) -> None:
    """Adopts a database older than the migrations, refuses one newer than this code."""
    revision = MigrationContext.configure(connection).get_current_revision()
    where = connection.engine.url.render_as_string(hide_password=True)
    if revision is None:
        found = set(sa.inspect(connection).get_table_names())
        if not found & FIRST_TABLES:
            return
        if not found >= FIRST_TABLES:
            lacking = ", ".join(sorted(FIRST_TABLES - found))
            raise ServiceError(
                f"this is no database of Pitwatch: it has some of its tables but not {lacking}",
                where=where,
                do="Give an empty database, or restore this one from its backup",
            )
        command.stamp(config, FIRST)
        return
    if revision not in {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}:
        raise ServiceError(
            f"this database was written by a newer Pitwatch (revision {revision})",
            where=where,
            do="Start the newer version, or restore the backup made before it was upgraded",
        )


def _config(connection: sa.Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
