"""Compares the types that two sides give for columns: names, codes, flags or schemas.

Every message is compared with what its dialect writes for the table. So the types follow from the dialect, its options
and the table, and are read from a message of the reference encoder; a message with another type is a difference of
its own. Dialects of two families describe types in incomparable members.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from differential.align.pairs import Pair
from differential.classify.naming import Name
from differential.counts import Counts
from differential.model import Status
from differential.sides import Side, codec_of
from differential.type_names.naming import TypeNamer
from reference_impl.column_types import INTEGERS, TEXT, Family
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Column, Encoded, RowChange, Table, Value
from reference_impl.options import parse
from reference_impl.protocols import AVRO, CANAL, CONNECTOR, OPEN_PROTOCOL
from reference_impl.registry import MemoryRegistry

__all__ = ["TypeName", "TypeNamesResult", "names_of", "sample_of", "type_names"]

Members: TypeAlias = Mapping[str, str | None]
"""The description of a column's type in a dialect: text by member."""


@dataclass(frozen=True, slots=True)
class TypeName:
    """A member in which the sides differ about a column's type; `names` are its divergences."""

    schema: str
    table: str
    column: str
    member: str
    left: str | None
    right: str | None
    names: tuple[Name, ...]

    @property
    def status(self) -> Status:
        """The status of the divergence; of several, an undocumented one counts first."""
        statuses = {name.status for name in self.names}
        return next((s for s in (Status.UNDOCUMENTED, Status.DOCUMENTED) if s in statuses), Status.UNEXPLAINED)


@dataclass(frozen=True, slots=True)
class TypeNamesResult:
    """The result for the type names of a pair."""

    reason: str = ""  # why the sides are not compared, "" if they are
    equal: int = 0  # the number of equal columns
    differ: tuple[TypeName, ...] = ()


# -- a row of a table, and its message by an encoder

_TEXTS: Mapping[Family, Callable[[Column], Value]] = {
    **dict.fromkeys((*INTEGERS, Family.BIT), lambda column: "1"),
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE), lambda column: "1.5"),
    **dict.fromkeys(TEXT, lambda column: "a"),
    Family.DECIMAL: lambda column: "0" + ("." + "0" * column.type.scale if column.type.scale else ""),
    Family.DATE: lambda column: "2020-01-02",
    Family.DATETIME: lambda column: "2020-01-02 03:04:05" + _fraction(column),
    Family.TIMESTAMP: lambda column: "2020-01-02 03:04:05" + _fraction(column),
    Family.TIME: lambda column: "03:04:05" + _fraction(column),
    Family.YEAR: lambda column: "2020",
    Family.ENUM: lambda column: column.type.members[0],
    Family.SET: lambda column: column.type.members[0],
    Family.JSON: lambda column: "{}",
    Family.VECTOR: lambda column: "[" + ",".join("1" * column.type.characters) + "]",
}


def _fraction(column: Column) -> str:
    return "." + "0" * column.type.fsp if column.type.fsp else ""


def sample_of(column: Column) -> Value:
    """An ordinary value of a column."""
    text = _TEXTS.get(column.type.family)
    if text is not None:
        return text(column)
    return b"a".ljust(column.type.characters, b"\0") if column.type.family is Family.BINARY else b"a"


def _written(side: Side, table: Table, registry: MemoryRegistry) -> Encoded:
    codec = codec_of(side.dialect)
    settings = replace(side.settings, registry=registry)
    encoder = codec.encoder(parse(codec.options, side.options), side.profile, settings=settings)
    row = {column.name: sample_of(column) for column in table.columns}
    return encoder.encode([RowChange("insert", table.schema, table.name, 2, after=row, start_ts=1)], [table])


# -- how each family describes types


def _document(encoded: Encoded) -> Any:
    return json.loads(encoded.records[0].value or b"")


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _canal(encoded: Encoded, registry: MemoryRegistry) -> dict[str, Members]:
    tree = _document(encoded)
    return {
        name: {member: _text(tree[member][name]) for member in ("mysqlType", "sqlType")} for name in tree["sqlType"]
    }


_NO_TYPE = ("field", "default")  # of a field of a schema: a default is a value


