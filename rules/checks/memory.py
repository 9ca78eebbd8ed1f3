"""What is carried from round to round: decks and what was done with them, meters, devices, counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from rules.events import (
    CoverageGap,
    DeckChanged,
    DeviceJammed,
    FloorDecision,
    MeterRead,
    ShufflerCounted,
    StubCounted,
    TableClosed,
    TableOpened,
)
from rules.house_events import (
    CardsIdle,
    CardsInspected,
    CardsShuffled,
    CardsSpread,
    CardsWashed,
    CoverCardInserted,
    CutCompleted,
    DeckLoaded,
    DeckStacked,
    DeviceState,
    EquipmentSeen,
    RackSeen,
)
from rules.records import Step
from rules.rounds import Round

HANDLING = (
    DeckChanged, CardsInspected, CardsSpread, CardsWashed, DeckStacked, CardsShuffled, ShufflerCounted, CoverCardInserted,
    CutCompleted, DeckLoaded, CardsIdle, RackSeen, DeviceJammed, DeviceState, FloorDecision, TableOpened, TableClosed,
)  # fmt: skip
"""Events that tell what was done with a deck between two deals."""
KEPT = 400
"""Handling events, gaps and meter readings kept."""
ROUNDS_KEPT = 8
HAND_BONUS = "fchb"
NAMED = ("progressive3", "progressive5")
"""Progressive wagers that may be offered together, so that their meters are told by their names."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """A round that was dealt.

    Attributes:
        first_card: its first card.
        back: the colour of the deck where told.
        void: whether the round was void.
        bad_stub: the count of the stub that showed a deck that is not whole; None where none did.
    """

    first_card: Step
    back: str | None
    void: bool
    bad_stub: Step | None = None


@dataclass(slots=True, eq=False)
class Memory:
    """What is carried from round to round.

    Attributes:
        rounds_since_stub: rounds finished since the stub was counted.
        void_since_stub: those of them that were void.
        stub_reported: stub counts have come in before, so that their absence means something.
        deck_since: the event that brought the deck now in play, None where it was not seen.
        bad_count: the shuffler's count that was not right, until the deck is changed or counted right.
        kinds: kinds of events that have come in.
        decks: the event that brought each deck, by its name or colour ("" where neither was told).
        handling: what was done with the decks, oldest first.
        gaps: coverage gaps.
        meters: readings by meter, oldest first.
        dealt: the last rounds, oldest first.
        equipment: what was reported of each piece of equipment.
        told: what was reported once and need not be again.
        played_s: for how long rounds were played with a deck since it came, by its colour ("" where it was not told).
    """

    rounds_since_stub: int = 0
    void_since_stub: int = 0
    stub_reported: bool = False
    deck_since: Step | None = None
    bad_count: Step | None = None
    kinds: set[str] = field(default_factory=set)
    decks: dict[str, Step] = field(default_factory=dict)
    handling: list[Step] = field(default_factory=list)
    gaps: list[Step] = field(default_factory=list)
    meters: dict[str, list[Step]] = field(default_factory=dict)
    dealt: list[Dealt] = field(default_factory=list)
    equipment: dict[str, list[Step]] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    played_s: dict[str, float] = field(default_factory=dict)

    def note(self, step: Step, deck_cards: int) -> None:
        """Take in an event."""
        event = step.event
        self.kinds.add(event.kind)
        if isinstance(event, HANDLING):
            _keep(self.handling, step)
        elif isinstance(event, CoverageGap):
            _keep(self.gaps, step)
        elif isinstance(event, MeterRead):
            _keep(self.meters.setdefault(meter_name(event.meter), []), step)
        elif isinstance(event, EquipmentSeen):
            _keep(self.equipment.setdefault(event.item, []), step)
        if isinstance(event, StubCounted):
            self.stub_reported = True
        elif isinstance(event, DeckChanged):
            self.deck_since, self.bad_count = step, None
            self.decks[event.deck or event.back or ""] = step
            if event.back is not None:
                self.played_s.pop(event.back, None)
        elif isinstance(event, ShufflerCounted):
            self.bad_count = None if event.count == deck_cards else step

    def round_over(self, r: Round, *, void: bool, bad_stub: Step | None = None) -> None:
        """Take in a finished round."""
        if r.first_card is not None:
            self.dealt.append(Dealt(r.first_card, r.back, void, bad_stub))
            del self.dealt[:-ROUNDS_KEPT]
            back = r.back or ""
            self.played_s[back] = self.played_s.get(back, 0.0) + r.now_s - r.first_card.t_s

    def last_dealt(self, back: str | None, decks: int) -> Dealt | None:
        """The last round in which this deck was dealt: the round before, or with two decks the last of this colour."""
        if decks == 1:
            return self.dealt[-1] if self.dealt else None
        return next((d for d in reversed(self.dealt) if back is not None and d.back == back), None)

    def since(self, last: Dealt | None, back: str | None, decks: int) -> list[Step]:
        """What was done with a deck since it was last dealt; events that name another deck are left out."""
        start = last.first_card.t_s if last is not None else float("-inf")
        found = []
        for step in self.handling:
            other = getattr(step.event, "back", None)
            if step.t_s > start and (decks == 1 or other is None or back is None or other == back):
                found.append(step)
        return found


def meter_name(name: str) -> str:
    """A meter's name without its group: "prog.mega" is "mega", "main" and "progressive" are "meter".

    The meter of the Five Card Hand Bonus keeps its group: it stands beside that of the Progressive. So does one that is told by
    the name of its wager, where two may be offered.

    >>> meter_name("prog.mega"), meter_name("main"), meter_name("fchb.main"), meter_name("fchb"), meter_name("progressive5.main")
    ('mega', 'meter', 'fchb.meter', 'fchb.meter', 'progressive5.meter')
    """
    group, _, short = name.rpartition(".")
    if HAND_BONUS in (group, short):
        return f"{HAND_BONUS}.{'meter' if short in (HAND_BONUS, 'main') else short}"
    if group in NAMED:
        return f"{group}.{'meter' if short == 'main' else short}"
    return "meter" if short in ("main", "progressive", "prog") else short


def _keep(steps: list[Step], step: Step) -> None:
    steps.append(step)
    if len(steps) > KEPT:
        del steps[: KEPT // 2]
