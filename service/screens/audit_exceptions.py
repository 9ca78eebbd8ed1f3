"""A mispayment, or a payout that could not be judged, as a row of the audit's list."""

from __future__ import annotations

from nicegui.element import Element

from service.audit.exceptions import Exceptional
from service.audit.questions import By
from service.screens.audit_words import money, name_of, signed
from service.screens.parts import div, text


def fill_mispayment(one: Exceptional) -> Element:
    """A mispayment as a row of a list."""
    off = one.difference_cents
    kind = "unknown" if off is None else "over" if off > 0 else "under" if off < 0 else "unknown"
    with div(f"mispaid {kind}") as row:
        with div("row-top"):
            text("div", f"{one.day} · {one.at_utc[11:16]} UTC · {one.shift}" if one.at_utc else "time not known")
            text("div", f"dealer {one.dealer or 'not known'}")
        with div("mispaid-what"):
            text("div", f"{one.table_id} · {name_of(By.WAGER, one.wager)}, seat {one.seat}")
            text("div", signed(off)).classes("amount")
        with div("row-foot"):
            text("div", f"{one.line} on {money(one.staked_cents)}")
            text("div", f"owed {money(one.owed_cents)}, paid {money(one.paid_cents)}")
    return row
