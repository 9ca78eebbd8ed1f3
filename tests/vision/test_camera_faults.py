"""What may happen to a camera while it watches: gaps with their cause, and the table known again afterwards."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator

import cv2
import numpy as np
import pytest
from drawn import Card, Chip, DrawnTable, Things, watcher_of

from rules.events import CardPlaced, CoverageGap, Event, GapCause, WagerPlaced, event_to_json
from vision.frames.frame import Frame
from vision.frames.live import live_source
from vision.frames.picture import Image
from vision.frames.source import Source, SourceInfo
from vision.pipeline import TableWatcher
from vision.seen import GAP_WORDS, Seen, draw_seen

FPS = 6.0


def things(table: DrawnTable) -> Things:
    card = Card("Qd", table.center("seat3.cards"), 16.0, up=True)
    return Things(cards=(card,), chips=(Chip("red", table.center("seat3.ante")),))


def film(pictures: Callable[[float], Image], seconds: float, start_s: float = 0.0) -> Iterator[Frame]:
    for index in range(round(start_s * FPS), round(seconds * FPS)):
        yield Frame(index, index / FPS, pictures(index / FPS))


def watched(watcher: TableWatcher, frames: Iterable[Frame]) -> tuple[list[Event], list[Seen]]:
    events: list[Event] = []
    seen: list[Seen] = []
    for frame in frames:
        events += watcher.frame(frame)
        seen.append(watcher.seen)
    return events, seen


def gaps_of(events: Iterable[Event]) -> list[CoverageGap]:
    """Those of the camera, without what says that something lay there before it looked."""
    return [event for event in events if isinstance(event, CoverageGap) and event.cause is not GapCause.JOINED]


def joined(events: Iterable[Event]) -> list[CoverageGap]:
    return [event for event in events if isinstance(event, CoverageGap) and event.cause is GapCause.JOINED]


def kinds(events: Iterable[Event]) -> list[str]:
    return [event.kind for event in events if event not in joined(events)]


@pytest.fixture(scope="module")
def nudged() -> DrawnTable:
    """The same table after somebody knocked against the camera's mount: 9 px."""
    return DrawnTable(turned_mm=(14.0, -7.0))


def test_a_nudged_camera_is_a_gap_and_everything_lies_where_it_lay(table: DrawnTable, nudged: DrawnTable) -> None:
    watcher = watcher_of(table)
    events, seen = watched(watcher, film(lambda t: (table if t < 4.0 else nudged).draw(things(table)), 13.0))
    (gap,) = gaps_of(events)
    assert gap.cause is GapCause.MOVED
    assert 0.0 < gap.since_s <= 4.0
    assert 4.0 < gap.t_s < 10.0
    assert sorted(kinds(events)) == ["card_placed", "coverage_gap", "wager_placed"]
    first = {event.area: event for event in joined(events)}
    assert set(first) == {"seat3.cards", "seat3.ante"}, "what lay there at the first look was not seen to come"
    for event in events:
        if isinstance(event, CardPlaced | WagerPlaced):
            assert first[event.area].since_s <= event.t_s <= first[event.area].t_s
    expected = nudged.camera.image_from_table([table.center("seat3.cards"), table.center("seat3.ante")])
    last = seen[-1]
    assert np.linalg.norm(np.mean(last.cards[0].corners_px, axis=0) - expected[0]) < 2.0
    assert np.linalg.norm(np.subtract(last.chips[0].center_px, expected[1])) < 2.0
    assert last.gaps == ()
    assert last.camera is watcher.camera
    muted = [s.t_s for s in seen if s.gaps]
    assert 4.0 < muted[0] < 7.5
    assert {s.gaps[0].cause for s in seen if s.gaps} == {GapCause.MOVED}


def test_what_changes_after_a_nudge_is_seen_again(table: DrawnTable, nudged: DrawnTable) -> None:
    def shown(t: float) -> Image:
        return (table if t < 3.0 else nudged).draw(things(table) if t < 9.0 else Things())

    events, _ = watched(watcher_of(table), film(shown, 13.0))
    told = kinds(events)
    assert told.index("coverage_gap") < told.index("card_removed")
    assert sorted(told) == ["card_placed", "card_removed", "coverage_gap", "wager_placed", "wager_removed"]


def test_a_camera_turned_to_the_wall_is_uncalibrated_until_it_is_back(table: DrawnTable) -> None:
    rng = np.random.default_rng(2)
    wall = cv2.resize(rng.integers(60, 120, (36, 64, 3), np.uint8), (1280, 720), interpolation=cv2.INTER_CUBIC)

    def shown(t: float) -> Image:
        if not 3.0 <= t < 12.0:
            return table.draw(things(table))
        return np.asarray(cv2.add(wall, rng.integers(0, 4, wall.shape, np.uint8)), np.uint8)

    watcher = watcher_of(table)
    events, seen = watched(watcher, film(shown, 15.0))
    (gap,) = gaps_of(events)
    assert gap.cause is GapCause.UNCALIBRATED
    assert gap.since_s <= 3.0
    assert 12.0 < gap.t_s < 15.0
    there = ["card_placed", "wager_placed"]
    assert kinds(events) == [*there, "coverage_gap", "card_removed", "wager_removed", *there], "in so long a time another round may have been dealt: everything is told anew"  # fmt: skip
    again = [event for event in joined(events) if event.t_s > gap.t_s]
    assert {event.area for event in again} == {"seat3.cards", "seat3.ante"}
    assert all(event.since_s == gap.since_s for event in again)
    during = next(s for s in seen if s.t_s > 8.0)
    assert [open_gap.cause for open_gap in during.gaps] == [GapCause.UNCALIBRATED]
    plain = shown(8.0)
    marked = draw_seen(plain, during, table.layout, table.camera)
    assert (marked[:10] != plain[:10]).any(axis=2).mean() > 0.5  # the words across the top
    assert set(GAP_WORDS) == set(GapCause)


