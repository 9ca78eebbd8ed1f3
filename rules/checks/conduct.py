"""Equipment, objects on the layout, the dealer's hands and what people at the seats do: told by operators or cameras.

Each of these checks judges on positive evidence only; where nothing was reported there is nothing to judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rules.catalogue import METHODS
from rules.checks.base import Check, Context, Judge, Outcome, breach, compliant, not_applicable, undetermined
from rules.checks.dealing import TOLD_LATE_S, is_stub
from rules.checks.deck import is_whole, stub_count
from rules.checks.patrons import TELLING
from rules.checks.progressive_facts import progressives
from rules.checks.settle_order import title
from rules.event_base import Reach
from rules.events import DecisionAnnounced, Face, StackPlaced, StubCounted, seat_of, wager_of
from rules.house_events import CardDrawn, ConductReported, DeckHeld, EquipmentSeen, ObjectSeen, ProcedureReported
from rules.records import Step
from rules.table import TableConfig


def equipment(check_id: str, item: str, words: str) -> Check:
    """The check that a piece of equipment is in its place when the cards are dealt, told once for each report."""

    def judge(ctx: Context, _: int) -> Outcome | None:
        first = ctx.round.first_card
        if first is None:
            return None
        if item in NEEDED and not NEEDED[item](ctx.table):
            return not_applicable("this table does not need it")
        known = [step for step in ctx.memory.equipment.get(item, ()) if step.t_s <= first.t_s]
        if not known:
            return not_applicable("nothing was reported")
        latest: dict[int | None, Step] = {}
        for step in known:
            assert isinstance(step.event, EquipmentSeen)
            latest[step.event.seat] = step
        wrong = [step for step in latest.values() if not getattr(step.event, "in_place", True)]
        fresh = [step for step in wrong if f"{check_id}:{step.index}" not in ctx.memory.told]
        if fresh:
            seats = sorted(s for step in fresh if isinstance(s := getattr(step.event, "seat", None), int))
            where = f" at seat {', '.join(map(str, seats))}" if seats else ""
            told = tuple(f"{check_id}:{step.index}" for step in fresh)
            return breach(words, f"not in its place{where}", [*fresh, first], told=told)
        if wrong:
            return not_applicable("already reported")
        return compliant(words, "in its place", list(latest.values()))

    return Check(check_id, judge)


EQUIPMENT: Mapping[str, tuple[str, str]] = {
    "TBL-RACK": ("discard_rack", "the discard rack attached on the dealer's side"),
    "TBL-DROPTIP": ("drop_and_tip_box", "drop box and tip box on opposite sides of the dealer"),
    "LAY-LOGO": ("logo", "the name or logo of the certificate holder on the layout"),
    "LAY-ODDS": ("odds", "odds and rules of the wagers on the layout or on a sign"),
    "PROGSYS": ("progressive_system", "a progressive table game system where the wager is offered"),
    "PROGSYS-DEV": ("progressive_device", "a wagering device at every position"),
    "LAY-EWS": ("wagering_device", "an electronic wagering device at every position"),
    "LAY-AKNOTICE": ("bet_notice", "a notice that the Bet Wager is returned below an ace and a king"),
    "LAY-LIMIT": ("limit_notice", "a notice of the payout limit"),
}
"""Rows by what is looked for, and what the chapter expects."""


PROCEDURES: Mapping[str, tuple[str, str]] = {
    "REVEAL-FORM": ("dealer_hand_formed", "the dealer's cards laid so as to form the highest hand"),
    "REVEAL-ANN": ("dealer_hand_announced", "the dealer's best hand announced"),
    "AUTO-SPREAD": ("stack_spread", "the stack spread from its bottom card on the dealer's left to its top card"),
    "HD-REMOVE": ("top_card_taken", "the top card taken from the deck in one hand with the other hand"),
}
"""Rows by what is reported, and what the chapter expects."""


NEEDED: Mapping[str, Callable[[TableConfig], bool]] = {
    "progressive_system": lambda table: bool(progressives(table)),
    "progressive_device": lambda table: bool(progressives(table)),
    "limit_notice": lambda table: table.payout_limit_cents is not None,
    "wagering_device": lambda table: table.offers("five_card_hand_bonus"),
}
"""Items that only some tables need."""


def _sides(ctx: Context, what: tuple[str, ...], seat: int) -> list[tuple[Step, ConductReported]]:
    return [(step, event) for step, event in ctx.outside(ConductReported) if event.what in what and event.seat == seat]


def _in_play(ctx: Context, step: Step) -> bool | None:
    """Whether a round was played at a time: not before its first card, surely before its last; None where it may have been over."""
    r = ctx.round
    if r.first_card is None or step.t_s < r.first_card.t_s:
        return False
    told = (seen for card in r.cards.values() for seen in (*card.steps, card.removed) if seen is not None)
    return True if any(seen.t_s > step.t_s for seen in told) else None


def _before_the_last_community_card(ctx: Context, step: Step) -> bool | None:
    """Whether community cards were still to be turned at a time of the round; None where that was not seen."""
    r = ctx.round
    if _in_play(ctx, step) is False or (r.settling_since is not None and r.settling_since <= step.t_s):
        return False
    return True if any(turned.t_s > step.t_s for turned, _ in r.reveals) else None


def _reported(
    ctx: Context,
    found: Sequence[tuple[Step, ConductReported]],
    expected: str,
    seen: Callable[[ConductReported], str],
    while_: Callable[[Context, Step], bool | None],
    area: str | None = None,
) -> Outcome | None:
    """How a check of conduct ends: what was reported of another time than that of the rule is none."""
    when = [(step, event, while_(ctx, step)) for step, event in found]
    for step, event, then in when:
        if then:
            return breach(expected, seen(event), [step], area=area)
    if not ctx.closing:
        return None
    open_ = [step for step, _, then in when if then is None]
    if open_:
        return undetermined(expected, "whether it was at a time of the round at which it is forbidden", open_)
    return not_applicable("nothing was reported")


def conduct(
    check_id: str,
    what: tuple[str, ...],
    expected: str,
    seen: Callable[[ConductReported], str],
    while_: Callable[[Context, Step], bool | None] = lambda *_: True,
) -> Check:
    """The check that a seat did not do what was reported, at a time at which it may not (any, where none is given)."""

    def judge(ctx: Context, seat: int) -> Outcome | None:
        return _reported(ctx, _sides(ctx, what, seat), expected, seen, while_)

    return Check(check_id, judge, per_seat=True)


def _seated(ctx: Context, step: Step) -> bool | None:
    """Whether a report is one of the round: who wagers may not be unseated before it either, who left before it did not leave it."""
    return True if getattr(step.event, "what", "") == "not_seated" else _in_play(ctx, step)


def touched(ctx: Context, seat: int) -> Outcome | None:
    """Only the dealer and the player touch a player's cards (.11(a)(1))."""
    expected = "a player's cards touched by that player and the dealer only"
    told = ctx.outside(ConductReported)
    found = [(s, e) for s, e in told if e.what == "touched_cards" and e.other_seat == seat and e.seat != seat]
    return _reported(
        ctx, found, expected, lambda e: f"touched by the player of seat {e.seat}", _in_play, area=f"seat{seat}.cards"
    )


