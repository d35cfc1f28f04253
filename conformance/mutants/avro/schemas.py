"""Encoders that name things wrongly, or leave the fields of columns out or out of order.

[AV-003, AV-007, AV-025 … AV-039, AV-110 … AV-113]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import (
    Edit,
    add_member,
    any_column,
    column_fields,
    encoder,
    of_side,
    parameter,
    through_registry,
    type_of,
)
from conformance.mutants.avro.forgery import BEFORE, Forgery, Part, Tree, asking
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import dump
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]

# -- members -----------------------------------------------------------------------------------------------------------


def _put(name: str, make: Callable[[Tree, Part], Any]) -> Edit:
    """A member of a schema is what `make` makes of it; None takes it away."""

    def edit(schema: Tree, part: Part) -> None:
        value = make(schema, part)
        if value is None:
            del schema[name]
        else:
            schema[name] = value

    return edit


def _reversed_members(schema: Tree, part: Part) -> Tree:
    return dict(reversed(schema.items()))


def _of_fields(edit: Callable[[Tree, Column], Any]) -> Forgery:
    return Forgery(column_fields(any_column, edit))


def _written(text: Callable[[str], str]) -> Callable[[Registry], Registry]:
    """Schemas are registered as other texts of the same meaning."""
    return asking(lambda registry, subject, schema: registry.register(subject, text(schema)))


def _unescaped(schema: str) -> str:
    return dump(exact_json.loads(schema)).decode()


def _named_twice(schema: str) -> str:
    return re.sub(r'"name":"[^"]*",', lambda found: found[0] * 2, schema, count=1)


_MEMBERS = (
    encoder("schema-members-reversed", "AV-025", "members of a schema stand backwards", Forgery(_reversed_members)),
    through_registry(
        "schema-without-escapes", "AV-029a", "`<`, `>` and `&` stand as they are in a schema", _written(_unescaped)
    ),
    through_registry("schema-with-a-name-twice", "AV-029b", "a schema has its name twice", _written(_named_twice)),
    encoder("schema-with-doc", "AV-031", "a schema has a `doc`", Forgery(add_member("doc", "a table"))),
    encoder(
        "fields-with-aliases",
        "AV-031",
        "a field has `aliases`",
        _of_fields(lambda field, column: field.update(aliases=[field["name"].upper()])),
    ),
    encoder(
        "fields-with-order",
        "AV-031",
        "a field has an `order`",
        _of_fields(lambda field, column: field.update(order="ignore")),
    ),
    encoder(
        "length-of-texts",
        "AV-031",
        "a text has a length in connect.parameters",
        parameter(
            lambda column: column.type.family is Family.VARCHAR, "length", lambda given, column: str(column.type.length)
        ),
    ),
    encoder(
        "connect-version",
        "AV-031",
        "a type has a connect.version",
        _of_fields(lambda field, column: type_of(field).update({"connect.version": 1})),
    ),
)

# -- names of records --------------------------------------------------------------------------------------------------


_NAMES = (
    encoder(
        "record-named-for-its-side",
        "AV-035",
        "the name of a schema has key or value behind",
        Forgery(_put("name", lambda schema, part: f"{schema['name']}_{part.side}")),
    ),
    encoder(
        "record-name-with-namespace",
        "AV-035a",
        "`name` has the namespace before it",
        Forgery(_put("name", lambda schema, part: f"{schema['namespace']}.{schema['name']}")),
    ),
    encoder(
        "namespace-without-keyspace",
        "AV-036a",
        "the namespace is the name of the schema",
        Forgery(_put("namespace", lambda schema, part: schema["namespace"].partition(".")[2])),
    ),
)

# -- names of fields ---------------------------------------------------------------------------------------------------


def _renamed(name_of: Callable[[Column, str], str]) -> Forgery:
    """The fields of columns go by another name: `name_of` of the column and the name that the field has."""

    def names(part: Part, given: Any) -> dict[str, str]:
        return {name: name_of(part.columns[name], name) if name in part.columns else name for name in given}

    def rename_fields(schema: Tree, part: Part) -> None:
        for field in schema["fields"]:
            if field["name"] == BEFORE:
                rename_fields(type_of(field), part)
            elif field["name"] in part.columns:
                field["name"] = name_of(part.columns[field["name"]], field["name"])

    def rename(datum: Tree, part: Part) -> Tree:
        row = {new: datum[old] for old, new in names(part, datum).items()}
        if row.get(BEFORE):
            row[BEFORE] = {new: datum[BEFORE][old] for old, new in names(part, datum[BEFORE]).items()}
        return row

    return Forgery(rename_fields, rename)


def _hexed(column: Column, name: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"x{ord(c):02x}" for c in column.name)


_FIELDS = (
    encoder(
        "characters-as-hex",
        "AV-037",
        "a character that no name has becomes its number",
        _renamed(lambda column, name: _hexed(column, name) if column.name != name else name),
    ),
    encoder(
        "fields-in-lower-case",
        "AV-039",
        "fields have their names in lower case",
        _renamed(lambda column, name: name.lower()),
    ),
)

# -- which columns -----------------------------------------------------------------------------------------------------


def _without_virtual(schema: Tree, part: Part) -> None:
    virtual = {name for name, column in part.columns.items() if column.generated == "virtual"}
    schema["fields"] = [field for field in schema["fields"] if field["name"] not in virtual]


def _sorted_fields(schema: Tree, part: Part) -> None:
    columns = sorted((f for f in schema["fields"] if f["name"] in part.columns), key=lambda field: field["name"])
    schema["fields"] = [columns.pop(0) if f["name"] in part.columns else f for f in schema["fields"]]


def _nested(schema: Tree, part: Part) -> None:
    columns = [field for field in schema["fields"] if field["name"] in part.columns]
    record = {"type": "record", "name": f"{schema['name']}_row", "fields": columns}
    others = [field for field in schema["fields"] if field["name"] not in part.columns]
    schema["fields"] = [{"name": "row", "type": record}, *others]


def _nested_row(datum: Tree, part: Part) -> Tree:
    row = {name: value for name, value in datum.items() if name in part.columns}
    return {"row": row} | {name: value for name, value in datum.items() if name not in part.columns}


def _reversed_fields(schema: Tree, part: Part) -> None:
    schema["fields"].reverse()


def _key_of_one(schema: Tree, part: Part) -> None:
    del schema["fields"][1:]


def _key_of_more(schema: Tree, part: Part) -> None:
    schema["fields"].append({"name": "_row", "type": {"type": "long", "connect.parameters": {"tidb_type": "BIGINT"}}})


_COLUMNS = (
    encoder(
        "columns-nested",
        "AV-003b",
        "the columns are a record of their own",
        Forgery(
            of_side("value", _nested),
            lambda datum, part: _nested_row(datum, part) if part.side == "value" else None,
        ),
    ),
    encoder(
        "columns-sorted", "AV-110", "columns are sorted by name", Forgery(of_side("value", _sorted_fields)), "AV-190a"
    ),
    encoder("key-of-one-column", "AV-112", "a key has its first column alone", Forgery(of_side("key", _key_of_one))),
    encoder(
        "key-with-a-row-number",
        "AV-112",
        "a key has a number of the row besides",
        Forgery(of_side("key", _key_of_more)),
    ),
    encoder(
        "key-reversed", "AV-112c", "the columns of a key stand backwards", Forgery(of_side("key", _reversed_fields))
    ),
    encoder(
        "virtual-columns-left-out",
        "AV-110b",
        "virtual columns are left out",
        Forgery(of_side("value", _without_virtual)),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_MEMBERS, *_NAMES, *_FIELDS, *_COLUMNS)
