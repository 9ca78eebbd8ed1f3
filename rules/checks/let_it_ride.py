"""What only Let It Ride has: three bets of which two may be withdrawn, and two community cards (643a.7(d), .10, .11).

Letting a bet ride is silent. That a community card came too early is shown by what follows it: a withdrawal that the
dealer still attends to, cards dealt after it, or the second card at the heels of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules import arrivals
from rules.books import remembered
from rules.checks.base import (
    Check,
    Context,
    Judge,
    Outcome,
    absent,
    breach,
    compliant,
    hidden,
    not_applicable,
    undetermined,
)
from rules.checks.deal_order import followed
from rules.checks.dealing import deal_areas
from rules.checks.dealt_sides import lay_up
from rules.checks.settle_order import turned_s
from rules.checks.void import settled_steps
from rules.checks.wagers import base_placed, kept, kept_undealt
from rules.events import DecisionAnnounced, Face, Side, WagerDecreased
from rules.findings import Severity, Verdict
from rules.money import format_cents
from rules.records import CardSeen, Step, Wager
from rules.rounds import Round

BETS = ("bet1", "bet2", "bet3")
GRACE_S = 1.0
"""Chips and a card within this time have no sure order."""
BOTH_S = 3.0
"""Two bets that a player withdraws at one question leave this soon after one another."""
ASKED_LATE = "whether the seat had let Bet 1 ride, or was asked about it only after the first community card was turned"
HOW_MUCH = "how much of it was taken, if anything"
HANDED_S = 10.0
"""The dealer moves chips towards the player at most this long before they leave."""


def three_equal(ctx: Context, seat: int) -> Outcome | None:
    """Three equal wagers stand for a seat that was dealt in (643a.7(d))."""
    placed = base_placed(ctx, seat)
    if placed is None or placed.verdict is not Verdict.COMPLIANT:
        return placed
    r = ctx.round
    if r.first_card is None:
        return None
    first, lock = r.first_card.t_s, r.lock_s or r.first_card.t_s
    bets = [w for name in BETS if (w := r.wager(seat, name)) is not None]
    expected = "three equal wagers"
    gap = hidden(ctx, expected, [w.area for w in bets], min(w.placed.t_s for w in bets), first)
    if gap is not None:
        return gap
    then = [[w.amount_at(t) for w in bets] for t in (lock, first)]
    if any(cents is None for amounts in then for cents in amounts):
        return undetermined(expected, "the amount of every bet", [w.placed for w in bets])
    if any(len(set(amounts)) == 1 for amounts in then):
        return compliant(expected, f"three of {format_cents(then[-1][0] or 0)}", [w.placed for w in bets])
    if any(w.carried for w in bets):
        return undetermined(expected, "whether the chips left from the round before are a wager")
    seen = ", ".join(f"Bet {i} {format_cents(cents or 0)}" for i, cents in enumerate(then[-1], start=1))
    told = [step for w in bets for step, _ in w.totals if step.t_s <= first]
    return breach(expected, seen, told, area=bets[0].area)


def locked(ctx: Context, seat: int) -> Outcome | None:
    """Nothing is made or increased once wagers are locked, and no side wager withdrawn (643a.7(c))."""
    names = [w.name for w in ctx.table.law.wagers.values() if w.kind in ("base", "optional")]
    return _before_its_question(ctx, seat) or kept(ctx, seat, names, movable=BETS)


def _before_its_question(ctx: Context, seat: int) -> Outcome | None:
    """A breach where a player withdrew a bet before being asked about it (643a.7(c), .11(b), (d))."""
    r = ctx.round
    if r.first_card is None or ctx.void_due:
        return None
    expected = "no bet withdrawn before its player was asked about it"
    for bet, words in (("bet1", "the last card was dealt"), ("bet2", "the first community card was turned")):
        gone, moment = withdrawn(r, seat, bet), _too_soon(r, seat, bet)
        if gone is None or gone.removed is None or moment is None:
            continue
        gap = hidden(ctx, expected, [gone.area], r.first_card.t_s, moment.t_s)
        seen = f"Bet {bet[-1]} withdrawn {moment.t_s - gone.removed.t_s:.1f} s before {words}"
        return gap or breach(expected, seen, [gone.removed, moment], area=gone.area)
    return None


# -- the two decisions ------------------------------------------------------------------------------------------------


@remembered
def withdrawn(r: Round, seat: int, bet: str) -> Wager | None:
    """A bet that its player took away before settlement."""
    wager = r.wager(seat, bet)
    end = _settled_from(r)
    if wager is None or wager.removed is None or wager.taken_by is not Side.PLAYER:
        return None
    return wager if end is None or wager.removed.t_s < end else None


@remembered
def _too_soon(r: Round, seat: int, bet: str) -> Step | None:
    """What came after a bet was withdrawn though players are asked about it later only: a card dealt, or for Bet 2 the first community card turned.

    None where nothing did, or where the round did not go on.
    """
    gone = withdrawn(r, seat, bet)
    if gone is None or gone.removed is None or r.first_card is None or not r.reveals:
        return None
    if bet == "bet2" and len(r.reveals) < r.table.law.community_cards:
        return None  # which of them was turned is not known yet
    dealt = followed(r, [card.placed for card in r.cards.values() if _is_hand_card(r, card)])
    moment = r.reveals[0][0] if bet == "bet2" else max(dealt, key=lambda step: step.t_s, default=None)
    t = gone.removed.t_s
    if moment is None or not r.first_card.t_s + GRACE_S < t < moment.t_s - GRACE_S or t >= r.reveals[0][0].t_s:
        return None
    return moment


def _taken_by_nobody_known(r: Round, seat: int, bet: str, since_s: float, expected: str) -> Outcome | None:
    """Undetermined where a bet was taken away after a moment, before the seat's hand was turned for settlement, and nobody can tell by whom."""
    wager = r.wager(seat, bet)
    if wager is None or wager.removed is None or wager.taken_by is not None:
        return None
    until, t = turned_s(r, seat), wager.removed.t_s
    if t <= since_s or (until is not None and t >= until):
        return None
    return undetermined(expected, "whose hand took the chips", [wager.removed])


