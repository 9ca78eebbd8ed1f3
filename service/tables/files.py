"""Files of tables: those named when the service was started, and those of the folder that the screens write into.

FOLDER/riu-07.yaml               a table; may be edited by hand and is then read again when someone says so
FOLDER/.applied/riu-07.yaml      what was last applied: the last good one, should the file become bad
FOLDER/.paused/riu-07.json       the table is paused: since when, by whom, why
FOLDER/.removed/riu-07.20261121T140500Z.yaml
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString

from rules.documents import has_aliases
from service.errors import ServiceError
from service.textfiles import parse_yaml

DEEPEST = 8
"""Levels of a table's file; there are four."""
APPLIED, PAUSED, REMOVED = ".applied", ".paused", ".removed"
HEAD = (
    "# A table of Pitwatch, written by its screens. It may be edited by hand: comments stay, and what was changed is applied\n"
    "# by 'Read the files again' on the tables' screen, POST /api/tables/reload, or SIGHUP to the service.\n"
)


@dataclass(frozen=True, slots=True)
class Pause:
    """That a table is paused: since when, by whom and why."""

    since: datetime
    by: str
    reason: str


class TableFiles:
    """The files of the tables of one service.

    Args:
        folder: for tables added in the screens; made when something is first written.
        named: files named when the service was started; written to as well, never removed.
    """

    def __init__(self, folder: Path, named: Sequence[Path] = ()) -> None:
        self.folder, self.named = folder, tuple(named)

    def paths(self) -> list[Path]:
        """The files of all tables that should be there."""
        own = sorted(self.folder.glob("*.yaml")) if self.folder.is_dir() else []
        taken = {path.resolve() for path in self.named}
        return [*self.named, *(path for path in own if path.resolve() not in taken)]

    def is_named(self, path: Path) -> bool:
        """Whether a file was named when the service was started."""
        return path.resolve() in {one.resolve() for one in self.named}

    def new_path(self, table_id: str) -> Path:
        """Where a new table's file goes."""
        return self.folder / f"{table_id}.yaml"

    def write(self, path: Path, text: str) -> None:
        """Writes a file whole, or leaves what is there.

        Raises:
            ServiceError: it cannot be written.
        """
        part = path.with_name(f".{path.name}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise ServiceError(
                f"the table's file cannot be written ({error.strerror}); nothing was changed", where=path,
                do="Let the service write there",
            ) from error  # fmt: skip

    def note_applied(self, path: Path, text: str) -> None:
        """Keeps what was applied, should the file itself become bad."""
        self.write(self._applied(path), text)

    def applied(self, path: Path) -> str | None:
        """What was last applied of a file, None where nothing was."""
        try:
            return self._applied(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def remove(self, path: Path, now: datetime) -> None:
        """Puts a table's file away; it is kept in the folder for what was removed.

        Raises:
            ServiceError: it cannot be.
        """
        away = self.folder / REMOVED / f"{path.stem}.{now.astimezone(UTC):%Y%m%dT%H%M%S%fZ}.yaml"
        try:
            away.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, away)
            self._applied(path).unlink(missing_ok=True)
        except OSError as error:
            raise ServiceError(
                f"the table's file cannot be put away ({error.strerror}); nothing was changed", where=path,
                do="Let the service write there",
            ) from error  # fmt: skip

    def pause(self, table_id: str, pause: Pause | None) -> None:
        """Notes that a table is paused, or not any more, so that it also is after a restart."""
        path = self._paused(table_id)
        if pause is None:
            path.unlink(missing_ok=True)
            return
        kept = {"since_utc": pause.since.astimezone(UTC).isoformat(), "by": pause.by, "reason": pause.reason}
        self.write(path, json.dumps(kept))

    def pause_of(self, table_id: str) -> Pause | None:
        """Whether a table is paused. A mark that cannot be read counts: a table that should rest must not ring."""
        path = self._paused(table_id)
        with contextlib.suppress(FileNotFoundError):
            text = path.read_text(encoding="utf-8")
            try:
                kept = json.loads(text)
                return Pause(datetime.fromisoformat(kept["since_utc"]), str(kept["by"]), str(kept["reason"]))
            except (ValueError, KeyError, TypeError):
                since = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                return Pause(since, "(unknown)", f"{path} cannot be read")
        return None

    def _applied(self, path: Path) -> Path:
        if path.parent == self.folder:
            return self.folder / APPLIED / path.name
        place = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
        return self.folder / APPLIED / f"{path.stem}-{place}.yaml"

    def _paused(self, table_id: str) -> Path:
        return self.folder / PAUSED / f"{table_id}.json"


