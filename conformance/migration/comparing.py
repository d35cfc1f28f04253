"""Compares the messages of the samples in memory, as `compare` does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.migration.writing import WrittenProbe, WrittenStep
from differential.align.pairs import pairs_of
from differential.classify.explaining import namer_of
from differential.classify.naming import Namer
from differential.decode.canonical import canonical, shown
from differential.local import compare_locally
from differential.model import Difference
from differential.result.gate import Limits
from differential.result.harms import harm_of, harm_of_cell
from differential.result.streams import every_difference
from differential.result.summary import summary
from differential.result.tally import Tally
from differential.sides import Side, with_common_keys
from differential.statements.comparing import Statements
from differential.type_names.naming import OF_DEFINITIONS
from reference_impl.model import Record

__all__ = ["ColumnDifference", "Compared", "compared"]


@dataclass(frozen=True, slots=True)
class ColumnDifference:
    """A difference in a column of a table of the trial, or a value that the dialects spell differently."""

    table: tuple[str, str]
    column: str  # "" for the whole row
    name: str  # the divergence that explains it, or ""
    kind: str = ""  # the class of a difference; "" if the dialects only spell it differently
    harm: str = ""
    left: str | None = None  # the value, if it is known
    right: str | None = None
    written: WrittenStep | None = field(default=None, compare=False)  # the step where it occurred, if it is known


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of the comparison."""

    differences: tuple[ColumnDifference, ...]
    explanations: Mapping[str, Mapping[str, Any]]  # id of a divergence → its description
    left_out: tuple[str, ...] = ()  # messages about failures of the suite itself


def compared(sides: tuple[Side, Side], probes: Sequence[WrittenProbe]) -> Compared:
    """Compare the records of both sides for the probes."""
    tables = tuple(one.probe.table for one in probes)
    types = {(table.schema, table.name, column.name): column.type for table in tables for column in table.columns}
    left, right = with_common_keys(sides)
    pairs = pairs_of((left, right), types, {"left-right": namer_of(left, right)})
    steps = [step for probe in probes for step in probe.steps if step.is_complete]
    streams = [
        [record for step in steps for record in step.origin or ()],
        [record for step in steps for record in step.target or ()],
    ]
    outcome = compare_locally((left, right), streams, pairs, partitions=1)
    statements = Statements((left, right), pairs)
    tally = Tally()
    differences = list(every_difference(outcome.differences, outcome.counts, (left, right), pairs, statements))
    for difference in differences:
        tally.add(difference)
    found = summary((left, right), ("", ""), pairs, tally, outcome.counts, Limits(), "local", statements)
    step_at = {
        _place(record): step for step in steps for records in (step.origin, step.target) for record in records or ()
    }
    columns = {probe.probe.table.id: probe.probe.column for probe in probes}
    by_column = tuple(_column_differences(found["pairs"][0], differences, step_at, columns))
    differing = {(*one.table, one.column, id(one.written)) for one in by_column if one.kind}
    spelled = {(*one.table, one.column, one.name) for one in by_column if not one.kind}
    spellings = [
        one
        for probe in probes
        for one in _spellings_of(pairs[0].namer, probe)
        # A value that differs anyway needs no entry for its spelling.
        if (*one.table, one.column, id(one.written)) not in differing and (*one.table, one.column, one.name) in spelled
    ]
    return Compared(
        (*by_column, *spellings),
        {one["id"]: one for one in found["explanations"]},
        tuple(error["message"] for error in found.get("suite_errors", {}).get("first", ())),
    )


def _place(record: Record) -> tuple[str, int, int]:
    return record.topic or "", record.partition or 0, record.offset or 0


def _column_differences(
    pair: Mapping[str, Any],
    differences: Iterable[Difference],
    step_at: Mapping[tuple[str, int, int], WrittenStep],
    columns: Mapping[tuple[str, str], str],
) -> Iterator[ColumnDifference]:
    """All that the comparison found, each difference of a step once; `pair` is the pair's summary.

    `columns`: by table, the column that its probe is about, or "" for a probe of the whole table.
    """
    seen: set[tuple[object, ...]] = set()
    for one in differences:
        place = one.left or one.right
        written = None if place is None else step_at.get((place.topic, place.partition, place.offset))
        key = (one.schema, one.table, one.column, one.divergence, one.kind, id(written))
        if key in seen:
            continue
        seen.add(key)
        yield ColumnDifference(
            (one.schema, one.table), one.column, one.divergence or "", one.kind.value,
            harm_of_cell(one.kind, one.column, one.divergence), one.left_value, one.right_value, written,
        )  # fmt: skip
    types = pair["type_names"]["differ"]
    shown_by_types = {
        (one["schema"], one["table"], name)
        for one in types
        if columns.get((one["schema"], one["table"]), "") in ("", one["column"])
        for name in one["divergences"]
    }
    for spelled in pair["written_otherwise"]:
        follows_types = spelled["divergence"] in OF_DEFINITIONS and not spelled["column"]
        if follows_types and (spelled["schema"], spelled["table"], spelled["divergence"]) not in shown_by_types:
            continue  # the type of the key alone, which the probe has and not the user's table
        value = next((example["value"] for example in spelled["examples"]), None)
        name, where = spelled["divergence"], (spelled["schema"], spelled["table"])
        yield ColumnDifference(where, spelled["column"], name, "", harm_of(name) or "", value, value)
    for differ in types:
        for name in differ["divergences"] or [""]:
            where, kind = (differ["schema"], differ["table"]), "" if name else "type"
            harm = harm_of(name) or "schema"
            yield ColumnDifference(where, differ["column"], name, kind, harm, differ["left"], differ["right"])
    for other in pair["not_compared"]:
        if other["divergence"]:
            yield ColumnDifference(("", ""), "", other["divergence"], "", harm_of(other["divergence"]) or "")


def _spellings_of(namer: Namer, probe: WrittenProbe) -> Iterator[ColumnDifference]:
    """The steps with values that the dialects spell differently, which the comparison only counts."""
    column = probe.probe.table.column(probe.probe.column)
    if column is None:
        return
    spellings = namer.spellings((*probe.probe.table.id, column.name), column.type)
    for written in probe.steps:
        if not written.is_complete:
            continue
        op = written.step.what
        for value in written.step.values:
            cell = canonical(column.type, value)
            for spelling in spellings:
                if spelling.test is not None and (not spelling.events or op in spelling.events) and spelling.test(cell):
                    text = shown(cell)
                    harm = harm_of(spelling.divergence) or ""
                    yield ColumnDifference(
                        probe.probe.table.id, column.name, spelling.divergence, "", harm, text, text, written
                    )
