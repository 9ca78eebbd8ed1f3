"""Writes the files of a bundle into a folder; the manifest is made over them afterwards (`bundle.finish`)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from service.evidence.about import About, cited_law, law_text
from service.evidence.bundle import CLIP, CLIP_MARKED, SEEN, Facts, Sealable, finish
from service.evidence.canonical import compact, pretty
from service.evidence.disk import told
from service.evidence.mp4 import DRAWN_ON, ClipWriter, Shot
from service.evidence.page import bundle_readme, render_page
from service.evidence.pictures import shrunk
from service.evidence.recorder import Job, Looked
from service.screens import words
from service.store import Picture
from vision.frames.picture import Image
from vision.frames.source import SourceError
from vision.seen import Seen, SeenCard, SeenChip, SeenHand, Window, draw_on

MARKED_PX = 1280
"""Width of the film with what was seen drawn on it; the one as recorded keeps its size."""
EVENT_COLUMNS = ("number", "t_s", "kind", "area", "card", "face", "amount_cents", "confidence", "event")


def write_bundle(folder: Path, job: Job, about: About) -> Sealable:
    """Writes a bundle's files and its manifest.

    Raises:
        DiskFullError: no room.
    """
    finding = job.wanted.finding
    with told(folder):
        film = _write_film(folder, job, about)
        known = about.to_dict() | {
            "film": film,
            "times": {
                "moment_s": job.wanted.moment_s, "clip_from_s": job.wanted.from_s, "clip_to_s": job.wanted.to_s,
                "decided_s": finding["t_s"], "of": "seconds of capture time; the dates of the clock stand in seal.json",
            },
        }  # fmt: skip
        origin = job.wanted.origin
        day = origin.day if origin is not None else about.setup.day
        write_papers(folder, finding, job.events, job.round, known, job.wanted.pictures, day=day)
    return finish(folder, Facts.of(finding))


def write_papers(
    folder: Path, finding: Mapping[str, Any], events: Mapping[int, Mapping[str, Any]], record: Mapping[str, Any] | None,
    about: Mapping[str, Any], pictures: tuple[Picture, ...], *, day: date | None,
) -> None:  # fmt: skip
    """Writes everything but the film; `day` is that of the round, whose law is quoted."""
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
    page = render_page(finding=finding, law=law, events=events, record=record, about=about, captions=captions)
    (folder / "index.html").write_text(page, encoding="utf-8")


def _round(finding: Mapping[str, Any], record: Mapping[str, Any] | None) -> dict[str, Any]:
    if record is not None:
        return {"closed": True, **record}
    note = "The round was being played still when this was written; what had happened in it stands in events.jsonl"
    return {"closed": False, "round_id": finding["round_id"], "note": note}


def _write_film(folder: Path, job: Job, about: About) -> dict[str, Any]:
    """The clip as recorded, the one drawn on, and what was seen in each frame; or why there is none."""
    try:
        zero_s = job.cut.write_clip(folder / CLIP)
        if zero_s is None:
            return {"missing": "no frame of these seconds was kept"}
        rows = list(_draw(folder / CLIP_MARKED, job, about, zero_s))
    except SourceError as error:
        for name in (CLIP, CLIP_MARKED):
            (folder / name).unlink(missing_ok=True)
        return {"missing": str(error)}
    (folder / SEEN).write_bytes(b"".join(compact(row) + b"\n" for row in rows))
    return {
        "clip": CLIP, "clip_starts_s": round(zero_s, 6), "marked": CLIP_MARKED,
        "marked_starts_s": rows[0]["t_s"] if rows else None, "frames": len(rows),
        "copied": "packets as they came" if not about.live else "packets as they were kept of the camera",
    }  # fmt: skip


def _draw(path: Path, job: Job, about: About, zero_s: float) -> Iterator[dict[str, Any]]:
    view, area = about.view, job.wanted.finding.get("area")
    named = (str(area),) if area is not None and view.layout.has_area(str(area)) else ()
    with ClipWriter(path, width_px=MARKED_PX, quality=DRAWN_ON) as clip:
        for number, shot in enumerate(job.cut.shots(MARKED_PX)):
            look = job.seen_at(shot.t_s)
            seen = look.seen if look is not None else Seen(-1, shot.t_s)
            small, window = _shrunk(shot)
            draw_on(small, seen, view.layout, view.camera, highlight=named, window=window)
            marked_s = clip.add(shot.t_s, small)
            times = {"n": number, "t_s": shot.t_s, "clip_s": shot.t_s - zero_s, "marked_s": marked_s}
            yield {name: round(value, 6) for name, value in times.items()} | _seen(look)


def _shrunk(shot: Shot) -> tuple[Image, Window]:
    """The whole picture made smaller before it is drawn on, which keeps lines sharp and costs less, and how it was made."""
    width, height = shot.size_px or (shot.image.shape[1], shot.image.shape[0])
    image = shrunk(shot.image, MARKED_PX)
    return image, Window((0, 0), (width, height), image.shape[1] / width)


def _seen(look: Looked | None) -> dict[str, Any]:
    if look is None:
        return {"frame": None, "cards": [], "chips": [], "hands": []}
    seen = look.seen
    return {"frame": look.index, "cards": _plain(seen.cards), "chips": _plain(seen.chips), "hands": _plain(seen.hands)}


@lru_cache(maxsize=16)
def _plain(things: tuple[SeenCard, ...] | tuple[SeenChip, ...] | tuple[SeenHand, ...]) -> list[Any]:
    """What was seen as JSON values; much the same from frame to frame."""
    return [_rounded(asdict(thing)) for thing in things]


def _rounded(value: Any) -> Any:
    """Pixels to a tenth and shares to a thousandth are enough, and keep the file small."""
    if isinstance(value, float):
        return round(value, 3 if abs(value) <= 1 else 1)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def _write_csv(path: Path, events: Mapping[int, Mapping[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, EVENT_COLUMNS, lineterminator="\n", restval="", extrasaction="ignore")
        writer.writeheader()
        for number, event in sorted(events.items()):
            kind, said = words.event(event)
            writer.writerow({**event, "number": number, "event": f"{kind}: {said}" if said else kind})
