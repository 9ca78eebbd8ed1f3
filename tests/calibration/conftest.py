"""Pictures of a felt through a camera, made from the drawing itself."""

from __future__ import annotations

import pytest
from views import PLAIN, Bytes, View

from calibration.camera import Camera
from calibration.layout import Layout, load_layout
from datasets.felt_views import Look, draw_view


@pytest.fixture(scope="session")
def layout() -> Layout:
    return load_layout("raise_it_up_6")


@pytest.fixture(scope="session")
def view(layout: Layout) -> View:
    def make(camera: Camera, seed: int = 0, cover: float = 0.0, of: str = layout.name, look: Look = PLAIN) -> Bytes:
        return draw_view(camera, of, look, seed=seed, cover=cover)

    return make