@remembered
def _settled_from(r: Round) -> float | None:
    """The first act of settlement after the second community card: a hand turned, a payout, a wager collected."""
    since = r.settling_since
    if since is None and r.reveals:
        since = r.reveals[0][0].t_s  # the second card was not seen to be turned: the first act after the first card
    if since is None:
        return None
    acts = [c.turned for c in r.cards.values() if c.home.startswith("seat") and c.turned is not None]
    acts += settled_steps(r)
    return min((step.t_s for step in acts if step.t_s > since), default=None)


def _handed(r: Round, wager: Wager) -> tuple[Step, ...]:
    """Hands of the dealer over a bet shortly before it left."""
    assert wager.removed is not None
    t = wager.removed.t_s
    return r.over(wager.area, t - HANDED_S, t + GRACE_S, Side.DEALER)


def _answers(r: Round, seat: int, number: int, until_s: float) -> list[Step]:
    """What a seat was told to have answered to the question of a bet, up to a time."""
    since = r.reveals[number - 2][0].t_s if number > 1 else float("-inf")
    return [
        step
        for step in r.decisions
        if isinstance(step.event, DecisionAnnounced) and step.event.seat == seat and since < step.t_s <= until_s
    ]


def _asked_again(r: Round, seat: int, since_s: float, until_s: float) -> bool:
    """Whether players were asked about Bet 2 between two times: one withdrew it, or answered a second time; or the seat withdrew it with the other."""
    for other in r.dealt_seats:
        gone = withdrawn(r, other, "bet2")
        end_s = until_s + BOTH_S if other == seat else until_s
        if gone is not None and gone.removed is not None and since_s < gone.removed.t_s <= end_s:
            return True
        if _answers(r, other, 1, since_s) and len(_answers(r, other, 1, until_s)) > len(_answers(r, other, 1, since_s)):
            return True
    return False


