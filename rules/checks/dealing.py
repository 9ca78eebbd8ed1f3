"""The deal: announced, to whom, in which order, how many, and where the stub goes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rules import arrivals
from rules.books import STREETS
from rules.checks.absence import missed_all, signs_of_play
from rules.checks.base import (
    Context,
    Outcome,
    breach,
    compliant,
    hidden,
    not_applicable,
    seats_in_words,
    undetermined,
)
from rules.checks.deal_order import APART, SAME_MOMENT_S, UNBROUGHT, early, followed, judged_order, why_not_followed
from rules.checks.settle_order import title
from rules.events import CardMoved, CardPlaced, CardTurned, Face, Side, StackPlaced, StubCounted, group_of, seat_of
from rules.house_events import ConductReported
from rules.records import VERDICT_CONFIDENCE, CardSeen, Step
from rules.rounds import Round
from rules.shown import LAID_OUT_S
from rules.stretches import LEAST_BROUGHT, hidden_in_words

LATE_EVENTS_S = 1.0
"""A card may be told this much later than it came to rest; the deal is judged only then."""
TOLD_LATE_S = 3.0
"""That a card was gone by some moment is told no later than this after it: what events wait for one another (`vision.pipeline.WAIT_S`)."""
SURELY_LAID = 0.9
"""Confidence of each card laid out from which on their number proves that as many were dealt."""
AFTER_PLAYERS = ("dealer", "community", "extra")
"""Groups of areas to which no card is dealt before a player has one (669a.8(d), 639a.8(d), 643a.8(d), 687a.8(d)); the Six Card Bonus has its cards first (643a.8(d))."""
SURELY_NAMED = VERDICT_CONFIDENCE
"""The same of a card whose face is named: of 3,087 faces named in reviews of 49 films all were there, 26 of them told with less than 0.8."""


def announced(ctx: Context, _: int) -> Outcome | None:
    """ "No more bets" comes before the first card (669a.8(b))."""
    r = ctx.round
    if r.first_card is None:
        return None
    expected = '"no more bets" before the first card'
    if r.no_more_bets is None:
        return undetermined(expected, "the announcement was not reported", [r.first_card])
    gap = r.no_more_bets.t_s - r.first_card.t_s
    if gap > 0:
        return breach(expected, f"announced {gap:.1f} s after the first card lay", [r.first_card, r.no_more_bets])
    if too_early(ctx):
        return None
    if not _first_surely(ctx, r.first_card):
        return undetermined(expected, "whether a card came before the first that was seen", [r.first_card])
    return compliant(expected, f"announced {-gap:.1f} s before", [r.no_more_bets, r.first_card])


def _first_surely(ctx: Context, first: Step) -> bool:
    """Whether the first card seen was the first dealt: no card comes to these places before a player's, and none of a player's is missing."""
    r = ctx.round
    if group_of(first.area or "") in AFTER_PLAYERS:
        return False
    return is_stacked(r) or all(len(r.seat_cards(seat)) >= ctx.table.law.player_cards for seat in r.dealt_seats)


def deal_window(r: Round) -> tuple[float, float]:
    """From the first card to the end of the deal."""
    start = r.first_card.t_s if r.first_card else 0.0
    return start, r.deal_over.t_s if r.deal_over else r.now_s


def deal_areas(r: Round) -> tuple[str, ...]:
    """Names of the areas that cards are dealt to."""
    seats = tuple(f"seat{n}.cards" for n in range(1, r.table.seats + 1))
    shared = [*STREETS] if r.table.law.community_cards else []
    for group in r.table.law.areas:
        shared += [group, f"{group}.cards", *(f"{group}.{place}" for place in range(1, 6))]
    return (*seats, *shared)


def too_early(ctx: Context) -> bool:
    """Whether cards of the deal may still be told."""
    r = ctx.round
    if r.first_card is None:
        return True
    return not ctx.closing and (r.deal_over is None or r.now_s < r.deal_over.t_s + LATE_EVENTS_S)


def eligible(ctx: Context, seat: int) -> Outcome | None:
    """Cards go to every seat with base wagers and to no other (669a.8(d)(1))."""
    r = ctx.round
    if too_early(ctx):
        return None
    expected = f"cards for every seat with {base_in_words(ctx.table.law.base)}, and for no other"
    if seat not in r.dealt_seats:
        return _skipped(ctx, seat, expected) if ctx.closing else None
    wagers = r.base_wagers(seat)
    if all(r.locked(w) for w in wagers):
        return compliant(expected, "wagers stand and cards came", [w.placed for w in wagers if w is not None])
    if not ctx.closing:
        return None
    if any(w is not None for w in wagers):
        return not_applicable("one of the wagers stands; see the check of base wagers")
    gap = hidden(ctx, expected, r.seat_areas(seat), r.steps[0].t_s, r.now_s)
    if gap is not None:
        return gap
    traces = [step for w in ctx.table.law.wagers for step in r.traces(seat, w)]
    if traces:
        return undetermined(expected, "when the chips that were taken away later had been placed", traces)
    missed = missed_all(ctx, seat)
    if missed is not None:
        return undetermined(expected, *missed)
    cards = r.seat_cards(seat)
    if cards_of(r, seat) < ctx.table.law.player_cards:
        return undetermined(expected, "whether the seat was dealt in", [c.placed for c in cards])
    steps = [*stacks_at(r, f"seat{seat}"), *(c.placed for c in cards)]
    return breach(expected, "cards for a seat without wagers", steps)


def _skipped(ctx: Context, seat: int, expected: str) -> Outcome | None:
    """How it ends for a seat that got no cards; None where no wager of it stood in time, or the round is void."""
    r, law = ctx.round, ctx.table.law
    wagers = [w for w in r.base_wagers(seat) if w is not None and not w.carried and w.placed.t_s <= (r.lock_s or 0.0)]
    if len(wagers) < len(law.base) or r.first_card is None or ctx.void_due:
        return None
    since_s, until_s = r.first_card.t_s, deal_window(r)[1]
    steps = [*(w.placed for w in wagers), r.first_card]
    gap = hidden(ctx, expected, r.seat_areas(seat), min(w.placed.t_s for w in wagers), r.now_s)
    if gap is not None:
        return gap
    stakes = {w.amount_at(since_s) for w in wagers}
    sure = (
        None not in stakes
        and len(stakes) == 1
        and all(w.placed.by is Side.PLAYER and w.end_s > until_s for w in wagers)
    )
    told = any(seat in (event.seat, event.other_seat) for _, event in ctx.outside(ConductReported))
    near = r.group_cards(f"seat{seat}") or r.over(f"seat{seat}.cards", since_s, r.now_s)
    if not sure or told or near or signs_of_play(r, seat) or not _dealt_whole(r):
        return undetermined(expected, "whether the seat takes part", steps)
    return breach(expected, f"no cards for a seat with {base_in_words(law.base)}", steps)


def _dealt_whole(r: Round) -> bool:
    """Whether all seats that were dealt to, the dealer and the community got all their cards, so that none was missed."""
    law = r.table.law
    wanted = {f"seat{seat}": law.player_cards for seat in r.dealt_seats}
    wanted |= {"community": law.community_cards, "dealer": law.dealer_cards}
    cards = Counter(group_of(card.home) for card in r.dealt)
    return r.deal_over is not None and all(
        cards[group] >= count or stacks_at(r, group) for group, count in wanted.items()
    )


def cards_of(r: Round, seat: int) -> int:
    """Cards that a seat was seen to get: one by one, or in stacks as far as they were counted."""
    counted = sum(getattr(s.event, "count", None) or 0 for s in stacks_at(r, f"seat{seat}"))
    return max(len(r.seat_cards(seat)), counted)


def base_in_words(names: Sequence[str]) -> str:
    """The wagers before the deal, e.g. "Ante and Blind Wagers"."""
    titles = [title(name) for name in names]
    if len(titles) == 1:
        return f"an {titles[0]} Wager"
    return f"{', '.join(titles[:-1])} and {titles[-1]} Wagers"


def order(ctx: Context, _: int) -> Outcome | None:
    """Seats are served clockwise from the dealer's left, one card (or stack) at a time (669a.8(d), .9(b), .10(b))."""
    r = ctx.round
    if too_early(ctx):
        return None
    served = _served(r)
    if not served:
        return not_applicable("no cards to seats")
    seats = [seat for seat, _ in served]
    passes = 1 if is_stacked(r) else ctx.table.law.player_cards
    wanted = sorted(set(seats)) * passes
    expected = f"{seats_in_words(sorted(set(seats)))} in this order, {passes} time{'s' if passes > 1 else ''} round"
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    seen = " ".join(map(str, seats))
    return judged_order(
        [f"seat{seat}" for seat in seats],
        [step for _, step in served],
        [f"seat{seat}" for seat in wanted],
        r=r,
        expected=expected,
        seen=f"seats {seen}",
        incomplete=f"not every seat was seen to get {passes} (seats {seen})",
        unit="card",
    )


