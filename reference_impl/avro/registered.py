"""Reads a schema of the registry: its record, the fields of its columns, and its extension.  [AV-205, AV-206]

A text that is not the schema of an Avro record, or has a field of a kind that TiCDC never writes, such as an array, is
refused at once. Other differences from the schemas of TiCDC are collected, and reported after bytes were read by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import fastavro
from fastavro.schema import SchemaParseException

from reference_impl import exact_json
from reference_impl.avro import binary, extension
from reference_impl.avro.types import AVRO_TYPES_OF_TIDB, AvroType
from reference_impl.errors import Rejected
from reference_impl.faults import Faults

__all__ = ["Column", "RecordSchema", "read_schema"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FULL_NAME = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*\.)*[A-Za-z_][A-Za-z0-9_]*")
_PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_LENGTH = re.compile(r"[0-9]{1,3}")
_MAX_BIT_LENGTH = 64
_MAX_PRECISION = 65
_NEEDED_PARAMETERS: Mapping[str, tuple[str, ...]] = {"BIT": ("length",), "ENUM": ("allowed",), "SET": ("allowed",)}

# The exceptions of fastavro for an invalid schema.
_MALFORMED = (SchemaParseException, LookupError, TypeError, ArithmeticError, ValueError, AttributeError)
# The members by which fastavro knows a schema that it has checked before.
_MARKS = frozenset({"__fastavro_parsed", "__named_schemas"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the name of its field, and its type in the schema."""

    name: str
    type: AvroType


class RecordSchema:
    """The schema of a record in the registry."""

    def __init__(self, name: str, namespace: str, faults: Faults) -> None:
        self.name = name
        self.namespace = namespace
        # The differences from the schemas that TiCDC writes; with faults, columns and extension are incomplete.
        self.faults = faults
        self.coding: binary.RecordCoding = {}
        self.columns: list[Column] = []
        self.extension: set[str] = set()  # the names of its fields
        # The record for the row before a change.
        self.before: RecordSchema | None = None


def _no_schema(why: object) -> Rejected:
    return Rejected("schema", f"the registered text is no schema of a record: {why}")


def read_schema(text: str) -> RecordSchema:
    """The schema in a text of the registry.

    Raises `Rejected` (class `schema`) if it is not the schema of a record.
    """
    try:
        tree = exact_json.loads_strict(text)
        fastavro.parse_schema(json.loads(text, object_hook=_for_fastavro), named_schemas={})
    except Rejected as e:
        raise _no_schema(e.message) from None
    except _MALFORMED as e:
        raise _no_schema(e) from None
    if not isinstance(tree, dict) or tree.get("type") != "record":
        raise _no_schema("it is another type")
    return _record(tree, "", Faults())


def _for_fastavro(member: dict[str, Any]) -> dict[str, Any]:
    """An object of the schema without fastavro's marks, and with the integer default of a float or double as a float.

    TiCDC writes a default of 0.0 as 0, which fastavro would refuse as an integer.  [AV-059]
    """
    member = {name: value for name, value in member.items() if name not in _MARKS}
    avro_type = member.get("type")
    branches = avro_type if isinstance(avro_type, list) else [avro_type]
    types = [branch.get("type") if isinstance(branch, dict) else branch for branch in branches]
    if type(member.get("default")) is int and ("float" in types or "double" in types):
        return member | {"default": float(member["default"])}
    return member


def _name(tree: Mapping[str, Any], subject: str, pattern: re.Pattern[str] = _NAME) -> str:
    name = tree.get("name")
    if not isinstance(name, str) or not pattern.fullmatch(name):
        raise _no_schema(f"{name!r} is no name of {subject}")
    return name


def _record(tree: Mapping[str, Any], enclosing_namespace: str, faults: Faults) -> RecordSchema:
    namespace, _, name = _name(tree, "a record", _FULL_NAME).rpartition(".")
    namespace = namespace or tree.get("namespace", enclosing_namespace)
    fields = tree.get("fields")
    if not isinstance(namespace, str) or not isinstance(fields, list):
        raise _no_schema("its namespace is not a string, or its fields are not a list")
    if not namespace and name in _PRIMITIVES:
        raise _no_schema(f"{name!r} is the name of a primitive type")
    names = [_name(field, "a field") for field in fields]
    if len(names) != len({*names}):
        raise _no_schema("it has two fields of one name")
    record = RecordSchema(name, namespace, faults)
    codings = [(field["name"], _field(record, field)) for field in fields]
    record.coding = binary.record(f"{namespace}.{name}" if namespace else name, codings)
    return record


