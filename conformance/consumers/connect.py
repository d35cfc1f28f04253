"""Kafka Connect with Kafka's JsonConverter, by option `mode`: the converter alone, Debezium's unwrap, or its JDBC sink.

`schema-include` is the converter's `schemas.enable`. `unwrap` is ExtractNewRecordState with
`delete.tombstone.handling.mode=rewrite`. `jdbc` is the sink in upsert mode into MySQL, and the table read back.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.consumers.clock import DAY, day_text, moment_text, time_text
from conformance.consumers.decimals import unscaled_text
from conformance.consumers.envelopes import DEBEZIUM_FORMATS
from conformance.consumers.java import hash_map_text, struct_text
from conformance.consumers.json_tree import Number, Tree, base64_of, integer_of, narrowed, parse
from conformance.consumers.model import (
    Basis,
    LeftOpen,
    Message,
    Prediction,
    Refused,
    Row,
    Rule,
    Skipped,
    in_column,
    predicted,
)
from reference_impl.java_numbers import double_text, float_text

__all__ = ["ConnectModel"]

_ENVELOPE = Rule("connect.envelope", "With schemas on, a message is an object of `schema` and `payload` and no more.")
_SCHEMA = Rule("connect.schema", "A value that its schema does not allow is refused by the converter.")
_TOMBSTONE = Rule("connect.tombstone", "A null value is a tombstone: no row.")
_DROPPED = Rule("connect.dropped", "The SMT drops truncations, and deletes without a row before.")
_PASSED_ON = Rule("connect.passed-on", "What is no envelope of Debezium passes through the SMT as it is.")
_NO_AFTER = Rule("connect.no-after", "An envelope whose schema has no member `after` fails the SMT and the sink.")
_NO_SCHEMA = Rule("connect.no-schema", "The JDBC sink needs a schema.")
_COLUMN = Rule("connect.column", "The JDBC sink has no column type for a structure.")
_LABELS = Rule("connect.labels", "The JDBC sink makes no column of labels with a quote or comma in them.", Basis.RUN)
_TOO_LARGE = Rule("connect.too-large", "A value beyond the column that the JDBC sink has made is an error.", Basis.RUN)
_UNSEEN = Rule("connect.unseen", "Nothing seen says what MySQL gives back of such a value.", Basis.READ)
_OUTSIDE = Rule("connect.outside-a-day", "Nothing recorded says what becomes of a time outside of a day.", Basis.READ)

_SCHEMALESS: Tree = None
JsonObject = dict[str, Tree]


@dataclass(frozen=True, slots=True)
class ConnectModel:
    """The model of a release of Kafka's converter with a release of Debezium's."""

    version: str
    name: str = "connect"
    protocols: Sequence[str] = DEBEZIUM_FORMATS

    def predict(self, message: Message) -> Prediction:
        """The rows as the mode shows them."""
        return predicted(_rows(message), _ENVELOPE)


def _rows(message: Message) -> Iterator[Row]:
    with_schemas = message.options.get("schema-include") == "true"
    if message.key is not None:
        _converted(message.key, with_schemas)
    mode = message.options.get("mode", "unwrap")
    if mode == "jdbc" and message.value is None and not with_schemas:
        raise Refused(_NO_SCHEMA)  # the key needs a schema, too
    yield from _MODES[mode](*_converted(message.value, with_schemas))


# -- the converter -----------------------------------------------------------------------------------------------------


def _converted(value: bytes | None, with_schemas: bool) -> tuple[Tree, Tree]:
    """The schema, and the payload as the converter reads it by the schema."""
    if value is None:
        raise Skipped(_TOMBSTONE)
    tree = parse(value) if value.strip() else None
    if not with_schemas:
        if tree is None:
            raise Skipped(_TOMBSTONE)
        return _SCHEMALESS, tree
    if not isinstance(tree, dict) or set(tree) != {"schema", "payload"}:
        raise Refused(_ENVELOPE)
    return tree["schema"], _by_schema(tree["payload"], tree["schema"])


def _by_schema(node: Tree, schema: Tree) -> Tree:
    if not isinstance(schema, dict):
        return node
    if node is None:
        if schema.get("default") is not None:
            return _by_getter(schema["default"], str(schema.get("type")))
        if schema.get("optional") is True:
            return None
        raise Refused(_SCHEMA)
    if schema.get("type") == "struct":
        if not isinstance(node, dict):
            raise Refused(_SCHEMA)
        return {
            name: in_column(name, _by_schema, node.get(name), field_schema)
            for name, field_schema in _fields(schema).items()
        }
    return _by_getter(node, str(schema.get("type")))


_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}


def _by_getter(node: Tree, kind: str) -> Tree:
    """A value as the converter reads it: by the getter for the schema's type, whatever its JSON type is.

    A value of another JSON type becomes 0, 0.0 or false without an error; in a field of texts or bytes it becomes NULL.
    """
    if kind in _BITS:
        return Number(str(narrowed(node, _BITS[kind], exact=True) if isinstance(node, Number) else 0))
    if kind in ("float", "double"):
        return node if isinstance(node, Number) else Number("0.0")
    if kind == "boolean":
        return node is True
    if kind == "string":
        return node if isinstance(node, str) else None
    if kind == "bytes":
        if not isinstance(node, str):
            return None
        try:
            return base64.b64encode(base64_of(node)).decode()
        except ValueError:
            raise Refused(_SCHEMA) from None
    return node


def _fields(schema: Tree) -> dict[str, JsonObject]:
    """The schemas of a structure's fields, by name; empty without a schema."""
    fields = schema.get("fields") if isinstance(schema, dict) else None
    found = fields if isinstance(fields, list) else []
    return {str(field_schema.get("field")): field_schema for field_schema in found if isinstance(field_schema, dict)}


