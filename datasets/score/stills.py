"""What `pitwatch see` finds in single pictures, against their truth.

Cards are matched one to one, best overlap first (`datasets.score.overlap`). Chip groups
match within 25 mm of the truth's top or foot. Sets without boxes are scored as multisets of identities. Of a set of many
pictures an evenly spaced sample may be taken (`most`); an `Album` keeps pictures of what went wrong.
"""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from datasets.score.failures import Album, Failure
from datasets.score.intervals import Share
from datasets.score.overlap import inside, match_quads, match_seen, middle

U8 = npt.NDArray[np.uint8]
See = Callable[[U8], dict[str, Any]]
"""A picture in, the answer of `pitwatch see` out."""

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


@dataclass(frozen=True, slots=True)
class Looking:
    """How sets are looked at.

    Attributes:
        see: looks at a picture.
        album: keeps pictures of failures, none if None.
        most: pictures of a set, evenly spaced in the order of their names; all if None.
    """

    see: See
    album: Album | None = None
    most: int | None = None

    def sample(self, paths: Iterable[Path]) -> list[Path]:
        """The pictures of a set that are looked at."""
        found = sorted(paths)
        if self.most is None or len(found) <= self.most:
            return found
        return [found[i * len(found) // self.most] for i in range(self.most)]

    def keep(self, name: str, stem: str, image: U8, answer: dict[str, Any], failures: Sequence[Failure]) -> None:
        """Put a picture into the album, if there is one."""
        if self.album is not None:
            self.album.add(name, stem, image, answer, failures)


def seeing(threads: int = 1) -> See:
    """Looks as `pitwatch see` does, with the project's networks, each of the large ones on so many threads."""
    from models.chip_matcher import ChipMatcher
    from models.chip_reader import ChipReader
    from models.chips_together import ChipsTogether
    from models.detector import Detector
    from models.reader import Reader
    from models.stack_reader import StackReader
    from vision.stills.see import see

    networks = Detector(threads=threads), Reader(threads=threads), ChipReader()
    stack_reader, together = StackReader(single_pictures=True), ChipsTogether(networks[2], ChipMatcher())
    return lambda image: see(image, *networks, stack_reader=stack_reader, together=together)


def score_ray_traced(folder: Path, looking: Looking) -> StillScore:
    """Pictures with exact truth (`NN.jpg`, `NN.json`): cards by visibility, precision, identity, chip groups."""
    score = StillScore("ray-traced tables")
    for truth_path in looking.sample(folder.glob("*.json")):
        truth = json.loads(truth_path.read_text())
        image = _picture(truth_path.with_suffix(".jpg"))
        if image is None:
            continue
        score.pictures += 1
        answer = looking.see(image)
        ignore = [item["polygon_px"] for item in truth["ignore"]]
        failures = _count_cards(score, answer["cards"], truth["cards"], ignore)
        failures += _count_chips(
            score, answer["chips"], truth["chip_groups"], ignore, float(truth["px_per_mm_table_centre"])
        )
        looking.keep("ray-traced", truth_path.stem, image, answer, failures)
    return score


def _picture(path: Path) -> U8 | None:
    image = cv2.imread(str(path))
    return None if image is None else np.asarray(image, np.uint8)


def _count_cards(
    score: StillScore, found: list[dict[str, Any]], truth: list[dict[str, Any]], ignore: list[npt.ArrayLike]
) -> list[Failure]:
    visible = [card for card in truth if card["visible_fraction"] >= 0.2]
    pairs = match_quads([card["corners_px"] for card in found], [card["corners_px"] for card in visible])
    matched = {j for _, j in pairs}
    half = [j for j, card in enumerate(visible) if card["visible_fraction"] >= 0.5]
    score.count("cards found, visible at least half", len(matched & set(half)), len(half))
    rest = set(range(len(visible))) - set(half)
    score.count("cards found, visible 0.2 to 0.5", len(matched & rest), len(rest))
    hits = {i for i, _ in pairs}
    counted = [
        i for i, card in enumerate(found) if i in hits or not inside(ignore, np.mean(card["corners_px"], axis=0))
    ]
    score.count("cards, precision", len(hits), len(counted))
    seen = [(found[i]["card"], visible[j]["card"]) for i, j in pairs if j in half]
    answered = [(said, true) for said, true in seen if said is not None]
    score.count("cards answered", len(answered), len(seen))
    score.count("cards right of answered", sum(said == true for said, true in answered), len(answered))
    failures = [
        Failure("not found", c["card"], middle(c["corners_px"])) for j, c in enumerate(visible) if j not in matched
    ]
    failures += [
        Failure("not read" if said is None else f"read as {said}", true, middle(visible[j]["corners_px"]))
        for (said, true), (_, j) in zip(seen, (pair for pair in pairs if pair[1] in half), strict=True)
        if said != true
    ]
    return failures + [
        Failure("no card", str(found[i]["card"]), middle(found[i]["corners_px"])) for i in counted if i not in hits
    ]


def _count_chips(
    score: StillScore,
    found: list[dict[str, Any]],
    truth: list[dict[str, Any]],
    ignore: list[npt.ArrayLike],
    scale: float,
) -> list[Failure]:
    visible = [group for group in truth if group["visible_fraction"] >= 0.5]
    limit_px = CHIP_MATCH_MM * scale
    used: set[int] = set()
    failures: list[Failure] = []
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
            x, y = group["top_center_px"]
            failures.append(Failure("not found", group["kind"], (float(x), float(y))))
            continue
        used.add(best[1])
        amount = found[best[1]]["amount"]
        score.count(f"chip amounts answered, {group['kind']}", int(amount is not None), 1)
        if amount is not None:
            score.count(f"chip amounts right of answered, {group['kind']}", int(amount == group["amount"]), 1)
            if amount != group["amount"]:
                x, y = group["top_center_px"]
                failures.append(Failure(f"taken for {amount}", f"{group['amount']}", (float(x), float(y))))
    others = [i for i, item in enumerate(found) if i not in used and not inside(ignore, np.asarray(item["center_px"]))]
    score.count("chip groups, precision", len(used), len(used) + len(others))
    return failures + [Failure("no chip", "", tuple(found[i]["center_px"])) for i in others]


def _card(name: str) -> str:
    """`10H` or `TH` as rank and lower-case suit."""
    return name.upper().replace("10", "T")[0] + name[-1].lower()


def _count_multiset(score: StillScore, answer: dict[str, Any], truth: Counter[str], backs: int | None) -> list[Failure]:
    faces = [card["card"] for card in answer["cards"] if card["card"] != "back"]
    said = Counter(card for card in faces if card is not None)
    right = sum((said & truth).values())
    score.count("face cards found (count, at most those there)", min(len(faces), truth.total()), truth.total())
    score.count("face cards named right", right, truth.total())
    score.count("right of answered", right, said.total())
    if backs is not None:
        found = sum(card["card"] == "back" for card in answer["cards"])
        score.count("backs found (count, at most those there)", min(found, backs), backs)
        score.count("of backs told those there (count)", min(found, backs), found)
    failures = [Failure("not named", name) for name in (truth - said).elements()]
    return failures + [Failure("not there", name) for name in (said - truth).elements()]


def score_overhead(folder: Path, looking: Looking) -> StillScore:
    """An overhead poker table, identities by multiset."""
    score = StillScore("overhead_table")
    with (folder / "labels.csv").open() as lines:
        rows = {folder / row["Image"]: row for row in csv.DictReader(lines)}
    for path in looking.sample(rows):
        image = _picture(path)
        if image is None:
            continue
        score.pictures += 1
        names = [value for key, value in rows[path].items() if key[0] in "TP" and key != "Image"]
        truth = Counter(_card(name) for name in names if name != "null")
        answer = looking.see(image)
        failures = _count_multiset(score, answer, truth, names.count("null"))
        failures += _count_colors(score, answer, {color: int(rows[path][key]) for key, color in CHIP_KEYS.items()})
        looking.keep(score.name, path.stem, image, answer, failures)
    return score


CHIP_KEYS = {"R": "red", "G": "green", "B": "blue", "K": "black", "W": "white"}
"""Columns of the overhead table's labels, and the colours they count."""


def _count_colors(score: StillScore, answer: dict[str, Any], truth: Mapping[str, int]) -> list[Failure]:
    """Upper faces of chips by colour: each colour of each picture is one count, exact or not."""
    seen: Counter[str] = Counter()
    for group in answer["chips"]:
        seen.update(group["colors"] or {})
    failures = []
    for color, count in truth.items():
        score.count("chips counted by colour, exact", int(seen[color] == count), 1)
        score.count("chips counted by colour, too many", int(seen[color] > count), 1)
        if seen[color] != count:
            failures.append(Failure(f"{seen[color]} chips of {count}", color))
    return failures


def score_green_felt(folder: Path, looking: Looking) -> StillScore:
    """A webcam above dark felt, identities by multiset."""
    score = StillScore("green_felt")
    labels = {folder / name: told for name, told in json.loads((folder / "labels.json").read_text()).items()}
    for path in looking.sample(labels):
        image = _picture(path)
        if image is None:
            continue
        score.pictures += 1
        truth = Counter(_card(card) for card in labels[path]["cards"])
        answer = looking.see(image)
        looking.keep(score.name, path.stem, image, answer, _count_multiset(score, answer, truth, None))
    return score


def score_corner_indices(folder: Path, classes: Path, looking: Looking) -> StillScore:
    """Pictures labelled by boxes of corner indices: an answered card is right if an index of its name lies in it.

    Args:
        folder: of `*.txt` (YOLO) with `*.jpg`.
        classes: YAML with `names` of the classes.
        looking: how they are looked at.
    """
    import yaml

    names = yaml.safe_load(classes.read_text())["names"]
    score = StillScore(folder.name)
    for label_path in looking.sample(folder.glob("*.txt")):
        image = _picture(label_path.with_suffix(".jpg"))
        if image is None:
            continue
        score.pictures += 1
        height, width = image.shape[:2]
        boxes = [line.split() for line in label_path.read_text().splitlines() if line.strip()]
        marks = [(names[int(b[0])], float(b[1]) * width, float(b[2]) * height) for b in boxes]
        jokers = [("Jo", x, y) for n, x, y in marks if "JOKER" in n]
        faces = [(_card(n), x, y) for n, x, y in marks if "JOKER" not in n and n != "BACK"]
        answer = looking.see(image)
        looking.keep(score.name, label_path.stem, image, answer, _count_indices(score, answer, faces, jokers))
    return score


INDEX_KINDS = ("in no card found", "in a card not read", "in a card called a back", "in a card of another name")
"""What became of an index whose card was not named right there."""


def _count_indices(
    score: StillScore,
    answer: dict[str, Any],
    faces: Sequence[tuple[str, float, float]],
    jokers: Sequence[tuple[str, float, float]] = (),
) -> list[Failure]:
    """Indices (name, x, y) against the outlines found, grown by a tenth: an index lies near the edge of its card. A joker that is named is right; none has to be found."""
    quads = [np.asarray(card["corners_px"], np.float64) for card in answer["cards"]]
    cards = [
        (card["card"], quad.mean(axis=0) + 1.1 * (quad - quad.mean(axis=0)))
        for card, quad in zip(answer["cards"], quads, strict=True)
    ]
    told = [(said, quad) for said, quad in cards if said not in (None, "back")]
    found = sum(inside([quad for said, quad in cards if said != "back"], (x, y)) for _, x, y in faces)
    score.count("corner indices inside a found card", found, len(faces))
    right = [any(n == said and inside([quad], (x, y)) for n, x, y in (*faces, *jokers)) for said, quad in told]
    score.count("right of answered", sum(right), len(told))
    there = {n for n, _, _ in faces}
    score.count("different cards named right", len({said for said, _ in told} & there), len(there))
    failures = [
        Failure("not there", said, middle(quad)) for (said, quad), good in zip(told, right, strict=True) if not good
    ]
    kinds: Counter[str] = Counter()
    for name, x, y in faces:
        holding = {said for said, quad in cards if inside([quad], (x, y))}
        if name in holding:
            continue
        kind = INDEX_KINDS[0 if not holding else 1 if None in holding else 2 if holding == {"back"} else 3]
        kinds[kind] += 1
        failures.append(Failure(kind, name, (x, y)))
    for kind in INDEX_KINDS:
        score.count(f"indices {kind}", kinds[kind], len(faces))
    return failures


def score_ranks(folder: Path, looking: Looking) -> StillScore:
    """Phone photographs labelled by whole boxes and rank only."""
    score = StillScore(folder.name)
    for path in looking.sample(folder.glob("*.xml")):
        image = next(
            (_picture(p) for p in sorted(folder.glob(f"{path.stem}.[jJ]*")) if p.suffix.lower() != ".json"), None
        )
        if image is None:
            continue
        score.pictures += 1
        answer = looking.see(image)
        looking.keep(score.name, path.stem, image, answer, _count_ranks(score, answer, _rank_boxes(path)))
    return score


def _rank_boxes(path: Path) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Ranks and boxes (x0, y0, x1, y1) of a Pascal VOC file."""
    boxes = []
    for item in ET.parse(path).getroot().iter("object"):
        bound = item.find("bndbox")
        assert bound is not None
        x0, y0, x1, y1 = (float(bound.findtext(k) or 0) for k in ("xmin", "ymin", "xmax", "ymax"))
        boxes.append((RANKS.get((item.findtext("name") or "").lower(), "?"), (x0, y0, x1, y1)))
    return boxes


def _count_ranks(
    score: StillScore, answer: dict[str, Any], boxes: Sequence[tuple[str, tuple[float, float, float, float]]]
) -> list[Failure]:
    """A box is drawn about what is seen of a card; boxes and cards go together as `match_seen` says."""
    failures = []
    cards = answer["cards"]
    pairs = match_seen([card["corners_px"] for card in cards], [box for _, box in boxes])
    said_of = {j: cards[i]["card"] for i, j in pairs}
    for j, (rank, (x0, y0, x1, y1)) in enumerate(boxes):
        at, said = ((x0 + x1) / 2, (y0 + y1) / 2), said_of.get(j)
        found = j in said_of and said != "back"
        score.count("cards found", int(found), 1)
        if not found:
            failures.append(Failure("called a back" if said == "back" else "not found", rank, at))
            continue
        score.count("cards answered", int(said is not None), 1)
        if said is not None:
            score.count("ranks right of answered", int(said[0] == rank), 1)
        if said is None or said[0] != rank:
            failures.append(Failure("not read" if said is None else f"read as {said}", rank, at))
    for kind in ("not found", "called a back", "not read"):
        score.count(f"cards {kind}", sum(one.kind == kind for one in failures), len(boxes))
    score.count("cards told that are there", len(pairs), len(cards))
    hits = {i for i, _ in pairs}
    named = [i for i, card in enumerate(cards) if card["card"] not in (None, "back")]
    score.count("cards named that are there", sum(i in hits for i in named), len(named))
    return failures


def score_photographs(root: Path, looking: Looking, only: Sequence[str] = ()) -> list[StillScore]:
    """Every set found under `root` (`photoreal/`, `real/...`), or only those of these folders' names."""
    real = root / "real"
    classes = real / "corner_index_classes.yaml"
    sets: list[tuple[Path, Callable[[Path], StillScore]]] = [
        (root / "photoreal", lambda folder: score_ray_traced(folder, looking)),
        (real / "overhead_table", lambda folder: score_overhead(folder, looking)),
        (real / "green_felt", lambda folder: score_green_felt(folder, looking)),
        (real / "webcam_table", lambda folder: score_corner_indices(folder, classes, looking)),
        (real / "black_deck", lambda folder: score_corner_indices(folder, classes, looking)),
        (real / "pinochle_photos", lambda folder: score_ranks(folder, looking)),
    ]
    return [run(folder) for folder, run in sets if folder.is_dir() and (not only or folder.name in only)]
