"""A bundle: everything that proves one alert, in one flat folder with a manifest of what is in it.

The manifest names every file with its size and SHA-256; the chain fixes the manifest. `seal.json` is the one file the
manifest does not name, because it holds what is known only afterwards: the bundle's link of the chain, the signed head
over it, and with them every wall-clock date (and likewise `expired.json`, once
retention deleted the films). Two reviews of a recording give the same bundles byte for byte but for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from service.digests import sha256_of_file
from service.evidence.canonical import pretty, sha256_hex
from service.evidence.chain import Head, Link
from service.evidence.disk import sync_file, sync_folder, told
from service.evidence.keys import Verifier

MANIFEST, SEAL, EXPIRY = "manifest.json", "seal.json", "expired.json"
CLIP, SEEN, AREAS = "clip.mp4", "seen.jsonl", "areas.json"
UNLISTED = (MANIFEST, SEAL, EXPIRY)
"""Files that the manifest does not name."""
FILMS = (CLIP, "clip_marked.mp4")
"""What retention deletes first; the second is in bundles written before 2026-11-26 only."""
NOTICE = (
    "A copy for analysis. The video here is never the recording of record: that is the surveillance system's own, which"
    " decides where they differ."
)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
"""What files of a bundle may be called: no folders, nothing hidden, nothing that means something to a shell."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Which finding a bundle proves."""

    finding_id: str
    table_id: str
    round_id: str
    check_id: str
    severity: str
    citation: str
    t_s: float

    @classmethod
    def of(cls, finding: Mapping[str, Any]) -> Facts:
        """The facts of a finding as JSON values (`rules.findings.finding_to_dict`)."""
        return cls(
            finding_id=str(finding["finding_id"]),
            table_id=str(finding["table_id"]),
            round_id=str(finding["round_id"]),
            check_id=str(finding["check_id"]),
            severity=str(finding["severity"]),
            citation=str(finding["citation"]),
            t_s=float(finding["t_s"]),
        )


@dataclass(frozen=True, slots=True)
class Sealable:
    """A bundle whose files are all written: what its link says of it."""

    folder: Path
    facts: Facts
    manifest_sha256: str
    files: int
    size: int


def finish(folder: Path, facts: Facts) -> Sealable:
    """Writes the manifest over the files of a folder and brings all of it to the disk.

    Raises:
        DiskFullError: no room.
    """
    with told(folder):
        rows: list[dict[str, Any]] = []
        for path in sorted(folder.iterdir(), key=lambda path: path.name):
            assert NAME.fullmatch(path.name), path.name
            if path.name not in UNLISTED:
                sync_file(path)
                rows.append({"name": path.name, "size": path.stat().st_size, "sha256": sha256_of_file(path)})
        manifest = pretty({"v": 1, "notice": NOTICE, "finding": asdict(facts), "files": rows})
        (folder / MANIFEST).write_bytes(manifest)
        sync_file(folder / MANIFEST)
        sync_folder(folder)
    size = sum(row["size"] for row in rows) + len(manifest)
    return Sealable(folder, facts, sha256_hex(manifest), len(rows), size)


def seal(link: Link, head: Head, verifier: Verifier) -> bytes:
    """The content of `seal.json`, and of `expired.json` once its films are gone: a link and the signed head over it.

    With them and the public key a bundle can be verified alone.
    """
    return pretty({"link": link.to_dict(), "head": head.to_dict(), "public_key": verifier.pem.decode()})
