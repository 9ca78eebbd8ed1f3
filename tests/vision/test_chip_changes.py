"""Chips that come and go: what changed of the picture bears them out, or not."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from drawn import Chip, DrawnTable, Things

from rules.events import Side
from rules.records import VERDICT_CONFIDENCE
from vision.frames.rectify import AreaView
from vision.looks.chips import ChipColor
from vision.looks.look import ChipSight, Look
from vision.observation.wagers import wager_events
from vision.tracking.areas import AreaState
from vision.tracking.rests import RestResult, compared
from vision.tracking.tracks import consensus

AREA, LEVEL = "seat3.play", 90.0
TABLE = DrawnTable()
At = tuple[float, float]


def sight(at: At, confidence: float = 0.94, color: str | None = "black") -> ChipSight:
    return ChipSight(at, (0.0, 0.0), 20.0, confidence, ChipColor(color, 0.99 if color else 0.0), count=1)


def at(dx: float, dy: float = 0.0) -> At:
    return TABLE.center(AREA, dx, dy)


def state(lay: Sequence[ChipSight], reference: npt.NDArray[np.uint8]) -> AreaState:
    area = TABLE.layout.area(AREA)
    view = AreaView.around(area.polygon_mm, TABLE.camera)
    return AreaState(0, area, view, chip_sights=tuple(lay), reference=(view.cut(reference), LEVEL))


def told(there: AreaState, picture: npt.NDArray[np.uint8], found: Sequence[ChipSight]) -> RestResult:
    view = there.view.cut(picture)
    there.looks = [Look(k, k / 10, view, (), tuple(found), False) for k in range(3)]
    return compared(there, consensus(there.looks), LEVEL)


def drawn(*chips: At) -> npt.NDArray[np.uint8]:
    return TABLE.draw(Things(chips=tuple(Chip("black", one) for one in chips)))


@pytest.mark.parametrize("shaded", [False, True])
@pytest.mark.parametrize("ninth", [False, True])
def test_a_chip_found_between_two_rows_where_nothing_changed_leaves_the_amount_open(ninth: bool, shaded: bool) -> None:
    row = [at(-24, dy) for dy in (-30, -10, 10, 30)]
    paid = [at(24, dy) for dy in (-30, -10, 10, 30)]
    there = state([sight(one) for one in row], drawn(*row))
    found = [sight(one) for one in (*row, *paid)] + ([sight(at(4, 20), 0.59)] if ninth else [])
    picture = drawn(*row, *paid)
    result = told(there, faint(picture, at(4, 20), levels=12) if shaded else picture, found)
    assert result.counted_chips == (None if ninth else (("black", 8),))


def test_a_chip_found_beside_a_row_where_a_shadow_fell_leaves_the_amount_open() -> None:
    """Nothing changed at its place but a few levels, and it does not stand out from the felt where others of its colour do (film 2948)."""
    row = [at(-30, dy) for dy in (-30, -10, 10, 30)]
    paid = [at(30, dy) for dy in (-30, -10, 10, 30)]
    place = at(-6, 20)
    there = state([sight(one) for one in row], drawn(*row))
    found = [sight(one) for one in (*row, *paid)]
    shaded = faint(drawn(*row, *paid), place, levels=11)
    assert told(there, shaded, found).counted_chips == (("black", 8),)
    assert told(there, shaded, [*found, sight(place, 0.54)]).counted_chips is None


@pytest.mark.parametrize("shaded", [False, True])
@pytest.mark.parametrize(("sure", "counted"), [(0.56, None), (0.9, 5)])
def test_a_chip_weakly_found_on_print_between_two_rows_leaves_the_amount_open(
    sure: float, counted: int | None, shaded: bool
) -> None:
    """Where it is in sight lies white print, which stands out from the felt as a chip would, or 0.6 of it changed by the shadow of those that came (film 3131)."""
    row, paid, place = [at(-22, -10), at(-22, 12)], [at(22, -16), at(22, 6)], at(-6, -2)
    there = state([sight(one) for one in row], with_line(drawn(*row), (-3, 3), 1.0))
    picture = with_line(drawn(*row, *paid), (-3, 3), 0.97)
    if shaded:
        picture = with_line(picture, (-3, 3), 0.5, reach_mm=10)
    result = told(there, picture, [*(sight(one) for one in (*row, *paid)), sight(place, sure)])
    assert result.counted_chips == (counted and (("black", counted),))


@pytest.mark.parametrize("levels", [0, 11], ids=["bare", "shaded"])
@pytest.mark.parametrize(
    ("lies", "found_at", "drawn_as", "counted"),
    [
        (False, at(0, 0), "black", 8),
        (True, at(0, 0), "black", 9),
        (True, at(4, 4), "black", 9),
        (False, at(0, 0), "like the felt", None),
    ],
    ids=["none", "there", "there, found six millimetres off", "of chips like the felt"],
)
def test_a_chip_found_where_the_bare_felt_is_seen_is_none(
    lies: bool, found_at: At, drawn_as: str, counted: int | None, levels: int
) -> None:
    """Between two rows, of chips whose rims stand out from the felt: what would be in sight of it is the felt that lay there before any (film 2994)."""
    row, paid, between = [at(-24, dy) for dy in (-30, -10, 10, 30)], [at(24, dy) for dy in (-30, -10, 10, 30)], at(0, 0)
    lying = [*row, *paid, *([between] if lies else [])]

    def picture(chips: Sequence[At]) -> npt.NDArray[np.uint8]:
        return drawn(*chips) if drawn_as == "black" else faint(drawn(), *chips, levels=16)

    there = state([sight(one) for one in row], picture(row))
    there.bare = (there.view.cut(drawn()), LEVEL)
    now = picture(lying) if lies else faint(picture(lying), between, levels=levels)
    result = told(there, now, [*(sight(one) for one in (*row, *paid)), sight(found_at, 0.71)])
    assert result.counted_chips == (counted and (("black", counted),))


def with_line(
    picture: npt.NDArray[np.uint8], beside_mm: tuple[float, float], light: float, reach_mm: float = 60.0
) -> npt.NDArray[np.uint8]:
    """The picture with a white line along a row of chips, so far from their middles, of so much of its light."""
    out = picture.copy()
    left, right = beside_mm
    corners = [at(left, -reach_mm), at(right, -reach_mm), at(right, reach_mm), at(left, reach_mm)]
    px = np.round(np.asarray(TABLE.camera.image_from_table(corners), float)).astype(np.int32)
    cv2.fillPoly(out, [px], (210 * light, 214 * light, 216 * light))
    return out


@pytest.mark.parametrize(
    ("light", "one_more", "counted"),
    [(1.0, False, 4), (0.6, False, 4), (0.25, False, None), (0.6, True, None)],
    ids=["lit", "in a shadow", "covered by something dark", "in a shadow, and another chip half under the row"],
)
def test_print_in_a_shadow_is_no_chip(light: float, one_more: bool, counted: int | None) -> None:
    """A shadow that the felt hardly shows darkens the white line of a box beside it (film 3058)."""
    row = [at(0, dy) for dy in (-30, -10, 10, 30)]
    bare = with_line(drawn(), (21, 27), 1.0)
    there = state([], bare)
    there.bare = (there.view.cut(bare), LEVEL)
    hidden = [at(11, 0)] if one_more else []
    chips = drawn(*hidden, *row)
    lies = (cv2.absdiff(chips, drawn()).max(axis=2) > 12)[..., None]
    picture = np.where(lies, chips, with_line(drawn(), (21, 27), light))
    assert told(there, picture, [sight(one) for one in row]).counted_chips == (counted and (("black", counted),))


LAY = [at(-24, -30), at(-24, -10)]
"""Two chips of a wager, one on the other's edge."""
CAME = [at(24, 10), at(24, 30)]
BETWEEN = at(8, -4)
"""Half under the first of those that came, half on bare felt."""


