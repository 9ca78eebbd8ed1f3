"""Pictures on disk: one, and a folder of them as a source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.frames.frame import Frame
from vision.frames.picture import Image
from vision.frames.source import Source, SourceError, SourceInfo

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp"})
"""Files of a folder that count as its frames, in the order of their names."""
FOLDER_FPS = 10.0
"""Frames per second of a folder of pictures, which carries no times of its own."""
LEAST_PICTURE_PX = 16
"""Width and height of a picture from which on something may be made out; a card's index alone takes ten."""


def open_folder(path: Path) -> Source:
    """A folder of pictures as a source, in the order of their names.

    Raises:
        SourceError: no picture in it, or one that cannot be read.
    """
    files = sorted(file for file in path.iterdir() if file.suffix.lower() in PICTURE_SUFFIXES)
    if not files:
        raise SourceError(
            f"{path}: no pictures in this folder; expected files ending in {', '.join(sorted(PICTURE_SUFFIXES))}"
        )
    first = read_picture(files[0])
    info = SourceInfo(str(path), (first.shape[1], first.shape[0]), FOLDER_FPS, len(files), False)

    def frames() -> Iterator[Frame]:
        for index, file in enumerate(files):
            yield Frame(index, index / FOLDER_FPS, read_picture(file))

    return Source(info, frames(), lambda: None)


def read_picture(path: str | Path) -> Image:
    """A picture file as (h, w, 3) uint8 BGR.

    Raises:
        SourceError: the file is missing or no picture.
    """
    file = Path(path)
    if not file.is_file():
        raise SourceError(f"{path}: no such file; give a picture (PNG, JPEG, BMP or WebP)")
    try:
        content = np.frombuffer(file.read_bytes(), np.uint8)
        image = cv2.imdecode(content, cv2.IMREAD_COLOR) if content.size else None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}); give a picture that may be read") from error
    except cv2.error:  # more pixels than OpenCV takes, or says the file's head
        image = None
    if image is None:
        raise SourceError(f"{path}: is no picture that can be read; give a PNG, JPEG, BMP or WebP file")
    height, width = image.shape[:2]
    if min(height, width) < LEAST_PICTURE_PX:
        raise SourceError(f"{path}: has {width} x {height} pixels, too few to show a card; give a picture of the table")
    return np.asarray(image, dtype=np.uint8)