def is_stacked(r: Round) -> bool:
    """Whether the cards came in stacks."""
    return bool(r.stack_units)


def _served(r: Round) -> list[tuple[int, Step]]:
    """Seats in the order in which cards or stacks came to them, with the events."""
    if is_stacked(r):
        found = [(seat_of(s.event.area), s) for s in r.stack_units if isinstance(s.event, StackPlaced)]
    else:
        found = [(seat_of(card.home), card.placed) for card in r.dealt]
    units = [(seat, step) for seat, step in found if seat is not None]
    return sorted(units, key=lambda unit: (unit[1].t_s, unit[1].index))


def stacks_at(r: Round, group: str) -> list[Step]:
    """The stacks that came to the areas of a group, e.g. "seat3"."""
    return [s for s in r.stack_units if isinstance(s.event, StackPlaced) and group_of(s.event.area) == group]


def is_stub(r: Round, racked: Step) -> bool:
    """Whether a stack that came into the discard rack is what is left of the deck, and no card that was taken from the table.

    While no card is gone of which nobody said where it went, and every card was racked that is to lie there before the stub (643a.10(b)).
    """
    event = racked.event
    if not isinstance(event, StackPlaced) or event.area != "discard_rack":
        return False
    cards = r.cards.values()
    gone = [card.removed for card in cards if card.removed is not None and card.to_area is None]
    below = sum(card.to_area == "discard_rack" for card in cards)
    return below >= r.table.law.discards(r.table.dealing) and all(step.since_s > racked.t_s for step in gone)


