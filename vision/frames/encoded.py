"""The packets of a live stream as the camera sent them, for clips that are its own film and not one encoded again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

START = b"\x00\x00\x01"
"""Begins a unit of H.264 (ITU-T H.264, Annex B)."""
PARAMETERS = 7
"""Type of the unit that holds a sequence's parameters."""
LOOKED_THROUGH = 4096
"""Parameter sets stand among the first bytes of a packet."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A packet of H.264 with start codes.

    Attributes:
        t_s: when its picture is shown, as `vision.frames.frame.Frame.t_s` counts.
        decoded_s: when it has to be decoded; earlier where pictures refer to later ones.
        is_key: it can be decoded by itself, its parameter sets are in it.
    """

    t_s: float
    decoded_s: float
    content: bytes
    is_key: bool


class Copies:
    """Packets between two frames.

    Args:
        extradata: of the stream; parameter sets that some cameras send only once, before the first picture.
    """

    def __init__(self, extradata: bytes | None) -> None:
        self._parameters = extradata if extradata and has_parameters(extradata) else b""
        self._packets: list[Encoded] = []
        self._whole = False

    def add(self, packet: Any) -> None:
        """Take a packet of the demuxer (`av.Packet`); after one that cannot be kept, none is until the next key frame."""
        content = bytes(packet)
        if not content:
            return
        if packet.pts is None or packet.dts is None or START not in content[:5]:
            self._whole = False
            return
        is_key = bool(packet.is_keyframe)
        if is_key and not has_parameters(content):
            content, is_key = self._parameters + content, bool(self._parameters)
        self._whole = self._whole or is_key
        if self._whole:
            base = packet.time_base
            self._packets.append(Encoded(float(packet.pts * base), float(packet.dts * base), content, is_key))

    def taken(self, shift_s: float) -> tuple[Encoded, ...]:
        """What came since the last call, its times moved by so much."""
        out = tuple(
            Encoded(one.t_s + shift_s, one.decoded_s + shift_s, one.content, one.is_key) for one in self._packets
        )
        self._packets.clear()
        return out


def has_parameters(content: bytes) -> bool:
    """Whether H.264 with start codes brings the parameters of its sequence along.

    >>> has_parameters(b"\\x00\\x00\\x00\\x01\\x67\\x42"), has_parameters(b"\\x00\\x00\\x01\\x65\\x88")
    (True, False)
    """
    at = content.find(START, 0, LOOKED_THROUGH)
    while at >= 0 and at + 3 < len(content):
        if content[at + 3] & 0x1F == PARAMETERS:
            return True
        at = content.find(START, at + 3, LOOKED_THROUGH)
    return False