def _branches(tree: Any) -> tuple[Any, binary.Coding]:
    """(non-null type, coding) of the type of a field; for a record the coding has just "record"."""
    if not isinstance(tree, list):
        return tree, _plain_coding(tree)
    others = [branch for branch in tree if _plain_coding(branch) != "null"]
    if len(tree) != 2 or len(others) != 1:
        raise _no_schema("a union is not of null and one other type")
    return others[0], binary.nullable(_plain_coding(others[0]), null_first=_plain_coding(tree[0]) == "null")


def _plain_coding(tree: Any) -> str:
    """The name of a primitive, or "record"."""
    avro_type = tree.get("type") if isinstance(tree, dict) else tree
    if not isinstance(avro_type, str) or avro_type not in _PRIMITIVES | {"record"}:
        raise _no_schema(f"no field of TiCDC has the type {avro_type!r}")
    return avro_type


def _field(record: RecordSchema, field: Mapping[str, Any]) -> binary.Coding:
    """Add a field to a partly read record; returns its coding."""
    name = field["name"]
    tree, coding = _branches(field["type"])
    if _plain_coding(tree) == "record":
        before = record.before = _record(tree, record.namespace, record.faults)
        is_nullable = isinstance(coding, list)
        record.faults.expect(name == extension.BEFORE and is_nullable, "schema", f"field {name!r} is a record")
        has_columns_alone = before.before is None and not before.extension
        record.faults.expect(has_columns_alone, "schema", f"field {name!r} has fields that are not columns")
        return binary.nullable(before.coding, null_first=coding[0] == "null") if is_nullable else before.coding
    parameters = tree.get("connect.parameters") if isinstance(tree, dict) else None
    if name in extension.TYPES and parameters is None:
        record.faults.expect(coding == extension.TYPES[name], "schema", f"field {name!r} has the type {coding}")
        record.extension.add(name)
        return coding
    try:
        record.columns.append(Column(name, _column_type(name, tree, parameters)))
    except Rejected as e:
        record.faults.add(e.reason, e.message)
    return coding


def _column_type(name: str, tree: Any, parameters: Any) -> AvroType:
    if not isinstance(parameters, dict) or not all(isinstance(text, str) for text in parameters.values()):
        raise Rejected("schema", f"column {name!r} has no connect.parameters, or one that is not a string")
    tidb = parameters.get("tidb_type")
    for needed in ("tidb_type", *_NEEDED_PARAMETERS.get(str(tidb), ())):
        if needed not in parameters:
            raise Rejected("schema", f"column {name!r} has no {needed!r} in connect.parameters")
    avro = _plain_coding(tree)
    if avro not in AVRO_TYPES_OF_TIDB.get(str(tidb), ()):
        raise Rejected("type", f"column {name!r}: tidb_type {tidb!r} as Avro's {avro}")
    if tidb == "BIT":
        length = parameters["length"]
        if not (_LENGTH.fullmatch(length) and 1 <= int(length) <= _MAX_BIT_LENGTH):
            raise Rejected("type", f"column {name!r} is a BIT of {length!r} bits")
    decimal = _decimal(name, tree) if tidb == "DECIMAL" and avro == "bytes" else None
    return AvroType(avro, parameters, decimal)


def _decimal(name: str, tree: Mapping[str, Any]) -> tuple[int, int]:
    precision, scale = tree.get("precision"), tree.get("scale", 0)
    if tree.get("logicalType") != "decimal" or type(precision) is not int or type(scale) is not int:
        raise Rejected("schema", f"column {name!r} is not a logical decimal with precision and scale")
    if not 1 <= precision <= _MAX_PRECISION:  # fastavro has refused a scale that does not fit
        raise Rejected("type", f"column {name!r} is a decimal of precision {precision} and scale {scale}")
    return precision, scale
