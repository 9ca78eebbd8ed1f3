"""Leaves pictures undecoded that nobody looks at and no other picture is made from.

Change is looked for some fifteen times a second, recordings have thirty pictures or more in one. Most encoders make every
second of these from its neighbours and nothing from it (H.264: `nal_ref_idc` 0, ITU-T H.264, 7.4.1), so it may stay encoded: the
other pictures come out the same to the bit. Which ones are looked at depends on their times alone, and a file tells these before
its pictures.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from vision.frames.encoded import START

SLICES = range(1, 6)
"""Types of the units of H.264 that hold a part of a picture."""


class PaceLike(Protocol):
    """Says of each picture, in order of time, whether it is looked at."""

    def takes(self, t_s: float, /) -> bool:
        """Whether the picture of this time is looked at."""


@dataclass(slots=True)
class Pace:
    """Takes pictures so far apart at least, from a time on.

    >>> pace = Pace(0.066)
    >>> [pace.takes(t_s) for t_s in (0.0, 0.033, 0.067, 0.1, 0.133)]
    [True, False, True, False, True]
    """

    every_s: float
    from_s: float = float("-inf")
    last_s: float = field(default=float("-inf"), init=False)

    def takes(self, t_s: float) -> bool:
        """Whether the picture of this time is looked at; asked once for each, in order of time."""
        if t_s < self.from_s or t_s - self.last_s < self.every_s:
            return False
        self.last_s = t_s
        return True


class Thinning:
    """Packets between demuxer and decoder, without those that are not needed.

    Args:
        pace: which pictures are looked at; this object is used up.
        time_of: seconds of a time stamp (pts times time base), as `pace` counts them.
        extradata: of the stream.
    """

    def __init__(self, pace: PaceLike, extradata: bytes | None, time_of: Callable[[Fraction], float] = float) -> None:
        self._pace, self._time_of, self._lengths = pace, time_of, length_bytes(extradata)
        self._held: deque[Any] = deque()
        self._undecided: list[int] = []
        self._taken: dict[int, bool] = {}
        self._decided: int | None = None
        self._trusts = True
        self._left_out: deque[int] = deque()

    def packets(self, packets: Iterable[Any]) -> Iterator[Any]:
        """The packets to decode, in order; from the first on that cannot be told from others, all of them."""
        for packet in packets:
            if not self._trusts or not self._can_tell(packet):
                yield from self._released(end=True)
                yield packet
                continue
            self._held.append(packet)
            insort(self._undecided, packet.pts)
            yield from self._released(packet.dts, packet.time_base)
        yield from self._released(end=True)

    def left_out(self, before_pts: int | None = None) -> int:
        """How many pictures left out are shown before this one (None: at all) and were not counted yet."""
        count = 0
        while self._left_out and (before_pts is None or self._left_out[0] < before_pts):
            self._left_out.popleft()
            count += 1
        return count

    def _can_tell(self, packet: Any) -> bool:
        """Whether the order of pictures is known; once it is not, nothing is left out any more."""
        if not packet.size:
            return False
        known = packet.pts is not None and packet.dts is not None and not packet.is_corrupt
        in_order = known and packet.pts >= packet.dts and (self._decided is None or packet.pts > self._decided)
        self._trusts = in_order and packet.pts not in self._undecided
        return self._trusts

    def _released(
        self, dts: int | None = None, time_base: Fraction | None = None, *, end: bool = False
    ) -> Iterator[Any]:
        """Packets whose turn has come: what is shown before a stamp can be overtaken by nothing that is decoded after it."""
        while self._undecided and dts is not None and time_base is not None and self._undecided[0] <= dts:
            self._decided = self._undecided.pop(0)
            self._taken[self._decided] = self._pace.takes(self._time_of(self._decided * time_base))
        if end:
            self._undecided.clear()
        while self._held and (end or self._held[0].pts in self._taken):
            packet = self._held.popleft()
            if self._taken.pop(packet.pts, True) or is_referred_to(bytes(packet), self._lengths):
                yield packet
            else:
                insort(self._left_out, packet.pts)


def length_bytes(extradata: bytes | None) -> int | None:
    """With how many bytes the units of a stream of H.264 tell their length (ISO/IEC 14496-15, 5.3.3.1); None: start codes.

    >>> length_bytes(bytes.fromhex("0164001fff")), length_bytes(bytes.fromhex("00000001")), length_bytes(None)
    (4, None, None)
    """
    return (extradata[4] & 3) + 1 if extradata and len(extradata) > 4 and extradata[0] == 1 else None


def is_referred_to(content: bytes, lengths: int | None) -> bool:
    """Whether other pictures may be made from that of a packet of H.264; see `length_bytes` for `lengths`.

    What is not understood counts as referred to.

    >>> is_referred_to(bytes.fromhex("000000020161"), 4), is_referred_to(bytes.fromhex("0000016500"), None)
    (False, True)
    """
    headers = _headers_by_code(content) if lengths is None else _headers_by_length(content, lengths)
    slices = [header for header in headers if header & 0x1F in SLICES] if headers is not None else []
    return not slices or any(header >> 5 & 3 for header in slices)


def _headers_by_code(content: bytes) -> list[int] | None:
    """First bytes of the units that begin with start codes; None if there is something before the first."""
    before, *pieces = content.split(START)
    return None if before.strip(b"\0") else [piece[0] for piece in pieces if piece]


def _headers_by_length(content: bytes, lengths: int) -> list[int] | None:
    """First bytes of the units that begin with their length; None if the lengths do not add up."""
    headers, at = [], 0
    while at + lengths < len(content):
        headers.append(content[at + lengths])
        at += lengths + int.from_bytes(content[at : at + lengths], "big")
    return headers if at == len(content) else None
