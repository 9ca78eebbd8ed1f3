"""Measures reviews: `python -m service.reviews.bench cost|rounds|cluster`. Nothing here is asserted by a test.

`cost` reviews a recording and prints what an hour of it takes; `rounds` fills a database with drawn rounds and prints how
long searches take; `cluster` works off the same batch with one and with two workers.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from datasets.clips import BUNDLED
from rules.cards import RANKS, SUITS
from service.bench.databases import KINDS, database
from service.config import load_table
from service.reviews.cluster import ClusterChoices, work_off
from service.reviews.office import Office, OfficeSettings, known_tables
from service.reviews.review import Options, Progress, review_video
from service.reviews.rounds import find_rounds
from service.store import Store
from service.store.round_facts import COMMUNITY, hands_of
from service.store.round_tables import RoundCardRow, RoundFactRow, RoundFindingRow, RoundHandRow, RoundWagerRow

DECK = [rank + suit for rank in RANKS for suit in SUITS]
MONTH = 576_000
"""20 tables, 24 hours, 30 days, 40 rounds an hour."""
ROWS_AT_ONCE = 2_000
SEARCHES = (
    "", "As", "As Kd", "As Kd Qh 2c 7s", "[As Kd]", "[As Kd Qh]", "seat3:As", "community:Td seat1:9h", "hand:flush",
    "hand:straight-flush", "three:straight", "seat2:full-house", "wager:six_card_bonus", "paid=375", "paid>2000", "diff<0",
    "ante.diff<0", "diff!=0 As", "breach", "breach undetermined", "check:RIU-SET-PLAY", "section:669a.11", "table:t07 breach",
    "game:raise_it_up hand:pair stake>100 paid=0", "table:t03 [2c 2d]",
)  # fmt: skip


def cost(video: Path, table: Path) -> Iterator[str]:
    """What an hour of a recording takes: seconds of processor, memory, disk."""
    folder = Path(tempfile.mkdtemp(prefix="bench-review-"))
    largest = 0

    def look(_: Progress) -> None:
        nonlocal largest
        largest = max(largest, _bytes_of(folder))

    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    done = review_video(video, load_table(table), folder / "out", Options(progress=look, checkpoint_every_s=20.0))
    after, took = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() - began
    seconds, used = done.about["seconds"], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    hours = seconds / 3600
    yield f"{video.name}: {seconds:.1f} s of recording, {done.about['size_px'][0]} x {done.about['size_px'][1]}, {done.about['fps']:.0f} frames/s, {len(done.rounds)} rounds"
    yield f"processor: {used:.1f} s, {used / hours:.0f} s an hour of recording, {seconds / used:.2f} times real time on one core"
    yield f"wall: {took:.1f} s"
    yield f"memory: {after.ru_maxrss / 1024:.0f} MB at most"
    yield f"disk: results {_bytes_of(folder / 'out') / 1e6:.2f} MB, {_bytes_of(folder / 'out') / 1e6 / hours:.0f} MB an hour; work under way {largest / 1e6:.0f} MB at most; recording {video.stat().st_size / 1e6 / hours:.0f} MB an hour"
    shutil.rmtree(folder)


def _bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def rounds(url: str, count: int, repeats: int) -> Iterator[str]:
    """How long searches through so many drawn rounds take."""
    store = Store(url)
    began = time.monotonic()
    _fill(store, count)
    with store.engine.connect() as connection:
        connection.exec_driver_sql("ANALYZE")
        connection.commit()
    yield f"{count:,} rounds written in {time.monotonic() - began:.0f} s"
    every: list[float] = []
    for text in SEARCHES:
        times = []
        for _ in range(repeats):
            at = time.perf_counter()
            found = find_rounds(store, text)
            times.append(1000 * (time.perf_counter() - at))
        every += times
        yield f"{text or '(all)':45} {len(found):3} found, median {statistics.median(times):7.1f} ms, longest {max(times):7.1f} ms"
    yield f"p95 of {len(every)} searches: {statistics.quantiles(every, n=20)[-1]:.1f} ms"
    store.close()


def _fill(store: Store, count: int) -> None:
    drawn = random.Random(1)
    store.open_run("bench", table_id="t00", origin="review", opened_utc=datetime(2026, 11, 1, tzinfo=UTC), about={})
    with store.read() as session:
        first = session.scalar(sa.select(sa.func.max(RoundFactRow.number))) or 0
    for start in range(first + 1, first + count + 1, ROWS_AT_ONCE):
        parts: dict[type[Any], list[dict[str, Any]]] = {RoundFactRow: [], RoundCardRow: [], RoundHandRow: [], RoundWagerRow: [], RoundFindingRow: []}  # fmt: skip
        for number in range(start, min(start + ROWS_AT_ONCE, first + count + 1)):
            _draw(number, drawn, parts)
        with store.write() as session:
            for table, rows in parts.items():
                if rows:
                    session.execute(sa.insert(table), rows)


def _draw(number: int, drawn: random.Random, parts: dict[type[Any], list[dict[str, Any]]]) -> None:
    """A round of six players at one of twenty tables, three in a hundred with a mistake."""
    deck = drawn.sample(DECK, 21)
    seats: list[dict[str, Any]] = [{"seat": seat, "cards": deck[3 * seat : 3 * seat + 3]} for seat in range(1, 7)]
    record = {"seats": seats, "community": deck[:3], "dealer": []}
    wrong = drawn.random() < 0.03
    parts[RoundFactRow].append({
        "number": number, "run_id": "bench", "round_id": f"r{number}", "table_id": f"t{number % 20:02d}", "game": "raise_it_up",
        "opened_s": float(number), "closed_s": number + 60.0, "complete": True, "community": " ".join(deck[:3]), "dealer": "",
        "players": "; ".join(f"{s['seat']}: {' '.join(s['cards'])}" for s in seats), "stake_cents": 0, "owed_cents": 0, "paid_cents": 0,
        "difference_cents": -500 if wrong else 0, "unknown": 0, "breaches": int(wrong),
    })  # fmt: skip
    parts[RoundCardRow] += [{"card": card, "number": number, "place": s["seat"]} for s in seats for card in s["cards"]]
    parts[RoundCardRow] += [{"card": card, "number": number, "place": COMMUNITY} for card in deck[:3]]
    parts[RoundHandRow] += [{"hand": hand, "number": number, "place": place} for hand, place in sorted(set(hands_of("raise_it_up", record)))]  # fmt: skip
    for seat in range(1, 7):
        for wager in ("ante", "blind", *(("six_card_bonus",) if drawn.random() < 0.3 else ())):
            stake = 500 * drawn.randint(1, 40)
            owed = drawn.choice((0, 0, stake, 3 * stake // 2))
            off = -500 if wrong and seat == 1 and wager == "ante" else 0
            parts[RoundWagerRow].append({
                "number": number, "seat": seat, "wager": wager, "outcome": "", "verdict": "", "stake_cents": stake,
                "owed_cents": owed, "paid_cents": owed + off, "difference_cents": off,
            })  # fmt: skip
    if wrong:
        parts[RoundFindingRow].append({"number": number, "finding_id": f"f{number}", "check_id": "RIU-SET-PLAY", "verdict": "breach", "section": "669a.12(c)"})  # fmt: skip
    if drawn.random() < 0.4:
        parts[RoundFindingRow].append({"number": number, "finding_id": f"u{number}", "check_id": "RIU-FOLD-CARDS", "verdict": "undetermined", "section": "669a.11(f)"})  # fmt: skip


def cluster(video: Path, table: Path, batch: int) -> Iterator[str]:
    """The same batch of reviews with one and with two workers of a Ray cluster on this machine."""
    import ray

    for workers in (1, 2):
        folder = Path(tempfile.mkdtemp(prefix="bench-cluster-"))
        url = f"sqlite:///{folder}/s.db"
        settings = OfficeSettings(folder / "reviews", (video.resolve().parent,), known_tables([table]))
        office = Office(Store(url), settings)
        for _ in range(batch):
            office.order(
                str(video.resolve()), table_id=load_table(table).table.table_id, by="bench", now=datetime.now(UTC)
            )
        began = time.monotonic()
        done = work_off(ClusterChoices(url, workers))
        took = time.monotonic() - began
        seconds = sum(one.t_s for one in office.queue.page())
        yield f"{workers} workers: {batch} reviews in {took:.1f} s, {seconds / took:.2f} times real time, lost workers {done.lost}"
        ray.shutdown()
        office.store.close()
        shutil.rmtree(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a measurement."""
    parser = argparse.ArgumentParser(description="Measures reviews.")
    parser.add_argument("what", choices=("cost", "rounds", "cluster"))
    parser.add_argument("--video", type=Path, default=BUNDLED / "video.mp4")
    parser.add_argument("--table", type=Path, default=BUNDLED / "table.yaml")
    parser.add_argument("--kind", choices=KINDS, action="append", help="database to search in; both if not given")
    parser.add_argument("--rounds", type=int, default=MONTH)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--batch", type=int, default=4)
    given = parser.parse_args(arguments)
    for line in _lines(given):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 0


def _lines(given: argparse.Namespace) -> Iterator[str]:
    if given.what == "rounds":
        for kind in given.kind or KINDS:
            with database(kind) as url:
                yield kind
                yield from rounds(url, given.rounds, given.repeats)
    elif given.what == "cost":
        yield from cost(given.video, given.table)
    else:
        yield from cluster(given.video, given.table, given.batch)


if __name__ == "__main__":
    sys.exit(main())
