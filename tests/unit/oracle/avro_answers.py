"""Answers for the tests of the Avro oracle: the reference's own with one thing changed, and who is blamed.

A message is changed as `{"key": part, "value": part}`, a part being `{"schema": JSON, "row": texts by field}`, bytes or
None; it is written again by a small writer of Avro's binary encoding that stands here.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.avro.binary import Body, named_types
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.registry import RegisteredSchema
from reference_impl.settings import Settings
from reference_impl.wire import record_from_json, record_to_json
from tests.unit.oracle.judging import Change, answer_of, asked, row_event, schemas_of, table_and_row

TABLE, ROW = table_and_row(
    ("id", "int not null", "1"),
    ("ti", "tinyint", "-3"),
    ("tu", "tinyint unsigned not null", "200", {"default": "2"}),
    ("iu", "int unsigned", "4294967295", {"default": "17"}),
    ("b", "bigint not null", "9007199254740993"),
    ("bu", "bigint unsigned", "7"),
    ("big", "bigint unsigned", "18446744073709551615"),
    ("f", "float unsigned", "0.1", {"default": "3.14"}),
    ("g", "double not null", "0.1", {"default": "0.5"}),
    ("m", "decimal(30,2) not null", "-12345678901234567890.55", {"default": "1.50"}),
    ("mn", "decimal(10,2) unsigned", "1.25", {"default": "1.50"}),
    ("bt", "bit(10)", "65", {"default": "3"}),
    ("c", "varchar(20)", "y", {"default": "a<b"}),
    ("nu", "varchar(20)", "z", {"default": "null"}),
    ("x", "text not null", "text"),
    ("q", "varbinary(20)", "AQL/", {"default": "bin"}),
    ("bn", "binary(4) not null", "YQAAAA=="),
    ("cb", "varchar(5)", "eA==", {"charset": "binary"}),
    ("e", "enum('a','b,c') not null", "b,c", {"default": "a"}),
    ("s", "set('x','y')", "x,y", {"default": "x"}),
    ("j", "json", '{"a": 1, "b": [2]}'),
    ("d", "date not null", "2024-02-29", {"default": "2024-01-02"}),
    ("dt", "datetime(3)", "2024-02-29 01:02:03.450"),
    ("w", "timestamp not null", "2024-02-29 01:02:03", {"default": {"expression": "CURRENT_TIMESTAMP"}}),
    ("tm", "time(1)", "-01:02:03.5"),
    ("y", "year not null", "2024"),
    ("v", "vector(2)", "[1,0.5]"),
    ("gen", "int", "9", {"generated": "virtual"}),
    ("k", "int not null", "5"),
    ("o", "int", None),
    primary_key=["k", "id"],
)
EXTENDED = {"enable-tidb-extension": "true"}
WATCHED = {**EXTENDED, "avro-enable-watermark": "true"}
BEFORE = {"avro-include-before-value": "true"}
RAW = {"output-raw-change-event": "true"}
AS_STRINGS = {"avro-decimal-handling-mode": "string", "avro-bigint-unsigned-handling-mode": "string"}
ZONED = Settings(timezone="Asia/Shanghai")

row = partial(row_event, base=ROW)
case_of = partial(asked, "avro", table=TABLE)


# -- answers -----------------------------------------------------------------------------------------------------------


def _answered(records: list[Any], schemas: list[RegisteredSchema]) -> dict[str, Any]:
    requests = [{"id": s.id, "subject": s.subject, "schema": s.schema} for s in schemas]
    return {"ok": {"records": records, "schemas": requests}}


def with_requests(case: Case, change: Callable[[list[RegisteredSchema]], list[RegisteredSchema]]) -> dict[str, Any]:
    """The reference's records, with other requests to the registry."""
    ok = answer_of(case)["ok"]
    return _answered(ok["records"], change(schemas_of(ok)))


def with_message(case: Case, change: Change, profile: Profile = NEWARCH, at: int = 0) -> dict[str, Any]:
    """The reference's answer with one message changed."""
    ok = answer_of(case, profile)["ok"]
    schemas = schemas_of(ok)
    texts = {schema.id: schema.schema for schema in schemas}
    record = record_from_json(ok["records"][at])
    parts = {"key": _part(record.key, texts), "value": _part(record.value, texts)}
    change(parts)
    made = {}
    for name, data in (("key", record.key), ("value", record.value)):
        part = parts[name]
        if isinstance(part, dict) and "schema" in part:
            number = int.from_bytes((data or b"")[1:5], "big")
            if (text := text_of(part["schema"])) != text_of(json.loads(texts[number])):
                schemas = [replace(s, schema=text) if s.id == number else s for s in schemas]
            part = (data or b"")[:5] + datum(part["schema"], part["row"])
        elif isinstance(part, dict):
            part = b"\1" + text_of(part["ddl"]).encode()
        made[name] = part
    ok["records"][at] = record_to_json(replace(record, **made))
    return _answered(ok["records"], schemas)


def _part(data: bytes | None, texts: Mapping[int, str]) -> Any:
    if not data or data[0] > 1:
        return data
    if data[0] == 1:
        return {"ddl": json.loads(data[1:])}
    schema = json.loads(texts[int.from_bytes(data[1:5], "big")])
    return {"schema": schema, "row": Body(data[5:], named_types(schema)).datum(schema)}


def text_of(tree: Any) -> str:
    """JSON as the producers write it."""
    text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# -- Avro's binary encoding --------------------------------------------------------------------------------------------


def long(number: int) -> bytes:
    """A number in zig-zag and seven bits a byte."""
    rest = (number << 1) ^ (number >> 63)
    found = bytearray()
    while rest > 0x7F:
        found.append(rest & 0x7F | 0x80)
        rest >>= 7
    found.append(rest)
    return bytes(found)


def _octets(data: bytes) -> bytes:
    return long(len(data)) + data


_PRIMITIVES: Mapping[str, Callable[[str], bytes]] = {
    "null": lambda text: b"",
    "boolean": lambda text: b"\1" if text == "true" else b"\0",
    "int": lambda text: long(int(text)),
    "long": lambda text: long(int(text)),
    "float": lambda text: struct.pack("<f", float(text)),
    "double": lambda text: struct.pack("<d", float(text)),
    "bytes": lambda text: _octets(bytes.fromhex(text)),
    "string": lambda text: _octets(text.encode()),
}


def datum(schema: Any, value: Any) -> bytes:
    """A datum of a schema; its values are texts, those of bytes in hexadecimal."""
    if isinstance(schema, list):
        index = next(i for i, branch in enumerate(schema) if (branch == "null") == (value is None))
        return long(index) + datum(schema[index], value)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "record":
        return b"".join(datum(field["type"], value[field["name"]]) for field in schema["fields"])
    return _PRIMITIVES[kind](value)
