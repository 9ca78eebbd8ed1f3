"""The community and Six Card Bonus cards of Let It Ride: how they are dealt, racked, turned and laid (643a.8-.11)."""

from __future__ import annotations

from dataclasses import replace

from rules.books import place_of
from rules.checks.base import Check, Context, Outcome, breach, compliant, hidden, not_applicable, undetermined
from rules.checks.deal_order import unbrought
from rules.checks.dealing import count_cards, deal_areas, deal_window, too_early
from rules.checks.dealt_sides import face_down_community
from rules.checks.sequence import comes
from rules.events import Face
from rules.findings import Verdict
from rules.records import CardSeen, Step
from rules.rounds import Round

GRACE_S = 1.0
"""Two things within this time have no sure order."""


def which(ctx: Context, _: int) -> Outcome | None:
    """The community card on the dealer's left is turned first and laid to the right of the other (643a.11(c))."""
    r = ctx.round
    if not r.reveals:
        return None
    turned, card = r.reveals[0]
    others = [c for c in r.community_cards if c is not card and (c.removed is None or c.removed.t_s > turned.t_s)]
    if not ctx.closing and len(r.reveals) < 2:
        return None
    expected = "the card on the dealer's left turned and laid to the right of the other"
    place = place_of(card.home) if card.face_placed is Face.DOWN else None
    gap = hidden(ctx, expected, deal_areas(r), turned.t_s - GRACE_S, turned.t_s + 2 * GRACE_S)
    if gap is not None:
        return gap
    other = place_of(others[0].home) if len(others) == 1 and others[0].face_placed is Face.DOWN else None
    if place is None or other is None or len(r.reveals) < 2:
        return undetermined(expected, "where the two community cards lay", [turned])
    if place > other:
        return breach(expected, "the card on the dealer's right turned", [turned], area=card.home)
    moved = _place_at(r, card, r.reveals[1][0].t_s)
    if moved is None:
        return undetermined(expected, "where the turned card was laid", [turned])
    if ctx.table.reading("layout.right_of") == "player":
        if moved >= other:
            return breach(expected, "laid to the right of it as the dealer sees it", [turned], area=card.home)
    elif moved <= other:
        return _left_there(ctx, expected, turned, card, moved)
    return compliant(expected, "so done", [turned])


def _left_there(ctx: Context, expected: str, turned: Step, card: CardSeen, place: int) -> Outcome | None:
    """A turned card of which no move was told lay on the left to the end only where it was taken away from there."""
    gone = card.removed
    if gone is None:
        return undetermined(expected, "whether the turned card was moved unseen", [turned]) if ctx.closing else None
    area = getattr(gone.event, "from_area", gone.area)
    if place_of(area) != place:
        return undetermined(expected, "when the turned card was moved", [turned, gone])
    return breach(expected, "the turned card left on the left", [turned, gone], area=card.home)


def _place_at(r: Round, card: CardSeen, t_s: float) -> int | None:
    """Where a card lay at a time, by its last event before."""
    area: str | None = card.home
    for step in r.steps:
        event = step.event
        if getattr(event, "card_id", None) == card.card_id and step.t_s <= t_s:
            area = getattr(event, "area", area)
    return place_of(area)


def community_count(ctx: Context, _: int) -> Outcome | None:
    """The community area has two cards, after the third of an automated stack went to the rack (643a.13(c), LIR-A14)."""
    r = ctx.round
    cards = [card for card in r.community_cards if r.is_dealt(card)]
    wanted = ctx.table.law.community_cards
    if ctx.table.dealing != "automated_shoe":
        return count_cards(ctx, cards, wanted, "community")
    if too_early(ctx):
        return None
    left = [card for card in cards if card.removed is None or (r.reveals and card.removed.t_s > r.reveals[0][0].t_s)]
    expected = f"{wanted} community cards once the third was racked"
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    steps = [card.placed for card in cards]
    if len(left) == wanted:
        return compliant(expected, f"{wanted} cards", steps)
    lay = [card for card in left if r.reveals and _lay_on(card, r.reveals[0][0])]
    if len(lay) <= wanted:
        return undetermined(expected, "how many cards lie there", steps) if ctx.closing else None
    last = [step for card in lay for step in (card.turned, card.removed) if step is not None]
    seen = f"{len(lay)} cards when the first was turned"
    return breach(expected, seen, [*steps, r.reveals[0][0], *last], area="community")


def _lay_on(card: CardSeen, turned: Step) -> bool:
    """Whether a card is known to have lain there when one was turned, for it was itself, or was taken away later."""
    return any(step is not None and step.t_s >= turned.t_s for step in (card.turned, card.removed))


def third_racked(ctx: Context, _: int) -> Outcome | None:
    """Of an automated community stack the card on the dealer's left goes to the rack unexposed (643a.10(b))."""
    r = ctx.round
    cards = [card for card in r.community_cards if r.is_dealt(card)]
    if any(card.face_placed is Face.UP and _racked_before_play(r, card) for card in cards):
        cards = [card for card in r.community_cards if not r.reveals or card.placed.t_s < r.reveals[0][0].t_s]
    if len(cards) < 3 or too_early(ctx):
        return None
    expected = "the community card on the dealer's left racked face down"
    gone = [c for c in cards if c.removed is not None and (not r.reveals or c.removed.t_s < r.reveals[0][0].t_s)]
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    if len(gone) != 1:
        return undetermined(expected, "which card was removed", [c.placed for c in cards]) if ctx.closing else None
    card = gone[0]
    assert card.removed is not None
    if card.face_placed is Face.UP or card.turned is not None:
        found = breach(expected, "it was exposed", [*card.steps, card.removed], area=card.home)
        return _third_exposed(ctx, found)
    places = [place_of(c.home) for c in cards]
    place = place_of(card.home)
    if place is None or None in places or len(set(places)) != len(places):
        return undetermined(expected, "where each of the three cards lay", [card.removed])
    if place != min(p for p in places if p is not None):
        return breach(expected, "another card was removed", [card.removed], area=card.home)
    return compliant(expected, "so racked", [card.removed])


