"""Wagers before the deal: which are needed, how much, and that nothing changes once they are locked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rules.checks.absence import missed
from rules.checks.base import Check, Context, Outcome, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.dealing import base_in_words, cards_of
from rules.checks.settle_order import title
from rules.events import DecisionAnnounced, Side, WagerPlaced, WagerRemoved, seat_of, wager_of
from rules.money import format_cents
from rules.records import Step, Wager
from rules.rounds import Round

LOCK_GRACE_S = 1.0
"""Chips that come to rest this soon after the announcement may have left the hand before it."""
WHO_OR_WHEN = "whose hand changed the chips, or whether it was before the announcement"
NEXT_ROUND = (
    "whether the round was still played: none of its wagers lay any more, and not all its cards were seen to go"
)
HOW_MUCH = "what a changed wager amounts to, and so whether anything was added or taken"


def base_placed(ctx: Context, seat: int) -> Outcome | None:
    """Every wager that a hand needs stands for a seat that was dealt in (e.g. 669a.7(d)(1))."""
    r = ctx.round
    if seat not in r.dealt_seats:
        return None
    law = ctx.table.law
    expected = f"{' and '.join(f'{article(name)} {title(name)}' for name in law.base)} Wager before the deal"
    wagers = r.base_wagers(seat)
    steps = [w.placed for w in wagers if w is not None]
    if all(r.locked(w) for w in wagers):
        return (
            compliant(expected, "both stand" if len(law.base) == 2 else "so placed", steps)
            if r.deal_over or ctx.closing
            else None
        )
    if not ctx.closing:
        return None
    if not any(r.locked(w) for w in wagers):
        return not_applicable("neither stands; see the check of who is dealt to")
    traces = [step for name in law.base for step in r.traces(seat, name)]
    if traces:
        return undetermined(expected, "when the chips that were taken away later had been placed", [*steps, *traces])
    if any(w is not None and not r.locked(w) for w in wagers):
        return undetermined(expected, "when the other wager was placed", steps)
    areas = [f"seat{seat}.{name}" for name in law.base]
    gap = hidden(ctx, expected, areas, r.steps[0].t_s, r.now_s)
    if gap is not None or any(w is not None and w.carried for w in wagers):
        return gap or undetermined(expected, "whether the chips left from the round before are a wager", steps)
    if cards_of(r, seat) != ctx.table.law.player_cards:
        return undetermined(expected, "whether the seat was dealt in", steps)
    unseen = missed(ctx, seat, [name for name, wager in zip(law.base, wagers, strict=True) if wager is None])
    if unseen is not None:
        why, signs = unseen
        return undetermined(expected, why, [*steps, *signs])
    seen = " and ".join(title(name) for name, wager in zip(law.base, wagers, strict=True) if wager is not None)
    return breach(expected, f"only the {seen} Wager, and the seat was dealt in", steps)


def article(wager: str) -> str:
    """ "a" or "an" before a wager's name."""
    return "an" if wager[0] in "aeiou" else "a"


def blind_equals_ante(ctx: Context, seat: int) -> Outcome | None:
    """The Blind is as high as the Ante when the cards come (e.g. 669a.7(d)(1))."""
    r = ctx.round
    ante, blind = r.wager(seat, "ante"), r.wager(seat, "blind")
    if r.first_card is None or (r.deal_over is None and not ctx.closing):
        return None
    if ante is None or blind is None or not r.locked(ante) or not r.locked(blind) or seat not in r.dealt_seats:
        return not_applicable("not both wagers stand") if ctx.closing else None
    expected = "a Blind Wager equal to the Ante Wager"
    lock, first = r.lock_s or r.first_card.t_s, r.first_card.t_s
    steps = [*_told(ante, first), *_told(blind, first)]
    gap = hidden(ctx, expected, (ante.area, blind.area), min(ante.placed.t_s, blind.placed.t_s), first)
    if gap is not None:
        return gap
    pairs = {(ante.amount_at(t), blind.amount_at(t)) for t in (lock, first)}
    if any(a is None or b is None for a, b in pairs):
        return undetermined(expected, "the amount of the Ante or Blind Wager", steps)
    a, b = ante.amount_at(first) or 0, blind.amount_at(first) or 0
    if any(x == y for x, y in pairs):
        return compliant(expected, f"both {format_cents(a)}", steps)
    if ante.carried or blind.carried:
        return undetermined(expected, "whether the chips left from the round before are a wager", steps)
    seen = f"Ante {format_cents(a)}, Blind {format_cents(b)}"
    return breach(expected, seen, steps, area=blind.area)


