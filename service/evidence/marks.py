"""What was seen in the pictures of a clip, to be laid over them: a row for each, and where the areas lay.

The clip stays as recorded. Whoever shows it draws the marks on top (`service/screens/marks.js`), and can put them on and off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from calibration.camera import Camera
from service.evidence.film import Clip
from service.evidence.pictures import View
from service.evidence.recorder import Job
from vision.seen import GAP_WORDS, SeenCard, SeenChip, SeenHand

Outlines = dict[str, list[list[float]]]
"""The corners of each area in pixels of the picture, by its name."""
THINGS = ("cards", "chips", "hands")


def rows_of(job: Job, clip: Clip, view: View) -> tuple[list[dict[str, Any]], list[Outlines]]:
    """A row for each picture that is told of a clip, as JSON values, and the outlines of the areas that rows point to.

    A row holds its number `n`, its times `t_s` (capture) and `clip_s` (in the clip), the `frame` after which this was known (None before the
    first), `cards`, `chips` and `hands` with their places in pixels, `gap`: why nothing was judged then, and `areas`: which of the outlines
    hold, one for each way the camera stood.
    """
    rows, outlines, of_camera = [], [], {}
    for number, t_s in enumerate(clip.times_s):
        look = job.seen_at(t_s)
        seen = look.seen if look is not None else None
        camera = (seen.camera if seen is not None else None) or view.camera
        if id(camera) not in of_camera:
            found = outlines_of(view, camera)
            if found not in outlines:
                outlines.append(found)
            of_camera[id(camera)] = outlines.index(found)
        rows.append(
            {
                "n": number, "t_s": round(t_s, 6), "clip_s": round(t_s - clip.starts_s, 6),
                "frame": look.index if look is not None else None,
                "cards": _plain(seen.cards) if seen is not None else [],
                "chips": _plain(seen.chips) if seen is not None else [],
                "hands": _plain(seen.hands) if seen is not None else [],
                "gap": GAP_WORDS[seen.gaps[0].cause] if seen is not None and seen.gaps else None,
                "areas": of_camera[id(camera)],
            }
        )  # fmt: skip
    return rows, outlines


def without_repeats(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The same rows, each only with the cards, chips and hands that are not those of the row before: most of it repeats."""
    before: Mapping[str, Any] = {}
    told = []
    for row in rows:
        told.append({name: value for name, value in row.items() if name not in THINGS or value != before.get(name)})
        before = row
    return told


def outlines_of(view: View, camera: Camera) -> Outlines:
    """Where the areas of a table lie in pictures of a camera, to a tenth of a pixel."""
    return {
        area.name: np.round(camera.image_from_table(np.asarray(area.polygon_mm, np.float64)), 1).tolist()
        for area in view.layout.areas
    }


@lru_cache(maxsize=16)
def _plain(things: Sequence[SeenCard] | Sequence[SeenChip] | Sequence[SeenHand]) -> list[Any]:
    """What was seen as JSON values; much the same from frame to frame."""
    return [_rounded(asdict(thing)) for thing in things]


def _rounded(value: Any) -> Any:
    """Pixels to a tenth and shares to a thousandth are enough, and keep the file small."""
    if isinstance(value, float):
        return round(value, 3 if abs(value) <= 1 else 1)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value