def community_last(ctx: Context, _: int) -> Outcome | None:
    """The community cards come after the players' (669a.8(d)(2))."""
    r = ctx.round
    if too_early(ctx):
        return None
    if is_stacked(r):
        units = [(s.event.area, s) for s in r.stack_units if isinstance(s.event, StackPlaced)]
        community = [s for area, s in units if area.startswith("community")]
        players = [s for area, s in units if seat_of(area) is not None]
    else:
        community = [card.placed for card in r.community_cards if r.is_dealt(card)]
        players = [step for seat in r.dealt_seats for step in [c.placed for c in r.seat_cards(seat)][:3]]
    expected = "community cards after the last player's card"
    if not community or not players:
        return undetermined(expected, "the community cards or the players' cards") if ctx.closing else None
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    if not early(community, players):
        if not is_stacked(r) and len(community) < ctx.table.law.community_cards:
            return undetermined(expected, f"only {len(community)} community cards were seen", community)
        return compliant(expected, "so dealt", [*players, *community])
    sooner = early(followed(r, community), followed(r, players))
    if not sooner:
        return undetermined(expected, why_not_followed(r, [*community, *players]), [*community, *players])
    return breach(expected, f"{len(sooner)} dealt before a player's card", [*sooner, *players], area="community")


def count_seat(ctx: Context, seat: int) -> Outcome | None:
    """A seat in the round has three cards (669a.13(c))."""
    if seat not in ctx.round.dealt_seats:
        return None
    return count_cards(ctx, ctx.round.seat_cards(seat), ctx.table.law.player_cards, f"seat{seat}.cards")


def count_community(ctx: Context, _: int) -> Outcome | None:
    """The community area has three cards (669a.13(c))."""
    cards = [card for card in ctx.round.community_cards if ctx.round.is_dealt(card)]
    return count_cards(ctx, cards, ctx.table.law.community_cards, "community")


def dealer_count(ctx: Context, _: int) -> Outcome | None:
    """The dealer has five cards (e.g. 639a.13(c))."""
    r = ctx.round
    cards = [card for card in r.dealer_cards if r.is_dealt(card)]
    return count_cards(ctx, cards, ctx.table.law.dealer_cards, "dealer")


