"""What the room shows, as its address says it: a link gives the same view again, and the way back works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from urllib.parse import urlencode

from service.store import SEVERITIES, AlertFilter, Order, Status

STANDING, ALL = "standing", "all"
STATES = (STANDING, *(status.value for status in Status), ALL)
"""What can be chosen: all that stands (open and acknowledged), one state, or everything."""
ORIGINS = ("", "live", "review")
LONGEST = 200


@dataclass(frozen=True, slots=True)
class View:
    """What is shown; its fields are the names in the address, left out there where they stand as here.

    Attributes:
        state: one of `STATES`.
        order: `severity` or `newest`.
        table, game, rule, severity, origin, person: only these; empty means any.
        since, until: raised from this moment on, and before that one; UTC as `2026-11-21T20:00`; empty means any.
        before: the alert after which the page begins, 0 for the first page.
        alert: the one that is opened, 0 for none.
    """

    state: str = STANDING
    order: str = Order.SEVERITY.value
    table: str = ""
    game: str = ""
    rule: str = ""
    severity: str = ""
    origin: str = ""
    person: str = ""
    since: str = ""
    until: str = ""
    before: int = 0
    alert: int = 0

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> View:
        """The view an address asks for; what it asks for and there is not is left out.

        >>> View.of({"state": "dismissed", "severity": "loud", "since": "2026-11-21T20:00", "before": "x"})
        View(state='dismissed', order='severity', table='', game='', rule='', severity='', origin='', person='', since='2026-11-21T20:00', until='', before=0, alert=0)
        """
        allowed = {
            "state": STATES, "order": tuple(order.value for order in Order), "severity": ("", *SEVERITIES), "origin": ORIGINS,
        }  # fmt: skip
        known: dict[str, str | int] = {}
        for field in fields(cls):
            given = asked.get(field.name, "")[:LONGEST]
            if field.name in ("before", "alert"):
                known[field.name] = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
            elif field.name in ("since", "until"):
                known[field.name] = given if moment(given) is not None else ""
            elif given and given in allowed.get(field.name, (given,)) and given.isprintable():
                known[field.name] = given
        return replace(cls(), **known)  # type: ignore[arg-type]

    @property
    def address(self) -> str:
        """Where this view is found again.

        >>> View(table="riu-07", alert=3).address
        '/?table=riu-07&alert=3'
        """
        plain = View()
        said = {f.name: getattr(self, f.name) for f in fields(self)}
        return "/" + (
            f"?{urlencode(different)}"
            if (different := {name: value for name, value in said.items() if value != getattr(plain, name)})
            else ""
        )

    @property
    def narrowed(self) -> tuple[str, ...]:
        """The names of the fields by which alerts are left out, beside the state."""
        names = ("table", "game", "rule", "severity", "origin", "person", "since", "until")
        return tuple(name for name in names if getattr(self, name))

    def wanted(self, tables: frozenset[str] | None, *, any_state: bool = False) -> AlertFilter:
        """Which alerts it lists.

        Args:
            tables: those that may be seen, None for all.
            any_state: whatever the state says.
        """
        status = None if any_state or self.state in (STANDING, ALL) else Status(self.state)
        return AlertFilter(
            table_id=self.table or None, game=self.game or None, check_id=self.rule or None,
            severity=self.severity or None, origin=self.origin or None, assignee=self.person or None,
            from_utc=moment(self.since), to_utc=moment(self.until), tables=tables, status=status,
            standing=self.state == STANDING and not any_state,
        )  # fmt: skip


def moment(text: str) -> datetime | None:
    """A moment in UTC as it stands in an address; None where it is none.

    >>> moment("2026-11-21T20:00").isoformat(), moment("yesterday")
    ('2026-11-21T20:00:00+00:00', None)
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if not 1971 <= found.year <= 9000:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
