"""`make eval`: violations found and false alerts on simulated rounds, cards and chips on photographs.

The clips are simulated anew from seeds that no network was trained and no threshold tuned on (1001 upwards); the
photographs are not part of the project: name their folder with `--photographs` or `PITWATCH_PHOTOGRAPHS`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from datasets.score.rounds import ClipScore, ReviewFailedError, score_clip, total
from datasets.score.stills import StillScore, score_photographs

FIRST_SEED = 1001
FPS = 15
"""Frames a second of the clips: the watcher looks for change 15 times a second, and half the frames film twice as fast."""
HONEST_SHARE = 0.25
"""Of the clips, so many carry no mistake at all."""


def plants_for(seed: int, kinds: Sequence[str], count: int) -> list[str]:
    """Which mistakes clip `seed` carries: none in a quarter of them, else `count` different kinds."""
    rng = random.Random(seed)
    if rng.random() < HONEST_SHARE:
        return []
    return rng.sample(list(kinds), count)


def evaluate_rounds(clips: int, rounds: int, folder: Path, console: Console, jobs: int = 1) -> list[ClipScore]:
    """Simulate (where not already in `folder`), review and score so many clips, `jobs` at a time."""
    scores = []
    with ThreadPoolExecutor(jobs) as pool:
        for score in pool.map(lambda seed: _score_seed(seed, rounds, folder), range(FIRST_SEED, FIRST_SEED + clips)):
            if isinstance(score, ReviewFailedError):
                console.print(f"[red]{score}[/red]")
                continue
            console.print(
                f"clip {score.clip}: {score.rounds} rounds, found {len(score.found)} of {len(score.expected)},"
                f" false alerts {len(score.false_alerts)}"
            )
            for text in score.missed:
                console.print(f"  missed: {text}")
            for text in score.false_alerts:
                console.print(f"  false:  {text}")
            scores.append(score)
    return scores


def _score_seed(seed: int, rounds: int, folder: Path) -> ClipScore | ReviewFailedError:
    from datasets.play.games import plants_of
    from datasets.simulate import simulate

    clip = folder / str(seed)
    if not (clip / "truth.jsonl").exists():
        simulate(
            "raise_it_up",
            rounds,
            seed,
            plants_for(seed, sorted(plants_of("raise_it_up")), min(3, rounds)),
            clip,
            fps=FPS,
        )
    try:
        with tempfile.TemporaryDirectory() as out:
            return score_clip(clip, Path(out) / "review")
    except ReviewFailedError as error:
        return error


def print_stills(scores: Sequence[StillScore], console: Console) -> None:
    """One table, a row for each set and measure."""
    table = Table("set", "pictures", "measure", "share (hits/sample; 95% interval)", title="single pictures")
    for score in scores:
        for measure, share in score.shares.items():
            table.add_row(score.name, str(score.pictures), measure, str(share))
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every score; exit status 1 if nothing could be scored."""
    parser = argparse.ArgumentParser(prog="make eval", description=__doc__)
    parser.add_argument("--clips", type=int, default=8, help="simulated clips (default 8)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds a clip (default 5)")
    parser.add_argument("--folder", type=Path, default=Path("var/eval"), help="where clips are kept between runs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="clips at a time (default: one a core)")
    parser.add_argument("--photographs", type=Path, default=os.environ.get("PITWATCH_PHOTOGRAPHS"))
    given = parser.parse_args(arguments)
    console = Console(width=150)
    scores = evaluate_rounds(given.clips, given.rounds, given.folder, console, given.jobs)
    found, false, rounds = total(scores)
    console.print(f"violations found from video: {found}; false alerts: {false} in {rounds} rounds")
    if given.photographs is None:
        console.print("photographs: none given (--photographs DIR or PITWATCH_PHOTOGRAPHS=DIR)")
        return 0 if scores or not given.clips else 1
    from models.chip_reader import ChipReader
    from models.detector import Detector
    from models.reader import Reader
    from vision.see import see

    networks = Detector(threads=os.cpu_count() or 1), Reader(), ChipReader()
    print_stills(score_photographs(Path(given.photographs), lambda image: see(image, *networks)), console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
