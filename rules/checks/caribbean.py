"""What only Caribbean Stud has: the dealer's up-card, dealt face up or turned from the bottom of the stack (639a.8-.10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.books import place_of
from rules.checks.base import Check, Context, Details, Outcome, breach, compliant, hidden, undetermined
from rules.checks.deal_order import FOUND_ANEW, unbrought
from rules.checks.dealing import deal_areas, deal_window, too_early
from rules.checks.dealt_sides import SIDE_UNKNOWN, dealt_on, dealt_up, in_brackets, up_where_due
from rules.checks.decision import STILL_S, Decision
from rules.checks.progressive_deal import accepted, stake
from rules.checks.progressive_facts import payments, total_paid
from rules.checks.sequence import prescribed, served
from rules.checks.void import unless_void
from rules.checks.wagers import base_placed, locked_wagers_kept
from rules.events import Face, Side
from rules.findings import Severity, Verdict
from rules.records import VERDICT_CONFIDENCE, CardSeen, Step
from rules.rounds import Round

DECISION = Decision(
    "CAR", "bet", forfeited=("bonus",), electronic=("fchb_player", "five_card_hand_bonus"), has_upcard=True, chips_at_lock=False
)  # fmt: skip


def ante_first(ctx: Context, seat: int) -> Outcome | None:
    """A player competes by an Ante, and by a Bet only after the cards (639a.7(d)(1))."""
    r = ctx.round
    expected = "an Ante Wager before the deal, and no Bet Wager yet"
    early = DECISION.before_the_cards(r, seat) if seat in r.dealt_seats else None
    if early is not None:
        return breach(expected, "chips lay on the Bet area before the first card", [early.placed, r.first_card], area=early.area)  # fmt: skip
    placed = base_placed(ctx, seat)
    if placed is None or placed.verdict is not Verdict.COMPLIANT:
        return placed
    unsure = DECISION.before_the_cards(r, seat, by=None)
    if unsure is None:
        return placed
    missing = "whose hand laid the chips on the Bet area before the cards"
    return undetermined(expected, missing, [unsure.placed]) if ctx.closing else None


def wagers_kept(ctx: Context, seat: int) -> Outcome | None:
    """Nothing but the Bet Wager is made, increased or withdrawn after "no more bets"; no Five Card Hand Bonus either (639a.7(c)), though its system need be
    locked at the first card only (639a.2(d), CAR-A14)."""
    r, kept = ctx.round, locked_wagers_kept(ctx, seat)
    lock = r.no_more_bets
    if (
        (kept is not None and kept.verdict is Verdict.BREACH)
        or lock is None
        or r.first_card is None
        or r.lock_s != lock.t_s
    ):
        return kept
    names = (*DECISION.electronic, "fchb_dealer")
    late = [step for name in names for step, _ in accepted(ctx, name, seat) if lock.t_s < step.t_s <= r.first_card.t_s]
    if not late:
        return kept
    expected = 'no wager made, increased or withdrawn after "no more bets"'
    seen = f"Five Card Hand Bonus Wager accepted {late[0].t_s - lock.t_s:.1f} s later"
    return breach(expected, seen, [lock, late[0]], severity=Severity.WARNING)


def fold_forfeits(ctx: Context, seat: int) -> Outcome | None:
    """Without a Bet Wager every wager is forfeited but the Five Card Hand Bonus: Ante and Bonus collected, no Progressive paid (639a.11(b))."""
    paid = payments(ctx, "progressive", seat) if ctx.closing and ctx.round.folded(seat) is True else []
    if paid:
        expected = "no Progressive Payout after a fold"
        steps = [payment.step for payment in paid]
        gone = [w.removed for w in ctx.round.base_wagers(seat) if w is not None]
        amounts: Details = {"area": f"seat{seat}.progressive", "owed_cents": 0, "paid_cents": total_paid(paid)}
        return unless_void(ctx, breach(expected, "paid", [*gone, *steps], **amounts))
    found = DECISION.forfeits(("ante", "bonus"))(ctx, seat)
    kept = found is not None and found.verdict is Verdict.COMPLIANT
    return None if kept and not ctx.closing and stake(ctx, "progressive", seat) is not None else found


def up_card_dealt(ctx: Context, _: int) -> Outcome | None:
    """The dealer's first card is dealt face up, the other four face down (639a.8(d)(2), .9(b)(2))."""
    r = ctx.round
    cards = [card for card in r.dealer_cards if r.is_dealt(card)]
    if not cards or too_early(ctx):
        return None
    expected = "the dealer's first card dealt face up, the other four face down"
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    up = [card for card in cards if dealt_up(card)]
    steps = [card.placed for card in cards]
    if any(r.found_anew(card) for card in cards):
        return undetermined(expected, FOUND_ANEW, steps)
    strange = unbrought(r, expected, steps)
    if strange is not None:
        return strange
    holes = [card for card in up if card is not cards[0]]
    whole = len(cards) == ctx.table.law.dealer_cards
    holes = holes if whole else [card for card in holes if dealt_on(r, card) is not None]
    if holes:
        rests_on = [cards[0].placed, *holes[0].steps, *(() if whole else (dealt_on(r, holes[0]),))]
        found = breach(expected, f"a hole card{in_brackets(holes[0])} dealt face up", rests_on, area=holes[0].home)
        return replace(found, voids=True)
    first_pass = _first_passes(r, 1)
    if not up and (whole or first_pass):
        return breach(expected, "the first card dealt face down", first_pass or steps, area=cards[0].home)
    turned = None if whole else up_where_due(r, "dealer")
    if turned is not None and turned[0] is not cards[0]:
        card, rests_on = turned
        seen = f"a hole card{in_brackets(card)} face up when the dealer's next card was due"
        return replace(breach(expected, seen, rests_on, area=card.home), voids=True)
    if not whole:
        return undetermined(expected, f"only {len(cards)} of the dealer's cards were seen", steps)
    if any(card.proven_late for card in cards):
        return undetermined(expected, SIDE_UNKNOWN, steps)
    return compliant(expected, "so dealt", steps)


