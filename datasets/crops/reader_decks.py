"""Turns the card decks that Debian packages install as SVG into pictures to train and validate the reader on.

The packages are `gnome-cards-data` (one sheet of 13 x 5 a deck) and `kdegames-card-data-kf5` (one named element a
card). The pictures are other people's art: they go to a folder outside the project and are never committed. Needs
`rsvg-convert` (Debian package librsvg2-bin).

    python -m datasets.crops.reader_decks --out DIR
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from datasets.draw.cards import FACES
from datasets.draw.shapes import Image

DECK_CARD_PX = (254, 356)
"""Width and height of the pictures (4 px per mm)."""
HELD_OUT_DECKS = (
    "gnome-anglo_poker",
    "gnome-bellot",
    "gnome-dondorf",
    "gnome-paris",
    "gnome-plastic",
    "kde-nicu-white",
)
"""Decks kept for validation."""
LEFT_OUT = (
    "kde-dondorf", "kde-gm-paris", "gnome-ornamental", "kde-nicu-ornamental",
    "kde-xskat-german", "gnome-tarocco", "gnome-swiss-xvii", "gnome-Атласные", "gnome-slavic_costumes", "kde-future",
    "gnome-tango_nuevo", "kde-oxygen", "kde-oxygen-air", "kde-oxygen-white", "kde-penguins", "kde-ancient-egyptians", "gnome-ancient_french",
)  # fmt: skip
"""Not used at all: near doubles of held-out decks; other suits, letters or corners; decks that come out damaged."""
_GNOME = Path("/usr/share/aisleriot/cards")
_KDE = Path("/usr/share/carddecks")
_GNOME_RANKS = "A23456789TJQK"
_KDE_RANKS = dict(zip("A23456789TJQK", ["1", *map(str, range(2, 11)), "jack", "queen", "king"], strict=True))
_KDE_SUITS = {"c": "club", "d": "diamond", "h": "heart", "s": "spade"}


def _render(svg: Path, arguments: list[str]) -> Image | None:
    with tempfile.NamedTemporaryFile(suffix=".png") as out:
        done = subprocess.run(
            ["rsvg-convert", "--unlimited", *arguments, "-o", out.name, str(svg)], capture_output=True, check=False
        )
        if done.returncode:
            return None
        picture = cv2.imread(out.name, cv2.IMREAD_UNCHANGED)
    return None if picture is None or picture.ndim != 3 or picture.shape[2] != 4 else np.asarray(picture, np.uint8)


def _trim(card: Image) -> Image:
    """Cut to what is drawn and bring to the common size."""
    inside = card[..., 3] > 100
    if inside.any():
        ys, xs = np.nonzero(inside.any(axis=1))[0], np.nonzero(inside.any(axis=0))[0]
        card = np.ascontiguousarray(card[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1])
    return np.asarray(cv2.resize(card, DECK_CARD_PX, interpolation=cv2.INTER_AREA), np.uint8)


def gnome_cards(svg: Path) -> Iterator[tuple[str, Image]]:
    """Cards (name, BGRA) of a GNOME sheet."""
    w, h = DECK_CARD_PX
    sheet = _render(svg, ["-w", str(13 * w), "-h", str(5 * h)])
    if sheet is None:
        return
    for row, suit in enumerate("cdhs"):
        for column, rank in enumerate(_GNOME_RANKS):
            yield rank + suit, _trim(sheet[row * h : (row + 1) * h, column * w : (column + 1) * w])
    yield "back", _trim(sheet[4 * h : 5 * h, 2 * w : 3 * w])


def kde_cards(svg: Path) -> Iterator[tuple[str, Image]]:
    """Cards (name, BGRA) of a KDE deck."""
    names = {r + s: f"{_KDE_RANKS[r]}_{_KDE_SUITS[s]}" for s in "cdhs" for r in "A23456789TJQK"} | {"back": "back"}
    for name, element in names.items():
        picture = _render(svg, ["-i", element, "-h", str(DECK_CARD_PX[1]), "--keep-aspect-ratio"])
        if picture is not None:
            yield name, _trim(picture)


def write_decks(out: Path) -> list[str]:
    """Write every usable installed deck to `out`/<deck>/<card>.png; returns their names. Whole decks (52) only."""
    written = []
    sources = [(f"gnome-{p.stem}", p, gnome_cards) for p in sorted(_GNOME.glob("*.svgz"))]
    sources += [(f"kde-{p.parent.name.removeprefix('svg-')}", p, kde_cards) for p in sorted(_KDE.glob("*/*.svgz"))]
    for name, svg, cards in sources:
        if name in LEFT_OUT:
            continue
        pictures = dict(cards(svg))
        if not set(FACES) <= set(pictures):
            continue
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        for card, picture in pictures.items():
            cv2.imwrite(str(folder / f"{card}.png"), picture)
        written.append(name)
    return written


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Rasterise the installed card decks for training the reader.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures, outside the project")
    write_decks(parser.parse_args().out)


if __name__ == "__main__":
    main()
