"""Many processes that draw, or this one."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import cv2


def each_drawn(processes: int, draw: Callable[..., Any], jobs: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """What `draw` returns for each job's arguments, in order.

    One process draws here. More begin anew (spawn): a fork of a process in which OpenCV has threads may wait for them for ever.
    """
    if processes == 1:
        threads = cv2.getNumThreads()
        try:
            for job in jobs:
                yield draw(*job)
        finally:
            cv2.setNumThreads(threads)
        return
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        for future in [pool.submit(draw, *job) for job in jobs]:
            yield future.result()
