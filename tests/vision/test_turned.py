"""Chips hardly seen are looked at turned: the answers come back to where the chips lie, and say how sure they are together."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import cv2
import numpy as np
import pytest

from models.detections import CHIP, FACE, STACK, Detections
from service.reviews.checkpoint import plain_state
from vision.frames.picture import Image
from vision.looks.turned import SURE_CHIP, TURNS, TurnedChips, fused

WIDTH_PX = 39.0
MARK = 30
"""Where the corner of the view is this bright, the picture is as it is."""


def box(x: float, y: float, width: float = WIDTH_PX) -> np.ndarray:
    half = width / 2
    return np.array(
        [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]], np.float32
    )


def said(*things: tuple[float, float, float, int]) -> Detections:
    return Detections(
        np.array([box(x, y) for x, y, _, _ in things], np.float32).reshape(-1, 4, 2),
        np.array([confidence for *_, confidence, _ in things], np.float32),
        np.array([class_id for *_, class_id in things], np.int64),
    )


def confidences(found: Detections) -> dict[int, float]:
    return dict(zip(found.class_id.tolist(), found.confidence.tolist(), strict=True))


def view_of(*middles: tuple[int, int]) -> Image:
    view = np.zeros((120, 200, 3), np.uint8)
    for x, y in middles:
        cv2.circle(view, (x, y), 10, (255, 255, 255), -1)
    view[:4, :4] = MARK
    return view


class Spots:
    """Finds white discs as chips, with one confidence in the picture as it is and another in any other."""

    def __init__(self, straight: float, turned: float) -> None:
        self.straight, self.turned, self.calls = straight, turned, 0

    def __call__(self, image: Image, least: float) -> Detections:
        self.calls += 1
        way = self.straight if image[0, 0, 0] == MARK and image.shape[1] > image.shape[0] else self.turned
        white = np.asarray((image[..., 0] > 128).astype(np.uint8))
        _, _, _, middles = cv2.connectedComponentsWithStats(white)
        found = [(float(x), float(y), way, CHIP) for x, y in middles[1:]] if way >= least else []
        return said(*found)


@pytest.mark.parametrize("at", [(60, 50), (24, 95), (170, 30)])
def test_a_chip_found_turned_lies_where_it_lies(at: tuple[int, int]) -> None:
    detect = Spots(straight=0.2, turned=0.9)
    view = view_of(at)
    found = TurnedChips().added(view, detect(view, 0.05), detect)
    assert len(found) == 1
    assert np.allclose(found.corners_px[0].mean(axis=0), at, atol=0.01)
    assert found.confidence[0] == pytest.approx((0.2 + 4 * 0.9) / 5)


def test_what_only_the_picture_as_it_is_shows_stays_as_weak() -> None:
    detect = Spots(straight=0.3, turned=0.0)
    view = view_of((60, 50))
    found = TurnedChips().added(view, detect(view, 0.05), detect)
    assert found.confidence.tolist() == pytest.approx([0.3])


@pytest.mark.parametrize("confidence", [0.1, SURE_CHIP, 0.9])
def test_sure_chips_and_none_at_all_cost_no_further_look(confidence: float) -> None:
    detect = Spots(straight=confidence, turned=0.9)
    view = view_of((60, 50))
    found = detect(view, 0.05)
    assert TurnedChips().added(view, found, detect) is found
    assert detect.calls == 1


def test_a_view_that_shows_the_same_is_not_turned_again() -> None:
    detect, chips = Spots(straight=0.2, turned=0.9), TurnedChips()
    first = view_of((60, 50))
    for view, calls in ((first, 4), (np.maximum(first, 3), 4), (view_of((64, 50)), 8)):
        found = chips.added(view, said((60.0, 50.0, 0.2, CHIP)), detect)
        assert detect.calls == calls
        assert found.confidence[0] > SURE_CHIP


def test_what_was_found_turned_is_kept_in_a_checkpoint() -> None:
    detect, chips, view = Spots(straight=0.2, turned=0.9), TurnedChips(), view_of((60, 50))
    weak = said((60.0, 50.0, 0.2, CHIP))
    before = chips.added(view, weak, detect)
    kept = plain_state(pickle.dumps(chips))
    assert isinstance(kept, TurnedChips)
    assert np.array_equal(kept.added(view, weak, detect).corners_px, before.corners_px)
    assert detect.calls == 4


def test_cards_are_left_as_they_were_found() -> None:
    detect = Spots(straight=0.2, turned=0.9)
    found = TurnedChips().added(view_of((60, 50)), said((60.0, 50.0, 0.2, CHIP), (150.0, 60.0, 0.4, FACE)), detect)
    assert confidences(found) == pytest.approx({FACE: 0.4, CHIP: 0.76})


@pytest.mark.parametrize(
    ("other", "things"),
    [((5.0, 0.0), 1), ((11.0, 0.0), 2), ((14.0, 14.0), 2)],
    ids=["one chip placed 5 mm off", "nearer to a neighbour", "chips 20 mm apart across"],
)
def test_chips_side_by_side_stay_two(other: tuple[float, float], things: int) -> None:
    x, y = other
    assert len(fused([said((60.0, 50.0, 0.4, CHIP)), said((60.0 + x, 50.0 + y, 0.8, CHIP))])) == things


def test_two_chips_of_one_answer_are_never_one() -> None:
    both = said((60.0, 50.0, 0.8, CHIP), (71.0, 50.0, 0.6, CHIP))
    found = fused([both, both])
    assert sorted(found.confidence) == pytest.approx([0.6, 0.8])


def test_a_chip_and_a_stack_are_said_apart() -> None:
    found = fused([said((60.0, 50.0, 0.4, CHIP)), said((60.0, 50.0, 0.3, STACK))])
    assert confidences(found) == pytest.approx({CHIP: 0.4, STACK: 0.15})


def test_every_way_of_turning_is_another() -> None:
    def turned(image: Image, quarters: int, mirrored: bool) -> Image:
        rotated = np.rot90(image, quarters)
        return rotated[:, ::-1] if mirrored else rotated

    apart: Callable[[tuple[int, bool]], bytes] = lambda turn: turned(view_of((60, 50)), *turn).tobytes()  # noqa: E731
    assert len({apart(turn) for turn in ((0, False), *TURNS)}) == 1 + len(TURNS)
