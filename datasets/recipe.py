"""What a data set is made of, as a file: `version`, `seed`, `decks` and a count of pictures for each network and split."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rules.documents import load_yaml

VERSION = 1
NETWORKS = ("detector", "reader", "chips", "stacks")
SPLITS = ("train", "val")
MOST = 2_000_000
"""Pictures of one split; more is a slip of the pen."""


class RecipeError(ValueError):
    """A recipe, or the folder it is made into, is impossible; the text says what, where and what to do."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A data set before it is made.

    Attributes:
        seed: everything follows from it.
        decks: folder of decks written by `datasets.crops.reader_decks`; None = drawn designs only.
        counts: pictures by network and split.
    """

    seed: int
    decks: Path | None
    counts: dict[tuple[str, str], int]


def load_recipe(path: Path) -> Recipe:
    """Read a recipe; RecipeError names the key that is wrong."""
    try:
        raw = load_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecipeError(
            f"{path}: cannot be read ({error.strerror}); name a recipe such as datasets/recipes/small.yaml"
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path}: this is not YAML ({str(error).splitlines()[0]})") from error
    if not isinstance(raw, dict) or raw.get("version") != VERSION:
        raise RecipeError(f"{path}: version: expected {VERSION}; begin with the lines of datasets/recipes/small.yaml")
    unknown = sorted(set(raw) - {"version", "seed", "decks", *NETWORKS})
    if unknown:
        raise RecipeError(f"{path}: {unknown[0]}: no such key; known are version, seed, decks, {', '.join(NETWORKS)}")
    seed = _whole(path, "seed", raw.get("seed", 1), 2**31)
    counts = {
        (network, split): count
        for network in NETWORKS
        for split, count in _splits(path, network, raw.get(network) or {}).items()
        if count
    }
    if not counts:
        raise RecipeError(f"{path}: makes no picture; give a count, e.g. `detector: {{train: 2000, val: 400}}`")
    return Recipe(seed, _decks(path, raw.get("decks")), counts)


def _splits(path: Path, network: str, raw: Any) -> dict[str, int]:
    if not isinstance(raw, dict) or set(raw) - set(SPLITS):
        raise RecipeError(f"{path}: {network}: expected counts of train and val, got {raw!r}")
    return {split: _whole(path, f"{network}.{split}", raw.get(split, 0), MOST) for split in SPLITS}


def _whole(path: Path, key: str, value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value <= most:
        raise RecipeError(f"{path}: {key}: expected a whole number from 0 to {most}, got {value!r}")
    return value


def _decks(path: Path, value: Any) -> Path | None:
    if value is None:
        return None
    folder = (path.parent / str(value)).resolve()
    if not folder.is_dir():
        raise RecipeError(
            f"{path}: decks: {folder} is no folder; write it with `python -m datasets.crops.reader_decks`"
        )
    return folder
