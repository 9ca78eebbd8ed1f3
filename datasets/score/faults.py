"""What goes wrong where a course of rounds is seen: how often, and thrown for one course."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from rules.events import Event
from rules.records import CARD_EVENTS

SURE = 0.95
"""Confidence of what is told well."""


@dataclass(frozen=True, slots=True)
class Sight:
    """How often something goes wrong, of all events that it can happen to.

    Attributes:
        jitter_s: standard deviation of the moment that is told.
        stretch: cards and chips come, are turned or go with the stretch in which they can have (`earliest_s`): cards laid, turned, gone; chips laid, paid, gone.
        late: a card, or chips, told late; a card laid, turned or gone by up to `late_s`, chips by up to 1.3 s.
        unseen: a card not told before it is turned, and not at all if it never is.
        found_anew: a card told gone under a hand and told as another.
        squared: two cards of a place told as one until they are laid out.
        probable: a card told as probable.
        phantom: a card that is none, told as probable or not.
        unread: a face that is never read.
        swapped: two cards of one hand taken for each other.
        stays: a card that is not seen to leave until the round is over.
        open: an amount that is not made out, of wagers and of payouts.
        merged: chips added to a wager told together with it.
        lost: a wager that is never made out.
        unpaid: a payout that is not made out, or told as chips added by nobody known.
        nobodys: chips moved by nobody known.
        by_hand: a hand that is not told, or by nobody known; of the dealer's and of players'.
        no_stub: the stub not seen to arrive.
        blind: a place, told of in a whole course as if everything of it went wrong twenty times as often.
    """

    jitter_s: float = 0.05
    stretch: tuple[float, ...] = (0.23, 0.85, 0.85, 0.56, 0.7, 0.94)
    late: float = 0.004
    late_s: tuple[float, float, float] = (6.0, 2.0, 0.9)
    unseen: float = 0.008
    found_anew: float = 0.003
    squared: float = 0.002
    probable: float = 0.026
    phantom: float = 0.009
    unread: float = 0.001
    swapped: float = 0.005
    stays: float = 0.001
    open: tuple[float, float] = (0.012, 0.035)
    merged: float = 0.1
    lost: float = 0.002
    unpaid: float = 0.006
    nobodys: float = 0.005
    by_hand: tuple[float, float] = (0.025, 0.006)
    no_stub: float = 0.04
    blind: float = 0.02

    def times(self, factor: float) -> Sight:
        """Everything that goes wrong so many times as often; what is told of moments stays."""
        kept = {"jitter_s", "stretch", "late_s"}
        more: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name not in kept:
                more[field.name] = (
                    tuple(min(0.5, v * factor) for v in value) if isinstance(value, tuple) else min(0.5, value * factor)
                )
        return replace(self, **more)


SIGHT = Sight()
"""As counted in the reviews of 217 films (2026-11-26)."""


class Faults:
    """What goes wrong in one course: thrown for each event, counted by name.

    Args:
        events: of the course, as they were.
        sight: how often what goes wrong.
        rng: throws it.

    Attributes:
        wrong: how often each thing went wrong so far.
    """

    def __init__(self, events: Iterable[Event], sight: Sight, rng: Random) -> None:
        events = list(events)
        self.sight, self.rng = sight, rng
        self.wrong: Counter[str] = Counter()
        self.table_id = events[0].table_id
        places = sorted({getattr(event, "area", "") for event in events})
        self._blind = {place for place in places if rng.random() < sight.blind}
        self._next_card_id = 1 + max((e.card_id for e in events if isinstance(e, CARD_EVENTS)), default=0)

    def happens(self, name: str, area: str, rate: float | None = None) -> bool:
        """Whether something goes wrong here; `rate` where it is not the one of this name."""
        rate = getattr(self.sight, name) if rate is None else rate
        if self.rng.random() >= min(0.6, rate * (20.0 if area in self._blind else 1.0)):
            return False
        self.wrong[name] += 1
        return True

    def new_card_id(self) -> int:
        """The number of a card that was none, or is told under another one."""
        self._next_card_id += 1
        return self._next_card_id - 1

    def told(self, event: Any, stretched: float, late_s: float = 0.0) -> Any:
        """The event at the moment that is told, so late, and in a share of cases `stretched` since when it can have happened."""
        t_s = max(0.0, event.t_s + late_s + max(-0.25, min(0.15, self.rng.gauss(-0.02, self.sight.jitter_s))))
        since = None
        if late_s > 0.0 or self.rng.random() < stretched:
            since = max(0.0, min(event.t_s - self.rng.choice((0.27, 0.3, 0.35, 0.5, 0.9)), t_s))
        return replace(
            event, t_s=round(t_s, 6), earliest_s=since if since is None else round(since, 6), confidence=SURE
        )
