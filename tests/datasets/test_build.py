"""Data sets by recipe: forms that others read, the same files again, going on, and clear refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from datasets.build import build
from datasets.recipe import RecipeError, load_recipe
from models.detections import CLASS_NAMES as THINGS
from models.reader import CLASS_NAMES as CARDS
from models.train.detector import Crops

RECIPE = {"version": 1, "seed": 5, "detector": {"train": 4}}
CHIPS = {"detector": {}, "chips": {"train": 6, "val": 4}}


def recipe_file(folder: Path, **changed: object) -> Path:
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(RECIPE | changed))
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipe")
    build(load_recipe(recipe_file(folder)), folder / "out")
    return folder / "out"


def test_the_detectors_pictures_are_read_by_its_trainer_and_told_as_coco(made: Path) -> None:
    crops = Crops(made / "detector", "train")
    assert crops.refresh() == 4
    told = json.loads((made / "detector" / "coco_train.json").read_text())
    assert [c["name"] for c in told["categories"]] == list(THINGS)
    assert len(told["annotations"]) == sum(len(label) for label in crops.labels)
    for image in told["images"]:
        assert (made / "detector" / image["file_name"]).is_file()
    described = yaml.safe_load((made / "detector" / "data.yaml").read_text())
    assert described["names"] == dict(enumerate(THINGS))


@pytest.mark.slow
def test_the_readers_cards_lie_in_folders_of_their_class(tmp_path: Path) -> None:
    build(load_recipe(recipe_file(tmp_path, detector={}, reader={"train": 12})), tmp_path / "out")
    files = sorted((tmp_path / "out" / "reader" / "train").rglob("*.png"))
    assert len(files) == 12
    assert {p.parent.name for p in files} <= set(CARDS)


def test_a_build_that_was_interrupted_goes_on_and_gives_the_same_files(tmp_path: Path) -> None:
    recipe, manifest = load_recipe(recipe_file(tmp_path, **CHIPS)), tmp_path / "out" / "manifest.json"
    build(recipe, tmp_path / "out")
    whole = json.loads(manifest.read_text())
    half = json.loads(manifest.read_text())
    del half["complete"]["chips/val"]
    manifest.write_text(json.dumps(half))
    build(recipe, tmp_path / "out")
    assert json.loads(manifest.read_text()) == whole
    assert whole["complete"]["chips/val"]["sha256"] != whole["complete"]["chips/train"]["sha256"]


def test_another_recipe_does_not_go_into_the_same_folder(made: Path, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="another recipe"):
        build(load_recipe(recipe_file(tmp_path, seed=6)), made)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("mine")
    with pytest.raises(RecipeError, match="not empty"):
        build(load_recipe(recipe_file(tmp_path)), tmp_path / "full")
    assert (tmp_path / "full" / "letter.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"version": 2}, "version: expected 1"),
        ({"cards": {"train": 1}}, "cards: no such key"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"detector": {"train": 1.5}}, "detector.train: expected a whole number"),
        ({"detector": {"test": 3}}, "detector: expected counts of train and val"),
        ({"decks": "nowhere"}, "decks: .* is no folder"),
        ({"detector": {}, "reader": {}}, "makes no picture"),
    ],
)
def test_impossible_recipes_are_refused(tmp_path: Path, changed: dict[str, object], says: str) -> None:
    with pytest.raises(RecipeError, match=says):
        load_recipe(recipe_file(tmp_path, **changed))


def test_what_is_no_recipe_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="cannot be read"):
        load_recipe(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"a: [1,")
    with pytest.raises(RecipeError, match="not YAML"):
        load_recipe(tmp_path / "bad.yaml")


def test_the_recipe_that_comes_with_the_project_can_be_read() -> None:
    recipe = load_recipe(Path(__file__).parents[2] / "datasets" / "recipes" / "small.yaml")
    assert np.all(np.array(list(recipe.counts.values())) > 0)
