"""The page that says which rules the camera alone can find broken is what the rules say."""

from __future__ import annotations

from pathlib import Path

import observable
import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "observable.md"


@pytest.mark.slow
def test_the_page_is_what_the_rules_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == observable.render()


@pytest.mark.parametrize(
    ("check_id", "needs"),
    [
        ("RIU-ANTE-REQ", None),
        ("RIU-MS-ORDER", None),
        ("RIU-SHUF-COUNT", ("shuffler_counted",)),
        ("RIU-WAG-NOVERBAL", ("conduct_reported",)),
    ],
)
def test_some_rules_need_the_camera_alone(check_id: str, needs: tuple[str, ...] | None) -> None:
    assert observable.needed(check_id) == needs
