"""Makes a data set by a recipe: `pitwatch dataset build --recipe FILE --out DIR`.

    DIR/detector/images|labels/train|val   YOLO-OBB, with data.yaml for Ultralytics and coco_train|val.json for the others
    DIR/reader/train|val/<card>/*.png      rectified cards by class, as image classifiers read them
    DIR/chips|stacks/train|val.npz         arrays of the chip reader and the stack reader
    DIR/manifest.json                      the recipe, and what is complete with its SHA-256

A build that was interrupted goes on with the part it was at; one recipe gives the same files wherever it is made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import yaml

from datasets.crops import chips, detector, stacks
from datasets.crops.pool import each_drawn
from datasets.crops.reader import CropMaker, installed_decks
from datasets.draw.cards import Split
from datasets.recipe import Recipe, RecipeError
from models.detections import CLASS_NAMES as THINGS
from models.reader import CLASS_NAMES as CARDS

READER_BATCH = 1000
"""Cards that share a bank of decks."""
SPLIT_SEEDS = {"train": 0, "val": 1}

Progress = Callable[[str, int, int], None]
"""What is made, parts done, parts in all."""


def build(
    recipe: Recipe, out: Path, *, processes: int = 1, progress: Progress = lambda what, done, total: None
) -> None:
    """Make what is not complete yet.

    Raises:
        RecipeError: `out` holds the data of another recipe.
    """
    out.mkdir(parents=True, exist_ok=True)
    manifest = _manifest(recipe, out)
    for number, ((network, split), count) in enumerate(sorted(recipe.counts.items())):
        name = f"{network}/{split}"
        progress(name, number, len(recipe.counts))
        if name in manifest["complete"]:
            continue
        MAKERS[network](recipe, out / network, split, count, processes)
        manifest["complete"][name] = {"pictures": count, "sha256": _fingerprint(out / network, split)}
        _save(out, manifest)
    progress("complete", len(recipe.counts), len(recipe.counts))


def _manifest(recipe: Recipe, out: Path) -> dict[str, Any]:
    asked = {
        "seed": recipe.seed,
        "decks": sorted(p.name for p in recipe.decks.iterdir() if p.is_dir()) if recipe.decks else [],
        "counts": {f"{network}/{split}": count for (network, split), count in sorted(recipe.counts.items())},
    }
    path = out / "manifest.json"
    if not path.is_file():
        if any(out.iterdir()):
            raise RecipeError(f"{out}: is not empty and has no manifest.json; give an empty folder")
        manifest = {"recipe": asked, "complete": {}}
        _save(out, manifest)
        return manifest
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if kept["recipe"] != asked:
        raise RecipeError(f"{out}: holds the data of another recipe (see manifest.json); give another folder")
    return kept


def _save(out: Path, manifest: dict[str, Any]) -> None:
    part = out / "manifest.json.part"
    part.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    part.replace(out / "manifest.json")


def _fingerprint(folder: Path, split: str) -> str:
    """SHA-256 over the names and contents of a split's files."""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and split in (*p.relative_to(folder).parts, p.stem)):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _detector(recipe: Recipe, out: Path, split: str, count: int, processes: int) -> None:
    detector.write(out, split, count, recipe.seed, processes, decks=recipe.decks)
    (out / f"coco_{split}.json").write_text(json.dumps(coco(out, split)) + "\n", encoding="utf-8")
    described = {"path": ".", "train": "images/train", "val": "images/val", "names": dict(enumerate(THINGS))}
    (out / "data.yaml").write_text(yaml.safe_dump(described, sort_keys=False), encoding="utf-8")


def coco(folder: Path, split: str) -> dict[str, Any]:
    """The split's labels as COCO: upright boxes, the oriented ones as polygons, in px from the picture's outer corner."""
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, label in enumerate(sorted((folder / "labels" / split).glob("*.txt"))):
        side = detector.SIZE_PX
        images.append({"id": number, "file_name": f"images/{split}/{label.stem}.jpg", "width": side, "height": side})
        for line in label.read_text().splitlines():
            class_id, *shares = line.split()
            corners = np.array(shares, np.float64).reshape(4, 2) * side
            (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
            annotations.append(
                {
                    "id": len(annotations) + 1, "image_id": number, "category_id": int(class_id) + 1, "iscrowd": 0,
                    "bbox": [round(float(v), 2) for v in (x0, y0, x1 - x0, y1 - y0)],
                    "area": round(abs(float(cv2.contourArea(corners.astype(np.float32)))), 2),
                    "segmentation": [[round(float(v), 2) for v in corners.ravel()]],
                }
            )  # fmt: skip
    categories = [{"id": k + 1, "name": name} for k, name in enumerate(THINGS)]
    return {"images": images, "annotations": annotations, "categories": categories}


def _reader(recipe: Recipe, out: Path, split: Split, count: int, processes: int) -> None:
    for name in CARDS:
        (out / split / name).mkdir(parents=True, exist_ok=True)
    jobs = [
        (recipe.seed, recipe.decks, out, split, start, min(READER_BATCH, count - start))
        for start in range(0, count, READER_BATCH)
    ]
    for _ in each_drawn(processes, _cards, jobs):
        pass


def _cards(seed: int, decks: Path | None, out: Path, split: Split, first: int, count: int) -> None:
    """Write cards `first` .. `first + count` of a split."""
    cv2.setNumThreads(1)
    given = installed_decks(decks, split) if decks else []
    of_batch = int(np.random.SeedSequence((seed, SPLIT_SEEDS[split], first)).generate_state(1)[0])
    maker = CropMaker(of_batch, given, split)
    for index in range(first, first + count):
        crop = maker.crop()
        path = out / split / CARDS[crop.label] / f"{index:06d}.png"
        if not cv2.imwrite(str(path), crop.image):
            raise OSError(f"{path}: cannot be written; is the disk full or the folder read-only?")


def _chips(recipe: Recipe, out: Path, split: str, count: int, processes: int) -> None:
    chips.write(out / f"{split}.npz", count, 2 * recipe.seed + SPLIT_SEEDS[split], processes)


def _stacks(recipe: Recipe, out: Path, split: str, count: int, processes: int) -> None:
    stacks.write(out / f"{split}.npz", count, 2 * recipe.seed + SPLIT_SEEDS[split], processes)


MAKERS: dict[str, Callable[[Recipe, Path, Any, int, int], None]] = {
    "detector": _detector,
    "reader": _reader,
    "chips": _chips,
    "stacks": _stacks,
}
"""How each network's pictures are made."""
