"""Every switch of an ambiguous text does what it says: each value judges the same events in its own way, or is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import game_rounds
import pytest
import test_caribbean_stud_checks as car
import test_let_it_ride_checks as lir
from rounds import Script, judge

from rules.findings import Finding, Verdict
from rules.law import ambiguities, readings, render_readings
from rules.table import TableConfig, TableConfigError
from service.tables.limits import form_of


def told(script: Script, config: TableConfig, check_id: str) -> list[Finding]:
    return [finding for finding in judge(script.events, config) if finding.check_id == check_id]


def verdicts(script: Script, config: TableConfig, check_id: str) -> list[Verdict]:
    """How a check ends, seats ascending, those with nothing to judge left out."""
    ends = sorted(told(script, config, check_id), key=lambda finding: finding.seat or 0)
    return [finding.verdict for finding in ends if finding.verdict is not Verdict.NOT_APPLICABLE]


def minimal(game: str, chosen: Mapping[str, str]) -> TableConfig:
    rules: dict[str, Any] = {"dealing": "manual_shoe", "seats": 6}
    rules["paytables"] = {"main": "A"} if game == "let_it_ride" else {}
    doc = {"version": 1, "table_id": "t", "game": game, "rules_submission": rules, "readings": dict(chosen)}
    return TableConfig.from_mapping(doc, where="t.yaml")


REFUSED = [(name, value, why) for name, item in readings().items() for value, why in item.refused.items()]


@pytest.mark.parametrize(("name", "value", "why"), REFUSED, ids=[f"{name}={value}" for name, value, _ in REFUSED])
def test_a_value_that_changes_nothing_is_refused_with_the_reason(name: str, value: str, why: str) -> None:
    item = readings()[name]
    assert value in item.values[1:], "the reading taken is never refused"
    for game in item.games:
        assert minimal(game, {name: item.values[0]}).reading(name) == item.values[0]
        with pytest.raises(TableConfigError) as refused:
            minimal(game, {name: value})
        assert str(refused.value) == f"t.yaml: readings.{name}: {value} would change nothing: {why}; leave it out"
        offered = {one["name"]: one["values"] for one in form_of(game)["readings"]}
        assert value not in offered.get(name, [])
    page = render_readings()
    rows = [line for line in page.splitlines() if f"| `{name}`: " in line]
    assert len(rows) == sum(one.switch == name for one in ambiguities().values())
    assert all(why in row for row in rows)


@pytest.mark.parametrize("start", [1, 2])
def test_to_the_right_as_the_players_see_it(start: int) -> None:
    """LIR-A13, CAR-A9: the second card lies at the dealer's right, or at the players'."""
    community, dealer = lir.built(), car.built()
    if start == 2:
        for script, places in ((community, {"1": "2", "2": "1"}), (dealer, {"1": "2", "2": "1"})):
            script.items = [(n, _elsewhere(e, places)) for n, e in script.items]
    kept, broken = (Verdict.COMPLIANT, Verdict.BREACH) if start == 1 else (Verdict.BREACH, Verdict.COMPLIANT)
    for game, script, row in (
        ("let_it_ride", community, "LIR-MS-COMM2"),
        ("caribbean_stud", dealer, "CAR-MS-DLR2"),
    ):
        assert verdicts(script, game_rounds.table(game), row) == [kept]
        config = game_rounds.table(game, readings={"layout.right_of": "player"})
        assert verdicts(script, config, row) == [broken]


def _elsewhere(event: Any, places: Mapping[str, str]) -> Any:
    area = getattr(event, "area", None)
    group, _, place = (area or "").partition(".")
    if group not in ("community", "dealer") or place not in places:
        return event
    return replace(event, area=f"{group}.{places[place]}")


def test_the_turned_card_to_the_right_as_the_players_see_it() -> None:
    """LIR-A13: it lies on the dealer's left, which is the players' right, already."""
    script = lir.built()
    script.drop("placed:1")
    script.change("rack:community.1", area="community.1")
    assert verdicts(script, game_rounds.table("let_it_ride"), "LIR-C1-WHICH") == [Verdict.BREACH]
    by_players = game_rounds.table("let_it_ride", readings={"layout.right_of": "player"})
    assert verdicts(script, by_players, "LIR-C1-WHICH") == [Verdict.COMPLIANT]
    assert verdicts(lir.built(), by_players, "LIR-C1-WHICH") == [Verdict.BREACH]
