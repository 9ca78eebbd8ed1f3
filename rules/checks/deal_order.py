"""An order in which cards were dealt against the one that the law wants: kept, broken, or left open by cards of which the moment is not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rules import arrivals
from rules.checks.base import Outcome, breach, compliant, undetermined
from rules.findings import Verdict
from rules.records import Step
from rules.rounds import Round
from rules.stretches import hidden_in_words

SAME_MOMENT_S = 0.05
"""Two cards that came to rest this close together have no known order."""
FOUND_ANEW = "whether a card that left its place unseen is the one that came there later"
DEALER = "dealer"
APART = (
    "whether a card was dealt when it was told: no other came near it in time, or the place has its cards in a stack"
)
UNBROUGHT = "whether a card came when it was told: no hand of the dealer's was over its place"


def judged_order(
    names: Sequence[str],
    steps: Sequence[Step],
    wanted: Sequence[str],
    *,
    r: Round,
    expected: str,
    seen: str,
    incomplete: str,
    unit: str,
) -> Outcome:
    """How an order of destinations ("seat3", "dealer") ends.

    Where some of the dealer's cards were not made out, which are squared up on one another, that of all others may be broken by itself.

    Args:
        names: in the order in which their cards were told.
        steps: with these events.
        wanted: in the order of the law.
        r: the round.
        expected, seen: both orders in words.
        incomplete: what is missing where not every destination got its cards, in words.
        unit: what is counted, "card" for example.
    """
    names, wanted = list(names), list(wanted)
    if names == wanted:
        return compliant(expected, seen, steps)
    if len(names) == len(wanted) + 1 and any([*names[:i], *names[i + 1 :]] == wanted for i in range(len(names))):
        return compliant(expected, f"{seen}; one card too many is judged by itself", steps)
    if Counter(names) != Counter(wanted):
        apart = [i for i, name in enumerate(names) if name != DEALER]
        others = [name for name in wanted if name != DEALER]
        if len(apart) == len(others) and names.count(DEALER) < wanted.count(DEALER):
            kept = [names[i] for i in apart], [steps[i] for i in apart], others
            beside = f"of those not the dealer's, {unit}"
            found = judged_order(*kept, r=r, expected=expected, seen=seen, incomplete=incomplete, unit=beside)
            if found.verdict is Verdict.BREACH:
                return found
        return undetermined(expected, incomplete, steps)
    if any(step.index in arrivals.anew(r) for step in steps):
        return undetermined(expected, FOUND_ANEW, steps)
    moved = in_order_with(names, steps, wanted)
    if moved is not None:
        return undetermined(expected, hidden_in_words(moved), steps)
    differ = [i for i, (a, b) in enumerate(zip(names, wanted, strict=True)) if a != b]
    wrong, end = differ[0], differ[-1]
    brought = [name for name, step in zip(names, steps, strict=True) if step.index not in arrivals.unbrought(r)]
    if is_part(brought, wanted):
        return undetermined(expected, UNBROUGHT, [step for step in steps if step.index in arrivals.unbrought(r)])
    if _found_together(steps, wrong, end):
        return undetermined(expected, "which of two cards came first", steps[wrong : end + 1])
    told = f"{seen}: {unit} {wrong + 1} went to {in_words(names[wrong])} instead of {in_words(wanted[wrong])}"
    seat = int(names[wrong][4:]) if names[wrong].startswith("seat") else None
    return breach(expected, told, steps[: end + 1], seat=seat, area=steps[wrong].area)


def early(first: Sequence[Step], last: Sequence[Step]) -> list[Step]:
    """Those of the first that came before one of the last."""
    return [step for step in first if any(step.t_s < other.t_s - SAME_MOMENT_S for other in last)]


def followed(r: Round, steps: Sequence[Step]) -> list[Step]:
    """Those that surely came when they were told: not another found again (`rules.arrivals.anew`), not with nobody's hand (`rules.arrivals.unbrought`), not apart from the deal (`rules.arrivals.apart`)."""
    if not steps:
        return []
    doubtful = arrivals.anew(r) | arrivals.unbrought(r) | arrivals.apart(r)
    return [step for step in steps if step.index not in doubtful]


def unbrought(r: Round, expected: str, steps: Sequence[Step]) -> Outcome | None:
    """Undetermined where one of these cards came with nobody's hand (`rules.arrivals.unbrought`), else None."""
    return (
        undetermined(expected, UNBROUGHT, steps) if any(step.index in arrivals.unbrought(r) for step in steps) else None
    )


def why_not_followed(r: Round, steps: Sequence[Step]) -> str:
    """What is missing where too few of these are `followed`, in words."""
    if any(step.index in arrivals.anew(r) for step in steps):
        return FOUND_ANEW
    return APART if any(step.index in arrivals.apart(r) for step in steps) else UNBROUGHT


def is_part(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether an order is kept as far as it is known: with some more between them the first are the second."""
    left = iter(wanted)
    return all(name in left for name in names)


def in_order_with(names: Sequence[str], steps: Sequence[Step], wanted: Sequence[str]) -> Step | None:
    """The card that hands hid for a while with which an order would be kept, had it come at some moment of its stretch; None where there is none.

    Two cards of one seat, the first of them told late: an order counts the second as the first.

    Args:
        names: destinations in the order in which their cards were told.
        steps: with these events.
        wanted: destinations in the order of the law.
    """
    for i, step in enumerate(steps):
        since_s = step.event.earliest_s
        if since_s is None:
            continue
        others = [*names[:i], *names[i + 1 :]]
        times = [other.t_s for k, other in enumerate(steps) if k != i]
        for k in range(sum(t_s <= since_s for t_s in times), sum(t_s <= step.t_s for t_s in times) + 1):
            if [*others[:k], names[i], *others[k:]] == list(wanted):
                return step
    return None


def _found_together(steps: Sequence[Step], wrong: int, end: int) -> bool:
    """Whether two cards by which an order seems broken were told at one moment.

    From the one before the first that is wrong on: two found together in one place were dealt one after the other, nobody knows when.
    """
    return any(steps[i + 1].t_s - steps[i].t_s < SAME_MOMENT_S for i in range(max(0, wrong - 1), end))


def in_words(destination: str) -> str:
    """A destination in words: "seat 3", "the dealer", "the six cards"."""
    if destination.startswith("seat"):
        return f"seat {destination[4:]}"
    return f"the {destination.replace('_', ' ')}"
