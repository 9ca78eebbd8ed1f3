"""JSON lines: one object a line, UTF-8, keys in the order given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

BLOCK_BYTES = 1 << 16


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Blocks of a file of JSON lines; memory does not grow with the rows.

    >>> b"".join(json_lines([{"round_id": "A-1", "owed_cents": 500}]))
    b'{"round_id":"A-1","owed_cents":500}\\n'
    """
    block = bytearray()
    for row in rows:
        block += json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        block += b"\n"
        if len(block) >= BLOCK_BYTES:
            yield bytes(block)
            block.clear()
    if block:
        yield bytes(block)
