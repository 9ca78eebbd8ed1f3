"""Alerts pushed as they are raised: Server-Sent Events that resume where a client left off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from service.store import Alert, AlertFilter, Store

HEARTBEAT_S = 10.0
POLL_S = 1.0
"""How often to look for alerts that another process recorded; those of this process wake the stream at once."""
BATCH = 100


@dataclass(slots=True)
class Feed:
    """Wakes everyone who waits for alerts."""

    _waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set, init=False)

    def notify(self) -> None:
        """Says that something was recorded; may be called from any thread."""
        for loop, event in tuple(self._waiting):
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    async def wait(self, event: asyncio.Event, seconds: float) -> None:
        """Waits until `notify` or for so many seconds."""
        try:
            await asyncio.wait_for(event.wait(), seconds)
        except TimeoutError:
            return
        event.clear()

    async def stream(
        self,
        store: Store,
        wanted: AlertFilter,
        *,
        shown: Callable[[Alert], dict[str, Any]],
        heartbeat_s: float = HEARTBEAT_S,
        gone: Callable[[], Any] | None = None,
    ) -> AsyncIterator[str]:
        """Every alert after `wanted.after_seq`, in order, without a gap or a double, as text of an event stream.

        Args:
            store: where alerts are read from, so that none is missed between two wake-ups.
            wanted: which alerts, and after which.
            shown: an alert as JSON values.
            heartbeat_s: a comment line is sent after so long without an alert.
            gone: awaited between waits; true when the client has left.
        """
        mine = (asyncio.get_running_loop(), asyncio.Event())
        self._waiting.add(mine)
        try:
            yield "retry: 2000\n\n"
            quiet_s, after = 0.0, wanted.after_seq
            while gone is None or not await gone():
                news = await asyncio.to_thread(
                    store.alerts, replace(wanted, after_seq=after), limit=BATCH, oldest_first=True
                )
                for alert in news:
                    after, quiet_s = alert.seq, 0.0
                    yield f"id: {alert.seq}\nevent: alert\ndata: {json.dumps(shown(alert), separators=(',', ':'))}\n\n"
                if len(news) == BATCH:
                    continue
                step_s = min(POLL_S, heartbeat_s)
                await self.wait(mine[1], step_s)
                quiet_s += step_s
                if quiet_s >= heartbeat_s:
                    quiet_s = 0.0
                    yield ": still here\n\n"
        finally:
            self._waiting.discard(mine)
