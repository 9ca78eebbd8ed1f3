"""Rounds written by hand, one YAML file a game in `settlement_cases`, with the arithmetic beside the amounts."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from rules.settlement.results import SettlementError
from rules.settlement.rounds import settle_round

FOLDER = Path(__file__).parent / "settlement_cases"
CHAPTERS = {"raise_it_up": "669a", "caribbean_stud": "639a", "let_it_ride": "643a", "dj_wild": "687a"}
CASES = [(path.stem, case) for path in sorted(FOLDER.glob("*.yaml")) for case in yaml.safe_load(path.read_text())]
CASES_BY_NAME = {case["name"]: case for _, case in CASES}


def _decision(game: str, text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    if game == "let_it_ride":
        first, second = text.split()
        return {"decisions": {"bet1": first, "bet2": second}}
    if game == "raise_it_up" and text != "fold":
        street, multiple = text.split()
        return {"decision": {"action": "play", "street": street, "multiple": int(multiple)}}
    return {"decision": {"action": text}}


def round_of(game: str, case: dict[str, Any]) -> dict[str, Any]:
    """A case as a round of the settlement's format."""
    keys = ("readings", "magic_card", "lucky", "max_payout", "min_bet", "fchb_unit")
    config = {key: case[key] for key in keys if key in case}
    config |= {"dealing": "hand", "paytables": case.get("paytables", {}), "meters_before": case.get("meters", {})}
    config["folded_hands_qualify_progressive"] = case.get("folded_qualifies", False)
    seats = [
        {"seat": number, "wagers": seat["wagers"], "cards": seat["cards"].split()}
        | _decision(game, seat.get("decision"))
        for number, seat in case["seats"].items()
    ]
    shared: dict[str, Any] = {key: case[key].split() for key in ("community", "six_cards") if key in case}
    if "dealer" in case:
        shared["dealer"] = {"cards": case["dealer"].split()}
    if "replacement" in case:
        shared["replacement"] = case["replacement"]
    void = {"void": case["void"]} if "void" in case else {}
    return {"id": case["name"], "game": CHAPTERS[game], "config": config, "seats": seats, **shared, **void}


@pytest.mark.parametrize(("game", "case"), CASES, ids=[f"{game}: {case['name']}" for game, case in CASES])
def test_case(game: str, case: dict[str, Any]) -> None:
    settled = settle_round(round_of(game, case))
    got = {
        int(seat): {wager: f"{result['outcome']} {result['return']}" for wager, result in results.items()}
        for seat, results in settled["seats"].items()
    }
    assert got == case["expect"]
    if "meters_after" in case:
        assert settled["meters_after"] == case["meters_after"]


def test_every_result_says_its_way_and_its_law() -> None:
    for game, case in CASES:
        chapter = CHAPTERS[game]
        for results in settle_round(round_of(game, case))["seats"].values():
            for result in results.values():
                assert result["citation"].startswith(f"58 Pa. Code § {chapter}."), result
                assert result["net"] == result["return"] - result["wager"]
                assert result["way"]


def test_the_way_is_written_out() -> None:
    case = CASES_BY_NAME["two pair of threes and twos is a pair of tens or better"]
    seat = settle_round(round_of("raise_it_up", case))["seats"]["1"]
    assert seat["play"]["way"] == "two pair 3 to 2 on 30.00: 45.00 and the stake"
    assert seat["blind"]["way"] == "two pair: push, 10.00 stays"
    nines = settle_round(
        round_of("raise_it_up", CASES_BY_NAME["a pair of nines is below the threshold, a pair of tens at it"])
    )
    assert nines["seats"]["1"]["ante"]["way"] == "pair of nines is below a pair of 10s: 10.00 collected"
    limit = CASES_BY_NAME["the payout limit covers the winnings of the three bets together, not the side wagers"]
    bet = settle_round(round_of("let_it_ride", limit))["seats"]["1"]["bet2"]
    assert bet["way"].endswith("but the payout limit leaves 25,000.00 and the stake")


def test_the_limit_may_not_be_below_what_the_law_allows() -> None:
    case = CASES_BY_NAME["the payout limit covers the winnings of the three bets together, not the side wagers"]
    with pytest.raises(SettlementError, match=r"config.max_payout: expected at least 7500000 cents .*643a.12\(h\)"):
        settle_round(round_of("let_it_ride", case | {"max_payout": 7499999}))
    with pytest.raises(SettlementError, match="at least 5000000 cents"):
        settle_round(round_of("let_it_ride", case | {"max_payout": 4999999, "min_bet": 500}))
