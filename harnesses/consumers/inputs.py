"""Inputs for real consumers: every column type, boundary and operation in every dialect, and foreign texts.

The reference encoders write the messages of the first kind. Messages of the second kind have a value outside of their
column's type: texts and JSON values as other producers, other settings and broken producers write them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from conformance.cases.inputs import column, delete, insert, table, timed, update
from conformance.catalogue.corpora import Declaration, load_families
from conformance.consumers.model import Message
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Index, Table, Value
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, DIALECTS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from reference_impl.wire import table_to_json

__all__ = ["Input", "boundary_messages", "foreign_messages"]

Json = Mapping[str, Any]
_NOW_MS = 1_704_067_200_000
_ID = column("id", "int", nullable=False)

DIALECT_OPTIONS: Sequence[tuple[str, Mapping[str, str]]] = (
    (CANAL_JSON.name, {"enable-tidb-extension": "true"}),
    (CANAL_JSON.name, {"content-compatible": "true"}),
    (CANAL.name, {}),
    (DEBEZIUM.name, {}),
    (DEBEZIUM.name, {"debezium-disable-schema": "true", "enable-tidb-extension": "true"}),
    (CONNECTOR.name, {}),
    (CONNECTOR.name, {"schemas.enable": "false", "decimal.handling.mode": "string"}),
    (CONNECTOR.name, {"decimal.handling.mode": "double", "time.precision.mode": "connect"}),
)
"""The JSON messages: a dialect and the options of its encoder."""
AVRO_OPTIONS: Sequence[tuple[str, Mapping[str, str]]] = (
    (AVRO.name, {"enable-tidb-extension": "true"}),
    (AVRO.name, {"avro-decimal-handling-mode": "string", "avro-bigint-unsigned-handling-mode": "string"}),
)


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a consumer: its description, and the message with the consumer's options that fit its form."""

    id: str
    message: Message

    def with_options(self, options: Mapping[str, str]) -> Input:
        """The same input with further options of the consumer."""
        return replace(self, message=replace(self.message, options={**self.message.options, **options}))


def boundary_messages(*, avro: bool = False) -> Iterator[Input]:
    """Every boundary of every declared type, in JSON or in Avro: inserted, updated to, updated to NULL, deleted."""
    for protocol, options in AVRO_OPTIONS if avro else DIALECT_OPTIONS:
        writer = _Writer(protocol, options)
        options_text = ",".join(f"{name}={value}" for name, value in options.items()) or "default"
        for family in load_families():
            for declaration in family.declarations:
                for boundary, value in declaration.boundaries.items():
                    for operation, message in writer.messages(declaration, value):
                        label = f"{declaration.label}/{boundary}/{operation}"
                        yield Input(f"{protocol}/{options_text}/{label}", message)


class _Writer:
    """Writes the messages of one dialect with some options of its encoder."""

    def __init__(self, protocol: str, options: Mapping[str, str]) -> None:
        codec = DIALECTS[protocol]
        self._protocol = protocol
        self._registry = MemoryRegistry()
        settings = Settings(now_ms=_NOW_MS, registry=self._registry)
        self._new_encoder = partial(codec.encoder, parse(codec.options, options), NEWARCH, settings=settings)
        # Of the last record with a value: a tombstone is read with the same option.
        self._form: dict[str, str] = {}

    def messages(self, declaration: Declaration, value: Value) -> Iterator[tuple[str, Message]]:
        """The messages of a value's changes, each with the name of its operation."""
        tested = table("t", (_ID, declaration.column))
        encoder = self._new_encoder()
        row = {"id": "1", "c": value}
        changes = {
            "insert": insert(tested, row),
            "update": update(tested, {"id": "1", "c": _other(declaration, value)}, row),
            "to-null": update(tested, row, {"id": "1", "c": None}),
            "delete": delete(tested, row),
        }
        for operation, event in zip(changes, timed([*changes.values()]), strict=True):
            try:
                encoded = encoder.encode([event], [tested])
            except (Rejected, Unsupported):
                continue  # the dialect has no message for it
            for record in encoded.records:
                if record.value:
                    self._form = _form(record.value)
                schemas = [self._schema(part) for part in (record.value, record.key)]
                yield (
                    operation,
                    Message(self._protocol, record.key, record.value, _declared(tested), self._form, *schemas),
                )

    def _schema(self, part: bytes | None) -> Any:
        """The Avro schema of a key or value; None for another protocol."""
        if self._protocol != AVRO.name or not part:
            return None
        return json.loads(self._registry.schema(int.from_bytes(part[1:5], "big")))


def _other(declaration: Declaration, value: Value) -> Value:
    """Another value of the declaration, NULL if it has only one."""
    others = (one for one in declaration.boundaries.values() if one != value and not isinstance(one, Index))
    return next(others, None)


def _declared(whole: Table) -> Json:
    """The table as a job declares it: without keys but the primary one, and without attributes of columns."""
    tree = table_to_json(whole)
    columns = [{name: one[name] for name in ("name", "type", "nullable") if name in one} for one in tree["columns"]]
    return {"schema": whole.schema, "name": whole.name, "columns": columns, "primary_key": tree["primary_key"]}


