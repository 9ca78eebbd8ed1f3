"""What `pitwatch see` finds in single pictures, against their truth.

Cards are matched one to one, best overlap first, where the quadrilaterals overlap by an IoU of at least 0.5. Chip groups
match within 25 mm of the truth's top or foot. Sets without boxes are scored as multisets of identities.
"""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from datasets.score.intervals import Share

See = Callable[[npt.NDArray[np.uint8]], dict[str, Any]]
"""A picture in, the answer of `pitwatch see` out."""

MATCH_IOU = 0.5
CHIP_MATCH_MM = 25.0
RANKS = {"ten": "T", "nine": "9", "jack": "J", "queen": "Q", "king": "K", "ace": "A"}


@dataclass(slots=True)
class StillScore:
    """Named shares of one set of pictures, in the order they were first counted."""

    name: str
    pictures: int = 0
    shares: dict[str, Share] = field(default_factory=dict)

    def count(self, measure: str, hits: int, total: int) -> None:
        """Add `hits` of `total` to a measure."""
        self.shares[measure] = self.shares.get(measure, Share(0, 0)) + Share(hits, total)


def quad_iou(a_px: npt.ArrayLike, b_px: npt.ArrayLike) -> float:
    """Intersection over union of two convex quadrilaterals, each (4, 2) in px."""
    a, b = np.asarray(a_px, np.float32), np.asarray(b_px, np.float32)
    area_a, area_b = abs(cv2.contourArea(a)), abs(cv2.contourArea(b))
    if area_a == 0 or area_b == 0:
        return 0.0
    both, _ = cv2.intersectConvexConvex(cv2.convexHull(a), cv2.convexHull(b))
    return float(both / (area_a + area_b - both))


def match_quads(found: Sequence[npt.ArrayLike], truth: Sequence[npt.ArrayLike]) -> list[tuple[int, int]]:
    """Pairs (found, truth) with IoU >= 0.5, each used once, best overlap first."""
    pairs = [(quad_iou(f, t), i, j) for i, f in enumerate(found) for j, t in enumerate(truth)]
    used_found: set[int] = set()
    used_truth: set[int] = set()
    matched = []
    for iou, i, j in sorted(pairs, reverse=True):
        if iou >= MATCH_IOU and i not in used_found and j not in used_truth:
            matched.append((i, j))
            used_found.add(i)
            used_truth.add(j)
    return matched


def _inside(polygons: Iterable[npt.ArrayLike], point: npt.ArrayLike) -> bool:
    x, y = np.asarray(point, np.float64)
    return any(
        cv2.pointPolygonTest(np.asarray(polygon, np.float32).reshape(-1, 1, 2), (float(x), float(y)), False) >= 0
        for polygon in polygons
    )


def score_ray_traced(folder: Path, see: See) -> StillScore:
    """Pictures with exact truth (`NN.jpg`, `NN.json`): cards by visibility, precision, identity, chip groups."""
    score = StillScore("ray-traced tables")
    for truth_path in sorted(folder.glob("*.json")):
        truth = json.loads(truth_path.read_text())
        image = cv2.imread(str(truth_path.with_suffix(".jpg")))
        if image is None:
            continue
        score.pictures += 1
        answer = see(np.asarray(image, np.uint8))
        ignore = [item["polygon_px"] for item in truth["ignore"]]
        _count_cards(score, answer["cards"], truth["cards"], ignore)
        _count_chips(score, answer["chips"], truth["chip_groups"], ignore, float(truth["px_per_mm_table_centre"]))
    return score


