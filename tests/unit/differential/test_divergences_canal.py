"""What the catalogue says of Canal and TiCDC's Canal-JSON is so: each entry is seen, and nothing just beyond it is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.catalogue.divergences import Divergence, Met, load_divergences
from conformance.catalogue.documents import load_documents
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.recordings import read_recordings
from conformance.catalogue.register import load_register
from differential.model import Class, Difference, Status
from reference_impl.column_types import Family
from tests.unit.differential.reproducing import Scene, names_in

ENTRIES = load_divergences()["canal", "canal-json"].divergences
BY_ID = {entry.id: entry for entry in ENTRIES}
# Messages of rows show these, and a comparison names them.
MET = (Met.TEXT, Met.CELL, Met.ABSENT, Met.STEPS, Met.ENVELOPE)
SEEN = [entry for entry in ENTRIES if entry.met in MET]
# What a reproducer needs beside the options that its entry names.
MORE: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "DV-17": {"canal-json": {"max-message-bytes": "400"}},
    "DV-103": {"canal": {"jdk": "25"}},
    "DV-104": {"canal": {"tsdb": "false"}},
}
# What an entry is never seen without.
TOGETHER: Mapping[str, set[str]] = {"DV-42": {"DV-41"}, "DV-103": {"DV-41"}}

seen = pytest.mark.parametrize("entry", SEEN, ids=lambda entry: entry.id)


def scene(entry: Divergence) -> Scene:
    return Scene(entry, MORE.get(entry.id, {}))


@seen
def test_a_reproducer_shows_its_divergence_and_no_other(entry: Divergence) -> None:
    made = scene(entry)
    outcome = made.compared()
    assert [d for d in outcome.differences if d.status is Status.UNEXPLAINED] == []
    everywhere = {name.divergence for name in made.namer.of_envelope()}
    if entry.met is Met.ENVELOPE:
        assert (names_in(outcome), entry.id in everywhere) == (set(), True)
    else:
        assert names_in(outcome) == {entry.id} | TOGETHER.get(entry.id, set())
    assert {d.status for d in outcome.differences} <= {Status.DOCUMENTED if entry.documented else Status.UNDOCUMENTED}


@seen
def test_what_is_just_beyond_a_divergence_has_no_name(entry: Divergence) -> None:
    assert entry.near_miss is not None
    outcome = scene(entry).compared(entry.near_miss)
    unexplained = [d for d in outcome.differences if d.status is Status.UNEXPLAINED]
    assert unexplained
    if entry.met in (Met.TEXT, Met.CELL):
        assert any(_is_at(d, "c") for d in unexplained)


def _is_at(difference: Difference, column: str) -> bool:
    """Whether a difference is at a column, or a message was refused for what stands there."""
    refused = (
        difference.kind is Class.UNDECODABLE and f".{column}" in f"{difference.left_value}{difference.right_value}"
    )
    return refused or column in difference.column.split(".")


def test_every_entry_is_whole() -> None:
    known = load_register("canal-json").requirements.keys() | load_register("canal").requirements.keys()
    families = {family.value for family in Family}
    documents = load_documents()
    for entry in ENTRIES:
        assert {*entry.requirements} <= known, entry.id
        assert {*entry.types} <= families, entry.id
        assert (entry.reproducer is not None and entry.near_miss is not None) or entry.met not in MET, entry.id
        assert entry.note or entry.met is not Met.OUTSIDE, entry.id
        if entry.place:
            assert entry.place[1] in documents[entry.place[0]].headings, entry.id


def test_the_records_that_show_an_entry_are_there() -> None:
    folder = fixtures_root() / "recorded"
    names = {name for entry in ENTRIES for name in entry.evidence}
    recordings = read_recordings(folder / "canal")
    assert names <= {f"canal/{r.name}/{captured.n}" for r in recordings for captured in r.records}


def test_what_users_found_out_by_hand_is_here() -> None:
    aliases = {alias for entry in ENTRIES for alias in entry.aliases}
    assert aliases == {f"UN-3.1-{n}" for n in range(1, 21)}


def test_differences_in_the_document_are_the_documented_ones() -> None:
    assert {entry.id for entry in ENTRIES if entry.documented} == {"DV-01", "DV-02", "DV-03", "DV-04", "DV-37"}
