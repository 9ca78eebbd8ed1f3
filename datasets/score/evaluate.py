"""`make eval`: violations found and false alerts on simulated rounds, chips counted, cards and chips on photographs.

The clips go through the four games and their three dealing methods in turn, simulated anew from seeds that no network was
trained and no threshold tuned on. Their house lays chips singly or spread and says so (`chips_spread`, ADR 16): under a ceiling
camera no stack can be counted; the photographs are not part of the project: name their folder with `--photographs` or
`PITWATCH_PHOTOGRAPHS`.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from datasets.play.games import GAMES, plants_of
from datasets.play.games.base import DEALING
from datasets.score.failures import Album
from datasets.score.intervals import Share
from datasets.score.rounds import ClipScore, ReviewFailedError, score_clip, total
from datasets.score.stacks import DEFAULT_SEED as WAGER_SEED
from datasets.score.stacks import KINDS, print_shares, results
from datasets.score.stills import Looking, StillScore, score_photographs, seeing
from datasets.simulate import SimulationError, play_rounds, simulate

FIRST_SEED = 2001
FPS = 15
"""Frames a second of the clips: the watcher looks for change 15 times a second, and half the frames film twice as fast."""
HONEST_SHARE = 0.25
"""Of the clips, so many carry no mistake at all."""
TRIES = 20
"""How often other mistakes are drawn for a clip whose rounds have no place for those drawn before."""


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip of the evaluation: what is played, and from which seed."""

    seed: int
    game: str
    dealing: str

    @classmethod
    def numbered(cls, number: int) -> Clip:
        """Clip 0, 1, ...: every game and dealing method in turn."""
        tables = [(game, dealing) for dealing in DEALING for game in GAMES]
        return cls(FIRST_SEED + number, *tables[number % len(tables)])

    def plants(self, rounds: int) -> list[str]:
        """Which mistakes it carries: none in a quarter of the clips, else up to three that this table has a place for.

        Raises:
            SimulationError: its rounds have no place for any that were drawn; without mistakes it would count as honest.
        """
        rng = random.Random(self.seed)
        if rng.random() < HONEST_SHARE:
            return []
        kinds = sorted(name for name, kind in plants_of(self.game).items() if self.dealing in kind.dealing)
        for _ in range(TRIES):
            chosen = rng.sample(kinds, min(3, rounds, len(kinds)))
            try:
                play_rounds(self.game, rounds, self.seed, chosen, dealing=self.dealing)
            except SimulationError:
                continue
            return chosen
        raise SimulationError(
            f"clip {self.seed}, {self.game}, {self.dealing}: no place for any of {TRIES} draws of mistakes in {rounds} rounds; give other --rounds"
        )


def evaluate_rounds(clips: int, rounds: int, folder: Path, console: Console, jobs: int = 1) -> list[ClipScore]:
    """Simulate (where not already in `folder`), review and score so many clips, `jobs` at a time."""
    scores = []
    with ThreadPoolExecutor(jobs) as pool:
        for clip, score in pool.map(lambda n: _scored(Clip.numbered(n), rounds, folder), range(clips)):
            if isinstance(score, Exception):
                console.print(f"[red]{score}[/red]")
                continue
            console.print(
                f"clip {clip.seed}, {clip.game}, {clip.dealing}: {score.rounds} rounds, found {len(score.found)} of"
                f" {len(score.expected)}, false alerts {len(score.false_alerts)}"
            )
            for text in score.missed:
                console.print(f"  missed: {text}")
            for text in score.false_alerts:
                console.print(f"  false:  {text}")
            scores.append(score)
    return scores


def _scored(clip: Clip, rounds: int, folder: Path) -> tuple[Clip, ClipScore | ReviewFailedError | SimulationError]:
    try:
        with tempfile.TemporaryDirectory() as out:
            return clip, score_clip(filmed(clip, rounds, folder), Path(out) / "review")
    except (ReviewFailedError, SimulationError) as error:
        return clip, error


def filmed(clip: Clip, rounds: int, folder: Path) -> Path:
    """The folder of a clip, filmed now if it is not there."""
    out = folder / str(clip.seed)
    if not (out / "truth.jsonl").exists():
        simulate(
            clip.game, rounds, clip.seed, clip.plants(rounds), out, fps=FPS, dealing=clip.dealing, chips_spread=True
        )
    return out


def print_kinds(scores: Sequence[ClipScore], console: Console) -> None:
    """Planted mistakes found by check."""
    expected = Counter(text.split()[0] for score in scores for text in score.expected)
    found = Counter(text.split()[0] for score in scores for text in score.found)
    table = Table("check", "found (hits/planted; 95% interval)", title="planted mistakes by check")
    for check in sorted(expected):
        table.add_row(check, str(Share(found[check], expected[check])))
    console.print(table)


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
    parser.add_argument("--clips", type=int, default=12, help="simulated clips (default 12)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds a clip (default 5)")
    parser.add_argument("--folder", type=Path, default=Path("var/eval"), help="where clips are kept between runs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="clips at a time (default: one a core)")
    parser.add_argument(
        "--wagers", type=int, default=150, help="drawn wagers of each kind to count chips in (default 150)"
    )
    parser.add_argument("--photographs", type=Path, default=os.environ.get("PITWATCH_PHOTOGRAPHS"))
    parser.add_argument("--sets", nargs="*", default=[], help="folders of --photographs to score (default: all)")
    parser.add_argument("--most", type=int, help="pictures of each set of photographs, evenly spaced (default: all)")
    parser.add_argument("--worst", type=Path, help="folder for the photographs in which something failed, drawn on")
    given = parser.parse_args(arguments)
    console = Console(width=150)
    scores = evaluate_rounds(given.clips, given.rounds, given.folder, console, given.jobs)
    print_kinds(scores, console)
    found, false, rounds = total(scores)
    console.print(f"violations found from video: {found}; false alerts: {false} in {rounds} rounds")
    if given.wagers:
        print_shares(list(results(KINDS, given.wagers, WAGER_SEED)), console)
    if given.photographs is None:
        console.print("photographs: none given (--photographs DIR or PITWATCH_PHOTOGRAPHS=DIR)")
        return 0 if scores or not given.clips else 1
    looking = Looking(
        seeing(os.cpu_count() or 1),
        Album(given.worst) if given.worst is not None else None,
        given.most,
    )
    stills = score_photographs(Path(given.photographs), looking, given.sets)
    if not stills:
        sets = ", ".join(given.sets) or "photoreal/ or real/*/"
        console.print(
            f"photographs: {given.photographs} holds no {sets}; name the folder that has real/ and photoreal/"
        )
        return 1
    print_stills(stills, console)
    return 0


if __name__ == "__main__":
    sys.exit(main())