def _racked_before_play(r: Round, card: CardSeen) -> bool:
    """Whether a community card went to the rack before the first was turned; with one that came face up the deal seems to be over."""
    if card.removed is None or card.to_area != "discard_rack":
        return False
    return not r.reveals or card.removed.t_s < r.reveals[0][0].t_s


def _third_exposed(ctx: Context, found: Outcome) -> Outcome:
    """LIR-A12: the card that is racked was never a community card, or its exposure voids the round."""
    value = ctx.table.reading("lir.third_card_exposed")
    return replace(found, readings=(f"lir.third_card_exposed={value}",), voids=value == "void")


def community_last(ctx: Context, _: int) -> Outcome | None:
    """The community stack comes after the players', unless the shoe reshuffles by itself (643a.10(b), (g))."""
    if ctx.table.reshuffler:
        return not_applicable("the shoe reshuffles by itself") if ctx.closing else None
    return comes("community", after=("seats",))(ctx, 0)


def community_down(ctx: Context, seat: int) -> Outcome | None:
    """A community card dealt face up is exposed before it may be turned, which voids the round (643a.8(d), .13(d))."""
    outcome = face_down_community(ctx, seat)
    return replace(outcome, voids=True) if outcome is not None and outcome.verdict is Verdict.BREACH else outcome


def six_cards_last(ctx: Context, _: int) -> Outcome | None:
    """The Six Card Bonus stack comes after the community's, unless the shoe reshuffles by itself (643a.10(b), (g), LIR-A11)."""
    if ctx.table.reshuffler:
        return not_applicable("the shoe reshuffles by itself") if ctx.closing else None
    return comes("six_cards", after=("community",))(ctx, 0)


def second_right(ctx: Context, _: int) -> Outcome | None:
    """The second community card lies to the right of the first (643a.8(d)(4), .9(b)(4), LIR-A13)."""
    r = ctx.round
    cards = [card for card in r.community_cards if r.is_dealt(card)]
    if not cards or too_early(ctx):
        return None
    by_players = ctx.table.reading("layout.right_of") == "player"
    expected = f"the second community card to the right of the first, as the {'players see' if by_players else 'dealer sees'} it"
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    if gap is not None:
        return gap
    places = [place_of(card.home) for card in cards]
    steps = [card.placed for card in cards]
    whole = len(places) == ctx.table.law.community_cards and all(card.face_placed is Face.DOWN for card in cards)
    if not whole or places[0] is None or places[1] is None:
        return undetermined(expected, "where the two cards were placed", steps)
    strange = unbrought(r, expected, steps)
    if strange is not None:
        return strange
    if places[1] != places[0] and (places[1] > places[0]) is not by_players:
        return compliant(expected, "so placed", steps)
    return breach(expected, "on it" if places[0] == places[1] else "to the left of it", steps, area=cards[1].home)


def bonus_cards_hidden(ctx: Context, _: int) -> Outcome | None:
    """The Six Card Bonus cards are shown in settlement only (643a.11(g)(6))."""
    r = ctx.round
    cards = r.group_cards("six_cards")
    if not cards:
        return not_applicable("no Six Card Bonus cards") if ctx.closing else None
    expected = "the Six Card Bonus cards face down until settlement"
    end = r.settling_since
    up = [c.turned or c.placed for c in cards if c.turned is not None or c.face_placed is Face.UP]
    early = [step for step in up if end is None or step.t_s < end - GRACE_S]
    if early and end is not None:
        return _irregular(ctx, breach(expected, f"shown at {early[0].t_s:.1f} s", early, area=cards[0].home))
    if not ctx.closing:
        return None
    if end is None:
        return undetermined(expected, "when settlement began", up)
    gap = hidden(ctx, expected, deal_areas(r), *deal_window(r))
    return gap or compliant(expected, "so shown", up)


def bonus_count(ctx: Context, _: int) -> Outcome | None:
    """Three Six Card Bonus cards are dealt, or none (643a.8(d), .9(b), .10(b))."""
    r = ctx.round
    cards = [card for card in r.group_cards("six_cards") if r.is_dealt(card)]
    if not cards:
        return not_applicable("no Six Card Bonus cards") if ctx.closing else None
    outcome = count_cards(ctx, cards, ctx.table.law.other_cards["six_cards"], "six_cards")
    return outcome if outcome is None or outcome.verdict is not Verdict.BREACH else _irregular(ctx, outcome)


def _irregular(ctx: Context, found: Outcome) -> Outcome:
    """LIR-A9: what befalls the Six Card Bonus cards concerns their wagers alone, or voids the round."""
    value = ctx.table.reading("lir.scb_irregularity")
    return replace(found, readings=(f"lir.scb_irregularity={value}",), voids=value == "void")


SIX_CARDS_WRONG = {
    "LIR-SCB-COUNT": "a wrong number of Six Card Bonus cards was dealt",
    "LIR-SCB-REVEAL": "a Six Card Bonus card was shown early",
}
"""Breaches that are irregularities of these cards, in words (LIR-A9)."""
CHECKS = (
    Check("LIR-C1-WHICH", which),
    Check("LIR-SCB-COUNT", bonus_count),
    Check("LIR-SCB-REVEAL", bonus_cards_hidden),
)
"""The checks that every dealing method has."""
