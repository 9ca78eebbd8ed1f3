"""DJ Wild Stud Poker (58 Pa. Code Chapter 687a): the checks of a round, in the order in which they are asked."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import lru_cache

from rules.cards import CardError, parse_cards
from rules.checks import dj_wild, electronic, house, progressive, progressive_deal, settle_order, wagers
from rules.checks.base import Check, Context
from rules.checks.dealing import count_seat
from rules.checks.dj_wild import DECISION
from rules.checks.payment import Payments
from rules.dated import law_day
from rules.hands import HandError
from rules.money import Cents
from rules.paytables import PaytableError, five_card_names, game_paytables
from rules.records import PayoutRecord
from rules.settlement.dj_wild import RULES, progressive_hand, settle_base, wild_hand
from rules.settlement.fields import Field
from rules.settlement.progressive import MeterBank
from rules.settlement.results import Outcome, SettlementError, WagerResult
from rules.settlement.table import FOLD, Round, Seat
from rules.table import TableConfig

GAME = "dj_wild"
PREFIX = "DJW"
VOIDING = ("DJW-REVEAL-WHEN", "DJW-IRR-EXPOSED", "DJW-IRR-COUNT", "DJW-IRR-SHOEJAM", "DJW-IRR-FACEUP-2")
"""Breaches after which the chapter voids the round (687a.13(a), (c), (d), (f))."""
BASE = ("ante", "blind", "raise")
UNIT = 1
"""Stands for a stake where only the end matters."""


def settle(ctx: Context, seat: int, name: str, stake: int) -> WagerResult | str | None:
    """What Ante, Blind, Raise, Trips and Bad Beat are owed (687a.11(e), (f))."""
    r = ctx.round
    if name not in BASE and name not in ctx.table.paytables:
        return None
    hand, dealer = r.hand(seat), r.group_hand("dealer", ctx.table.law.dealer_cards)
    if hand is None or (dealer is None and name != "trips"):
        return f"the {'player' if hand is None else 'dealer'}'s five cards (not all were read)"
    folded = r.folded(seat)
    if folded is None and name != "trips":
        return "whether the seat made a Raise Wager or folded"
    if name == DECISION.wager and stake != UNIT and (why := DECISION.disputed(r, seat)):
        return why
    return _owed(
        law_day(),
        hand,
        dealer or (),
        name,
        stake,
        folded,
        ctx.table.paytables.get(name, "A"),
        tuple(ctx.table.readings.items()),
    )


@lru_cache(maxsize=4096)
def _owed(
    _day: datetime.date | None,
    hand: tuple[str, ...],
    dealer: tuple[str, ...],
    name: str,
    stake: int,
    folded: bool | None,
    paytable: str,
    items: tuple[tuple[str, str], ...],
) -> WagerResult | str:
    """What a wager is owed by the law of the day that is set, or why that cannot be said; a round asks the same after each of its events."""
    readings = dict(items)
    try:
        ours, theirs = parse_cards(hand), parse_cards(dealer)
        law = game_paytables(GAME)
        tables = {wager: law.table(wager, "A") for wager in BASE}
        if name in BASE:
            stakes = dict.fromkeys(BASE, Cents(stake))
            return settle_base(
                wild_hand(ours, readings), wild_hand(theirs, readings), stakes, tables, readings["djw.tie_break"]
            )[name]  # fmt: skip
        decision = {"action": FOLD if folded else "raise"}
        played = Round(
            round_id="",
            seats=(Seat(1, {"ante": Cents(stake), "blind": Cents(stake), name: Cents(stake)}, ours, decision),),
            shared={"dealer": theirs, "replacement": ()},
            paytables={**tables, name: RULES.find_table(law, name, paytable)},
            meters=MeterBank({}),
            readings=readings,
            config=Field({}),
        )
        if name == "trips":  # it asks for the player's cards alone
            assert RULES.settle_void is not None
            return RULES.settle_void(played)[1][name]
        return RULES.settle(played)[1][name]
    except (SettlementError, HandError, CardError, PaytableError) as error:
        return str(error)


def _ends(name: str, outcome: Outcome) -> Callable[[Context, int], bool | str]:
    """Whether a wager of a seat that did not fold ends so."""

    def applies(ctx: Context, seat: int) -> bool | str:
        if ctx.round.folded(seat) is True:
            return False
        result = settle(ctx, seat, name, UNIT)
        return result if isinstance(result, str) else result is not None and result.outcome is outcome

    return applies


PAYMENTS = Payments(
    settle=settle,
    wagers=(*BASE, "trips", "bad_beat"),
    forfeited=(*BASE, "bad_beat"),
    settled_if_void=dj_wild.settled_if_void,
)


def _names(ctx: Context, seat: int) -> tuple[str, ...] | None:
    hand = ctx.round.hand(seat)
    if hand is None:
        return None
    cards, extra = parse_cards(hand), ctx.round.group_hand("extra", 1)
    if extra is None and any(card.is_joker for card in cards):
        return None
    deuces = ctx.table.reading("djw.progressive_deuces_wild") == "true"
    best = progressive_hand(cards, parse_cards(extra)[0] if extra else None, deuces_wild=deuces)
    return (best.label, *five_card_names(best))


def _out(ctx: Context, seat: int) -> bool | None:
    """A fold's hand qualifies where the house lets it (687a.11(b)(3)); not known where the table file does not say."""
    folded, qualifies = ctx.round.folded(seat), ctx.table.folded_qualify
    return None if folded is None or (folded and qualifies is None) else folded and not qualifies


