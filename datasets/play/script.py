"""A round as a list of acts, in the order in which the dealer and the players carry them out.

Plants edit this list (or the facts it is written from); `choreography` turns it into motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from datasets.play.facts import RoundFacts, SeatFacts


@dataclass(frozen=True, slots=True)
class Placement:
    """Chips put on one betting area in one go; a second one of the same area adds to the first."""

    seat: int
    wager: str
    cents: int
    stacked: bool = False


@dataclass(frozen=True, slots=True)
class PlaceWagers:
    """All players place their wagers, at the same time, each in the order given."""

    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class NoMoreBets:
    """The dealer announces it."""


@dataclass(frozen=True, slots=True)
class DealCard:
    """One card from the shoe to an area; `pile` cards will lie on one another where the area is nobody's hand."""

    card: str
    area: str
    face_up: bool = False
    pile: int = 1


@dataclass(frozen=True, slots=True)
class DealStack:
    """A stack of cards from an automated shoe to an area, then spread over the areas of `spread`, bottom card first."""

    cards: tuple[str, ...]
    area: str
    spread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RackStub:
    """The rest of the deck goes from the shoe to the discard rack; `face` is the card that its top shows there, None for a back."""

    face: str | None = None


@dataclass(frozen=True, slots=True)
class Examine:
    """These seats look at their cards, more or less at once."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A tap over the cards."""

    seat: int


@dataclass(frozen=True, slots=True)
class Play:
    """The wager made after the cards were seen: Play, Bet or Raise."""

    placement: Placement


@dataclass(frozen=True, slots=True)
class Fold:
    """The player pushes the cards forward."""

    seat: int


@dataclass(frozen=True, slots=True)
class LateBet:
    """A player adds chips when nothing may be added any more."""

    placement: Placement


@dataclass(frozen=True, slots=True)
class TurnCommunity:
    """The dealer turns the card in this box, and lays it into another where `to` says so."""

    area: str
    to: str | None = None


@dataclass(frozen=True, slots=True)
class RevealShared:
    """The dealer turns all face-down cards of these areas and lays them, in the order dealt, into `targets`."""

    areas: tuple[str, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Withdraw:
    """A player takes a wager back but for `keep` chips; the dealer slides it forward first, unless `unaided`."""

    seat: int
    wager: str
    unaided: bool = False
    keep: int = 0


@dataclass(frozen=True, slots=True)
class RevealHand:
    """The dealer turns a seat's cards and spreads them."""

    seat: int


@dataclass(frozen=True, slots=True)
class Collect:
    """The dealer takes all chips of these areas of a seat to the tray, one after the other in one sweep."""

    seat: int
    wagers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pay:
    """The dealer adds chips beside a wager."""

    seat: int
    wager: str
    cents: int


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The player takes everything that is left, beside what the dealer does next."""

    seat: int


@dataclass(frozen=True, slots=True)
class RackCards:
    """The dealer takes the cards of these areas to the discard rack, in this order."""

    areas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bump:
    """A sleeve or finger moves one card at rest by a few millimetres."""

    area: str


Act = (
    PlaceWagers | NoMoreBets | DealCard | DealStack | RackStub | Examine | Check | Play | Fold | LateBet | TurnCommunity
    | RevealShared | Withdraw | RevealHand | Collect | Pay | TakeBack | RackCards | Bump
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Expected:
    """A finding that a step must lead to; not `required`: it follows from the mistake and may be reported too."""

    check_id: str
    seat: int | None = None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One act and the findings whose moment it is."""

    act: Act
    findings: tuple[Expected, ...] = ()


Script = list[Step]


def steps(acts: list[Act]) -> Script:
    """Acts without a finding."""
    return [Step(act) for act in acts]


def find(script: Script, wanted: Callable[[Act], bool]) -> list[int]:
    """Numbers of the steps whose act is wanted."""
    return [i for i, step in enumerate(script) if wanted(step.act)]


def placements(facts: RoundFacts) -> tuple[Placement, ...]:
    """The wagers before the deal; a corrected one is put down in two goes."""
    out: list[Placement] = []
    for s in facts.seats:
        for wager, cents in s.wagers.items():
            if (s.seat, wager) in facts.corrected:
                out += [Placement(s.seat, wager, cents // 2 // 500 * 500)]
                out += [Placement(s.seat, wager, cents - out[-1].cents)]
            else:
                out.append(Placement(s.seat, wager, cents, wager in s.stacked))
    return tuple(out)


def settle_seat(
    seat: SeatFacts,
    owed: Mapping[str, int | None],
    groups: tuple[tuple[str, ...], ...],
    before: Mapping[str, list[Act]] | None = None,
) -> list[Act]:
    """Turn a seat's cards, then collect what lost and pay what won, group by group.

    Args:
        seat: whose turn it is.
        owed: winnings in cents by standing wager, 0 for a push, None for a loss.
        groups: the wagers settled together, in their order.
        before: what the dealer does before a group, by its first wager.
    """
    acts: list[Act] = [RevealHand(seat.seat)]
    for group in groups:
        own = {wager: cents for wager, cents in owed.items() if wager in group}
        if own:
            acts += (before or {}).get(group[0], [])
        lost = tuple(wager for wager, cents in own.items() if cents is None)
        if lost:
            acts.append(Collect(seat.seat, lost))
        acts += [Pay(seat.seat, wager, cents) for wager, cents in own.items() if cents]
    if any(cents is not None for cents in owed.values()):
        acts.append(TakeBack(seat.seat))
    return acts
