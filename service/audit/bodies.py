"""Rounds packed small: JSON, deflated with a dictionary of the words that every round repeats."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any

_WORDS = (
    b'{"kind":"video","payouts":[{"outcome":"undetermined","citation":"58 Pa. Code \xc2\xa7 "way":"verdict":"compliant"'
    b'"config":{"dealing":"automated_shoe","meters_before":{"fchb.meter":"fchb.reserve":"prog.meter":"prog.mega":"prog.major":'
    b'"prog.minor":100000,"prog.reserve":},"magic_card":"lucky":"dealer"},"dealer":{"upcard":"cards":["3h","4d","5c","6s","7h"]},'
    b'"replacement":"six_cards":["community":["2c","Td","Jh","Qs","Ks"],"decision":{"action":"fold"},"decision":{"action":"raise"}'
    b'"decision":{"action":"bet"},"decision":{"action":"play","multiple":3,"street":"third"},"street":"fourth","street":"fifth"'
    b'"decisions":{"bet1":"withdraw","bet2":"withdraw"},"bet1":"ride","bet2":"ride"},"game":"669a","639a","643a","687a","id":"",'
    b'"paid":{"1":{"ante":0,"bad_beat":0,"bet":0,"bet1":0,"bet2":0,"bet3":0,"blind":0,"bonus":0,"envy":0,"fchb":0,"fchb_dealer":0,'
    b'"fchb_player":0,"five_card_bonus":0,"pair_plus":0,"play":0,"progressive":100,"progressive3":0,"progressive5":0,"raise":0,'
    b'"six_card_bonus":0,"three_card_bonus":0,"trips":0}},"seats":[{"cards":["8h","9d","Ac"],"seat":2,"wagers":{"ante":2500,"blind":500'
)
VERSION = b"\x01"


def canonical(document: Mapping[str, Any]) -> bytes:
    """A document as JSON that is the same for the same content."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest_of(content: bytes) -> bytes:
    """Sixteen bytes that tell contents apart."""
    return hashlib.blake2b(content, digest_size=16).digest()


def pack(content: bytes) -> bytes:
    """Content made small."""
    squeezer = zlib.compressobj(6, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, _WORDS)
    return VERSION + squeezer.compress(content) + squeezer.flush()


def unpack(body: bytes) -> dict[str, Any]:
    """The document of a body."""
    assert body[:1] == VERSION, f"body of version {body[:1]!r}, this program reads {VERSION!r}"
    opener = zlib.decompressobj(-15, _WORDS)
    document = json.loads(opener.decompress(body[1:]) + opener.flush())
    assert isinstance(document, dict)
    return document
