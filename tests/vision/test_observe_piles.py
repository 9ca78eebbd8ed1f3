"""Cards under cards, cards turned on their way, stacks: what the observer says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.layout import load_layout
from rules.events import CardPlaced, CardTurned, Event, Face, Side
from vision.change.moments import Moment
from vision.frames.rectify import AreaView
from vision.looks.look import CardSight, Look
from vision.observation.observe import Observer
from vision.observation.told import dated_by_pile
from vision.tracking.areas import AreaState, Glimpse, Laid
from vision.tracking.piles import PROBABLE
from vision.tracking.rests import RestResult, tucked
from vision.tracking.tracks import CardCluster, Consensus

LAYOUT = load_layout("caribbean_stud_7")
CAMERA = Camera.looking_at((0, 480, 2400), (0, 500), 0, 1200, (960, 540))


def state(name: str) -> AreaState:
    area = LAYOUT.area(name)
    return AreaState(0, area, AreaView.around(area.polygon_mm, CAMERA))


def sight(area: AreaState, dx: float, face_up: bool, card: str | None, sure: float = 0.9) -> CardSight:
    x, y = area.area.center_mm[0] + dx, area.area.center_mm[1]
    corners = np.array([[x - 31, y - 44], [x + 31, y - 44], [x + 31, y + 44], [x - 31, y + 44]])
    return CardSight((x, y), corners, corners, face_up, sure, corners, card, 0.99 if card else 0.0)


class Hand:
    """An observer with the areas of one hand."""

    def __init__(self, *names: str, stacks: bool = False, told: bool = True) -> None:
        self.taken_back: list[Event] = []

        def take_back(event: Event) -> bool:
            self.taken_back += [] if told else [event]
            return not told

        self.observer = Observer("t1", {"red": 500}, stacks=stacks, take_back=take_back)
        self.states = {name: state(name) for name in names}
        self.said: list[Event] = []

    def rest(
        self, t_s: float, name: str, *cards: tuple[float, str], covered: tuple[int, ...] = ()
    ) -> list[tuple[str, str, int | None]]:
        """An area comes to rest with cards at dx: "back" or an identity. What is said: kind, area, id."""
        there = self.states[name]
        clusters = tuple(
            CardCluster((sight(there, dx, card != "back", None if card == "back" else card),) * 2, 1.0)
            for dx, card in cards
        )
        tracks = len(there.tracks)
        pairs = tuple((i, i) for i in range(min(tracks, len(clusters))))
        covered = covered or tuple(t for t in range(len(clusters), tracks) if tucked(there, there.tracks[t], clusters))
        result = RestResult(
            Consensus(clusters, (), True),
            pairs,
            tuple(range(len(clusters), tracks)),
            (),
            tuple(range(tracks, len(clusters))),
            (),
            True,
            False,
            covered=covered,
        )
        self.said = self.observer.settle(there, result, t_s, (int(t_s * 30),))
        return told(self.said)

    def laid_on(self, t_s: float, name: str) -> list[tuple[str, str, int | None]]:
        look = Look(int(t_s * 30), t_s, np.zeros((4, 4, 3), np.uint8), (), (), False)
        return told([self.observer.laid_on(self.states[name], Laid(t_s - 0.2, t_s, look))])


def told(events: Sequence[Event]) -> list[tuple[str, str, int | None]]:
    return [(event.kind, getattr(event, "area", ""), getattr(event, "card_id", None)) for event in events]


def test_cards_under_others_are_told_turned_and_removed_by_their_own_ids() -> None:
    hand = Hand("seat3.cards")
    assert hand.rest(1, "seat3.cards", (0, "back")) == [("card_placed", "seat3.cards", 1)]
    assert hand.laid_on(2, "seat3.cards") == [("card_placed", "seat3.cards", 2)]
    assert hand.laid_on(3, "seat3.cards") == [("card_placed", "seat3.cards", 3)]
    turned = hand.rest(9, "seat3.cards", (0, "Qd"), (35, "2c"), (70, "7h"))
    assert sorted(turned) == [("card_turned", "seat3.cards", n) for n in (1, 2, 3)]
    assert sorted(hand.rest(12, "seat3.cards")) == [("card_removed", "seat3.cards", n) for n in (1, 2, 3)]


def test_a_card_that_may_lie_under_those_found_is_not_gone() -> None:
    hand = Hand("seat3.cards")
    hand.rest(1, "seat3.cards", (0, "back"), (12, "back"), (24, "back"))
    assert hand.rest(5, "seat3.cards", (0, "back"), (12, "back"), covered=(2,)) == []
    turned = hand.rest(9, "seat3.cards", (0, "Qd"), (35, "2c"), (70, "7h"))
    assert sorted(turned) == [("card_turned", "seat3.cards", n) for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("side", "name", "dx", "tucked"),
    [
        (Side.PLAYER, "seat3.cards", 24, True),
        (Side.DEALER, "seat3.cards", 24, False),
        (None, "seat3.cards", 24, False),
        (Side.PLAYER, "seat3.cards", 70, False),
        (Side.PLAYER, "dealer.2", 24, False),
    ],
)
def test_a_card_not_found_after_its_player_touched_the_others_lies_under_them(
    side: Side | None, name: str, dx: float, tucked: bool
) -> None:
    hand = Hand(name)
    hand.rest(1, name, (0, "back"), (12, "back"), (dx, "back"))
    hand.states[name].visits.seen(4.0, side)
    said = hand.rest(5, name, (0, "back"), (2, "back"))
    assert said == ([] if tucked else [("card_removed", name, 3)])
    hand.states[name].visits.clear()
    assert sorted(hand.rest(9, name))[-1] == ("card_removed", name, 3 if tucked else 2)


def test_that_a_card_is_gone_where_nothing_lies_is_as_sure_as_that_it_came() -> None:
    hand = Hand("seat3.cards")
    there = hand.states["seat3.cards"]

    def rest(t_s: float, *cards: tuple[float, float]) -> list[float]:
        clusters = tuple(CardCluster((sight(there, dx, False, None, sure),) * 2, 1.0) for dx, sure in cards)
        tracks = len(there.tracks)
        pairs = tuple((i, i) for i in range(min(tracks, len(cards))))
        gone, new = tuple(range(len(cards), tracks)), tuple(range(tracks, len(cards)))
        result = RestResult(Consensus(clusters, (), True), pairs, gone, (), new, (), True, False)
        return [event.confidence for event in hand.observer.settle(there, result, t_s, (int(t_s * 30),))]

    assert rest(1, (0, 0.9), (70, 0.8)) == [0.9, 0.8]
    assert rest(4, (0, 0.32), (70, 0.32)) == []
    assert rest(6) == [0.9, 0.8]
    rest(7, (0, 0.9), (70, 0.8))
    rest(8, (0, 0.3), (70, 0.32))
    assert rest(9, (0, 0.3)) == [0.32]


def test_cards_found_on_one_another_are_dated_by_the_ground_they_covered() -> None:
    hand = Hand("seat3.cards")
    hand.rest(9, "seat3.cards", (0, "back"), (24, "back"))
    there = hand.states["seat3.cards"]
    look = Look(60, 2.0, np.zeros((4, 4, 3), np.uint8), (), (), False)
    there.laid = [Laid(1.9, 2.0, look), Laid(2.1, 2.6, look)]
    placed = [
        CardPlaced(table_id="t1", t_s=t_s, earliest_s=earliest_s, area="seat3.cards", card_id=n, face=Face.DOWN)
        for n, t_s, earliest_s in ((2, 3.4, 3.0), (1, 1.4, None))
    ]
    told = {event.card_id: (event.t_s, event.earliest_s) for event in dated_by_pile(there, placed)}  # type: ignore[attr-defined]
    assert told == {1: (1.4, None), 2: (2.0, None)}
    assert any(event is placed[1] for event in dated_by_pile(there, placed))  # as it is, it can be taken back
    there.laid = []
    assert dated_by_pile(there, placed) == placed


@pytest.mark.parametrize(("sure", "strip_mm2", "told"), [(0.6, 500.0, PROBABLE), (0.9, 500.0, 0.9), (0.6, None, 0.6)])
def test_a_weak_outline_more_than_the_ground_tells_is_probable_only(
    sure: float, strip_mm2: float | None, told: float
) -> None:
    hand = Hand("seat3.cards")
    hand.rest(1, "seat3.cards", (0, "back"), (6, "back"))
    there = hand.states["seat3.cards"]
    there.pile.cards, there.pile.strip_mm2 = 2, strip_mm2
    clusters = tuple(
        CardCluster((sight(there, dx, False, None, s),) * 2, 1.0) for dx, s in ((0, 0.9), (6, 0.9), (3, sure))
    )
    seen = Consensus(clusters, (), True)
    result = RestResult(seen, ((0, 0), (1, 1)), (), (), (2,), (), True, False)
    assert [event.confidence for event in hand.observer.settle(there, result, 4.0, (120,))] == [told]


def test_a_pile_taken_away_unturned_goes_whole() -> None:
    hand = Hand("seat3.cards")
    hand.rest(1, "seat3.cards", (0, "back"))
    hand.laid_on(2, "seat3.cards")
    assert sorted(hand.rest(5, "seat3.cards")) == [("card_removed", "seat3.cards", n) for n in (1, 2)]


def test_a_card_of_the_dealers_pile_is_turned_where_it_is_laid() -> None:
    hand = Hand("dealer.2", "dealer.5", "seat3.cards")
    hand.rest(1, "dealer.2", (0, "back"))
    hand.laid_on(2, "dealer.2")
    hand.rest(2.5, "seat3.cards", (0, "back"))
    assert hand.rest(9, "dealer.5", (0, "Qd")) == [("card_moved", "dealer.5", 2), ("card_turned", "dealer.5", 2)]


def test_a_card_that_left_and_lies_turned_elsewhere_keeps_its_id() -> None:
    hand = Hand("dealer.2", "dealer.5")
    hand.rest(1, "dealer.2", (0, "back"))
    assert hand.rest(8.8, "dealer.2") == [("card_removed", "dealer.2", 1)]
    assert hand.rest(9, "dealer.5", (0, "Qd")) == [("card_moved", "dealer.5", 1), ("card_turned", "dealer.5", 1)]


def test_before_its_leaving_was_told_such_a_card_is_moved_and_turned() -> None:
    hand = Hand("dealer.2", "dealer.5", told=False)
    hand.rest(1, "dealer.2", (0, "back"))
    hand.rest(8.8, "dealer.2")
    assert hand.rest(9, "dealer.5", (0, "Qd")) == [("card_moved", "dealer.5", 1), ("card_turned", "dealer.5", 1)]


@pytest.mark.parametrize("later", [12.0, 9.0])
def test_another_card_much_later_or_of_another_hand_is_another(later: float) -> None:
    hand = Hand("dealer.2", "dealer.5", "seat3.cards")
    hand.rest(1, "dealer.2", (0, "back"))
    hand.rest(8.8, "dealer.2")
    name = "dealer.5" if later > 11 else "seat3.cards"
    assert hand.rest(later, name, (0, "Qd")) == [("card_placed", name, 2)]


def test_stacks_are_stacks_until_spread_or_turned() -> None:
    hand = Hand("dealer.3", "dealer.1", "seat3.cards", stacks=True)
    assert hand.rest(1, "seat3.cards", (0, "back")) == [("stack_placed", "seat3.cards", None)]
    assert hand.rest(2, "dealer.3", (0, "back")) == [("stack_placed", "dealer.3", None)]
    assert hand.rest(3, "dealer.1", (0, "back")) == [("card_placed", "dealer.3", 2), ("card_placed", "dealer.1", 3)]
    turned = hand.rest(9, "seat3.cards", (0, "Qd"), (35, "2c"))
    assert turned == [("card_placed", "seat3.cards", 1), ("card_placed", "seat3.cards", 4)]


@pytest.mark.parametrize(("stacks", "lies"), [(True, True), (True, False), (False, False)])
def test_what_lay_and_went_is_a_card_where_no_stack_can_have_been_on_its_way(stacks: bool, lies: bool) -> None:
    hand = Hand("dealer.1", "dealer.2", stacks=stacks)
    if lies:
        hand.rest(1, "dealer.2", (0, "back"))
    there = hand.states["dealer.1"]
    seen = Glimpse(1.5, 1.7, sight(there, 0.0, False, None))
    there.glimpses.append((1.5, Look(51, 1.7, np.zeros((4, 4, 3), np.uint8), (seen.sight,), (), False)))
    events = hand.observer.passed(there, seen, seen, 2.5, (75,))
    spread = [("card_placed", "dealer.2", 1), ("card_placed", "dealer.1", 2), ("card_removed", "dealer.1", 2)]
    alone = [("card_placed", "dealer.1", 1), ("card_removed", "dealer.1", 1)]
    assert told(events) == (spread if lies else [] if stacks else alone)
    assert there.tracks == []


@pytest.mark.parametrize(("first", "told"), [("dealer.1", False), ("dealer.1", True), ("dealer.3", False)])
def test_a_stack_spread_at_once_lay_where_something_lay_first(first: str, told: bool) -> None:
    hand = Hand("dealer.1", "dealer.2", "dealer.3", stacks=True, told=told)
    moments = {"dealer.1": 5.4, "dealer.2": 5.4, "dealer.3": 5.4} | {"dealer.3": 4.9}
    order = [first, *(name for name in moments if name != first)]
    said = [event for name in order for event in hand.rest(moments[name], name, (0, "back"))]
    left = list(said)
    for event in hand.taken_back:
        left.remove((event.kind, getattr(event, "area", ""), getattr(event, "card_id", None)))
    stacks = [area for kind, area, _ in left if kind == "stack_placed"]
    assert stacks == (["dealer.1"] if told else ["dealer.3"])
    if not told:
        assert sorted(area for kind, area, _ in left if kind == "card_placed") == sorted(moments)


def test_a_card_dealt_face_up_on_others_is_placed_and_so_is_one_dealt_on_it() -> None:
    hand = Hand("seat3.cards")
    look = Look(30, 2.0, np.zeros((4, 4, 3), np.uint8), (), (), False)
    hand.rest(1, "seat3.cards", (0, "back"))
    there = hand.states["seat3.cards"]
    there.covering = Laid(1.8, 2.0, look)
    assert hand.rest(2, "seat3.cards", (13, "2d")) == [("card_placed", "seat3.cards", 2)]
    there.covering = Laid(3.8, 4.0, look)
    assert hand.rest(4, "seat3.cards", (26, "back")) == [("card_placed", "seat3.cards", 3)]
    there.covering = None
    assert hand.rest(6, "seat3.cards", (26, "Kh")) == [("card_turned", "seat3.cards", 3)]
    assert sorted(hand.rest(9, "seat3.cards")) == [("card_removed", "seat3.cards", n) for n in (1, 2, 3)]


def glimpse(hand: Hand, name: str, t_s: float, *cards: CardSight) -> Look:
    """A look in a rest too short to be sure."""
    look = Look(int(t_s * 30), t_s, np.zeros((4, 4, 3), np.uint8), cards, (), False)
    hand.states[name].glimpses.append((t_s - 0.2, look))
    return look


def faces(hand: Hand, name: str, t_s: float, *cards: tuple[float, str]) -> list[tuple[Face, str | None, float]]:
    """Face, name and moment of the cards that a rest places."""
    hand.rest(t_s, name, *cards)
    return [(e.face, e.card, e.t_s) for e in hand.said if isinstance(e, CardPlaced)]


@pytest.mark.parametrize(
    ("dx", "named", "found", "face"),
    [
        (0.0, 0.99, 0.9, Face.UP),
        (5.0, 0.99, 0.9, Face.UP),
        (9.0, 0.99, 0.9, Face.DOWN),
        (0.0, 0.98, 0.9, Face.DOWN),
        (0.0, 0.99, 0.8, Face.DOWN),
    ],
)
def test_a_face_read_once_and_soon_covered_lay_there_face_up(dx: float, named: float, found: float, face: Face) -> None:
    hand = Hand("seat3.cards")
    shown = replace(sight(hand.states["seat3.cards"], dx, True, "5d", found), card_confidence=named)
    glimpse(hand, "seat3.cards", 2.0, shown)
    ((side, card, t_s),) = faces(hand, "seat3.cards", 4.0, (0.0, "back"))
    assert (side, card, t_s) == ((Face.UP, "5d", 1.8) if face is Face.UP else (Face.DOWN, None, 4.0))


def test_a_face_that_lies_elsewhere_on_the_table_was_not_laid_here() -> None:
    hand = Hand("seat3.cards", "dealer.1")
    there = hand.states["seat3.cards"]
    hand.rest(0.5, "dealer.1", (0.0, "6d"))
    hand.rest(1.0, "seat3.cards", (0.0, "back"))
    shown = sight(there, 30.0, True, "6d")
    there.faces_laid.append((Laid(2.8, 3.0, glimpse(hand, "seat3.cards", 3.0, shown)), shown))
    assert faces(hand, "seat3.cards", 4.0, (0.0, "back"), (44.0, "back")) == [(Face.DOWN, None, 4.0)]


@pytest.mark.parametrize(
    ("named", "laid", "backs", "told"),
    [
        (0.99, 2, (24.0,), [(Face.UP, "5d", 0.9), (Face.DOWN, None, 0.9), (Face.DOWN, None, 1.0)]),
        (0.99, 2, (14.0, 24.0), [(Face.UP, "5d", 0.9), (Face.DOWN, None, 0.9), (Face.DOWN, None, 0.9)]),
        (0.98, 1, (12.0,), [(Face.UP, None, PROBABLE), (Face.DOWN, None, 0.9)]),
        (0.99, 1, (2.0,), [(Face.UP, "5d", 0.9)]),
        (0.99, 0, (24.0,), [(Face.DOWN, None, 0.9)]),
    ],
    ids=["top one found", "both found", "face not surely read", "in its place", "none known to lie on it"],
)
def test_a_first_face_seen_once_lies_under_the_cards_that_came_to_lie_on_it(
    named: float, laid: int, backs: tuple[float, ...], told: list[tuple[Face, str | None, float]]
) -> None:
    hand = Hand("seat3.cards")
    there = hand.states["seat3.cards"]
    glimpse(hand, "seat3.cards", 2.0, replace(sight(there, 0.0, True, "5d", 0.9), card_confidence=named))
    look = Look(75, 2.5, np.zeros((4, 4, 3), np.uint8), (), (), False)
    there.laid = [Laid(None, 2.4 + 0.5 * k, look) for k in range(laid)]
    hand.rest(4.0, "seat3.cards", *((dx, "back") for dx in backs))
    placed = [event for event in hand.said if isinstance(event, CardPlaced)]
    assert [(e.face, e.card, e.confidence) for e in placed] == told
    if len(told) > 1:
        assert [e.t_s for e in placed] == [1.8, *(2.4 + 0.5 * k for k in range(laid))]
        assert there.laid == []


class Film:
    """Tells of every place that it changed just before it was looked at."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[float], float]] = []

    def moment(self, outlines_mm: Sequence[np.ndarray], now_s: float, *, gone: bool, since_s: float | None) -> Moment:
        self.asked.append((outlines_mm[0].ravel().tolist(), now_s))
        return Moment(now_s - 0.5, now_s - 0.4)


