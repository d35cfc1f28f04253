"""Encoders with wrong descriptions of columns."""

from __future__ import annotations

from conformance.mutants.debezium.edits import Message, Tree, described, encoder, rows
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, reference
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]


def _is_scaled_float(column: Column) -> bool:
    return column.type.family is Family.FLOAT and column.type.scale is not None


def _as_float(field: Tree, column: Column) -> None:
    field["type"] = "float"


def _virtual_last(message: Message, context: Context) -> None:
    def is_virtual(field: Tree) -> bool:
        column = context.column(*message.table, field["field"])
        return column is not None and column.generated == "virtual"

    for image in ("before", "after"):
        fields = message.find(f"value.schema.fields.{image}.fields")
        if fields is not None:
            fields.sort(key=is_virtual)


MUTANTS: tuple[Mutant, ...] = (
    encoder("type-float-scaled", "DBZ-121", "FLOAT(M,D) is described as float", described(_is_scaled_float, _as_float)),
    encoder("described-virtual-last", "DBZ-057a", "virtual columns are described last", rows(_virtual_last)),
    encoder(
        "described-virtual-twice",
        "DBZ-057b",
        "virtual columns are described twice",
        reference(NEWARCH, "debezium/doubled-virtual-column"),
    ),
)
