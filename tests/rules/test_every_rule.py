"""Every rule that is judged has a file that breaks it and only it, and one that keeps it at the edge.

What is held here: the cases are complete against the catalogue, each broken rule is found with its section and nothing
beside it but what necessarily follows, and where it is kept nobody is accused and the check says so. A rule judged through
others is covered by theirs; one refused when the table file is read has a file that is refused with its section.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial

import cases_games
import cases_money
import cases_shared
import pytest
from case_kit import GAMES, File, Kit, Make, played
from cases_table import REFUSED, TAKEN
from rounds import judge

from rules.catalogue import METHODS, Rule, Status, catalogue
from rules.findings import Finding, Verdict
from rules.table import TableConfig, TableConfigError

FOLLOWS: Mapping[str, tuple[frozenset[str], str]] = {
    **{f"RIU-C{n}-WHEN": (frozenset({"RIU-IRR-EXPOSED"}), "play goes on after the card") for n in (1, 2, 3)},
    **{f"LIR-C{n}-WHEN": (frozenset({"LIR-IRR-EXPOSED"}), "play goes on after the card") for n in (1, 2)},
    "CAR-REVEAL-WHEN": (frozenset({"CAR-IRR-EXPOSED"}), "play goes on after the cards"),
    "DJW-REVEAL-WHEN": (frozenset({"DJW-IRR-EXPOSED"}), "play goes on after the cards"),
    "CAR-AUTO-UPCARD": (frozenset({"CAR-IRR-EXPOSED"}), "a hole card is exposed, and play goes on"),
    "DJW-MS-DOWN": (frozenset({"DJW-IRR-EXPOSED"}), "a card revealed before the raises, and play goes on"),
    "DJW-HD-DOWN": (frozenset({"DJW-IRR-EXPOSED"}), "a card revealed before the raises, and play goes on"),
    "DJW-AS-DOWN": (frozenset({"DJW-IRR-EXPOSED"}), "a card revealed before the raises, and play goes on"),
    "RIU-C1-PLACE": (frozenset({"RIU-C2-PLACE"}), "a card in the wrong box keeps another out of its own"),
    "RIU-C2-PLACE": (frozenset({"RIU-C1-PLACE", "RIU-C3-PLACE"}), "a card in the wrong box keeps another out of its own"),
    "RIU-C3-PLACE": (frozenset({"RIU-C2-PLACE"}), "a card in the wrong box keeps another out of its own"),
    "CAR-IRR-EXPOSED": (frozenset({"CAR-REVEAL-WHEN"}), "there is no irregularity without the early card"),
    "LIR-IRR-EXPOSED": (frozenset({"LIR-C1-WHEN", "LIR-C2-WHEN"}), "there is no irregularity without the early card"),
    "RIU-IRR-EXPOSED": (frozenset({"RIU-C1-WHEN", "RIU-C3-WHEN"}), "there is no irregularity without the early card"),
    "DJW-IRR-EXPOSED": (frozenset({"DJW-REVEAL-WHEN"}), "there is no irregularity without the early card"),
    **{
        f"{prefix}-AS-STUB-MISDEAL": (frozenset({f"{prefix}-IRR-COUNT"}), "the short stack was counted as well")
        for prefix in GAMES
    },
}  # fmt: skip
"""What necessarily goes with a breach, and why. An irregularity is kept where the round is broken off: the early card stays."""
QUIET: Mapping[str, str] = {
    row: "judged only on a report that somebody did it; keeping it leaves no trace"
    for row in ("WAG-NOVERBAL", "WAG-SEATED", "ONE-POS", "BOXES", "PLR-TOUCH", "PLR-VIEW", "PLR-NOTALK")
}
"""Rules that end in no verdict where they are kept, and why."""
BY_HAND = {"DECK-CHG-HAND": "HD", "IRR-SHOEJAM": "AS"}
EVERY = 37
"""Of the cases so many are run once in the fast tests."""


def rows() -> list[Rule]:
    return [rule for game in GAMES.values() for rule in catalogue(game).values() if rule.status is Status.IMPLEMENTED]


JUDGED = [rule.check_id for rule in rows() if not rule.through and rule.at == "round"]


def method_of(check_id: str) -> str:
    """The dealing method that a check is about, a manual shoe where it is about none."""
    prefix, second, *_ = check_id.split("-")
    if second in METHODS.values():
        return second
    return "AS" if second == "AUTO" else BY_HAND.get(check_id.removeprefix(f"{prefix}-"), "MS")


def ends(check_id: str) -> list[str]:
    """The names under which a check's cases may stand: its own, its end, its end for any dealing method."""
    end = check_id.partition("-")[2]
    return [check_id, end, re.sub(r"^(MS|HD|AS)-", "{M}-", end)]


