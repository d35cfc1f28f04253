"""Paimon's `kafka_sync_table` and `kafka_sync_database`: columns and their types come from the message itself."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from functools import partial

from conformance.consumers.clock import day_text, moment_text, time_text
from conformance.consumers.decimals import plain
from conformance.consumers.json_tree import Number, Tree, integer_of, parse
from conformance.consumers.model import LeftOpen, Message, Passed, Prediction, Refused, Row, Rule, in_column, predicted
from conformance.consumers.mysql_types import MysqlType
from reference_impl.java_numbers import double_text, float_text

__all__ = ["PaimonModel"]

_NOT_JSON = Rule("paimon.json", "A message that is no JSON fails the job, an empty one, too.")
_NULL = Rule("paimon.null", "A null value is skipped.")
_STATEMENT = Rule("paimon.statement", "A message whose isDdl is true is skipped.")
_SHAPE = Rule("paimon.shape", "A message without the members of the format fails the job.")
_KIND = Rule("paimon.kind", "A type or `op` that the format does not know fails the job.")
_NO_OLD = Rule("paimon.no-old", "An update or delete without its row before fails the job.")
_TWINS = Rule("paimon.twins", "Two equal rows in one UPDATE fail the job.")
_BARE = Rule("paimon.bare-type", "A type without its members or length, as ENUM, SET or BIT, fails the job.")
_VALUE = Rule("paimon.value", "A value that is none of its type fails the job.")
_CLOCK = Rule("paimon.clock", "Nothing recorded says what becomes of such a time.")

_MOST_DIGITS = 38
_WIDTHS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_BITS = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "BIGINT": 63}


@dataclass(frozen=True, slots=True)
class PaimonModel:
    """A release of Paimon."""

    version: str
    name: str = "paimon"
    protocols: Sequence[str] = ("canal-json", "canal", "debezium", "debezium-connector")

    def predict(self, message: Message) -> Prediction:
        """Rows as the job's parser emits them: an update is a delete and an insert."""
        if message.value is None:
            return Prediction("skipped", rules=[_NULL])
        return predicted(partial(_rows, message.value, message.protocol), _NOT_JSON)


def _rows(value: bytes, protocol: str) -> Iterator[Row]:
    yield from (_canal if protocol.startswith("canal") else _debezium)(_object(parse(value)))


def _object(tree: Tree) -> Mapping[str, Tree]:
    if isinstance(tree, dict):
        return tree
    raise Refused(_SHAPE)


@dataclass(frozen=True, slots=True)
class _Type:
    root: str
    precision: int = 0
    scale: int = 0
    members: tuple[str, ...] = ()


# -- Canal-JSON --------------------------------------------------------------------------------------------------------


def _canal(message: Mapping[str, Tree]) -> Iterator[Row]:
    if message.get("isDdl") is True:
        raise Passed(_STATEMENT)
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
        return {name: in_column(name, _cast, members.get(name), of) for name, of in types.items()}

    if kind != "UPDATE":
        for node in data:
            yield ("+I" if kind == "INSERT" else "-D"), row(node)
        return
    old = message.get("old")
    if not isinstance(old, list):
        raise Refused(_NO_OLD)
    if any(node in data[:i] for i, node in enumerate(data)):
        raise Refused(_TWINS)
    for i, node in enumerate(data):
        before = old[i] if i < len(old) else None
        if before is None:
            raise Refused(_NO_OLD)
        if isinstance(node, dict) and isinstance(before, dict):
            yield "-D", row({**node, **before})
        yield "+I", row(node)


