"""Avro records for readers that follow the writer's schema alone: Spark's from_avro, converters of Connect."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import fastavro

from conformance.consumers.decimals import unscaled_text
from conformance.consumers.model import Basis, LeftOpen, Rule
from reference_impl.java_numbers import double_text, float_text

__all__ = ["HEADER_LENGTH", "branch", "fields_of", "has_header", "is_decimal", "record_of", "text_of"]

HEADER_LENGTH = 5
_RECURSIVE = Rule(
    "avro.recursive", "Nothing recorded says what a reader makes of a record that contains itself.", Basis.READ
)
_EXPANDING = Rule(
    "avro.expanding", "Nothing recorded says what a reader makes of records that hold one another so often.", Basis.READ
)
_MOST, _DEEPEST = 100_000, 64
"""Types of one record, and types within types: a library reads all of them, be they of no bytes."""
_LEFT_OUT = frozenset({"logicalType", "default", "__fastavro_parsed__", "__named_schemas__"})


def has_header(part: bytes | None) -> bool:
    """Whether a number of a schema stands before a key or value."""
    return part is not None and len(part) >= HEADER_LENGTH and part[:1] == b"\0"


def fields_of(schema: Any) -> Mapping[str, Any]:
    """Name of a member → its type, which may be a union. Raises `ValueError` for a schema that is no record's."""
    try:
        return {str(field["name"]): field["type"] for field in schema["fields"]}
    except (KeyError, TypeError):
        raise ValueError("no schema of a record") from None


def record_of(part: bytes, schema: Any) -> Mapping[str, Any]:
    """The members of a record after its header, without logical types.

    Raises `ValueError` for malformed bytes, `LeftOpen` for a schema with a record that contains itself, or others too
    often.
    """
    try:
        parsed = fastavro.parse_schema(_plain(schema))
    except Exception as e:  # noqa: BLE001 - the library has several classes for a malformed schema
        raise ValueError(str(e)) from None
    if _is_recursive(parsed, frozenset()):
        raise LeftOpen(_RECURSIVE)
    size, depth = _expanded(parsed, {})
    if size > _MOST or depth > _DEEPEST:
        raise LeftOpen(_EXPANDING)
    try:
        found = fastavro.schemaless_reader(BytesIO(part[HEADER_LENGTH:]), parsed, None)
    except Exception as e:  # noqa: BLE001 - and for bytes that do not fit the schema
        raise ValueError(str(e)) from None
    if not isinstance(found, dict):
        raise ValueError("no record")  # noqa: TRY004 - the bytes are wrong, not the type of an argument
    return found


def branch(of: Any) -> Any:
    """The type of a member; a union has one branch beside null."""
    return next((one for one in of if one != "null"), of) if isinstance(of, list) else of


def is_decimal(kind: Any) -> bool:
    """Whether bytes of this type are the unscaled value of a decimal."""
    return isinstance(kind, dict) and kind.get("logicalType") == "decimal"


def _plain(schema: Any) -> Any:
    """The schema without logical types, so that values stay as the wire has them, and without marks of the library."""
    if isinstance(schema, dict):
        return {name: _plain(part) for name, part in schema.items() if name not in _LEFT_OUT}
    return [_plain(part) for part in schema] if isinstance(schema, list) else schema


def _is_recursive(parsed: Any, enclosing: frozenset[str]) -> bool:
    """Whether a record of a parsed schema contains itself, maybe as a branch of a union.

    The library would follow it as long as there are bytes, or for ever, until the stack ends the process.
    """
    if isinstance(parsed, list):
        return any(_is_recursive(one, enclosing) for one in parsed)
    if not isinstance(parsed, dict):
        return parsed in enclosing
    if "fields" in parsed:
        enclosing |= {parsed["name"]}
        return any(_is_recursive(field["type"], enclosing) for field in parsed["fields"])
    inner = (parsed[name] for name in ("type", "items", "values") if name in parsed)
    return any(_is_recursive(one, enclosing) for one in inner)


def _expanded(parsed: Any, known: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The types of a parsed schema, a named one counted wherever it stands, and how deep they are.

    No record may contain itself. `known` has the named types that were seen.
    """
    if isinstance(parsed, str):
        return known.get(parsed, (1, 1))
    if isinstance(parsed, list):
        inner = list(parsed)
    else:
        inner = [field["type"] for field in parsed.get("fields", ())]
        inner += [parsed[name] for name in ("items", "values") if name in parsed]
        inner += [parsed["type"]] if isinstance(parsed.get("type"), (dict, list)) else []
    found = [_expanded(one, known) for one in inner]
    size = 1 + sum(of for of, _ in found), 1 + max((of for _, of in found), default=0)
    if isinstance(parsed, dict) and "name" in parsed:
        known[parsed["name"]] = size
    return size


def text_of(value: Any, of: Any) -> str | None:
    """A member as Java's text of it; bytes as base64."""
    if value is None:
        return None
    kind = branch(of)
    base = kind["type"] if isinstance(kind, dict) else kind
    if isinstance(value, bytes):
        return unscaled_text(value, kind.get("scale", 0)) if is_decimal(kind) else base64.b64encode(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return (float_text if base == "float" else double_text)(value)
    return str(value)
