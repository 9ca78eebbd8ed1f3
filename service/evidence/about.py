"""What saw and judged an alert, named by hashes, and the law it cites: what `about.json` and `law.json` say."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from calibration.camera import Camera
from rules.catalogue import catalogue
from rules.dated import law_of, section_date
from rules.findings import FINDING_VERSION
from rules.law import GAMES, game_law
from service.access.masking import masked_address
from service.config import TableSetup
from service.digests import sha256_of_file
from service.evidence.bundle import NOTICE
from service.evidence.canonical import compact, sha256_hex
from service.evidence.pictures import View
from service.law import sentence
from service.reviews.basis import versions, weights
from service.sight import Sight

LAYOUTS = Path(__file__).resolve().parents[2] / "calibration" / "layouts"


@dataclass(slots=True)
class About:
    """What is the same for all bundles of a source.

    Args:
        setup: the table.
        source: file or address, as given.
        size_px, fps, live: of the source.
        view: how to draw on its pictures.
        calibration: how surely the table was found: method, error_px, error_mm.
    """

    setup: TableSetup
    source: str
    size_px: tuple[int, int]
    fps: float | None
    live: bool
    view: View
    calibration: Mapping[str, Any]
    _recording: str | None = field(default=None, init=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, init=False)

    @classmethod
    def of(cls, sight: Sight, setup: TableSetup, source: str) -> About:
        """What is known of a source in view."""
        found = sight.calibration
        known = {
            "method": found.method,
            "error_px": round(found.error_px, 3),
            "error_mm": round(found.error_mm, 3),
        }
        return cls(setup, source, sight.info.size_px, sight.info.fps, sight.info.live, sight.view, known)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; the same for the same recording, table and program, whenever it is asked."""
        table, camera = self.setup.table, self.view.camera
        return {
            "notice": NOTICE,
            "table": {
                "table_id": table.table_id, "game": table.game, "dealing": table.dealing, "seats": table.seats,
                "configuration_sha256": self.setup.sha256, "layout": table.layout,
                "layout_sha256": _file_sha256(LAYOUTS / f"{table.layout}.yaml"),
            },
            "source": {
                "name": masked_address(self.source) if self.live else Path(self.source).name, "live": self.live, "size_px": list(self.size_px), "fps": self.fps,
                "recording_sha256": self._recording_sha256(),
            },
            "calibration": {**self.calibration, "camera": camera.to_json(), "sha256": camera_sha256(camera)},
            "networks_sha256": dict(weights()),
            "versions": versions() | {"finding": FINDING_VERSION},
            "law_data_sha256": _law_sha256(),
        }  # fmt: skip

    def _recording_sha256(self) -> str | None:
        """Of the whole recording, once, in the thread that writes; None for cameras and folders."""
        with self._guard:
            if self._recording is None and not self.live:
                recording = Path(self.source)
                self._recording = sha256_of_file(recording) if recording.is_file() else ""
        return self._recording or None


def cited_law(finding: Mapping[str, Any], day: date | None) -> dict[str, Any]:
    """The law a finding cites: its sentence, since when it reads so, and when that was last compared with the text.

    Args:
        finding: as JSON values.
        day: of the round, by whose law it was judged; None for the newest text held.
    """
    with law_of(day):
        return _cited_law(finding, day)


def _cited_law(finding: Mapping[str, Any], day: date | None) -> dict[str, Any]:
    citation = str(finding["citation"])
    place = citation.partition("§ ")[2]
    game = next((game for game in GAMES if place.startswith(game_law(game).chapter)), None)
    out: dict[str, Any] = {
        "citation": citation,
        "sentence": sentence(citation, day),
        "prescribes": finding.get("consequence", ""),
    }
    if game is None:
        return out
    law = game_law(game)
    date = section_date(game, place.removeprefix(law.chapter))
    rule = catalogue(game).get(str(finding["check_id"]))
    return out | {
        "chapter": f"58 Pa. Code Chapter {law.chapter}, {law.title}",
        "effective": str(date.effective),
        "source": date.source,
        "last_checked": str(date.checked),
        "check": rule.check if rule else "",
        "readings": list(finding.get("readings", ())),
    }


def law_text(law: Mapping[str, Any]) -> str:
    """The same to be read."""
    lines = [law["citation"], law.get("chapter", ""), "", law["sentence"] or "(no sentence of it is held here)", ""]
    if law.get("effective"):
        lines.append(
            f"In this form since {law['effective']} ({law['source']}); last compared with the text {law['last_checked']}."
        )
    if law.get("check"):
        lines.append(f"What is judged: {law['check']}")
    if law["prescribes"]:
        lines.append(f"What the chapter prescribes: {law['prescribes']}")
    for reading in law.get("readings", ()):
        lines.append(f"Rests on the reading {reading} (docs/readings.md).")
    return "\n".join(line for line in lines) + "\n"


def camera_sha256(camera: Camera) -> str:
    """Names a calibration."""
    return sha256_hex(compact(camera.to_json()))


@cache
def _law_sha256() -> str:
    from rules.dated import data_names, data_text

    digest = hashlib.sha256()
    for name in data_names():
        if name.endswith(".yaml"):
            digest.update(name.encode() + b"\0" + data_text(name).encode())
    return digest.hexdigest()


@cache
def _file_sha256(path: Path) -> str:
    return sha256_of_file(path) if path.is_file() else ""
