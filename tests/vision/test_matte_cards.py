"""Backs of the felt's own colour, looked at on another ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from drawn import Arm, Card, DrawnTable, Things, card_corners

from vision.frames.frame import Frame
from vision.frames.rectify import AreaView
from vision.looks.look import CardSight, Look
from vision.observation.observe import Observer
from vision.observation.rest_watcher import RestWatcher
from vision.tracking.areas import AreaState, RestSettings
from vision.tracking.matte import FELTS_BGR, GROUNDS_BGR, SURELY_FOUND, cards_borne_out, covered_ground, painted

AREA, LEVEL = "seat3.cards", 90.0
TABLE = DrawnTable()
NO_CARD: tuple[CardSight, ...] = ()


TURN_DEG = 16.0
"""The area's."""


def card(along_mm: float) -> Card:
    turn = np.radians(TURN_DEG)
    return Card("Kd", TABLE.center(AREA, along_mm * np.cos(turn), along_mm * np.sin(turn)), TURN_DEG)


PAIR = (card(-45), card(45))


def sight(there: Card, confidence: float = 0.9, *, up: bool = False) -> CardSight:
    corners = card_corners(there)
    return CardSight(there.at_mm, corners, TABLE.camera.image_from_table(corners), up, confidence, corners, back=not up)


def bare() -> AreaState:
    area = TABLE.layout.area(AREA)
    there = AreaState(0, area, AreaView.around(area.polygon_mm, TABLE.camera))
    there.pile.cleared(there.view.cut(TABLE.draw(Things())), LEVEL)
    return there


def look(there: AreaState, lie: Sequence[Card], *found: CardSight, arms: tuple[Arm, ...] = ()) -> Look:
    picture = TABLE.draw(Things(cards=tuple(lie), arms=arms))
    return Look(0, 1.0, there.view.cut(picture), found, (), False)


def covered(there: AreaState, seen: Look) -> npt.NDArray[np.uint8]:
    ground = covered_ground(there, seen, LEVEL)
    assert ground is not None
    return ground


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (NO_CARD, True),
        ((sight(PAIR[0], 0.3),), True),
        ((sight(PAIR[0], 0.9),), False),
        ((sight(PAIR[0], 0.3, up=True),), False),
        ((sight(PAIR[0], 0.3), sight(PAIR[1], 0.3)), False),
    ],
    ids=["none found", "one of two, weakly", "one surely", "a face", "both"],
)
def test_another_ground_is_wanted_where_hardly_any_card_is_found(found: tuple[CardSight, ...], wanted: bool) -> None:
    there = bare()
    assert (covered_ground(there, look(there, PAIR, *found), LEVEL) is not None) == wanted


def test_none_is_wanted_where_the_area_lies_bare_or_was_never_seen_so() -> None:
    there = bare()
    assert covered_ground(there, look(there, ()), LEVEL) is None
    unseen = replace(there, pile=type(there.pile)())
    assert covered_ground(unseen, look(unseen, PAIR), LEVEL) is None


def test_what_reaches_in_over_the_edge_is_no_card() -> None:
    there = bare()
    x, y = TABLE.center(AREA)
    arm = Arm((x, y), (x, y - 400))
    assert covered_ground(there, look(there, (), arms=(arm,)), LEVEL) is None


@pytest.mark.parametrize(("over_mm", "wanted"), [(0.0, True), (4.0, True), (12.0, False)])
def test_a_corner_over_the_edge_is_no_arm(over_mm: float, wanted: bool) -> None:
    there = bare()
    first, *_, last = np.asarray(TABLE.layout.area(AREA).polygon_mm)
    up = (last - first) / np.hypot(*(last - first))
    middle = np.asarray(TABLE.center(AREA)) + up * (np.hypot(*(last - first)) / 2 - np.hypot(31.75, 44.45) + over_mm)
    turn_deg = float(np.degrees(np.arctan2(up[1], up[0]) - np.arctan2(44.45, 31.75)))
    corner_over = Card("Kd", (float(middle[0]), float(middle[1])), turn_deg)
    assert (covered_ground(there, look(there, [corner_over]), LEVEL) is not None) == wanted


