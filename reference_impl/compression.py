"""Compression of message values, as `large-message-handle-compression` names it.  [CJ-136, OP-150]

LZ4 means the frame format, Snappy the raw block format. Each protocol decides what it compresses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cramjam

from reference_impl.errors import Rejected, TooLarge
from reference_impl.options import SinkOptions

__all__ = ["COMPRESSIONS", "DECOMPRESSED_LIMIT", "compress", "decompress", "decompressed_limit"]

COMPRESSIONS = ("none", "lz4", "snappy")

DECOMPRESSED_LIMIT = 64 * 2**20
"""The size limit of a decompressed message in bytes, unless `max-message-bytes` is larger."""

_LARGEST_EXPANSION = 255  # bytes that LZ4 makes of one byte; Snappy makes fewer

_COMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "lz4": lambda data: bytes(cramjam.lz4.compress(data)),
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
}


def _lz4(data: bytes, largest: int) -> bytes:
    if len(data) * _LARGEST_EXPANSION <= largest:
        return bytes(cramjam.lz4.decompress(data))
    buffer = bytearray(largest)
    try:
        return bytes(buffer[: cramjam.lz4.decompress_into(data, buffer)])
    except cramjam.DecompressionError as e:
        if "write whole buffer" in str(e):
            raise _too_large("lz4", largest) from None
        raise


def _snappy(data: bytes, largest: int) -> bytes:
    declared = cramjam.snappy.decompress_raw_len(data)
    if declared > _LARGEST_EXPANSION * len(data):
        raise Rejected("syntax", f"not snappy data: {len(data)} bytes declare {declared}")
    if declared > largest:
        raise _too_large("snappy", largest)
    return bytes(cramjam.snappy.decompress_raw(data))


def _too_large(compression: str, largest: int) -> TooLarge:
    return TooLarge(f"more than {largest} bytes in {compression} data: a larger max-message-bytes allows more")


_DECOMPRESS: Mapping[str, Callable[[bytes, int], bytes]] = {
    "none": lambda data, largest: data,
    "lz4": _lz4,
    "snappy": _snappy,
}


def compress(compression: str, data: bytes) -> bytes:
    """Compress `data`; `compression` is one of `COMPRESSIONS`."""
    return _COMPRESS[compression](data)


def decompressed_limit(options: SinkOptions) -> int:
    """The size limit of a decompressed message in bytes, under these options."""
    return max(DECOMPRESSED_LIMIT, options.max_message_bytes)


def decompress(compression: str, data: bytes, largest: int = DECOMPRESSED_LIMIT) -> bytes:
    """Decompress `data`; `compression` is one of `COMPRESSIONS`.

    Raises `Rejected` (class `syntax`) for data in another form, `TooLarge` where the result exceeds `largest` bytes: no
    more are made. Data without compression has no limit.
    """
    try:
        return _DECOMPRESS[compression](data, largest)
    except cramjam.DecompressionError as e:
        raise Rejected("syntax", f"not {compression} data: {e}") from None
