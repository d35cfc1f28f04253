"""Reads the tables in `tableChanges` of DDL messages, for rows without a schema.  [DBZ-322 … DBZ-339]

Only the names, types and nullability of the columns are kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from reference_impl.column_types import Family, parse_column_type
from reference_impl.debezium_json.table_changes import default_length
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.model import Column, Table

__all__ = ["table_of_change"]

_LABELLED = ("enum", "set")
_FAMILIES: Mapping[str, Family] = {family.value: family for family in Family}


def table_of_change(schema: str, name: str, change: Tree) -> Table | None:
    """The table after a change; None if the change has no columns, or one with an unknown type."""
    table = change.get("table") if isinstance(change, dict) else None
    columns = table.get("columns") if isinstance(table, dict) else None
    if not columns:
        return None
    try:
        described = tuple(Column(_name(c), parse_column_type(_type(c)), bool(c["optional"])) for c in columns)
    except (Rejected, KeyError, TypeError, AttributeError):
        return None
    return Table(schema, name, described)


def _name(column: Mapping[str, Tree]) -> str:
    name = column["name"]
    if not isinstance(name, str):
        raise Rejected("schema", "the name of a column is not a string")
    return name


def _type(column: Mapping[str, Tree]) -> str:
    """The column type as `information_schema` prints it, with the length that the message omits."""
    word, _, attributes = str(column["typeName"]).lower().partition(" ")
    if word in _LABELLED:
        return f"{word}({','.join(map(_sql_literal, column['enumValues']))})"
    length, scale = column.get("length"), column.get("scale")
    if length is None and word in _FAMILIES:
        length = default_length(_FAMILIES[word], unsigned="unsigned" in attributes)
    parameters = ",".join(str(number) for number in (length, scale) if number is not None)
    return f"{word}({parameters}) {attributes}".rstrip() if parameters else f"{word} {attributes}".rstrip()


def _sql_literal(label: str) -> str:
    """A label of `enumValues` as SQL quotes it: there a quote inside the label is not doubled.  [DBZ-510]"""
    doubled = label[1:-1].replace("'", "''")
    return f"'{doubled}'"
