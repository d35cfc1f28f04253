"""The catalogue of disagreements and what the shipped data show are one, in both directions."""

from __future__ import annotations

from collections import Counter

import pytest

from conformance.catalogue.defects import load_defects
from conformance.catalogue.disagreements import Conflict, Disagreement, Evidence, load_disagreements
from conformance.catalogue.register import load_register
from conformance.catalogue.vectors import load_producers, recorded_vectors
from conformance.oracle.explained import explain, shipped_explanation
from conformance.oracle.sides import FORM, Difference
from conformance.oracle.tree import Kind
from conformance.oracle.witnesses import Pairing
from reference_impl.protocols import CODECS

PRODUCERS, DOCUMENT = ("classic", "newarch"), ("document", "newarch")
ENTRIES = {p: c.disagreements for p, c in load_disagreements().items()}

every_protocol = pytest.mark.parametrize("protocol", CODECS)


def shown_by(protocol: str) -> set[Pairing]:
    """Everything that the shipped data show and that is explained."""
    return {pairing for shown in shipped_explanation(protocol).pairings.values() for pairing in shown}


def test_every_protocol_has_a_catalogue() -> None:
    assert set(ENTRIES) == set(CODECS)


# -- what is seen, and what is said --------------------------------------------------------------------------------


@every_protocol
def test_every_difference_between_document_producers_and_reference_is_explained(protocol: str) -> None:
    assert [*map(str, shipped_explanation(protocol).unexplained)] == []


@every_protocol
def test_no_difference_is_explained_by_two_entries(protocol: str) -> None:
    assert [(str(sight), by) for sight, by in shipped_explanation(protocol).ambiguous] == []


@every_protocol
def test_every_place_and_every_case_that_an_entry_names_is_seen(protocol: str) -> None:
    assert shipped_explanation(protocol).unseen == []


@every_protocol
def test_the_recordings_of_a_defect_are_those_that_the_reference_writes_with_it(protocol: str) -> None:
    shown = {
        (pairing.defect, f"{pairing.witnesses[1]}/{pairing.case}") for pairing in shown_by(protocol) if pairing.defect
    }
    listed = {(d.id, case) for d in load_defects() if d.protocol == protocol for case in d.recorded}
    assert shown == listed


@every_protocol
def test_every_crash_of_a_producer_is_in_an_entry(protocol: str) -> None:
    crashed = {
        vector.case.partition("/")[2]
        for producer in load_producers().values()
        for vector in recorded_vectors(producer, protocol)
        if vector.crash
    }
    explained = {case for entry in ENTRIES[protocol] for case in shipped_explanation(protocol).recorded(entry.id)}
    assert crashed <= explained


def test_most_answers_of_the_producers_are_the_same_and_of_the_others_most_in_all_but_form() -> None:
    different = [p for protocol in CODECS for p in shown_by(protocol) if p.witnesses == PRODUCERS]
    counts = Counter((pairing.protocol, pairing.is_form) for pairing in different)
    assert counts == {
        ("canal-json", False): 3,
        ("open-protocol", True): 150,
        ("open-protocol", False): 5,
        ("debezium", False): 54,
        ("avro", False): 13,
    }


# -- the register and the defects ----------------------------------------------------------------------------------


@every_protocol
def test_every_defect_is_in_one_entry(protocol: str) -> None:
    named = Counter(defect for entry in ENTRIES[protocol] for defect in entry.defects)
    assert named == Counter(defect.id for defect in load_defects() if defect.protocol == protocol)


@every_protocol
def test_an_entry_with_a_defect_names_the_requirement_that_it_breaks(protocol: str) -> None:
    broken = {defect.id: defect.requirement for defect in load_defects()}
    wrong = [e.id for e in ENTRIES[protocol] for d in e.defects if broken[d] not in e.requirements]
    assert wrong == []


@every_protocol
def test_every_note_of_the_register_belongs_to_an_entry_or_is_listed_as_one_of_none(protocol: str) -> None:
    noted = {r.id for r in load_register(protocol).requirements.values() if r.note}
    settled = {requirement for entry in ENTRIES[protocol] for requirement in entry.requirements}
    silent = load_disagreements()[protocol].silent
    assert noted - settled == silent


