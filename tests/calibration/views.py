"""What the fixture `view` gives the tests: pictures of a felt."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from datasets.felt_views import Look

Bytes = npt.NDArray[np.uint8]
PLAIN = Look()


class View(Protocol):
    """Draws a felt as a camera sees it."""

    def __call__(self, camera: Camera, seed: int = 0, cover: float = 0.0, of: str = ..., look: Look = PLAIN) -> Bytes:
        """A BGR picture of the layout named `of`, a share `cover` of it under hands."""
