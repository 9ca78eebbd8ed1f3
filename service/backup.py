"""A copy of everything the service keeps, made while it runs: the database at one moment, then evidence with a whole chain.

The database is copied first: an alert that comes in between has its bundle in the copy and is not in the copied database,
never the other way round. Bundles wait while evidence is copied; alerts do not.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from service.errors import ServiceError
from service.evidence.vault import nobody_writes
from service.evidence.verify import verify

DATABASE_NAME, EVIDENCE_NAME = "pitwatch.db", "evidence"
PAGES = 2000
"""Pages of the database copied at a time; whoever writes waits no longer than for these."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds: the alerts of the database, the bundles of the evidence, None where there was none."""

    alerts: int
    bundles: int | None


def back_up(database: str, evidence: Path | None, to: Path) -> Copied:
    """Copies database and evidence, and proves the copy.

    Args:
        database: SQLAlchemy URL of a SQLite database; others are copied by their own means.
        evidence: the folder with bundles and chain; None or not there: none is copied.
        to: folder that is made; must not exist.

    Raises:
        ServiceError: it is there already, the database is another one, or the copy is not whole.
    """
    url = sa.make_url(database)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ServiceError(
            "only a SQLite file is copied by this command",
            where=url.render_as_string(hide_password=True),
            do="Copy a PostgreSQL database with pg_dump, then the evidence with --no-database",
        )
    with _begun(to):
        alerts = _database(Path(url.database), to / DATABASE_NAME)
        return Copied(alerts, copy_evidence(evidence, to / EVIDENCE_NAME) if evidence and evidence.is_dir() else None)


def back_up_evidence(evidence: Path, to: Path) -> int:
    """Copies evidence alone and proves the copy, beside a database that is copied by its own means; how many bundles.

    Raises:
        ServiceError: `to` is there already, or the copy is not whole.
    """
    with _begun(to):
        return copy_evidence(evidence, to / EVIDENCE_NAME)


def copy_evidence(evidence: Path, to: Path) -> int:
    """Copies bundles and chain while nothing is added, and verifies the copy; how many bundles.

    Raises:
        ServiceError: `verify` finds something in the copy.
    """
    with nobody_writes(evidence):
        shutil.copytree(evidence, to)
    report = verify(to)
    if not report.genuine:
        raise ServiceError(
            f"the evidence in the copy is not whole: {report.issues[0]}", where=to, do=f"Run pitwatch verify {evidence}"
        )
    return report.bundles


@contextmanager
def _begun(to: Path) -> Iterator[None]:
    """Makes the folder of a copy; it is gone again where the copy does not become whole.

    Raises:
        ServiceError: it is there already, or the copy cannot be read or written.
    """
    try:
        to.mkdir(parents=True)
    except FileExistsError as error:
        raise ServiceError("there is something already", where=to, do="Give the name of a new folder") from error
    try:
        to.chmod(0o700)
        yield
    except BaseException as error:
        shutil.rmtree(to, ignore_errors=True)
        if isinstance(error, OSError | sqlite3.Error):
            said = getattr(error, "strerror", None) or str(error)
            raise ServiceError(
                f"the copy could not be made ({said})",
                where=to,
                do="Look after the database and the evidence it is made of, and give a disk with room",
            ) from error
        raise


def _database(path: Path, to: Path) -> int:
    if not path.is_file():
        raise ServiceError("there is no database", where=path, do="Give the URL the service was started with")
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as source, closing(sqlite3.connect(to)) as copy:  # fmt: skip
        source.backup(copy, pages=PAGES)
        (said,) = copy.execute("PRAGMA integrity_check").fetchone()
        if said != "ok":
            raise ServiceError(f"the copied database is damaged ({said})", where=to, do="Look at the disk it came from")
        return int(copy.execute("SELECT count(*) FROM alerts").fetchone()[0])
