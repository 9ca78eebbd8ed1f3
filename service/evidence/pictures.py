"""The pictures that show a finding: recent frames kept small, drawn on when asked for."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.layout import Layout
from rules.findings import Finding
from service.screens import words
from service.store import Picture
from vision.frames.frame import Frame
from vision.frames.picture import Image
from vision.seen import Seen, Window, draw_seen

KEPT_S = 150.0
"""How far back pictures go. A finding is decided after its moment: a payout at the end of its seat, an order at the next."""
EVERY_S = 0.5
AFTER_REST_S = 0.4
"""An event carries the moment the rest began; a little later the hand is gone. A hand is shown in the middle of its stay."""
KNOWN_WITHIN_S = 4.0
"""So long after a change at most its picture is looked for: hands may stay over what they laid."""
CLOSE_MM = 165.0
"""How far a close-up goes to each side of the middle of its area at least: the three community boxes fit in."""
MOMENTS = 3
MOMENTS_APART_S = 0.7
"""How many moments show a finding, and how far they lie apart."""
JPEG_QUALITY = 84


@dataclass(frozen=True, slots=True)
class View:
    """What is needed to draw on a table's pictures: its areas and where they lie."""

    layout: Layout
    camera: Camera

    def marked(self, image_bgr: Image, seen: Seen, *, area: str | None = None) -> Image:
        """A copy of the picture with everything seen drawn on it, one area brought out."""
        return draw_seen(image_bgr, seen, self.layout, self.camera, highlight=(area,) if area else ())

    def close_up(self, image_bgr: Image, seen: Seen, name: str) -> Image | None:
        """The picture around an area, enlarged and drawn on; None if the area lies outside."""
        area, camera = self.layout.area(name), seen.camera or self.camera
        outline_px = camera.image_from_table(np.asarray(area.polygon_mm, np.float64))
        least_px = CLOSE_MM * camera.px_per_mm_at(area.center_mm)
        window = window_around(outline_px, (image_bgr.shape[1], image_bgr.shape[0]), least_px=least_px)
        if window is None:
            return None
        return draw_seen(image_bgr, seen, self.layout, self.camera, highlight=(name,), window=window)


class Made:
    """A JPEG that another thread makes, while whoever watches goes on; the same bytes whenever they are asked for."""

    __slots__ = ("_made",)

    def __init__(self, made: Future[bytes] | bytes) -> None:
        self._made = made

    @property
    def content(self) -> bytes:
        """The JPEG, waited for where it is not there yet."""
        if isinstance(self._made, Future):
            self._made = self._made.result()
        return self._made

    def __reduce__(self) -> tuple[type[Made], tuple[bytes]]:
        return Made, (self.content,)


@dataclass(frozen=True, slots=True)
class Kept:
    """A frame as JPEG with what was seen in it."""

    t_s: float
    made: Made
    seen: Seen

    @property
    def jpeg(self) -> bytes:
        """The frame as JPEG."""
        return self.made.content

    def image(self) -> Image:
        """The frame, (h, w, 3) BGR."""
        return decode(self.jpeg)


@dataclass(slots=True)
class Recent:
    """The last pictures of a table, oldest dropped first.

    Args:
        kept_s: seconds of capture time kept.
        every_s: seconds between two kept pictures.
    """

    kept_s: float = KEPT_S
    every_s: float = EVERY_S
    _kept: deque[Kept] = field(default_factory=deque, init=False)

    def add(self, frame: Frame, seen: Seen) -> None:
        """Keeps the frame if the last kept one is old enough."""
        if not self._kept or frame.t_s - self._kept[-1].t_s >= self.every_s:
            made = Made(_encoder().submit(encode, frame.image))
            self._kept.append(Kept(frame.t_s, made, seen))
            while frame.t_s - self._kept[0].t_s > self.kept_s:
                self._kept.popleft()

    def at(self, t_s: float) -> Kept | None:
        """The picture nearest to a moment, None if none is within two seconds of it."""
        best = min(self._kept, key=lambda kept: abs(kept.t_s - t_s), default=None)
        return best if best is not None and abs(best.t_s - t_s) <= max(2.0, self.every_s) else None

    def known(self, area: str, t_s: float) -> Kept | None:
        """The first picture after a moment in which what then came to lie in an area is known, None if there is none.

        A change is known only when it was at rest for some looks; before, the picture and what is drawn on it differ.
        """
        before: Hashable = None
        for kept in self._kept:
            if kept.t_s <= t_s:
                before = _lying(kept.seen, area)
            elif kept.t_s > t_s + KNOWN_WITHIN_S:
                break
            elif _lying(kept.seen, area) != before:
                return kept
        return None


