"""Frames around Avro's bytes: Confluent's header, and the control messages of `avro-enable-watermark`.

[AV-015, AV-017, AV-130, AV-131]
"""

from __future__ import annotations

from reference_impl.errors import Rejected

__all__ = ["DDL", "DELETE", "HEADER_SIZE", "ROW", "WATERMARK", "header", "read_timestamp", "timestamp", "unframe"]

# The meaning of the first byte of a value.
ROW, DDL, WATERMARK, DELETE = 0, 1, 2, 3

HEADER_SIZE = 5
_TIMESTAMP_SIZE = 8
_MAX_ID = 2**31 - 1


def header(schema_id: int) -> bytes:
    """The five bytes before a record.  [AV-015]

    Raises `Rejected` (class `semantics`) for an impossible id.  [AV-172]
    """
    if not 0 < schema_id <= _MAX_ID:
        raise Rejected("semantics", f"{schema_id} is no schema id")
    return b"\0" + schema_id.to_bytes(4, "big")


def unframe(data: bytes, part: str) -> tuple[int, bytes]:
    """The schema id and the body of a key or value. Raises `Rejected` (class `framing`)."""
    if len(data) < HEADER_SIZE:
        raise Rejected("framing", f"{part} of {len(data)} bytes: the header alone has {HEADER_SIZE}")
    if data[0] != ROW:
        raise Rejected("framing", f"{part} begins with the byte {data[0]:#04x}, not with 0x00")
    return int.from_bytes(data[1:HEADER_SIZE], "big"), data[HEADER_SIZE:]


def timestamp(first_byte: int, commit_ts: int) -> bytes:
    """The value of a control message that holds a TSO. Its first byte is `WATERMARK` or `DELETE`."""
    return bytes((first_byte,)) + commit_ts.to_bytes(_TIMESTAMP_SIZE, "big")


def read_timestamp(data: bytes) -> int:
    """The TSO in a control message. Raises `Rejected` (class `framing`) for a wrong length."""
    if len(data) != 1 + _TIMESTAMP_SIZE:
        raise Rejected("framing", f"a control message of {len(data)} bytes, not {1 + _TIMESTAMP_SIZE}")
    return int.from_bytes(data[1:], "big")