def _told(wager: Wager, until_s: float) -> list[Step]:
    """The event that says how much lay there at a time."""
    told = [step for step, _ in wager.totals if step.t_s <= until_s]
    return told[-1:] or [wager.placed]


def locked_wagers_kept(ctx: Context, seat: int) -> Outcome | None:
    """Nothing but the decision's wager is made, increased or withdrawn once wagers are locked (e.g. 669a.7(c))."""
    names = [w.name for w in ctx.table.law.wagers.values() if w.kind in ("base", "optional")]
    return kept(ctx, seat, names)


def kept(ctx: Context, seat: int, names: Sequence[str], movable: Sequence[str] = ()) -> Outcome | None:
    """Wagers of a seat stay as they were locked; of those in `movable` chips may be taken away."""
    r = ctx.round
    if r.first_card is None:
        return None
    lock, first = r.lock_s or r.first_card.t_s, r.first_card.t_s
    end = r.settled_from
    until = end if end is not None else r.now_s
    expected = 'no wager made, increased or withdrawn after "no more bets"'
    unsure: list[tuple[Step, str]] = []
    for name in names:
        for life in r.wagers.get(f"seat{seat}.{name}", ()):
            late, doubts = _changes(ctx, life, lock, first, until, may_go=name in movable)
            unsure += doubts
            if late is not None:
                step, what = late
                gap = hidden(ctx, expected, [life.area], min(lock, first), step.t_s)
                if gap is not None:
                    return gap
                locked = r.first_card if lock == first else r.no_more_bets
                steps = [locked, *_told(life, lock), step]
                return breach(expected, f"{title(name)} {what}", steps, area=life.area)
    taken = _decision_taken_back(ctx, seat, until)
    if taken is not None:
        made, passed, gone = taken
        gap = hidden(ctx, expected, [made.area], made.placed.t_s, gone.t_s)
        seen = f"{title(wager_of(made.area) or '')} Wager withdrawn at {gone.t_s:.1f} s, {_what_followed(passed)}"
        return gap or breach(expected, seen, [made.placed, passed, gone], area=made.area)
    if end is None and not ctx.closing:
        return None
    areas = [f"seat{seat}.{name}" for name in names]
    if not any(r.wager(seat, name) for name in names):
        return not_applicable("no wagers")
    gap = hidden(ctx, expected, areas, lock, until)
    if gap is not None:
        return gap
    if unsure:
        missing = ", and ".join(dict.fromkeys(what for _, what in unsure))
        return undetermined(expected, missing, [step for step, _ in unsure])
    return compliant(expected, "no change", [r.no_more_bets])


def kept_undealt(prefix: str) -> Check:
    """The check that a seat without cards took no wager back between "no more bets" and the first card (e.g. 669a.7(c)); what it does once it was passed over is none of the round."""

    def judge(ctx: Context, seat: int) -> Outcome | None:
        r, lock, first = ctx.round, ctx.round.no_more_bets, ctx.round.first_card
        if seat in r.dealt_seats or lock is None or first is None or r.lock_s != lock.t_s or ctx.void_due:
            return None
        expected = 'no wager withdrawn after "no more bets"'
        for name in (w.name for w in ctx.table.law.wagers.values() if w.kind in ("base", "optional")):
            lives = r.wagers.get(f"seat{seat}.{name}", [])
            for number, life in enumerate(lives):
                gone = life.removed
                if gone is None or life.carried or life.placed.by is not Side.PLAYER or gone.by is not Side.PLAYER:
                    continue
                again = any(r.locked(other) for other in lives[number + 1 :])
                if not again and life.placed.t_s <= lock.t_s and lock.t_s + LOCK_GRACE_S < gone.t_s <= first.t_s:
                    gap = hidden(ctx, expected, [life.area], lock.t_s, gone.t_s)
                    seen = f"{title(name)} Wager withdrawn {gone.t_s - lock.t_s:.1f} s after it"
                    return gap or breach(expected, seen, [life.placed, lock, gone, first], area=life.area)
        return None

    return Check(f"{prefix}-WAG-LOCK", judge, per_seat=True, at_close=True, scope="undealt", skipped=True)


