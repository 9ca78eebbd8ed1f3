"""Writes training pictures of the detector: `python -m datasets.crops.detector --out DIR --count N --seed S`.

A data set is a folder with `images/{train,val}/*.jpg` and `labels/{train,val}/*.txt` in the YOLO-OBB form: one line a
box, class and four corners as shares of the picture; corners of cards cut by the picture's edge lie outside it. The
same seed and count give the same files however many processes write them.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets.crops.detector_ground import colored_like, distract, ground, print_box, print_circle
from datasets.crops.detector_scenes import Box, Stock, crop_camera, labels, random_scene
from datasets.crops.pool import each_drawn
from datasets.crops.reader_decks import HELD_OUT_DECKS
from datasets.render.compositor import Renderer
from datasets.render.look import Look
from datasets.render.sensor import Sensor, SensorLook
from datasets.render.shapes import Projector
from datasets.render.truth import SceneTruth, scene_truth
from datasets.scene import Scene

U8 = npt.NDArray[np.uint8]
SIZE_PX = 320
"""Side of a crop."""
BATCH = 400
"""Crops that share one stock of designs."""
EMPTY_SHARE = 0.16
"""Share of crops with nothing to find."""
CHIP_SETS, ODD_SHARE = 2, 0.3
"""Chip sets beside each deck, and the share of them with one of the colours that have no name."""
FINE_SHARE = 0.3
"""Share of the decks with a fine back without a border: from above such cards are plates of one colour."""
TABLE_SHARE = 0.45
"""Share of crops on the print of one of the drawn layouts, the others on any ground."""
BLACK_SHARE = 0.25
"""Of grounds like a chip so many are like black ones, which every table has and no lamp tells from a dark felt."""
LIKE_SHARE = 0.3
"""Share of crops with things on them whose ground comes near to the colour of a chip or of the backs."""
PRINT_INKS = ((235, 235, 235), (90, 205, 240), (60, 190, 230), (20, 20, 20))
"""What is printed under wagers and cards, BGR."""

_log = logging.getLogger(__name__)


def crop(rng: np.random.Generator, stock: Stock, size_px: int = SIZE_PX) -> tuple[U8, list[Box]]:
    """Return one random crop, (size, size, 3) BGR, and its labels."""
    _, picture, truth, _ = drawn_scene(rng, stock, size_px)
    return picture, labels(truth)


def drawn_scene(
    rng: np.random.Generator,
    stock: Stock,
    size_px: int = SIZE_PX,
    *,
    scene_of: Callable[[float], Scene] | None = None,
    light: SensorLook | None = None,
) -> tuple[Scene, U8, SceneTruth, Projector]:
    """Return a random scene, its worn picture (size, size, 3) BGR, what is true of it, and the camera.

    Args:
        rng: where all randomness comes from.
        stock: designs; one of its looks is picked.
        size_px: side of the picture.
        scene_of: gives another scene within so many millimetres of the origin; a random one, or an empty one, if None.
        light: sensor and light, any if None.
    """
    px_per_mm = float(np.exp(rng.uniform(np.log(0.75), np.log(1.4))) if rng.random() < 0.6 else rng.uniform(0.92, 1.08))
    cards, look = stock.pick(rng)
    empty = scene_of is None and bool(rng.random() < EMPTY_SHARE)
    scene = Scene()
    if not empty:
        scene = (scene_of or partial(random_scene, rng, cards.names))(0.56 * size_px / px_per_mm)
    of_table = bool(rng.random() < TABLE_SHARE)
    image = stock.table(rng, size_px, px_per_mm) if of_table else ground(rng, size_px, px_per_mm)
    if scene_of is None and not empty and rng.random() < LIKE_SHARE:
        scene, image = like_ground(rng, scene, image, look)
    camera = crop_camera(rng, size_px, px_per_mm)
    if not of_table:
        print_under(rng, image, scene, camera, px_per_mm)
    things = rng.poisson(1.2 if empty else 0.45)
    for _ in range(min(int(things), 4)):
        distract(rng, image, px_per_mm, rng.uniform(0, size_px, 2))
    renderer = Renderer(camera, look, image)
    picture = renderer.draw(scene)
    truth = scene_truth(camera, look, scene, 1.0)
    return scene, worn(rng, stock, picture, light), truth, camera


def like_ground(rng: np.random.Generator, scene: Scene, image: U8, look: Look) -> tuple[Scene, U8]:
    """Return the scene on a ground of nearly the colour of one of its chips or of the backs, most chips of that one colour."""
    colors: list[str] = sorted({chip.color for chip in scene.chips})
    if colors and rng.random() < BLACK_SHARE:
        colors = ["black"]
    backs = [card for card in scene.cards if card.turn < 0.5]
    if backs and (not colors or rng.random() < 0.4):
        picture = look.cards.back()
    elif colors:
        one = colors[int(rng.integers(len(colors)))]
        chips = tuple(replace(c, color=one) if rng.random() < 0.7 else c for c in scene.chips)
        scene, picture = replace(scene, chips=chips), look.chips.top(one)
    else:
        return scene, image
    opaque = picture[..., 3] > 200
    color = np.median(picture[..., :3][opaque], axis=0) + rng.normal(0, 10, 3)
    return scene, colored_like(image, color, float(rng.uniform(0.6, 1.0)))


def print_under(rng: np.random.Generator, image: U8, scene: Scene, camera: Projector, px_per_mm: float) -> None:
    """Print circles under some wagers and boxes around some cards, as on a felt, in place."""
    if rng.random() < 0.5:
        return
    ink = PRINT_INKS[int(rng.integers(len(PRINT_INKS)))]
    width = max(1, round(rng.uniform(1, 4) * px_per_mm))
    for chip in scene.chips:
        if chip.z_mm == 0.0 and rng.random() < 0.5:
            at = camera.image_from_table([(*chip.center_mm, 0.0)])[0] + rng.normal(0, 6, 2)
            print_circle(rng, image, at, float(rng.uniform(26, 46)) * px_per_mm, ink, width)
    for card in scene.cards:
        if rng.random() < 0.4:
            ends = camera.image_from_table([(*card.center_mm, 0.0), _ahead(card.center_mm, card.angle_deg)])
            angle = float(np.degrees(np.arctan2(*(ends[1] - ends[0])[::-1]))) - 90.0
            tight = bool(rng.random() < 0.5)
            most = (76, 102) if tight else (95, 125)
            size = np.array([rng.uniform(66, most[0]), rng.uniform(91, most[1])]) * px_per_mm
            print_box(image, ends[0] + rng.normal(0, 2 if tight else 4, 2), size, angle, ink, width)


def _ahead(center_mm: tuple[float, float], angle_deg: float) -> tuple[float, float, float]:
    angle = np.radians(angle_deg)
    return float(center_mm[0] - 20 * np.sin(angle)), float(center_mm[1] + 20 * np.cos(angle)), 0.0


def _sensed(rng: np.random.Generator, stock: Stock, picture: U8, look: SensorLook) -> U8:
    """The picture through the sensor, its noise taken from the stock's since drawing noise anew is slow."""
    size = picture.shape[0]
    flat = replace(look, noise=0.0, jpeg_quality=0)
    image = Sensor(flat, (size, size), int(rng.integers(1 << 31)))(picture)
    if look.noise > 0.2:
        kind, y, x = int(rng.integers(len(stock.noise))), int(rng.integers(40)), int(rng.integers(40))
        field = stock.noise[kind, y : y + size, x : x + size] * np.float32(look.noise)
        image = np.asarray(cv2.add(image, field, dtype=cv2.CV_8U), np.uint8)
    if look.jpeg_quality:
        data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg_quality])[1]
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return image