def test_the_gap_of_a_camera_that_stays_lost_is_told_at_the_end(table: DrawnTable) -> None:
    watcher = watcher_of(table)
    grain = np.kron(np.random.default_rng(1).integers(50, 120, (36, 64, 3)), np.ones((20, 20, 1))).astype(np.uint8)
    events, _ = watched(
        watcher, film(lambda t: table.draw(Things()) if t < 2.0 else np.roll(grain, int(9 * t), axis=1), 9.0)
    )
    (gap,) = gaps_of([*events, *watcher.close()])
    assert (gap.cause, round(gap.t_s)) == (GapCause.UNCALIBRATED, 9)


def test_a_frozen_picture_is_a_gap_from_its_first_frame(table: DrawnTable) -> None:
    still = table.draw(Things())
    watcher = watcher_of(table)
    events, seen = watched(watcher, film(lambda t: still if 2.0 <= t < 6.0 else table.draw(Things()), 8.0))
    (gap,) = gaps_of(events)
    assert (gap.cause, gap.since_s, gap.t_s) == (GapCause.FROZEN, 2.0, 6.0)
    assert next(s.t_s for s in seen if s.gaps) - gap.since_s <= 3.0


def test_one_picture_repeated_for_a_moment_is_not_frozen(table: DrawnTable) -> None:
    still = table.draw(Things())
    events, _ = watched(watcher_of(table), film(lambda t: still if 1.0 <= t < 2.5 else table.draw(Things()), 4.0))
    assert gaps_of(events) == []


def test_darkness_and_a_covered_lens_are_told_apart(table: DrawnTable) -> None:
    rng = np.random.default_rng(3)

    def shown(t: float) -> Image:
        if 1.0 <= t < 3.0:
            return rng.integers(0, 5, (720, 1280, 3), np.uint8)
        if 4.0 <= t < 6.0:
            return rng.integers(99, 101, (720, 1280, 3), np.uint8)
        return table.draw(Things())

    events, seen = watched(watcher_of(table), film(shown, 8.0))
    assert [(g.cause, g.since_s, g.t_s) for g in gaps_of(events)] == [
        (GapCause.BLACK, 1.0, 3.0), (GapCause.BLOCKED, 4.0, 6.0),
    ]  # fmt: skip
    assert next(s.t_s for s in seen if s.gaps) <= 2.0


def test_damaged_pictures_are_a_gap_and_never_looked_at(table: DrawnTable) -> None:
    rng = np.random.default_rng(4)
    frames = list(film(lambda t: table.draw(things(table)), 6.0))
    for frame in frames:
        if 3.0 <= frame.t_s < 4.0:
            frame.image[:] = rng.integers(0, 255, frame.image.shape, np.uint8)
            frame.damaged = True
    events, _ = watched(watcher_of(table), frames)
    (gap,) = gaps_of(events)
    assert gap.cause is GapCause.CORRUPT
    assert (round(gap.since_s, 2), gap.t_s) == (2.83, 4.0)
    assert sorted(kinds(events)) == ["card_placed", "coverage_gap", "wager_placed"]


def test_pictures_of_another_size_are_a_gap_until_the_table_is_found_in_them(table: DrawnTable) -> None:
    def shown(t: float) -> Image:
        picture = table.draw(things(table))
        return picture if t < 3.0 else np.asarray(cv2.resize(picture, (960, 540), interpolation=cv2.INTER_AREA))

    watcher = watcher_of(table)
    events, seen = watched(watcher, film(shown, 9.0))
    (gap,) = gaps_of(events)
    assert gap.cause is GapCause.RESIZED
    assert next(s.t_s for s in seen if s.gaps) <= 3.5
    assert watcher.camera.size_px == (960, 540)
    assert sorted(kinds(events)) == ["card_placed", "coverage_gap", "wager_placed"]


def test_a_nudge_gives_the_same_events_from_a_checkpoint(table: DrawnTable, nudged: DrawnTable) -> None:
    frames = list(film(lambda t: (table if t < 3.0 else nudged).draw(things(table)), 8.0))

    def lines(watcher: TableWatcher, part: Iterable[Frame]) -> list[str]:
        return [event_to_json(event) for event in watched(watcher, part)[0]]

    watcher = watcher_of(table)
    whole = lines(watcher, frames[:22])
    later = pickle.loads(pickle.dumps(watcher))
    assert whole + lines(watcher, frames[22:]) == whole + lines(later, frames[22:])
    assert later.camera.to_json() == watcher.camera.to_json() != table.camera.to_json()


def test_frames_give_the_same_events_however_they_come(table: DrawnTable) -> None:
    frames = list(film(lambda t: table.draw(things(table) if t > 1.0 else Things()), 3.5))
    alone = [event_to_json(event) for event in watched(watcher_of(table), frames)[0]]
    assert len(alone) == 2
    read_ahead = live_source(Source(SourceInfo("s", (1280, 720), FPS, None, True), iter(frames), lambda: None), most=99)
    assert [event_to_json(event) for event in watched(watcher_of(table), read_ahead)[0]] == alone
    assert read_ahead.health.dropped == 0
    one, other = watcher_of(table), watcher_of(table)
    in_turns: list[tuple[TableWatcher, Event]] = []
    for frame in frames:
        in_turns += [(watcher, event) for watcher in (one, other) for event in watcher.frame(frame)]
    for watcher in (one, other):
        assert [event_to_json(event) for who, event in in_turns if who is watcher] == alone
