"""Cards and chips in a single picture of any size, without a table around it: what `pitwatch see` prints.

The cards tell where the camera stands (`vision.stills.pose`); from there on a picture is looked at as the frames of a film are: the
whole plane from straight above, cards fitted with their exact size, chips counted by their sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.detections import BACK, FACE, Detections
from models.detector import rotated_iou, suppress
from vision.frames.picture import Image
from vision.frames.rectify import DETECTION_PX_PER_MM, AreaView, refined_corners
from vision.looks.chips import ChipReaderLike, amount_cents
from vision.looks.counting import StackReaderLike
from vision.looks.fit import Edges, fitted_card
from vision.looks.look import MIN_CONFIDENCE as LOOKED_AT
from vision.looks.look import CardSight, ChipSight, DetectorLike, Look, Looker
from vision.looks.reading import HALF_PX, ReaderLike, cut_cards
from vision.looks.search import search_unread, undisputed
from vision.looks.spreads import OVERLAP_MM
from vision.looks.turned import seen_turned
from vision.stills.chip_naming import ChipsTogetherLike, is_stacked, named_together
from vision.stills.contrast import stands_out
from vision.stills.explained import explained
from vision.stills.fans import search_fans
from vision.stills.outline import bright_outline
from vision.stills.pose import Pose, pose_of_cards, straight_above
from vision.stills.scale import MOST_MM, detected, scaled, unsqueezed
from vision.stills.sides import Outline, measured
from vision.stills.slopes import search_slopes

FloatArray = npt.NDArray[np.float64]

CHIP_VALUES: Mapping[str, int] = {"white": 1, "red": 5, "green": 25, "black": 100, "purple": 500, "orange": 1000}
"""Worth of each colour in dollars where no chip set is given; blue is a colour without a value."""
MIN_CONFIDENCE = 0.35
"""Detections below are not given, but for cards that are read."""
WEAK_BACK, NO_BACK, OVERLAPS = 0.6, 0.2, 0.02
"""A card found face down more weakly, of which the reader says less surely that it is a back, though no other card's outline overlaps it (IoU), is none: of wood and carpet the detector finds some, the reader
hardly ever. In drawn scenes of sets kept aside six of 17 things that are none are dropped so, and of 142 backs two, 14% and 22% in sight."""
WEAK_CARD = 0.1
"""Cards found more weakly are not looked at. Of ten found with less than 0.35 that bore a name in 164 photographs all were right."""
TOUCH_MM = 43.0
"""Chips whose middles are nearer than this touch: a chip is 39 mm wide. A stack is a thing by itself beside what only touches it: one of a group has to overlap it."""
LEAST_SUPPORT = 1.5
"""Cards that must agree on where the camera stands; else it is taken to look straight down."""
OTHER_SCALE = 1.25
"""A camera that makes cards larger or smaller than this, as a factor, than the scale told or found is not believed."""
HEIGHTS_OFF = 0.1
"""Heights above the table may be so far off where cards alone tell where the camera stands. With heights off by 15% (standard deviation) 229 of 672 drawn stacks were told, 21 of them
wrongly; of those that are told alike with heights a tenth lower and higher, 111, one."""
FARTHEST = 0.4
"""Parts of the picture whose scale is below this share of its middle's are not looked at: a card is too small there."""


def see(
    image: Image,
    detector: DetectorLike,
    reader: ReaderLike,
    chip_reader: ChipReaderLike,
    *,
    stack_reader: StackReaderLike | None = None,
    together: ChipsTogetherLike | None = None,
    px_per_mm: float | None = None,
    chip_values: Mapping[str, int] = CHIP_VALUES,
    chips_spread: bool = False,
    min_confidence: float = MIN_CONFIDENCE,
) -> dict[str, Any]:
    """Everything seen in a picture, as plain JSON values.

    Args:
        image: (h, w, 3) uint8 BGR.
        detector: finds cards and chips.
        reader: reads cards.
        chip_reader: names chips.
        stack_reader: counts chips on one another where their sides are seen; without it nothing counts them.
        together: judges the names of all chips once they are known, and names those that lie alone and were left open; without it names stay as they are.
        px_per_mm: scale of the picture where known; else estimated, and a square picture is looked at in the shape it had
            before it was squeezed (`vision.stills.scale.unsqueezed`).
        chip_values: worth of each colour, in any unit.
        chips_spread: nobody stacks chips here, so that a chip seen alone is one chip.
        min_confidence: cards that are found more weakly and not read, and groups of chips none of which is surer, are left out.

    Returns:
        `px_per_mm` (where it was squeezed, along the side that was not) and `tilt_deg` at the picture's middle (None where nothing was
        found to estimate them from), `cards` and `chips` in pixels of the picture given, as the command documents.

    Raises:
        ValueError: `px_per_mm` is no scale of a picture of a table.
    """
    if px_per_mm is not None and not 0.01 < px_per_mm < 1000:
        raise ValueError(f"px_per_mm must be a scale in pixels per millimetre between 0.01 and 1000, got {px_per_mm}")
    given, scale = image, px_per_mm
    if scale is None:
        image, scale = unsqueezed(given, detector, reader)
    if scale is None:
        return {"px_per_mm": None, "tilt_deg": None, "cards": [], "chips": []}
    squeeze = np.array([given.shape[1] / image.shape[1], given.shape[0] / image.shape[0]])
    looker = Looker(
        straight_above((image.shape[1], image.shape[0]), scale),
        BothWays(detector),
        reader,
        chip_reader,
        stack_reader=stack_reader,
        chips_spread=chips_spread,
        least_card=WEAK_CARD,
        heights_off=HEIGHTS_OFF,
    )
    look = _looked(image, looker, scale)
    cards = _without_ground(image, _given(look.cards, min_confidence), reader)
    for search in (search_unread, search_fans, search_slopes):
        cards = search(image, cards, looker.camera, reader)
    cards = undisputed(image, cards, looker.camera, reader, weak_below=min_confidence)
    cards = _without_ground(image, _given(cards, min_confidence), reader)
    groups = [g for g in _touching(look.chips) if max(chip.confidence for chip in g) >= min_confidence]
    if together is not None:
        groups = named_together(image, groups, looker, together)
    return {
        "px_per_mm": round(looker.camera.px_per_mm_at((0.0, 0.0)), 4),
        "tilt_deg": round(looker.camera.tilt_deg, 1),
        "cards": [_card(card, squeeze) for card in cards],
        "chips": [
            _group(group, chip_values, squeeze, counted=_counted(image, group, groups, cards, looker))
            for group in groups
        ],
    }


