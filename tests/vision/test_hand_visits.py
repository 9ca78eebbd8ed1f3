"""Whose hands were over an area."""

from __future__ import annotations

import pytest

from rules.events import Side
from vision.change.hands import Visits

D, P = Side.DEALER, Side.PLAYER


def visits(*stays: tuple[float, float, Side | None]) -> Visits:
    """Hands seen 15 times a second."""
    found = Visits()
    for since, until, side in stays:
        for k in range(round((until - since) * 15) + 1):
            found.seen(since + k / 15, side)
    return found


@pytest.mark.parametrize(
    ("stays", "side"),
    [
        ((), None),
        (((1.0, 1.4, D),), D),
        (((1.0, 1.4, P), (2.0, 2.3, P)), P),
        (((1.0, 1.4, D), (1.9, 2.2, None)), None),
        (((1.0, 1.4, D), (1.9, 2.2, P)), None),
        (((1.0, 1.4, None), (1.9, 2.2, P)), None),
        (((1.0, 1.0, D), (1.9, 2.2, P)), P),
        (((1.0, 1.4, D), (1.5, 1.6, None)), D),
    ],
)
def test_a_side_is_told_only_where_every_stay_was_its(
    stays: tuple[tuple[float, float, Side | None], ...], side: Side | None
) -> None:
    assert visits(*stays).side is side


def test_out_of_sight_nobody_knows_and_certainty_begins_anew() -> None:
    found = visits((1.0, 1.4, D))
    found.blind = True
    assert found.side is None
    found.clear()
    found.seen(3.0, P)
    assert found.side is P


def test_only_hands_that_were_there_within_a_time_count() -> None:
    found = visits((1.0, 1.4, D), (3.0, 3.4, P))
    assert found.side is None
    assert found.side_between(2.5, 3.2) is P
    assert found.side_between(1.2, 2.0) is D
    assert found.side_between(1.2, 3.2) is None
    assert found.side_between(1.8, 2.6) is None
    found.blind = True
    assert found.side_between(2.5, 3.2) is None


def test_traces_tell_only_where_no_hand_was_seen() -> None:
    found = visits((3.0, 3.4, P))
    found.traces += [(1.0, D), (1.1, D), (3.1, D), (5.0, D), (5.1, P)]
    assert found.side_between(1.2, 1.5) is D
    assert found.side_between(2.9, 3.2) is P
    assert found.side_between(1.5, 2.0) is None
    assert found.side_between(4.9, 5.2) is None
    found.blind = True
    assert found.side_between(1.2, 1.5) is None
    found.clear()
    assert found.side_between(0.0, 9.0) is None
