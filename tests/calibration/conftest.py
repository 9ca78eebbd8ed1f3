"""Pictures of a felt through a camera, made from the drawing itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from calibration.layout import Layout, load_layout
from datasets.felt_views import Look, draw_view

Bytes = npt.NDArray[np.uint8]
View = Callable[..., Bytes]


@pytest.fixture(scope="session")
def layout() -> Layout:
    return load_layout("raise_it_up_6")


@pytest.fixture(scope="session")
def view(layout: Layout) -> View:
    """`view(camera, seed, cover, felt_bgr, ink_bgr, accent_bgr, of)` -> BGR picture, of the layout named `of`."""

    def make(camera: Camera, seed: int = 0, cover: float = 0.0, of: str = layout.name, **colors: Any) -> Bytes:
        return draw_view(camera, of, Look(**colors), seed=seed, cover=cover)

    return make
