"""A review: files whole or not there, the same bytes again, a report that can be read, and its way into the store."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from service_fakes import NOW, TABLE, FakeJudge, FakeWatcher, events, frames, no_more_bets, opener, setup, sight

from rules.checks.dealing import TOLD_LATE_S
from rules.engine import Engine
from rules.events import WagerPlaced
from service.cli import main
from service.config import TableSetup
from service.errors import ServiceError
from service.export.formats import Format
from service.folders import whole_folder
from service.law import sentence
from service.reviews.checkpoint import OURS
from service.reviews.record import record_review
from service.reviews.results import export_result, payout_rows
from service.reviews.review import Options, review_video
from service.sight import Sight
from service.store import Store
from service.watching import HOLD_S, watch
from vision.pipeline import WAIT_S

FILES = {
    "events.jsonl", "findings.jsonl", "rounds.jsonl", "payouts.csv", "report.html", "report.pdf", "run.json", "evidence",
}  # fmt: skip


def fake(opened: Callable[[str, TableSetup], Sight] | None = None, **changes: Any) -> Options:
    """A review of the table without camera and networks, on a fixed day."""
    return Options(opened=opened or opener(), now=lambda: NOW, ours=(*OURS, "service_fakes"), **changes)


def test_external_events_take_their_place_in_time() -> None:
    judge = FakeJudge()
    external = [no_more_bets(9.0), no_more_bets(0.7), no_more_bets(2.0)]
    steps = list(watch(frames(), FakeWatcher(events()), judge, external=external))
    assert [(e.kind, e.t_s) for e in judge.fed] == [
        ("wager_placed", 0.4),
        ("no_more_bets", 0.7),
        ("card_placed", 1.0),
        ("no_more_bets", 2.0),
        ("card_turned", 2.0),
        ("no_more_bets", 9.0),
    ]
    assert steps[-1].frame is None
    assert [finding.check_id for finding in steps[-1].findings] == ["RIU-SET-ANTE", "RIU-SET-BLIND"]


def test_what_waits_for_events_of_the_camera_waits_longer_than_these_wait_for_one_another() -> None:
    assert min(HOLD_S, TOLD_LATE_S) > WAIT_S


def test_an_external_event_with_nothing_after_it_does_not_wait_for_the_end() -> None:
    steps = list(watch(frames(6.0), FakeWatcher([]), FakeJudge(), external=[no_more_bets(1.0)]))
    told = [step.frame.t_s for step in steps if step.events and step.frame is not None]
    assert told == [pytest.approx(4.0)]


def test_everything_is_written(tmp_path: Path) -> None:
    done = review_video(Path("clip.mp4"), setup(), tmp_path / "out", fake())
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert done.verdicts == {"compliant": 1, "breach": 2, "undetermined": 1, "not_applicable": 0}
    lines = (tmp_path / "out" / "findings.jsonl").read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["breach", "compliant", "breach", "undetermined"]
    with (tmp_path / "out" / "payouts.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (rows[0]["seat"], rows[0]["owed_cents"], rows[0]["paid_cents"], rows[0]["difference_cents"]) == (
        "4",
        "1500",
        "1000",
        "-500",
    )
    close = tmp_path / "out" / "evidence" / ("b" * 16) / "2_close.jpg"
    assert close.read_bytes()[:2] == b"\xff\xd8"


def test_the_same_frames_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        review_video(Path("clip.mp4"), setup(), tmp_path / name, fake())
    for file in FILES - {"evidence"}:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_a_review_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def breaking(source: str, table: object) -> Sight:
        whole = sight(source)

        def cut() -> object:
            yield from list(frames())[:20]
            raise ServiceError("the file breaks off", where=source)

        return Sight(cut(), whole.info, whole.calibration, whole.view, whole.watcher, whole.judge, whole.source)  # type: ignore[arg-type]

    review_video(Path("clip.mp4"), setup(), tmp_path / "old", fake())
    before = (tmp_path / "old" / "run.json").read_bytes()
    for name in ("new", "old"):
        with pytest.raises(ServiceError, match="breaks off"):
            review_video(Path("clip.mp4"), setup(), tmp_path / name, fake(breaking))
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old" / "run.json").read_bytes() == before


def test_an_earlier_review_is_replaced_but_nothing_else(tmp_path: Path) -> None:
    for _ in range(2):
        review_video(Path("clip.mp4"), setup(), tmp_path / "out", fake())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(ServiceError, match="something else is already there"):
        review_video(Path("clip.mp4"), setup(), tmp_path / "mine", fake())
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"
    with pytest.raises(ServiceError, match="something else"), whole_folder(tmp_path / "mine" / "letter.txt", mark="x"):
        pass


def test_the_report_tells_an_investigator_everything(tmp_path: Path) -> None:
    review_video(Path("clip.mp4"), setup(), tmp_path / "out", fake())
    page = (tmp_path / "out" / "report.html").read_text()
    for said in (
        "4th Street: turned while seat 4 had not decided",
        "turned while seat 4 had not decided",
        "58 Pa. Code § 669a.11(c)",
        "Once all players have either checked or placed a Play Wager",
        "all hands void, all wagers returned",
        "owed $15, paid $10",
        "−$5",
        "RIU-SET-BLIND",
        "a card not read",
        "pair of tens 1 to 1 on $15: $15 and the stake",
        "seat 4: T♥ ? 2♦",
    ):
        assert said in page, said
    assert page.count("data:image/jpeg;base64,") == 6
    assert "http://" not in page
    assert "https://" not in page


def test_a_review_goes_into_the_store_once(tmp_path: Path) -> None:
    review_video(Path("clip.mp4"), setup(), tmp_path / "out", fake())
    store = Store(f"sqlite:///{tmp_path}/s.db")
    run_ids = {record_review(store, tmp_path / "out", now=NOW) for _ in range(2)}
    assert len(run_ids) == 1
    alerts = store.alerts(oldest_first=True)
    assert [(a.check_id, a.origin, a.table_id) for a in alerts] == [
        ("RIU-C1-WHEN", "review", TABLE),
        ("RIU-SET-ANTE", "review", TABLE),
    ]
    assert ("1_close.jpg", "0:01 card placed, seat 4, cards · face down") in alerts[0].evidence
    assert len(store.events(run_ids.pop())) == 3


def test_unknown_amounts_stay_empty() -> None:
    record = {
        "round_id": "r1",
        "payouts": [{"seat": 1, "wager": "blind", "owed_cents": 500, "paid_cents": None, "verdict": "undetermined"}],
    }
    row = next(payout_rows(TABLE, [record]))
    assert row["paid_cents"] is None
    assert row["difference_cents"] is None


@pytest.mark.parametrize(
    ("citation", "start"),
    [
        ("58 Pa. Code § 669a.12(b)", "A certificate holder shall pay each winning Ante Wager"),
        ("58 Pa. Code § 669a.11(i)(1)", "If the three cards form a pair"),
        ("58 Pa. Code § 669a.11(b)(9)", "The dealer shall ask each player"),
        ("58 Pa. Code § 999.1", ""),
    ],
)
def test_the_nearest_sentence_of_law_is_found(citation: str, start: str) -> None:
    assert sentence(citation, None).startswith(start)
    assert bool(sentence(citation, None)) == bool(start)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_what_a_review_found_is_exported_from_the_command_line(tmp_path: Path, ending: str) -> None:
    review_video(Path("clip.mp4"), setup(), tmp_path / "out", fake())
    for what in ("events", "rounds", "payouts", "findings"):
        file = tmp_path / f"{what}.{ending}"
        with pytest.raises(SystemExit) as ended:
            main(["export", str(tmp_path / "out"), what, "--out", str(file)])
        assert ended.value.code == 0
        assert file.read_bytes() == b"".join(export_result(tmp_path / "out", what, Format(ending)))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{out}", "faces", "--out", "a.csv"], "there is no export of 'faces'"),
        (["{out}", "events", "--out", "a.xlsx"], "there is no format 'xlsx'"),
        (["nowhere", "events", "--out", "a.csv"], "there is no finished review here"),
    ],
)
def test_an_export_that_cannot_be_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:  # fmt: skip
    review_video(Path("clip.mp4"), setup(), tmp_path / "out", fake())
    with pytest.raises(SystemExit) as ended:
        main(["export", *(one.format(out=tmp_path / "out") for one in arguments)])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_events_that_the_judge_lets_go_of_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    wagers = [WagerPlaced(table_id=TABLE, t_s=n * 1e-4, area="seat1.ante", amount_cents=500) for n in range(5001)]
    engine = Engine(setup().table)
    list(watch(frames(0.5), FakeWatcher(wagers[:5000]), engine))
    assert caplog.text == ""
    list(watch(frames(0.5), FakeWatcher(wagers[5000:]), engine))
    assert f"table {TABLE}: 2500 events between two rounds were dropped, 2500 so far" in caplog.text