def worn(rng: np.random.Generator, stock: Stock, picture: U8, light: SensorLook | None = None) -> U8:
    """Return the square picture after light (any if None), a coarser camera, sharpening and its sensor; at most 320 px."""
    size = picture.shape[0]
    look = light or SensorLook.random(rng, hard=float(rng.uniform(0.2, 1.0)))
    if rng.random() < 0.55:
        share = float(rng.uniform(0.5, 1.0))
        small = max(8, round(size * share))
        picture = np.asarray(cv2.resize(picture, (small, small), interpolation=cv2.INTER_AREA), np.uint8)
        worn = _sensed(rng, stock, picture, replace(look, noise=look.noise * share, blur_px=look.blur_px * share))
        worn = np.asarray(cv2.resize(worn, (size, size), interpolation=cv2.INTER_LINEAR), np.uint8)
    else:
        worn = _sensed(rng, stock, picture, look)
    if rng.random() < 0.2:
        soft = cv2.GaussianBlur(worn, (0, 0), 1.2)
        worn = np.asarray(cv2.addWeighted(worn, 1.6, soft, -0.6, 0), np.uint8)
    if rng.random() < 0.06:
        kernel = np.zeros((9, 9), np.float32)
        length = int(rng.integers(3, 9))
        kernel[4, (9 - length) // 2 : (9 - length) // 2 + length] = 1.0
        turn = cv2.getRotationMatrix2D((4, 4), float(rng.uniform(0, 180)), 1.0)
        kernel = np.asarray(cv2.warpAffine(kernel, turn, (9, 9)), np.float32)
        worn = np.asarray(cv2.filter2D(worn, -1, kernel / max(float(kernel.sum()), 1e-6)), np.uint8)
    if rng.random() < 0.04:
        worn = np.asarray(cv2.cvtColor(cv2.cvtColor(worn, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR), np.uint8)
    return worn


def label_text(boxes: list[Box], size_px: int = SIZE_PX) -> str:
    """Return the label file of a crop."""
    lines = []
    for box in boxes:
        shares = (box.corners_px + 0.5) / size_px
        lines.append(f"{box.class_id} " + " ".join(f"{v:.5f}" for v in shares.ravel()))
    return "\n".join(lines) + ("\n" if lines else "")


def write_batch(out: Path, split: str, seed: int, first: int, count: int, decks: Path | None = None) -> int:
    """Write crops `first` .. `first + count` of a split; returns how many boxes they have."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, first, 1 if split == "val" else 0))
    stock = Stock(
        rng,
        split,
        installed=installed(decks, split),
        chip_sets=CHIP_SETS,
        odd_share=ODD_SHARE,
        fine_share=FINE_SHARE,
    )
    total = 0
    for index in range(first, first + count):
        image, boxes = crop(rng, stock)
        total += len(boxes)
        label = out / "labels" / split / f"{index:06d}.txt"
        if not cv2.imwrite(str(out / "images" / split / f"{index:06d}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 95]):
            raise OSError(f"{out}: cannot write picture {index}; is the disk full or the folder read-only?")
        label.write_text(label_text(boxes))
    return total


def installed(decks: Path | None, split: str) -> list[Path]:
    """Folders of the decks of a split that `datasets.crops.reader_decks` wrote to `decks`."""
    if decks is None:
        return []
    return sorted(p for p in decks.iterdir() if p.is_dir() and (p.name in HELD_OUT_DECKS) == (split == "val"))


def write(
    out: Path, split: str, count: int, seed: int, processes: int = 1, first: int = 0, decks: Path | None = None
) -> None:
    """Write crops `first` (rounded down to whole batches) to `count` of a split ("train" or "val" decks) below `out`."""
    for kind in ("images", "labels"):
        (out / kind / split).mkdir(parents=True, exist_ok=True)
    starts = range(first // BATCH * BATCH, count, BATCH)
    jobs = [(out, split, seed, s, min(BATCH, count - s), decks) for s in starts]
    for done, boxes in enumerate(each_drawn(processes, write_batch, jobs)):
        _log.info("%s: batch %d of %d, %d boxes", split, done + 1, len(jobs), boxes)


def main() -> None:
    """Read the command line and write the data set."""
    parser = argparse.ArgumentParser(description="Write training pictures of the detector.")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    parser.add_argument("--count", type=int, default=12000, help="training crops")
    parser.add_argument("--val-count", type=int, default=600, help="validation crops with held-out deck designs")
    parser.add_argument("--first", type=int, default=0, help="go on from this training crop")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--deck-dir", type=Path, help="decks written by datasets.crops.reader_decks")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if args.val_count:
        write(args.out, "val", args.val_count, args.seed, args.processes, decks=args.deck_dir)
    if args.count:
        write(args.out, "train", args.count, args.seed, args.processes, args.first, args.deck_dir)


if __name__ == "__main__":
    main()
