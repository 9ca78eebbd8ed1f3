"""Whole little scenes through the watcher: what happens on the drawn table must come out as events, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from drawn import (
    CHIP_CENTS,
    FACES,
    Card,
    Chip,
    DrawnChipReader,
    DrawnDetector,
    DrawnReader,
    DrawnReading,
    DrawnTable,
    Things,
    dart,
    frames,
    reach,
    watcher_of,
)

from models.detections import CHIP, FACE, Detections
from rules.events import (
    CardPlaced,
    CardRead,
    CardRemoved,
    CardTurned,
    CoverageGap,
    Event,
    Face,
    GapCause,
    HandOver,
    PayoutPlaced,
    Side,
    WagerDecreased,
    WagerIncreased,
    WagerPlaced,
    WagerRemoved,
    event_to_json,
)
from vision.frames.frame import Frame
from vision.frames.picture import Image
from vision.pipeline import TableWatcher, WatchedTable
from vision.seen import draw_seen

DEALER_HOME = (100.0, -180.0)


def events_of(
    table: DrawnTable,
    scene: Callable[[float], Things],
    seconds: float,
    *,
    detector: DrawnDetector | None = None,
    chips_spread: bool = True,
    **kwargs: object,
) -> list[Event]:
    watcher = watcher_of(table, detector, chips_spread=chips_spread)
    events = [event for frame in frames(table, scene, seconds, **kwargs) for event in watcher.frame(frame)]  # type: ignore[arg-type]
    return events + watcher.close()


def without_hands(events: list[Event]) -> list[Event]:
    """What happens on the felt, without hands and without the note that something lay there at the first look."""
    return [event for event in events if not isinstance(event, (HandOver, CoverageGap))]


def player_home(table: DrawnTable, area: str) -> tuple[float, float]:
    return table.center(area)[0], 1300.0


def test_empty_table_says_nothing_and_costs_no_network_after_its_first_looks(table: DrawnTable) -> None:
    detector = DrawnDetector()
    assert events_of(table, lambda t: Things(), 4.0, detector=detector) == []
    watched = sum(area.kind in ("cards", "community", "wager") for area in table.layout.areas)
    assert detector.calls == 3 * watched


@pytest.mark.parametrize("hz", [7.0, 11.0])
def test_flickering_light_is_no_change(table: DrawnTable, hz: float) -> None:
    detector = DrawnDetector()
    events = events_of(
        table, lambda t: Things(), 3.0, detector=detector, gain=lambda t: 0.8 + 0.06 * float(np.sin(2 * np.pi * hz * t))
    )
    assert events == []
    assert detector.calls <= 4 * 17


def test_wager_is_placed_by_the_player_with_its_amount_and_removed_by_the_dealer(table: DrawnTable) -> None:
    at = table.center("seat3.ante")
    home = player_home(table, "seat3.ante")
    chips = (Chip("red", at), Chip("green", (at[0] + 30, at[1] - 32)))

    def scene(t: float) -> Things:
        arms = reach(t, 1.0, at, home) + reach(t, 3.5, at, DEALER_HOME)
        return Things(chips=chips if 1.6 < t < 4.1 else (), arms=arms)

    placed, removed = without_hands(events_of(table, scene, 6.0))
    assert isinstance(placed, WagerPlaced)
    assert (placed.area, placed.amount_cents, placed.by) == ("seat3.ante", 3000, Side.PLAYER)
    assert placed.chips == (("green", 1), ("red", 1))
    assert 1.6 <= placed.t_s <= 2.3
    assert len(placed.frames) >= 3
    assert isinstance(removed, WagerRemoved)
    assert removed.by is Side.DEALER


def test_chips_added_by_player_raise_the_wager_and_by_the_dealer_pay_it(table: DrawnTable) -> None:
    x, y = table.center("seat4.play")
    home = player_home(table, "seat4.play")

    def scene(t: float) -> Things:
        chips = [Chip("red", (x - 25, y))]
        chips += [Chip("red", (x + 18, y + 10))] if t > 1.6 else []
        chips += [Chip("black", (x + 10, y - 34))] if t > 4.1 else []
        chips = chips[:2] if t > 6.6 else chips
        return Things(
            chips=tuple(chips),
            arms=reach(t, 1.0, (x, y), home) + reach(t, 3.5, (x, y), DEALER_HOME) + reach(t, 6.0, (x, y), home),
        )

    first, raised, paid, lowered = without_hands(events_of(table, scene, 8.5))
    assert isinstance(first, WagerPlaced)
    assert isinstance(raised, WagerIncreased)
    assert (raised.amount_cents, raised.by) == (1000, Side.PLAYER)
    assert isinstance(paid, PayoutPlaced)
    assert (paid.amount_cents, paid.chips) == (10000, (("black", 1),))
    assert isinstance(lowered, WagerDecreased)
    assert lowered.amount_cents == 1000


def test_a_payout_beside_a_wager_of_unknown_height_has_its_own_amount(table: DrawnTable) -> None:
    x, y = table.center("seat4.play")

    def scene(t: float) -> Things:
        paid = (Chip("black", (x + 8, y - 30)), Chip("green", (x + 36, y - 30))) if t > 4.1 else ()
        return Things(
            chips=(Chip("red", (x - 25, y + 14)), *paid),
            arms=reach(t, 1.0, (x, y), player_home(table, "seat4.play")) + reach(t, 3.5, (x, y), DEALER_HOME),
        )

    first, paid = without_hands(events_of(table, scene, 6.0, chips_spread=False))
    assert isinstance(first, WagerPlaced)
    assert first.amount_cents is None
    assert isinstance(paid, PayoutPlaced)
    assert (paid.amount_cents, paid.chips) == (12500, (("black", 1), ("green", 1)))


@pytest.mark.parametrize("apart_s", [0.5, 0.9, 1.6])
def test_a_wager_that_two_sides_reached_for_was_taken_by_nobody_known(table: DrawnTable, apart_s: float) -> None:
    """The dealer points at a wager, then its player takes it: before the area was sure again, it may have been either."""
    at = table.center("seat3.ante")

    def scene(t: float) -> Things:
        taken = 3.5 + apart_s
        chips = () if t > taken + 0.5 else (Chip("red", at),)
        arms = reach(t, 3.0, at, DEALER_HOME) + reach(t, taken, at, player_home(table, "seat3.ante"))
        return Things(chips=chips, arms=arms)

    removed = [e for e in events_of(table, scene, 7.5) if isinstance(e, WagerRemoved)]
    assert [e.by in (None, Side.PLAYER) for e in removed] == [True]


@pytest.mark.parametrize("apart_s", [0.6, 0.65, 0.7])
def test_chips_that_the_dealer_pushed_are_taken_by_their_player(table: DrawnTable, apart_s: float) -> None:
    """Seen where they were pushed once, between two hands: they were there still."""
    x, y = table.center("seat3.ante")

    def scene(t: float) -> Things:
        pushed = 28.0 if t > 3.5 else 0.0
        chips = (Chip("red", (x - 20 + pushed, y)), Chip("green", (x + 20 + pushed, y + pushed)))
        taken = 3.0 + apart_s
        arms = reach(t, 3.0, (x, y), DEALER_HOME) + reach(t, taken, (x, y), player_home(table, "seat3.ante"))
        return Things(chips=() if t > taken + 0.5 else chips, arms=arms)

    (removed,) = (e for e in events_of(table, scene, 8.0) if isinstance(e, WagerRemoved))
    assert removed.by is Side.PLAYER


def test_chip_without_a_value_at_this_table_leaves_the_amount_open(table: DrawnTable) -> None:
    at = table.center("seat4.blind")
    (placed,) = without_hands(events_of(table, lambda t: Things(chips=(Chip("purple", at),)), 2.0))
    assert isinstance(placed, WagerPlaced)
    assert placed.amount_cents is None
    assert placed.chips == (("purple", 1),)


def card_scene(table: DrawnTable) -> Callable[[float], Things]:
    """A card dealt face down, tapped over by the player, turned by the dealer, taken away."""
    at = table.center("seat3.cards")
    home = player_home(table, "seat3.cards")

    def scene(t: float) -> Things:
        arms = (
            reach(t, 1.0, at, DEALER_HOME)
            + reach(t, 3.0, at, home)
            + reach(t, 5.0, at, DEALER_HOME)
            + reach(t, 7.0, at, DEALER_HOME)
        )
        cards = (Card("Qd", at, 16.0, up=t > 5.6),) if 1.6 < t < 7.6 else ()
        return Things(cards=cards, arms=arms)

    return scene


def test_card_is_dealt_covered_turned_and_taken_once_each(table: DrawnTable) -> None:
    events = events_of(table, card_scene(table), 9.5)
    placed, turned, removed = without_hands(events)
    assert isinstance(placed, CardPlaced)
    assert (placed.area, placed.face, placed.card) == ("seat3.cards", Face.DOWN, None)
    assert isinstance(turned, CardTurned)
    assert (turned.card_id, turned.face, turned.card) == (placed.card_id, Face.UP, "Qd")
    assert isinstance(removed, CardRemoved)
    assert removed.card_id == placed.card_id
    assert [round(e.t_s) for e in (placed, turned, removed)] == [2, 6, 8]
    over = [e for e in events if isinstance(e, HandOver) and e.area == "seat3.cards"]
    assert [e.side for e in over] == [Side.DEALER, Side.PLAYER, Side.DEALER, Side.DEALER]
    assert [e.t_s for e in events] == sorted(e.t_s for e in events)


@pytest.mark.parametrize("rest_s", [0.2, 0.3, 0.54, 0.78])
def test_a_card_that_lay_for_a_moment_only_came_and_is_gone_again(table: DrawnTable, rest_s: float) -> None:
    at = table.center("seat3.cards")

    def scene(t: float) -> Things:
        lies = 2.0 <= t < 2.3 + rest_s + 0.3
        arms = reach(t, 1.6, at, DEALER_HOME) + reach(t, 2.3 + rest_s, at, DEALER_HOME)
        return Things(cards=(Card("Qd", at, 16.0),) if lies else (), arms=arms)

    placed, removed = [e for e in events_of(table, scene, 7.0) if isinstance(e, (CardPlaced, CardRemoved))]
    assert (placed.kind, removed.kind, placed.card_id) == ("card_placed", "card_removed", removed.card_id)
    assert [placed.t_s, removed.t_s] == pytest.approx([2.0, 2.6 + rest_s], abs=0.1)


@pytest.mark.parametrize("again_s", [2.4, 2.5])
def test_a_card_is_not_dated_back_to_one_that_lay_there_for_a_moment_long_ago(
    table: DrawnTable, again_s: float
) -> None:
    at = table.center("seat3.cards")

    def scene(t: float) -> Things:
        lies = 2.0 <= t < again_s + 0.3 or t >= 8.0
        arms = reach(t, 1.6, at, DEALER_HOME) + reach(t, again_s, at, DEALER_HOME) + reach(t, 7.5, at, DEALER_HOME)
        return Things(cards=(Card("Qd", at, 16.0),) if lies else (), arms=arms)

    events = events_of(table, scene, 10.0)
    assert [e.t_s for e in events] == sorted(e.t_s for e in events)
    assert max(e.t_s for e in events if isinstance(e, CardPlaced)) > 7.9


def test_missed_detections_make_no_events(table: DrawnTable) -> None:
    shaky = DrawnDetector(miss=0.08, jitter_px=1.5)
    kinds = [e.kind for e in without_hands(events_of(table, card_scene(table), 9.5, detector=shaky))]
    assert kinds == ["card_placed", "card_turned", "card_removed"]


def test_the_same_frames_give_the_same_events(table: DrawnTable) -> None:
    recorded = list(frames(table, card_scene(table), 4.0))

    def run() -> list[str]:
        watcher = watcher_of(table, DrawnDetector(miss=0.05))
        return [event_to_json(e) for f in recorded for e in watcher.frame(Frame(f.index, f.t_s, f.image))] + [
            event_to_json(e) for e in watcher.close()
        ]

    assert run() == run()


def test_no_identity_is_given_twice_with_one_deck(table: DrawnTable) -> None:
    cards = (
        Card("Qd", table.center("seat3.cards"), 16.0, up=True),
        Card("Qd", table.center("seat4.cards"), -16.0, up=True),
    )
    events = [e for e in events_of(table, lambda t: Things(cards=cards), 4.0) if isinstance(e, (CardPlaced, CardRead))]
    assert sorted(str(e.card) for e in events) == ["None", "Qd"]


def test_three_cards_side_by_side_are_three(table: DrawnTable) -> None:
    cards = tuple(
        Card(name, table.center(f"community.{box}"), 2.0, up=True)
        for name, box in (("Qd", "4th"), ("5c", "5th"), ("As", "6th"))
    )
    events = events_of(table, lambda t: Things(cards=cards), 2.0)
    assert {(e.area, e.card) for e in events if isinstance(e, CardPlaced)} == {
        ("community.4th", "Qd"), ("community.5th", "5c"), ("community.6th", "As"),
    }  # fmt: skip


def test_missing_frames_and_darkness_are_gaps(table: DrawnTable) -> None:
    watcher = watcher_of(table)
    events: list[Event] = []
    for frame in frames(table, lambda t: Things(), 7.0, gain=lambda t: 0.0 if 4.0 <= t < 5.5 else 1.0):
        if not 1.0 < frame.t_s < 3.0:
            events += watcher.frame(frame)
    gaps = [e for e in events + watcher.close() if isinstance(e, CoverageGap)]
    assert [(g.cause, round(g.since_s, 1), round(g.t_s, 1)) for g in gaps] == [
        (GapCause.LOST, 1.0, 3.0), (GapCause.BLACK, 4.0, 5.5),
    ]  # fmt: skip


def test_snapshot_and_overlay_show_what_lies_there(table: DrawnTable) -> None:
    watcher = watcher_of(table)
    things = Things(
        cards=(Card("Kh", table.center("seat4.cards"), -10.0, up=True),),
        chips=(Chip("green", table.center("seat4.ante")),),
    )
    last = None
    for frame in frames(table, lambda t: things, 1.5):
        watcher.frame(frame)
        last = frame
    assert last is not None
    (card,), (chip,) = watcher.seen.cards, watcher.seen.chips
    assert (card.area, card.card, card.face_up, chip.area, chip.color) == (
        "seat4.cards",
        "Kh",
        True,
        "seat4.ante",
        "green",
    )
    expected = table.camera.image_from_table([table.center("seat4.cards")])[0]
    assert np.linalg.norm(np.mean(card.corners_px, axis=0) - expected) < 2.0
    drawn = draw_seen(last.image, watcher.seen, table.layout, table.camera, highlight=("seat4.cards",))
    assert drawn.shape == last.image.shape
    assert (drawn != last.image).any()


def test_chips_laid_and_taken_under_hands_that_stay_are_told_when_it_happened(table: DrawnTable) -> None:
    at = table.center("seat3.ante")
    home = player_home(table, "seat3.ante")
    beside = (at[0] + 60, at[1] + 75)

    def scene(t: float) -> Things:
        arms = reach(t, 1.0, at, home, stay_s=0.1) + reach(t, 1.6, beside, home, stay_s=1.4)
        arms += reach(t, 5.0, at, DEALER_HOME, stay_s=0.1) + reach(
            t, 5.6, (at[0] + 40, at[1] - 45), DEALER_HOME, stay_s=1.6
        )
        return Things(chips=(Chip("red", at),) if 1.55 < t < 5.55 else (), arms=arms)

    placed, removed = without_hands(events_of(table, scene, 10.0))
    assert isinstance(placed, WagerPlaced)
    assert 1.5 <= placed.t_s <= 2.0
    assert isinstance(removed, WagerRemoved)
    assert 5.5 <= removed.t_s <= 6.0
    assert removed.by is Side.DEALER


@pytest.mark.parametrize(("found_s", "kinds"), [(2.9, ["wager_placed"]), (6.0, [])])
def test_a_chip_that_is_not_found_at_first_is_looked_for_again(
    table: DrawnTable, found_s: float, kinds: list[str]
) -> None:
    at = table.center("seat3.ante")
    home = player_home(table, "seat3.ante")
    now_s = 0.0

    def scene(t: float) -> Things:
        nonlocal now_s
        now_s = t
        return Things(chips=(Chip("red", at),) if t > 1.6 else (), arms=reach(t, 1.0, at, home))

    class LateDetector(DrawnDetector):
        def __call__(self, image_bgr: Image, min_confidence: float = 0.25) -> Detections:
            found = super().__call__(image_bgr, min_confidence)
            keep = (found.class_id != CHIP) | (now_s >= found_s)
            return Detections(found.corners_px[keep], found.confidence[keep], found.class_id[keep])

    events = without_hands(events_of(table, scene, 7.0, detector=LateDetector()))
    assert [event.kind for event in events] == kinds
    assert all(1.5 <= event.t_s <= 2.3 for event in events)


def test_a_wager_is_told_when_its_last_chip_lay(table: DrawnTable) -> None:
    x, y = table.center("seat3.ante")
    home = player_home(table, "seat3.ante")

    def scene(t: float) -> Things:
        chips = ((Chip("red", (x - 25, y)),) if t > 1.5 else ()) + ((Chip("green", (x + 25, y)),) if t > 1.95 else ())
        return Things(chips=chips, arms=reach(t, 1.0, (x + 40 * (t - 1.5), y), home, stay_s=0.6))

    (placed,) = without_hands(events_of(table, scene, 5.0))
    assert isinstance(placed, WagerPlaced)
    assert placed.amount_cents == 3000
    assert 1.9 <= placed.t_s <= 2.7


def test_cards_dealt_on_one_another_in_quick_order_are_all_counted(table: DrawnTable) -> None:
    x, y = table.center("seat3.cards")

    def scene(t: float) -> Things:
        times = [1.5 + 0.6 * k for k in range(5)]
        cards = tuple(Card("Qd", (x - 28 + 14 * k, y)) for k, end in enumerate(times) if t >= end)
        arms = tuple(arm for k, end in enumerate(times) for arm in dart(t, end, (x - 28 + 14 * k, y - 30), DEALER_HOME))
        return Things(cards=cards, arms=arms)

    dealt = without_hands(events_of(table, scene, 7.0))
    assert [(event.kind, event.area) for event in dealt] == [("card_placed", "seat3.cards")] * 5  # type: ignore[attr-defined]
    assert [event.t_s for event in dealt] == pytest.approx([1.5 + 0.6 * k for k in range(5)], abs=0.3)
    assert len({event.card_id for event in dealt if isinstance(event, CardPlaced)}) == 5


def test_a_card_laid_on_others_that_are_not_found_any_more_is_a_probable_one(table: DrawnTable) -> None:
    x, y = table.center("seat3.cards")
    now_s = 0.0

    def scene(t: float) -> Things:
        nonlocal now_s
        now_s = t
        ends = [1.5, 3.5]
        cards = tuple(Card("Qd", (x - 14 + 14 * k, y)) for k, end in enumerate(ends) if t >= end)
        arms = tuple(arm for k, end in enumerate(ends) for arm in dart(t, end, (x - 14 + 14 * k, y - 30), DEALER_HOME))
        return Things(cards=cards, arms=arms)

    class BlindDetector(DrawnDetector):
        def __call__(self, image_bgr: Image, min_confidence: float = 0.25) -> Detections:
            found = super().__call__(image_bgr, min_confidence)
            keep = np.full(len(found.class_id), now_s < 3.0)
            return Detections(found.corners_px[keep], found.confidence[keep], found.class_id[keep])

    dealt = without_hands(events_of(table, scene, 6.0, detector=BlindDetector()))
    assert [event.kind for event in dealt] == ["card_placed", "card_placed"]
    assert [event.confidence > 0.5 for event in dealt] == [True, False]
    assert dealt[1].t_s == pytest.approx(3.5, abs=0.3)


def test_a_card_dealt_face_up_and_covered_at_once_is_not_told_face_down(table: DrawnTable) -> None:
    x, y = table.center("seat3.cards")

    def scene(t: float) -> Things:
        times = [1.5 + 0.6 * k for k in range(3)]
        cards = tuple(Card("Qd", (x - 28 + 10 * k, y), up=k == 0) for k, end in enumerate(times) if t >= end)
        arms = tuple(arm for k, end in enumerate(times) for arm in dart(t, end, (x - 28 + 10 * k, y - 30), DEALER_HOME))
        return Things(cards=cards, arms=arms)

    placed = [event for event in events_of(table, scene, 6.0) if isinstance(event, CardPlaced)]
    assert sum(event.face is Face.DOWN for event in placed) <= 2


@pytest.mark.parametrize("pause_s", [0.2, 0.24, 0.27, 0.3])
def test_a_card_dealt_face_up_onto_another_and_covered_at_once_is_seen(table: DrawnTable, pause_s: float) -> None:
    x, y = table.center("seat3.cards")

    def scene(t: float) -> Things:
        times = [1.5, 2.5, 2.5 + pause_s]
        cards = tuple(Card("Qd", (x - 28 + 14 * k, y), up=k == 1) for k, end in enumerate(times) if t >= end)
        arms = tuple(arm for k, end in enumerate(times) for arm in dart(t, end, (x - 28 + 14 * k, y - 30), DEALER_HOME))
        return Things(cards=cards, arms=arms)

    placed = [event for event in events_of(table, scene, 6.0) if isinstance(event, CardPlaced)]
    assert [(event.face, event.card) for event in placed] == [(Face.DOWN, None), (Face.UP, "Qd"), (Face.DOWN, None)]
    assert [event.t_s for event in placed] == pytest.approx([1.5, 2.5, 2.5 + pause_s], abs=0.1)


class KeenDetector(DrawnDetector):
    """Finds the queen of diamonds as well where only the left of it shows."""

    def __call__(self, image_bgr: Image, min_confidence: float = 0.25) -> Detections:
        found = super().__call__(image_bgr, min_confidence)
        inner = np.argwhere(np.abs(image_bgr.astype(int) - FACES["Qd"]).max(axis=2) < 14)
        if FACE in found.class_id or len(inner) < 500:
            return found
        y, x = inner.min(axis=0) - (18, 13)
        box = np.array([[x, y], [x + 63, y], [x + 63, y + 88], [x, y + 88]], np.float32)
        return Detections(
            np.concatenate([found.corners_px, box[None]]),
            np.append(found.confidence, np.float32(0.9)),
            np.append(found.class_id, FACE),
        )


def test_cards_dealt_face_down_onto_one_beside_a_face_that_is_known_are_all_told(table: DrawnTable) -> None:
    x, y = table.center("seat3.cards")
    places = (-40.0, 2.0, 30.0)

    def scene(t: float) -> Things:
        times = [1.5 + 1.5 * k for k in range(len(places))]
        cards = [Card("Qd", (x + dx, y), up=k == 0) for k, dx in enumerate(places) if t >= times[k]]
        arms = [
            arm for dx, end in zip(places, times, strict=True) for arm in dart(t, end, (x + dx, y - 30), DEALER_HOME)
        ]
        return Things(cards=tuple(cards), arms=tuple(arms))

    told = without_hands(events_of(table, scene, 6.5, detector=KeenDetector()))
    assert [(event.kind, getattr(event, "face", None)) for event in told] == [
        ("card_placed", side) for side in (Face.UP, Face.DOWN, Face.DOWN)
    ]


def test_cards_turned_and_spread_are_told_when_they_were_though_arms_soon_lie_over_them_again(
    table: DrawnTable,
) -> None:
    x, y = table.center("seat3.cards")

    def scene(t: float) -> Things:
        arms = reach(t, 0.6, (x, y), DEALER_HOME) + reach(t, 3.5, (x, y), DEALER_HOME)
        arms += reach(t, 5.05, (x, y), DEALER_HOME, stay_s=4.0)
        if t < 1.2:
            return Things(arms=arms)
        apart, up = (35.0, False) if t < 4.05 else (66.0, True)
        return Things(cards=(Card("Qd", (x - apart, y), up=up), Card("5c", (x + apart, y), up=up)), arms=arms)

    turned = [event for event in events_of(table, scene, 9.0) if isinstance(event, CardTurned)]
    assert sorted(str(event.card) for event in turned) == ["5c", "Qd"]
    assert all(4.0 <= event.t_s <= 4.6 for event in turned)


class OffCenterReader(DrawnReader):
    """Reads only what is cut some millimetres beside where the outline was laid."""

    def __call__(self, cards_bgr: Image | Sequence[Image], px_per_mm: object = None) -> list[DrawnReading]:
        readings = super().__call__(cards_bgr, px_per_mm)
        return [
            reading if self._off_px(crop) > 2.5 else DrawnReading(None, 0.2)
            for reading, crop in zip(readings, cards_bgr, strict=True)
        ]

    def _off_px(self, crop: Image) -> float:
        _, columns = np.nonzero(np.abs(crop.astype(int) - FACES["Qd"]).max(axis=-1) < 40)
        return abs(float(columns.mean()) - (crop.shape[1] - 1) / 2) if len(columns) else 0.0


def test_a_card_read_only_beside_its_outline_is_named_before_hands_lie_over_it_again(table: DrawnTable) -> None:
    at = table.center("seat3.cards")
    home = player_home(table, "seat3.cards")

    def scene(t: float) -> Things:
        arms = reach(t, 0.5, at, home) + reach(t, 2.3, at, home)
        return Things(cards=(Card("Qd", at, up=True),) if 1.0 < t < 2.9 else (), arms=arms)

    watcher = TableWatcher(
        WatchedTable("t1", CHIP_CENTS),
        table.layout,
        table.camera,
        DrawnDetector(),
        OffCenterReader(),
        DrawnChipReader(),
    )
    events = [event for frame in frames(table, scene, 4.0) for event in watcher.frame(frame)] + watcher.close()
    (placed,) = (e for e in events if isinstance(e, CardPlaced))
    assert placed.card == "Qd"
