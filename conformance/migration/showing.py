"""What a finding shows: the row before and after, the SQL that leads there, the place in a document, and evidence."""

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
from conformance.migration.telling import Told, ToldProbe
from conformance.migration.trial import Trial
from differential.result.divergences import explanation
from reference_impl.model import Event, RowChange, Value

__all__ = ["ladder", "read_shown", "recorded", "said", "sql_of", "text_shown", "texts"]

_ROW = "row"
_STEPS = ("run live", "recorded", "model", "reading")


def read_shown(read: Read) -> Shown:
    outcome = {"rows": "read", "skipped": "no row", "error": "the job fails", "abstained": "not known"}[read.outcome]
    return Shown(outcome, read.rows)


def texts(trial: Trial, probe: ToldProbe, met: Met) -> tuple[Shown | None, Shown | None]:
    """The value in the old message and in the new one, as each writes it; of a row what became of it."""
    if not met.column:
        return (text_shown(_ROW, met.left), text_shown(_ROW, met.right)) if met.told is not None else (None, None)
    if met.left != met.right and met.told is None:
        return text_shown(met.column, met.left), text_shown(met.column, met.right)
    for told in probe.told if met.told is None else [met.told]:
        if not told.is_told or not (met.kind or _has_value(told, met.left)):
            continue
        texts = [
            cell_text(side, records or (), probe.probe.table, met.column)
            for side, records in zip(trial.sides, (told.origin, told.target), strict=True)
        ]
        if texts[0] != texts[1]:
            return text_shown(met.column, texts[0]), text_shown(met.column, texts[1])
    return None, None


def _has_value(told: Told, text: str | None) -> bool:
    """Whether a step tries the value that a comparison shows so."""
    return text is not None and any(_is_shown_so(value, text) for value in told.step.values[-1:])


def _is_shown_so(value: Value, text: str) -> bool:
    if value is None:
        return False
    if isinstance(value, bytes):
        return text == json.dumps({"base64": base64.b64encode(value).decode()}, separators=(",", ":"))
    return text == value or _json_of(text) == _json_of(str(value))


def _json_of(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_int=Decimal)
    except ValueError:
        return text


def text_shown(column: str, text: str | None) -> Shown:
    nothing = "no message" if column == _ROW else "no column"
    return Shown("read" if text is not None else nothing, (("", {column: text}),) if text is not None else ())


def said(known: Divergence | None) -> dict[str, Any]:
    if known is None:
        return {}
    told = explanation(known)
    return {"upstream_does": known.upstream_does, "ticdc_does": known.ticdc_does, "document": told["place"]}


def recorded(one: Divergence) -> list[tuple[str, str]]:
    if one.evidence:
        return [("recorded", ", ".join(one.evidence))]
    return [("reading", "a document tells of it")] if one.documented else []


def ladder(steps: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The strongest evidence first, each once."""
    return tuple(sorted(dict.fromkeys(steps), key=lambda step: _STEPS.index(step[0])))


def sql_of(probe: ToldProbe, told: Told) -> tuple[str, ...]:
    """The statements up to a step, of the rows that it touches."""
    events: list[Event] = []
    for one in probe.told:
        if one is told or not probe.probe.column or _same_row(one, told):
            events += one.step.logged
        if one is told:
            break
    name = probe.probe.about.name
    table = replace(probe.probe.table, name=name, create_sql=None)
    mine = probe.probe.table.id
    events = [replace(e, table=name) if isinstance(e, RowChange) and (e.schema, e.table) == mine else e for e in events]
    try:
        return tuple(
            part for part in script([table], events) if not part.startswith(("SET time_zone", "CREATE DATABASE"))
        )
    except SuiteError:  # the expression of a generated column is in the definition alone
        create = probe.probe.about.create_sql
        return (" ".join(create.split()),) if create else ()


def _same_row(one: Told, told: Told) -> bool:
    """Whether two steps are about one row: by the first column of the key beside which a column is tried."""
    keys = [
        {next(iter(row.values())) for change in of.step.logged for row in _rows_of(change) if row} for of in (one, told)
    ]
    return bool(keys[0] & keys[1])


def _rows_of(change: Any) -> tuple[Any, ...]:
    return (getattr(change, "before", None), getattr(change, "after", None))