def looks(there: AreaState, picture: npt.NDArray[np.uint8], *found: Sequence[ChipSight]) -> RestResult:
    view = there.view.cut(picture)
    there.looks = [Look(k, k / 10, view, (), tuple(sights), False) for k, sights in enumerate(found)]
    return compared(there, consensus(there.looks), LEVEL)


@pytest.mark.parametrize("seen_in", [3, 1], ids=["in every look", "in one of three"])
@pytest.mark.parametrize(
    ("outline", "left_open"),
    [(sight(BETWEEN, 0.34, None), False), (sight(BETWEEN, 0.62, None), True), (sight(BETWEEN, 0.34), True)],
    ids=["weak and of no colour", "of no colour", "weak"],
)
def test_an_outline_of_no_colour_where_nothing_came_leaves_no_amount_open(
    outline: ChipSight, left_open: bool, seen_in: int
) -> None:
    there = state([sight(one) for one in LAY], drawn(*LAY))
    found = [sight(one) for one in (*LAY, *CAME)]
    result = looks(there, drawn(*LAY, *CAME), *([*found, outline] if k < seen_in else found for k in range(3)))
    assert result.counted_chips == (None if left_open else (("black", 4),))


def test_an_outline_of_no_colour_where_something_came_leaves_the_amount_open() -> None:
    there = state([sight(one) for one in LAY], drawn(*LAY))
    found = [sight(one) for one in (*LAY, *CAME)]
    assert told(there, drawn(*LAY, *CAME, BETWEEN), [*found, sight(BETWEEN, 0.34, None)]).counted_chips is None


@pytest.mark.parametrize(
    ("before", "came", "counted"),
    [(0.94, CAME, 4), (0.3, CAME, None), (0.94, [*CAME, at(24, -10)], None)],
    ids=["surely found before", "never surely found", "beside three that came"],
)
def test_a_chip_that_lies_as_it_did_is_as_sure_as_it_was(before: float, came: list[At], counted: int | None) -> None:
    there = state([sight(LAY[0]), sight(LAY[1], before)], drawn(*LAY))
    found = [sight(LAY[0]), sight(LAY[1], 0.3), *(sight(one) for one in came)]
    assert told(there, drawn(*LAY, *came), found).counted_chips == (counted and (("black", counted),))


