"""The parts of a finding: the row before and after, its SQL, the place in a document, and evidence."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from conformance.cases.sql import script
from conformance.catalogue.divergences import Divergence
from conformance.errors import SuiteError
from conformance.migration.assessment import Shown
from conformance.migration.comparing import ColumnDifference
from conformance.migration.effects import Read
from conformance.migration.trial import Trial
from conformance.migration.writing import WrittenProbe, WrittenStep
from differential.result.divergences import explanation
from differential.sides import Side
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Event, Record, RowChange, Table, Value
from reference_impl.protocols import CANAL, CONNECTOR
from reference_impl.wire import event_to_json

__all__ = [
    "before_and_after",
    "divergence_members",
    "evidence_of",
    "read_shown",
    "sql_of",
    "strongest_first",
    "text_shown",
]

_LEFT_OUT = ("SET time_zone", "CREATE DATABASE")
"""Beginnings of statements that a report does not need."""
_EVIDENCE = ("run live", "recorded", "model", "reading")


def read_shown(read: Read) -> Shown:
    """What a consumer reads, in words for the report."""
    outcome = {"rows": "read", "skipped": "no row", "error": "the job fails", "abstained": "not known"}[read.outcome]
    return Shown(outcome, read.rows)


def before_and_after(
    trial: Trial, probe: WrittenProbe, difference: ColumnDifference
) -> tuple[Shown | None, Shown | None]:
    """The value as the old and as the new message writes it; for a whole row the outcome on each side."""
    column, left, right = difference.column, difference.left, difference.right
    if not column:
        return (text_shown("", left), text_shown("", right)) if difference.written is not None else (None, None)
    if left != right and difference.written is None:
        return text_shown(column, left), text_shown(column, right)
    for written in probe.steps if difference.written is None else [difference.written]:
        if written.is_complete and (difference.kind or _has_value(written, left)):
            before, after = (
                _cell_text(side, records or (), probe.probe.table, column)
                for side, records in zip(trial.sides, (written.origin, written.target), strict=True)
            )
            if before != after:
                return text_shown(column, before), text_shown(column, after)
    return None, None


def _cell_text(side: Side, records: tuple[Record, ...], table: Table, column: str) -> str | None:
    """The text of the column in the first message with a row; None if no message has it."""
    for record in records:
        row = _json_row(record) if side.traits.family in (CANAL.name, CONNECTOR.name) else _decoded(side, record, table)
        if row is not None and column in row:
            found = row[column]
            return str(found) if isinstance(found, _Number) else json.dumps(found, ensure_ascii=False)
    return None


class _Number(str):
    """A number as the message spells it."""

    __slots__ = ()


def _json_row(record: Record) -> Mapping[str, Any] | None:
    try:
        tree = json.loads(record.value or b"null", parse_float=_Number, parse_int=_Number)
    except (ValueError, RecursionError):
        return None
    if not isinstance(tree, dict):
        return None
    if isinstance(data := tree.get("data"), list) and data:
        return data[0] if isinstance(data[0], dict) else None
    payload = tree.get("payload", tree)
    found = (payload.get("after") or payload.get("before")) if isinstance(payload, dict) else None
    return found if isinstance(found, dict) else None


def _decoded(side: Side, record: Record, table: Table) -> Mapping[str, Any] | None:
    try:
        events = side.decoder().decode([record], [table])
    except (Rejected, Unsupported):
        return None
    for event in events:
        if isinstance(event, RowChange):
            tree = event_to_json(event)
            found = tree.get("after") or tree.get("before")
            return found if isinstance(found, dict) else None
    return None


def _has_value(written: WrittenStep, text: str | None) -> bool:
    """Whether a step tries the value that a comparison shows as `text`."""
    return text is not None and any(_is_shown_so(value, text) for value in written.step.values[-1:])


def _is_shown_so(value: Value, text: str) -> bool:
    if value is None:
        return False
    if isinstance(value, bytes):
        return text == json.dumps({"base64": base64.b64encode(value).decode()}, separators=(",", ":"))
    return text == value or _json_of(text) == _json_of(str(value))


def _json_of(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError):
        return text


def text_shown(column: str, text: str | None) -> Shown:
    """The text of a value, or of a whole row for the column ""; None means that there is no such column or message."""
    if text is None:
        return Shown("no column" if column else "no message")
    return Shown("read", (("", {column or "row": text}),))


def divergence_members(known: Divergence | None) -> dict[str, Any]:
    """The members of a `Finding` that describe its divergence; none without one."""
    if known is None:
        return {}
    document = explanation(known, (known.upstream, known.ticdc))["place"]
    return {"upstream_does": known.upstream_does, "ticdc_does": known.ticdc_does, "document": document}


def evidence_of(one: Divergence) -> list[tuple[str, str]]:
    """The evidence for a divergence: recordings, or else the document that describes it."""
    if one.evidence:
        return [("recorded", ", ".join(one.evidence))]
    return [("reading", "a document tells of it")] if one.documented else []


def strongest_first(steps: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Each piece of evidence once, the strongest first."""
    return tuple(sorted(dict.fromkeys(steps), key=lambda step: _EVIDENCE.index(step[0])))


def sql_of(probe: WrittenProbe, written: WrittenStep) -> tuple[str, ...]:
    """The SQL up to a step, for the rows that the step changes."""
    events: list[Event] = []
    for one in probe.steps:
        if one is written or not probe.probe.column or _same_row(one, written):
            events += one.step.logged
        if one is written:
            break
    name = probe.probe.about.name
    table = replace(probe.probe.table, name=name, create_sql=None)
    mine = probe.probe.table.id
    events = [replace(e, table=name) if isinstance(e, RowChange) and (e.schema, e.table) == mine else e for e in events]
    try:
        return tuple(text for text in script([table], events) if not text.startswith(_LEFT_OUT))
    except SuiteError:  # only the definition has the expression of a generated column
        create = probe.probe.about.create_sql
        return (" ".join(create.split()),) if create else ()


def _same_row(one: WrittenStep, other: WrittenStep) -> bool:
    """Whether two steps change one row: compares the first column, which is the key in the probe of a column."""
    return not _first_values(one).isdisjoint(_first_values(other))


def _first_values(written: WrittenStep) -> set[Value]:
    """The values of the first column in all rows of a step."""
    changes = [event for event in written.step.logged if isinstance(event, RowChange)]
    return {next(iter(row.values())) for change in changes for row in (change.before, change.after) if row}
