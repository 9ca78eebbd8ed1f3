"""A new deck before its first deal: inspected, verified, spread, seen, washed, shuffled (sections .4 of the four chapters).

A deck that came preinspected and preshuffled needs none of it. What is judged is the last deck that came since the deck in
play was last dealt.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import wraps

from rules.books import remembered
from rules.cards import DECK_FACES, RANKS
from rules.checks.base import Check, Context, Judge, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.memory import Memory
from rules.events import DeckChanged, Event, Face, FloorDecision, ShufflerCounted
from rules.house_events import CardsInspected, CardsShuffled, CardsSpread, CardsWashed
from rules.records import Step
from rules.rounds import Round


def before_deal(ctx: Context) -> tuple[Step, ...] | None:
    """What was done with the deck in play since it was last dealt, None while it is too early to say."""
    r = ctx.round
    if r.first_card is None or (r.deal_over is None and not ctx.closing):
        return None
    return _handled(r, ctx.memory)


@remembered
def _handled(r: Round, memory: Memory) -> tuple[Step, ...]:
    """What was done with the deck in play between its deal before this one and this one."""
    assert r.first_card is not None
    decks = r.table.decks
    last = memory.last_dealt(r.back, decks)
    if decks == 2 and last is None and len(memory.dealt) > 1:
        last = memory.dealt[-2]
    steps = memory.since(last, r.back, decks)
    return tuple(step for step in steps if step.t_s <= r.first_card.t_s)


def start_s(ctx: Context, steps: Sequence[Step]) -> float:
    """Since when the deck's way to this deal is looked at."""
    last = ctx.memory.last_dealt(ctx.round.back, ctx.table.decks)
    if last is not None:
        return last.first_card.t_s
    return steps[0].t_s if steps else 0.0


def of_kind(steps: Sequence[Step], *kinds: type[Event], since_s: float = float("-inf")) -> list[Step]:
    """The steps of these kinds after a time, in order of time."""
    found = [step for step in steps if isinstance(step.event, kinds) and step.t_s > since_s]
    return sorted(found, key=lambda step: (step.t_s, step.index))


def new_deck(steps: Sequence[Step]) -> Step | None:
    """The event that brought the deck since it was last dealt, None where none came."""
    changes = of_kind(steps, DeckChanged)
    return changes[-1] if changes else None


def _new(ctx: Context) -> tuple[Step, list[Step]] | Outcome | None:
    """The new deck and what was done with it, or why there is nothing to judge."""
    steps = before_deal(ctx)
    if steps is None:
        return None
    deck = new_deck(steps)
    if deck is None:
        return not_applicable("no new deck came")
    assert isinstance(deck.event, DeckChanged)
    if deck.event.preinspected:
        return not_applicable("the deck came preinspected and preshuffled")
    return deck, [step for step in steps if step.t_s >= deck.t_s]


def on_new_deck(judge: Callable[[Context, Step, list[Step]], Outcome | None]) -> Judge:
    """A check of a new deck, which is given the event that brought it and what was done with it since."""

    @wraps(judge)
    def asked(ctx: Context, _: int) -> Outcome | None:
        found = _new(ctx)
        return judge(ctx, *found) if isinstance(found, tuple) else found

    return asked


def _end_s(ctx: Context) -> float:
    return ctx.round.first_card.t_s if ctx.round.first_card else ctx.round.now_s


@on_new_deck
def inspected(ctx: Context, deck: Step, steps: list[Step]) -> Outcome | None:
    """The dealer inspects a deck before anything else is done with it (.4(a))."""
    expected = "the deck inspected for defects before it was spread"
    looks = of_kind(steps, CardsInspected)
    later = of_kind(steps, CardsSpread, CardsWashed, CardsShuffled)
    if looks and (not later or looks[0].t_s <= later[0].t_s):
        return compliant(expected, "inspected", [deck, looks[0]])
    if looks:
        return breach(
            expected, f"{later[0].event.kind.replace('_', ' ')} before the inspection", [deck, later[0], looks[0]]
        )
    missing = absent(ctx, expected, CardsInspected.kind, "whether the dealer inspected the deck", deck.t_s, _end_s(ctx))
    return missing or breach(expected, "dealt without an inspection", [deck, ctx.round.first_card])


