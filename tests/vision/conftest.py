from __future__ import annotations

import pytest
from drawn import DrawnTable


@pytest.fixture(scope="session")
def table() -> DrawnTable:
    return DrawnTable()
