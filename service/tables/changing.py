"""What one person may do with tables, and the log of it: the same from a screen and from the interface."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from calibration.layout import Layout, load_layout
from calibration.layout_file import layout_names
from service.access.masking import masked_address
from service.access.roles import Permission, Principal
from service.errors import ConflictError, NotFoundError, ServiceError
from service.house import House
from service.tables.guard import checked_source
from service.tables.roster import Applied, Roster, changed_keys
from service.tables.sightings import Sighting, find, found_shown, recognised

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Changing:
    """Tables in the hands of someone.

    Attributes:
        house: the service.
        roster: its tables.
        principal: who does it, as it stands now.
        address: where from.
    """

    house: House
    roster: Roster
    principal: Principal
    address: str

    def add(self, raw: dict[str, Any]) -> str:
        """Adds a table; returns its id.

        Raises:
            ServiceError: they may not, or see `Roster.add`.
        """
        named = raw.get("table_id")
        self.principal.verify(Permission.TABLES_CONFIGURE, named if isinstance(named, str) else None)
        about = f"{named}, {raw.get('game')}" if isinstance(named, str) else "a table without an id"
        return self._noted("tables.add", about, named, lambda: self.roster.add(raw).table_id)

    def replace(self, table_id: str, raw: dict[str, Any], *, sha256: str | None = None) -> list[str]:
        """Replaces a table's configuration; returns the keys that changed.

        Raises:
            ServiceError: they may not, or see `Roster.replace`.
        """
        self.principal.verify(Permission.TABLES_CONFIGURE, table_id)
        before = self.roster.shown(table_id)
        wanted = changed_keys(before, raw)
        about = f"{table_id}: {', '.join(wanted) or 'nothing'}"[:1000]
        self._noted("tables.change", about, table_id, lambda: self.roster.replace(table_id, raw, sha256=sha256))
        return wanted

    def remove(self, table_id: str) -> None:
        """Ends watching a table."""
        self.principal.verify(Permission.TABLES_CONFIGURE, table_id)
        self.roster.table(table_id)
        self._noted("tables.remove", table_id, table_id, lambda: self.roster.remove(table_id))

    def pause(self, table_id: str, reason: str) -> None:
        """Pauses a table.

        Raises:
            ServiceError: without a reason; or they may not.
        """
        self.principal.verify(Permission.TABLES_OPERATE, table_id)
        if not reason.strip():
            raise ServiceError("pausing needs a reason", where="reason", do="Say why nobody watches this table")
        by, about = self.principal.signature, f"{table_id}: {reason.strip()}"
        self._noted("tables.pause", about, table_id, lambda: self.roster.pause(table_id, by=by, reason=reason.strip()))

    def resume(self, table_id: str) -> None:
        """Resumes a table."""
        self.principal.verify(Permission.TABLES_OPERATE, table_id)
        self._noted("tables.resume", table_id, table_id, lambda: self.roster.resume(table_id))

    def reload(self) -> Applied:
        """Reads all files again; whoever may do that for some tables only may not, since any table may change by it."""
        if self.principal.tables_for(Permission.TABLES_CONFIGURE) is not None:
            raise ConflictError("reading the files again may change any table", do="Ask an administrator of all tables")
        done = self._noted("tables.reload", "the files of all tables", None, self.roster.reload)
        self.house.access.note(self.principal, "tables.reload", str(done), address=self.address)
        return done

    def take_picture(self, source: str | None, table_id: str | None) -> Sighting:
        """A picture of a camera that was typed in, or of a table that is watched.

        Raises:
            ServiceError: the camera may not be named or gives no picture; see `Sightings.take`.
        """
        if (source is None) == (table_id is None):
            raise ServiceError("either source or table_id is needed", where="body", do="Give one of the two")
        self.principal.verify(Permission.TABLES_CONFIGURE, table_id)
        if table_id is not None:
            return self._picture_of(table_id)
        clean = checked_source(source or "", self.house.settings.cameras)
        return self._noted("tables.camera", masked_address(clean), None, lambda: self.roster.sightings.take(clean))

    def picture(self, picture_id: str) -> Sighting:
        """A picture taken before.

        Raises:
            ServiceError: there is none, or it is of a table they may not configure.
        """
        one = self.roster.sightings.get(picture_id)
        self.principal.verify(Permission.TABLES_CONFIGURE, one.table_id)
        return one

    def recognised(self, sighting: Sighting) -> Layout | None:
        """Which felt a picture shows."""
        return recognised(sighting)

    def layout(self, name: str) -> Layout:
        """A layout that comes with Pitwatch, or that a table they configure names.

        Raises:
            NotFoundError: neither.
        """
        if name in layout_names():
            return load_layout(name)
        for table in self.house.tables.values():
            if name == table.setup.table.layout and self.principal.may(Permission.TABLES_CONFIGURE, table.table_id):
                return table.setup.layout
        raise NotFoundError(f"there is no layout {name[:80]!r}", do=f"Use one of {', '.join(layout_names())}")

    def calibrate(
        self, picture_id: str, layout: str, corners_px: Sequence[Sequence[float]] | None
    ) -> dict[str, Any]:  # fmt: skip
        """Finds a layout in a picture; saves nothing."""
        return found_shown(find(self.picture(picture_id), self.layout(layout), corners_px))

    def _picture_of(self, table_id: str) -> Sighting:
        table = self.roster.table(table_id)
        image = table.raw_picture()
        if image is not None:
            return self.roster.sightings.keep(table.source, image, table_id=table_id)
        one = self.roster.sightings.take(table.source)
        return self.roster.sightings.keep(one.source, one.image, table_id=table_id)

    def _noted(self, what: str, about: str, table_id: Any, act: Callable[[], T]) -> T:
        """Does something and writes it into the log, also that it could not be done."""
        table = table_id if isinstance(table_id, str) and len(table_id) <= 64 else None
        try:
            done = act()
        except ServiceError:
            self.house.access.note(
                self.principal, what, about[:1000], table_id=table, address=self.address, outcome="failed"
            )
            raise
        self.house.access.note(self.principal, what, about[:1000], table_id=table, address=self.address)
        return done
