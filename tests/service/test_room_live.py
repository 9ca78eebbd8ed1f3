"""What the room says of a live table: one that is not judged must not look as if it were."""

from __future__ import annotations

from typing import Any

import pytest

from service.screens.room_live import standing_of


def about(state: str, detail: str = "", *gaps: str) -> dict[str, Any]:
    """A live table as it tells of itself."""
    return {"state": state, "detail": detail, "t_s": 127.0, "rounds": 2, "health": {"gaps": list(gaps)}}


@pytest.mark.parametrize(
    ("told", "said", "judged"),
    [
        (about("watching"), "watching · 2:07 · 2 rounds closed", True),
        (about("watching", "", "camera_blocked"), "nothing is judged: something before the lens hides the table", False),
        (about("watching", "", "camera_black", "uncalibrated"), "nothing is judged: the picture is dark, the table is not found in the picture", False),
        (about("lost", "cam1: the source ended", "camera_lost"), "lost: cam1: the source ended", False),
        (about("lost", "", "camera_lost"), "lost: no pictures come", False),
        (about("paused", "paused since 2026-11-26 09:30 UTC by ann", "paused"), "paused since 2026-11-26 09:30 UTC by ann", False),
        (about("starting"), "starting", False),
        (about("stopped", "the recording has ended"), "stopped: the recording has ended", False),
    ],
)  # fmt: skip
def test_the_room_says_when_a_table_is_not_judged(told: dict[str, Any], said: str, judged: bool) -> None:
    assert standing_of(told) == (said, judged)
