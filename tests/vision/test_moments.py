"""When something came or went, told by the small picture of every frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import Camera
from vision.change.moments import AreaFilm, Arrival, Moment

SIZE = (480, 270)
CAMERA = Camera.looking_at((0, 480, 2400), (0, 500), 0, 300, SIZE)
AREA = [(-120, 400), (120, 400), (120, 560), (-120, 560)]
CARD = np.array([[-30, 440], [33, 440], [33, 528], [-30, 528]], float)
FELT, BACK, SKIN = (90, 120, 110), (150, 150, 90), (160, 110, 150)
HZ = 15


def picture(
    *things: tuple[tuple[int, int, int], npt.NDArray[np.float64]], gain: float = 1.0, seed: int = 0
) -> npt.NDArray[np.uint8]:
    """A small picture in Y, U, V: upright boxes on the felt, given by corners in table millimetres."""
    out: npt.NDArray[np.float64] = np.full((SIZE[1], SIZE[0], 3), FELT, float)
    for color, box in things:
        px = CAMERA.image_from_table(box)
        (x0, y0), (x1, y1) = np.round(px.min(axis=0)).astype(int), np.round(px.max(axis=0)).astype(int)
        out[max(0, y0) : max(0, y1), max(0, x0) : max(0, x1)] = color
    out[..., 0] *= gain
    out += np.random.default_rng(seed).normal(0, 2, out.shape)
    return np.asarray(np.clip(out, 0, 255), np.uint8)


def hand(reach_mm: float) -> npt.NDArray[np.float64]:
    """An arm from the dealer's edge over the whole width, to `reach_mm` from it."""
    return np.array([[-200, 0], [200, 0], [200, reach_mm], [-200, reach_mm]], float)


def filmed(scene: Callable[[float], list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]], *, calm_s: float = 1.0, until_s: float = 5.0, gain: Callable[[float], float] = lambda t: 1.0) -> AreaFilm:  # fmt: skip
    film = AreaFilm(AREA, CAMERA, 1.0)
    for k in range(round(until_s * HZ) + 1):
        t = k / HZ
        film.feed(
            t,
            picture(*scene(t), gain=gain(t), seed=k),
            90.0 * gain(t),
            calm=t < calm_s,
            covered=any(color == SKIN for color, _ in scene(t)),
        )
    return film


def between(moment: Moment | None, earliest_s: float, latest_s: float) -> None:
    assert moment is not None
    assert earliest_s - 0.15 <= moment.earliest_s <= earliest_s + 0.15
    assert latest_s - 0.15 <= moment.latest_s <= latest_s + 0.15


def test_a_card_is_there_as_soon_as_some_of_it_shows_though_the_hand_stays() -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [] if t < 1.2 else [(SKIN, hand(560))] if t < 2.0 else [(SKIN, hand(495))] if t < 4.0 else []
        return ([(BACK, CARD)] if t >= 1.6 else []) + arm

    between(filmed(scene).moment([CARD], 5.0), 1.2, 2.0)


STILL = (160, 110, 149)
"""Skin of a hand that keeps still: the gate tells of none."""


@pytest.mark.parametrize("then", ["it goes", "another hand comes"])
def test_a_card_is_there_under_a_hand_that_keeps_still_from_when_some_of_it_shows(then: str) -> None:
    """A dealer's hand rested on half of the first card while bets were closed; it had been told when the hand had gone (film 3036)."""

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [] if t < 1.4 else [(SKIN, hand(560))] if t < 1.6 else [(STILL, hand(495))] if t < 3.0 else []
        more = [(SKIN, hand(560))] if then == "another hand comes" and 3.4 < t < 3.8 else []
        return ([(BACK, CARD)] if t >= 1.5 else []) + arm + more

    between(filmed(scene).moment([CARD], 3.3), 1.4, 1.6)


@pytest.mark.parametrize(("lay_mm", "since_s"), [(0, 1.4), (40, 2.5)])
def test_what_shows_beside_a_still_hand_and_not_from_then_on_is_no_card(lay_mm: float, since_s: float) -> None:
    """Something of the card's colour lies there under a still hand, and goes; the card comes later, a little beside it or right there."""
    other = CARD + np.array([lay_mm, 0])

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [] if t < 1.4 else [(STILL, hand(495))] if t < 2.5 else [(SKIN, hand(560))] if t < 3.0 else []
        return ([(BACK, other)] if 1.5 <= t < 2.5 else [(BACK, CARD)] if t >= 2.7 else []) + arm

    between(filmed(scene).moment([CARD], 3.5), since_s, 3.0)


