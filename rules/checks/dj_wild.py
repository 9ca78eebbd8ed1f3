"""What only DJ Wild has: five cards in one go, the extra card, cards revealed before the raises (687a.8-.13)."""

from __future__ import annotations

import itertools
from dataclasses import replace

from rules.catalogue import METHODS
from rules.checks.base import Check, Context, Outcome, absent, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.conduct import over_inventory
from rules.checks.deal_order import followed, why_not_followed
from rules.checks.dealing import deal_areas, deal_window, dealer_count, fewer_reaches, too_early, visited
from rules.checks.dealt_sides import face_down, face_down_seat
from rules.checks.decision import STILL_S, Decision
from rules.checks.progressive_deal import accepted, stake
from rules.checks.progressive_facts import payments, total_paid
from rules.checks.sequence import comes, order, served
from rules.checks.settle_order import turn_step, turned_s
from rules.checks.void import kept_void
from rules.events import DeviceJammed, Face, Side
from rules.findings import Verdict
from rules.house_events import WagersCollected, WagersLocked
from rules.money import format_cents
from rules.records import VERDICT_CONFIDENCE, Step
from rules.rounds import Round

DECISION = Decision("DJW", "raise", forfeited=("bad_beat",), stays=("trips", "progressive"))
LIVE = ("progressive", "trips")
"""Wagers settled although the round is void (687a.13(d))."""
MISDEAL = "DJW-IRR-COUNT-DLR"
UNIT_CENTS = {"1": 100, "2": 500}
"""The progressive wager of each paytable (687a.12(c))."""


def five_in_one_go(ctx: Context, seat: int) -> Outcome | None:
    """Five cards to a player before the next (687a.8(d)); one card at a time is another reading (DJW-A20)."""
    outcome = order()(ctx, seat)
    if outcome is None or outcome.verdict is not Verdict.BREACH:
        return outcome
    names = [name for name, _ in served(ctx.round) if name.startswith("seat")]
    seats = [f"seat{number}" for number in ctx.round.dealt_seats]
    if names != seats * ctx.table.law.player_cards:
        return outcome
    value = ctx.table.reading("djw.deal")
    reading = f"djw.deal={value}"
    if value == "single":
        return compliant("one card at a time, clockwise", "so dealt", outcome.steps, readings=(reading,))
    return replace(
        outcome, seen="dealt one card at a time", seat=None, area=None, readings=(reading,), alternatives=("djw.deal=single",)
    )  # fmt: skip


def players_down(ctx: Context, seat: int) -> Outcome | None:
    """A player's card dealt face up is revealed before the raises, which voids the round (687a.8(d), .13(d))."""
    outcome = face_down_seat(ctx, seat)
    return _voiding(outcome)


def _voiding(outcome: Outcome | None) -> Outcome | None:
    if outcome is None or outcome.verdict is not Verdict.BREACH:
        return outcome
    return replace(outcome, voids=True)


def dealers_cards(ctx: Context, _: int) -> Outcome | None:
    """The dealer's cards come after the players', face down (687a.8(e), DJW-A10)."""
    place = comes("dealer", after=("seats",))(ctx, 0)
    if place is not None and place.verdict is Verdict.BREACH:
        return place
    cards = [card for card in ctx.round.dealer_cards if ctx.round.is_dealt(card)]
    down = _voiding(face_down(ctx, cards, "dealer", ctx.table.law.dealer_cards)) if cards else None
    if down is not None and down.verdict is not Verdict.COMPLIANT:
        return down
    return place


def extra_card(ctx: Context, _: int) -> Outcome | None:
    """One card face down in its area after the dealer's, where the Progressive needs it (687a.8(f), .10(c), DJW-A8)."""
    r = ctx.round
    if too_early(ctx):
        return None
    cards = r.group_cards("extra")
    wagered = any(stake(ctx, "progressive", seat) is not None for seat in r.dealt_seats)
    by_wager = ctx.table.dealing == "automated_shoe" or ctx.table.reading("djw.extra_card") == "wagered"
    due = wagered if by_wager else ctx.table.offers("progressive")
    expected = "one card face down in the area of the extra card, after the dealer's"
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    steps = [card.placed for card in cards]
    if not cards:
        if due:
            return undetermined(expected, "a card in the area of the extra card") if ctx.closing else None
        return not_applicable("no progressive wager") if ctx.closing else None
    if len(cards) > 1:
        reaches, untold = visited(r, cards, "extra")
        if reaches and reaches + untold < len(cards):
            return undetermined(expected, fewer_reaches(len(cards), reaches), steps)
        if len(followed(r, steps)) < len(cards):
            return undetermined(expected, why_not_followed(r, steps), steps)
        return breach(expected, f"{len(cards)} cards", steps, area=cards[1].home)
    if cards[0].face_placed is Face.UP and r.is_dealt(cards[0]):
        return breach(expected, "dealt face up", steps, area=cards[0].home)
    place = comes("extra", after=("dealer",))(ctx, 0)
    if place is not None and place.verdict is Verdict.BREACH:
        return replace(place, expected=expected)
    return compliant(expected, "so placed", steps)


