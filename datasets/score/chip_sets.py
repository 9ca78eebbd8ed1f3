"""How well chip sets are learned: `python -m datasets.score.chip_sets [--count N] [--seed S]`.

Each set has a design of its own that no network was trained on. One picture with a chip of each colour is learned from, in
good light; then two more pictures of the same chips, in other light, scale and tilt, are read by what was learned. "Odd" sets
have one colour that is none of the seven the chip reader knows (`datasets.draw.chips.ODD_COLORS`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from datasets.draw.chip_rows import ChipView, chips_pictured
from datasets.draw.chips import CHIP_COLORS, ODD_COLORS, ChipDesign
from datasets.render.look import Light
from datasets.render.sensor import SensorLook
from datasets.score.intervals import Share
from models.chip_matcher import ChipMatcher, HouseChips
from models.chip_reader import ChipReader
from models.detector import Detector
from vision.looks.chips import chip_colors
from vision.stills.chip_finding import faults_of_light, faults_of_place, find_chips
from vision.stills.chip_set import faults_of_names, learn_chips
from vision.stills.see import BothWays

DEFAULT_COUNT, DEFAULT_SEED = 60, 20261121
STEP_MM = 62.0
"""From chip to chip."""
READ_PICTURES = 2
"""Pictures read with each set that was learned."""
SAME_CHIP = 0.5
"""A chip is found where one is seen nearer than this share of its radius."""


@dataclass(frozen=True, slots=True)
class SetScore:
    """One chip set.

    Attributes:
        kind: "usual", or the odd colour.
        learned: it was not refused.
        why: the first reason where it was.
        chips: in the pictures read.
        found: of them.
        answered: of those found.
        wrong: of those answered: called by the name of another chip of the set.
    """

    kind: str
    learned: bool
    why: str = ""
    chips: int = 0
    found: int = 0
    answered: int = 0
    wrong: int = 0


def scores(count: int, seed: int, *, odd: bool) -> Iterator[SetScore]:
    """Learn and read so many sets."""
    detector, readers = BothWays(Detector()), (ChipReader(), ChipMatcher())
    for number in range(count):
        rng = np.random.default_rng((seed, number, int(odd)))
        yield _scored(rng, detector, readers, list(ODD_COLORS)[number % len(ODD_COLORS)] if odd else None)


def _scored(
    rng: np.random.Generator, detector: BothWays, readers: tuple[ChipReader, ChipMatcher], odd: str | None
) -> SetScore:
    colors = [str(c) for c in rng.permutation(list(CHIP_COLORS))[: int(rng.integers(4, 7))]]
    chip_set = ChipDesign.random(rng)
    if odd is not None:
        chip_set = chip_set.in_odd_color(colors[0], odd)
    kind = odd or "usual"
    view = ChipView(float(rng.uniform(1.2, 3.0)), float(rng.uniform(0, 25)), good_light(rng), Light.random(rng), None)
    picture, faces = chips_pictured(chip_set, colors, _row(len(colors)), view, seed=int(rng.integers(1 << 31)))
    chips = find_chips(picture, detector, view.px_per_mm)
    if len(chips) != len(colors):
        return SetScore(kind, False, f"{len(chips)} of {len(colors)} chips found")
    size = (picture.shape[1], picture.shape[0])
    faults = faults_of_place(chips, size) or faults_of_light(picture, chips)
    learned = [] if faults else learn_chips(picture, chips, *readers)
    faults = faults or faults_of_names(learned)
    if faults:
        return SetScore(kind, False, faults[0].what)
    order = [int(np.argmin(np.hypot(*(faces - chip.center_px).T))) for chip in chips]
    names = {colors[place]: one.color for place, one in zip(order, learned, strict=True)}
    house = HouseChips({one.color: one.face for one in learned if one.color and one.face is not None}, *readers)
    read = np.zeros(4, int)
    for _ in range(READ_PICTURES):
        read += _read(rng, detector, house, chip_set, colors, {color: name or "" for color, name in names.items()})
    return SetScore(kind, True, "", *(int(v) for v in read))


def _read(
    rng: np.random.Generator,
    detector: BothWays,
    house: HouseChips,
    chip_set: ChipDesign,
    colors: Sequence[str],
    names: dict[str, str],
) -> tuple[int, int, int, int]:
    """Chips of another picture, found, answered, wrong; an answer is a name that some chip of the set has."""
    shuffled = [str(c) for c in rng.permutation(colors)]
    view = ChipView(
        float(rng.uniform(1.0, 2.5)), float(rng.uniform(0, 35)), SensorLook.random(rng, 0.7), Light.random(rng), None
    )
    picture, faces = chips_pictured(chip_set, shuffled, _row(len(colors)), view, seed=int(rng.integers(1 << 31)))
    chips = find_chips(picture, detector, view.px_per_mm)
    said = chip_colors(picture, [(chip.center_px, chip.axes_px) for chip in chips], house)
    found = answered = wrong = 0
    for color, face in zip(shuffled, faces, strict=True):
        near = [i for i, chip in enumerate(chips) if np.hypot(*(face - chip.center_px)) < SAME_CHIP * chip.radius_px]
        if not near:
            continue
        found += 1
        name = said[near[0]].name
        if name in names.values():
            answered += 1
            wrong += name != names[color]
    return len(shuffled), found, answered, wrong


def good_light(rng: np.random.Generator) -> SensorLook:
    """Light in which somebody would photograph chips: warm or cold, not dark, without glare."""
    u = rng.uniform
    return SensorLook(
        gain=float(u(0.75, 1.05)), warmth=float(u(-0.5, 0.6)), falloff=float(u(0, 0.2)), noise=float(u(0, 3)),
        blur_px=float(max(0.0, u(-0.4, 0.6))), jpeg_quality=int(rng.integers(70, 97)),
    )  # fmt: skip


def _row(count: int) -> list[tuple[float, float]]:
    return [(STEP_MM * i, 0.0) for i in range(count)]


def print_scores(found: Sequence[SetScore], console: Console) -> None:
    """A row for each kind of set, then why sets were refused."""
    table = Table("sets", "learned", "chips found", "answered", "right of answered", title="chip sets learned")
    kinds = dict.fromkeys(one.kind for one in found)
    for kind in kinds:
        of = [one for one in found if one.kind == kind]
        chips, seen = sum(one.chips for one in of), sum(one.found for one in of)
        told = sum(one.answered for one in of)
        wrong = sum(one.wrong for one in of)
        table.add_row(
            kind,
            str(Share(sum(one.learned for one in of), len(of))),
            str(Share(seen, chips)),
            str(Share(told, seen)),
            str(Share(told - wrong, told)),
        )
    console.print(table)
    for one in found:
        if not one.learned:
            console.print(f"{one.kind}: {one.why}", highlight=False, markup=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=DEFAULT_COUNT, help="sets of each of the two kinds")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    given = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    found = [one for odd in (False, True) for one in scores(given.count, given.seed, odd=odd)]
    print_scores(found, Console(width=150))
    return 0


if __name__ == "__main__":
    sys.exit(main())
