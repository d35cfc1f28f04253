"""Shapes of row events of TiCDC's Open Protocol.

A message holds one event or several, each with a key and a value. A pattern matches the key and the value of one event,
joined, without their frames.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import orjson

from differential.decode.quick.cells import NULL, Read, Unsure, binaries_of_base64, each, folding, texts
from differential.decode.quick.dialect import Dialect, Splitter, longest_undivided
from differential.decode.quick.grammar import BASE64, LOOSE, STRING, TSO, exact
from differential.decode.quick.plan import Field, Plan
from differential.decode.quick.scalars import document, plain_number
from differential.decode.quick.shape import Shape
from differential.decode.quick.structs import OPS, Convert, converter, integers, numbers, others
from differential.sides import Side
from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.keys import handle_key, key_columns
from reference_impl.model import Column, Table
from reference_impl.open_protocol.flags import column_flags
from reference_impl.open_protocol.framing import VERSION, unframe
from reference_impl.open_protocol.layout import names_json
from reference_impl.open_protocol.options import Options
from reference_impl.open_protocol.style import Style, style_of
from reference_impl.open_protocol.types import CODES, read, writer

__all__ = ["DIALECT"]

PatternAndReader: TypeAlias = "tuple[str, Read | None]"

_MOST_SCALE = 30
_FRAME = 8  # bytes of the version, and of a length
# Texts and bytes that are not written in base64.
_PLAIN, _QUOTED = frozenset({Family.CHAR, Family.VARCHAR}), frozenset({Family.BINARY, Family.VARBINARY})
_NATURAL = "(?:0|[1-9][0-9]{0,18})"
_PREVIOUS = b'}},"p":{'
"""Separates the images of an update; it occurs nowhere else, since a column's value ends with one bracket."""


def _base64_text(kind: ColumnType, convert: Convert) -> PatternAndReader:
    """Texts in base64."""

    def cell(token: bytes) -> bytes:
        data = binascii.a2b_base64(token[1:-1], strict_mode=True)
        if binascii.b2a_base64(data, newline=False) != token[1:-1]:
            raise Unsure
        return orjson.dumps(data.decode())

    return BASE64, each(cell)


def _as_it_stands(kind: ColumnType, convert: Convert) -> PatternAndReader:
    """Texts of a known form, which are canonical."""
    return f'"{exact(kind)}"', None


def _decimals(kind: ColumnType, convert: Convert) -> PatternAndReader:
    return others(convert) if (kind.scale or 0) > _MOST_SCALE else _as_it_stands(kind, convert)


_READ: Mapping[Family, Callable[[ColumnType, Convert], PatternAndReader]] = {
    **dict.fromkeys((*INTEGERS, Family.BIT), lambda kind, convert: integers(kind, kind.maximum)),
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE), lambda kind, convert: numbers(plain_number, kind, convert)),
    **dict.fromkeys(_PLAIN, lambda kind, convert: (LOOSE, texts(None))),
    **dict.fromkeys(TEXT - _PLAIN, _base64_text),
    **dict.fromkeys(BINARY - _QUOTED, lambda kind, convert: (BASE64, binaries_of_base64(None))),
    **dict.fromkeys((Family.DATE, Family.TIME, Family.DATETIME, Family.TIMESTAMP), _as_it_stands),
    **dict.fromkeys((Family.ENUM, Family.SET), lambda kind, convert: (_NATURAL, each(convert))),
    Family.DECIMAL: _decimals,
    Family.JSON: lambda kind, convert: (STRING, each(document(convert))),
}


@dataclass(frozen=True, slots=True)
class _Member:
    """A column of the messages: the text before its value, and the value's pattern and reader."""

    name: str
    prefix: str
    token: str
    read: Read | None


def _is_quick(options: Options) -> bool:
    return (
        options.large_message_handle_compression == "none"
        and options.open_output_old_value
        and not (options.delete_only_output_handle_key_columns or options.only_output_updated_columns)
    )