def _first_passes(r: Round, count: int) -> list[Step]:
    """The cards of the first passes, the dealer's last in each; none unless those seen to come to him then were surely his first.

    Every card of the seats was surely seen then, one of each in a pass before his.
    """
    for seat in r.dealt_seats:
        sure = [card for card in r.seat_cards(seat) if card.placed.event.confidence >= VERDICT_CONFIDENCE]
        if len(sure) < r.table.law.player_cards:
            return []
    wanted = [name for name, _ in prescribed(r)]
    length = (wanted.index("dealer") + 1) * count
    first = served(r)[:length]
    return [step for _, step in first] if [name for name, _ in first] == wanted[:length] else []


def up_card_turned(ctx: Context, _: int) -> Outcome | None:
    """Of the dealer's stack only the bottom card, on his far left, is turned (639a.10(b))."""
    r = ctx.round
    expected = "only the card on the dealer's far left turned face up"
    if r.deal_over is None or too_early(ctx) or not r.dealer_reveals:
        return None
    turned, card = r.dealer_reveals[0]
    bets = [w.placed for s in r.dealt_seats if (w := r.wager(s, DECISION.wager)) is not None]
    bets = [step for step in bets if step.by is Side.PLAYER]
    first = min((step.t_s for step in bets), default=None)
    gap = hidden(ctx, expected, deal_areas(r), turned.t_s - STILL_S, turned.t_s + STILL_S)
    if gap is not None:
        return gap
    if any(other.face_placed is Face.UP for other in r.dealer_cards):
        return (
            undetermined(expected, "which card was turned first; one was first seen face up", [turned])
            if ctx.closing
            else None
        )
    places = [place_of(other.home) for other in r.dealer_cards]
    place = place_of(card.home)
    if place is None or None in places or len(set(places)) != ctx.table.law.dealer_cards:
        return undetermined(expected, "where each of the dealer's five cards lay", [turned]) if ctx.closing else None
    if first is not None and turned.t_s > first + STILL_S:
        return breach(expected, f"none was turned before a player's Bet Wager at {first:.1f} s", [bets[0], turned])
    left = min(p for p in places if p is not None)
    if place != left:
        found = breach(expected, f"the card at place {place} from the left turned", [turned], area=card.home)
        return replace(found, voids=True)
    second = next((step for step, _ in r.dealer_reveals[1:] if step.t_s < turned.t_s + STILL_S), None)
    if second is not None and first is not None and second.t_s < first:
        return replace(breach(expected, "a second card turned with it", [turned, second]), voids=True)
    return compliant(expected, "so turned", [turned])