def _form(value: bytes) -> dict[str, str]:
    """The consumer's option for the form of a message: whether Debezium's payload is beside a schema."""
    tree = json.loads(value) if value[:1] == b"{" else {}
    return {} if "data" in tree else {"schema-include": "true" if "payload" in tree else "false"}


# -- foreign texts -----------------------------------------------------------------------------------------------------

TYPES = (
    *("tinyint(1)", "tinyint", "tinyint unsigned", "smallint", "smallint unsigned", "mediumint", "mediumint unsigned"),
    *("int", "int unsigned", "bigint", "bigint unsigned", "float", "double", "decimal(10,2)", "decimal(38,10)"),
    *("decimal(65,30)", "decimal(5,0)", "bit(1)", "bit(8)", "bit(64)", "date", "time", "time(3)", "time(6)"),
    *("datetime", "datetime(3)", "datetime(6)", "timestamp", "timestamp(3)", "timestamp(6)", "year", "char(5)"),
    *("varchar(20)", "text", "binary(3)", "varbinary(8)", "blob", "enum('a','b')", "set('a','b','c')", "json"),
)
"""Column types for foreign texts: one or two for each way in which a consumer reads a type."""
TEXTS = (
    *("", " ", "0", "1", "-1", "+1", "007", " 5 ", "127", "128", "255", "256", "32768", "-32769", "2147483648"),
    *("4294967296", "9223372036854775808", "18446744073709551615", "99999999999999999999999999999999999999999"),
    *("1.5", "-0", "-0.0", ".5", "5.", "1e3", "1E400", "1e-400", "0.1234567890123456789", "NaN", "Infinity", "0x1F"),
    *("1,5", "1_000", "true", "FALSE", "t", "yes", "null", "a", "a,b", "b,c", "ä😀", "\u0000", "\u00ff\u0000\u00ab"),
    *("YWJj", "YWJjZA==", "YWJjZA", "====", "0000-00-00", "2024-02-29", "2023-02-29", "2024-2-9", "10000-01-01"),
    *("12:34:56", "24:00:00", "-01:00:00", "838:59:59", "12:34", "12:34:56.7", "12:34:56.123456", "12:34:56.1234567"),
    *("2024-02-29 23:59:59", "2024-02-29 23:59:59.9", "2024-02-29 23:59:59.123456", "2024-02-29T23:59:59"),
    *("2024-02-29T23:59:59Z", "2024-02-29T23:59:59.123456Z", "2024-02-29 24:00:00", "2024-02-29 23:59:60"),
    *("1000-01-01 00:00:00", "9999-12-31 23:59:59.999999", "0000-00-00 00:00:00", "2024-02-30 01:02:03", "1709251199"),
    *("2024-02-29T23:59:59.123", "2024-02-29T23:59", "{}", '{"a": 1}', "[1]", '"q"', "2155", "24"),
    *("24:00:01", "100:00:00", "596:31:24", "12:34:56.9995", "12:99:99", "9999-12-31 24:00:00"),
)
NUMBERS = (
    *("0", "1", "-1", "127", "128", "-129", "255", "32768", "2147483648", "-2147483649", "9223372036854775807"),
    *("9223372036854775808", "1.5", "-0.0", "1e3", "1e400", "0.1", "123456789.123456789", "1e-400", "19782"),
    *("1e12", "-1e12", "1e30", "1.0", "45296000000", "-3020399000000", "1709251199000", "1709251199123456"),
    *("true", "false", "[]", "{}", "[1]", '{"a":1}'),
)
_FOREIGN_OPTIONS: Mapping[str, Mapping[str, str]] = {CANAL_JSON.name: {}, CONNECTOR.name: {"schema-include": "false"}}
"""The dialects of foreign messages, with the consumer's options for their form."""


def foreign_messages() -> Iterator[Input]:
    """Every column type with every foreign text, and with every JSON value other than text."""
    values = [*(json.dumps(one, ensure_ascii=False) for one in TEXTS), *NUMBERS]
    for protocol, options in _FOREIGN_OPTIONS.items():
        for column_type in TYPES:
            tested = {"name": "c", "type": column_type, "nullable": True}
            columns = [{"name": "id", "type": "int", "nullable": False}, tested]
            declared = {"schema": "test", "name": "t", "columns": columns, "primary_key": ["id"]}
            for number, value in enumerate(values):
                message = Message(protocol, None, _written(protocol, column_type, value), declared, options)
                yield Input(f"{protocol}/foreign/{column_type}/{number}", message)


def _written(protocol: str, column_type: str, value: str) -> bytes:
    """A message whose column has the JSON text `value`."""
    if protocol == CANAL_JSON.name:
        types = json.dumps({"id": "int", "c": column_type})
        head = '{"id":0,"database":"test","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1,"ts":2,'
        middle = f'"sql":"","sqlType":{{"id":4,"c":12}},"mysqlType":{types},"old":null,'
        return f'{head}{middle}"data":[{{"id":"1","c":{value}}}]}}'.encode()
    source = '{"db":"test","table":"t","ts_ms":1}'
    return f'{{"op":"c","ts_ms":1,"before":null,"after":{{"id":1,"c":{value}}},"source":{source}}}'.encode()
