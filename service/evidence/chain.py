"""The chain over the bundles: links that name the one before, and signed heads that say how many there are.

A link is one line of `chain.jsonl`; its hash covers everything else in it, so a link fixes all links before it. A head
is one line of `heads.jsonl`: it signs the number and hash of the last link. Heads are numbered too, so that one taken
out or played again shows. Both are in the form of `canonical.compact`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from service.evidence.canonical import compact, read_compact, sha256_hex
from service.evidence.keys import Signer, Verifier

VERSION = 1
CHAIN, HEADS, PUBLIC, BUNDLES, README = "chain.jsonl", "heads.jsonl", "public.pem", "bundles", "README.txt"
FIRST = "0" * 64
"""What the first link names as the one before."""
PURPOSE = b"pitwatch evidence head v1\n"
"""Signed with every head, so that a signature of this key made for anything else is none of a head."""


class LinkKind(StrEnum):
    """What a link records."""

    OPENED = "opened"
    """The chain begins; names its key."""
    BUNDLE = "bundle"
    """A bundle was stored."""
    NOT_STORED = "not_stored"
    """An alert rang whose evidence could not be stored, and why."""
    EXPIRED = "expired"
    """A bundle, or its films only, was deleted by a rule of retention."""
    HELD = "held"
    """Somebody ordered that a bundle be kept."""
    RELEASED = "released"
    """Somebody ended that."""


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of the chain.

    Attributes:
        number: counted from 1.
        previous: hash of the link before, `FIRST` for the first.
        body: what is recorded, JSON values.
    """

    number: int
    kind: LinkKind
    time_utc: str
    previous: str
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """SHA-256 over everything the link says."""
        return sha256_hex(compact(self._said()))

    def to_dict(self) -> dict[str, Any]:
        """The link as JSON values, its hash with it."""
        return self._said() | {"hash": self.hash}

    def line(self) -> bytes:
        """The link as its line of the chain, without the line's end."""
        return compact(self.to_dict())

    def _said(self) -> dict[str, Any]:
        return {
            "v": VERSION, "number": self.number, "kind": self.kind.value, "time_utc": self.time_utc,
            "previous": self.previous, "body": dict(self.body),
        }  # fmt: skip


def link_from_dict(raw: Mapping[str, Any]) -> Link | None:
    """A link from its JSON values; None if they are none, its own hash included."""
    try:
        link = Link(raw["number"], LinkKind(raw["kind"]), raw["time_utc"], raw["previous"], raw["body"])
        sound = isinstance(link.number, int) and isinstance(link.time_utc, str) and isinstance(link.previous, str)
        return link if sound and link.to_dict() == dict(raw) else None
    except (KeyError, ValueError, TypeError):
        return None


def read_link(line: bytes) -> Link | None:
    """A link from its line; None if one byte of it is not as it was written."""
    raw = read_compact(line)
    return None if raw is None else link_from_dict(raw)


@dataclass(frozen=True, slots=True)
class Head:
    """A signed statement: so many links there are, and this is the hash of the last.

    Attributes:
        serial: number of the head itself, counted from 1.
        count: number of the last link.
        hash: of the last link.
        key: fingerprint of the key that signed.
        signature: base64 of 64 bytes.
    """

    serial: int
    count: int
    hash: str
    time_utc: str
    key: str
    signature: str = ""

    def message(self) -> bytes:
        """What is signed."""
        return PURPOSE + compact(self._said())

    def to_dict(self) -> dict[str, Any]:
        """The head as JSON values."""
        return self._said() | {"signature": self.signature}

    def line(self) -> bytes:
        """The head as its line, without the line's end."""
        return compact(self.to_dict())

    def is_signed_by(self, verifier: Verifier) -> bool:
        """Whether this key signed it."""
        try:
            signature = base64.b64decode(self.signature, validate=True)
        except (binascii.Error, ValueError):
            return False
        return base64.b64encode(signature).decode() == self.signature and verifier.verifies(signature, self.message())

    def _said(self) -> dict[str, Any]:
        return {
            "v": VERSION, "serial": self.serial, "count": self.count, "hash": self.hash, "time_utc": self.time_utc,
            "key": self.key,
        }  # fmt: skip


def signed_head(signer: Signer, last: Link, *, serial: int, time_utc: str) -> Head:
    """A head over the last link."""
    plain = Head(serial, last.number, last.hash, time_utc, signer.verifier.fingerprint)
    signature = base64.b64encode(signer.sign(plain.message())).decode()
    return Head(plain.serial, plain.count, plain.hash, plain.time_utc, plain.key, signature)


def head_from_dict(raw: Mapping[str, Any]) -> Head | None:
    """A head from its JSON values; None if they are none. Its signature is not checked."""
    try:
        head = Head(raw["serial"], raw["count"], raw["hash"], raw["time_utc"], raw["key"], raw["signature"])
    except (KeyError, TypeError):
        return None
    numbers = (head.serial, head.count)
    texts = (head.hash, head.time_utc, head.key, head.signature)
    sound = all(type(n) is int for n in numbers) and all(isinstance(text, str) for text in texts)
    return head if sound and head.to_dict() == dict(raw) else None


def read_head(line: bytes) -> Head | None:
    """A head from its line; None if one byte of it is not as it was written."""
    raw = read_compact(line)
    return None if raw is None else head_from_dict(raw)


def lines_of(content: bytes) -> tuple[list[bytes], bytes]:
    """Whole lines, and what follows the last line's end (nothing in a sound file)."""
    *whole, rest = content.split(b"\n")
    return whole, rest
