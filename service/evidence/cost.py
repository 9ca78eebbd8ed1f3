"""`python -m service.evidence.cost`: what a bundle costs, on the bundled film: CPU and bytes; and what keeping a camera costs."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from datasets.clips import BUNDLED
from service.config import load_table
from service.evidence.bundle import CLIP, SEEN
from service.evidence.film import RingFilm
from service.evidence.vault import Vault
from service.reviews.review import Options, review_video
from vision.frames.opening import open_source

KEPT_S = 60.0
"""Seconds of the film that are kept as a camera's would be."""


def bundles(folder: Path, out: Path) -> tuple[list[dict[str, float]], float, float]:
    """Reviews a film: bytes and CPU seconds of each bundle, CPU seconds of the whole review, seconds of film."""
    costs: list[float] = []
    began_s = time.process_time()
    done = review_video(folder / "video.mp4", load_table(folder / "table.yaml"), out, Options(bundle_cost=costs.append))
    whole_s = time.process_time() - began_s
    rows = []
    for bundle, cpu_s in zip(sorted((out / "evidence").iterdir(), key=lambda p: p.stat().st_mtime), costs, strict=True):
        sizes = {path.name: path.stat().st_size for path in bundle.iterdir()}
        rows.append(
            {
                "cpu_s": cpu_s,
                "bytes": sum(sizes.values()),
                **{name: sizes.get(name, 0) for name in (CLIP, SEEN)},
                "pictures": sum(size for name, size in sizes.items() if name.endswith(".jpg")),
            }
        )
    return rows, whole_s, float(done.about["seconds"])


def keeping(video: Path) -> tuple[float, float]:
    """CPU milliseconds a frame, and bytes a second, of keeping a camera's last minutes."""
    ring, took_s, last_s, frames = RingFilm(), 0.0, 1.0, 0
    with open_source(video) as source:
        for frame in source:
            began_s = time.thread_time()
            ring.add(frame)
            took_s += time.thread_time() - began_s
            frames += 1
            last_s = frame.t_s
            if last_s >= KEPT_S:
                break
    return 1000 * took_s / frames, ring.size / last_s


def sealing(bundle: Path, count: int = 20) -> float:
    """CPU seconds to take a bundle into a vault: hash, copy, link, signature."""
    from datetime import UTC, datetime

    from service.evidence.room import EvidenceRoom

    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with tempfile.TemporaryDirectory(dir=bundle.parent) as folder:
        room = EvidenceRoom(Vault(Path(folder) / "evidence", moment, keep_free_bytes=0), lambda: moment)
        began_s = time.process_time()
        for number in range(count):
            room.take_in(bundle, run_id=f"run-{number}", raised_utc=moment)
        return (time.process_time() - began_s) / count


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m service.evidence.cost", description=__doc__)
    parser.add_argument("--clip", type=Path, default=BUNDLED, help="folder with video.mp4 and table.yaml")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        rows, whole_s, film_s = bundles(given.clip, Path(folder) / "review")
        sealed_s = sealing(next((Path(folder) / "review" / "evidence").iterdir()))
    table = Table("of a bundle", "least", "median", "most", title=f"{len(rows)} bundles of {film_s:.0f} s of film")
    for name in ("cpu_s", "bytes", CLIP, SEEN, "pictures"):
        values = sorted(row[name] for row in rows)
        shown = [
            f"{v:.2f} s" if name == "cpu_s" else f"{v / 1e6:.2f} MB"
            for v in (values[0], values[len(values) // 2], values[-1])
        ]
        table.add_row(name.replace("cpu_s", "CPU to write it"), *shown)
    out = Console(width=110)
    out.print(table)
    share = 100 * sum(row["cpu_s"] for row in rows) / whole_s
    out.print(
        f"share of the review's CPU: {share:.0f}% ({whole_s:.0f} s in all); to seal one: {1000 * sealed_s:.0f} ms",
        highlight=False,
    )
    per_frame_ms, per_s = keeping(given.clip / "video.mp4")
    out.print(
        f"keeping a camera: {per_frame_ms:.1f} ms of CPU a frame read, {per_s / 1e6:.2f} MB a second", highlight=False
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
