"""Tables as DDL messages tell them in `tableChanges`, for rows without a schema.  [DBZ-322 … DBZ-339]

Only what a reader of values asks for is taken over: names, types and whether NULL may stand there.
"""

from __future__ import annotations

from collections.abc import Mapping

from reference_impl.column_types import Family, parse_column_type
from reference_impl.debezium_json.table_changes import usual_length
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.model import Column, Table

__all__ = ["told_table"]

_LABELLED = ("enum", "set")
_FAMILIES: Mapping[str, Family] = {family.value: family for family in Family}


def _type(column: Mapping[str, Tree]) -> str:
    """The column type as the catalogue prints it, without a length where the family needs none."""
    word, _, attributes = str(column["typeName"]).lower().partition(" ")
    if word in _LABELLED:
        return f"{word}({','.join(map(_quoted, column['enumValues']))})"
    length, scale = column.get("length"), column.get("scale")
    if length is None and word in _FAMILIES:
        length = usual_length(_FAMILIES[word], unsigned="unsigned" in attributes)
    parameters = ",".join(str(number) for number in (length, scale) if number is not None)
    return f"{word}{f'({parameters})' if parameters else ''} {attributes}".rstrip()


def _name(column: Mapping[str, Tree]) -> str:
    name = column["name"]
    if not isinstance(name, str):
        raise Rejected("schema", "the name of a column is not a string")
    return name


def _quoted(told: str) -> str:
    """A label as DDL has it; a message has it between quotes, too, but those within it stand as they are.  [DBZ-510]"""
    label = told[1:-1].replace("'", "''")
    return f"'{label}'"


def told_table(schema: str, name: str, change: Tree) -> Table | None:
    """The table after a change; None where it tells no column, or one that cannot be understood."""
    table = change.get("table") if isinstance(change, dict) else None
    columns = table.get("columns") if isinstance(table, dict) else None
    if not columns:
        return None
    try:
        told = tuple(Column(_name(c), parse_column_type(_type(c)), bool(c["optional"])) for c in columns)
    except (Rejected, KeyError, TypeError, AttributeError):
        return None
    return Table(schema, name, told)
