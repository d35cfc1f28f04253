"""Answers for the tests of the Open Protocol oracle: the reference's own with one thing changed, and who is blamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.cases.model import Case
from conformance.cases.normalise import dumps
from reference_impl import exact_json
from reference_impl.compression import compress, decompress
from reference_impl.model import Record
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import NEWARCH, Profile
from tests.unit.oracle import judging
from tests.unit.oracle.judging import Change, asked, ddl_event, options_of, row_event, with_records

TABLE: dict[str, Any] = {
    "schema": "test",
    "name": "t",
    "columns": [
        {"name": "id", "type": "int", "nullable": False},
        {"name": "n", "type": "bigint unsigned", "nullable": True},
        {"name": "m", "type": "decimal(10,2)", "nullable": True},
        {"name": "f", "type": "float", "nullable": True},
        {"name": "g", "type": "double", "nullable": True},
        {"name": "c", "type": "varchar(20)", "nullable": True},
        {"name": "q", "type": "varbinary(20)", "nullable": True},
        {"name": "b", "type": "blob", "nullable": True},
        {"name": "x", "type": "text", "nullable": True},
        {"name": "e", "type": "enum('a','b')", "nullable": True},
        {"name": "s", "type": "set('a','b')", "nullable": True},
        {"name": "j", "type": "json", "nullable": True},
        {"name": "w", "type": "timestamp(3)", "nullable": True},
        {"name": "y", "type": "year", "nullable": True},
        {"name": "k", "type": "int", "nullable": True},
        {"name": "gen", "type": "int", "nullable": True, "generated": "virtual"},
        {"name": "o", "type": "int", "nullable": True},
    ],
    "primary_key": ["id"],
    "unique_keys": [{"name": "u", "columns": ["k"]}],
    "indexes": [{"name": "i", "columns": ["m", "f"]}, {"name": "h", "columns": ["o"]}],
}
ROW: dict[str, Any] = {
    "id": "1",
    "n": "9007199254740993",
    "m": "1.50",
    "f": "0.1",
    "g": "0.5",
    "c": 'a<b "\u2028',
    "q": "iScKIlzCoPOggIF4",
    "b": "eA==",
    "x": "y",
    "e": "b",
    "s": "a,b",
    "j": '{"a": 1}',
    "w": "2024-01-02 03:04:05.600",
    "y": "2024",
    "k": "5",
    "gen": "1",
    "o": None,
}
row = partial(row_event, base=ROW, ts=7)
mark = partial(judging.mark, ts=7)
case_of = partial(asked, "open-protocol", table=TABLE)


def ddl(code: int = 5, table: str = "t") -> dict[str, Any]:
    """A DDL event."""
    return ddl_event(7, action_code=code, table=table)


def with_message(case: Case, change: Change, profile: Profile = NEWARCH, at: int = 0) -> dict[str, Any]:
    """The reference's records with one message changed as a tree `{"key": …, "value": …}`; a part may become bytes."""
    kind = options_of(case).large_message_handle_compression

    def changed(records: list[Record]) -> list[Record]:
        pairs = unframe(records[0].key, records[0].value)
        key, value = pairs[at]
        tree = {"key": exact_json.loads(key)}
        if value:
            tree["value"] = exact_json.loads(decompress(kind, value))
        before = {part: dumps(tree[part]) for part in tree}
        change(tree)
        if _changed(before, tree, "key"):
            key = _text(tree["key"])
        if _changed(before, tree, "value"):
            value = compress(kind, _text(tree["value"])) if "value" in tree else b""
        pairs[at] = key, value
        return [replace(records[0], **dict(zip(("key", "value"), frame(pairs), strict=True))), *records[1:]]

    return with_records(case, changed, profile)


def _changed(before: Mapping[str, str], tree: Mapping[str, Any], part: str) -> bool:
    now = tree.get(part)
    return isinstance(now, bytes) or before.get(part) != (dumps(now) if part in tree else None)


def _text(tree: Any) -> bytes:
    return tree if isinstance(tree, bytes) else dumps(tree).encode()


def put(path: str, value: Any) -> Change:
    """Set the member at a path of dots."""

    def change(tree: Any) -> None:
        *parents, name = path.split(".")
        for parent in parents:
            tree = tree[parent]
        tree[name] = value

    return change


def drop(path: str) -> Change:
    """Remove the member at a path of dots."""

    def change(tree: Any) -> None:
        *parents, name = path.split(".")
        for parent in parents:
            tree = tree[parent]
        del tree[name]

    return change
