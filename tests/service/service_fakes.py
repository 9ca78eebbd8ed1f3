"""A table without camera, networks or law: a few drawn frames, a script of events, a judge that always objects."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
import numpy as np
from argon2 import PasswordHasher

from calibration.camera import Camera
from calibration.drawing import draw_layout
from calibration.layout import load_layout
from calibration.locate import Calibration
from calibration.refine import Levels
from rules.events import CardPlaced, CardTurned, Event, Face, NoMoreBets, WagerPlaced
from rules.findings import Finding, Severity, Verdict, finding_id
from rules.records import PayoutRecord, RoundRecord, SeatRecord
from rules.table import TableConfig
from service.access.door import COOKIE
from service.access.roles import Role
from service.config import TableSetup
from service.evidence.pictures import View
from service.house import House
from service.sight import Sight
from vision.frames.frame import Frame
from vision.frames.source import Source, SourceInfo
from vision.seen import Seen, SeenCard

C = TypeVar("C", bound=httpx.Client)
TABLE = "riu-07"
LAYOUT = load_layout("raise_it_up_6")
SIZE = (960, 540)
CAMERA = Camera.looking_at((0.0, 560.0, 2400.0), (0.0, 540.0, 0.0), 0.0, 1000.0, SIZE)
LOOKED_OVER_S = 6.0
"""By then a live table has compared what it sees with what it knew."""
NOW = datetime(2026, 3, 1, 21, 14, 5, tzinfo=UTC)


def mapping(**changes: Any) -> dict[str, Any]:
    """A table file's content that is in order."""
    return {
        "version": 1,
        "table_id": TABLE,
        "game": "raise_it_up",
        "rules_submission": {
            "dealing": "manual_shoe",
            "seats": 6,
            "shuffler": {"automated": False, "counts_cards": False},
            "decks": 1,
            "paytables": {"pair_plus": "A", "six_card_bonus": "B"},
        },
        "layout": "raise_it_up_6",
    } | changes


def setup(external: Sequence[Event] = ()) -> TableSetup:
    """The table ready to be watched."""
    return TableSetup(Path("table.yaml"), TableConfig.from_mapping(mapping()), LAYOUT, tuple(external), "0" * 64)


def finding(number: int = 1, *, t_s: float = 2.0, **changes: Any) -> Finding:
    """A breach; another number is another round's."""
    round_id = f"{TABLE}-r{number:04d}"
    values: dict[str, Any] = {
        "finding_id": finding_id(TABLE, round_id, "RIU-C1-WHEN", None, "community.4th"),
        "check_id": "RIU-C1-WHEN",
        "verdict": Verdict.BREACH,
        "severity": Severity.CRITICAL,
        "citation": "58 Pa. Code § 669a.11(c)",
        "table_id": TABLE,
        "round_id": round_id,
        "seat": None,
        "area": "community.4th",
        "t_s": t_s,
        "since_s": max(0.0, t_s - 1.5),
        "expected": "the first community card turned after all players checked or placed a Play Wager",
        "seen": "turned while seat 4 had not decided",
        "text": "The first community card was turned before seat 4 decided.",
        "consequence": "all hands void, all wagers returned",
        "events": (1, 2),
        "confidence": 0.997,
    }
    return Finding(**(values | changes))


def closed_round(round_id: str, **changes: Any) -> dict[str, Any]:
    """A closed round as JSON values, nothing of it seen."""
    seen: dict[str, Any] = {"seats": [], "community": [], "dealer": [], "payouts": []}
    return {"round_id": round_id, "number": 1, "opened_s": 1.0, "closed_s": 2.0, "complete": True} | seen | changes


BY_HAND = Calibration(CAMERA, error_px=0.41234, error_mm=0.5, inliers=4, method="by hand", levels=Levels(1.0, 1.0))


def events() -> list[Event]:
    """A few things that happen, in order of time."""
    return [
        WagerPlaced(table_id=TABLE, t_s=0.4, area="seat4.ante", amount_cents=1500, chips=(("red", 3),)),
        CardPlaced(table_id=TABLE, t_s=1.0, area="seat4.cards", card_id=1, face=Face.DOWN),
        CardTurned(table_id=TABLE, t_s=2.0, area="community.4th", card_id=2, face=Face.UP, card="Td"),
    ]


def no_more_bets(t_s: float) -> NoMoreBets:
    return NoMoreBets(table_id=TABLE, t_s=t_s)