def test_a_card_that_goes_is_gone_between_the_last_picture_of_it_and_the_first_of_the_felt() -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [(SKIN, hand(560))] if 1.5 < t < 1.9 else [(SKIN, hand(470))] if 1.9 <= t < 4.0 else []
        return ([(BACK, CARD)] if t < 1.7 else []) + arm

    between(filmed(scene).moment([CARD], 5.0), 1.5, 1.9)


@pytest.mark.parametrize(("since_s", "came_s"), [(None, 1.6), (0.5, 1.6), (2.5, 3.2)])
def test_a_card_laid_on_another_that_was_not_told_yet_came_after_the_look_at_that_one(
    since_s: float | None, came_s: float
) -> None:
    upper = CARD + np.array([12, 0])

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [(SKIN, hand(560))] if 1.5 < t < 1.7 or 3.1 < t < 3.3 else []
        return ([(BACK, CARD)] if t >= 1.6 else []) + ([(BACK, upper)] if t >= 3.2 else []) + arm

    between(filmed(scene).moment([upper], 5.0, since_s=since_s), came_s - 0.1, came_s + 0.1)


def test_a_hand_that_covered_before_and_showed_the_same_again_is_no_moment() -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [(SKIN, hand(560))] if 1.2 < t < 2.0 or 3.0 < t < 3.4 else []
        return ([(BACK, CARD)] if t > 3.2 else []) + arm

    between(filmed(scene).moment([CARD], 5.0), 3.0, 3.4)


def test_what_was_pushed_along_is_gone_only_when_it_left() -> None:
    pushed = CARD + np.array([30, 0])

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [(SKIN, hand(560))] if 1.5 < t < 1.9 or 3.0 < t < 3.4 else []
        lies = CARD if t < 1.7 else pushed
        other = (BACK[0] + 40, BACK[1], BACK[2])
        return ([(BACK if t < 1.7 else other, lies)] if t < 3.2 else []) + arm

    moment = filmed(scene).moment([CARD], 5.0)
    assert moment is not None
    assert 3.2 <= moment.latest_s <= 3.55


@pytest.mark.parametrize("gone", [True, False])
def test_what_was_pushed_along_was_there_as_long_as_some_of_it_was(gone: bool) -> None:
    pushed = CARD + np.array([30, 0])

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        arm = [(SKIN, hand(560))] if 1.5 < t < 1.9 or 3.0 < t < 3.4 else []
        return ([(BACK, CARD if t < 1.7 else pushed)] if t < 3.2 else []) + arm

    moment = filmed(scene).moment([CARD], 5.0, gone=gone)
    assert moment is not None
    assert (moment.earliest_s >= 2.9) is gone
    assert moment.latest_s >= 1.9


def test_light_that_changes_moves_no_moment() -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        return [(BACK, CARD)] if t > 2.0 else []

    between(filmed(scene, gain=lambda t: 1.0 if t < 3 else 0.8).moment([CARD], 5.0), 2.0, 2.0)


@pytest.mark.parametrize("now_s", [0.9, 5.0])
def test_what_looks_the_same_before_and_after_tells_nothing(now_s: float) -> None:
    assert filmed(lambda t: []).moment([CARD], now_s) is None


def test_before_anything_was_at_rest_nothing_is_told() -> None:
    assert filmed(lambda t: [(BACK, CARD)] if t > 1 else [], calm_s=0.0).moment([CARD], 5.0) is None


def test_what_came_after_a_rest_is_held_against_that_rest() -> None:
    other = CARD + np.array([70, 0])

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        return ([(BACK, CARD)] if t > 1.5 else []) + ([(BACK, other)] if t > 3.5 else [])

    film = filmed(scene)
    film.settled(2.5)
    assert film.moment([CARD], 5.0) is None
    between(film.moment([other], 5.0), 3.5, 3.5)


def test_outside_the_picture_and_after_a_camera_that_moved_nothing_is_told() -> None:
    film = filmed(lambda t: [(BACK, CARD)] if t > 2 else [])
    assert film.moment([CARD + 5000.0], 5.0) is None
    film.stand_at(CAMERA, 1.0)
    assert film.moment([CARD], 5.0) is None
    away = AreaFilm([(9000, 9000), (9100, 9000), (9100, 9100), (9000, 9100)], CAMERA, 1.0)
    for k in range(30):
        away.feed(k / HZ, picture(seed=k), 90.0, calm=k < 15)
    assert away.moment([CARD], 2.0) is None


def test_a_sleeve_that_looks_like_the_felt_does_not_take_a_card_away_again() -> None:
    sleeve = (FELT[0] + 2, FELT[1], FELT[2])

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        card = [(BACK, CARD)] if t >= 2.0 else []
        if 1.8 <= t < 2.2:
            return [*card, (SKIN, hand(470))]
        if 3.0 <= t < 3.6:  # the arm on its way to another seat: the hand beyond the area, the sleeve over the card
            return [
                *card,
                (sleeve, hand(900)),
                (SKIN, np.array([[-200, 880], [200, 880], [200, 1000], [-200, 1000]], float)),
            ]
        return card

    between(filmed(scene).moment([CARD], 4.8), 1.8, 2.0)