def test_bare_felt_is_painted_and_cards_stay() -> None:
    there = bare()
    seen = look(there, PAIR)
    shown = painted(there, seen.view, covered(there, seen))
    middle, beside = (
        np.round(there.view.view_from_table(at)).astype(int) for at in (PAIR[0].at_mm, TABLE.center(AREA))
    )
    assert np.abs(shown[middle[1], middle[0]].astype(int) - seen.view[middle[1], middle[0]]).max() <= 2
    assert np.abs(shown[beside[1], beside[0]].astype(int) - seen.view[beside[1], beside[0]]).max() > 60


@pytest.mark.parametrize(
    ("found", "there_are"),
    [
        ((sight(PAIR[0], 0.8), sight(PAIR[1], 0.8)), 2),
        ((sight(PAIR[0], 0.8),), None),
        ((sight(PAIR[0], 0.8, up=True), sight(PAIR[1], 0.8, up=True)), None),
        ((sight(PAIR[0], 0.8), sight(PAIR[1], 0.8), sight(card(0), 0.8)), 2),
        (NO_CARD, None),
    ],
    ids=["both", "one", "faces", "and one on bare felt", "none"],
)
def test_cards_found_on_another_ground_count_where_they_explain_what_covers_it(
    found: tuple[CardSight, ...], there_are: int | None
) -> None:
    there = bare()
    seen = look(there, PAIR)
    cards = cards_borne_out(there, covered(there, seen), seen.cards, found)
    assert (None if cards is None else len(cards)) == there_are


def test_a_card_found_before_is_not_taken_twice() -> None:
    there = bare()
    weak = sight(PAIR[0], 0.3)
    seen = look(there, PAIR, weak)
    cards = cards_borne_out(there, covered(there, seen), seen.cards, [sight(PAIR[0], 0.8), sight(PAIR[1], 0.8)])
    assert cards is not None
    assert [one.confidence for one in cards] == [0.3, 0.8]


class OnDarkGround:
    """Finds two backs surely on one ground only, and weakly on some others."""

    def __init__(self, found: Mapping[tuple[int, int, int], float]) -> None:
        self.found = found
        self.asked: list[tuple[int, int, int]] = []

    def look(self, *_: object, painted: npt.NDArray[np.uint8], **more: object) -> Look:
        ground = tuple(int(level) for level in painted[2, 2])
        near = min((*GROUNDS_BGR, *FELTS_BGR), key=lambda color: sum(abs(a - b) for a, b in zip(color, ground, strict=True)))  # fmt: skip
        self.asked.append(near)
        sure = self.found.get(near, 0.0)
        cards = tuple(sight(one, sure) for one in PAIR) if sure else ()
        return Look(0, 1.0, painted, cards, (), False)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ({GROUNDS_BGR[1]: 0.7}, 0.7),
        ({GROUNDS_BGR[0]: 0.3, GROUNDS_BGR[1]: 0.45, FELTS_BGR[0]: 0.4}, 0.45),
        ({FELTS_BGR[2]: 0.65}, 0.65),
        ({}, None),
    ],
    ids=["dark", "weak on three", "a felt", "none"],
)
def test_a_back_is_looked_for_on_one_ground_after_the_other(
    found: Mapping[tuple[int, int, int], float], told: float | None
) -> None:
    """Until it is surely found; else as surely as on any of them (film 2941)."""
    there, looker = bare(), OnDarkGround(found)
    seen = look(there, PAIR)
    outbox: Any = None
    watcher = RestWatcher("t1", RestSettings(), 0.1, looker, None, Observer("t1", {}), outbox)  # type: ignore[arg-type]
    frame = Frame(0, 1.0, TABLE.draw(Things(cards=PAIR)))
    cards = watcher._backs_on_other_ground(there, frame, seen, LEVEL).cards
    assert [one.confidence for one in cards] == ([told, told] if told else [])
    assert len(set(looker.asked)) == len(looker.asked)
    assert (len(looker.asked) < 5) == any(sure >= SURELY_FOUND for sure in found.values())
