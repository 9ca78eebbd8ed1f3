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
