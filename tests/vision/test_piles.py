"""How the covered ground grows when cards are laid on cards."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from rules.events import Side
from vision.change.hands import Visits
from vision.change.moments import Arrival, Moment
from vision.tracking.piles import Pile

Bytes = npt.NDArray[np.uint8]
INSIDE = np.ones((200, 240), np.uint8)


def view(*cards: tuple[float, float], seed: int = 0) -> Bytes:
    """A felt at 1 px per mm with backs whose upper left corners are given."""
    felt = np.full((200, 240, 3), (60, 90, 30), np.uint8)
    for x, y in cards:
        box = np.round([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]]).astype(np.int32)
        cv2.fillConvexPoly(felt, box, (240, 240, 240))
        inner = box + np.array([[5, 5], [-5, 5], [-5, -5], [5, -5]], np.int32)
        cv2.fillConvexPoly(felt, inner, (60, 95, 35))
    noise = np.random.default_rng(seed).normal(0, 3, felt.shape)
    return np.clip(felt + noise, 0, 255).astype(np.uint8)


def outlines(*cards: tuple[float, float]) -> list[npt.NDArray[np.float64]]:
    """What a look finds of these cards, of those under others as well."""
    return [np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]], float) for x, y in cards]


@pytest.fixture
def pile() -> Pile:
    pile = Pile()
    pile.cleared(view(), 100.0)
    pile.visits = 1
    assert not pile.look(0.0, view((40, 40)), 100.0, INSIDE, 1.0, dealer=True, cards_px=[]), (
        "the first card is no card on another"
    )
    return pile


def look(
    pile: Pile, *cards: tuple[float, float], visits: int = 1, dealer: bool | None = True, t_s: float = 0.6
) -> bool:
    pile.visits = visits
    picture, found = view(*cards, seed=len(cards)), outlines(*cards)
    return bool(pile.look(t_s, picture, 100.0, INSIDE, 1.0, dealer=dealer, cards_px=found))


def test_each_card_laid_beside_the_one_below_counts(pile: Pile) -> None:
    assert look(pile, (40, 40), (53, 42))
    assert look(pile, (40, 40), (53, 42), (66, 38))
    assert not pile.open


def test_a_card_pushed_along_or_squared_up_is_none_more(pile: Pile) -> None:
    assert not look(pile, (52, 46))
    assert look(pile, (52, 46), (64, 46))
    assert not look(pile, (60, 46), (64, 46))
    assert not look(pile, (60, 46), (64, 46), visits=0)


@pytest.mark.parametrize("laid", [True, False], ids=["another card", "the upper one pushed along"])
def test_ground_newly_covered_by_a_card_that_moved_is_a_probable_card_only(pile: Pile, laid: bool) -> None:
    assert look(pile, (40, 40), (52, 40))
    assert pile.sure
    picture = view((40, 40), (52, 40), (64, 40)) if laid else view((40, 40), (64, 40))
    pile.visits, found = 1, outlines((40, 40), (64, 40))
    assert pile.look(1.2, picture, 100.0, INSIDE, 1.0, dealer=True, cards_px=found) == 1
    assert (pile.sure, pile.undated) == (laid, not laid)


def test_what_came_in_several_visits_or_by_another_hand_is_open(pile: Pile) -> None:
    assert not look(pile, (40, 40), (53, 40), (66, 40), visits=2)
    assert pile.open
    pile.cleared(view(), 100.0)
    look(pile, (40, 40))
    assert not look(pile, (40, 40), (53, 42), dealer=False)
    assert pile.open


def test_after_several_visits_a_strip_like_the_others_is_one_card(pile: Pile) -> None:
    assert look(pile, (40, 40), (52, 40))
    assert look(pile, (40, 40), (52, 40), (65, 40), visits=3)
    assert not look(pile, (40, 40), (52, 40), (65, 40), (77, 40), (90, 40), visits=3)
    assert pile.open


def test_light_that_changes_is_no_card(pile: Pile) -> None:
    pile.visits = 1
    darker = (view((40, 40)) * 0.8).astype(np.uint8)
    assert not pile.look(0.6, darker, 80.0, INSIDE, 1.0, dealer=True, cards_px=[])
    assert not pile.open


def test_a_card_by_a_hand_not_made_out_counts_while_the_deal_to_the_place_goes_on(pile: Pile) -> None:
    assert look(pile, (40, 40), (53, 40), dealer=None, t_s=0.6)
    assert look(pile, (40, 40), (53, 40), (66, 40), dealer=None, t_s=1.2)
    assert not look(pile, (40, 40), (53, 40), (66, 40), (79, 40), dealer=None, t_s=4.0)
    assert pile.open


def test_ground_unlike_that_of_the_other_cards_is_no_card_of_a_hand_not_made_out(pile: Pile) -> None:
    assert look(pile, (40, 40), (53, 40), dealer=None, t_s=0.6)
    assert not look(pile, (40, 40), (53, 40), (90, 40), dealer=None, t_s=1.2)
    assert pile.open


def arrival(at_s: float, share: float = 1.0, *, lasts_s: float = 0.3) -> Arrival:
    """Something that came at a time, while something stirred for a while."""
    return Arrival(Moment(at_s - 0.1, at_s), share, at_s - lasts_s / 2, at_s + lasts_s / 2)


def look_at(
    pile: Pile,
    came: list[Arrival] | None,
    *cards: tuple[float, float],
    sides: tuple[Side | None, ...] = (),
    t_s: float = 3,
    again: list[Arrival] | None = None,
) -> int:
    """A look after several stirs, of which the film tells when ground came to be covered, or `again` where cards cover one another."""
    pile.visits, pile.stays = 3, Visits()
    for one, side in zip(came or again or [], sides, strict=False):
        for k in range(3):
            pile.stays.seen(one.moment.latest_s - 0.05 + 0.05 * k, side)
    picture, found = view(*cards, seed=len(cards)), outlines(*cards)
    return pile.look(
        t_s,
        picture,
        100.0,
        INSIDE,
        1.0,
        dealer=None,
        cards_px=found,
        arrivals=lambda ground, *, covered_again=False: again if covered_again else came,
    )


def test_cards_laid_between_two_looks_are_counted_each_with_its_moment(pile: Pile) -> None:
    came = [arrival(1.0, 0.5), arrival(1.6, 0.5)]
    assert look_at(pile, came, (40, 40), (53, 40), (66, 40), sides=(Side.DEALER, Side.DEALER)) == 2
    assert [moment.latest_s for moment in pile.came] == [1.0, 1.6]
    assert not pile.open


def test_cards_laid_on_one_another_between_two_looks_are_probable_ones(pile: Pile) -> None:
    edge, cards = arrival(-0.5, 0.1), [arrival(1.0, 0.45), arrival(1.6, 0.45)]
    sides = (None, Side.DEALER, Side.DEALER)
    assert look_at(pile, None, (40, 40), (53, 40), (66, 40), sides=sides, again=[edge, *cards]) == 2
    assert [moment.latest_s for moment in pile.came] == [1.0, 1.6]
    assert not pile.sure
    assert not pile.undated


@pytest.mark.parametrize(
    ("came", "sides"),
    [
        ([(-0.5, 0.3), (1.0, 0.35), (1.6, 0.35)], (None, Side.DEALER, Side.DEALER)),
        ([(1.0, 0.8), (1.6, 0.2)], (Side.DEALER, Side.DEALER)),
        ([(1.0, 0.5), (1.6, 0.5)], (Side.DEALER, Side.PLAYER)),
    ],
    ids=["much of it before the last look", "a strip too narrow for a card", "a player's hand"],
)
def test_of_what_came_to_lie_on_one_another_none_counts_where_it_may_be_no_card(
    pile: Pile, came: list[tuple[float, float]], sides: tuple[Side | None, ...]
) -> None:
    again = [arrival(at_s, share) for at_s, share in came]
    assert look_at(pile, None, (40, 40), (53, 40), (66, 40), sides=sides, again=again) == 0
    assert pile.open


@pytest.mark.parametrize("found", [True, False])
def test_what_reaches_in_over_the_edge_is_a_card_only_where_cards_are_found(pile: Pile, found: bool) -> None:
    grown = view((40, 40), (53, 40))
    grown[100:112, :104] = (240, 240, 240)
    pile.visits = 1
    outline = [np.array([[0, 100], [104, 100], [104, 112], [0, 112]], float)] if found else []
    assert pile.look(0.6, grown, 100.0, INSIDE, 1.0, dealer=True, cards_px=outline) == int(found)


@pytest.mark.parametrize("sides", [(Side.PLAYER, Side.DEALER), (Side.DEALER, None)])
def test_of_cards_laid_between_two_looks_none_counts_where_one_hand_was_not_the_dealers(
    pile: Pile, sides: tuple[Side | None, ...]
) -> None:
    came = [arrival(1.0, 0.5), arrival(1.6, 0.5)]
    assert look_at(pile, came, (40, 40), (53, 40), (66, 40), sides=sides) == 0
    assert pile.open


def test_what_stirs_for_long_under_several_hands_is_open(pile: Pile) -> None:
    long = arrival(1.5, lasts_s=1.6)
    for at in (0.9, 1.9):
        pile.stays.seen(at, Side.DEALER)
    pile.visits = 2
    cards = (40, 40), (53, 40), (66, 40)
    found = outlines(*cards)
    assert not pile.look(
        3.0,
        view(*cards),
        100.0,
        INSIDE,
        1.0,
        dealer=True,
        cards_px=found,
        arrivals=lambda ground, *, covered_again=False: [long],
    )
    assert pile.open


def test_a_sliver_beside_a_card_is_no_second_card(pile: Pile) -> None:
    came = [arrival(1.0, 0.8), arrival(1.6, 0.2)]
    assert look_at(pile, came, (40, 40), (56, 40), sides=(Side.DEALER, Side.DEALER)) == 0


def test_a_card_three_millimetres_beside_a_single_one_is_proven(pile: Pile) -> None:
    assert look(pile, (40, 40), (42, 43))
    assert pile.sure
    assert pile.redrawn is not None
    assert pile.redrawn.any()


def test_a_single_card_nudged_by_a_millimetre_or_two_is_none_more(pile: Pile) -> None:
    assert not look(pile, (42, 41))
    assert not look(pile, (43, 40), t_s=1.2)


def test_a_card_within_the_outline_of_those_below_is_probable(pile: Pile) -> None:
    assert look(pile, (40, 40), (42, 43))
    assert look(pile, (40, 40), (42, 43), (41, 41), t_s=1.8)
    assert not pile.sure, "a nudge of the upper card might look alike"
    assert not pile.undated, "something came when the dealer's hand was there"


def test_an_arm_that_passed_over_a_pile_laid_nothing(pile: Pile) -> None:
    assert look(pile, (40, 40), (42, 43))
    assert not look(pile, (40, 40), (42, 43), t_s=1.8)


@pytest.mark.parametrize(
    ("dealer", "t_s", "step_mm"), [(None, 1.8, 3), (False, 1.8, 3), (True, 9.0, 3), (True, 1.8, 13)]
)
def test_no_card_is_probable_by_another_hand_or_long_after_or_where_the_others_lie_apart(
    pile: Pile, dealer: bool | None, t_s: float, step_mm: int
) -> None:
    below = (40, 40), (42, 40 + step_mm)
    assert look(pile, *below)
    assert not look(pile, *below, (41, 41), dealer=dealer, t_s=t_s)


def test_a_card_half_hidden_by_a_sleeve_at_the_first_look_is_none_more() -> None:
    pile = Pile()
    pile.cleared(view(), 100.0)
    hidden = view((40, 40))
    hidden[36:132, 98:110] = view()[36:132, 98:110]
    pile.visits = 1
    pile.look(0.0, hidden, 100.0, INSIDE, 1.0, dealer=True, cards_px=[])
    pile.visits = 2
    assert not pile.look(0.6, view((40, 40), seed=1), 100.0, INSIDE, 1.0, dealer=True, cards_px=[])


@pytest.mark.parametrize(("hidden_mm", "found"), [(20, []), (35, []), (35, outlines((40, 40)))])
def test_a_card_of_which_a_sleeve_hid_much_when_only_a_part_was_seen_is_none_more(
    hidden_mm: int, found: list[npt.NDArray[np.float64]]
) -> None:
    pile = Pile()
    pile.cleared(view(), 100.0)
    hidden = view((40, 40))
    hidden[30:140, 103 - hidden_mm : 112] = view()[30:140, 103 - hidden_mm : 112]
    pile.visits = 2
    pile.look(0.0, hidden, 100.0, INSIDE, 1.0, dealer=True, cards_px=found)
    assert not look(pile, (40, 40))
    assert look(pile, (40, 40), (52, 40))


@pytest.mark.parametrize("apart_mm", [5, 8, 12, 16, 30])
def test_one_outline_about_two_cards_hides_none(pile: Pile, apart_mm: int) -> None:
    pile.visits = 1
    picture = view((40, 40), (40 + apart_mm, 40), seed=2)
    upper = outlines((40 + apart_mm, 40))
    assert pile.look(0.6, picture, 100.0, INSIDE, 1.0, dealer=True, cards_px=upper) == 1


@pytest.mark.parametrize("wide_mm", [20, 60])
def test_a_sleeve_that_rests_beside_a_card_is_none_more(pile: Pile, wide_mm: int) -> None:
    sleeved = view((60, 40), seed=1)
    pile.look(0.2, view((60, 40)), 100.0, INSIDE, 1.0, dealer=True, cards_px=outlines((60, 40)))
    sleeved[:, 61 - wide_mm : 61] = (200, 190, 180)
    pile.visits = 1
    assert not pile.look(0.8, sleeved, 100.0, INSIDE, 1.0, dealer=True, cards_px=outlines((60, 40)))


def test_a_narrow_strip_where_the_others_lie_apart_is_a_card_that_was_touched(pile: Pile) -> None:
    below = (40, 40), (56, 40), (72, 40)
    assert look_at(pile, [arrival(1.0)], *below[:2], sides=(Side.DEALER,), t_s=1.3) == 1
    assert look_at(pile, [arrival(2.0)], *below, sides=(Side.DEALER,), t_s=2.3) == 1
    assert look_at(pile, [arrival(4.0)], *below, (76, 40), sides=(Side.DEALER,), t_s=4.3) == 0
    assert pile.open


def test_a_strip_less_than_half_as_wide_as_the_others_is_a_probable_card(pile: Pile) -> None:
    below = (40, 40), (60, 40)
    assert look_at(pile, [arrival(1.0)], *below, sides=(Side.DEALER,), t_s=1.3) == 1
    assert pile.sure
    assert look_at(pile, [arrival(2.0)], *below, (68, 40), sides=(Side.DEALER,), t_s=2.3) == 1
    assert (pile.sure, pile.undated) == (False, True)


def test_one_pulled_out_of_a_pile_is_no_card(pile: Pile) -> None:
    assert look(pile, (40, 40), (42, 43))
    assert not look(pile, (40, 40), (38, 37), t_s=1.8), "what it freed lies bare"


TOP = np.array([[53, 40], [116, 40], [116, 128], [53, 128]], float)


def test_a_card_that_shows_its_face_lies_on_the_others_where_nothing_beside_it_changed(pile: Pile) -> None:
    assert look_at(pile, [arrival(1.0)], (40, 40), (53, 40), sides=(Side.DEALER,)) == 1
    assert pile.covers(TOP)


def test_a_card_turned_long_after_the_deal_or_spread_far_or_with_others_moved_does_not_lie_on_the_others(
    pile: Pile,
) -> None:
    assert look_at(pile, [arrival(9.0)], (40, 40), (53, 40), sides=(Side.DEALER,), t_s=9.2) == 1
    assert not pile.covers(TOP), "long after the deal"
    assert look_at(pile, [arrival(9.6)], (40, 40), (53, 40), (92, 40), sides=(Side.DEALER,), t_s=10.0) == 1
    assert not pile.covers(TOP + np.array([39.0, 0.0])), "three times the strip of the card before"
    pile.cleared(view(), 100.0)
    assert not pile.covers(TOP)
    look_at(pile, None, (40, 40))
    assert look_at(pile, [arrival(1.0)], (40, 40), (53, 40), sides=(Side.DEALER,)) == 1
    assert not pile.covers(TOP + np.array([25.0, 0.0])), "the place it had is changed as well"


@pytest.mark.parametrize(("at_s", "lasts_s", "counted"), [(5.0, 0.3, 1), (9.0, 0.3, 0), (5.0, 0.8, 0)])
def test_a_card_by_a_hand_not_made_out_counts_in_a_deal_from_seat_to_seat_where_it_was_seen_to_come(
    pile: Pile, at_s: float, lasts_s: float, counted: int
) -> None:
    assert look_at(pile, [arrival(1.0)], (40, 40), (53, 40), sides=(Side.DEALER,), t_s=1.4) == 1
    came = [arrival(at_s, lasts_s=lasts_s)]
    assert look_at(pile, came, (40, 40), (53, 40), (66, 40), t_s=at_s + 0.4) == counted
    assert pile.open == (not counted)


def dealt_before(*grounds_mm2: float, sides: Side | None = Side.DEALER) -> Pile:
    """A place that is looked at first when several stirs have covered so much of it each."""
    pile, total = Pile(), sum(grounds_mm2)
    pile.cleared(view(), 100.0)
    came = [arrival(1.0 + 0.5 * k, mm2 / total) for k, mm2 in enumerate(grounds_mm2)]
    for one in came:
        for k in range(3):
            pile.stays.seen(one.moment.latest_s - 0.05 + 0.05 * k, sides)
    pile.visits = len(came)
    side = int(np.sqrt(total)) - 3  # what is covered is seen a pixel and a half wider all round
    ground = view()
    ground[40 : 40 + side, 40 : 40 + side] = (240, 240, 240)
    more = pile.look(
        4.0, ground, 100.0, INSIDE, 1.0, dealer=True, cards_px=[], arrivals=lambda ground, *, covered_again=False: came
    )
    assert more == len(pile.came)
    return pile


def test_cards_dealt_to_a_place_before_the_first_look_are_counted() -> None:
    pile = dealt_before(6250, 900, 1150, 950)
    assert [moment.latest_s for moment in pile.came] == [1.5, 2.0, 2.5]
    assert pile.strip_mm2 == pytest.approx(900, rel=0.1)


@pytest.mark.parametrize(
    "grounds_mm2",
    [
        (6200,),
        (5300, 900),  # one card pushed along: what it covered first lacks what it freed
        (6200, 400),  # so little may be a shadow
        (6200, 900, 7200),
    ],
)
def test_what_may_be_one_card_pushed_along_before_the_first_look_is_one(grounds_mm2: tuple[float, ...]) -> None:
    assert not dealt_before(*grounds_mm2).came


def test_cards_that_a_player_may_have_laid_before_the_first_look_are_not_counted() -> None:
    assert not dealt_before(6250, 900, 1150, sides=Side.PLAYER).came
