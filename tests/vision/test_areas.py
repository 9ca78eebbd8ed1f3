"""When an area shows what it showed, and need not be looked at again."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from drawn import Card, Chip, DrawnTable, Things, card_corners

from rules.events import CardPlaced, Event, Face, Side
from vision.change.moments import Moment
from vision.frames.frame import Frame
from vision.frames.rectify import AreaView
from vision.looks.chips import ChipColor
from vision.looks.look import BORNE_OUT, CardSight, ChipSight, Look
from vision.observation.observe import Observer
from vision.observation.outbox import Outbox
from vision.observation.rest_watcher import RestWatcher
from vision.observation.wagers import wager_events
from vision.tracking.areas import AreaState, Laid, RestSettings
from vision.tracking.piles import PROBABLE
from vision.tracking.rests import compared, judged
from vision.tracking.tracks import CardTrack, consensus

Bytes = npt.NDArray[np.uint8]
AREA, LEVEL = "seat3.cards", 90.0


def at_rest(table: DrawnTable, card: Card, *, named: str | None = None) -> AreaState:
    """The area with one card, settled."""
    area = table.layout.area(AREA)
    view = AreaView.around(area.polygon_mm, table.camera)
    corners = card_corners(card)
    track = CardTrack(1, AREA, card.at_mm, corners, table.camera.image_from_table(corners), card.up, 0.9, card=named)
    return AreaState(0, area, view, tracks=[track], reference=(view.cut(table.draw(Things(cards=(card,)))), LEVEL))


def sighted(table: DrawnTable, card: Card, confidence: float = 0.9) -> CardSight:
    """A card found face down exactly where it lies."""
    corners = card_corners(card)
    return CardSight(card.at_mm, corners, table.camera.image_from_table(corners), False, confidence, corners)


def test_a_card_face_down_that_nobody_touched_shows_the_same() -> None:
    table = DrawnTable()
    card = Card("Qd", table.center(AREA), 12.0)
    state = at_rest(table, card)
    assert state.hides
    assert state.shows_the_same(table.draw(Things(cards=(card,))), LEVEL)


@pytest.mark.parametrize("beside_mm", [1.0, 2.5])
def test_a_card_laid_a_millimetre_beside_one_face_down_does_not(beside_mm: float) -> None:
    table = DrawnTable()
    card = Card("Qd", table.center(AREA), 12.0)
    state = at_rest(table, card)
    both = (card, Card("2c", table.center(AREA, beside_mm), 12.0))
    assert not state.shows_the_same(table.draw(Things(cards=both)), LEVEL)


def test_an_unread_face_is_always_looked_at_and_a_read_one_is_not() -> None:
    table = DrawnTable()
    card = Card("Qd", table.center(AREA), up=True)
    picture = table.draw(Things(cards=(card,)))
    assert not at_rest(table, card).shows_the_same(picture, LEVEL)
    assert at_rest(table, card, named="Qd").shows_the_same(picture, LEVEL)


def test_a_hand_that_left_all_as_it_was_lays_no_card_later() -> None:
    table = DrawnTable()
    state = at_rest(table, Card("Qd", table.center(AREA)))
    state.disturb(1.0)
    state.hand_over(covered=True, side=Side.PLAYER)
    state.left_as_it_was()
    assert not state.disturbed
    assert (state.pile.visits, state.sides, state.touched_s) == (0, set(), None)


STAIRS = ((-24.0, -34.0), (0.0, 0.0), (24.0, 34.0))
"""Three cards laid on one another as stairs: between the first two felt shows in the notches."""


def told_new(card: Card, confidence: float, *, lies: bool) -> bool:
    """Whether a card seen weakly for the first time, beside cards surely seen, is told as new."""
    table = DrawnTable()
    area = table.layout.area(AREA)
    view = AreaView.around(area.polygon_mm, table.camera)
    sure = tuple(Card("Qd", table.center(AREA, dx, dy)) for dx, dy in STAIRS)
    state = AreaState(0, area, view)
    state.pile.cleared(view.cut(table.draw(Things())), LEVEL)
    lying = (card, *sure) if lies else sure

    sights = (*(sighted(table, one, 0.93) for one in sure), sighted(table, card, confidence))
    state.looks = [Look(k, k / 10, view.cut(table.draw(Things(cards=lying))), sights, (), False) for k in range(3)]
    return len(compared(state, consensus(state.looks), LEVEL).new) == len(sights)


def test_a_box_seen_weakly_across_cards_and_the_felt_between_them_is_no_card() -> None:
    across = Card("Qd", DrawnTable().center(AREA, -26.0, 4.0), 50.0)
    assert not told_new(across, 0.55, lies=False)
    assert told_new(across, 0.55, lies=True), "a card that covers its ground is one, however weakly seen"


def test_a_box_seen_surely_is_a_card() -> None:
    assert told_new(Card("Qd", DrawnTable().center(AREA, -26.0, 4.0), 50.0), 0.9, lies=False)


@pytest.mark.parametrize("lay", [False, True])
def test_a_card_that_lay_there_before_it_was_found_may_have_come_since_the_area_was_bare(lay: bool) -> None:
    table = DrawnTable()
    first, second = Card("Qd", table.center(AREA, -20.0)), Card("5c", table.center(AREA, 20.0, 15.0))
    state = at_rest(table, first)
    state.bare_s, state.stirred_s = 2.0, 6.0
    if lay:
        state.reference = (state.view.cut(table.draw(Things(cards=(first, second)))), LEVEL)
    view = state.view.cut(table.draw(Things(cards=(first, second))))
    sights = (sighted(table, first), sighted(table, second))
    state.looks = [Look(k, 6.5 + k / 10, view, sights, (), False) for k in range(3)]
    (placed,) = Observer("t1", {}).settle(state, compared(state, consensus(state.looks), LEVEL), 6.5, (0, 1, 2))
    assert (placed.t_s, placed.earliest_s) == (6.5, 2.0 if lay else 6.0)


def test_a_card_found_after_those_there_were_not_may_be_another_than_the_one_that_came_last() -> None:
    table = DrawnTable()
    first, second = Card("Qd", table.center(AREA, -20.0)), Card("5c", table.center(AREA, 20.0, 15.0))
    state, observer = at_rest(table, first), Observer("t1", {})

    def settle(t_s: float, cards: tuple[Card, ...], found: tuple[Card, ...]) -> list[Event]:
        sights = tuple(sighted(table, card) for card in found)
        view = state.view.cut(table.draw(Things(cards=cards)))
        state.stirred_s = t_s - 0.5
        state.looks = [Look(k, t_s + k / 10, view, sights, (), False) for k in range(3)]
        return observer.settle(state, compared(state, consensus(state.looks), LEVEL), t_s, (0, 1, 2))

    assert settle(4.0, (first,), ()) == []
    (placed,) = settle(6.0, (first, second), (first, second))
    assert (placed.t_s, placed.earliest_s) == (6.0, 3.5)
    assert state.unseen_s is None


@pytest.mark.parametrize("lie_so", [False, True])
def test_two_boxes_across_one_card_are_probable_cards_and_two_cards_are_two(lie_so: bool) -> None:
    table = DrawnTable()
    view = AreaView.around(table.layout.area(AREA).polygon_mm, table.camera)
    across = [Card("Qd", table.center(AREA, 0.0, dy), 90.0) for dy in (-19.0, 19.0)]
    lying = tuple(across) if lie_so else (Card("Qd", table.center(AREA)),)
    state = AreaState(0, table.layout.area(AREA), view)
    state.pile.cleared(view.cut(table.draw(Things())), LEVEL)
    sights = tuple(sighted(table, box, 0.7) for box in across)
    state.looks = [Look(k, k / 10, view.cut(table.draw(Things(cards=lying))), sights, (), False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    assert result.new == (0, 1)
    assert result.doubtful == (() if lie_so else (0, 1))
    placed = Observer("t1", {}).settle(state, result, 1.0, (0, 1, 2))
    assert [event.confidence for event in placed] == pytest.approx([0.7 if lie_so else PROBABLE] * 2)


@pytest.mark.parametrize("lies", [True, False])
def test_a_card_face_down_is_not_gone_where_nothing_is_found_but_its_ground_is_covered(lies: bool) -> None:
    table = DrawnTable()
    card = Card("Qd", table.center(AREA))
    state = at_rest(table, card)
    state.pile.cleared(state.view.cut(table.draw(Things())), LEVEL)
    # Drawn with a face: the ground looks otherwise, as under a card with another pattern that nobody finds.
    view = state.view.cut(table.draw(Things(cards=(replace(card, up=True),) if lies else ())))
    state.looks = [Look(k, k / 10, view, (), (), False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    assert (result.stays, result.gone) == (((0,), ()) if lies else ((), (0,)))


@pytest.mark.parametrize(
    ("off_mm", "side", "under"), [(14.0, None, True), (45.0, None, False), (45.0, Side.PLAYER, True)]
)
def test_a_card_that_is_not_found_any_more_may_lie_under_others_where_its_ground_is_covered_or_its_player_was(
    off_mm: float, side: Side | None, under: bool
) -> None:
    table = DrawnTable()
    area = table.layout.area(AREA)
    view = AreaView.around(area.polygon_mm, table.camera)
    cards = [Card("Qd", table.center(AREA, dx)) for dx in (-off_mm, 0.0, off_mm)]

    def cut(*lying: Card) -> Bytes:
        return view.cut(table.draw(Things(cards=lying)))

    def sight(card: Card) -> CardSight:
        corners = card_corners(card)
        return CardSight(card.at_mm, corners, table.camera.image_from_table(corners), False, 0.9, corners)

    tracks = [
        CardTrack(i, AREA, card.at_mm, card_corners(card), sight(card).corners_px, False, 0.9)
        for i, card in enumerate(cards)
    ]
    # Drawn with a face, so that its ground looks otherwise when it is covered.
    shown = (cards[0], cards[2], Card("Qd", cards[1].at_mm, up=True))
    state = AreaState(0, area, view, tracks=tracks, reference=(cut(*shown), LEVEL))
    state.pile.cleared(cut(), LEVEL)
    state.visits.seen(0.0, side)
    lying = [Card("Qd", (card.at_mm[0], card.at_mm[1] + 3.0)) for card in (cards[0], cards[2])]
    state.looks = [Look(k, k / 10, cut(*lying), tuple(map(sight, lying)), (), False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    assert result.gone == (1,)
    assert result.covered == ((1,) if under else ())
    # Three looks in 0.2 s tell nothing of what vanished; what lies under others did not (film 3121).
    assert (judged(state, LEVEL, RestSettings()) is not None) is under


@pytest.mark.parametrize("turned", [False, True])
def test_a_face_that_looks_as_it_did_was_not_turned_down(turned: bool) -> None:
    table = DrawnTable()
    up, down = (Card("Qd", table.center(AREA), up=side) for side in (True, False))
    state = at_rest(table, up)
    shown = state.view.cut(table.draw(Things(cards=(down if turned else up,))))
    state.looks = [Look(k, k / 10, shown, (sighted(table, down),), (), False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    assert result.pairs == (((0, 0),) if turned else ())
    assert result.stays == (() if turned else (0,))
    assert result.gone == result.new == ()


@pytest.mark.parametrize(("turned", "named", "told"), [(False, None, False), (True, None, True), (False, "Qd", True)])
def test_a_back_that_looks_as_it_did_was_not_turned_up(turned: bool, named: str | None, told: bool) -> None:
    """A back of white rays was taken for a face in one rest; a face that is read at last was none of a back's."""
    table = DrawnTable()
    down, up = (Card("Qd", table.center(AREA), up=side) for side in (False, True))
    state = at_rest(table, down)
    shown = state.view.cut(table.draw(Things(cards=(up if turned else down,))))
    face = replace(sighted(table, up), face_up=True, card=named, card_confidence=0.99 if named else 0.0)
    state.looks = [Look(k, k / 10, shown, (face,), (), False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    assert result.pairs == (((0, 0),) if told else ())
    assert result.stays == (() if told else (0,))
    assert result.gone == result.new == ()


CHIPS = "seat4.play"


def red_chip(table: DrawnTable, at_mm: tuple[float, float]) -> ChipSight:
    """A red chip as it is surely seen at a place of the table."""
    (px,) = table.camera.image_from_table([at_mm])
    return ChipSight(at_mm, (float(px[0]), float(px[1])), 20.0, 0.9, ChipColor("red", 0.9), False, 1)


def paid(*seen_before: int) -> list[tuple[str, int | None]]:
    """What is told when the dealer lays two red chips beside a wager of two, of which only some had been found; kind and amount."""
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    x, y = table.center(CHIPS)
    places = ((x - 25, y + 20), (x + 2, y + 20), (x - 25, y - 24), (x + 2, y - 24))

    def shown(count: int) -> Bytes:
        return view.cut(table.draw(Things(chips=tuple(Chip("red", at) for at in places[:count]))))

    known = tuple(red_chip(table, places[i]) for i in seen_before)
    chips = (("red", len(known)),) if known else ()
    state = AreaState(0, area, view, chips=chips, chip_sights=known, reference=(shown(2), LEVEL))
    state.visits.seen(1.0, Side.DEALER)
    state.looks = [
        Look(k, 2 + k / 10, shown(4), (), tuple(red_chip(table, at) for at in places), False) for k in range(3)
    ]
    result = compared(state, consensus(state.looks), LEVEL)
    told = wager_events(state, result, 2.0, (1,), table_id="t", values_cents={"red": 500})
    return [(event.kind, getattr(event, "amount_cents", None)) for event in told]


def test_chips_of_an_unknown_wager_that_were_touched_are_probably_paid_at_most() -> None:
    table = DrawnTable()
    view = AreaView.around(table.layout.area(CHIPS).polygon_mm, table.camera)
    x, y = table.center(CHIPS)

    def lying(*places: tuple[float, float]) -> tuple[Bytes, tuple[ChipSight, ...]]:
        cut = view.cut(table.draw(Things(chips=tuple(Chip("red", at) for at in places))))
        px = table.camera.image_from_table(list(places))
        color = ChipColor("red", 0.9)
        return cut, tuple(
            ChipSight(at, (float(u), float(v)), 20.0, 0.9, color, False, 1)
            for at, (u, v) in zip(places, px, strict=True)
        )

    before, (found, _) = lying((x, y), (x + 12, y + 16))
    after, both = lying((x + 14, y), (x + 14, y + 30))
    state = AreaState(0, table.layout.area(CHIPS), view, chips=None, chip_sights=(found,), reference=(before, LEVEL))
    state.visits.seen(1.0, Side.DEALER)
    state.looks = [Look(k, 2 + k / 10, after, (), both, False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    (told,) = wager_events(state, result, 2.0, (1,), table_id="t", values_cents={"red": 500})
    assert (told.kind, told.confidence) == ("payout_placed", PROBABLE)


@pytest.mark.parametrize(
    ("lay", "came", "kind", "told"),
    [
        (2, (0.9, 0.4), "payout_placed", 0.9),
        (2, (0.4, 0.4), "payout_placed", 0.4),
        (2, (0.4,), "payout_placed", 0.4),
        (0, (0.4, 0.8), "wager_placed", 0.8),
        (0, (0.4,), "wager_placed", 0.4),
    ],
)
def test_that_chips_came_is_as_sure_as_the_surest_of_them_though_a_weak_one_leaves_their_worth_open(
    lay: int, came: tuple[float, ...], kind: str, told: float
) -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    x, y = table.center(CHIPS)
    places = ((x - 25, y + 20), (x + 2, y + 20), (x - 25, y - 24), (x + 2, y - 24))[: lay + len(came)]

    def sight(at: tuple[float, float], confidence: float) -> ChipSight:
        (px,) = table.camera.image_from_table([at])
        return ChipSight(at, (float(px[0]), float(px[1])), 20.0, confidence, ChipColor("red", 0.9), False, 1)

    def shown(count: int) -> Bytes:
        lying = [(px, py - 13) if sure < 0.5 else (px, py) for (px, py), sure in zip(places, surely, strict=True)]
        return view.cut(table.draw(Things(chips=tuple(Chip("red", at) for at in lying[:count]))))

    surely = (*(0.95,) * lay, *came)
    sights = tuple(map(sight, places, surely))
    known = (("red", lay),) if lay else ()
    state = AreaState(0, area, view, chips=known, chip_sights=sights[:lay], reference=(shown(lay), LEVEL))
    state.visits.seen(1.0, Side.DEALER)
    state.looks = [Look(k, 2 + k / 10, shown(len(places)), (), sights, False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    (event,) = wager_events(state, result, 2.0, (1,), table_id="t", values_cents={"red": 500})
    assert (event.kind, getattr(event, "amount_cents", 0), event.confidence) == (kind, None, told)


@pytest.mark.parametrize(
    ("lying", "found", "told"),
    [
        ((0, 1, 2, 3), (0, 2, 3), None),
        ((0, 1, 2, 3), (0, 1, 2, 3), (("red", 4),)),
        ((0, 2, 3), (0, 2, 3), (("red", 3),)),
        ((0, 1, 2), (0, 2), None),
        ((0, 2), (0, 2), (("red", 2),)),
    ],
)
def test_a_chip_between_two_others_that_was_not_found_leaves_the_amount_open(
    lying: tuple[int, ...], found: tuple[int, ...], told: tuple[tuple[str, int], ...] | None
) -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    places = [table.center(CHIPS, -32.0 + 21.3 * k, 4.0) for k in range(4)]

    picture = view.cut(table.draw(Things(chips=tuple(Chip("red", places[k]) for k in lying))))
    state = AreaState(0, area, view, reference=(view.cut(table.draw(Things())), LEVEL))
    state.looks = [
        Look(k, 2 + k / 10, picture, (), tuple(red_chip(table, places[i]) for i in found), False) for k in range(3)
    ]
    assert compared(state, consensus(state.looks), LEVEL).counted_chips == told


@pytest.mark.parametrize(
    ("lying", "found", "first", "told"),
    [
        ((0, 1), (0, 1), 0.3, (("red", 2),)),
        ((0, 1, 2), (0, 1, 2), 0.3, None),
        ((0, 1, 2, 3), (0, 1, 3), 0.3, None),
        ((0, 1, 2, 3), (0, 1, 2), 0.3, None),
        ((0, 1, 2, 3), (0, 1, 2), 0.9, None),
        ((1, 2), (0, 1, 2), 0.3, None),
        ((0,), (0,), 0.3, (("red", 1),)),
    ],
    ids=[
        "both found",
        "three found",
        "one between two not found",
        "one half covered not found",
        "the others surely found",
        "one too many",
        "alone",
    ],
)
def test_chips_are_counted_where_what_changed_has_their_shape_however_weakly_one_is_found(
    lying: tuple[int, ...], found: tuple[int, ...], first: float, told: tuple[tuple[str, int], ...] | None
) -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    places = [table.center(CHIPS, -28.0 + 15.0 * k, 4.0) for k in range(4)]

    def sight(number: int) -> ChipSight:
        (px,) = table.camera.image_from_table([places[number]])
        at, confidence = (float(px[0]), float(px[1])), first if number == 0 else 0.9
        return ChipSight(places[number], at, 20.0, confidence, ChipColor("red", 0.9), False, 1)

    picture = view.cut(table.draw(Things(chips=tuple(Chip("red", places[k]) for k in lying))))
    state = AreaState(0, area, view, reference=(view.cut(table.draw(Things())), LEVEL))
    state.visits.seen(1.0, Side.PLAYER)
    state.looks = [Look(k, 2 + k / 10, picture, (), tuple(map(sight, found)), False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    (event,) = wager_events(state, result, 2.0, (1,), table_id="t", values_cents={"red": 500})
    assert result.counted_chips == told
    assert told is None or event.confidence == BORNE_OUT


@pytest.mark.parametrize("lay", [0, 1])
def test_something_else_where_no_chip_is_found_any_more_is_no_wager(lay: int) -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    at = table.center(CHIPS)
    (px,) = table.camera.image_from_table([at])
    chip = ChipSight(at, (float(px[0]), float(px[1])), 20.0, 0.9, ChipColor("red", 0.9), False, 1)
    empty = view.cut(table.draw(Things()))
    known = (("red", lay),) if lay else ()
    state = AreaState(0, area, view, chips=known, chip_sights=(chip,) * lay, reference=(empty, LEVEL))
    covered = view.cut(table.draw(Things(cards=(Card("Qd", at),))))
    state.looks = [Look(k, 2 + k / 10, covered, (), (), False) for k in range(3)]
    result = compared(state, consensus(state.looks), LEVEL)
    assert (result.chips, result.counted_chips, result.chips_changed) == ((), None, bool(lay))
    told = wager_events(state, result, 2.0, (1,), table_id="t", values_cents={"red": 500})
    assert [(event.kind, event.confidence) for event in told] == [("wager_removed", 1.0)] * lay


@pytest.mark.parametrize("seen_before", [(0, 1), (0,), (1,), ()], ids=["both found", "one", "the other", "none"])
def test_a_chip_that_was_overlooked_is_not_paid(seen_before: tuple[int, ...]) -> None:
    assert paid(*seen_before) == [("payout_placed", 1000)]


def test_a_chip_that_is_found_where_nothing_changed_is_known_when_another_is_paid() -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    x, y = table.center(CHIPS)
    lay, added = (x - 25, y + 20), (x - 25, y - 24)

    def sight(at: tuple[float, float]) -> ChipSight:
        (px,) = table.camera.image_from_table([at])
        return ChipSight(at, (float(px[0]), float(px[1])), 20.0, 0.95, ChipColor("red", 0.9), False, 1)

    def rest(t_s: float, *there: tuple[float, float]) -> list[tuple[str, int | None]]:
        cut = view.cut(table.draw(Things(chips=tuple(Chip("red", at) for at in there))))
        state.looks = [Look(k, t_s + k / 10, cut, (), tuple(map(sight, there)), False) for k in range(3)]
        result = compared(state, consensus(state.looks), LEVEL)
        told = wager_events(state, result, t_s, (1,), table_id="t", values_cents={"red": 500})
        state.reference = (cut, LEVEL)
        return [(event.kind, getattr(event, "amount_cents", None)) for event in told]

    overlooked = view.cut(table.draw(Things(chips=(Chip("red", lay),))))
    state = AreaState(0, area, view, chips=(), reference=(overlooked, LEVEL))
    assert rest(2.0, lay) == []
    state.visits.seen(3.0, Side.DEALER)
    assert rest(4.0, lay, added) == [("payout_placed", 500)]


@pytest.mark.parametrize(("color", "told"), [("red", (("red", 1),)), ("felt", None)])
def test_a_chip_like_the_felt_that_is_not_seen_any_more_leaves_the_amount_open(
    color: str, told: tuple[tuple[str, int], ...] | None
) -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    at = table.center(CHIPS, 0.0, 20.0)
    (px,) = table.camera.image_from_table([at])
    chip = ChipSight(at, (float(px[0]), float(px[1])), 20.0, 0.9, ChipColor("red", 0.9), False, 1)
    picture = view.cut(table.draw(Things(chips=(Chip("red", at),) if color == "red" else ())))
    state = AreaState(0, area, view, chips=(("red", 1),), chip_sights=(chip,), reference=(picture, LEVEL))
    state.looks = [Look(k, 2 + k / 10, picture, (), (), False) for k in range(3)]
    assert compared(state, consensus(state.looks), LEVEL).counted_chips == told


@pytest.mark.parametrize("found_first", [False, True])
def test_a_chip_that_was_never_found_leaves_the_amount_open_when_another_is_laid_beside_it(found_first: bool) -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)
    places = (table.center(CHIPS, -22.0, 0.0), table.center(CHIPS, 22.0, 0.0))

    def rest(state: AreaState, lying: int, *found: int) -> tuple[tuple[str, int], ...] | None:
        picture = view.cut(table.draw(Things(chips=tuple(Chip("red", at) for at in places[:lying]))))
        chips = tuple(red_chip(table, places[i]) for i in found)
        state.looks = [Look(k, 2 + k / 10, picture, (), chips, False) for k in range(3)]
        result = compared(state, consensus(state.looks), LEVEL)
        state.explain(result.chips_sure)
        wager_events(state, result, 2.0, (1,), table_id="t", values_cents={"red": 500})
        state.reference = picture, LEVEL
        return result.counted_chips

    state = AreaState(0, area, view, reference=(view.cut(table.draw(Things())), LEVEL))
    assert rest(state, 1, *((0,) if found_first else ())) == ((("red", 1),) if found_first else None)
    assert rest(state, 2, 1) == ((("red", 2),) if found_first else None)
    assert rest(state, 2, 0, 1) == (("red", 2),)


def test_a_face_and_the_back_laid_on_it_are_no_two_looks_at_one_card() -> None:
    table = DrawnTable()
    card = Card("Qd", table.center(AREA), 12.0)
    state, down = at_rest(table, card), sighted(table, card)
    state.tracks.clear()
    view = state.view.cut(table.draw(Things(cards=(card,))))
    up = replace(down, face_up=True, card="Qd", card_confidence=0.99)
    state.active_s = 4.0
    outbox = Outbox()
    watcher = RestWatcher("t1", RestSettings(), 0.1, None, None, Observer("t1", {}), outbox)  # type: ignore[arg-type]
    for before in (up, down):
        state.glimpses = [(3.0, Look(96, 3.2, view, (before,), (), False))]
        state.looks = [Look(126, 4.2, view, (down,), (), False)]
        watcher.settle_early(state, LEVEL)
        assert bool(state.looks) is before.face_up, "only two looks at the same side are told"


@pytest.mark.parametrize(("before", "told"), [("Qd", ["card_turned"]), (None, []), ("2c", [])])
def test_two_rests_of_one_look_each_tell_what_both_saw(before: str | None, told: list[str]) -> None:
    table = DrawnTable()
    card = Card("Qd", table.center(AREA), 12.0)
    state, shown = at_rest(table, card), replace(card, up=True)
    view = state.view.cut(table.draw(Things(cards=(shown,))))

    def look(t_s: float, name: str | None) -> Look:
        face = replace(sighted(table, shown), face_up=True, card=name, card_confidence=0.99 if name else 0.0)
        return Look(int(t_s * 30), t_s, view, (face,), (), False)

    state.glimpses, state.looks, state.active_s = [(3.0, look(3.2, before))], [look(4.2, "Qd")], 4.0
    outbox = Outbox()
    observer = Observer("t1", {})
    watcher = RestWatcher("t1", RestSettings(), 0.1, None, None, observer, outbox)  # type: ignore[arg-type]
    watcher.settle_early(state, LEVEL)
    assert [event.kind for event in outbox.ready(float("inf"))] == told


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ([("red", 0.0)], ["payout_placed"]),
        ([("red", 4.0)], ["payout_placed"]),
        ([("green", 0.0)], []),
        ([("red", 30.0)], []),
        ([("red", 0.0), ("red", 30.0)], []),
        ([], []),
    ],
)
def test_two_rests_of_one_look_each_tell_the_chips_that_both_saw(
    before: list[tuple[str, float]], told: list[str]
) -> None:
    table = DrawnTable()
    area = table.layout.area(CHIPS)
    view = AreaView.around(area.polygon_mm, table.camera)

    def sights(*there: tuple[str, float]) -> tuple[ChipSight, ...]:
        at = [table.center(CHIPS, x_mm, 20.0) for _, x_mm in there]
        px = [tuple(map(float, table.camera.image_from_table([point])[0])) for point in at]
        return tuple(
            ChipSight(point, pixel, 20.0, 0.95, ChipColor(color, 0.9), False, 1)  # type: ignore[arg-type]
            for point, pixel, (color, _) in zip(at, px, there, strict=True)
        )

    def cut(*xs_mm: float) -> npt.NDArray[np.uint8]:
        return view.cut(table.draw(Things(chips=tuple(Chip("red", table.center(CHIPS, x, 20.0)) for x in xs_mm))))

    stake, paid = ("red", -45.0), ("red", 0.0)
    state = AreaState(0, area, view, chips=(("red", 1),), chip_sights=sights(stake), reference=(cut(-45.0), LEVEL))
    state.visits.seen(3.5, Side.DEALER)
    picture = cut(-45.0, 0.0)
    state.disturbed, state.active_s = True, 3.0
    state.looks = [Look(96, 3.2, picture, (), sights(stake, *before), False)]
    outbox = Outbox()
    watcher = RestWatcher("t1", RestSettings(), 0.1, None, None, Observer("t1", {"red": 500}), outbox)  # type: ignore[arg-type]
    watcher.settle_early(state, LEVEL)
    state.disturb(4.0)
    state.looks = [Look(126, 4.2, picture, (), sights(stake, paid), False)]
    watcher.settle_early(state, LEVEL)
    assert [event.kind for event in outbox.ready(float("inf"))] == told
    assert bool(state.looks) is not bool(told)
    if told:  # what lies as it is known to lie is no news: when it goes is still told from the rest before
        state.disturb(5.0)
        state.glimpses = [(5.0, Look(156, 5.2, picture, (), sights(stake, paid), False))]
        state.looks = [Look(186, 6.2, picture, (), sights(stake, paid), False)]
        watcher.settle_early(state, LEVEL)
        assert state.looks


@pytest.mark.parametrize(
    ("seen", "ground_mm2", "lay"),
    [
        ([[(0.0, True, 0.9)]], 6200, True),
        ([[(0.0, True, 0.9)], [(4.0, True, 0.9)]], 6200, True),
        ([[(0.0, True, 0.8)]], 6200, False),
        ([[(0.0, False, 0.9)]], 6200, False),
        ([[(0.0, True, 0.9)]], 4000, False),
        ([[(0.0, True, 0.9)]], 9000, False),
        ([[(0.0, True, 0.9), (30.0, True, 0.9)]], 6200, False),
        ([[(0.0, True, 0.9)], [(30.0, True, 0.9)]], 6200, False),
        ([], 6200, False),
    ],
    ids=["once", "twice", "weak", "a face", "less than a card's ground", "more", "two", "elsewhere", "never"],
)
def test_a_card_that_lay_in_an_empty_area_and_went_is_told_only_where_nothing_else_can_have_lain_there(
    table: DrawnTable, seen: list[list[tuple[float, bool, float]]], ground_mm2: int, lay: bool
) -> None:
    x, y = table.center(AREA)
    state = replace(at_rest(table, Card("Qd", (x, y))), tracks=[])
    for n, cards in enumerate(seen):
        sights = [
            replace(sighted(table, Card("Qd", (x + dx, y)), sure), back=back, face_up=not back)
            for dx, back, sure in cards
        ]
        state.glimpses.append((n + 0.8, Look(n, n + 1.0, np.zeros((4, 4, 3), np.uint8), tuple(sights), (), False)))
    covered = np.zeros(state.view.size_px[::-1], np.uint8)
    covered.ravel()[: round(ground_mm2 * state.view.px_per_mm**2)] = 1
    state.pile.covered = covered
    passed = state.passed()
    assert (passed is not None) is lay
    if passed is not None:
        assert [one.t_s for one in passed] == [1.0, float(len(seen))]


@pytest.mark.parametrize("stirred", [False, True])
def test_a_card_that_came_and_went_waits_for_the_other_areas_of_its_hand_where_cards_come_in_stacks(
    table: DrawnTable, stirred: bool
) -> None:
    observer, outbox = Observer("t1", {}, stacks=True), Outbox()
    gate = SimpleNamespace(changed_px=lambda _index, back=0: 0)
    watcher = RestWatcher("t1", RestSettings(), 0.1, None, gate, observer, outbox)  # type: ignore[arg-type]
    empty = table.draw(Things())
    areas = [table.layout.area(name) for name in ("community.4th", "community.5th")]
    there, beside = (AreaState(i, one, AreaView.around(one.polygon_mm, table.camera)) for i, one in enumerate(areas))
    sight = replace(sighted(table, Card("Qd", table.center("community.4th")), 0.9), back=True, face_up=False)
    there.reference = there.view.cut(empty), LEVEL
    there.glimpses = [(1.8, Look(54, 2.0, np.zeros((4, 4, 3), np.uint8), (sight,), (), False))]
    there.pile.covered = np.zeros(there.view.size_px[::-1], np.uint8)
    there.pile.covered.ravel()[: round(6200 * there.view.px_per_mm**2)] = 1
    there.disturbed = beside.disturbed = True
    beside.next_look_s = float("inf")
    watcher.look([there, beside], Frame(75, 2.5, empty), LEVEL)
    still_open, told_early = there.disturbed, outbox.ready(float("inf"))
    assert (still_open, told_early) == (True, [])
    observer._next_id = 8
    beside.tracks = [replace(at_rest(table, Card("2c", table.center(AREA))).tracks[0], area="community.5th", card_id=7)]
    beside.disturbed, observer._states["community.5th"] = False, beside
    if stirred:
        there.disturb(2.55)
    watcher.look([there, beside], Frame(76, 2.8, empty), LEVEL)
    assert not there.disturbed
    told = {(event.kind, getattr(event, "card_id", None)) for event in outbox.ready(float("inf"))}
    assert told == (set() if stirred else {("card_placed", 8), ("card_removed", 8)})


def test_a_card_that_covers_next_to_no_ground_is_dated_since_the_look_before(table: DrawnTable) -> None:
    asked: list[float | None] = []

    class Film:
        def moment(self, outlines_mm: object, now_s: float, *, gone: bool, since_s: float | None) -> Moment:
            asked.append(since_s)
            return Moment(2.4, 2.5)

    state = at_rest(table, Card("Qd", table.center(AREA)))
    state.film = Film()  # type: ignore[assignment]
    state.looks = [Look(90, 3.0, np.zeros((4, 4, 3), np.uint8), (), (), False)]
    state.pile.before_s = 2.0
    redrawn = np.zeros(state.view.size_px[::-1], bool)
    redrawn[40:80, 40:90] = True
    state.pile.redrawn = redrawn
    assert state.redrawn_moment() == Moment(2.4, 2.5)
    assert asked == [2.0]


@pytest.mark.parametrize(("doubted", "since_s"), [(False, 6.5), (True, 0.3)])
def test_no_card_that_lies_on_others_came_before_the_first_of_them(doubted: bool, since_s: float) -> None:
    table = DrawnTable()
    area = table.layout.area("seat3.cards")
    state = AreaState(0, area, AreaView.around(area.polygon_mm, table.camera), bare_s=0.3)
    look = Look(100, 7.0, np.zeros((4, 4, 3), np.uint8), (), (), False)
    state.laid = [Laid(None, 7.1, look), Laid(0.3, 7.7, look, sure=False)]
    if doubted:
        state.doubted.append((0.0, 0.0))
    placed = CardPlaced(table_id="t", t_s=6.9, earliest_s=6.5, area=area.name, card_id=1, face=Face.DOWN)
    state.began([placed, replace(placed, t_s=7.1, earliest_s=None, card_id=2)])
    assert [one.earliest_s for one in state.laid] == [None, since_s]
    assert state.first_s == (None if doubted else 6.5)
