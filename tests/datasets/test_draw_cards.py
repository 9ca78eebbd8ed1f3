import itertools
from dataclasses import replace

import cv2
import numpy as np
import pytest

from datasets.draw import cards
from datasets.draw.cards import FACE_SIZE_PX, FACES, CardDesign, Split
from datasets.draw.glyphs import GlyphStyle, text_mask
from datasets.draw.pips import PipStyle, pip_mask


def design(seed: int, split: Split = "any") -> CardDesign:
    return CardDesign.random(np.random.default_rng(seed), split)


def test_there_are_52_faces_of_four_suits() -> None:
    assert len(set(FACES)) == 52
    assert {f[1] for f in FACES} == set("cdhs")


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_faces_have_the_size_of_a_card_with_round_corners(seed: int) -> None:
    d = design(seed)
    for picture in (d.face("Td"), d.face("Jo"), d.back()):
        assert picture.shape == (FACE_SIZE_PX[1], FACE_SIZE_PX[0], 4)
        assert picture.dtype == np.uint8
        assert picture[0, 0, 3] == 0
        assert picture[350, 250, 3] == 255


@pytest.mark.parametrize("seed", range(6))
def test_every_face_of_a_deck_differs_in_its_corner_or_its_middle(seed: int) -> None:
    d = design(seed)
    small = {f: d.face(f)[::4, ::4, :3].astype(int) for f in (*FACES, "Jo")}
    for a, b in itertools.combinations(small, 2):
        assert np.abs(small[a] - small[b]).max(axis=2).mean() > 0.3, (seed, a, b)


def test_number_cards_read_the_same_upside_down() -> None:
    face = design(5).face("4d")[..., :3].astype(int)
    assert np.abs(face - face[::-1, ::-1]).mean() < 2


@pytest.mark.parametrize("body", ["big_pip", "big_rank"])
@pytest.mark.parametrize("rank_mm", [16.0, 20.0, 25.0])
def test_what_stands_in_the_middle_keeps_off_large_indices(body: str, rank_mm: float) -> None:
    decks = [
        replace(design(seed), rank_mm=rank_mm, body=body, corners=2, index_beside=False, frame_mm=0.0)
        for seed in range(8)
    ]
    for deck, card in itertools.product(decks, ("4d", "Th", "6c")):
        face = deck.face(card)[..., :3]
        blank = np.empty_like(face)
        blank[:] = deck.paper
        index = blank.copy()
        cards._index(deck, index, card[0], card[1], deck.inks[cards.SUITS.index(card[1])])
        sign = (np.abs(index.astype(int) - blank).max(axis=2) > 8).astype(np.uint8)
        around = cv2.dilate(sign, np.ones((9, 9), np.uint8)) > sign
        assert np.abs(face.astype(int) - blank)[around].max() <= 8, (deck.seed, card)


def test_same_seed_same_deck_other_seed_other_deck() -> None:
    assert np.array_equal(design(8).face("Qh"), design(8).face("Qh"))
    assert np.array_equal(design(8).back(), design(8).back())
    assert not np.array_equal(design(8).face("Qh"), design(9).face("Qh"))


def test_a_face_does_not_depend_on_the_order_of_drawing() -> None:
    one, two = design(4), design(4)
    first = one.face("Ks").copy()
    two.face("2c"), two.back(), two.face("Jh")
    assert np.array_equal(first, two.face("Ks"))


def test_held_out_designs_share_no_family_with_training_designs() -> None:
    rng = np.random.default_rng(1)

    def families(split: Split) -> set[tuple[int, int, int]]:
        decks = [CardDesign.random(rng, split) for _ in range(60)]
        return {(d.glyph.family, d.pip.family, d.court.family) for d in decks}

    assert not families("train") & families("val")


def test_no_such_card_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="10h"):
        design(0).face("10h")


@pytest.mark.parametrize("family", range(7))
def test_all_ranks_differ_in_every_typeface(family: int) -> None:
    style = GlyphStyle.random(np.random.default_rng(family), family)
    masks = [text_mask(c, 40, style) for c in "A23456789JQK"]
    assert all(30 <= m.shape[0] <= 50 and m.max() > 200 for m in masks)
    assert len({m.tobytes() for m in masks}) == 12


def test_a_missing_character_or_suit_is_named() -> None:
    with pytest.raises(KeyError, match="Z"):
        text_mask("Z", 20, GlyphStyle())
    with pytest.raises(ValueError, match="x"):
        pip_mask("x", 20, PipStyle())
