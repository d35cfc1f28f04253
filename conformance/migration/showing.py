"""The parts of a finding: the row before and after, its SQL, the place in a document, and evidence."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from conformance.cases.sql import script
from conformance.catalogue.divergences import Divergence
from conformance.errors import SuiteError
from conformance.migration.assessment import Shown
from conformance.migration.comparing import Met
from conformance.migration.effects import Read
from conformance.migration.raw import cell_text
from conformance.migration.trial import Trial
from conformance.migration.writing import WrittenProbe, WrittenStep
from differential.result.divergences import explanation
from reference_impl.model import Event, RowChange, Value

__all__ = ["divergence_members", "read_shown", "recorded", "sql_of", "strongest_first", "text_shown", "texts"]

_ROW = "row"
_STEPS = ("run live", "recorded", "model", "reading")


def read_shown(read: Read) -> Shown:
    outcome = {"rows": "read", "skipped": "no row", "error": "the job fails", "abstained": "not known"}[read.outcome]
    return Shown(outcome, read.rows)


def texts(trial: Trial, probe: WrittenProbe, met: Met) -> tuple[Shown | None, Shown | None]:
    """The value as the old and as the new message writes it; for a whole row the outcome on each side."""
    if not met.column:
        return (text_shown(_ROW, met.left), text_shown(_ROW, met.right)) if met.written is not None else (None, None)
    if met.left != met.right and met.written is None:
        return text_shown(met.column, met.left), text_shown(met.column, met.right)
    for written in probe.steps if met.written is None else [met.written]:
        if not written.is_complete or not (met.kind or _has_value(written, met.left)):
            continue
        texts = [
            cell_text(side, records or (), probe.probe.table, met.column)
            for side, records in zip(trial.sides, (written.origin, written.target), strict=True)
        ]
        if texts[0] != texts[1]:
            return text_shown(met.column, texts[0]), text_shown(met.column, texts[1])
    return None, None


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
    nothing = "no message" if column == _ROW else "no column"
    return Shown("read" if text is not None else nothing, (("", {column: text}),) if text is not None else ())


def divergence_members(known: Divergence | None) -> dict[str, Any]:
    if known is None:
        return {}
    of = explanation(known, (known.upstream, known.ticdc))
    return {"upstream_does": known.upstream_does, "ticdc_does": known.ticdc_does, "document": of["place"]}


def recorded(one: Divergence) -> list[tuple[str, str]]:
    if one.evidence:
        return [("recorded", ", ".join(one.evidence))]
    return [("reading", "a document tells of it")] if one.documented else []


def strongest_first(steps: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Each piece of evidence once, the strongest first."""
    return tuple(sorted(dict.fromkeys(steps), key=lambda step: _STEPS.index(step[0])))


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
        return tuple(
            part for part in script([table], events) if not part.startswith(("SET time_zone", "CREATE DATABASE"))
        )
    except SuiteError:  # only the definition has the expression of a generated column
        create = probe.probe.about.create_sql
        return (" ".join(create.split()),) if create else ()


def _same_row(one: WrittenStep, written: WrittenStep) -> bool:
    """Whether two steps change one row: compares the first column, which is the key in the probe of a column."""
    keys = [
        {next(iter(row.values())) for change in of.step.logged for row in _rows_of(change) if row}
        for of in (one, written)
    ]
    return bool(keys[0] & keys[1])


def _rows_of(change: Any) -> tuple[Any, ...]:
    return (getattr(change, "before", None), getattr(change, "after", None))
