"""Answers for the tests of the Open Protocol oracle: the reference's own with one thing changed, and who is blamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.cases.model import Case
from reference_impl import exact_json
from reference_impl.compression import compress, decompress
from reference_impl.model import Record
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import NEWARCH, Profile
from tests.unit.oracle import judging
from tests.unit.oracle.judging import Change, asked, ddl_event, options_of, row_event, table_and_row, with_records

TABLE, ROW = table_and_row(
    ("id", "int not null", "1"),
    ("n", "bigint unsigned", "9007199254740993"),
    ("m", "decimal(10,2)", "1.50"),
    ("f", "float", "0.1"),
    ("g", "double", "0.5"),
    ("c", "varchar(20)", 'a<b "\u2028'),
    ("q", "varbinary(20)", "iScKIlzCoPOggIF4"),
    ("b", "blob", "eA=="),
    ("x", "text", "y"),
    ("e", "enum('a','b')", "b"),
    ("s", "set('a','b')", "a,b"),
    ("j", "json", '{"a": 1}'),
    ("w", "timestamp(3)", "2024-01-02 03:04:05.600"),
    ("y", "year", "2024"),
    ("k", "int", "5"),
    ("gen", "int", "1", {"generated": "virtual"}),
    ("o", "int", None),
    primary_key=["id"],
    unique_keys=[{"name": "u", "columns": ["k"]}],
    indexes=[{"name": "i", "columns": ["m", "f"]}, {"name": "h", "columns": ["o"]}],
)
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
        before = {part: exact_json.dumps(tree[part]) for part in tree}
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
    return isinstance(now, bytes) or before.get(part) != (exact_json.dumps(now) if part in tree else None)


def _text(tree: Any) -> bytes:
    return tree if isinstance(tree, bytes) else exact_json.dumps(tree).encode()
