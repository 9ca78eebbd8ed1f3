"""Settlement in its order: which seat, by whose hand, which wager first, and the cards to the rack."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from rules.books import remembered
from rules.checks.base import Context, Judge, Outcome, breach, compliant, hidden, not_applicable, undetermined
from rules.events import ElectronicWagerAccepted, Face, HandOver, PayoutPlaced, Side, group_of
from rules.house_events import BonusPaid
from rules.records import Step
from rules.rounds import Round

ELSEWHERE = ("shoe", "shuffler", "tray", "hand", "deck")
"""Places that are not the discard rack."""


RACKED_S = 1.0
"""Chips and cards that go within this time have no sure order."""
SYSTEM_S = 1.0
"""Chips, and what a system tells by its own clock, have no sure order within this time."""


def title(wager: str) -> str:
    """A wager's name in words, e.g. "Pair Plus"."""
    return wager.replace("_", " ").title()


def is_done(ctx: Context, seat: int) -> bool:
    """Whether the dealer is through with a seat: the next one was turned, or its chips are gone."""
    if ctx.round.settling_since is None:
        return False
    return ctx.closing or _left_behind(ctx.round, seat)


@remembered
def _left_behind(r: Round, seat: int) -> bool:
    own = turned_s(r, seat)
    if own is None:
        return False
    if any((t := turned_s(r, other)) is not None and t > own for other in r.dealt_seats if other != seat):
        return True
    standing = [w for name in r.table.law.wagers if (w := r.wager(seat, name)) is not None]
    return bool(standing) and all(w.removed is not None for w in standing)


@remembered
def turned_s(r: Round, seat: int) -> float | None:
    """When the first card of a seat was turned for settlement."""
    since = r.settling_since
    area = f"seat{seat}.cards"
    if since is None:
        return None
    times = [c.turned.t_s for c in r.cards.values() if c.home == area and c.turned is not None and c.turned.t_s > since]
    return min(times) if times else None


def turn_step(r: Round, seat: int) -> Step | None:
    """The event that turned the first card of a seat for settlement; of cards turned at one moment the surest, for the hand was turned if any of them was."""
    t = turned_s(r, seat)
    turned = [c.turned for c in r.cards.values() if c.home == f"seat{seat}.cards" and c.turned and c.turned.t_s == t]
    return max(turned, key=lambda step: step.event.confidence, default=None)


def order(ctx: Context, _: int) -> Outcome | None:
    """Seats are settled from the dealer's right, counterclockwise (e.g. 669a.11(i))."""
    r = ctx.round
    if r.settling_since is None:
        return None
    expected = "seats settled from the highest down"
    turned = sorted((t, seat) for seat in r.dealt_seats if (t := turned_s(r, seat)) is not None)
    for (t, seat), (later, higher) in itertools.pairwise(turned):
        if higher > seat and later - t > 0.1:
            seen = f"seat {seat} was turned {later - t:.1f} s before seat {higher}"
            steps = [turn_step(r, seat), turn_step(r, higher)]
            return breach(expected, seen, steps, seat=seat, area=f"seat{seat}.cards")
    if not ctx.closing:
        return None
    if len(turned) < 2:
        return not_applicable("fewer than two hands were turned")
    areas = [area for seat in r.dealt_seats for area in r.seat_areas(seat)]
    gap = hidden(ctx, expected, areas, r.settling_since, turned[-1][0])
    if gap is not None:
        return gap
    if any(higher > seat for (_t, seat), (_l, higher) in itertools.pairwise(turned)):
        return undetermined(expected, "which of two seats was turned first")
    return compliant(
        expected, "seats " + " ".join(str(seat) for _, seat in turned), [turn_step(r, s) for _, s in turned]
    )


def revealed_by_dealer(ctx: Context, seat: int) -> Outcome | None:
    """The dealer turns the player's cards (e.g. 669a.11(i))."""
    r = ctx.round
    t = turned_s(r, seat)
    if t is None or not is_done(ctx, seat):
        return None
    expected = "the cards turned by the dealer"
    hands = [
        s
        for s in r.hands.get(f"seat{seat}.cards", ())
        if isinstance(s.event, HandOver) and s.event.since_s - 0.3 <= t <= s.event.t_s + 1.0
    ]
    steps = [turn_step(r, seat), *hands]
    sides = {s.event.side for s in hands if isinstance(s.event, HandOver)}
    if Side.DEALER in sides:
        return compliant(expected, "so turned", steps)
    if sides == {Side.PLAYER}:
        return breach(expected, "turned by the player", steps, area=f"seat{seat}.cards")
    return undetermined(expected, "whose hand turned the cards", steps) if ctx.closing else None


