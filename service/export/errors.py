"""What an export can be given wrong."""

from __future__ import annotations

from service.errors import ServiceError


class ExportError(ServiceError):
    """A row does not fit the columns of its export, or the file cannot be written."""
