"""What a loop that watches a table calls to have bundles made of its findings."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import av

from rules.findings import Finding
from service.evidence.about import About
from service.evidence.recorder import Origin, Recorder
from service.evidence.writer import Target, Writer
from service.store import Picture
from vision.frames.frame import Frame
from vision.seen import Seen

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Beside:
    """Recorder, writer and target of one source, from its first frame to its last."""

    recorder: Recorder
    about: About
    writer: Writer
    target: Target

    def look(self, frame: Frame, seen: Seen) -> None:
        """Takes in a frame and what is known after it; hands over the bundles whose clips are complete."""
        try:
            self.recorder.look(frame, seen)
        except (av.FFmpegError, ValueError):
            logger.exception("the frame at %.2f s could not be kept for evidence", frame.t_s)
            self.writer.alarm = "evidence: a frame could not be kept"
        self._hand_over(frame.t_s)

    def begin(self, number: int, events: Sequence[Mapping[str, Any]]) -> None:
        """The source goes on with a round that was open; its events so far, and the number of the first."""
        self.recorder.memory.next_event = number
        self.recorder.note(events)

    def note(self, events: Sequence[Mapping[str, Any]], rounds: Iterable[Mapping[str, Any]] = ()) -> None:
        """Takes in events and closed rounds, as JSON values, before the findings that rest on them."""
        self.recorder.note(events, rounds)

    def want(self, finding: Finding, pictures: Sequence[Picture], origin: Origin | None = None) -> None:
        """Orders the bundle of a finding."""
        self.recorder.want(finding, pictures, origin)

    def finish(self) -> None:
        """The source is over: hands over the rest, with as much film as there is."""
        self._hand_over(float("inf"))

    def _hand_over(self, t_s: float) -> None:
        for job in self.recorder.due(t_s):
            self.writer.submit(job, self.about, self.target)
