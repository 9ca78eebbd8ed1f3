"""What one look keeps of what the detector says: right sizes, no prints, exact outlines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from drawn import (
    Card,
    Chip,
    DrawnChipReader,
    DrawnChipReading,
    DrawnDetector,
    DrawnReader,
    DrawnReading,
    DrawnTable,
    Things,
    card_corners,
)

from models.detections import CHIP, FACE, STACK, Detections
from vision.frames.picture import Image
from vision.frames.rectify import AreaView
from vision.looks.fit import Edges, fitted_card, fitted_disc
from vision.looks.look import ChipSight, Looker
from vision.looks.prints import CHIP_LIKE_PRINT, Prints, is_print
from vision.looks.reading import read_cards
from vision.stills.pose import straight_above


class Always:
    """A detector that says the same of every picture."""

    def __init__(self, boxes: list[tuple[int, float, np.ndarray]]) -> None:
        self._boxes = boxes

    def __call__(self, image_bgr: Image, min_confidence: float = 0.25) -> Detections:
        return Detections(
            np.array([box for _, _, box in self._boxes], np.float32).reshape(-1, 4, 2),
            np.array([confidence for _, confidence, _ in self._boxes], np.float32),
            np.array([class_id for class_id, _, _ in self._boxes], np.int64),
        )


def box(center: np.ndarray, width: float, height: float) -> np.ndarray:
    half = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    return center + half


def turned_about(corners: np.ndarray, degrees: float) -> np.ndarray:
    angle, middle = np.radians(degrees), corners.mean(axis=0)
    rotation = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.asarray((corners - middle) @ rotation.T + middle)


@pytest.mark.parametrize("turned", [-9.0, 0.0, 7.0])
@pytest.mark.parametrize("up", [True, False], ids=["face", "back"])
def test_outline_is_laid_on_the_card_in_its_exact_size(turned: float, up: bool) -> None:
    table = DrawnTable(noise=3.0)
    card = Card("Qd", table.center("seat3.cards", 6.0, 4.0), 24.0, up=up)
    view = AreaView.around(table.layout.area("seat3.cards").polygon_mm, table.camera)
    cut = view.cut(table.draw(Things(cards=(card,))))
    true = view.view_from_table(card_corners(card))
    rough = turned_about((true - true.mean(axis=0)) * 1.06 + true.mean(axis=0), turned) + np.array([3.0, -2.0])
    fitted = fitted_card(Edges.of(cut), rough, view.px_per_mm)
    assert np.linalg.norm(fitted - true, axis=1).max() < 2.2
    assert np.linalg.norm(fitted[1] - fitted[0]) == pytest.approx(63.5)


@pytest.mark.parametrize("turned", [-70.0, -40.0, 30.0, 65.0])
def test_an_outline_far_off_in_its_angle_is_laid_on_the_card_all_the_same(turned: float) -> None:
    table = DrawnTable(noise=3.0)
    card = Card("Qd", table.center("seat3.cards", 6.0, 4.0), 24.0, up=False)
    view = AreaView.around(table.layout.area("seat3.cards").polygon_mm, table.camera)
    cut = view.cut(table.draw(Things(cards=(card,))))
    true = view.view_from_table(card_corners(card))
    fitted = fitted_card(Edges.of(cut), turned_about(true, turned) + np.array([6.0, -5.0]), view.px_per_mm)
    assert min(float(np.linalg.norm(np.roll(fitted, k, axis=0) - true, axis=1).max()) for k in (0, 2)) < 2.2


def test_an_outline_where_no_card_lies_stays_where_it_was_detected() -> None:
    table = DrawnTable(noise=3.0)
    view = AreaView.around(table.layout.area("seat3.cards").polygon_mm, table.camera)
    bare = Edges.of(view.cut(table.draw(Things())))
    rough = turned_about(view.view_from_table(card_corners(Card("Qd", table.center("seat3.cards"), 24.0))), 40.0)
    fitted = fitted_card(bare, rough, view.px_per_mm)
    assert np.linalg.norm(fitted.mean(axis=0) - rough.mean(axis=0)) < 9.0
    across, along = (np.degrees(np.arctan2(*(c[1] - c[0])[::-1])) for c in (fitted, rough))
    assert abs((across - along + 90.0) % 180.0 - 90.0) < 18.0


@pytest.mark.parametrize("turned", [0.0, 8.0])
def test_the_border_of_the_picture_is_no_side_of_a_card(turned: float) -> None:
    camera = straight_above((640, 480), 1.5)
    view = AreaView.around([(-240.0, -190.0), (240.0, -190.0), (240.0, 190.0), (-240.0, 190.0)], camera)
    true = turned_about(view.view_from_table([(30, 100), (-33.5, 100), (-33.5, 188.9), (30, 188.9)]), 38.0)
    image = np.full((480, 640, 3), 196, np.uint8)
    outline = np.round(camera.image_from_table(view.table_from_view(true)) * 16).astype(np.int32)
    cv2.fillPoly(image, [outline], (214, 214, 214), cv2.LINE_AA, shift=4)
    cut = view.cut(image)
    rough = turned_about(true, turned) + np.array([3.0, -4.0])
    beyond = view.beyond((640, 480), 2)
    off_px = [
        np.linalg.norm(fitted_card(edges, rough, view.px_per_mm) - true, axis=1).max()
        for edges in (Edges.of(cut, beyond), Edges.of(cut))
    ]
    assert off_px[0] < 2.0
    assert off_px[1] > 5.0, "else nothing is tested here"
    inner = AreaView.around([(-100.0, -90.0), (100.0, 90.0)], camera)
    assert inner.beyond((640, 480), 2) is None


@pytest.mark.parametrize("off", [(3.0, -2.0), (-2.5, 2.5), (0.0, 0.0)])
def test_a_chip_half_covered_by_another_is_found_where_its_rim_lies(off: tuple[float, float]) -> None:
    table = DrawnTable(noise=3.0)
    area = table.layout.area("seat3.ante")
    middle = np.asarray(area.center_mm)
    chips = (Chip("red", (middle[0], middle[1])), Chip("black", (middle[0] + 22.0, middle[1])))
    view = AreaView.around(area.polygon_mm, table.camera)
    cut = view.cut(table.draw(Things(chips=chips)))
    fitted = fitted_disc(Edges.of(cut), view.view_from_table(middle) + off, 19.5 * view.px_per_mm, view.px_per_mm)
    assert np.hypot(*(fitted - view.view_from_table(middle))) < max(1.2, 0.55 * np.hypot(*off))


def test_print_is_no_chip_and_a_chip_on_a_print_is_one() -> None:
    table = DrawnTable()
    area = table.layout.area("seat3.ante")
    view = AreaView.around(area.polygon_mm, table.camera)
    bare = Prints(table.layout, 1.0).of(view)
    here = box(view.view_from_table(area.center_mm), 40, 40)
    assert is_print(view.cut(table.draw(Things())), bare, here)
    assert not is_print(view.cut(table.draw(Things(chips=(Chip("red", area.center_mm),)))), bare, here)


@pytest.mark.parametrize("color", ["black", "red", "white"])
def test_a_chip_beside_the_middle_of_a_print_is_one_wherever_it_lies(color: str) -> None:
    """The corners of its box show the ring and the letters about it."""
    table = DrawnTable()
    area = table.layout.area("seat3.ante")
    view = AreaView.around(area.polygon_mm, table.camera)
    bare = Prints(table.layout, 1.0).of(view)
    empty = view.cut(table.draw(Things()))
    for dx, dy in itertools.product((-22.0, -11.0, 0.0, 11.0, 22.0), repeat=2):
        at = (area.center_mm[0] + dx, area.center_mm[1] + dy)
        here = box(view.view_from_table(at), 40, 40)
        assert not is_print(view.cut(table.draw(Things(chips=(Chip(color, at),)))), bare, here, like=CHIP_LIKE_PRINT)
        assert is_print(empty, bare, here, like=CHIP_LIKE_PRINT) == is_print(empty, bare, here)


def test_boxes_of_impossible_size_and_doubles_are_dropped() -> None:
    table = DrawnTable()
    area = table.layout.area("seat3.cards")
    view = AreaView.around(area.polygon_mm, table.camera)
    middle = view.view_from_table(area.center_mm)
    detector = Always(
        [
            (FACE, 0.9, box(middle, 63, 89)), (FACE, 0.5, box(middle + 6, 63, 89)), (FACE, 0.8, box(middle + 60, 20, 89)),
            (CHIP, 0.7, box(middle, 39, 39)), (CHIP, 0.6, box(middle + 4, 39, 39)), (CHIP, 0.9, box(middle, 90, 90)),
        ]
    )  # fmt: skip
    card = Card("5c", area.center_mm, 0.0, up=True)
    look = Looker(table.camera, detector, DrawnReader(), DrawnChipReader()).look(
        table.draw(Things(cards=(card,))), view, area.polygon_mm
    )
    (sight,) = look.cards
    assert sight.card == "5c"
    assert sight.confidence == pytest.approx(0.9)
    assert [sight.confidence for sight in look.chips] == [pytest.approx(0.7)]


class EdgeReader(DrawnReader):
    """Reads the coloured middle at its left rim, which is what a card in a fan shows of it."""

    def __call__(self, cards_bgr: Image | Sequence[Image], px_per_mm: object = None) -> list[DrawnReading]:
        return super().__call__([np.tile(crop[:, 27:31], (1, 32, 1)) for crop in cards_bgr])


@pytest.mark.parametrize(("lower", "told"), [("Qd", ["5c", "Qd"]), ("5c", ["5c"]), (None, ["5c"])])
def test_faces_in_a_fan_are_two_only_where_both_are_read_and_differ(lower: str | None, told: list[str]) -> None:
    table = DrawnTable()
    area = table.layout.area("seat3.cards")
    view = AreaView.around(area.polygon_mm, table.camera)
    upper, beside = area.center_mm, (area.center_mm[0] + 17.0, area.center_mm[1])
    below = () if lower is None else (Card(lower, beside, up=True),)
    detector = Always(
        [(FACE, 0.9, box(view.view_from_table(upper), 63, 89)), (FACE, 0.5, box(view.view_from_table(beside), 63, 89))]
    )
    looker = Looker(table.camera, detector, EdgeReader(), DrawnChipReader())
    look = looker.look(table.draw(Things(cards=(*below, Card("5c", upper, up=True)))), view, area.polygon_mm)
    assert [sight.card for sight in look.cards] == told


class Straight(Always):
    """A detector that finds something in the first picture only, and nothing in the same turned."""

    def __call__(self, image_bgr: Image, min_confidence: float = 0.25) -> Detections:
        found = super().__call__(image_bgr, min_confidence)
        self._boxes = []
        return found


class RedOnly(DrawnChipReader):
    """Sure of red chips and of nothing else."""

    def __call__(self, chips_bgr: Image | Sequence[Image]) -> list[DrawnChipReading]:
        unsure = DrawnChipReading(None, 0.3)
        return [said if said.color == "red" else unsure for said in super().__call__(chips_bgr)]


def chip_sights(
    *boxes: tuple[int, float, tuple[float, float], float], at: tuple[tuple[float, float], ...]
) -> tuple[ChipSight, ...]:
    """The chips seen where red chips lie at some places (mm off the middle) and a detector says (class, confidence, place, side)."""
    table = DrawnTable()
    area = table.layout.area("seat3.ante")
    view = AreaView.around(area.polygon_mm, table.camera)

    def place(off: tuple[float, float]) -> tuple[float, float]:
        return area.center_mm[0] + off[0], area.center_mm[1] + off[1]

    detector = Straight(
        [(kind, sure, box(view.view_from_table(place(off)), side, side)) for kind, sure, off, side in boxes]
    )
    chips = tuple(Chip("red", place(off)) for off in at)
    looker = Looker(table.camera, detector, DrawnReader(), RedOnly(), chips_spread=True)
    image = table.draw(Things(chips=chips))
    return looker.look(image, view, area.polygon_mm, turned=True).chips


def seen_chips(
    *boxes: tuple[int, float, tuple[float, float], float], at: tuple[tuple[float, float], ...]
) -> list[float]:
    """Their confidences."""
    return [round(chip.confidence, 4) for chip in chip_sights(*boxes, at=at)]


@pytest.mark.parametrize(
    ("away", "confidence", "crowded"), [(10.8, 0.4, True), (2.0, 0.8, False), (10.8, 0.2, False), (15.0, 0.4, False)]
)
def test_a_chip_taken_for_its_neighbour_leaves_a_doubt(away: float, confidence: float, crowded: bool) -> None:
    boxes = (CHIP, 0.9, (0.0, 0.0), 39.0), (CHIP, confidence, (away, 0.0), 39.0), (CHIP, 0.9, (-30.0, 0.0), 39.0)
    sights = chip_sights(*boxes, at=((0.0, 0.0), (away, 0.0), (-30.0, 0.0)))
    assert [chip.crowded for chip in sights] == [crowded and chip is sights[0] for chip in sights]
    assert len(sights) == (3 if away > 11.5 else 2)


def test_a_weak_box_is_a_chip_where_the_chip_reader_is_sure_of_one() -> None:
    there, beside = (-21.0, 0.0), (21.0, 0.0)
    boxes = (CHIP, 0.9, there, 39.0), (CHIP, 0.2, beside, 39.0)
    assert seen_chips(*boxes, at=(there, beside)) == [0.9, 0.2]
    assert seen_chips(*boxes, at=(there,)) == [0.9]
    assert seen_chips(*boxes[:1], (STACK, 0.2, beside, 60.0), at=(there, beside)) == [0.9], "of a stack nothing is read"


def test_what_may_be_a_chip_or_a_stack_is_surely_something() -> None:
    assert seen_chips((STACK, 0.46, (0, 0), 39.0), (CHIP, 0.42, (1, 0), 39.0), at=((0, 0),)) == [0.6868]
    assert seen_chips((CHIP, 0.46, (0, 0), 39.0), (CHIP, 0.42, (1, 0), 39.0), at=((0, 0),)) == [0.46]
    assert seen_chips((CHIP, 0.46, (0, 0), 39.0), (STACK, 0.42, (9, 0), 39.0), at=((0, 0),)) == [0.46]


def test_two_tries_that_differ_are_no_answer() -> None:
    table = DrawnTable()
    cards = (
        Card("5c", table.center("seat3.cards", -40.0), 0.0, up=True),
        Card("Qd", table.center("seat3.cards", 40.0), 0.0, up=True),
    )
    image = table.draw(Things(cards=cards))
    five, queen = (table.camera.image_from_table(card_corners(card)) for card in cards)
    readings = read_cards(image, [[five, five], [five, queen], [queen]], DrawnReader())
    assert [reading.card for reading in readings] == ["5c", None, "Qd"]


class _SeesBacks:
    """Says of each cut, in order, how surely it is a back; a face where it is told to."""

    def __init__(self, *said: float | str) -> None:
        self.said, self.cuts = list(said), 0

    def __call__(self, cards_bgr: np.ndarray, px_per_mm: object = None) -> list[DrawnReading]:
        out = [self.said.pop(0) for _ in cards_bgr]
        self.cuts += len(out)
        return [DrawnReading(o, 0.99) if isinstance(o, str) else DrawnReading(None, 0.9, o, 1.0 - o) for o in out]


@pytest.mark.parametrize(
    ("said", "down", "cuts", "card", "back"),
    [
        ((0.995,), True, 1, None, True),
        ((0.95, 0.95, 0.2), True, 3, None, True),
        ((0.95, "5c", 0.2), True, 3, "5c", False),
        ((0.995, "5c", 0.2), False, 3, "5c", False),
    ],
    ids=["both networks sure", "reader less sure", "another try names it", "the detector saw its face"],
)
def test_other_corners_are_tried_unless_both_networks_surely_see_a_back(
    said: tuple[float | str, ...], down: bool, cuts: int, card: str | None, back: bool
) -> None:
    reader, corners = _SeesBacks(*said), np.array([[20, 20], [83, 20], [83, 109], [20, 109]], np.float64)
    (reading,) = read_cards(np.zeros((200, 200, 3), np.uint8), [[corners] * 3], reader, [down])
    assert (reader.cuts, reading.card, reading.back) == (cuts, card, back)


def test_a_look_is_deterministic() -> None:
    table = DrawnTable()
    area = table.layout.area("seat4.cards")
    view = AreaView.around(area.polygon_mm, table.camera)
    image = table.draw(Things(cards=(Card("As", area.center_mm, -16.0, up=True),)))
    looks = [
        Looker(table.camera, DrawnDetector(), DrawnReader(), DrawnChipReader()).look(image, view, area.polygon_mm)
        for _ in range(2)
    ]
    assert np.array_equal(looks[0].cards[0].corners_px, looks[1].cards[0].corners_px)
    assert looks[0].cards[0].card == "As"


@pytest.mark.parametrize(
    ("house", "width", "count", "face"), [(True, 40.0, 1, "red"), (False, 40.0, None, "red"), (True, 55.0, None, None)]
)
def test_a_stack_as_wide_as_a_chip_is_a_chip_only_where_nobody_stacks_and_shows_its_upper_face_anyway(
    house: bool, width: float, count: int | None, face: str | None
) -> None:
    table = DrawnTable()
    area = table.layout.area("seat3.ante")
    view = AreaView.around(area.polygon_mm, table.camera)
    detector = Always([(STACK, 0.9, box(view.view_from_table(area.center_mm), width, 40.0))])
    look = Looker(table.camera, detector, DrawnReader(), DrawnChipReader(), chips_spread=house).look(
        table.draw(Things(chips=(Chip("red", area.center_mm),))), view, area.polygon_mm
    )
    (chip,) = look.chips
    assert chip.count == count
    assert chip.color.name == face
    assert chip.chips == (("red",) if count else None)