def parsed(text: str, *, where: object) -> dict[str, Any]:
    """The content of a table's file that came from someone who is not trusted with this machine.

    Raises:
        ServiceError: no YAML, no mapping, it holds what JSON cannot, or it refers to parts of itself (which can make a
            short text endless).
    """
    try:
        if has_aliases(text):
            raise ServiceError("anchors and aliases are not used in a table's file", where=where, do="Write it out")
    except yaml.YAMLError:
        pass
    raw = parse_yaml(text, where=where)
    if not isinstance(raw, dict):
        raise ServiceError(
            "a table's file is a mapping of keys to values", where=where, do="See docs/guides/installer.md"
        )
    try:
        verify_plain(raw)
    except ValueError as error:
        raise ServiceError(str(error), where=where, do="Write it as text, in quotes, or as a number") from error
    return raw


def verify_plain(value: object, *, depth: int = 0) -> None:
    """Checks that values are such as JSON and every file can hold.

    Raises:
        ValueError: a key that is no text, a value of another kind, a text with NUL, or nested without end.
    """
    if depth > DEEPEST:
        raise ValueError("a table's file is not nested so deeply")
    if isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise ValueError(f"key {name!r} is no text")
            verify_plain(name)
            verify_plain(inner, depth=depth + 1)
    elif isinstance(value, list):
        for inner in value:
            verify_plain(inner, depth=depth + 1)
    elif isinstance(value, str):
        if "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
            raise ValueError("must be text without NUL or half characters")
    elif value is not None and not isinstance(value, bool | int) and not (isinstance(value, float) and isfinite(value)):
        raise ValueError(f"{str(value)[:60]} is neither text nor a number, true or false")


def rendered(raw: Mapping[str, Any], *, before: str | None = None) -> str:
    """The text of a table's file; what was written around the values of an earlier text, as comments, stays.

    Args:
        raw: the content.
        before: the earlier text.
    """
    tool = YAML()
    tool.preserve_quotes = True
    tool.width = 4096
    tool.indent(mapping=2, sequence=4, offset=2)
    document = _kept(tool, before)
    if isinstance(document, dict):
        _merge(document, raw)
        head = ""
    else:
        document, head = {name: _in_a_line(value) for name, value in raw.items()}, HEAD
    out = io.StringIO()
    tool.dump(document, out)
    return head + out.getvalue()


def _kept(tool: YAML, before: str | None) -> Any:
    """An earlier text with its comments, None where there is none or it cannot be read with them."""
    try:
        return None if before is None else tool.load(before)
    except YAMLError:
        return None


def _merge(target: dict[str, Any], source: Mapping[str, Any]) -> None:
    for name in [name for name in target if name not in source]:
        del target[name]
    for name, value in source.items():
        now = target.get(name)
        if isinstance(now, dict) and isinstance(value, Mapping):
            _merge(now, value)
        elif name not in target or now != value or type(now) is bool or type(value) is bool:
            target[name] = _in_a_line(value)


def _in_a_line(value: Any) -> Any:
    """The same with every list of plain values written in one line, as points are, and texts of several lines as such."""
    if isinstance(value, str) and "\n" in value:
        return LiteralScalarString(value)
    if isinstance(value, Mapping):
        return {name: _in_a_line(one) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    made = CommentedSeq(_in_a_line(one) for one in value)
    if not any(isinstance(one, list | Mapping) for one in value):
        made.fa.set_flow_style()
    return made