@pytest.mark.parametrize(
    ("came", "counted"),
    [([at(-24, 12)], (("black", 1), ("white", 1))), ([at(-24, -22), at(-24, 2)], None)],
    ids=["on its edge", "on all but slivers of it"],
)
def test_a_chip_on_which_others_came_to_lie_is_as_sure_as_it_was(
    came: list[At], counted: tuple[tuple[str, int], ...] | None
) -> None:
    there = state([sight(LAY[1])], drawn(LAY[1]))
    found = [sight(LAY[1], 0.3), *(sight(one, color="white") for one in came)]
    chips = (Chip("black", LAY[1]), *(Chip("white", one) for one in came))
    assert told(there, TABLE.draw(Things(chips=chips)), found).counted_chips == counted


def faint(picture: npt.NDArray[np.uint8], *chips: At, levels: int = 9) -> npt.NDArray[np.uint8]:
    """The picture with chips that differ from what lies below them by so few levels."""
    out = picture.copy()
    for one in chips:
        (x, y), (rim, _) = np.asarray(TABLE.camera.image_from_table([one, (one[0] + 19.5, one[1])]), float)
        disc = np.zeros(out.shape[:2], np.uint8)
        cv2.circle(disc, (round(x), round(y)), round(abs(rim - x)), 1, -1)
        out[disc > 0] += np.uint8(levels)
    return out


def test_chips_of_the_felts_colour_that_are_not_found_any_more_are_gone() -> None:
    two = [at(-10), at(10, 4)]
    there = state([sight(one) for one in two], faint(drawn(), *two))
    gone = told(there, drawn(), [])
    assert gone.chips == ()
    assert gone.chips_changed
    assert gone.chips_sure
    stay = told(there, faint(drawn(), *two), [])
    assert len(stay.chips) == 2
    assert not stay.chips_changed


def test_chips_of_the_felts_colour_that_are_found_came() -> None:
    two = [at(-10), at(10, 4)]
    result = told(state([], drawn()), faint(drawn(), *two), [sight(one) for one in two])
    assert result.chips_changed
    assert result.counted_chips == (("black", 2),)


def test_light_that_changes_takes_no_chip_away() -> None:
    two = [at(-10), at(10, 4)]
    there = state([sight(one) for one in two], faint(drawn(), *two))
    brighter = np.clip(faint(drawn(), *two).astype(int) + 14, 0, 255).astype(np.uint8)
    assert len(told(there, brighter, []).chips) == 2


def test_a_chip_not_found_again_and_shaded_as_others_came_leaves_the_amount_open() -> None:
    there = state([sight(one) for one in LAY], drawn(*LAY))
    found = [sight(LAY[1]), *(sight(one) for one in CAME)]
    assert told(there, drawn(*LAY, *CAME), found).counted_chips == (("black", 4),)
    assert told(there, faint(drawn(*LAY, *CAME), LAY[0], levels=14), found).counted_chips is None


@pytest.mark.parametrize("confidence", [0.6, 0.73, 0.95])
def test_a_chip_of_the_felts_colour_found_where_nothing_came_is_not_paid(confidence: float) -> None:
    """Beside a stake two chips are paid, and a third, like the felt, is found where the felt lies bare as before."""
    stake, paid, bare = at(-25, 20), [at(25, -20), at(5, -30)], at(-5, 30)
    there = state([sight(stake)], drawn(stake))
    there.chips = (("black", 1),)
    result = told(there, drawn(stake, *paid), [*map(sight, (stake, *paid)), sight(bare, confidence, "green")])
    assert sum(chip.color.name == "green" for chip in result.overlooked) == 1
    there.visits.seen(0.0, Side.DEALER)
    events = wager_events(there, result, 1.0, (1,), table_id="t", values_cents={"black": 10000, "green": 2500})
    assert [(event.kind, getattr(event, "amount_cents", None)) for event in events] == [("payout_placed", 20000)]


@pytest.mark.parametrize(
    ("push", "confidence", "sure"), [(14.0, 0.55, False), (14.0, 0.9, True), (0.0, 0.55, True)], ids=str
)
def test_one_weak_chip_more_among_chips_that_were_pushed_is_probable(
    push: float, confidence: float, sure: bool
) -> None:
    row = [at(-27), at(0), at(27)]
    pushed = [at(dx, push) for dx in (-27, 0, 27)]
    there = state([sight(one) for one in row], drawn(*row))
    there.chips = (("black", 3),)
    more = at(40, 22 + push)
    result = told(there, drawn(*pushed, more), [*map(sight, pushed), sight(more, confidence)])
    there.visits.seen(0.0, Side.DEALER)
    (event,) = wager_events(there, result, 1.0, (1,), table_id="t", values_cents={"black": 10000})
    assert event.kind == "payout_placed"
    assert (event.confidence >= VERDICT_CONFIDENCE) is sure
