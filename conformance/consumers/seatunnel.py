"""SeaTunnel's `canal_json` and `debezium_json` formats, with the types that its MySQL catalog gives.

Its Debezium reader uses Jackson's typed getters: a value of another JSON type, also NULL, becomes 0, 0.0 or false
without an error.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from conformance.consumers.clock import DAY, day_text, moment_text, time_text
from conformance.consumers.decimals import plain, unscaled_text
from conformance.consumers.envelopes import CANAL_FORMATS, DEBEZIUM_FORMATS, canal_rows, check_filters, debezium_rows
from conformance.consumers.flink.types import FlinkType, Undeclarable, declared
from conformance.consumers.flink.values import ValueReader, last_day
from conformance.consumers.json_tree import Number, Tree, base64_of, integer_of, java_text, narrowed, parse
from conformance.consumers.model import Message, Prediction, Refused, Row, Rule, Skipped, in_column, predicted
from reference_impl.java_numbers import double_text, float_text

__all__ = ["SeaTunnelModel"]

_NO_TABLE = Rule("seatunnel.table", "A table needs a name.")
_NOT_JSON = Rule("seatunnel.json", "A message that is no JSON fails the job; leniently it is skipped.")
_SHAPE = Rule("seatunnel.shape", "A message without the members of the format fails the job; leniently it is skipped.")
_KIND = Rule("seatunnel.kind", "A type or `op` that the format does not know fails the job; leniently it is skipped.")
_EMPTY = Rule("seatunnel.empty", "A null or empty value is skipped.")
_FILTERED = Rule("seatunnel.filters", "With include filters, a message of another table is skipped.")
_STATEMENT = Rule("seatunnel.statement", "QUERY, CREATE and ALTER without data are skipped, other statements fail.")
_VALUE = Rule("seatunnel.value", "A value that does not fit its type fails the job; leniently the message is skipped.")
_ZERO = Rule("seatunnel.zero", "NULL, or another JSON type, in a number or boolean becomes 0 or false.")
_BASE64 = Rule("seatunnel.decimal", "A text in a DECIMAL is read as base64 of the unscaled value.")
_MILLIS = Rule("seatunnel.millis", "An integer in a DATETIME is read as milliseconds, whatever its unit.")

_SKIPPED_STATEMENTS = frozenset({"QUERY", "CREATE", "ALTER"})
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_INT32, _INT64 = range(-(2**31), 2**31), range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True)
class SeaTunnelModel:
    """The model of a release of SeaTunnel."""

    version: str
    name: str = "seatunnel"
    protocols: Sequence[str] = (*CANAL_FORMATS, *DEBEZIUM_FORMATS)

    def predict(self, message: Message) -> Prediction:
        """Rows as the format emits them."""
        if not message.table.get("name"):
            return Prediction("error", rules=[_NO_TABLE])
        if not message.value:
            return Prediction("skipped", rules=[_EMPTY])
        lenient = message.options.get("ignore-parse-errors") == "true"
        is_canal = message.protocol in CANAL_FORMATS
        reading = _canal(message.value, message, lenient) if is_canal else _debezium(message.value, message)
        return predicted(reading, _NOT_JSON, lenient=lenient)


def _types(message: Message) -> dict[str, FlinkType]:
    """The type that SeaTunnel's catalog gives each column, by its name."""
    return {str(column["name"]): _type_in_catalog(column.get("type", "")) for column in message.columns}


def _type_in_catalog(mysql_type: str) -> FlinkType:
    try:
        return declared({"type": mysql_type}, {})
    except Undeclarable:
        return FlinkType("STRING")  # the catalog declares every other type as a string


# -- Canal-JSON --------------------------------------------------------------------------------------------------------

_READER = ValueReader(iso=False, keeps_millis=True, exact=False)
_ISO_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?", re.ASCII)


def _has_decimal(types: Mapping[str, FlinkType]) -> bool:
    """Whether the table has a DECIMAL column; all fractions are then read exactly."""
    return any(column_type.root == "DECIMAL" for column_type in types.values())


def _canal(value: bytes, message: Message, lenient: bool) -> Iterator[Row]:
    tree = parse(value)
    if not isinstance(tree, dict):
        raise Refused(_SHAPE)
    check_filters(tree, message, shape=_SHAPE, filtered=_FILTERED)
    if "type" not in tree:
        raise Refused(_SHAPE)
    kind, data = java_text(tree["type"]), tree.get("data")
    if data is None:
        if kind in _SKIPPED_STATEMENTS:
            raise Skipped(_STATEMENT)
        raise Refused(_STATEMENT)
    if kind not in ("INSERT", "UPDATE", "DELETE"):
        raise Refused(_KIND)
    if kind == "UPDATE" and not isinstance(tree.get("old", []), list):
        raise Refused(_SHAPE)  # a missing `old` fails only if there are rows, a wrong one always
    types = _types(message)
    reader = replace(_READER, exact=_has_decimal(types))

    def row(node: Tree) -> dict[str, str | None]:
        if not isinstance(node, dict):
            raise Refused(_SHAPE)
        return {
            name: in_column(name, _canal_value, node.get(name), column_type, reader, lenient)
            for name, column_type in types.items()
        }

    yield from canal_rows(kind, data, tree.get("old"), row, _SHAPE)


