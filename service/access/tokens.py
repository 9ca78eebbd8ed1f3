"""Random secrets that are shown once and kept only as SHA-256: sessions, keys, tickets."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

SESSION, KEY, TICKET = "pws_", "pwk_", "pwt_"
"""How they begin, so that one that strayed into a file is known for what it is (and masked in logs)."""
PREFIX_SIGNS = 12
"""How much of a key is shown later: its beginning `pwk_` and eight signs."""


@dataclass(frozen=True, slots=True)
class Token:
    """A new secret: the text to hand out, and what is kept of it."""

    text: str

    @property
    def sha256(self) -> str:
        """What is kept."""
        return sha256(self.text)

    @property
    def prefix(self) -> str:
        """What is shown of it later."""
        return self.text[:PREFIX_SIGNS]


def new_token(kind: str) -> Token:
    """A secret of 256 random bits."""
    return Token(kind + secrets.token_hex(32))


def sha256(text: str) -> str:
    """The hash a secret is found by; a plain one is enough for 256 random bits."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
