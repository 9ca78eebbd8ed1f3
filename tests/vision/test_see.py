"""A single picture: cards, groups of chips and the scale, in the form of `pitwatch see`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from drawn import CHIPS, FACES, DrawnChipReader, DrawnChipReading, DrawnDetector, DrawnReader, DrawnReading

from calibration.camera import Camera
from models.detections import BACK, FACE, STACK, Detections
from vision.frames.picture import Image
from vision.looks.look import CardSight
from vision.stills.see import BothWays, see


def photograph(px_per_mm: float) -> np.ndarray:
    """Two cards, a chip alone and two chips side by side on plain cloth, from straight above."""
    fine = 4.0
    image = np.full((int(300 * fine), int(420 * fine), 3), (70, 60, 40), np.uint8)
    for x, card in ((70, "Qd"), (170, "As")):
        a, b = (int((x - 31.75) * fine), int(55.5 * fine)), (int((x + 31.75) * fine), int(144.5 * fine))
        cv2.rectangle(image, a, b, (240, 240, 240), -1)
        cv2.rectangle(
            image, (int((x - 19) * fine), int(73 * fine)), (int((x + 19) * fine), int(127 * fine)), FACES[card], -1
        )
    for x, y, color in ((300, 80, "red"), (280, 220, "green"), (321, 220, "purple")):
        cv2.circle(image, (int(x * fine), int(y * fine)), int(19.5 * fine), CHIPS[color], -1)
    return cv2.resize(image, None, fx=px_per_mm / fine, fy=px_per_mm / fine, interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("px_per_mm", [0.9, 1.7, 3.1])
@pytest.mark.parametrize("told", [True, False], ids=["scale given", "scale estimated"])
def test_everything_is_seen_at_any_scale(px_per_mm: float, told: bool) -> None:
    seen = see(
        photograph(px_per_mm),
        DrawnDetector(),
        DrawnReader(),
        DrawnChipReader(),
        px_per_mm=px_per_mm if told else None,
        chips_spread=True,
    )
    assert seen["tilt_deg"] < 2
    assert seen["px_per_mm"] == pytest.approx(px_per_mm, rel=0.06)
    assert sorted(card["card"] for card in seen["cards"]) == ["As", "Qd"]
    queen = next(card for card in seen["cards"] if card["card"] == "Qd")
    assert np.mean(queen["corners_px"], axis=0) == pytest.approx(np.array([70.0, 100.0]) * px_per_mm, abs=2 * px_per_mm)
    groups = {group["kind"]: group for group in seen["chips"]}
    assert groups["single"]["colors"] == {"red": 1}
    assert groups["single"]["amount"] == 5
    assert (groups["spread"]["colors"], groups["spread"]["count"], groups["spread"]["amount"]) == (
        {"green": 1, "purple": 1},
        2,
        525,
    )


def test_cards_are_looked_for_between_those_that_were_named(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[CardSight] = []

    def one_left_out(image: np.ndarray, cards: Sequence[CardSight], camera: Camera, reader: object) -> list[CardSight]:
        given.extend(cards)
        return list(cards[1:])

    monkeypatch.setattr("vision.stills.see.search_fans", one_left_out)
    seen = see(photograph(1.7), DrawnDetector(), DrawnReader(), DrawnChipReader(), px_per_mm=1.7)
    assert sorted(str(card.card) for card in given) == ["As", "Qd"]
    assert [card["card"] for card in seen["cards"]] == [card.card for card in given[1:]]


def test_a_single_card_from_near_fills_the_picture() -> None:
    near = np.ascontiguousarray(photograph(4.0)[4 * 45 : 4 * 155, 4 * 110 : 4 * 250])
    seen = see(near, DrawnDetector(), DrawnReader(), DrawnChipReader())
    assert seen["px_per_mm"] == pytest.approx(4.0, rel=0.06)
    assert [card["card"] for card in seen["cards"]] == ["As"]


@pytest.mark.parametrize("standing", [False, True], ids=["lying", "standing"])
@pytest.mark.parametrize("squeezed", [False, True])
def test_a_square_picture_is_seen_in_the_shape_it_had(squeezed: bool, standing: bool) -> None:
    lying = photograph(1.7)[:, : int(400 * 1.7)]
    whole = np.rot90(lying, -1) if standing else lying
    side = min(whole.shape[:2])
    square = cv2.resize(whole, (side, side), interpolation=cv2.INTER_AREA) if squeezed else whole[:side, :side]
    seen = see(np.ascontiguousarray(square), DrawnDetector(), DrawnReader(), DrawnChipReader(), chips_spread=True)
    assert sorted(card["card"] for card in seen["cards"]) == ["As", "Qd"]
    queen = next(card for card in seen["cards"] if card["card"] == "Qd")
    middle = np.array([lying.shape[0] - 100.0 * 1.7, 70.0 * 1.7] if standing else [70.0 * 1.7, 100.0 * 1.7])
    middle *= np.divide(square.shape[1::-1], whole.shape[1::-1]) if squeezed else 1.0
    assert np.mean(queen["corners_px"], axis=0) == pytest.approx(middle, abs=3)
    assert seen["px_per_mm"] == pytest.approx(1.7, rel=0.06)


class Doubting(DrawnDetector):
    """Hardly finds queens."""

    def __init__(self, confidence: float) -> None:
        super().__init__()
        self.doubt = confidence

    def __call__(self, image_bgr: np.ndarray, min_confidence: float = 0.25) -> Detections:
        found = super().__call__(image_bgr, min_confidence)
        middles = [image_bgr[int(y), int(x)].astype(int) for x, y in found.corners_px.mean(axis=1)]
        queens = [bool(np.abs(middle - FACES["Qd"]).max() < 40) for middle in middles]
        sure = np.where(queens, np.float32(self.doubt), found.confidence)
        return replace(found, confidence=sure).only(np.flatnonzero(sure >= min_confidence))


class Unable(DrawnReader):
    """Cannot read queens."""

    def __call__(self, cards_bgr: Image | Sequence[Image], px_per_mm: object = None) -> list[DrawnReading]:
        said = super().__call__(cards_bgr, px_per_mm)
        return [DrawnReading(None, 0.3) if one.card == "Qd" else one for one in said]


@pytest.mark.parametrize(("confidence", "read", "told"), [(0.15, True, True), (0.3, True, True), (0.05, True, False), (0.3, False, False), (0.4, False, True)])  # fmt: skip
def test_a_card_weakly_found_is_told_only_where_it_is_read(confidence: float, read: bool, told: bool) -> None:
    reader = DrawnReader() if read else Unable()
    seen = see(photograph(1.7), Doubting(confidence), reader, DrawnChipReader(), px_per_mm=1.7)
    names = [card["card"] for card in seen["cards"]]
    assert names == (["As", "Qd" if read else None] if told else ["As"])


class SaysBacks(DrawnReader):
    """Takes queens for backs, so surely."""

    def __init__(self, back_probability: float) -> None:
        self.back_probability = back_probability

    def __call__(self, cards_bgr: Image | Sequence[Image], px_per_mm: object = None) -> list[DrawnReading]:
        back = DrawnReading(None, 0.3, self.back_probability, 0.0)
        return [back if one.card == "Qd" else one for one in super().__call__(cards_bgr, px_per_mm)]


class FaceDown(Doubting):
    """Finds queens face down."""

    def __call__(self, image_bgr: np.ndarray, min_confidence: float = 0.25) -> Detections:
        found = super().__call__(image_bgr, min_confidence)
        return replace(found, class_id=np.where(found.confidence < 0.9, BACK, found.class_id))


@pytest.mark.parametrize(("found", "back", "told"), [(0.5, 0.1, False), (0.5, 0.5, True), (0.7, 0.1, True)])
def test_a_back_weakly_found_that_looks_like_none_is_not_told(found: float, back: float, told: bool) -> None:
    seen = see(photograph(1.7), FaceDown(found), SaysBacks(back), DrawnChipReader(), px_per_mm=1.7)
    assert [card["card"] for card in seen["cards"]] == (["As", "back"] if told else ["As"])


def test_nothing_seen_is_empty_and_scale_unknown() -> None:
    assert see(np.full((200, 300, 3), 90, np.uint8), DrawnDetector(), DrawnReader(), DrawnChipReader()) == {
        "px_per_mm": None,
        "tilt_deg": None,
        "cards": [],
        "chips": [],
    }


def test_impossible_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="px_per_mm must be"):
        see(photograph(1.0), DrawnDetector(), DrawnReader(), DrawnChipReader(), px_per_mm=0.0)


def test_a_scale_at_which_more_than_a_table_would_be_seen_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"at 0\.05 px per mm the picture would show 18\.0 m"):
        see(np.full((600, 900, 3), 90, np.uint8), DrawnDetector(), DrawnReader(), DrawnChipReader(), px_per_mm=0.05)


def test_a_chip_alone_has_a_colour_but_no_amount_where_chips_may_be_stacked() -> None:
    seen = see(photograph(1.7), DrawnDetector(), DrawnReader(), DrawnChipReader(), px_per_mm=1.7)
    assert [(group["colors"] is not None, group["count"], group["amount"]) for group in seen["chips"]] == [
        (True, None, None)
    ] * 2


class PurpleStacks(DrawnDetector):
    """Takes purple chips for stacks."""

    def __call__(self, image_bgr: np.ndarray, min_confidence: float = 0.25) -> Detections:
        found = super().__call__(image_bgr, min_confidence)
        at = np.clip(found.corners_px.mean(axis=1).round().astype(int), 0, np.array(image_bgr.shape[1::-1]) - 1)
        purple = np.abs(image_bgr[at[:, 1], at[:, 0]].astype(int) - CHIPS["purple"]).max(axis=1) < 30
        return replace(found, class_id=np.where(purple, STACK, found.class_id))


class NamesNoOrange(DrawnChipReader):
    """Unsure of orange chips."""

    def __call__(self, chips_bgr: Image | Sequence[Image]) -> list[DrawnChipReading]:
        return [DrawnChipReading(None, 0.3) if said.color == "orange" else said for said in super().__call__(chips_bgr)]


def chips_seen(*chips: tuple[float, str]) -> list[tuple[str, object, object, object]]:
    """Kind, colours, count and amount of the groups in a picture of chips in a row (x in mm, colour), each laid onto the one before."""
    image = np.full((900, 1260, 3), (70, 60, 40), np.uint8)
    for x, color in chips:
        cv2.circle(image, (round(3 * x), 450), round(3 * 19.5), CHIPS[color], -1)
    seen = see(image, PurpleStacks(), DrawnReader(), NamesNoOrange(), px_per_mm=3.0)
    return sorted((group["kind"], group["colors"], group["count"], group["amount"]) for group in seen["chips"])


def test_a_stack_that_touches_a_spread_hides_nothing_of_it() -> None:
    spread, stack = ((185.0, "green"), (210.0, "black")), (251.0, "purple")
    whole = ("spread", {"black": 1, "green": 1}, 2, 125)
    assert chips_seen(*spread) == [whole]
    assert chips_seen(*spread, stack) == [whole, ("stack", {"purple": 1}, None, None)]


def test_a_chip_that_overlaps_a_stack_may_be_a_part_of_it() -> None:
    assert [group[0] for group in chips_seen((185.0, "green"), (210.0, "purple"))] == ["stack"]


def test_chips_of_a_spread_are_counted_only_where_each_is_named() -> None:
    assert chips_seen((185.0, "green"), (210.0, "black")) == [("spread", {"black": 1, "green": 1}, 2, 125)]
    assert chips_seen((185.0, "black"), (210.0, "orange")) == [("spread", None, None, None)]


class NamesAll:
    """Names every chip, but those that are called purple, which it doubts."""

    def __call__(self, chips_bgr: Image, names: Sequence[str | None]) -> list[DrawnChipReading]:
        said = zip(DrawnChipReader()(chips_bgr), names, strict=True)
        return [DrawnChipReading(None, 0.3) if name == "purple" else reading for reading, name in said]


def test_a_chip_that_lies_alone_is_named_once_all_are_known_and_names_are_taken_back() -> None:
    image = np.full((900, 1260, 3), (70, 60, 40), np.uint8)
    for x, color in ((100, "orange"), (185, "black"), (210, "orange"), (340, "purple")):
        cv2.circle(image, (round(3 * x), 450), round(3 * 19.5), CHIPS[color], -1)
    readers = DrawnDetector(), DrawnReader(), NamesNoOrange()
    named = [
        sorted((round(group["center_px"][0] / 3), group["kind"], group["colors"]) for group in seen["chips"])
        for seen in (
            see(image, *readers, px_per_mm=3.0),
            see(image, *readers, together=NamesAll(), px_per_mm=3.0),
        )
    ]
    alone, spread, other = named[0]
    assert [group[2] for group in (alone, spread, other)] == [None, None, {"purple": 1}]
    assert named[1] == [(*alone[:2], {"orange": 1}), spread, (*other[:2], None)], (
        "of one among others nothing more is said"
    )


@pytest.mark.parametrize("turn_deg", [0.0, 70.0, 200.0])
def test_cards_tell_under_which_angle_they_are_seen(turn_deg: float) -> None:
    camera = Camera.looking_at((0, 1100.0, 1700.0), (0, 0), turn_deg, 1800.0, (1400, 1000))
    picture, corners = tilted(camera)
    seen = see(picture, DrawnDetector(), DrawnReader(), DrawnChipReader())
    assert seen["tilt_deg"] == pytest.approx(camera.tilt_deg, abs=5)
    assert sorted(card["card"] for card in seen["cards"]) == sorted(corners)
    for card in seen["cards"]:
        true = corners[card["card"]]
        assert np.abs(np.mean(card["corners_px"], axis=0) - true.mean(axis=0)).max() < 4


def tilted(camera: Camera) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Five cards, each turned otherwise, on cloth under a tilted camera."""
    width, height = camera.size_px
    picture = np.full((height, width, 3), (70, 60, 40), np.uint8)
    corners: dict[str, np.ndarray] = {}
    places = {
        "Qd": (-200, -60, 10),
        "As": (0, -120, 80),
        "5c": (190, -40, 140),
        "Kh": (-110, 110, 45),
        "2s": (120, 120, 100),
    }
    for card, (x, y, angle_deg) in places.items():
        angle = np.radians(angle_deg)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for size, bgr in (((31.75, 44.45), (240, 240, 240)), ((19, 27), FACES[card])):
            local = np.array([[1, -1], [-1, -1], [-1, 1], [1, 1]]) * size
            quad = camera.image_from_table(local @ turn.T + (x, y))
            cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), bgr, cv2.LINE_AA, 4)
            corners.setdefault(card, quad)
    return picture, corners


def test_what_is_overlooked_one_way_is_found_the_other_and_said_once() -> None:
    def only_upper_half(image: np.ndarray, min_confidence: float = 0.25) -> Detections:
        boxes = [box for y, x in zip(*np.nonzero(image[..., 0] > 200), strict=True) if y < 50 for box in [(x, y)]]
        corners = [np.array([[x - 6, y - 9], [x + 6, y - 9], [x + 6, y + 9], [x - 6, y + 9]]) for x, y in boxes]
        return Detections(
            np.array(corners, np.float32).reshape(-1, 4, 2),
            np.full(len(boxes), 0.9, np.float32),
            np.full(len(boxes), FACE),
        )

    image = np.zeros((101, 161, 3), np.uint8)
    image[30, 40] = image[80, 120] = image[49, 90] = 255
    found = BothWays(only_upper_half)(image)
    assert sorted(map(tuple, found.corners_px.mean(axis=1).tolist())) == [(40, 30), (90, 49), (120, 80)]
    assert (found.corners_px[:, 0] < found.corners_px[:, 2]).all()
