"""What leaves the service by itself: event streams, webhooks, metrics. All of it follows the one order of changes."""

from __future__ import annotations

from service.feed.stream import Feed

__all__ = ["Feed"]
