"""The evidence of a running service: vault, writer, retention, alarms."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from service.config import TableSetup
from service.evidence.about import About
from service.evidence.beside import Beside
from service.evidence.bundle import MANIFEST
from service.evidence.chain import BUNDLES
from service.evidence.errors import EvidenceError
from service.evidence.film import film_of
from service.evidence.recorder import Recorder
from service.evidence.retention import Policy
from service.evidence.vault import Vault
from service.evidence.writer import VaultTarget, Writer
from service.sight import Sight
from service.store import Alert
from service.store.records import AlertKind

logger = logging.getLogger(__name__)

SIGN_EVERY_S = 3600.0
"""How often a head is signed though nothing was added, so that a chain that went quiet shows it went quiet genuinely."""


@dataclass(slots=True)
class EvidenceRoom:
    """What routes, live tables and screens ask for evidence.

    Args:
        vault: where bundles lie.
        now: the wall clock.
        policy: how long what is kept; by default for ever.
    """

    vault: Vault
    now: Callable[[], datetime]
    policy: Policy = field(default_factory=Policy)
    writer: Writer = field(default_factory=Writer)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _signing: threading.Thread | None = field(default=None, init=False)

    @classmethod
    def open(cls, folder: Path, now: Callable[[], datetime], policy: Policy | None = None) -> EvidenceRoom:
        """Opens the vault of a folder, or makes it.

        Raises:
            EvidenceError: it cannot be used.
        """
        policy = policy or Policy()
        vault = Vault(folder, now(), keep_free_bytes=policy.keep_free_bytes)
        return cls(vault, now, policy)

    def start(self) -> None:
        """Signs a head now and then from now on."""
        self._signing = threading.Thread(target=self._sign, name="evidence heads", daemon=True)
        self._signing.start()

    def stop(self) -> None:
        """Writes what waits; signs a last head."""
        self._stop.set()
        self.writer.close()
        try:
            self.vault.sign_head(self.now())
        except EvidenceError:
            logger.exception("no last head could be signed")

    def beside(self, sight: Sight, setup: TableSetup, source: str) -> Beside:
        """What a live table's loop calls."""
        about = About.of(sight, setup, source)
        return Beside(Recorder(film_of(source)), about, self.writer, VaultTarget(self.vault, self.now))

    def lacks(self, run_id: str, finding_id: str) -> bool:
        """Whether nothing is known of an alert's bundle, not even why it is not there."""
        index = self.vault.refresh()
        known = index.bundle_of(run_id, finding_id) is not None
        return not known and self.vault.reason_not_stored(run_id, finding_id) is None

    def state_of(self, alert: Alert) -> dict[str, Any]:
        """How an alert's bundle stands, as JSON values."""
        entry = self.vault.refresh().bundle_of(alert.run_id, alert.finding_id)
        if entry is None:
            if alert.kind is AlertKind.CAMERA:
                return {"state": "not_stored", "detail": "a camera that shows nothing leaves no film"}
            reason = self.vault.reason_not_stored(alert.run_id, alert.finding_id)
            if reason is not None:
                return {"state": "not_stored", "detail": f"evidence not stored: {reason}"}
            if alert.origin == "review":
                return {"state": "not_stored", "detail": "this review was made without bundles; review it again"}
            return {"state": "pending", "detail": "the last seconds of its clip are still to come"}
        folder = self.vault.folder / BUNDLES / entry.name
        out: dict[str, Any] = {
            "state": "stored", "detail": "", "number": entry.link.number, "name": entry.name,
            "stored_utc": entry.link.time_utc, "bytes": entry.link.body["bytes"],
            "manifest_sha256": entry.link.body["manifest"],
            "files": sorted(path.name for path in folder.iterdir()) if folder.is_dir() else [],
            "held": None,
        }  # fmt: skip
        if entry.held is not None:
            out["held"] = {"by": entry.held.body["by"], "why": entry.held.body["why"], "since_utc": entry.held.time_utc}
        for scope, link in entry.expired.items():
            out["state"] = "expired" if scope.value == "bundle" else "clips_expired"
            out["detail"] = f"deleted by {link.body['by']} on {link.time_utc}: {link.body['why']}"
        return out

    def storage(self) -> dict[str, Any]:
        """Room on the disk and what is wrong, as JSON values."""
        free = shutil.disk_usage(self.vault.folder).free
        alarm = self.writer.alarm
        if alarm is None and free < self.vault.keep_free_bytes:
            alarm = f"disk full: {free // 1_000_000:,} MB free, {self.vault.keep_free_bytes // 1_000_000:,} MB wanted"
        return {
            "free_bytes": free, "keep_free_bytes": self.vault.keep_free_bytes, "alarm": alarm,
            "waiting": self.writer.waiting, "written": self.writer.written, "refused": self.writer.refused,
            "bundles": len(self.vault.refresh().entries),
        }  # fmt: skip

    def take_in(self, folder: Path, *, run_id: str, raised_utc: datetime) -> bool:
        """Seals a bundle that a review wrote; False where it is no whole bundle, or was taken in before.

        Raises:
            EvidenceError: a file of it is not the one its manifest names, or it cannot be stored.
        """
        from service.evidence.intake import copied

        if not (folder / MANIFEST).is_file() or self.vault.refresh().bundle_of(run_id, folder.name) is not None:
            return False
        part = self.vault.new_part()
        try:
            done = copied(folder, part)
            self.vault.store(done, run_id=run_id, raised_utc=raised_utc, now=self.now())
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return True

    def take_in_or_refuse(self, folder: Path, *, run_id: str, raised_utc: datetime) -> None:
        """The same, but what cannot be taken in is an alarm and a word in the chain; the alert rings all the same."""
        try:
            self.take_in(folder, run_id=run_id, raised_utc=raised_utc)
        except EvidenceError as error:
            self.writer.alarm = f"evidence not stored: {error.what}"
            logger.error("finding %s: %s", folder.name, error)
            self.vault.refuse(run_id=run_id, finding_id=folder.name, reason=error.what, now=self.now())

    def _sign(self) -> None:
        while not self._stop.wait(SIGN_EVERY_S):
            try:
                self.vault.sign_head(self.now())
            except EvidenceError:
                logger.exception("no head could be signed")