def test_a_sleeve_that_looks_like_the_felt_leaves_the_moment_open_until_the_arm_is_gone() -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        card = [(BACK, CARD)] if t >= 1.4 else []
        over = [(FELT, hand(900)), (SKIN, np.array([[-200, 880], [200, 880], [200, 1000], [-200, 1000]], float))]
        return [*card, *(over if 1.2 <= t < 3.0 else [])]

    between(filmed(scene).moment([CARD], 4.8), 1.2, 3.0)


CARRIED, ARM = np.array([[-60, 400], [60, 400], [60, 600], [-60, 600]], float), (40, 120, 150)


@pytest.mark.parametrize("again_s", [0.1, 0.5])
def test_felt_that_was_seen_is_free_though_cards_are_carried_over_it_unless_they_stay(again_s: float) -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        card = [(BACK, CARD)] if t < 1.7 else [(BACK, CARRIED)] if 2.6 <= t < 2.6 + again_s else []
        arm = [(SKIN, hand(560))] if 1.4 < t < 1.9 else [(SKIN, hand(420))] if 1.9 <= t < 3.5 else []
        return [*card, *arm]

    between(filmed(scene).moment([CARD], 5.0), 1.4, 1.9 if again_s < 0.2 else 3.1)


def test_felt_that_was_seen_is_free_though_a_sleeve_like_the_card_lies_over_it_later() -> None:
    sleeve = (BACK[0] - 12, BACK[1], BACK[2] + 8)

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        card = [(BACK, CARD)] if t < 1.7 else []
        arm = [(SKIN, hand(560))] if 1.4 < t < 1.9 else [(SKIN, hand(420))] if 1.9 <= t < 3.5 else []
        return [*card, *([(sleeve, CARRIED)] if 2.4 <= t < 3.2 else []), *arm]

    between(filmed(scene).moment([CARD], 5.0), 1.4, 1.9)


@pytest.mark.parametrize("seen_s", [0.1, 0.4])
def test_felt_that_was_seen_is_free_though_an_arm_not_made_out_lies_over_it_later(seen_s: float) -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        card = [(BACK, CARD)] if t < 1.7 else []
        arm = [(SKIN, hand(560))] if 1.4 < t < 1.9 else [(SKIN, hand(420))] if 1.9 <= t < 1.9 + seen_s else []
        return [*card, *arm, *([(ARM, hand(520))] if 1.9 + seen_s <= t < 3.0 else [])]

    between(filmed(scene).moment([CARD], 5.0), 1.4, 1.9 if seen_s > 0.2 else 3.0)


def strip(of: int) -> npt.NDArray[np.float64]:
    """Ground that the `of`-th card covers beside the one below, 24 mm (3 pixels) wide."""
    x0, x1 = 33 + 24 * of, 57 + 24 * of
    return np.array([[x0, 440], [x1, 440], [x1, 528], [x0, 528]], float)


def dealt(*times_s: float, hidden: tuple[tuple[float, float], ...] = ()) -> list[Arrival] | None:
    """What is told of strips of ground covered one after the other, each under a quick hand that is over them for 0.2 s."""

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        cards = [(BACK, strip(i)) for i, at in enumerate(times_s) if t >= at]
        hands = [(at - 0.1, at + 0.1) for at in times_s] + list(hidden)
        return cards + ([(SKIN, hand(560))] if any(since <= t <= until for since, until in hands) else [])

    whole = np.array([strip(0)[0], strip(len(times_s) - 1)[1], strip(len(times_s) - 1)[2], strip(0)[3]])
    return filmed(scene, until_s=times_s[-1] + 1.0).arrivals([whole], times_s[-1] + 1.0)


def test_cards_laid_on_one_another_between_two_looks_are_told_apart() -> None:
    told = dealt(2.0, 2.6)
    assert told is not None
    assert [one.moment.latest_s for one in told] == pytest.approx([2.07, 2.67], abs=0.11)
    assert [one.share for one in told] == pytest.approx([0.5, 0.5], abs=0.2)


@settings(max_examples=6, deadline=None)
@given(st.lists(st.floats(0.55, 1.1), min_size=1, max_size=3))
def test_as_many_arrivals_are_told_as_cards_came_or_none(pauses_s: list[float]) -> None:
    times = list(np.cumsum([1.2, *pauses_s[1:]]))
    told = dealt(*times)
    assert told is not None
    assert len(told) == len(times)
    for one, at in zip(told, times, strict=True):
        assert one.moment.earliest_s <= at <= one.moment.latest_s + 1e-6
        assert one.since_s < at < one.until_s


