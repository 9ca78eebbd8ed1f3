"""Two decks in turns: two colours of back, one in play, the other in the shuffler (sections .3(b) of the four chapters)."""

from __future__ import annotations

from rules.checks.base import Check, Context, Outcome, breach, compliant, not_applicable, undetermined
from rules.checks.memory import Dealt
from rules.events import DeckChanged, TableClosed, TableOpened
from rules.house_events import RackSeen
from rules.records import CardSeen

SURE = 0.9
"""A colour counts from this confidence on."""


def _colours(ctx: Context) -> dict[str, list[CardSeen]]:
    """Cards dealt in the round by the colour of their backs, as far as surely seen."""
    found: dict[str, list[CardSeen]] = {}
    for card in ctx.round.dealt:
        if card.back is not None and card.placed.event.confidence >= SURE:
            found.setdefault(card.back, []).append(card)
    return found


def one_colour(ctx: Context) -> Outcome | None:
    """All cards dealt in a round have backs of one colour."""
    expected = "cards of one deck, with backs of one colour"
    colours = _colours(ctx)
    if len(colours) > 1:
        main = ctx.round.back
        other = next(cards[0] for back, cards in colours.items() if back != main)
        steps = [colours[main][0].placed if main in colours else None, other.placed]
        return breach(expected, f"a {other.back} back among {main} ones", steps, area=other.home)
    if not ctx.closing:
        return None
    if not colours:
        return undetermined(expected, "the colour of the backs")
    return compliant(expected, f"{next(iter(colours))} backs", [c.placed for c in next(iter(colours.values()))])


def _two(ctx: Context) -> bool:
    return ctx.table.decks == 2


def stored(ctx: Context, _: int) -> Outcome | None:
    """While one deck is in play the other is in the shuffler (.3(b)(2))."""
    return one_colour(ctx) if _two(ctx) else not_applicable("one deck")


def colours_differ(ctx: Context, _: int) -> Outcome | None:
    """Two decks have one design and backs of two colours (.3(b)(1))."""
    if not _two(ctx):
        return not_applicable("one deck")
    if ctx.round.first_card is None:
        return None
    expected = "two decks of one design, with backs of two colours"
    known = [(step, step.event) for name, step in sorted(ctx.memory.decks.items()) if name]
    pairs = [(step, event) for step, event in known if isinstance(event, DeckChanged) and event.deck is not None]
    if len(pairs) < 2:
        return undetermined(expected, "the designs and colours of both decks")
    (step_a, a), (step_b, b) = pairs[:2]
    if a.back is not None and a.back == b.back:
        return breach(expected, f"both decks have {a.back} backs", [step_a, step_b])
    if a.design is not None and b.design is not None and a.design != b.design:
        return breach(expected, f"designs {a.design} and {b.design}", [step_a, step_b])
    if None in (a.back, b.back, a.design, b.design):
        return undetermined(expected, "the designs and colours of both decks", [step_a, step_b])
    return compliant(expected, f"{a.back} and {b.back}", [step_a, step_b])


def alternate(ctx: Context, _: int) -> Outcome | None:
    """The two decks are dealt in turns (.3(b)(3))."""
    if not _two(ctx):
        return not_applicable("one deck")
    r = ctx.round
    if not ctx.closing and r.deal_over is None:
        return None
    expected = "the other deck than in the round before"
    if not ctx.memory.dealt:
        return not_applicable("the first round")
    before, colours = ctx.memory.dealt[-1], _colours(ctx)
    if before.back is None or len(colours) != 1:
        return undetermined(expected, "the colour of the backs in both rounds", [before.first_card])
    back, cards = next(iter(colours.items()))
    if back == before.back:
        why = _between(ctx, before)
        if why is not None:
            return undetermined(expected, why, [before.first_card, cards[0].placed])
        return breach(expected, f"{back} backs in two rounds running", [before.first_card, cards[0].placed])
    return compliant(expected, f"{back} after {before.back}", [before.first_card, cards[0].placed])


def _between(ctx: Context, before: Dealt) -> str | None:
    """Why the decks may have changed their turns since a round; None where nothing was told of it."""
    since_s, until_s = before.first_card.t_s, ctx.round.first_card.t_s if ctx.round.first_card else ctx.round.now_s
    if before.void:
        return "whether a round that was void counts as one"
    if any(
        isinstance(step.event, (DeckChanged, TableOpened, TableClosed)) and since_s < step.t_s <= until_s
        for step in ctx.memory.handling
    ):
        return "with which deck play began after a deck was changed, or the table opened"
    if any(step.area is None and step.t_s > since_s and step.event.since_s < until_s for step in ctx.memory.gaps):  # type: ignore[attr-defined]
        return "whether a round was dealt while nothing was seen"
    return None


def rack(ctx: Context, _: int) -> Outcome | None:
    """The discard rack holds cards of one deck only (.3(b)(4))."""
    if not _two(ctx):
        return not_applicable("one deck")
    expected = "cards of one deck in the discard rack"
    seen = [(step, event) for step, event in ctx.outside(RackSeen)]
    for step, event in seen:
        if len(set(event.backs)) > 1:
            return breach(expected, " and ".join(sorted(set(event.backs))), [step], area="discard_rack")
    if not ctx.closing:
        return None
    if not seen:
        return undetermined(expected, "what the rack holds")
    return compliant(expected, "one colour", [step for step, _ in seen])


def checks(prefix: str) -> tuple[Check, ...]:
    """The group for any game."""
    return (
        Check(f"{prefix}-DECK-TWO-COLOR", colours_differ),
        Check(f"{prefix}-DECK-TWO-STORED", stored),
        Check(f"{prefix}-DECK-ALT", alternate),
        Check(f"{prefix}-DECK-RACK-ONE", rack),
    )
