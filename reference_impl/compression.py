"""Compression of message values, as `large-message-handle-compression` names it.  [CJ-136, OP-150]

LZ4 is the frame format, Snappy the raw block format. What is compressed, and when, is the protocol's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cramjam

from reference_impl.errors import Rejected

__all__ = ["KINDS", "compress", "decompress"]

KINDS = ("none", "lz4", "snappy")

_COMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "lz4": lambda data: bytes(cramjam.lz4.compress(data)),
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
}

_DECOMPRESS: Mapping[str, Callable[[bytes], bytes]] = {
    "none": bytes,
    "lz4": lambda data: bytes(cramjam.lz4.decompress(data)),
    "snappy": lambda data: bytes(cramjam.snappy.decompress_raw(data)),
}


def compress(kind: str, data: bytes) -> bytes:
    """`data` compressed; `kind` is one of `KINDS`."""
    return _COMPRESS[kind](data)


def decompress(kind: str, data: bytes) -> bytes:
    """`data` as it was before `compress`. Raises `Rejected` (class `syntax`) where it is not of that kind."""
    try:
        return _DECOMPRESS[kind](data)
    except cramjam.DecompressionError as e:
        raise Rejected("syntax", f"not {kind} data: {e}") from None
