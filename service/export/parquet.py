"""Parquet by way of pyarrow: typed columns, compressed (zstd), read by every tool of the trade."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from service.export.columns import Column, Kind, cells

GROUP_ROWS = 20_000
"""Rows a group: some MB in memory, small beside a file's worth."""
ARROW = {Kind.TEXT: pa.string(), Kind.WHOLE: pa.int64(), Kind.NUMBER: pa.float64(), Kind.FLAG: pa.bool_()}


class _Drained(io.RawIOBase):
    """A file whose bytes are taken away as they come; pyarrow only appends and asks where it is."""

    def __init__(self) -> None:
        self.block, self.at = bytearray(), 0

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: Any) -> int:
        """Takes bytes."""
        size = len(memoryview(data).cast("B"))
        self.block += data
        self.at += size
        return size

    def tell(self) -> int:
        """Bytes written so far."""
        return self.at

    def taken(self) -> bytes:
        """What came since the last call."""
        out = bytes(self.block)
        self.block.clear()
        return out


def parquet_blocks(columns: Sequence[Column], rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Blocks of a Parquet file; memory holds one group of rows at a time. The same rows give the same bytes.

    Raises:
        ExportError: a value is of another kind than its column.
    """
    schema = pa.schema(
        [pa.field(c.name, ARROW[c.kind], metadata={"means": c.means} if c.means else None) for c in columns]
    )
    sink, checked = _Drained(), cells(columns, rows)
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), schema, compression="zstd") as writer:
        while group := list(itertools.islice(checked, GROUP_ROWS)):
            arrays = [
                pa.array(values, type=field.type)
                for values, field in zip(zip(*group, strict=True), schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.taken()
    yield sink.taken()