def _text(node: Tree, schema: Tree) -> str | None:
    """The text that Java prints for a value; bytes are base64."""
    if node is None:
        return None
    if not isinstance(schema, dict):
        return _text_without_schema(node)
    kind, name = schema.get("type"), schema.get("name")
    if kind == "struct" and isinstance(node, dict):
        return struct_text({field: _text(node[field], field_schema) for field, field_schema in _fields(schema).items()})
    if isinstance(node, Number):
        if name in _LOGICAL:
            return _LOGICAL[str(name)](integer_of(node))
        if kind in ("float", "double"):
            return (float_text if kind == "float" else double_text)(float(node.text))
        return str(integer_of(node))
    if kind == "bytes" and isinstance(node, str):
        return _decimal(node, schema) if name == _DECIMAL else node
    return _text_without_schema(node)


def _text_without_schema(node: Tree) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, bool):
        return "true" if node else "false"
    if isinstance(node, Number):
        # Whole numbers keep their lowest 64 bits; fractions are read as decimals, which have no negative zero.
        return str(narrowed(node, 64)) if node.is_integer else double_text(float(node.text) or 0.0)
    if isinstance(node, dict):
        return hash_map_text({name: _text_without_schema(part) for name, part in node.items()})
    if isinstance(node, list):
        return "[" + ", ".join(map(_text_without_schema, node)) + "]"
    return "null"


def _decimal(text: str, schema: JsonObject) -> str:
    scale = _parameter(schema, "scale", "0")
    if not re.fullmatch(r"-?\d{1,4}", scale):
        raise Refused(_SCHEMA)
    try:
        return unscaled_text(base64_of(text), int(scale))
    except ValueError:
        raise Refused(_SCHEMA) from None


def _row(node: Tree, schema: Tree) -> dict[str, str | None]:
    members = node if isinstance(node, dict) else {}
    fields = _fields(schema)
    return {name: _text(part, fields.get(name, _SCHEMALESS)) for name, part in members.items()}


# -- modes -------------------------------------------------------------------------------------------------------------


def _members(schema: Tree, payload: Tree) -> tuple[JsonObject, dict[str, JsonObject]]:
    """The members of a structure, and the schemas of its fields; both empty if it is not an object."""
    return (payload if isinstance(payload, dict) else {}), _fields(schema)


def _converter(schema: Tree, payload: Tree) -> Iterator[Row]:
    message, fields = _members(schema, payload)
    is_update = message.get("op") == "u"
    if (before := message.get("before")) is not None:
        yield ("-U" if is_update else "-D"), _row(before, fields.get("before"))
    if (after := message.get("after")) is not None:
        yield ("+U" if is_update else "+I"), _row(after, fields.get("after"))


def _is_envelope(schema: Tree) -> bool:
    return isinstance(schema, dict) and str(schema.get("name", "")).endswith("Envelope")


def _unwrap(schema: Tree, payload: Tree) -> Iterator[Row]:
    message, fields = _members(schema, payload)
    if not _is_envelope(schema):
        yield "+I", _row(payload, schema)  # see _PASSED_ON
        return
    if "after" not in fields:
        raise Refused(_NO_AFTER)
    if message.get("op") == "t":
        raise Skipped(_DROPPED)
    if (after := message.get("after")) is not None:
        yield "+I", _row(after, fields["after"])
    elif (before := message.get("before")) is not None:
        yield "-D", _row(before, fields["before"])
    else:
        raise Skipped(_DROPPED)


def _jdbc(schema: Tree, payload: Tree) -> Iterator[Row]:
    message, fields = _members(schema, payload)
    if schema is _SCHEMALESS:
        raise Refused(_NO_SCHEMA)
    if not _is_envelope(schema):
        raise Refused(_COLUMN)
    if "after" not in fields:
        raise Refused(_NO_AFTER)
    before, after = message.get("before"), message.get("after")
    if before is not None:
        yield ("-D" if after is None else "-U"), _stored(before, fields["before"])
    if after is not None:
        yield ("+I" if before is None else "+U"), _stored(after, fields["after"])


def _stored(node: Tree, schema: Tree) -> dict[str, str | None]:
    """The row in MySQL after the sink has written it."""
    members, fields = _members(schema, node)
    for name, field_schema in fields.items():
        in_column(name, _check_field, field_schema)
    return {
        name.lower(): in_column(name, _stored_text, part, fields[name])
        for name, part in members.items()
        if name in fields
    }


