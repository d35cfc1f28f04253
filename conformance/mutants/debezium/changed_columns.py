"""What mutants of the columns of tables in DDL messages are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from conformance.mutants.debezium.edits import Message, Tree, Wrap, ddl
from conformance.mutants.wrappers import Context
from reference_impl.column_types import Family
from reference_impl.debezium_json.statement import definitions
from reference_impl.model import Column
from reference_impl.wire import table_from_json

__all__ = [
    "Applies",
    "Fault",
    "Make",
    "changed",
    "lost",
    "member",
    "of",
    "to",
]

Applies: TypeAlias = Callable[[Column, bool], bool]
"""(Column, whether the statement defines it) → whether the fault applies."""

Make: TypeAlias = Callable[[Any, Column], Any]
"""(Right value, column) → the value that is written."""

Fault: TypeAlias = tuple[str, str, str, str, Applies, Make]
"""Requirement, name, what is wrong, member, columns, what is written."""


def changed(edit: Callable[[Tree, Column, bool], Any]) -> Wrap:
    """Calls `edit(described column, column, whether the statement defines it)` for the columns of a table."""

    def each(message: Message, context: Context) -> None:
        table = message.find("value.payload.tableChanges.0.table")
        query = message.payload["ddl"]
        events = (e for e in context.request["events"] if e["kind"] == "ddl" and e["query"] == query)
        after = next((e.get("table_after") for e in events), None)
        if table and after:
            columns = {column.name: column for column in table_from_json(after).columns}
            defined = definitions(query)
            for given in table["columns"]:
                if given["name"] in columns:
                    edit(given, columns[given["name"]], given["name"] in defined)

    return ddl(each)


def member(name: str, applies: Applies, make: Make) -> Wrap:
    """A member of the columns that fit is another."""

    def edit(given: Tree, column: Column, defined: bool) -> None:
        if applies(column, defined):
            given[name] = make(given[name], column)

    return changed(edit)


def lost(name: str) -> Wrap:
    """Columns lack a member."""
    return changed(lambda given, column, defined: given.pop(name))


def of(*families: Family) -> Applies:
    """Columns of these families."""
    return lambda column, defined: column.type.family in families


def to(value: Any) -> Make:
    """Always this value."""
    return lambda given, column: value
