"""`docs/settle.md` runs and names every reading."""

import json
import re
from pathlib import Path

from rules.settlement.readings import READINGS
from rules.settlement.rounds import GAMES, settle_lines

TEXT = (Path(__file__).parents[2] / "docs" / "settle.md").read_text(encoding="utf-8")


def test_the_example_gives_what_the_page_says() -> None:
    given, printed = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", TEXT, flags=re.DOTALL))
    assert json.loads(next(settle_lines([json.dumps(given)]))) == printed
    explained = json.loads(next(settle_lines([json.dumps(given)], explain=True)))
    play = explained["seats"]["1"]["play"]
    assert f"`{play['way']}`" in TEXT
    assert play["citation"] == "58 Pa. Code § 669a.12(c)"


def test_every_reading_is_on_the_page_with_its_values() -> None:
    for switch, values in READINGS.items():
        assert f"| `{switch}` | {', '.join(f'`{value}`' for value in values)} |" in TEXT


def test_every_wager_is_on_the_page() -> None:
    for game in GAMES.values():
        assert f"`{game.chapter}`" in TEXT
        for wager in game.before_deal:
            assert f"`{wager}`" in TEXT
