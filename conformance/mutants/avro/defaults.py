"""Encoders with wrong unions with null."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import column_fields, encoder, type_of
from conformance.mutants.avro.rewriting import RecordRewriter, Tree
from conformance.mutants.model import Mutant
from reference_impl.model import Column

__all__ = ["MUTANTS"]

_EMPTY: dict[str, Any] = {"string": "", "bytes": "", "int": 0, "long": 0, "float": 0, "double": 0}


def _fields(edit: Callable[[Tree, Column], Any]) -> RecordRewriter:
    return RecordRewriter(column_fields(lambda column: True, edit))


def _null_last(field: Tree, column: Column) -> None:
    right = type_of(field)
    if field.get("default", 0) is None and "logicalType" not in right:
        field["type"].reverse()
        field["default"] = _EMPTY[right["type"]]


def _null_first(field: Tree, column: Column) -> None:
    if isinstance(field["type"], list) and field["type"][0] != "null" and column.default != "null":
        field["type"].reverse()
        field["default"] = None


MUTANTS: tuple[Mutant, ...] = (
    encoder("null-last", "AV-047", "null is the last branch, and the default a zero", _fields(_null_last)),
    encoder(
        "null-first",
        "AV-048",
        "null is the first branch and the default, also of columns with another default",
        _fields(_null_first),
    ),
)
