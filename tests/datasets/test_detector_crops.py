"""Training crops of the detector: decks from a folder, and what is kept aside."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.crops.detector import installed, like_ground
from datasets.crops.detector_ground import colored_like
from datasets.crops.detector_scenes import InstalledDesign
from datasets.crops.reader_decks import HELD_OUT_DECKS
from datasets.draw.cards import CardDesign
from datasets.draw.chips import ChipDesign
from datasets.render.look import Look
from datasets.scene import CardItem, ChipItem, Scene


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


def test_a_ground_takes_another_color_and_keeps_its_print() -> None:
    felt = np.full((40, 40, 3), (40, 90, 30), np.uint8)
    felt[:, 18:22] = (235, 235, 235)
    black = colored_like(felt, (30, 28, 32), 1.0)
    assert (black[:, :18] == (30, 28, 32)).all()
    assert (black[:, 18:22] == felt[:, 18:22]).all()
    half = colored_like(felt, (60, 110, 50), 0.5)
    assert (half[0, 0] == (50, 100, 40)).all()


def test_a_ground_like_its_chips_lies_under_the_same_chips() -> None:
    rng = np.random.default_rng(7)
    cards, chips = CardDesign.random(rng), ChipDesign.random(rng)
    look = Look(cards, chips)
    scene = Scene(chips=tuple(ChipItem("red", (50.0 * k, 0.0)) for k in range(8)))
    green = np.full((64, 64, 3), (40, 140, 40), np.uint8)
    seen = [like_ground(np.random.default_rng(seed), scene, green, look) for seed in range(20)]
    for after, image in seen:
        assert [chip.center_mm for chip in after.chips] == [chip.center_mm for chip in scene.chips]
        others = {chip.color for chip in after.chips} - {"red"} or {"red"}
        body = np.array(dict(chips.bases)[next(iter(others))], np.float64)
        assert np.abs(image[0, 0] - body).max() < np.abs(green[0, 0] - body).max()
    assert {chip.color for after, _ in seen for chip in after.chips} == {"red", "black"}


def test_a_ground_with_nothing_to_be_like_stays() -> None:
    rng = np.random.default_rng(7)
    look = Look(CardDesign.random(rng), ChipDesign.random(rng))
    scene = Scene(cards=(CardItem("As", (0.0, 0.0), 0.0, 1.0),))
    green = np.full((64, 64, 3), (40, 140, 40), np.uint8)
    after, image = like_ground(rng, scene, green, look)
    assert after is scene
    assert image is green
