"""`python -m service.evidence.tampering`: random tamperings, and how many `verify` finds and calls by their name."""

from __future__ import annotations

import argparse
import io
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from service.evidence.errors import EvidenceError
from service.evidence.issues import Kind
from service.evidence.tampering import archives
from service.evidence.tampering.attacks import ATTACKS
from service.evidence.tampering.grounds import Grounds, bundles_of, prepare
from service.evidence.verify import verify
from service.evidence.zips import zip_folder

UNREADABLE = "not an archive"
"""What an archive that cannot even be opened is called: `verify` says so with exit status 2."""


@dataclass(slots=True)
class Tally:
    """How often each attack was tried, found, and called by its name."""

    tried: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    without_kept: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    def count(self, name: str, said: set[str], wanted: frozenset[Kind], *, seed: int) -> None:
        """Takes in one attempt."""
        self.tried[name] += 1
        self.found[name] += bool(said)
        self.named[name] += bool(said & ({kind.value for kind in wanted} | {UNREADABLE}))
        self.kinds.update(said)
        if not said:
            self.missed.append(f"{name}, seed {seed}")


def said_of(path: Path, grounds: Grounds, *, kept: bool = True) -> set[str]:
    """The names that a verification gives to what it finds."""
    try:
        report = verify(path, key=grounds.key, kept=[grounds.kept] if kept else ())
    except EvidenceError:
        return {UNREADABLE}
    return {issue.kind.value for issue in report.issues}


def tamper(grounds: Grounds, count: int, seed: int) -> Tally:
    """Tries the attacks in turn, each with its own chances and on a fresh copy."""
    tally = Tally()
    pool = [*ATTACKS, *archives.ATTACKS]
    for number in range(count):
        own = seed * 1_000_003 + number
        rng = random.Random(own)
        name = pool[number % len(pool)]
        if name in ATTACKS:
            _tamper_folder(grounds, name, rng, tally, own)
        else:
            _tamper_archive(grounds, name, rng, tally, own)
    return tally


def _tamper_folder(grounds: Grounds, name: str, rng: random.Random, tally: Tally, seed: int) -> None:
    folder, chosen = grounds.copy(), ATTACKS[name]
    try:
        chosen.attack(folder, rng, grounds)
        tally.count(name, said_of(folder, grounds), chosen.kinds, seed=seed)
        if chosen.needs_kept:
            tally.without_kept[name] += bool(said_of(folder, grounds, kept=False))
    finally:
        shutil.rmtree(folder)


def _tamper_archive(grounds: Grounds, name: str, rng: random.Random, tally: Tally, seed: int) -> None:
    change, kinds = archives.ATTACKS[name]
    source = rng.choice([grounds.vault, rng.choice(bundles_of(grounds.vault))])
    archive = io.BytesIO()
    zip_folder(source, archive)
    with tempfile.NamedTemporaryFile(dir=grounds.vault.parent, suffix=".zip") as file:
        file.write(change(archive.getvalue(), rng))
        file.flush()
        tally.count(name, said_of(Path(file.name), grounds), kinds, seed=seed)


def untouched(grounds: Grounds) -> int:
    """How many genuine folders and archives are called tampered with (must be none)."""
    wrong = int(bool(said_of(grounds.vault, grounds)))
    for source in (grounds.vault, *bundles_of(grounds.vault)):
        with tempfile.NamedTemporaryFile(dir=grounds.vault.parent, suffix=".zip") as file:
            zip_folder(source, file)
            file.flush()
            wrong += bool(said_of(Path(file.name), grounds))
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; 1 if anything was missed."""
    parser = argparse.ArgumentParser(prog="python -m service.evidence.tampering", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    started_s = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        grounds = prepare(Path(folder), given.seed)
        wrong = untouched(grounds)
        tally = tamper(grounds, given.count, given.seed)
    table = Table("tampering", "tried", "found", "by its name", "without a kept head")
    for name, tried in tally.tried.items():
        alone = str(tally.without_kept[name]) if name in ATTACKS and ATTACKS[name].needs_kept else ""
        table.add_row(name, str(tried), str(tally.found[name]), str(tally.named[name]), alone)
    table.add_section()
    totals = (str(sum(counter.values())) for counter in (tally.tried, tally.found, tally.named))
    table.add_row("all", *totals, "")
    out = Console(width=110)
    out.print(table)
    out.print("called: " + ", ".join(f"{kind} {times}" for kind, times in tally.kinds.most_common()), highlight=False)
    out.print(
        f"genuine ones called tampered with: {wrong}; {time.process_time() - started_s:.0f} s of CPU", highlight=False
    )
    for line in tally.missed:
        out.print(f"MISSED: {line}")
    return int(bool(tally.missed or wrong))


if __name__ == "__main__":
    sys.exit(main())
