"""The rows in a message as a reader without faults would have them, read without any consumer.

They decide whether an answer is silently wrong. Values that the column's type alone does not determine are left out.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from conformance.consumers.clock import day_text, duration_text, moment_text
from conformance.consumers.decimals import plain, unscaled_text
from conformance.consumers.envelopes import CANAL_FORMATS, DEBEZIUM_FORMATS
from conformance.consumers.json_tree import Malformed, Number, Tree, integer_of, java_text, parse
from conformance.consumers.model import Message, Row, Values
from conformance.consumers.mysql_types import MysqlType
from reference_impl.floats import is_number, same_float

__all__ = [
    "PROTOCOLS",
    "Change",
    "Values",
    "changes_of_message",
    "changes_of_rows",
    "is_same_value",
    "is_silently_wrong",
    "misread_columns",
]

Change = tuple[Values | None, Values | None]
"""The row before and the row after a change, with the columns whose values are certain."""

_FLOAT_BITS = {"float": 32, "double": 64, "real": 64}
_MOST_DIGITS = 39
"""A text with more digits is not read as an integer: no column holds one as long."""
_MOST_BITS = 64
_MOST_BIT_DIGITS = len(str(2**_MOST_BITS - 1))
_ONE_CHANGE = frozenset({("-U", "+U"), ("-U", "+I"), ("-D", "+I")})
"""Kinds of two rows, one right after the other, that are the rows before and after one change."""


def is_silently_wrong(message: Message, outcome: str, rows: Sequence[Row]) -> bool | None:
    """Whether a reader, without an error, has another row than the message, a row too many, or one too few.

    None if that is unknown: this module cannot read the message.
    """
    if outcome == "error":
        return False
    misread = misread_columns(message, rows)
    return None if misread is None else bool(misread)


def misread_columns(message: Message, rows: Sequence[Row]) -> frozenset[str] | None:
    """The columns where a reader differs from the message; `""` among them for rows too many or too few.

    None if that is unknown.
    """
    expected = changes_of_message(message)
    if expected is None:
        return None
    types = message.column_types
    got = changes_of_rows(rows)
    if len(expected) != len(got):
        return frozenset({""})
    return frozenset(
        name
        for (before, after), (got_before, got_after) in zip(expected, got, strict=True)
        for name in (
            *_differing(types, before, got_before, may_be_missing=got_after is not None),
            *_differing(types, after, got_after, may_be_missing=False),
        )
    )


def _differing(
    types: Mapping[str, MysqlType], expected: Values | None, got: Values | None, *, may_be_missing: bool
) -> Iterator[str]:
    """The columns in which a reader's row differs; `""` for a row that is missing, or that should not be there.

    The row before a change `may_be_missing`: some readers show only the row after it.
    """
    if expected is not None and got is not None:
        for name, value in expected.items():
            if name in got and not is_same_value(types[name], got[name], value):
                yield name
    elif got is not None or (expected is not None and not may_be_missing):
        yield ""


def changes_of_rows(rows: Sequence[Row]) -> list[Change]:
    """Rows as changes: -U and +U, or -D followed by +I, are one change; a -U without its +U removes the row."""
    found: list[Change] = []
    previous = ""
    for kind, row in rows:
        if kind in ("-U", "-D"):
            found.append((row, None))
        elif (previous, kind) in _ONE_CHANGE:
            found[-1] = found[-1][0], row
        else:
            found.append((None, row))
        previous = kind
    return found


def is_same_value(column_type: MysqlType, got: str | None, expected: str | None) -> bool:
    """Whether two texts are one value of a column."""
    if got is None or expected is None or got == expected:
        return got == expected
    if column_type.base in ("boolean", "bool") or (column_type.base in ("tinyint", "bit") and column_type.length == 1):
        same = {got, expected} in ({"true", "1"}, {"false", "0"})
        return same or (column_type.base == "bit" and _is_same_bit(got, expected))
    if column_type.base in ("time", "datetime", "timestamp"):
        return _without_last_zeros(got) == _without_last_zeros(expected)
    if column_type.base == "bit":
        return _is_same_bit(got, expected)
    if column_type.base in ("float", "double", "real", "decimal", "numeric"):
        try:
            is_equal = Decimal(got) == Decimal(expected)
        except InvalidOperation:
            return False
        bits = _FLOAT_BITS.get(column_type.base)
        return is_equal or (bits is not None and same_float(got, expected, bits))
    return False


def _is_same_bit(one: str, other: str) -> bool:
    """Whether one text is a number, and the other the base64 of its bytes."""
    pairs = ((_number_of(one), _bits_of(other)), (_number_of(other), _bits_of(one)))
    return any(number is not None and number == bits for number, bits in pairs)


def _number_of(text: str) -> int | None:
    """The number that a text is; None for a text that is not a number without a sign, or too long for one."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS else None


def _bits_of(text: str) -> int | None:
    """The number in the bytes of a base64 text; None for a text that is not base64."""
    try:
        return int.from_bytes(base64.b64decode(text, validate=True), "big")
    except ValueError:
        return None


def _without_last_zeros(time: str) -> tuple[str, str]:
    """The whole seconds of a time, and its fraction without zeros at the end."""
    whole, _, fraction = time.partition(".")
    return whole, fraction.rstrip("0")


def changes_of_message(message: Message) -> list[Change] | None:
    """The changes of a message, with the columns whose values are certain; None if this module cannot read it.

    There are none in a message from which a reader must take no row: one without rows, or with only a part of a row.
    """
    read = _READERS.get(message.protocol)
    if read is None:
        return None
    if not message.value:
        return []
    try:
        tree = parse(message.value, controls=True)
    except Malformed:
        return None
    return read(tree, message) if isinstance(tree, dict) else None


