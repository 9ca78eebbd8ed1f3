"""A finished review into the store: its events and rounds, and its breaches as alerts."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path

from service.evidence.room import EvidenceRoom
from service.reviews.results import RUN_FILE
from service.reviews.work import EVENTS, EVIDENCE, FINDINGS, ROUNDS, json_lines_of, load_pictures
from service.store import Store
from service.store.round_facts import FOUND


def record_review(store: Store, out: Path, *, now: datetime, evidence: EvidenceRoom | None = None) -> str:
    """Puts a finished review into the store, and its bundles into the vault; doing so again changes nothing.

    Returns:
        The run's id.
    """
    about = json.loads((out / RUN_FILE).read_text(encoding="utf-8"))
    run_id = f"review-{about['table_id']}-{about['sha256']['video'][:12]}-{about['sha256']['table'][:8]}"
    store.open_run(run_id, table_id=about["table_id"], origin="review", opened_utc=now, about=about, game=about["game"])
    store.add_events(run_id, enumerate(json_lines_of(out / EVENTS)))
    searched = (one for one in json_lines_of(out / FINDINGS) if one["verdict"] in FOUND)
    store.add_rounds(run_id, json_lines_of(out / ROUNDS), searched)
    judged_on = date.fromisoformat(about["law_day"]) if "law_day" in about else None
    breaches = [f for f in json_lines_of(out / FINDINGS) if f["verdict"] == "breach"]
    for finding in sorted(breaches, key=lambda f: float(f["t_s"])):
        folder = out / EVIDENCE / finding["finding_id"]
        alert, _ = store.add_alert(run_id, finding, raised_utc=now, pictures=load_pictures(folder), law_day=judged_on)
        if evidence is not None and alert.run_id == run_id:
            evidence.take_in_or_refuse(folder, run_id=run_id, raised_utc=datetime.fromisoformat(alert.raised_utc))
    return run_id
