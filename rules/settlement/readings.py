"""Texts of the chapters that can be read in more than one way, as far as an amount rests on them.

The names are those of `rules/data/law_readings.yaml`. The first value of each is the reading taken by default.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rules.hands import FIVE_OF_A_KIND_RANKS
from rules.settlement.results import SettlementError

READINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "three_card.ace_low": ("true", "false"),
        "envy.folded_holder": ("true", "false"),
        "envy.holder_must_wager": ("false", "true"),
        "fchb.extra_requires_win": ("false", "true"),
        "riu.pair_plus_on_fold": ("live", "forfeit"),
        "riu.progressive_cards": ("3", "6"),
        "car.tie_break": ("standard", "literal"),
        "lir.fcb_basis": ("to", "for"),
        "lir.limit_basis": ("winnings", "with_stake"),
        "djw.tie_break": ("standard", "category"),
        "djw.natural": ("no_substitution", "no_wild_present"),
        "djw.progressive_deuces_wild": ("false", "true"),
        "djw.prog_basis": ("to", "for"),
        "djw.envy": ("true", "false"),
        "djw.bad_beat": ("player_loses", "any", "two_way"),
        "djw.bb04_or_less": ("false", "true"),
        "djw.settle_order": ("right_ccw", "left_cw", "literal"),
        "djw.five_of_a_kind_rank": FIVE_OF_A_KIND_RANKS,
        "djw.wild_flush_duplicate_ace": ("false", "true"),
    }
)
"""Values by switch."""


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
