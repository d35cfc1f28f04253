"""Answers for the tests of the Debezium JSON oracle: the reference's own with one thing changed, and who is blamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.cases.model import Case
from reference_impl import exact_json
from reference_impl.compression import compress, decompress
from reference_impl.model import Record
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.oracle import judging
from tests.unit.oracle.judging import Change, asked, ddl_event, options_of, row_event, table_and_row, with_records

EXTENDED = {"enable-tidb-extension": "true"}
BARE = {"debezium-disable-schema": "true"}
RAW = {"output-raw-change-event": "true"}
NO_OLD = {"debezium-output-old-value": "false"}
STARTED = {"debezium-include-start-ts": "true"}
NOW = Settings(cluster_id="my-cluster", now_ms=1_700_000_000_123)

TABLE, ROW = table_and_row(
    ("id", "int not null", "1"),
    ("ti", "tinyint", "-3", {"default": "5"}),
    ("bo", "tinyint(1)", "1"),
    ("su", "smallint unsigned", "65535"),
    ("iu", "int unsigned", "4294967295"),
    ("b", "bigint", "9007199254740993"),
    ("bu", "bigint unsigned", "18446744073709551615"),
    ("f", "float", "0.1"),
    ("g", "double", "0.25"),
    ("m", "decimal(10,2)", "1.50"),
    ("b1", "bit(1)", "1"),
    ("bt", "bit(10)", "513"),
    ("c", "varchar(20)", "y", {"default": "x"}),
    ("x", "text", "text"),
    ("q", "varbinary(20)", "AQL/"),
    ("e", "enum('a','b')", "b"),
    ("s", "set('a','b')", "a,b"),
    ("j", "json", '{"a": 1}'),
    ("d", "date", "2024-02-29"),
    ("dt", "datetime", "2024-02-29 01:02:03"),
    ("d6", "datetime(6)", "2024-02-29 01:02:03.456789"),
    ("w", "timestamp(3)", "2024-02-29 01:02:03.500"),
    ("tm", "time", "-01:02:03"),
    ("y", "year", "2024"),
    ("v", "vector(2)", "[1,0.5]"),
    ("gen", "int", "9", {"generated": "virtual"}),
    ("o", "int", None),
    primary_key=["id"],
)
CHANGED: dict[str, Any] = {
    "schema": "test",
    "name": "t",
    "primary_key": ["id"],
    "charset": "utf8mb4",
    "columns": [
        {"name": "id", "type": "int", "nullable": False, "auto_increment": True},
        {"name": "n", "type": "bigint", "nullable": True},
        {"name": "c", "type": "varchar(20)", "nullable": True, "default": "x", "comment": "a note", "charset": "utf8"},
        {"name": "e", "type": "enum('a','b')", "nullable": True, "charset": "utf8mb4"},
        {"name": "m", "type": "decimal(10,2)", "nullable": True},
        {"name": "g", "type": "int", "nullable": True, "generated": "stored"},
    ],
}

row = partial(row_event, base=ROW)
ddl = partial(ddl_event, after=CHANGED)
case_of = partial(asked, "debezium", table=TABLE, settings=NOW)


# -- answers -----------------------------------------------------------------------------------------------------------


def blamed(case: Case, answer: Mapping[str, Any], profile: Profile = NEWARCH) -> list[str]:
    """The requirements of the findings without `DBZ-`, each once, in order of their ids."""
    return [requirement.removeprefix("DBZ-") for requirement in judging.blamed(case, answer, profile)]


def with_message(case: Case, change: Change, profile: Profile = NEWARCH, at: int = 0) -> dict[str, Any]:
    """The reference's records with one message changed as a tree `{"key": …, "value": …}`; a part may become bytes."""
    kind = options_of(case).large_message_handle_compression

    def loaded(data: bytes | None) -> Any:
        assert data is not None
        return exact_json.loads(decompress(kind, data) if kind != "none" else data)

    def text(part: Any) -> bytes | None:
        if part is None or isinstance(part, bytes):
            return part
        data = exact_json.dumps(part).encode()
        return compress(kind, data) if kind != "none" else data

    def changed(records: list[Record]) -> list[Record]:
        tree: dict[str, Any] = {"key": loaded(records[at].key), "value": loaded(records[at].value)}
        untouched = {part: exact_json.dumps(tree[part]) for part in tree}
        change(tree)
        same = {
            part
            for part in tree
            if not isinstance(tree[part], bytes) and exact_json.dumps(tree[part]) == untouched[part]
        }
        key = records[at].key if "key" in same else text(tree["key"])
        value = records[at].value if "value" in same else text(tree["value"])
        records[at] = replace(records[at], key=key, value=value)
        return records

    return with_records(case, changed, profile)