def _decision_taken_back(ctx: Context, seat: int, until: float) -> tuple[Wager, Step, Step] | None:
    """A wager of the decision that its player withdrew once the turn was over, with what showed that and the withdrawal; play went on.

    Another player made his wager, one after him was said to decide or had his wagers collected as a fold's, folds were collected and nobody was to decide after him (e.g. 639a.11(c)), or a card of the dealer's was shown.
    """
    r, name = ctx.round, ctx.table.law.decision
    made = r.wager(seat, name) if name is not None else None
    if name is None or made is None or made.removed is None or ctx.void_due:
        return None
    gone = made.removed
    again = r.wagers[made.area][-1] is not made
    if Side.PLAYER is not made.placed.by or Side.PLAYER is not gone.by or gone.t_s >= until or again:
        return None
    others = [other for other in r.dealt_seats if other != seat]
    raised = {other: w.placed for other in others if (w := r.wager(other, name)) is not None}
    signs = [step for step in raised.values() if step.by is Side.PLAYER]
    later = [other for other in others if other > seat]
    signs += [step for step in r.decisions if isinstance(step.event, DecisionAnnounced) and step.event.seat in later]
    last = all(other in raised for other in later)
    folds = [w for other in (others if last else later) if other not in raised for w in r.base_wagers(other)]
    signs += [w.removed for w in folds if w is not None and w.removed is not None and w.taken_by is Side.DEALER]
    signs += [step for step, _ in r.dealer_reveals]
    passed = [s for s in signs if made.placed.t_s < s.t_s < gone.t_s - LOCK_GRACE_S]
    goes_on = any(shown.t_s > gone.t_s for shown, _ in r.shown)
    return (made, min(passed, key=lambda step: step.t_s), gone) if passed and goes_on else None


def _what_followed(step: Step) -> str:
    """What showed that a turn was over, in words."""
    if isinstance(step.event, WagerRemoved):
        return "after the wagers of a fold were collected"
    if isinstance(step.event, WagerPlaced):
        return "after the next player's"
    return "after the next player decided" if isinstance(step.event, DecisionAnnounced) else "after the dealer's card"


def _changes(
    ctx: Context, life: Wager, lock: float, first: float, until: float, *, may_go: bool = False
) -> tuple[tuple[Step, str] | None, list[tuple[Step, str]]]:
    """The first change of a locked wager by a player, and those of which something is not sure, with what."""
    unsure: list[tuple[Step, str]] = []
    before: int | None = None
    lay: Mapping[str, int] = {}
    for number, (step, amount) in enumerate(life.totals):
        lies: Mapping[str, int] = dict(getattr(step.event, "chips", None) or ())
        t = step.t_s
        if lock < t < until and not life.carried:
            if step.by is not Side.PLAYER or (t <= first and t - lock <= LOCK_GRACE_S):
                unsure.append((step, WHO_OR_WHEN))
            elif number == 0 and ctx.round.cleared(t):
                unsure.append((step, NEXT_ROUND))
            elif number == 0:
                return (step, f"Wager of {_money(amount)} made at {t:.1f} s"), unsure
            elif may_go and before is not None and amount is not None and amount < before:
                pass
            elif before is None or amount is None:
                what = _changed_by_chips(lay, lies)
                if what is None or (may_go and what.startswith("decreased")):
                    unsure.append((step, HOW_MUCH))
                else:
                    return (step, f"Wager {what} at {t:.1f} s"), unsure
            elif before == amount:
                unsure.append((step, HOW_MUCH))
            else:
                word = "increased" if amount > before else "decreased"
                return (step, f"Wager {word} from {_money(before)} to {_money(amount)} at {t:.1f} s"), unsure
        before, lay = amount, lies
    gone = life.removed
    if gone is not None and not may_go and lock < gone.t_s < until and isinstance(gone.event, WagerRemoved):
        if gone.t_s <= first and (life.carried or life.placed.t_s > lock):
            return None, unsure
        if gone.t_s <= first and gone.t_s - lock <= LOCK_GRACE_S:
            return None, [*unsure, (gone, WHO_OR_WHEN)]
        goes_on = any(s.t_s > gone.t_s for s, _ in ctx.round.shown) and not _folds(ctx, life.area, gone.t_s)
        if gone.event.by is Side.PLAYER and goes_on and not ctx.void_due:
            return (gone, f"Wager withdrawn at {gone.t_s:.1f} s"), unsure
        if gone.event.by is None:
            unsure.append((gone, WHO_OR_WHEN))
    return None, unsure


