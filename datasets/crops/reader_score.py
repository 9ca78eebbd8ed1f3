"""Prints how well the reader's weights do on held-out decks and on pictures with card corners as truth.

    python -m datasets.crops.reader_score --held-out RUN/held_out.npz [--weights FILE] [--pictures DIR] [--plots DIR]

`held_out.npz` is what `models.train.reader` leaves in its output folder; none of its crops served to calibrate. `--pictures` is a folder of NN.jpg with NN.json that names `cards` with `card`, `corners_px`
and `visible_fraction`. With `--plots` the curves (`datasets.crops.reader_curves`) are printed as tables and drawn as SVG.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets.crops.reader_curves import Scored, tables, write_plots
from models.reader import BACK, CLASS_NAMES, FINE_PX_PER_MM, JOKER, Reader, card_px_per_mm, rectify_card


@dataclass(frozen=True, slots=True)
class ReadingScore:
    """Counts over crops that show a face: all of them, answered, and wrong among answered; `false` answers on others."""

    faces: int
    answered: int
    wrong: int
    others: int
    false: int

    def __str__(self) -> str:
        low, high = wilson(self.answered - self.wrong, self.answered)
        right = (self.answered - self.wrong) / max(1, self.answered)
        return (
            f"{self.faces} faces: answered {100 * self.answered / max(1, self.faces):.1f}%, of these right "
            f"{100 * right:.2f}% (95%: {100 * low:.2f}..{100 * high:.2f}); {self.false} of {self.others} others called a card"
        )


def wilson(right: int, count: int) -> tuple[float, float]:
    """95% interval of a share (Wilson)."""
    if count == 0:
        return 0.0, 1.0
    z, p = 1.96, right / count
    middle, spread = p + z * z / (2 * count), z * math.sqrt(p * (1 - p) / count + z * z / (4 * count * count))
    return (middle - spread) / (1 + z * z / count), min(1.0, (middle + spread) / (1 + z * z / count))


def score(
    probabilities: npt.NDArray[np.float32], labels: npt.NDArray[np.int64], threshold: float | npt.NDArray[np.float64]
) -> ReadingScore:
    """Counts for calibrated probabilities (n, 55) against labels (n,); one threshold, or one for each."""
    best, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
    said = (sure >= threshold) & (best <= JOKER)
    face = labels <= JOKER
    wrong = said & face & (best != labels)
    return ReadingScore(
        int(face.sum()), int((said & face).sum()), int(wrong.sum()), int((~face).sum()), int((said & ~face).sum())
    )


def held_out(reader: Reader, data: Path) -> tuple[Scored, npt.NDArray[np.str_]]:
    """What the reader says of crops of decks that it does not know, with their truth, and the deck of each crop."""
    kept = np.load(data)
    labels, scale, visible, deck = (kept[k] for k in ("labels", "scale", "visible", "deck"))
    return Scored(reader.probabilities(kept["images"]), labels, scale, visible, _thresholds(reader, scale)), deck


def _thresholds(reader: Reader, px_per_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.array([reader.threshold_at(float(scale)) for scale in px_per_mm])


def held_out_scores(scored: Scored, deck: npt.NDArray[np.str_]) -> Iterator[tuple[str, ReadingScore]]:
    """Scores by scale, visible share and deck."""
    p, labels, scale, visible = scored.probabilities, scored.labels, scored.scale, scored.visible

    def part(which: npt.NDArray[np.bool_]) -> ReadingScore:
        return score(p[which], labels[which], scored.threshold[which])

    yield "all", part(np.ones(len(labels), bool))
    for low, high in ((0.6, 0.8), (0.8, 1.0), (1.0, 1.4), (1.4, 2.5)):
        yield f"{low} to {high} px/mm", part((scale >= low) & (scale < high))
    for low, high in ((0.2, 0.5), (0.5, 0.8), (0.8, 0.99), (0.99, 1.01)):
        yield f"visible {low:.2f} to {min(high, 1.0):.2f}", part((visible >= low) & (visible < high))
    yield "at least 1.0 px/mm and wholly visible", part((scale >= 1.0) & (visible >= 0.99))
    drawn = np.char.startswith(deck, "drawn")
    yield "drawn designs", part(drawn)
    for name in sorted(set(deck[~drawn].tolist()) - {""}):
        yield name, part(deck == name)
    back = labels == BACK
    yield "backs", part(back)


def picture_crops(
    folder: Path,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Crops, labels, visible shares and px per mm of the cards in pictures with truth beside them."""
    crops, labels, visible, scale = [], [], [], []
    for truth in sorted(folder.glob("*.json")):
        said = json.loads(truth.read_text(encoding="utf-8"))
        image = cv2.imread(str(folder / said["image"]))
        if image is None:
            raise FileNotFoundError(f"{folder / said['image']} cannot be read")
        for card in said["cards"]:
            if card["visible_fraction"] >= 0.2 and card["card"] in CLASS_NAMES:
                crops.append(rectify_card(np.asarray(image, np.uint8), card["corners_px"]))
                labels.append(CLASS_NAMES.index(card["card"]))
                visible.append(card["visible_fraction"])
                scale.append(card_px_per_mm(card["corners_px"]))
    return np.stack(crops), np.array(labels, np.int64), np.array(visible, np.float64), np.array(scale)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--plots", type=Path, help="folder for the curves of --held-out, as SVG")
    a = parser.parse_args()
    if a.plots and not a.held_out:
        parser.error("--plots needs --held-out")
    reader = Reader(a.weights)
    lines = [
        f"temperature {reader.temperature:.3f}, threshold {reader.threshold:.4f}, from {FINE_PX_PER_MM} px per mm on {reader.threshold_fine:.4f}"
    ]
    if a.held_out:
        scored, deck = held_out(reader, a.held_out)
        lines += [f"{name:42s} {value}" for name, value in held_out_scores(scored, deck)]
        if a.plots:
            lines += ["", *tables(scored), "", *(f"written: {path}" for path in write_plots(scored, a.plots))]
    if a.pictures:
        crops, labels, visible, scale = picture_crops(a.pictures)
        p, least = reader.probabilities(crops), _thresholds(reader, scale)
        for name, which in (("visible at least half", visible >= 0.5), ("visible 0.2 to 0.5", visible < 0.5)):
            lines.append(f"{a.pictures.name}, {name:24s} {score(p[which], labels[which], least[which])}")
        best = p.argmax(axis=1)
        lines += [
            f"  {CLASS_NAMES[t]} read as {CLASS_NAMES[b]} at {c:.3f}, visible {v:.2f}"
            for t, b, c, v in zip(labels, best, p.max(axis=1), visible, strict=True)
            if t != b
        ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
