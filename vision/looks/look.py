"""One look at an area: what the networks see in one frame, in table millimetres.

The detector gets the area from straight above at a fixed scale; each face-up card found is then cut from the camera
picture in its full resolution, its corners put on its own edges, and read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from models.detections import BACK, CHIP, FACE, HAND, STACK, Detections
from vision.frames.picture import Image
from vision.frames.rectify import AreaView, refined_corners
from vision.looks.chips import ChipColor, ChipReaderLike, Place, chip_colors
from vision.looks.counting import ChipCounts, StackReaderLike
from vision.looks.fit import Edges, fitted_card, fitted_disc
from vision.looks.known import KnownCards
from vision.looks.prints import CHIP_LIKE_PRINT, Prints, is_print
from vision.looks.reading import HALF_PX, CardReading, ReaderLike, read_cards
from vision.looks.spreads import Felt, spread_out
from vision.looks.stacks import CHIP_RADIUS_MM, longest_side
from vision.looks.turned import LEAST_SAID, WEAK_CHIP, TurnedChips, nearest

FloatArray = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

MIN_CONFIDENCE = 0.25
"""Detections below are not looked at; between them only chips, where the chip reader is sure of a colour: of 12 such places in 56 pictures of four films, away from
what else was found by half a chip, nine held a chip of a spread that nothing else told. So weak, they leave the amount open."""
SURE_OF_PRINT = 0.85
"""Detections above are taken for things even where they look like print."""
CARDS, CHIPS = (FACE, BACK), (CHIP, STACK)
CARD_APART_MM, CHIP_APART_MM = 20.0, 11.5
"""Two cards, or two chips, whose middles are nearer than this are one; cards laid on one another in a fan are two where each is read and bears a name of its own."""
SAME_CARD_MM = 18.0
"""Sights of different looks nearer than this are the same card, but for two cards of a fan."""
CROWDED_MM = 5.0
"""A chip found so far from another, and nearer than `CHIP_APART_MM`, is taken for it but may be one of its own: of chips that lie alone or are counted
right hardly one has such a neighbour, of rows whose chips were found one too few four of four had."""
SAME_THING_MM = 6.0
"""A chip and a stack found so near to one another are one thing, of which the detector cannot tell which: that it is there is surer than either."""
SIZES_MM = {FACE: (46.0, 112.0), BACK: (46.0, 112.0), CHIP: (27.0, 54.0), STACK: (27.0, 120.0)}
"""Shortest and longest side a box of each class may have."""
SAME_CORNERS_MM = 2.0
"""Corners nearer than this to others make no other cut."""
ONE_CHIP_MM = 46.0
"""Longest side of a box around one chip; two spread chips are longer."""
BORDER_PX = 2
"""Pixels of a view so near to the picture's border step towards the black beyond it: the blur and the slope that edges are found by reach that far."""
CORE_MM = 14.0
"""Half a side of the square about a chip's middle that lies on its face."""
BORNE_OUT = 0.6
"""How surely a chip is there, however weakly found, whose shape is that of what changed: of 9 such in two films none was wrong."""
HAND_CONFIDENCE = 0.5
"""From here on a hand over an area makes the look worthless."""


class DetectorLike(Protocol):
    """Finds cards, chips, stacks and hands; see `models.detector.Detector`."""

    def __call__(self, image_bgr: Image, min_confidence: float = 0.25, /) -> Detections:
        """Oriented boxes in the picture."""


class OnTable:
    """What has its middle at (x, y) on the table, in millimetres."""

    __slots__ = ()
    center_mm: tuple[float, float]

    def apart_mm(self, other: OnTable) -> float:
        """How far the middles of two things lie apart."""
        return float(np.hypot(self.center_mm[0] - other.center_mm[0], self.center_mm[1] - other.center_mm[1]))


@dataclass(frozen=True, slots=True)
class CardSight(OnTable):
    """A card in one look.

    Attributes:
        center_mm: (x, y) of its middle on the table.
        corners_mm: (4, 2) upper left, upper right, lower right, lower left, up to a half turn.
        corners_px: (4, 2) the same in the camera picture, on the card's edges.
        face_up: which side is up.
        confidence: of the detector.
        detected_mm: (4, 2) the corners as the detector gave them.
        card: identity where read, else None.
        card_confidence: of the reading, 0 where there is none.
        back: whether detector or reader took it for the back; a card that is neither this nor `face_up` may be either.
    """

    center_mm: tuple[float, float]
    corners_mm: FloatArray
    corners_px: FloatArray
    face_up: bool
    confidence: float
    detected_mm: FloatArray
    card: str | None = None
    card_confidence: float = 0.0
    back: bool = False


