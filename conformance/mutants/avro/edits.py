"""Builders of Avro's mutants: edits of schemas, data and records, and of the events that a decoder answers."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from conformance.mutants.avro.rewriting import BEFORE, Edit, Part, RecordRewriter, Tree
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, edit_answer, edit_event
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.registry import Registry

__all__ = [
    "PREFIX",
    "Applies",
    "Sides",
    "Wrap",
    "column_fields",
    "decoder",
    "encoder",
    "in_families",
    "is_unsigned",
    "of_side",
    "read_rows",
    "records",
    "refuses",
    "through_registry",
    "type_of",
    "types",
    "values",
]

PREFIX = "avro/"

Wrap: TypeAlias = Callable[[Answerer], Answerer]
Applies: TypeAlias = Callable[[Column], bool]
Sides: TypeAlias = tuple[bytes | None, bytes | None]


def encoder(
    name: str,
    requirement: str,
    description: str,
    fault: Wrap | RecordRewriter,
    profile: str = "newarch",
    release: str | None = None,
) -> Mutant:
    """An encoder with one defect, killed by `requirement`."""
    if isinstance(fault, RecordRewriter):
        return Mutant(
            PREFIX + name,
            requirement,
            "encode",
            description,
            fault.wrap,
            profile,
            release,
            fault.registry,
        )
    return Mutant(PREFIX + name, requirement, "encode", description, fault, profile, release)


def through_registry(name: str, requirement: str, description: str, registry: Callable[[Registry], Registry]) -> Mutant:
    """An encoder with a defect in its requests to the registry, killed by `requirement`."""
    return Mutant(
        PREFIX + name,
        requirement,
        "encode",
        description,
        lambda inner: inner,
        registry=registry,
    )


def decoder(
    name: str,
    requirement: str,
    description: str,
    wrap: Wrap = lambda inner: inner,
    registry: Callable[[Registry], Registry] = lambda registry: registry,
) -> Mutant:
    """A decoder with one defect, killed by `requirement`."""
    return Mutant(PREFIX + name, requirement, "decode", description, wrap, registry=registry)


# -- columns -----------------------------------------------------------------------------------------------------------


def in_families(*families: Family) -> Applies:
    """Whether a column is of one of these families."""
    return lambda column: column.type.family in families


def is_unsigned(*families: Family) -> Applies:
    """Whether a column is of one of these families and unsigned."""
    return lambda column: column.type.family in families and column.type.unsigned


# -- schemas -----------------------------------------------------------------------------------------------------------


def _record_trees(schema: Tree) -> Iterator[Tree]:
    """A schema, and the schema of the before image in it."""
    yield schema
    for field in schema["fields"]:
        if field["name"] == BEFORE:
            yield type_of(field)


def type_of(field: Tree) -> Any:
    """The branch of a field's type that is not null."""
    field_type = field["type"]
    return next(branch for branch in field_type if branch != "null") if isinstance(field_type, list) else field_type


def column_fields(applies: Applies, edit: Callable[[Tree, Column], Any]) -> Edit:
    """Edits the fields of matching columns."""

    def each(schema: Tree, part: Part) -> None:
        for record in _record_trees(schema):
            for field in record["fields"]:
                column = part.columns.get(field["name"])
                if column is not None and applies(column):
                    edit(field, column)

    return each


def types(applies: Applies, edit: Callable[[Tree, Column], Any]) -> RecordRewriter:
    """Edits the Avro types of matching columns (without null); values are written with these types."""
    return RecordRewriter(column_fields(applies, lambda field, column: edit(type_of(field), column)))


def of_side(side: str, edit: Edit) -> Edit:
    """Limits an edit to keys or to values."""
    return lambda tree, part: edit(tree, part) if part.side == side else None


# -- data --------------------------------------------------------------------------------------------------------------


def values(applies: Applies, change: Callable[[Any, Column], Any]) -> RecordRewriter:
    """Changes the values of matching columns, except NULL."""

    def each(datum: Tree, part: Part) -> None:
        for row in filter(None, (datum, datum.get(BEFORE))):
            for name, column in part.columns.items():
                if row.get(name) is not None and applies(column):
                    row[name] = change(row[name], column)

    return RecordRewriter(datum=each)


# -- records -----------------------------------------------------------------------------------------------------------


def records(edit: Callable[[list[Tree], Context], list[Tree]]) -> Wrap:
    """Replaces the list of records in an answer."""
    return edit_answer("encode", lambda ok, context: {**ok, "records": edit(ok["records"], context)})


# -- decoders ----------------------------------------------------------------------------------------------------------


def read_rows(edit: Callable[[Tree, Context], Any]) -> Wrap:
    """Edits the row events that a decoder answers."""
    return edit_event(lambda event, context: edit(event, context) if event["kind"] == "row" else None)


def _sides(record: Tree) -> Sides:
    key, value = (None if record[side] is None else base64.b64decode(record[side]) for side in ("key", "value"))
    return key, value


def refuses(reason: str, is_refused: Callable[[bytes | None, bytes | None], bool]) -> Wrap:
    """A decoder that refuses a request if `is_refused(key, value)` holds for a record in it."""

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Tree) -> Tree:
            if request.get("op") == "decode" and any(is_refused(*_sides(record)) for record in request["records"]):
                return {"id": request["id"], "rejected": {"class": reason, "message": "not understood"}}
            return inner(request)

        return answer

    return wrap