def _canal_value(node: Tree, column_type: FlinkType, reader: ValueReader, lenient: bool) -> str | None:
    try:
        if node is None:
            return None
        text = reader.text(node)
        if column_type.root == "DECIMAL":
            return _decimal_text(text)  # neither rounded nor cut to what the column holds
        if column_type.root == "TIME":
            return _time_of_day(text, reader)
        if column_type.root == "DATE":
            return _last_day(text)
        if column_type.root == "TIMESTAMP":
            return _read(reader, text.replace("T", " ") if _ISO_TIMESTAMP.fullmatch(text) else text, column_type)
        return _read(reader, node, column_type)
    except Refused:
        if lenient:
            return None
        raise


def _time_of_day(text: str, reader: ValueReader) -> str:
    """A time, read as a TIMESTAMP on some day whose date is cut off again."""
    return (_read(reader, f"1970-01-01 {text}", FlinkType("TIMESTAMP")) or "")[11:]


def _read(reader: ValueReader, node: Tree, column_type: FlinkType) -> str | None:
    """A value as Flink reads it; what Flink refuses is refused by SeaTunnel's own rule."""
    try:
        return reader.read(node, column_type)
    except Refused:
        raise Refused(_VALUE) from None


def _last_day(text: str) -> str:
    try:
        return last_day(text)
    except ValueError:
        raise Refused(_VALUE) from None


def _decimal_text(text: str) -> str:
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        raise Refused(_VALUE)
    try:
        return plain(Decimal(text))
    except (ValueError, ArithmeticError):
        raise Refused(_VALUE) from None


# -- Debezium ----------------------------------------------------------------------------------------------------------


def _debezium(value: bytes, message: Message) -> Iterator[Row]:
    tree = parse(value)
    if message.options.get("schema-include") == "true":
        tree = tree.get("payload") if isinstance(tree, dict) else None
    if not isinstance(tree, dict) or "op" not in tree:
        raise Refused(_SHAPE)
    types = _types(message)
    exact = _has_decimal(types)

    def row(member: str) -> dict[str, str | None]:
        if member not in tree:
            raise Refused(_SHAPE)
        node = tree[member]
        members = node if isinstance(node, dict) else {}
        # 0 replaces a member that is null; a missing member, or any member of a null row, is NULL.
        return {
            name: in_column(name, _typed, members[name], column_type, exact=exact) if name in members else None
            for name, column_type in types.items()
        }

    yield from debezium_rows(java_text(tree["op"]), row, _KIND)


def _typed(node: Tree, column_type: FlinkType, *, exact: bool) -> str | None:
    if isinstance(node, Number) and column_type.root in _BITS:
        return str(narrowed(node, _BITS[column_type.root], exact=exact))
    return _GETTERS[column_type.root](node, column_type)


def _floating(node: Tree, column_type: FlinkType) -> str:
    value = float(node.text) if isinstance(node, Number) else 0.0
    return float_text(value) if column_type.root == "FLOAT" else double_text(value)


def _decimal(node: Tree, column_type: FlinkType) -> str | None:
    if isinstance(node, Number):
        try:
            return plain(Decimal(java_text(node, exact=True)))
        except (ValueError, ArithmeticError):
            raise Refused(_VALUE) from None
    if not isinstance(node, str):
        return None
    unscaled = _decoded(node, _BASE64)
    if not unscaled:
        raise Refused(_BASE64)
    return unscaled_text(unscaled, column_type.scale)


def _decoded(text: str, rule: Rule) -> bytes:
    try:
        return base64_of(text)
    except ValueError:
        raise Refused(rule) from None


def _date(node: Tree, column_type: FlinkType) -> str:
    if isinstance(node, Number) and node.is_integer and (days := integer_of(node)) in _INT32:
        return day_text(days)
    return _last_day(java_text(node))


def _time(node: Tree, column_type: FlinkType) -> str:
    if isinstance(node, Number) and node.is_integer:
        micros = integer_of(node)
        if not 0 <= micros < DAY:
            raise Refused(_VALUE)
        return time_text(micros)
    text = java_text(node)
    if re.fullmatch(r"\d\d:\d\d", text):
        text += ":00"
    if text.startswith("24"):
        raise Refused(_VALUE)
    return _time_of_day(text, _READER)


def _timestamp(node: Tree, column_type: FlinkType) -> str:
    if isinstance(node, Number) and node.is_integer and (millis := integer_of(node)) in _INT64:
        return moment_text(1000 * millis)  # see _MILLIS
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z", java_text(node), re.ASCII)
    if not found:
        raise Refused(_VALUE)
    return _read(_READER, f"{found[1]} {found[2]}", column_type) or ""


_GETTERS: Mapping[str, Callable[[Tree, FlinkType], str | None]] = {
    "BOOLEAN": lambda node, column_type: "true" if node is True else "false",
    **dict.fromkeys(_BITS, lambda node, column_type: "0"),  # for anything but a number: see _ZERO
    "FLOAT": _floating,
    "DOUBLE": _floating,
    "DECIMAL": _decimal,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "STRING": lambda node, column_type: node if isinstance(node, str) else None,
    "BYTES": lambda node, column_type: (
        base64.b64encode(_decoded(node, _VALUE)).decode() if isinstance(node, str) else None
    ),
}
