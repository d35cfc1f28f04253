"""Reads the documents of a record, and the members of a payload other than its rows, and checks their JSON kinds.

[DBZ-041 … DBZ-044, DBZ-350, DBZ-700]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reference_impl.connect_json import IMAGES, Document
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree, loads, loads_strict
from reference_impl.faults import Faults
from reference_impl.model import Record

__all__ = ["SourceBlock", "position_of", "read_document", "read_images", "read_source", "second_times"]


# Members of `source`: JSON kind, and whether null is permitted.
_SOURCE: Mapping[str, tuple[type, bool]] = {
    **dict.fromkeys(("version", "connector", "name", "db", "file"), (str, False)),
    **dict.fromkeys(("snapshot", "sequence", "table", "gtid", "query"), (str, True)),
    **dict.fromkeys(("ts_ms", "server_id", "pos", "row"), (int, False)),
    "thread": (int, True),
}
_FINE_TIMES = ("ts_us", "ts_ns")
_MAX_INT64 = 2**63 - 1


def read_document(part: str, data: bytes, schemas: bool, faults: Faults) -> Document | None:
    """The document in `data`, None after a fault.

    Faults: class `framing` for zero bytes, `syntax` for malformed JSON, `schema` for a duplicate member or a wrong JSON
    kind, and if the document has a schema but `schemas` is false, or the reverse.
    """
    if not faults.expect(data != b"", "framing", f"a {part} of zero bytes"):
        return None
    try:
        tree = loads_strict(data)
    except Rejected as e:
        faults.add(e.reason, f"{part}: {e.message}")
        return None
    if not faults.expect(isinstance(tree, dict), "schema", f"the {part} is not an object"):
        return None
    if not schemas:
        wrapped = tree.keys() == {"schema", "payload"}
        return Document(tree, None) if faults.expect(not wrapped, "schema", f"the {part} has a schema") else None
    for name in ("schema", "payload"):
        is_object = isinstance(tree.get(name), dict)
        if not faults.expect(is_object, "schema", f"the {part} has no object {name!r}: schemas.enable is true"):
            return None
    return Document(tree["payload"], tree["schema"])


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """The members of `source` that a reader needs."""

    schema: str
    table: str  # empty if the event names no table
    snapshot: bool  # whether the event is of a snapshot


def _integer(faults: Faults, name: str, value: Tree) -> None:
    if type(value) is int:
        faults.expect(0 <= value <= _MAX_INT64, "range", f"{name} is {value}")
    elif isinstance(value, (str, bool, list, dict)) or value is None:
        faults.add("schema", f"{name!r} has the wrong JSON kind")
    else:
        faults.add("type", f"{name} is not an integer")


def read_source(payload: Mapping[str, Tree], fine: bool, faults: Faults) -> SourceBlock | None:
    """`source` of a payload, None without such an object; also checks the payload's times.

    `fine` requires microseconds and nanoseconds.
    """
    source = payload.get("source")
    if not isinstance(source, dict):
        faults.add("schema", "'source' is missing or not an object")
        return None
    members = {**_SOURCE, **dict.fromkeys(_FINE_TIMES, (int, False))} if fine else _SOURCE
    for name, (kind, nullable) in members.items():
        value = source.get(name)
        if name not in source:
            faults.add("schema", f"'source.{name}' is missing")
        elif value is None:
            faults.expect(nullable, "schema", f"'source.{name}' is null")
        elif kind is int:
            _integer(faults, f"source.{name}", value)
        else:
            faults.expect(isinstance(value, kind), "schema", f"'source.{name}' is not a string")
    for name in ("ts_ms", *(_FINE_TIMES if fine and "op" in payload else ())):
        _integer(faults, name, payload.get(name))
    schema, table, mark = source.get("db"), source.get("table"), source.get("snapshot")
    return SourceBlock(
        schema if isinstance(schema, str) else "",
        table if isinstance(table, str) else "",
        mark not in (None, "false", "incremental"),
    )


def read_images(payload: Mapping[str, Tree], op: str, faults: Faults) -> tuple[Tree, Tree]:
    """`before` and `after` of a row event; every message has both members."""
    images = payload.get("before"), payload.get("after")
    for name, image in zip(("before", "after"), images, strict=True):
        faults.expect(name in payload, "schema", f"there is no member {name!r}")
        faults.expect(image is None or isinstance(image, dict), "schema", f"{name!r} is not an object")
    needed, forbidden = IMAGES[op]
    if needed in payload:
        faults.expect(payload[needed] is not None, "semantics", f"{needed!r} of op {op!r} is null")
    if forbidden is not None:
        faults.expect(payload.get(forbidden) is None, "semantics", f"op {op!r} has a member {forbidden!r}")
    block = payload.get("transaction")
    faults.expect(block is None or isinstance(block, dict), "schema", "'transaction' is not an object")
    if isinstance(block, dict):
        faults.expect(isinstance(block.get("id"), str), "schema", "'transaction.id' is missing or not a string")
    return images


def _times(payload: Mapping[str, Tree]) -> dict[str, object]:
    return {name: str(payload[name]) for name in ("ts_ms", *_FINE_TIMES) if payload.get(name) is not None}


def _run_id(record: Record) -> str | None:
    for name, value in record.headers:
        if name == "__debezium.context.runId" and value is not None:
            document = loads(value)
            run_id = document.get("payload") if isinstance(document, dict) else document
            return run_id if isinstance(run_id, str) else None
    return None


def position_of(payload: Mapping[str, Tree], record: Record) -> dict[str, object]:
    """The position of an event, in the form that the encoder reads."""
    source = payload["source"]
    in_source: dict[str, object] = {
        name: source[name] if isinstance(source[name], str) else str(source[name])
        for name in ("ts_ms", *_FINE_TIMES, "gtid", "file", "pos", "thread")
        if source.get(name) is not None
    }
    position = {**_times(payload), "source": in_source}
    block = payload.get("transaction")
    if isinstance(block, dict):
        position["transaction"] = block["id"]
    if (run := _run_id(record)) is not None:
        position["run_id"] = run
    return position


def second_times(position: Mapping[str, object]) -> dict[str, object]:
    """The members in which the position of the second payload of an update differs from the first."""
    return {name: position[name] for name in ("ts_ms", *_FINE_TIMES) if name in position}
