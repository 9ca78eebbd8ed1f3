"""Every game's catalogue holds every row of its chapter, and engine, catalogue and documentation say the same."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from game_rounds import PAYTABLES
from game_rounds import table as other_table
from rounds import table as raise_it_up_table

from rules.catalogue import METHODS, Status, catalogue, render_markdown, rules_of_section
from rules.games import game_module
from rules.law import GAMES, game_law, readings
from rules.table import TableConfig

ROWS = {"raise_it_up": 164, "caribbean_stud": 173, "let_it_ride": 212, "dj_wild": 144}
"""Rows of the four chapters as counted from their text."""
COUNTING = {"automated": True, "counts_cards": True}


def config(game: str, dealing: str) -> TableConfig:
    if game == "raise_it_up":
        return raise_it_up_table(dealing=dealing, shuffler=COUNTING)
    return other_table(game, dealing=dealing, shuffler=COUNTING)


def judged(game: str) -> set[str]:
    return {check.check_id for dealing in METHODS for check in game_module(game).checks(config(game, dealing))}


@pytest.mark.parametrize("game", GAMES)
def test_all_rows_of_the_chapter(game: str) -> None:
    rules = catalogue(game)
    assert len(rules) == ROWS[game]
    sections = {section for rule in rules.values() for section in re.findall(r"^\.\d+", rule.paragraph)}
    assert sections == {f".{n}" for n in range(1, 14)}
    prefix = game_module(game).prefix
    assert all(name.startswith(f"{prefix}-") for name in rules)


@pytest.mark.parametrize("game", GAMES)
def test_implemented_means_judged_or_refused_or_covered(game: str) -> None:
    known = judged(game)
    for rule in catalogue(game).values():
        if rule.status is Status.IMPLEMENTED:
            assert rule.check_id in known or rule.at == "table" or rule.through, rule.check_id
            assert set(rule.through) <= known, rule.check_id
        else:
            assert rule.why, f"{rule.check_id} needs a reason"
    assert {name for name in known if catalogue(game)[name].status is not Status.IMPLEMENTED} == set()


@pytest.mark.parametrize("game", GAMES)
def test_every_check_cites_a_paragraph_of_the_chapter(game: str) -> None:
    chapter = game_law(game).chapter
    pattern = rf"58 Pa\. Code § {chapter}\.\d+(\([a-z0-9A-Z]+\))*"
    for rule in catalogue(game).values():
        for citation in (rule.citation, *rule.citations.values()):
            assert re.fullmatch(pattern, citation), citation
        assert rule.check[0].isupper() or rule.check[0] in '"', rule.check_id
        assert rule.check.endswith("."), rule.check_id


@pytest.mark.parametrize("game", GAMES)
def test_what_voids_the_round_is_judged(game: str) -> None:
    voiding = game_module(game).voiding
    assert voiding <= judged(game)
    for name in voiding:
        assert "void" in catalogue(game)[name].consequence, name


@pytest.mark.parametrize("game", GAMES)
def test_page_of_documentation_names_every_check(game: str) -> None:
    page = render_markdown(game)
    prefix = game_module(game).prefix
    assert Counter(re.findall(rf"\| `({prefix}-[A-Z0-9-]+)` \|", page)) == Counter(catalogue(game).keys())
    assert len({line.count("|") for line in page.splitlines() if line.startswith("| `")}) == 1


@pytest.mark.parametrize("game", GAMES)
def test_readings_that_a_sentence_names_are_switches(game: str) -> None:
    for rule in catalogue(game).values():
        for name in re.findall(r"reading ([a-z]+\.[a-z_]+)", rule.check):
            assert name in readings(), rule.check_id
            assert game in readings()[name].games


def test_section_filter() -> None:
    assert {r.check_id for r in rules_of_section("643a.11(e)", "let_it_ride")} == {"LIR-C2-WHEN"}
    assert {r.check_id for r in rules_of_section("687a.11(d)", "dj_wild")} == {"DJW-REVEAL-WHEN", "DJW-REVEAL-ANN"}
    assert len(rules_of_section("", "caribbean_stud")) == ROWS["caribbean_stud"]


def test_citation_of_the_dealing_method() -> None:
    rule = catalogue("caribbean_stud")["CAR-DEAL-UPCARD"]
    assert rule.cited("manual_shoe") == "58 Pa. Code § 639a.8(d)(2)"
    assert rule.cited("hand") == "58 Pa. Code § 639a.9(b)(2)"


def test_games_share_their_checks() -> None:
    """A fifth game is data and one file: most of what each game's engine asks is asked of the others too."""
    ends = {game: {name.partition("-")[2] for name in judged(game)} for game in GAMES}
    for game in GAMES:
        others = set().union(*(ends[other] for other in GAMES if other != game))
        assert len(ends[game] & others) / len(ends[game]) > 0.6, game
    assert set(PAYTABLES) == set(GAMES) - {"raise_it_up"}
