"""The Five Card Hand Bonus of Caribbean Stud and Let It Ride: an electronic wager, paid to the player's game account.

The system tells what it accepted (`electronic_wager_accepted`), drew (`bonus_drawn`) and paid (`bonus_paid`); the cards are
those on the table. Source: 58 Pa. Code §§ 639a.11(c)(6), 639a.12(e), 643a.11(g)(5), 643a.12(f).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rules.checks.base import Check, Context, Details, Outcome, absent, breach, compliant, not_applicable, undetermined
from rules.checks.memory import HAND_BONUS
from rules.checks.meter_standing import Award, order_of, standing
from rules.checks.meters import after_void
from rules.checks.patrons import house_decides, is_losing, is_one_player
from rules.checks.payment import is_share, rounded
from rules.checks.progressive_deal import accepted
from rules.checks.progressive_facts import Payment, payments, paytable, total_paid, without_wager
from rules.checks.void import unless_void
from rules.event_base import Source
from rules.events import FloorDecision, MeterRead
from rules.house_events import BonusDrawn, BonusPaid
from rules.money import Cents, MeterShare, Odds, format_cents
from rules.paytables import Line, Paytable
from rules.records import Step

WAGER = "five_card_hand_bonus"
DEALER = "dealer"
DOLLAR = 100
FLOOR_FROM = 500
"""Payouts of 500 for 1 and shares of the meter are verified by a floorperson (639a.11(c)(6)(ii))."""
Names = Callable[[Context, str, int], "tuple[str, ...] | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBonus:
    """The wager in one game.

    Attributes:
        prefix: of the check ids.
        sides: by the hand wagered on, "player" or "dealer", the names of the wager in the system's reports.
        names: the rows of the paytable that a hand answers to, by side and seat; None where it was not read.
        cards: the cards of that hand for the Magic Card, in the same way.
        beaten: whether the dealer's hand outranks the player's or the player folded; None in a game without a dealer's hand.
        rows: ends of the check ids by what is judged.
    """

    prefix: str
    sides: Mapping[str, tuple[str, ...]]
    names: Names
    cards: Names
    beaten: Callable[[Context, int], bool | None] | None
    rows: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Wager:
    """One such wager at the end of the round."""

    side: str
    name: str
    placed: Step
    cents: int
    table: Paytable
    names: tuple[str, ...] | None
    line: Line | None
    paid: list[Payment]

    @property
    def steps(self) -> list[Step]:
        return [self.placed, *(payment.step for payment in self.paid)]

    @property
    def words(self) -> str:
        return f"Five Card Hand Bonus on the {self.side}'s hand"


def _wagers(b: HandBonus, ctx: Context, seat: int) -> list[_Wager]:
    """The wagers of a seat, by the hand wagered on."""
    table = paytable(ctx, WAGER)
    found = []
    for side, known in b.sides.items():
        for name in known:
            told = accepted(ctx, name, seat)
            if table is None or not told:
                continue
            step, event = told[-1]
            names = b.names(ctx, side, seat)
            paid = payments(ctx, name, seat)
            lost = is_losing(ctx, seat, paid[0].step.t_s if paid else ctx.round.now_s)
            line = table.line(names) if names is not None and not lost else None
            found.append(_Wager(side, name, step, event.amount_cents, table, names, line, paid))
    return found


def _unread(ctx: Context, wagers: Sequence[_Wager], expected: str) -> Outcome | None:
    for wager in wagers:
        if wager.names is None:
            return undetermined(expected, f"the {wager.side}'s hand (not all cards were read)", wager.steps)
    return None


# -- by whom and how it is paid -----------------------------------------------------------------------------------------


def _verify(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """Only a winning hand is paid."""
    made = _wagers(b, ctx, seat)
    for name in (name for names in b.sides.values() for name in names):
        unasked = payments(ctx, name, seat) if all(w.name != name for w in made) else []
        if unasked:
            return without_wager(ctx, name, seat, unasked, "paid")
    paid = [w for w in made if w.paid]
    expected = "the Five Card Hand Bonus paid only on a hand verified as a winning one"
    for wager in paid:
        if wager.names is not None and wager.line is None:
            seen = f"paid on {wager.names[-1]}"
            return breach(expected, seen, wager.steps, owed_cents=0, paid_cents=total_paid(wager.paid))
    if not paid:
        return not_applicable("nothing was paid")
    return _unread(ctx, paid, expected) or compliant(expected, "so paid", [s for w in paid for s in w.steps])


def _floor(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """A floorperson verifies payouts of 500 for 1 and shares of the meter."""
    expected = "a payout of 500 for 1 or a share of the meter verified by a floorperson before it is paid"
    due = [w for w in _wagers(b, ctx, seat) if w.paid and w.line is not None and _is_high(w.line)]
    if not due:
        return not_applicable("no such payout")
    first = min((w.paid[0].step for w in due), key=lambda step: (step.t_s, step.index))
    entries = [s for s, e in ctx.outside(FloorDecision) if e.decision == "validate_payout" and e.seat in (None, seat)]
    steps = [due[0].placed, first]
    if entries and entries[0].t_s <= first.t_s:
        return compliant(expected, "so verified", [*steps, entries[0]])
    if entries:
        return breach(expected, f"{entries[0].t_s - first.t_s:.1f} s after the payment", [*steps, entries[0]])
    what = "whether a floorperson verified it"
    return absent(ctx, expected, FloorDecision.kind, what, due[0].placed.t_s, first.t_s) or breach(
        expected, "paid without it", steps
    )


def _is_high(line: Line) -> bool:
    return not isinstance(line.pay, Odds) or line.pay.numerator >= FLOOR_FROM * line.pay.denominator


def _credit(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """Odds are credited to the game account, a share of the meter is not."""
    expected = "odds credited to the player's game account, a share of the meter paid otherwise"
    won = [w for w in _wagers(b, ctx, seat) if w.paid and w.line is not None]
    for wager in won:
        assert wager.line is not None
        share = isinstance(wager.line.pay, MeterShare)
        for payment in wager.paid:
            if share and payment.source is Source.ACCOUNT:
                return breach(expected, f"{wager.line.pay} credited to the account", wager.steps)
            if not share and payment.source in (Source.INVENTORY, Source.CAGE):
                return breach(expected, f"{wager.line.pay} paid from the {payment.source.value}", wager.steps)
    if not won:
        return not_applicable("nothing was won and paid")
    steps = [s for w in won for s in w.steps]
    if any(payment.source is None for w in won for payment in w.paid):
        return undetermined(expected, "where the money came from", steps)
    return compliant(expected, "so paid", steps)


def _stays(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """A hand that is not paid to the account stays until the papers are done."""
    expected = "the winning hand on the table until the documentation is completed"
    due = [w for w in _wagers(b, ctx, seat) if w.line is not None and _not_to_account(w)]
    if not due:
        return not_applicable("paid to the account, or nothing was won")
    homes = {f"seat{seat}.cards" if w.side != DEALER else DEALER for w in due}
    cards = [c for c in ctx.round.cards.values() if c.home in homes or c.home.partition(".")[0] in homes]
    gone = [c.removed for c in cards if c.removed is not None]
    if not gone:
        return not_applicable("the cards lay there to the end")
    first = min(gone, key=lambda step: (step.t_s, step.index))
    done = [
        s for s, e in ctx.outside(FloorDecision) if e.decision == "documentation_completed" and e.seat in (None, seat)
    ]  # fmt: skip
    steps = [due[0].placed, first]
    if done and done[0].t_s <= first.t_s:
        return compliant(expected, "they lay there", [*steps, done[0]])
    if done:
        return breach(expected, f"taken away {done[0].t_s - first.t_s:.1f} s before", [*steps, done[0]])
    what = "whether the documentation was completed"
    return absent(ctx, expected, FloorDecision.kind, what, due[0].placed.t_s, first.t_s) or breach(
        expected, "taken away without it", steps
    )


def _not_to_account(wager: _Wager) -> bool:
    assert wager.line is not None
    return isinstance(wager.line.pay, MeterShare) or any(
        payment.source in (Source.INVENTORY, Source.CAGE) for payment in wager.paid
    )


# -- how much ---------------------------------------------------------------------------------------------------------------


def _owed(b: HandBonus, ctx: Context, wager: _Wager) -> tuple[int, bool] | None:
    """Cents owed and whether a part of one is dropped; None where the meter is not known, or where the jackpot is divided."""
    assert wager.line is not None
    pay = wager.line.pay
    if isinstance(pay, Odds):
        return pay.winnings(Cents(wager.cents)), False
    if not isinstance(pay, MeterShare) or wager.side == DEALER:
        return None
    found = _share(b, ctx, pay, wager.paid[0].step if wager.paid else None, [wager])
    return None if found is None else (rounded(ctx, pay.of(found[1])), pay.drops(found[1]))


def _share(
    b: HandBonus, ctx: Context, pay: MeterShare, turn: Step | None, own: Sequence[_Wager]
) -> tuple[list[Step], Cents] | None:
    """The events it rests on, and what stands on the meter of a share at the turn of these wagers; None where not known."""
    table = paytable(ctx, WAGER)
    if table is None:
        return None
    mine = {(wager.placed.index, wager.name) for wager in own}
    every = [w for seat in ctx.round.dealt_seats for w in _wagers(b, ctx, seat)]
    others = [w for w in every if w.paid and (w.placed.index, w.name) not in mine]
    boxes = _boxes(
        ctx, sorted({seat for seat in ctx.round.dealt_seats for w in _wagers(b, ctx, seat) if w.side == DEALER})
    )
    return standing(
        ctx.memory.meters.get(f"{HAND_BONUS}.{pay.meter}", ()),
        _awards(others, None if boxes is None else len(boxes)),
        turn,
        table.meters[pay.meter].reseed(Cents(DOLLAR)),
    )


def _boxes(ctx: Context, seats: Sequence[int]) -> list[set[int]] | None:
    """The boxes with a wager on the dealer's hand by player, or each by itself (CAR-A12); None where nobody says which are one player's."""
    if ctx.table.reading("car.split_by") == "wager":
        return [{seat} for seat in seats]
    if any(is_one_player(ctx, seat, other) is None for seat in seats for other in seats):
        return None
    players = {frozenset(other for other in seats if is_one_player(ctx, seat, other)) for seat in seats}
    return [set(boxes) for boxes in sorted(players, key=min)]


def _awards(paid: Sequence[_Wager], parts: int | None) -> Iterator[Award]:
    """What these wagers were paid from the meter, or may have been: for the dealer's hand once, divided among so many (639a.12(e)(2), CAR-A12)."""
    dealers = [w for w in paid if w.side == DEALER]
    first = [min(dealers, key=lambda w: order_of(w.paid[0].step))] if dealers else []
    for wager in [w for w in paid if w.side != DEALER] + first:
        pay = wager.line.pay if wager.line is not None else None
        if wager.names is None or isinstance(pay, MeterShare):
            known = isinstance(pay, MeterShare) and (wager.side != DEALER or parts is not None)
            share = pay if known and isinstance(pay, MeterShare) else None
            total = total_paid(wager.paid)
            yield Award(wager.paid[0].step, share, total, (parts or 1) if wager.side == DEALER else 1)


