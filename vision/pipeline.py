"""The whole way from a frame to events: gate, hands, rests, looks, judgement, order.

The same frames give the same events: nothing here reads the clock or a random number, and the time of everything is
the capture time that the frame carries.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np

from calibration.camera import Camera
from calibration.keeper import CameraKeeper, KeeperSettings, Standing
from calibration.layout import AreaKind, Layout
from calibration.refine import Levels
from rules.events import CoverageGap, Event, Side
from vision.change.coverage import ANOTHER_ROUND_S, CoverageSettings, CoverageWatch
from vision.change.gate import Gate, GateReport, GateSettings, SmallMap
from vision.change.hands import HandStretches
from vision.frames.frame import Frame
from vision.frames.picture import Image
from vision.frames.rectify import DETECTION_PX_PER_MM
from vision.frames.thinning import Pace
from vision.looks.chips import ChipReaderLike
from vision.looks.counting import StackReaderLike
from vision.looks.look import DetectorLike, Looker
from vision.looks.prints import Prints
from vision.looks.reading import ReaderLike
from vision.observation.observe import CARD_KINDS, WAGER_KINDS, Observer
from vision.observation.outbox import Outbox
from vision.observation.rest_watcher import RestWatcher
from vision.seen import Seen, SeenCard, SeenChip, SeenHand
from vision.tracking.areas import AreaState, RestSettings, areas_of
from vision.tracking.rack import RackWatch

WAIT_S = 2.9
"""Longest time events wait for an area where something may have happened before them; shorter than `service.watching.HOLD_S`."""

STAMPS_OFF_S = 0.0041
"""Frames may follow one another so much sooner than `WatchSettings.gate_hz` says and are still all looked at."""


class TableLike(Protocol):
    """What the watcher needs of a table's configuration; see `rules.table.TableConfig`."""

    @property
    def table_id(self) -> str:
        """Short name of the table."""

    @property
    def chips(self) -> Mapping[str, int]:
        """Cents per chip colour."""

    @property
    def decks(self) -> int:
        """Decks in play."""

    @property
    def dealing(self) -> str:
        """How cards are dealt; from an "automated_shoe" they come in stacks."""

    @property
    def chips_spread(self) -> bool:
        """Whether the house has wagers laid singly or spread."""


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """The least that can be watched: a name, a chip set, decks, how cards are dealt, whether chips are never stacked."""

    table_id: str
    chips: Mapping[str, int]
    decks: int = 1
    dealing: str = "manual_shoe"
    chips_spread: bool = False


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """All thresholds of the watcher.

    `gate_hz` is how many frames a second are looked at for change; `jolt_share`: of the areas moving at once, from which on the
    camera itself may have moved.
    """

    gate_hz: float = 15.0
    jolt_share: float = 0.5
    gate: GateSettings = dataclasses.field(default_factory=GateSettings)
    rest: RestSettings = dataclasses.field(default_factory=RestSettings)
    coverage: CoverageSettings = dataclasses.field(default_factory=CoverageSettings)
    keeper: KeeperSettings = dataclasses.field(default_factory=KeeperSettings)

    def pace(self) -> Pace:
        """Which frames are looked at; time stamps may be rounded to milliseconds and more."""
        return Pace(1.0 / self.gate_hz - STAMPS_OFF_S)


