"""Shapes of the row messages of TiCDC's Canal-JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from differential.decode.quick.cells import Read, binaries, each, texts
from differential.decode.quick.dialect import Dialect, longest_undivided
from differential.decode.quick.family import (
    OPS,
    Convert,
    Member,
    code_first,
    converter,
    integer_tokens,
    joined,
    plan_of,
    row,
    some_of_row,
    subjects,
    value_after,
    value_unless_same,
)
from differential.decode.quick.grammar import LOOSE, NUMBER, STRING, TSO, exact, fixed
from differential.decode.quick.scalars import document, plain_number
from differential.decode.quick.shape import Shape
from differential.sides import Side
from reference_impl.canal_json.options import Options
from reference_impl.canal_json.style import style_of
from reference_impl.canal_json.texts import literal, reader, writer
from reference_impl.canal_json.types import mysql_type, sql_type, widening
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family
from reference_impl.model import Column, Table

__all__ = ["DIALECT"]


def _binaries(kind: ColumnType, convert: Convert) -> Read:
    return binaries(kind.longest, padded=kind.length or 0 if kind.family is Family.BINARY else 0)


_READ: Mapping[Family, Callable[[ColumnType, Convert], Read]] = {
    **dict.fromkeys(TEXT, lambda kind, convert: texts(kind.longest)),
    **dict.fromkeys(BINARY, _binaries),
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE), lambda kind, convert: each(plain_number(kind, convert))),
    Family.JSON: lambda kind, convert: each(document(convert)),
}


def _member(column: Column, options: Options) -> Member:
    kind = column.type
    name, shown, code = (
        literal(column.name),
        literal(mysql_type(kind, full=options.content_compatible)),
        sql_type(kind, None),
    )
    if exact(kind) is not None:
        wider = widening(kind)
        token, wide = integer_tokens(kind, widens=wider is not None)
        return Member(column.name, name, shown, token, None, code, wide, wider.code if wider else 0)
    convert = converter(kind, reader(kind, True), writer(kind))
    read = _READ[kind.family](kind, convert) if kind.family in _READ else each(convert)
    if kind.family in TEXT:
        return Member(column.name, name, shown, LOOSE, read, code)
    return Member(column.name, name, shown, STRING, read, code)


def _is_quick(options: Options) -> bool:
    return options.large_message_handle_compression == "none" and not options.delete_only_output_handle_key_columns


def _head(value: bytes) -> object:
    """The first members of a message without the number."""
    start = value.find(b',"database":')
    return value[start : value.find(b',"es":', start)]


def _heads(side: Side, table: Table, options: Options) -> Iterator[bytes]:
    """The heads of the messages of a table, by operation."""
    keys = ",".join(literal(column.name) for column in table.columns if column.name in table.primary_key)
    names = f',"database":{literal(table.schema)},"table":{literal(table.name)},"pkNames":[{keys}],"isDdl":false,'
    return (f'{names}"type":"{name}"'.encode() for name in OPS.values())


def _shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads.

    Raises `Rejected` for a type that the dialect does not support.
    """
    style = style_of(side.profile)
    members = [_member(column, options) for column in table.columns if column.generated != "virtual"]
    if style.sorted_columns:
        members.sort(key=lambda one: one.name)
    plan = plan_of(table, members, has_commit_ts=options.enable_tidb_extension)
    if plan is None or style.old_on_delete:
        return
    shown = '"mysqlType":{' + ",".join(f"{member.literal}:{member.shown}" for member in members) + "}"
    types = f'"sqlType":{joined(members, code_first)},{fixed(shown)}'
    time, tidb = f"(?P<time>{NUMBER})", ""
    if options.enable_tidb_extension:
        time, tidb = f"(?P<ms>{NUMBER})", rf',"_tidb":\{{"commitTs":(?P<time>{TSO})\}}'
    before = some_of_row(members, "b") if options.changed_only else row(members, "b")
    for op, start in zip(OPS, _heads(side, table, options), strict=True):
        names = re.escape(start.decode())
        alike = op == "update" and not options.changed_only and not style.data_first
        value = value_unless_same if alike else value_after("b" if op == "delete" else "a")
        data = rf'"data":\[{joined(members, value)}\]'
        old = rf'"old":\[{before}\]' if op == "update" else '"old":null'
        images = f"{data},{old}" if style.data_first else f"{old},{data}"
        text = rf'\{{"id":{NUMBER}{names},"es":{time},"ts":{NUMBER},"sql":"",{types},{images}{tidb}\}}'
        yield start, Shape(plan, op, text, partial=options.changed_only, alike=alike, fixed=shown)


DIALECT = Dialect(_head, _shapes, _heads, subjects, is_quick=_is_quick, longest=longest_undivided)
