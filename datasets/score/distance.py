"""How far the games are from each other: lines of code of their own, lines that they share, lines of data.

A module is a game's own where only that game's modules lead to it, following the imports from `rules.games.<game>` and
`rules.settlement.<game>`; the rest is shared. `python -m datasets.score.distance` prints the table of `docs/fifth-game.md`.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from rules.law import GAMES

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "rules" / "data"


@dataclass(frozen=True, slots=True)
class Distance:
    """What one game has of its own.

    Attributes:
        game: its name.
        own: its modules, by name with their lines.
        data: its data files, by name with their lines.
    """

    game: str
    own: Mapping[str, int]
    data: Mapping[str, int]


def path_of(module: str) -> Path | None:
    """The file of a module of `rules`, None where it is none."""
    base = ROOT.joinpath(*module.split("."))
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def imports(module: str) -> set[str]:
    """The modules of `rules` that a module names in its imports."""
    path = path_of(module)
    assert path is not None, module
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "rules":
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "rules"}
    return {name for name in found if path_of(name) is not None}


def reached(game: str) -> set[str]:
    """Every module that a game's modules lead to."""
    found: set[str] = set()
    ahead = [f"rules.games.{game}", f"rules.settlement.{game}"]
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead += imports(module)
    return found


def lines(path: Path) -> int:
    """Lines of a file that are not empty."""
    return sum(1 for line in path.read_text(encoding="utf-8").splitlines() if line.strip())


def shared_modules() -> dict[str, int]:
    """What more than one game leads to, and the engine, by name with its lines."""
    every = [reached(game) for game in GAMES]
    names = {name for found in every for name in found if sum(name in other for other in every) > 1}
    names |= {"rules.engine", "rules.settlement.rounds"}
    return {name: lines(path) for name in sorted(names) if (path := path_of(name)) is not None}


def distances() -> tuple[Distance, ...]:
    """Every game's own modules and data."""
    shared, made = shared_modules(), []
    for game in GAMES:
        own = {name: lines(path) for name in sorted(reached(game) - set(shared)) if (path := path_of(name)) is not None}
        data = {path.name: lines(path) for path in sorted(DATA.glob(f"*_{game}.yaml"))}
        made.append(Distance(game, own, data))
    return tuple(made)


def main() -> int:
    """Print the table."""
    shared = sum(shared_modules().values())
    table = Table("game", "own code", "of its code", "shared code", "own data", "own modules")
    for item in distances():
        own = sum(item.own.values())
        table.add_row(
            item.game, f"{own:,}", f"{own / (own + shared):.0%}", f"{shared:,}", f"{sum(item.data.values()):,}",
            ", ".join(name.removeprefix("rules.") for name in item.own),
        )  # fmt: skip
    Console(width=160).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
