"""The language of the table: what was seen or announced, one frozen event each.

Camera events come from `vision`, external events from a feed, a file or an operator. On disk an event is one JSON
object a line. Amounts are whole cents or None where unknown; times are seconds of capture time; areas are names of the
layout such as `seat3.ante`, `seat3.cards`, `community.4th`, `tray`, `shoe`, `discard_rack`.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any, ClassVar

from rules.cards import CardError, parse_card
from rules.documents import in_a_line, load_json
from rules.event_base import SCHEMA_VERSION, Event, EventError, Face, GapCause, Side
from rules.house_events import HOUSE_EVENTS
from rules.money import MOST_CENTS

__all__ = ["EVENT_TYPES", "SCHEMA_VERSION", "Event", "EventError", "Face", "GapCause", "Side"]

MOST = 10**15
"""No whole number of an event is larger; amounts end at `rules.money.MOST_CENTS`."""
LONGEST_TEXT = 200
LONGEST_LINE = 100_000
"""Characters of one line of an event file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlaced(Event):
    """A card came to rest in an area. `card` is rank and suit ("Qd", "Jo") where read, else None.

    A card that was seen to leave and lies elsewhere, turned or not, is placed again with its own `card_id`. `objectness` is how surely a
    card lies there, whichever side it shows, 0..1; None: no surer than `confidence`.
    """

    kind: ClassVar[str] = "card_placed"
    area: str
    card_id: int
    face: Face
    card: str | None = None
    back: str | None = None
    objectness: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTurned(Event):
    """A card at rest was turned over; `face` is the side now up, `objectness` as in `CardPlaced`."""

    kind: ClassVar[str] = "card_turned"
    area: str
    card_id: int
    face: Face
    card: str | None = None
    objectness: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRead(Event):
    """A face-up card already announced was identified, or a weaker reading was replaced by a surer one."""

    kind: ClassVar[str] = "card_read"
    area: str
    card_id: int
    card: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMoved(Event):
    """A card went from one area to another."""

    kind: ClassVar[str] = "card_moved"
    area: str
    from_area: str
    card_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRemoved(Event):
    """A card left an area; `to_area` where it went, None if not seen."""

    kind: ClassVar[str] = "card_removed"
    area: str
    card_id: int
    to_area: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPlaced(Event):
    """A stack of face-down cards was placed in an area; `count` only where its making was seen.

    `exposed` is true where the face of a card of it was seen.
    """

    kind: ClassVar[str] = "stack_placed"
    area: str
    count: int | None = None
    exposed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerPlaced(Event):
    """Chips came to rest in an empty betting area."""

    kind: ClassVar[str] = "wager_placed"
    area: str
    amount_cents: int | None
    chips: tuple[tuple[str, int], ...] | None = None
    by: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerIncreased(Event):
    """Chips were added to a wager; `amount_cents` is the new total."""

    kind: ClassVar[str] = "wager_increased"
    area: str
    amount_cents: int | None
    chips: tuple[tuple[str, int], ...] | None = None
    by: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerDecreased(Event):
    """Chips were taken from a wager, some stay; `amount_cents` is the new total."""

    kind: ClassVar[str] = "wager_decreased"
    area: str
    amount_cents: int | None
    chips: tuple[tuple[str, int], ...] | None = None
    by: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerRemoved(Event):
    """All chips left a betting area; `by` the side whose hand took them, None if not seen."""

    kind: ClassVar[str] = "wager_removed"
    area: str
    by: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutPlaced(Event):
    """The dealer added chips to a betting area while settling; `amount_cents` is what was added, not the total."""

    kind: ClassVar[str] = "payout_placed"
    area: str
    amount_cents: int | None
    chips: tuple[tuple[str, int], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOver(Event):
    """A hand was over an area from `since_s` until `t_s`, when it left."""

    kind: ClassVar[str] = "hand_over"
    area: str
    since_s: float
    side: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageGap(Event):
    """Nothing was seen between `since_s` and `t_s`; of one area, or of the whole table when `area` is None."""

    kind: ClassVar[str] = "coverage_gap"
    cause: GapCause
    since_s: float
    area: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMoreBets(Event):
    """ "No more bets" was announced (keypad, lock-out or audio)."""

    kind: ClassVar[str] = "no_more_bets"


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectronicWagerAccepted(Event):
    """The progressive or electronic wagering system accepted a wager of a seat."""

    kind: ClassVar[str] = "electronic_wager_accepted"
    seat: int
    wager: str
    amount_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionAnnounced(Event):
    """A keypad or operator entered what a player decided: `check`, `play`, `bet`, `raise`, `ride`, `withdraw` or `fold`."""

    kind: ClassVar[str] = "decision_announced"
    seat: int
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterRead(Event):
    """A progressive meter showed this amount: "prog.meter", "prog.mega", "fchb.meter".

    Where a table offers two progressive wagers a meter goes by the name of its own: "progressive3.meter", "progressive5.meter".
    """

    kind: ClassVar[str] = "meter_read"
    meter: str
    amount_cents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflerCounted(Event):
    """A counting shuffler reported the number of cards."""

    kind: ClassVar[str] = "shuffler_counted"
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StubCounted(Event):
    """The stub was counted: face down on the layout as the law has it, or as `face` and `place` say."""

    kind: ClassVar[str] = "stub_counted"
    count: int
    face: Face = Face.DOWN
    place: str = "layout"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckChanged(Event):
    """A new deck came to the table.

    `deck` tells two decks apart ("A", "B"), `back` is the colour of its backs, `design` what they show.
    """

    kind: ClassVar[str] = "deck_changed"
    back: str | None = None
    preinspected: bool = False
    deck: str | None = None
    design: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceJammed(Event):
    """A shuffler or shoe stopped before its cycle was complete; `device` is "shuffler" or "shoe", `back` its deck."""

    kind: ClassVar[str] = "device_jammed"
    device: str
    back: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorDecision(Event):
    """A floorperson decided or confirmed.

    `void_round`, `recut`, `reshuffle`, `validate_payout` (of a seat), `inspection_verified`, `documentation_completed` (of a
    seat), `spread_face_up` (a player asked for it).
    """

    kind: ClassVar[str] = "floor_decision"
    decision: str
    seat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOpened(Event):
    """The table opened for play; `day` is the calendar day, e.g. "2026-11-21": rounds are judged by the law of that day."""

    kind: ClassVar[str] = "table_opened"
    day: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableClosed(Event):
    """The table closed."""

    kind: ClassVar[str] = "table_closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DealerChanged(Event):
    """Another dealer took over; a number, never a name."""

    kind: ClassVar[str] = "dealer_changed"
    dealer: str


_KINDS: tuple[type[Event], ...] = (
        CardPlaced, CardTurned, CardRead, CardMoved, CardRemoved, StackPlaced, WagerPlaced, WagerIncreased,
        WagerDecreased, WagerRemoved, PayoutPlaced, HandOver, CoverageGap, NoMoreBets, ElectronicWagerAccepted,
        DecisionAnnounced, MeterRead, ShufflerCounted, StubCounted, DeckChanged, DeviceJammed, FloorDecision,
        TableOpened, TableClosed, DealerChanged, *HOUSE_EVENTS,
)  # fmt: skip
EVENT_TYPES: Mapping[str, type[Event]] = {cls.kind: cls for cls in _KINDS}
"""Every kind of event by its name on disk."""
WHERE_KNOWN = ("earliest_s", "objectness")
"""Fields that stand in a file only where they say something."""


def event_to_dict(event: Event) -> dict[str, Any]:
    """An event as plain JSON values, schema version and kind first, times rounded to the microsecond."""
    out: dict[str, Any] = {"v": SCHEMA_VERSION, "kind": event.kind}
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if value is None and field.name in WHERE_KNOWN:
            continue
        if isinstance(value, float):
            value = round(value, 6)
        if field.name == "chips" and value is not None:
            value = dict(value)
        elif isinstance(value, tuple):
            value = list(value)
        out[field.name] = value
    return out


def event_to_json(event: Event) -> str:
    """An event as one line of JSON, always the same bytes for the same event."""
    return json.dumps(event_to_dict(event), separators=(",", ":"), ensure_ascii=False)


def event_from_dict(raw: object, *, where: str = "event") -> Event:
    """An event from plain JSON values.

    Raises:
        EventError: kind unknown, a field missing, unknown or of a wrong type or range; `where` stands in front.
    """
    if not isinstance(raw, dict):
        raise EventError(f"{where}: expected a JSON object, got {type(raw).__name__}")
    if raw.get("v") != SCHEMA_VERSION:
        raise EventError(f"{where}: field 'v' must be {SCHEMA_VERSION}, got {raw.get('v')!r}")
    cls = EVENT_TYPES.get(raw["kind"]) if isinstance(raw.get("kind"), str) else None
    if cls is None:
        raise EventError(
            f"{where}: field 'kind' must be one of {', '.join(sorted(EVENT_TYPES))}, got {raw.get('kind')!r}"
        )
    fields, hints = _fields_of(cls.kind)
    unknown = sorted(set(raw) - set(fields) - {"v", "kind"})
    if unknown:
        raise EventError(f"{where}: {raw['kind']} has no field {unknown[0]!r}; it has {', '.join(fields)}")
    values: dict[str, Any] = {}
    for name, field in fields.items():
        if name not in raw:
            if field.default is dataclasses.MISSING:
                raise EventError(f"{where}: {raw['kind']} needs the field {name!r}")
            continue
        values[name] = _typed(raw[name], hints[name], f"{where}: field {name!r}")
    for name in ("confidence", "objectness"):
        if values.get(name) is not None and not 0.0 <= values[name] <= 1.0:
            raise EventError(f"{where}: field {name!r} must lie in 0..1, got {values[name]}")
    if not (0.0 <= values["t_s"] < 1e10):
        raise EventError(f"{where}: field 't_s' must be seconds of capture time, got {values['t_s']}")
    if (values.get("amount_cents") or 0) < 0:
        raise EventError(f"{where}: field 'amount_cents' must not be negative, got {values['amount_cents']}")
    _verify(values, where)
    return cls(**values)


@cache
def _fields_of(kind: str) -> tuple[Mapping[str, dataclasses.Field[Any]], Mapping[str, Any]]:
    """The fields of a kind of event, and the type of each."""
    cls = EVENT_TYPES[kind]
    return {field.name: field for field in dataclasses.fields(cls)}, typing.get_type_hints(cls)


def _verify(values: Mapping[str, Any], where: str) -> None:
    """What no type tells: sizes, days, and times that contradict each other."""
    for name, value in values.items():
        most = MOST_CENTS if name == "amount_cents" else MOST
        if type(value) is int and not -most <= value <= most:
            got = (
                f"a number of {len(str(abs(value)))} digits" if abs(value) < 10**100 else "a number of over 100 digits"
            )
            raise EventError(f"{where}: field {name!r} is out of range: at most {most}, got {got}")
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise EventError(f"{where}: field {name!r} must be at most {LONGEST_TEXT} characters, got {len(value)}")
    for name in ("count", "cards_above", "stacks", "left_out"):
        if (values.get(name) or 0) < 0:
            raise EventError(f"{where}: field {name!r} must not be negative, got {values[name]}")
    for name in ("since_s", "earliest_s"):
        since = values.get(name)
        if since is not None and not 0.0 <= since <= values["t_s"]:
            raise EventError(f"{where}: field {name!r} must lie in 0..t_s ({values['t_s']:g}), got {since:g}")
    _verify_cards(values, where)
    day = values.get("day")
    if day is not None:
        try:
            datetime.date.fromisoformat(day)
        except ValueError as error:
            raise EventError(f"{where}: field 'day' must be a day as 2026-11-21, got {day!r}") from error


def _verify_cards(values: Mapping[str, Any], where: str) -> None:
    """What is named as a card must be one: what is none would be judged as a card that the deck does not have."""
    named = [(name, values[name]) for name in ("card", "magic_card") if values.get(name) is not None]
    named += [(f"cards[{place}]", card) for place, card in enumerate(values.get("cards") or ())]
    for name, card in named:
        try:
            parse_card(card)
        except CardError as error:
            raise EventError(f"{where}: field {name!r}: {error}") from error


def _typed(value: Any, hint: Any, where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        hint = next(option for option in typing.get_args(hint) if option is not type(None))
        origin = typing.get_origin(hint)
    if origin is tuple:
        if typing.get_args(hint)[0] is str:
            if not isinstance(value, list) or not all(type(item) is str for item in value):
                raise EventError(f"{where} must be a list of texts, got {in_a_line(value)}")
            return tuple(value)
        if where.endswith("'chips'"):
            if not isinstance(value, dict) or not all(type(n) is int and 0 < n <= MOST for n in value.values()):
                raise EventError(f"{where} must map chip colours to counts above 0, got {in_a_line(value)}")
            return tuple(sorted(value.items()))
        if not isinstance(value, list) or not all(type(item) is int and -MOST <= item <= MOST for item in value):
            raise EventError(f"{where} must be a list of whole numbers, got {in_a_line(value)}")
        return tuple(value)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        if value not in [member.value for member in hint]:
            raise EventError(f"{where} must be one of {', '.join(hint)}, got {in_a_line(value)}")
        return hint(value)
    if hint is float and type(value) in (int, float) and -MOST <= value <= MOST:
        return float(value)
    if type(value) is not hint:
        raise EventError(f"{where} must be {hint.__name__}, got {in_a_line(value)}")
    return value


def events_from_lines(lines: Iterable[str], *, name: str = "events") -> Iterator[Event]:
    """Events from lines of JSON, empty lines skipped.

    Raises:
        EventError: with file name, line number and field.
    """
    return (event for _, event in numbered_events(lines, name=name))


def numbered_events(lines: Iterable[str], *, name: str = "events") -> Iterator[tuple[int, Event]]:
    """Events from lines of JSON with the number of their line, from 1; empty lines skipped.

    Raises:
        EventError: with file name, line number and field.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        if len(line) > LONGEST_LINE:
            raise EventError(f"{where}: {len(line)} characters; an event has at most {LONGEST_LINE}")
        try:
            raw = load_json(line)
        except ValueError as error:
            raise EventError(f"{where}: not a JSON object ({error})") from error
        yield number, event_from_dict(raw, where=where)


def group_of(area: str) -> str:
    """The first word of an area: "dealer" for "dealer.2", "seat3" for "seat3.cards"."""
    return area.partition(".")[0]


@lru_cache(maxsize=4096)
def seat_of(area: str) -> int | None:
    """The seat an area belongs to, None for areas of the whole table.

    >>> seat_of("seat3.ante"), seat_of("community.4th")
    (3, None)
    """
    head, _, _ = area.partition(".")
    number = head[4:]
    return int(number) if head.startswith("seat") and number.isascii() and number.isdecimal() else None


@lru_cache(maxsize=4096)
def wager_of(area: str) -> str | None:
    """The wager placed in an area ("ante", "play", ...), None for areas without wagers."""
    seat, (_, _, name) = seat_of(area), area.partition(".")
    return name if seat is not None and name != "cards" else None
