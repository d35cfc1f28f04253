"""Takes Open Protocol records apart, without the reference decoder.

The code shares only exact JSON with the reference decoder. The message of a rejection begins with a phrase for its
reason; the predicate `fault` recognizes it.
"""

from __future__ import annotations

import base64
from typing import Any

from conformance.oracle.rules import NO_SCHEMAS, Message, Reading, Schemas
from reference_impl import exact_json
from reference_impl.compression import COMPRESSIONS, decompress, decompressed_limit
from reference_impl.errors import Rejected, TooLarge
from reference_impl.model import Claim, Record

__all__ = [
    "BEYOND_64_BITS",
    "COMPRESSED_KEY",
    "COMPRESSION",
    "DDL_VALUE",
    "EVENT_KEY",
    "KEY_LAYOUT",
    "NOT_UTF8",
    "PAIRS",
    "RESOLVED_VALUE",
    "ROW_VALUE",
    "VALUE_LAYOUT",
    "VERSION",
    "read",
    "read_claim",
]

KEY_LAYOUT, VALUE_LAYOUT = "layout of the key", "layout of the value"
BEYOND_64_BITS = "a length that is no positive 64-bit number, or not big-endian"
VERSION = "version"
PAIRS = "keys and values do not pair"
RESOLVED_VALUE = "no length for the value of a resolved event"
EVENT_KEY, ROW_VALUE, DDL_VALUE = "event key", "row value", "DDL value"
NOT_UTF8 = f"{ROW_VALUE}: not UTF-8"
COMPRESSED_KEY, COMPRESSION = "compressed event key", "compression"

_KINDS = {1: "row", 2: "ddl", 3: "resolved"}
_COMPRESSIONS = [name for name in COMPRESSIONS if name != "none"]
_LARGEST = 1 << 31  # no record is larger: a larger length is malformed


def _bodies(data: bytes, layout: str) -> list[bytes]:
    """The bodies behind lengths of 8 bytes."""
    bodies, at = [], 0
    while at < len(data):
        if at + 8 > len(data):
            raise Rejected("framing", f"{layout}: {len(data) - at} bytes where a length should be")
        length = int.from_bytes(data[at : at + 8], "big")
        # A wrong length makes the next one begin amid text; only the first shows the order of bytes.
        is_little_endian = at == 0 and int.from_bytes(data[:8], "little") < _LARGEST
        if length >= _LARGEST and (length >> 63 or is_little_endian):
            raise Rejected("framing", f"{BEYOND_64_BITS}: {data[at : at + 8].hex()}")
        if at + 8 + length > len(data):
            raise Rejected("framing", f"{layout}: length {length}, but {len(data) - at - 8} bytes are left")
        bodies.append(data[at + 8 : at + 8 + length])
        at += 8 + length
    return bodies


def _kind(key: Any) -> str:
    number = key.get("t") if isinstance(key, dict) else None
    return _KINDS.get(number, "unknown") if isinstance(number, int) else "unknown"


def _json(data: bytes, what: str) -> tuple[Any, str]:
    try:
        return exact_json.loads(data), data.decode("utf-8")
    except Rejected as e:
        raise Rejected("syntax", f"{what}: {e.message}") from None


def _is_compressed_json(data: bytes, compression: str) -> bool:
    try:
        exact_json.loads(decompress(compression, data))
    except (Rejected, TooLarge):
        return False
    return True


def _key(data: bytes, compression: str) -> tuple[Any, str]:
    try:
        return _json(data, EVENT_KEY)
    except Rejected:
        if compression != "none" and _is_compressed_json(data, compression):
            raise Rejected("syntax", f"{COMPRESSED_KEY}: {compression}") from None
        raise


def _uncompressed(data: bytes, what: str) -> tuple[Any, str]:
    """(tree, text) of a value where no compression is configured."""
    try:
        return _json(data, what)
    except Rejected:
        for compression in _COMPRESSIONS:
            if _is_compressed_json(data, compression):
                raise Rejected("syntax", f"{COMPRESSION}: {compression}, which is not configured") from None
        raise


def _value(data: bytes, kind: str, options: Any) -> tuple[Any, str, str]:
    """(tree, text, compression found) of a value; compressed bytes may begin with a brace, too."""
    compression = options.large_message_handle_compression
    what = DDL_VALUE if kind == "ddl" else ROW_VALUE
    if compression == "none":
        return *_uncompressed(data, what), "none"
    try:
        return *_json(decompress(compression, data, decompressed_limit(options)), what), compression
    except (Rejected, TooLarge) as e:
        if data.lstrip()[:1] == b"{":
            return *_json(data, what), "none"
        raise Rejected("syntax", f"{COMPRESSION}: {e}") from None


def read(record: Record, options: Any, schemas: Schemas = NO_SCHEMAS) -> Reading:
    """Take a record apart into its events, messages with `key` and `value`; a resolved event has no value.

    The frame has the number of `events`, whether a DDL or resolved event is `alone`, the `compression` of values (with
    `none` if others are not compressed), the names of `headers`, and the `partition`, which is 0 unless the record
    names one. Raises `Rejected` (class `framing` or `syntax`) for an unreadable record.
    """
    key, value = record.key or b"", record.value
    if len(key) < 8:
        raise Rejected("framing", f"{KEY_LAYOUT}: {len(key)} bytes, too few for a version")
    if key[:8] != (1).to_bytes(8, "big"):
        raise Rejected("framing", f"{VERSION}: {key[:8].hex()}")
    keys = [_key(data, options.large_message_handle_compression) for data in _bodies(key[8:], KEY_LAYOUT)]
    kinds = [_kind(tree) for tree, _ in keys]
    if not value and "resolved" in kinds:
        raise Rejected("framing", f"{RESOLVED_VALUE}: {'no bytes' if value is None else 'zero bytes'}")
    values = _bodies(value or b"", VALUE_LAYOUT)
    if len(keys) != len(values):
        raise Rejected("framing", f"{PAIRS}: {len(keys)} keys, {len(values)} values")
    messages: list[Message] = []
    compressions: set[str] = set()
    for (key_tree, key_text), kind, data in zip(keys, kinds, values, strict=True):
        tree, texts = {"key": key_tree}, {"key": key_text}
        if data:
            tree["value"], texts["value"], compression = _value(data, kind, options)
            compressions.add(compression)
        location = key_tree.get("ccl") if isinstance(key_tree, dict) else None
        messages.append(Message(tree, texts, location if isinstance(location, str) else None))
    frame = {
        "events": len(messages),
        "alone": len(kinds) == 1 or not {"ddl", "resolved"}.intersection(kinds),
        "compression": "" if compressions <= {"none"} else ",".join(sorted(compressions)),
        "headers": [name for name, _ in record.headers],
        "partition": record.partition or 0,
    }
    return Reading(tuple(messages), frame)


def read_claim(claim: Claim, options: Any) -> Reading:
    """The message stored in a claim-check file.

    The frame has its `location`, the `compression` of its value, and the members beside `key` and `value`.
    """
    tree = exact_json.loads(claim.content)
    if not isinstance(tree, dict) or not all(isinstance(tree.get(part), str) for part in ("key", "value")):
        raise Rejected("schema", "not an object with the strings key and value")
    try:
        key, value = (base64.b64decode(tree.pop(part), validate=True) for part in ("key", "value"))
    except ValueError:
        raise Rejected("type", "key or value is not base64") from None
    inner = read(Record(key, value), options)
    return Reading(inner.messages, {"location": claim.location, "compression": inner.frame["compression"], **tree})