def _lying(seen: Seen, area: str) -> Hashable:
    """What is known to lie in an area."""
    cards = tuple((card.card_id, card.face_up) for card in seen.cards if card.area == area)
    return cards, tuple((chip.color, chip.center_px) for chip in seen.chips if chip.area == area)


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment a finding rests on: what happened, where, when it is best seen, and whether something lay otherwise then."""

    t_s: float
    shown_s: float
    caption: str
    area: str | None
    change: bool = False


def moments_of(finding: Finding, events: Mapping[int, Mapping[str, Any]]) -> tuple[Moment, ...]:
    """The last moments a finding rests on, earliest first; the last one in its own area is always among them.

    Of moments close to each other one is shown: what came to the place that is complained of, not what came a moment later
    to another.

    Args:
        finding: what was decided.
        events: events by their number, as JSON values; those no longer kept are missing.
    """
    known = sorted((events[number] for number in finding.events if number in events), key=lambda e: float(e["t_s"]))
    own = [event for event in known if finding.area is not None and event.get("area") == finding.area][-1:]
    chosen: list[Moment] = []
    for event in (*own, *reversed(known)):
        if len(chosen) < MOMENTS and all(abs(one.t_s - event["t_s"]) >= MOMENTS_APART_S for one in chosen):
            kind, said = words.event(event)
            caption = f"{words.clock(event['t_s'])} {kind}" + (f", {said}" if said else "")
            shown_s = (event["since_s"] + event["t_s"]) / 2 if "since_s" in event else event["t_s"] + AFTER_REST_S
            area = event.get("area") or finding.area
            chosen.append(Moment(event["t_s"], shown_s, caption, area, "area" in event and "since_s" not in event))
    if not chosen:
        chosen.append(Moment(finding.t_s, finding.t_s, words.clock(finding.t_s), finding.area))
    return tuple(sorted(chosen, key=lambda one: one.t_s))


def pictures_of(recent: Recent, view: View, moments: Sequence[Moment]) -> tuple[Picture, ...]:
    """The pictures that show moments, as far as they are still kept: for each the frame, marked, and close up.

    They are named `1.jpg`, `1_marked.jpg`, `1_close.jpg`, `2.jpg` and so on in the order of the moments.
    """
    out: list[Picture] = []
    for number, moment in enumerate(moments, start=1):
        kept = recent.known(moment.area, moment.t_s) if moment.change and moment.area is not None else None
        kept = kept or recent.at(moment.shown_s)
        if kept is None:
            continue
        area = moment.area if moment.area is not None and view.layout.has_area(moment.area) else None
        marked = view.marked(kept.image(), kept.seen, area=area)
        part = view.close_up(kept.image(), kept.seen, area) if area is not None else None
        if part is not None:
            out.append(Picture(f"{number}_close.jpg", encode(part), caption=moment.caption))
        out.append(Picture(f"{number}_marked.jpg", encode(marked), caption=f"{moment.caption}, whole table"))
        out.append(Picture(f"{number}.jpg", kept.jpeg, caption=f"{moment.caption}, as recorded"))
    return tuple(out)


def window_around(
    outline_px: npt.NDArray[np.float64], picture_px: tuple[int, int], *, least_px: float, width_px: int = 900
) -> Window | None:
    """The part of a picture around an area, enlarged; None if the area lies outside.

    Args:
        outline_px: (n, 2) the area's outline in the picture.
        picture_px: width and height of the picture.
        least_px: how much to show to each side of its middle at least, so that a small area is seen among its neighbours.
        width_px: width of the result; it is 5 to 3.
    """
    center = (outline_px.min(axis=0) + outline_px.max(axis=0)) / 2
    half = max(0.85 * float(np.ptp(outline_px, axis=0).max()), least_px)
    width, height = picture_px
    x0, x1 = max(0, round(center[0] - half)), min(width, round(center[0] + half))
    y0, y1 = max(0, round(center[1] - 0.6 * half)), min(height, round(center[1] + 0.6 * half))
    if x1 - x0 < 8 or y1 - y0 < 8:
        return None
    return Window((x0, y0), (x1 - x0, y1 - y0), width_px / (x1 - x0))


def shrunk(image_bgr: Image, width_px: int | None) -> Image:
    """The picture at most so wide, itself if it already is."""
    if width_px is None or image_bgr.shape[1] <= width_px:
        return image_bgr
    factor = width_px / image_bgr.shape[1]
    return np.asarray(cv2.resize(image_bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


def encode(image_bgr: Image, quality: int = JPEG_QUALITY) -> bytes:
    """A picture as JPEG."""
    done, buffer = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return bytes(buffer)


@cache
def _encoder() -> ThreadPoolExecutor:
    """The thread that makes JPEGs of what is kept, shared by all tables of the process."""
    return ThreadPoolExecutor(1, thread_name_prefix="jpeg")


os.register_at_fork(after_in_child=_encoder.cache_clear)


def decode(jpeg: bytes) -> Image:
    """A JPEG as (h, w, 3) BGR."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, np.uint8)
