"""What stands behind an alert, gathered from its bundle or from the store: the round so far, how sure it is, what was not seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from calibration.layout import Layout, LayoutError, load_layout
from service.evidence.index import Entry, Scope
from service.evidence.room import EvidenceRoom
from service.house import House
from service.screens import words
from service.store import Alert, AlertKind

MOST_EVENTS = 4000
LONGEST_S = 900.0
"""A round that was not seen to open is shown for so long before the alert at most."""
LAYOUTS = Path(__file__).resolve().parents[2] / "calibration" / "layouts"
AFTER_S = 0.5
"""Events of the same moment are stamped a little apart."""


@dataclass(frozen=True, slots=True)
class Story:
    """What stands behind an alert.

    Attributes:
        events: (number in the run, event) of the round, up to the alert.
        record: the round's books, None while it is played still.
        layout: the drawing of its table, None where it is not known.
        exact: it is the layout that table had, not just the one of its game.
        bundle: how its evidence stands; None where this service keeps none.
    """

    events: tuple[tuple[int, Mapping[str, Any]], ...]
    record: Mapping[str, Any] | None
    layout: Layout | None
    exact: bool
    bundle: Mapping[str, Any] | None


def story_of(house: House, alert: Alert) -> Story:
    """Gathers what stands behind an alert."""
    room = house.evidence
    entry = room.vault.refresh().bundle_of(alert.run_id, alert.finding_id) if room is not None else None
    about = _json(room, entry, "about.json")
    name = about.get("table", {}).get("layout") or _live_layout(house, alert.table_id)
    layout = _layout(str(name)) if name else None
    exact = layout is not None
    layout = layout or _layout_of_game(alert.game)
    record = house.store.round(alert.run_id, str(alert.finding["round_id"]))
    if record is None:
        closed = _json(room, entry, "round.json")
        record = closed if closed.get("closed") else None
    events = _events(house, alert, record, _lines(room, entry, "events.jsonl"))
    return Story(events, record, layout, exact, room.state_of(alert) if room is not None else None)


def way_of(alert: Alert, record: Mapping[str, Any] | None) -> list[str]:
    """The way to what was owed, from the round's books, where the alert is about a payment."""
    finding = alert.finding
    if record is None or finding["owed_cents"] is None:
        return []
    wager = str(finding["area"] or "").rpartition(".")[2]
    out = []
    for one in record.get("payouts", ()):
        if one["seat"] == finding["seat"] and one["wager"] == wager:
            hand = f"Hand: {one['hand']}" if one.get("hand") else ""
            odds = f"Odds: {one['odds']}" if one.get("odds") else ""
            back = "" if one.get("due_cents") is None else f"Must go back in all: {words.dollars(one['due_cents'])}"
            out += [line for line in (hand, odds, one.get("way", ""), one.get("why", ""), back) if line]
    return out


def unseen(story: Story) -> list[str]:
    """What was not seen in the round so far, in sentences."""
    gaps: list[str] = []
    unknown: list[str] = []
    names: dict[int, tuple[str | None, str]] = {}
    for _, event in story.events:
        kind = event["kind"]
        if kind == "coverage_gap":
            place = words.area(event["area"]) if event.get("area") else "the whole table"
            cause = str(event["cause"]).replace("_", " ")
            gaps.append(f"{words.clock(event['since_s'])} to {words.clock(event['t_s'])}: {place} ({cause})")
        elif kind.startswith("card_") and kind != "card_removed":
            up = event.get("face", "up") == "up"
            known = event.get("card") or names.get(event["card_id"], (None, ""))[0]
            names[event["card_id"]] = (known, words.area(event["area"]) if up else "")
        elif "amount_cents" in event and event["amount_cents"] is None:
            unknown.append(f"{words.area(event['area'])} at {words.clock(event['t_s'])}")
    unread = [place for card, place in names.values() if card is None and place]
    out = [f"Nothing was seen from {gap}" for gap in gaps]
    out += [f"A face-up card was not read: {place}" for place in unread]
    out += [f"The amount of chips is unknown: {place}" for place in dict.fromkeys(unknown)]
    return out


def rests_on(alert: Alert, story: Story) -> list[tuple[Mapping[str, Any], str, str]]:
    """The events that the finding rests on: (event, its kind in words, what it says)."""
    wanted = set(alert.finding.get("events", ()))
    return [(event, *words.event(event)) for number, event in story.events if number in wanted]


def _events(
    house: House, alert: Alert, record: Mapping[str, Any] | None, kept: list[dict[str, Any]]
) -> tuple[tuple[int, Mapping[str, Any]], ...]:
    """The events of the round so far: of the bundle, else of the store."""
    finding = alert.finding
    until_s = float(finding["t_s"]) + AFTER_S
    if alert.kind is AlertKind.CAMERA:
        return ()
    if kept:
        since_s = float(record["opened_s"]) if record else 0.0
        numbered = [(int(one["number"]), one) for one in kept]
        rests = set(finding.get("events", ()))
        return tuple((n, e) for n, e in numbered if n in rests or since_s <= e["t_s"] <= until_s)
    since_s = max(0.0, float(finding["since_s"]) - LONGEST_S)
    if record is not None:
        since_s = float(record["opened_s"])
    elif (before := house.store.round(alert.run_id, _round_before(str(finding["round_id"])))) is not None:
        since_s = max(since_s, float(before["closed_s"]))
    return tuple(house.store.numbered_events(alert.run_id, from_s=since_s, to_s=until_s, limit=MOST_EVENTS))


def _round_before(round_id: str) -> str:
    """The round before one, by their numbers.

    >>> _round_before("riu-66-r0004"), _round_before("strange")
    ('riu-66-r0003', '')
    """
    head, mark, number = round_id.rpartition("-r")
    return f"{head}-r{int(number) - 1:04d}" if mark and number.isdigit() else ""


def _live_layout(house: House, table_id: str) -> str | None:
    live = house.tables.get(table_id)
    return live.setup.layout.name if live is not None else None


@cache
def _layout(name: str) -> Layout | None:
    try:
        return load_layout(name)
    except LayoutError:
        return None


@cache
def _layout_of_game(game: str) -> Layout | None:
    """The layout that comes with the program for a game, None where there is none or several."""
    found = [path.stem for path in sorted(LAYOUTS.glob("*.yaml")) if game and path.stem.startswith(f"{game}_")]
    return _layout(found[0]) if len(found) == 1 else None


def _json(room: EvidenceRoom | None, entry: Entry | None, name: str) -> dict[str, Any]:
    text = _text(room, entry, name)
    return dict(json.loads(text)) if text else {}


def _lines(room: EvidenceRoom | None, entry: Entry | None, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _text(room, entry, name).encode().splitlines()]


def _text(room: EvidenceRoom | None, entry: Entry | None, name: str) -> str:
    if room is None or entry is None or Scope.BUNDLE in entry.expired:
        return ""
    path = room.vault.path_of(entry, name)
    return path.read_text(encoding="utf-8") if path is not None else ""
