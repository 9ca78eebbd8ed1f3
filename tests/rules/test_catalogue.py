"""The catalogue holds every row of the chapter and tells the truth about what is judged."""

from __future__ import annotations

import re
from collections import Counter

from rounds import build, judge, table

from rules.catalogue import METHODS, Status, catalogue, render_markdown, rules_of_section
from rules.games.raise_it_up import checks
from rules.law import game_law


def judged() -> set[str]:
    hand = {"automated": True, "counts_cards": True}
    return {check.check_id for dealing in METHODS for check in checks(table(dealing=dealing, shuffler=hand))}


def test_all_rows_of_the_chapter() -> None:
    rules = catalogue()
    assert len(rules) == 164
    sections = {section for rule in rules.values() for section in re.findall(r"^\.\d+", rule.paragraph)}
    assert sections == {f".{n}" for n in range(1, 14)}


def test_implemented_means_judged_or_refused_or_covered() -> None:
    known = judged()
    for rule in catalogue().values():
        if rule.status is Status.IMPLEMENTED:
            assert rule.check_id in known or rule.at == "table" or rule.through, rule.check_id
            assert set(rule.through) <= known, rule.check_id
        else:
            assert rule.why, f"{rule.check_id} needs a reason"
    assert {name for name in known if catalogue()[name].status is not Status.IMPLEMENTED} == set()


def test_every_check_cites_a_paragraph_of_the_chapter() -> None:
    chapter = game_law("raise_it_up").chapter
    for rule in catalogue().values():
        assert re.fullmatch(rf"58 Pa\. Code § {chapter}\.\d+(\([a-z0-9A-Z]+\))*", rule.citation), rule.citation


def test_section_filter() -> None:
    assert {rule.check_id for rule in rules_of_section("669a.11(c)")} == {"RIU-C1-WHEN", "RIU-C1-PLACE"}
    assert len(rules_of_section("")) == 164
    assert rules_of_section("58 Pa. Code § 669a.13") == rules_of_section(".13")
    assert all(rule.paragraph.startswith(".1(") or rule.paragraph == ".1" for rule in rules_of_section(".1"))


def test_page_of_documentation_names_every_check() -> None:
    page = render_markdown()
    assert Counter(re.findall(r"\| `(RIU-[A-Z0-9-]+)` \|", page)) == Counter(catalogue().keys())
    assert "164 checks" in page
    assert len({line.count("|") for line in page.splitlines() if line.startswith("| `")}) == 1


def test_findings_carry_what_the_catalogue_says() -> None:
    script = build()
    script.change("pay:1.ante", amount_cents=500)
    for finding in judge(script.events):
        rule = catalogue()[finding.check_id]
        assert (finding.citation, finding.severity) == (rule.citation, rule.severity)
