"""The scores count what they say."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from rich.console import Console

from datasets.play.games import plants_of
from datasets.score import evaluate
from datasets.score.evaluate import Clip
from datasets.score.intervals import Share
from datasets.score.overlap import match_quads, quad_iou
from datasets.score.rounds import match_findings
from datasets.score.spreads import taken
from datasets.score.stills import Looking, score_overhead, score_ray_traced
from datasets.simulate import SimulationError
from vision.looks.spreads import Felt

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10]]


def shifted(dx: float) -> list[list[float]]:
    return [[x + dx, float(y)] for x, y in SQUARE]


def test_overlap_of_shifted_squares() -> None:
    assert quad_iou(SQUARE, SQUARE) == pytest.approx(1.0)
    assert quad_iou(SQUARE, shifted(5)) == pytest.approx(1 / 3)
    assert quad_iou(SQUARE, shifted(20)) == 0.0


def test_each_truth_is_used_once() -> None:
    assert match_quads([shifted(1), SQUARE], [SQUARE]) == [(1, 0)]


@pytest.mark.parametrize(("hits", "total"), [(0, 10), (10, 10), (3, 7), (999, 1000)])
def test_interval_holds_the_share(hits: int, total: int) -> None:
    low, high = Share(hits, total).interval
    assert -1e-9 <= low <= hits / total + 1e-9
    assert hits / total - 1e-9 <= high <= 1
    assert low < high


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(ValueError, match="2 of 1"):
        Share(2, 1)


def test_ray_traced_counts_misses_mistakes_and_ghosts(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "01.jpg"), np.zeros((40, 60, 3), np.uint8))
    cards = [
        {"card": "Kh", "corners_px": SQUARE, "visible_fraction": 1.0},
        {"card": "2c", "corners_px": shifted(20), "visible_fraction": 0.9},
        {"card": "back", "corners_px": shifted(40), "visible_fraction": 0.3},
    ]
    groups = [
        {"kind": "single", "amount": 5, "visible_fraction": 1.0, "top_center_px": [5, 30], "base_center_px": [5, 31]}
    ]
    truth = {"cards": cards, "chip_groups": groups, "ignore": [], "px_per_mm_table_centre": 1.0}
    (tmp_path / "01.json").write_text(json.dumps(truth))

    def see(_: object) -> dict[str, Any]:
        return {
            "cards": [
                {"card": "Kh", "corners_px": SQUARE},
                {"card": "2d", "corners_px": shifted(21)},
                {"card": None, "corners_px": [[0, 20], [5, 20], [5, 30], [0, 30]]},
            ],
            "chips": [{"center_px": [8, 30], "amount": 25}],
        }

    shares = score_ray_traced(tmp_path, Looking(see)).shares
    assert shares["cards found, visible at least half"] == Share(2, 2)
    assert shares["cards found, visible 0.2 to 0.5"] == Share(0, 1)
    assert shares["cards, precision"] == Share(2, 3)
    assert shares["cards right of answered"] == Share(1, 2)
    assert shares["chip groups found, single"] == Share(1, 1)
    assert shares["chip amounts right of answered, single"] == Share(0, 1)


def test_overhead_counts_multisets(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.jpg"), np.zeros((8, 8, 3), np.uint8))
    (tmp_path / "labels.csv").write_text("Image,T1,T2,P1.1,R,G,B,K,W\na.jpg,10H,8C,null,2,1,0,3,0\n")
    chips = [{"colors": {"red": 1}}, {"colors": {"red": 1, "green": 1}}, {"colors": None}, {"colors": {"white": 1}}]
    answer = {"cards": [{"card": "Th"}, {"card": "9c"}, {"card": "back"}, {"card": "back"}], "chips": chips}
    shares = score_overhead(tmp_path, Looking(lambda _: answer)).shares
    assert shares["face cards named right"] == Share(1, 2)
    assert shares["right of answered"] == Share(1, 2)
    assert shares["backs found (count, at most those there)"] == Share(1, 1)
    assert shares["of backs told those there (count)"] == Share(1, 2)
    assert shares["chips counted by colour, exact"] == Share(3, 5)
    assert shares["chips counted by colour, too many"] == Share(1, 5)


def finding(check: str, seat: int | None, t_s: float) -> dict[str, Any]:
    return {"check_id": check, "seat": seat, "t_s": t_s}


def test_a_breach_answers_one_planted_mistake_of_its_seat_and_time() -> None:
    expected = [finding("RIU-SET-PLAY", 2, 50.0), finding("RIU-SET-PLAY", 3, 55.0), finding("RIU-C1-WHEN", None, 20.0)]
    breaches = [finding("RIU-SET-PLAY", 2, 52.0), finding("RIU-SET-PLAY", 2, 53.0), finding("RIU-C1-WHEN", 4, 21.0)]
    found, missed, false = match_findings(expected, breaches)
    assert [item["t_s"] for item in found] == [20.0, 50.0]
    assert missed == [expected[1]]
    assert false == [breaches[1]]


@pytest.mark.parametrize(("round_id", "right"), [("riu-1-r0003", True), ("riu-1-r0002", False), (None, False)])
def test_a_breach_told_late_in_its_own_round_is_found(round_id: str | None, right: bool) -> None:
    planted = {"check_id": "RIU-IRR-COUNT", "seat": 6, "t_s": 94.9, "round": 3}
    told = {"check_id": "RIU-IRR-COUNT", "seat": 6, "t_s": 119.4, "round_id": round_id}
    assert match_findings([planted], [told]) == (([planted], [], []) if right else ([], [planted], [told]))


def test_the_evaluation_goes_through_every_game_and_dealing_method_with_mistakes_that_have_a_place() -> None:
    clips = [Clip.numbered(n) for n in range(12)]
    assert len({(clip.game, clip.dealing) for clip in clips}) == 12
    assert len({clip.seed for clip in clips}) == 12
    for clip in clips[::5]:
        plants = clip.plants(3)
        assert plants == clip.plants(3)
        assert all(clip.dealing in plants_of(clip.game)[plant].dealing for plant in plants)


def test_stacks_behind_one_another_are_drawn_so_that_the_felt_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def before(self: Felt, chip: int, away: object, own_mm: float, reach_mm: float) -> bool:
        asked.append(reach_mm)
        return True

    monkeypatch.setattr(Felt, "before", before)
    assert list(taken(3, seed=1)) == [True] * 3
    assert len(asked) == 3
    assert min(asked) > 2.0


def test_stacks_behind_one_another_are_no_spread() -> None:
    assert not any(taken(6, seed=2))


def test_a_clip_without_a_place_for_its_mistakes_is_left_out_of_the_score_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_place(*_: object, **__: object) -> None:
        raise SimulationError("no place")

    monkeypatch.setattr(evaluate, "play_rounds", no_place)
    clips = [Clip.numbered(n) for n in range(12)]
    planted = [clip for clip in clips if random.Random(clip.seed).random() >= evaluate.HONEST_SHARE]
    assert planted
    for clip in planted:
        with pytest.raises(SimulationError, match=f"clip {clip.seed}, {clip.game}, .*no place for any of 20 draws"):
            clip.plants(3)
    monkeypatch.setattr(Clip, "numbered", lambda _: planted[0])
    console = Console(record=True, width=200)
    assert evaluate.evaluate_rounds(1, 3, tmp_path, console) == []
    assert f"clip {planted[0].seed}" in console.export_text()