def test_a_card_seen_once_and_then_covered_is_dated_by_the_place_and_the_time_it_was_seen_at() -> None:
    hand = Hand("seat3.cards")
    there, film = hand.states["seat3.cards"], Film()
    there.film = film  # type: ignore[assignment]
    first = sight(there, 0.0, False, None)
    there.looks = [glimpse(hand, "seat3.cards", 2.0, first)]
    assert faces(hand, "seat3.cards", 4.0, (14.0, "back")) == [(Face.DOWN, None, 1.6)]
    assert film.asked == [(first.corners_mm.ravel().tolist(), 2.0)]


@pytest.mark.parametrize("lies", [True, False])
def test_a_face_laid_on_others_and_covered_before_a_rest_is_told(lies: bool) -> None:
    hand = Hand("seat3.cards")
    there = hand.states["seat3.cards"]
    hand.rest(1.0, "seat3.cards", (0.0, "back"))
    shown = sight(there, 30.0, True, "6d")
    there.faces_laid.append((Laid(2.8, 3.0, glimpse(hand, "seat3.cards", 3.0, shown)), shown))
    last = (32.0, "6d") if lies else (44.0, "back")
    placed = faces(hand, "seat3.cards", 4.0, (0.0, "back"), last)
    assert [(side, card) for side, card, _ in placed] == (
        [(Face.UP, "6d")] if lies else [(Face.DOWN, None), (Face.UP, "6d")]
    )
    if not lies:
        assert placed[1][2] == 3.0
        assert there.faces_under == {3: "6d"}


