"""Frames of a message: version and event keys in the record's key, event values in its value.

The contents of keys and values are not read here.  [OP-001 … OP-011]
"""

from __future__ import annotations

from collections.abc import Iterable

from reference_impl.errors import Rejected

__all__ = ["PAIR", "VERSION", "frame", "unframe"]

VERSION = (1).to_bytes(8, "big")
PAIR = 16  # bytes of the two lengths of an event


def frame(pairs: Iterable[tuple[bytes, bytes]]) -> tuple[bytes, bytes]:
    """The key and value of a message with these (event key, event value) pairs, in order."""
    key, value = bytearray(VERSION), bytearray()
    for event_key, event_value in pairs:
        key += len(event_key).to_bytes(8, "big") + event_key
        value += len(event_value).to_bytes(8, "big") + event_value
    return bytes(key), bytes(value)


def _take(data: bytes, at: int, part: str) -> tuple[bytes, int]:
    start = at + 8
    if start > len(data):
        raise Rejected("framing", f"{part}: {len(data) - at} bytes where a length of 8 should be")
    length = int.from_bytes(data[at:start], "big")
    if length >> 63:
        raise Rejected("framing", f"{part}: length {length} at byte {at} is beyond a signed 64-bit number")
    if length > len(data) - start:
        raise Rejected("framing", f"{part}: length {length} at byte {at}, but {len(data) - start} bytes are left")
    return data[start : start + length], start + length


def unframe(key: bytes | None, value: bytes | None) -> list[tuple[bytes, bytes]]:
    """The (event key, event value) pairs of a message.

    Raises `Rejected` (class `framing`) if lengths do not add up.
    """
    if key is None or value is None:
        raise Rejected("framing", f"the record has no {'key' if key is None else 'value'}")
    if len(key) < len(VERSION):
        raise Rejected("framing", f"short key: {len(key)} bytes, the version alone has {len(VERSION)}")
    if not key.startswith(VERSION):
        raise Rejected("framing", f"version {int.from_bytes(key[:8], 'big')}, not 1")
    pairs, k, v = [], len(VERSION), 0
    while k < len(key):
        event_key, k = _take(key, k, "key")
        event_value, v = _take(value, v, "value")
        pairs.append((event_key, event_value))
    if v < len(value):
        raise Rejected("framing", f"{len(value) - v} bytes of value are left when the keys are used up")
    return pairs