def _canal_type(text: str) -> _Type:
    mysql = MysqlType.of(text)
    base = mysql.base
    if base in _PLAIN:
        return _Type(_PLAIN[base])
    if base in ("tinyint", "bit") and mysql.length == 1:
        return _Type("BOOLEAN")
    if base in _INTEGERS:
        width = 2 if base == "mediumint" else _INTEGERS[base] + mysql.is_unsigned
        return _Type(_WIDTHS[width]) if width < len(_WIDTHS) else _Type("DECIMAL", 20, 0)
    if base in ("decimal", "numeric"):
        if mysql.length is None:
            return _Type("DECIMAL", 38, 18)
        return _Type("STRING") if mysql.length > _MOST_DIGITS else _Type("DECIMAL", mysql.length, mysql.scale or 0)
    if base in ("datetime", "timestamp"):
        return _Type("TIMESTAMP", mysql.length or 0)
    if base in ("enum", "set"):
        if "(" not in text:
            raise Refused(_BARE)
        return _Type(base.upper(), members=mysql.members)
    if base in ("bit", "binary", "varbinary"):
        if mysql.length is None and base == "bit":
            raise Refused(_BARE)
        return _Type("BINARY")
    return _Type("STRING")


_PLAIN = {
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
_INTEGERS = {"tinyint": 0, "smallint": 1, "mediumint": 2, "int": 2, "integer": 2, "bigint": 3}


# -- Debezium ----------------------------------------------------------------------------------------------------------


def _debezium(message: Mapping[str, Tree]) -> Iterator[Row]:
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
            raise Refused(_NO_OLD)
        fields = _fields_of(schema, member) if schema is not None else {}
        return {name: in_column(name, _debezium_value, part, fields.get(name)) for name, part in node.items()}

    if op in ("u", "d"):
        yield "-D", row("before")
    if op != "d":
        yield "+I", row("after")


def _fields_of(schema: Tree, member: str) -> dict[str, Mapping[str, Tree]]:
    parts = schema.get("fields") if isinstance(schema, dict) else None
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict) and part.get("field") == member and isinstance(fields := part.get("fields"), list):
            return {str(of.get("field")): of for of in fields if isinstance(of, dict)}
    return {}


def _debezium_value(node: Tree, field: Mapping[str, Tree] | None) -> str | None:
    if node is None:
        return None
    if field is None:
        return _raw(node)
    name, kind = str(field.get("name", "")), str(field.get("type", ""))
    if name in _LOGICAL:
        return _LOGICAL[name](node)
    if kind == "bytes":
        # The bytes are made a text on the way: what is no UTF-8 is lost.
        text = _from_base64(_raw(node)).decode("utf-8", "replace")
        return base64.b64encode(text.encode()).decode()
    return _cast(_raw(node), _Type(_KINDS.get(kind, "STRING")))


def _raw(node: Tree) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, Number):
        return node.text if node.is_integer else double_text(float(node.text))
    if isinstance(node, bool):
        return "true" if node else "false"
    return _compact(node)


def _compact(node: Tree) -> str:
    if isinstance(node, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{_compact(v)}" for k, v in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ",".join(map(_compact, node)) + "]"
    return json.dumps(node, ensure_ascii=False) if isinstance(node, str) or node is None else _raw(node)


_KINDS = {"int8": "TINYINT", "int16": "SMALLINT", "int32": "INT", "int64": "BIGINT", "float": "FLOAT",
          "double": "DOUBLE", "boolean": "BOOLEAN"}  # fmt: skip


def _precise_decimal(node: Tree) -> str:
    if not isinstance(node, Number):
        raise Refused(_VALUE)
    try:
        return plain(node.exact)
    except ValueError:
        raise Refused(_VALUE) from None


def _integer_of(node: Tree) -> int:
    if not isinstance(node, Number):
        raise Refused(_VALUE)
    return integer_of(node)


def _bits(node: Tree) -> str:
    return base64.b64encode(_from_base64(_raw(node))[::-1]).decode()


