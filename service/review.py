"""Recorded video in, results of the night out: events, findings, payouts, pictures and a report."""

from __future__ import annotations

import csv
import json
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import Enum
from importlib import metadata
from pathlib import Path
from typing import Any

from rules.events import event_to_dict
from rules.findings import Finding, Verdict, finding_to_dict, finding_to_json
from service.config import TableSetup, sha256_of
from service.errors import ServiceError
from service.evidence.pictures import Recent, moments_of, pictures_of
from service.folders import whole_folder
from service.report import render_report
from service.sight import Sight, open_sight
from service.store import Picture, Store
from service.watching import watch

RUN_FILE = "run.json"
EVIDENCE, CAPTIONS = "evidence", "captions.json"
PAYOUT_COLUMNS = (
    "table_id", "round_id", "seat", "wager", "stake_cents", "outcome", "owed_cents", "paid_cents", "difference_cents",
    "verdict", "citation", "way",
)  # fmt: skip
WEIGHTS = Path(__file__).resolve().parent.parent / "models" / "weights"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review is: capture time reached, of how many seconds (None unknown), breaches so far."""

    t_s: float
    of_s: float | None
    breaches: int


@dataclass(slots=True)
class Review:
    """What a review found.

    Attributes:
        events: as the engine got them.
        findings: in the order they were decided.
        rounds: closed rounds as JSON values, with their payouts.
        about: what was reviewed, with which parts.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rounds: list[dict[str, Any]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def breaches(self) -> list[Finding]:
        """The findings that ring, in order of time."""
        return sorted((f for f in self.findings if f.verdict is Verdict.BREACH), key=lambda f: f.t_s)

    @property
    def verdicts(self) -> dict[str, int]:
        """How many checks ended how."""
        counted = Counter(f.verdict.value for f in self.findings)
        return {verdict.value: counted[verdict.value] for verdict in Verdict}


def review_video(
    video: Path, setup: TableSetup, out: Path, *, progress: Callable[[Progress], None] | None = None,
    opened: Callable[[str, TableSetup], Sight] = open_sight,
) -> Review:  # fmt: skip
    """Reviews a recording and writes `events.jsonl`, `findings.jsonl`, `payouts.csv`, `report.html`, pictures and `run.json`.

    Args:
        video: file or folder of pictures.
        setup: its table.
        out: the folder to make; it appears only when everything is in it.
        progress: called now and then.
        opened: how the source is opened.

    Raises:
        ServiceError, SourceError, ModelError: nothing could be reviewed; `out` is left as it was.
    """
    with whole_folder(out, mark=RUN_FILE) as part:
        sight = opened(str(video), setup)
        try:
            done = _collect(sight, setup, part / EVIDENCE, progress)
        finally:
            sight.close()
        if not done.events:
            raise ServiceError("nothing happened on this table", where=video, do="Give a recording of play")
        done.about |= _about(video, setup, sight)
        _write(done, setup, part)
    return done


def record_review(store: Store, out: Path, *, now: datetime) -> str:
    """Puts a finished review into the store, its breaches as alerts; doing so again changes nothing.

    Returns:
        The run's id.
    """
    about = json.loads((out / RUN_FILE).read_text(encoding="utf-8"))
    run_id = f"review-{about['table_id']}-{about['sha256']['video'][:12]}-{about['sha256']['table'][:8]}"
    store.open_run(run_id, table_id=about["table_id"], origin="review", opened_utc=now, about=about)
    store.add_events(run_id, enumerate(_json_lines(out / "events.jsonl")))
    store.add_rounds(run_id, _json_lines(out / "rounds.jsonl"))
    for finding in sorted(_json_lines(out / "findings.jsonl"), key=lambda f: float(f["t_s"])):
        if finding["verdict"] == Verdict.BREACH:
            store.add_alert(
                run_id, finding, raised_utc=now, pictures=load_pictures(out / EVIDENCE / finding["finding_id"])
            )
    return run_id


def plain(value: Any) -> Any:
    """A dataclass as JSON values."""
    return json.loads(json.dumps(asdict(value), default=lambda v: v.value if isinstance(v, Enum) else str(v)))


def _collect(sight: Sight, setup: TableSetup, evidence: Path, progress: Callable[[Progress], None] | None) -> Review:
    done, recent, breaches = Review(), Recent(), 0
    info = sight.info
    of_s = info.frames / info.fps if info.frames and info.fps else None
    last_s = 0.0
    for step in watch(sight.frames, sight.watcher, sight.judge, external=setup.external):
        if step.frame is not None:
            last_s = step.frame.t_s
            recent.add(step.frame, sight.watcher.seen)
        done.events += [event_to_dict(event) for event in step.events]
        done.findings += step.findings
        for finding in step.findings:
            if finding.verdict is Verdict.BREACH:
                breaches += 1
                moments = moments_of(finding, dict(enumerate(done.events)))
                _save_pictures(evidence / finding.finding_id, pictures_of(recent, sight.view, moments))
        if progress is not None and step.frame is not None and step.frame.index % 15 == 0:
            progress(Progress(last_s, of_s, breaches))
    done.rounds = [plain(record) for record in sight.judge.rounds]
    done.about["seconds"] = round(last_s, 3)
    return done


def _about(video: Path, setup: TableSetup, sight: Sight) -> dict[str, Any]:
    hashes = sha256_of([video]) if video.is_file() else {}
    size = sight.info.size_px
    return {
        "table_id": setup.table.table_id,
        "game": setup.table.game,
        "video": str(video),
        "size_px": list(size),
        "fps": sight.info.fps,
        "calibration": {"method": sight.calibration.method, "error_px": round(sight.calibration.error_px, 3), "error_mm": round(sight.calibration.error_mm, 3)},
        "sha256": {"video": hashes.get(video.name, ""), "table": setup.sha256, **sha256_of(sorted(WEIGHTS.glob("*.onnx")))},
        "versions": {name: metadata.version(name) for name in ("pitwatch", "numpy", "onnxruntime", "opencv-python-headless", "av")} | {"python": platform.python_version()},
    }  # fmt: skip


def _write(done: Review, setup: TableSetup, part: Path) -> None:
    _write_lines(part / "events.jsonl", (json.dumps(e, separators=(",", ":"), ensure_ascii=False) for e in done.events))
    _write_lines(part / "findings.jsonl", (finding_to_json(f) for f in done.findings))
    _write_lines(part / "rounds.jsonl", (json.dumps(r, separators=(",", ":"), ensure_ascii=False) for r in done.rounds))
    with (part / "payouts.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, PAYOUT_COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(payout_rows(setup.table.table_id, done.rounds))
    findings = [finding_to_dict(f) for f in done.findings]
    html = render_report(
        setup,
        about=done.about,
        findings=findings,
        rounds=done.rounds,
        pictures=lambda finding_id: load_pictures(part / EVIDENCE / finding_id),
    )
    (part / "report.html").write_text(html, encoding="utf-8")
    (part / RUN_FILE).write_text(
        json.dumps(done.about | {"verdicts": done.verdicts}, indent=2) + "\n", encoding="utf-8"
    )


def _save_pictures(folder: Path, pictures: Sequence[Picture]) -> None:
    folder.mkdir(parents=True)
    for picture in pictures:
        (folder / picture.name).write_bytes(picture.content)
    captions = {picture.name: picture.caption for picture in pictures}
    (folder / CAPTIONS).write_text(json.dumps(captions, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load_pictures(folder: Path) -> list[Picture]:
    """The pictures of a breach, as a review left them."""
    captions = json.loads((folder / CAPTIONS).read_text(encoding="utf-8"))
    return [Picture(name, (folder / name).read_bytes(), caption=caption) for name, caption in captions.items()]


def payout_rows(table_id: str, rounds: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each settled wager, in the order of rounds; what is unknown stays empty."""
    rows = []
    for record in rounds:
        for payout in record.get("payouts", ()):
            row = {name: payout.get(name) for name in PAYOUT_COLUMNS} | {
                "table_id": table_id,
                "round_id": record["round_id"],
            }
            if payout.get("paid_cents") is not None and payout.get("owed_cents") is not None:
                row["difference_cents"] = payout["paid_cents"] - payout["owed_cents"]
            rows.append(row)
    return rows


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