def wager_order(groups: Mapping[str, int], words: tuple[str, ...], *, before_system: int) -> Judge:
    """Within a seat the wagers are settled group by group.

    Args:
        groups: wager and the number of its group.
        words: the groups in words, in their order.
        before_system: so many of the groups are settled before what a system pays ("after settling a player's Ante, Bet and Caribbean Stud Bonus Wagers",
            639a.11(c)(5), (6)); among themselves and with the groups that follow these have no order.
    """
    expected = ", then ".join(words)
    after = " and ".join(words[:before_system])

    def judge(ctx: Context, seat: int) -> Outcome | None:
        r = ctx.round
        since = turned_s(r, seat)
        if since is None or not is_done(ctx, seat):
            return None
        acts: list[tuple[float, int, Step]] = []
        unsure: dict[int, Step] = {}
        for name, group in groups.items():
            wager = r.wager(seat, name)
            if wager is None:
                continue
            if wager.removed is not None and wager.taken_by is None and wager.removed.t_s > since:
                unsure[group] = wager.removed
            steps = [*wager.payouts, *([wager.removed] if wager.removed and wager.taken_by is Side.DEALER else [])]
            steps = [step for step in steps if step.t_s > since]
            if steps:
                acts.append((steps[0].t_s, group, steps[0]))
        acts.sort(key=lambda act: (act[0], act[2].index))
        for (t, group, step), (later, lower, other) in itertools.pairwise(acts):
            if lower < group and later - t > 0.3:
                seen = f"{words[group]} {later - t:.1f} s before {words[lower]}"
                return breach(expected, seen, [step, other])
        paid = [(step, name) for step, name in _paid_by_system(ctx, seat, groups) if step.t_s > since]
        for step, name in paid:
            late = next((act for act in acts if act[1] < before_system and act[0] > step.t_s + SYSTEM_S), None)
            if late is not None:
                seen = f"{title(name)} paid {late[0] - step.t_s:.1f} s before {words[late[1]]}"
                return breach(f"{after} settled before what the system pays", seen, [step, late[2]])
        settled = {group for _, group, _ in acts} | ({len(words)} if paid else set())
        if len(settled | unsure.keys()) < 2:
            return not_applicable("one kind of wager was paid or collected") if ctx.closing else None
        if unsure:
            return undetermined(expected, "whose hand took the chips", unsure.values()) if ctx.closing else None
        steps = [*(step for _, _, step in acts), *(step for step, _ in paid)]
        return compliant(expected, "so settled", steps) if ctx.closing else None

    return judge


def _paid_by_system(ctx: Context, seat: int, groups: Mapping[str, int]) -> list[tuple[Step, str]]:
    """What was paid to a seat for its own hand on wagers of a progressive or electronic system, but those in groups; an envy bonus is won by another's hand."""
    r = ctx.round
    wagered = any(event.seat == seat for _, event in ctx.outside(ElectronicWagerAccepted))
    bonuses = ctx.outside(BonusPaid) if wagered else []  # else it may have been won in the round before
    told = [(step, event.wager) for step, event in bonuses if event.seat == seat and event.wager != "envy"]
    for name, wager in r.table.law.wagers.items():
        if wager.kind == "progressive" and name not in groups:
            area = f"seat{seat}.{name}"
            told += [(step, name) for life in r.wagers.get(area, ()) for step in life.payouts]
            told += [(step, name) for step in r.unplaced.get(area, ()) if isinstance(step.event, PayoutPlaced)]
    return sorted(told, key=lambda one: (one[0].t_s, one[0].index))


def _racked_early(ctx: Context) -> tuple[int, Step, Step] | None:
    """A seat that played whose cards all went to the rack before a wager of it was paid or collected, with the last card and that act."""
    r = ctx.round
    for seat in r.dealt_seats:
        cards = r.group_cards(f"seat{seat}")
        gone = [card.removed for card in cards if card.removed is not None and card.to_area == "discard_rack"]
        decision = r.table.law.decision
        played = decision is None or r.wager(seat, decision) is not None
        if not played or len(gone) < len(cards) or len(gone) != r.table.law.player_cards:
            continue
        racked = max(gone, key=lambda step: (step.t_s, step.index))
        made = [life for name in r.table.law.wagers if (life := r.wager(seat, name)) is not None]
        acts = [step for life in made for step in life.payouts]
        acts += [
            life.removed
            for life in made
            if life.removed is not None and life.taken_by is Side.DEALER and not life.payouts
        ]
        late = [step for step in acts if step.t_s > racked.t_s + RACKED_S]
        if late:
            return seat, racked, min(late, key=lambda step: (step.t_s, step.index))
    return None


def racked_by_hand(ctx: Context, _: int) -> Outcome | None:
    """After settling, the cards go to the rack hand by hand (e.g. 669a.11(j))."""
    r = ctx.round
    since = r.settling_since
    if since is None or not ctx.closing:
        return None
    expected = "all cards to the discard rack after settling, hand by hand"
    gone = sorted(
        ((c.removed.t_s, c.home, c.removed, c.to_area) for c in r.cards.values() if c.removed is not None),
        key=lambda item: (item[0], item[2].index),
    )
    early = _racked_early(ctx) if not ctx.void_due else None
    if early is not None:
        seat, racked, act = early
        gap = hidden(ctx, expected, r.seat_areas(seat), racked.t_s, act.t_s)
        seen = f"seat {seat}'s cards {act.t_s - racked.t_s:.1f} s before its wagers were settled"
        return gap or breach(expected, seen, [racked, act], seat=seat, area=f"seat{seat}.cards")
    standing = [c for c in r.cards.values() if c.area is not None and c.face is Face.UP]
    if not r.cards_gone or standing:
        return undetermined(expected, "the end of the round; not all cards were seen to leave")
    gap = hidden(ctx, expected, (), since, r.now_s)
    if gap is not None:
        return gap
    astray = [(step, home, to) for _, home, step, to in gone if to in ELSEWHERE]
    if astray:
        step, home, to = astray[0]
        return breach(expected, f"a card went to the {to.replace('_', ' ')}", [step], area=home)
    if any(to != "discard_rack" for _, _, _, to in gone):
        return undetermined(expected, "where some of the cards went")
    homes = [group_of(home) for _, home, _, _ in gone]
    times = [t for t, *_ in gone]
    first: dict[str, int] = {}
    for i, home in enumerate(homes):
        before = first.get(home)
        if before is not None and any(homes[j] != home and times[i] - times[j] > 0.5 and times[j] - times[before] > 0.5 for j in range(before + 1, i)):  # fmt: skip
            return undetermined(expected, "whether hands were mixed on the way to the rack", [item[2] for item in gone])
        first.setdefault(home, i)
    return compliant(expected, "so racked", [item[2] for item in gone])