class TableWatcher:
    """Watches one table through one camera.

    Args:
        table: name, chip set and decks.
        layout: its areas.
        camera: where the layout lies in the picture; kept true while watching (`calibration.keeper`).
        detector: finds cards, chips and hands in a view of an area.
        reader: reads cards.
        chip_reader: names chips.
        settings: thresholds.
        stack_reader: counts chips on one another; without it stacks stay unknown.
        levels: brightness of the felt's prints, from the calibration; None where corners were given by hand.
    """

    def __init__(
        self,
        table: TableLike,
        layout: Layout,
        camera: Camera,
        detector: DetectorLike,
        reader: ReaderLike,
        chip_reader: ChipReaderLike,
        settings: WatchSettings | None = None,
        *,
        stack_reader: StackReaderLike | None = None,
        levels: Levels | None = None,
    ) -> None:
        self.table, self.layout = table, layout
        self.settings = settings or WatchSettings()
        self.keeper = CameraKeeper(layout, camera, levels, self.settings.keeper)
        self.looker = Looker(
            camera, detector, reader, chip_reader, Prints(layout, DETECTION_PX_PER_MM),
            stack_reader=stack_reader, chips_spread=table.chips_spread,
        )  # fmt: skip
        self.map = SmallMap(layout, camera)
        self.gate = Gate(self.map, self.settings.gate)
        self.coverage = CoverageWatch(table.table_id, self.map, self.settings.coverage)
        self.hands = HandStretches(table.table_id)
        self._outbox = Outbox()
        self.observer = Observer(
            table.table_id,
            table.chips,
            decks=table.decks,
            stacks=table.dealing == "automated_shoe",
            take_back=self._outbox.take_back,
        )
        self.rests = RestWatcher(
            table.table_id, self.settings.rest, self.settings.gate.motion_s,
            self.looker, self.gate, self.observer, self._outbox,
        )  # fmt: skip
        self.states = self._unknown()
        self.rack = self._unknown_rack()
        self._pace = self.settings.pace()
        self._seen = Seen(-1, 0.0)
        self._lay_unseen: tuple[Frame, float] | None = None

    def _unknown(self) -> list[AreaState]:
        """The watched areas, none of them seen yet."""
        return areas_of(self.layout, self.camera, self.map.scale, (*CARD_KINDS, *WAGER_KINDS))

    def _unknown_rack(self) -> RackWatch:
        """The discard rack, not seen yet."""
        racks = areas_of(self.layout, self.camera, self.map.scale, (AreaKind.RACK,))
        return RackWatch(self.table.table_id, racks, self.looker, self.settings.rest, self.settings.gate.motion_s)

    @property
    def _stirring(self) -> Iterator[AreaState]:
        """All areas that stir and come to rest."""
        return chain(self.states, self.rack.states)

    @property
    def camera(self) -> Camera:
        """Where the layout lies in the picture now."""
        return self.keeper.camera

    @property
    def seen(self) -> Seen:
        """Cards, chips and hands as known after the last frame, and what hides or mutes the table."""
        return self._seen

    @property
    def unsettled(self) -> frozenset[str]:
        """Areas that were not seen at rest yet since the watcher is new."""
        return frozenset(state.area.name for state in self.states if state.reference is None)

    def frame(self, frame: Frame) -> list[Event]:
        """Take the next frame; the events that became certain, in order of their times."""
        if not self._pace.takes(frame.t_s):
            return []
        if self.rests.joined_s is None:
            self.rests.joined_s = frame.t_s
        small = frame.small_yuv(self.map.size_px)
        gaps = self.coverage.feed(frame, small)
        report = self._gated(frame, small)
        gaps += self._keep_camera(frame)
        if self.coverage.muted or self.keeper.doubtful:
            report = dataclasses.replace(report, hands=())
        if gaps:
            self._outbox.add(gaps)
            self._disturb_all(frame.t_s)
            self._forget_after(gaps)
        self._outbox.add(self.hands.feed(frame.index, frame.t_s, report.hands))
        self._disturb(frame, report, small)
        self._lay_unseen = None
        if not self.coverage.muted and not self.keeper.doubtful:
            self.rests.look(self.states, frame, report.level)
            self._outbox.add(self.rack.look(frame, report.level))
            if self.rests.lay_unseen(self.states, frame.t_s):
                self._lay_unseen = frame, report.level
        self._seen = self._snapshot(frame, report)
        return self._released(frame.t_s)

    def _gated(self, frame: Frame, small: Image) -> GateReport:
        """What the gate says of a frame; nothing while the picture cannot be put down to the table."""
        if self.keeper.standing is Standing.STEADY and not self.coverage.blind and frame.size_px == self.camera.size_px:
            report = self.gate.feed(frame.t_s, small, frame.small_planes(self.map.size_px))
            if report.moving.mean() >= self.settings.jolt_share:
                self.keeper.jolt()
            return report
        count = len(self.map.names)
        return GateReport(np.zeros(count, bool), np.zeros(count), (), self.gate.level)

    def _keep_camera(self, frame: Frame) -> list[CoverageGap]:
        """Looks at how the camera stands when it is time to; the gap that ended."""
        resized = frame.size_px != self.camera.size_px and self.keeper.standing is Standing.STEADY
        changed = False
        if not self.coverage.blind and (resized or self.keeper.wants_look(frame.t_s)):
            before = self.camera
            changed = self.keeper.look(frame.t_s, frame.luma)
            if changed:
                self._stand_at(before)
        return self.coverage.camera(self.keeper, frame, changed=changed)

    def _stand_at(self, before: Camera) -> None:
        """The camera stands elsewhere: the areas lie elsewhere in its pictures, the cards and chips where they lay."""
        camera = self.camera
        self.map = self.coverage.map = SmallMap(self.layout, camera)
        self.gate.stand_at(self.map, before)
        self.looker.stand_at(camera)
        self._lay_unseen = None
        for state in self._stirring:
            state.stand_at(camera)
            if state.film is not None:
                state.film.stand_at(camera, self.map.scale)

    def close(self) -> list[Event]:
        """No more frames: what is still to be said."""
        if not self.coverage.muted:
            for state in self.states:
                self.rests.settle_early(state, 1.0)
        self._outbox.add([*self.hands.close(), *self.coverage.close()])
        return self._released(None)

    def lost(self, t_s: float) -> None:
        """The source broke off and begins again; everything has to be looked at anew."""
        self._disturb_all(t_s)

    def _disturb_all(self, t_s: float) -> None:
        self.rack.unseen()
        for state in self._stirring:
            state.disturb(t_s)
            state.visits.blind = state.pile.stays.blind = True
            state.sides.add(None)  # whoever was here meanwhile was not seen

    def _forget_after(self, gaps: Sequence[CoverageGap]) -> None:
        """After a gap in which another round may have been dealt nothing is what it was, whatever it looks like."""
        long = [gap for gap in gaps if gap.area is None and gap.t_s - gap.since_s > ANOTHER_ROUND_S]
        if long:
            self.rests.joined_s = min(gap.since_s for gap in long)
            self._outbox.add(self.observer.forgotten(self.states, max(gap.t_s for gap in long)))
            self.states, self.rack = self._unknown(), self._unknown_rack()

    def _disturb(self, frame: Frame, report: GateReport, small: Image) -> None:
        sides: dict[str, Side | None] = {}
        for hand in report.hands:
            for name in hand.areas:
                sides[name] = hand.side if name not in sides or sides[name] == hand.side else None
        traced: dict[str, set[Side]] = {}
        for hand in report.traces:
            for name in hand.areas:
                if hand.side is not None:
                    traced.setdefault(name, set()).add(hand.side)
        tells = not self.coverage.muted and not self.keeper.doubtful and small.shape == (*self.map.labels.shape, 3)
        stirs = {state.index: state.area.name in sides or bool(report.moving[state.index]) for state in self._stirring}
        if self._lay_unseen is not None and tells:
            self.rests.look_back([state for state in self.states if stirs[state.index]], *self._lay_unseen)
        for state in self.rack.states:
            state.covered = state.area.name in sides
            if stirs[state.index]:
                state.disturb(frame.t_s)
            self._film(state, frame, small if tells else None, report.level)
        for state in self.states:
            covered = state.area.name in sides
            state.hand_over(covered, sides.get(state.area.name))
            if stirs[state.index]:
                if not self.coverage.muted:
                    self.rests.settle_early(state, report.level)
                state.disturb(frame.t_s)
            self._film(state, frame, small if tells else None, report.level)
            if not stirs[state.index]:
                continue
            state.visits.traces += [(frame.t_s, side) for side in traced.get(state.area.name, ())]
            state.pile.visits = max(1, state.pile.visits)
            if covered:
                state.visits.seen(frame.t_s, sides[state.area.name])
                state.pile.stays.seen(frame.t_s, sides[state.area.name])

    def _film(self, state: AreaState, frame: Frame, small: Image | None, level: float) -> None:
        """Keeps what the small picture shows of an area; None while pictures cannot be put down to the table."""
        if state.film is None:
            return
        if small is None:
            state.film.forget()
        else:
            state.film.feed(frame.t_s, small, level, calm=not state.disturbed, covered=state.covered)

    def _released(self, now_s: float | None) -> list[Event]:
        """Events no earlier one can still come before; all of them when `now_s` is None."""
        if now_s is None:
            return self._outbox.ready(float("inf"))
        horizon = now_s - self.settings.rest.settle_s - self.settings.gate.motion_s
        for state in chain(self.states, self.rack.awaited):
            if state.disturbed and state.stirred_s is not None:
                horizon = min(horizon, max(state.stirred_s, now_s - WAIT_S) - 1e-6)
        return self._outbox.ready(horizon)

    def _snapshot(self, frame: Frame, report: GateReport) -> Seen:
        cards = tuple(
            SeenCard(
                track.card_id,
                track.area,
                tuple((x, y) for x, y in track.corners_px.tolist()),
                track.face_up,
                track.card,
                track.confidence,
            )
            for state in self.states
            for track in state.tracks
        )
        chips = tuple(
            SeenChip(state.area.name, sight.center_px, sight.radius_px, sight.color.name, sight.stack, sight.chips)
            for state in self.states
            for sight in state.chip_sights
        )
        hands = tuple(SeenHand(hand.box_px, hand.side) for hand in report.hands)
        before = self._seen  # minutes of this are kept, most of it the same from frame to frame
        cards, chips = (
            before.cards if cards == before.cards else cards,
            before.chips if chips == before.chips else chips,
        )
        return Seen(frame.index, frame.t_s, cards, chips, hands, self.coverage.open_gaps, self.camera)
