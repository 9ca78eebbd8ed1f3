"""The whole way from a frame to events: gate, hands, rests, looks, judgement, order.

The same frames give the same events: nothing here reads the clock or a random number, and the time of everything is
the capture time that the frame carries.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Protocol

import numpy as np

from calibration.camera import Camera
from calibration.keeper import CameraKeeper, KeeperSettings, Standing
from calibration.layout import Layout
from calibration.refine import Levels
from rules.events import CoverageGap, Event, GapCause, Side
from vision.areas import AreaState, Laid, RestSettings
from vision.chips import ChipReaderLike
from vision.counting import StackReaderLike
from vision.coverage import ANOTHER_ROUND_S, CoverageSettings, CoverageWatch
from vision.gate import Gate, GateReport, GateSettings, SmallMap
from vision.hands import HandStretches
from vision.look import DetectorLike, Look, Looker
from vision.moments import AreaFilm
from vision.observe import CARD_KINDS, WAGER_KINDS, Observer, dated_by_pile
from vision.outbox import Outbox
from vision.prints import Prints
from vision.reading import ReaderLike
from vision.rectify import DETECTION_PX_PER_MM, AreaView
from vision.rests import RestResult, compared, judged
from vision.search import search_unread
from vision.seen import Seen, SeenCard, SeenChip, SeenHand
from vision.source import Frame, Image
from vision.thinning import Pace
from vision.tracks import consensus

WAIT_S = 2.9
"""Longest time events wait for an area where something may have happened before them; shorter than `service.watching.HOLD_S`."""

SEARCHED_MM = 10.0
"""A card that lies still and is not read is looked for so far beside its outline: that was laid onto a printed line, or a neighbour's edge."""

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
        self.states = self._unknown()
        self._joined_s: float | None = None
        self.looks_made = 0
        self._pace = self.settings.pace()
        self._seen = Seen(-1, 0.0)
        self._last: tuple[int, float] = (-1, 0.0)

    def _unknown(self) -> list[AreaState]:
        """The watched areas, none of them seen yet."""
        return [
            AreaState(
                index,
                area,
                AreaView.around(area.polygon_mm, self.camera),
                film=AreaFilm(area.polygon_mm, self.camera, self.map.scale),
            )
            for index, area in enumerate(self.layout.areas)
            if area.kind in CARD_KINDS or area.kind in WAGER_KINDS
        ]

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
        if self._joined_s is None:
            self._joined_s = frame.t_s
        self._last = frame.index, frame.t_s
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
        if not self.coverage.muted and not self.keeper.doubtful:
            self._look(frame, report)
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
        for state in self.states:
            state.stand_at(camera)
            if state.film is not None:
                state.film.stand_at(camera, self.map.scale)

    def close(self) -> list[Event]:
        """No more frames: what is still to be said."""
        for state in self.states:
            self._settle_early(state, 1.0, None)
        self._outbox.add([*self.hands.close(), *self.coverage.close()])
        return self._released(None)

    def lost(self, t_s: float) -> None:
        """The source broke off and begins again; everything has to be looked at anew."""
        self._disturb_all(t_s)

    def _disturb_all(self, t_s: float) -> None:
        for state in self.states:
            state.disturb(t_s)
            state.visits.blind = state.pile.stays.blind = True
            state.sides.add(None)  # whoever was here meanwhile was not seen

    def _forget_after(self, gaps: Sequence[CoverageGap]) -> None:
        """After a gap in which another round may have been dealt nothing is what it was, whatever it looks like."""
        long = [gap for gap in gaps if gap.area is None and gap.t_s - gap.since_s > ANOTHER_ROUND_S]
        if long:
            self._joined_s = min(gap.since_s for gap in long)
            self._outbox.add(self.observer.forgotten(self.states, max(gap.t_s for gap in long)))
            self.states = self._unknown()

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
        for state in self.states:
            covered = state.area.name in sides
            state.hand_over(covered, sides.get(state.area.name))
            stirs = covered or bool(report.moving[state.index])
            if stirs:
                self._settle_early(state, report.level, frame)
                state.disturb(frame.t_s)
            self._film(state, frame, small if tells else None, report.level)
            if not stirs:
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

    def _settle_early(self, state: AreaState, level: float, frame: Frame | None) -> None:
        """A rest that ends before all its looks were made still counts where the looks agree and nothing vanished."""
        if not state.disturbed or self.coverage.muted:
            return
        if len(state.looks) == 1 and state.glimpses and state.area.kind in CARD_KINDS and not state.tracks:
            state.looks.insert(0, state.glimpses[-1][1])
        if len(state.looks) < 2:
            return
        seen = consensus(state.looks)
        result = compared(state, seen, level)
        if not seen.settled or result.fewer_cards or len(seen.chips) < len(state.chip_sights):
            return
        last = state.looks[-1]
        self._tell(state, result)
        state.reference = last.view, level
        state.outdated = True
        state.stirred_s = last.t_s
        if state.film is not None:
            state.film.settled(last.t_s)
        state.visits.clear()
        state.looks.clear()
        state.glimpses.clear()

    def _tell(self, state: AreaState, result: RestResult) -> None:
        """The events of a rest; of an area's first one they say what lies there, not that it came then."""
        frames = tuple(look.frame for look in state.looks)
        if state.area.kind in WAGER_KINDS:
            state.explain(result.chips_sure)
        events = self.observer.settle(state, result, self._rest_began_s(state), frames)
        if events and state.reference is None and self._joined_s is not None:
            t_s = max(event.t_s for event in events)
            since_s = min(self._joined_s, t_s)
            gap = CoverageGap(
                table_id=self.table.table_id, t_s=t_s, since_s=since_s, cause=GapCause.JOINED,
                area=state.area.name, frames=frames[:1],
            )  # fmt: skip
            self._outbox.add([gap])
        self._outbox.add(dated_by_pile(state, events))
        self._tell_laid(state)
        state.covering = None

    def _rest_began_s(self, state: AreaState) -> float:
        if state.active_s is None:
            return state.looks[0].t_s
        return max(0.0, state.active_s - self.settings.gate.motion_s / 2)

    def _look(self, frame: Frame, report: GateReport) -> None:
        rest = self.settings.rest
        due: list[AreaState] = []
        for state in self.states:
            if not state.wants_look(frame.t_s, rest):
                continue
            if state.disturbed and not state.looks and self._unchanged(state, frame, report.level):
                state.left_as_it_was()
                continue
            due.append(state)
        for state, look in zip(due, self._looks(frame, due), strict=True):
            self.looks_made += 1
            state.next_look_s = frame.t_s + (rest.between_s if state.disturbed else rest.again_s)
            if look.hand:
                state.looks.clear()
                continue
            cards = state.area.kind in CARD_KINDS
            state.looks.append(self._beside(state, frame, look) if cards else look)
            if cards:
                self._look_at_pile(state, state.looks[-1], report.level)
            if state.disturbed:
                self._judge(state, report.level)
            else:
                self._read_again(state)

    def _looks(self, frame: Frame, states: Sequence[AreaState]) -> list[Look]:
        """Looks at areas in one picture, side by side on as many cores as there are; each is what it would be alone."""
        if not states:
            return []
        image = frame.image

        def look(state: AreaState) -> Look:
            return self.looker.look(image, state.view, state.area.polygon_mm, frame=frame.index, t_s=frame.t_s)

        if len(states) == 1:
            return [look(states[0])]
        order = sorted(
            range(len(states)), key=lambda i: -math.prod(states[i].view.size_px)
        )  # the longest first, so that all end soon
        looks = dict(zip(order, _lookers().map(look, [states[i] for i in order]), strict=True))
        return [looks[i] for i in range(len(states))]

    def _look_at_pile(self, state: AreaState, look: Look, level: float) -> None:
        """One card more on those that lie here?"""
        sides, state.sides = state.sides, set()
        touched_s, state.touched_s = state.touched_s, None
        if not look.cards or sum(card.face_up for card in look.cards) > 1:
            return
        dealer = sides == {Side.DEALER} if sides else None
        cards_px = [state.view.view_from_table(card.corners_mm) for card in look.cards]
        more = state.pile.look(
            look.t_s, look.view, level, state.inside(), state.view.px_per_mm,
            dealer=dealer, cards_px=cards_px, arrivals=state.arrivals,
        )  # fmt: skip
        if not more or any(track.stack for track in state.tracks):
            return
        came = state.pile.came or (state.redrawn_moment() if more == 1 else None,) * more
        rest = touched_s, self._rest_began_s(state)
        laid = [Laid(*(rest if m is None else (m.earliest_s, m.latest_s)), look, state.pile.sure) for m in came]
        if any(card.face_up for card in look.cards) or any(track.face_up for track in state.tracks):
            lies_on = any(state.pile.covers(outline) for outline in state.turned_px(look))
            state.covering = laid[0] if lies_on and len(laid) == 1 else None
        elif state.tracks:
            self._outbox.add(self.observer.laid_on(state, one) for one in laid)
        else:
            state.laid += laid

    def _tell_laid(self, state: AreaState) -> None:
        """Cards that came to lie on others before the first here were sure, as far as they are not seen beside them."""
        laid, state.laid = state.laid, []
        if not state.tracks or any(track.face_up or track.stack for track in state.tracks):
            return
        unseen = 1 + len(laid) - len(state.tracks)
        self._outbox.add(self.observer.laid_on(state, one) for one in laid[len(laid) - max(0, unseen) :])

    def _unchanged(self, state: AreaState, frame: Frame, level: float) -> bool:
        """Whether the area shows what it showed at its last rest, so that the networks need not look."""
        if state.outdated or state.reference is None:
            return False
        return self.gate.changed_px(state.index) < 4 or state.shows_the_same(frame.image, level)

    def _judge(self, state: AreaState, level: float) -> None:
        result = judged(state, level, self.settings.rest)
        if result is None:
            return
        self._tell(state, result)
        self.gate.accept(state.index)
        state.outdated = False
        state.reference = state.looks[-1].view, level
        if state.film is not None:
            state.film.settled(state.looks[-1].t_s)
        if not state.tracks:
            state.pile.cleared(*state.reference)
            state.bare_s = state.looks[-1].t_s
            state.doubted.clear()
        state.looks.clear()
        state.glimpses.clear()
        state.disturbed = False
        state.visits.clear()
        unread = any(track.face_up and track.card is None for track in state.tracks)
        state.again = self.settings.rest.max_again if unread else 0
        state.searched = True
        state.next_look_s = self._last[1] + self.settings.rest.again_s

    def _read_again(self, state: AreaState) -> None:
        look = state.looks.pop()
        state.again -= 1
        clusters = list(consensus([look]).cards)
        self._outbox.add(self.observer.read_again(state, clusters, look.t_s, (look.frame,)))
        if all(track.card is not None for track in state.tracks if track.face_up):
            state.again = 0

    def _beside(self, state: AreaState, frame: Frame, look: Look) -> Look:
        """A look at this frame, its unread cards searched beside their outline, again and again as long as that finds any."""
        if not state.searched or all(card.card is not None or card.back for card in look.cards):
            return look
        before = [card for earlier in state.looks for card in earlier.cards]
        cards = search_unread(frame.image, look.cards, self.looker.camera, self.looker.reader, SEARCHED_MM, before)
        state.searched = any(new is not old for new, old in zip(cards, look.cards, strict=True))
        return replace(look, cards=tuple(cards))

    def _released(self, now_s: float | None) -> list[Event]:
        """Events no earlier one can still come before; all of them when `now_s` is None."""
        if now_s is None:
            return self._outbox.ready(float("inf"))
        horizon = now_s - self.settings.rest.settle_s - self.settings.gate.motion_s
        for state in self.states:
            if state.disturbed and state.stirred_s is not None:
                horizon = min(horizon, max(state.stirred_s, now_s - WAIT_S) - 1e-6)
        return self._outbox.ready(horizon)

    def _snapshot(self, frame: Frame, report: GateReport) -> Seen:
        cards = tuple(
            SeenCard(
                track.card_id,
                track.area,
                tuple((float(x), float(y)) for x, y in track.corners_px),
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


@cache
def _lookers() -> ThreadPoolExecutor:
    """The threads in which areas are looked at, shared by all tables of the process."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="look")


os.register_at_fork(after_in_child=_lookers.cache_clear)