def dealers_count(ctx: Context, seat: int) -> Outcome | None:
    """The dealer has five cards; another number is a misdeal by § 687a.8(i), of which .13(c) is silent (DJW-A16)."""
    outcome = dealer_count(ctx, seat)
    if outcome is None or outcome.verdict is not Verdict.BREACH:
        return outcome
    value = ctx.table.reading("djw.dealer_count_void")
    return replace(outcome, readings=(f"djw.dealer_count_void={value}",), voids=value == "true")


def progressive_unit(ctx: Context, seat: int) -> Outcome | None:
    """The progressive wager is that of the paytable: 1.00 or 5.00 (687a.12(c))."""
    made, name = stake(ctx, "progressive", seat), ctx.table.paytables.get("progressive")
    if made is None or name not in UNIT_CENTS:
        return None
    step, cents = made
    expected = f"a Progressive Wager of {format_cents(UNIT_CENTS[name])}"
    if cents is None:
        return undetermined(expected, "the amount of the wager", [step]) if ctx.closing else None
    if cents == UNIT_CENTS[name]:
        return compliant(expected, "so wagered", [step])
    return breach(expected, f"{format_cents(cents)} wagered", [step], area=f"seat{seat}.progressive")


def trips_stay(ctx: Context, seat: int) -> Outcome | None:
    """A fold does not forfeit Trips: it is not collected with the fold (687a.11(b)(1))."""
    r = ctx.round
    end, wager = r.settling_since, r.wager(seat, "trips")
    if end is None or wager is None or r.wager(seat, DECISION.wager) is not None:
        return None
    expected = "Trips of the folded hand left for settlement"
    first = min((step.t_s for step, _ in r.dealer_reveals), default=end)
    gone = wager.removed if wager.removed is not None and wager.removed.t_s < end else None
    if gone is not None and wager.taken_by is Side.DEALER:
        if gone.t_s < first - STILL_S:
            return breach(expected, f"collected at {gone.t_s:.1f} s", [wager.placed, gone], area=wager.area)
        return undetermined(
            expected, "whether it was collected with the fold, or when the dealer's cards lay open", [gone]
        )
    gap = hidden(ctx, expected, [wager.area], wager.placed.t_s, end)
    if gap is None and gone is not None and wager.taken_by is None and gone.t_s < first - STILL_S:
        return undetermined(expected, "whose hand took the chips", [gone])
    return gap or compliant(expected, "it stayed", [wager.placed])


def start_game(ctx: Context, _: int) -> Outcome | None:
    """With a progressive wager on a sensor the dealer presses Start Game and collects the wagers (687a.8(c), .9(b))."""
    r = ctx.round
    taken = accepted(ctx, "progressive")
    if r.first_card is None or (r.deal_over is None and not ctx.closing):
        return None
    if not taken:
        return not_applicable("no progressive wager") if ctx.closing else None
    expected = "Start Game pressed and the Progressive Wagers collected before the deal"
    kept: list[Step] = []
    acts = (
        (WagersLocked, "Start Game was pressed", "whether Start Game was pressed"),
        (WagersCollected, "the wagers were collected", "whether the wagers were collected"),
    )
    for kind, words, missing in acts:
        told = [step for step, event in ctx.outside(kind) if getattr(event, "wager", "") == "progressive"]
        early = [step for step in told if step.t_s <= r.first_card.t_s]
        if early:
            kept += early[:1]
        elif told:
            seen = f"{words} {told[0].t_s - r.first_card.t_s:.1f} s after the first card"
            return breach(expected, seen, [r.first_card, told[0]])
        elif not ctx.closing:
            return None
        else:
            open_ = absent(ctx, expected, kind.kind, missing, taken[0][0].t_s, r.first_card.t_s)
            return open_ or breach(expected, f"dealt before {words}", [taken[0][0], r.first_card])
    return compliant(expected, "so done", kept)


