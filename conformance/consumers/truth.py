"""The rows in a message as a reader without faults would have them, read without any consumer.

They decide whether an answer is silently wrong. Values that the column's type alone does not determine are left out.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from conformance.consumers.clock import day_text, duration_text, moment_text
from conformance.consumers.decimals import plain, unscaled_text
from conformance.consumers.envelopes import CANAL_FORMATS, DEBEZIUM_FORMATS
from conformance.consumers.json_tree import Malformed, Number, Tree, integer_of, java_text, parse
from conformance.consumers.model import Message, Row
from conformance.consumers.mysql_types import MysqlType
from reference_impl.floats import same_float

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

Values = Mapping[str, str | None]
_LONGEST = 40
"""Digits of an integer in a message; longer ones are taken for texts."""
_FLOAT_BITS = {"float": 32, "double": 64, "real": 64}
Change = tuple[Values | None, Values | None]
"""The row before and the row after a change, with the columns whose values are certain."""


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
        for (before, after), (was, now) in zip(expected, got, strict=True)
        for name in (*_differ(types, before, was, excused=now is not None), *_differ(types, after, now, excused=False))
    )


def _differ(
    types: Mapping[str, MysqlType], expected: Values | None, got: Values | None, *, excused: bool
) -> Iterator[str]:
    """The columns that differ. `excused`: the reader may lack this image, as it shows only the row after a change."""
    if expected is not None and got is not None:
        for name, value in expected.items():
            if name in got and not is_same_value(types[name], got[name], value):
                yield name
    elif got is not None or (expected is not None and not excused):
        yield ""


def changes_of_rows(rows: Sequence[Row]) -> list[Change]:
    """Rows as changes: -U and +U, or -D followed by +I, are one change; a -U without its +U removes the row."""
    found: list[Change] = []
    waiting: Values | None = None
    for i, (kind, row) in enumerate(rows):
        if kind == "-U" or (kind == "-D" and i + 1 < len(rows) and rows[i + 1][0] == "+I" and waiting is None):
            waiting = row
        elif kind == "-D":
            found.append((row, None))
        else:
            found.append((waiting, row))
            waiting = None
    if waiting is not None:
        found.append((waiting, None))
    return found


def is_same_value(column_type: MysqlType, got: str | None, expected: str | None) -> bool:
    """Whether two texts are one value of a column."""
    if got is None or expected is None or got == expected:
        return got == expected
    if column_type.base in ("boolean", "bool") or (column_type.base in ("tinyint", "bit") and column_type.length == 1):
        same = {got, expected} in ({"true", "1"}, {"false", "0"})
        return same or (column_type.base == "bit" and _is_same_bit(got, expected))
    if column_type.base in ("time", "datetime", "timestamp"):
        return _fraction(got) == _fraction(expected)
    if column_type.base == "bit":
        return _is_same_bit(got, expected)
    if column_type.base in ("float", "double", "real", "decimal", "numeric"):
        try:
            exact = Decimal(got), Decimal(expected)
        except InvalidOperation:
            return False
        bits = _FLOAT_BITS.get(column_type.base)
        return exact[0] == exact[1] or (bits is not None and same_float(got, expected, bits))
    return False


def _is_same_bit(one: str, other: str) -> bool:
    """Whether one text is a number, and the other the base64 of its bytes."""
    return _number_of(one) == _bits_of(other) or _bits_of(one) == _number_of(other)


def _number_of(text: str) -> int:
    """The number that a text is; -1 for a text that is no number, or longer than any in a message."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) < _LONGEST else -1


def _bits_of(text: str) -> int:
    """The number in the bytes of a base64 text; -2, which no row holds, for a text that is not base64."""
    try:
        return int.from_bytes(base64.b64decode(text, validate=True), "big")
    except ValueError:
        return -2


def _fraction(text: str) -> tuple[str, str]:
    whole, _, fraction = text.partition(".")
    return whole, fraction.rstrip("0")


def changes_of_message(message: Message) -> list[Change] | None:
    """The changes of a message, with the columns whose values are certain; None if this module cannot read it."""
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
    if tree.get("table") != message.table["name"]:
        return [] if message.options.get("filters") == "true" else None
    if isinstance(extra, dict) and ("onlyHandleKey" in extra or "claimCheckLocation" in extra):
        return []  # the row is not whole
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
                return []
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


_MOST_BIT_DIGITS = len(str(2**64 - 1))


def _canal_value(text: str, column_type: MysqlType) -> str | None:
    """A value as MySQL writes it; None if that is not certain."""
    if column_type.base in ("enum", "set"):
        return column_type.member_text(_number_of(text))
    if column_type.base in ("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"):
        return base64.b64encode(text.encode("latin-1", "replace")).decode()
    if column_type.base == "bit" and column_type.length != 1 and text.isdecimal():
        size = ((column_type.length or 1) + 7) // 8
        if len(text) > _MOST_BIT_DIGITS or int(text) >= 1 << 8 * size:
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
        return []
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
        return _TEXT_OF_INTEGER[column_type.base](integer_of(node), column_type)
    text = java_text(node)
    if column_type.base in ("date", "time", "datetime", "timestamp"):
        return text.removesuffix("Z").replace("T", " ")
    if column_type.base in ("decimal", "numeric") and isinstance(node, str):
        return _decimal(text, column_type)
    if column_type.base == "bigint" and column_type.is_unsigned and text.startswith("-"):
        return str(int(text) + (1 << 64))
    return text


def _decimal(text: str, column_type: MysqlType) -> str | None:
    """A DECIMAL that is written as a number, or as the base64 of its unscaled value; None if it is neither."""
    try:
        return plain(Decimal(text))
    except (InvalidOperation, ValueError):
        pass
    try:
        return unscaled_text(base64.b64decode(text, validate=True), column_type.scale or 0)
    except ValueError:
        return None


def _moment(number: int, column_type: MysqlType) -> str:
    return moment_text(number if (column_type.length or 0) > 3 else 1000 * number)


_TEXT_OF_INTEGER: Mapping[str, Callable[[int, MysqlType], str]] = {
    "date": lambda number, column_type: day_text(number),
    "time": lambda micros, column_type: duration_text(micros),
    "datetime": _moment,
}

_READERS: Mapping[str, Callable[[Mapping[str, Tree], Message], list[Change] | None]] = {
    **dict.fromkeys(CANAL_FORMATS, _canal),
    **dict.fromkeys(DEBEZIUM_FORMATS, _debezium),
}

PROTOCOLS = tuple(_READERS)
"""The protocols and dialects that this module reads."""