class BothWays:
    """A detector that sees every picture a second time turned by half: what it overlooks one way it often finds the other.

    Args:
        detector: finds things one way.
    """

    def __init__(self, detector: DetectorLike) -> None:
        self._detector = detector

    def __call__(self, image_bgr: Image, min_confidence: float = 0.25) -> Detections:
        """What is found either way, each thing once, best first."""
        first = self._detector(image_bgr, min_confidence)
        other = seen_turned(image_bgr, 2, False, self._detector, min_confidence)
        return suppress(Detections.joined([first, other.at(np.roll(other.corners_px, 2, axis=1))]))


def _looked(image: Image, looker: Looker, px_per_mm: float) -> Look:
    """What is seen once the camera stands where the cards say: found roughly first, then from what was seen from there."""
    size = (image.shape[1], image.shape[0])
    pose = pose_of_cards(_outlines(image, detected(image, looker.detector, px_per_mm, MIN_CONFIDENCE), px_per_mm), size)
    if pose is None or not _credible(pose, px_per_mm):
        return _look(image, looker)
    looker.stand_at(pose.camera)
    look = _look(image, looker)
    sure = [card.corners_px for card in look.cards if card.confidence >= LOOKED_AT]
    better = pose_of_cards(_own_outlines(image, sure), size, pose.camera)
    if better is None or not _credible(better, px_per_mm):
        return look
    looker.stand_at(better.camera)
    return _look(image, looker)


def _credible(pose: Pose, px_per_mm: float) -> bool:
    factor = pose.camera.px_per_mm_at((0.0, 0.0)) / px_per_mm
    return pose.support >= LEAST_SUPPORT and 1 / OTHER_SCALE < factor < OTHER_SCALE


def _look(image: Image, looker: Looker) -> Look:
    """Everything on the plane."""
    polygon = _in_sight(looker.camera)
    return looker.look(image, AreaView.around(polygon, looker.camera, margin_mm=0.0), polygon)


def _in_sight(camera: Camera) -> FloatArray:
    """(4, 2) rectangle on the table that holds what is seen of it at a useful scale, mm."""
    width, height = camera.size_px
    pixels = np.stack(np.meshgrid(np.linspace(0, width, 25), np.linspace(0, height, 25)), axis=-1).reshape(-1, 2)
    points = camera.table_from_image(pixels)
    least = FARTHEST * camera.px_per_mm_at((0.0, 0.0))
    near = [p for p in points if np.isfinite(p).all() and camera.px_per_mm_at(p) >= least]
    low, high = np.min(near, axis=0), np.max(near, axis=0)
    low, high = np.maximum(low, -MOST_MM / 2), np.minimum(high, MOST_MM / 2)
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])])


def _outlines(image: Image, found: Detections, px_per_mm: float) -> list[list[Outline]]:
    """For each card detected, tries at its outline: laid onto its edges, and its own where it stands out."""
    small = scaled(image, px_per_mm)
    edges = Edges.of(small)
    factor = np.array([small.shape[1] / image.shape[1], small.shape[0] / image.shape[0]])
    out = []
    for i in range(len(found)):
        if found.class_id[i] not in (FACE, BACK):
            continue
        corners = found.corners_px[i].astype(np.float64) - HALF_PX
        seen = (corners + HALF_PX) * factor - HALF_PX
        sides = np.linalg.norm(seen - np.roll(seen, -1, axis=0), axis=1)
        size = float(sides[0::2].mean()), float(sides[1::2].mean())
        fitted = fitted_card(edges, seen, DETECTION_PX_PER_MM, size_px=size)
        out.append((fitted + HALF_PX) / factor - HALF_PX)
    return _own_outlines(image, out)