@on_new_deck
def verified(ctx: Context, deck: Step, _: list[Step]) -> Outcome | None:
    """The floorperson verifies the inspection (.4(a))."""
    expected = "the inspection verified by the floorperson before play"
    entries = [
        step
        for step in of_kind(ctx.memory.handling, FloorDecision, since_s=deck.t_s)
        if isinstance(step.event, FloorDecision) and step.event.decision == "inspection_verified"
    ]
    if entries and entries[0].t_s <= _end_s(ctx):
        return compliant(expected, "verified", [deck, entries[0]])
    if entries:
        return breach(
            expected, f"verified {entries[0].t_s - _end_s(ctx):.0f} s after the first card", [deck, entries[0]]
        )
    if not ctx.closing:
        return None
    missing = absent(ctx, expected, FloorDecision.kind, "whether a floorperson verified it", deck.t_s, _end_s(ctx))
    return missing or breach(expected, "not verified", [deck, ctx.round.first_card])


def _spreads(steps: Sequence[Step]) -> list[tuple[Step, CardsSpread]]:
    return [(step, step.event) for step in of_kind(steps, CardsSpread) if isinstance(step.event, CardsSpread)]


def _last_face_up(steps: Sequence[Step]) -> tuple[Step, CardsSpread] | None:
    """The last spread that lay face up."""
    return next(((step, event) for step, event in reversed(_spreads(steps)) if event.face is Face.UP), None)


@on_new_deck
def spread(ctx: Context, deck: Step, steps: list[Step]) -> Outcome | None:
    """Every card of the deck is spread face up for the first player (.4(b))."""
    wanted = ctx.table.law.deck_cards
    expected = f"all {wanted} cards spread face up"
    spreads = _spreads(steps)
    if not spreads:
        missing = absent(ctx, expected, CardsSpread.kind, "whether the deck was spread", deck.t_s, _end_s(ctx))
        return missing or breach(expected, "dealt without a spread", [deck, ctx.round.first_card])
    up = _last_face_up(steps)
    if up is None:
        return breach(expected, "spread face down", [deck, spreads[0][0]])
    step, event = up
    if event.cards is None:
        if event.count is not None and event.count != wanted:
            return breach(expected, f"{event.count} cards lay there", [deck, step])
        return undetermined(expected, "which cards lay there", [deck, step])
    lacking = sorted(set(DECK_FACES[wanted]) - set(event.cards))
    beyond = sorted({card for card in event.cards if card not in DECK_FACES[wanted] or event.cards.count(card) > 1})
    if not lacking and not beyond:
        return compliant(expected, f"{wanted} different cards", [deck, step])
    parts = [f"{', '.join(lacking)} missing"] if lacking else []
    parts += [f"{', '.join(beyond)} too many"] if beyond else []
    return breach(expected, "; ".join(parts), [deck, step])


@on_new_deck
def fan(ctx: Context, deck: Step, steps: list[Step]) -> Outcome | None:
    """The spread lies by suit and in sequence (.4(b))."""
    expected = "the spread by suit and in sequence"
    up = _last_face_up(steps)
    if up is None:
        return not_applicable("no spread face up; see the check of the spread")
    step, event = up
    if event.cards is None:
        return undetermined(expected, "which cards lay where", [deck, step])
    wrong = out_of_sequence([card for card in event.cards if card in DECK_FACES[52]])
    if wrong is None:
        return compliant(expected, "so spread", [deck, step])
    return breach(expected, f"{wrong[1]} beside {wrong[0]}", [deck, step])


def out_of_sequence(cards: Sequence[str]) -> tuple[str, str] | None:
    """The first two neighbours that are not next to each other in their suit, None where all suits lie in sequence.

    Two of the same card beside each other are no fault of the sequence.

    >>> out_of_sequence(["Ah", "2h", "3h", "Kc", "Qc"]), out_of_sequence(["2h", "4h"])
    (None, ('2h', '4h'))
    """
    seen: list[str] = []
    for left, right in itertools.pairwise(cards):
        if left[1] != right[1]:
            seen.append(left[1])
            if right[1] in seen:
                return left, right
            continue
        step = abs(RANKS.index(left[0]) - RANKS.index(right[0]))
        if step not in (0, 1, len(RANKS) - 1):
            return left, right
    return None