@pytest.mark.parametrize("last", [True, False])
def test_a_card_that_lay_face_up_under_others_is_the_same_when_they_are_shown(last: bool) -> None:
    hand = Hand("dealer.2", "dealer.3", "dealer.4")
    hand.rest(1, "dealer.2", (0, "Ts"))
    hand.states["dealer.2"].covering = Laid(2.8, 3.0, Look(90, 3.0, np.zeros((4, 4, 3), np.uint8), (), (), False))
    assert hand.rest(3, "dealer.2", (2, "back")) == [("card_placed", "dealer.2", 2)]
    hand.states["dealer.2"].covering = None
    hand.laid_on(4, "dealer.2")
    assert hand.rest(9, "dealer.4", (0, "Qd")) == [("card_moved", "dealer.4", 3), ("card_turned", "dealer.4", 3)]
    if not last:
        assert hand.rest(9.2, "dealer.2", (1, "Ts")) == []
    assert hand.rest(9.4, "dealer.3", (0, "5c")) == [("card_moved", "dealer.3", 2), ("card_turned", "dealer.3", 2)]
    if last:
        assert hand.rest(9.6, "dealer.2", (1, "Ts")) == []
    assert [track.card_id for track in hand.states["dealer.2"].tracks] == [1]
    assert hand.rest(12, "dealer.2") == [("card_removed", "dealer.2", 1)]