def value_chips(ctx: Context, seat: int) -> Outcome | None:
    """Wagers are value chips, plaques or approved instruments on the betting areas (.7(a))."""
    expected = "value chips, plaques or approved instruments in the betting areas"
    areas = {f"seat{seat}.{name}" for name in ctx.table.law.wagers}
    seen = [(step, event) for step, event in ctx.outside(ObjectSeen) if event.area in areas]
    dealt = seat in ctx.round.dealt_seats
    unknown: list[Step] = []
    for step, event in seen:
        if event.what == "unknown" or (event.what == "cash" and _changed_for_chips(ctx, step, event.area)):
            unknown.append(step)
        elif event.what == "cash" and dealt:
            return breach(expected, f"cash as the {title(wager_of(event.area) or '')} Wager", [step], area=event.area)
    if not ctx.closing:
        return None
    if unknown:
        return undetermined(expected, "what lies there", unknown)
    placed = [w.placed for name in ctx.table.law.wagers if (w := ctx.round.wager(seat, name)) is not None]
    return compliant(expected, "so placed", placed) if placed else not_applicable("no wager")


def _changed_for_chips(ctx: Context, seen: Step, area: str) -> bool:
    """Whether cash may have been changed for chips, which came to the same area later and before the cards, or is there for the next round."""
    r = ctx.round
    if r.settled_from is not None and seen.t_s > r.settled_from:
        return True
    return any(life.placed.t_s > seen.t_s and r.locked(life) for life in r.wagers.get(area, ()))


