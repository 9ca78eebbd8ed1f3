"""Processes that make samples while a network learns."""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Sequence
from typing import Any


class Makers:
    """Processes that make things without end; each thing is handed to `taken` by `take`.

    Args:
        make: run by each process with its arguments and a queue to put things in.
        arguments: one tuple a process.
        taken: called with each thing in this process.
        most: things that wait at a time.
    """

    def __init__(
        self, make: Callable[..., None], arguments: Sequence[tuple[Any, ...]], taken: Callable[[Any], None], most: int
    ) -> None:
        context = multiprocessing.get_context("spawn")
        self._lane: Any = context.Queue(maxsize=most)
        self._taken, self.count = taken, 0
        self._processes = [context.Process(target=make, args=(*each, self._lane), daemon=True) for each in arguments]
        for process in self._processes:
            process.start()

    def take(self, *, wait: bool = False) -> None:
        """Take in one thing if there is any, or wait for it. `count` says how many there were."""
        try:
            self._taken(self._lane.get(block=wait))
            self.count += 1
        except queue.Empty:
            pass

    def stop(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.kill()
