"""Passwords: argon2id, a policy that asks for length, and the same work whether or not an account exists."""

from __future__ import annotations

import secrets
import threading
import unicodedata
from dataclasses import dataclass, field

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from service.errors import ServiceError

LEAST_SIGNS, MOST_SIGNS = 12, 256
LEAST_DIFFERENT = 5
AT_ONCE = 4
"""Passwords checked at the same time in a process; each takes 64 MiB while it is."""
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"


class PasswordError(ServiceError):
    """A password that cannot be taken."""


def verify_acceptable(password: str, *, name: str) -> None:
    """Does nothing if a password may be used.

    Raises:
        PasswordError: too short, too long, too plain, or made of the sign-in name.
    """
    plain = _normal(password)
    if len(plain) < LEAST_SIGNS:
        raise PasswordError(
            f"a password has at least {LEAST_SIGNS} signs", do="Use a sentence, or several words in a row"
        )
    if len(plain) > MOST_SIGNS:
        raise PasswordError(f"a password has at most {MOST_SIGNS} signs", do="Use a shorter one")
    lowered = plain.lower()
    if (
        len(set(lowered)) < LEAST_DIFFERENT
        or lowered in "0123456789" * 3
        or lowered in "abcdefghijklmnopqrstuvwxyz" * 2
    ):
        raise PasswordError("this password is too easy to guess", do="Use a sentence, or several words in a row")
    if len(name) >= 3 and len(lowered.replace(name.lower(), "")) < LEAST_SIGNS // 2:
        raise PasswordError(
            "this password is little more than the name", do="Use a sentence, or several words in a row"
        )


def one_time_password() -> str:
    """A password to begin with, easy to type: 20 letters and digits in groups, 99 bits."""
    signs = [secrets.choice(_ALPHABET) for _ in range(20)]
    return "-".join("".join(signs[at : at + 5]) for at in range(0, 20, 5))


@dataclass(slots=True)
class Passwords:
    """Makes and checks hashes; safe to use from several threads.

    Args:
        hasher: argon2id with the library's parameters (RFC 9106, low memory) if not given.
    """

    hasher: PasswordHasher = field(default_factory=PasswordHasher)
    _room: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(AT_ONCE), init=False)
    _nobody: str = field(default="", init=False)

    def hash(self, password: str) -> str:
        """The password as it is kept."""
        with self._room:
            return self.hasher.hash(_normal(password))

    def matches(self, kept: str | None, password: str) -> bool:
        """Whether a password is the one kept; takes as long where there is none (None) as where it is wrong."""
        with self._room:
            self._nobody = self._nobody or self.hasher.hash(secrets.token_urlsafe(16))
            try:
                return self.hasher.verify(kept or self._nobody, _normal(password[:MOST_SIGNS])) and kept is not None
            except (VerifyMismatchError, VerificationError, InvalidHashError):
                return False

    def is_outdated(self, kept: str) -> bool:
        """Whether a hash was made with weaker parameters than today's."""
        return self.hasher.check_needs_rehash(kept)


def _normal(password: str) -> str:
    """The same password typed on different keyboards."""
    return unicodedata.normalize("NFKC", password)
