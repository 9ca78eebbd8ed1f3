"""Between two deals: the shuffle, the cut, the loading of the shoe, and the cards of an idle table (sections .5, .8(a)).

A device that reshuffles by itself suspends the cut and the idle spread (.5(g)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps

from rules.catalogue import METHODS
from rules.checks.base import Check, Context, Judge, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.opening import before_deal, new_deck, of_kind, start_s
from rules.event_base import Agent
from rules.events import DeckChanged, Face, FloorDecision, ShufflerCounted, Side
from rules.house_events import (
    CardsIdle,
    CardsShuffled,
    CardsSpread,
    CardsWashed,
    CoverCardInserted,
    CutCompleted,
    DeckLoaded,
    DeckStacked,
)
from rules.records import Step

CUT_DEPTH = 10
"""Cards above the cover card at least (.5(d))."""


def _preshuffled(steps: Sequence[Step]) -> Step | None:
    deck = new_deck(steps)
    return deck if deck is not None and isinstance(deck.event, DeckChanged) and deck.event.preinspected else None


def _last_shuffle(steps: Sequence[Step]) -> Step | None:
    """The last shuffle carried through; a count of the shuffler follows one."""
    found = of_kind(steps, CardsShuffled, ShufflerCounted)
    done = [s for s in found if not isinstance(s.event, CardsShuffled) or s.event.complete]
    return done[-1] if done else None


def shuffled(ctx: Context, _: int) -> Outcome | None:
    """The cards are shuffled after every round, and when a floorperson directs it (.5(a))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    r = ctx.round
    expected = "the cards shuffled since they were last dealt"
    deck, fresh = new_deck(steps), _preshuffled(steps)
    if deck is not None and fresh is None:
        return not_applicable("a new deck; see the check of its opening")
    ordered = [s for s in of_kind(steps, FloorDecision) if getattr(s.event, "decision", "") == "reshuffle"]
    shuffle = _last_shuffle(steps)
    if shuffle is not None and (not ordered or shuffle.t_s > ordered[-1].t_s):
        return compliant(expected, "shuffled", [shuffle])
    if shuffle is None and fresh is not None and not ordered:
        return compliant(expected, "a deck that came preshuffled", [fresh])
    if shuffle is None and of_kind(steps, CardsShuffled):
        return not_applicable("a shuffle was broken off; see the checks of the shuffle and of devices")
    if not ctx.memory.dealt and fresh is None:
        return undetermined(expected, "what was done with the deck before the first events", [r.first_card])
    if ctx.table.decks == 2 and r.back is None:
        return undetermined(expected, "which of the two decks is in play", [r.first_card])
    start = start_s(ctx, steps)
    assert r.first_card is not None
    missing = absent(ctx, expected, CardsShuffled.kind, "whether the cards were shuffled", start, r.first_card.t_s)
    return missing or breach(expected, "dealt again without a shuffle", [*ordered, r.first_card])


def method(ctx: Context, _: int) -> Outcome | None:
    """The shuffle is by the dealer's hands or by a device, and carried through (.5(a))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    expected = "the cards shuffled by the dealer or by a device, and to the end"
    found = of_kind(steps, CardsShuffled, ShufflerCounted)
    if not found:
        return not_applicable("no shuffle; see the check of when")
    last = found[-1]
    event = last.event
    if isinstance(event, CardsShuffled):
        if event.by in (Agent.PLAYER, Agent.OTHER):
            return breach(
                expected, f"shuffled by {'a player' if event.by is Agent.PLAYER else 'another person'}", [last]
            )
        if not event.complete and event.by is Agent.DEALER:
            return breach(expected, "the shuffle was broken off", [last])
        if not event.complete:
            return not_applicable("the device stopped; see the check of devices")
    return compliant(expected, "so shuffled", [last])


def stacked(ctx: Context, _: int) -> Outcome | None:
    """The shuffled deck is one stack (.5(a))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    expected = "the shuffled deck in a single stack"
    stacks = of_kind(steps, DeckStacked)
    shuffle = _last_shuffle(steps)
    if shuffle is not None:
        stacks = [s for s in stacks if s.t_s >= shuffle.t_s]
    if not stacks:
        return undetermined(expected, "how the deck was put together") if ctx.closing else None
    event = stacks[-1].event
    assert isinstance(event, DeckStacked)
    if event.stacks != 1:
        return breach(expected, f"{event.stacks} stacks", [stacks[-1]])
    if event.left_out:
        return breach(
            expected, f"{event.left_out} card{'s' if event.left_out > 1 else ''} left beside it", [stacks[-1]]
        )
    return compliant(expected, "one stack", [stacks[-1]])