def rides(number: int) -> Judge:
    """A bet let ride stays to the end: once its community card lies open it is not taken back (643a.11(b)(1), (d)(1))."""
    bet = f"bet{number}"

    def judge(ctx: Context, seat: int) -> Outcome | None:
        r = ctx.round
        opened = r.reveal_s(number)
        if opened is None or r.wager(seat, bet) is None or seat not in r.dealt_seats:
            return None
        expected = f"Bet {number} left where it lay once the community card was turned"
        gone = withdrawn(r, seat, bet)
        if gone is not None and gone.removed is not None and gone.removed.t_s > opened + GRACE_S:
            hands = _handed(r, gone)
            said = _answers(r, seat, number, opened)
            if any(getattr(step.event, "decision", "") == "withdraw" for step in said):
                return not_applicable("the seat had said that it withdraws it")
            if hands and not said:
                if number == 1 and _asked_again(r, seat, opened, gone.removed.t_s):
                    return undetermined(expected, ASKED_LATE, [*hands, gone.removed])
                return not_applicable("the dealer moved it; see the check of the community card")
            if ctx.void_due:
                return undetermined(expected, "whether the round is void", [gone.removed])
            gap = hidden(ctx, expected, [gone.area], opened, gone.removed.t_s)
            if gap is not None:
                return gap
            seen = f"taken back {gone.removed.t_s - opened:.1f} s after it{', moved by the dealer' if hands else ''}"
            return breach(expected, seen, [*said, r.reveals[number - 1][0], *hands, gone.removed], area=gone.area)
        if gone is not None:
            return not_applicable("withdrawn before")
        end = _settled_from(r)
        if end is None and not ctx.closing:
            return None
        gap = hidden(ctx, expected, [f"seat{seat}.{bet}"], opened, end or r.now_s)
        gap = gap or _taken_by_nobody_known(r, seat, bet, opened, expected)
        return gap or compliant(expected, "it stayed", [r.reveals[number - 1][0]])

    return judge


def withdraws(number: int) -> Judge:
    """A bet is withdrawn whole: the dealer moves it, the player takes it away at once (643a.11(b)(2), (d)(2))."""
    bet = f"bet{number}"

    def judge(ctx: Context, seat: int) -> Outcome | None:
        r = ctx.round
        wager, first = r.wager(seat, bet), r.first_card
        if wager is None or first is None:
            return None
        expected = f"Bet {number} withdrawn whole, moved by the dealer"
        end = _settled_from(r)
        part = _part_taken(wager, first.t_s, end)
        if part is not None:
            step, before, after = part
            seen = f"{format_cents(before - after)} of {format_cents(before)} taken"
            return breach(expected, seen, [wager.placed, step], area=wager.area, severity=Severity.CRITICAL)
        gone = withdrawn(r, seat, bet)
        if gone is None or gone.removed is None:
            if end is None and not ctx.closing:
                return None
            lessened = _lessened(wager, first.t_s, end)
            return undetermined(expected, HOW_MUCH, [lessened]) if lessened else not_applicable("not withdrawn")
        opened = r.reveal_s(number)
        if opened is None and not ctx.closing:
            return None
        if _too_soon(r, seat, bet) is not None:
            return not_applicable("withdrawn before its question; see the check of locked wagers")
        hands = _handed(r, gone)
        if hands:
            return compliant(expected, "so withdrawn", [*hands, gone.removed])
        return undetermined(expected, "whether the dealer moved the chips", [gone.removed])

    return judge


def _takings(wager: Wager, since_s: float, until_s: float | None) -> Iterator[tuple[Step, int | None, int | None]]:
    """Where chips were taken from a bet, not by the dealer, who collects bets whole; and what lay there before and after, in cents, None where unknown."""
    before: int | None = None
    for step, cents in wager.totals:
        inside = since_s < step.t_s and (until_s is None or step.t_s < until_s)
        if inside and isinstance(step.event, WagerDecreased) and step.event.by is not Side.DEALER:
            yield step, before, cents
        before = cents


def _part_taken(wager: Wager, since_s: float, until_s: float | None) -> tuple[Step, int, int] | None:
    """What was left of a bet from which a part was taken."""
    for step, before, after in _takings(wager, since_s, until_s):
        if before is not None and after is not None and after < before:
            return step, before, after
    return None


def _lessened(wager: Wager, since_s: float, until_s: float | None) -> Step | None:
    """Where a part of a bet was taken, and it is not known how much."""
    taken = _takings(wager, since_s, until_s)
    return next((step for step, before, after in taken if None in (before, after)), None)


