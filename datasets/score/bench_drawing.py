"""How fast training pictures and films are drawn: `python -m datasets.score.bench_drawing`, a part of `make bench`.

Detector crops, reader crops and whole frames of a film (1920 x 1080) are drawn on one core and, turn by turn with them, the same
pictures are compressed to JPEG by OpenCV. What counts is processor time of this process, and the ratio to JPEG within the turn:
a busy or slow machine blurs both alike.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass

import cv2
import numpy as np
import numpy.typing as npt
from rich.table import Table

from datasets.crops.chips import crops_of_scene
from datasets.crops.detector import crop as detector_crop
from datasets.crops.detector_scenes import Stock
from datasets.crops.reader import CropMaker
from datasets.play.film import Film, exposures
from datasets.play.room import make_room
from datasets.score.printing import tell
from datasets.simulate import play_rounds

U8 = npt.NDArray[np.uint8]
Draw = Callable[[], list[U8]]
"""Draws the pictures of a turn."""
TURNS = 7
SEED = 7
JPEG_QUALITY = 90
FPS = 15
FILM_SIZE = (1920, 1080)
FILM_START_S = 12.0
"""The round is under way by then."""
PICTURES = {
    "detector crops, 320 px": 12,
    "reader crops, 128 x 192 px": 60,
    "chip crops, 32 px": 30,
    "film frames, 1080p": 15,
}
"""Pictures of a turn, at least."""


@dataclass(frozen=True, slots=True)
class DrawingRate:
    """Pictures a processor second: median of the turns, slowest and fastest; and how many JPEGs are made in the time of one."""

    what: str
    pictures: int
    median: float
    slowest: float
    fastest: float
    jpegs_a_second: float
    jpegs_each: float


def drawers() -> Mapping[str, Draw]:
    """By name of what they draw, functions that draw the pictures of one turn."""
    rng = np.random.default_rng((SEED, 3))
    stock = Stock(rng, "train", decks=3, faces=3, hands=3, tables=1)
    maker = CropMaker(SEED, [], drawn=4)
    film = _film_frames()
    count = list(PICTURES.values())

    def chips() -> list[U8]:
        out: list[U8] = []
        while len(out) < count[2]:
            out += [picture for picture, _ in crops_of_scene(rng, stock)]
        return out

    draw: tuple[Draw, ...] = (
        lambda: [detector_crop(rng, stock)[0] for _ in range(count[0])],
        lambda: [maker.crop().image for _ in range(count[1])],
        chips,
        lambda: [next(film) for _ in range(count[3])],
    )
    return dict(zip(PICTURES, draw, strict=True))


def _film_frames() -> Iterator[U8]:
    """Frames of a film from the middle of a round on, planar YUV as the video coder is given them."""
    recording = play_rounds("raise_it_up", 3, SEED)
    room = make_room(recording.layout, SEED, FILM_SIZE, hands=1 + len(recording.seats))
    film = Film(room, SEED)
    scale = room.camera.px_per_mm_at((0.0, 500.0, 0.0))
    number = 0
    while True:
        t_s = FILM_START_S + number / FPS
        moment, *later = exposures(recording.stage, recording.places, t_s % recording.length_s, scale)
        yield film.frame(moment, number, later)
        number += 1


def measured(what: str, draw: Draw, turns: int = TURNS) -> DrawingRate:
    """The rate of one kind of picture over so many turns, after one to warm up."""
    draw()
    rates, jpegs, count = [], [], 0
    for _ in range(turns):
        start = time.process_time()
        pictures = draw()
        middle = time.process_time()
        for picture in pictures:
            cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        end = time.process_time()
        count += len(pictures)
        rates.append(len(pictures) / max(middle - start, 1e-9))
        jpegs.append(len(pictures) / max(end - middle, 1e-9))
    each = statistics.median(jpeg / rate for rate, jpeg in zip(rates, jpegs, strict=True))
    return DrawingRate(what, count, statistics.median(rates), min(rates), max(rates), statistics.median(jpegs), each)


def tables(turns: int = TURNS) -> tuple[list[Table], list[dict[str, object]]]:
    """What `make bench` prints, and the same as JSON values."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        rates = [measured(what, draw, turns) for what, draw in drawers().items()]
    finally:
        cv2.setNumThreads(threads)
    heads = (
        "drawn",
        "pictures",
        "a core second",
        "slowest, fastest turn",
        "JPEGs of them a core second",
        "time of one, in JPEGs",
    )
    table = Table(*heads, title=f"drawing, one core, {turns} turns")
    for rate in rates:
        table.add_row(
            rate.what, str(rate.pictures), f"{rate.median:.1f}", f"{rate.slowest:.1f}, {rate.fastest:.1f}",
            f"{rate.jpegs_a_second:.0f}", f"{rate.jpegs_each:.1f}",
        )  # fmt: skip
    return [table], [asdict(rate) for rate in rates]


def main() -> int:
    """Print this part of the bench."""
    tell(*tables())
    return 0


if __name__ == "__main__":
    sys.exit(main())
