"""What can go wrong with a review."""

from __future__ import annotations

from service.errors import ServiceError


class ReviewError(ServiceError):
    """A review cannot be made, or cannot go on."""


class DiskFullError(ReviewError):
    """There is no room left for a review; it goes on where it stopped once there is."""


class StoppedError(ReviewError):
    """Someone asked the review to stop; it goes on where it stopped when it is started again."""
