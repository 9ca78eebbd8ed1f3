"""Evidence of the alerts of one connection: a bundle is made of an alert that is new, or of which the store has not said so in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from rules.findings import Finding
from service.evidence.beside import Beside
from service.evidence.recorder import Origin
from service.live.recorder import Recorder
from service.store.recording import NewAlert
from vision.frames.frame import Frame
from vision.seen import Seen

BUNDLE_WAITS_S = 2.0
"""So long the store may take to say whether an alert is new before its evidence is made in any case."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An alert that was raised, when in capture time, and the day whose law judged its round."""

    finding: Finding
    alert: NewAlert
    raised_s: float
    law_day: date | None


@dataclass(slots=True)
class Bundles:
    """The bundles of one connection.

    Args:
        beside: makes them while the table is watched; None where no evidence is kept.
        recorder: says which alerts are new.
    """

    beside: Beside | None
    recorder: Recorder
    _wanted: dict[str, _Wanted] = field(default_factory=dict, init=False)

    def begin(self, number: int, events: Sequence[Mapping[str, Any]]) -> None:
        """Takes in the events of the round that was open before, under their numbers."""
        if self.beside is not None:
            self.beside.begin(number, events)

    def look(self, frame: Frame, seen: Seen) -> None:
        """Takes in a frame and what is seen in it."""
        if self.beside is not None:
            self.beside.look(frame, seen)

    def note(self, events: Sequence[Mapping[str, Any]], rounds: Sequence[Mapping[str, Any]]) -> None:
        """Takes in events and closed rounds, as JSON values."""
        if self.beside is not None:
            self.beside.note(events, rounds)

    def want(self, finding: Finding, alert: NewAlert, raised_s: float, law_day: date | None) -> None:
        """Has a bundle made of an alert, as soon as it is known to be new.

        Args:
            finding: what it alleges.
            alert: with its pictures, as it goes into the store.
            raised_s: capture time.
            law_day: the day whose law judged its round.
        """
        self._wanted[finding.finding_id] = _Wanted(finding, alert, raised_s, law_day)

    def order(self, run_id: str, now_s: float) -> None:
        """Has the bundles made that are due at this capture time."""
        new = dict(self.recorder.told())
        for finding_id, one in tuple(self._wanted.items()):
            late = now_s - one.raised_s > BUNDLE_WAITS_S
            if new.get(finding_id, late) and self.beside is not None:
                self.beside.want(one.finding, one.alert.pictures, Origin(run_id, one.alert.raised_utc, one.law_day))
            if finding_id in new or late:
                del self._wanted[finding_id]

    def finish(self, run_id: str | None) -> None:
        """The connection is over: has every bundle made that is still wanted; `run_id` is None where nothing was watched."""
        if self.beside is None:
            return
        self.recorder.settle(BUNDLE_WAITS_S)
        if run_id is not None:
            self.order(run_id, float("inf"))
        self.beside.finish()
