"""Inputs for real consumers: every column type, boundary and operation in every dialect, and foreign texts.

The messages of the first kind are those of the reference encoders. Of the second kind are messages whose value is one
that their type does not have: texts and JSON values as other producers, other settings and broken ones write them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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

__all__ = ["Shown", "boundary_messages", "foreign_messages"]

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
"""A dialect and the options of its encoder, of those that consumers read as JSON."""
AVRO_OPTIONS: Sequence[tuple[str, Mapping[str, str]]] = (
    (AVRO.name, {"enable-tidb-extension": "true"}),
    (AVRO.name, {"avro-decimal-handling-mode": "string", "avro-bigint-unsigned-handling-mode": "string"}),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """An input: its description, the message, and the consumer's options that fit its form."""

    id: str
    message: Message

    def with_options(self, options: Mapping[str, str]) -> Shown:
        """The same input with further options of the consumer."""
        return replace(self, message=replace(self.message, options={**self.message.options, **options}))


def boundary_messages(*, avro: bool = False) -> Iterator[Shown]:
    """Every boundary of every declared type: inserted, changed to, changed to NULL, deleted.

    As JSON, or as Avro.
    """
    for protocol, options in AVRO_OPTIONS if avro else DIALECT_OPTIONS:
        codec = DIALECTS[protocol]
        registry = MemoryRegistry()
        settings = Settings(now_ms=_NOW_MS, registry=registry)
        written = ",".join(f"{name}={value}" for name, value in options.items()) or "default"
        form: dict[str, str] = {}
        for family in load_families():
            for declaration in family.declarations:
                made = table("t", (_ID, declaration.column))
                for boundary, value in declaration.boundaries.items():
                    encoder = codec.encoder(parse(codec.options, options), NEWARCH, settings=settings)
                    other = _other(declaration, value)
                    events = timed(
                        [
                            insert(made, {"id": "1", "c": value}),
                            update(made, {"id": "1", "c": other}, {"id": "1", "c": value}),
                            update(made, {"id": "1", "c": value}, {"id": "1", "c": None}),
                            delete(made, {"id": "1", "c": value}),
                        ]
                    )
                    for event, name in zip(events, ("insert", "update", "to-null", "delete"), strict=True):
                        try:
                            encoded = encoder.encode([event], [made])
                        except (Rejected, Unsupported):
                            continue  # the dialect has no message for it
                        for record in encoded.records:
                            form = _form(record.value) if record.value else form
                            schemas = [_schema(registry, part) if avro else None for part in (record.value, record.key)]
                            of = Message(protocol, record.key, record.value, _declared(made), form, *schemas)
                            yield Shown(f"{protocol}/{written}/{declaration.label}/{boundary}/{name}", of)


def _other(declaration: Declaration, value: Value) -> Value:
    """Another value of the declaration, NULL if it has only one."""
    found = [one for one in declaration.boundaries.values() if one != value and not isinstance(one, Index)]
    return found[0] if found else None


def _declared(made: Table) -> Json:
    """The table as a job declares it."""
    whole = table_to_json(made)
    columns = [{name: one[name] for name in ("name", "type", "nullable") if name in one} for one in whole["columns"]]
    return {"schema": made.schema, "name": made.name, "columns": columns, "primary_key": whole["primary_key"]}


def _form(value: bytes | None) -> dict[str, str]:
    """The option for the location of values; a job sets it once, for the form of its topic."""
    tree = json.loads(value) if value and value[:1] == b"{" else {}
    return {} if "data" in tree else {"schema-include": "true" if "payload" in tree else "false"}


def _schema(registry: MemoryRegistry, value: bytes | None) -> Any:
    if not value:
        return None
    return json.loads(registry.schema(int.from_bytes(value[1:5], "big")))


# -- foreign texts -----------------------------------------------------------------------------------------------------

TYPES = (
    *("tinyint(1)", "tinyint", "tinyint unsigned", "smallint", "smallint unsigned", "mediumint", "mediumint unsigned"),
    *("int", "int unsigned", "bigint", "bigint unsigned", "float", "double", "decimal(10,2)", "decimal(38,10)"),
    *(
        "decimal(65,30)",
        "decimal(5,0)",
        "bit(1)",
        "bit(8)",
        "bit(64)",
        "date",
        "time",
        "time(3)",
        "time(6)",
        "datetime",
    ),
    *("datetime(3)", "datetime(6)", "timestamp", "timestamp(3)", "timestamp(6)", "year", "char(5)", "varchar(20)"),
    *("text", "binary(3)", "varbinary(8)", "blob", "enum('a','b')", "set('a','b','c')", "json"),
)
"""Column types, one or two for each reader."""
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
)
NUMBERS = (
    *("0", "1", "-1", "127", "128", "-129", "255", "32768", "2147483648", "-2147483649", "9223372036854775807"),
    *("9223372036854775808", "1.5", "-0.0", "1e3", "1e400", "0.1", "123456789.123456789", "1e-400", "19782"),
    *(
        "1e12",
        "-1e12",
        "1e30",
        "1.0",
        "45296000000",
        "-3020399000000",
        "1709251199000",
        "1709251199123456",
        "true",
        "false",
        "[]",
        "{}",
        "[1]",
        '{"a":1}',
    ),
)
_FORMS = {CANAL_JSON.name: "data", CONNECTOR.name: "after"}


def foreign_messages() -> Iterator[Shown]:
    """Every column type with every foreign text, and with every JSON value other than text."""
    values = [*(json.dumps(one, ensure_ascii=False) for one in TEXTS), *NUMBERS]
    for protocol in _FORMS:
        for type_ in TYPES:
            columns = [{"name": "id", "type": "int", "nullable": False}, {"name": "c", "type": type_, "nullable": True}]
            of = {"schema": "test", "name": "t", "columns": columns, "primary_key": ["id"]}
            for number, value in enumerate(values):
                message = Message(protocol, None, _written(protocol, type_, value), of, _OPTIONS[protocol])
                yield Shown(f"{protocol}/foreign/{type_}/{number}", message)


_OPTIONS: Mapping[str, Mapping[str, str]] = {CANAL_JSON.name: {}, CONNECTOR.name: {"schema-include": "false"}}


def _written(protocol: str, type_: str, value: str) -> bytes:
    """A message whose column has the JSON text `value`."""
    if protocol == CANAL_JSON.name:
        types = json.dumps({"id": "int", "c": type_})
        head = '{"id":0,"database":"test","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1,"ts":2,'
        middle = f'"sql":"","sqlType":{{"id":4,"c":12}},"mysqlType":{types},"old":null,'
        return f'{head}{middle}"data":[{{"id":"1","c":{value}}}]}}'.encode()
    source = '{"db":"test","table":"t","ts_ms":1}'
    return f'{{"op":"c","ts_ms":1,"before":null,"after":{{"id":1,"c":{value}}},"source":{source}}}'.encode()