def _count_cards(
    score: StillScore, found: list[dict[str, Any]], truth: list[dict[str, Any]], ignore: list[npt.ArrayLike]
) -> None:
    visible = [card for card in truth if card["visible_fraction"] >= 0.2]
    pairs = match_quads([card["corners_px"] for card in found], [card["corners_px"] for card in visible])
    matched = {j for _, j in pairs}
    half = [j for j, card in enumerate(visible) if card["visible_fraction"] >= 0.5]
    score.count("cards found, visible at least half", len(matched & set(half)), len(half))
    rest = set(range(len(visible))) - set(half)
    score.count("cards found, visible 0.2 to 0.5", len(matched & rest), len(rest))
    hits = {i for i, _ in pairs}
    counted = [
        i for i, card in enumerate(found) if i in hits or not _inside(ignore, np.mean(card["corners_px"], axis=0))
    ]
    score.count("cards, precision", len(hits), len(counted))
    seen = [(found[i]["card"], visible[j]["card"]) for i, j in pairs if j in half]
    answered = [(said, true) for said, true in seen if said is not None]
    score.count("cards answered", len(answered), len(seen))
    score.count("cards right of answered", sum(said == true for said, true in answered), len(answered))


def _count_chips(
    score: StillScore,
    found: list[dict[str, Any]],
    truth: list[dict[str, Any]],
    ignore: list[npt.ArrayLike],
    scale: float,
) -> None:
    visible = [group for group in truth if group["visible_fraction"] >= 0.5]
    limit_px = CHIP_MATCH_MM * scale
    used: set[int] = set()
    for group in visible:
        places = np.array([group["top_center_px"], group["base_center_px"]], np.float64)
        distances = [
            (float(np.min(np.linalg.norm(places - np.asarray(item["center_px"]), axis=1))), i)
            for i, item in enumerate(found)
            if i not in used
        ]
        best = min(distances, default=(np.inf, -1))
        hit = best[0] <= limit_px
        score.count(f"chip groups found, {group['kind']}", int(hit), 1)
        if not hit:
            continue
        used.add(best[1])
        amount = found[best[1]]["amount"]
        score.count(f"chip amounts answered, {group['kind']}", int(amount is not None), 1)
        if amount is not None:
            score.count(f"chip amounts right of answered, {group['kind']}", int(amount == group["amount"]), 1)
    others = [i for i, item in enumerate(found) if i not in used and not _inside(ignore, np.asarray(item["center_px"]))]
    score.count("chip groups, precision", len(used), len(used) + len(others))


def _card(name: str) -> str:
    """`10H` or `TH` as rank and lower-case suit."""
    return name.upper().replace("10", "T")[0] + name[-1].lower()


def _count_multiset(score: StillScore, answer: dict[str, Any], truth: Counter[str], backs: int | None) -> None:
    faces = [card["card"] for card in answer["cards"] if card["card"] != "back"]
    said = Counter(card for card in faces if card is not None)
    right = sum((said & truth).values())
    score.count("face cards found (count, at most those there)", min(len(faces), truth.total()), truth.total())
    score.count("face cards named right", right, truth.total())
    score.count("right of answered", right, said.total())
    if backs is not None:
        found = sum(card["card"] == "back" for card in answer["cards"])
        score.count("backs found (count, at most those there)", min(found, backs), backs)


def score_overhead(folder: Path, see: See) -> StillScore:
    """An overhead poker table, identities by multiset."""
    score = StillScore("overhead_table")
    with (folder / "labels.csv").open() as lines:
        for row in csv.DictReader(lines):
            image = cv2.imread(str(folder / row["Image"]))
            if image is None:
                continue
            score.pictures += 1
            names = [value for key, value in row.items() if key[0] in "TP" and key != "Image"]
            truth = Counter(_card(name) for name in names if name != "null")
            _count_multiset(score, see(np.asarray(image, np.uint8)), truth, names.count("null"))
    return score


def score_green_felt(folder: Path, see: See) -> StillScore:
    """A webcam above dark felt, identities by multiset."""
    score = StillScore("green_felt")
    for name, labels in json.loads((folder / "labels.json").read_text()).items():
        image = cv2.imread(str(folder / name))
        if image is None:
            continue
        score.pictures += 1
        truth = Counter(_card(card) for card in labels["cards"])
        _count_multiset(score, see(np.asarray(image, np.uint8)), truth, None)
    return score


