"""Bundles from elsewhere into the vault: those a review wrote, and those a crash left to be written."""

from __future__ import annotations

import json
import logging
import shutil
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from service.audit.calendar import ShiftPlan
from service.digests import sha256_of_file
from service.evidence.bundle import MANIFEST, NAME, NOTICE, UNLISTED, Facts, Sealable, finish
from service.evidence.contents import write_papers
from service.evidence.disk import told
from service.evidence.errors import EvidenceError
from service.store import Alert, AlertFilter, Store
from service.store.records import AlertKind
from service.store.tables import EventRow

if TYPE_CHECKING:
    from service.evidence.room import EvidenceRoom

logger = logging.getLogger(__name__)

PAGE = 50
AT_MOST = 500
"""Alerts looked through after a crash; one that is older was looked at after an earlier one."""
ROUND_S = 300.0
"""Events so long before a finding belong to its round at most."""
STOPPED = "the service was stopped before the film of these seconds was written"


def copied(folder: Path, part: Path) -> Sealable:
    """Copies a review's bundle, and only what its manifest names.

    Raises:
        EvidenceError: a file is missing or not the one the manifest names.
        DiskFullError: no room.
    """
    manifest = (folder / MANIFEST).read_bytes()
    raw = json.loads(manifest)
    with told(part):
        for row in raw["files"]:
            name = str(row["name"])
            source = folder / name
            if not NAME.fullmatch(name) or name in UNLISTED or not source.is_file() or source.is_symlink():
                raise EvidenceError(f"{name} is missing", where=folder, do="Review the recording again")
            shutil.copyfile(source, part / name)
            if sha256_of_file(part / name) != row["sha256"]:
                raise EvidenceError(f"{name} was changed", where=folder, do="Review the recording again")
    done = finish(part, Facts(**raw["finding"]))
    if (part / MANIFEST).read_bytes() != manifest:
        raise EvidenceError(f"{MANIFEST} was changed", where=folder, do="Review the recording again")
    return done


def recover(room: EvidenceRoom, store: Store, plan: ShiftPlan = ShiftPlan()) -> int:
    """Writes the bundles that a crash prevented, without their films, from what the store kept.

    Args:
        room: where to.
        store: of the alerts.
        plan: the house's clock, by which an alert has its day and so its law.

    Returns:
        How many.
    """
    done, before = 0, None
    for _ in range(AT_MOST // PAGE):
        page = store.alerts(AlertFilter(origin="live", kind=AlertKind.FINDING), limit=PAGE, before_seq=before)
        lacking = [alert for alert in page if room.lacks(alert.run_id, alert.finding_id)]
        for alert in lacking:
            done += _rewritten(room, store, alert, plan)
        if len(page) < PAGE or not lacking:
            break
        before = page[-1].seq
    return done


def _rewritten(room: EvidenceRoom, store: Store, alert: Alert, plan: ShiftPlan) -> bool:
    raised = datetime.fromisoformat(alert.raised_utc)
    try:
        part = room.vault.new_part()
        try:
            done = _from_store(part, store, alert, alert.law_day or plan.moment(raised).law_day)
            room.vault.store(done, run_id=alert.run_id, raised_utc=raised, now=room.now())
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except EvidenceError as error:
        logger.error("alert %s has no bundle: %s", alert.seq, error)
        room.vault.refuse(run_id=alert.run_id, finding_id=alert.finding_id, reason=error.what, now=room.now())
        return False
    return True


def _from_store(part: Path, store: Store, alert: Alert, day: date | None) -> Sealable:
    finding = alert.finding
    pictures = tuple(store.evidence(alert.seq, name) for name, _ in alert.evidence)
    record = next((r for r in store.rounds(alert.run_id) if r["round_id"] == finding["round_id"]), None)
    about: dict[str, Any] = {
        "notice": NOTICE, "film": {"missing": STOPPED}, "rebuilt": "from the store, after the service was stopped",
        "table": {"table_id": alert.table_id, "configuration_sha256": "", "layout": "", "layout_sha256": ""},
        "source": {"name": alert.run_id, "live": True, "recording_sha256": None}, "calibration": {},
        "networks_sha256": {}, "versions": {}, "law_data_sha256": "",
        "times": {"moment_s": finding["t_s"], "decided_s": finding["t_s"]},
    }  # fmt: skip
    with told(part):
        write_papers(part, finding, _events(store, alert), record, about, pictures, day=day)
    return finish(part, Facts.of(finding))


def _events(store: Store, alert: Alert) -> dict[int, dict[str, Any]]:
    t_s, rests_on = float(alert.finding["t_s"]), list(alert.finding["events"])
    near = sa.and_(EventRow.t_s >= t_s - ROUND_S, EventRow.t_s <= t_s + 3.0)
    query = sa.select(EventRow.number, EventRow.event).where(
        EventRow.run_id == alert.run_id, sa.or_(near, EventRow.number.in_(rests_on))
    )
    with store.read() as session:
        return {int(number): json.loads(text) for number, text in session.execute(query)}
