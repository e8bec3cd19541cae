"""What Spark writes when it shuffles rows, in bytes: so that a job's shuffle can be told before it runs.

A row is an `UnsafeRow`: a bit for each column that may be missing, 8 bytes for each value, and texts and lists behind them, padded to 8
bytes. Rows of one task that go to one partition are compressed together, by LZ4 in blocks of 32 KiB, as Spark does unless it is told
otherwise.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

BLOCK = 32 * 1024
HEADER = 21
"""Of a compressed block: a mark, lengths and a checksum. An empty block ends a stream."""


def bytes_of_rows(rows: pa.Table, n_together: int) -> float:
    """The mean bytes of a row, if so many that stand together are compressed as one."""
    if len(rows) == 0:
        return 0.0
    encoded = [_row(values) for values in zip(*(column.to_pylist() for column in rows.columns))]
    step = max(1, n_together)
    return sum(_compressed(b"".join(encoded[at : at + step])) for at in range(0, len(encoded), step)) / len(encoded)


def _row(values: tuple[Any, ...]) -> bytes:
    """A row with its length before it."""
    missing, fixed, behind = 0, bytearray(), bytearray()
    begin = 8 * ((len(values) + 63) // 64) + 8 * len(values)
    for at, value in enumerate(values):
        if value is None:
            missing |= 1 << at
            fixed += bytes(8)
        elif (padded := _behind(value)) is not None:
            size, data = padded
            fixed += (begin + len(behind) << 32 | size).to_bytes(8, "little")
            behind += data
        else:
            fixed += _word(value)
    row = missing.to_bytes(8 * ((len(values) + 63) // 64), "little") + fixed + behind
    return len(row).to_bytes(4, "big") + row


def _behind(value: Any) -> tuple[int, bytes] | None:
    """What stands behind the words of a row, with its length: of texts, bytes and lists."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, (bytes, bytearray)):
        return len(value), bytes(value) + bytes(-len(value) % 8)
    if isinstance(value, list):
        # An array is a number of elements, and then as a row.
        inner = len(value).to_bytes(8, "little") + _row(tuple(value))[4:]
        return len(inner), inner
    return None


def _word(value: Any) -> bytes:
    if isinstance(value, int):
        return (value & (1 << 64) - 1).to_bytes(8, "little")
    if isinstance(value, Decimal):
        return (int(value.scaleb(4)) & (1 << 64) - 1).to_bytes(8, "little")
    # What kind of number or date it is says little of how it is compressed.
    return (hash(value) & 0xFFFFFFFF).to_bytes(8, "little")


def _compressed(raw: bytes) -> int:
    import pyarrow as pa

    lz4 = pa.Codec("lz4_raw")
    blocks = (raw[at : at + BLOCK] for at in range(0, len(raw), BLOCK))
    return HEADER + sum(HEADER + min(len(block), len(lz4.compress(block))) for block in blocks)
