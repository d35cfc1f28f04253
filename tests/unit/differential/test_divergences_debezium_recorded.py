"""Recorded streams of Debezium's connector beside what TiCDC writes of their changes: every difference has a name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.catalogue.workload import Truth
from conformance.ddl.defaults import default_of
from differential.model import Difference
from differential.sides import Side
from reference_impl.column_types import Family
from reference_impl.model import Record, Table
from reference_impl.settings import Settings
from tests.unit.differential.building import differences, numbered, written

UPSTREAM, TICDC = "debezium-connector", "debezium"

# What no divergence names: columns that hold the time of the statement, which the truth does not know, and columns
# that the old connector takes for NOT NULL although a statement changed that.  [DBZ-244]
CLOCKS = {("d_all", "d"), ("f_def", "dc"), ("f_def", "tc")}
KEPT = {("d_all", "h2"), *(("d_all", f"value.schema.fields.{i}.fields.{n}.optional") for i in (0, 1) for n in (7, 10))}


@cache
def recordings(folder: str) -> dict[str, Recording]:
    return {one.name: one for one in read_recordings(fixtures_root() / "recorded" / folder)}


def _told(table: Table) -> Table:
    """A table as a person tells it to a comparison, with the values of its defaults."""
    return replace(table, columns=tuple(replace(c, default=default_of(c)) for c in table.columns))


def sent(truth: Truth, side: Side, tables: dict[int, Table]) -> list[Record]:
    """What TiCDC writes of the changes, each a transaction."""
    records: list[Record] = []
    for n, change in enumerate(truth.changes):
        if change.version in tables and change.op != "read":
            ts = (430_000_000_000 + n) << 18
            event = replace(change.event(), commit_ts=ts, start_ts=ts - 1)
            records += written(side, [event], [tables[change.version]])
    return numbered(records)


def compared(folder: str, name: str) -> list[Difference]:
    recording = recordings(folder)[name]
    truth = Workloads(fixtures_root() / "recorded" / folder).truth_of(recording)
    spatial = {v for v, t in truth.tables.items() if any(c.type.family is Family.GEOMETRY for c in t.columns)}
    tables = {version: _told(table) for version, table in truth.tables.items() if version not in spatial}
    known = tuple(dict.fromkeys(reversed(tables.values())))
    settings = Settings(topic=recording.facts.topic)
    left = Side("left", UPSTREAM, dict(recording.options), settings=settings, tables=known)
    right = Side("right", TICDC, tables=known)
    records = [one.record and replace(one.record, topic="t", partition=0, offset=one.n) for one in recording.records]
    return differences([left, right], [[record for record in records if record], sent(truth, right, tables)])


@pytest.mark.parametrize(("folder", "kept"), [("debezium24", KEPT), ("debezium36", set())])
def test_every_difference_of_a_recorded_stream_has_a_name(folder: str, kept: set[tuple[str, str]]) -> None:
    found = compared(folder, "mysql97_schema")
    assert {(d.table, d.column) for d in found if d.divergence is None} == CLOCKS | kept
    assert len({d.divergence for d in found if d.divergence}) > 10
