"""The felt in the picture is held against the table's file before anything is watched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calibration.layout import load_layout
from service.config import load_table
from service.errors import ServiceError
from service.sight import find_table
from vision.frames.opening import open_source

CLIP = Path(__file__).resolve().parents[2] / "datasets" / "clips" / "raise_it_up"


def test_another_games_felt_is_named_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    # That none of the others is taken for it, tests/calibration/test_locate.py holds; each takes seconds.
    monkeypatch.setattr("service.sight.layout_names", lambda: ("dj_wild_6", "raise_it_up_6"))
    setup = load_table(CLIP / "table.yaml")
    source = open_source(str(CLIP / "video.mp4"))
    try:
        with pytest.raises(
            ServiceError, match="the felt is that of layout raise_it_up_6, the table's file says dj_wild_6"
        ):
            find_table(iter(source), replace(setup, layout=load_layout("dj_wild_6")), name="camera 3")
    finally:
        source.close()
