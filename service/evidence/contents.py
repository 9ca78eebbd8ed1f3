"""Writes the files of a bundle into a folder; the manifest is made over them afterwards (`bundle.finish`)."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from service.evidence.about import About, cited_law, law_text
from service.evidence.bundle import AREAS, CLIP, SEEN, Facts, Sealable, finish
from service.evidence.canonical import compact, pretty
from service.evidence.disk import told
from service.evidence.marks import rows_of, without_repeats
from service.evidence.page import bundle_readme, render_page
from service.evidence.recorder import Job
from service.screens import words
from service.store import Picture
from vision.frames.source import SourceError

EVENT_COLUMNS = ("number", "t_s", "kind", "area", "card", "face", "amount_cents", "confidence", "event")


def write_bundle(folder: Path, job: Job, about: About) -> Sealable:
    """Writes a bundle's files and its manifest.

    Raises:
        DiskFullError: no room.
    """
    finding = job.wanted.finding
    with told(folder):
        film, marks = _write_film(folder, job, about)
        known = about.to_dict() | {
            "film": film,
            "times": {
                "moment_s": job.wanted.moment_s, "clip_from_s": job.wanted.from_s, "clip_to_s": job.wanted.to_s,
                "decided_s": finding["t_s"], "of": "seconds of capture time; the dates of the clock stand in seal.json",
            },
        }  # fmt: skip
        origin = job.wanted.origin
        day = origin.day if origin is not None else about.setup.day
        write_papers(folder, finding, job.events, job.round, known, job.wanted.pictures, day=day, marks=marks)
    return finish(folder, Facts.of(finding))


def write_papers(
    folder: Path, finding: Mapping[str, Any], events: Mapping[int, Mapping[str, Any]], record: Mapping[str, Any] | None,
    about: Mapping[str, Any], pictures: tuple[Picture, ...], *, day: date | None, marks: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Writes everything but the film; `day` is that of the round, whose law is quoted, `marks` what the page draws on the film."""
    law = cited_law(finding, day)
    captions = {picture.name: picture.caption for picture in pictures}
    for picture in pictures:
        (folder / picture.name).write_bytes(picture.content)
    (folder / "captions.json").write_text(json.dumps(captions, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    lines = [compact({"number": number, **event}) + b"\n" for number, event in sorted(events.items())]
    (folder / "events.jsonl").write_bytes(b"".join(lines))
    _write_csv(folder / "events.csv", events)
    (folder / "finding.json").write_bytes(pretty({**finding, "title": words.title(finding)}))
    (folder / "law.json").write_bytes(pretty(law))
    (folder / "law.txt").write_text(law_text(law), encoding="utf-8")
    (folder / "round.json").write_bytes(pretty(_round(finding, record)))
    (folder / "about.json").write_bytes(pretty(dict(about)))
    (folder / "README.txt").write_text(bundle_readme(finding), encoding="utf-8")
    page = render_page(
        finding=finding, law=law, events=events, record=record, about=about, captions=captions, marks=marks
    )
    (folder / "index.html").write_text(page, encoding="utf-8")


def _round(finding: Mapping[str, Any], record: Mapping[str, Any] | None) -> dict[str, Any]:
    if record is not None:
        return {"closed": True, **record}
    note = "The round was being played still when this was written; what had happened in it stands in events.jsonl"
    return {"closed": False, "round_id": finding["round_id"], "note": note}


def _write_film(folder: Path, job: Job, about: About) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The clip as recorded, what was seen in its pictures and where the areas lay in them: what is told of it, and all that is to be drawn on it.

    Where there is no film: why, and None.
    """
    try:
        clip = job.cut.write_clip(folder / CLIP)
    except SourceError as error:
        (folder / CLIP).unlink(missing_ok=True)
        return {"missing": str(error)}, None
    if clip is None:
        return {"missing": "no frame of these seconds was kept"}, None
    rows, outlines = rows_of(job, clip, about.view)
    (folder / SEEN).write_bytes(b"".join(compact(row) + b"\n" for row in rows))
    (folder / AREAS).write_bytes(compact(outlines) + b"\n")
    told_of_it = {
        "clip": CLIP, "clip_starts_s": round(clip.starts_s, 6), "pictures": len(rows),
        "copied": "packets as they came" if not about.live else "packets as they were kept of the camera",
    }  # fmt: skip
    return told_of_it, {"size_px": list(about.size_px), "areas": outlines, "frames": without_repeats(rows)}


def _write_csv(path: Path, events: Mapping[int, Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, EVENT_COLUMNS, lineterminator="\n", restval="", extrasaction="ignore")
        writer.writeheader()
        for number, event in sorted(events.items()):
            kind, said = words.event(event)
            writer.writerow({**event, "number": number, "event": f"{kind}: {said}" if said else kind})