@dataclass(frozen=True, slots=True)
class ChipSight(OnTable):
    """A chip, or a stack of chips, in one look.

    Attributes:
        center_mm: (x, y) of the middle of its box on the felt.
        center_px: the same in the camera picture.
        radius_px: of a chip there.
        confidence: of the detector.
        color: of the upper face.
        stack: whether the detector took it for a stack.
        count: chips on one another; None where the picture does not tell.
        colors: of a known count above one, from the felt up.
        borne_out: whether what changed in the picture has its shape, however weakly it was found.
        crowded: whether another chip was found so near that it was taken for this one, and not so near that it must be.
    """

    center_mm: tuple[float, float]
    center_px: tuple[float, float]
    radius_px: float
    confidence: float
    color: ChipColor
    stack: bool = False
    count: int | None = None
    colors: tuple[str, ...] = ()
    borne_out: bool = False
    crowded: bool = False

    @property
    def chips(self) -> tuple[str | None, ...] | None:
        """The colour of each chip, None where unread; None where their number is unknown."""
        if self.count is None:
            return None
        return (self.color.name,) if self.count == 1 else self.colors

    @property
    def sureness(self) -> float:
        """How surely it is there, by the detector or by what changed in the picture."""
        return max(self.confidence, BORNE_OUT) if self.borne_out else self.confidence

    @property
    def square_mm(self) -> npt.NDArray[np.float64]:
        """(4, 2) corners of the square in its middle that tells whether it came or went."""
        return np.asarray(self.center_mm) + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * CORE_MM


@dataclass(frozen=True, slots=True)
class Look:
    """What one frame shows in one area.

    Attributes:
        frame: its index.
        t_s: its capture time.
        view: the area from straight above.
        hand: whether the detector saw a hand inside.
    """

    frame: int
    t_s: float
    view: Image
    cards: tuple[CardSight, ...]
    chips: tuple[ChipSight, ...]
    hand: bool


