"""Reads Avro data by one schema and writes them by another.

A value that does not fit the written type becomes the nearest one that does; NULL in a type without a null branch
becomes a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from reference_impl import exact_json
from reference_impl.avro import binary

__all__ = ["datum_of", "written_by"]


def datum_of(schema: str, body: bytes) -> dict[str, Any]:
    """The datum in a body, by the text of its schema. Raises `Rejected` if the body does not fit."""
    return binary.read(_read_coding(schema), body)


def written_by(schema: str, datum: Mapping[str, Any]) -> bytes:
    """The body of a datum, by the text of a schema. Raises the error of the parser for an invalid schema."""
    coding = _write_coding(schema)
    return binary.write(coding, _fitting(coding, datum))


def _integer(value: Any) -> int:
    number = int.from_bytes(value, "big") if isinstance(value, bytes) else int(value)
    return number - 2**64 if number >= 2**63 else number


_ZEROS: Mapping[str, Any] = {"string": "", "bytes": b"", "float": 0.0, "double": 0.0, "boolean": False, "null": None}
_FITS: Mapping[str, Callable[[Any], Any]] = {
    "string": lambda value: value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value),
    "bytes": lambda value: value if isinstance(value, bytes) else str(value).encode(),
    "float": float,
    "double": float,
    "int": _integer,
    "long": _integer,
    "boolean": bool,
    "null": lambda value: None,
}


@lru_cache(maxsize=1024)
def _read_coding(schema: str) -> binary.RecordCoding:
    """The parsed schema, reduced to the parts that reading needs."""
    return binary.prepared(_reduced(exact_json.loads(schema), str))


@lru_cache(maxsize=1024)
def _write_coding(schema: str) -> binary.RecordCoding:
    """The parsed schema for writing; its fields get safe names, as names in a changed schema may be invalid in Avro."""
    return binary.prepared(_reduced(exact_json.loads(schema), _safe))


def _safe(name: str) -> str:
    return f"f{name.encode().hex()}"


def _reduced(tree: Any, named: Callable[[str], str]) -> binary.Coding:
    if isinstance(tree, list):
        return [_reduced(branch, named) for branch in tree]
    if isinstance(tree, dict):
        if tree["type"] == "record":
            fields = [(named(field["name"]), _reduced(field["type"], named)) for field in tree["fields"]]
            return binary.record(_safe(tree["name"]), fields)
        return _reduced(tree["type"], named)
    return tree


def _fitting(coding: binary.Coding, value: Any) -> Any:
    """The value in the writer's form for the type; for a union with the name of its branch."""
    if isinstance(coding, list):
        branch = next((branch for branch in coding if (branch == "null") == (value is None)), coding[0])
        name = branch["name"] if isinstance(branch, dict) else branch
        return name, _fitting(branch, value)
    if isinstance(coding, dict):
        row = {_safe(name): part for name, part in (value or {}).items()}
        return {field["name"]: _fitting(field["type"], row.get(field["name"])) for field in coding["fields"]}
    return _ZEROS.get(coding, 0) if value is None else _FITS[coding](value)
