"""What people are shown of the law is the text of the day of the round, not of the day they look at it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml
from amended import amended  # noqa: F401
from rounds import build, table
from service_fakes import NOW, TABLE, finding, mapping, opener, sight
from service_fakes import setup as fake_setup
from test_evidence_bundle import job_of

from rules.dated import law_of
from rules.engine import Engine
from rules.findings import finding_to_dict
from service.audit.calendar import ShiftPlan
from service.audit.exceptions import RoundDetail
from service.config import TableSetup, load_table, read_table
from service.evidence.about import About, cited_law, law_text
from service.evidence.contents import write_bundle
from service.evidence.film import RingFilm
from service.evidence.intake import recover
from service.evidence.recorder import Origin, Recorder
from service.evidence.room import EvidenceRoom
from service.export.blocks import Facts
from service.law import sentence
from service.live.dated import dated, law_day_of
from service.reviews.pdf_report import report_blocks
from service.reviews.record import record_review
from service.reviews.recorded import Recorded
from service.reviews.review import Options, review_video
from service.stamps import stamp
from service.store import Store
from service.store.recording import NewAlert, RecordedStep, step_from_bytes, step_to_bytes
from service.tables.problems import problems_of
from service.web.api import shown

pytestmark = pytest.mark.usefixtures("amended")

ANTE = "58 Pa. Code § 669a.12(b)"
NEW = "From 2030 on"
BEFORE, AFTER = datetime(2029, 12, 31, 12, tzinfo=UTC), datetime(2030, 1, 1, 12, tzinfo=UTC)


def setup() -> TableSetup:
    """The fake table, of six seats, as it was allowed before."""
    with law_of(BEFORE.date()):
        return fake_setup()


def law_of_bundles(folder: Path) -> set[bool]:
    """Whether the bundles under a folder quote the new text."""
    return {NEW in json.loads(path.read_text())["sentence"] for path in folder.rglob("law.json")}


def test_a_sentence_is_that_of_a_day() -> None:
    assert sentence(ANTE, BEFORE.date()).startswith("A certificate holder")
    assert sentence(ANTE, AFTER.date()).startswith(NEW)
    assert NEW not in law_text(cited_law(finding_to_dict(finding(citation=ANTE)), BEFORE.date()))
    assert NEW in law_text(cited_law(finding_to_dict(finding(citation=ANTE)), AFTER.date()))


@pytest.mark.parametrize(("at", "is_new"), [(BEFORE, False), (AFTER, True)])
def test_a_review_quotes_the_law_of_the_day_it_was_recorded(at: datetime, is_new: bool, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = review_video(
        Path("clip.mp4"), setup(), out, Options(opened=opener(), now=lambda: NOW, recorded=Recorded(at, "said"))
    )
    assert (NEW in (out / "report.html").read_text()) is is_new
    assert law_of_bundles(out) == {is_new}
    blocks = report_blocks(
        replace(setup(), day=at.date()), about=done.about, breaches=done.breaches, undetermined=(), rounds=done.rounds,
        pictures=lambda _: (),
    )  # fmt: skip
    laws = [said for block in blocks if isinstance(block, Facts) for name, said in block.pairs if name == "Law"]
    assert len(laws) == 2
    assert all((NEW in said) is is_new for said in laws)


@pytest.mark.parametrize(("hour", "is_new"), [(4, False), (5, True)])
def test_an_alert_of_a_live_table_quotes_the_law_of_the_day_where_it_stands(
    hour: int, is_new: bool, tmp_path: Path
) -> None:
    now, plan = datetime(2030, 1, 1, hour, 30, tzinfo=UTC), ShiftPlan(zone=ZoneInfo("America/New_York"))
    store = Store(f"sqlite:///{tmp_path}/a.db")
    store.open_run("live-1", table_id=TABLE, origin="live", opened_utc=now, about={})
    store.add_alert("live-1", finding_to_dict(finding(citation=ANTE)), raised_utc=now)
    room = EvidenceRoom.open(tmp_path / "evidence", lambda: now)
    assert recover(room, store, plan) == 1
    assert law_of_bundles(tmp_path) == {is_new}
    store.close()


@pytest.mark.parametrize("day", [BEFORE.date(), AFTER.date()])
def test_an_alert_quotes_the_law_its_round_was_judged_by_whenever_it_rang(day: date, tmp_path: Path) -> None:
    """A round dealt before midnight where the table stands rings on the next day of UTC, and a review long after."""
    is_new = day == AFTER.date()
    store = Store(f"sqlite:///{tmp_path}/a.db")
    raised = AFTER if day == BEFORE.date() else BEFORE
    run: dict[str, Any] = {
        "run_id": "live-1", "table_id": TABLE, "origin": "live", "opened_utc": stamp(raised), "about": {},
        "game": "", "scope": "", "epoch_utc": None,
    }  # fmt: skip
    step = RecordedStep(run, alerts=(NewAlert(finding_to_dict(finding(citation=ANTE)), raised, law_day=day),))
    store.record(step_from_bytes(step_to_bytes(step)))
    alert = store.alert(1)
    assert (NEW in shown(alert)["law"], alert.finding) == (is_new, finding_to_dict(finding(citation=ANTE)))
    room = EvidenceRoom.open(tmp_path / "evidence", lambda: raised)
    assert recover(room, store) == 1
    assert law_of_bundles(tmp_path) == {is_new}
    store.close()


@pytest.mark.parametrize(("at", "is_new"), [(BEFORE, False), (AFTER, True)])
def test_alerts_of_a_review_quote_the_law_of_the_day_it_was_recorded(
    at: datetime, is_new: bool, tmp_path: Path
) -> None:
    out, store = tmp_path / "out", Store(f"sqlite:///{tmp_path}/a.db")
    review_video(
        Path("clip.mp4"), setup(), out, Options(opened=opener(), now=lambda: NOW, recorded=Recorded(at, "said"))
    )
    record_review(store, out, now=AFTER if at == BEFORE else BEFORE)
    assert {alert.law_day for alert in store.alerts()} == {at.date()}
    store.close()


def test_an_audited_round_seen_before_midnight_quotes_the_law_of_that_day() -> None:
    seen = RoundDetail(
        1, TABLE, "2029-12-31", "r1", "raise_it_up", "grave", "", "2030-01-01T04:30:00.000Z", "live-1", "", {}, ()
    )
    assert seen.law_day(ShiftPlan(zone=ZoneInfo("America/New_York"))) == BEFORE.date()
    assert replace(seen, at_utc="").law_day(ShiftPlan()) is None


def test_an_old_alert_quotes_the_law_of_its_day(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path}/a.db")
    for number, at in enumerate((BEFORE, AFTER), start=1):
        store.open_run(f"live-{number}", table_id=TABLE, origin="live", opened_utc=at, about={})
        store.add_alert(f"live-{number}", finding_to_dict(finding(citation=ANTE)), raised_utc=at)
    assert [NEW in shown(alert)["law"] for alert in sorted(store.alerts(), key=lambda a: a.seq)] == [False, True]
    store.close()


@pytest.mark.parametrize(("at", "is_new"), [(BEFORE, False), (AFTER, True)])
def test_a_bundle_of_a_live_table_quotes_the_law_its_round_was_judged_by(
    at: datetime, is_new: bool, tmp_path: Path
) -> None:
    judge = dated(Engine(table(seats=4)), at - timedelta(seconds=1), ShiftPlan())
    judge.feed(build().events[0])
    assert law_day_of(judge) == at.date()
    job = job_of(Recorder(RingFilm()))
    job = replace(job, wanted=replace(job.wanted, origin=Origin("live-1", NOW, law_day_of(judge))))
    write_bundle(tmp_path, job, About.of(sight(), setup(), "cam"))
    assert law_of_bundles(tmp_path) == {is_new}


def test_a_table_is_checked_by_the_law_in_force_not_by_one_to_come(tmp_path: Path) -> None:
    file = tmp_path / "table.yaml"
    file.write_text(yaml.safe_dump(mapping()))
    assert load_table(file).table.seats == read_table(file).seats == 6
    assert problems_of(mapping())[1] == []
