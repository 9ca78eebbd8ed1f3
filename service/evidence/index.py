"""What the chain says of each alert's bundle, kept at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from service.evidence.chain import Link, LinkKind


class Scope(StrEnum):
    """What is deleted of a bundle."""

    CLIPS = "clips"
    """Its films only."""
    BUNDLE = "bundle"
    """All of it; its link stays."""


@dataclass(slots=True)
class Entry:
    """A bundle as the chain knows it.

    Attributes:
        link: by which it was stored.
        expired: the links by which it, or its films, were deleted.
        held: the link of the order to keep it that is in force, None without one.
    """

    link: Link
    expired: dict[Scope, Link] = field(default_factory=dict)
    held: Link | None = None

    @property
    def name(self) -> str:
        """Its folder's name."""
        return str(self.link.body["name"])

    @property
    def gone(self) -> frozenset[str]:
        """Files that were deleted by retention."""
        return frozenset(name for link in self.expired.values() for name in link.body["files"])


@dataclass(slots=True)
class Index:
    """Bundles by the number of their link and by their alert; the fingerprint of the chain's key."""

    entries: dict[int, Entry] = field(default_factory=dict)
    key: str = ""
    _of_alert: dict[tuple[str, str], int] = field(default_factory=dict)
    _refused: dict[tuple[str, str], Link] = field(default_factory=dict)

    def take(self, links: Iterable[Link]) -> None:
        """Takes in further links, in their order."""
        for link in links:
            if link.kind is LinkKind.BUNDLE:
                self.entries[link.number] = Entry(link)
                self._of_alert[_key(link.body)] = link.number
            elif link.kind is LinkKind.NOT_STORED:
                self._refused[_key(link.body)] = link
            elif link.kind is LinkKind.OPENED:
                self.key = str(link.body["key"])
            else:
                self._act(link)

    def bundle_of(self, run_id: str, finding_id: str) -> Entry | None:
        """The bundle of an alert, None if none was stored."""
        number = self._of_alert.get((run_id, finding_id))
        return None if number is None else self.entries[number]

    def refusal_of(self, run_id: str, finding_id: str) -> Link | None:
        """The link that says that an alert's evidence could not be stored, None if there is none."""
        return self._refused.get((run_id, finding_id))

    def _act(self, link: Link) -> None:
        entry = self.entries.get(link.body.get("bundle", 0))
        if entry is None:
            return
        if link.kind is LinkKind.EXPIRED:
            entry.expired[Scope(link.body["scope"])] = link
        else:
            entry.held = link if link.kind is LinkKind.HELD else None


def _key(body: Any) -> tuple[str, str]:
    return str(body["run_id"]), str(body["finding_id"])
