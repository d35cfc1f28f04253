"""The common parts of messages of Debezium's dialects: keys, and rows of JSON values.

A pattern matches the key and the value, joined. The reader and the writer of the dialect convert single tokens that no
fast function here recognises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import orjson

from differential.decode.canonical import canonical
from differential.decode.quick.cells import NULL, Column, Read, Unsure, each, folding
from differential.decode.quick.grammar import STRING, between, exact
from differential.decode.quick.plan import Field
from reference_impl import epochs, exact_json
from reference_impl.column_types import ColumnType, Family
from reference_impl.model import Table, Value

__all__ = [
    "JSON_NUMBER",
    "OPS",
    "Convert",
    "Member",
    "PatternAndReader",
    "clocks",
    "converter",
    "dates",
    "fields_of",
    "image",
    "integers",
    "key_object",
    "moments",
    "numbers",
    "others",
    "subjects",
    "times",
]

Convert: TypeAlias = "Callable[[bytes], bytes]"
PatternAndReader: TypeAlias = "tuple[str, Read]"
"""The pattern of the tokens of a column, and their reader."""

OPS = {"insert": "c", "update": "u", "delete": "d"}

JSON_NUMBER = "-?[0-9][0-9.eE+-]*+"
_OTHER = f"(?:{STRING}|true|false|{JSON_NUMBER})"
_EPOCH = b'"1970-01-01T00:00:00'  # stands for the zero TIMESTAMP, too
_LEAP = "(?:19(?:7[26]|8[048]|9[26])|20(?:[02][048]|1[26]|3[26]))-02-29"
_MOMENT = (
    "(?:(?:197[1-9]|19[89][0-9]|20[0-2][0-9]|203[0-7])-"
    "(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    f"|{_LEAP})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
)
_COUNT = "(?:0|-?[1-9][0-9]{0,17})"
_DAY, _HOURS = 86_400, 838
_DAYS = range(-25_567, 84_006)  # from 1900 to 2200


@dataclass(frozen=True, slots=True)
class Member:
    """A column of the messages; `token` is a pattern."""

    name: str
    literal: str  # the name as JSON, with its colon
    token: str
    read: Read


def subjects(values: Sequence[bytes | None], keys: Sequence[bytes | None]) -> Sequence[bytes | None]:
    """The texts for the patterns: key and value, joined by a byte that matches in neither."""
    return [
        b"%b\n%b" % (key, value) if value and key is not None else None for value, key in zip(values, keys, strict=True)
    ]


def converter(kind: ColumnType, read: Callable[[Any], Value], write: Callable[[Any], str | None]) -> Convert:
    """Converts a single token by the slow path."""

    def convert(token: bytes) -> bytes:
        value = read(exact_json.loads(token))
        text = None if value is None else write(value)
        if text is None or (kind.family is Family.TIMESTAMP and token.startswith(_EPOCH)):
            raise Unsure
        written = text.encode()
        if written != token and not (token[:1] == b'"' == written[:1] and orjson.loads(written) == orjson.loads(token)):
            raise Unsure
        return orjson.dumps(canonical(kind, value))

    return convert


def _quoted(column: Column) -> Column:
    if NULL not in column and None not in column:
        return list(map(b'"%b"'.__mod__, column))
    return [token if token is None or token == NULL else b'"%b"' % token for token in column]


def integers(kind: ColumnType, largest: int) -> PatternAndReader:
    """Integers up to `largest` in plain digits.

    The dialect writes larger unsigned ones as negative numbers.
    """
    if kind.minimum < 0:
        return exact(kind) or "", _quoted
    return between(0, min(kind.maximum, largest)), _quoted


def numbers(quick: Callable[[ColumnType, Convert], Convert], kind: ColumnType, convert: Convert) -> PatternAndReader:
    """JSON numbers, converted by a fast function that expects them in quotes."""
    cell = quick(kind, lambda token: convert(token[1:-1]))
    return JSON_NUMBER, each(lambda token: cell(b'"%b"' % token))


def moments(kind: ColumnType, convert: Convert) -> PatternAndReader:
    """TIMESTAMPs in UTC with every declared digit."""
    fraction = f"[.][0-9]{{{kind.fsp}}}" if kind.fsp else ""
    sure = re.compile(f'"{_MOMENT}{fraction}Z"'.encode()).fullmatch
    return STRING, each(lambda token: b'%b %b"' % (token[:11], token[12:-2]) if sure(token) else convert(token))


_day = lru_cache(maxsize=8192)(epochs.date_of_days)


def _clock(rest: int, part: int, fsp: int) -> str:
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return f"{clock}.{part:0{fsp}}" if fsp else clock


def dates(kind: ColumnType, convert: Convert) -> PatternAndReader:
    """Dates as days since 1970."""

    def cell(token: bytes) -> bytes:
        days = int(token)
        return b'"%b"' % _day(days).encode() if days in _DAYS else convert(token)

    return _COUNT, each(cell)


def clocks(kind: ColumnType, digits: int, convert: Convert) -> PatternAndReader:
    """Dates with a time as units of 10**-`digits` seconds since 1970; no column has more digits."""
    second, unit = 10**digits, 10 ** (digits - kind.fsp)

    def cell(token: bytes) -> bytes:
        seconds, part = divmod(int(token), second)
        days, rest = divmod(seconds, _DAY)
        if part % unit or days not in _DAYS:
            return convert(token)
        return f'"{_day(days)} {_clock(rest, part // unit, kind.fsp)}"'.encode()

    return _COUNT, each(cell)


def times(kind: ColumnType, digits: int, convert: Convert) -> PatternAndReader:
    """Times as units of 10**-`digits` seconds; no column has more digits."""
    second, unit = 10**digits, 10 ** (digits - kind.fsp)

    def cell(token: bytes) -> bytes:
        seconds, part = divmod(int(token), second)
        if part % unit or not 0 <= seconds < _HOURS * 3600:
            return convert(token)
        return f'"{_clock(seconds, part // unit, kind.fsp)}"'.encode()

    return _COUNT, each(cell)


def others(convert: Convert) -> PatternAndReader:
    """Values of any kind, by the slow path."""
    return _OTHER, each(convert)


def _object(members: Sequence[Member], value: Callable[[int, Member], str]) -> str:
    pairs = (re.escape(member.literal) + value(number, member) for number, member in enumerate(members))
    return r"\{" + ",".join(pairs) + r"\}"


def key_object(members: Sequence[Member], key: Sequence[str]) -> str:
    """The pattern of the columns of a key, in its order, each in a group."""
    by_name: Mapping[str, Member] = {member.name: member for member in members}
    return _object([by_name[name] for name in key], lambda number, member: f"(?P<k{number}>{member.token})")


def image(members: Sequence[Member], letter: str, key: Sequence[str] = (), *, alike: bool = False) -> str:
    """The pattern of a row, one group a column.

    The values of `key` columns must repeat those of the message's key.

    With `alike` the group of a value that equals the one before stays empty. The two alternatives never match the
    same text, so a mismatch is found without backtracking.
    """

    def value(number: int, member: Member) -> str:
        if member.name in key:
            return f"(?P<{letter}{number}>(?P=k{key.index(member.name)}))"
        group = f"(?P<{letter}{number}>{member.token})"
        return f"(?:(?P=b{number})|(?!(?P=b{number})[,}}]){group})" if alike else group

    return _object(members, value)


def fields_of(members: Sequence[Member], table: Table) -> list[Field]:
    """The fields of a plan."""
    return [Field(member.name, member.read, folding(table, member.name)) for member in members]