def test_two_cards_under_one_hand_are_one_arrival_of_as_long_as_the_hand_stayed() -> None:
    told = dealt(2.0, 2.6, hidden=((1.8, 2.9),))
    assert told is not None
    assert len(told) == 1
    assert told[0].until_s - told[0].since_s >= 1.0


@pytest.mark.parametrize("halt_s", [1 / HZ, 2 / HZ])
def test_a_card_that_halts_as_it_slides_in_is_one_arrival(halt_s: float) -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        return [(BACK, strip(i)) for i, at in enumerate((2.0, 2.0 + halt_s + 1 / HZ)) if t >= at - 1e-6]

    told = filmed(scene).arrivals([np.array([strip(0)[0], strip(1)[1], strip(1)[2], strip(0)[3]])], 5.0)
    assert told is not None
    assert len(told) == 1


def test_ground_that_a_hand_not_made_out_lies_over_tells_nothing() -> None:
    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        strange = (SKIN[0] + 1, SKIN[1], SKIN[2])
        cards = [(BACK, strip(i)) for i, at in enumerate((2.0, 3.0)) if t >= at]
        return [*cards, (strange, hand(560))] if 1.8 <= t <= 3.4 else cards

    assert filmed(scene).arrivals([np.array([strip(0)[0], strip(1)[1], strip(1)[2], strip(0)[3]])], 5.0) is None


PATTERN = (120, 165, 75), (150, 150, 90), (180, 135, 105)
"""Levels of a back whose pattern shows even in the small picture."""


def overlaid(*times_s: float, sleeve: tuple[int, int, int] | None = None) -> list[Arrival] | None:
    """What is told of cards each of which is laid 24 mm beside the one below and hides the rest of it; a sleeve lies beside the first for a second."""

    def card(of: int) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        left = 33 + 24 * of - 56
        columns = [np.array([[x, 440], [x + 8, 440], [x + 8, 528], [x, 528]], float) for x in range(left, left + 80, 8)]
        return [(PATTERN[(k + 2 * of) % 3], column) for k, column in enumerate(columns)]

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        cards = [part for i, at in enumerate(times_s) if t >= at for part in card(i)]
        if sleeve is not None and times_s[0] + 0.3 <= t <= times_s[0] + 0.8:
            cards.append((sleeve, strip(1)))
        return cards + ([(SKIN, hand(560))] if any(abs(t - at) <= 0.1 for at in times_s) else [])

    end = 57 + 24 * (len(times_s) - 1)
    ground = np.array([[-23, 440], [end, 440], [end, 528], [-23, 528]], float)
    film, now_s = filmed(scene, until_s=times_s[-1] + 1.0), times_s[-1] + 1.0
    assert film.arrivals([ground], now_s) is None
    return film.arrivals([ground], now_s, covered_again=True)


def test_cards_with_a_pattern_that_cover_one_another_are_told_apart() -> None:
    told = overlaid(2.0, 2.6, 3.2)
    assert told is not None
    assert [one.moment.latest_s for one in told] == pytest.approx([2.1, 2.7, 3.3], abs=0.11)
    assert [one.share for one in told] == pytest.approx([0.62, 0.19, 0.19], abs=0.1)


def test_a_sleeve_not_made_out_is_none_of_the_cards_that_cover_one_another() -> None:
    told = overlaid(2.0, 3.2, sleeve=(SKIN[0] + 1, *SKIN[1:]))
    assert told is not None
    assert [one.moment.earliest_s <= 2.0 <= one.moment.latest_s for one in told] == [True], (
        "the other's ground is not told"
    )


def test_a_hand_not_made_out_that_lays_the_next_card_does_not_move_the_one_before() -> None:
    strange = (SKIN[0] + 1, SKIN[1], SKIN[2])

    def scene(t: float) -> list[tuple[tuple[int, int, int], npt.NDArray[np.float64]]]:
        cards = [(BACK, strip(i)) for i, at in enumerate((2.0, 3.0)) if t >= at]
        return [*cards, (strange, hand(560))] if abs(t - 3.0) <= 0.1 else cards

    told = filmed(scene).arrivals([np.array([strip(0)[0], strip(1)[1], strip(1)[2], strip(0)[3]])], 5.0)
    assert told is not None
    assert [one.moment.latest_s for one in told] == pytest.approx([2.0, 3.1], abs=0.1)
    assert told[0].moment.earliest_s <= 2.0


def test_no_ground_and_nothing_filmed_is_no_arrival() -> None:
    assert AreaFilm(AREA, CAMERA, 1.0).arrivals([strip(0)], 5.0) is None
    assert filmed(lambda t: []).arrivals([strip(0)], 5.0) is None
