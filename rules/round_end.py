"""What a round leaves when it is over: its record, and the chips with which the next one starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.events import Side
from rules.records import PayoutRecord, RoundRecord, SeatRecord, Wager
from rules.rounds import Round


def standing(r: Round) -> dict[str, list[Wager]]:
    """Chips that still lie in betting areas: the next round starts with them.

    What a player laid once no chips of this round lay there any more is a wager on the next; all else was carried over.
    """
    out: dict[str, list[Wager]] = {}
    for area, lives in r.wagers.items():
        if lives and lives[-1].removed is None:
            last = lives[-1]
            if last.placed.by is Side.PLAYER and not last.payouts and r.cleared(last.placed.t_s):
                out[area] = [replace(last, totals=[*last.totals], payouts=[])]
                continue
            stake, paid = last.stake_cents, last.paid_cents
            total = None if stake is None or paid is None else stake + paid
            where = last.steps[-1]
            out[area] = [Wager(area, where, [(where, total)], carried=True)]
    return out


def record(r: Round, closed_s: float, *, complete: bool, payouts: Sequence[PayoutRecord] = ()) -> RoundRecord:
    """The finished round as a record."""
    seats = []
    for seat in r.dealt_seats:
        wagers = []
        for name in r.table.law.wagers:
            wager = r.wager(seat, name)
            if wager is not None:
                wagers.append((name, wager.stake_cents))
        cards = tuple(card.card for card in r.seat_cards(seat))
        seats.append(SeatRecord(seat=seat, cards=cards, wagers=tuple(wagers), folded=r.folded(seat)))
    return RoundRecord(
        round_id=r.round_id,
        number=r.number,
        opened_s=r.steps[0].t_s if r.steps else closed_s,
        closed_s=closed_s,
        complete=complete,
        seats=tuple(seats),
        community=tuple(card.card for _, card in r.reveals),
        dealer=tuple(card.card for card in r.dealer_cards),
        payouts=tuple(payouts),
    )
