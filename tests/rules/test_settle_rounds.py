"""Settled rounds and worked examples from outside this repository, where they lie beside it.

`PITWATCH_REFERENCE` names a folder with `rounds/*.jsonl` (rounds with their expected settlement) and
`law/examples.json`; without it a folder `shared` beside the checkout is looked for, and without that the tests are
skipped. The repository's own rounds are in `settlement_cases`.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from rules.settlement.fields import Field
from rules.settlement.progressive import MeterBank
from rules.settlement.results import WagerResult
from rules.settlement.rounds import GAMES, read_round, settle_round

REFERENCE = Path(os.environ.get("PITWATCH_REFERENCE") or Path(__file__).parents[2].parent / "shared")
NAMES = ("raise_it_up", "caribbean_stud", "let_it_ride", "dj_wild")


def _needed(path: Path) -> Path:
    if not path.is_file():
        pytest.skip(f"{path} is not there; set PITWATCH_REFERENCE to the folder with the reference rounds")
    return path


def _results(seats: dict[str, Any]) -> dict[str, Any]:
    keys = ("wager", "outcome", "return", "net", "odds", "why")
    return {
        seat: {wager: {key: result.get(key) for key in keys} for wager, result in results.items()}
        for seat, results in seats.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_reference_rounds_are_settled_exactly(name: str) -> None:
    lines = _needed(REFERENCE / "rounds" / f"{name}.jsonl").read_text().splitlines()
    wrong = []
    for line in lines:
        document = json.loads(line)
        expected, settled = document["expected"], settle_round(document)
        same = _results(settled["seats"]) == _results(expected["seats"])
        if not same or any(settled[key] != expected[key] for key in ("settle_order", "meter_log", "meters_after")):
            wrong.append(document["id"])
    assert not wrong
    assert len(lines) == 90


CHAPTERS = {"RIU": "669a", "CAR": "639a", "LIR": "643a", "DJW": "687a"}
WAGERS = {
    **{
        "ante": "ante",
        "blind": "blind",
        "pp": "pair_plus",
        "prog": "progressive",
        "csb": "bonus",
        "fcb": "five_card_bonus",
    },
    **{"tcb": "three_card_bonus", "p3": "progressive3", "p5": "progressive5", "trips": "trips", "bb": "bad_beat"},
}
RESULTS = {
    **{"pp": "pair_plus", "scb": "six_card_bonus", "prog": "progressive", "csb": "bonus", "fcb": "five_card_bonus"},
    **{
        "tcb": "three_card_bonus",
        "3cp": "progressive3",
        "5cp": "progressive5",
        "bb": "bad_beat",
        "lucky_d": "lucky_dealer",
    },
    **{"magic": "magic_player", "lucky": "lucky_player", "p5": "progressive5", "fp": "fchb_player"},
}
METERS = {  # what stands at the first turn, from the examples' text
    "RIU-E5": {"prog.meter": 1234560},
    "CAR-E5": {"prog.meter": 2500000},
    "CAR-E6": {"prog.meter": 5321000},
    "CAR-E7": {"prog.mega": 6100000, "prog.major": 153010, "prog.minor": 41235},
    "CAR-E10": {"fchb.meter": 1800000},
    "CAR-E12": {"prog.major": 204000},
    "LIR-E2": {"prog.meter": 3100000},
    "LIR-E7": {"prog.meter": 184440},
    "LIR-E9": {"prog.major": 120000, "prog.minor": 33300},
    "LIR-E11": {"fchb.meter": 2200000},
    "DJW-E4": {"prog.meter": 2000000},
}
EXTRA: dict[str, dict[str, Any]] = {
    "CAR-E10": {"magic_card": "Ks", "lucky": "dealer"},
    "LIR-E2": {"max_payout": 7500000, "min_bet": 2500},
    "LIR-E11": {"magic_card": "9d", "lucky": 2},
}


def _paytables(game: str, text: str) -> dict[str, str]:
    """The paytables an example names ("PP A, SCB B, prog D, DJWT-04"), the first of each wager otherwise."""
    default = {
        "RIU": {"pair_plus": "A", "six_card_bonus": "A", "progressive": "A"},
        "CAR": {"bonus": "A", "progressive": "D", "five_card_hand_bonus": "A"},
        "LIR": {"main": "A", "five_card_hand_bonus": "A"},
        "DJW": {"progressive": "1", "trips": "04", "bad_beat": "01"},
    }[game]
    names = {"PP": "pair_plus", "SCB": "six_card_bonus", "CSB": "bonus", "prog": "progressive", "LIR": "main"}
    names |= {"FCB": "five_card_bonus", "TCB": "three_card_bonus", "3CP": "progressive3", "5CP": "progressive5"}
    for short, letter in re.findall(r"\b(PP|SCB|CSB|prog|LIR|FCB|TCB|3CP|5CP) ([A-H1-2])\b", text):
        default[names[short]] = letter
    for trips in re.findall(r"DJWT-(\d\d)", text):
        default["trips"] = trips
    for bad_beat in re.findall(r"BB-(\d\d)", text):
        default["bad_beat"] = bad_beat
    if game == "LIR" and text == "-":
        default |= {"three_card_bonus": "A", "progressive5": "A"}
    return default


def _cents(dollars: float) -> int:
    return round(dollars * 100)


def _seat(game: str, number: str, entry: dict[str, Any]) -> dict[str, Any]:
    seat: dict[str, Any] = {"seat": int(number), "cards": entry["cards"].replace("Jk", "Jo").split()}
    wagers = {WAGERS[key]: _cents(entry[key]) for key in WAGERS if key in entry}
    folded = not {"play", "bet", "raise"} & entry.keys()
    if game == "LIR":
        ride, bet = entry.get("ride", 3), entry["bet"] if "bet" in entry else entry["bet3"]
        wagers |= dict.fromkeys(("bet1", "bet2", "bet3"), _cents(bet))
        seat["decisions"] = {
            "bet1": "ride" if ride == 3 else "withdraw",
            "bet2": "ride" if ride >= 2 else "withdraw",
        }
    elif game == "RIU":
        wagers["blind"] = wagers["ante"]
        multiple = entry.get("play", 0) // entry["ante"]
        seat["decision"] = {"action": "fold"} if folded else {"action": "play", "street": "third", "multiple": multiple}
    elif game == "DJW":
        wagers["blind"] = wagers["ante"]
    if game in ("CAR", "DJW"):
        seat["decision"] = {"action": "fold" if folded else "bet" if game == "CAR" else "raise"}
    if "scb" in entry:
        wagers["six_card_bonus"] = _cents(entry["scb"])
    if "fp" in entry:
        wagers["fchb_player" if game == "CAR" else "fchb"] = _cents(entry["fp"])
    if "fd" in entry:
        wagers["fchb_dealer"] = _cents(entry["fd"])
    return seat | {"wagers": wagers}


def _round(example: dict[str, Any]) -> dict[str, Any]:
    game, (shared, _, extra) = example["game"], example["shared"].partition("|")
    config = {"paytables": _paytables(game, example["config"]), **EXTRA.get(example["id"], {})}
    document: dict[str, Any] = {"id": example["id"], "game": CHAPTERS[game], "config": config}
    if game in ("CAR", "DJW"):
        document["dealer"] = {"cards": shared.split()}
    else:
        document["community"] = shared.split()
    if extra and game == "LIR":
        document["six_cards"] = extra.split()
    if extra and game == "DJW":
        document["replacement"] = extra.strip()
    if "13(d)" in example["title"] and "R" in json.dumps(example["settlement"]):
        document["void"] = {"reason": "13(d)", "settle_bonus": game == "DJW"}
    document["seats"] = [_seat(game, number, entry) for number, entry in example["seats"].items()]
    return document


def _settle(document: dict[str, Any]) -> dict[int, dict[str, WagerResult]]:
    """Settle with what stands on the meters at the first turn, as the examples give it."""
    rules = GAMES[document["game"]]
    played = read_round(Field(document), rules)
    known = METERS.get(document["id"], {})
    every = {
        f"{group}.{name}": 10**6
        for group in ("prog", "fchb")
        for name in ("meter", "mega", "major", "minor", "reserve")
    }
    played = type(played)(
        **{name: getattr(played, name) for name in played.__dataclass_fields__ if name != "meters"},
        meters=MeterBank(every | known),
    )
    return {seat: dict(results) for seat, results in rules.settle(played).items()}


def _examples() -> list[dict[str, Any]]:
    path = REFERENCE / "law" / "examples.json"
    if not path.is_file():
        return []
    entries = json.loads(path.read_text())
    return [e for e in entries if isinstance(e["settlement"], dict) and isinstance(e["seats"], dict)]


def _net(results: dict[str, Any], name: str) -> int | None:
    if name.startswith("lir x"):
        return int(sum(results[f"bet{bet}"]["net"] for bet in (1, 2, 3)))
    result = results.get(RESULTS.get(name, name))
    return None if result is None else int(result["net"])


@pytest.mark.parametrize("example", [*_examples()] or [None], ids=lambda e: e["id"] if e else "none")
def test_worked_examples(example: dict[str, Any] | None) -> None:
    if example is None:
        _needed(REFERENCE / "law" / "examples.json")
    assert example is not None
    document = _round(example)
    if "void" in document:
        meters = {f"prog.{name}": 10**6 for name in ("meter", "mega", "major", "minor")}
        document["config"]["meters_before"] = meters
        seats: dict[str, Any] = settle_round(document)["seats"]
    else:
        seats = {
            str(seat): {wager: {"net": result.net_cents, "why": result.why} for wager, result in results.items()}
            for seat, results in _settle(document).items()
        }
    for seat, results in example["settlement"].items():
        for wager, want in results.items():
            if wager in ("play", "bet", "raise") and "void" in document:
                continue  # a Play, Bet or Raise Wager placed before the round became void has no line of its own
            assert _net(seats[seat], wager) == _cents(want["net"]), (seat, wager, want)
            if want["code"] == "F":
                assert seats[seat][RESULTS.get(wager, wager)]["why"] == "fold"
