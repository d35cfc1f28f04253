"""Shapes of the row messages of TiCDC's Debezium JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from differential.decode.quick.cells import binaries_of_base64, each, texts
from differential.decode.quick.dialect import Dialect
from differential.decode.quick.grammar import BASE64, LOOSE, NUMBER, STRING, TSO, fixed
from differential.decode.quick.plan import Plan
from differential.decode.quick.scalars import document, plain_decimal, plain_number
from differential.decode.quick.shape import Shape
from differential.decode.quick.structs import (
    OPS,
    Convert,
    Member,
    PatternAndReader,
    clocks,
    converter,
    dates,
    fields_of,
    image,
    integers,
    key_object,
    moments,
    numbers,
    others,
    subjects,
    times,
)
from differential.sides import Side
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.debezium_json.defaults import null_texts
from reference_impl.debezium_json.json_text import literal
from reference_impl.debezium_json.layout import Layout, Layouts
from reference_impl.debezium_json.options import Options
from reference_impl.debezium_json.readers import reader
from reference_impl.debezium_json.style import Style, style_of
from reference_impl.debezium_json.texts import writer
from reference_impl.debezium_json.types import Form, form_of
from reference_impl.keys import handle_key
from reference_impl.model import Column, Table
from reference_impl.tso import physical_ms
from reference_impl.zones import zone_of

__all__ = ["DIALECT"]

_LARGEST = 2**63 - 1


def _binaries(kind: ColumnType, convert: Convert) -> PatternAndReader:
    padded = kind.length or 0 if kind.family is Family.BINARY else 0
    return BASE64, binaries_of_base64(kind.longest, padded=padded)


_READ: Mapping[Family, Callable[[ColumnType, Convert], PatternAndReader]] = {
    **dict.fromkeys(INTEGERS, lambda kind, convert: integers(kind, _LARGEST)),
    **dict.fromkeys(TEXT, lambda kind, convert: (LOOSE, texts(kind.longest))),
    **dict.fromkeys(BINARY, _binaries),
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE), lambda kind, convert: numbers(plain_number, kind, convert)),
    Family.DECIMAL: lambda kind, convert: numbers(plain_decimal, kind, convert),
    Family.JSON: lambda kind, convert: (STRING, each(document(convert))),
    Family.TIMESTAMP: moments,
    Family.DATE: dates,
    Family.DATETIME: lambda kind, convert: clocks(kind, 6 if form_of(kind) is Form.MICROS else 3, convert),
    Family.TIME: lambda kind, convert: times(kind, 6, convert),
}


def _member(column: Column, literal: str, side: Side, style: Style) -> Member:
    kind = column.type
    read = reader(kind, True, form_of(kind), zone_of(side.settings.timezone))
    convert = converter(kind, read, writer(column, style, side.settings))
    token, cells = _READ[kind.family](kind, convert) if kind.family in _READ else others(convert)
    if column.nullable and null_texts(column, style, side.settings) == ("null",):
        token = f"null|{token}"
    return Member(column.name, literal, token, cells)


def _is_quick(options: Options) -> bool:
    return options.large_message_handle_compression == "none" and options.debezium_output_old_value


def _head(message: bytes) -> object:
    """The schema and table of a message, and its operation."""
    source = message.find(b'"source":{')
    start = message.find(b',"db":', source)
    end = message.find(b',"server_id":', start)
    op = message.find(b',"op":', end)
    return message[start:end], message[op : op + 10]


def _heads(side: Side, table: Table, options: Options) -> Iterator[object]:
    """The heads of the messages of a table, by operation."""
    names = f',"db":{literal(table.schema)},"table":{literal(table.name)}'.encode()
    return ((names, b',"op":"%b",' % name.encode()) for name in OPS.values())


def _shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads.

    Raises `Rejected` for a type that TiDB does not have.
    """
    style = style_of(side.profile)
    layouts = Layouts(options, style, side.settings)
    layout = layouts.of_table(table)
    columns = {column.name: column for column in table.columns}
    members = [_member(columns[field.name], field.member, side, style) for field in layout.fields]
    key, named_key = handle_key(table), [field.name for field in layout.key_fields]
    virtual = any(field.virtual for field in layout.key_fields)
    if not key or virtual or {*key} != {*named_key}:
        return
    plan = Plan(table.schema, table.name, fields_of(members, table), key, has_commit_ts=True)
    start = rf'\{{"payload":{key_object(members, named_key)}{re.escape(layout.key_end)}\n{_begin(layouts, layout)}'
    for head_, (op, name) in zip(_heads(side, table, options), OPS.items(), strict=True):
        if op == "delete":
            images = rf'"after":null,"before":{image(members, "b", named_key)}'
        else:
            before = image(members, "b") if op == "update" else "null"
            images = rf'"before":{before},"after":{image(members, "a", named_key, alike=op == "update")}'
        text = rf'{start},"transaction":null,"op":"{name}",{images}\}}{fixed(layout.value_end)}'
        yield head_, Shape(plan, op, text, alike=op == "update", fixed=layout.value_end)


def _begin(layouts: Layouts, layout: Layout) -> str:
    """The pattern of a value from its beginning to the wall clock, which is included."""
    time, begun = 1 << 50, 1  # samples: patterns take their places
    text = layouts.up_to_clock(layout.begin, time, begun if layouts.start_ts else None)
    rest = text.removeprefix(f"{layout.begin[0]}{physical_ms(time)}{layout.begin[1]}{time}")
    start_ts = f',"start_ts":{begun}' if layouts.start_ts else ""
    end, _, _ = rest.removeprefix(start_ts).rpartition(":")
    begin = rf',"start_ts":{TSO}' if layouts.start_ts else ""
    before_ms, before_time = map(re.escape, layout.begin)
    return rf"{before_ms}(?P<ms>{NUMBER}){before_time}(?P<time>{TSO}){begin}{re.escape(end)}:{NUMBER}"


DIALECT = Dialect(_head, _shapes, _heads, subjects, is_quick=_is_quick)
