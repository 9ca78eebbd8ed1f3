"""The documents name what exists: commands, event kinds, make targets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.events import EVENT_TYPES

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
def test_every_event_stands_in_the_documentation(kind: str) -> None:
    assert f"`{kind}`" in (ROOT / "docs" / "events.md").read_text()


def test_make_targets_named_in_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)`", (ROOT / "README.md").read_text()))
    assert named
    assert named <= targets


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = "calibration|datasets|docs|models|rules|service|tests|vision"
MOVED = {"service/routes.py"}
"""What a decision names as it was called before."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_links_and_programs_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text()
    files = {name for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", text) if "." in name.rsplit("/", 1)[-1]}
    assert [name for name in sorted(files - MOVED) if not is_there(name)] == []
    links = re.findall(r"\]\((?!http)([^)#]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
    programs = set(re.findall(rf"python -m ((?:{FOLDERS})(?:\.\w+)+)", text))
    assert [name for name in sorted(programs) if not is_program(ROOT.joinpath(*name.split(".")))] == []


def is_there(name: str) -> bool:
    """Whether a page names a file, or something in a module as `folder/module.name`."""
    module, _, inside = name.rpartition(".")
    path = ROOT / f"{module}.py"
    return (ROOT / name).exists() or (path.is_file() and re.search(rf"\b{inside}\b", path.read_text()) is not None)


def is_program(path: Path) -> bool:
    return path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


def test_every_command_stands_in_the_readme() -> None:
    from service.cli import app

    named = set(re.findall(r"`pitwatch ([a-z]+)", (ROOT / "README.md").read_text()))
    commands = {one.name or one.callback.__name__ for one in app.registered_commands if one.callback is not None}
    assert commands | {str(group.name) for group in app.registered_groups} == named


def test_every_dependency_has_earned_its_place() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    block = project.split("dependencies = [", 1)[1].split("]", 1)[0]
    names = re.findall(r'"([a-z0-9.-]+)', block)
    reasons = (ROOT / "docs" / "adr" / "0002-dependencies.md").read_text()
    assert names
    assert [name for name in names if f"`{name}`" not in reasons] == []


def test_generated_pages_are_up_to_date() -> None:
    from rules.catalogue import render_markdown
    from rules.law import GAMES, render_readings
    from service.docs import render_events, render_schemas

    assert (ROOT / "docs" / "events.md").read_text() == render_events(), "run `make docs`"
    pages = "\n".join(render_markdown(game) for game in GAMES)
    assert (ROOT / "docs" / "rules.md").read_text() == pages, "run `make docs`"
    assert (ROOT / "docs" / "readings.md").read_text() == render_readings(), "run `make docs`"
    for name, text in render_schemas().items():
        assert (ROOT / "docs" / name).read_text() == text, "run `make docs`"