def third_stays(ctx: Context, seat: int) -> Outcome | None:
    """Bet 3 is never withdrawn (643a.7(d), .11(b), (d))."""
    r = ctx.round
    wager = r.wager(seat, "bet3")
    if wager is None or r.first_card is None:
        return None
    expected = "Bet 3 left where it lay"
    gone, end = withdrawn(r, seat, "bet3"), _settled_from(r)
    if gone is not None and gone.removed is not None and gone.removed.t_s > r.first_card.t_s + GRACE_S:
        later = next((step for step, _ in r.reveals if step.t_s > gone.removed.t_s), None)
        if later is not None and not ctx.void_due:
            return breach(expected, f"taken back at {gone.removed.t_s:.1f} s", [gone.removed, later], area=gone.area)
        return undetermined(expected, "whether the round went on", [gone.removed]) if ctx.closing else None
    part = _part_taken(wager, r.first_card.t_s + GRACE_S, end)
    if part is not None:
        step, before, after = part
        later = next((shown for shown, _ in r.shown if shown.t_s > step.t_s), None)
        if later is not None and step.by is Side.PLAYER and not ctx.void_due:
            seen = f"{format_cents(before - after)} of {format_cents(before)} taken back at {step.t_s:.1f} s"
            return breach(expected, seen, [wager.placed, step, later], area=wager.area)
        return undetermined(expected, "whose hand took a part of it, or whether the round went on", [step]) if ctx.closing else None  # fmt: skip
    if end is None and not ctx.closing:
        return None
    lessened = _lessened(wager, r.first_card.t_s + GRACE_S, end)
    if lessened is not None:
        return undetermined(expected, HOW_MUCH, [lessened])
    gap = hidden(ctx, expected, [wager.area], r.first_card.t_s, end or r.now_s)
    gap = gap or _taken_by_nobody_known(r, seat, "bet3", r.first_card.t_s, expected)
    return gap or compliant(expected, "it stayed", [wager.placed])


def when(number: int) -> Judge:
    """A community card is turned once every player has decided on the bet (643a.11(c), (e))."""
    bet = f"bet{number}"

    def judge(ctx: Context, _: int) -> Outcome | None:
        r = ctx.round
        if len(r.reveals) < number:
            return None
        turned, card = r.reveals[number - 1]
        expected = (
            f"the {('first', 'second')[number - 1]} community card turned once every player had decided on Bet {number}"
        )
        proof = _early(ctx, number, bet, turned)
        if proof is not None:
            seen, steps = proof
            gap = hidden(ctx, expected, deal_areas(r), turned.t_s - GRACE_S, turned.t_s + GRACE_S)
            return gap or breach(expected, seen, [turned, *steps], area=card.home)
        if not ctx.closing:
            return None
        said = {seat for seat in r.dealt_seats if _answers(r, seat, number, turned.t_s)}
        done = {
            seat
            for seat in r.dealt_seats
            if (w := withdrawn(r, seat, bet)) and w.removed and w.removed.t_s <= turned.t_s
        }
        if set(r.dealt_seats) <= said | done:
            return compliant(expected, "every player had", [turned])
        missing = "letting a bet ride is silent; nothing shows that a player had not decided"
        return undetermined(expected, missing, [turned])

    return judge


def _early(ctx: Context, number: int, bet: str, turned: Step) -> tuple[str, Sequence[Step]] | None:
    """What shows that a player had not decided when a community card was turned."""
    r = ctx.round
    dealt = [c.placed for c in r.cards.values() if c.placed.t_s > turned.t_s + GRACE_S and _is_hand_card(r, c)]
    dealt += arrivals.stacks_after(r, turned.t_s + GRACE_S)
    if number == 1 and (surely := followed(r, dealt)):
        return "turned before the cards were dealt", surely
    if number == 2 and turned.t_s - r.reveals[0][0].t_s < GRACE_S:
        return f"turned {turned.t_s - r.reveals[0][0].t_s:.1f} s after the first, before anyone could decide", [r.reveals[0][0]]  # fmt: skip
    for step in r.decisions:
        event = step.event
        late = step.t_s > turned.t_s + GRACE_S and (number == 2 or len(r.reveals) < 2 or step.t_s < r.reveals[1][0].t_s)
        answer = (
            number == 2 and late and isinstance(event, DecisionAnnounced) and event.decision in ("ride", "withdraw")
        )
        seat = getattr(event, "seat", 0)
        if answer and not _answers(r, seat, number, turned.t_s):
            return f"before seat {seat} decided at {step.t_s:.1f} s", [step]
    for seat in r.dealt_seats:
        gone = withdrawn(r, seat, bet)
        if gone is not None and gone.removed is not None and gone.removed.t_s > turned.t_s + GRACE_S:
            again = number == 1 and _asked_again(r, seat, turned.t_s, gone.removed.t_s)
            if again or _answers(r, seat, number, turned.t_s):
                continue  # it had answered, or may have let the bet ride and have changed its mind
            if number == 1 and not ctx.closing and len(r.reveals) < 2 and r.now_s < gone.removed.t_s + BOTH_S:
                continue
            hands = _handed(r, gone)
            after = [step for step in hands if step.t_s > turned.t_s + GRACE_S]
            if after:
                return f"before seat {seat} withdrew Bet {number} at {gone.removed.t_s:.1f} s", [*after, gone.removed]
    return None


