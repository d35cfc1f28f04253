"""Paimon's `kafka_sync_table` and `kafka_sync_database`: columns and their types come from the message itself."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.consumers.clock import DAY, day_text, moment_text, time_text
from conformance.consumers.decimals import plain
from conformance.consumers.envelopes import CANAL_FORMATS, DEBEZIUM_FORMATS
from conformance.consumers.json_tree import Number, Tree, compact_json, integer_of, java_text, parse
from conformance.consumers.model import Basis, Message, Prediction, Refused, Row, Rule, Skipped, in_column, predicted
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.paimon_casts import BAD_VALUE, BARE_TYPE, CASTS, PaimonType, bytes_of_base64

__all__ = ["PaimonModel"]

_NOT_JSON = Rule("paimon.json", "A message that is no JSON fails the job, an empty one, too.")
_NULL_VALUE = Rule("paimon.null", "A null value is skipped.")
_STATEMENT = Rule("paimon.statement", "A message whose isDdl is true is skipped.")
_SHAPE = Rule("paimon.shape", "A message without the members of the format fails the job.")
_KIND = Rule("paimon.kind", "A type or `op` that the format does not know fails the job.")
_NO_BEFORE = Rule("paimon.no-old", "An update or delete without its row before fails the job.")
_TWINS = Rule("paimon.twins", "Two equal rows in one UPDATE fail the job.")
_UNKNOWN_TYPE = Rule("paimon.type", "A column type that Paimon does not know, as VECTOR, fails the job.", Basis.RUN)
_NULL_TEXT = Rule("paimon.null-text", "NULL in Debezium's messages without a schema is the text `null`.", Basis.RUN)

_MOST_DIGITS = 38
_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")


@dataclass(frozen=True, slots=True)
class PaimonModel:
    """A release of Paimon."""

    version: str
    name: str = "paimon"
    protocols: Sequence[str] = (*CANAL_FORMATS, *DEBEZIUM_FORMATS)

    def predict(self, message: Message) -> Prediction:
        """Rows as the job's parser emits them: an update is a delete and an insert."""
        if message.value is None:
            return Prediction("skipped", rules=[_NULL_VALUE])
        read = _canal if message.protocol in CANAL_FORMATS else _debezium
        return predicted(read(message.value), _NOT_JSON)


def _object(tree: Tree) -> Mapping[str, Tree]:
    if isinstance(tree, dict):
        return tree
    raise Refused(_SHAPE)


def _exact_text(node: Tree) -> str:
    return java_text(node, exact=True)


# -- Canal-JSON --------------------------------------------------------------------------------------------------------


def _canal(value: bytes) -> Iterator[Row]:
    message = _object(parse(value))
    if message.get("isDdl") is True:
        raise Skipped(_STATEMENT)
    data, kind = message.get("data"), message.get("type")
    if not isinstance(data, list):
        raise Refused(_SHAPE)
    if kind not in ("INSERT", "UPDATE", "DELETE"):
        raise Refused(_KIND)
    columns = message.get("mysqlType")
    if not isinstance(columns, dict):
        raise Refused(_SHAPE)
    types = {name: _canal_type(str(text)) for name, text in columns.items()}

    def row(node: Tree) -> dict[str, str | None]:
        members = node if isinstance(node, dict) else {}
        return {
            name: in_column(name, _canal_value, members.get(name), column_type) for name, column_type in types.items()
        }

    if kind != "UPDATE":
        for node in data:
            yield ("+I" if kind == "INSERT" else "-D"), row(node)
        return
    old = message.get("old")
    if not isinstance(old, list):
        raise Refused(_NO_BEFORE)
    if any(node in data[:i] for i, node in enumerate(data)):
        raise Refused(_TWINS)
    for i, node in enumerate(data):
        before = old[i] if i < len(old) else None
        if before is None:
            raise Refused(_NO_BEFORE)
        if isinstance(node, dict) and isinstance(before, dict):
            yield "-D", row({**node, **before})
        yield "+I", row(node)


def _canal_value(node: Tree, column_type: PaimonType) -> str | None:
    """A value by way of the text that Java prints for it."""
    return None if node is None else CASTS[column_type.root](_printed(node), column_type)


