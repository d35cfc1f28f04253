"""What Avro records show of their stream, by their schemas in a registry.  [AV-015, AV-030 … AV-131]"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.captures.dialects.model import (
    Dialect,
    Refusals,
    Tree,
    fraction_of,
    ids,
    labels_of,
    members_of,
    with_unknown_before,
)
from reference_impl.column_types import ColumnType, Family, parse_column_type
from reference_impl.model import ABSENT, Column, Default, Record, Table

__all__ = ["AVRO"]

_EXTENSION = "enable-tidb-extension"
_MAGIC, _HEADER = 0, 5

# `tidb_type` → a column type that has it.
_COLUMN_TYPES: Mapping[str, str] = {
    "INT": "int",
    "INT UNSIGNED": "int unsigned",
    "BIGINT": "bigint",
    "BIGINT UNSIGNED": "bigint unsigned",
    "FLOAT": "float",
    "DOUBLE": "double",
    "DECIMAL": "decimal",
    "BIT": "bit",
    "TEXT": "longtext",
    "BLOB": "longblob",
    "DATE": "date",
    "DATETIME": "datetime",
    "TIMESTAMP": "timestamp",
    "TIME": "time",
    "YEAR": "year",
    "ENUM": "enum('')",
    "SET": "set('')",
    "JSON": "json",
    "TiDBVECTORFloat32": "vector",
}
_CLOCKS = frozenset({Family.DATETIME, Family.TIMESTAMP, Family.TIME})
_MOST_DIGITS = 65
# The SQL of a default does not matter: its existence decides the order of a union.  [AV-047, AV-048]
_SOME_DEFAULT: Mapping[Family, str] = {
    **dict.fromkeys((Family.LONGTEXT, Family.LONGBLOB, Family.JSON, Family.ENUM, Family.SET), ""),
    Family.DATE: "2000-01-01",
    Family.DATETIME: "2000-01-01 00:00:00",
    Family.TIMESTAMP: "2000-01-01 00:00:00",
    Family.TIME: "00:00:00",
    Family.YEAR: "2000",
    Family.VECTOR: "[]",
}


def _schema_ids(record: Record) -> tuple[int, ...]:
    """The schema ids in the headers of key and value."""
    framed = (data for data in (record.key, record.value) if data and len(data) >= _HEADER and data[0] == _MAGIC)
    return tuple(int.from_bytes(data[1:_HEADER], "big") for data in framed)


# -- options -----------------------------------------------------------------------------------------------------------


def _types(tree: Tree) -> Iterator[tuple[str, str]]:
    """`tidb_type` and Avro type of every column that a schema describes."""
    for part in ("key", "value"):
        for field in members_of(tree.get(part), "schema", "fields").values():
            avro_type = members_of(field, "type")
            yield str(members_of(avro_type, "connect.parameters").get("tidb_type")), str(avro_type.get("type"))


def _hints(tree: Tree) -> Mapping[str, str]:
    value = members_of(tree.get("value"))
    if "marker" in value:  # a watermark
        return {_EXTENSION: "true", "avro-enable-watermark": "true"}
    hints: dict[str, str] = {}
    if "_tidb_commit_ts" in members_of(value, "schema", "extension"):
        hints[_EXTENSION] = "true"
    if members_of(value, "schema", "before"):
        hints["avro-include-before-value"] = "true"
    for tidb_type, avro_type in _types(tree):
        if tidb_type == "DECIMAL":
            hints["avro-decimal-handling-mode"] = "string" if avro_type == "string" else "precise"
        if tidb_type == "BIGINT UNSIGNED":
            hints["avro-bigint-unsigned-handling-mode"] = "string" if avro_type == "string" else "long"
    return hints


# -- tables ------------------------------------------------------------------------------------------------------------


def _type(avro_type: Mapping[str, Any], values: Iterable[Any]) -> ColumnType | None:
    """The type of a column by its Avro type and the values in a message; None without a known `tidb_type`."""
    parameters = members_of(avro_type, "connect.parameters")
    text = _COLUMN_TYPES.get(str(parameters.get("tidb_type")))
    if text is None:
        return None
    if (text, avro_type.get("type")) == ("int unsigned", "int"):
        text = "mediumint unsigned"  # an INT would be a long  [AV-076, AV-078]
    column_type = parse_column_type(text)
    if column_type.family in _CLOCKS:
        return replace(column_type, length=fraction_of(*values))
    if column_type.family is Family.DECIMAL:
        if avro_type.get("type") == "string":
            scales = (len(str(value).partition(".")[2]) for value in values if value is not None)
            return replace(column_type, length=_MOST_DIGITS, scale=max(scales, default=0))
        return replace(column_type, length=int(avro_type["precision"]), scale=int(avro_type.get("scale", 0)))
    if column_type.family is Family.BIT:
        return replace(column_type, length=int(parameters["length"]))
    return replace(column_type, members=labels_of(parameters)) if column_type.members else column_type


def _default(column_type: ColumnType, field: Mapping[str, Any]) -> Default:
    return ABSENT if field.get("default") is None else _SOME_DEFAULT.get(column_type.family, "0")


def _columns(schema: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Iterator[Column]:
    for name, field in members_of(schema, "fields").items():
        column_type = _type(members_of(field, "type"), [row.get(name) for row in rows])
        if column_type is not None:
            is_nullable = field.get("nullable") != "no"
            yield Column(name, column_type, nullable=is_nullable, default=_default(column_type, field))


def _table_of(tree: Tree) -> Table | None:
    key, value = members_of(tree.get("key")), members_of(tree.get("value"))
    shown = value if "row" in value else key  # a delete has only a key
    if "row" not in shown:
        return None
    rows = [members_of(shown, name) for name in ("row", "before")]
    schema = shown["schema"]
    columns = tuple(_columns(schema, rows))
    in_key = members_of(key, "row")
    primary_key = tuple(column.name for column in columns if column.name in in_key)
    return Table(str(schema.get("namespace")).partition(".")[2], schema["name"], columns, primary_key)


# -- refusals -----------------------------------------------------------------------------------------------------

# `tidb_type` → the requirement on the Avro type of its columns.
_TYPE_REQUIREMENTS: Mapping[str, str] = {
    "INT": "AV-077",
    "INT UNSIGNED": "AV-078",
    "BIGINT": "AV-079",
    "BIGINT UNSIGNED": "AV-080",
    "DOUBLE": "AV-083",
    "DECIMAL": "AV-084",
    "BIT": "AV-086",
    "TEXT": "AV-087",
    "BLOB": "AV-088",
    "ENUM": "AV-089",
    "SET": "AV-090",
    "JSON": "AV-091",
    "DATE": "AV-092",
    "DATETIME": "AV-093",
    "TIMESTAMP": "AV-094",
    "TIME": "AV-095",
    "YEAR": "AV-096",
    "TiDBVECTORFloat32": "AV-097",
}

_REFUSALS = Refusals(
    (
        (r"^a row (of .* )?(lacks the|has no) column", "AV-003"),
        (r"fractional digits, decimal", "AV-084b"),
        (r"^a value that begins with 0x02|a watermark", "AV-130"),
        (r"^a value that begins with 0x01|DDL message|^doubled member|^not JSON", "AV-130a"),
        (r"^a value that begins with 0x03|^a delete with a time|control message", "AV-131"),
        (r"begins with|is empty|the header", "AV-015"),
        (r"has no 'length'|is a BIT of", "AV-086b"),
        (r"has no 'allowed'", "AV-089b"),
        (r"connect\.parameters, or", "AV-028a"),
        *((rf"tidb_type '{tidb_type}' as Avro", requirement) for tidb_type, requirement in _TYPE_REQUIREMENTS.items()),
        (r"logical decimal|a decimal of precision", "AV-084b"),
        (r"'_tidb_op' has the type", "AV-116a"),
        (r"'_tidb_commit_ts' has the type", "AV-117a"),
        (r"'_tidb_commit_physical_time' has the type", "AV-118a"),
        (r"^_tidb_op is", "AV-116"),
        (r"^_tidb_commit_physical_time", "AV-118"),
        (r"^a value (without|with only)", "AV-116c"),
        (r"^a key has fields", "AV-030"),
        (r"is a record$", "AV-003b"),
        (r"is no name of", "AV-037"),
        (r"of the key is not that|^a key of table", "AV-112"),
        (r"the row before it", "AV-121"),
        (r"that is not UTF-8", "AV-087b"),
        (r"after the record$|^the bytes end|no branch|no number of|a number of", "AV-019"),
    ),
    unreadable="AV-017",
    wrong="AV-206c",
)

AVRO = Dialect(
    body=None,
    hints=_hints,
    refusals=_REFUSALS,
    # No record shows whether an update was split, the earlier schema, or the number of registrations.
    unknown=ids("AV", "009", "009a", "007", "007a", "156", "156a", "190a", "094d"),
    unknown_paths=re.compile(r"^registry\.repeated"),
    # The columns are taken from the schema itself.
    unknown_without_tables=ids(
        "AV", 35, 37, 39, *range(45, 51), *range(55, 69), *range(75, 100), 104, 106, 110, 112, 113
    )
    | ids("AV", *(f"{number:03d}a" for number in (35, 37, 45, 66, *range(75, 98), 99, 110, 112)))
    | ids("AV", *(f"{number:03d}b" for number in (78, 82, 84, 86, 89, 90, 110, 112)), "082c"),
    unknown_paths_without_tables=re.compile(r"\.schema\..*\.default$"),
    table_of=_table_of,
    completed=with_unknown_before,
    schema_ids=_schema_ids,
)
