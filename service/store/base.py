"""The database under everything the service remembers: engine, sessions, and the `Base` of every area's tables.

SQLite in write-ahead mode by default, PostgreSQL by URL. A *write* begins with the database's write lock on SQLite
(`BEGIN IMMEDIATE`), so that what it reads cannot change before it writes; reads never wait for writers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Session, sessionmaker

from service.errors import ServiceError
from service.store.migrate import upgrade

BUSY_MS = 10_000
"""How long a writer waits for another one on SQLite before it gives up."""


AWAY = (sa.exc.OperationalError, sa.exc.InterfaceError, sa.exc.TimeoutError, sa.exc.DisconnectionError)
"""What a database looks like that takes nothing now but will again: away, locked, or out of disk."""
PG_READ_ONLY = "25006"
"""PostgreSQL's own code while it takes no writes, e.g. a standby before it takes over."""
PG_DISK_FULL = "53100"
"""PostgreSQL's own code (SQLSTATE, class 53: insufficient resources)."""


class Base(DeclarativeBase):
    """The tables of the service. Every area keeps its own in `service/<area>/tables.py`, listed in `migrate.TABLES`."""


class Database:
    """Opens a database, brings its tables up to date, and gives sessions. Safe to use from several threads.

    Args:
        url: SQLAlchemy URL, e.g. `sqlite:///var/pitwatch.db` or `postgresql+psycopg://user@host/pitwatch`.

    Raises:
        ServiceError: it cannot be opened, or was written by a newer version.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            self.engine = open_engine(url)
            upgrade(self.engine)
        except (sa.exc.SQLAlchemyError, ImportError) as error:
            raise ServiceError(
                f"the database cannot be opened ({str(error).splitlines()[0]})",
                where=shown_url(url),
                do="Check the URL and that its folder exists",
            ) from error
        self._reads: sessionmaker[Session] = sessionmaker(self.engine, expire_on_commit=False)
        self._writes: sessionmaker[Session] = sessionmaker(
            self.engine.execution_options(writes=True), expire_on_commit=False
        )

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session that sees one moment of the database on SQLite; nothing is kept of what it changes."""
        with self._reads() as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session in one transaction: all of it is kept when the block ends, nothing if it raises."""
        with self._writes.begin() as session:
            yield session

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is the built-in one."""
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()


GONE_AFTER: Mapping[str, int] = {
    "connect_timeout": 10, "keepalives_idle": 20, "keepalives_interval": 5, "keepalives_count": 4, "tcp_user_timeout": 40_000,
}  # fmt: skip
"""How long PostgreSQL's host may be silent before a connection counts as lost, in seconds but for the last, of milliseconds (libpq's names). Without them a host that vanishes holds who
writes for as long as the system's own limits are, a quarter of an hour and more. What the address of the database says of these goes first."""


def open_engine(url: str) -> sa.Engine:
    """An engine whose transactions begin as `Database` says, without touching any table."""
    said = sa.make_url(url).query
    limits = {} if url.startswith("sqlite") else {name: value for name, value in GONE_AFTER.items() if name not in said}
    engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"), connect_args=limits)
    sa.event.listen(engine, "handle_error", _read_only_is_away)
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _sqlite_connect)
        sa.event.listen(engine, "begin", _sqlite_begin)
    return engine


def is_full(error: BaseException) -> bool:
    """Whether a database refused to write because its disk is full.

    >>> is_full(ValueError("no error of a database"))
    False
    """
    said = getattr(error, "orig", None)
    code = getattr(said, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_FULL or getattr(said, "sqlstate", None) == PG_DISK_FULL


def verify_there(url: str) -> None:
    """Refuses a SQLite file that does not exist, where opening it would make an empty one.

    Raises:
        ServiceError: there is none.
    """
    path = Path(url.removeprefix("sqlite:///"))
    if url.startswith("sqlite:///") and not path.is_file():
        raise ServiceError("there is no such database", where=path, do="Give the service's with --database")


def told(error: sa.exc.SQLAlchemyError) -> str:
    """What a database said that could not be read or written, in one line with what to do.

    >>> told(sa.exc.TimeoutError("no connection in 30 s"))
    'the database failed (no connection in 30 s). Do it again; if it says the same, look after its file or its server'
    """
    orig = getattr(error, "orig", None)
    lines = str(orig or error).strip().splitlines()
    do = "Do it again; if it says the same, look after its file or its server"
    if is_full(error):
        do = "Make room on its disk and do it again: what was kept stays"
    elif getattr(orig, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        do = "Its file is damaged: put a backup in its place (pitwatch backup makes them)"
    return f"the database failed ({lines[0] if lines else type(error).__name__}). {do}"


def shown_url(url: str) -> str:
    """A database URL without its password, for messages and logs.

    >>> shown_url("postgresql+psycopg://pit:secret@db/pitwatch")
    'postgresql+psycopg://pit:***@db/pitwatch'
    """
    try:
        return sa.make_url(url).render_as_string(hide_password=True)
    except sa.exc.ArgumentError:
        return url


def _read_only_is_away(context: sa.engine.ExceptionContext) -> BaseException | None:
    """A database that takes no writes now is away, which the driver calls an internal error."""
    said = context.original_exception
    if getattr(said, "sqlstate", None) != PG_READ_ONLY:
        return None
    return sa.exc.OperationalError(context.statement, context.parameters, said)


def _sqlite_connect(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_MS}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _sqlite_begin(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
