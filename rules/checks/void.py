"""A round that the chapter voids does not go on: no card is turned, nothing is paid or collected (.13)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rules.books import remembered
from rules.checks.base import Context, Judge, Outcome, breach, compliant, not_applicable, undetermined
from rules.checks.dealt_sides import face_down_seat
from rules.events import ElectronicWagerAccepted, PayoutPlaced, Side, WagerRemoved, seat_of, wager_of
from rules.findings import Verdict
from rules.records import Step
from rules.rounds import Round

VOID_OR_NOT = "whether the round is settled or void"


def kept_void(
    ctx: Context, expected: str, steps: Sequence[Step], since_s: float, live: Iterable[str] = ()
) -> Outcome | None:
    """A void round does not go on: no card is turned, nothing is paid or collected.

    Where `live` names wagers that are settled even so, a card that is turned says nothing.
    """
    r = ctx.round
    live = tuple(live)
    turned = next((step for step, _ in r.shown if step.t_s > since_s), None) if not live else None
    if turned is not None:
        return breach(expected, f"play went on: a card was turned at {turned.t_s:.1f} s", [*steps, turned])
    settled = settlement_after(r, since_s) if not live else [s for s in settled_steps(r, live) if s.t_s > since_s]
    if settled:
        return breach(expected, f"wagers were settled from {settled[0].t_s:.1f} s on", [*steps, settled[0]])
    if not ctx.closing:
        return None
    back = [w.removed for seat in r.dealt_seats for w in r.base_wagers(seat) if w is not None]
    taken = [s for s in back if s is not None and isinstance(s.event, WagerRemoved) and s.event.by is Side.PLAYER]
    if back and len(taken) == len(back):
        return compliant(expected, "the players took their wagers back", [*steps, *taken])
    return undetermined(expected, "where every wager went", steps)


def unless_void(ctx: Context, outcome: Outcome | None) -> Outcome | None:
    """What a check of a payout found, left open where the round is void: every wager is returned then, and nothing is owed."""
    if outcome is None or not ctx.void_due or outcome.verdict not in (Verdict.BREACH, Verdict.COMPLIANT):
        return outcome
    return undetermined(outcome.expected, VOID_OR_NOT, outcome.steps, area=outcome.area)


@remembered
def settled_steps(r: Round, but: Sequence[str] = ()) -> list[Step]:
    """Payouts, and wagers taken by the dealer, in the order of time; those of the wagers in `but` left out."""
    found = []
    for area, lives in r.wagers.items():
        if wager_of(area) in but:
            continue
        for life in lives:
            found += life.payouts
            if life.removed is not None and life.taken_by is Side.DEALER:
                found.append(life.removed)
    return sorted(found, key=lambda step: (step.t_s, step.index))


def settlement_after(r: Round, since_s: float) -> list[Step]:
    """What shows that a void round was settled after a time, in order: payouts, and wagers taken by the dealer once a hand was shown or a wager paid.

    That the dealer's hand took chips does not show it alone: he may give them back with it. So may he the chips of a progressive wager, which
    were collected before the deal.
    """
    paid = [step for lives in r.wagers.values() for life in lives for step in life.payouts]
    paid += [step for steps in r.unplaced.values() for step in steps if isinstance(step.event, PayoutPlaced)]
    paid = [step for step in paid if step.t_s > since_s and not _may_give_back(r, step)]
    seats = [card for seat in r.dealt_seats for card in r.group_cards(f"seat{seat}")]
    if paid or any(card.turned is not None and card.turned.t_s > since_s for card in seats):
        paid += [step for step in settled_steps(r) if step.t_s > since_s and isinstance(step.event, WagerRemoved)]
    return sorted(paid, key=lambda step: (step.t_s, step.index))


def _may_give_back(r: Round, paid: Step) -> bool:
    """Whether chips that the dealer laid may be those of a progressive wager, as many as its system took or nobody knows how many."""
    event = paid.event
    assert isinstance(event, PayoutPlaced)
    law = r.table.law.wagers.get(wager_of(event.area) or "")
    if law is None or law.kind != "progressive":
        return False
    told = [one.event for one in r.external if isinstance(one.event, ElectronicWagerAccepted)]
    stakes = {one.amount_cents for one in told if (one.seat, one.wager) == (seat_of(event.area), law.name)}
    return event.amount_cents is None or not stakes or event.amount_cents in stakes


EXPECTED = "every hand void and every wager returned after {}"
NOTHING: Mapping[str, str] = {}


def goes_on_after(triggers: Sequence[str], what: str, words: Mapping[str, str] = NOTHING) -> Judge:
    """A round that the chapter voids after a breach of other checks does not go on.

    Args:
        triggers: the checks whose every breach voids it; others say so themselves (`Outcome.voids`).
        what: that breach in words, e.g. "a hole card was exposed early".
        words: those of others by their checks.
    """

    def judge(ctx: Context, _: int) -> Outcome | None:
        broken = [name for name in (*triggers, *ctx.voided) if name in ctx.breaches and "-STUB-" not in name]
        if not broken:
            return after_exposed_card(ctx) or (not_applicable(f"not the case that {what}") if ctx.closing else None)
        shown = [step for step, _ in ctx.round.shown]
        expected = EXPECTED.format(words.get(broken[0], what))
        return kept_void(ctx, expected, shown[:1], min(ctx.breaches[name] for name in broken))

    return judge


def after_exposed_card(ctx: Context) -> Outcome | None:
    """After a player's card was dealt face up the round does not go on, where the text is read so (ALL-A5)."""
    if ctx.table.reading("exposed_player_card") != "void":
        return None
    for seat in ctx.round.dealt_seats:
        dealt = face_down_seat(ctx, seat)
        if dealt is not None and dealt.verdict is Verdict.BREACH:
            last_s = max(step.t_s for step in dealt.steps)
            return kept_void(ctx, EXPECTED.format("a player's card was exposed in the deal"), dealt.steps, last_s)
    return None