def no_verbal(ctx: Context, seat: int) -> Outcome | None:
    """No verbal wager with cash is accepted (.7(a))."""
    r = ctx.round
    expected = "no verbal wager accepted"
    told = _sides(ctx, ("verbal_wager",), seat)
    if told and seat in r.dealt_seats:
        return breach(expected, "a verbal wager, and cards for the seat", [told[0][0]])
    if not ctx.closing:
        return None
    return not_applicable("nothing was reported")


def seated_hands(ctx: Context, _: int) -> Outcome | None:
    """The hand nearest the shoe draws a card, the other places it (.8(c))."""
    expected = "cards drawn with the hand nearest the shoe and placed with the other"
    seen = [(s, e) for s, e in ctx.outside(CardDrawn) if e.taken_by is not None or e.placed_by is not None]
    for step, event in seen:
        if event.taken_by is Reach.FAR:
            return breach(expected, "drawn with the far hand", [step])
        if event.placed_by is Reach.NEAR:
            return breach(expected, "placed with the hand nearest the shoe", [step])
    if not ctx.closing:
        return None
    return compliant(expected, "so dealt", [s for s, _ in seen]) if seen else not_applicable("no hands were told apart")


def _held(ctx: Context) -> list[tuple[Step, DeckHeld]]:
    """How the deck was held in the round: from the announcement or the first card on, for before it is on its way to or from the shuffler."""
    since_s = ctx.round.lock_s
    return [] if since_s is None else [(s, e) for s, e in ctx.outside(DeckHeld) if s.t_s >= since_s]


def same_hand(ctx: Context, _: int) -> Outcome | None:
    """The deck stays in the hand first chosen (.9(a)(2))."""
    expected = "the deck held in the same hand all round"
    held = [(s, e) for s, e in _held(ctx) if e.hand is not None]
    for step, event in held[1:]:
        if event.hand is not held[0][1].hand:
            return breach(expected, f"first in the {held[0][1].hand}, then in the {event.hand}", [held[0][0], step])
    if not ctx.closing:
        return None
    return (
        compliant(expected, f"{held[0][1].hand}", [s for s, _ in held])
        if held
        else not_applicable("no hands were told apart")
    )


def over_inventory(ctx: Context, _: int) -> Outcome | None:
    """The held deck stays over the inventory container and in front of the dealer (.9(a)(2))."""
    expected = "the held deck over the inventory container and in front of the dealer"
    held = [(s, e) for s, e in _held(ctx) if e.over_inventory is not None]
    for step, event in held:
        if not event.over_inventory:
            return breach(expected, "held elsewhere", [step])
    if not ctx.closing:
        return None
    return (
        compliant(expected, "so held", [s for s, _ in held])
        if held
        else undetermined(expected, "where the deck was held")
    )


def procedure(check_id: str, what: str, expected: str) -> Check:
    """The check of something that the dealer does and an operator, or a camera that can, reports."""

    def judge(ctx: Context, _: int) -> Outcome | None:
        seen = [(step, event) for step, event in ctx.outside(ProcedureReported) if event.what == what]
        for step, event in seen:
            if not event.kept:
                return breach(expected, "reported otherwise", [step])
        if not ctx.closing:
            return None
        return compliant(expected, "so done", [s for s, _ in seen]) if seen else not_applicable("nothing was reported")

    return Check(check_id, judge)


def stub_face_down(ctx: Context, _: int) -> Outcome | None:
    """The stub is counted face down on the layout (.8(f))."""
    expected = "the stub counted face down on the layout"
    counts = ctx.outside(StubCounted)
    for step, event in counts:
        if event.face is Face.UP:
            return breach(expected, "counted face up", [step])
        if event.place != "layout":
            return breach(expected, f"counted in the {event.place}", [step])
    if not ctx.closing:
        return None
    return (
        compliant(expected, "so counted", [s for s, _ in counts])
        if counts
        else not_applicable("the stub was not counted")
    )


