"""Members of a structure as from_json reads them by the declared type, and times made from numbers."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.consumers.clock import day_text, duration_text, moment_text
from conformance.consumers.json_tree import Number, Tree, base64_of, compact_json, java_text
from conformance.consumers.model import Basis, Message, Refused, Rule, Skipped
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.spark.casts import BYTES, cast, decimal_text
from reference_impl.java_numbers import double_text, float_text

__all__ = ["Fields", "text_of"]

_FIELD = Rule(
    "spark.field",
    "A member that is not of the declared type is NULL, and the rest of the row is read; with FAILFAST the job fails.",
    Basis.RUN,
)
_SPOILED = Rule(
    "spark.spoiled",
    "Base64 that ends behind one letter of a group takes the rest of the message with it: no row, and no error.",
    Basis.RUN,
)
_OVERFLOW = Rule("spark.overflow", "A moment beyond the range of Spark fails the job.", Basis.RUN)

_SMALL = frozenset({"boolean", "bool", "tinyint", "smallint", "mediumint", "year", "date"})
_MOST_DIGITS, _LONG = 38, 64
_CUT_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]", re.ASCII)
_INFINITE = {
    "NaN": "NaN",
    **dict.fromkeys(("+INF", "+Infinity", "Infinity"), "Infinity"),
    **dict.fromkeys(("-INF", "-Infinity"), "-Infinity"),
}


class _Unreadable(ValueError):
    """A member is not of the declared type."""


@dataclass(frozen=True, slots=True)
class Fields:
    """How a job reads the members of a message: by its parse mode."""

    message: Message

    def report_unreadable(self, rule: Rule = _FIELD) -> None:
        """Note an unreadable value. Raises `Refused` in a job that fails fast."""
        if self.message.options.get("parse-mode") == "FAILFAST":
            raise Refused(rule)

    def read(self, node: Tree, column_type: MysqlType) -> object:
        """The value of a member: a text, or an `int` where the job makes a time of it. None for NULL."""
        if node is None:
            return None
        try:
            return _reader(column_type)(node, column_type)
        except ValueError:
            self.report_unreadable()
        if _is_bytes(column_type) and isinstance(node, str) and _CUT_BASE64.fullmatch(node):
            raise Skipped(_SPOILED)
        return None

    def converted(self, value: object, column_type: MysqlType, is_ansi: bool) -> str | None:
        """A value as the job shows it. Raises `Refused`."""
        if value is None:
            return None
        if column_type.base == "timestamp":
            return cast(str(value), column_type, is_ansi)
        if not isinstance(value, int):
            return str(value)
        if column_type.base == "date":
            return day_text(value)
        if column_type.base == "time":
            return duration_text(value)
        if column_type.base == "datetime":
            micros = value if (column_type.length or 0) > 3 else 1000 * value
            if not -(1 << 63) <= micros < 1 << 63:
                raise Refused(_OVERFLOW)
            return moment_text(micros)
        return str(value)


def text_of(node: Tree) -> str | None:
    """A member declared as STRING: any other value becomes its JSON, in which a fraction is a binary double."""
    return node if node is None or isinstance(node, str) else compact_json(node, _scalar_text)


def _scalar_text(node: Tree) -> str:
    text = java_text(node)
    return f'"{text}"' if text.endswith("Infinity") else text


def _is_bytes(column_type: MysqlType) -> bool:
    return column_type.base in BYTES or (column_type.base == "bit" and (column_type.length or 1) > 1)


def _reader(column_type: MysqlType) -> Callable[[Tree, MysqlType], object]:
    if _is_bytes(column_type):
        return _bytes
    if column_type.base == "bit":
        return _boolean
    if column_type.base in _SMALL:
        return _integer(32)
    if column_type.base in ("int", "integer"):
        return _integer(64 if column_type.is_unsigned else 32)
    return _READERS.get(column_type.base, lambda node, column_type: text_of(node))


def _integer(bits: int) -> Callable[[Tree, MysqlType], int]:
    def read(node: Tree, column_type: MysqlType) -> int:
        if not isinstance(node, Number) or not node.is_integer:
            raise _Unreadable(node)
        value = int(node.text)
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise _Unreadable(value)
        return value

    return read


def _bigint(node: Tree, column_type: MysqlType) -> object:
    if column_type.is_unsigned:
        return _number_or_text(node, 20, 0)
    return _integer(_LONG)(node, column_type)


def _decimal(node: Tree, column_type: MysqlType) -> str | None:
    precision = 10 if column_type.length is None else column_type.length
    return text_of(node) if precision > _MOST_DIGITS else _number_or_text(node, precision, column_type.scale or 0)


def _number_or_text(node: Tree, precision: int, scale: int) -> str:
    """A DECIMAL: commas of a text are dropped, whatever they stand for."""
    text = node.text if isinstance(node, Number) else node.replace(",", "") if isinstance(node, str) else ""
    return decimal_text(text, precision, scale)


def _double(node: Tree, column_type: MysqlType) -> str:
    if isinstance(node, str):
        if node not in _INFINITE:
            raise _Unreadable(node)
        return _INFINITE[node]
    if not isinstance(node, Number):
        raise _Unreadable(node)
    return (float_text if column_type.base == "float" else double_text)(float(node.text))


def _boolean(node: Tree, column_type: MysqlType) -> str:
    if not isinstance(node, bool):
        raise _Unreadable(node)
    return "true" if node else "false"


def _bytes(node: Tree, column_type: MysqlType) -> str:
    if not isinstance(node, str):
        raise _Unreadable(node)
    return base64.b64encode(base64_of(node)).decode()


_READERS: Mapping[str, Callable[[Tree, MysqlType], object]] = {
    "bigint": _bigint,
    "decimal": _decimal,
    "numeric": _decimal,
    **dict.fromkeys(("float", "double", "real"), _double),
    **dict.fromkeys(("time", "datetime"), _integer(_LONG)),
}
