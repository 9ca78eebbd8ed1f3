"""`pitwatch check` and `pitwatch rules` on the games that have no layout drawing yet: events and a table file are enough."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import test_caribbean_stud_checks as caribbean_stud
import test_dj_wild_checks as dj_wild
import test_let_it_ride_checks as let_it_ride
import yaml
from game_rounds import PAYTABLES, Plan, build
from rounds import Edit

from rules.events import event_to_json
from service.cli import main

GAMES: dict[str, tuple[Callable[[], Plan], Edit, str]] = {
    "caribbean_stud": (caribbean_stud.plan, lambda s: s.change("pay:6.bet", amount_cents=5000), "CAR-SET-WIN"),
    "let_it_ride": (let_it_ride.plan, lambda s: s.change("pay:6.bet2", amount_cents=5000), "LIR-SET-WIN"),
    "dj_wild": (dj_wild.plan, lambda s: s.change("pay:1.trips", amount_cents=500), "DJW-SET-TRIPS"),
}


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    return int(ended.value.code or 0), capsys.readouterr().out


@pytest.mark.parametrize("game", GAMES)
def test_events_of_every_game_are_judged(game: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    plan, edit, expected = GAMES[game]
    script = build(plan())
    edit(script)
    events = tmp_path / "events.jsonl"
    events.write_text("".join(event_to_json(event) + "\n" for event in script.events))
    table = tmp_path / "table.yaml"
    rules = {"dealing": "manual_shoe", "seats": 6, "paytables": dict(PAYTABLES[game])}
    table.write_text(yaml.safe_dump({"version": 1, "table_id": game, "game": game, "rules_submission": rules}))
    status, out = called(capsys, "check", events, "--table", table, "--json")
    assert status == 0
    breaches = [f for line in out.splitlines() if (f := json.loads(line))["verdict"] == "breach"]
    assert [f["check_id"] for f in breaches] == [expected]
    status, out = called(capsys, "check", events, "--table", table, "--text")
    assert status == 0
    assert "1 breach" in out


@pytest.mark.parametrize("game", GAMES)
def test_the_catalogue_of_every_game_is_listed(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = called(capsys, "rules", ".13", "--game", game)
    assert status == 0
    assert "checks" in out