def stub_unexposed(ctx: Context, _: int) -> Outcome | None:
    """A stub whose count shows a whole deck goes to the discard rack without exposing a card (.8(g))."""
    r = ctx.round
    counted = stub_count(r)
    if counted is None:
        return not_applicable("the stub was not counted") if ctx.closing else None
    assert isinstance(counted.event, StubCounted)
    if not is_whole(r, counted.event.count):
        return not_applicable("the count does not show a whole deck") if ctx.closing else None
    expected = "the counted stub in the discard rack, no card of it exposed"
    later = [s for s in r.stacks if s.t_s >= counted.t_s and s not in r.stack_units]
    placed = [(step, step.event) for step in later if isinstance(step.event, StackPlaced)]
    racked = [(step, event) for step, event in placed if event.area == "discard_rack"]
    for step, stack in racked:
        if not ctx.closing and r.now_s < step.t_s + TOLD_LATE_S:
            return None
        if not is_stub(r, step):
            continue
        if stack.exposed:
            return breach(expected, "a card of it was exposed", [counted, step])
        return compliant(expected, "so placed", [counted, step])
    if not ctx.closing:
        return None
    if placed and not racked:
        step, stack = placed[0]
        return breach(expected, f"placed at {stack.area}", [counted, step], area=stack.area)
    return undetermined(expected, "where the stub went", [counted])


def asked_in_order(ctx: Context, _: int) -> Outcome | None:
    """Players are asked clockwise from the dealer's left (.11(b)); the order in which the house entered their answers."""
    r = ctx.round
    end = r.reveal_s(1)
    answers = [
        (s, s.event) for s in r.decisions if isinstance(s.event, DecisionAnnounced) and (end is None or s.t_s <= end)
    ]
    expected = "the seats asked from the lowest up"
    first: dict[int, Step] = {}
    for step, event in sorted(answers, key=lambda item: (item[0].t_s, item[0].index)):
        if event.seat in r.dealt_seats and event.seat not in first:
            if any(seat > event.seat for seat in first):
                other = max(first)
                return breach(
                    expected, f"seat {other} answered before seat {event.seat}", [first[other], step], seat=other
                )
            first[event.seat] = step
    if end is None and not ctx.closing:
        return None
    return (
        compliant(expected, "so asked", list(first.values()))
        if len(first) > 1
        else not_applicable("no answers were entered")
    )


def checks(prefix: str, dealing: str) -> tuple[Check, ...]:
    """The group for one dealing method; the rows that a game's catalogue lacks are left out by its module."""
    m = f"{prefix}-{METHODS[dealing]}"
    own: tuple[tuple[str, Judge], ...] = ()
    if dealing == "manual_shoe":
        own = ((f"{m}-HANDS", seated_hands),)
    elif dealing == "hand":
        own = ((f"{m}-ONEHAND", same_hand), (f"{m}-OVERTIC", over_inventory))
    return (
        *(equipment(f"{prefix}-{row}", item, words) for row, (item, words) in EQUIPMENT.items()),
        *(procedure(f"{prefix}-{row}", what, words) for row, (what, words) in PROCEDURES.items()),
        *((equipment(f"{m}-SHOELOC", "shoe", "the shoe in its approved place"),) if dealing == "manual_shoe" else ()),
        *(Check(check_id, judge) for check_id, judge in own),
        Check(f"{prefix}-WAG-CHIPS", value_chips, per_seat=True),
        Check(f"{prefix}-WAG-NOVERBAL", no_verbal, per_seat=True),
        conduct(
            f"{prefix}-WAG-SEATED", ("left_table", "not_seated"), "only seated players wager, and stay to the end of the round",
            lambda e: "left the table in the round" if e.what == "left_table" else "a wager of a person not seated",
            _seated,
        ),
        Check(f"{m}-STUB-DOWN", stub_face_down),
        Check(f"{m}-STUB-OK", stub_unexposed),
        Check(f"{prefix}-PLR-TOUCH", touched, per_seat=True),
        conduct(
            f"{prefix}-PLR-VIEW", ("cards_out_of_view",), "the cards in full view of the dealer",
            lambda _: "the cards were out of the dealer's view", _in_play,
        ),
        Check(f"{prefix}-D1-ORDER", asked_in_order),
    )  # fmt: skip


def one_position(prefix: str) -> Check:
    """The check that a player wagers on one position (669a.7(e))."""
    return conduct(
        f"{prefix}-ONE-POS", ("second_position",), "a player wagers on one position only",
        lambda e: f"the same player at seat {e.other_seat}" if e.other_seat is not None else "a second position",
    )  # fmt: skip


def silence(prefix: str) -> Check:
    """The check that players keep their hands to themselves (669a.11(a)(3))."""
    return conduct(
        f"{prefix}-PLR-NOTALK", TELLING, "no information on a hand before all community cards are turned",
        lambda e: "cards shown to another player" if e.what == "showed_cards" else "the hand was told",
        _before_the_last_community_card,
    )  # fmt: skip


__all__ = ["EQUIPMENT", "checks", "conduct", "equipment", "one_position", "seat_of", "silence"]