@pytest.mark.parametrize(("others", "turned"), [("back", []), ("4c", [2, 1])])
def test_a_face_that_comes_into_sight_beside_cards_face_down_was_not_turned(others: str, turned: list[int]) -> None:
    hand = Hand("seat3.cards")
    hand.rest(1, "seat3.cards", (0, "Ts"))
    hand.states["seat3.cards"].covering = Laid(2.8, 3.0, Look(90, 3.0, np.zeros((4, 4, 3), np.uint8), (), (), False))
    hand.rest(3, "seat3.cards", (12, "back"))
    hand.states["seat3.cards"].covering = None
    assert hand.rest(6, "seat3.cards", (14, others), (0, "Ts")) == [("card_turned", "seat3.cards", n) for n in turned]
    assert sorted(track.card_id for track in hand.states["seat3.cards"].tracks) == [1, 2]
    assert sorted(hand.rest(9, "seat3.cards")) == [("card_removed", "seat3.cards", n) for n in (1, 2)]


def test_where_cards_come_in_stacks_a_card_that_shows_its_other_side_was_turned() -> None:
    hand = Hand("dealer.1", "dealer.2", stacks=True)
    assert hand.rest(1, "dealer.1", (0, "back")) == [("stack_placed", "dealer.1", None)]
    hand.rest(2, "dealer.2", (0, "back"))
    look = Look(90, 3.0, np.zeros((4, 4, 3), np.uint8), (), (), False)
    hand.states["dealer.1"].covering = Laid(2.8, 3.0, look)
    assert hand.rest(3, "dealer.1", (4, "Ad")) == [("card_turned", "dealer.1", 1)]