def second_card(ctx: Context, _: int) -> Outcome | None:
    """The dealer's second card lies to the right of the first, as the dealer or the players see it (639a.8(d)(4), .9(b)(4), CAR-A9)."""
    return _lies(ctx, 1, 2, "the dealer's second card to the right of the first")


def other_cards(ctx: Context, _: int) -> Outcome | None:
    """The dealer's third to fifth cards lie on the second (639a.8(d)(5), .9(b)(5))."""
    return _lies(ctx, 2, 5, "the dealer's third to fifth cards on top of the second")


def hand_dealt_cards(ctx: Context, seat: int) -> Outcome | None:
    """Dealt by hand, one row of the catalogue has both places."""
    first = second_card(ctx, seat)
    return first if first is None or first.verdict.value != "compliant" else other_cards(ctx, seat)


def _lies(ctx: Context, start: int, stop: int, expected: str) -> Outcome | None:
    r = ctx.round
    cards = [card for card in r.dealer_cards if r.is_dealt(card)]
    if not cards or too_early(ctx):
        return None
    missing, seen = "where each of the dealer's five cards was placed", [card.placed for card in cards]
    whole = len(cards) == ctx.table.law.dealer_cards
    cards, rests_on = (cards, seen) if whole else _in_passes(r, cards)
    places = [place_of(card.home) for card in cards]
    if len(cards) <= start or None in places:
        return undetermined(expected, missing, seen)
    if any(r.found_anew(card) for card in cards):
        return undetermined(expected, FOUND_ANEW, seen)
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r)) or unbrought(r, expected, rests_on)
    if gap is not None:
        return gap
    known = [place for place in places if place is not None]
    right = 1 if ctx.table.reading("layout.right_of") == "dealer" else -1
    wrong = right * (known[1] - known[0]) <= 0 if start == 1 else any(place != known[1] for place in known[start:stop])
    if wrong:
        return breach(expected, f"placed at {', '.join(map(str, known))} counted from the dealer's left", rests_on)
    if not whole and start > 1:
        return undetermined(expected, missing, rests_on)
    return compliant(expected, "so placed", rests_on)


def _in_passes(r: Round, cards: Sequence[CardSeen]) -> tuple[list[CardSeen], list[Step]]:
    """Of a hand of the dealer's that was not seen whole what can be judged, and all that this rests on; nothing where the first two passes were
    not surely seen.

    These are his first two cards, each by its pass, and those that surely came later, face down as they are dealt: cards laid out lie elsewhere.
    """
    passes = _first_passes(r, 2)
    if not passes:
        return [], []
    first = [card for card in cards if card.placed in passes]
    later = [
        card
        for card in cards
        if card not in first
        and card.face_placed is Face.DOWN
        and card.placed.event.confidence >= VERDICT_CONFIDENCE
        and not r.found_anew(card)
    ]
    return [*first, *later], [*passes, *(card.placed for card in later)]


def dealing_checks(dealing: str) -> tuple[Check, ...]:
    """The dealer's cards for one dealing method."""
    if dealing == "automated_shoe":
        return (Check("CAR-AUTO-UPCARD", up_card_turned),)
    if dealing == "hand":
        return (Check("CAR-DEAL-UPCARD", up_card_dealt), Check("CAR-HD-DLR", hand_dealt_cards))
    return (
        Check("CAR-DEAL-UPCARD", up_card_dealt),
        Check("CAR-MS-DLR2", second_card),
        Check("CAR-MS-DLR35", other_cards),
    )
