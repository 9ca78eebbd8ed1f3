"""Texts of the law that were prepared for a day to come."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rules import dated
from rules.dated import data_names, data_text


@pytest.fixture
def amended(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """From 2030 on a winning Ante is paid 2 to 1 and a table has four seats; two sentences say since when they read so."""
    law = data_text("law_raise_it_up.yaml").replace("value: 6", "value: 4")
    texts = {
        "paytables_2030-01-01.yaml": data_text("paytables.yaml").replace('any: ["1 to 1"]', 'any: ["2 to 1"]', 1),
        "law_raise_it_up_2030-01-01.yaml": re.sub(r"(\.12\(b\)|\.11\(c\)): (\w)", r"\1: From 2030 on \2", law),
    }
    names, read = data_names(), data_text
    monkeypatch.setattr(dated, "data_names", lambda: (*names, *texts))
    monkeypatch.setattr(dated, "data_text", lambda name: texts.get(name) or read(name))
    dated.file_of_day.cache_clear()
    yield
    monkeypatch.undo()
    dated.file_of_day.cache_clear()
    dated.load_file.cache_clear()


__all__ = ["amended"]