@pytest.mark.parametrize(
    ("card", "sure", "told"),
    [(None, 0.3, 0.3), (None, 0.74, PROBABLE), (None, 0.96, PROBABLE), ("7c", 0.3, 0.75), ("7c", 0.8, 0.8)],
)
def test_a_face_that_nobody_can_read_is_a_probable_one_however_surely_it_is_found(
    card: str | None, sure: float, told: float
) -> None:
    hand = Hand("seat3.cards")
    hand.rest(1, "seat3.cards", (0, "back"))
    there = hand.states["seat3.cards"]
    turned = CardCluster((sight(there, 0, True, card, sure),) * 2, 1.0)
    result = RestResult(Consensus((turned,), (), True), ((0, 0),), (), (), (), (), True, False)
    (event,) = hand.observer.settle(there, result, 4.0, (120,))
    assert isinstance(event, CardTurned)
    assert event.confidence == told
    assert event.objectness == (pytest.approx(sure) if card is None else None)


D, P = Side.DEALER, Side.PLAYER


def found_under(area: str, *hands: Side | None) -> list[tuple[float, float | None]]:
    """How sure a card is that is first found in an area after hands of these sides were over it, one after the other; and since when it may lie there."""
    hand = Hand(area)
    there = hand.states[area]
    there.stirred_s, there.bare_s = 3.0, 0.5
    for n, side in enumerate(hands):
        for k in range(4):
            there.visits.seen(3.0 + 0.4 * n + 0.05 * k, side)
    seen = Consensus((CardCluster((sight(there, 0, False, None),) * 2, 1.0),), (), True)
    result = RestResult(seen, (), (), (), (0,), (), True, False)
    return [(event.confidence, event.earliest_s) for event in hand.observer.settle(there, result, 4.0, (120,))]


@pytest.mark.parametrize(
    ("hands", "told"),
    [((D,), 0.9), ((P,), PROBABLE), ((None,), PROBABLE), ((D, P), PROBABLE), ((), 0.9)],
)
def test_a_card_that_comes_to_light_under_a_players_hand_is_probable_only(
    hands: tuple[Side | None, ...], told: float
) -> None:
    assert found_under("seat3.cards", *hands) == [(told, 0.5 if told == PROBABLE else 3.0)]


def test_the_dealers_own_cards_come_by_any_hand() -> None:
    assert found_under("dealer.1", None) == [(0.9, 3.0)]