def fold_progressive(ctx: Context, seat: int) -> Outcome | None:
    """Whether a folded hand qualifies for the Progressive is the house's choice, and the same for all (687a.11(b)(3))."""
    made, paid = stake(ctx, "progressive", seat), payments(ctx, "progressive", seat)
    if made is None or ctx.round.folded(seat) is not True:
        return not_applicable("no progressive wager of a folded hand")
    qualifies = ctx.table.folded_qualify
    expected = (
        f"a folded hand {'qualifying' if qualifies else 'not qualifying'} for the Progressive, as the house chose"
    )
    steps = [made[0], *(payment.step for payment in paid)]
    if qualifies is None:
        return undetermined(
            "folded hands treated as the house chose", "that choice (folded_hands_qualify_progressive)", steps
        )
    if qualifies:
        return not_applicable("it qualifies; see the check of the amount")
    if paid:
        return breach(expected, "paid", steps, owed_cents=0, paid_cents=total_paid(paid))
    return compliant(expected, "not paid", steps)


def exposed(ctx: Context, _: int) -> Outcome | None:
    """After a card was revealed before the raises the round is void, but Progressive and Trips are settled (687a.13(d))."""
    r = ctx.round
    expected = (
        "every hand void and Ante, Blind, Raise and Bad Beat returned after a card was revealed before the raises"
    )
    broken = [name for name in ("DJW-REVEAL-WHEN", *ctx.voided) if name in ctx.breaches and not _counts(name)]
    if broken:
        shown = [step for step, _ in r.dealer_reveals]
        return kept_void(ctx, expected, shown[:1], min(ctx.breaches[name] for name in broken), LIVE)
    own, unsure = _player_card_shown(ctx)
    if own is not None:
        return kept_void(ctx, expected, [own], own.t_s, LIVE)
    if not ctx.closing:
        return None
    if unsure:
        return undetermined(expected, "whose hand revealed the card, and whether a player raised after that", unsure)
    return not_applicable("no card was revealed early")


def _player_card_shown(ctx: Context) -> tuple[Step | None, list[Step]]:
    """A player's card turned before another decided, by a raise or a fold that was said: by the dealer it voids the round, by the player as DJW-A18 is read."""
    r = ctx.round
    raises = [w.placed for s in r.dealt_seats if (w := r.wager(s, DECISION.wager)) is not None]
    folds = [step for s in r.dealt_seats for step in DECISION.announced(r, s)]
    last = max((step.t_s for step in (*raises, *folds)), default=None)
    surely = max((step.t_s for step in (*filter(_surely_a_players, raises), *folds)), default=0.0)
    own_voids = ctx.table.reading("djw.own_exposure_voids") == "true"
    unsure: list[Step] = []
    for seat in r.dealt_seats:
        area = f"seat{seat}.cards"
        for card in r.seat_cards(seat):
            if card.turned is None or last is None or card.turned.t_s > last - STILL_S:
                continue
            if card.turned.t_s > surely - STILL_S:
                unsure.append(card.turned)
                continue
            hands = r.over(area, card.turned.t_s - 0.3, card.turned.t_s + STILL_S)
            sides = {step.side for step in hands}
            if Side.DEALER in sides and Side.PLAYER not in sides:
                return card.turned, []
            if sides == {Side.PLAYER}:
                if own_voids:
                    return card.turned, []
                continue
            unsure.append(card.turned)
    return None, unsure


def _surely_a_players(raised: Step) -> bool:
    """Whether a player surely laid these chips: what the dealer lays there is a payment on a raise that was not made out."""
    return raised.by is Side.PLAYER and raised.event.confidence >= VERDICT_CONFIDENCE


def _counts(name: str) -> bool:
    """Whether a check is of how many cards there are, not of one that was revealed."""
    return name == MISDEAL or "-STUB-" in name


def settled_if_void(ctx: Context, name: str) -> bool:
    """Progressive and Trips are settled where only revealed cards void the round (687a.13(d))."""
    only = {"DJW-REVEAL-WHEN", "DJW-IRR-EXPOSED", *(n for n in ctx.voided if not _counts(n))}
    causes = {n for n in ctx.breaches if n in ctx.voiding or n in ctx.voided}
    jams = [step.event for step in ctx.round.external if isinstance(step.event, DeviceJammed)]
    jammed = any(jam.device == "shoe" for jam in jams)
    return name in LIVE and bool(causes) and causes <= only and not jammed


# -- settlement in its order ----------------------------------------------------------------------------------------------


