"""A plugin of pytest: the files that take longest begin first, so that all cores end together (`make test`)."""

from __future__ import annotations

import pytest

LONGEST = (
    "service/test_bundled_clip.py", "service/test_sight.py", "service/test_calibrate.py", "datasets/test_build.py", "calibration/test_locate.py",
    "datasets/test_play_dim.py", "models/test_chip_reader.py", "models/test_chip_matcher.py", "service/test_review_screens.py", "service/test_access_screens.py",
    "service/test_tables_screens.py", "models/test_stack_reader.py", "models/test_reader.py", "models/test_detector.py", "vision/test_camera_faults.py",
    "service/test_review_full_disk.py", "service/test_review_resume.py", "datasets/test_score.py", "vision/test_chip_set.py",
)  # fmt: skip
"""Below `tests/`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files; the tests of each stay as they stand in it."""

    def place(item: pytest.Item) -> int:
        path = item.path.as_posix()
        return next((k for k, name in enumerate(LONGEST) if path.endswith(f"tests/{name}")), len(LONGEST))

    items.sort(key=place)