def of(book: Mapping[str, Make], check_id: str) -> Make | None:
    return next((book[name] for name in ends(check_id) if name in book), None)


def breaking(check_id: str) -> Callable[[], File] | None:
    """What makes the file that breaks a rule, None where there is none."""
    kit = Kit(check_id.partition("-")[0], method_of(check_id))
    for book in (cases_games.BREAKS, cases_money.BREAKS, cases_shared.BREAKS):
        make = of(book, check_id)
        if make is not None:
            return partial(make, kit)
    row = cases_games.broken_alone(check_id, FOLLOWS.get(check_id, (frozenset(), ""))[0])
    return row.make if row is not None else None


def keeping(check_id: str) -> File:
    """The file that keeps a rule at the edge, an honest round where it has none."""
    kit = Kit(check_id.partition("-")[0], method_of(check_id))
    for book in (cases_games.KEEPS, cases_money.KEEPS, cases_shared.KEEPS):
        make = of(book, check_id)
        if make is not None:
            return make(kit)
    return played()(kit)


def accused(found: list[Finding]) -> set[str]:
    return {f.check_id for f in found if f.verdict is Verdict.BREACH}


def breaks_only(check_id: str) -> None:
    make = breaking(check_id)
    assert make is not None
    file = make()
    found = judge(file.events, file.table)
    follows = FOLLOWS.get(check_id, (frozenset(), ""))[0]
    assert accused(found) - follows == {check_id}
    rule = catalogue(file.table.game)[check_id]
    own = [f for f in found if f.check_id == check_id and f.verdict is Verdict.BREACH]
    assert own[0].citation == rule.cited(file.table.dealing)
    assert own[0].expected
    assert own[0].seen
    assert own[0].events


def is_kept(check_id: str) -> None:
    file = keeping(check_id)
    found = judge(file.events, file.table)
    causes = FOLLOWS[check_id][0] if check_id.endswith("IRR-EXPOSED") else frozenset()
    assert accused(found) - causes == set()
    verdicts = {f.verdict for f in found if f.check_id == check_id}
    if check_id.partition("-")[2] in QUIET:
        assert Verdict.COMPLIANT not in verdicts
    else:
        assert Verdict.COMPLIANT in verdicts


def test_every_rule_has_its_cases() -> None:
    assert [check_id for check_id in JUDGED if breaking(check_id) is None] == []
    tabled = {rule.check_id for rule in rows() if rule.at == "table" and not rule.through}
    assert tabled == set(REFUSED) == set(TAKEN)
    covered = {*JUDGED, *tabled}
    for rule in rows():
        assert rule.check_id in covered or set(rule.through) <= covered, rule.check_id
    for rule in [r for game in GAMES.values() for r in catalogue(game).values()]:
        assert rule.status is Status.IMPLEMENTED or rule.why, rule.check_id
    assert set(FOLLOWS) <= set(JUDGED)


@pytest.mark.parametrize("check_id", JUDGED[::EVERY])
def test_some_rules_broken_and_kept(check_id: str) -> None:
    breaks_only(check_id)
    is_kept(check_id)


@pytest.mark.slow
@pytest.mark.parametrize("check_id", JUDGED)
def test_broken_and_nothing_else(check_id: str) -> None:
    breaks_only(check_id)


@pytest.mark.slow
@pytest.mark.parametrize("check_id", JUDGED)
def test_kept_at_the_edge(check_id: str) -> None:
    is_kept(check_id)


@pytest.mark.parametrize("check_id", sorted(REFUSED))
def test_table_files_that_break_a_rule_are_refused_with_its_section(check_id: str) -> None:
    game = GAMES[check_id.partition("-")[0]]
    paragraph = catalogue(game)[check_id].paragraph
    section = re.match(r"\.\d+(\([a-z]\))?", paragraph)
    assert section is not None
    with pytest.raises(TableConfigError, match=re.escape(section.group())):
        REFUSED[check_id]()
    assert isinstance(TAKEN[check_id](), TableConfig)
