"""Finds the table in the first pictures of a source, and says how well it lies for being watched."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.camera import CalibrationError, Camera
from calibration.layout import AreaKind, Layout, load_layout
from calibration.layout_file import layout_names
from calibration.locate import Calibration, calibrate_by_corners, locate_layout, recognise_layout
from service.errors import ServiceError
from vision.frames.folder import PICTURE_SUFFIXES, read_picture
from vision.frames.opening import open_source
from vision.frames.picture import Image
from vision.frames.source import SourceError

TRY_EVERY_S = 2.0
TRY_FOR_S = 8.0
"""A hand over the felt or a lamp going on may spoil single pictures: look again for so long before giving up."""
CARD_WIDTH_MM = 63.5


@dataclass(frozen=True, slots=True)
class SeatView:
    """How a seat's cards lie in the picture: angle of the view to the vertical, scale, and whether all its areas show."""

    seat: int
    tilt_deg: float
    px_per_mm: float
    in_view: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A table found in a picture."""

    source: str
    image: Image
    layout: Layout
    calibration: Calibration

    @property
    def camera(self) -> Camera:
        """The camera over the table."""
        return self.calibration.camera

    @property
    def corners_px(self) -> list[list[float]]:
        """The layout's four reference points in the picture, as `camera.corners_px` of a table's file has them."""
        return [[round(float(v), 1) for v in point] for point in self.camera.image_from_table(self.layout.corners_mm)]

    @property
    def seats(self) -> tuple[SeatView, ...]:
        """Every seat's view, in order."""
        return tuple(_seat(self.layout, self.camera, seat) for seat in range(1, self.layout.seats + 1))

    @property
    def out_of_view(self) -> tuple[str, ...]:
        """Names of the areas that do not lie wholly in the picture."""
        return tuple(a.name for a in self.layout.areas if not _in_view(self.camera, a.polygon_mm))

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        found, camera = self.calibration, self.camera
        return {
            "source": self.source,
            "layout": self.layout.name,
            "game": self.layout.game,
            "method": found.method,
            "error_px": round(found.error_px, 3),
            "error_mm": round(found.error_mm, 3),
            "marks": found.inliers,
            "size_px": list(camera.size_px),
            "height_mm": round(float(camera.position_mm[2])),
            "tilt_deg": round(camera.tilt_deg, 1),
            "seats": [
                {
                    "seat": seat.seat,
                    "view_deg": round(seat.tilt_deg, 1),
                    "px_per_mm": round(seat.px_per_mm, 3),
                    "in_view": seat.in_view,
                }
                for seat in self.seats
            ],
            "out_of_view": list(self.out_of_view),
            "camera": {"corners_px": self.corners_px},
        }


def find_in_source(spec: str, layout: Layout | None, corners_px: Sequence[Sequence[float]] | None = None) -> Found:
    """Find a table in a picture, recording, stream, camera or folder of pictures.

    Args:
        spec: where the pictures are.
        layout: what to look for; None: whichever of the layouts that come with Pitwatch it is.
        corners_px: the layout's reference points in the picture, where they are known by hand.

    Raises:
        SourceError: the source cannot be read.
        ServiceError: no such table is seen.
    """
    problem = "the source gave no picture"
    for image in _first_pictures(spec):
        try:
            here = layout or recognise_layout(image, map(load_layout, layout_names()))
            if here is None:
                problem = f"none of {', '.join(layout_names())} is seen"
                continue
            if corners_px is None:
                return Found(spec, image, here, locate_layout(image, here))
            size_px = image.shape[1], image.shape[0]
            return Found(spec, image, here, calibrate_by_corners(np.asarray(corners_px), here, size_px, image))
        except CalibrationError as error:
            problem = str(error)
            if corners_px is not None:
                raise ServiceError(problem, where=spec, do=_how_to_give_corners(layout)) from error
            if layout is not None:
                problem += _another(image, layout)
    raise ServiceError(
        f"the table is not found ({problem})",
        where=spec,
        do=f"Show the felt with fewer things on it, or give its four reference points by hand. {_how_to_give_corners(layout)}",
    )


def _first_pictures(spec: str) -> Iterator[Image]:
    if Path(spec).suffix.lower() in PICTURE_SUFFIXES and Path(spec).is_file():
        yield read_picture(spec)
        return
    with open_source(spec) as source:
        started_s: float | None = None
        next_s = 0.0
        for frame in source:
            started_s = frame.t_s if started_s is None else started_s
            if frame.t_s > started_s + TRY_FOR_S:
                return
            if frame.t_s >= next_s and not frame.damaged:
                next_s = frame.t_s + TRY_EVERY_S
                yield frame.image
    if started_s is None:
        raise SourceError(f"{spec}: gave no picture; check that it plays elsewhere")


def _another(image: Image, layout: Layout) -> str:
    """Which other felt the picture shows, as the end of a sentence."""
    others = [load_layout(name) for name in layout_names() if name != layout.name]
    shown = recognise_layout(image, others)
    return f". The picture shows {shown.name}: give --layout {shown.name} if that is the game" if shown else ""


def _how_to_give_corners(layout: Layout | None) -> str:
    if layout is None:
        return "Name the layout (--layout) and give four times --corners X,Y"
    points = "; ".join(f"{number}. {name}" for number, name in enumerate(layout.corner_names, 1))
    return f"Give --corners X,Y four times, in pixels, in this order: {points}"


def _seat(layout: Layout, camera: Camera, seat: int) -> SeatView:
    areas = layout.areas_of(seat=seat)
    cards = layout.areas_of(seat=seat, kind=AreaKind.CARDS) or areas
    center = np.append(np.mean([area.center_mm for area in cards], axis=0), 0.0)
    ray = camera.position_mm - center
    tilt = math.degrees(math.acos(float(ray[2] / np.linalg.norm(ray))))
    shown = all(_in_view(camera, area.polygon_mm) for area in areas)
    return SeatView(seat, tilt, camera.px_per_mm_at(tuple(center[:2])), shown)


def _in_view(camera: Camera, polygon_mm: Sequence[Sequence[float]]) -> bool:
    px = np.nan_to_num(camera.image_from_table(np.asarray(polygon_mm)), nan=-1.0)
    return bool(((px >= 0) & (px <= np.array(camera.size_px) - 1)).all())