def _splitter(side: Side, options: Options) -> Splitter:
    """A function that splits messages into events.

    A malformed message, or one that the encoder would have divided, becomes a single event that no pattern matches.
    """
    most_bytes, most_events, is_divided = (
        longest_undivided(options),
        options.max_batch_size,
        side.settings.partitions > 1,
    )

    def several(key: bytes | None, value: bytes | None) -> list[tuple[bytes, bytes]]:
        try:
            pairs = unframe(key, value)
        except Rejected:
            return []
        assert key is not None
        assert value is not None
        if len(pairs) > most_events or len(key) + len(value) > most_bytes:
            return []
        if is_divided and len({one.partition(b",")[2] for one, _ in pairs}) > 1:
            return []  # the encoder may send rows of two tables to two partitions
        return pairs

    def split(values: Sequence[bytes | None], keys: Sequence[bytes | None]) -> tuple[list[bytes | None], list[int]]:
        subjects: list[bytes | None] = []
        message_of: list[int] = []
        for position, (key, value) in enumerate(zip(keys, values, strict=True)):
            message_of.append(position)
            if (
                key
                and value
                and key.startswith(VERSION)
                and int.from_bytes(key[_FRAME : 2 * _FRAME], "big") == len(key) - 2 * _FRAME
                and int.from_bytes(value[:_FRAME], "big") == len(value) - _FRAME
            ):
                subjects.append(b"%b\n%b" % (key[2 * _FRAME :], value[_FRAME:]))
                continue
            pairs = several(key, value)
            if not pairs:
                subjects.append(None)
                continue
            subjects += [b"%b\n%b" % pair for pair in pairs]
            message_of += [position] * (len(pairs) - 1)
        return subjects, message_of

    return split


def _head(message: bytes) -> object:
    """The key of an event without the time, and which images it has."""
    end = message.find(b"\n")
    return message[message.find(b",") : end], message[end + 1 : end + 5], message.find(_PREVIOUS, end) > 0


def _member(column: Column, flags: int, is_handle: bool, style: Style) -> _Member:
    kind = column.type
    convert = converter(kind, partial(read, kind), writer(kind, style))
    token, cells = _READ[kind.family](kind, convert) if kind.family in _READ else others(convert)
    handle = '"h":true,' if is_handle else ""
    prefix = f'{style.string(column.name)}:{{"t":{CODES[kind.family]},{handle}"f":{flags},"v":'
    return _Member(column.name, prefix, f"{NULL.decode()}|{token}", cells)


def _members(table: Table, style: Style) -> list[_Member] | None:
    """The columns of a table in message order, None if the protocol does not support the type of one."""
    handle = handle_key(table, virtual_counts=style.virtual_handle_key)
    flags = column_flags(table, handle, index_flags_of_generated=style.index_flags_of_generated)
    sent = [column for column in table.columns if column.generated != "virtual"]
    if any(column.type.family not in CODES for column in sent):
        return None
    if style.sorted_columns:
        sent.sort(key=lambda column: column.name.encode("utf-8", "surrogatepass"))
    return [_member(column, flags[column.name], column.name in handle, style) for column in sent]


def _image(members: Sequence[_Member], value: Callable[[int, _Member], str]) -> str:
    pairs = (rf"{re.escape(member.prefix)}{value(number, member)}\}}" for number, member in enumerate(members))
    return r"\{" + ",".join(pairs) + r"\}"


def _heads(side: Side, table: Table, options: Options) -> Iterator[object]:
    """The heads of the events of a table, by operation."""
    names = _names(side, table).encode()
    return ((names, b'{"d"' if op == "delete" else b'{"u"', op == "update") for op in OPS)


def _names(side: Side, table: Table) -> str:
    """The end of the keys of a table's events."""
    return f'{names_json(table.schema, table.name, style_of(side.profile))},"t":1}}'


def _shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads.

    Raises `Rejected` for a type that the dialect does not support.
    """
    style = style_of(side.profile)
    members, key = _members(table, style), handle_key(table)
    if members is None or not key or table.partition_id or not {member.name for member in members} >= {*key}:
        return
    fields = [Field(member.name, member.read, folding(table, member.name)) for member in members]
    plan = Plan(table.schema, table.name, fields, key, has_commit_ts=True)
    fixed = {*key, *key_columns(table)}  # an update that changes one of them is two events
    names = re.escape(_names(side, table))

    def whole(letter: str) -> str:
        return _image(members, lambda number, member: f"(?P<{letter}{number}>{member.token})")

    def if_changed(number: int, member: _Member) -> str:
        # The two alternatives never match the same text, so a mismatch is found without backtracking.
        token = "(?!)" if member.name in fixed else member.token
        return rf"(?:(?P=a{number})|(?!(?P=a{number})\}})(?P<b{number}>{token}))"

    values = {
        "insert": rf'\{{"u":{whole("a")}\}}',
        "update": rf'\{{"u":{whole("a")},"p":{_image(members, if_changed)}\}}',
        "delete": rf'\{{"d":{whole("b")}\}}',
    }
    for head_, op in zip(_heads(side, table, options), OPS, strict=True):
        text = rf'\{{"ts":(?P<time>{TSO}){names}\n{values[op]}'
        yield head_, Shape(plan, op, text, partial=op == "update")


DIALECT = Dialect(_head, _shapes, _heads, splitter=_splitter, is_quick=_is_quick, longest=longest_undivided)
