"""Encoders that describe columns wrongly: type, name, parameters.  [DBZ-051b … DBZ-131]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Message,
    Tree,
    Wrap,
    described,
    encoder,
    in_families,
    is_any,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, reference
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]

# -- types -------------------------------------------------------------------------------------------------------------


def _signed(*families: Family) -> Applies:
    return lambda column: column.type.family in families and not column.type.unsigned


def _unsigned(*families: Family) -> Applies:
    return lambda column: column.type.family in families and column.type.unsigned


def _bits(*, one: bool) -> Applies:
    return lambda column: column.type.family is Family.BIT and (column.type.bits == 1) == one


def _float(*, scaled: bool) -> Applies:
    return lambda column: column.type.family is Family.FLOAT and (column.type.scale is not None) == scaled


def _datetime(*, micro: bool) -> Applies:
    return lambda column: column.type.family is Family.DATETIME and (column.type.fsp > 3) == micro


def _is_boolean(column: Column) -> bool:
    return column.type.text == "tinyint(1)"


_DEBEZIUM = "io.debezium"

# (requirement, columns, which these are, schema type, schema name or None)
_WRONG_TYPES: tuple[tuple[str, str, Applies, str, str | None], ...] = (
    ("DBZ-100", "bit-1", _bits(one=True), "int16", None),
    ("DBZ-101", "bit", _bits(one=False), "int64", None),
    ("DBZ-102", "text", in_families(*TEXT), "bytes", None),
    ("DBZ-103", "binary", in_families(*BINARY), "bytes", None),
    ("DBZ-104", "enum", in_families(Family.ENUM), "int32", f"{_DEBEZIUM}.data.Enum"),
    ("DBZ-104", "enum-name", in_families(Family.ENUM), "string", f"{_DEBEZIUM}.data.EnumSet"),
    ("DBZ-105", "set", in_families(Family.SET), "string", f"{_DEBEZIUM}.data.Enum"),
    ("DBZ-106", "date", in_families(Family.DATE), "int32", "org.apache.kafka.connect.data.Date"),
    ("DBZ-106", "date-text", in_families(Family.DATE), "string", f"{_DEBEZIUM}.time.Date"),
    ("DBZ-107", "datetime-millis", _datetime(micro=False), "int64", f"{_DEBEZIUM}.time.MicroTimestamp"),
    ("DBZ-108", "datetime-micros", _datetime(micro=True), "int64", f"{_DEBEZIUM}.time.Timestamp"),
    ("DBZ-109", "timestamp", in_families(Family.TIMESTAMP), "string", f"{_DEBEZIUM}.time.Timestamp"),
    ("DBZ-109", "timestamp-count", in_families(Family.TIMESTAMP), "int64", f"{_DEBEZIUM}.time.ZonedTimestamp"),
    ("DBZ-110", "time", in_families(Family.TIME), "int64", f"{_DEBEZIUM}.time.Time"),
    ("DBZ-110", "time-millis", in_families(Family.TIME), "int32", f"{_DEBEZIUM}.time.MicroTime"),
    ("DBZ-111", "json", in_families(Family.JSON), "string", None),
    ("DBZ-112", "tinyint", lambda c: _signed(Family.TINYINT)(c) and not _is_boolean(c), "int8", None),
    ("DBZ-112", "tinyint-unsigned", _unsigned(Family.TINYINT), "int32", None),
    ("DBZ-112b", "boolean", _is_boolean, "boolean", None),
    ("DBZ-113", "smallint", _signed(Family.SMALLINT), "int32", None),
    ("DBZ-114", "smallint-unsigned", _unsigned(Family.SMALLINT), "int16", None),
    ("DBZ-115", "mediumint", in_families(Family.MEDIUMINT), "int16", None),
    ("DBZ-115", "mediumint-unsigned", _unsigned(Family.MEDIUMINT), "int64", None),
    ("DBZ-116", "int", _signed(Family.INT), "int64", None),
    ("DBZ-117", "int-unsigned", _unsigned(Family.INT), "int32", None),
    ("DBZ-118", "bigint", _signed(Family.BIGINT), "int32", None),
    ("DBZ-119", "bigint-unsigned", _unsigned(Family.BIGINT), "bytes", "org.apache.kafka.connect.data.Decimal"),
    ("DBZ-120", "float", _float(scaled=False), "double", None),
    ("DBZ-121", "float-scaled", _float(scaled=True), "float", None),
    ("DBZ-122", "double", in_families(Family.DOUBLE), "float", None),
    ("DBZ-123", "decimal", in_families(Family.DECIMAL), "bytes", "org.apache.kafka.connect.data.Decimal"),
    ("DBZ-123", "decimal-text", in_families(Family.DECIMAL), "string", None),
    ("DBZ-124", "year", in_families(Family.YEAR), "int32", None),
    ("DBZ-124", "year-wide", in_families(Family.YEAR), "int64", f"{_DEBEZIUM}.time.Year"),
    ("DBZ-125", "vector", in_families(Family.VECTOR), "array", f"{_DEBEZIUM}.data.FloatVector"),
    ("DBZ-125", "vector-name", in_families(Family.VECTOR), "string", None),
)


def _typed(word: str, name: str | None) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field["type"] = word
        if name is None:
            field.pop("name", None)
        elif "name" in field:
            field["name"] = name

    return edit


def _types() -> Iterator[Mutant]:
    for requirement, columns, applies, word, name in _WRONG_TYPES:
        yield encoder(
            f"type-{columns}",
            requirement,
            f"{columns} is described as {word}{f' named {name}' if name else ''}",
            described(applies, _typed(word, name)),
        )


# -- parameters --------------------------------------------------------------------------------------------------------


def _allowed(make: Callable[[str, Column], Any]) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field["parameters"]["allowed"] = make(field["parameters"]["allowed"], column)

    return edit


def _length(make: Callable[[str], Any]) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field["parameters"]["length"] = make(field["parameters"]["length"])

    return edit


def _without(member: str) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field.pop(member, None)

    return edit


def _with(member: str, value: Any) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field.setdefault(member, value)

    return edit


def _replaced(member: str, make: Callable[[Any], Any]) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        if member in field:
            field[member] = make(field[member])

    return edit


def _raw_labels(allowed: str, column: Column) -> str:
    return ",".join(column.type.members)


def _escaped_labels(allowed: str, column: Column) -> str:
    return ",".join(label.replace("'", "\\'") for label in column.type.members)


def _quoted_labels(allowed: str, column: Column) -> str:
    return ",".join(f"'{label}'" for label in column.type.members)


def _parameters() -> Iterator[Mutant]:
    enum, set_, bits = in_families(Family.ENUM), in_families(Family.SET), _bits(one=False)
    for requirement, name, description, applies, edit in (
        ("DBZ-101", "bit-length-number", "`length` of BIT is a number", bits, _length(int)),
        (
            "DBZ-101",
            "bit-length-bytes",
            "`length` of BIT is one of bytes",
            bits,
            _length(lambda n: str((int(n) + 7) // 8)),
        ),
        ("DBZ-101", "bit-parameters-lost", "BIT has no parameters", bits, _without("parameters")),
        ("DBZ-104b", "enum-sorted", "labels of ENUM are sorted", enum, _allowed(_sorted_labels)),
        (
            "DBZ-104b",
            "enum-list",
            "`allowed` of ENUM is an array",
            enum,
            _allowed(lambda allowed, column: list(column.type.members)),
        ),
        ("DBZ-104b", "enum-parameters-lost", "ENUM has no parameters", enum, _without("parameters")),
        ("DBZ-105b", "set-blank", "`allowed` of SET has blanks", set_, _allowed(_spaced_labels)),
        ("DBZ-105b", "set-parameters-lost", "SET has no parameters", set_, _without("parameters")),
        ("DBZ-131", "enum-raw", "labels of ENUM are not escaped", enum, _allowed(_raw_labels)),
        ("DBZ-131", "enum-quoted", "labels of ENUM are quoted", enum, _allowed(_quoted_labels)),
        ("DBZ-131a", "set-escaped", "labels of SET are escaped", set_, _allowed(_escaped_labels)),
        ("DBZ-131a", "set-quoted", "labels of SET are quoted", set_, _allowed(_quoted_labels)),
    ):
        yield encoder(f"parameters-{name}", requirement, description, described(applies, edit))


def _sorted_labels(allowed: str, column: Column) -> str:
    return ",".join(sorted(allowed.split(","), reverse=True))


def _spaced_labels(allowed: str, column: Column) -> str:
    return ", ".join(column.type.members)


# -- members -----------------------------------------------------------------------------------------------------------


def _is_named(column: Column) -> bool:
    return column.type.family is not Family.VECTOR


def _versioned(field: Tree, column: Column) -> None:
    if "name" in field:
        field["version"] = 2


def _name_last(field: Tree, column: Column) -> None:
    field["field"] = field.pop("field")
    field["optional"] = field.pop("optional")


def _null_default(field: Tree, column: Column) -> None:
    if column.nullable:
        field.setdefault("default", None)


def _zero_default(field: Tree, column: Column) -> None:
    if field["type"] in ("int16", "int32", "int64") and "name" not in field:
        field.setdefault("default", 0)


def _members() -> Iterator[Mutant]:
    yield encoder("column-order", "DBZ-054", "members of descriptions stand otherwise", described(is_any, _name_last))
    yield encoder("column-version", "DBZ-054a", "named descriptions have version 2", described(_is_named, _versioned))
    yield encoder(
        "column-version-lost", "DBZ-054a", "named descriptions have no version", described(is_any, _without("version"))
    )
    yield encoder(
        "vector-version",
        "DBZ-125",
        "VECTOR has version 1",
        described(in_families(Family.VECTOR), _with("version", 1)),
    )
    yield encoder(
        "column-always-optional",
        "DBZ-055",
        "every column is optional",
        described(is_any, _replaced("optional", lambda given: True), "before after"),
    )
    yield encoder(
        "column-never-optional",
        "DBZ-055",
        "no column is optional",
        described(is_any, _replaced("optional", lambda given: False)),
    )
    yield encoder(
        "column-optional-with-default",
        "DBZ-055",
        "a column with a default is optional",
        described(is_any, lambda field, column: field.update(optional=field["optional"] or "default" in field)),
    )
    yield encoder(
        "default-null",
        "DBZ-055a",
        "the default of nullable columns is null",
        described(is_any, _null_default),
        *("DBZ-141", "DBZ-142b", "DBZ-143a", "DBZ-148c"),
    )
    yield encoder(
        "default-zero",
        "DBZ-055a",
        "the default of numbers is 0",
        described(in_families(*INTEGERS), _zero_default),
    )


# -- which columns -----------------------------------------------------------------------------------------------------


def _fields(edit: Callable[[list[Tree], Message, Context], Any], images: str = "before after") -> Wrap:
    def each(message: Message, context: Context) -> None:
        for image in images.split():
            fields = message.find(f"value.schema.fields.{image}.fields")
            if fields is not None:
                edit(fields, message, context)

    return rows(each)


def _is_virtual(field: Tree, message: Message, context: Context) -> bool:
    column = context.column(*message.table, field["field"])
    return column is not None and column.generated == "virtual"


def _without_virtual(fields: list[Tree], message: Message, context: Context) -> None:
    fields[:] = [field for field in fields if not _is_virtual(field, message, context)]


def _virtual_last(fields: list[Tree], message: Message, context: Context) -> None:
    fields.sort(key=lambda field: _is_virtual(field, message, context))


def _last_lost(fields: list[Tree], message: Message, context: Context) -> None:
    plain = [field for field in fields if not _is_virtual(field, message, context)]
    if len(plain) > 1:
        fields.remove(plain[-1])


def _nulls_lost(fields: list[Tree], message: Message, context: Context) -> None:
    row = message.payload["after"] or message.payload["before"]
    fields[:] = [f for f in fields if f["field"] not in row or row[f["field"]] is not None]


def _renamed(fields: list[Tree], message: Message, context: Context) -> None:
    for field in fields:
        field["field"] = field["field"].upper()


def _reversed(fields: list[Tree], message: Message, context: Context) -> None:
    if not any(_is_virtual(field, message, context) for field in fields):
        fields.reverse()


def _twice(fields: list[Tree], message: Message, context: Context) -> None:
    fields.append(fields[0])


def _which() -> Iterator[Mutant]:
    yield encoder("described-last-lost", "DBZ-051b", "the last column is not described", _fields(_last_lost))
    yield encoder(
        "described-before-lost", "DBZ-051b", "the last column of `before` is not", _fields(_last_lost, "before")
    )
    yield encoder(
        "described-without-nulls", "DBZ-051b", "columns that are NULL are not described", _fields(_nulls_lost)
    )
    yield encoder("described-upper-case", "DBZ-051b", "columns in upper case", _fields(_renamed), "DBZ-040a", "DBZ-057")
    yield encoder("described-reversed", "DBZ-051c", "columns are described last first", _fields(_reversed))
    yield encoder("described-virtual-lost", "DBZ-057", "virtual columns are not described", _fields(_without_virtual))
    yield encoder("described-virtual-last", "DBZ-057a", "virtual columns are described last", _fields(_virtual_last))
    yield encoder(
        "described-virtual-twice",
        "DBZ-057b",
        "virtual columns are described twice",
        reference(NEWARCH, "debezium/doubled-virtual-column"),
    )
    yield encoder("described-twice", "DBZ-057b", "the first column is described twice", _fields(_twice))


MUTANTS: tuple[Mutant, ...] = (*_types(), *_parameters(), *_members(), *_which())
