"""A folder or an archive to be verified: its plain files by name, and everything in it that is odd."""

from __future__ import annotations

import os
import re
import stat
import tempfile
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from service.digests import sha256_of_stream
from service.evidence.errors import EvidenceError
from service.evidence.issues import Issue, Kind
from service.evidence.zips import same_bytes, write_zip

PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}")
"""What a file or folder of evidence may be called."""


class Tree(Protocol):
    """Files to be verified.

    Attributes:
        where: the folder or archive.
        files: size of each plain file by its path, parts joined with "/".
        folders: paths of the folders.
        odd: what is no plain file, has a bad name, or is wrong with the archive itself.
    """

    @property
    def where(self) -> Path: ...  # noqa: D102
    @property
    def files(self) -> dict[str, int]: ...  # noqa: D102
    @property
    def folders(self) -> set[str]: ...  # noqa: D102
    @property
    def odd(self) -> list[Issue]: ...  # noqa: D102

    def open(self, name: str) -> IO[bytes]:
        """A file's content."""


def read(tree: Tree, name: str) -> bytes | None:
    """A file's content, None if it is not there or cannot be read."""
    if name not in tree.files:
        return None
    try:
        with tree.open(name) as file:
            return file.read()
    except (OSError, zipfile.BadZipFile):
        return None


def sha256_in(tree: Tree, name: str) -> str:
    """SHA-256 of a file of any size, "" if it cannot be read."""
    try:
        with tree.open(name) as file:
            return sha256_of_stream(file)
    except (OSError, zipfile.BadZipFile):
        return ""


@dataclass(slots=True)
class FolderTree:
    """A folder on disk; links are not followed."""

    where: Path
    files: dict[str, int] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    odd: list[Issue] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._walk(self.where, "")

    def open(self, name: str) -> IO[bytes]:
        """A file's content; a link put in its place meanwhile is not followed."""
        return os.fdopen(os.open(self.where / name, os.O_RDONLY | os.O_NOFOLLOW), "rb")

    def _walk(self, folder: Path, prefix: str) -> None:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            name = prefix + entry.name
            mode = entry.stat(follow_symlinks=False).st_mode
            if not PART.fullmatch(entry.name):
                self.odd.append(Issue(Kind.BAD_NAME, ascii(name), f"{name!a} is no name that evidence uses"))
            elif stat.S_ISDIR(mode):
                self.folders.add(name)
                self._walk(Path(entry.path), f"{name}/")
            elif stat.S_ISREG(mode):
                self.files[name] = entry.stat(follow_symlinks=False).st_size
            else:
                what = "a symbolic link" if stat.S_ISLNK(mode) else "no plain file"
                self.odd.append(Issue(Kind.LINKED, name, f"{name} is {what}; evidence is plain files only"))


@dataclass(slots=True)
class ZipTree:
    """An archive; its one top folder is left away from the names."""

    where: Path
    files: dict[str, int] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    odd: list[Issue] = field(default_factory=list)
    _archive: zipfile.ZipFile = field(init=False)
    _infos: dict[str, zipfile.ZipInfo] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        try:
            self._archive = zipfile.ZipFile(self.where)
        except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
            raise EvidenceError(
                f"this archive cannot be opened ({error})", where=self.where, do="Fetch it again from its source"
            ) from error
        infos = self._archive.infolist()
        safe = [info for info in infos if self._is_safe(info)]
        top = safe[0].filename.partition("/")[0] + "/" if safe else ""
        for info in safe:
            if not info.filename.startswith(top) or info.filename == top:
                self._say(Kind.FILE_ADDED, info.filename, "lies beside the evidence in its archive")
                continue
            name = info.filename.removeprefix(top)
            self.files[name] = info.file_size
            self._infos[name] = info
            self.folders |= {name.rpartition("/")[0]} - {""} | {name.split("/")[0]} if "/" in name else set()
        if not self.odd:
            self._compare(safe, top)

    def open(self, name: str) -> IO[bytes]:
        """A file's content."""
        return self._archive.open(self._infos[name])

    def _say(self, kind: Kind, name: str, what: str) -> None:
        self.odd.append(Issue(kind, ascii(name)[1:-1], f"{ascii(name)[1:-1]} {what}"))

    def _is_safe(self, info: zipfile.ZipInfo) -> bool:
        name, before = info.orig_filename, len(self.odd)
        counts = Counter(other.filename for other in self._archive.infolist())
        if counts[info.filename] > 1:
            self._say(Kind.ZIP_CHANGED, name, "stands in the archive more than once")
        if not all(PART.fullmatch(part) for part in name.split("/")):
            self._say(Kind.BAD_NAME, name, "is no name that evidence uses (a path out of its folder, or odd signs)")
        elif stat.S_IFMT(info.external_attr >> 16) not in (stat.S_IFREG, 0):
            self._say(Kind.LINKED, name, "is no plain file in the archive")
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 0x1 or info.compress_size != info.file_size:
            self._say(
                Kind.ZIP_CHANGED,
                name,
                "is compressed or encrypted, which archives written here never are; unpacked, the folder can be verified",
            )
        return len(self.odd) == before

    def _compare(self, infos: list[zipfile.ZipInfo], top: str) -> None:
        """Writes the archive again and compares: whatever hides in gaps, headers, comments or behind the end shows."""
        if sum(info.file_size for info in infos) > self.where.stat().st_size:
            self._say(
                Kind.ZIP_CHANGED, self.where.name, "claims to hold more than it does: entries lie over each other"
            )
            return
        with tempfile.TemporaryFile() as again, self.where.open("rb") as given:
            try:
                write_zip(again, top.rstrip("/"), {name: self.open for name in self._infos})
            except (OSError, zipfile.BadZipFile, EOFError) as error:
                self._say(Kind.ZIP_CHANGED, self.where.name, f"cannot be read whole ({error})")
                return
            at = same_bytes(given, again)
        if at is not None:
            self._say(
                Kind.ZIP_CHANGED,
                self.where.name,
                f"differs from what is written here from byte {at} on; unpacked, the folder can be verified",
            )
