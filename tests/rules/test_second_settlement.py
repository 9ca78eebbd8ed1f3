"""Both settlements agree: `rules/settlement`, and the second one written from the chapters alone (ADR 13).

Rounds are drawn at the edges of the law, some hundreds of each game here and tens of thousands with `-m slow`. A round that
the two settle otherwise is named by its id, which holds game, seed and number: `drawn_rounds(game, seed, number + 1)`.
"""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from second_settlement import caribbean_stud, dj_wild, let_it_ride, raise_it_up
from second_settlement.cards import DECK, JOKER, read_cards
from second_settlement.drawn_rounds import drawn_rounds
from second_settlement.hands import Category, Hand, five_card_hand
from second_settlement.money import Result, Settled
from second_settlement.paytables import Share, Terms
from second_settlement.wild import is_wild, wild_hand

from rules.settlement.rounds import settle_round

FOLDER = Path(__file__).parent / "second_settlement"
REFERENCE = Path(os.environ.get("PITWATCH_REFERENCE") or Path(__file__).parents[2].parent / "shared")
SECOND: Mapping[str, ModuleType] = {
    "669a": raise_it_up,
    "639a": caribbean_stud,
    "643a": let_it_ride,
    "687a": dj_wild,
}
SAMPLES = {"669a": "raise_it_up", "639a": "caribbean_stud", "643a": "let_it_ride", "687a": "dj_wild"}
MAY_IMPORT = {"__future__", "collections", "dataclasses", "enum", "fractions", "itertools", "random", "typing"}
READS_OR_RUNS = {"open", "eval", "exec", "compile", "__import__"}
Document = Mapping[str, Any]


def first_settlement(document: Document) -> Settled:
    """What `rules/settlement` says, in the shape of the second one."""
    return as_settled(settle_round(json.loads(json.dumps(document))))


def as_settled(answer: Mapping[str, Any]) -> Settled:
    seats = {
        int(seat): {wager: Result(result["outcome"], result["return"]) for wager, result in results.items()}
        for seat, results in answer["seats"].items()
    }
    return Settled(seats, answer["meters_after"])


def differences(document: Document, one: Settled, other: Settled) -> list[str]:
    """Where two settlements of a round differ, in words: outcome or return of a wager, or a meter."""
    found = [
        f"{document['id']} seat {seat} {wager}: {one.seats.get(seat, {}).get(wager)}, {other.seats.get(seat, {}).get(wager)}"
        for seat in sorted(one.seats.keys() | other.seats.keys())
        for wager in sorted(one.seats.get(seat, {}).keys() | other.seats.get(seat, {}).keys())
        if one.seats.get(seat, {}).get(wager) != other.seats.get(seat, {}).get(wager)
    ]
    return found + ([f"{document['id']} meters: {one.meters}, {other.meters}"] if one.meters != other.meters else [])


def compared(game: str, seed: int, count: int) -> tuple[list[str], int]:
    """All differences in drawn rounds of a game, and how many wagers and payouts were compared."""
    found: list[str] = []
    results = 0
    for document in drawn_rounds(game, seed, count):
        first = first_settlement(document)
        found += differences(document, first, SECOND[game].settle(document))
        results += sum(len(by_wager) for by_wager in first.seats.values())
    return found, results


@pytest.mark.parametrize("game", SECOND)
def test_both_settle_drawn_rounds_alike(game: str) -> None:
    found, results = compared(game, seed=1, count=400)
    assert found == []
    assert results > 4_000


@pytest.mark.slow
@pytest.mark.parametrize("game", SECOND)
def test_both_settle_many_drawn_rounds_alike(game: str) -> None:
    found, results = compared(game, seed=2, count=40_000)
    assert found == []
    assert results > 400_000


@pytest.mark.parametrize("game", SECOND)
def test_both_settle_the_sample_rounds_as_they_are_told(game: str) -> None:
    path = REFERENCE / "rounds" / f"{SAMPLES[game]}.jsonl"
    if not path.is_file():
        pytest.skip(f"{path} is not there; set PITWATCH_REFERENCE to the folder with the reference rounds")
    documents = [json.loads(line) for line in path.read_text().splitlines()]
    for document in documents:
        told, second = as_settled(document["expected"]), SECOND[game].settle(document)
        assert differences(document, told, second) == []
        assert differences(document, first_settlement(document), second) == []
    assert len(documents) == 90


