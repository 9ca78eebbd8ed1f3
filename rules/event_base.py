"""What every event has, and the closed lists of words that events use."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

SCHEMA_VERSION = 1


class EventError(ValueError):
    """An event that does not follow the schema; the text says which field of which line and what is allowed."""


class Face(StrEnum):
    """Which side of a card is up."""

    UP = "up"
    DOWN = "down"


class Side(StrEnum):
    """Whose side of the table a hand came from."""

    DEALER = "dealer"
    PLAYER = "player"


class Agent(StrEnum):
    """Who or what handled the deck."""

    DEALER = "dealer"
    DEVICE = "device"
    PLAYER = "player"
    OTHER = "other"


class Hand(StrEnum):
    """Which of the dealer's hands."""

    LEFT = "left"
    RIGHT = "right"


class Reach(StrEnum):
    """Which of the dealer's hands, told by the shoe."""

    NEAR = "near"
    FAR = "far"


class Source(StrEnum):
    """Where the money of a payout came from."""

    INVENTORY = "inventory"
    CAGE = "cage"
    ACCOUNT = "account"


class GapCause(StrEnum):
    """Why nothing may be concluded about a stretch of time."""

    LOST = "camera_lost"
    """No frames came."""
    FROZEN = "camera_frozen"
    """The same picture again and again while time went on."""
    BLACK = "camera_black"
    """The pictures were dark."""
    BLOCKED = "camera_blocked"
    """Something before the lens hid the table."""
    CORRUPT = "camera_corrupt"
    """The pictures were damaged on their way."""
    RESIZED = "camera_resized"
    """The pictures came in another size, until the table was found in them."""
    MOVED = "camera_moved"
    """The camera was moved, until the table was found anew."""
    UNCALIBRATED = "uncalibrated"
    """The table was not found where it was, nor anywhere else."""
    PAUSED = "paused"
    """Someone of the house paused the table, or its configuration was changed: nobody watched, on purpose."""
    JOINED = "joined"
    """Something lay there at the first look: when and how it came was not seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What every event has.

    Attributes:
        table_id: the table it happened on.
        t_s: capture time in seconds; for things seen at rest, the moment by which it had happened.
        earliest_s: when it can have happened at the earliest, where that is well before `t_s`: hands hid it; None where it was
            seen, and for external events.
        confidence: 0..1, the weakest of what the event rests on; 1.0 for external events.
        frames: indices of the frames it rests on, empty for external events.
    """

    kind: ClassVar[str] = ""

    table_id: str
    t_s: float
    confidence: float = 1.0
    frames: tuple[int, ...] = ()
    earliest_s: float | None = None
