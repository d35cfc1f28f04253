"""Divergences between Debezium's connector and TiCDC: each is shown by its reproducer, and a near miss is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import pytest

from conformance.catalogue.divergences import Divergence, Met, load_divergences
from conformance.ddl import tables_of_sql
from differential.align.merging import pairs_of
from differential.local import Outcome
from differential.model import Difference
from differential.sides import Side, codec_of
from reference_impl.model import Record, Table
from reference_impl.options import parse
from reference_impl.settings import Settings
from tests.comparing import compare_locally
from tests.unit.differential.reproducing import SCHEMA, Scene, as_kept, as_logged, changes_of, edited, names_in

PAIR = load_divergences()["debezium-connector", "debezium"]
ENTRIES = {one.id: one for one in PAIR.divergences}
COMPARED = [one.id for one in PAIR.divergences if one.near_miss is not None and one.met is not Met.STATEMENT]

# Defects of recorded producers, which the encoder writes when it is asked to; and the zone that shows one of them.
DEFECTS: Mapping[str, frozenset[str]] = {
    "DBZ-556": frozenset({"debezium/time-default-as-zero"}),
    "DBZ-560": frozenset({"debezium/shifted-timestamp-default"}),
}
ZONES: Mapping[str, str] = {"DBZ-560": "Asia/Shanghai"}

# What a reproducer needs beside its divergence, to be alone; and a divergence that never is.
MORE: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "DBZ-559": {"debezium-connector": {"binary.handling.mode": "base64"}}
}
OF_SNAPSHOTS = ("DBZ-209b", "DBZ-217a", "DBZ-220", "DBZ-222a", "DBZ-706a")
BESIDE: Mapping[str, frozenset[str]] = {
    "DBZ-585": frozenset({"DBZ-505"}),
    "DBZ-240e": frozenset({"DBZ-503"}),
    **dict.fromkeys(OF_SNAPSHOTS, frozenset({"DBZ-539"})),  # a row that is read
}


@cache
def _told(create: str, divergence: str) -> Table:
    (table,) = tables_of_sql(f"USE {SCHEMA}; {create}", divergence)
    return table


@dataclass(frozen=True)
class Told(Scene):
    """A reproducer whose table is told by a statement, as a person tells it."""

    @cached_property
    def table(self) -> Table:
        given = self.entry.reproducer
        assert given is not None
        columns = ", ".join(("id BIGINT PRIMARY KEY", *given.columns))
        create = given.create or f"CREATE TABLE t ({columns})"
        return _told(create, self.entry.id)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        settings = Settings(timezone=ZONES.get(self.entry.id, "UTC"))
        left, right = super().sides
        return replace(left, settings=settings), replace(right, settings=settings)

    def _messages(self, side: Side) -> list[Record]:
        codec = codec_of(side.dialect)
        defects = DEFECTS.get(self.entry.id, frozenset()) if side.traits.is_of_ticdc else frozenset()
        options = parse(codec.options, side.options)
        encoder = codec.encoder(options, side.profile, settings=side.settings, defects=defects)
        assert self.entry.reproducer is not None
        records: list[Record] = []
        for n, transaction in enumerate(changes_of(self.entry.reproducer, self.table)):
            rows = [replace(row, table=self.table.name) for row in transaction]
            own = as_kept(rows, self.table) if side.traits.is_of_ticdc else as_logged(rows, n)
            records += encoder.encode(own, [self.table]).records if own else ()
        return [replace(record, topic="t", partition=0, offset=n) for n, record in enumerate(records)]

    def near(self) -> Outcome:
        """The comparison with the near miss; what the schema tells of a column is edited in both of its images."""
        near = self.entry.near_miss
        assert near is not None
        if not any(member in near.old for member in ('"field":"c"', '"default":', '"allowed":')):
            return self.compared(near)
        once = {d: edited(records, near, d) for d, records in self.messages.items()}
        twice = [edited(once[side.dialect], near, side.dialect) for side in self.sides]
        types = {(SCHEMA, self.table.name, column.name): column.type for column in self.table.columns}
        return compare_locally(self.sides, twice, pairs_of(self.sides, types, {"left-right": self.namer}))


def as_read(entry: Divergence) -> Divergence:
    """A divergence whose reproducer reads its row in a snapshot."""
    assert entry.reproducer is not None
    changes = tuple({**change, "op": "read"} for change in entry.reproducer.changes)
    return replace(entry, reproducer=replace(entry.reproducer, changes=changes))


def of_envelope(scene: Scene) -> set[str]:
    """What every pair of messages shows."""
    return {name.divergence for name in scene.namer.of_envelope()}


def unexplained(differences: list[Difference]) -> list[Difference]:
    return [difference for difference in differences if difference.divergence is None]


@pytest.mark.parametrize("id_", COMPARED)
def test_a_reproducer_yields_its_divergence_and_nothing_else(id_: str) -> None:
    scene = Told(ENTRIES[id_], MORE.get(id_, {}))
    outcome = scene.compared()
    assert unexplained(outcome.differences) == []
    if scene.entry.met is Met.ENVELOPE:
        assert id_ in of_envelope(scene)
        assert names_in(outcome) <= BESIDE.get(id_, frozenset())
    else:
        assert names_in(outcome) == {id_} | BESIDE.get(id_, frozenset())


@pytest.mark.parametrize("id_", COMPARED)
def test_a_near_miss_of_a_reproducer_stays_unexplained(id_: str) -> None:
    scene = Told(ENTRIES[id_], MORE.get(id_, {}))
    found = unexplained(scene.near().differences)
    assert found
    if scene.entry.met in (Met.TEXT, Met.CELL, Met.ABSENT):
        names = {column.name for column in scene.table.columns} - {"id"}
        assert any(d.column.rpartition(".")[2] in names or d.column.startswith("value.schema.") for d in found)


@pytest.mark.parametrize("id_", ["DBZ-505", "DBZ-551", "DBZ-552", "DBZ-562", "DBZ-570", "DBZ-572", "DBZ-574"])
def test_what_a_snapshot_writes_as_ticdc_does_is_not_named_there(id_: str) -> None:
    scene = Told(as_read(ENTRIES[id_]))
    assert id_ not in names_in(scene.compared())
