"""Every option that a message of the service names is one of the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from service.cli import app

ROOT = Path(__file__).resolve().parents[2]
OPTION = re.compile(r"(?<![\w(-])--[a-z][a-z0-9-]*(?![\w-]*:)")
"""Not the properties of a style: these stand in brackets, or before a colon."""


def options_of(command: Any) -> Iterator[str]:
    """The options of a command and of all below it."""
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    for one in getattr(command, "commands", {}).values():
        yield from options_of(one)


def named_in(path: Path) -> Iterator[tuple[str, str]]:
    """Options named in the texts of a file, with the place."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for option in OPTION.findall(node.value):
                yield option, f"{path.relative_to(ROOT)}:{node.lineno}"


def test_every_option_named_in_a_message_is_there() -> None:
    known = {"--help", *options_of(typer.main.get_command(app))}
    assert {"--review-folder", "--zone", "--out"} <= known
    files = [
        path for path in sorted((ROOT / "service").rglob("*.py")) if "argparse" not in path.read_text(encoding="utf-8")
    ]
    wrong = [f"{place}: {option}" for path in files for option, place in named_in(path) if option not in known]
    assert wrong == []