def _check_field(schema: JsonObject) -> None:
    """Raise `Refused` for a field for which the sink cannot create a column."""
    is_labelled = str(schema.get("name", "")) in ("io.debezium.data.Enum", "io.debezium.data.EnumSet")
    # Debezium writes a comma in a label with a backslash before it.
    if is_labelled and any(mark in _parameter(schema, "allowed") for mark in ("'", "\\")):
        raise Refused(_LABELS)


def _stored_text(node: Tree, schema: JsonObject) -> str | None:
    """The text that MySQL returns for a value that the sink has written."""
    if isinstance(node, bool):
        return "1" if node else "0"
    name = str(schema.get("name", ""))
    if not _fits(node, schema, name):
        raise Refused(_TOO_LARGE)
    if name == _DECIMAL and _number_parameter(schema, "connect.decimal.precision", 0) > _MOST_DIGITS:
        raise LeftOpen(_UNSEEN)
    if schema.get("type") == "float" and isinstance(node, Number):
        value = float(node.text)
        if abs(value) >= _LARGEST_SHOWN:
            raise LeftOpen(_UNSEEN)
        return float_text(float(f"{value:.6g}"))  # MySQL shows six digits
    if name in _TIMES and isinstance(node, Number):
        return _TIMES[name](integer_of(node))
    text = _text(node, schema)
    if name == "io.debezium.time.ZonedTimestamp" and text is not None:
        return text.removesuffix("Z").replace("T", " ")
    if name == "io.debezium.data.Json" and text is not None:
        return _json(text)
    return text


def _fits(node: Tree, schema: JsonObject, name: str) -> bool:
    """Whether the column that the sink created accepts a value."""
    if name == "io.debezium.data.Bits" and isinstance(node, str):
        # The bytes are little-endian; MySQL reads them as a big-endian number.
        return int.from_bytes(base64_of(node), "big").bit_length() <= _number_parameter(schema, "length", 64)
    if name == "io.debezium.time.Year" and isinstance(node, Number):
        return integer_of(node) == 0 or _FIRST_YEAR <= integer_of(node) <= _LAST_YEAR
    return True


def _parameter(schema: JsonObject, name: str, otherwise: str = "") -> str:
    parameters = schema.get("parameters")
    return str(parameters.get(name, otherwise)) if isinstance(parameters, dict) else otherwise


def _number_parameter(schema: JsonObject, name: str, otherwise: int) -> int:
    text = _parameter(schema, name)
    return int(text) if re.fullmatch(r"\d{1,4}", text, re.ASCII) else otherwise


def _json(text: str) -> str:
    """A JSON text as MySQL returns it: with a blank after each comma and colon."""
    if re.fullmatch(r"-?0\.0{15}\d+|-?\d(\.\d+)?[eE]-\d{2,3}", text, re.ASCII) and float(text):
        return repr(float(text))  # a double close to 0 has an exponent
    if re.search(r"\d[eE]|\d{18}", text, re.ASCII):
        raise LeftOpen(_UNSEEN)
    try:
        tree = json.loads(text)
    except ValueError:
        return text
    if "." in text:  # the digits of a fraction stay as they are
        return _BETWEEN_PARTS.sub(lambda match: match["text"] or (f"{match['mark']} " if match["mark"] else ""), text)
    return json.dumps(tree, ensure_ascii=False)


_BETWEEN_PARTS = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*")|\s*(?P<mark>[,:])\s*|\s+')


def _micros_of_day(micros: int) -> str:
    if not 0 <= micros < DAY:
        raise LeftOpen(_OUTSIDE)
    return time_text(micros)


def _millis_of_day(millis: int) -> str:
    if not 0 <= millis <= DAY // 1000:
        raise Refused(_SCHEMA)
    return time_text(1000 * millis)


_LOGICAL: Mapping[str, Callable[[int], str]] = {
    "org.apache.kafka.connect.data.Date": day_text,
    "org.apache.kafka.connect.data.Time": _millis_of_day,
    "org.apache.kafka.connect.data.Timestamp": lambda millis: moment_text(1000 * millis),
}
_DECIMAL = "org.apache.kafka.connect.data.Decimal"
_MOST_DIGITS = 38
_FIRST_YEAR, _LAST_YEAR = 1901, 2155
"""The years that a column of type YEAR holds, beside 0."""
_LARGEST_SHOWN = 3.4e38
_TIMES: Mapping[str, Callable[[int], str]] = {
    "io.debezium.time.Date": day_text,
    "io.debezium.time.MicroTime": _micros_of_day,
    "io.debezium.time.Timestamp": lambda millis: moment_text(1000 * millis),
    "io.debezium.time.MicroTimestamp": moment_text,
}

_MODES: Mapping[str, Callable[[Tree, Tree], Iterator[Row]]] = {
    "converter": _converter,
    "unwrap": _unwrap,
    "jdbc": _jdbc,
}
