"""Texts of the chapters that can be read in more than one way, as far as an amount rests on them.

Names and values are those of `rules/data/law_readings.yaml`. The first value of each is the reading taken by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rules.law import readings as law_readings
from rules.settlement.results import SettlementError

SWITCHES = (
    "three_card.ace_low",
    "envy.folded_holder",
    "envy.holder_must_wager",
    "fchb.extra_requires_win",
    "riu.pair_plus_on_fold",
    "riu.progressive_cards",
    "car.tie_break",
    "lir.fcb_basis",
    "lir.limit_basis",
    "djw.tie_break",
    "djw.natural",
    "djw.progressive_deuces_wild",
    "djw.prog_basis",
    "djw.envy",
    "djw.bad_beat",
    "djw.bb04_or_less",
    "djw.settle_order",
    "djw.five_of_a_kind_rank",
    "djw.wild_flush_duplicate_ace",
)
"""The switches that an amount may rest on."""
READINGS: Mapping[str, tuple[str, ...]] = MappingProxyType({name: law_readings()[name].values for name in SWITCHES})
"""Values by switch."""


def switches_of(game: str) -> tuple[str, ...]:
    """The switches of `READINGS` that are readings of the law of a game, e.g. "raise_it_up"."""
    found = law_readings()
    return tuple(name for name in READINGS if game in found[name].games and not found[name].house)


def reading(readings: Mapping[str, str], switch: str) -> str:
    """The chosen value of a switch, the default where it is not chosen.

    Raises:
        SettlementError: naming the switch, the value and those allowed.
    """
    allowed = READINGS[switch]
    value = readings.get(switch, allowed[0])
    if value not in allowed:
        raise SettlementError(f"reading {switch}: {value!r} cannot be settled by; those that can: {', '.join(allowed)}")
    return value


def is_on(readings: Mapping[str, str], switch: str) -> bool:
    """Whether a switch of "true" and "false" is on.

    Raises:
        SettlementError: as `reading`.
    """
    return reading(readings, switch) == "true"


def verify_readings(readings: Mapping[str, str]) -> None:
    """Check that every switch chosen is one that settlement knows, with a value it can settle by.

    Raises:
        SettlementError: naming the switch that is not.
    """
    for switch in readings:
        if switch not in READINGS:
            raise SettlementError(f"reading {switch}: no amount rests on it; those: {', '.join(READINGS)}")
        reading(readings, switch)
