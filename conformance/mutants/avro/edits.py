"""Builders of Avro's mutants: edits of schemas and data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.avro.rewriting import BEFORE, Edit, Part, RecordRewriter
from conformance.mutants.model import MutantBuilder
from conformance.mutants.wrappers import Applies, Json
from reference_impl.model import Column
from reference_impl.protocols import AVRO

__all__ = ["column_fields", "decoder", "encoder", "type_of", "types", "values"]

encoder, decoder = MutantBuilder(AVRO.name, "encode"), MutantBuilder(AVRO.name, "decode")


def _record_schemas(schema: Json) -> Iterator[Json]:
    """A schema, and the schema of the before image in it."""
    yield schema
    for field in schema["fields"]:
        if field["name"] == BEFORE:
            yield type_of(field)


def type_of(field: Json) -> Any:
    """The branch of a field's type that is not null."""
    field_type = field["type"]
    return next(branch for branch in field_type if branch != "null") if isinstance(field_type, list) else field_type


def column_fields(applies: Applies, edit: Callable[[Json, Column], Any]) -> Edit:
    """Edits the fields of matching columns."""

    def each(schema: Json, part: Part) -> None:
        for record in _record_schemas(schema):
            for field in record["fields"]:
                column = part.columns.get(field["name"])
                if column is not None and applies(column):
                    edit(field, column)

    return each


def types(applies: Applies, edit: Callable[[Json], Any]) -> RecordRewriter:
    """Edits the Avro types of matching columns (without null); values are written with these types."""
    return RecordRewriter(column_fields(applies, lambda field, column: edit(type_of(field))))


def values(applies: Applies, change: Callable[[Any, Column], Any]) -> RecordRewriter:
    """Changes the values of matching columns, except NULL."""

    def each(datum: Json, part: Part) -> None:
        for row in filter(None, (datum, datum.get(BEFORE))):
            for name, column in part.columns.items():
                if row.get(name) is not None and applies(column):
                    row[name] = change(row[name], column)

    return RecordRewriter(datum=each)
