"""The community cards: turned only when everyone has decided, into the right box, and what follows an early one.

Checks are not seen with certainty: a tap may be missed. Where the house requires hand signals (reading
decision.inference = signals) a seat without one has not been seen to decide; only what it does after the card was
turned proves that it had not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from rules import arrivals
from rules.books import STREETS
from rules.checks.base import (
    Check,
    Context,
    Outcome,
    breach,
    compliant,
    hidden,
    not_applicable,
    seats_in_words,
    street_name,
    undetermined,
)
from rules.checks.deal_order import SAME_MOMENT_S, followed
from rules.checks.dealt_sides import face_down_community, lay_up
from rules.checks.void import after_exposed_card, kept_void, settlement_after
from rules.events import DecisionAnnounced, Face, HandOver, Side, WagerRemoved, group_of
from rules.findings import Verdict
from rules.records import CardSeen, Step
from rules.rounds import Round

LATE_S = 1.0
"""Chips and a card within this time have no sure order."""
PLACED_S = 1.5
"""A community card may be slid into its box this long after it was turned."""


@dataclass(frozen=True, slots=True)
class _Act:
    seat: int
    t_s: float
    what: str
    step: Step


def _acts(r: Round, seat: int, since_s: float, until_s: float) -> list[_Act]:
    """What a seat did within a time: hands over its cards, a Play Wager, an announced decision."""
    found = []
    for step in r.touched(f"seat{seat}.cards", since_s, float("inf"), Side.PLAYER):
        middle = _middle_s(step)
        if since_s < middle <= until_s:
            found.append(_Act(seat, middle, "hand", step))
    for life in r.wagers.get(f"seat{seat}.play", ()):
        if since_s < life.placed.t_s <= until_s and life.placed.by is not Side.DEALER:
            found.append(_Act(seat, life.placed.t_s, "play", life.placed))
    for step in r.decisions:
        event = step.event
        if isinstance(event, DecisionAnnounced) and event.seat == seat and since_s < step.t_s <= until_s:
            found.append(_Act(seat, step.t_s, event.decision, step))
    return sorted(found, key=lambda act: (act.t_s, act.step.index))


def _middle_s(step: Step) -> float:
    """The middle of a hand's stay: the moment of the tap, as well as it can be told."""
    event = step.event
    return (event.since_s + event.t_s) / 2 if isinstance(event, HandOver) else event.t_s


def _opened_s(r: Round, street: int) -> float | None:
    """When a decision opened: the last card dealt, or the community card before."""
    if street > 1:
        return r.reveal_s(street - 1)
    dealt = [card.placed.t_s for card in r.dealt] + [step.t_s for step in r.stack_units]
    return max(dealt) if dealt else None


def _to_decide(r: Round, street: int, opened_s: float) -> list[int]:
    """Seats that the question goes to: dealt in, no Play Wager yet, not folded before."""
    seats = []
    for seat in r.dealt_seats:
        play = r.wager(seat, "play")
        if play is not None and play.placed.t_s <= opened_s:
            continue
        out = [w.removed.t_s for w in r.base_wagers(seat) if w is not None and w.removed is not None]
        if len(out) == len(r.base_wagers(seat)) and max(out) <= opened_s:
            continue
        seats.append(seat)
    return seats


def _decision(r: Round, seat: int, street: int, opened_s: float, until_s: float) -> _Act | None:
    """The act with which a seat decided within a time; looking at the cards after the deal is none."""
    acts = _acts(r, seat, opened_s, until_s)
    sure = [act for act in acts if act.what != "hand"]
    if sure:
        return sure[0]
    if street == 3:
        out = [w.removed for w in r.base_wagers(seat) if w is not None and w.removed is not None]
        out = [step for step in out if opened_s < step.t_s <= until_s]
        if out:
            return _Act(seat, out[0].t_s, "fold", out[0])
    hands = [act for act in acts if act.what == "hand"]
    looked = 1 if street == 1 else 0
    return hands[looked] if len(hands) > looked else None


def when(street: int) -> Check:
    """A community card is turned once every player has decided (669a.11(c), (e), (h))."""

    def judge(ctx: Context, _: int) -> Outcome | None:
        return _when(ctx, street)

    return Check(f"RIU-C{street}-WHEN", judge)


