"""The law of a day: which file of `rules/data` holds it, and since when each section reads so.

Whatever reads the data asks for the law of the day that `law_of` has set, the newest without one. An amended text is a
file with its day in the name (`paytables_2030-01-01.yaml` beside `paytables.yaml`), which rounds before that day never see.
The newest may be of a day to come: nothing here reads a clock, so whoever judges play says of which day it is.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import yaml

_DAY: ContextVar[datetime.date | None] = ContextVar("pitwatch_law_day", default=None)
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same safe loader in C, where PyYAML has it: a tenth of the time."""
_DATED = re.compile(r"(?P<stem>[a-z_]+)_(?P<day>\d{4}-\d{2}-\d{2})\.yaml")


@contextmanager
def law_of(day: datetime.date | None) -> Iterator[None]:
    """Within it, the data is that of a day; None for the newest, though it be of a day to come."""
    token = _DAY.set(day)
    try:
        yield
    finally:
        _DAY.reset(token)


def law_day() -> datetime.date | None:
    """The day whose law is read now, None for the newest."""
    return _DAY.get()


def data_names() -> tuple[str, ...]:
    """Names of the files of `rules/data`."""
    return tuple(sorted(entry.name for entry in resources.files("rules.data").iterdir()))


def data_text(name: str) -> str:
    """The text of one file of `rules/data`."""
    return resources.files("rules.data").joinpath(name).read_text(encoding="utf-8")


@lru_cache(maxsize=4096)
def file_of_day(stem: str, day: datetime.date | None) -> str:
    """The name of the file that holds a day's text.

    >>> file_of_day("paytables", None)
    'paytables.yaml'
    """
    found = []
    for name in data_names():
        match = _DATED.fullmatch(name)
        if match and match["stem"] == stem:
            since = datetime.date.fromisoformat(match["day"])
            if day is None or since <= day:
                found.append((since, name))
    return max(found)[1] if found else f"{stem}.yaml"


@cache
def load_file(name: str) -> Any:
    """The parsed content of one file of `rules/data`."""
    return yaml.load(data_text(name), Loader=_LOADER)


def load_data(name: str) -> Any:
    """The parsed content of a file, e.g. "paytables.yaml", as it stands on the day set by `law_of`."""
    return load_file(file_of_day(name.removesuffix(".yaml"), law_day()))


@dataclass(frozen=True, slots=True)
class SectionDate:
    """Since when a section reads as it is judged, by which publication, and when it was last compared with the text."""

    section: str
    effective: datetime.date
    source: str
    checked: datetime.date


def section_date(game: str, paragraph: str) -> SectionDate:
    """The dates of the section that a paragraph stands in, e.g. ".12(e)(1)"."""
    chapter = load_data("law_dates.yaml")[game]
    head = paragraph.split("(")[0].split(",")[0]
    item = chapter["sections"].get(head, {})
    return SectionDate(
        head, item.get("effective", chapter["in_force"]), item.get("source", chapter["source"]), chapter["checked"]
    )
