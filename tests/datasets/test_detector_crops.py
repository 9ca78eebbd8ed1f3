"""Training crops of the detector: decks from a folder, and what is kept aside."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.crops.detector import installed
from datasets.crops.detector_scenes import InstalledDesign
from datasets.crops.reader_decks import HELD_OUT_DECKS
from datasets.draw.cards import CardDesign


def test_decks_kept_aside_are_never_trained_on(tmp_path: Path) -> None:
    for name in ("gnome-anglo", *HELD_OUT_DECKS):
        (tmp_path / name).mkdir()
    assert [p.name for p in installed(tmp_path, "train")] == ["gnome-anglo"]
    assert {p.name for p in installed(tmp_path, "val")} == set(HELD_OUT_DECKS)
    assert installed(None, "train") == []


def test_an_installed_deck_lends_a_drawn_back_and_joker_but_no_face(tmp_path: Path) -> None:
    face = np.full((356, 254, 4), 200, np.uint8)
    cv2.imwrite(str(tmp_path / "Qd.png"), face)
    spare = CardDesign.random(np.random.default_rng(3))
    deck = InstalledDesign(tmp_path, spare)
    assert (deck.face("Qd") == face).all()
    assert (deck.face("Jo") == spare.face("Jo")).all()
    assert (deck.back() == spare.back()).all()
    with pytest.raises(FileNotFoundError, match="reader_decks"):
        deck.face("2c")