def _holds(ctx: Context, seat: int) -> bool | None:
    if ctx.table.reading("djw.envy") == "false":
        return False
    if (
        ctx.table.reading("envy.holder_must_wager") == "true"
        and progressive_deal.stake(ctx, "progressive", seat) is None
    ):
        return False
    if ctx.round.folded(seat) is not True:
        return True if ctx.round.folded(seat) is False else None
    lies = any(progressive_deal.stake(ctx, name, seat) is not None for name in dj_wild.LIVE)
    return None if ctx.table.folded_qualify is None else ctx.table.folded_qualify and lies


PROGRESSIVE = progressive.Progressive(
    prefix=PREFIX,
    wager="progressive",
    names=_names,
    envy_names=_names,
    out=_out,
    holds=_holds,
    barred=lambda _share: False,
    rows={"verify": "SET-PROG-L", "pay": "SET-PROG-W", "envy_pay": "ENVY", "rate": "METER-SEED"},
    basis="djw.prog_basis",
    settled_if_void=dj_wild.settled_if_void,
)
"""687a.11(f)(1), 687a.12(c)."""


def checks(table: TableConfig) -> tuple[Check, ...]:
    """The checks for a table of this game."""
    groups = {**dict.fromkeys(BASE, 0), "trips": 1, "bad_beat": 1}
    return (
        *house.checks(PREFIX, table),
        Check("DJW-ANTE-REQ", wagers.base_placed, per_seat=True),
        Check("DJW-BLIND-EQ", wagers.blind_equals_ante, per_seat=True),
        Check("DJW-WAG-LOCK", wagers.locked_wagers_kept, per_seat=True),
        wagers.kept_undealt(PREFIX),
        wagers.offered("trips", "DJW-TRIPS-OFFER"),
        wagers.offered("bad_beat", "DJW-BB-OFFER"),
        electronic.offered("DJW-PROG-OFFER", "progressive"),
        Check("DJW-PROG-DENOM", dj_wild.progressive_unit, per_seat=True),
        *dj_wild.dealing_checks(table.dealing),
        Check("DJW-IRR-COUNT", count_seat, per_seat=True),
        Check("DJW-IRR-COUNT-DLR", dj_wild.dealers_count),
        *DECISION.checks("RAISE-AMT", "RAISE-TURN"),
        Check("DJW-FOLD-FORFEIT", DECISION.forfeits(("ante", "blind")), per_seat=True),
        Check("DJW-FOLD-BB", DECISION.forfeits(("bad_beat",)), per_seat=True),
        Check("DJW-FOLD-TRIPS", dj_wild.trips_stay, per_seat=True),
        Check("DJW-FOLD-PROG", dj_wild.fold_progressive, per_seat=True, at_close=True),
        Check("DJW-IRR-EXPOSED", dj_wild.exposed),
        Check("DJW-SET-ORDER", dj_wild.seat_order),
        Check("DJW-SET-ONEATATIME", dj_wild.one_at_a_time),
        Check("DJW-SET-EVAL", dj_wild.evaluated, per_seat=True),
        PAYMENTS.base_check("DJW-SET-WIN", BASE, _ends("raise", Outcome.WIN)),
        PAYMENTS.base_check("DJW-SET-PUSH", BASE, _ends("raise", Outcome.PUSH)),
        PAYMENTS.base_check("DJW-SET-LOSE", BASE, _ends("raise", Outcome.LOSE)),
        PAYMENTS.wager_check("trips", "DJW-SET-TRIPS"),
        PAYMENTS.base_check("DJW-SET-BB-L", ("bad_beat",), _ends("bad_beat", Outcome.LOSE)),
        PAYMENTS.base_check("DJW-SET-BB-W", ("bad_beat",), _ends("bad_beat", Outcome.WIN)),
        Check("DJW-SET-WSEQ", settle_order.wager_order(
            groups, ("Ante, Blind and Raise", "the side wagers"), before_system=1), per_seat=True),
        *progressive.checks(PROGRESSIVE),
        Check("DJW-END-RACK", settle_order.racked_by_hand),
    )  # fmt: skip


def payout_records(ctx: Context) -> tuple[PayoutRecord, ...]:
    """Every wager of the round with what was owed and paid."""
    return PAYMENTS.records(ctx)