def count_cards(ctx: Context, cards: Sequence[CardSeen], wanted: int, area: str) -> Outcome | None:
    """The right number of cards in an area at the end of the deal."""
    r = ctx.round
    if too_early(ctx):
        return None
    expected = f"{wanted} card{'s' if wanted != 1 else ''}"
    end = r.deal_over.t_s if r.deal_over else r.now_s
    there = [card for card in cards if card.removed is None or card.removed.t_s > end]
    steps = [card.placed for card in there]
    if is_stacked(r) and not there:
        return _stack_count(ctx, wanted, area)
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    moved = _moved_away(r, there, end)
    if moved:
        missing = "whether a card counts that was moved to another place in the deal"
        return undetermined(expected, missing, [*steps, *moved])
    shown = _laid_out(r, there, group_of(area))
    laid_out = _side_by_side(filter(_surely_there, shown))
    if len(laid_out) > wanted:
        proof = [_proof(card) for card in laid_out]
        return breach(expected, f"{len(laid_out)} cards laid out", proof, area=area, orderless=True)
    seem = _side_by_side(card for card in shown if card.read is not None or len(there) == wanted)
    if len(seem) > wanted:
        proof = [_proof(card) for card in seem]
        return undetermined(expected, f"whether all {len(seem)} cards that seem to be laid out are there", proof)
    if len(there) == wanted:
        return compliant(expected, f"{wanted} cards", steps) if ctx.closing or _lies_shown(r, there) else None
    if len(there) < wanted:
        return undetermined(expected, f"only {len(there)} cards were seen; one may lie hidden", steps)
    if sum(step.index not in arrivals.unbrought(r) for step in steps) <= wanted:
        return undetermined(expected, UNBROUGHT, steps)
    if sum(step.index not in arrivals.apart(r) for step in steps) <= wanted:
        return undetermined(expected, APART, steps)
    reaches, untold = visited(r, there, group_of(area))
    if reaches >= LEAST_BROUGHT and reaches + untold <= wanted:
        return undetermined(expected, fewer_reaches(len(there), reaches), steps)
    late = [step for step in steps if step.t_s - step.since_s > LATE_EVENTS_S]
    if not reaches and late and len(steps) - len(late) <= wanted:
        return undetermined(expected, hidden_in_words(late[-1]), steps)
    moments = sorted(step.t_s for step in steps)
    apart = 1 + sum(later - sooner >= SAME_MOMENT_S for sooner, later in pairwise(moments))
    if apart <= wanted:
        return undetermined(expected, "whether two cards found at one moment are two", steps) if ctx.closing else None
    return breach(expected, f"{len(there)} cards dealt", steps, area=area)


def fewer_reaches(cards: int, reaches: int) -> str:
    """What is missing where more cards are told than the dealer's hand was seen to bring, in words."""
    return f"whether {cards} cards came: the dealer's hand was seen to bring {reaches} there"


def visited(r: Round, cards: Sequence[CardSeen], group: str) -> tuple[int, int]:
    """How many of these cards can have come each with a reach of the dealer's of its own, and how many came with no reach that was told; nothing where
    the chapter does not have them dealt one at a time.

    A card that was none, or one lost and found again, may be told so late that it can have come with a reach which brought another. Of cards that
    nobody can have brought see `rules.arrivals.unbrought`.
    """
    name = "seats" if seat_of(group) is not None else group
    if any(count > 1 for other, count in r.table.law.destinations(r.table.dealing) if other == name):
        return 0, 0
    own = untold = 0
    last = dict.fromkeys((card.home for card in cards), float("-inf"))
    for card in sorted(cards, key=lambda card: (card.placed.t_s, card.placed.index)):
        reaches = arrivals.reaches(r, card)
        first = min((hand.t_s for hand in reaches if hand.t_s > last[card.home]), default=None)
        if first is not None:
            own, last[card.home] = own + 1, first
        untold += not reaches
    return own, untold


def _moved_away(r: Round, cards: Sequence[CardSeen], until_s: float) -> list[Step]:
    """The events with which cards were moved to the place of another hand before a time."""
    homes = {card.card_id: group_of(card.home) for card in cards}
    moves = [(step, step.event) for step in r.steps if isinstance(step.event, CardMoved) and step.t_s <= until_s]
    return [s for s, move in moves if homes.get(move.card_id, group_of(move.area)) != group_of(move.area)]