def no_cut_after_device(ctx: Context, _: int) -> Outcome | None:
    """Cards from a shuffler are dealt without a cut (.5(c)(1))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    shuffle = _last_shuffle(steps)
    if shuffle is None or _by(shuffle) is not Agent.DEVICE:
        return not_applicable("no shuffle by a device")
    expected = "cards shuffled by a device dealt without a cut"
    cuts = of_kind(steps, CoverCardInserted, since_s=shuffle.t_s)
    if cuts:
        return breach(expected, "cut", [shuffle, cuts[-1]])
    return compliant(expected, "no cut", [shuffle])


def _by(shuffle: Step) -> Agent:
    return shuffle.event.by if isinstance(shuffle.event, CardsShuffled) else Agent.DEVICE


def _cut(ctx: Context) -> tuple[Sequence[Step], Step | None] | Outcome | None:
    """What was done before the deal and the last cut, or why none is judged."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    if ctx.table.reshuffler:
        return not_applicable("a reshuffling device is in use")
    shuffle = _last_shuffle(steps)
    cuts = of_kind(steps, CoverCardInserted, since_s=shuffle.t_s if shuffle else float("-inf"))
    return steps, cuts[-1] if cuts else None


def on_cut(judge: Callable[[Context, Sequence[Step], Step], Outcome | None]) -> Judge:
    """A check of a cut, which is given what was done before the deal and the last insertion of the cover card."""

    @wraps(judge)
    def asked(ctx: Context, _: int) -> Outcome | None:
        found = _cut(ctx)
        if not isinstance(found, tuple):
            return found
        steps, inserted = found
        shuffle = _last_shuffle(steps)
        if shuffle is not None and _by(shuffle) is Agent.DEVICE:
            return not_applicable("shuffled by a device, so that no cut is required")
        return not_applicable("no cut") if inserted is None else judge(ctx, steps, inserted)

    return asked


def cut(ctx: Context, _: int) -> Outcome | None:
    """Cards shuffled by hand or that came preshuffled are cut (.5(c)(2))."""
    found = _cut(ctx)
    if not isinstance(found, tuple):
        return found
    steps, inserted = found
    shuffle, fresh = _last_shuffle(steps), _preshuffled(steps)
    expected = "the cards cut before the deal"
    if inserted is not None:
        return compliant(expected, "cut", [shuffle, inserted])
    if shuffle is not None and _by(shuffle) is Agent.DEVICE:
        return not_applicable("shuffled by a device")
    if shuffle is None and fresh is None:
        if not ctx.closing:
            return None
        return undetermined(expected, "how the cards were shuffled")
    by_hand = ctx.table.dealing == "hand" and ctx.table.reading("hand.preshuffled_allowed") == "false"
    if shuffle is None and by_hand:
        return not_applicable("a preshuffled deck cannot be dealt by hand before a shuffle by the device")
    first = ctx.round.first_card
    since = (shuffle or fresh).t_s  # type: ignore[union-attr]
    assert first is not None
    missing = absent(ctx, expected, CoverCardInserted.kind, "whether the cards were cut", since, first.t_s)
    return missing or breach(expected, "dealt without a cut", [shuffle, fresh, first])


@on_cut
def cut_by_dealer(_ctx: Context, _: Sequence[Step], inserted: Step) -> Outcome | None:
    """The dealer inserts the cover card (.5(d))."""
    expected = "the cover card inserted by the dealer"
    assert isinstance(inserted.event, CoverCardInserted)
    if inserted.event.by is None:
        return undetermined(expected, "whose hand inserted it", [inserted])
    if inserted.event.by is Side.PLAYER:
        return breach(expected, "inserted by a player", [inserted])
    return compliant(expected, "so inserted", [inserted])


@on_cut
def cut_depth(_ctx: Context, _: Sequence[Step], inserted: Step) -> Outcome | None:
    """At least ten cards lie above the cover card (.5(d))."""
    expected = f"the cover card at least {CUT_DEPTH} cards from the top"
    assert isinstance(inserted.event, CoverCardInserted)
    above = inserted.event.cards_above
    if above is None:
        return undetermined(expected, "how many cards lay above it", [inserted])
    if above < CUT_DEPTH:
        return breach(expected, f"{above} cards from the top", [inserted])
    return compliant(expected, f"{above} cards from the top", [inserted])


@on_cut
def cut_to_bottom(ctx: Context, steps: Sequence[Step], inserted: Step) -> Outcome | None:
    """The cards above the cover card and the cover card go to the bottom (.5(d))."""
    expected = "the upper cards and the cover card at the bottom of the stack"
    done = of_kind(steps, CutCompleted, since_s=inserted.t_s)
    event = done[-1].event if done else None
    if not isinstance(event, CutCompleted) or event.to_bottom is None:
        return undetermined(expected, "where the upper cards went", [inserted, *done]) if ctx.closing else None
    if event.to_bottom:
        return compliant(expected, "so placed", [inserted, done[-1]])
    return breach(expected, "they stayed on top", [inserted, done[-1]])