@on_new_deck
def first_player(ctx: Context, deck: Step, steps: list[Step]) -> Outcome | None:
    """The first player could look at the spread (.4(c))."""
    expected = "a player at the table while the cards lay face up"
    up = _last_face_up(steps)
    if up is None:
        return not_applicable("no spread face up; see the check of the spread")
    step, event = up
    if event.player_present is None:
        return undetermined(expected, "whether a player sat there", [deck, step])
    if event.player_present:
        return compliant(expected, "present", [deck, step])
    return breach(expected, "the cards were taken up with no player at the table", [deck, step])


@on_new_deck
def washed(ctx: Context, deck: Step, steps: list[Step]) -> Outcome | None:
    """The cards are turned face down and mixed before the shuffle (.4(c))."""
    expected = "the cards washed face down before the shuffle"
    washes = of_kind(steps, CardsWashed)
    if not washes:
        missing = absent(ctx, expected, CardsWashed.kind, "whether the cards were washed", deck.t_s, _end_s(ctx))
        return missing or breach(expected, "dealt without a wash", [deck, ctx.round.first_card])
    wash = washes[-1]
    assert isinstance(wash.event, CardsWashed)
    if wash.event.face is Face.UP:
        return breach(expected, "washed face up", [deck, wash])
    shuffles = of_kind(steps, CardsShuffled, ShufflerCounted)
    if shuffles and all(step.t_s < wash.t_s for step in shuffles):
        what = "whether the cards were shuffled after the wash"
        missing = absent(ctx, expected, CardsShuffled.kind, what, wash.t_s, _end_s(ctx))
        return missing or breach(expected, "shuffled before the wash, and not after it", [deck, shuffles[-1], wash])
    return compliant(expected, "washed", [deck, wash])


@on_new_deck
def shuffled(ctx: Context, deck: Step, steps: list[Step]) -> Outcome | None:
    """The washed cards are shuffled before the first deal (.4(c))."""
    expected = "the new deck shuffled before its first deal"
    shuffles = of_kind(steps, CardsShuffled, ShufflerCounted)
    washes = of_kind(steps, CardsWashed)
    done = [s for s in shuffles if not isinstance(s.event, CardsShuffled) or s.event.complete]
    if done and (not washes or done[-1].t_s >= washes[-1].t_s):
        return compliant(expected, "shuffled", [deck, done[-1]])
    if done:
        return not_applicable("shuffled before the wash; see the check of the wash")
    if shuffles:
        return not_applicable("a shuffle was broken off; see the checks of the shuffle and of devices")
    missing = absent(ctx, expected, CardsShuffled.kind, "whether the deck was shuffled", deck.t_s, _end_s(ctx))
    return missing or breach(expected, "dealt without a shuffle", [deck, ctx.round.first_card])


def two_decks(ctx: Context, _: int) -> Outcome | None:
    """Each of two decks is spread by itself (.4(d))."""
    if ctx.table.decks == 1:
        return not_applicable("one deck")
    found = _new(ctx)
    if not isinstance(found, tuple):
        return found
    deck, _steps = found
    wanted = ctx.table.law.deck_cards
    expected = f"each deck of {wanted} cards spread, washed and shuffled by itself"
    spreads = _spreads([s for s in ctx.memory.handling if deck.t_s <= s.t_s <= _end_s(ctx)])
    if not spreads:
        return undetermined(expected, "how the decks were spread", [deck])
    for step, event in spreads:
        count = len(event.cards) if event.cards is not None else event.count
        if count is not None and count > wanted:
            return breach(expected, f"{count} cards spread together", [deck, step])
    if any(event.cards is None and event.count is None for _, event in spreads):
        return undetermined(expected, "how many cards were spread together", [deck])
    return compliant(expected, "so spread", [deck, *(step for step, _ in spreads)])


def checks(prefix: str) -> tuple[Check, ...]:
    """The group for any game."""
    return (
        Check(f"{prefix}-OPEN-INSPECT", inspected),
        Check(f"{prefix}-OPEN-FLOOR", verified),
        Check(f"{prefix}-OPEN-SPREAD", spread),
        Check(f"{prefix}-OPEN-FAN", fan),
        Check(f"{prefix}-OPEN-FIRSTPLAYER", first_player),
        Check(f"{prefix}-OPEN-WASH", washed),
        Check(f"{prefix}-OPEN-SHUFFLE", shuffled),
        Check(f"{prefix}-OPEN-TWODECKS", two_decks),
    )
