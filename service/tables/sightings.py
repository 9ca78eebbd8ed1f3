"""Pictures taken of a camera to set up a table by: kept for a while, found in by prints or by points someone dragged."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.camera import CalibrationError
from calibration.drawing import words_polygons
from calibration.layout import Fill, Layout, Stroke, load_layout
from calibration.layout_file import layout_names
from calibration.locate import calibrate_by_corners, locate_layout, recognise_layout
from service.access.masking import masked, masked_address
from service.calibrate.find import Found
from service.errors import ConflictError, NotFoundError, ServiceError
from vision.frames.folder import PICTURE_SUFFIXES, read_picture
from vision.frames.opening import open_source
from vision.frames.picture import Image
from vision.frames.source import SourceError

MOST_KEPT = 12
"""Pictures kept at once; the oldest goes first."""
AT_ONCE = 2
"""So many cameras may be tried at the same moment."""
MOST_TRIED_FRAMES = 50
"""Damaged pictures at the beginning of a stream are passed over, so many at most."""
GOOD_PX = 0.6
"""An error over the prints up to this is what a sharp, well lit picture gives."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A picture of a camera.

    Attributes:
        picture_id: by which it is asked for.
        source: what it was taken of, as it may be opened.
        image: (h, w, 3) uint8 BGR.
        table_id: the live table it was taken of, None for a camera that was typed in.
    """

    picture_id: str
    source: str
    image: Image
    table_id: str | None = None

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return self.image.shape[1], self.image.shape[0]

    def jpeg(self) -> bytes:
        """The picture in its full size."""
        return cv2.imencode(".jpg", self.image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()


@dataclass(slots=True)
class Sightings:
    """The pictures taken last.

    Args:
        first: takes the first whole picture of a source.
    """

    first: Callable[[str], Image] = field(default_factory=lambda: first_picture)
    _kept: OrderedDict[str, Sighting] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _trying: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(AT_ONCE))

    def take(self, source: str) -> Sighting:
        """Opens a camera or file and keeps its first whole picture.

        Args:
            source: checked already (`service.tables.guard`).

        Raises:
            ServiceError: it cannot be reached, or gives no picture; or too many are being tried at this moment.
        """
        if not self._trying.acquire(blocking=False):
            raise ConflictError("other cameras are being tried at this moment", do="Try again in ten seconds")
        try:
            image = self.first(source)
        except SourceError as error:
            raise ServiceError(
                f"no picture comes ({masked(str(error))})", where=masked_address(source),
                do="Check the address, name and password, and that it plays elsewhere from this machine",
            ) from error  # fmt: skip
        finally:
            self._trying.release()
        return self.keep(source, image)

    def keep(self, source: str, image: Image, *, table_id: str | None = None) -> Sighting:
        """Keeps a picture that is there already."""
        one = Sighting(secrets.token_urlsafe(12), source, image, table_id)
        with self._lock:
            self._kept[one.picture_id] = one
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return one

    def get(self, picture_id: str) -> Sighting:
        """A picture.

        Raises:
            NotFoundError: it was taken too long ago, or never.
        """
        with self._lock:
            one = self._kept.get(picture_id)
        if one is None:
            raise NotFoundError("this picture is not kept any more", do="Take a new one")
        return one


def first_picture(source: str) -> Image:
    """The first whole picture of a camera, stream, recording, folder of pictures or picture.

    Raises:
        SourceError: it cannot be had.
    """
    path = Path(source)
    if path.suffix.lower() in PICTURE_SUFFIXES and path.is_file():
        return read_picture(path)
    with open_source(source) as opened:
        for frame in itertools.islice(opened, MOST_TRIED_FRAMES):
            if not frame.damaged:
                return np.ascontiguousarray(frame.image)
    raise SourceError(f"{source}: gave no whole picture; check that it plays elsewhere")


def find(sighting: Sighting, layout: Layout, corners_px: Sequence[Sequence[float]] | None) -> Found:
    """Finds a layout in a picture, without help or from its four reference points.

    Raises:
        ServiceError: it is not there; says how far the search came, and which felt it is instead.
    """
    try:
        if corners_px is not None:
            points = np.asarray(corners_px, np.float64)
            found = calibrate_by_corners(points, layout, sighting.size_px, sighting.image)
        else:
            found = locate_layout(sighting.image, layout)
    except CalibrationError as error:
        other = recognised(sighting, but=layout.name) if corners_px is None else None
        do = (
            f"The picture shows {other.name}: choose that game"
            if other
            else "Drag the four points onto the felt by hand"
        )
        raise ServiceError(str(error).removeprefix("corners_px: "), where=layout.name, do=do) from error
    return Found(masked_address(sighting.source), sighting.image, layout, found)


def recognised(sighting: Sighting, *, but: str | None = None) -> Layout | None:
    """Which of the layouts that come with Pitwatch a picture shows, None if none of them."""
    try:
        return recognise_layout(sighting.image, [load_layout(name) for name in layout_names() if name != but])
    except CalibrationError:
        return None


def found_shown(found: Found) -> dict[str, Any]:
    """A calibration as people and pages need it: error, verdict, camera, seats, what is out of the picture."""
    by_prints = found.calibration.method == "features"
    error_px = found.calibration.error_px
    if not by_prints:
        said = (
            "The prints were not recognised, so the error cannot be measured: look whether every line lies on its print"
        )
    elif error_px <= GOOD_PX:
        said = "Good: every line should lie on its print"
    else:
        said = f"Usable; a sharp, well lit picture gives {GOOD_PX} px or less: check focus and light"
    return found.to_dict() | {
        "quality": "unmeasured" if not by_prints else "good" if error_px <= GOOD_PX else "usable",
        "said": said,
        "model": found.camera.to_json(),
    }


def layout_shown(layout: Layout) -> dict[str, Any]:
    """A layout as a page draws it: areas and prints as lines in table millimetres, the four reference points."""
    lines: list[dict[str, Any]] = []
    for shape in layout.prints:
        if isinstance(shape, Stroke):
            lines.append({"points_mm": _short(shape.points_mm), "closed": shape.closed})
        else:
            polygons = (shape.points_mm,) if isinstance(shape, Fill) else words_polygons(shape)
            lines += [{"points_mm": _short(polygon), "closed": True} for polygon in polygons]
    return {
        "name": layout.name,
        "game": layout.game,
        "seats": layout.seats,
        "citation": layout.citation,
        "outline_mm": _short(layout.outline_mm),
        "areas": [
            {
                "name": area.name, "kind": area.kind.value, "seat": area.seat, "wager": area.wager,
                "center_mm": _short([area.center_mm])[0], "polygon_mm": _short(area.polygon_mm),
            }
            for area in layout.areas
        ],
        "prints": lines,
        "corners_mm": _short(layout.corners_mm),
        "corner_names": list(layout.corner_names),
    }  # fmt: skip


def _short(points: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]
