"""The folder in which bundles lie, and the one way into it: bundle, link and head appear together or not at all.

    evidence/            chain.jsonl  heads.jsonl  public.pem  README.txt  bundles/000002-riu-66-1f.../
    evidence-private/    key.pem (mode 600)  lock  pending.json  parts/

What is about to be added is written down in `pending.json` first. Whoever opens the vault next, after whatever crash,
finishes it from there. Several processes may share a vault on one machine: a file lock lets one write at a time.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from service.errors import ConflictError, NotFoundError
from service.evidence.bundle import CLIP, EXPIRY, FILMS, SEAL, Sealable, seal
from service.evidence.canonical import pretty, sha256_hex, stamp
from service.evidence.chain import (
    BUNDLES,
    CHAIN,
    FIRST,
    HEADS,
    PUBLIC,
    README,
    Head,
    Link,
    LinkKind,
    read_head,
    signed_head,
)
from service.evidence.disk import check_room, sync_file, sync_folder, told, write_whole
from service.evidence.errors import EvidenceError
from service.evidence.index import Entry, Index, Scope
from service.evidence.journal import Pending, Tail, read_pending
from service.evidence.keys import Signer, create_signer, read_signer
from service.evidence.readme import readme
from service.evidence.reason import reason

logger = logging.getLogger(__name__)

KEY, LOCK, PENDING, PARTS = "key.pem", "lock", "pending.json", "parts"
KEEP_FREE_BYTES = 500_000_000
"""Room that is left on the disk, so that the database and the chain itself can still be written."""
ABANDONED_S = 86_400.0
"""After so long nobody is still putting a bundle together."""


def private_of(folder: Path) -> Path:
    """Where the key and unfinished work of a vault lie: beside it, so that a copy of the vault never holds them."""
    return folder.with_name(f"{folder.name}-private")


@contextmanager
def nobody_writes(folder: Path) -> Iterator[None]:
    """Keeps a vault of this machine still while it is read; does nothing for a copy or where the lock is not ours."""
    try:
        lock = (private_of(folder) / LOCK).open("a")
    except OSError:
        yield
        return
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(slots=True)
class Vault:
    """Bundles and their chain; safe to use from several threads and processes.

    Args:
        folder: holds what may be copied and shown; made at the first start, with its key beside it.
        now: for the first link and head.
        keep_free_bytes: nothing is stored that would leave less room.

    Raises:
        EvidenceError: it cannot be written, its key is gone, or its chain is not what was written.
    """

    folder: Path
    now: datetime
    keep_free_bytes: int = KEEP_FREE_BYTES
    index: Index = field(default_factory=Index, init=False)
    _signer: Signer = field(init=False)
    _chain: Tail[Link] = field(init=False)
    _heads: Tail[Head] = field(init=False)
    _guard: threading.RLock = field(default_factory=threading.RLock, init=False)
    _owed: list[Mapping[str, Any]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._chain, self._heads = Tail.of_links(self.folder / CHAIN), Tail.of_heads(self.folder / HEADS)
        with told(self.folder):
            for path in (self.folder / BUNDLES, self._private / PARTS):
                path.mkdir(parents=True, exist_ok=True)
            self._private.chmod(0o700)
        with self._guard, told(self.folder), nobody_writes(self.folder):
            if not (self._private / KEY).exists() and not (self.folder / CHAIN).exists():
                create_signer(self._private / KEY)
            self._signer = read_signer(self._private / KEY)
            self._recover()
            self._refresh()
            if not self._chain.last:
                self._open_chain()
            if self.index.key != self.fingerprint:
                raise EvidenceError(
                    "this is not the key of its chain", where=self._private / KEY, do="Put it back from your backup"
                )
            self._delete_expired()
            self._delete_abandoned()

    @property
    def public_pem(self) -> bytes:
        """The key that verifies its heads."""
        return self._signer.verifier.pem

    @property
    def fingerprint(self) -> str:
        """SHA-256 of that key."""
        return self._signer.verifier.fingerprint

    def new_part(self) -> Path:
        """An empty folder in which a bundle is put together.

        Raises:
            DiskFullError: too little room is left.
        """
        with told(self.folder):
            check_room(self.folder, need_bytes=0, keep_free_bytes=self.keep_free_bytes)
            return Path(tempfile.mkdtemp(dir=self._private / PARTS))

    def store(self, bundle: Sealable, *, run_id: str, raised_utc: datetime, now: datetime) -> Entry:
        """Takes a finished bundle in; an alert that has one already keeps that, and the new one is dropped.

        Raises:
            DiskFullError: no room.
        """
        facts = bundle.facts
        with self._writing():
            known = self.index.bundle_of(run_id, facts.finding_id)
            if known is not None:
                shutil.rmtree(bundle.folder, ignore_errors=True)
                return known
            number = self._last.number + 1
            table = re.sub(r"[^A-Za-z0-9_.-]", "_", facts.table_id)
            body = {
                "name": f"{number:06d}-{table}-{facts.finding_id}", "manifest": bundle.manifest_sha256,
                "files": bundle.files, "bytes": bundle.size, "run_id": run_id, "finding_id": facts.finding_id,
                "table_id": facts.table_id, "round_id": facts.round_id, "check_id": facts.check_id,
                "severity": facts.severity, "citation": facts.citation, "raised_utc": stamp(raised_utc),
            }  # fmt: skip
            self._add(LinkKind.BUNDLE, body, now, part=bundle.folder)
            return self.index.entries[number]

    def refuse(self, *, run_id: str, finding_id: str, reason: str, now: datetime) -> None:
        """Records that an alert's evidence could not be stored; if even that cannot be written, it is tried again later."""
        body = {"run_id": run_id, "finding_id": finding_id, "reason": reason, "at_utc": stamp(now)}
        self._owed.append(body)
        try:
            with self._writing():
                pass
        except EvidenceError:
            logger.exception("evidence of finding %s was not stored, and that could not be recorded yet", finding_id)

    def reason_not_stored(self, run_id: str, finding_id: str) -> str | None:
        """Why an alert's evidence is not there, None where it is or nothing is known."""
        for body in list(self._owed):
            if (body["run_id"], body["finding_id"]) == (run_id, finding_id):
                return str(body["reason"])
        link = self.index.refusal_of(run_id, finding_id)
        return None if link is None else str(link.body["reason"])

    def hold(self, number: int, *, by: str, why: str, now: datetime) -> Entry:
        """Orders that a bundle be kept whatever its retention says.

        Raises:
            NotFoundError: no such bundle.
            ConflictError: it is gone already, or already held.
            EvidenceError: the reason says nothing, or holds signs that cannot be printed.
        """
        with self._writing():
            entry = self.entry(number)
            if Scope.BUNDLE in entry.expired:
                raise ConflictError("it has expired already", where=f"bundle {number}")
            if entry.held is not None:
                raise ConflictError(f"{entry.held.body['by']} holds it already", where=f"bundle {number}")
            self._add(LinkKind.HELD, {"bundle": number, "by": by, "why": reason(why)}, now)
            return entry

    def release(self, number: int, *, by: str, why: str, now: datetime) -> Entry:
        """Ends an order to keep a bundle.

        Raises:
            NotFoundError: no such bundle.
            ConflictError: nobody holds it.
            EvidenceError: the reason says nothing, or holds signs that cannot be printed.
        """
        with self._writing():
            entry = self.entry(number)
            if entry.held is None:
                raise ConflictError("nobody holds it", where=f"bundle {number}")
            self._add(LinkKind.RELEASED, {"bundle": number, "by": by, "why": reason(why)}, now)
            return entry

    def expire(self, number: int, scope: Scope, *, by: str, why: str, now: datetime) -> Entry:
        """Deletes a bundle or its films; the chain says so for ever. First the link, then the files.

        Raises:
            NotFoundError: no such bundle.
            ConflictError: it is held, or gone already.
            EvidenceError: the reason says nothing, or holds signs that cannot be printed.
        """
        with self._writing():
            entry = self.entry(number)
            if entry.held is not None:
                raise ConflictError(f"{entry.held.body['by']} holds it", where=f"bundle {number}")
            if scope in entry.expired or Scope.BUNDLE in entry.expired:
                raise ConflictError("it has expired already", where=f"bundle {number}")
            there = {path.name for path in (self.folder / BUNDLES / entry.name).iterdir()}
            files = sorted(there & set(FILMS) if scope is Scope.CLIPS else there)
            body = {"bundle": number, "scope": scope.value, "files": files, "by": by, "why": reason(why)}
            self._add(LinkKind.EXPIRED, body, now)
            self._delete(entry)
            return entry

    def sign_head(self, now: datetime) -> Head:
        """Signs again how many links there are, though none was added: shows that nothing was, up to now."""
        with self._writing():
            head = self._head_over(self._last, now)
            self._commit(Pending(None, head, None))
            return head

    def entry(self, number: int) -> Entry:
        """A bundle by the number of its link.

        Raises:
            NotFoundError: there is none.
        """
        if number not in self.index.entries:
            raise NotFoundError(f"there is no bundle {number}", do="List them with GET /api/evidence/chain")
        return self.index.entries[number]

    def path_of(self, entry: Entry, name: str = CLIP) -> Path | None:
        """A file of a bundle, None if it is not there any more."""
        path = self.folder / BUNDLES / entry.name / name
        return path if path.is_file() else None

    def head(self) -> Head:
        """The newest head."""
        with self._guard:
            self._refresh()
            assert self._heads.last
            return self._heads.last[-1]

    def refresh(self) -> Index:
        """Takes in what other processes added; the index."""
        with self._guard:
            self._refresh()
            return self.index

    @property
    def _private(self) -> Path:
        return private_of(self.folder)

    @property
    def _last(self) -> Link:
        assert self._chain.last
        return self._chain.last[-1]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._guard, told(self.folder), nobody_writes(self.folder):
            self._recover()
            self._refresh()
            while self._owed:
                body = self._owed[0]
                self._add(LinkKind.NOT_STORED, body, datetime.fromisoformat(str(body["at_utc"])))
                self._owed.pop(0)
            yield

    def _open_chain(self) -> None:
        text = readme()
        write_whole(self.folder / README, text)
        write_whole(self.folder / PUBLIC, self.public_pem)
        body = {"key": self.fingerprint, "public_key": self.public_pem.decode(), "readme": sha256_hex(text)}
        self._add(LinkKind.OPENED, body, self.now)

    def _add(self, kind: LinkKind, body: Mapping[str, Any], now: datetime, *, part: Path | None = None) -> None:
        last = self._chain.last[-1] if self._chain.last else None
        number, previous = (last.number + 1, last.hash) if last else (1, FIRST)
        link = Link(number, kind, stamp(now), previous, body)
        head = self._head_over(link, now)
        if part is not None:
            (part / SEAL).write_bytes(seal(link, head, self._signer.verifier))
            sync_file(part / SEAL)
            sync_folder(part)
        self._commit(Pending(link, head, None if part is None else part.name))

    def _head_over(self, link: Link, now: datetime) -> Head:
        serial = self._heads.last[-1].serial + 1 if self._heads.last else 1
        return signed_head(self._signer, link, serial=serial, time_utc=stamp(now))

    def _commit(self, pending: Pending) -> None:
        write_whole(self._private / PENDING, pretty(pending.to_dict()))
        self._finish(pending)
        self._refresh()

    def _recover(self) -> None:
        """Finishes what a crash interrupted, and throws away bundles that never got their link."""
        pending = read_pending(self._private / PENDING)
        if pending is not None:
            self._finish(pending)

    def _finish(self, pending: Pending) -> None:
        self._refresh()
        link = pending.link
        if link is not None:
            if pending.part is not None:
                part = self._private / PARTS / pending.part
                if part.exists():
                    part.chmod(0o755)
                    os.replace(part, self.folder / BUNDLES / str(link.body["name"]))
                    sync_folder(self.folder / BUNDLES)
            self._chain.append(link.number, link.line())
        self._heads.append(pending.head.serial, pending.head.line())
        sync_folder(self.folder)
        (self._private / PENDING).unlink()
        sync_folder(self._private)

    def _refresh(self) -> None:
        self.index.take(self._chain.read())
        self._heads.read()

    def _delete_expired(self) -> None:
        for entry in self.index.entries.values():
            if entry.expired:
                self._delete(entry)

    def _delete_abandoned(self) -> None:
        """Takes away what was being put together when a process died; another process's work is younger than that."""
        for part in (self._private / PARTS).iterdir():
            if part.stat().st_mtime < self.now.timestamp() - ABANDONED_S:
                shutil.rmtree(part, ignore_errors=True)

    def _delete(self, entry: Entry) -> None:
        folder = self.folder / BUNDLES / entry.name
        if Scope.BUNDLE in entry.expired:
            if folder.exists():
                away = Path(tempfile.mkdtemp(dir=self._private / PARTS)) / entry.name
                os.replace(folder, away)
                sync_folder(self.folder / BUNDLES)
                shutil.rmtree(away.parent, ignore_errors=True)
            return
        for name in entry.gone:
            (folder / name).unlink(missing_ok=True)
        if not (folder / EXPIRY).exists():
            link = entry.expired[Scope.CLIPS]
            head = self._head_of(link)
            write_whole(folder / EXPIRY, seal(link, head, self._signer.verifier))
        sync_folder(folder)

    def _head_of(self, link: Link) -> Head:
        """The head signed when a link was added."""
        with (self.folder / HEADS).open("rb") as file:
            heads = (read_head(line.rstrip(b"\n")) for line in file)
            return next(head for head in heads if head is not None and head.count == link.number)