def _debezium(encoded: Encoded, registry: MemoryRegistry) -> dict[str, Members]:
    documents = (json.loads(record.value) for record in encoded.records if record.value)
    fields = (field for tree in documents if "schema" in tree for field in tree["schema"]["fields"])
    after = next((field for field in fields if field.get("field") == "after"), None)  # absent in transaction records
    if after is None:
        return {}
    return {
        field["field"]: {name: _text(value) for name, value in field.items() if name not in _NO_TYPE}
        for field in after["fields"]
    }


def _open_protocol(encoded: Encoded, registry: MemoryRegistry) -> dict[str, Members]:
    data = encoded.records[0].value or b""
    columns = json.loads(data[8:])["u"]  # behind the length of the value
    return {name: {member: _text(cell.get(member)) for member in ("t", "f")} for name, cell in columns.items()}


def _avro(encoded: Encoded, registry: MemoryRegistry) -> dict[str, Members]:
    value = next(one for one in reversed(registry.requests) if one.subject.endswith("-value"))
    found: dict[str, Members] = {}
    for field in json.loads(value.schema)["fields"]:
        if not field["name"].startswith("_tidb"):
            kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
            kind = next(kind for kind in kinds if kind != "null")
            members = kind if isinstance(kind, dict) else {"type": kind}
            found[field["name"]] = {
                "nullable": _text("null" in kinds),
                **{name: _text(member) for name, member in members.items()},
            }
    return found


_READERS: Mapping[str, Callable[[Encoded, MemoryRegistry], dict[str, Members]]] = {
    CANAL.name: _canal,
    CONNECTOR.name: _debezium,
    OPEN_PROTOCOL.name: _open_protocol,
    AVRO.name: _avro,
}
"""By family; dialects of other families do not describe types."""


def names_of(side: Side, table: Table) -> dict[str, Members]:
    """A side's description of each column's type, without columns that it cannot write or describe."""
    read, registry = _READERS.get(side.traits.family), MemoryRegistry()
    if read is None:
        return {}
    try:
        return read(_written(side, table, registry), registry)
    except (Rejected, Unsupported):
        if len(table.columns) == 1:
            return {}
        alone = (replace(table, columns=(c,), primary_key=(), unique_keys=(), indexes=()) for c in table.columns)
        return {name: members for one in alone for name, members in names_of(side, one).items()}


# -- two sides


def _tables_changed_on_both(pair: Pair, sides: Sequence[Side], counts: Counts) -> list[Table]:
    """The last versions of the tables that changed on both sides."""
    tables = {table.id: table for side in (sides[pair.a], sides[pair.b]) for table in side.tables}
    changed = [
        {(schema, name) for number, schema, name in counts.changes if number == side} for side in (pair.a, pair.b)
    ]
    return [table for id_, table in sorted(tables.items()) if id_ in changed[0] & changed[1]]


def type_names(pair: Pair, sides: Sequence[Side], counts: Counts) -> TypeNamesResult:
    """Compare the type names of the tables that changed on both sides."""
    left, right = sides[pair.a], sides[pair.b]
    if left.traits.family != right.traits.family:
        return TypeNamesResult(f"{left.dialect} and {right.dialect} describe types in incomparable members")
    equal, differ, namer = 0, list[TypeName](), TypeNamer.of(left, right)
    for table in _tables_changed_on_both(pair, sides, counts):
        left_names, right_names = names_of(left, table), names_of(right, table)
        for side, names in ((left, left_names), (right, right_names)):
            if not names:
                return TypeNamesResult(f"{side.name}: {side.dialect} with these options does not describe types")
        for column in table.columns:
            if column.name in left_names and column.name in right_names:
                found = list(_differences(namer, table, column, left_names[column.name], right_names[column.name]))
                differ += found
                equal += not found
    return TypeNamesResult("", equal, tuple(differ))


def _differences(namer: TypeNamer, table: Table, column: Column, left: Members, right: Members) -> Iterator[TypeName]:
    described = replace(column, charset=column.charset or table.charset)
    for member in dict.fromkeys((*left, *right)):
        a, b = left.get(member), right.get(member)
        if a != b:
            names = tuple(namer.names(described, member, a, b, sample_of(column)))
            yield TypeName(table.schema, table.name, column.name, member, a, b, names)
