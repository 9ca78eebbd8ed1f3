"""Rounds told as the sight may tell them: the same every time, well-formed, and nobody accused of what did not happen."""

from __future__ import annotations

from collections import Counter

import pytest

from datasets.play.games import GAMES
from datasets.play.games.base import DEALING
from datasets.score.courses import honest, main, planted, play
from datasets.score.faults import SIGHT
from datasets.score.hands_over import hands_over
from datasets.score.spoiled import spoiled
from datasets.simulate import play_rounds
from rules.events import CardPlaced, HandOver, Side, WagerPlaced, event_from_dict, event_to_dict

NOTHING_WRONG = SIGHT.times(0.0)
MUCH_WRONG = SIGHT.times(10.0)


def test_the_same_seed_tells_the_same_course_of_well_formed_events() -> None:
    recording = play_rounds("dj_wild", 2, 5)
    events, wrong = spoiled(recording, MUCH_WRONG, 5)
    again, _ = spoiled(recording, MUCH_WRONG, 5)
    other, _ = spoiled(recording, MUCH_WRONG, 6)
    assert events == again != other
    assert sum(wrong.values()) > 20
    assert [event.t_s for event in events] == sorted(event.t_s for event in events)
    for event in events:
        event_from_dict(event_to_dict(event))


@pytest.mark.parametrize("game", GAMES)
def test_where_nothing_goes_wrong_every_event_is_told_within_a_quarter_of_a_second(game: str) -> None:
    recording = play_rounds(game, 1, 7, dealing="hand")
    events, wrong = spoiled(recording, NOTHING_WRONG, 7)
    assert not wrong
    true = [event for event in recording.events() if not isinstance(event, HandOver)]
    told = [event for event in events if not isinstance(event, HandOver)]
    assert Counter(event.kind for event in told) == Counter(event.kind for event in true)
    for kind in (CardPlaced, WagerPlaced):
        ours = sorted(e.t_s for e in true if isinstance(e, kind))
        theirs = sorted(e.t_s for e in told if isinstance(e, kind))
        assert all(abs(a - b) <= 0.25 for a, b in zip(ours, theirs, strict=True))


def test_a_hand_is_over_every_place_where_it_lays_something() -> None:
    recording = play_rounds("caribbean_stud", 1, 3)
    hands = [event for event in hands_over(recording) if isinstance(event, HandOver)]
    for event in recording.events():
        side = Side.DEALER if isinstance(event, CardPlaced) else Side.PLAYER
        if isinstance(event, CardPlaced | WagerPlaced):
            there = [h for h in hands if h.area == event.area and h.side is side]
            assert any(h.since_s - 0.25 <= event.t_s <= h.t_s + 0.25 for h in there), event


def test_a_planted_mistake_told_well_is_found_and_nothing_else_is_alleged() -> None:
    course = play("raise_it_up", "manual_shoe", "short_pay", 11, NOTHING_WRONG)
    assert (len(course.found), course.missed, course.false) == (1, (), ())


def test_honest_courses_told_as_films_are_accuse_nobody() -> None:
    courses = list(honest(len(GAMES) * len(DEALING), 1, SIGHT, rounds=1))
    assert len(courses) == len(GAMES) * len(DEALING)
    assert [course.name for course in courses if course.false] == []


@pytest.mark.slow
def test_many_courses_told_as_films_are_accuse_nobody_of_what_did_not_happen() -> None:
    assert [c.name for c in (*honest(480, 100, SIGHT), *planted(480, 100, SIGHT)) if c.false] == []


def test_the_measure_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--honest", "1", "--planted", "1", "--rounds", "1"]) == 0
    text = capsys.readouterr().out
    assert "honest courses of 1 rounds that accuse somebody: " in text
    assert "planted mistakes found: " in text
