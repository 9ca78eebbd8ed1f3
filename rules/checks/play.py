"""Play Wagers and folds: how much, how often, when, and what is collected."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from rules.books import STREETS
from rules.checks.absence import reached
from rules.checks.base import Check, Context, Outcome, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.patrons import unless_forfeit
from rules.checks.progressive import payments
from rules.checks.progressive_deal import stake
from rules.checks.void import unless_void
from rules.checks.wagers import locked_wagers_kept
from rules.events import CardRemoved, DecisionAnnounced, Side
from rules.findings import Verdict
from rules.money import format_cents
from rules.records import Step, Wager
from rules.rounds import Round

KEPT = 'no wager made, increased or withdrawn after "no more bets"'
MULTIPLES = {1: (1, 2, 3), 2: (1, 2), 3: (1,)}
"""Multiples of the Ante that each decision allows (669a.11(b), (d), (f))."""
STILL_S = 1.0
"""A Play Wager is judged once it lay for this long."""


def _street(ctx: Context, play: Wager) -> int:
    """The decision a Play Wager belongs to; after a card exposed early it is still the decision that it cut short."""
    street = ctx.round.street_at(play.placed.t_s)
    for early in (1, 2, 3):
        if street == early + 1 and f"RIU-C{early}-WHEN" in ctx.breaches:
            return early
    return min(street, 3)


def amount(street: int) -> Check:
    """A Play Wager is a multiple of the Ante that the decision allows (669a.11(b), (d), (f))."""

    def judge(ctx: Context, seat: int) -> Outcome | None:
        r = ctx.round
        play = r.wager(seat, "play")
        if play is None or (not ctx.closing and r.now_s < play.placed.t_s + STILL_S):
            return None
        if r.street_at(play.placed.t_s) > 3 and "RIU-C3-WHEN" not in ctx.breaches and not ctx.closing:
            return None
        if _street(ctx, play) != street:
            return None
        return _amount(ctx, seat, play, street)

    return Check(f"RIU-PLAY-AMT-{street}", judge, per_seat=True)


def _amount(ctx: Context, seat: int, play: Wager, street: int) -> Outcome | None:
    r = ctx.round
    words = " or ".join(("one", "two", "three")[m - 1] for m in MULTIPLES[street])
    expected = f"a Play Wager of {words} time{'s' if street < 3 else ''} the Ante"
    ante = r.wager(seat, "ante")
    steps = [ante.placed if ante else None, play.placed, play.totals[-1][0]]
    if ante is None or r.first_card is None:
        return undetermined(expected, "the Ante Wager", steps)
    gap = hidden(ctx, expected, (ante.area, play.area), play.placed.t_s - STILL_S, play.placed.t_s + STILL_S)
    if gap is not None:
        return gap
    placed = [cents for step, cents in play.totals if r.street_at(step.t_s) == r.street_at(play.placed.t_s)][-1]
    stakes = {ante.amount_at(t) for t in (r.lock_s or 0.0, r.first_card.t_s, play.placed.t_s)}
    if placed is None or None in stakes:
        return undetermined(expected, "the amount of the Ante or Play Wager", steps)
    ratios = [Fraction(placed, cents) for cents in stakes if cents]
    times = ratios[-1] if ratios else Fraction(0)
    if any(ratio in MULTIPLES[street] for ratio in ratios):
        seen = f"Play {format_cents(placed)}, {_times(times)} the Ante of {format_cents(int(placed / times))}"
        return compliant(expected, seen, steps)
    if len(stakes) > 1 or not ratios:
        return undetermined(expected, "which Ante Wager counts; it changed after the announcement", steps)
    after = r.reveal_s(street - 1) if street > 1 else None
    if after is not None and play.placed.t_s - after < 0.5 and times in MULTIPLES[street - 1]:
        return undetermined(expected, "whether the wager or the community card came first", steps)
    if not _cards_in_turn(r, play.placed.t_s) and times in MULTIPLES[1]:
        return undetermined(expected, "which community cards had been turned; not all were seen in turn", steps)
    if _may_be_the_decision_before(ctx, seat, street, times):
        return undetermined(expected, "whether the seat had decided before the community card was turned", steps)
    ante_cents = next(iter(stakes)) or 0
    seen = f"Play {format_cents(placed)} on an Ante of {format_cents(ante_cents)}: {_times(times)} the Ante"
    return breach(expected, seen, steps, area=play.area)


def _times(times: Fraction) -> str:
    return f"{float(times):g} times"


def _cards_in_turn(r: Round, until_s: float) -> bool:
    """Whether the community cards turned by then lie in the first boxes, so that none was missed."""
    turned = {card.home for step, card in r.reveals if step.t_s < until_s}
    return turned == set(STREETS[: len(turned)])


def _may_be_the_decision_before(ctx: Context, seat: int, street: int, times: Fraction) -> bool:
    """Whether the wager fits the decision before, and the seat was not seen to have made that one."""
    r = ctx.round
    if street == 1 or times not in MULTIPLES[street - 1] or ctx.table.reading("decision.inference") != "signals":
        return False
    until = r.reveal_s(street - 1)
    since = r.reveal_s(street - 2) if street > 2 else (r.deal_over.t_s if r.deal_over else None)
    if until is None or since is None:
        return True
    return not r.touched(f"seat{seat}.cards", since, until, Side.PLAYER) and not _announced(r, seat, since, until)


def _announced(r: Round, seat: int, since_s: float, until_s: float) -> bool:
    return any(
        isinstance(s.event, DecisionAnnounced) and s.event.seat == seat and since_s < s.t_s <= until_s
        for s in r.decisions
    )


def once(ctx: Context, seat: int) -> Outcome | None:
    """One Play Wager a round (669a.7(d)(2), reading riu.play_wagers)."""
    r = ctx.round
    play = r.wager(seat, "play")
    if play is None:
        return None
    value = ctx.table.reading("riu.play_wagers")
    reading = f"riu.play_wagers={value}"
    if value == "multiple":
        return not_applicable("the house allows a Play Wager at each decision") if ctx.closing else None
    expected = "one Play Wager a round"
    end = r.settling_since
    first = r.street_at(play.placed.t_s)
    added: list[Step] = []
    unsure: list[Step] = []
    before = play.totals[0][1]
    for step, cents in play.totals[1:]:
        known = cents is not None and before is not None
        grown = not known or (cents or 0) > (before or 0)
        by = step.by
        if grown and by is not Side.DEALER and r.street_at(step.t_s) > first and (end is None or step.t_s < end):
            (added if known and by is Side.PLAYER else unsure).append(step)
        before = cents
    if added:
        seen = f"the Play Wager was raised at {added[0].t_s:.1f} s, at a later decision"
        return breach(expected, seen, [play.placed, *added], area=play.area, readings=(reading,))
    if end is None and not ctx.closing:
        return None
    gap = hidden(ctx, expected, (play.area,), play.placed.t_s, end if end is not None else r.now_s)
    if gap is None and unsure:
        return undetermined(expected, "whose hand added chips to the Play Wager, or how many", unsure)
    return gap or compliant(expected, "one", [play.placed], readings=(reading,))


def _taken(r: Round, seat: int) -> list[Step]:
    """The removals of Ante and Blind by the dealer, where both were."""
    found = []
    for wager in r.base_wagers(seat):
        if wager is None or wager.removed is None or wager.taken_by is not Side.DEALER:
            return []
        found.append(wager.removed)
    return found


def fold_only_third(ctx: Context, seat: int) -> Outcome | None:
    """A player folds at the third decision only (669a.11(b), (d), (f))."""
    r = ctx.round
    if seat not in r.dealt_seats:
        return None
    expected = "no fold before the 5th Street card"
    second = r.reveal_s(2)
    if r.settling_since is None or second is None:
        return (
            undetermined(expected, "whether all community cards were seen when they were turned")
            if ctx.closing
            else None
        )
    for step in r.decisions:
        event = step.event
        if (
            step.t_s < second
            and isinstance(event, DecisionAnnounced)
            and (event.seat, event.decision) == (seat, "fold")
        ):
            return breach(expected, f"a fold announced at {step.t_s:.1f} s", [step])
    taken = _taken(r, seat)
    if taken and r.wager(seat, "play") is None and not ctx.void_due:
        last = max(step.t_s for step in taken)
        if last < second:
            early = breach(expected, f"Ante and Blind were collected at {last:.1f} s", [*taken, r.reveals[1][0]])
            return unless_forfeit(ctx, seat, early)
    gap = hidden(ctx, expected, r.seat_areas(seat), r.first_card.t_s if r.first_card else 0.0, second)
    base = [w for w in r.base_wagers(seat) if w is not None and w.taken_by is None]
    gone = [w.removed for w in base if w.removed is not None and w.removed.t_s < second]
    if gap is None and gone and r.wager(seat, "play") is None and not ctx.void_due:
        return undetermined(expected, "whose hand took the Ante and the Blind", gone) if ctx.closing else None
    return gap or compliant(expected, "none")


def fold_collected(ctx: Context, seat: int) -> Outcome | None:
    """Ante and Blind of a fold are collected at once (669a.11(f))."""
    r = ctx.round
    third = r.settling_since
    if third is None or seat not in r.dealt_seats or r.wager(seat, "play") is not None:
        return None
    expected = "Ante and Blind of the folded hand collected before the 6th Street card"
    base = [w for w in r.base_wagers(seat) if w is not None]
    if not base:
        return None
    gap = hidden(ctx, expected, r.seat_areas(seat), r.reveal_s(2) or 0.0, third)
    if gap is not None:
        return gap
    taken = _taken(r, seat)
    if taken and max(step.t_s for step in taken) <= third + STILL_S:
        return compliant(expected, "collected", taken)
    announced = [s for s in r.decisions if isinstance(s.event, DecisionAnnounced) and s.event.seat == seat and s.event.decision == "fold"]  # fmt: skip
    cards = r.group_cards(f"seat{seat}")
    racked = [c.removed for c in cards if c.removed is not None and c.removed.t_s <= third]
    if len(racked) < len(cards) or r.unplaced.get(f"seat{seat}.play"):
        racked = []
    back = [w.removed for w in base if w.removed is not None and w.taken_by is Side.PLAYER]
    gone = announced or racked
    if gone and len(back) == len(base) and not ctx.void_due:
        return breach(expected, "the player took them back", [*gone, *back])
    if announced and any(w.removed is None or w.removed.t_s > third + STILL_S for w in base) and not ctx.void_due:
        return breach(
            expected, "they still lay there when the 6th Street card was turned", [*announced, r.reveals[2][0]]
        )
    return undetermined(expected, "whether the seat folded; no Play Wager was seen") if ctx.closing else None


def fold_cards(ctx: Context, seat: int) -> Outcome | None:
    """A folded hand is racked, but stays where a bonus still needs it (669a.11(f))."""
    r = ctx.round
    third = r.settling_since
    if third is None or r.folded(seat) is not True or seat not in r.dealt_seats:
        return None
    bonus = _bonuses(ctx, seat)
    cards = r.seat_cards(seat)
    racked = [
        c.removed
        for c in cards
        if c.removed is not None
        and c.removed.t_s <= third
        and isinstance(c.removed.event, CardRemoved)
        and c.to_area == "discard_rack"
    ]
    words = " and ".join(sorted(name.replace("_", " ") for name in bonus))
    expected = f"the folded hand left on the table for the {words}" if bonus else "the folded hand in the discard rack"
    gap = hidden(ctx, expected, r.seat_areas(seat), r.reveal_s(2) or 0.0, third)
    if gap is not None:
        return gap
    if bonus:
        six = r.wager(seat, "six_card_bonus")
        live = "progressive" in bonus or (six is not None and six.removed is None)
        if racked and len(racked) == len(cards) and live:
            early = breach(expected, "racked before the 6th Street card", [*bonus.values(), *racked])
            return unless_forfeit(ctx, seat, early)
        turned = [c.turned for c in cards if c.turned is not None and c.turned.t_s > third]
        if turned:
            return compliant(expected, "they lay there at settlement", turned)
        return undetermined(expected, "where the cards were at settlement") if ctx.closing else None
    if racked and len(racked) == len(cards):
        return compliant(expected, "racked", racked)
    shown = [c.turned for c in cards if c.turned is not None and c.turned.t_s > third]
    names = [w.name for w in ctx.table.law.wagers.values() if w.kind in ("optional", "progressive")]
    standing = any(_may_stand(r, seat, name) for name in names)
    if shown and len(shown) == len(cards) and ctx.closing and not standing:
        return breach(expected, "turned at settlement although no bonus stands", shown)
    return undetermined(expected, "where the folded cards went") if ctx.closing else None


def _may_stand(r: Round, seat: int, name: str) -> bool:
    """Whether a wager stands, or chips for it may lie there that were not made out."""
    area = f"seat{seat}.{name}"
    return r.wager(seat, name) is not None or bool(r.unplaced.get(area) or reached(r, area))


def _bonuses(ctx: Context, seat: int) -> dict[str, Step]:
    """The wagers for which a folded hand stays on the table, with the events that tell of them."""
    r = ctx.round
    found = {}
    six = r.wager(seat, "six_card_bonus")
    if six is not None and r.locked(six):
        found["six_card_bonus"] = six.placed
    electronic = stake(ctx, "progressive", seat)
    if electronic is not None:
        found["progressive"] = electronic[0]
    return found


def fold_no_progressive(ctx: Context, seat: int) -> Outcome | None:
    """A folded player is paid no Progressive Payout (669a.11(g))."""
    r = ctx.round
    wager = stake(ctx, "progressive", seat)
    if r.folded(seat) is not True or wager is None:
        return None
    expected = "no Progressive Payout after a fold"
    paid = [payment.step for payment in payments(ctx, "progressive", seat)]
    if paid:
        return unless_void(ctx, breach(expected, f"paid at {paid[0].t_s:.1f} s", paid, area=f"seat{seat}.progressive"))
    return compliant(expected, "none", [wager[0]]) if ctx.closing else None


def wagers_kept(ctx: Context, seat: int) -> Outcome | None:
    """Nothing is made, increased or withdrawn once wagers are locked; a Play Wager may be made then, not taken back (669a.7(c), .11(b), (d), (f))."""
    found, play = locked_wagers_kept(ctx, seat), ctx.round.wager(seat, "play")
    if play is None or (found is not None and found.verdict is Verdict.BREACH):
        return found
    unsure: list[Step] = []
    for turned, step, what in _taken_back(ctx, seat, play):
        gap = hidden(ctx, KEPT, [play.area], turned.t_s, step.t_s)
        if gap is not None:
            return gap
        if what:
            return breach(KEPT, f"Play Wager {what} at {step.t_s:.1f} s", [play.placed, turned, step], area=play.area)
        unsure.append(step)
    kept = found is not None and found.verdict is Verdict.COMPLIANT
    return undetermined(KEPT, "whose hand took chips of the Play Wager, and why", unsure) if kept and unsure else found


def _taken_back(ctx: Context, seat: int, play: Wager) -> Iterator[tuple[Step, Step, str]]:
    """Chips of a Play Wager that left after a community card was turned, while others were still to be turned: that card, and what the player did.

    That is "" where a wrong amount may have been put right, or chips changed for others.
    """
    r, ante = ctx.round, ctx.round.wager(seat, "ante")
    lawful = ante is not None and any(play.totals[0][1] == m * (ante.stake_cents or 0) for m in MULTIPLES[1])
    again = any(life.placed.t_s > play.placed.t_s for life in r.wagers.get(play.area, ()))
    left: list[tuple[Step, str]] = []
    for (_, before), (step, cents) in pairwise(play.totals):
        if before is not None and cents is not None and cents < before:
            left.append((step, f"decreased from {format_cents(before)} to {format_cents(cents)}"))
    left += [(play.removed, "withdrawn")] if play.removed is not None else []
    for step, what in left:
        turned = [s for s, _ in r.reveals if play.placed.t_s < s.t_s < step.t_s - STILL_S / 2]
        goes_on = any(s.t_s > step.t_s for s, _ in r.reveals)
        if turned and goes_on and not ctx.void_due and step.by is not Side.DEALER:
            yield turned[0], step, what if step.by is Side.PLAYER and lawful and not again else ""


CHECKS = (
    *(amount(street) for street in (1, 2, 3)),
    Check("RIU-PLAY-ONCE", once, per_seat=True),
    Check("RIU-FOLD-ONLY3", fold_only_third, per_seat=True),
    Check("RIU-FOLD-COLLECT", fold_collected, per_seat=True),
    Check("RIU-FOLD-CARDS", fold_cards, per_seat=True),
    Check("RIU-FOLD-PROG", fold_no_progressive, per_seat=True),
)