@on_cut
def cut_to_shoe(ctx: Context, steps: Sequence[Step], inserted: Step) -> Outcome | None:
    """The cut stack goes into the shoe (.5(d))."""
    if ctx.table.dealing == "hand":
        return not_applicable("dealt by hand")
    expected = "the cut stack in the dealing shoe"
    loads = of_kind(steps, DeckLoaded, since_s=inserted.t_s)
    event = loads[-1].event if loads else None
    if not isinstance(event, DeckLoaded):
        return undetermined(expected, "where the cut stack went", [inserted]) if ctx.closing else None
    if event.into == "shoe":
        return compliant(expected, "there", [inserted, loads[-1]])
    return breach(expected, f"at {event.into}", [inserted, loads[-1]])


def recut(ctx: Context, _: int) -> Outcome | None:
    """A recut is ordered only before the first card (.5(e))."""
    r = ctx.round
    orders = [s for s in ctx.memory.handling if getattr(s.event, "decision", "") == "recut"]
    if r.first_card is None:
        return None
    if ctx.table.reshuffler:
        return not_applicable("a reshuffling device is in use")
    expected = "a recut ordered only before a card was dealt"
    late = [s for s in orders if r.first_card.t_s < s.t_s < _next_cut_s(ctx)]
    if late:
        return breach(
            expected, f"ordered {late[0].t_s - r.first_card.t_s:.1f} s after the first card", [r.first_card, late[0]]
        )
    if not ctx.closing:
        return None
    steps = before_deal(ctx) or ()
    early = [s for s in steps if s in orders]
    ignored = _not_cut_again(ctx, steps, early[-1]) if early else None
    if ignored is not None:
        return ignored
    return compliant(expected, "so ordered", early) if early else not_applicable("no recut was ordered")


def _not_cut_again(ctx: Context, steps: Sequence[Step], order: Step) -> Outcome | None:
    """How an order to recut ends after which no cut was told; None where the cards had not been cut, or were cut or shuffled again."""
    first = ctx.round.first_card
    before = [s for s in of_kind(steps, CoverCardInserted) if s.t_s < order.t_s]
    again = of_kind(steps, CoverCardInserted, CardsShuffled, ShufflerCounted, since_s=order.t_s)
    if not before or again or first is None:
        return None
    expected = "the cards cut again as a floorperson required"
    missing = absent(ctx, expected, CoverCardInserted.kind, "whether they were cut again", order.t_s, first.t_s)
    return missing or breach(expected, "dealt without another cut", [before[-1], order, first])


def _next_cut_s(ctx: Context) -> float:
    """Since when an order to recut is one for the next deal: the round is settled, or the cards were shuffled or cut again."""
    r = ctx.round
    first_s = r.first_card.t_s if r.first_card is not None else r.now_s
    anew = of_kind(ctx.memory.handling, CardsShuffled, CoverCardInserted, since_s=first_s)
    times = [step.t_s for step in anew] + ([r.settled_from] if r.settled_from is not None else [])
    return min(times, default=float("inf"))


def loaded(ctx: Context, _: int) -> Outcome | None:
    """The deck is put into the shoe by the dealer or the shuffler, after the shuffle and the cut (.8(a), .10(a)(1))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    expected = "the shuffled deck put into the shoe by the dealer or the shuffler"
    loads = of_kind(steps, DeckLoaded)
    if not loads:
        return undetermined(expected, "who put the deck into the shoe, and when") if ctx.closing else None
    last = loads[-1]
    event = last.event
    assert isinstance(event, DeckLoaded)
    if event.by in (Agent.PLAYER, Agent.OTHER):
        return breach(expected, "put there by another person", [last])
    if event.into != "shoe" and not of_kind(steps, CoverCardInserted):
        return breach(expected, f"at {event.into}", [last])
    later = of_kind(steps, CardsShuffled, CoverCardInserted, since_s=last.t_s)
    if later and [s for s in steps if isinstance(s.event, type(later[0].event)) and s.t_s < last.t_s]:
        missing = f"whether the deck was put there again after the {_words(later[-1])}"
        return undetermined(expected, missing, [last, later[-1]]) if ctx.closing else None
    if later:
        return breach(
            expected, f"loaded {later[0].t_s - last.t_s:.1f} s before the {_words(later[0])}", [last, later[0]]
        )
    if event.count is not None and event.count != ctx.table.law.deck_cards:
        return breach(expected, f"{event.count} cards put there", [last])
    return compliant(expected, "so loaded", [last])


def _words(step: Step) -> str:
    return "end of the shuffle" if isinstance(step.event, CardsShuffled) else "cut"


def by_device(ctx: Context, _: int) -> Outcome | None:
    """Cards dealt by hand are shuffled by a device (.9(a)(1))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    shuffle = _last_shuffle(steps)
    expected = "cards dealt by hand shuffled by a device"
    fresh = _preshuffled(steps)
    if shuffle is None and fresh is not None:
        if ctx.table.reading("hand.preshuffled_allowed") == "true":
            return compliant(expected, "a deck that came preshuffled", [fresh])
        first = ctx.round.first_card
        missing = absent(
            ctx, expected, CardsShuffled.kind, "whether the device shuffled it", fresh.t_s, ctx.round.now_s
        )
        return missing or breach(expected, "a preshuffled deck dealt by hand at once", [fresh, first])
    if shuffle is None:
        return undetermined(expected, "how the cards were shuffled") if ctx.closing else None
    if _by(shuffle) is Agent.DEVICE:
        return compliant(expected, "so shuffled", [shuffle])
    return breach(expected, f"shuffled by the {_by(shuffle)}", [shuffle, ctx.round.first_card])


