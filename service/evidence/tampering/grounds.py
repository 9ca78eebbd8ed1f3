"""A small vault with everything in it that a vault can hold, and cheap copies of it to tamper with."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from service.evidence.bundle import CLIP, SEEN, Facts, finish
from service.evidence.chain import BUNDLES, CHAIN, HEADS, Head, Link, read_head, read_link
from service.evidence.index import Scope
from service.evidence.keys import Signer, Verifier, create_signer, read_public
from service.evidence.vault import Vault

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)
STORED = 9
"""Bundles of the vault."""


@dataclass(slots=True)
class Grounds:
    """A genuine vault, an older state of it, what expired, and a stranger's key.

    Attributes:
        vault: the genuine folder; never written to.
        older: the same some links earlier.
        expired: a bundle that retention deleted, as it was.
        key: the vault's public key.
        stranger: a key that is not the vault's.
        kept: a head that somebody keeps elsewhere: the newest.
    """

    vault: Path
    older: Path
    expired: Path
    key: Verifier
    stranger: Signer
    kept: Head
    _copies: int = field(default=0, init=False)

    def copy(self, source: Path | None = None) -> Path:
        """A copy made of hard links: quick, and safe as long as files are replaced, not written into."""
        self._copies += 1
        target = self.vault.parent / f"copy{self._copies}"
        shutil.copytree(source or self.vault, target, copy_function=os.link)
        return target


def prepare(folder: Path, seed: int) -> Grounds:
    """Makes the vault in an empty folder."""
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    vault, moment = Vault(folder / "evidence", BEGAN, keep_free_bytes=0), BEGAN
    for number in range(STORED):
        moment += timedelta(minutes=7)
        store_random(vault, rng, number, moment)
        if number == 3:
            vault.sign_head(moment + timedelta(minutes=1))
        if number == 4:
            shutil.copytree(vault.folder, folder / "older")
            vault.refuse(run_id="run", finding_id="f" * 16, reason="disk full", now=moment)
    numbers = sorted(vault.index.entries)
    shutil.copytree(vault.folder / BUNDLES / vault.index.entries[numbers[1]].name, folder / "expired")
    vault.hold(numbers[0], by="ann", why="appeal", now=moment)
    vault.expire(numbers[1], Scope.BUNDLE, by="retention", why="kept 30 days", now=moment)
    vault.expire(numbers[2], Scope.CLIPS, by="retention", why="films kept 7 days", now=moment)
    vault.release(numbers[0], by="bob", why="appeal ended", now=moment)
    key = read_public(vault.public_pem, where=folder)
    return Grounds(
        vault.folder, folder / "older", folder / "expired", key, create_signer(folder / "stranger.pem"), vault.head()
    )


def store_random(vault: Vault, rng: random.Random, number: int, moment: datetime) -> None:
    """Stores a bundle of random bytes."""
    part = vault.new_part()
    for name, size in ((CLIP, 900), (SEEN, 700), ("1.jpg", 400), ("finding.json", 120), ("events.jsonl", 200)):
        (part / name).write_bytes(rng.randbytes(size))
    facts = Facts(f"{number:016x}", "riu-66", f"riu-66-r{number:04d}", "RIU-C1-WHEN", "critical", "§ 669a.11(c)", 2.0)
    vault.store(finish(part, facts), run_id="run", raised_utc=moment, now=moment)


def replace(path: Path, content: bytes) -> None:
    """Gives a file new content without touching the one it is a hard link of."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def flipped(content: bytes, rng: random.Random) -> bytes:
    """The same bytes, one bit of them turned over."""
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def bundles_of(folder: Path) -> list[Path]:
    """The bundles of a vault, in order."""
    return sorted((folder / BUNDLES).iterdir())


def links_of(folder: Path) -> list[Link]:
    """The links of a genuine vault."""
    found = [read_link(line) for line in (folder / CHAIN).read_bytes().split(b"\n")[:-1]]
    return [link for link in found if link is not None]


def heads_of(folder: Path) -> list[Head]:
    """The heads of a genuine vault."""
    found = [read_head(line) for line in (folder / HEADS).read_bytes().split(b"\n")[:-1]]
    return [head for head in found if head is not None]