def _printed(node: Tree) -> str:
    """The text that Java prints for a node, such as `{a=1, b=[2]}`."""
    if isinstance(node, dict):
        return "{" + ", ".join(f"{name}={_printed(part)}" for name, part in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ", ".join(map(_printed, node)) + "]"
    return _exact_text(node)


def _canal_type(text: str) -> PaimonType:
    mysql = MysqlType.of(text)
    base = mysql.base
    if base in _TYPES_BY_NAME:
        return PaimonType(_TYPES_BY_NAME[base])
    if base in ("tinyint", "bit") and mysql.length == 1:
        return PaimonType("BOOLEAN")
    if base in _SIZES:
        size = _SIZES[base] + mysql.is_unsigned
        return PaimonType(_INTEGERS[size]) if size < len(_INTEGERS) else PaimonType("DECIMAL", 20, 0)
    if base in ("decimal", "numeric"):
        if mysql.length is None:
            return PaimonType("DECIMAL", 38, 18)
        if mysql.length > _MOST_DIGITS:
            return PaimonType("STRING")
        return PaimonType("DECIMAL", mysql.length, mysql.scale or 0)
    if base in ("datetime", "timestamp"):
        return PaimonType("TIMESTAMP", mysql.length or 0)
    if base in ("enum", "set"):
        # Quotes that are doubled in the type stay so in the label.
        return PaimonType(base.upper() if "(" in text else "BARE", members=tuple(_LABEL.findall(text)))
    if base == "bit":
        if mysql.length is None:
            raise Refused(BARE_TYPE)
        return PaimonType("BITS")
    if base in ("binary", "varbinary"):
        return PaimonType("BINARY", mysql.length or 1)
    if base in ("char", "varchar"):
        return PaimonType("STRING", mysql.length or 0)
    if base == "vector":
        raise Refused(_UNKNOWN_TYPE)
    return PaimonType("STRING")


_LABEL = re.compile(r"'((?:[^']|'')*)'")
_TYPES_BY_NAME = {
    "boolean": "BOOLEAN",
    "bool": "BOOLEAN",
    "year": "INT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "real": "DOUBLE",
    "date": "DATE",
    "time": "TIME",
    **dict.fromkeys(("tinyblob", "blob", "mediumblob", "longblob"), "BYTES"),
}
# The places in `_INTEGERS`; an unsigned one takes the next type.
_SIZES = {"tinyint": 0, "smallint": 1, "mediumint": 2, "int": 2, "integer": 2, "bigint": 3}


# -- Debezium ----------------------------------------------------------------------------------------------------------


def _debezium(value: bytes) -> Iterator[Row]:
    message = _object(parse(value))
    schema: Tree = None
    if "schema" in message and isinstance(payload := message.get("payload"), dict):
        schema, message = message["schema"], payload
    op = message.get("op")
    if op is None:
        raise Refused(_SHAPE)
    if op not in ("c", "r", "u", "d"):
        raise Refused(_KIND)

    def row(member: str) -> dict[str, str | None]:
        node = message.get(member)
        if not isinstance(node, dict):
            raise Refused(_NO_BEFORE)
        fields = _fields_of(schema, member) if schema is not None else {}
        return {name: in_column(name, _debezium_value, part, fields.get(name)) for name, part in node.items()}

    if op in ("u", "d"):
        yield "-D", row("before")
    if op != "d":
        yield "+I", row("after")


def _fields_of(schema: Tree, member: str) -> dict[str, Mapping[str, Tree]]:
    """The fields of a row by name, as the schema of the message describes them."""
    parts = schema.get("fields") if isinstance(schema, dict) else None
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and part.get("field") == member and isinstance(fields := part.get("fields"), list):
            return {str(field.get("field")): field for field in fields if isinstance(field, dict)}
    return {}


def _debezium_value(node: Tree, field: Mapping[str, Tree] | None) -> str | None:
    if node is None:
        return None if field is not None else "null"  # see _NULL_TEXT
    if field is None:
        return _text_or_json(node)
    logical_type, connect_type = str(field.get("name", "")), str(field.get("type", ""))
    if logical_type in _LOGICAL_TYPES:
        return _LOGICAL_TYPES[logical_type](node)
    if connect_type == "bytes":
        # The bytes become a text on the way: bytes that are not UTF-8 are lost.
        text = bytes_of_base64(_text_or_json(node)).decode("utf-8", "replace")
        return base64.b64encode(text.encode()).decode()
    column_type = PaimonType(_CONNECT_TYPES.get(connect_type, "STRING"))
    return CASTS[column_type.root](_text_or_json(node), column_type)


def _text_or_json(node: Tree) -> str:
    """A member's text: a text as it is, any other value as JSON."""
    return compact_json(node, _exact_text) if isinstance(node, (dict, list)) else _exact_text(node)


_CONNECT_TYPES = {
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "boolean": "BOOLEAN",
}


def _precise_decimal(node: Tree) -> str:
    if not isinstance(node, Number):
        raise Refused(BAD_VALUE)
    try:
        return plain(node.decimal)
    except ValueError:
        raise Refused(BAD_VALUE) from None


def _integer_of(node: Tree) -> int:
    if not isinstance(node, Number):
        raise Refused(BAD_VALUE)
    return integer_of(node)


def _bits(node: Tree) -> str:
    return base64.b64encode(bytes_of_base64(_text_or_json(node))[::-1]).decode()


_LOGICAL_TYPES: Mapping[str, Callable[[Tree], str]] = {
    "org.apache.kafka.connect.data.Decimal": _precise_decimal,
    "io.debezium.data.Bits": _bits,
    "io.debezium.time.Date": lambda node: day_text(_integer_of(node)),
    # Times outside of a day are taken modulo a day.
    "io.debezium.time.MicroTime": lambda node: time_text(_integer_of(node) % DAY // 1000 * 1000),
    "io.debezium.time.Timestamp": lambda node: moment_text(1000 * _integer_of(node)),
    "io.debezium.time.MicroTimestamp": lambda node: moment_text(_integer_of(node)),
    "io.debezium.time.ZonedTimestamp": lambda node: _text_or_json(node).removesuffix("Z").replace("T", " "),
}
