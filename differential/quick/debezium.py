"""Shapes of the row messages of TiCDC's Debezium JSON. A shape is of the key and the value, one behind the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from differential.canonical import canonical
from differential.quick.cells import NULL, Column, Read, Unsure, binaries_of_base64, each, texts
from differential.quick.engine import Field, Plan, Shape
from differential.quick.grammar import BASE64, NUMBER, STRING, TSO, between, exact
from differential.quick.scalars import document, plain_decimal, plain_number
from differential.sides import Side
from reference_impl import exact_json
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.debezium_json.defaults import null_texts
from reference_impl.debezium_json.layout import Layout, Layouts
from reference_impl.debezium_json.options import Options
from reference_impl.debezium_json.readers import reader
from reference_impl.debezium_json.style import Style, style_of
from reference_impl.debezium_json.texts import writer
from reference_impl.debezium_json.types import form_of
from reference_impl.keys import handle_key
from reference_impl.model import Column as TableColumn
from reference_impl.model import Table
from reference_impl.tso import physical_ms
from reference_impl.zones import zone_of

__all__ = ["head", "is_quick", "longest", "shapes", "subject"]

Convert = Callable[[bytes], bytes]

_OPS = {"insert": "c", "update": "u", "delete": "d"}
_JSON_NUMBER = "-?[0-9][0-9.eE+-]*+"
_OTHER = f"(?:{STRING}|true|false|{_JSON_NUMBER})"
_LARGEST = 2**63 - 1  # beyond it a number is written as a negative one
_EPOCH = b'"1970-01-01T00:00:00'  # stands for the zero TIMESTAMP, too
_MOMENT = (
    "(?:197[1-9]|19[89][0-9]|20[0-2][0-9]|203[0-7])-"
    "(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
)


def _converter(column: TableColumn, side: Side, style: Style) -> Convert:
    """The long way of a single token."""
    kind = column.type
    read = reader(kind, True, form_of(kind), zone_of(side.settings.timezone))
    write = writer(column, style, side.settings)

    def convert(token: bytes) -> bytes:
        value = read(exact_json.loads(token))
        text = write(value).encode()
        if text != token and not (token[:1] == b'"' == text[:1] and orjson.loads(text) == orjson.loads(token)):
            raise Unsure
        if token.startswith(_EPOCH) and kind.family is Family.TIMESTAMP:
            raise Unsure
        return orjson.dumps(canonical(kind, value))

    return convert


def _quoted(column: Column) -> Column:
    return [token if token == NULL else b'"%b"' % token for token in column if token is not None]


def _number(cell: Convert) -> Read:
    """A column of numbers, by a function of numbers in quotes."""
    return each(lambda token: cell(b'"%b"' % token))


def _unquoted(convert: Convert) -> Convert:
    return lambda token: convert(token[1:-1])


def _moment(kind: ColumnType, convert: Convert) -> Convert:
    fraction = f"[.][0-9]{{{kind.fsp}}}" if kind.fsp else ""
    sure = re.compile(f'"{_MOMENT}{fraction}Z"'.encode()).fullmatch
    return lambda token: b'%b %b"' % (token[:11], token[12:-2]) if sure(token) else convert(token)


_SIZED = frozenset({Family.CHAR, Family.VARCHAR, Family.BINARY, Family.VARBINARY})


def _longest(kind: ColumnType) -> int | None:
    return kind.length if kind.family in _SIZED else None


def _padded(kind: ColumnType) -> int:
    return kind.length or 0 if kind.family is Family.BINARY else 0


_READ: Mapping[Family, Callable[[ColumnType, Convert], tuple[str, Read]]] = {
    **dict.fromkeys(TEXT, lambda kind, convert: (STRING, texts(_longest(kind)))),
    **dict.fromkeys(BINARY, lambda kind, convert: (BASE64, binaries_of_base64(_longest(kind), padded=_padded(kind)))),
    **dict.fromkeys(
        (Family.FLOAT, Family.DOUBLE),
        lambda kind, convert: (_JSON_NUMBER, _number(plain_number(kind, _unquoted(convert)))),
    ),
    Family.DECIMAL: lambda kind, convert: (_JSON_NUMBER, _number(plain_decimal(kind, _unquoted(convert)))),
    Family.JSON: lambda kind, convert: (STRING, each(document(convert))),
    Family.TIMESTAMP: lambda kind, convert: (STRING, each(_moment(kind, convert))),
}


@dataclass(frozen=True, slots=True)
class _Member:
    """A column as the messages have it; `token` is a pattern."""

    name: str
    literal: str  # with its colon
    token: str
    read: Read


def _token(column: TableColumn, side: Side, style: Style) -> tuple[str, Read]:
    kind, convert = column.type, _converter(column, side, style)
    if kind.family in _READ:
        return _READ[kind.family](kind, convert)
    if kind.family not in INTEGERS:
        return _OTHER, each(convert)
    if kind.minimum < 0:
        return exact(kind) or "", _quoted
    return between(0, min(kind.maximum, _LARGEST)), _quoted


def _member(column: TableColumn, literal: str, side: Side, style: Style) -> _Member:
    token, read = _token(column, side, style)
    if column.nullable and null_texts(column, style, side.settings) == ("null",):
        token = f"null|{token}"
    return _Member(column.name, literal, token, read)


def _object(members: Sequence[_Member], value: Callable[[int, _Member], str]) -> str:
    pairs = (re.escape(member.literal) + value(place, member) for place, member in enumerate(members))
    return r"\{" + ",".join(pairs) + r"\}"


def is_quick(options: Options) -> bool:
    """Whether there is a short way under these options."""
    return options.large_message_handle_compression == "none" and options.debezium_output_old_value


def longest(options: Options) -> int:
    """How many bytes a message may have."""
    return 1 << 40


def subject(value: bytes, key: bytes | None) -> bytes | None:
    """What the patterns are of. Neither part has the byte between them where a pattern fits."""
    return None if key is None else b"%b\n%b" % (key, value)


def head(message: bytes) -> object:
    """What tells the shapes of a message: its schema and table, and its operation."""
    source = message.find(b'"source":{')
    start = message.find(b',"db":', source)
    end = message.find(b',"server_id":', start)
    op = message.find(b',"op":', end)
    return message[start:end], message[op : op + 10]


def shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads. Raises `Rejected` for a type that TiDB has not."""
    style = style_of(side.profile)
    layouts = Layouts(options, style, side.settings)
    layout = layouts.of_table(table)
    columns = {column.name: column for column in table.columns}
    members = [_member(columns[field.name], field.member, side, style) for field in layout.fields]
    key = handle_key(table, virtual_counts=style.virtual_handle_key)
    key_names = [field.name for field in layout.key_fields]
    in_key = {name: place for place, name in enumerate(key_names)}
    if not key or key != handle_key(table) or any(columns[name].collation for name in key):
        return
    if any(field.virtual for field in layout.key_fields):
        return
    plan = Plan(table.schema, table.name, [Field(m.name, m.read) for m in members], key, has_commit_ts=True)
    of_key = [member for name in key_names for member in members if member.name == name]
    start = rf'\{{"payload":{_object(of_key, lambda n, m: f"(?P<k{n}>{m.token})")}{re.escape(layout.key_end)}\n'
    begin, names = _begin(layouts, layout), layout.source[1].partition(',"db":')[2].partition(',"server_id":')[0]

    def image(letter: str, same: bool) -> str:
        def value(place: int, member: _Member) -> str:
            told = f"(?P=k{in_key[member.name]})" if same and member.name in in_key else member.token
            return f"(?P<{letter}{place}>{told})"

        return _object(members, value)

    for op, name in _OPS.items():
        if op == "delete":
            images = rf'"after":null,"before":{image("b", True)}'
        else:
            before = image("b", False) if op == "update" else "null"
            images = rf'"before":{before},"after":{image("a", True)}'
        op_ = f',"op":"{name}",'
        text = rf'{start}{begin},"transaction":null{op_}{images}\}}{re.escape(layout.value_end)}'
        yield (f',"db":{names}'.encode(), op_.encode()), Shape(plan, op, text)


def _begin(layouts: Layouts, layout: Layout) -> str:
    """The pattern of a value up to and with the wall clock."""
    time, begun = 1 << 50, 1
    text = layouts.begin(layout.source, time, begun if layouts.start_ts else None)
    rest = text.removeprefix(f"{layout.source[0]}{physical_ms(time)}{layout.source[1]}{time}")
    start_ts = f',"start_ts":{begun}' if layouts.start_ts else ""
    end, _, _ = rest.removeprefix(start_ts).rpartition(":")
    begin = rf',"start_ts":{TSO}' if layouts.start_ts else ""
    source = [re.escape(part) for part in layout.source]
    return rf"{source[0]}{NUMBER}{source[1]}(?P<time>{TSO}){begin}{re.escape(end)}:{NUMBER}"
