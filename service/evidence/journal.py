"""Files that are only added to: their last entry at hand, a line torn by a crash mended by the writer."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from service.evidence.chain import Head, Link, head_from_dict, link_from_dict, read_head, read_link
from service.evidence.disk import append_line
from service.evidence.errors import EvidenceError

Item = TypeVar("Item", Link, Head)


@dataclass(frozen=True, slots=True)
class Pending:
    """What is about to be added: a link with its head, or a head alone; and the bundle that comes with it."""

    link: Link | None
    head: Head
    part: str | None

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"link": self.link.to_dict() if self.link else None, "head": self.head.to_dict(), "part": self.part}


def read_pending(path: Path) -> Pending | None:
    """What a crash left unfinished, None if nothing.

    Raises:
        EvidenceError: the file is not what was written.
    """
    try:
        raw: Mapping[str, Any] = json.loads(path.read_bytes())
        head = head_from_dict(raw["head"])
        link = None if raw["link"] is None else link_from_dict(raw["link"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise EvidenceError("this was changed", where=path, do="Put it back from your backup") from error
    if head is None or (link is None and raw["link"] is not None):
        raise EvidenceError("this was changed", where=path, do="Put it back from your backup")
    return Pending(link, head, raw["part"])


@dataclass(slots=True)
class Tail(Generic[Item]):
    """The end of a file of links or heads.

    Attributes:
        last: the last entry, empty before the first.
    """

    path: Path
    _parse: Callable[[bytes], Item | None]
    _number: Callable[[Item], int]
    last: list[Item] = field(default_factory=list, init=False)
    _offset: int = field(default=0, init=False)

    @staticmethod
    def of_links(path: Path) -> Tail[Link]:
        """The end of a chain."""
        return Tail(path, read_link, lambda link: link.number)

    @staticmethod
    def of_heads(path: Path) -> Tail[Head]:
        """The end of a file of heads."""
        return Tail(path, read_head, lambda head: head.serial)

    def read(self) -> list[Item]:
        """The whole lines added since the last call.

        Raises:
            EvidenceError: a line is not what was written, or its number does not follow.
        """
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._offset)
            content = file.read()
        found: list[Item] = []
        whole = content[: content.rfind(b"\n") + 1]
        for line in whole.split(b"\n")[:-1]:
            item = self._parse(line)
            last = self._number(found[-1] if found else self.last[-1]) if found or self.last else 0
            if item is None or self._number(item) != last + 1:
                raise EvidenceError(
                    f"line {last + 1} is not what was written here",
                    where=self.path,
                    do="Run pitwatch verify on its folder; put it back from your backup",
                )
            found.append(item)
        self._offset += len(whole)
        self.last = found[-1:] or self.last
        return found

    def append(self, number: int, line: bytes) -> None:
        """Adds an entry unless it was read already; what a crash left of the same line is taken away first."""
        if self.last and self._number(self.last[-1]) >= number:
            return
        if self.path.exists() and self.path.stat().st_size > self._offset:
            with self.path.open("rb") as file:
                file.seek(self._offset)
                torn = file.read()
            if not line.startswith(torn):
                raise EvidenceError(
                    "its last line was changed", where=self.path, do="Run pitwatch verify on its folder"
                )
            os.truncate(self.path, self._offset)
        append_line(self.path, line)
