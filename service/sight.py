"""Joins what the other rooms offer into one watched table: where the table stands, the watcher, the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from calibration.camera import CalibrationError
from calibration.layout import load_layout
from calibration.layout_file import layout_names
from calibration.locate import Calibration, calibrate_by_corners, locate_layout, recognise_layout
from models.chip_matcher import ChipMatcher, HouseChips
from models.chip_reader import ChipReader
from models.detector import Detector
from models.reader import Reader
from models.stack_reader import SingleChips, StackReader
from rules.engine import Engine
from service.config import TableSetup
from service.errors import ServiceError
from service.evidence.pictures import View
from service.watching import Judge, Watcher
from vision.frames.ahead import read_ahead
from vision.frames.frame import Frame
from vision.frames.live import live_source
from vision.frames.opening import open_source
from vision.frames.picture import Image
from vision.frames.source import Source, SourceInfo
from vision.looks.chips import ChipReaderLike
from vision.looks.counting import StackReaderLike
from vision.pipeline import TableWatcher, WatchSettings

TRY_EVERY_S = 2.0
TRY_FOR_S = 8.0
"""A hand over the felt or a lamp going on may spoil single pictures: look again for so long before giving up."""
TRIES_UNTIL_ASKED = 2
"""After so many pictures without the table's felt it is asked whether another's is there, which takes seconds."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A table in view: frames from its source, and the parts that work on them.

    Attributes:
        frames: in order, to be iterated once.
        info: what is known of the source.
        calibration: where the layout lies in the picture, and how surely.
        view: how to draw on its pictures.
        close: lets go of the source.
    """

    frames: Iterable[Frame]
    info: SourceInfo
    calibration: Calibration
    view: View
    watcher: Watcher
    judge: Judge
    source: Source

    def close(self) -> None:
        """Lets go of the source."""
        self.source.close()


def open_sight(spec: str, setup: TableSetup) -> Sight:
    """Opens a source, finds the table in it, and readies watcher and engine.

    Raises:
        SourceError: the source cannot be opened or read.
        ServiceError: the table is not in the picture.
        ModelError: the networks' weights are missing or broken.
        UnsupportedGameError: the table's game is not judged yet.
    """
    table, layout = setup.table, setup.layout
    engine, source = Engine(table, day=setup.day), open_source(spec)
    if source.info.live:
        source = live_source(source)
    try:
        calibration = find_table(iter(source), setup, name=spec)
        if not source.info.live:
            source.close()
            source = open_source(spec, pace=WatchSettings().pace())
        cv2.setNumThreads(
            1
        )  # areas and tables are looked at side by side: threads of its own would only wait for these
        levels = calibration.levels if calibration.method == "features" else None
        detector, reader, chip_reader, stack_reader = networks()
        chips, stacks = readers_of_house(setup.chip_faces, chip_reader, stack_reader)
        watcher = TableWatcher(
            table, layout, calibration.camera, detector, reader, chips, levels=levels, stack_reader=stacks
        )
        if not source.info.live:
            source = read_ahead(source, watcher.map.size_px)
        return Sight(source, source.info, calibration, View(layout, calibration.camera), watcher, engine, source)
    except BaseException:
        source.close()
        raise


@cache
def networks() -> tuple[Detector, Reader, ChipReader, StackReader]:
    """The networks of this process; all its tables share one session of each.

    Raises:
        ModelError: weights are missing or broken.
    """
    return Detector(), Reader(), ChipReader(), StackReader()


def readers_of_house(
    faces: Mapping[str, Image], chip_reader: ChipReader, stack_reader: StackReader
) -> tuple[ChipReaderLike, StackReaderLike]:
    """What names and counts the chips of a house: those given, or for one whose chips were learned those that know them.

    Raises:
        ModelError: the weights are missing or broken.
    """
    if not faces:
        return chip_reader, stack_reader
    house = HouseChips(faces, chip_reader, _chip_matcher())
    return house, stack_reader if house.is_usual else SingleChips(stack_reader)


@cache
def _chip_matcher() -> ChipMatcher:
    return ChipMatcher()


def find_table(frames: Iterator[Frame], setup: TableSetup, *, name: str) -> Calibration:
    """Where the camera stands, from the first pictures in which the felt is recognised.

    Raises:
        ServiceError: none of the first pictures shows the layout.
    """
    corners, started_s, next_s, problem = setup.table.camera_corners_px, None, 0.0, "the source gave no picture"
    failed: list[Image] = []
    for frame in frames:
        started_s = frame.t_s if started_s is None else started_s
        if frame.t_s > started_s + TRY_FOR_S:
            break
        if frame.t_s < next_s:
            continue
        next_s = frame.t_s + TRY_EVERY_S
        try:
            if corners is not None:
                return calibrate_by_corners(np.asarray(corners, np.float64), setup.layout, frame.size_px, frame.image)
            return locate_layout(frame.image, setup.layout)
        except CalibrationError as error:
            problem = str(error)
        failed.append(frame.image)
        if len(failed) == TRIES_UNTIL_ASKED:
            _verify_no_other(frame.image, setup, name=name)
    if 0 < len(failed) < TRIES_UNTIL_ASKED:
        _verify_no_other(failed[-1], setup, name=name)
    raise ServiceError(
        f"no {setup.layout.name} table is seen in its first seconds ({problem})",
        where=name,
        do=f"Give a picture of this table, or its corners as camera.corners_px in {setup.path}",
    )


def _verify_no_other(image: Image, setup: TableSetup, *, name: str) -> None:
    """Raises ServiceError where a picture shows the felt of another layout."""
    other = recognise_layout(image, (load_layout(one) for one in layout_names() if one != setup.layout.name))
    if other is not None:
        raise ServiceError(
            f"the felt is that of layout {other.name}, the table's file says {setup.layout.name}",
            where=name,
            do=f"Correct game and layout in {setup.path}, or give the source of the right table",
        )
