"""What a decoder must make of records of an upstream dialect: the truth, but for what the dialect has lost on the way.

A value that the format does not carry whole is `UNCERTAIN`: nothing is asked of it. Which these are is a predicate a
dialect, by column, value and options; everything else must come back as it went in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from conformance.cases.model import Case
from conformance.cases.upstream.lenient import payload_of, tree_of
from conformance.cases.upstream.losses import prints_as_json
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import ABSENT, Column, DdlEvent, Index, RawText, Record, Row, RowChange, Table, Value
from reference_impl.values import same_value, to_wire

__all__ = ["UNCERTAIN", "Carried", "carried", "event_of"]

UNCERTAIN = object()
"""A value of which nothing is asked."""

Image = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Carried:
    """An event that must come back. Images are wire values by column; None where there is no image.

    With `whole` an image has these columns and no others; else those that are there must be right. `rest` is what a
    column of `before` may hold beside: what the image after tells of it.
    """

    kind: str
    schema: str
    table: str
    op: str = ""
    query: str = ""
    before: Image | None = None
    after: Image | None = None
    whole: bool = True
    rest: Image | None = None
    of: Table | None = None


def carried(case: Case, options: Any) -> list[Carried]:
    """What a decoder must answer to the records of a case, which were made from its events.

    Rows are those of the events, in order; where the statements stand among them, and their texts, is in the records.
    """
    dialect = _DIALECTS[case.protocol]
    rows = _rows(case, options)
    found: list[Carried] = []
    for record in case.records:
        told = dialect.told(record)
        found += [told] if isinstance(told, Carried) else islice(rows, told)
    return found


def event_of(event: Carried) -> dict[str, Any]:
    """An event that must come back, as a decoder may answer it: what is uncertain is left out."""
    if event.kind != "row":
        return {"kind": event.kind, "schema": event.schema, "table": event.table, "query": event.query}
    images = {
        name: image if image is None else {c: value for c, value in image.items() if value is not UNCERTAIN}
        for name, image in (("before", event.before), ("after", event.after))
    }
    return {"kind": "row", "op": event.op, "schema": event.schema, "table": event.table, **images}


def _without_nulls(image: Image | None) -> Image | None:
    """An image in which NULL is uncertain: what the statement says of a default may stand in for it.  [DBZ-244]"""
    return image and {name: UNCERTAIN if value is None else value for name, value in image.items()}


def _rows(case: Case, options: Any) -> Iterator[Carried]:
    dialect = _DIALECTS[case.protocol]
    versions = {table.id: table for table in case.tables} if case.send_tables or dialect.describes(options) else {}
    altered: set[tuple[str, str]] = set()
    for event in case.events:
        if isinstance(event, RowChange):
            name = event.schema, event.table
            row = dialect.row(event, versions.get(name), options)
            yield replace(row, after=_without_nulls(row.after)) if name in altered and not dialect.told_nulls else row
        elif isinstance(event, DdlEvent):
            later = {t.id: t for t in (event.table_after, *event.other_tables) if t is not None}
            altered |= later.keys()
            versions |= later


def _image(row: Row | None, names: Sequence[str] | None, certain: Callable[[str, Value], bool]) -> Image | None:
    if row is None:
        return None
    kept = row if names is None else {name: row[name] for name in names if name in row}
    return {name: to_wire(value) if certain(name, value) else UNCERTAIN for name, value in kept.items()}


# -- Canal -------------------------------------------------------------------------------------------------------------

_READ_RIGHT = frozenset({"utf8mb4", "utf8mb3", "utf8", "ascii"})
_NATIONAL = re.compile(r"national\b|nchar\b|nvarchar\b", re.IGNORECASE)
_AS_BYTES = re.compile(r"binary|blob|geom|point|linestring|polygon", re.IGNORECASE)


def _canal_certain(table: Table, options: Any) -> Callable[[str, Value], bool]:
    def certain(name: str, value: Value) -> bool:
        column = table.column(name)
        if column is None or isinstance(value, RawText):
            return False
        if value is None:
            return True
        if column.type.family in TEXT and not _NATIONAL.match(column.type.text):  # [DV-55]
            return (column.charset or table.charset or "utf8mb4").lower() in _READ_RIGHT
        if column.type.family in BINARY:  # bytes of a column that was declared as text are read as text
            return _AS_BYTES.search(column.type.text) is not None
        if column.type.family is Family.JSON and isinstance(value, str) and not options.mariadb:
            return prints_as_json(value)
        return True

    return certain


def _canal_row(event: RowChange, table: Table | None, options: Any) -> Carried:
    """`old` tells what an update changed.  [CJ-511, CJ-516]"""
    certain = _canal_certain(table, options) if table else lambda name, value: False
    after = _image(event.after, None, certain)
    before, rest, names = event.before, None, None
    if event.op == "update" and table is not None and before is not None and event.after is not None:
        new = event.after
        names = [c.name for c in table.columns if not same_value(c.type, before.get(c.name), new.get(c.name))]
        rest = _image(before, None, certain)
    session = event.source or {}
    whole = options.binlog_row_image == "FULL" and not session.keys() & {"binlog_row_image", "binlog_row_value_options"}
    return Carried(
        "row",
        event.schema,
        event.table,
        event.op,
        before=_image(before, names, certain),
        after=after,
        whole=whole and table is not None,
        rest=rest,
        of=table,
    )


# -- Debezium ----------------------------------------------------------------------------------------------------------

_MOMENTS = frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP})
_FINE_DIGITS = 3  # of what `connect` keeps
_LONGEST_DOUBLE = 15  # digits that a double always keeps
_LABELS = frozenset({Family.ENUM, Family.SET})
_TROUBLE = re.compile(r"[\\']|,|\A\s|\s\Z|\A\Z")
_BOOLEANS = re.compile(r"bool(?:ean)?\b", re.IGNORECASE)
_ONE_DAY = 24  # hours
_ZERO_PART = re.compile(r"0000|\d{4}-00|\d{4}-\d{2}-00")
_FIRST_YEAR = 1900


def _moment_is_told(column: Column, value: str, options: Any) -> bool:
    """Dates with a zero part, and those before the calendar that is in use now, are not told.  [DBZ-218, DBZ-220]"""
    if _ZERO_PART.match(value) or int(value[:4]) < _FIRST_YEAR:
        return False
    return column.type.family is Family.TIMESTAMP or _fraction_is_told(column, options)


def _fraction_is_told(column: Column, options: Any) -> bool:
    return options.time_precision_mode != "connect" or column.type.fsp <= _FINE_DIGITS


def _time_is_told(column: Column, text: str, options: Any) -> bool:
    """`connect` has times of a day alone; older releases read negative ones wrong.  [DBZ-222]"""
    negative = text.startswith("-")
    if options.time_precision_mode == "connect":
        return not negative and int(text.partition(":")[0]) < _ONE_DAY and _fraction_is_told(column, options)
    return options.traits.negative_times or not negative


def _connector_certain(table: Table, options: Any) -> Callable[[str, Value], bool]:
    def certain(name: str, value: Value) -> bool:
        column = table.column(name)
        if column is None or isinstance(value, (RawText, Index)):
            return False
        if value is None:  # a default may stand in for it  [DBZ-244]
            return column.nullable and (column.default is ABSENT or column.default is None)
        family, text = column.type.family, value if isinstance(value, str) else ""
        if family in _MOMENTS:
            return _moment_is_told(column, text, options)
        if family is Family.TIME:
            return _time_is_told(column, text, options)
        if family is Family.TINYINT and _BOOLEANS.match(column.type.text):  # [DBZ-203]
            return text in ("0", "1")
        if family is Family.JSON:
            return "$opaque" not in text
        if family is Family.YEAR:
            return int(text) >= _FIRST_YEAR
        if family is Family.DECIMAL and options.decimal_handling_mode == "double":  # [DBZ-709]
            return len(text.replace(".", "").strip("-0")) <= _LONGEST_DOUBLE
        if family in _LABELS:  # escaped as in the DDL, and joined by commas  [DBZ-214, DBZ-215]
            return not any(_TROUBLE.search(label) for label in column.type.members)
        return not (family is Family.DOUBLE and column.type.text.lower().startswith("real"))

    return certain


def _of_log(table: Table) -> frozenset[str]:
    """Columns whose values are other texts in a snapshot: a server prints six digits of a FLOAT."""
    return frozenset(c.name for c in table.columns if c.type.family is Family.FLOAT)


def _connector_row(event: RowChange, table: Table | None, options: Any) -> Carried:
    certain = _connector_certain(table, options) if table else lambda name, value: False
    if table is not None and event.op == "read":
        known, vague = certain, _of_log(table)
        certain = lambda name, value: name not in vague and known(name, value)  # noqa: E731
    return Carried(
        "row",
        event.schema,
        event.table,
        event.op,
        before=_image(event.before, None, certain),
        after=_image(event.after, None, certain),
        whole=table is not None,
        of=table,
    )


# -- records -----------------------------------------------------------------------------------------------------------


def _canal_told(record: Record) -> Carried | int:
    """The statement that a message tells of, or how many rows."""
    tree = tree_of(record.value)
    if tree["isDdl"]:
        return Carried("ddl", tree["database"], tree["table"], query=tree["sql"])
    return len(tree["data"] or ())


_SECOND_HALF = "__debezium.oldkey"


def _connector_told(record: Record) -> Carried | int:
    payload = payload_of(tree_of(record.value))
    if payload is None or "status" in payload:
        return 0
    if payload.get("op") == "t":
        schema, table = payload["source"]["db"], payload["source"]["table"]
        return Carried("ddl", schema, table, query=f"TRUNCATE TABLE `{schema}`.`{table}`")
    if "ddl" in payload:
        source = payload["source"]
        return Carried("ddl", source["db"], source["table"] or "", query=payload["ddl"])
    return int(_SECOND_HALF not in dict(record.headers))


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How a row change is carried, and what a record tells of: a statement, or so many rows.

    `describes`: under these options messages tell the types of columns. `told_nulls`: nothing stands in for NULL.
    """

    row: Callable[[RowChange, Table | None, Any], Carried]
    told: Callable[[Record], Carried | int]
    describes: Callable[[Any], bool]
    told_nulls: bool


_DIALECTS: Mapping[str, _Dialect] = {
    "canal": _Dialect(_canal_row, _canal_told, lambda options: True, told_nulls=True),
    "debezium-connector": _Dialect(
        _connector_row, _connector_told, lambda options: bool(options.schemas_enable), told_nulls=False
    ),
}
