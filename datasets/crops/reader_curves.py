"""Curves of the reader on held-out crops: answered and right against index height and visible share, and its calibration.

Part of `python -m datasets.crops.reader_score --held-out FILE --plots DIR`; the half of the crops that served to calibrate is
left out here too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from datasets.score.intervals import Share
from datasets.score.plot import Panel, Plot, Point, Series, svg
from models.reader import JOKER

RANK_MM = 8.0
"""Height of the rank in a usual index, of the small ones: usual ones have 8 to 11 mm, jumbo ones up to 18. The decks differ, so this is scale."""
HEIGHTS_PX = (4.8, 6.0, 7.0, 8.0, 9.5, 11.0, 13.0, 16.0, 20.1)
"""Bounds of the classes of index height; crops are made at 0.6 to 2.5 px per mm."""
VISIBLE = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1.01)
"""Bounds of the classes of visible share; the last is wholly visible."""
SAID = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.000001)
"""Bounds of the classes of said confidence."""
LEAST_RIGHT = 92.0
"""Where the axis of what is right begins, per cent."""


@dataclass(frozen=True, slots=True)
class Bin:
    """One place of a curve.

    Attributes:
        name: of the place.
        answered: named, of the faces there.
        right: right, of those named.
    """

    name: str
    answered: Share
    right: Share


@dataclass(frozen=True, slots=True)
class SaidBin:
    """One place of the calibration curve: how sure the reader said it was on average, and the share that was right."""

    name: str
    said: float
    right: Share


@dataclass(frozen=True, slots=True)
class Scored:
    """Crops with their truth: calibrated probabilities (n, 55), labels, px per mm and visible share (n,), the threshold of each."""

    probabilities: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]
    scale: npt.NDArray[np.float64]
    visible: npt.NDArray[np.float64]
    threshold: npt.NDArray[np.float64]


def by(scored: Scored, values: npt.NDArray[np.float64], bounds: Sequence[float], names: Sequence[str]) -> Iterator[Bin]:
    """Answered and right of the faces in each class of a value; `names` are those of the classes."""
    best, sure = scored.probabilities.argmax(axis=1), scored.probabilities.max(axis=1)
    face = scored.labels <= JOKER
    said = face & (sure >= scored.threshold) & (best <= JOKER)
    for name, (low, high) in zip(names, pairwise(bounds), strict=True):
        here = face & (values >= low) & (values < high)
        named = said & here
        hits = int((named & (best == scored.labels)).sum())
        yield Bin(name, Share(int(named.sum()), int(here.sum())), Share(hits, int(named.sum())))


def calibration(scored: Scored) -> Iterator[SaidBin]:
    """Said confidence against the share right, over all crops whose likeliest class is a card."""
    best, sure = scored.probabilities.argmax(axis=1), scored.probabilities.max(axis=1)
    for low, high in pairwise(SAID):
        here = (best <= JOKER) & (sure >= low) & (sure < high)
        count = int(here.sum())
        name = f"{low:g}-{min(high, 1.0):g}"
        mean = float(sure[here].mean()) if count else (low + min(high, 1.0)) / 2
        yield SaidBin(name, mean, Share(int((best[here] == scored.labels[here]).sum()), count))


def curves(scored: Scored) -> tuple[list[Bin], list[Bin], list[SaidBin]]:
    """By index height, by visible share, and the calibration."""
    heights = by(
        scored, scored.scale * RANK_MM, HEIGHTS_PX, [f"{low:g}-{high:.2g}" for low, high in pairwise(HEIGHTS_PX)]
    )
    names = [*(f"{low:g}-{high:g}" for low, high in pairwise(VISIBLE[:-1])), "whole"]
    return list(heights), list(by(scored, scored.visible, VISIBLE, names)), list(calibration(scored))


def expected_error(bins: Sequence[SaidBin]) -> float:
    """Mean distance of said confidence and share right, weighted by the number of crops (expected calibration error)."""
    total = sum(one.right.total for one in bins)
    return sum(one.right.total * abs(one.said - one.right.value) for one in bins if one.right.total) / max(1, total)


def tables(scored: Scored) -> Iterator[str]:
    """The curves as lines of Markdown tables."""
    heights, visible, said = curves(scored)
    for head, bins in (("index height, px", heights), ("visible share", visible)):
        yield f"| {head} | faces | answered | right of answered |"
        yield "|---|---|---|---|"
        yield from (f"| {one.name} | {one.answered.total} | {one.answered} | {one.right} |" for one in bins)
        yield ""
    yield "| said confidence | crops | mean said | right |"
    yield "|---|---|---|---|"
    yield from (f"| {one.name} | {one.right.total} | {100 * one.said:.2f}% | {one.right} |" for one in said)
    yield ""
    yield f"expected calibration error {100 * expected_error(said):.2f}%"


def write_plots(scored: Scored, folder: Path) -> list[Path]:
    """Write `reader_index_height.svg`, `reader_visible.svg` and `reader_calibration.svg`; their paths."""
    heights, visible, said = curves(scored)
    drawn = {
        "reader_index_height": _curve(
            "Reader on decks it never saw, by the height of the index",
            f"height of the rank in the picture, px (one of {RANK_MM:g} mm at the crop's scale)",
            heights,
        ),
        "reader_visible": _curve("Reader on decks it never saw, by how much is seen", "visible share", visible),
        "reader_calibration": _calibration_plot(said),
    }
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, plot in drawn.items():
        path = folder / f"{name}.svg"
        path.write_text(svg(plot), encoding="utf-8")
        paths.append(path)
    return paths


def _curve(title: str, axis: str, bins: Sequence[Bin]) -> Plot:
    panels = (
        Panel("answered, of all faces", (Series("answered", [_point(one.answered) for one in bins]),), 0, 100),
        Panel("right, of answered", (Series("right", [_point(one.right) for one in bins]),), LEAST_RIGHT, 100),
    )
    return Plot(title, axis, [one.name for one in bins], [one.answered.total for one in bins], panels)


def _calibration_plot(bins: Sequence[SaidBin]) -> Plot:
    right = Series("right", [_point(one.right) for one in bins])
    said = Series("said", [Point(100 * one.said) for one in bins], dashed=True)
    title = "Reader: what it says of its own certainty, and how often it is right"
    counts = [one.right.total for one in bins]
    panels = (Panel("share right, and said confidence", (right, said), 0, 100),)
    return Plot(title, "said confidence of the likeliest card", [one.name for one in bins], counts, panels)


def _point(share: Share) -> Point:
    if not share.total:
        return Point(None)
    low, high = share.interval
    return Point(100 * share.value, 100 * low, 100 * high)
