"""What can go wrong with evidence."""

from __future__ import annotations

from service.errors import ServiceError


class EvidenceError(ServiceError):
    """Evidence cannot be written, read or signed."""


class DiskFullError(EvidenceError):
    """There is no room for a bundle; nothing of it was kept, and nothing else was deleted for it."""
