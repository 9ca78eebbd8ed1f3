"""The tables that a service watches: added, changed, paused and removed while it runs, whole or not at all.

A change is checked first, then written, then applied; what cannot be applied leaves what runs as it was. Files edited by
hand are read when someone says so (`reload`): all of them are in order and applied, or none is.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rules.events import EventError
from rules.table import TableConfigError
from service.access.masking import masked_address
from service.config import TableSetup, load_table
from service.digests import sha256_of_text
from service.errors import ConflictError, NotFoundError, ServiceError
from service.tables.files import Pause, TableFiles, rendered
from service.tables.guard import guarded
from service.tables.problems import TableRefusedError, problems_of
from service.tables.sightings import Sightings
from service.textfiles import parse_yaml, read_text

if TYPE_CHECKING:
    from service.house import House
    from service.live.table import LiveTable

logger = logging.getLogger(__name__)

BAD_FILE = (ServiceError, TableConfigError, EventError)
LET_GO_S = 3.0
"""So long a table that changes may take to let go of its camera before the new one begins."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A file that is not what runs.

    Attributes:
        path: of it.
        table_id: of the table that runs from it, None where none does.
        state: "bad" (the last good one runs on), "changed", "new" or "gone": not applied yet.
        message: what is wrong, or what can be done.
    """

    path: Path
    table_id: str | None
    state: str
    message: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What a reading of all files changed, by table ids."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __str__(self) -> str:
        parts = [(names, word) for names, word in zip(
            (self.added, self.changed, self.removed), ("added", "changed", "removed"), strict=True
        ) if names]  # fmt: skip
        return "; ".join(f"{word}: {', '.join(names)}" for names, word in parts) or "nothing had changed"


class Roster:
    """The tables of one service.

    Args:
        house: the service; its `tables` are replaced as a whole, never changed in place.
        files: where tables are written.
        make: makes the watch of a table, which is not begun yet.
        sources: cameras named on the command line instead of those in the files.
    """

    def __init__(
        self, house: House, files: TableFiles, make: Callable[[TableSetup, str], LiveTable],
        sources: Mapping[Path, str] | None = None,
    ) -> None:  # fmt: skip
        self.house, self.files, self.make = house, files, make
        self.sources = {path.resolve(): source for path, source in (sources or {}).items()}
        self.texts: dict[str, str] = {}
        self.sightings = Sightings()
        self.running = False
        self._lock = threading.RLock()
        self._bad: dict[Path, str] = {}

    def open(self) -> None:
        """Reads all files at start. Of a bad one the last good text is taken, and `standing` says so.

        Raises:
            ServiceError, TableConfigError, EventError: a file named on the command line is bad, or names no camera.
        """
        for path in self.files.paths():
            try:
                setup, text = self._read(path)
            except BAD_FILE as error:
                if self.files.is_named(path):
                    raise
                logger.error("%s", error)
                found = self._last_good(path)
                if found is None:
                    continue
                setup, text = found
            self._keep_unless_there(setup, text)

    def start(self) -> None:
        """From here on tables that are added are watched at once (`service.house.Worker`)."""
        self.running = True

    def stop(self) -> None:
        """The opposite."""
        self.running = False

    def check(self, raw: dict[str, Any], *, table_id: str | None = None) -> tuple[TableSetup, str]:
        """A table as it would be applied, and the text of its file.

        Args:
            raw: the configuration.
            table_id: the table it is to replace, None for a new one.

        Raises:
            TableRefusedError: it breaks a limit of its chapter or is none; names all that is wrong.
            ServiceError: it names a camera or file that may not be named, or its table id is taken.
        """
        config, problems = problems_of(raw)
        if config is None:
            raise TableRefusedError(problems)
        old = self.house.tables.get(table_id) if table_id is not None else None
        if table_id is None and (config.table_id in self.house.tables or self.files.new_path(config.table_id).exists()):
            raise ConflictError(
                f"there is a table {config.table_id} already", where="table_id", do="Give this one another id"
            )
        if table_id is not None and config.table_id != table_id:
            raise ServiceError(
                f"the id of table {table_id} cannot become {config.table_id}: what was recorded goes by it", where="table_id",
                do="Keep it, or add a new table and remove this one",
            )  # fmt: skip
        clean = guarded(raw, self.house.settings.cameras, old.setup.table if old else None)
        path = old.setup.path if old else self.files.new_path(config.table_id)
        text = rendered(clean, before=self.texts.get(table_id) if table_id is not None else None)
        return load_table(path, text=text), text

    def add(self, raw: dict[str, Any]) -> LiveTable:
        """Adds a table and begins to watch it.

        Raises:
            ServiceError: see `check`; or its file cannot be written.
        """
        with self._lock:
            setup, text = self.check(raw)
            self.files.write(setup.path, text)
            return self._apply(setup, text)

    def replace(self, table_id: str, raw: dict[str, Any], *, sha256: str | None = None) -> LiveTable:
        """Replaces a table's configuration and watches it so from now on.

        Args:
            table_id: of the table.
            raw: the whole new configuration.
            sha256: of the text that was changed, so that nobody's change is lost under another's.

        Raises:
            ConflictError: someone else changed it meanwhile, on a screen or in its file.
            ServiceError: see `check`; or its file cannot be written.
        """
        with self._lock:
            old = self.table(table_id)
            if sha256 is not None and sha256 != old.setup.sha256:
                raise ConflictError(
                    f"someone else changed table {table_id} meanwhile", do="Load it again and make your change once more"
                )  # fmt: skip
            self._verify_file_as_applied(old.setup)
            setup, text = self.check(raw, table_id=table_id)
            if setup.sha256 == old.setup.sha256:
                return old
            self.files.write(setup.path, text)
            return self._apply(setup, text)

    def remove(self, table_id: str) -> None:
        """Ends watching a table and puts its file away; what was recorded of it stays.

        Raises:
            ConflictError: its file was named on the command line.
            ServiceError: its file cannot be put away.
        """
        with self._lock:
            old = self.table(table_id)
            if self.files.is_named(old.setup.path):
                raise ConflictError(
                    f"table {table_id} is named on the command line ({old.setup.path})",
                    do="Take --table away there and start the service again; until then it can be paused",
                )
            self.files.remove(old.setup.path, self.house.now())
            self.files.pause(table_id, None)
            self._drop(table_id)

    def pause(self, table_id: str, *, by: str, reason: str) -> LiveTable:
        """Stops watching a table until it is resumed, also across restarts; a declared coverage gap."""
        with self._lock:
            old = self.table(table_id)
            if old.paused is not None:
                return old
            self.files.pause(table_id, Pause(self.house.now(), by, reason))
            self.house.meters.gaps.labels(table_id, "TABLE-PAUSED").inc()
            return self._apply(old.setup, self.texts[table_id])

    def resume(self, table_id: str) -> LiveTable:
        """Watches a paused table again."""
        with self._lock:
            old = self.table(table_id)
            if old.paused is None:
                return old
            self.files.pause(table_id, None)
            return self._apply(old.setup, self.texts[table_id])

    def reload(self) -> Applied:
        """Reads all files again and applies what changed: all of it, or nothing where one file is bad.

        Raises:
            ServiceError: a file is bad; everything runs on as it was.
        """
        with self._lock:
            found: dict[str, tuple[TableSetup, str]] = {}
            bad: dict[Path, str] = {}
            for path in self.files.paths():
                try:
                    setup, text = self._read(path)
                    if setup.table.table_id in found:
                        raise ServiceError(
                            f"table_id {setup.table.table_id} is there twice", where=path, do="Give every table its own"
                        )
                    found[setup.table.table_id] = setup, text
                except BAD_FILE as error:
                    bad[path] = str(error)
            self._bad = bad
            if bad:
                first, more = next(iter(bad.values())), len(bad) - 1
                raise ServiceError(
                    first + (f" (and {more} more)" if more else ""),
                    do="Nothing was applied: every table runs on as it was. Correct the file and read again",
                )
            return self._apply_all(found)

    def standing(self) -> list[Standing]:
        """The files that are not what runs, and why."""
        by_path = {table.setup.path.resolve(): table for table in self.house.tables.values()}
        out = []
        paths = self.files.paths()
        for path in paths:
            table = by_path.get(path.resolve())
            name = table.table_id if table is not None else None
            if path in self._bad:
                kept = "the last good one runs on" if name else "it is not watched"
                out.append(Standing(path, name, "bad", f"{self._bad[path]} ({kept})"))
            elif table is None:
                out.append(Standing(path, None, "new", "a new file that was not read yet"))
            elif _sha256(path) != table.setup.sha256:
                out.append(Standing(path, name, "changed", "edited since it was applied"))
        known = {path.resolve() for path in paths}
        out += [
            Standing(table.setup.path, table.table_id, "gone", "its file is gone; reading again ends the table")
            for place, table in by_path.items()
            if place not in known and place.parent == self.files.folder.resolve()
        ]
        return out

    def table(self, table_id: str) -> LiveTable:
        """A table of this roster.

        Raises:
            NotFoundError: none of its tables has this id.
        """
        if table_id not in self.texts:
            raise NotFoundError(f"there is no table {table_id!r} here", do="List them with GET /api/tables")
        return self.house.table(table_id)

    def shown(self, table_id: str) -> dict[str, Any]:
        """A table's configuration as people see it: without the password of its camera."""
        raw = dict(parse_yaml(self.texts[self.table(table_id).table_id], where=table_id))
        camera = dict(raw.get("camera") or {})
        if camera.get("source"):
            raw["camera"] = camera | {"source": masked_address(str(camera["source"]))}
        return raw

    def shown_text(self, table_id: str) -> str:
        """The same as the text of its file."""
        return masked_address(self.texts[self.table(table_id).table_id])

    def _read(self, path: Path) -> tuple[TableSetup, str]:
        text = read_text(path, what="table file", do="Put it back, or take --table away")
        setup = load_table(path, text=text)
        if self._source(setup) is None:
            raise ServiceError("it names no camera", where=path, do="Give --source, or camera.source in that file")
        return setup, text

    def _last_good(self, path: Path) -> tuple[TableSetup, str] | None:
        try:
            self._read(path)
        except BAD_FILE as error:
            self._bad[path] = str(error)
        text = self.files.applied(path)
        if text is None:
            return None
        try:
            return load_table(path, text=text), text
        except BAD_FILE:
            return None

    def _keep_unless_there(self, setup: TableSetup, text: str) -> None:
        table_id = setup.table.table_id
        if table_id in self.texts:
            said = f"table_id {table_id} is there twice"
            if self.files.is_named(setup.path):
                raise ServiceError(said, where=setup.path, do="Give every table its own")
            self._bad[setup.path] = f"{setup.path}: {said}. Give every table its own"
            return
        self._apply(setup, text)

    def _source(self, setup: TableSetup) -> str | None:
        return self.sources.get(setup.path.resolve(), setup.source)

    def _verify_file_as_applied(self, setup: TableSetup) -> None:
        if setup.path.exists() and _sha256(setup.path) != setup.sha256:
            raise ConflictError(
                "its file was edited by hand and that is not applied yet", where=setup.path,
                do="Read the files again first (POST /api/tables/reload), then make your change",
            )  # fmt: skip

    def _apply_all(self, found: Mapping[str, tuple[TableSetup, str]]) -> Applied:
        gone = tuple(name for name in self.texts if name not in found)
        added = tuple(name for name in found if name not in self.texts)
        changed = tuple(
            name for name, (setup, _) in found.items()
            if name in self.texts and _differs(setup, self.house.tables[name].setup)
        )  # fmt: skip
        for name in gone:
            self._drop(name)
        for name in (*changed, *added):
            self._apply(*found[name])
        return Applied(added, changed, gone)

    def _apply(self, setup: TableSetup, text: str) -> LiveTable:
        """Puts a table in the place of the one that runs; everything that could fail was checked before."""
        table_id, source = setup.table.table_id, self._source(setup)
        assert source is not None
        new, old = self.make(setup, source), self.house.tables.get(table_id)
        new.paused = self.files.pause_of(table_id)
        if old is not None:
            old.end_watching(LET_GO_S)
            new.take_over(old)
        self.texts[table_id] = text
        self.house.tables = {**self.house.tables, table_id: new}
        if _sha256(setup.path) == setup.sha256:
            self._bad.pop(setup.path, None)
        try:
            self.files.note_applied(setup.path, text)
        except ServiceError:
            logger.exception("the last good configuration of table %s cannot be kept", table_id)
        if self.house.office is not None:
            self.house.office.learn({table_id: setup.path})
        if self.running:
            new.start()
        return new

    def _drop(self, table_id: str) -> None:
        old = self.house.tables[table_id]
        self.texts.pop(table_id)
        self.house.tables = {name: table for name, table in self.house.tables.items() if name != table_id}
        old.stop(LET_GO_S)
        self.house.meters.forget(table_id)


def changed_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Which keys of two configurations differ, dotted, for the log."""
    one, other = dict(_flat(before)), dict(_flat(after))
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def _flat(raw: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for name, value in raw.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _differs(one: TableSetup, other: TableSetup) -> bool:
    return (one.sha256, one.external, one.path, one.layout) != (other.sha256, other.external, other.path, other.layout)


def _sha256(path: Path) -> str | None:
    try:
        return sha256_of_text(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
