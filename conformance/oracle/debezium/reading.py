"""Takes Debezium JSON records apart, without the reference decoder.

The lists `fields` of a schema and `columns` of a table become objects with a member for each element, by name:
`value.schema.fields.after.fields.c.type`, `value.payload.tableChanges[0].table.columns.c.jdbcType`. An element without
a name has its position, `[2]`; a name that occurs twice is a doubled member; the order of members is that of the list.

The message of a rejection begins with a phrase for its reason, which predicates recognize.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from conformance.oracle.rules import NO_SCHEMAS, Message, Reading, Schemas
from reference_impl import exact_json
from reference_impl.compression import DECOMPRESSED_LIMIT, decompress, decompressed_limit
from reference_impl.errors import Rejected, TooLarge
from reference_impl.exact_json import Object
from reference_impl.model import Record

__all__ = ["COMPRESSION", "NO_VALUE", "kind_sent", "read", "start_sent"]

NO_VALUE = "a record without a value"
COMPRESSION = "compression"

# The stand-in for a malformed list.
_NO_LIST = "not an array"


def _rebuilt(tree: dict[str, Any], change: Callable[[str, Any], Any]) -> Object:
    """The object with `change` applied to its members; doubled members stay doubled."""
    rebuilt = Object([(name, change(name, part)) for name, part in tree.items()])
    rebuilt.doubled = tree.doubled if isinstance(tree, Object) else ()
    return rebuilt


def _by_name(parts: Any, member: str, change: Callable[[Any], Any]) -> Any:
    """A list of objects as one object; the member `member` of each is its name there."""
    if not isinstance(parts, list):
        return _NO_LIST
    pairs = []
    for i, part in enumerate(parts):
        name = part.get(member) if isinstance(part, dict) else None
        pairs.append((name if isinstance(name, str) else f"[{i}]", change(part)))
    return Object(pairs)


def _schema(tree: Any) -> Any:
    if not isinstance(tree, dict) or not ("fields" in tree or "items" in tree):
        return tree

    def member(name: str, part: Any) -> Any:
        if name == "fields":
            return _by_name(part, "field", _schema)
        return _schema(part) if name == "items" else part

    return _rebuilt(tree, member)


def _table(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    return _rebuilt(tree, lambda name, part: _by_name(part, "name", lambda c: c) if name == "columns" else part)


def _change(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    return _rebuilt(tree, lambda name, part: _table(part) if name == "table" else part)


def _payload(tree: Any) -> Any:
    """A payload; only that of a DDL message has an array, its `tableChanges`."""
    changes = tree.get("tableChanges") if isinstance(tree, dict) else None
    if not isinstance(changes, list):
        return tree
    return _rebuilt(tree, lambda name, part: [_change(c) for c in part] if name == "tableChanges" else part)


def _document(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    parts: dict[str, Callable[[Any], Any]] = {"payload": _payload, "schema": _schema}
    return _rebuilt(tree, lambda name, part: parts[name](part) if name in parts else part)


def _unpacked(compression: str, part: str, data: bytes, largest: int = DECOMPRESSED_LIMIT) -> tuple[str, bytes]:
    """(compression found, the text) of a part; `compression` is the configured one."""
    if compression == "none":
        return "none", data
    try:
        return compression, decompress(compression, data, largest)
    except (Rejected, TooLarge) as e:
        if data.lstrip()[:1] == b"{":
            return "none", data
        raise Rejected("framing", f"{COMPRESSION}: the {part} is {e}") from None


def _loaded(part: str, data: bytes) -> tuple[Any, str]:
    try:
        return _document(exact_json.loads(data)), data.decode()
    except Rejected as e:
        raise Rejected("syntax", f"the {part}: {e.message}") from None


def _identity(tree: dict[str, Any]) -> str | None:
    """The payloads of a message without the wall clock, which is free; None unless all parts have a payload."""
    payloads = [part.get("payload") if isinstance(part, dict) else None for part in tree.values()]
    if not all(isinstance(payload, dict) for payload in payloads):
        return None
    members = [{name: part for name, part in payload.items() if name != "ts_ms"} for payload in payloads if payload]
    return json.dumps(members, sort_keys=True, default=str)


def read(record: Record, options: Any, schemas: Schemas = NO_SCHEMAS) -> Reading:
    """Take a record apart into its single message `{"key": …, "value": …}`; a missing key is left out.

    The frame has the names of `headers`, and `compression`. Raises `Rejected`: class `framing` if there is no value or
    a part cannot be decompressed, `syntax` if a part is not JSON.
    """
    if not record.value:
        raise Rejected("framing", NO_VALUE)
    configured = options.large_message_handle_compression
    tree, texts, compressions = {}, {}, {}
    for part, data in (("key", record.key), ("value", record.value)):
        if data is not None:
            compressions[part], text = _unpacked(configured, part, data, decompressed_limit(options))
            tree[part], texts[part] = _loaded(part, text)
    frame = {
        "headers": [name for name, _ in record.headers],
        "compression": configured
        if {*compressions.values()} == {configured}
        else ", ".join(f"{part}: {found}" for part, found in compressions.items()),
    }
    return Reading((Message(tree, texts, identity=_identity(tree)),), frame)


@lru_cache(maxsize=4096)
def _sent(value: bytes, compression: str) -> tuple[str, int | None]:
    tree = exact_json.loads(_unpacked(compression, "value", value)[1])
    payload = tree.get("payload", tree) if isinstance(tree, dict) else None
    members = payload if isinstance(payload, dict) else {}
    op, source = members.get("op"), members.get("source")
    start_ts = source.get("start_ts") if isinstance(source, dict) else None
    kind = "ddl" if op is None else "watermark" if op == "m" else "row"
    return kind, start_ts if isinstance(start_ts, int) and start_ts >= 0 else None


def kind_sent(value: bytes, compression: str) -> str:
    """The kind of event in the value of a record: `row`, `ddl` or `watermark`. Raises as `read` does."""
    return _sent(value, compression)[0]


def start_sent(value: bytes, compression: str) -> int | None:
    """The start time stamp in the value of a record; None without one. Raises as `read` does."""
    return _sent(value, compression)[1]