class FakeWatcher:
    """Says what the script says, when its time has come."""

    def __init__(self, script: Sequence[Event]) -> None:
        self.waiting = list(script)
        self.seen = Seen(-1, 0.0)
        self.unsettled: frozenset[str] = frozenset()

    def frame(self, frame: Frame) -> list[Event]:
        center = LAYOUT.area("community.4th").center_mm
        corners = np.array([[-31, -44], [31, -44], [31, 44], [-31, 44]]) + np.asarray(center)
        outline = tuple((float(x), float(y)) for x, y in CAMERA.image_from_table(corners))
        up = frame.t_s >= 2.0
        self.seen = Seen(
            frame.index, frame.t_s, (SeenCard(2, "community.4th", outline, up, "Td" if up else None, 0.99),)
        )
        ready = [event for event in self.waiting if event.t_s <= frame.t_s]
        self.waiting = self.waiting[len(ready) :]
        return ready

    def close(self) -> list[Event]:
        ready, self.waiting = self.waiting, []
        return ready


class FakeJudge:
    """Objects to every community card that is turned, and closes one round at the end."""

    dropped_events = 0

    def __init__(self) -> None:
        self.rounds: tuple[RoundRecord, ...] = ()
        self.fed: list[Event] = []

    def feed(self, event: Event) -> tuple[Finding, ...]:
        self.fed.append(event)
        if not isinstance(event, CardTurned):
            return ()
        met = finding(
            check_id="RIU-BLIND-EQ",
            verdict=Verdict.COMPLIANT,
            t_s=event.t_s,
            finding_id="a" * 16,
            area=None,
            text="in order",
        )
        return (finding(t_s=event.t_s), met)

    def forget_rounds(self) -> None:
        self.rounds = ()

    def close(self) -> tuple[Finding, ...]:
        payout = PayoutRecord(
            seat=4, wager="ante", stake_cents=1500, outcome="win", owed_cents=1500, paid_cents=1000,
            verdict=Verdict.BREACH, way="pair of tens 1 to 1 on $15: $15 and the stake", due_cents=3000, returned_cents=2500,
        )  # fmt: skip
        seat = SeatRecord(seat=4, cards=("Th", None, "2d"), wagers=(("ante", 1500),), folded=False)
        self.rounds = (
            RoundRecord(
                round_id=f"{TABLE}-r0001", number=1, opened_s=0.4, closed_s=4.0, complete=True, seats=(seat,),
                community=("Td", None, None), payouts=(payout,),
            ),
        )  # fmt: skip
        short = finding(
            check_id="RIU-SET-ANTE", t_s=3.0, finding_id="b" * 16, area="seat4.ante", seat=4, owed_cents=1500, paid_cents=1000,
            citation="58 Pa. Code § 669a.12(b)", text="Seat 4's Ante was paid $10 instead of $15.", expected="$15", seen="$10",
        )  # fmt: skip
        blind = finding(
            verdict=Verdict.UNDETERMINED,
            check_id="RIU-SET-BLIND",
            t_s=3.5,
            finding_id="c" * 16,
            missing="a card not read",
        )
        return (short, blind)


def frames(seconds: float = 4.0, fps: float = 10.0) -> Iterator[Frame]:
    """The empty felt as the camera sees it."""
    felt, table_from_px = draw_layout(
        LAYOUT, 0.6, felt_bgr=(62, 84, 30), ink_bgr=(210, 225, 230), accent_bgr=(70, 180, 220)
    )
    import cv2

    warp = CAMERA.homography @ np.asarray(table_from_px)
    picture = cv2.warpPerspective(felt, warp, SIZE, borderValue=(30, 36, 42))
    for index in range(int(seconds * fps)):
        yield Frame(index, index / fps, np.asarray(picture, np.uint8))


def sight(source: str = "fake", table: TableSetup | None = None, *, live: bool = False, seconds: float = 4.0) -> Sight:
    """A table in view that plays the script; a camera's begins once the table was looked over."""
    late_s = LOOKED_OVER_S if live else 0.0
    script, seconds = [replace(event, t_s=event.t_s + late_s) for event in events()], seconds + late_s
    info = SourceInfo(source, SIZE, 10.0, int(seconds * 10), live)
    return Sight(
        frames(seconds), info, BY_HAND, View(LAYOUT, CAMERA),
        FakeWatcher(script), FakeJudge(), Source(info, iter(()), lambda: None),
    )  # fmt: skip


def opener(**options: Any) -> Callable[[str, TableSetup], Sight]:
    """What `open_sight` is replaced with."""
    return lambda source, table: sight(source, table, **options)


QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Hashes that cost nothing, for tests that sign in often."""
NUMBERS = itertools.count(1)


def session_of(house: House, *roles: Role, tables: str = "*", name: str | None = None) -> str:
    """The token of a session of someone new with these roles (all if none are named) for a group of tables."""
    now = house.now()
    held = [(role, tables) for role in roles or tuple(Role)]
    person = house.access.people.add(name or f"person-{next(NUMBERS)}", held, now=now)
    return house.access.sessions.open(person.user_id, how="test", address="127.0.0.1", now=now).text


def signed_in(client: C, house: House, *roles: Role, tables: str = "*", name: str | None = None) -> C:
    """The client, signed in as someone new with these roles (all if none are named)."""
    client.cookies.set(COOKIE, session_of(house, *roles, tables=tables, name=name))
    return client