def _when(ctx: Context, street: int) -> Outcome | None:
    r = ctx.round
    expected = f"the {street_name(street)} card turned once every player had decided"
    if len(r.reveals) < street:
        return None
    turned, card = r.reveals[street - 1]
    later = [c.placed for c in r.dealt if c.placed.t_s > turned.t_s and c.card_id != card.card_id]
    surely = followed(r, later)
    if street == 1 and surely and r.first_card is not None:
        return breach(expected, "turned before the cards were dealt", [turned, *surely])
    opened = _opened_s(r, street)
    if opened is None or opened > turned.t_s:
        return undetermined(expected, "when the decision opened", [turned])
    seats = _to_decide(r, street, opened)
    if not seats:
        return compliant(expected, "no player had a decision left", [turned])
    areas = [area for seat in seats for area in r.seat_areas(seat)]
    gap = hidden(ctx, expected, areas, opened, turned.t_s)
    if gap is not None:
        return gap
    decided = {s: act for s in seats if (act := _decision(r, s, street, opened, turned.t_s)) is not None}
    open_seats = [seat for seat in seats if seat not in decided]
    if not open_seats:
        seen = f"{seats_in_words(seats)} had decided"
        return compliant(expected, seen, [*(act.step for act in decided.values()), turned])
    late = [made for seat in open_seats if street == 3 for made in _played_late(r, seat, turned)]
    if late:
        seen = f"turned at {turned.t_s:.1f} s, and a Play Wager of {late[0].t_s:.1f} s was settled"
        return breach(expected, seen, [turned, *late], area=card.home)
    reading = f"decision.inference={ctx.table.reading('decision.inference')}"
    proof = _proof(ctx, street, seats, open_seats, turned)
    if proof is not None:
        seat, why, steps = proof
        seen = f"turned at {turned.t_s:.1f} s, before seat {seat} had decided: {why}"
        return breach(
            expected, seen, [*(a.step for a in decided.values()), turned, *steps], area=card.home, readings=(reading,)
        )
    missing = f"no decision of {seats_in_words(open_seats)} was seen before the card was turned"
    return undetermined(expected, missing, [turned], readings=(reading,))


def _proof(
    ctx: Context, street: int, seats: list[int], open_seats: list[int], turned: Step
) -> tuple[int, str, list[Step]] | None:
    """What a seat did after the card that only a seat that had not decided does."""
    r = ctx.round
    if ctx.table.reading("decision.inference") != "signals" or seats[-len(open_seats) :] != open_seats:
        return None
    until = r.reveal_s(street + 1) or r.now_s
    areas = [area for seat in seats for area in r.seat_areas(seat)]
    if r.gap(areas, turned.t_s, until) is not None:
        return None
    if street == 3:
        for seat in open_seats:
            played = [act for act in _acts(r, seat, turned.t_s, until) if act.what in ("play", "fold")]
            if played:
                return seat, f"it decided at {played[0].t_s:.1f} s", [played[0].step]
        return None
    for seat in open_seats:
        acts = _acts(r, seat, turned.t_s, until)
        if not acts:
            continue
        before = [
            other[0]
            for s in _to_decide(r, street + 1, turned.t_s)
            if s < seat and s not in open_seats and (other := _acts(r, s, turned.t_s, until))
        ]
        if before:
            if all(acts[0].t_s < act.t_s for act in before):
                why = f"it decided at {acts[0].t_s:.1f} s, before seat {before[0].seat} was asked again"
                return seat, why, [acts[0].step, before[0].step]
        elif len(acts) > 1 and _before_the_next(ctx, street, acts[1]):
            why = f"it decided at {acts[0].t_s:.1f} s and again at {acts[1].t_s:.1f} s"
            return seat, why, [act.step for act in acts[:2]]
    return None


def _before_the_next(ctx: Context, street: int, act: _Act) -> bool:
    """Whether an act came before the card of the next box can have been turned, or none was turned any more.

    While the round goes on that may still be told; where the card after is another box's, the one between was missed.
    """
    reveals = ctx.round.reveals[street:]
    if not reveals:
        return ctx.closing
    turned, card = reveals[0]
    return act.t_s < turned.since_s and STREETS[street] in (card.home, card.area)


def _played_late(r: Round, seat: int, turned: Step) -> list[Step]:
    """The Play Wager that a player laid after the last community card and the dealer paid or collected, with that act: he took it for one in time."""
    play = r.wager(seat, "play")
    if play is None or play.placed.by is not Side.PLAYER or play.placed.t_s <= turned.t_s + LATE_S:
        return []
    acts = [*play.payouts, *([play.removed] if play.removed is not None and play.taken_by is Side.DEALER else [])]
    if not acts or r.cleared(play.placed.t_s) or r.gap(r.seat_areas(seat), turned.t_s, acts[0].t_s) is not None:
        return []
    return [play.placed, acts[0]]


def place(street: int) -> Check:
    """The community cards lie in their boxes (669a.11(c), (e), (h))."""

    def judge(ctx: Context, _: int) -> Outcome | None:
        r = ctx.round
        if len(r.reveals) < street:
            return None
        turned, card = r.reveals[street - 1]
        if not ctx.closing and len(r.reveals) == street and r.now_s < turned.t_s + PLACED_S:
            return None
        box = STREETS[street - 1]
        expected = f"community card {street} in the {street_name(street)} box"
        if any(c.turned is None and c.face.value == "up" for c in r.community_cards):
            return undetermined(expected, "which community card was turned first; one was dealt face up", [turned])
        gap = hidden(ctx, expected, STREETS, turned.t_s, turned.t_s + PLACED_S)
        if gap is not None:
            return gap
        where = card.area if card.area in STREETS else card.home
        if where == box:
            return _as_dealt(ctx, street, turned, card) or compliant(expected, "there", [turned])
        after = [step for step, other in r.reveals[street:] if box in (other.home, other.area)]
        if not after and len(r.reveals) < len(STREETS):
            return undetermined(expected, "whether the card in the right box had been turned before", [turned])
        seen = f"in the {street_name(STREETS.index(where) + 1)} box" if where in STREETS else f"at {where}"
        return breach(expected, seen, [step for step, _ in r.reveals], area=where)

    return Check(f"RIU-C{street}-PLACE", judge)