# -- the entries ---------------------------------------------------------------------------------------------------


@every_protocol
def test_a_defect_is_one_of_a_producer_and_no_style(protocol: str) -> None:
    assert [e.id for e in ENTRIES[protocol] if e.defects and e.kind is not Conflict.DEFECT] == []


@every_protocol
def test_producers_disagree_with_each_other_where_they_say_two_things(protocol: str) -> None:
    same = [
        entry.id
        for entry in ENTRIES[protocol]
        if entry.kind is Conflict.GENERATIONS
        and entry.parties.get("classic") == entry.parties.get("newarch")
        and entry.parties.get("reference") in (None, entry.parties.get("classic"))
    ]
    assert same == []


@every_protocol
def test_a_disagreement_has_two_sides(protocol: str) -> None:
    assert [e.id for e in ENTRIES[protocol] if len(e.parties) < 2] == []


@every_protocol
def test_no_evidence_is_a_catch_all(protocol: str) -> None:
    rows = [(entry.id, row) for entry in ENTRIES[protocol] for row in (*entry.recorded, *entry.golden)]
    assert [(name, at) for name, row in rows for at in (*row.at, *row.mended_by) if "*" in at] == []
    assert [name for name, row in rows if "*" in row.cases and not set(row.kinds) <= FORM] == []


# -- explaining ----------------------------------------------------------------------------------------------------

ENTRY = Disagreement(
    "XD-01",
    "toy",
    Conflict.GENERATIONS,
    "…",
    {"classic": "…", "newarch": "…"},
    "",
    ("X-001",),
    "…",
    recorded=(Evidence(("type/*",), ("value.u",), ("order",)),),
    golden=(Evidence(("01/*",), mended_by=("compact",)),),
    defects=("toy/broken",),
)
ORDER = Difference("value.u", Kind.ORDER)


def seen(case: str, *found: Difference, witnesses: tuple[str, str] = PRODUCERS, defect: str = "") -> Pairing:
    return Pairing("toy", case, witnesses, frozenset(found), defect)


@pytest.mark.parametrize(
    "pairing",
    [
        seen("row/a", ORDER),
        seen("type/a", Difference("value.p", Kind.ORDER)),
        seen("type/a", Difference("value.u", Kind.VALUE)),
        seen("type/a", ORDER, witnesses=DOCUMENT),
        seen("type/a", ORDER, witnesses=("reference", "newarch"), defect="toy/other"),
        Pairing("toy", "02/a", DOCUMENT, mended_by=frozenset({"compact"})),
        Pairing("toy", "01/a", DOCUMENT, mended_by=frozenset({"reorder"})),
        Pairing("other", "type/a", PRODUCERS, frozenset({ORDER})),
    ],
    ids=str,
)
def test_an_entry_explains_no_more_than_its_evidence_names(pairing: Pairing) -> None:
    explanation = explain([pairing], [ENTRY])
    assert (len(explanation.unexplained), explanation.pairings["XD-01"]) == (1, [])


def test_an_entry_explains_what_its_evidence_names_and_the_recordings_of_its_defects() -> None:
    pairings = [
        seen("type/a", ORDER),
        seen("row/a", Difference("value", Kind.VALUE), witnesses=("reference", "newarch"), defect="toy/broken"),
        Pairing("toy", "01/a", DOCUMENT, mended_by=frozenset({"compact"})),
    ]
    explanation = explain(pairings, [ENTRY])
    assert (explanation.unexplained, explanation.unseen, explanation.ambiguous) == ([], [], [])
    assert (explanation.recorded("XD-01"), explanation.golden("XD-01")) == (["type/a", "row/a"], ["01/a"])


def test_evidence_that_nobody_sees_is_told() -> None:
    parts = [part for _, part in explain([seen("type/a", ORDER)], [ENTRY]).unseen]
    assert parts == ["golden 0: compact", "golden 0: 01/*"]


def test_a_difference_that_two_entries_explain_is_told() -> None:
    [(sight, by)] = explain([seen("type/a", ORDER)], [ENTRY, ENTRY]).ambiguous
    assert (str(sight), by) == ("classic and newarch: type/a: order at value.u", ("XD-01", "XD-01"))