def _is_hand_card(r: Round, card: CardSeen) -> bool:
    """Whether a card is one of a seat's first three, so that it was dealt and not only seen anew."""
    if not card.home.startswith("seat") or card.face_placed is not Face.DOWN:
        return False
    return sum(1 for other in r.cards.values() if other.home == card.home) <= r.table.law.player_cards


def asked_again(ctx: Context, _: int) -> Outcome | None:
    """Players are asked about Bet 2 clockwise from the dealer's left (643a.11(d)); by the answers that were entered."""
    r = ctx.round
    if len(r.reveals) < 2:
        return None
    since, until = r.reveals[0][0].t_s, r.reveals[1][0].t_s
    expected = "the seats asked from the lowest up"
    first: dict[int, Step] = {}
    for step, event in [(s, s.event) for s in r.decisions if isinstance(s.event, DecisionAnnounced)]:
        if since < step.t_s <= until and event.seat in r.dealt_seats and event.seat not in first:
            if first and max(first) > event.seat:
                seen = f"seat {max(first)} answered before seat {event.seat}"
                return breach(expected, seen, [first[max(first)], step], seat=max(first))
            first[event.seat] = step
    if len(first) < 2:
        return not_applicable("no answers were entered")
    return compliant(expected, "so asked", list(first.values()))


def asked(ctx: Context, seat: int) -> Outcome | None:
    """Every player decides on Bet 2, whatever became of Bet 1 (643a.11(d)); by the answers that were entered."""
    r = ctx.round
    if len(r.reveals) < 2 or not ctx.closing:
        return None
    since, until = r.reveals[0][0].t_s, r.reveals[1][0].t_s
    answers = [s for s in r.decisions if since < s.t_s <= until]
    own = [s for s in answers if getattr(s.event, "seat", None) == seat]
    expected = "every player asked about Bet 2"
    gone = withdrawn(r, seat, "bet2")
    if own or (gone is not None and gone.removed is not None and gone.removed.t_s <= until + GRACE_S):
        return compliant(expected, "asked", own or [gone.removed if gone else None])
    if not answers:
        return not_applicable("no answers were entered")
    missing = absent(ctx, expected, DecisionAnnounced.kind, f"whether seat {seat} was asked", since, until)
    return missing or breach(expected, "others answered, this seat was not asked", [r.reveals[0][0], *answers])


def left_alone(ctx: Context, seat: int) -> Outcome | None:
    """After the decision on Bet 2 a player's cards lie face down and are not touched again (643a.11(a)(3))."""
    r = ctx.round
    end = r.settling_since
    if end is None or not r.reveals:
        return None
    since = r.reveals[0][0].t_s
    expected = "the player's cards face down, and not touched after the decision on Bet 2"
    area = f"seat{seat}.cards"
    gap = hidden(ctx, expected, [area], since, end)
    if gap is not None:
        return gap
    cards = r.seat_cards(seat)
    up = [c.turned for c in cards if c.turned is not None and c.turned.t_s < end]
    lying = [card for card in cards if card.turned in up and lay_up(r, card, end)]
    if lying and not ctx.void_due:
        seen = "a card lay face up when the second community card was turned"
        return breach(expected, seen, [*up, r.reveals[ctx.table.law.community_cards - 1][0]], area=area)
    if up:
        return undetermined(expected, "whether the player had decided when the card was turned", up)
    return compliant(expected, "none was turned", [c.placed for c in cards])


def checks() -> tuple[Check, ...]:
    """The checks of wagers and decisions."""
    return (
        Check("LIR-THREE-EQ", three_equal, per_seat=True),
        Check("LIR-WAG-LOCK", locked, per_seat=True),
        kept_undealt("LIR"),
        Check("LIR-C1-WHEN", when(1)),
        Check("LIR-C2-WHEN", when(2)),
        Check("LIR-D1-RIDE", rides(1), per_seat=True),
        Check("LIR-D1-WITHDRAW", withdraws(1), per_seat=True),
        Check("LIR-D2-RIDE", rides(2), per_seat=True),
        Check("LIR-D2-WITHDRAW", withdraws(2), per_seat=True),
        Check("LIR-D2-ORDER", asked_again),
        Check("LIR-D2-ASK", asked, per_seat=True),
        Check("LIR-BET3-STAYS", third_stays, per_seat=True),
    )
