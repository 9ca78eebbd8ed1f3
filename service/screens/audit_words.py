"""How the audit's pages write names and amounts."""

from __future__ import annotations

from rules.money import format_cents
from service.audit.questions import By


def name_of(by: By, value: str) -> str:
    """A key of a table of the audit as people read it.

    >>> name_of(By.WAGER, "pair_plus"), name_of(By.DEALER, "")
    ('pair plus', 'not known')
    """
    if by in (By.GAME, By.WAGER):
        return value.replace("_", " ")
    return value or "not known"


def money(cents: int | None) -> str:
    """An amount in dollars.

    >>> money(1250), money(None)
    ('$12.50', 'unknown')
    """
    return "unknown" if cents is None else f"${format_cents(cents)}"


def signed(cents: int | None) -> str:
    """A difference in dollars.

    >>> signed(250), signed(-250), signed(0)
    ('+$2.50', '−$2.50', '$0.00')
    """
    if cents is None:
        return "unknown"
    return f"{'+' if cents > 0 else '−' if cents < 0 else ''}${format_cents(abs(cents))}"
