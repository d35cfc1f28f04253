"""Finds the message that an answer names by file and line of a capture, with the table that the consumer declared.

The table is what the capture's own statements describe up to that line; an answer may be about its key and one more
column.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import PACKED, files_of
from conformance.consumers.avro_rows import non_null
from conformance.consumers.model import Message, TableType
from conformance.errors import UsageError

__all__ = ["Captures"]

Json = Mapping[str, Any]
_AVRO_TYPES = {"int": "int", "long": "bigint", "string": "text", "bytes": "blob", "boolean": "boolean",
               "float": "float", "double": "double"}  # fmt: skip
_SCHEMA_ID = slice(1, 5)
"""The bytes of an Avro record with the id of its schema."""


@dataclass(frozen=True)
class Captures:
    """The captures below a folder, by the name of their file; without a folder the recordings that the suite ships."""

    root: Path | None = None
    _files: dict[str, _Capture] = field(default_factory=dict)

    def message(self, given: Json, place: str) -> Message:
        """The message of an `input`. Raises `UsageError` for an unknown capture."""
        protocol, options = str(given["protocol"]), dict(given.get("options") or {})
        if "file" not in given:
            key, value = (_bytes(given[name]) for name in ("key", "value"))
            schemas = given.get("schema"), given.get("key_schema")
            return Message(protocol, key, value, given["table"], options, *schemas)
        capture = self._capture(str(given["file"]), place)
        line = int(given["line"])
        if not 1 <= line <= len(capture.lines):
            raise UsageError(f"{place}: {given['file']} has no line {line}")
        return capture.message(line - 1, given, protocol, options)

    def _capture(self, name: str, place: str) -> _Capture:
        if name not in self._files:
            data = self._bytes(name)
            if data is None:
                where = f"below {self.root}" if self.root else "among the shipped recordings; say --captures DIR"
                raise UsageError(f"{place}: there is no capture {name} {where}")
            self._files[name] = _Capture(data, self._bytes(name.removesuffix(".jsonl") + ".schemas.json"))
        return self._files[name]

    def _bytes(self, name: str) -> bytes | None:
        if self.root is None:
            return _shipped().get(name)
        found = sorted(self.root.rglob(name))
        return found[0].read_bytes() if found else None


@cache
def _shipped() -> Mapping[str, bytes]:
    """Name → content, for the files of all shipped recordings of upstream producers; the names are unique."""
    streams = sorted((fixtures_root() / "recorded").glob(f"debezium*/{PACKED}"))
    return {name: data for stream in streams for name, data in files_of(stream.parent).items()}


@dataclass(frozen=True)
class _Capture:
    data: bytes
    schemas_data: bytes | None

    @cached_property
    def lines(self) -> Sequence[Json]:
        return [json.loads(line) for line in self.data.decode("utf-8").splitlines()]

    @cached_property
    def tables(self) -> Sequence[TableType]:
        """The table of each line."""
        known: dict[tuple[str, ...], Json] = {}
        found: list[TableType] = []
        for line in self.lines:
            payload = _payload(line.get("value"))
            known.update(_described(payload))
            source = payload.get("source") or {}
            schema, name = source.get("db") or "", source.get("table") or ""
            found.append({"schema": schema, "name": name, **known.get((schema, name), _UNKNOWN)})
        return found

    @cached_property
    def schemas(self) -> Json:
        """The Avro schemas of a capture by schema id, from `NAME.schemas.json` beside it."""
        loaded: Json = json.loads(self.schemas_data or b"{}")
        return loaded

    def message(self, index: int, given: Json, protocol: str, options: Mapping[str, str]) -> Message:
        """The message in a line: `value_b64` is an Avro record, `key` and `value` are JSON or its bytes in base64."""
        line = self.lines[index]
        if "value_b64" in line:
            value = _bytes(line["value_b64"])
            schema = self.schemas[str(int.from_bytes(value[_SCHEMA_ID], "big"))]["schema"] if value else None
            described = {"schema": "", "name": line.get("topic", ""), "columns": _columns_of(schema)}
            return Message(protocol, None, value, described, options, schema)
        table = given.get("table") or _cut(self.tables[index], given.get("column"))
        return Message(protocol, _sent(line.get("key")), _sent(line.get("value")), table, options)


_UNKNOWN: Json = {"columns": [{"name": "id", "type": "bigint", "nullable": False}], "primary_key": ["id"]}


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _sent(value: Any) -> bytes | None:
    """The bytes of a key or value in a capture: a string is base64; any other JSON value is serialized again."""
    if value is None or isinstance(value, str):
        return _bytes(value)
    return json.dumps(value, ensure_ascii=False).encode()


def _payload(value: Any) -> Json:
    if not isinstance(value, dict):
        return {}
    inner = value.get("payload", value)
    return inner if isinstance(inner, dict) else {}


def _described(payload: Json) -> dict[tuple[str, ...], Json]:
    """The tables that a message of a statement describes."""
    found: dict[tuple[str, ...], Json] = {}
    for change in payload.get("tableChanges") or ():
        if not change["table"]:
            continue
        names = tuple(part.strip('"') for part in change["id"].split(",")[-1].split("."))
        found[names] = {
            "columns": [_column(column) for column in change["table"]["columns"]],
            "primary_key": change["table"]["primaryKeyColumnNames"],
        }
    return found


def _column(column: Json) -> Json:
    text, length, scale = column["typeName"].lower(), column.get("length"), column.get("scale")
    if length is not None and not text.startswith(("enum", "set")):
        size = f"({length},{scale})" if scale is not None else f"({length})"
        text = re.sub(r"^(\w+)", lambda base: base[1] + size, text)
    return {"name": column["name"], "type": text, "nullable": column["optional"]}


def _cut(table: TableType, column: str | None) -> TableType:
    """The table with its key and the named column; the whole table without a name."""
    columns, key = table["columns"], table["primary_key"]
    if not column or not isinstance(columns, list) or not isinstance(key, list):
        return table
    kept = [c for c in columns if c["name"] in key] + [c for c in columns if c["name"] == column]
    return {**table, "columns": kept}


def _columns_of(schema: Any) -> list[Json]:
    """The columns of a row in an Avro envelope, by the primitive types alone."""
    if not schema:
        return [{"name": "id", "type": "bigint", "nullable": True}]
    for member in schema["fields"]:
        row = non_null(member["type"])
        if member["name"] in ("before", "after") and isinstance(row, dict):
            return [column for column in map(_avro_column, row["fields"]) if column is not None]
    return []


def _avro_column(member: Json) -> Json | None:
    kind = non_null(member["type"])
    base = kind["type"] if isinstance(kind, dict) else kind
    if base not in _AVRO_TYPES:
        return None
    return {"name": member["name"], "type": _AVRO_TYPES[base], "nullable": isinstance(member["type"], list)}
