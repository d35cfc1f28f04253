"""Compression of message values, as `large-message-handle-compression` names it.  [CJ-136, OP-150]

LZ4 means the frame format, Snappy the raw block format. Each protocol decides what it compresses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import cramjam

from reference_impl.errors import Rejected, TooLarge

__all__ = ["KINDS", "LARGEST", "compress", "decompress", "largest_of"]

KINDS = ("none", "lz4", "snappy")

LARGEST = 64 * 2**20
"""The size limit of a decompressed message in bytes, unless `max-message-bytes` is larger."""

_MOST_OF_ONE_BYTE = 255  # LZ4 expands a byte to at most this many, Snappy to fewer; small input cannot reach the limit

_COMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "lz4": lambda data: bytes(cramjam.lz4.compress(data)),
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
}


def _lz4(data: bytes, largest: int) -> bytes:
    if len(data) * _MOST_OF_ONE_BYTE <= largest:
        return bytes(cramjam.lz4.decompress(data))
    room = bytearray(largest)
    try:
        return bytes(room[: cramjam.lz4.decompress_into(data, room)])
    except cramjam.DecompressionError as e:
        if "write whole buffer" in str(e):
            raise _too_large("lz4", largest) from None
        raise


def _snappy(data: bytes, largest: int) -> bytes:
    declared = cramjam.snappy.decompress_raw_len(data)
    if declared > _MOST_OF_ONE_BYTE * len(data):
        raise Rejected("syntax", f"not snappy data: {len(data)} bytes declare {declared}")
    if declared > largest:
        raise _too_large("snappy", largest)
    return bytes(cramjam.snappy.decompress_raw(data))


def _too_large(kind: str, largest: int) -> TooLarge:
    return TooLarge(f"more than {largest} bytes in {kind} data: a larger max-message-bytes allows more")


_DECOMPRESS: Mapping[str, Callable[[bytes, int], bytes]] = {
    "none": lambda data, largest: data,
    "lz4": _lz4,
    "snappy": _snappy,
}


def compress(kind: str, data: bytes) -> bytes:
    """Compress `data`; `kind` is one of `KINDS`."""
    return _COMPRESS[kind](data)


def largest_of(options: Any) -> int:
    """The size limit of a decompressed message, in bytes, under the options of a protocol."""
    given: int = options.max_message_bytes
    return max(LARGEST, given)


def decompress(kind: str, data: bytes, largest: int = LARGEST) -> bytes:
    """Decompress `data`; `kind` is one of `KINDS`.

    Raises `Rejected` (class `syntax`) for data of another kind, `TooLarge` if the result exceeds `largest` bytes; no
    more memory than that is used.
    """
    try:
        return _DECOMPRESS[kind](data, largest)
    except cramjam.DecompressionError as e:
        raise Rejected("syntax", f"not {kind} data: {e}") from None
