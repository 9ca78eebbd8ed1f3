"""Cases of the rules that are judged when a table file is read: files refused with their section, and files taken.

A layout is refused where an area is missing that the chapter asks for, as `service.config` does it with `missing_areas`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from case_kit import GAMES

from rules.law import game_law
from rules.submission import missing_areas
from rules.table import TableConfig, TableConfigError

PAYTABLES: Mapping[str, dict[str, str]] = {
    "RIU": {"pair_plus": "A", "six_card_bonus": "A", "progressive": "A"},
    "CAR": {"bonus": "A", "progressive": "D"},
    "LIR": {"main": "A", "five_card_bonus": "A", "three_card_bonus": "A", "six_card_bonus": "A", "progressive3": "A"},
    "DJW": {"trips": "04", "bad_beat": "01", "progressive": "1"},
}
DEVICE = {"automated": True, "counts_cards": True}
Read = Callable[[], TableConfig]


def table(prefix: str, **rules: Any) -> TableConfig:
    doc = {
        "version": 1,
        "table_id": "t",
        "game": GAMES[prefix],
        "rules_submission": {
            "dealing": "manual_shoe", "seats": 6, "paytables": PAYTABLES[prefix], "progressive_unit_cents": 100, **rules,
        },
    }  # fmt: skip
    return TableConfig.from_mapping(doc, where="t.yaml")


def drawn(prefix: str, lacking: str | None) -> TableConfig:
    """A table on a layout without one area, or with all."""
    law, config = game_law(GAMES[prefix]), table(prefix)
    every = {area for area, _ in missing_areas(law, config.seats, config.paytables, set())}
    assert lacking is None or lacking in every
    missing = missing_areas(law, config.seats, config.paytables, every - {lacking})
    if missing:
        area, section = missing[0]
        assert missing == [(lacking, section)]
        raise TableConfigError(f"t.yaml: layout: no area {area} ({section})")
    return config


AREAS: Mapping[str, str] = {
    "RIU-LAY-AREAS": "seat3.play", "RIU-LAY-COMM": "community.5th", "RIU-LAY-PROG": "seat6.progressive",
    "RIU-LAY-SCB": "seat1.six_card_bonus", "CAR-LAY-AREAS": "seat2.bet", "CAR-LAY-PROG": "seat2.progressive",
    "CAR-LAY-CSB": "seat5.bonus", "LIR-LAY-AREAS": "seat1.bet3", "LIR-LAY-CARDS": "seat4.cards",
    "LIR-LAY-COMM": "community.2", "LIR-LAY-FCB": "seat1.five_card_bonus", "LIR-LAY-TCB": "seat1.three_card_bonus",
    "LIR-LAY-PROG": "seat1.progressive", "LIR-LAY-SCB": "seat1.six_card_bonus", "LIR-LAY-SCBCARDS": "six_cards",
    "DJW-LAY-AREAS": "seat6.raise", "DJW-LAY-SIDE": "seat6.bad_beat", "DJW-LAY-EXTRA": "extra",
}  # fmt: skip
"""The area that the layout of the breaking case lacks."""
MOST = {"RIU": 6, "CAR": 7, "LIR": 7, "DJW": 6}
RESHUFFLES = {**DEVICE, "reshuffles": True}
APPROVED = {**RESHUFFLES, "approval": "GL-1"}
LINKED = {"progressive_linked": True}
REFUSED: dict[str, Read] = {row: partial(drawn, row[:3], area) for row, area in AREAS.items()}
TAKEN: dict[str, Read] = {row: partial(drawn, row[:3], None) for row in AREAS}
for _p in GAMES:
    REFUSED[f"{_p}-TBL-SEATS"] = partial(table, _p, seats=MOST[_p] + 1)
    TAKEN[f"{_p}-TBL-SEATS"] = partial(table, _p, seats=MOST[_p])
    REFUSED[f"{_p}-DECK-TWO-ASM"] = partial(table, _p, decks=2)
    TAKEN[f"{_p}-DECK-TWO-ASM"] = partial(table, _p, decks=2, shuffler=DEVICE)
    REFUSED[f"{_p}-SHUF-RESHUFDEV"] = partial(table, _p, shuffler=RESHUFFLES)
    TAKEN[f"{_p}-SHUF-RESHUFDEV"] = partial(table, _p, shuffler=APPROVED)
REFUSED |= {
    "RIU-HD-ASM": lambda: table("RIU", dealing="hand"),
    "CAR-PT-LINKED": lambda: table("CAR", paytables={"progressive": "E"}, **LINKED),
    "CAR-PT-SELECT": lambda: table("CAR", paytables={"bonus": "D"}),
    "LIR-PT-SELECT": lambda: table("LIR", paytables={"main": "C"}),
    "DJW-PT-SELECT": lambda: table("DJW", paytables={"progressive": "3"}),
    "LIR-LIMIT-MIN": lambda: table("LIR", payout_limit_cents=4_999_999),
}
TAKEN |= {
    "RIU-HD-ASM": lambda: table("RIU", dealing="hand", shuffler=DEVICE),
    "CAR-PT-LINKED": lambda: table("CAR", paytables={"progressive": "D"}, **LINKED),
    "CAR-PT-SELECT": lambda: table("CAR"),
    "LIR-PT-SELECT": lambda: table("LIR"),
    "DJW-PT-SELECT": lambda: table("DJW"),
    "LIR-LIMIT-MIN": lambda: table("LIR", payout_limit_cents=5_000_000),
}
