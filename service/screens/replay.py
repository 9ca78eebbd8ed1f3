"""A round played again from its events: what lay where after each of them, as far as it was seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from service.screens import words

LEFT_OUT = ("hand_over", "meter_read")
"""Events that change nothing on the felt; a step of their own only where the finding rests on them."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, and how the table stood after it.

    Attributes:
        number: of the event in its run, by which findings name it.
        t_s: capture time.
        kind, said: the event in words.
        area: where, "" for the whole table.
        rests: the finding rests on it.
        confidence: of the event, 0..1.
        cards: (area, face up, identity or None) of every card in the order in which they came to lie.
        chips: (area, cents or None where unknown) of every wager.
        paid: (area, cents or None) of every payout lying there.
    """

    number: int
    t_s: float
    kind: str
    said: str
    area: str
    rests: bool
    confidence: float
    cards: tuple[tuple[str, bool, str | None], ...]
    chips: tuple[tuple[str, int | None], ...]
    paid: tuple[tuple[str, int | None], ...]


@dataclass(slots=True)
class _Felt:
    """What lies on the felt."""

    cards: dict[int, tuple[str, bool, str | None]] = field(default_factory=dict)
    chips: dict[str, int | None] = field(default_factory=dict)
    paid: dict[str, int | None] = field(default_factory=dict)

    def take(self, event: Mapping[str, Any]) -> None:
        """Changes what lies there; events that change nothing are let pass."""
        kind, area = str(event["kind"]), str(event.get("area") or "")
        if kind.startswith("card_"):
            self._card(kind, area, event)
        elif kind in ("wager_placed", "wager_increased", "wager_decreased"):
            self.chips[area] = event["amount_cents"]
        elif kind == "wager_removed":
            self.chips.pop(area, None)
            self.paid.pop(area, None)
        elif kind == "payout_placed":
            before, more = self.paid.get(area, 0), event["amount_cents"]
            self.paid[area] = None if before is None or more is None else before + more

    def _card(self, kind: str, area: str, event: Mapping[str, Any]) -> None:
        number = int(event["card_id"])
        was = self.cards.get(number, (area, True, None))
        if kind == "card_removed":
            self.cards.pop(number, None)
        elif kind == "card_moved":
            self.cards[number] = (area, was[1], was[2])
        elif kind == "card_read":
            self.cards[number] = (was[0], True, str(event["card"]))
        else:
            if kind == "card_placed":
                self.cards.pop(number, None)
            self.cards[number] = (area, event["face"] == "up", event.get("card") or was[2])


def steps_of(events: Iterable[tuple[int, Mapping[str, Any]]], rests_on: Collection[int]) -> tuple[Step, ...]:
    """The steps of a round.

    Args:
        events: (number in the run, event as JSON values) in their order.
        rests_on: numbers of the events that the finding rests on.
    """
    felt, out = _Felt(), []
    for number, event in events:
        felt.take(event)
        rests = number in rests_on
        if event["kind"] in LEFT_OUT and not rests:
            continue
        kind, said = words.event(event)
        out.append(
            Step(
                number, float(event["t_s"]), kind, said, str(event.get("area") or ""), rests,
                float(event.get("confidence", 1.0)), tuple(felt.cards.values()), tuple(felt.chips.items()),
                tuple(felt.paid.items()),
            )
        )  # fmt: skip
    return tuple(out)
