"""Pieces of hands whose sleeves are lost are followed to the edge they came from; where two could be meant nothing is said."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn import Arm, DrawnTable, Things

from rules.events import Side
from vision.change.gate import Gate, SmallMap
from vision.change.traces import ENTERED_MM, FOLLOWED_S, REACH_MM, HandTraces, Piece, thinned
from vision.frames.frame import Frame

DEALER, PLAYER = Side.DEALER, Side.PLAYER


def piece(x: float, y: float, side: Side | None = None, *, at_players: bool = False) -> Piece:
    return Piece(np.array([[x + 8 * i, y + 8 * k] for i in range(6) for k in range(8)], float), side, at_players)


def loose_sides(traces: HandTraces, t_s: float, hands: list[Piece], loose: list[Piece]) -> list[Side | None]:
    return traces(t_s, hands, loose)[1]


def test_a_piece_is_followed_step_by_step_from_the_arm_it_was_seen_on() -> None:
    traces = HandTraces()
    assert traces(0.0, [piece(0, 0, DEALER)], []) == ([DEALER], [])
    for k in range(1, 6):
        assert loose_sides(traces, k / 15, [], [piece(0, 140 * k)]) == [DEALER]


def test_a_jump_too_far_or_a_gap_too_long_breaks_the_trace() -> None:
    far = HandTraces()
    far(0.0, [piece(0, 0, DEALER)], [])
    assert loose_sides(far, 1 / 15, [], [piece(0, REACH_MM + 60)]) == [None]
    assert loose_sides(far, 2 / 15, [], [piece(0, REACH_MM + 70)]) == [None], "nobody's stays nobody's"
    late = HandTraces()
    late(0.0, [piece(0, 0, DEALER)], [])
    assert loose_sides(late, FOLLOWED_S + 0.01, [], [piece(0, 20)]) == [None]


def test_where_two_sides_or_one_that_nobody_can_tell_are_near_nothing_is_said() -> None:
    both = HandTraces()
    both(0.0, [piece(0, 0, DEALER), piece(0, 150, PLAYER)], [])
    assert loose_sides(both, 1 / 15, [], [piece(0, 70)]) == [None]
    unknown = HandTraces()
    unknown(0.0, [piece(0, 0, DEALER), piece(120, 0)], [])
    assert loose_sides(unknown, 1 / 15, [], [piece(60, 40)]) == [None]


def test_a_hand_torn_from_its_sleeve_in_the_same_picture_is_on_its_side() -> None:
    assert HandTraces()(0.0, [piece(0, 0, DEALER)], [piece(0, 150), piece(0, 900)]) == ([DEALER], [DEALER, None])


def test_a_hand_that_comes_up_at_the_players_edge_is_a_players_as_long_as_it_is_there() -> None:
    traces = HandTraces()
    assert loose_sides(traces, 0.0, [], [piece(0, 900, at_players=True)]) == [PLAYER]
    for k in range(1, 6):
        hand = piece(0, 900 - 60 * k, at_players=True)
        assert traces(k / 15, [hand], []) == ([PLAYER], [])


@pytest.mark.parametrize(("beyond_mm", "side"), [(0.0, DEALER), (1e-9, None)])
def test_the_reach_is_measured_between_the_nearest_places_of_two_pieces(beyond_mm: float, side: Side | None) -> None:
    traces = HandTraces()
    across, along = 0.6 * REACH_MM, 0.8 * REACH_MM
    traces(0.0, [Piece(np.array([[-900.0, 50.0], [0.0, 0.0], [-500.0, 0.0]]), DEALER)], [])
    assert loose_sides(traces, 1 / 15, [], [Piece(np.array([[900.0, 300.0], [across, along + beyond_mm]]))]) == [side]


def test_chips_that_lie_near_do_not_tell_whose_hand_comes_in() -> None:
    traces = HandTraces()
    traces(0.0, [piece(0, 740, DEALER)], [])
    for k in range(1, 4):
        assert loose_sides(traces, k / 15, [], [piece(0, 760)]) == [DEALER], "pushed by the dealer"
    assert traces(4 / 15, [piece(0, 900, at_players=True)], [piece(0, 760)]) == ([PLAYER], [DEALER])
    assert traces(5 / 15, [piece(0, 770, at_players=True)], []) == ([PLAYER], [])


def test_fingertips_that_came_over_the_table_to_the_players_edge_are_nobodys() -> None:
    traces = HandTraces()
    traces(0.0, [piece(0, 300, DEALER)], [])
    for k, y in enumerate((450, 600, 750), start=1):
        assert loose_sides(traces, k / 15, [], [piece(0, y)]) == [DEALER]
    assert traces(4 / 15, [piece(0, 880, at_players=True)], []) == ([None], [])
    assert traces(5 / 15, [piece(0, 900, at_players=True)], []) == ([None], [])


def test_what_is_too_long_or_lies_at_no_edge_came_from_nowhere() -> None:
    length = np.array([[0.0, 900.0 - 10 * k] for k in range(int(ENTERED_MM / 10) + 3)])
    assert HandTraces()(0.0, [Piece(length, None, True)], []) == ([None], [])
    assert HandTraces()(0.0, [piece(0, 500)], [piece(400, 900)]) == ([None], [None])


def test_few_points_of_a_piece_are_compared() -> None:
    assert len(thinned(np.zeros((61, 2)))) == 31
    assert len(thinned(np.zeros((60, 2)))) == 60


@pytest.mark.parametrize(("home", "side"), [((0.0, -200.0), DEALER), ((-150.0, 1150.0), PLAYER)])
def test_a_hand_whose_sleeve_is_lost_on_the_felt_leaves_a_trace_of_its_side(
    home: tuple[float, float], side: Side
) -> None:
    table = DrawnTable()
    small_map = SmallMap(table.layout, table.camera)
    gate = Gate(small_map)
    empty = Frame(0, 0.0, table.draw(Things())).small_yuv(small_map.size_px)
    gate.feed(0.0, empty)
    goal = np.asarray(table.center("seat3.ante"))
    traces: list[tuple[Side | None, tuple[str, ...]]] = []
    for k in range(1, 13):
        tip = np.asarray(home) + (goal - home) * min(1.0, k / 9)
        shown = Frame(k, k / 15, table.draw(Things(arms=(Arm((float(tip[0]), float(tip[1])), home),)))).small_yuv(
            small_map.size_px
        )
        center = table.camera.image_from_table(np.array([[*tip, 0.0]]))[0] / small_map.scale
        hand = cv2.circle(np.zeros(shown.shape[:2], np.uint8), tuple(round(float(v)) for v in center), 16, (1,), -1)
        torn = np.where((hand > 0)[..., None] | ~small_map.on_table[..., None], shown, empty)
        report = gate.feed(k / 15, np.ascontiguousarray(torn))
        traces += [(one.side, one.areas) for one in report.traces]
    assert {one for one, _ in traces} == {side}
    assert any("seat3.ante" in areas for _, areas in traces)
