"""Which rules the camera alone can find broken, and which need somebody to say something; written as `docs/observable.md`.

    PYTHONPATH=.:tests/rules python tests/rules/observable.py > docs/observable.md

Measured, not declared: of the file that breaks a rule and nothing else (`test_every_rule`), every event that does not come from
the camera is taken away, and what its sources are sure to tell with it. The rule is found broken all the same, or it is not.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from case_kit import GAMES, Kit, played
from rounds import judge
from test_every_rule import JUDGED, breaking, method_of

from rules.catalogue import Rule, Status, catalogue
from rules.findings import Finding, Verdict
from rules.law import game_law

CAMERA = frozenset({
    "card_placed", "card_turned", "card_read", "card_moved", "card_removed", "stack_placed", "wager_placed", "wager_increased",
    "wager_decreased", "wager_removed", "payout_placed", "hand_over", "coverage_gap",
})  # fmt: skip
"""The kinds of events that `vision` makes."""
HEAD = """# What the camera alone can find

Generated: `PYTHONPATH=.:tests/rules python tests/rules/observable.py > docs/observable.md`; a slow test keeps the two equal. Every rule that is
judged has a file of events that breaks it and nothing else (`tests/rules/test_every_rule.py`). From each of them everything was
taken that does not come from the camera, and what the table's sources are sure to tell. A rule that is found broken all the
same needs the camera alone; of the others the kinds of events from outside are named that
their file holds beside those of an honest round. Without these events such a
rule stays *undetermined* or *not applicable*; it accuses nobody. How well the camera sees the events is another matter: [limits.md](limits.md).

| game | judged | by the camera alone | need an event from outside | through other rules | when a table's file is read | never |
|---|--:|--:|--:|--:|--:|--:|
"""


def needed(check_id: str) -> tuple[str, ...] | None:
    """Kinds of events from outside in the file that breaks a rule; None where the camera is enough.

    Those of an honest round are left out where the file holds others.
    """
    make = breaking(check_id)
    assert make is not None
    file = make()
    seen = [event for event in file.events if event.kind in CAMERA]
    if any(_is_it(one, check_id) for one in judge(seen, replace(file.table, reports=()))):
        return None
    kinds = {event.kind for event in file.events} - CAMERA
    honest = played()(Kit(check_id.partition("-")[0], method_of(check_id)))
    return tuple(sorted(kinds - {event.kind for event in honest.events} or kinds))


def _is_it(finding: Finding, check_id: str) -> bool:
    return finding.check_id == check_id and finding.verdict is Verdict.BREACH


def lines(rules: list[Rule], needs: dict[str, tuple[str, ...] | None]) -> Iterator[str]:
    """The page of one game."""
    law = game_law(GAMES[rules[0].check_id.partition("-")[0]])
    yield f"\n## {law.title}\n"
    alone = [r.check_id for r in rules if r.check_id in needs and needs[r.check_id] is None]
    yield f"\nBy the camera alone: {', '.join(f'`{one}`' for one in alone)}.\n"
    yield "\n| rule | section | what is judged | events from outside |\n|---|---|---|---|\n"
    for rule in rules:
        kinds = needs.get(rule.check_id)
        if kinds is not None:
            said = (
                ", ".join(f"`{one}`" for one in kinds)
                or "that something did not come which the sources are sure to tell"
            )
            yield f"| `{rule.check_id}` | {rule.citation.removeprefix('58 Pa. Code ')} | {rule.check} | {said} |\n"
    never = [rule for rule in rules if rule.status is not Status.IMPLEMENTED]
    yield "\nNever judged: " + "; ".join(f"`{rule.check_id}` ({rule.check}): {rule.why}" for rule in never) + ".\n"


def render(needs: dict[str, tuple[str, ...] | None] | None = None) -> str:
    """The page; `needs` as `needed` gives them, asked anew if not given."""
    needs = needs or {check_id: needed(check_id) for check_id in JUDGED}
    table: list[str] = []
    rest: list[str] = []
    for prefix, game in GAMES.items():
        rules = list(catalogue(game).values())
        own = [needs[rule.check_id] for rule in rules if rule.check_id in needs]
        count = Counter("camera" if one is None else "outside" for one in own)
        through = sum(bool(rule.through) for rule in rules)
        read = sum(rule.at == "table" and not rule.through for rule in rules)
        never = sum(rule.status is not Status.IMPLEMENTED for rule in rules)
        table.append(f"| {game_law(GAMES[prefix]).title} | {len(rules) - never} | {count['camera']} | {count['outside']} | {through} | {read} | {never} |\n")  # fmt: skip
        rest += lines(rules, needs)
    return HEAD + "".join(table) + "".join(rest)


if __name__ == "__main__":
    sys.stdout.write(render())