def _stack_count(ctx: Context, wanted: int, area: str) -> Outcome | None:
    """A stack counted as it was laid, or laid out later: more cards than it may hold prove themselves, fewer may hide others."""
    for step in ctx.round.stack_units:
        event = step.event
        if isinstance(event, StackPlaced) and event.area.startswith(area) and event.count is not None:
            if event.count == wanted:
                return compliant(f"{wanted} cards", f"a stack of {event.count}", [step])
            return breach(f"{wanted} cards", f"a stack of {event.count}", [step], area=area)
    cards = [card for card in ctx.round.cards.values() if card.home.startswith(area)]
    shown = _side_by_side(filter(_surely_there, cards))
    if len(shown) > wanted:
        proof = [_proof(card) for card in shown]
        return breach(f"{wanted} cards", f"{len(shown)} cards of the stack laid out", proof, area=area, orderless=True)
    return undetermined(f"{wanted} cards", "how many cards the stack holds") if ctx.closing else None


def _laid_out(r: Round, dealt: Sequence[CardSeen], group: str) -> list[CardSeen]:
    """The cards of a player's or the dealer's hand that were read when it was laid out or lie face up unread, with those that came to light as it was laid out: they had lain
    wholly under others. What comes there later may be another hand's, on its way to the rack."""
    turned = [card.turned.t_s for card in dealt if card.turned is not None]
    if group == "community" or not turned:
        return []
    last = max(turned) + LAID_OUT_S
    hand = [card for card in r.group_cards(group) if r.is_dealt(card) or card.placed.t_s <= last]
    return [card for card in hand if card.read is not None or card.face is Face.UP]


def _lies_shown(r: Round, hand: Sequence[CardSeen]) -> bool:
    """Whether all these cards were turned, so long ago that one which lay under them would have come to light."""
    turned = [card.turned or card.placed for card in hand if card.face is Face.UP or card.turned is not None]
    return len(turned) == len(hand) and r.now_s >= max(step.t_s for step in turned) + LAID_OUT_S


def _side_by_side(cards: Iterable[CardSeen]) -> list[CardSeen]:
    """The most of these cards that lay face up at the same time; one that bears the name of another is that one seen twice."""
    up = [c for c in cards if c.face is Face.UP and not c.contradicted]
    best: list[CardSeen] = []
    for last in up:
        t = last.placed.t_s
        there = [c for c in up if c.placed.t_s <= t and (c.removed is None or c.removed.t_s > t)]
        single = [c for i, c in enumerate(there) if c.card is None or c.card not in {other.card for other in there[:i]}]
        best = max(best, single, key=len)
    return best


def _proof(card: CardSeen) -> Step:
    """What shows that the card is there: its face, read even later, or else that a card was found when it was turned, or came."""
    return card.read or _found(card.turned or card.placed)


def _found(step: Step) -> Step:
    """An event about a card as one that says of it no more than that it is there."""
    event = step.event
    if not isinstance(event, CardPlaced | CardTurned) or event.objectness is None:
        return step
    return step.told_with(confidence=event.objectness)


def _surely_there(card: CardSeen) -> bool:
    return _proof(card).event.confidence >= (SURELY_LAID if card.read is None else SURELY_NAMED)


def stub_racked(ctx: Context, _: int) -> Outcome | None:
    """After the last card the stub goes to the discard rack (669a.8(e))."""
    r = ctx.round
    if r.first_card is None:
        return None
    expected = "the stub in the discard rack after the last card"
    since, until = r.first_card.t_s, r.reveal_s(1) if ctx.table.law.community_cards else r.settling_since
    for step in r.stacks:
        event = step.event
        assert isinstance(event, StackPlaced)
        if step.t_s <= since or (until is not None and step.t_s > until) or step in r.stack_units:
            continue
        counted = any(isinstance(s.event, StubCounted) for s in r.external)
        if event.area == "discard_rack":
            if not ctx.closing and r.now_s < step.t_s + TOLD_LATE_S:
                return None
            if not is_stub(r, step):
                continue
            if event.exposed and not counted:
                return breach(expected, "a card of it was exposed", [step], area=event.area)
            return compliant(expected, "placed there", [step])
        if event.area != "shoe" and until is not None and not counted:
            return breach(expected, f"placed at {event.area}", [step], area=event.area)
    return undetermined(expected, "the stub was not seen to arrive in the discard rack") if ctx.closing else None