def score_corner_indices(folder: Path, classes: Path, see: See) -> StillScore:
    """Pictures labelled by boxes of corner indices: an answered card is right if an index of its name lies in it."""
    import yaml

    names = yaml.safe_load(classes.read_text())["names"]
    score = StillScore(folder.name)
    for label_path in sorted(folder.glob("*.txt")):
        image = cv2.imread(str(label_path.with_suffix(".jpg")))
        if image is None:
            continue
        score.pictures += 1
        height, width = image.shape[:2]
        boxes = [line.split() for line in label_path.read_text().splitlines() if line.strip()]
        marks = [(names[int(b[0])], float(b[1]) * width, float(b[2]) * height) for b in boxes]
        faces = [(_card(n), x, y) for n, x, y in marks if "JOKER" not in n and n != "BACK"]
        cards = [card for card in see(np.asarray(image, np.uint8))["cards"] if card["card"] != "back"]
        quads = [np.asarray(card["corners_px"], np.float64) for card in cards]
        grown = [quad.mean(axis=0) + 1.1 * (quad - quad.mean(axis=0)) for quad in quads]
        found = sum(_inside(grown, (x, y)) for _, x, y in faces)
        score.count("corner indices inside a found card", found, len(faces))
        answered = [(card["card"], quad) for card, quad in zip(cards, grown, strict=True) if card["card"] is not None]
        right = sum(any(n == said and _inside([quad], (x, y)) for n, x, y in faces) for said, quad in answered)
        score.count("right of answered", right, len(answered))
        said = {said for said, _ in answered}
        there = {n for n, _, _ in faces}
        score.count("different cards named right", len(said & there), len(there))
    return score


def score_ranks(folder: Path, see: See) -> StillScore:
    """Phone photographs labelled by whole boxes and rank only."""
    score = StillScore(folder.name)
    for path in sorted(folder.glob("*.xml")):
        image = next(
            (cv2.imread(str(p)) for p in folder.glob(f"{path.stem}.[jJ]*") if p.suffix.lower() != ".json"), None
        )
        if image is None:
            continue
        score.pictures += 1
        boxes = []
        for item in ET.parse(path).getroot().iter("object"):
            bound = item.find("bndbox")
            assert bound is not None
            x0, y0, x1, y1 = (float(bound.findtext(k) or 0) for k in ("xmin", "ymin", "xmax", "ymax"))
            boxes.append((RANKS.get((item.findtext("name") or "").lower(), "?"), (x0, y0, x1, y1)))
        answer = see(np.asarray(image, np.uint8))
        cards = [card for card in answer["cards"] if card["card"] != "back"]
        used: set[int] = set()
        for rank, (x0, y0, x1, y1) in boxes:
            centers = [np.mean(card["corners_px"], axis=0) for card in cards]
            inside = [i for i, (x, y) in enumerate(centers) if i not in used and x0 <= x <= x1 and y0 <= y <= y1]
            score.count("cards found", int(bool(inside)), 1)
            if not inside:
                continue
            used.add(inside[0])
            said = cards[inside[0]]["card"]
            score.count("cards answered", int(said is not None), 1)
            if said is not None:
                score.count("ranks right of answered", int(said[0] == rank), 1)
    return score


def score_photographs(root: Path, see: See) -> list[StillScore]:
    """Every set found under `root` (`photoreal/`, `real/...`)."""
    real = root / "real"
    sets: list[tuple[Path, Callable[[], StillScore]]] = [
        (root / "photoreal", lambda: score_ray_traced(root / "photoreal", see)),
        (real / "overhead_table", lambda: score_overhead(real / "overhead_table", see)),
        (real / "green_felt", lambda: score_green_felt(real / "green_felt", see)),
        (
            real / "webcam_table",
            lambda: score_corner_indices(real / "webcam_table", real / "corner_index_classes.yaml", see),
        ),
        (
            real / "black_deck",
            lambda: score_corner_indices(real / "black_deck", real / "corner_index_classes.yaml", see),
        ),
        (real / "pinochle_photos", lambda: score_ranks(real / "pinochle_photos", see)),
    ]
    return [run() for folder, run in sets if folder.is_dir()]
