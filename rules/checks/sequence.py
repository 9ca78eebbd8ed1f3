"""The deal against the order of destinations that the chapter prescribes, which is data (`deal` in `law_<game>.yaml`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rules.checks.base import Context, Judge, Outcome, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.deal_order import SAME_MOMENT_S, early, followed, in_words, judged_order, why_not_followed
from rules.checks.dealing import deal_areas, deal_window, too_early
from rules.events import StackPlaced, group_of
from rules.records import Step
from rules.rounds import Round

SEATS = "seats"


def served(r: Round) -> list[tuple[str, Step]]:
    """Destinations ("seat3", "dealer") in the order in which cards or stacks came to them, with the events."""
    stacks = [(group_of(s.event.area), s) for s in r.stack_units if isinstance(s.event, StackPlaced)]
    by_stack = {group for group, _ in stacks}
    cards = [(group_of(card.home), card.placed) for card in r.dealt if group_of(card.home) not in by_stack]
    return sorted([*stacks, *cards], key=lambda unit: (unit[1].t_s, unit[1].index))


def prescribed(r: Round) -> list[tuple[str, int]]:
    """The destinations in the order of the chapter with the cards of each, for the seats that were dealt to."""
    steps: list[tuple[str, int]] = []
    for group, cards in r.table.law.destinations(r.table.dealing):
        if group == SEATS:
            steps += [(f"seat{seat}", cards) for seat in r.dealt_seats]
        elif group not in r.table.law.other_cards or _is_due(r, group):
            steps.append((group, cards))
    return steps


def _is_due(r: Round, group: str) -> bool:
    """Whether cards of no hand belong to this round: they were dealt, or the wager they are for stands."""
    if r.group_cards(group) or any(group == name for name, _ in served(r)):
        return True
    wager = {"six_cards": "six_card_bonus"}.get(group)
    return wager is not None and any(r.wager(seat, wager) is not None for seat in r.dealt_seats)


def due(r: Round) -> Counter[str]:
    """Cards that each destination must have at the end of the deal, a community card that is discarded included."""
    counts: Counter[str] = Counter()
    for destination, cards in prescribed(r):
        counts[destination] += cards
    return counts


def order(*groups: str) -> Judge:
    """The seats, with the groups named, are served in the order of the chapter.

    Args:
        groups: areas judged together with the seats, e.g. "dealer"; others are left out.
    """

    def judge(ctx: Context, _: int) -> Outcome | None:
        r = ctx.round
        if too_early(ctx):
            return None
        units = [(name, step) for name, step in served(r) if name.startswith("seat") or name in groups]
        if not any(name.startswith("seat") for name, _ in units):
            return not_applicable("no cards to seats")
        return _order(ctx, units, _expected(r, groups))

    return judge


def _expected(r: Round, groups: Sequence[str]) -> list[str]:
    by_stack = {group_of(s.event.area) for s in r.stack_units if isinstance(s.event, StackPlaced)}
    return [
        name
        for name, cards in prescribed(r)
        if name.startswith("seat") or name in groups
        for _ in range(1 if name in by_stack else cards)
    ]


def _order(ctx: Context, units: Sequence[tuple[str, Step]], wanted: Sequence[str]) -> Outcome:
    r = ctx.round
    names, steps = [name for name, _ in units], [step for _, step in units]
    expected = f"{_runs(wanted)} in this order"
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    seen = _runs(names)
    return judged_order(
        names,
        steps,
        wanted,
        r=r,
        expected=expected,
        seen=seen,
        incomplete=f"not every destination was seen to get its cards ({seen})",
        unit="number",
    )


def _runs(names: Sequence[str]) -> str:
    """Destinations in short, e.g. "1 2 dealer 1 2 dealer", five in a row as "1x5"."""
    runs: list[list[str]] = []
    for name in names:
        if runs and runs[-1][0] == name:
            runs[-1].append(name)
        else:
            runs.append([name])
    return " ".join(f"{run[0].removeprefix('seat')}{f'x{len(run)}' if len(run) > 1 else ''}" for run in runs)


def comes(group: str, *, after: Sequence[str] = (), before: Sequence[str] = ()) -> Judge:
    """The cards of a group come after all those of other groups, or before them; "seats" stands for every seat."""
    others = after or before
    words = " and ".join("the players'" if name == SEATS else in_words(name) for name in others)
    expected = f"cards to {in_words(group)} {'after' if after else 'before'} {words} cards"

    def judge(ctx: Context, _: int) -> Outcome | None:
        r = ctx.round
        if too_early(ctx):
            return None
        units = served(r)
        own = [step for name, step in units if name == group]
        rest = [step for name, step in units if name in others or (SEATS in others and name.startswith("seat"))]
        if not own:
            return not_applicable(f"no cards to {in_words(group)}") if ctx.closing else None
        if not rest:
            return undetermined(expected, f"{words} cards", own) if ctx.closing else None
        gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
        if gap is not None:
            return gap
        first, last = (own, rest) if after else (rest, own)
        if not early(first, last):
            return compliant(expected, "so dealt", [*own, *rest])
        first, last = followed(r, first), followed(r, last)
        sooner = early(first, last)
        if not sooner:
            return undetermined(expected, why_not_followed(r, [*own, *rest]), [*own, *rest])
        what = in_words(group) if after else f"{words} cards"
        sooner, late = surest_pairs(sooner, last)
        return breach(expected, f"{len(sooner)} to {what} before it", [*sooner, *late], area=own[0].area)  # fmt: skip

    return judge


def surest_pairs(early: Sequence[Step], late: Sequence[Step]) -> tuple[list[Step], list[Step]]:
    """The cards that prove an order: of those that came before one of the others and of these, all that are as sure as the surest pair.

    A card that is only probable does not weaken what others prove.
    """
    pairs = [(one, other) for one in early for other in late if one.t_s < other.t_s - SAME_MOMENT_S]
    sure = max(min(one.event.confidence, other.event.confidence) for one, other in pairs)
    proof = [pair for pair in pairs if min(step.event.confidence for step in pair) >= sure]
    first, last = min(one.t_s for one, _ in proof), max(other.t_s for _, other in proof)
    return (
        [step for step in early if step.event.confidence >= sure and step.t_s < last - SAME_MOMENT_S],
        [step for step in late if step.event.confidence >= sure and step.t_s > first + SAME_MOMENT_S],
    )
