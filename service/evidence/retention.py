"""How long what is kept: a policy from a file, and what is due by it. Deleting is an act of its own, never a side effect.

A class is what the house decided about an alert (`confirmed`, `dismissed`), else what it weighs (`critical`, `warning`,
`info`). Films may go before the rest of a bundle. Nothing goes before the legal minimum, and nothing that is held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from service.evidence.errors import EvidenceError
from service.evidence.index import Entry, Index, Scope
from service.evidence.vault import KEEP_FREE_BYTES
from service.textfiles import parse_yaml, read_text

CLASSES = ("critical", "warning", "info", "confirmed", "dismissed")
Days = Annotated[int, Field(ge=1, le=36_500)]


class RetentionFile(BaseModel):
    """The file: days by class. A class that is not named is kept for ever."""

    model_config = ConfigDict(extra="forbid")

    legal_minimum_days: Days = Field(description="nothing is deleted before; what the house's law and licence demand")
    bundles_days: dict[str, Days] = Field(default_factory=dict, description="a whole bundle, by class")
    clips_days: dict[str, Days] = Field(default_factory=dict, description="its films only, by class")
    keep_free_mb: int = Field(KEEP_FREE_BYTES // 1_000_000, ge=50, description="room left on the disk, in megabytes")


@dataclass(frozen=True, slots=True)
class Policy:
    """Days by class; a class that is not named is kept for ever. Without a file nothing is ever deleted."""

    legal_minimum_days: int = 0
    bundles_days: Mapping[str, int] = field(default_factory=dict)
    clips_days: Mapping[str, int] = field(default_factory=dict)
    keep_free_bytes: int = KEEP_FREE_BYTES


@dataclass(frozen=True, slots=True)
class Due:
    """A bundle, or its films, that the policy says may go."""

    number: int
    name: str
    scope: Scope
    klass: str
    why: str
    table_id: str

    @property
    def said(self) -> str:
        """What it is, for the log."""
        what = "films of bundle" if self.scope is Scope.CLIPS else "bundle"
        return f"{what} {self.number} ({self.name}): {self.why}"


def read_policy(path: Path) -> Policy:
    """Reads a policy; it is taken whole or not at all.

    Raises:
        ServiceError: not YAML, an unknown key or class, or fewer days than the legal minimum.
    """
    text = read_text(path, what="retention file", do="Give a YAML file with --retention, see docs/evidence.md")
    raw = parse_yaml(text, where=path, do="Correct it, see docs/evidence.md")
    try:
        given = RetentionFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        raise EvidenceError(f"{key}: {first['msg']}", where=path, do="See docs/evidence.md") from error
    for name, days in (("bundles_days", given.bundles_days), ("clips_days", given.clips_days)):
        for klass, count in days.items():
            if klass not in CLASSES:
                raise EvidenceError(f"{name}.{klass}: no such class", where=path, do=f"Use {', '.join(CLASSES)}")
            if count < given.legal_minimum_days:
                raise EvidenceError(
                    f"{name}.{klass}: {count} days are less than the legal minimum of {given.legal_minimum_days}",
                    where=path, do="Keep it at least so long",
                )  # fmt: skip
    return Policy(given.legal_minimum_days, given.bundles_days, given.clips_days, given.keep_free_mb * 1_000_000)


def due(policy: Policy, index: Index, status_of: Callable[[Entry], str | None], now: datetime) -> Iterator[Due]:
    """What may be deleted now, oldest first.

    Args:
        policy: how long what is kept.
        index: what the chain says.
        status_of: the status of a bundle's alert (`service.store.Status`), None where it is not known: then nothing of
            it is due, since a confirmed one may have to be kept longer.
        now: the time.
    """
    least = min((*policy.bundles_days.values(), *policy.clips_days.values()), default=None)
    for number in sorted(index.entries):
        entry = index.entries[number]
        if least is None or entry.held is not None or Scope.BUNDLE in entry.expired or now < kept_until(entry, least):
            continue
        status = status_of(entry)
        if status is None:
            continue
        klass = status if status in CLASSES else str(entry.link.body["severity"])
        for scope, days_of in ((Scope.BUNDLE, policy.bundles_days), (Scope.CLIPS, policy.clips_days)):
            days = days_of.get(klass)
            if days is None or scope in entry.expired or now < kept_until(entry, max(days, policy.legal_minimum_days)):
                continue
            what = "films of" if scope is Scope.CLIPS else "bundles of"
            why = f"{what} {klass} alerts are kept {max(days, policy.legal_minimum_days)} days"
            yield Due(number, entry.name, scope, klass, why, str(entry.link.body["table_id"]))
            break


def kept_until(since: Entry | datetime, days: int) -> datetime:
    """When so many days are over, of a bundle since it was stored, or since a moment."""
    if isinstance(since, Entry):
        since = datetime.fromisoformat(max(str(since.link.time_utc), str(since.link.body["raised_utc"])))
    return since + timedelta(days=days)
