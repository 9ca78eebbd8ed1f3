"""A deck's way to the deal and the events of the house, honest by default, for the tests of their checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rounds import TABLE, At, Script, build, last_act, table

from rules.event_base import Agent, Face, Side, Source
from rules.events import DeckChanged, ElectronicWagerAccepted, Event, FloorDecision, MeterRead
from rules.house_events import (
    AwardLit,
    BonusPaid,
    CardsInspected,
    CardsShuffled,
    CardsSpread,
    CardsWashed,
    CoverCardInserted,
    CutCompleted,
    DeckLoaded,
    DeckStacked,
    WagersBanked,
    WagersCollected,
    WagersLocked,
)
from rules.table import TableConfig

AT: At = {"table_id": TABLE, "t_s": 0.0}
FULL = tuple(rank + suit for suit in "shdc" for rank in "A23456789TJQK")
"""A deck of 52 by suit and in sequence."""
TOLD = [
    "cards_inspected", "floor_decision", "cards_spread", "cards_washed", "cards_shuffled", "cover_card_inserted",
    "wagers_locked", "wagers_collected", "wagers_banked", "award_lit", "bonus_paid",
]  # fmt: skip
"""What the sources of the tests' tables are sure to tell."""


def house(**changes: object) -> TableConfig:
    """A table whose sources tell of everything."""
    return table(**{"reports": TOLD, **changes})


def machine(**changes: object) -> TableConfig:
    """The same with an automated shuffler."""
    return house(**{"shuffler": {"automated": True, "counts_cards": False}, **changes})


def two_decks(**changes: object) -> TableConfig:
    """The same with two decks."""
    return machine(**{"decks": 2, **changes})


def prog(**changes: object) -> TableConfig:
    """The same with the progressive wager at $1."""
    paytables = {"pair_plus": "A", "six_card_bonus": "B", "progressive": "A"}
    return house(**{"paytables": paytables, "progressive_unit_cents": 100, **changes})


def at(t_s: float, event: Event) -> Event:
    return replace(event, t_s=t_s, table_id=TABLE)


def opening(script: Script) -> None:
    """A new deck is received, opened, shuffled by hand, cut and put into the shoe, before the first wager."""
    steps: list[tuple[str, Event]] = [
        ("new", DeckChanged(**AT)),
        ("inspect", CardsInspected(**AT)),
        ("verify", FloorDecision(**AT, decision="inspection_verified")),
        ("spread", CardsSpread(**AT, face=Face.UP, cards=FULL, count=52, player_present=True)),
        ("wash", CardsWashed(**AT)),
        ("shuffle", CardsShuffled(**AT, by=Agent.DEALER)),
        ("stack", DeckStacked(**AT)),
        ("cover", CoverCardInserted(**AT, by=Side.DEALER, cards_above=10)),
        ("cut", CutCompleted(**AT, to_bottom=True)),
        ("load", DeckLoaded(**AT, into="shoe", by=Agent.DEALER)),
    ]
    first = script.items[0][1].t_s
    own = [(name, at(first - 100.0 + 5.0 * i, event)) for i, (name, event) in enumerate(steps)]
    script.items = [*own, *script.items]


def opened(t_s: float = 1000.0, **more: Any) -> Script:
    """A round with the opening before it."""
    script = build(t_s=t_s, **more)
    opening(script)
    return script


def between(script: Script, by: Agent = Agent.DEALER, back: str | None = None) -> None:
    """The shuffle between two rounds, and after a shuffle by hand the cut."""
    first = script.items[0][1].t_s
    steps: list[tuple[str, Event]] = [
        ("shuffle", CardsShuffled(**AT, by=by, back=back)),
        ("stack", DeckStacked(**AT, back=back)),
    ]
    if by is Agent.DEALER:
        steps += [
            ("cover", CoverCardInserted(**AT, by=Side.DEALER, cards_above=20)),
            ("cut", CutCompleted(**AT, to_bottom=True)),
        ]
    steps.append(("load", DeckLoaded(**AT, into="shoe", by=Agent.DEALER, back=back)))
    own = [(name, at(first - 40.0 + 3.0 * i, event)) for i, (name, event) in enumerate(steps)]
    script.items = [*own, *script.items]


def progressive(script: Script, seats: tuple[int, ...], cents: int = 100) -> None:
    """Progressive wagers of these seats, locked, collected, counted and put away before the deal; meter before and after."""
    script.insert(
        MeterRead(**AT, meter="prog.meter", amount_cents=500_000), after=script.names("wager:")[0], name="meter:before"
    )
    last = script.names("wager:")[-1]
    for seat in seats:
        script.insert(
            ElectronicWagerAccepted(**AT, seat=seat, wager="progressive", amount_cents=cents), after=last,
            name=f"accept:{seat}",
        )  # fmt: skip
        last = f"accept:{seat}"
    script.insert(WagersLocked(**AT, wager="progressive"), after="nmb", name="lock")
    script.insert(WagersCollected(**AT, wager="progressive", count=len(seats)), after="lock", name="collect-chips")
    script.insert(WagersBanked(**AT, wager="progressive"), after="collect-chips", name="bank")
    grown = 500_000 + len(seats) * cents * 14 // 100
    script.insert(MeterRead(**AT, meter="prog.meter", amount_cents=grown), after="bank", name="meter:after")


def award(script: Script, seat: int, cents: int, *, source: Source = Source.INVENTORY) -> None:
    """The payout of a progressive win, with the light and the floorperson before it."""
    script.insert(AwardLit(**AT, seat=seat, wager="progressive"), after=last_act(script, seat), name=f"lit:{seat}")
    script.insert(FloorDecision(**AT, decision="validate_payout", seat=seat), after=f"lit:{seat}", name=f"valid:{seat}")
    paid = BonusPaid(**AT, seat=seat, wager="progressive", amount_cents=cents, source=source)
    script.insert(paid, after=f"valid:{seat}", name=f"award:{seat}")


def envy(script: Script, seat: int, cents: int, after: str, hand_of: int | None = None) -> None:
    paid = BonusPaid(**AT, seat=seat, wager="envy", amount_cents=cents, source=Source.INVENTORY, hand_of=hand_of)
    script.insert(paid, after=after, name=f"envy:{seat}")