@pytest.mark.parametrize("game", SECOND)
def test_a_seed_draws_the_same_rounds(game: str) -> None:
    """Whichever process draws them: nothing rests on the order of a set."""
    rounds = json.dumps(list(drawn_rounds(game, 5, 20)))
    program = f"import json; from second_settlement.drawn_rounds import *; print(json.dumps(list(drawn_rounds({game!r}, 5, 20))))"
    for hash_seed in ("1", "2"):
        process = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(FOLDER.parent)}
        assert subprocess.check_output([sys.executable, "-c", program], env=process, text=True).strip() == rounds
    assert rounds != json.dumps(list(drawn_rounds(game, 6, 20)))


def cells(module: ModuleType) -> Iterator[tuple[str, MutableMapping[Any, Any], Any]]:
    """Every number of a game's tables: its name, and the mapping and key where it stands."""
    for wager, by_name in module.PAYTABLES.items():
        for name, table in by_name.items():
            for line in table:
                yield f"{wager} {name} {line.name}", table, line
    for wager, by_paytable in getattr(module, "METERS", {}).items():
        for name, meters in by_paytable.items():
            for meter in meters:
                yield f"{wager} {name} {meter} rate", meters, meter
                if meters[meter].reseed_for_1:
                    yield f"{wager} {name} {meter} reseed", meters, meter
    for name in getattr(module, "RESEED_CENTS", {}):
        yield f"progressive {name} reseed", module.RESEED_CENTS, name
    for name in getattr(module, "EXTRAS_FOR_1", {}):
        yield f"fchb {name}", module.EXTRAS_FOR_1, name
    for name, by_suit in getattr(module, "SIX_CARD_ROYAL_TO_1", {}).items():
        for suit in by_suit:
            yield f"six_card_bonus {name} six-card royal flush {suit}", by_suit, suit


def spoiled(name: str, value: object) -> object:
    """Another number than the law has."""
    if isinstance(value, Share):
        return value._replace(percent=value.percent - 1)
    if isinstance(value, Terms):
        if name.endswith("reseed"):
            return value._replace(reseed_for_1=value.reseed_for_1 + 1)
        return value._replace(percent=value.percent + 1)
    assert isinstance(value, int | Fraction)
    return value + 1


def first_noticed(module: ModuleType, rounds: Iterable[tuple[Document, Settled]]) -> str | None:
    """The first difference of the second settlement from what the first one said."""
    for document, first in rounds:
        found = differences(document, first, module.settle(document))
        if found:
            return found[0]
    return None


@cache
def settled_rounds(game: str, seed: int, count: int) -> list[tuple[Document, Settled]]:
    """Drawn rounds with what the first settlement says."""
    return [(document, first_settlement(document)) for document in drawn_rounds(game, seed, count)]


SPOILED = [
    ("669a", "play only TWO_PAIR"),
    ("669a", "envy 500 MINI_ROYAL"),
    ("669a", "progressive A meter rate"),
    ("639a", "bonus C PAIR_OF_TENS_OR_BETTER"),
    ("639a", "fchb A STRAIGHT_FLUSH"),
    ("639a", "progressive H minor reseed"),
    ("643a", "main B ROYAL_FLUSH"),
    ("643a", "six_card_bonus E FULL_HOUSE"),
    ("687a", "trips, natural 07 FLUSH"),
    ("687a", "progressive 2 reseed"),
]


