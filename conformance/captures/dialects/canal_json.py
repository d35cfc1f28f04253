"""What Canal-JSON messages show of their stream.  [CJ-010 … CJ-052]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.captures.dialects.model import (
    IN_STORAGE,
    KEY_ONLY,
    LARGE,
    Contradiction,
    Dialect,
    Refusals,
    Tree,
    ids,
    options_of_location,
    requirements_of_families,
)
from reference_impl.canal_json.types import read_mysql_type
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.model import Column, DdlEvent, Event, RowChange, Table
from reference_impl.tso import LOGICAL_BITS

__all__ = ["CANAL_JSON"]

# One action for each `type` of a DDL message: the message shows no more.  [CJ-601 … CJ-609]
_ACTION_OF_TYPE: Mapping[str, int] = {
    "CREATE": 3,
    "ERASE": 4,
    "TRUNCATE": 11,
    "RENAME": 14,
    "CINDEX": 7,
    "DINDEX": 8,
    "ALTER": 5,
    "QUERY": 1,
}


def _rows(value: Any, name: str) -> list[Mapping[str, Any]]:
    """The rows in `data` or `old`; empty for a member that is not a list."""
    rows = value.get(name) if isinstance(value, Mapping) else None
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _hints(tree: Tree) -> Mapping[str, str]:
    value = tree["value"]
    if not isinstance(value, Mapping):
        return {}
    hints: dict[str, str] = {}
    tidb = value.get("_tidb")
    if isinstance(tidb, Mapping):
        hints["enable-tidb-extension"] = "true"
        if tidb.get("onlyHandleKey") is True:
            hints[LARGE] = "handle-key-only"
        if isinstance(tidb.get("claimCheckLocation"), str):
            hints |= options_of_location(tidb["claimCheckLocation"])
    types = value.get("mysqlType")
    if isinstance(types, Mapping) and any("(" in str(text) for text in types.values()):
        hints["content-compatible"] = "true"
    old, data = _rows(value, "old"), _rows(value, "data")
    if value.get("type") == "UPDATE" and old and data and old[0].keys() < data[0].keys():
        hints["only-output-updated-columns"] = "true"
    return hints


def _table_of(tree: Tree) -> Table | None:
    value = tree["value"]
    data, types = _rows(value, "data"), value["mysqlType"]
    if value["isDdl"] or not data:
        return None
    key = value["pkNames"] or ()
    columns = (Column(name, read_mysql_type(types[name]).column_type, nullable=name not in key) for name in data[0])
    return Table(value["database"], value["table"], tuple(columns), tuple(name for name in key if name in data[0]))


def _completed(event: Event, tree: Tree) -> Event:
    value = tree["value"]
    if event.commit_ts is None:
        event = replace(event, commit_ts=value["es"] << LOGICAL_BITS)
    if isinstance(event, DdlEvent):
        event = replace(event, action_code=_ACTION_OF_TYPE.get(value["type"]))
    if isinstance(event, RowChange) and event.before is not None and event.after is not None:
        # A column that `old` leaves out did not change.  [CJ-504]
        event = replace(event, before={name: event.before.get(name, event.after[name]) for name in event.after})
    return event


def _reduced(tree: Tree) -> str:
    tidb = tree["value"].get("_tidb") if isinstance(tree["value"], Mapping) else None
    if not isinstance(tidb, Mapping):
        return ""
    if "claimCheckLocation" in tidb:
        return IN_STORAGE
    return KEY_ONLY if tidb.get("onlyHandleKey") else ""


def _contradictions(tree: Tree) -> Iterator[Contradiction]:
    """Names in `pkNames` that are not columns of the row.  [CJ-020]"""
    value = tree["value"]
    data, key = _rows(value, "data"), value["pkNames"]
    unknown = [name for name in key or () if name not in data[0]] if data else []
    if unknown:
        yield Contradiction("CJ-020", "value.pkNames", [name for name in key if name in data[0]], unknown)


_VALUE_REQUIREMENTS: Mapping[Family, str] = {
    **dict.fromkeys(INTEGERS, "CJ-034b"),
    **dict.fromkeys(TEXT, "CJ-397"),
    **dict.fromkeys(BINARY, "CJ-398"),
    Family.FLOAT: "CJ-383",
    Family.DOUBLE: "CJ-384",
    Family.DECIMAL: "CJ-388",
    Family.BIT: "CJ-389",
    Family.ENUM: "CJ-390",
    Family.SET: "CJ-391",
    Family.DATE: "CJ-392",
    Family.DATETIME: "CJ-393",
    Family.TIMESTAMP: "CJ-394",
    Family.TIME: "CJ-395",
    Family.YEAR: "CJ-396",
    Family.JSON: "CJ-400",
    Family.VECTOR: "CJ-401",
}

# For integers, the requirement on signed ones.
_CODES = requirements_of_families("canal-json", "value.sqlType.{column}", (), ("!is_integer_unsigned",))


def _rule_of_code(column_type: ColumnType) -> str:
    """The requirement on the code of a type; that of an unsigned integer depends on the value too."""
    if column_type.unsigned and column_type.family in INTEGERS:
        return "CJ-340"
    return _CODES.get(column_type.family, "CJ-340")


_REFUSALS = Refusals(
    (
        (r"^a row (of .* )?(lacks the|has no) column", "CJ-032"),
        (r"^not (lz4|snappy) data", "CJ-106"),
        (r"^the message is not an object", "CJ-207"),
        (r"doubled member", "CJ-010b"),
        (r"_tidb\.commitTs", "CJ-042"),
        (r"_tidb\.watermarkTs", "CJ-046"),
        (r"_tidb\.onlyHandleKey", "CJ-043"),
        (r"_tidb\.claimCheckLocation", "CJ-044"),
        (r"'_tidb'", "CJ-040"),
        (r"^there is no member", "CJ-010"),
        (r"^'(database|table|type|sql|isDdl|pkNames)' has the wrong JSON kind", "CJ-010c"),
        (r"^'?(id|es|ts)'? (has|is)", "CJ-014"),
        (r"^'?data'? (has|does)", "CJ-032"),
        (r"^'?old'? (has|does)|^an UPDATE has no old", "CJ-501"),
        (r"have other columns$|^'(sqlType|mysqlType)' has", "CJ-030a"),
        (r"^sqlType\.(?P<column>.*) is -?\d+, expected", _rule_of_code),
        (r"^sqlType\.", "CJ-340"),
        (r"^(data|old)\..* is not a JSON string$", "CJ-034"),
        (r"^(data|old)\.(?P<column>.*?): ", _VALUE_REQUIREMENTS),
        (r"^'.*'(: | is not a mysqlType)", "CJ-351"),
        (r"^type '.*' with isDdl false", "CJ-016"),
        (r"^type '.*' with isDdl true", "CJ-010d"),
        (r"^an INSERT has an old", "CJ-502a"),
        (r"^a DELETE has another old", "CJ-502"),
        (r"^a DDL message without a statement", "CJ-620"),
        (r"^(TIDB_WATERMARK has|a watermark with)", "CJ-052"),
        (r"^\w+ has a \w+", "CJ-010f"),
        (r"^pkNames", "CJ-020"),
    ),
    unreadable="CJ-207",
    wrong="CJ-881",
)

CANAL_JSON = Dialect(
    body=lambda record: record.value or b"",
    hints=_hints,
    refusals=_REFUSALS,
    # No record shows the kind of statement behind `type`, whether an update was split, or the zone; the partition of a
    # message is judged between records.
    unknown=ids("CJ", *range(601, 611), 111, 140, "051", "051a"),
    unknown_without_tables=ids("CJ", 20, 21, 23, 30, "030a", 33, 37, 104, 112, *range(360, 379)),
    unknown_without_time=ids("CJ", 660),
    table_of=_table_of,
    completed=_completed,
    reduced=_reduced,
    contradictions=_contradictions,
)