class Looker:
    """Looks at areas with the networks.

    Args:
        camera: where the table lies in the picture.
        detector: finds things in a view.
        reader: reads cards.
        chip_reader: names chips.
        prints: the felt's print, which is not taken for chips or cards.
        stack_reader: counts chips on one another; without it a chip that lies alone may be any number.
        chips_spread: the house has wagers laid singly or spread, so that a chip seen alone is one chip.
        least_card: cards found more weakly are not looked at.
        heights_off: as of `vision.looks.counting.ChipCounts`.
    """

    def __init__(
        self,
        camera: Camera,
        detector: DetectorLike,
        reader: ReaderLike,
        chip_reader: ChipReaderLike,
        prints: Prints | None = None,
        *,
        stack_reader: StackReaderLike | None = None,
        chips_spread: bool = False,
        least_card: float = MIN_CONFIDENCE,
        heights_off: float = 0.0,
    ) -> None:
        self.camera = camera
        self.least_card = least_card
        self.counts = ChipCounts(camera, chip_reader, stack_reader, chips_spread=chips_spread, heights_off=heights_off)
        self.prints = prints
        self._bare: dict[tuple[float, ...], Image] = {}
        self._beyond: dict[tuple[float, ...], Mask | None] = {}
        self._known: dict[tuple[float, ...], KnownCards] = {}
        self._turned: dict[tuple[float, ...], TurnedChips] = {}
        self.detector = detector
        self.reader = reader
        self.chip_reader = chip_reader
        self.stack_reader = stack_reader

    def stand_at(self, camera: Camera) -> None:
        """The camera stands elsewhere from now on."""
        self.camera = self.counts.camera = camera
        self._known.clear()
        self._turned.clear()
        self._beyond.clear()

    def look(
        self,
        image: Image,
        view: AreaView,
        polygon_mm: object,
        *,
        frame: int = 0,
        t_s: float = 0.0,
        painted: Image | None = None,
        turned: bool = False,
    ) -> Look:
        """What lies inside the polygon (by its middle) in this picture.

        Args:
            painted: the area's view as the detector is to see it, None for what the picture shows.
            turned: chips hardly seen are looked at turned (`vision.looks.turned`); time lost where nobody asks for chips, or the detector does so by itself.
        """
        cut = view.cut(image)
        found, straight, passed_over = self._kept(
            cut if painted is None else painted, view, painted=painted is not None, turned=turned
        )
        polygon = np.asarray(polygon_mm, dtype=np.float32)[:, :2]
        edges = cache(lambda: Edges.of(cut, self._beyond_of(image, view)))
        cards = []
        for corners, class_id, confidence in zip(found.corners_px, found.class_id, found.confidence, strict=True):
            if class_id not in (FACE, BACK):
                continue
            fitted = view.table_from_view(fitted_card(edges(), corners - HALF_PX, view.px_per_mm))
            if _inside(polygon, fitted):
                detected = view.table_from_view(corners - HALF_PX)
                cards.append(self._card(image, fitted, detected, int(class_id), float(confidence)))
        corners_mm = view.table_from_view(found.corners_px - HALF_PX)
        inside = [_inside(polygon, corners) for corners in corners_mm]
        chips = self._chips(image, cut, view, found, straight, corners_mm, inside, edges)
        chips = _crowded(chips, view.table_from_view(passed_over - HALF_PX))
        hand = any(
            found.class_id[i] == HAND
            and found.confidence[i] >= HAND_CONFIDENCE
            and _overlap(corners_mm[i], polygon) > 0.05
            for i in range(len(found))
        )
        return Look(frame, t_s, cut, tuple(_fanned(self._read(image, cut, view, cards))), tuple(chips), hand)

    def _kept(
        self, cut: Image, view: AreaView, *, painted: bool, turned: bool
    ) -> tuple[Detections, Detections | None, FloatArray]:
        """Detections of plausible size, one for each object, without the felt's print; weak ones of chips only. Second: all detections of the upright view if `turned`, else None.

        Third: (n, 2) middles of chips that were taken for others, though not in their place.
        """
        straight = self.detector(cut, LEAST_SAID)
        found = straight
        if turned:
            found = self._turned.setdefault((*view.place, painted), TurnedChips()).added(cut, straight, self.detector)
        confidence = found.confidence.copy()
        kept: list[int] = []
        passed_over: list[FloatArray] = []
        for i in np.argsort(-found.confidence, kind="stable"):
            corners, class_id = found.corners_px[i], int(found.class_id[i])
            least = WEAK_CHIP if class_id in CHIPS else self.least_card if class_id in CARDS else MIN_CONFIDENCE
            if found.confidence[i] < least or not _plausible(corners, class_id, view.px_per_mm):
                continue
            family = (BACK,) if class_id == FACE else CARDS if class_id == BACK else CHIPS  # of two faces see `_fanned`
            near = CARD_APART_MM if class_id in CARDS else CHIP_APART_MM
            middle = corners.mean(axis=0)
            rivals = [k for k in kept if class_id != HAND and found.class_id[k] in family]
            apart = [np.hypot(*(found.corners_px[k].mean(axis=0) - middle)) / view.px_per_mm for k in rivals]
            if any(mm < near for mm in apart):
                for k, mm in zip(rivals, apart, strict=True):
                    if class_id in CHIPS and class_id != found.class_id[k] and mm < SAME_THING_MM:
                        confidence[k] = 1 - (1 - confidence[k]) * (1 - found.confidence[i])
                if class_id == CHIP and found.confidence[i] >= MIN_CONFIDENCE and min(apart) > CROWDED_MM:
                    passed_over.append(middle.astype(np.float64))
                continue
            if class_id not in (HAND, CHIP) and self._printed(cut, view, corners, class_id, found.confidence[i]):
                continue
            kept.append(int(i))
        seen = replace(found, confidence=confidence).only(np.array(kept, np.intp))
        return seen, None if found is straight else straight, np.array(passed_over).reshape(-1, 2)

    def _beyond_of(self, image: Image, view: AreaView) -> Mask | None:
        """What of a view lies beyond the picture."""
        place = view.place
        if place not in self._beyond:
            self._beyond[place] = view.beyond((image.shape[1], image.shape[0]), BORDER_PX)
        return self._beyond[place]

    def _printed(
        self, cut: Image, view: AreaView, corners_px: npt.NDArray[np.float32], class_id: int, confidence: float
    ) -> bool:
        """Whether a detection is not sure and shows only the felt's print."""
        if self.prints is None or confidence >= SURE_OF_PRINT:
            return False
        place = view.place
        if place not in self._bare:
            self._bare[place] = self.prints.of(view)
        if class_id in CARDS:
            return is_print(cut, self._bare[place], corners_px, inner=0.7)
        return is_print(cut, self._bare[place], corners_px, like=CHIP_LIKE_PRINT)

    def _card(
        self, image: Image, corners_mm: FloatArray, detected_mm: FloatArray, class_id: int, confidence: float
    ) -> CardSight:
        corners_px = refined_corners(image, self.camera.image_from_table(corners_mm), reach=0.05)
        x, y = corners_mm.mean(axis=0)
        return CardSight((float(x), float(y)), corners_mm, corners_px, class_id == FACE, confidence, detected_mm)

    def _read(self, image: Image, cut: Image, view: AreaView, cards: Sequence[CardSight]) -> list[CardSight]:
        known = self._known.setdefault(view.place, KnownCards())
        places = [view.view_from_table(card.corners_mm) for card in cards]
        readings = [known.reading(cut, place, down=not card.face_up) for card, place in zip(cards, places, strict=True)]
        unread = [i for i, reading in enumerate(readings) if reading is None]
        tries, down = [self._tries(cards[i]) for i in unread], [not cards[i].face_up for i in unread]
        for i, reading in zip(unread, read_cards(image, tries, self.reader, down), strict=True):
            known.learn(cut, places[i], reading)
            readings[i] = reading
        return [_named(card, reading) for card, reading in zip(cards, readings, strict=True) if reading is not None]

    def _tries(self, card: CardSight) -> list[FloatArray]:
        """Corners to cut a card by: of its exact size, on its edges, and where they lie elsewhere as detected."""
        fitted = self.camera.image_from_table(card.corners_mm)
        off_mm = float(np.linalg.norm(card.detected_mm - card.corners_mm, axis=1).max())
        tries = [fitted] if np.array_equal(fitted, card.corners_px) else [fitted, card.corners_px]
        return [*tries, self.camera.image_from_table(card.detected_mm)] if off_mm > SAME_CORNERS_MM else tries

    def _chips(
        self,
        image: Image,
        cut: Image,
        view: AreaView,
        found: Detections,
        straight: Detections | None,
        corners_mm: FloatArray,
        inside: Sequence[bool],
        edges: Callable[[], Edges],
    ) -> list[ChipSight]:
        """The chips among the detections; what looks like print is none, or open where it has a chip's colour.

        What the detector hardly takes for a chip is one where the chip reader is sure of its colour: chips of a spread are so found.
        """
        which = [i for i in range(len(found)) if found.class_id[i] in CHIPS and inside[i]]
        middles = [tuple(float(v) for v in corners_mm[i].mean(axis=0)) for i in which]
        places = [self.disc_px(x, y) for x, y in middles]
        wide = [_one_wide(corners_mm[i]) for i in which]
        faces = [found.class_id[i] == CHIP or one for i, one in zip(which, wide, strict=True)]
        shown = [k for k, face in enumerate(faces) if face]

        def on_edges(unsure: Sequence[int]) -> list[Place]:
            middles_px = [found.corners_px[which[shown[k]]].mean(axis=0) - HALF_PX for k in unsure]
            radius = CHIP_RADIUS_MM * view.px_per_mm
            fitted = [fitted_disc(edges(), middle, radius, view.px_per_mm) for middle in middles_px]
            return [self.disc_px(*point) for point in view.table_from_view(fitted)]

        def as_seen(straight: Detections, unsure: Sequence[int]) -> list[Place]:
            middles_px = [nearest(straight, found.corners_px[which[shown[k]]]) - HALF_PX for k in unsure]
            return [self.disc_px(*point) for point in view.table_from_view(np.array(middles_px))]

        better: list[Callable[[Sequence[int]], Sequence[Place]]] = [on_edges]
        if straight is not None:
            better.append(partial(as_seen, straight))
        colors = iter(chip_colors(image, [places[k] for k in shown], self.chip_reader, better))
        sights: list[ChipSight] = []
        boxes: list[FloatArray] = []
        for i, (x, y), (center, axes), one, face in zip(which, middles, places, wide, faces, strict=True):
            stack = bool(found.class_id[i] == STACK) and not (one and self.counts.chips_spread)
            color = next(colors) if face else ChipColor(None, 0.0)
            if stack:
                color = replace(color, none=False)
            confidence = float(found.confidence[i])
            printed = not stack and self._printed(cut, view, found.corners_px[i], CHIP, confidence)
            if color.none or (printed and color.name is None):
                continue
            if confidence < MIN_CONFIDENCE and (stack or printed or color.name is None):
                continue
            if printed:
                color = ChipColor(None, 0.0)
            radius = float(np.linalg.norm(axes, axis=1).mean())
            at = (float(center[0]), float(center[1]))
            sights.append(ChipSight((x, y), at, radius, confidence, color, stack))
            boxes.append(corners_mm[i])
        return self._counted(image, cut, view, sights, boxes)

    def _counted(
        self, image: Image, cut: Image, view: AreaView, sights: Sequence[ChipSight], boxes_mm: Sequence[FloatArray]
    ) -> list[ChipSight]:
        """The sights with how many chips each is."""
        single = [not sight.stack for sight in sights]
        centers = [sight.center_mm for sight in sights]
        spread = spread_out(self.camera, centers, single, partial(Felt, cut, view, centers))
        counts = self.counts(image, boxes_mm, single, spread, [sight.color for sight in sights])
        return [
            replace(sight, count=found.count, colors=found.colors, color=found.top or sight.color)
            for sight, found in zip(sights, counts, strict=True)
        ]

    def disc_px(self, x_mm: float, y_mm: float) -> tuple[FloatArray, FloatArray]:
        """Middle and (2, 2) vectors to the rim of a chip at a place on the felt, in the camera picture."""
        rim = [(x_mm, y_mm), (x_mm + CHIP_RADIUS_MM, y_mm), (x_mm, y_mm + CHIP_RADIUS_MM)]
        center, right, down = self.camera.image_from_table(rim)
        return center, np.stack([right - center, down - center])