# -- Canal-JSON --------------------------------------------------------------------------------------------------------


def _canal(tree: Mapping[str, Tree], message: Message) -> list[Change] | None:
    data, kind, extra = tree.get("data"), tree.get("type"), tree.get("_tidb")
    if kind not in ("INSERT", "UPDATE", "DELETE") or tree.get("isDdl") is True:
        return []
    if tree.get("table") != message.table["name"]:  # a reader without the option `filters` may take its rows
        return [] if message.options.get("filters") == "true" else None
    if isinstance(extra, dict) and ("onlyHandleKey" in extra or "claimCheckLocation" in extra):
        return []  # only a part of the row is here
    if not isinstance(data, list):
        return None
    old = tree.get("old")
    changes: list[Change] = []
    for i, node in enumerate(data):
        if not isinstance(node, dict):
            return None
        row = _canal_row(node, message)
        if kind == "INSERT":
            changes.append((None, row))
        elif kind == "DELETE":
            changes.append((row, None))
        else:
            before = old[i] if isinstance(old, list) and i < len(old) else None
            if not isinstance(before, dict):
                return []  # nobody knows which columns changed
            kept = {name: text for name, text in row.items() if name not in before}
            changes.append(({**kept, **_canal_row(before, message)}, row))
    return changes


def _canal_row(node: Mapping[str, Tree], message: Message) -> dict[str, str | None]:
    types = message.column_types
    found: dict[str, str | None] = {}
    for name, value in node.items():
        if name not in types:
            continue
        if value is None:
            found[name] = None
        elif (text := _canal_value(java_text(value), types[name])) is not None:
            found[name] = text
    return found


def _canal_value(text: str, column_type: MysqlType) -> str | None:
    """A value as MySQL writes it; None if that is not certain."""
    if column_type.base in ("enum", "set"):
        number = _number_of(text)
        return None if number is None else column_type.member_text(number)
    if column_type.base in ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"):
        return base64.b64encode(text.encode("latin-1", "replace")).decode()
    if column_type.base == "bit" and column_type.length != 1 and text.isdecimal():
        length = column_type.length or 1
        size = (length + 7) // 8
        if length > _MOST_BITS or len(text) > _MOST_BIT_DIGITS or int(text) >= 1 << 8 * size:
            return None
        return base64.b64encode(int(text).to_bytes(size, "big")).decode()
    return text


# -- Debezium ----------------------------------------------------------------------------------------------------------


def _debezium(tree: Mapping[str, Tree], message: Message) -> list[Change] | None:
    payload = tree.get("payload", tree)
    if not isinstance(payload, dict):
        return None
    op, before, after = (payload.get(name) for name in ("op", "before", "after"))
    if op not in ("c", "r", "u", "d"):
        return []
    if (op in ("u", "d") and before is None) or (op != "d" and after is None):
        return []  # only a part of the change is here
    return [(_debezium_row(before, message), _debezium_row(after, message))]


def _debezium_row(node: Tree, message: Message) -> Values | None:
    if not isinstance(node, dict):
        return None
    types = message.column_types
    found: dict[str, str | None] = {}
    for name, value in node.items():
        if name not in types:
            continue
        if value is None:
            found[name] = None
        elif (text := _debezium_value(value, types[name])) is not None:
            found[name] = text
    return found


def _debezium_value(node: Tree, column_type: MysqlType) -> str | None:
    """A value as MySQL writes it; None if that is not certain."""
    if isinstance(node, (dict, list)) or (column_type.base == "bit" and column_type.length != 1):
        return None
    if isinstance(node, Number) and node.is_integer and column_type.base in _TEXT_OF_INTEGER:
        try:
            return _TEXT_OF_INTEGER[column_type.base](integer_of(node), column_type)
        except Malformed:  # beyond every type
            return None
    text = java_text(node)
    if column_type.base in ("date", "time", "datetime", "timestamp"):
        return text.removesuffix("Z").replace("T", " ")
    if column_type.base in ("decimal", "numeric") and isinstance(node, str):
        return _decimal(text, column_type)
    if column_type.base == "bigint" and column_type.is_unsigned and text.startswith("-"):
        size = _number_of(text[1:])
        return str((1 << 64) - size) if size and size <= 1 << 63 else None
    return text


def _decimal(text: str, column_type: MysqlType) -> str | None:
    """A DECIMAL that is written as a number, or as the base64 of its unscaled value.

    None if it is neither, or may be both: the digits `1000` are base64 as well.
    """
    number = unscaled = None
    with suppress(ValueError):
        number = plain(Decimal(text)) if is_number(text) else None
    with suppress(ValueError):
        unscaled = unscaled_text(base64.b64decode(text, validate=True), column_type.scale or 0) if text else None
    if number is not None and unscaled is not None:
        return None
    return unscaled if number is None else number


def _moment_text(number: int, column_type: MysqlType) -> str:
    """A DATETIME, which is in microseconds if it has more than three digits of a second, else in milliseconds."""
    return moment_text(number if (column_type.length or 0) > 3 else 1000 * number)


_TEXT_OF_INTEGER: Mapping[str, Callable[[int, MysqlType], str]] = {
    "date": lambda number, column_type: day_text(number),
    "time": lambda micros, column_type: duration_text(micros),
    "datetime": _moment_text,
}
"""Base type → the text of a value that Debezium writes as an integer."""

_READERS: Mapping[str, Callable[[Mapping[str, Tree], Message], list[Change] | None]] = {
    **dict.fromkeys(CANAL_FORMATS, _canal),
    **dict.fromkeys(DEBEZIUM_FORMATS, _debezium),
}

PROTOCOLS = tuple(_READERS)
"""The protocols and dialects that this module reads."""
