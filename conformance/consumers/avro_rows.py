"""Avro records for readers that follow the writer's schema alone: Spark's from_avro, converters of Connect."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import fastavro

from conformance.consumers.decimals import unscaled_text
from conformance.consumers.model import Basis, LeftOpen, Rule
from reference_impl.java_numbers import double_text, float_text

__all__ = ["HEADER_LENGTH", "fields_of", "has_header", "is_decimal", "non_null", "record_of", "text_of"]

HEADER_LENGTH = 5
_RECURSIVE = Rule(
    "avro.recursive", "Nothing recorded says what a reader makes of a record that contains itself.", Basis.READ
)
_EXPANDING = Rule(
    "avro.expanding",
    "Nothing recorded says what a reader makes of a record of so many or so deeply nested types.",
    Basis.READ,
)
_MOST_TYPES, _DEEPEST = 100_000, 64
"""The limits of the number of types in one expanded record, and of their nesting: the library visits each of them."""
_MARKS = frozenset({"__fastavro_parsed", "__named_schemas"})
"""The members by which the library knows its own parsed schemas: it would take a schema with them as checked."""
_PRIMITIVE = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_NAMED = ("record", "error", "enum", "fixed")
_INNER = ("fields", "type", "items", "values")
"""The members of a part of a schema that hold other parts."""
_LEFT_OUT = _MARKS | {"logicalType", "default"}


def has_header(part: bytes | None) -> bool:
    """Whether a key or value begins with a zero and a schema id."""
    return part is not None and len(part) >= HEADER_LENGTH and part[:1] == b"\0"


def fields_of(schema: Any) -> Mapping[str, Any]:
    """Name of a member → its type, which may be a union. A name of a type is replaced by the definition in the schema.

    Raises `ValueError` if the schema is not that of a record.
    """
    try:
        types = {str(field["name"]): field["type"] for field in schema["fields"]}
    except (KeyError, TypeError):
        raise ValueError("no schema of a record") from None
    names = {one for avro_type in types.values() for one in _branches(avro_type) if isinstance(one, str)}
    if names <= _PRIMITIVE:
        return types
    definitions, namespace = _definitions(schema), _full_name(schema, "").rpartition(".")[0]
    of_name = {name: definitions.get(_in_namespace(name, namespace), name) for name in names - _PRIMITIVE}

    def defined(one: Any) -> Any:
        return of_name.get(one, one) if isinstance(one, str) else one

    return {name: list(map(defined, one)) if isinstance(one, list) else defined(one) for name, one in types.items()}


def _branches(avro_type: Any) -> Sequence[Any]:
    return avro_type if isinstance(avro_type, list) else [avro_type]


def _definitions(schema: Any) -> Mapping[str, Any]:
    """Full name → definition, for every named type in a schema."""
    found: dict[str, Any] = {}
    waiting = [(schema, "")]  # parts, each with the namespace around it; no recursion, since a schema may be deep
    while waiting:
        part, namespace = waiting.pop()
        if isinstance(part, list):
            waiting += ((one, namespace) for one in part)
        elif isinstance(part, dict):
            if part.get("type") in _NAMED:
                name = _full_name(part, namespace)
                found[name] = part
                namespace = name.rpartition(".")[0]
            waiting += ((part[name], namespace) for name in _INNER if name in part)
    return found


def _full_name(definition: Mapping[str, Any], namespace: str) -> str:
    return _in_namespace(str(definition.get("name")), str(definition.get("namespace", namespace)))


def _in_namespace(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


def record_of(part: bytes, schema: Any) -> Mapping[str, Any]:
    """The members of the record behind the header, each as its plain type is read, whatever its logical type.

    Raises `ValueError` for a malformed schema or malformed bytes. Raises `LeftOpen` for a schema with a record that
    contains itself, and for one that is too large or too deep once its named types are expanded.
    """
    try:
        parsed = _parsed(schema)
    except RecursionError:
        raise LeftOpen(_EXPANDING) from None
    try:
        found = fastavro.schemaless_reader(BytesIO(part[HEADER_LENGTH:]), parsed, None)
    except Exception as e:  # noqa: BLE001 - the library raises several classes for bytes that do not fit the schema
        raise ValueError(str(e)) from None
    if not isinstance(found, dict):
        raise ValueError("no record")  # noqa: TRY004 - the bytes are wrong, not the type of an argument
    return found


def non_null(avro_type: Any) -> Any:
    """The type of a member; of a union, its first branch other than null."""
    if not isinstance(avro_type, list):
        return avro_type
    return next((part for part in avro_type if part != "null"), avro_type)


def is_decimal(avro_type: Any) -> bool:
    """Whether bytes of this type are the unscaled value of a decimal."""
    return isinstance(avro_type, dict) and avro_type.get("logicalType") == "decimal"


def _parsed(schema: Any) -> Any:
    """The plain schema as the library parses it, if it is safe to read bytes by it.

    Raises `ValueError` and `LeftOpen` as `record_of` does, and `RecursionError` for a schema deeper than the stack.
    """
    try:
        parsed = fastavro.parse_schema(_plain(schema))
    except RecursionError:
        raise
    except Exception as e:  # noqa: BLE001 - the library raises several classes for a malformed schema
        raise ValueError(str(e)) from None
    if _is_recursive(parsed, frozenset()):
        raise LeftOpen(_RECURSIVE)
    size, depth = _expanded(parsed, {})
    if size > _MOST_TYPES or depth > _DEEPEST:
        raise LeftOpen(_EXPANDING)
    return parsed


def _plain(schema: Any) -> Any:
    """The schema without logical types, so that values stay as the wire has them, and without marks of the library.

    Defaults go as well: who follows the writer's schema needs none, and the library would check them by the plain type.
    """
    if isinstance(schema, dict):
        return {name: _plain(part) for name, part in schema.items() if name not in _LEFT_OUT}
    return [_plain(part) for part in schema] if isinstance(schema, list) else schema


def _is_recursive(parsed: Any, enclosing: frozenset[str]) -> bool:
    """Whether a record of a parsed schema contains itself: as a member, or in a union, an array or a map.

    `enclosing` has the names of the records around this part of the schema. The library would follow a
    record that contains itself until the bytes end or the stack overflows, which ends the process.
    """
    if isinstance(parsed, list):
        return any(_is_recursive(part, enclosing) for part in parsed)
    if not isinstance(parsed, dict):
        return parsed in enclosing
    if "fields" in parsed:
        enclosing |= {parsed["name"]}
        return any(_is_recursive(field["type"], enclosing) for field in parsed["fields"])
    inner = (parsed[name] for name in ("type", "items", "values") if name in parsed)
    return any(_is_recursive(part, enclosing) for part in inner)


def _expanded(parsed: Any, known: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The number of types in a parsed schema, counting a named type at each use, and the depth of their nesting.

    The schema must not be recursive. `known` collects the results for named types.
    """
    if isinstance(parsed, str):
        return known.get(parsed, (1, 1))
    if isinstance(parsed, list):
        inner = list(parsed)
    else:
        inner = [field["type"] for field in parsed.get("fields", ())]
        inner += [parsed[name] for name in ("items", "values") if name in parsed]
        inner += [parsed["type"]] if isinstance(parsed.get("type"), (dict, list)) else []
    parts = [_expanded(part, known) for part in inner]
    expanded = 1 + sum(size for size, _ in parts), 1 + max((depth for _, depth in parts), default=0)
    if isinstance(parsed, dict) and "name" in parsed:
        known[parsed["name"]] = expanded
    return expanded


def text_of(value: Any, avro_type: Any) -> str | None:
    """The text that Java prints for a value that `record_of` read: of a decimal its digits, of other bytes base64.

    `avro_type` is from the schema with its logical types. Records, arrays and maps are not foreseen.
    """
    if value is None:
        return None
    kind = non_null(avro_type)
    base = kind["type"] if isinstance(kind, dict) else kind
    if isinstance(value, bytes):
        return unscaled_text(value, kind.get("scale", 0)) if is_decimal(kind) else base64.b64encode(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return (float_text if base == "float" else double_text)(value)
    return str(value)
