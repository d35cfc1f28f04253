"""The needs of a case: the names that an implementation must declare in `hello` to get the case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.cases.model import Case, ExpectedEvents
from reference_impl.column_types import parse_column_type
from reference_impl.model import DdlEvent, Event, RowChange, Table

__all__ = ["needs", "unseen"]


def needs(case: Case) -> Iterator[tuple[str, str]]:
    """(member of the declaration, name) for every need of a case, repeats included.

    A column counts whenever a table of the case has it: from the start, or after a statement.
    """
    yield "roles", case.role
    for option in case.options:
        yield "options", option
    for event in case.events:
        yield "events", _event_kind(event)
    for table in (*case.tables, *(t for event in case.events for t in _tables_of(event))):
        for column in table.columns:
            yield "column_types", str(column.type.family)
            # A VARCHAR column of the charset `binary` is a VARBINARY, but the request shows `varchar(20)`.
            yield "column_types", str(parse_column_type(column.type.text).family)
    if isinstance(case.expected, ExpectedEvents):
        for expected in case.expected.events:
            yield "events", str(expected.get("kind", "row"))
            yield from _types_in(expected)


def _event_kind(event: Event) -> str:
    if isinstance(event, RowChange):
        return "row"
    return "ddl" if isinstance(event, DdlEvent) else "watermark"


def _tables_of(event: Event) -> Iterator[Table]:
    """The versions of tables in a statement."""
    if isinstance(event, DdlEvent):
        yield from (event.table_before,) if event.table_before else ()
        yield from event.tables_after


def _types_in(expected: Any) -> Iterator[tuple[str, str]]:
    """The column types of every Table in the JSON of an expected event."""
    if isinstance(expected, Mapping):
        for column in expected.get("columns", ()) if "primary_key" in expected else ():
            yield "column_types", str(parse_column_type(column["type"]).family)
        for value in expected.values():
            yield from _types_in(value)
    elif isinstance(expected, (list, tuple, frozenset)):
        for value in expected:
            yield from _types_in(value)


def unseen(case: Case) -> Iterator[str]:
    """Members of the declaration that only the records of a case could show."""
    if case.role == "decode" and not case.tables:
        yield "column_types"
    if case.role == "decode" and not case.events and not isinstance(case.expected, ExpectedEvents):
        yield "events"