_DAY = 86_400_000_000
_LOGICAL: Mapping[str, Callable[[Tree], str]] = {
    "org.apache.kafka.connect.data.Decimal": _precise_decimal,
    "io.debezium.data.Bits": _bits,
    "io.debezium.time.Date": lambda node: day_text(_integer_of(node)),
    # Times outside of a day are taken modulo a day.
    "io.debezium.time.MicroTime": lambda node: time_text(_integer_of(node) % _DAY // 1000 * 1000),
    "io.debezium.time.Timestamp": lambda node: moment_text(1000 * _integer_of(node)),
    "io.debezium.time.MicroTimestamp": lambda node: moment_text(_integer_of(node)),
    "io.debezium.time.ZonedTimestamp": lambda node: _raw(node).removesuffix("Z").replace("T", " "),
}


# -- casts -------------------------------------------------------------------------------------------------------------


def _cast(node: Tree, of: _Type) -> str | None:
    """A text as a value of the type. Raises `Refused`."""
    if node is None:
        return None
    return _CASTS[of.root](_raw(node), of)


def _boolean(text: str, of: _Type) -> str:
    word = text.lower()
    if word in ("t", "true", "y", "yes", "1"):
        return "true"
    if word in ("f", "false", "n", "no", "0"):
        return "false"
    raise Refused(_VALUE)


def _integer(text: str, of: _Type) -> str:
    limit = 1 << _BITS[of.root]
    if not re.fullmatch(r"[+-]?\d{1,400}", text.strip(), re.ASCII) or not -limit <= int(text) < limit:
        raise Refused(_VALUE)
    return str(int(text))


def _floating(text: str, of: _Type) -> str:
    try:
        return (float_text if of.root == "FLOAT" else double_text)(float(text))
    except ValueError:
        raise Refused(_VALUE) from None


def _decimal(text: str, of: _Type) -> str | None:
    with localcontext(prec=2000):
        try:
            value = Decimal(text).quantize(Decimal(1).scaleb(-of.scale), ROUND_HALF_UP)
        except InvalidOperation:
            raise Refused(_VALUE) from None
    # Too many digits are NULL.
    return None if value and len(value.as_tuple().digits) > of.precision else f"{value:f}"


def _date(text: str, of: _Type) -> str:
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", text):
        raise Refused(_VALUE)
    return text


def _time(text: str, of: _Type) -> str:
    found = re.fullmatch(r"(-?\d{1,9}):(\d\d):(\d\d)(?:\.(\d{1,9}))?", text)
    if not found:
        raise LeftOpen(_CLOCK)
    if not 0 <= int(found[1]) < 24:
        raise Refused(_VALUE)
    fraction = (found[4] or "")[:3]
    return f"{found[1]}:{found[2]}:{found[3]}" + (f".{fraction}" if fraction else "")


def _timestamp(text: str, of: _Type) -> str:
    day, _, clock = text.partition(" ")
    whole, _, fraction = clock.partition(".")
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d", whole):
        raise Refused(_VALUE)
    kept = fraction[: of.precision]
    return f"{_date(day, of)} {whole}" + (f".{kept}" if kept else "")


def _enum(text: str, of: _Type) -> str:
    """The label with the number that the message has."""
    number = int(_integer(text, _Type("INT")))
    if not 1 <= number <= len(of.members):
        raise Refused(_VALUE)
    return of.members[number - 1]


def _set(text: str, of: _Type) -> str:
    bits = int(_integer(text, _Type("BIGINT")))
    return ",".join(label for i, label in enumerate(of.members) if bits >> i & 1)


def _from_base64(text: str) -> bytes:
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise Refused(_VALUE) from None


_CASTS: Mapping[str, Callable[[str, _Type], str | None]] = {
    "BOOLEAN": _boolean,
    **dict.fromkeys(_BITS, _integer),
    "FLOAT": _floating,
    "DOUBLE": _floating,
    "DECIMAL": _decimal,
    "DATE": _date,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "ENUM": _enum,
    "SET": _set,
    "STRING": lambda text, of: text,
    "BYTES": lambda text, of: base64.b64encode(text.encode("utf-8", "replace")).decode(),
    "BINARY": lambda text, of: base64.b64encode(_from_base64(text)).decode(),
}
