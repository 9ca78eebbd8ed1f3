"""A card is read again as long as it is not sure, and as soon as its picture is another."""

from __future__ import annotations

import numpy as np
import pytest

from vision.looks.known import OFTEN, KnownCards
from vision.looks.reading import CardReading

QUEEN = CardReading("Qd", 0.99, False, True)
BACK = CardReading(None, 0.0, True, False)
OPEN = CardReading(None, 0.0, False, True)
CORNERS = np.array([[40, 30], [103, 30], [103, 119], [40, 119]], np.float64)


def view(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(60, 200, (150, 150, 3), np.uint8)


def read(known: KnownCards, picture: np.ndarray, *readings: CardReading) -> None:
    for reading in readings:
        known.learn(picture, CORNERS, reading)


@pytest.mark.parametrize("reading", [QUEEN, BACK], ids=["face", "back"])
def test_known_after_as_many_looks_as_a_rest_has(reading: CardReading) -> None:
    known, picture = KnownCards(), view()
    for _ in range(OFTEN):
        assert known.reading(picture, CORNERS) is None
        known.learn(picture, CORNERS, reading)
    found = known.reading(picture, CORNERS)
    assert found is not None
    assert (found.card, found.back, found.face) == (reading.card, reading.back, reading.face)
    assert found.confidence == pytest.approx(reading.confidence)


def test_a_back_that_both_networks_see_is_known_at_once_and_a_face_is_not() -> None:
    known, picture = KnownCards(), view()
    read(known, picture, BACK)
    found = known.reading(picture, CORNERS, down=True)
    assert found is not None
    assert (found.card, found.back) == (None, True)
    assert known.reading(picture, CORNERS) is None
    changed = picture.copy()
    changed[60:64, 60:63] = 255 - changed[60:64, 60:63]
    assert known.reading(changed, CORNERS, down=True) is None
    faces = KnownCards()
    read(faces, picture, QUEEN)
    assert faces.reading(picture, CORNERS, down=True) is None


def test_what_could_not_be_read_is_always_read_again() -> None:
    known, picture = KnownCards(), view()
    read(known, picture, *[OPEN] * 9)
    assert known.reading(picture, CORNERS) is None


@pytest.mark.parametrize("other", [CardReading("Kd", 0.99, False, True), OPEN, BACK], ids=["another", "open", "back"])
def test_one_look_that_says_otherwise_begins_anew(other: CardReading) -> None:
    known, picture = KnownCards(), view()
    read(known, picture, QUEEN, QUEEN, other, QUEEN)
    assert known.reading(picture, CORNERS) is None


def test_a_pip_more_is_another_picture_and_noise_is_not() -> None:
    known, picture = KnownCards(), view()
    read(known, picture, *[QUEEN] * OFTEN)
    noisy = np.clip(picture.astype(int) + np.random.default_rng(2).integers(-8, 9, picture.shape), 0, 255)
    assert known.reading(noisy.astype(np.uint8), CORNERS) is not None
    changed = picture.copy()
    changed[60:64, 60:63] = 255 - changed[60:64, 60:63]
    assert known.reading(changed, CORNERS) is None


def test_what_changes_beside_the_card_is_not_the_card() -> None:
    known, picture = KnownCards(), view()
    read(known, picture, *[QUEEN] * OFTEN)
    beside = picture.copy()
    beside[:20] = 0
    assert known.reading(beside, CORNERS) is not None


def test_the_same_after_a_half_turn_and_not_where_it_lies_elsewhere() -> None:
    known, picture = KnownCards(), view()
    read(known, picture, *[QUEEN] * OFTEN)
    assert known.reading(picture, np.roll(CORNERS, 2, axis=0) + 0.7) is not None
    assert known.reading(picture, CORNERS + 4.0) is None


def test_a_card_beyond_the_view_is_read_and_not_kept() -> None:
    known, picture = KnownCards(), view()
    away = CORNERS + 500.0
    for _ in range(OFTEN):
        known.learn(picture, away, QUEEN)
    assert known.reading(picture, away) is None


def test_several_cards_of_an_area_are_known_apart() -> None:
    known = KnownCards()
    picture = np.random.default_rng(3).integers(60, 200, (150, 320, 3), np.uint8)
    beside = CORNERS + np.array([80.0, 0.0])
    for _ in range(OFTEN):
        known.learn(picture, CORNERS, QUEEN)
        known.learn(picture, beside, BACK)
    for _ in range(2):
        first, second = known.reading(picture, CORNERS), known.reading(picture, beside)
        assert first is not None
        assert second is not None
        assert (first.card, second.back) == ("Qd", True)
