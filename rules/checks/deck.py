"""The deck: one of each card, changed in time, counted when due; and devices that jam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rules.catalogue import METHODS
from rules.checks.base import Check, Context, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.irregular import burned, racked_in_deal
from rules.checks.opening import before_deal, of_kind
from rules.checks.sequence import due
from rules.checks.two_decks import one_colour
from rules.checks.void import kept_void
from rules.events import DeckChanged, DeviceJammed, ShufflerCounted, StackPlaced, StubCounted, group_of
from rules.findings import Verdict
from rules.records import CardSeen, Step
from rules.rounds import Round
from rules.shown import LAID_OUT_S

SURE = 0.9
"""Both readings of a card seen twice must be at least this sure."""
STUB_ROUNDS = 5
OTHERS = {
    "six_cards": ("six_card_bonus", "the Six Card Bonus cards were dealt"),
    "extra": ("progressive", "the extra card was dealt"),
}
"""Areas with cards of no hand: the wager that these are dealt for, and what may not have been seen."""
HOURS = {"hand": 4, "manual_shoe": 8, "automated_shoe": 8}


def one_deck(ctx: Context, _: int) -> Outcome | None:
    """No card appears twice, and none that the deck does not have (669a.3(a))."""
    r = ctx.round
    expected = f"the {ctx.table.law.deck_cards} cards of one deck, each once"
    if ctx.table.decks == 1:
        colours = one_colour(ctx)
        if colours is not None and colours.verdict is Verdict.BREACH:
            return colours
    read: dict[str, CardSeen] = {}
    doubtful = False
    named = [card for card in r.cards.values() if card.card is not None and card.read is not None]
    for card in sorted(named, key=lambda c: c.read.index if c.read else 0):
        assert card.card is not None
        assert card.read is not None
        if card.card == "Jo" and ctx.table.law.deck_cards == 52:
            if card.read.event.confidence >= SURE:
                return breach(expected, "a joker", [card.read], area=card.home)
            doubtful = True
        other = read.setdefault(card.card, card)
        if other is card:
            continue
        assert other.read is not None
        sure = min(card.read.event.confidence, other.read.event.confidence) >= SURE
        both_there = other.removed is None or other.removed.t_s > card.placed.t_s
        shown_s = max(card.read.t_s, other.read.t_s) + LAID_OUT_S
        if not ctx.closing and group_of(other.home) == group_of(card.home) and r.now_s < shown_s:
            continue  # of a hand that is being laid out: the one may be the other moved, as what is turned next shows
        if sure and both_there and other.home != card.home:
            seen = f"{card.card} at {other.home} and at {card.home}"
            return breach(expected, seen, [other.read, card.read], area=card.home)
        doubtful = True
    if not ctx.closing:
        return None
    if doubtful:
        return undetermined(expected, "a sure reading of a card that seems to appear twice")
    if not read:
        return undetermined(expected, "no card was read")
    return compliant(expected, f"{len(read)} cards read, all different", [c.read for c in read.values()])


def deck_age(ctx: Context, _: int) -> Outcome | None:
    """Decks are changed every 4 hours (hand) or 8 hours (shoe), counted for each from when it came, or while it is played with (669a.3(c), ALL-A8)."""
    hours = HOURS[ctx.table.dealing]
    expected = f"the deck changed at least every {hours} hours"
    first = ctx.round.first_card
    if first is None or (ctx.table.decks == 2 and ctx.round.deal_over is None and not ctx.closing):
        return None
    since = _came(ctx)
    if since is None:
        return undetermined(expected, "when the deck came to the table")
    age = (first.t_s - since.t_s) / 3600
    if age > hours and ctx.table.decks == 2 and ctx.table.reading("deck.clock") == "in_play":
        age = ctx.memory.played_s.get(ctx.round.back or "", 0.0) / 3600
        if age <= hours and _unseen_since(ctx, since):
            return undetermined(
                expected, "how long rounds were played with the deck; some of them were not seen", [since]
            )
    if age <= hours:
        return compliant(expected, f"in play for {age:.1f} hours", [since])
    told = f"deck:{since.index}"
    if told in ctx.memory.told:
        return not_applicable("already reported for this deck")
    return breach(expected, f"in play for {age:.1f} hours", [since, first], told=(told,))


def _unseen_since(ctx: Context, since: Step) -> bool:
    """Whether since an event rounds may have been played with any deck that nobody saw."""
    gaps = [step for step in ctx.memory.gaps if step.area is None and step.t_s > since.t_s]
    return bool(gaps) or "" in ctx.memory.played_s


def _came(ctx: Context) -> Step | None:
    """The event that brought the deck in play."""
    if ctx.table.decks == 1:
        return ctx.memory.deck_since
    back = ctx.round.back
    known = [s for s in ctx.memory.decks.values() if isinstance(s.event, DeckChanged) and s.event.back == back]
    return max(known, key=lambda s: s.index) if back is not None and known else None


def shuffler_count(ctx: Context, _: int) -> Outcome | None:
    """A deck that was not counted right is not dealt (669a.5(b))."""
    bad = ctx.memory.bad_count
    if not ctx.table.shuffler_counts:
        return None
    expected = f"{ctx.table.law.deck_cards} cards counted by the shuffler"
    if ctx.round.first_card is None:
        return None
    if bad is not None and bad.index < ctx.round.first_card.index and ctx.table.decks == 1:
        count = getattr(bad.event, "count", None)
        return breach(expected, f"{count} counted, and the deck was dealt", [bad, ctx.round.first_card])
    steps = before_deal(ctx)
    if steps is None:
        return None
    counts = of_kind(steps, ShufflerCounted)
    wrong = [step for step in counts if getattr(step.event, "count", None) != ctx.table.law.deck_cards]
    if wrong and ctx.table.decks == 2:
        return undetermined(expected, "which of the two decks was counted", wrong)
    if not counts:
        return undetermined(expected, "what the shuffler counted") if ctx.closing else None
    return compliant(expected, "counted right", counts[-1:])


def stub_due(ctx: Context, _: int) -> Outcome | None:
    """Without a counting shuffler the stub is counted at least every 5 rounds (669a.8(f))."""
    if not ctx.closing:
        return None
    if ctx.table.shuffler_counts:
        return not_applicable("the shuffler counts the cards")
    if ctx.table.reshuffler and ctx.table.reading("reshuffler.suspends_stub") == "true":
        return not_applicable("the reshuffling device counts the cards")
    counted = [step for step in ctx.round.external if isinstance(step.event, StubCounted)]
    expected = f"the stub counted at least every {STUB_ROUNDS} rounds"
    if counted:
        return compliant(expected, "counted in this round", counted)
    if not ctx.memory.stub_reported:
        return undetermined(expected, "no stub count has been reported at this table")
    rounds = ctx.memory.rounds_since_stub + 1
    if ctx.table.reading("stub.count_voided") == "false":
        rounds -= ctx.memory.void_since_stub + int(ctx.void_due)
    if rounds < STUB_ROUNDS:
        return compliant(expected, f"{rounds} rounds since the last count")
    first = [dealt.first_card for dealt in ctx.memory.dealt[-rounds + 1 :]]
    blind = [step for step in ctx.memory.gaps if step.area is None and first and step.t_s > first[0].t_s]
    if blind:
        return undetermined(expected, "whether the stub was counted while nothing was seen", blind)
    return breach(expected, f"{rounds} rounds without a count", [*first, ctx.round.first_card])


def dealt_count(r: Round) -> int:
    """Cards that left the deck in the deal: those seen, and the stacks, one of unknown size with the cards it is due."""
    return sum(1 for _ in served_cards(r))


def served_cards(r: Round) -> Iterator[str]:
    """The destination of each card that left the deck in the deal, as `dealt_count` counts them."""
    wanted = due(r)
    stacks = {
        group_of(s.event.area): wanted[group_of(s.event.area)] if s.event.count is None else s.event.count
        for s in r.stack_units
        if isinstance(s.event, StackPlaced)
    }
    for group, cards in stacks.items():
        yield from [group] * cards
    yield from (group_of(card.home) for card in r.dealt if group_of(card.home) not in stacks)


def stub_wanted(r: Round) -> int:
    """Cards that are left in a whole deck after a deal as the law has it, with those that went to the rack while dealing (.13(a)) not among them."""
    return r.table.law.deck_cards - sum(due(r).values()) - len(burned(r)[0]) - len(racked_in_deal(r))


def is_whole(r: Round, count: int) -> bool:
    """Whether so many cards in the stub make the deck whole.

    A shoe that reshuffles by itself may have dispensed the two community cards alone, none of which goes to the rack (643a.10(g), LIR-A11).
    """
    wanted = stub_wanted(r)
    spare = r.table.law.discards(r.table.dealing) if r.table.reshuffler else 0
    return wanted <= count <= wanted + spare


def unseen_cards(r: Round, count: int) -> str | None:
    """What may have been dealt unseen so that so many cards in the stub make the deck whole; None where nothing may have been."""
    seen, law = due(r), r.table.law
    short = stub_wanted(r) - count
    may_be = {group: words for group, (wager, words) in OTHERS.items() if r.table.offers(wager) and not seen[group]}
    return next((words for group, words in may_be.items() if law.other_cards.get(group) == short), None)


def stub_count(r: Round) -> Step | None:
    """The count of the stub on which the dealer went on: the last before a card was shown after the first count, for a count may be made again."""
    if r.first_card is None:
        return None
    counts = [s for s in r.external if isinstance(s.event, StubCounted) and s.t_s >= r.first_card.t_s]
    on = next((s.t_s for s, _ in r.shown if counts and s.t_s > counts[0].t_s), float("inf"))
    return next((s for s in reversed(counts) if s.t_s <= on), None)


def _stub(ctx: Context, *, misdealt: bool) -> Outcome | None:
    r = ctx.round
    counted = stub_count(r)
    if counted is None:
        return None
    assert isinstance(counted.event, StubCounted)
    law = ctx.table.law
    wanted = stub_wanted(r)
    dealt = dealt_count(r)
    racked, unknown = burned(r)
    expected = f"{wanted} cards in the stub, or the round void"
    if unknown:
        missing = "whether a card found face up went back into the deck"
        return undetermined(expected, missing, [counted, *unknown]) if ctx.closing else None
    if is_whole(r, counted.event.count):
        return compliant(expected, f"{counted.event.count} counted", [counted, *racked])
    unseen = unseen_cards(r, counted.event.count)
    if unseen is not None:
        return undetermined(expected, f"whether {unseen} unseen", [counted]) if ctx.closing else None
    if (dealt + len(racked) + counted.event.count == law.deck_cards) is not misdealt:
        return None
    following = [s for s, _ in r.shown if s.t_s > counted.t_s]
    if following:
        burnt = f" and {len(racked)} in the rack" if racked else ""
        seen = f"{counted.event.count} counted with {dealt} dealt{burnt}, and play went on"
        return breach(expected, seen, [counted, *racked, following[0]], voids=True)
    return undetermined(expected, "whether play went on", [counted]) if ctx.closing else None


def stub_misdeal(ctx: Context, _: int) -> Outcome | None:
    """A stub count that shows a misdeal voids the round (669a.8(h))."""
    return _stub(ctx, misdealt=True)


def stub_bad_deck(ctx: Context, _: int) -> Outcome | None:
    """A stub count that shows a wrong deck voids the round, and the deck is removed from the table (669a.8(h))."""
    return _dealt_again(ctx) or _stub(ctx, misdealt=False)


def bad_stub(r: Round) -> Step | None:
    """The count of the stub that shows a deck that is not whole: every hand had the cards it is due, and they do not make it up."""
    counted = stub_count(r)
    if counted is None or burned(r)[1]:
        return None
    assert isinstance(counted.event, StubCounted)
    whole = is_whole(r, counted.event.count) or unseen_cards(r, counted.event.count) is not None
    if Counter(served_cards(r)) != due(r) or whole:
        return None
    return counted


def _dealt_again(ctx: Context) -> Outcome | None:
    """Whether a deck whose stub was not whole in the round before is dealt again; None where nothing is wrong, or it is too early."""
    r = ctx.round
    if r.first_card is None or (r.deal_over is None and not ctx.closing):
        return None
    last = ctx.memory.last_dealt(r.back, ctx.table.decks)
    if last is None or last.bad_stub is None:
        return None
    expected = "the deck whose stub was not whole removed from the table"
    since = ctx.memory.since(last, r.back, ctx.table.decks)
    if any(isinstance(step.event, DeckChanged) for step in since):
        return None
    what = "whether another deck came"
    missing = absent(ctx, expected, DeckChanged.kind, what, last.bad_stub.t_s, r.first_card.t_s)
    return missing or breach(expected, "the same deck dealt again", [last.bad_stub, r.first_card])


def shoe_jam(ctx: Context, _: int) -> Outcome | None:
    """A jam of the automated shoe voids the round (669a.13(f))."""
    r = ctx.round
    if ctx.table.dealing != "automated_shoe":
        return None
    jam = next((s for s in r.external if isinstance(s.event, DeviceJammed) and s.event.device == "shoe"), None)
    if jam is None or r.first_card is None or jam.t_s < r.first_card.t_s:
        return None
    expected = "the round void after the shoe jammed"
    return kept_void(ctx, expected, [jam], jam.t_s)


def checks(prefix: str, dealing: str) -> tuple[Check, ...]:
    """The group for one dealing method."""
    m = f"{prefix}-{METHODS[dealing]}"
    age = "HAND" if dealing == "hand" else "SHOE"
    return (
        Check(f"{prefix}-DECK-ONE", one_deck),
        Check(f"{prefix}-DECK-CHG-{age}", deck_age),
        Check(f"{prefix}-SHUF-COUNT", shuffler_count),
        Check(f"{m}-STUB-5RND", stub_due),
        Check(f"{m}-STUB-MISDEAL", stub_misdeal),
        Check(f"{m}-STUB-BADDECK", stub_bad_deck),
        Check(f"{prefix}-IRR-SHOEJAM", shoe_jam),
    )
