"""What a review rests on: recording, table, networks, program. The same basis gives the same results."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from service.config import TableSetup
from service.digests import sha256_of_file, sha256_of_files
from service.sight import Sight
from service.store.incidents import source_scope

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = ROOT / "models" / "weights"
PROGRAM = ("rules", "calibration", "models", "vision", "service/evidence", "service/reviews")
"""Whose code decides what a review finds and how its state is kept."""
LIBRARIES = ("pitwatch", "numpy", "onnxruntime", "opencv-python-headless", "av")


def basis_of(video: Path, setup: TableSetup) -> dict[str, Any]:
    """What has to be the same for a review to go on where it stopped; quick also for a recording of many hours."""
    return {
        "video": _source(video),
        "table": setup.sha256,
        "external": hashlib.sha256(repr(setup.external).encode()).hexdigest(),
        "weights": weights(),
        "program": _program_sha256(),
        "versions": versions(),
    }


def about_video(video: Path, setup: TableSetup, sight: Sight) -> dict[str, Any]:
    """What was reviewed and with which parts, for `run.json` and the reports."""
    calibration = sight.calibration
    return {
        "table_id": setup.table.table_id,
        "game": setup.table.game,
        "video": str(video),
        "size_px": list(sight.info.size_px),
        "fps": sight.info.fps,
        "calibration": {
            "method": calibration.method,
            "error_px": round(calibration.error_px, 3),
            "error_mm": round(calibration.error_mm, 3),
        },
        "sha256": {"video": sha256_of_file(video) if video.is_file() else "", "table": setup.sha256, **weights()},
        "versions": versions(),
    }


@cache
def weights() -> dict[str, str]:
    """SHA-256 of each network's weights, by file name."""
    return sha256_of_files(sorted(WEIGHTS.glob("*.onnx")))


def versions() -> dict[str, str]:
    """The versions of what sees and judges."""
    return {name: metadata.version(name) for name in LIBRARIES} | {"python": platform.python_version()}


def program_files(folder: str) -> list[Path]:
    """The program's and its data's files of a folder, by name."""
    return sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".yaml", ".json"))


def program_sha256(paths: Iterable[Path]) -> str:
    """SHA-256 of files of the program and of their names."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def _program_sha256() -> str:
    return program_sha256(path for folder in PROGRAM for path in program_files(folder))


def _source(video: Path) -> str:
    try:
        return source_scope(video)
    except OSError:
        return str(video)
