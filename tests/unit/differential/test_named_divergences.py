"""What the catalogue says of two dialects is so: each divergence is shown by its reproducer, and a near miss is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from conformance.catalogue.divergences import Divergence, Met, load_divergences
from conformance.catalogue.documents import load_documents
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.recordings import read_recordings
from conformance.catalogue.register import load_register
from differential.model import Class, Difference, Status
from reference_impl.column_types import Family
from tests.unit.differential.reproducing import Scene, names_in

CANAL, DEBEZIUM = (
    load_divergences()[of].divergences for of in (("canal", "canal-json"), ("debezium-connector", "debezium"))
)
ENTRIES = {entry.id: entry for entry in (*CANAL, *DEBEZIUM)}
# Messages of rows show these, and a comparison names them.
MET = (Met.TEXT, Met.CELL, Met.ABSENT, Met.STEPS, Met.ENVELOPE)
SEEN = [entry for entry in ENTRIES.values() if entry.met in MET]
# What a reproducer needs beside the options that its entry names, to be alone.
MORE: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "DV-17": {"canal-json": {"max-message-bytes": "400"}},
    "DV-103": {"canal": {"jdk": "25"}},
    "DV-104": {"canal": {"tsdb": "false"}},
    "DBZ-559": {"debezium-connector": {"binary.handling.mode": "base64"}},
}
OF_SNAPSHOTS = ("DBZ-209b", "DBZ-217a", "DBZ-220", "DBZ-222a", "DBZ-706a")
# What an entry is never seen without.
TOGETHER: Mapping[str, set[str]] = {
    "DV-42": {"DV-41"},
    "DV-103": {"DV-41"},
    "DBZ-585": {"DBZ-505"},
    "DBZ-240e": {"DBZ-503"},
    **{id_: {"DBZ-539"} for id_ in OF_SNAPSHOTS},  # a row that is read
}

seen = pytest.mark.parametrize("entry", SEEN, ids=lambda entry: entry.id)


@cache
def scene_of(id_: str) -> Scene:
    return Scene(ENTRIES[id_], MORE.get(id_, {}))


@seen
def test_a_reproducer_shows_its_divergence_and_no_other(entry: Divergence) -> None:
    made, together = scene_of(entry.id), TOGETHER.get(entry.id, set())
    outcome = made.compared()
    assert [d for d in outcome.differences if d.status is Status.UNEXPLAINED] == []
    if entry.met is Met.ENVELOPE:
        assert entry.id in {name.divergence for name in made.namer.of_envelope()}
        assert names_in(outcome) <= together
    else:
        assert names_in(outcome) == {entry.id} | together
    if entry.upstream == "canal" or not together:
        expected = Status.DOCUMENTED if entry.documented else Status.UNDOCUMENTED
        assert {d.status for d in outcome.differences} <= {expected}


@seen
def test_what_is_just_beyond_a_divergence_has_no_name(entry: Divergence) -> None:
    near, made = entry.near_miss, scene_of(entry.id)
    assert near is not None
    # What the schema of Debezium says of a column is edited in both of its images.
    again = any(member in near.old for member in ('"field":"c"', '"default":', '"allowed":'))
    unexplained = [d for d in made.compared(near, again=again).differences if d.status is Status.UNEXPLAINED]
    assert unexplained
    if entry.upstream == "canal":
        assert entry.met not in (Met.TEXT, Met.CELL) or any(_is_at(d, "c") for d in unexplained)
    elif entry.met in (Met.TEXT, Met.CELL, Met.ABSENT):
        names = {column.name for column in made.table.columns} - {"id"}
        places = [d.column for d in unexplained]
        assert any(place.rpartition(".")[2] in names or place.startswith("value.schema.") for place in places)


def _is_at(difference: Difference, column: str) -> bool:
    """Whether a difference is at a column, or a message was refused for what stands there."""
    values = f"{difference.left_value}{difference.right_value}"
    refused = difference.kind is Class.UNDECODABLE and f".{column}" in values
    return refused or column in difference.column.split(".")


@pytest.mark.parametrize("id_", ["DBZ-505", "DBZ-551", "DBZ-552", "DBZ-562", "DBZ-570", "DBZ-572", "DBZ-574"])
def test_what_a_snapshot_writes_as_ticdc_does_is_not_named_there(id_: str) -> None:
    given = ENTRIES[id_].reproducer
    assert given is not None
    read = replace(given, changes=tuple({**change, "op": "read"} for change in given.changes))
    assert id_ not in names_in(Scene(replace(ENTRIES[id_], reproducer=read)).compared())


# -- the catalogue as a whole ------------------------------------------------------------------------------------------


def test_every_entry_is_whole() -> None:
    families, documents = {family.value for family in Family}, load_documents()
    for entry in ENTRIES.values():
        known = load_register(entry.ticdc).requirements.keys() | load_register(entry.upstream).requirements.keys()
        assert {*entry.requirements} <= known, entry.id
        assert {*entry.types} <= families, entry.id
        assert (entry.reproducer and entry.near_miss) or entry.met not in (*MET, Met.STATEMENT), entry.id
        assert entry.note or entry.met is not Met.OUTSIDE, entry.id
        if entry.place and entry.upstream == "canal":
            assert entry.place[1] in documents[entry.place[0]].headings, entry.id


def test_the_records_that_show_an_entry_are_there() -> None:
    names = {name for entry in ENTRIES.values() for name in entry.evidence}
    folders = {name.partition("/")[0] for name in names}
    recordings = [(of, r) for of in folders for r in read_recordings(fixtures_root() / "recorded" / of)]
    assert names <= {f"{of}/{recording.name}/{one.n}" for of, recording in recordings for one in recording.records}


def test_what_users_found_out_by_hand_is_here() -> None:
    assert {alias for entry in CANAL for alias in entry.aliases} == {f"UN-3.1-{n}" for n in range(1, 21)}
    known = {name for entry in DEBEZIUM for name in (entry.id, *entry.aliases)}
    assert {f"UN-3.2-{n}" for n in range(1, 27)} <= known


def test_every_id_of_the_register_of_debezium_is_covered() -> None:
    known = {name for entry in DEBEZIUM for name in (entry.id, *entry.aliases)}
    ids = load_register("debezium").requirements.keys()
    assert {id_ for id_ in ids if id_[:5] in ("DBZ-5", "DBZ-6") and "DBZ-500" <= id_ <= "DBZ-612"} <= known


def test_differences_in_the_document_are_the_documented_ones() -> None:
    assert {entry.id for entry in CANAL if entry.documented} == {"DV-01", "DV-02", "DV-03", "DV-04", "DV-37"}
