"""Gives a service its tables: those of its folder, those named on the command line; read again on SIGHUP."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from service.access.journal import Deed
from service.config import TableSetup
from service.errors import ServiceError
from service.house import House
from service.live.spool import Spool
from service.live.table import LiveTable, spool_name
from service.tables.files import TableFiles
from service.tables.roster import Roster
from service.textfiles import parse_yaml

logger = logging.getLogger(__name__)

FOLDER = Path("var/tables")
SPOOL = Path("var/spool")


@dataclass(frozen=True, slots=True)
class TableChoices:
    """What someone who starts the service says of its tables.

    Attributes:
        folder: tables added in the screens are written there and read from there.
        named: files of tables named one by one.
        source: the camera of the only one named, instead of what its file says.
        repeat: recordings are played again when they end.
    """

    folder: Path = FOLDER
    named: tuple[Path, ...] = ()
    source: str | None = None
    repeat: bool = False

    def __post_init__(self) -> None:
        """Refuses what contradicts itself before anything is opened."""
        if self.source is not None and len(self.named) != 1:
            raise ServiceError(
                "--source goes with exactly one --table", do="Name the others' sources in their files (camera.source)"
            )


def open_tables(house: House, choices: TableChoices) -> Roster:
    """Reads the files of all tables; they are watched once the service starts.

    Raises:
        ServiceError, TableConfigError, EventError: a file that was named is bad or names no camera.
    """

    def make(setup: TableSetup, source: str) -> LiveTable:
        return LiveTable(
            setup, source, house.store, house.feed, repeat=choices.repeat, evidence=house.evidence, meters=house.meters,
            spool=SPOOL, now=house.now, plan=house.shifts,
        )  # fmt: skip

    sources = {choices.named[0]: choices.source} if choices.source is not None else {}
    roster = Roster(house, TableFiles(choices.folder, choices.named), make, sources)
    roster.open()
    house.roster = roster
    say_what_waits(house.tables, SPOOL)
    return roster


def say_what_waits(tables: Iterable[str], spool: Path) -> None:
    """Says in the log which steps wait on disk for the database that no table here will store, as of one that was taken away while the database was."""
    names = {spool_name(table_id) for table_id in tables}
    for path in sorted(spool.glob("*.spool")):
        if path.stem in names or not path.stat().st_size:
            continue
        try:
            left = Spool(path)
        except ServiceError:  # another process watches that table, and stores them
            continue
        if len(left):
            logger.error(
                "%s: %d steps of a table that is not watched here are not in the database; add the table again and they are stored",
                path, len(left),
            )  # fmt: skip
        left.close()


def reload_on_hangup(house: House) -> None:
    """Has SIGHUP read the files of all tables again, where there is such a signal."""
    if not hasattr(signal, "SIGHUP"):
        return

    def read_again() -> None:
        assert house.roster is not None
        try:
            said, outcome = str(house.roster.reload()), "done"
            logger.warning("SIGHUP: the tables' files were read again; %s", said)
        except ServiceError as error:
            said, outcome = str(error), "failed"
            logger.error("SIGHUP: %s", error)
        house.access.journal.write(Deed("tables.reload", said[:1000], "(SIGHUP)", outcome=outcome), at=house.now())

    signal.signal(signal.SIGHUP, lambda *_: threading.Thread(target=read_again, daemon=True).start())


def copied_table(file: Path, folder: Path) -> Path:
    """A copy of a table's file in another folder, with everything it names named in full.

    Args:
        file: the table's file.
        folder: for the copy; what lies there is left alone.

    Returns:
        The copy.
    """
    raw = parse_yaml(file.read_text(encoding="utf-8"), where=file)
    here = file.resolve().parent
    raw["camera"]["source"] = str(here / raw["camera"]["source"])
    if raw.get("external_events"):
        raw["external_events"] = str(here / raw["external_events"])
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{raw['table_id']}.yaml"
    copy.write_text(yaml.safe_dump(raw, sort_keys=False), encoding="utf-8")
    return copy
