"""A fifth game is data and its own modules: what is shared names no game, and is most of what every game runs."""

from __future__ import annotations

import ast
import re

import pytest

from datasets.score.distance import ROOT, distances, path_of, shared_modules
from rules.games import game_module
from rules.law import GAMES

PREFIXES = [game_module(game).prefix for game in GAMES]


def words_of(source: str) -> list[str]:
    """Names and texts of a module, without its docstrings."""
    tree = ast.parse(source)
    found: list[str] = []
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        elif isinstance(node, ast.Name):
            found.append(node.id)
        elif isinstance(node, ast.ImportFrom):
            found += [node.module or "", *(alias.name for alias in node.names)]
    return found


@pytest.mark.parametrize("module", sorted(shared_modules()))
def test_what_is_shared_names_no_game(module: str) -> None:
    path = path_of(module)
    assert path is not None
    named = re.compile(rf"\b({'|'.join(GAMES)})\b|\b({'|'.join(PREFIXES)})-[A-Z]")
    assert [word for word in words_of(path.read_text(encoding="utf-8")) if named.search(word)] == []


def test_most_of_what_a_game_runs_is_shared() -> None:
    shared = sum(shared_modules().values())
    for item in distances():
        assert f"rules.games.{item.game}" in item.own
        assert f"rules.settlement.{item.game}" in item.own
        assert {"catalogue", "law"} <= {name.partition("_")[0] for name in item.data}
        assert sum(item.own.values()) < shared / 4, item.game


def test_the_page_names_every_module_that_a_game_has_of_its_own() -> None:
    page = (ROOT / "docs" / "fifth-game.md").read_text(encoding="utf-8")
    for item in distances():
        for name in item.own:
            assert f"`{name.removeprefix('rules.')}`" in page, name