def _folds(ctx: Context, area: str, until_s: float) -> bool:
    """Whether the seat was said to fold before, or its cards were racked; what becomes of its wagers is judged there."""
    r, seat, decision = ctx.round, seat_of(area), ctx.table.law.decision
    if seat is not None and decision is not None and r.wager(seat, decision) is None:
        cards = r.seat_cards(seat)
        if cards and all(card.removed is not None and card.to_area == "discard_rack" for card in cards):
            return True
    return any(
        isinstance(step.event, DecisionAnnounced)
        and (step.event.seat, step.event.decision) == (seat_of(area), "fold")
        and step.t_s <= until_s
        for step in ctx.round.decisions
    )


def _changed_by_chips(before: Mapping[str, int], now: Mapping[str, int]) -> str | None:
    """What became of a wager of unknown worth, where chips came and none went or the other way; empty = chips unknown."""
    old, new = Counter(before), Counter(now)
    if not old or not new or (old < new) == (new < old):
        return None
    return f"{'increased' if old < new else 'decreased'} from {_chips(before)} to {_chips(now)} chips"


def _chips(chips: Mapping[str, int]) -> str:
    return " and ".join(f"{count} {color}" for color, count in sorted(chips.items()))


def _money(amount: int | None) -> str:
    return "an unknown amount" if amount is None else format_cents(amount)


GRACE_S = 1.0
"""Chips of a base wager may come to rest this much after another wager of the seat was told."""


def base_after(r: Round, seat: int, step: Step) -> tuple[Wager | None, bool]:
    """The base wager that a seat placed later than another wager, None where none was; and whether it is open if one was.

    Open where a base wager was not seen, or chips that lay there before were replaced.
    """
    base = r.base_wagers(seat)
    late = next((w for w in base if w is not None and not w.carried and w.placed.t_s > step.t_s + GRACE_S), None)
    first_s = r.first_card.t_s if r.first_card is not None else r.now_s
    if late is None or seat not in r.dealt_seats or r.gap(r.seat_areas(seat), 0.0, first_s) is not None:
        return None, late is not None or any(w is None for w in base)
    if any(life.placed.t_s <= step.t_s + GRACE_S for life in r.wagers.get(late.area, ())):
        return None, True
    return late, False


def follows_base(ctx: Context, seat: int, step: Step, words: str) -> Outcome | None:
    """Whether an additional wager came "after placing" the base wagers (e.g. 639a.7(d)(3)); None while it is too early."""
    r = ctx.round
    if r.first_card is None or (r.deal_over is None and not ctx.closing):
        return None
    names = base_in_words(ctx.table.law.base)
    expected = f"{words} after {names}"
    late, is_open = base_after(r, seat, step)
    if late is not None:
        seen = f"placed {late.placed.t_s - step.t_s:.1f} s before the {title(wager_of(late.area) or '')}"
        return breach(expected, seen, [step, late.placed], seat=seat, area=late.area)
    if is_open:
        return undetermined(expected, f"when {names} of the seat were placed", [step]) if ctx.closing else None
    return compliant(expected, "so placed", [step])


def offered(wager: str, check_id: str, *, after_base: bool = False) -> Check:
    """The check that an optional wager is placed only where the Rules Submission offers it (e.g. 669a.7(d)(3), (5)).

    Args:
        wager: its name.
        check_id: its row of the catalogue.
        after_base: the chapter lets it be made after the base wagers only.
    """

    def judge(ctx: Context, seat: int) -> Outcome | None:
        placed = ctx.round.wager(seat, wager)
        expected = f"{title(wager)} Wagers only where the Rules Submission offers them"
        if placed is None:
            return not_applicable("no such wager") if ctx.closing else None
        if ctx.table.offers(wager):
            if after_base and not placed.carried and seat in ctx.round.dealt_seats:
                return follows_base(ctx, seat, placed.placed, f"{article(wager)} {title(wager)} Wager")
            return compliant(expected, "offered", [placed.placed]) if not after_base or ctx.closing else None
        if seat not in ctx.round.dealt_seats:
            return None
        return breach(expected, f"a {title(wager)} Wager, which is not offered", [placed.placed], area=placed.area)

    return Check(check_id, judge, per_seat=True)
