"""The events that a decoder must answer for records of an upstream dialect: the truth, minus what the dialect loses.

A value that the format does not carry whole is `UNCERTAIN`: any answer is right. A predicate of the dialect decides
this by column, value and options; everything else must come back as it went in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.upstream.dialects import DIALECTS
from conformance.oracle.upstream.model import UNCERTAIN, ExpectedEvent, Image
from reference_impl.model import DdlEvent, RowChange

__all__ = ["answer_for", "expected_events"]


def expected_events(case: Case, options: Any) -> list[ExpectedEvent]:
    """The events that a decoder must answer to the records of a case, which were made from its events.

    The events give the rows, in order; the records give the statements, and their places among the rows.
    """
    dialect = DIALECTS[case.protocol]
    rows = _rows(case, options)
    expected: list[ExpectedEvent] = []
    for record in case.records:
        statement_or_rows = dialect.statement_or_rows(record)
        if isinstance(statement_or_rows, ExpectedEvent):
            expected.append(statement_or_rows)
        else:
            expected += islice(rows, statement_or_rows)
    return expected


def answer_for(event: ExpectedEvent) -> dict[str, Any]:
    """An expected event as a decoder may answer it: without the uncertain values."""
    if event.kind != "row":
        return {"kind": event.kind, "schema": event.schema, "table": event.table, "query": event.query}
    images = {
        name: image if image is None else {c: value for c, value in image.items() if value is not UNCERTAIN}
        for name, image in (("before", event.before), ("after", event.after))
    }
    return {"kind": "row", "op": event.op, "schema": event.schema, "table": event.table, **images}


def _with_uncertain_nulls(image: Image | None) -> Image | None:
    """An image in which NULL is uncertain: the default in the statement may stand in its place.  [DBZ-244]"""
    return image and {name: UNCERTAIN if value is None else value for name, value in image.items()}


def _rows(case: Case, options: Any) -> Iterator[ExpectedEvent]:
    dialect = DIALECTS[case.protocol]
    versions = {table.id: table for table in case.tables} if case.send_tables or dialect.shows_types(options) else {}
    altered: set[tuple[str, str]] = set()
    for event in case.events:
        if isinstance(event, RowChange):
            name = event.schema, event.table
            row = dialect.expected_row(event, versions.get(name), options)
            if name in altered and not dialect.keeps_nulls_after_statement:
                row = replace(row, after=_with_uncertain_nulls(row.after))
            yield row
        elif isinstance(event, DdlEvent):
            later = {table.id: table for table in event.tables_after}
            altered |= later.keys()
            versions |= later
