"""What a decoder must make of records of an upstream dialect: the truth, but for what the dialect has lost on the way.

A value that the format does not carry whole is `UNCERTAIN`: nothing is asked of it. Which these are is a predicate a
dialect, by column, value and options; everything else must come back as it went in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.upstream.carried import UNCERTAIN, Carried, Image
from conformance.oracle.upstream.dialects import DIALECTS
from reference_impl.model import DdlEvent, RowChange

__all__ = ["carried", "event_of"]


def carried(case: Case, options: Any) -> list[Carried]:
    """What a decoder must answer to the records of a case, which were made from its events.

    Rows are those of the events, in order; where the statements stand among them, and their texts, is in the records.
    """
    dialect = DIALECTS[case.protocol]
    rows = _rows(case, options)
    found: list[Carried] = []
    for record in case.records:
        one = dialect.carried(record)
        found += [one] if isinstance(one, Carried) else islice(rows, one)
    return found


def event_of(event: Carried) -> dict[str, Any]:
    """An event that must come back, as a decoder may answer it: what is uncertain is left out."""
    if event.kind != "row":
        return {"kind": event.kind, "schema": event.schema, "table": event.table, "query": event.query}
    images = {
        name: image if image is None else {c: value for c, value in image.items() if value is not UNCERTAIN}
        for name, image in (("before", event.before), ("after", event.after))
    }
    return {"kind": "row", "op": event.op, "schema": event.schema, "table": event.table, **images}


def _without_nulls(image: Image | None) -> Image | None:
    """An image in which NULL is uncertain: what the statement says of a default may stand in for it.  [DBZ-244]"""
    return image and {name: UNCERTAIN if value is None else value for name, value in image.items()}


def _rows(case: Case, options: Any) -> Iterator[Carried]:
    dialect = DIALECTS[case.protocol]
    versions = {table.id: table for table in case.tables} if case.send_tables or dialect.describes(options) else {}
    altered: set[tuple[str, str]] = set()
    for event in case.events:
        if isinstance(event, RowChange):
            name = event.schema, event.table
            row = dialect.row(event, versions.get(name), options)
            yield replace(row, after=_without_nulls(row.after)) if name in altered and not dialect.keeps_nulls else row
        elif isinstance(event, DdlEvent):
            later = {t.id: t for t in (event.table_after, *event.other_tables) if t is not None}
            altered |= later.keys()
            versions |= later
