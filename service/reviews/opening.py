"""Gives a service its reviews: where they lie, which tables and recordings they may be of, and who works on them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from service.house import House
from service.reviews.office import Office, OfficeSettings, known_tables
from service.reviews.queue import Ordered
from service.reviews.record import record_review
from service.reviews.results import RUN_FILE
from service.reviews.worker import last_of
from service.reviews.workers import Workers


@dataclass(frozen=True, slots=True)
class ReviewChoices:
    """What someone who starts the service says of its reviews.

    Attributes:
        folder: for recordings dropped in, work and results.
        recordings: folders in which recordings may be named.
        tables: files of tables, besides those watched live.
        workers: processes that review on this machine; 0 where others do.
    """

    folder: Path = Path("var/reviews")
    recordings: tuple[Path, ...] = ()
    tables: tuple[Path, ...] = ()
    workers: int = 1


def open_reviews(house: House, choices: ReviewChoices, *, finished: Sequence[Path] = ()) -> None:
    """Opens the office of a house and takes in reviews that were finished elsewhere.

    Args:
        house: the service.
        choices: what was said of its reviews.
        finished: folders of `pitwatch review`; they are recorded once however often they are given.

    Raises:
        ServiceError: a table's file is not in order, or two have the same id.
    """
    live = [table.setup.path for table in house.tables.values()]
    settings = OfficeSettings(
        choices.folder, choices.recordings, known_tables([*live, *choices.tables]), house.settings.limits.upload_bytes,
        zone=house.shifts.zone,
    )  # fmt: skip
    office = Office(house.store, settings)
    house.office = office

    def take_in(one: Ordered) -> None:
        record_review(house.store, office.result(one), now=house.now(), evidence=house.evidence)

    house.workers = Workers(house.store, choices.workers, now=house.now, done=take_in) if choices.workers else None
    for folder in finished:
        _take_in(house, office, folder)


def _take_in(house: House, office: Office, folder: Path) -> None:
    run_id = record_review(house.store, folder, now=house.now(), evidence=house.evidence)
    about = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    video = Path(about["video"]).resolve()
    office.queue.add_done(
        name=video.name, video=str(video), folder=str(folder.resolve()), table_id=about["table_id"], game=about["game"],
        by="pitwatch review", now=house.now(), run_id=run_id, beat=last_of(folder),
        recorded_at=about.get("recorded_utc") or "", recorded_by=about.get("recorded_by", ""),
    )  # fmt: skip