def idle_spread(ctx: Context, _: int) -> Outcome | None:
    """At an idle table the cards lie spread face down (.5(f))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    if ctx.table.reshuffler:
        return not_applicable("a reshuffling device is in use")
    idle = [(s, s.event) for s in of_kind(steps, CardsIdle) if isinstance(s.event, CardsIdle)]
    after = ctx.table.idle_after_s
    long = [(s, event) for s, event in idle if event.t_s - event.since_s >= after]
    if not long:
        return not_applicable("the table was not idle") if idle or ctx.closing else None
    expected = f"the cards spread face down at a table idle for {after / 60:g} minutes"
    for step, event in long:
        if event.place in ctx.table.law.idle_emptied:
            minutes = (event.t_s - event.since_s) / 60
            return breach(
                expected, f"they lay in the {event.place.replace('_', ' ')} for {minutes:.1f} minutes", [step]
            )
        asked = [s for s in of_kind(steps, FloorDecision) if getattr(s.event, "decision", "") == "spread_face_up"]
        if event.face is Face.UP and not asked:
            return breach(expected, "spread face up, and no player had asked for it", [step])
    return compliant(expected, "so spread", [step for step, _ in long])


def idle_reopen(ctx: Context, _: int) -> Outcome | None:
    """After idling the cards are washed before they are shuffled (.5(f))."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    if ctx.table.reshuffler or new_deck(steps) is not None:
        return not_applicable("a reshuffling device or a new deck")
    spreads = [s for s in of_kind(steps, CardsIdle, CardsSpread) if getattr(s.event, "place", "spread") == "spread"]
    if not spreads:
        return not_applicable("the cards were not spread") if ctx.closing else None
    expected = "the spread cards washed and shuffled again"
    wash = of_kind(steps, CardsWashed, since_s=spreads[-1].t_s)
    first, shuffle = ctx.round.first_card, _last_shuffle(steps)
    assert first is not None
    if wash and shuffle is None:
        return not_applicable("not shuffled; see the check of when") if ctx.closing else None
    if wash and shuffle is not None and shuffle.t_s >= wash[-1].t_s:
        return compliant(expected, "washed and shuffled", [spreads[-1], wash[0], shuffle])
    if wash:
        what = "whether the cards were shuffled after the wash"
        missing = absent(ctx, expected, CardsShuffled.kind, what, wash[-1].t_s, first.t_s)
        return missing or breach(expected, "washed, and dealt without another shuffle", [shuffle, wash[-1], first])
    missing = absent(ctx, expected, CardsWashed.kind, "whether the cards were washed", spreads[-1].t_s, first.t_s)
    return missing or breach(expected, "dealt without a wash", [spreads[-1], first])


def checks(prefix: str, dealing: str) -> tuple[Check, ...]:
    """The group for one dealing method."""
    m = f"{prefix}-{METHODS[dealing]}"
    own = (Check(f"{prefix}-HD-ASM", by_device),) if dealing == "hand" else (Check(f"{m}-LOAD", loaded),)
    return (
        Check(f"{prefix}-SHUF-WHEN", shuffled),
        Check(f"{prefix}-SHUF-METHOD", method),
        Check(f"{prefix}-SHUF-STACK", stacked),
        Check(f"{prefix}-SHUF-ASM-DEAL", no_cut_after_device),
        Check(f"{prefix}-CUT-REQ", cut),
        Check(f"{prefix}-CUT-BYDEALER", cut_by_dealer),
        Check(f"{prefix}-CUT-DEPTH", cut_depth),
        Check(f"{prefix}-CUT-BOTTOM", cut_to_bottom),
        Check(f"{prefix}-CUT-SHOE", cut_to_shoe),
        Check(f"{prefix}-CUT-RECUT", recut),
        Check(f"{prefix}-IDLE-SPREAD", idle_spread),
        Check(f"{prefix}-IDLE-REOPEN", idle_reopen),
        *own,
    )
