"""Reads the members of a payload other than its rows, checking presence and JSON kind but not meaning.

[DBZ-041 … DBZ-044, DBZ-320, DBZ-401]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reference_impl.connect_json import IMAGES, ROW_OPS
from reference_impl.exact_json import Tree
from reference_impl.faults import Faults
from reference_impl.tso import MAX_TSO

__all__ = ["TRUNCATE", "WATERMARK", "Source", "read_ddl", "read_images", "read_op", "read_source"]

WATERMARK = "m"
TRUNCATE = "t"  # only in the imitated connector

_CHANGE_TYPES = frozenset({"CREATE", "ALTER", "DROP"})
_MAX_INT64 = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Source:
    """The members of `source` that an event needs."""

    schema: str
    table: str  # empty for a statement about a schema, and for a watermark
    commit_ts: int | None  # a TSO
    start_ts: int | None  # a TSO


def read_source(payload: Mapping[str, Tree], faults: Faults) -> Source | None:
    """The `source` of a payload, None if it is not an object; also checks the wall clock beside it."""
    source = payload.get("source")
    if not isinstance(source, dict):
        faults.add("schema", "'source' is missing or not an object")
        return None
    schema, table = source.get("db"), source.get("table")
    if not isinstance(schema, str):
        faults.add("schema", "'source.db' is missing or not a string")
        schema = ""
    if not isinstance(table, str):
        # In the imitated connector a statement about a schema has no table.
        if table is not None or "op" in payload:
            faults.add("schema", "'source.table' is missing or not a string")
        table = ""
    for name in ("name", "cluster_id", "connector", "version"):
        if not isinstance(source.get(name, ""), str):
            faults.add("schema", f"'source.{name}' is not a string")
    commit_ts = source.get("commit_ts")
    if commit_ts is None and "commit_ts" in source:
        faults.add("schema", "'source.commit_ts' is null")
    _integer(faults, "ts_ms", payload.get("ts_ms"), 0, _MAX_INT64)
    _integer(faults, "source.ts_ms", source.get("ts_ms"), 0, _MAX_INT64)
    start_ts = _integer(faults, "source.start_ts", source.get("start_ts"), -1, MAX_TSO)
    return Source(
        schema,
        table,
        _integer(faults, "source.commit_ts", commit_ts, 0, MAX_TSO),
        start_ts if start_ts is not None and start_ts > 0 else None,  # -1 and 0 are read as unknown
    )


def read_op(payload: Mapping[str, Tree], faults: Faults) -> str | None:
    """`op`, None for a statement; an unknown operation is a fault of class `type`."""
    if "op" not in payload:
        faults.expect("ddl" in payload, "schema", "there is neither 'op' nor 'ddl'")
        return None
    op = payload["op"]
    if not isinstance(op, str):
        faults.add("schema", "'op' is not a string")
    elif op not in ROW_OPS and op not in (WATERMARK, TRUNCATE):
        faults.add("type", f"op is {op!r}")
    return str(op)


def read_images(payload: Mapping[str, Tree], op: str, faults: Faults) -> tuple[Tree, Tree]:
    """`before` and `after` of a row event, None for an image that is null or absent."""
    images = payload.get("before"), payload.get("after")
    for name, image in zip(("before", "after"), images, strict=True):
        if image is not None and not isinstance(image, dict):
            faults.add("schema", f"{name!r} is not an object")
    needed, forbidden = IMAGES[op]
    if payload.get(needed) is None:
        if needed in payload:
            faults.add("semantics", f"{needed!r} of op {op!r} is null")
        else:
            faults.add("schema", f"there is no member {needed!r}")
    if forbidden is not None and payload.get(forbidden) is not None:
        faults.add("semantics", f"op {op!r} has a member {forbidden!r}")
    return images


def read_ddl(payload: Mapping[str, Tree], source: Source, faults: Faults) -> tuple[str, Sequence[Tree]]:
    """The statement, and the elements of `tableChanges`.  [DBZ-301]"""
    query, database, changes = payload.get("ddl"), payload.get("databaseName"), payload.get("tableChanges")
    if faults.expect(isinstance(query, str), "schema", "'ddl' is not a string"):
        faults.expect(query != "", "semantics", "a DDL message without a statement")
    if faults.expect(database is None or isinstance(database, str), "schema", "'databaseName' is not a string"):
        same = database in (None, source.schema)
        faults.expect(same, "semantics", f"databaseName is {database!r}, source.db is {source.schema!r}")
    if not isinstance(changes, list):
        faults.add("schema", "'tableChanges' is missing or not an array")
        changes = []
    for change in changes:
        _check_table_change(change, faults)
    return str(query), changes


def _check_table_change(change: Tree, faults: Faults) -> None:
    if not faults.expect(isinstance(change, dict), "schema", "a table change is not an object"):
        return
    for name in ("type", "id"):
        faults.expect(isinstance(change.get(name), str), "schema", f"'tableChanges.{name}' is missing or not a string")
    table = change.get("table")
    faults.expect(table is None or isinstance(table, dict), "schema", "'tableChanges.table' is not an object")
    if isinstance(change.get("type"), str):
        faults.expect(change["type"] in _CHANGE_TYPES, "type", f"a table change has the type {change['type']!r}")


def _integer(faults: Faults, name: str, value: Tree, least: int, most: int) -> int | None:
    """The number in a member, None for a missing or null member and after a fault."""
    if value is None:
        return None
    if type(value) is int:
        if least <= value <= most:
            return value
        faults.add("range", f"{name} is {value}")
    elif isinstance(value, (str, bool, list, dict)):
        faults.add("schema", f"{name!r} has the wrong JSON kind")
    else:
        faults.add("type", f"{name} is not an integer")
    return None
