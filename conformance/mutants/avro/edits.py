"""What mutants of Avro are made of: one fault in a schema, a datum, a frame, or in an event that a decoder answers."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from conformance.mutants.avro.forgery import BEFORE, Forgery, Part, Tree
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, dump, edit_answer, edit_bytes, edit_event
from reference_impl import exact_json
from reference_impl.avro.framing import DDL
from reference_impl.column_types import Family
from reference_impl.model import Absent, Column
from reference_impl.registry import Registry

__all__ = [
    "PREFIX",
    "Applies",
    "Edit",
    "Sides",
    "Wrap",
    "any_column",
    "both",
    "column_fields",
    "decoder",
    "each_record",
    "encoder",
    "has_default",
    "in_families",
    "is_unsigned",
    "json_of_ddl",
    "of_side",
    "parameter",
    "read_kinds",
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
Edit: TypeAlias = Callable[[Tree, Part], Any]
Applies: TypeAlias = Callable[[Column], bool]
Sides: TypeAlias = tuple[bytes | None, bytes | None]


def encoder(
    name: str,
    requirement: str,
    description: str,
    fault: Wrap | Forgery,
    profile: str = "newarch",
    release: str | None = None,
) -> Mutant:
    """A broken encoder that dies for `requirement`."""
    if isinstance(fault, Forgery):
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
    """An encoder that asks its registry wrongly."""
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
    """A broken decoder that dies for `requirement`."""
    return Mutant(PREFIX + name, requirement, "decode", description, wrap, registry=registry)


# -- columns -----------------------------------------------------------------------------------------------------------


def any_column(column: Column) -> bool:
    """Every column."""
    return True


def in_families(*families: Family) -> Applies:
    """Whether a column is of one of these families."""
    return lambda column: column.type.family in families


def is_unsigned(*families: Family) -> Applies:
    """Whether a column is of one of these families and unsigned."""
    return lambda column: column.type.family in families and column.type.unsigned


def has_default(column: Column) -> bool:
    """Whether a column has a default other than NULL."""
    return column.default is not None and not isinstance(column.default, Absent)


# -- schemas -----------------------------------------------------------------------------------------------------------


def _record_trees(schema: Tree) -> Iterator[Tree]:
    """A schema, and that of the row before in it."""
    yield schema
    for field in schema["fields"]:
        if field["name"] == BEFORE:
            yield type_of(field)


def type_of(field: Tree) -> Any:
    """The branch of a field's type that is not null."""
    kind = field["type"]
    return next(branch for branch in kind if branch != "null") if isinstance(kind, list) else kind


def column_fields(applies: Applies, edit: Callable[[Tree, Column], Any], sides: str = "key value") -> Edit:
    """The fields of columns that fit are edited."""

    def each(schema: Tree, part: Part) -> None:
        if part.side not in sides.split():
            return
        for record in _record_trees(schema):
            for field in record["fields"]:
                column = part.columns.get(field["name"])
                if column is not None and applies(column):
                    edit(field, column)

    return each


def types(applies: Applies, edit: Callable[[Tree, Column], Any]) -> Forgery:
    """The Avro types of columns that fit are edited, without the null beside them; values take their form."""
    return Forgery(column_fields(applies, lambda field, column: edit(type_of(field), column)))


def parameter(applies: Applies, name: str, change: Callable[[Any, Column], Any]) -> Forgery:
    """An entry of `connect.parameters` is what `change` makes of it; None takes it away."""

    def edit(kind: Tree, column: Column) -> None:
        parameters = kind["connect.parameters"]
        value = change(parameters.pop(name, None), column)
        if value is not None:
            parameters[name] = value

    return types(applies, edit)


def of_side(side: str, edit: Edit) -> Edit:
    """The edit, of keys or of values alone."""
    return lambda tree, part: edit(tree, part) if part.side == side else None


def both(*edits: Edit) -> Edit:
    """Several edits, one after the other."""

    def each(tree: Tree, part: Part) -> None:
        for edit in edits:
            edit(tree, part)

    return each


# -- data --------------------------------------------------------------------------------------------------------------


def every_value(change: Callable[[Any, Column], Any], applies: Applies = any_column, sides: str = "key value") -> Edit:
    """Values of columns that fit, NULL too, are what `change` makes of them."""

    def each(datum: Tree, part: Part) -> None:
        if part.side not in sides.split():
            return
        for row in filter(None, (datum, datum.get(BEFORE))):
            for name, column in part.columns.items():
                if name in row and applies(column):
                    row[name] = change(row[name], column)

    return each


def values(applies: Applies, change: Callable[[Any, Column], Any]) -> Forgery:
    """Values that are not NULL, of columns that fit, are written differently."""
    return data_of(lambda value, column: None if value is None else change(value, column), applies)


def data_of(change: Callable[[Any, Column], Any], applies: Applies = any_column) -> Forgery:
    """Values of columns that fit, NULL too, are written differently."""
    return Forgery(datum=every_value(change, applies))


# -- records -----------------------------------------------------------------------------------------------------------


def each_record(edit: Callable[[bytes | None, bytes | None, Context], Sides]) -> Wrap:
    """Key and value of every record are edited as bytes."""
    return edit_bytes(edit)


def records(edit: Callable[[list[Tree], Context], list[Tree]]) -> Wrap:
    """The records of an answer are others."""
    return edit_answer("encode", lambda ok, context: {**ok, "records": edit(ok["records"], context)})


def json_of_ddl(edit: Callable[[Tree], Any]) -> Wrap:
    """The JSON of DDL records is edited."""

    def each(key: bytes | None, value: bytes | None, context: Context) -> Sides:
        if not value or value[0] != DDL:
            return key, value
        tree = exact_json.loads(value[1:])
        changed = edit(tree)
        return key, value[:1] + dump(tree if changed is None else changed)

    return each_record(each)


# -- decoders ----------------------------------------------------------------------------------------------------------


def read_kinds(edit: Callable[[Tree, Context], Any], *kinds: str) -> Wrap:
    """Events of these kinds that a decoder answers are edited."""
    return edit_event(lambda event, context: edit(event, context) if event["kind"] in kinds else None)


def read_rows(edit: Callable[[Tree, Context], Any]) -> Wrap:
    """Row events that a decoder answers are edited."""
    return read_kinds(edit, "row")


def _sides(record: Tree) -> Sides:
    key, value = (None if record[side] is None else base64.b64decode(record[side]) for side in ("key", "value"))
    return key, value


def refuses(reason: str, wanted: Callable[[bytes | None, bytes | None], bool]) -> Wrap:
    """A decoder that refuses a request with a record of whose key and value `wanted` holds."""

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Tree) -> Tree:
            if request.get("op") == "decode" and any(wanted(*_sides(record)) for record in request["records"]):
                return {"id": request["id"], "rejected": {"class": reason, "message": "not understood"}}
            return inner(request)

        return answer

    return wrap
