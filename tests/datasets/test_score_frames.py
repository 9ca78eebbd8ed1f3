"""Cards in single frames: what has to be found, what may be left, and what is a mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from datasets.score.frames import count_cards, main, score_films
from datasets.score.intervals import Share
from datasets.score.stills import StillScore
from datasets.simulate import simulate
from vision.looks.look import CardSight

FOUND, THERE = "cards at rest, seen at least half: found", "cards told that are there"
ANSWERED, RIGHT = "faces: answered of found", "right of answered"


def corners(x: float) -> np.ndarray:
    return np.array([[x, 0], [x + 60, 0], [x + 60, 90], [x, 90]], float)


def true(x: float, *, seen: float = 1.0, face: str = "up", rests: bool = True) -> dict[str, Any]:
    return {
        "card": "Qd",
        "face": face,
        "corners_px": corners(x).tolist(),
        "visible_fraction": seen,
        "at_rest": rests,
    }


def sight(x: float, card: str | None) -> CardSight:
    return CardSight((x, 0.0), corners(x), corners(x), True, 0.9, corners(x), card)


def test_a_card_is_found_read_left_open_read_wrongly_or_not_there() -> None:
    score = StillScore("film")
    seen = [sight(0, "Qd"), sight(100, None), sight(200, "Kd"), sight(600, "As")]
    failures = count_cards(score, seen, [true(0), true(100), true(200), true(300)])
    assert score.shares == {
        FOUND: Share(3, 4),
        THERE: Share(3, 4),
        ANSWERED: Share(2, 3),
        RIGHT: Share(1, 2),
    }
    assert sorted(failure.kind for failure in failures) == ["not found", "not read", "not there", "read as Kd"]


def test_cards_in_motion_or_hardly_seen_need_not_be_found_and_are_no_ghosts() -> None:
    score = StillScore("film")
    assert not count_cards(
        score, [sight(0, None), sight(100, None)], [true(0, rests=False), true(100, seen=0.1), true(200, seen=0.4)]
    )
    assert score.shares == {FOUND: Share(0, 0), THERE: Share(1, 1)}


def test_a_name_told_of_a_card_that_lies_face_down_is_wrong() -> None:
    score = StillScore("film")
    (failure,) = count_cards(score, [sight(0, "Qd")], [true(0, face="down")])
    assert (failure.kind, score.shares[RIGHT]) == ("read as Qd", Share(0, 1))


def test_the_upper_of_cards_squared_up_is_found_though_one_below_fits_its_outline_better() -> None:
    score = StillScore("film")
    assert not count_cards(score, [sight(3, "Qd")], [true(0), true(3, seen=0.02), true(6, seen=0.1)])
    assert score.shares == {FOUND: Share(1, 1), THERE: Share(1, 1), ANSWERED: Share(1, 1), RIGHT: Share(1, 1)}


@pytest.mark.slow
def test_a_film_of_the_simulator_is_scored(tmp_path: Path) -> None:
    film = tmp_path / "film"
    simulate("let_it_ride", 1, 6, (), film, fps=5, size=(1280, 720), seats=(2,))
    (score,) = score_films([film], every_s=6.0)
    assert score.pictures >= 3
    assert score.shares[FOUND].hits >= 0.9 * score.shares[FOUND].total > 5
    assert score.shares[RIGHT].hits == score.shares[RIGHT].total > 0


def test_a_folder_that_is_no_film_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path)])
    assert "no film with its truth" in capsys.readouterr().err