def _is_refused(b: HandBonus, ctx: Context, wager: _Wager, seat: int) -> bool | None:
    """Whether a winning wager was not paid and the player's hand did not beat the dealer's; None where not known."""
    if wager.paid or b.beaten is None or wager.side == DEALER:
        return False
    return b.beaten(ctx, seat)


def _independent(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """A win is paid whatever became of the hand against the dealer's."""
    expected = "a winning Five Card Hand Bonus paid whatever the dealer holds"
    won = [w for w in _wagers(b, ctx, seat) if w.line is not None and w.side != DEALER]
    for wager in won:
        refused = _is_refused(b, ctx, wager, seat)
        if refused is None:
            return undetermined(expected, "whether the dealer's hand outranks the player's", wager.steps)
        if refused:
            return _missing(ctx, wager, expected) or breach(
                expected, "not paid to a hand that lost or was folded", wager.steps, paid_cents=0
            )
    beaten = [w for w in won if b.beaten is not None and b.beaten(ctx, seat)]
    if not beaten:
        return not_applicable("no such hand")
    return compliant(expected, "paid", [s for w in beaten for s in w.steps])


def _missing(ctx: Context, wager: _Wager, expected: str) -> Outcome | None:
    what, seat = "a payout; none was seen", getattr(wager.placed.event, "seat", 0)
    return house_decides(ctx, seat, expected, ctx.round.now_s) or absent(
        ctx, expected, BonusPaid.kind, what, wager.placed.t_s, ctx.round.now_s
    )


def _both(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """Wagers on both hands are paid for both."""
    won = [w for w in _wagers(b, ctx, seat) if w.line is not None]
    if len(won) < 2:
        return not_applicable("not both hands won")
    expected = "both winning hands paid"
    unpaid = [w for w in won if not w.paid]
    steps = [s for w in won for s in w.steps]
    if len(unpaid) == 1:
        return _missing(ctx, unpaid[0], expected) or breach(
            expected,
            f"the {unpaid[0].side}'s hand was not paid",
            steps,
            paid_cents=total_paid(won[0].paid + won[1].paid),
        )
    if unpaid:
        return not_applicable("neither was paid; see the check of the amount")
    return compliant(expected, "both paid", steps)


def _pay(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """The amount of each payout, the highest hand only."""
    wagers = _wagers(b, ctx, seat)
    if not wagers:
        return not_applicable("no Five Card Hand Bonus Wager")
    open_ = _unread(ctx, wagers, "the Five Card Hand Bonus paid as the table says")
    if open_ is not None:
        return open_
    won = [w for w in wagers if w.line is not None]
    ends = [end for w in won if (end := _amount(b, ctx, w, seat, won)) is not None]
    for end in ends:
        if end.verdict.value == "breach":
            return end
    return ends[0] if ends else not_applicable("the hand does not win, or is judged elsewhere")


def _amount(b: HandBonus, ctx: Context, wager: _Wager, seat: int, won: Sequence[_Wager]) -> Outcome | None:
    assert wager.line is not None
    way = f"{wager.words}: {wager.line.hand} {wager.line.pay} on {format_cents(wager.cents)}"
    if isinstance(wager.line.pay, MeterShare) and wager.side == DEALER:
        return None
    due, paid = _owed(b, ctx, wager), total_paid(wager.paid)
    owed, part = due if due is not None else (None, False)
    if not wager.paid:
        if _is_refused(b, ctx, wager, seat) is not False or (len(won) > 1 and any(w.paid for w in won)):
            return None
        return _missing(ctx, wager, way) or breach(way, "not paid", wager.steps, owed_cents=owed, paid_cents=0)
    if owed is None or paid is None:
        return undetermined(way, "what stood on the meter" if owed is None else "the amount paid", wager.steps)
    amounts: Details = {"owed_cents": owed, "paid_cents": paid}
    if is_share(ctx, owed, paid, part=part):
        return compliant(f"{way}: {format_cents(owed)}", f"paid {format_cents(paid)}", wager.steps, **amounts)
    word = "too little" if paid < owed else "too much"
    seen = f"paid {format_cents(paid)}, {format_cents(abs(paid - owed))} {word}"
    return breach(f"{way}: {format_cents(owed)}", seen, wager.steps, **amounts)


def _split(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """A share of the meter won by the dealer's hand is divided equally."""
    own = next((w for w in _wagers(b, ctx, seat) if w.side == DEALER), None)
    if own is None or own.line is None or not isinstance(own.line.pay, MeterShare):
        return not_applicable("no share of the meter for the dealer's hand")
    every = {s: w for s in ctx.round.dealt_seats for w in _wagers(b, ctx, s) if w.side == DEALER}
    boxes = _boxes(ctx, list(every))
    if boxes is None:
        return undetermined("the share divided equally among the players", "which boxes are one player's", own.steps)
    expected = f"{own.line.pay} divided equally among {len(boxes)}"
    firsts = [w.paid[0].step for w in every.values() if w.paid]
    stood = _share(b, ctx, own.line.pay, min(firsts, key=order_of, default=None), list(every.values()))
    mine = [every[box] for boxes_of_player in boxes if seat in boxes_of_player for box in sorted(boxes_of_player)]
    steps = [step for w in mine for step in w.steps]
    if not any(w.paid for w in mine):
        return _missing(ctx, own, expected) or breach(expected, "not paid", steps, paid_cents=0)
    paid = total_paid([payment for w in mine for payment in w.paid])
    if stood is None or paid is None:
        return undetermined(expected, "what stood on the meter" if stood is None else "the amount paid", steps)
    read, share = stood[0], own.line.pay.of(stood[1])
    owed = rounded(ctx, share // len(boxes))
    amounts: Details = {"owed_cents": owed, "paid_cents": paid}
    if is_share(ctx, owed, paid, part=share % len(boxes) > 0):
        return compliant(expected, f"{format_cents(paid)} each", steps, **amounts)
    seen = f"paid {format_cents(paid)}, due {format_cents(owed)}"
    return breach(expected, seen, [*steps, *read], **amounts)


def _extra(b: HandBonus, ctx: Context, seat: int) -> Outcome | None:
    """Magic Card and Lucky Bonus go to a bettor on the hand that has the card, or was drawn, at their odds."""
    wagers = {w.side: w for w in _wagers(b, ctx, seat)}
    drawn = ctx.outside(BonusDrawn)
    kept: list[Step] = []
    open_: list[Step] = []
    for kind in ("magic", "lucky"):
        for side in b.sides:
            paid = payments(ctx, f"{kind}_{side}", seat) + (payments(ctx, kind, seat) if side == "player" else [])
            end = _one_extra(b, ctx, seat, kind, wagers.get(side), paid, drawn)
            if isinstance(end, Outcome):
                return end
            (open_ if end is None else kept).extend(payment.step for payment in paid)
    expected = "Magic Card and Lucky Bonus to the bettor they were drawn for"
    if open_:
        return undetermined(expected, "what the system drew, or the cards", open_)
    return compliant(expected, "so paid", [s for s, _ in drawn] + kept) if kept else not_applicable("none was paid")


def _one_extra(
    b: HandBonus,
    ctx: Context,
    seat: int,
    kind: str,
    wager: _Wager | None,
    paid: Sequence[Payment],
    drawn: Sequence[tuple[Step, BonusDrawn]],
) -> Outcome | bool | None:
    """A breach, True where all is well, None where it is not known what was drawn."""
    words = {"magic": "Magic Card Bonus", "lucky": "Lucky Bonus"}[kind]
    steps = [*(s for s, _ in drawn), *(payment.step for payment in paid)]
    if wager is None:
        if paid:
            return breach(f"a {words} only to a bettor", "paid without such a wager", steps, owed_cents=0, paid_cents=total_paid(paid))  # fmt: skip
        return True
    fits = _is_drawn(b, ctx, seat, kind, wager, drawn)
    if fits is None:
        return None if paid else True
    pay = wager.table.extras["magic_card" if kind == "magic" else "lucky_bonus"]
    assert isinstance(pay, Odds)
    owed = pay.winnings(Cents(wager.cents)) if fits else 0
    total = total_paid(paid)
    if total == owed:
        return True
    way = f"{words} {pay} on {format_cents(wager.cents)}: {format_cents(owed)}" if fits else f"no {words} for this hand"
    if not paid:
        missing = _missing(ctx, wager, way)
        return (
            True
            if missing is not None
            else breach(way, "not paid", [wager.placed, *steps], owed_cents=owed, paid_cents=0)
        )
    seen = f"paid {format_cents(total)}" if total is not None else "paid"
    return breach(way, seen, [wager.placed, *steps], owed_cents=owed, paid_cents=total)


def _is_drawn(
    b: HandBonus, ctx: Context, seat: int, kind: str, wager: _Wager, drawn: Sequence[tuple[Step, BonusDrawn]]
) -> bool | None:
    if kind == "lucky":
        position = next((event.lucky for _, event in drawn if event.lucky is not None), None)
        fits = None if position is None else position == (DEALER if wager.side == DEALER else f"seat{seat}")
    else:
        magic = next((event.magic_card for _, event in drawn if event.magic_card is not None), None)
        cards = b.cards(ctx, wager.side, seat)
        fits = None if magic is None or cards is None else magic in cards
    if fits and ctx.table.reading("fchb.extra_requires_win") == "true":
        return None if wager.names is None else wager.line is not None
    return fits


def _rate(b: HandBonus, ctx: Context) -> Outcome | None:
    """The meter grows by its part of each wager and stands at nothing after it was won."""
    table = paytable(ctx, WAGER)
    if table is None or ctx.table.hand_bonus_linked:
        return not_applicable("not offered, or other tables feed the meter too")
    taken = [item for known in b.sides.values() for name in known for item in accepted(ctx, name)]
    taken.sort(key=lambda item: (item[0].t_s, item[0].index))
    meter = table.meters["meter"]
    readings = ctx.memory.meters.get(f"{HAND_BONUS}.meter", [])
    expected = "the meter raised by its part of each wager, and at nothing after a payout of all of it"
    won = [w for s in ctx.round.dealt_seats for w in _wagers(b, ctx, s) if w.paid and w.line and _is_whole(w.line)]
    for wager in won:
        after = [s for s in readings if s.t_s > wager.paid[-1].step.t_s]
        if (
            after
            and isinstance(after[0].event, MeterRead)
            and after[0].event.amount_cents != meter.reseed(Cents(DOLLAR))
        ):
            seen = f"{format_cents(after[0].event.amount_cents)} after it was won"
            return breach(expected, seen, [wager.paid[-1].step, after[0]])
    if not taken:
        return not_applicable("no wager was accepted")
    if ctx.void_due:
        raised = sum(meter.increment(Cents(e.amount_cents)) for _, e in taken)
        return after_void(ctx, readings, raised, taken[0][0])
    paid = [x.step.t_s for s in ctx.round.dealt_seats for w in _wagers(b, ctx, s) for x in w.paid]
    before = [s for s in readings if s.t_s <= taken[0][0].t_s]
    later = [s for s in readings if taken[-1][0].t_s <= s.t_s <= min(paid, default=float("inf")) and s not in before]
    if not before or not later:
        return undetermined(expected, "the meter before and after the wagers", [s for s, _ in taken])
    a, c = before[-1].event, later[0].event
    assert isinstance(a, MeterRead)
    assert isinstance(c, MeterRead)
    due, grown = sum(meter.increment(Cents(e.amount_cents)) for _, e in taken), c.amount_cents - a.amount_cents
    steps = [before[-1], *(s for s, _ in taken), later[0]]
    if abs(grown - due) > 1:
        return breach(expected, f"raised by {format_cents(grown)}, due {format_cents(due)}", steps)
    return compliant(expected, f"raised by {format_cents(grown)}", steps)


def _is_whole(line: Line) -> bool:
    return isinstance(line.pay, MeterShare) and line.pay.percent == 100


JUDGES: Mapping[str, Callable[[HandBonus, Context, int], Outcome | None]] = {
    "verify": _verify, "floor": _floor, "credit": _credit, "cards": _stays, "independent": _independent, "both": _both,
    "pay": _pay, "split": _split, "extra": _extra,
}  # fmt: skip
OWED = ("cards", "independent", "both", "pay", "split", "extra")
"""Rows that say what is owed, which is nothing in a void round."""


def checks(b: HandBonus) -> tuple[Check, ...]:
    """The checks of the wager in one game."""

    def check(row: str, end: str) -> Check:
        judge = JUDGES[row]

        def judged(ctx: Context, seat: int) -> Outcome | None:
            outcome = judge(b, ctx, seat)
            return unless_void(ctx, outcome) if row in OWED else outcome

        return Check(f"{b.prefix}-{end}", judged, per_seat=True, at_close=True)

    made = [check(row, end) for row, end in b.rows.items() if row in JUDGES]
    return (*made, Check(f"{b.prefix}-{b.rows['meter']}", lambda ctx, _: _rate(b, ctx), at_close=True))