def _own_outlines(image: Image, corners_px: Sequence[FloatArray]) -> list[list[Outline]]:
    """For each card tries at its outline that follow its picture, not the camera it was looked at with."""
    tries = []
    for i, corners in enumerate(corners_px):
        tries.append((i, refined_corners(image, corners, reach=0.07)))
        if (bright := bright_outline(image, corners)) is not None:
            tries.append((i, refined_corners(image, bright, reach=0.04)))
    out: list[list[Outline]] = [[] for _ in corners_px]
    for (i, rough), fine in zip(tries, measured(image, [corners for _, corners in tries]), strict=True):
        out[i] += [fine, Outline.whole(rough)]
    return out


def _given(cards: Sequence[CardSight], min_confidence: float) -> list[CardSight]:
    """The cards surely found, and of the others those that are read, by a name that none of the sure ones bears."""
    borne = {None, *(card.card for card in cards if card.confidence >= min_confidence)}
    return [card for card in cards if card.confidence >= min_confidence or card.card not in borne]


def _without_ground(image: Image, cards: Sequence[CardSight], reader: ReaderLike) -> list[CardSight]:
    """The cards without backs that do not stand out from what they lie on, or that look like none."""
    faces = [card.corners_px for card in cards if card.card is not None]
    return [
        card
        for card in cards
        if not card.back
        or (stands_out(image, card.corners_px, faces) and _looks_like_a_back(image, card, cards, reader))
    ]


def _looks_like_a_back(image: Image, card: CardSight, cards: Sequence[CardSight], reader: ReaderLike) -> bool:
    """Whether a card was surely found face down, lies on or under another, or is a back by what the reader says."""
    if card.confidence >= WEAK_BACK:
        return True
    if any(other is not card and rotated_iou(other.corners_px, card.corners_px) > OVERLAPS for other in cards):
        return True
    return cut_cards(image, [card.corners_px], reader)[0].back_probability >= NO_BACK


def _card(card: CardSight, squeeze: FloatArray) -> dict[str, Any]:
    confidence = card.card_confidence if card.card else card.confidence
    return {
        "card": "back" if card.back else card.card,
        "confidence": round(confidence, 4),
        "corners_px": [[round(float(x), 2), round(float(y), 2)] for x, y in (card.corners_px + HALF_PX) * squeeze],
    }


def _touching(chips: Sequence[ChipSight]) -> list[list[ChipSight]]:
    """The chips in groups that touch, stacks with what overlaps them."""

    def near_by(one: ChipSight, other: ChipSight) -> bool:
        return one.apart_mm(other) < (OVERLAP_MM if is_stacked(one) or is_stacked(other) else TOUCH_MM)

    groups: list[list[ChipSight]] = []
    for chip in chips:
        near = [g for g in groups if any(near_by(chip, other) for other in g)]
        merged = [chip, *(other for group in near for other in group)]
        groups = [group for group in groups if all(group is not other for other in near)] + [merged]
    return groups


def _counted(
    image: Image, group: list[ChipSight], groups: Sequence[list[ChipSight]], cards: Sequence[CardSight], looker: Looker
) -> bool:
    """Whether all chips of a group are known: each thing's number, none may be two, and no other chip sticks out from under one that lies there."""
    if any(chip.count is None or chip.crowded for chip in group):
        return False
    if any(is_stacked(chip) for chip in group):
        return True
    others = [chip.center_mm for other in groups if other is not group for chip in other]
    return explained(image, looker.camera, [chip.center_mm for chip in group], others, [c.corners_mm for c in cards])


def _group(
    group: Sequence[ChipSight], values: Mapping[str, int], squeeze: FloatArray, *, counted: bool
) -> dict[str, Any]:
    """A group as the command prints it: `colors` of all faces and edges, where all were named, `count` and `amount` only if sure.

    A face among others that cannot be named may be no whole face: of two ray-traced spreads with one, both had a chip more than was found.
    """
    known = [chip.chips for chip in group]
    count = sum(len(chips) for chips in known if chips is not None) if counted else None
    stacked = any(is_stacked(chip) for chip in group)
    named = [name for chip, chips in zip(group, known, strict=True) for name in chips or (chip.color.name,)]
    colors = None if None in named or not named else dict(sorted(Counter(n for n in named if n is not None).items()))
    if len(group) > 1 and None in named:
        count = None
    sure = tuple(colors.items()) if colors is not None and count is not None else None
    center = (np.mean([chip.center_px for chip in group], axis=0) + HALF_PX) * squeeze
    return {
        "kind": "stack" if stacked else "single" if len(group) == 1 else "spread",
        "center_px": [round(float(center[0]), 2), round(float(center[1]), 2)],
        "colors": colors,
        "count": count,
        "amount": amount_cents(sure, values),
        "confidence": round(min(chip.confidence for chip in group), 4),
    }
