"""Alerts and what is done with them, pushed as it happens: Server-Sent Events that resume where a client left off.

The id of an event is its position in the one order of changes (`service.store.changes`), the same in every process on one
database. One follower a process reads what is new, its own and what other processes recorded, and shows it once; all
clients that are up to date are served from there. A client that is behind reads the store until it has caught up.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from itertools import islice

from service.feed.told import Shown, Told, fits, read
from service.store import AlertFilter, Store

logger = logging.getLogger(__name__)

HEARTBEAT_S = 10.0
POLL_S = 0.25
"""How often to look for what another process recorded; what this process records wakes the stream at once."""
BATCH = 100
KEPT = 2000
"""So many changes are kept at hand for clients that are a little behind."""
LOOK_S = 1.0
"""How often to look whether a client has left."""


@dataclass(frozen=True, slots=True)
class _Piece:
    told: Told
    text: str


class _Follower:
    """Follows the changes of a store in one event loop, for all its clients."""

    def __init__(self, store: Store, shown: Shown, start: int) -> None:
        self.store, self.shown = store, shown
        self.last = self.first = start
        self.kept: deque[_Piece] = deque(maxlen=KEPT)
        self.clients = 0
        self.wake = asyncio.Event()
        self.news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        while True:
            try:
                more = await self._read_on()
            except Exception:  # the database is away: the streams stay, and go on when it is back
                logger.exception("the changes cannot be read, trying again")
                more = False
                await asyncio.sleep(1.0)
            if more:
                continue
            try:
                await asyncio.wait_for(self.wake.wait(), POLL_S)
            except TimeoutError:
                continue
            self.wake.clear()

    async def _read_on(self) -> bool:
        if await asyncio.to_thread(self.store.last_position) <= self.last:
            return False
        pieces = await asyncio.to_thread(read_pieces, self.store, self.last, self.shown)
        self.kept.extend(pieces)
        self.last = pieces[-1].told.change.position
        self.first = self.kept[0].told.change.position - 1
        news, self.news = self.news, asyncio.get_running_loop().create_future()
        news.set_result(None)
        return True

    def after(self, position: int) -> list[_Piece] | None:
        """What is kept behind a position, None if the client is too far behind."""
        if position < self.first:
            return None
        return list(islice(self.kept, position - self.first, None))


@dataclass(slots=True)
class Feed:
    """Tells everyone who listens what happens to alerts."""

    _followers: dict[tuple[int, int], tuple[asyncio.AbstractEventLoop, _Follower]] = field(
        default_factory=dict, init=False
    )

    def notify(self) -> None:
        """Says that something was recorded; may be called from any thread."""
        for loop, follower in tuple(self._followers.values()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(follower.wake.set)

    @property
    def clients(self) -> int:
        """How many streams are open."""
        return sum(follower.clients for _, follower in self._followers.values())

    async def stream(
        self, store: Store, wanted: AlertFilter, *, after: int, shown: Shown, heartbeat_s: float = HEARTBEAT_S,
        gone: Callable[[], Awaitable[bool]] | None = None,
    ) -> AsyncIterator[str]:  # fmt: skip
        """Every change behind a position, in order, without a gap or a double, as text of an event stream.

        Args:
            store: where changes are read from.
            wanted: of which alerts.
            after: the position the client has.
            shown: an alert as JSON values.
            heartbeat_s: a comment line is sent after so long without a change.
            gone: awaited between waits; true when the client has left.
        """
        follower = self._follower(store, shown, await asyncio.to_thread(store.last_position))
        follower.clients += 1
        try:
            yield "retry: 2000\n\n"
            quiet_s = 0.0
            while gone is None or not await gone():
                news = follower.news
                pieces = follower.after(after)
                if pieces is None:
                    pieces = await asyncio.to_thread(read_pieces, store, after, shown)
                for piece in pieces:
                    after = piece.told.change.position
                    if fits(piece.told.alert, wanted):
                        quiet_s = 0.0
                        yield piece.text
                if pieces:
                    continue
                step_s = min(LOOK_S, heartbeat_s)
                done, _ = await asyncio.wait((news,), timeout=step_s)
                quiet_s += 0.0 if done else step_s
                if quiet_s >= heartbeat_s:
                    quiet_s = 0.0
                    yield ": still here\n\n"
        finally:
            self._leave(follower)

    def _follower(self, store: Store, shown: Shown, start: int) -> _Follower:
        loop = asyncio.get_running_loop()
        key = (id(loop), id(store))
        if key not in self._followers:
            self._followers[key] = (loop, _Follower(store, shown, start))
        return self._followers[key][1]

    def _leave(self, follower: _Follower) -> None:
        follower.clients -= 1
        if follower.clients == 0:
            follower.task.cancel()
            self._followers = {key: pair for key, pair in self._followers.items() if pair[1] is not follower}


def read_pieces(store: Store, after: int, shown: Shown) -> list[_Piece]:
    """The next changes behind a position as text of an event stream."""
    return [_Piece(told, text_of(told, shown)) for told in read(store, after, limit=BATCH)]


def text_of(told: Told, shown: Shown) -> str:
    """A change as a Server-Sent Event."""
    data = json.dumps(told.body(shown), separators=(",", ":"))
    return f"id: {told.change.position}\nevent: {told.kind}\ndata: {data}\n\n"
