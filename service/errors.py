"""What a user can do wrong, said once: what, where, what to do."""

from __future__ import annotations


class ServiceError(Exception):
    """Something the user can put right. The text is the whole message: what happened, where, what to do.

    Args:
        what: what is wrong, with the value got.
        where: the file, line or address it is about.
        do: what to do about it.
    """

    def __init__(self, what: str, *, where: object = None, do: str | None = None) -> None:
        self.what, self.where, self.do = what, where, do
        super().__init__(": ".join(str(part) for part in (where, what) if part) + (f". {do}" if do else ""))


class NotFoundError(ServiceError):
    """The thing asked for does not exist (HTTP 404)."""


class ConflictError(ServiceError):
    """The thing asked for contradicts what is already recorded (HTTP 409)."""