def _crowded(chips: Sequence[ChipSight], passed_over_mm: FloatArray) -> list[ChipSight]:
    """The chips, said to be crowded where one of these places is nearer than another chip can lie."""
    return [
        replace(chip, crowded=bool((np.hypot(*(passed_over_mm - chip.center_mm).T) < CHIP_APART_MM).any()))
        for chip in chips
    ]


def _one_wide(corners_mm: FloatArray) -> bool:
    """Whether a box is one chip wide: from straight above the detector cannot tell one chip from a stack."""
    return longest_side(corners_mm) <= ONE_CHIP_MM


def _named(card: CardSight, reading: CardReading) -> CardSight:
    """A sight with what was read."""
    return replace(
        card,
        face_up=reading.card is not None or (card.face_up and reading.face),
        card=reading.card,
        card_confidence=reading.confidence,
        back=reading.card is None and (reading.back or not card.face_up),
    )


def _fanned(cards: Sequence[CardSight]) -> list[CardSight]:
    """The cards, best found first, without faces found so near to a better one that they are the same, unless both are read and bear different names."""
    kept: list[CardSight] = []
    for card in cards:
        middle = card.detected_mm.mean(axis=0)
        near = [other for other in kept if np.hypot(*(other.detected_mm.mean(axis=0) - middle)) < CARD_APART_MM]
        if all(None not in (card.card, other.card) and card.card != other.card for other in near):
            kept.append(card)
    return kept


def _plausible(corners_px: npt.NDArray[np.float32], class_id: int, px_per_mm: float) -> bool:
    """Whether a box has a size that its class can have."""
    if class_id not in SIZES_MM:
        return True
    sides = np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1) / px_per_mm
    low, high = SIZES_MM[class_id]
    return bool(sides.min() >= low and sides.max() <= high)


def _inside(polygon: npt.NDArray[np.float32], corners_mm: FloatArray) -> bool:
    """Whether the middle of a box lies in the polygon."""
    x, y = corners_mm.mean(axis=0)
    return cv2.pointPolygonTest(polygon, (float(x), float(y)), False) >= 0


def _overlap(corners_mm: FloatArray, polygon: npt.NDArray[np.float32]) -> float:
    """Share of the polygon that a box covers."""
    area, _ = cv2.intersectConvexConvex(np.asarray(corners_mm, dtype=np.float32), polygon)
    return float(area) / max(1.0, float(cv2.contourArea(polygon)))