def _as_dealt(ctx: Context, street: int, turned: Step, card: CardSeen) -> Outcome | None:
    """The community cards are turned in the order in which they were dealt, where the text is read so (RIU-A11)."""
    r = ctx.round
    if ctx.table.reading("riu.community_order") == "any":
        return None
    expected = f"the community card dealt as number {street} turned as number {street}"
    dealt = [c for c in r.community_cards if r.is_dealt(c)]
    steps = [c.placed for c in dealt]
    stacked = any(group_of(step.area or "") == "community" for step in r.stack_units)
    close = any(later.t_s - sooner.t_s < SAME_MOMENT_S for sooner, later in pairwise(steps))
    strange = any(
        step.index in arrivals.anew(r) | arrivals.unbrought(r) or step.event.earliest_s is not None for step in steps
    )
    if stacked or close or strange or len(dealt) != ctx.table.law.community_cards or card not in dealt:
        return undetermined(expected, "in which order the community cards came", [turned, *steps])
    if dealt[street - 1].card_id == card.card_id:
        return None
    return breach(expected, "another one", [turned, *steps], area=card.home)


def dealt_face_down(ctx: Context, seat: int) -> Outcome | None:
    """The community cards are dealt face down (669a.8(d)(2)); one that shows its face in the deal voids the round (669a.13(d))."""
    outcome = face_down_community(ctx, seat)
    broken = outcome is not None and outcome.verdict is Verdict.BREACH
    return replace(outcome, voids=True) if outcome is not None and broken else outcome


def exposed(ctx: Context, _: int) -> Outcome | None:
    """After an early community card the round is void: play does not go on (669a.13(d))."""
    r = ctx.round
    expected = "every hand void and every wager returned after a community card was exposed early"
    early = [number for number in (1, 2, 3) if f"RIU-C{number}-WHEN" in ctx.breaches]
    if not early and r.flashed:
        return kept_void(ctx, expected, [r.flashed[0][0]], r.flashed[0][0].t_s)
    dealt_up = [name for name in ctx.voided if name.endswith("-DOWN")]
    if not early and dealt_up:
        up = [card.placed for card in r.community_cards if r.is_dealt(card) and card.face_placed is Face.UP]
        return kept_void(ctx, expected, up, ctx.voided[dealt_up[0]])
    if not early:
        return after_exposed_card(ctx) or (
            not_applicable("no community card was exposed early") if ctx.closing else None
        )
    turned, _card = r.reveals[early[0] - 1]
    since = ctx.breaches[f"RIU-C{early[0]}-WHEN"]
    if len(r.reveals) > early[0]:
        following = r.reveals[early[0]][0]
        if following.t_s > since:
            return breach(
                expected, f"play went on: the next card was turned at {following.t_s:.1f} s", [turned, following]
            )
    settled = settlement_after(r, since)
    if settled:
        return breach(expected, f"wagers were settled from {settled[0].t_s:.1f} s on", [turned, settled[0]])
    if not ctx.closing:
        return None
    back = [w.removed for seat in r.dealt_seats for w in r.base_wagers(seat) if w is not None]
    taken = [s for s in back if s is not None and isinstance(s.event, WagerRemoved) and s.event.by is Side.PLAYER]
    if back and len(taken) == len(back):
        return compliant(expected, "the players took their wagers back", [turned, *taken])
    return undetermined(expected, "where every wager went", [turned])


def face_down_while_deciding(ctx: Context, seat: int) -> Outcome | None:
    """After looking, the cards lie face down again (669a.11(b))."""
    r = ctx.round
    cards = [card for card in r.seat_cards(seat) if card.face_placed.value == "down"]
    first = r.reveal_s(1)
    if not cards or r.deal_over is None or first is None:
        return None
    expected = "the player's cards face down on the layout before the decision"
    gap = hidden(ctx, expected, [f"seat{seat}.cards"], r.deal_over.t_s, first)
    if gap is not None:
        return gap
    up = [card.turned for card in cards if card.turned is not None and card.turned.t_s <= first]
    if any(lay_up(r, card, first) for card in cards):
        return breach(
            expected, "a card was turned face up before the first community card", up, area=f"seat{seat}.cards"
        )
    if up:
        return undetermined(expected, "whether the card lay face down again when the player was asked", up)
    return compliant(expected, "none was turned", [card.placed for card in cards])


CHECKS = (
    *(when(street) for street in (1, 2, 3)),
    *(place(street) for street in (1, 2, 3)),
    Check("RIU-IRR-EXPOSED", exposed),
    Check("RIU-D1-FACEDOWN", face_down_while_deciding, per_seat=True),
)