@pytest.mark.parametrize(("game", "name"), SPOILED)
def test_one_number_changed_is_noticed(game: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = settled_rounds(game, 1, 400)
    assert first_noticed(SECOND[game], rounds) is None
    (table, key) = next((table, key) for cell, table, key in cells(SECOND[game]) if cell == name)
    monkeypatch.setitem(table, key, spoiled(name, table[key]))
    assert first_noticed(SECOND[game], rounds) is not None


@pytest.mark.slow
@pytest.mark.parametrize("game", SECOND)
def test_every_number_changed_is_noticed(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, unnoticed, count = settled_rounds(game, 2, 10_000), [], 0
    for name, table, key in cells(SECOND[game]):
        count += 1
        with monkeypatch.context() as patch:
            patch.setitem(table, key, spoiled(name, table[key]))
            if first_noticed(SECOND[game], rounds) is None:
                unnoticed.append(name)
    assert unnoticed == []
    assert count == {"669a": 65, "639a": 136, "643a": 224, "687a": 124}[game]


MET = {
    "669a": {("play", "lose"), ("blind", "push"), ("six_card_bonus", "win"), ("progressive", "returned")},
    "639a": {("bet", "returned"), ("bet", "push"), ("magic_dealer", "win"), ("lucky_player", "win")},
    "643a": {("bet1", "returned"), ("progressive3", "win"), ("progressive5", "win"), ("bet3", "returned")},
    "687a": {("raise", "push"), ("bad_beat", "win"), ("trips", "returned"), ("progressive", "win")},
}


@pytest.mark.parametrize("game", SECOND)
def test_the_drawn_rounds_meet_rare_results(game: str) -> None:
    seats = [results for _, settled in settled_rounds(game, 1, 400) for results in settled.seats.values()]
    results = [(wager, result.outcome) for by_wager in seats for wager, result in by_wager.items()]
    assert {result for result in MET[game] if results.count(result) < 10} == set()
    assert results.count(("envy", "win")) >= 100


@pytest.mark.parametrize("game", ["639a", "643a", "687a"])
def test_the_drawn_rounds_have_several_who_win_one_meter(game: str) -> None:
    """In Raise It Up one hand alone takes it, ace, king and queen of spades."""
    logs = [settle_round(document)["meter_log"] for document in drawn_rounds(game, 1, 400)]
    paid = [[meter for kind, _, meter, *_ in log if kind != "contribution"] for log in logs]
    assert sum(len(meters) > len(set(meters)) for meters in paid) >= 2


def test_the_drawn_rounds_have_payout_limits_that_cut() -> None:
    cut = 0
    for document in drawn_rounds("643a", 1, 400):
        unlimited = {key: value for key, value in document["config"].items() if key != "max_payout"}
        cut += let_it_ride.settle(document) != let_it_ride.settle({**document, "config": unlimited})
    assert cut >= 20


def test_a_meter_and_a_missing_wager_are_differences_too() -> None:
    document = next(drawn_rounds("669a", 1, 1))
    one = Settled({1: {"ante": Result("lose", 0)}}, {"prog.meter": 10})
    assert differences(document, one, one) == []
    assert len(differences(document, one, one._replace(meters={"prog.meter": 11}))) == 1
    assert len(differences(document, one, one._replace(seats={}))) == 1
    assert len(differences(document, one, one._replace(seats={1: {"ante": Result("push", 0)}}))) == 1


def wild_hand_by_trial(cards: list[Any]) -> Hand:
    """The best of all hands that the wild cards can make as any card not held, and five of a kind."""
    fixed = [card for card in cards if not is_wild(card)]
    others = [card for card in read_cards(DECK) if card not in fixed]
    hands = [five_card_hand([*fixed, *added]) for added in combinations(others, len(cards) - len(fixed))]
    if len({card.rank for card in fixed}) == 1:
        hands.append(Hand(Category.FIVE_OF_A_KIND, (fixed[0].rank,)))
    return max(hands)


@pytest.mark.parametrize(
    ("wilds", "tries"),
    [(1, 300), (2, 20), pytest.param(2, 2_000, marks=pytest.mark.slow), pytest.param(3, 150, marks=pytest.mark.slow)],
)
def test_the_best_use_of_wild_cards_is_that_of_every_card_tried(wilds: int, tries: int) -> None:
    rng = random.Random(687)
    wild = [*read_cards(f"2{suit}" for suit in "cdhs"), JOKER]
    plain = [card for card in read_cards(DECK) if not is_wild(card)]
    for number in range(tries):
        suit = rng.choice("cdhs")
        pool = [card for card in plain if card.suit == suit or number % 2]
        cards = rng.sample(wild, wilds) + rng.sample(pool, 5 - wilds)
        assert wild_hand(cards) == wild_hand_by_trial(cards), cards


def test_the_second_settlement_shares_nothing_with_the_first() -> None:
    """Its modules import the standard library and each other, and read no file: their numbers are typed in."""
    files = sorted(FOLDER.glob("**/*.py"))
    assert {path.stem for path in files} >= {"raise_it_up", "caribbean_stud", "let_it_ride", "dj_wild", "hands"}
    assert [path for path in FOLDER.iterdir() if path.suffix not in (".py", "") or path.is_symlink()] == []
    assert sys.stdlib_module_names >= MAY_IMPORT
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            modules: list[str] = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path.name}: write absolute imports"
                modules = [node.module or ""]
            strangers = {module.split(".")[0] for module in modules} - MAY_IMPORT - {FOLDER.name}
            assert not strangers, f"{path.name} imports {strangers}"
            assert not (isinstance(node, ast.Name) and node.id in READS_OR_RUNS), f"{path.name}: {node.id}"
