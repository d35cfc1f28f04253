"""Shapes of the row messages of Canal's flat message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from differential.decode.quick.cells import NULL, Read, Token, binaries, each, texts
from differential.decode.quick.cells import Column as Tokens
from differential.decode.quick.dialect import Dialect
from differential.decode.quick.family import (
    OPS,
    Convert,
    Member,
    code_after,
    converter,
    integer_tokens,
    joined,
    plan_of,
    row,
    some_of_row,
    subjects,
    value_first,
)
from differential.decode.quick.grammar import LOOSE, NUMBER, STRING, between, decimal, exact, fixed
from differential.decode.quick.scalars import java_number, stored_document
from differential.decode.quick.shape import Row, Rows, Several, Shape, lister
from differential.sides import Side
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family
from reference_impl.model import Column, Table
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.layout import canal_column
from reference_impl.upstream.canal.options import Options
from reference_impl.upstream.canal.texts import CanalColumn, reader, writer
from reference_impl.upstream.canal.types import WIDER, is_latin1, is_string, sql_type

__all__ = ["DIALECT"]

_SECONDS = "(?:0|[1-9][0-9]{0,12}000)"
_NO_GTID, _GTID = '""', '"(?P<gtid>[-0-9A-Za-z:,]*)"'
_GROUP = 9  # digits of a DECIMAL that are stored together


def _decimals(kind: ColumnType) -> tuple[str, Read | None]:
    """Tokens of DECIMAL: Canal drops the last group of digits if it is incomplete and all zeros."""
    scale = kind.scale or 0
    spare = scale % _GROUP
    if not spare:
        return f'"{exact(kind)}"', None
    kept = scale - spare
    most = f"(?!0{{{spare}}})[0-9]{{{spare}}}"
    token = decimal(kind, f"[.][0-9]{{{kept}}}(?>{most})?+" if kept else f"[.](?:{most}|0)")
    # In a token without the last group: the place of the point, from the end; and what the canonical token has more.
    point, more = -(kept or 1) - 2, b"0" * (spare if kept else spare - 1) + b'"'

    def read(column: Tokens) -> Tokens:
        return [t if t is None or t == NULL or t[point] != _POINT else t[:-1] + more for t in column]

    return f'"{token}"', read if scale > 1 else None


_POINT = ord(".")


def _texts(source: CanalColumn, convert: Convert) -> tuple[str, Read]:
    kind = source.type
    if source.charset != "utf8mb4" or is_latin1(kind, source.mysql_type):
        return _others(convert)
    return LOOSE, texts(kind.length if is_string(kind) else None)


def _binaries(source: CanalColumn, convert: Convert) -> tuple[str, Read]:
    kind = source.type
    if source.charset != "binary" or not is_latin1(kind, source.mysql_type):
        return _others(convert)
    most = kind.length if is_string(kind) else None
    if kind.family is Family.BINARY:
        return STRING, binaries(most, padded=kind.length or 0, stripped=True)
    return STRING, binaries(most)


def _others(convert: Convert) -> tuple[str, Read]:
    return STRING, each(convert)


_READ: Mapping[Family, Callable[[CanalColumn, Convert], tuple[str, Read]]] = {
    **dict.fromkeys(TEXT, _texts),
    **dict.fromkeys(BINARY, _binaries),
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE), lambda source, convert: _others(java_number(source.type, convert))),
    Family.JSON: lambda source, convert: _others(convert if source.mariadb else stored_document(convert)),
}


def _member(column: Column, table: Table, options: Options) -> Member:
    kind, source = column.type, canal_column(column, table, options)
    code, null_code = (sql_type(kind, source.mysql_type, text, mariadb=source.mariadb) for text in ("0", None))
    convert = converter(kind, reader(source), writer(source))
    wide = None
    if kind.family is Family.DECIMAL:
        token, read = _decimals(kind)
    elif kind.family is Family.YEAR:
        token, read = f'"(?:0000|{between(1901, 2155)})"', each(convert)
    elif exact(kind) is not None:
        read = None
        token, wide = integer_tokens(kind, widens=kind.unsigned and kind.family in WIDER)
    else:
        token, read = _READ[kind.family](source, convert) if kind.family in _READ else _others(convert)
    return Member(
        name=column.name,
        literal=literal(column.name),
        shown=literal(source.mysql_type),
        token=token,
        read=read,
        code=code,
        wide=wide,
        wide_code=WIDER.get(kind.family, 0),
        null_code=None if null_code == code else null_code,
    )


_TYPE = len(b'"type":"INSERT"}')


def _head(value: bytes) -> object:
    """The table and the type of a message, which stand at its end."""
    table = value.rfind(b'"table":')
    return value[table : value.rfind(b',"ts":', table)], value[-_TYPE:]


def _heads(side: Side, table: Table, options: Options) -> Iterator[object]:
    """The heads of the messages of a table, by operation."""
    return ((f'"table":{literal(table.name)}'.encode(), b'"type":"%b"}' % name.encode()) for name in OPS.values())


def _shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads.

    Raises `Rejected` for a type that makes Canal stop.
    """
    members = [_member(column, table, options) for column in table.columns]
    plan = plan_of(table, members, has_commit_ts=False)
    if plan is None:
        return
    keys = [literal(column.name) for column in table.columns if column.name in table.primary_key]
    names = re.escape("[" + ",".join(keys) + "]") if keys else "null"
    gtid = _GTID if options.gtid else _NO_GTID
    shown = '"mysqlType":{' + ",".join(f"{member.literal}:{member.shown}" for member in members) + "}"
    middle = rf'"gtid":{gtid},"id":{NUMBER},"isDdl":false,{fixed(shown)}'
    named_table = f'"table":{literal(table.name)}'

    def pattern(op: str, rows: str, olds: str) -> str:
        data = joined(members, value_first("b" if op == "delete" else "a"))
        old = rf"\[{olds}{some_of_row(members, 'b')}\]" if op == "update" else "null"
        return (
            rf'\{{"data":\[{rows}{data}\],"database":{re.escape(literal(table.schema))},"es":(?P<time>{_SECONDS}),'
            rf'{middle},"old":{old},"pkNames":{names},"sql":"","sqlType":{joined(members, code_after)},'
            rf'{re.escape(named_table)},"ts":{NUMBER},"type":"{OPS[op]}"\}}'
        )

    rows, olds = f"(?P<rows>(?>{row(members, '')},)++)", f"(?P<olds>(?>{some_of_row(members, '')},)++)"
    for op, key in zip(OPS, _heads(side, table, options), strict=True):
        yield key, Shape(plan, op, pattern(op, "", ""), partial=True, fixed=shown)
        yield key, Shape(plan, op, pattern(op, rows, olds), partial=True, several=_several(members, op), fixed=shown)


