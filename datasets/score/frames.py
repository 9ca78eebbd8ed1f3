"""Cards in single frames of simulated films: `python -m datasets.score.frames FILM... [--every S] [--worst DIR]`.

A film is a folder written by `pitwatch simulate` or `make eval`, whose truth lists every card of every tenth frame. Such frames
are looked at one by one, each area by itself as the watcher looks at it and with nothing known from others: detector, outlines laid onto
edges, reader. The camera is found in the frame itself. Cards at rest of which at least half is seen are to be found (IoU 0.5, before any card that is seen less) and, face up, to be named.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

from calibration.camera import CalibrationError
from calibration.layout import Layout, load_layout
from calibration.locate import locate_layout
from datasets.score.evaluate import print_stills
from datasets.score.failures import Album, Failure
from datasets.score.overlap import match_quads, middle
from datasets.score.rounds import read_lines
from datasets.score.stills import StillScore
from models.chip_reader import ChipReader
from models.detector import Detector
from models.reader import Reader
from vision.frames.frame import Frame
from vision.frames.opening import open_source
from vision.frames.rectify import DETECTION_PX_PER_MM, AreaView
from vision.looks.look import CardSight, Looker
from vision.looks.prints import Prints
from vision.observation.observe import CARD_KINDS

HALF, LEAST = 0.5, 0.2
"""Share of a card in sight from which on it has to be found, and below which nobody minds whether it is."""
EVERY_S = 1.0

Item = dict[str, Any]


def score_films(films: Sequence[Path], every_s: float = EVERY_S, album: Album | None = None) -> list[StillScore]:
    """Shares over the frames of each film.

    Raises:
        FileNotFoundError: a folder is no film.
    """
    networks = Detector(), Reader(), ChipReader()
    scores = []
    for film in films:
        if not (film / "truth.jsonl").is_file():
            raise FileNotFoundError(f"{film}: no film with its truth; write one with `pitwatch simulate --out {film}`")
        score = StillScore(film.name)
        layout = load_layout(str(yaml.safe_load((film / "table.yaml").read_text())["layout"]))
        prints = Prints(layout, DETECTION_PX_PER_MM)
        for frame, true in _frames(film, every_s):
            try:
                calibration = locate_layout(frame.image, layout)
            except CalibrationError:
                score.count("table found", 0, 1)
                continue
            score.count("table found", 1, 1)
            score.pictures += 1
            looker = Looker(calibration.camera, *networks, prints)
            seen = list(_seen(frame, layout, looker))
            failures = count_cards(score, seen, [card for card in true["cards"] if _watched(card, layout)])
            if album is not None:
                answer = {"cards": [_told(card) for card in seen], "chips": []}
                album.add(film.name, f"{frame.index:06d}", frame.image, answer, failures)
        scores.append(score)
    return scores


def count_cards(score: StillScore, seen: Sequence[CardSight], true: Sequence[Item]) -> list[Failure]:
    """Adds one frame's cards to a score; returns what went wrong.

    Args:
        score: to add to.
        seen: of the frame.
        true: cards as `datasets.play.camera_truth` lists them.
    """
    half = {j for j, card in enumerate(true) if card["at_rest"] and card["visible_fraction"] >= HALF}
    # Of cards squared up the upper one's outline may fit one below it, that nobody sees, a little better.
    shown = {j for j, card in enumerate(true) if card["visible_fraction"] >= HALF}
    pairs = match_quads([card.corners_px for card in seen], [card["corners_px"] for card in true], shown)
    found = {j for _, j in pairs}
    score.count("cards at rest, seen at least half: found", len(half & found), len(half))
    hits = {i for i, j in pairs}
    minded = [i for i, j in pairs if true[j]["visible_fraction"] >= LEAST]
    ghosts = [card for i, card in enumerate(seen) if i not in hits]
    score.count("cards told that are there", len(minded), len(minded) + len(ghosts))
    failures = [Failure("not found", true[j]["card"], middle(true[j]["corners_px"])) for j in sorted(half - found)]
    failures += [Failure("not there", str(card.card or "unread"), middle(card.corners_px)) for card in ghosts]
    for i, j in pairs:
        if j not in half:
            continue
        said, name, up = seen[i].card, true[j]["card"], true[j]["face"] == "up"
        if up:
            score.count("faces: answered of found", int(said is not None), 1)
        if said is not None:
            score.count("right of answered", int(up and said == name), 1)
        if said != (name if up else None):
            failures.append(
                Failure("not read" if said is None else f"read as {said}", name, middle(true[j]["corners_px"]))
            )
    return failures


def _frames(film: Path, every_s: float) -> Iterator[tuple[Frame, Item]]:
    """Frames with cards on the table, and their truth."""
    wanted: dict[int, Item] = {}
    last_s = -every_s
    for line in read_lines(film / "truth.jsonl"):
        if line["type"] == "frame" and line["cards"] and line["t_s"] >= last_s + every_s:
            wanted[line["frame"]] = line
            last_s = line["t_s"]
    source = open_source(str(film / "video.mp4"))
    try:
        for frame in source:
            if frame.index in wanted:
                yield frame, wanted[frame.index]
    finally:
        source.close()


def _watched(card: Item, layout: Layout) -> bool:
    """Whether a card lies in an area whose cards are looked at."""
    return any(area.kind in CARD_KINDS and area.contains(*card["center_mm"]) for area in layout.areas)


def _seen(frame: Frame, layout: Layout, looker: Looker) -> Iterator[CardSight]:
    for area in layout.areas:
        if area.kind in CARD_KINDS:
            view = AreaView.around(area.polygon_mm, looker.camera)
            yield from looker.look(frame.image, view, area.polygon_mm, frame=frame.index, t_s=frame.t_s).cards


def _told(card: CardSight) -> Item:
    return {"card": "back" if card.back else card.card, "corners_px": card.corners_px.tolist()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of the films and of all together."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "films", type=Path, nargs="+", metavar="FILM", help="folders with video.mp4, table.yaml, truth.jsonl"
    )
    parser.add_argument("--every", type=float, default=EVERY_S, help=f"seconds between frames (default {EVERY_S})")
    parser.add_argument("--worst", type=Path, help="folder for frames in which something failed, drawn on")
    given = parser.parse_args(arguments)
    try:
        scores = score_films(given.films, given.every, Album(given.worst) if given.worst is not None else None)
    except FileNotFoundError as error:
        parser.error(str(error))
    whole = StillScore("all")
    for score in scores:
        whole.pictures += score.pictures
        for measure, share in score.shares.items():
            whole.count(measure, share.hits, share.total)
    print_stills([*scores, whole] if len(scores) > 1 else scores, Console(width=150))
    return 0


if __name__ == "__main__":
    sys.exit(main())
