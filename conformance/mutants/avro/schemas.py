"""Encoders that name things wrongly, or leave the fields of columns out or out of order.

[AV-003, AV-007, AV-025 … AV-039, AV-110 … AV-113]
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import (
    encoder,
    of_side,
    through_registry,
    type_of,
)
from conformance.mutants.avro.forgery import BEFORE, Forgery, Part, Tree, asking
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import dump
from reference_impl import exact_json
from reference_impl.model import Column
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]

# -- members -----------------------------------------------------------------------------------------------------------


def _written(text: Callable[[str], str]) -> Callable[[Registry], Registry]:
    """Schemas are registered as other texts of the same meaning."""
    return asking(lambda registry, subject, schema: registry.register(subject, text(schema)))


def _unescaped(schema: str) -> str:
    return dump(exact_json.loads(schema)).decode()


def _named_twice(schema: str) -> str:
    return re.sub(r'"name":"[^"]*",', lambda found: found[0] * 2, schema, count=1)


_MEMBERS = (
    through_registry(
        "schema-without-escapes", "AV-029a", "`<`, `>` and `&` stand as they are in a schema", _written(_unescaped)
    ),
    through_registry("schema-with-a-name-twice", "AV-029b", "a schema has its name twice", _written(_named_twice)),
)

# -- names of records --------------------------------------------------------------------------------------------------


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
    encoder(
        "key-reversed", "AV-112c", "the columns of a key stand backwards", Forgery(of_side("key", _reversed_fields))
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_MEMBERS, *_FIELDS, *_COLUMNS)