def _several(members: Sequence[Member], op: str) -> Several:
    """Reads a message of several rows; the rows before an update hold only what it changed."""
    numbers = range(len(members))
    names = {letter: [f"{letter}{number}" for number in numbers] for letter in "ab"}

    @cache
    def rows_in() -> Callable[[bytes], list[Row]]:
        return lister(row(members, "a") + ",", names["a"])

    @cache
    def olds_in() -> Callable[[bytes], list[Row]]:
        return lister(some_of_row(members, "b") + ",", names["b"])

    # The groups: of the last row before and after the change, then `rows` and, in an update, `olds`.
    def rows(groups: Sequence[Token]) -> Rows | None:
        count = len(members)
        if op != "update":
            found = [*rows_in()(groups[count] or b""), tuple(groups[:count])]
            return ([], found) if op == "insert" else (found, [])
        found = [*rows_in()(groups[2 * count] or b""), tuple(groups[count : 2 * count])]
        olds = [*olds_in()(groups[2 * count + 1] or b""), tuple(groups[:count])]
        if len(olds) != len(found):
            return None
        changed_before: list[int] = []
        for n, (old, new) in enumerate(zip(olds, found, strict=True)):
            if any(old[number] is None for number in changed_before):
                return None  # Canal repeats the columns that an earlier row of the message changed
            if changed_before:
                same = [
                    old[number] if number not in changed_before or old[number] != new[number] else None
                    for number in numbers
                ]
                olds[n] = tuple(same)
            changed_before = [number for number in numbers if old[number] is not None]
        return olds, found

    return rows


DIALECT = Dialect(_head, _shapes, _heads, subjects, is_quick=lambda options: options.binlog_row_image == "FULL")