def seat_order(ctx: Context, _: int) -> Outcome | None:
    """Seats from the dealer's right, counterclockwise; 687a.11(e) contradicts itself (DJW-A7)."""
    r = ctx.round
    if r.settling_since is None or not ctx.closing:
        return None
    way = ctx.table.reading("djw.settle_order")
    turned = sorted((t, seat) for seat in r.dealt_seats if (t := turned_s(r, seat)) is not None)
    seats = [seat for _, seat in turned]
    expected = f"seats settled in the order {' '.join(map(str, _in_order(seats, way)))}"
    if len(seats) < 2:
        return not_applicable("fewer than two hands were turned")
    gap = hidden(ctx, expected, [a for s in r.dealt_seats for a in r.seat_areas(s)], r.settling_since, turned[-1][0])
    if gap is not None:
        return gap
    steps = [turn_step(r, seat) for seat in seats]
    readings = (f"djw.settle_order={way}",)
    seen = f"seats {' '.join(map(str, seats))}"
    if seats == _in_order(seats, way):
        return compliant(expected, seen, steps, readings=readings)
    if any(b - a <= 0.1 for (a, _), (b, _) in itertools.pairwise(turned)):
        return undetermined(expected, "which of two seats was turned first", steps)
    others = [other for other in ("right_ccw", "left_cw", "literal") if seats == _in_order(seats, other)]
    early = next(a for a, b in zip(seats, _in_order(seats, way), strict=True) if a != b)
    found = breach(expected, seen, steps, seat=early, area=f"seat{early}.cards", readings=readings)
    return replace(found, alternatives=tuple(f"djw.settle_order={other}" for other in others))


def _in_order(seats: list[int], way: str) -> list[int]:
    rising = sorted(seats)
    if way == "left_cw":
        return rising
    return rising[::-1] if way == "right_ccw" else [rising[0], *rising[:0:-1]]


def _acts(r: Round, seat: int, since_s: float) -> list[Step]:
    """Payouts to a seat and wagers taken from it by the dealer in settlement, in order."""
    found: list[Step] = []
    for wager in r.table.law.wagers:
        for life in r.wagers.get(f"seat{seat}.{wager}", ()):
            found += [step for step in life.payouts if step.t_s > since_s]
            if life.removed is not None and life.taken_by is Side.DEALER and life.removed.t_s > since_s:
                found.append(life.removed)
    return sorted(found, key=lambda step: (step.t_s, step.index))


def one_at_a_time(ctx: Context, _: int) -> Outcome | None:
    """One player's wagers are resolved before the next one's (687a.11(e))."""
    r = ctx.round
    since = r.settling_since
    if since is None or not ctx.closing:
        return None
    expected = "one player's wagers settled before the next one's"
    acts = sorted(((step.t_s, seat, step) for seat in r.dealt_seats for step in _acts(r, seat, since)), key=lambda a: (a[0], a[2].index))  # fmt: skip
    runs = [(seat, [step for *_, step in group]) for seat, group in itertools.groupby(acts, key=lambda act: act[1])]
    first: dict[int, list[Step]] = {}
    for (_, before), (seat, steps) in itertools.pairwise([(0, []), *runs]):
        if seat in first and steps[0].t_s - before[-1].t_s > 0.3 and before[0].t_s - first[seat][-1].t_s > 0.3:
            seen = f"seat {seat} at {steps[0].t_s:.1f} s, after another seat was begun"
            return breach(expected, seen, [*first[seat], *before, *steps], seat=seat, area=f"seat{seat}.cards")
        first.setdefault(seat, steps)
    if len(first) < 2:
        return not_applicable("fewer than two seats were settled")
    return compliant(expected, "so settled", [step for *_, step in acts])


def evaluated(ctx: Context, seat: int) -> Outcome | None:
    """A player's cards are turned before the wagers are settled (687a.11(e))."""
    r = ctx.round
    since, turned = r.settling_since, turn_step(r, seat)
    if since is None or not ctx.closing or turned is None:
        return None
    expected = "the cards turned before the wagers are settled"
    acts = _acts(r, seat, since)
    if not acts:
        return not_applicable("nothing was paid or collected")
    if acts[0].t_s < turned.t_s - 0.3:
        return breach(expected, f"settled {turned.t_s - acts[0].t_s:.1f} s before", [acts[0], turned], area=f"seat{seat}.cards")  # fmt: skip
    return compliant(expected, "so done", [turned, acts[0]])


def dealing_checks(dealing: str) -> tuple[Check, ...]:
    """The deal for one dealing method."""
    m = f"DJW-{METHODS[dealing]}"
    deal = {"manual_shoe": Check("DJW-DEAL-STACK", five_in_one_go), "hand": Check("DJW-HD-STACK", five_in_one_go)}
    held = (Check("DJW-AS-REMAIN", over_inventory),) if dealing == "automated_shoe" else ()
    start = () if dealing == "automated_shoe" else (Check(f"{m}-STARTGAME", start_game),)
    return (
        *held,
        *start,
        deal.get(dealing, Check("DJW-AS-ORDER", order())),
        Check(f"{m}-DOWN", players_down, per_seat=True),
        Check(f"{m}-DEALER", dealers_cards),
        Check(f"{m}-EXTRA", extra_card),
    )
