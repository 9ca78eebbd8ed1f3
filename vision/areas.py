"""One area over time: disturbed, at rest, looked at, settled.

An area that moves or lies under a hand is *disturbed*. When it has been still for a moment it is *at rest*; then it is
looked at several times, spread over the rest, until the looks agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from calibration.layout import Area
from rules.events import Side
from vision.look import ChipSight, Look
from vision.rectify import AreaView
from vision.source import Image
from vision.tracks import CardTrack, Consensus, changed_mask, consensus, share_inside


@dataclass(frozen=True, slots=True)
class RestSettings:
    """Times in seconds of capture time.

    Attributes:
        settle_s: stillness before the first look.
        between_s: time from look to look.
        min_looks: looks before anything is said.
        max_looks: looks after which the majority has to do.
        vanish_s: how long something must be gone before it is said to be.
        again_s: time between further looks at what could not be read.
        max_again: how many of those.
    """

    settle_s: float = 0.17
    between_s: float = 0.1
    min_looks: int = 3
    max_looks: int = 8
    vanish_s: float = 0.4
    again_s: float = 0.6
    max_again: int = 4


@dataclass(slots=True)
class AreaState:
    """What is known of one area and where it stands between two rests.

    Attributes:
        tracks: cards lying there.
        chips: chips by colour, empty where there are none, None where unknown.
        chip_sights: the chips of the last settled rest.
        reference: the view of the last settled rest, with the table's brightness then.
        disturbed: whether something may have changed since.
        active_s: last time it moved or was covered.
        hand_side: whose hand was over it last since the last settled rest.
        looks: looks of the rest going on.
    """

    index: int
    area: Area
    view: AreaView
    tracks: list[CardTrack] = field(default_factory=list)
    chips: tuple[tuple[str, int], ...] | None = ()
    chip_sights: tuple[ChipSight, ...] = ()
    reference: tuple[Image, float] | None = None
    disturbed: bool = True
    active_s: float | None = None
    hand_side: Side | None = None
    hands_seen: bool = False
    looks: list[Look] = field(default_factory=list)
    next_look_s: float = 0.0
    again: int = 0

    def disturb(self, t_s: float) -> None:
        """Something moves here, or a hand is over it."""
        self.disturbed = True
        self.active_s = t_s
        self.looks.clear()
        self.again = 0

    def wants_look(self, t_s: float, settings: RestSettings) -> bool:
        """Whether it is at rest and its next look is due."""
        if not self.disturbed:
            return self.again > 0 and t_s >= self.next_look_s
        quiet = self.active_s is None or t_s - self.active_s >= settings.settle_s - 1e-6
        return quiet and t_s >= self.next_look_s - 1e-6

    def rest_began_s(self, motion_s: float) -> float:
        """When the rest began: motion is seen against a frame `motion_s` earlier, so it ends that much earlier."""
        if self.active_s is None:
            return self.looks[0].t_s if self.looks else 0.0
        return max(0.0, self.active_s - motion_s) if not self.hands_seen else self.active_s

    def gain(self, level: float) -> float:
        """Brightness now over brightness of the reference."""
        return level / self.reference[1] if self.reference is not None else 1.0


@dataclass(frozen=True, slots=True)
class RestResult:
    """A rest on which the looks agree, or on which no more looks are worth it.

    Attributes:
        seen: what the looks say together.
        gone: tracks that are there no more.
        stays: tracks that were not seen but whose pixels did not change: still there.
        new: clusters (by index) that belong to no track near.
        pairs: (track, cluster) of what lies where it lay.
        chips_changed: whether pixels changed where chips were or are.
    """

    seen: Consensus
    pairs: tuple[tuple[int, int], ...]
    gone: tuple[int, ...]
    stays: tuple[int, ...]
    new: tuple[int, ...]
    chips_changed: bool


def judged(state: AreaState, level: float, settings: RestSettings) -> RestResult | None:
    """What a rest says, None while more looks are needed."""
    looks = state.looks
    if len(looks) < settings.min_looks:
        return None
    seen = consensus(looks)
    last_chance = len(looks) >= settings.max_looks
    if not seen.settled and not last_chance:
        return None
    result = compared(state, seen, level)
    vanished = bool(result.gone) or (len(seen.chips) < len(state.chip_sights))
    if vanished and looks[-1].t_s - looks[0].t_s < settings.vanish_s - 1e-6:
        return None
    unread = any(chip.color is None and not chip.stack for chip in seen.chips)
    if unread and not last_chance:
        return None
    return result


def compared(state: AreaState, seen: Consensus, level: float) -> RestResult:
    """A consensus against what lay there before, pixels included."""
    mask = None
    if state.reference is not None:
        mask = changed_mask(state.looks[-1].view, state.reference[0], state.gain(level))
    near = [
        (float(np.hypot(track.center_mm[0] - c.last.center_mm[0], track.center_mm[1] - c.last.center_mm[1])), t, i)
        for t, track in enumerate(state.tracks)
        for i, c in enumerate(seen.cards)
    ]
    pairs: list[tuple[int, int]] = []
    for distance, t, i in sorted(near):
        if distance <= 20.0 and all(t != a and i != b for a, b in pairs):
            pairs.append((t, i))
    paired_tracks, paired_clusters = {t for t, _ in pairs}, {i for _, i in pairs}
    stays: list[int] = []
    gone: list[int] = []
    for t, track in enumerate(state.tracks):
        if t not in paired_tracks:
            same = mask is not None and share_inside(mask, state.view.view_from_table(track.corners_mm)) < 0.2
            (stays if same else gone).append(t)
    new = []
    for i, cluster in enumerate(seen.cards):
        if i in paired_clusters:
            continue
        fresh = mask is None or share_inside(mask, state.view.view_from_table(cluster.last.corners_mm)) >= 0.15
        if fresh or (cluster.share >= 0.99 and cluster.confidence >= 0.6):
            new.append(i)
    chips_changed = mask is None or _chips_changed(state, seen, mask)
    return RestResult(seen, tuple(pairs), tuple(gone), tuple(stays), tuple(new), chips_changed)


def _chips_changed(state: AreaState, seen: Consensus, mask: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bool:
    """Whether pixels changed under the chips of before or now."""
    sights = [*state.chip_sights, *(chip.last for chip in seen.chips)]
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 14.0
    return any(
        share_inside(mask, state.view.view_from_table(np.asarray(sight.center_mm) + square)) >= 0.2 for sight in sights
    )
