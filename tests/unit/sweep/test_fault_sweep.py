"""The fault sweep: what it changes, and what it says of survivors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.index import case_of, indexed_cases
from conformance.cases.model import Case
from conformance.catalogue.faults import load_faults
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.errors import SuiteError
from conformance.sweep import free_forms
from conformance.sweep.free_forms import FREE_FORMS
from conformance.sweep.judging import PROTOCOL_ROLES, Fault, FaultResult, Sweep, possible_faults
from conformance.sweep.nodes import INSIDE, plain, replaced
from conformance.sweep.opening import closed, opened
from conformance.sweep.operators import IN_VALUE, OPERATORS, changes
from conformance.sweep.places import Place, nodes
from conformance.sweep.record import sweep_record, unexplained
from reference_impl.column_types import ColumnType, Family
from reference_impl.model import Column, Table
from reference_impl.profiles import NEWARCH
from reports.sweep import terminal_lines

HARNESS_PAGE = Path(__file__).resolve().parents[3] / "docs" / "harness.md"

each_protocol = pytest.mark.parametrize("protocol", dict.fromkeys(protocol for protocol, _ in PROTOCOL_ROLES))


@cache
def encoded(protocol: str, among: str = "") -> tuple[Case, Mapping[str, Any]]:
    """A golden case of an encoder with that in its id, and the reference's answer."""
    cases = (case for case in golden_cases(protocol, NEWARCH) if case.role == "encode" and among in case.id)
    reference = Embedded(NEWARCH)
    return next((case, answer) for case in cases if (answer := reference.ask(case)).get("ok", {}).get("records"))


@each_protocol
def test_an_answer_that_is_opened_and_closed_says_the_same(protocol: str) -> None:
    case, answer = encoded(protocol)
    again = closed(opened(case, answer))["ok"]
    assert [{k: v for k, v in r.items() if v != []} for r in again["records"]] == answer["ok"]["records"]
    assert again["schemas"] == answer["ok"]["schemas"]


def at(tree: Any, path: Sequence[Any]) -> Any:
    for step in path:
        tree = tree.tree if step is INSIDE else tree[step]
    return tree


@each_protocol
def test_a_change_is_made_at_its_path_and_nowhere_else(protocol: str) -> None:
    case, answer = encoded(protocol)
    tree = opened(case, answer)
    before = json.dumps(plain(tree), default=str)
    for node in nodes(case, tree):
        for change in changes(node):
            assert change.operator in OPERATORS
            assert repr(change.value) != repr(at(tree, change.path))
            assert at(replaced(tree, change.path, change.value), change.path) is change.value
    assert json.dumps(plain(tree), default=str) == before


@pytest.mark.parametrize(("protocol", "among"), [("avro", ""), ("debezium", "dml")])
def test_a_column_is_changed_in_the_key_alone_and_in_the_value_too(protocol: str, among: str) -> None:
    case, answer = encoded(protocol, among)
    faults = {
        fault.operator: opened(case, make())["records"][0]
        for fault, make in possible_faults(case, answer)
        if fault.place.path.startswith("records[].key.") and fault.place.path.endswith("{column}")
    }
    right = opened(case, answer)["records"][0]
    alone, alike = faults["plus one"], faults[f"plus one{IN_VALUE}"]
    assert alone["key"] == alike["key"] != right["key"]
    assert alike["value"] != alone["value"] == right["value"]


@pytest.mark.parametrize("prefix", ["golden/", "invalid/", "negative/"])
def test_no_fault_is_made_that_is_not_selected(prefix: str) -> None:
    heads = [c for c in indexed_cases("canal-json", NEWARCH) if c.role == "decode" and f"/{prefix}" in c.id]
    case = case_of(heads[0], NEWARCH)
    answer = Embedded(NEWARCH).ask(case)
    faults = [fault for fault, _ in possible_faults(case, answer)]
    assert "broken" in {fault.operator for fault in faults}
    assert list(possible_faults(case, answer, lambda fault: False)) == []
    chosen = faults[-1]
    assert {fault for fault, _ in possible_faults(case, answer, lambda fault: fault == chosen)} == {chosen}


def test_columns_have_one_pattern_and_their_family() -> None:
    cases = [case for case in golden_cases("canal-json", NEWARCH) if case.role == "encode"][:20]
    reference = Embedded(NEWARCH)
    found = [node.place for case in cases for node in nodes(case, opened(case, reference.ask(case)))]
    families = {place.family for place in found if place.path.endswith("data[].{column}")}
    assert families
    assert "" not in families


def test_a_path_leads_into_documents() -> None:
    case, answer = encoded("canal-json")
    assert any(INSIDE in node.path for node in nodes(case, opened(case, answer)))


def test_a_sweep_of_a_reference_that_is_wrong_is_a_fault_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Embedded, "ask", lambda embedded, case: {"error": "it broke"})
    with pytest.raises(SuiteError, match="the judge finds a fault in the reference's answer"):
        Sweep("canal-json", "decode", share=48).done()


def survivor() -> Sweep:
    fault = Fault(Place("insert", "records[].value.id", ""), "plus one")
    return Sweep("canal-json", "encode", results={fault: FaultResult(1, {"canal-json/x": ""})})


def test_a_survivor_is_named_with_its_operator_place_and_case() -> None:
    record = sweep_record([survivor()])
    assert unexplained(record) != []
    text = "\n".join(terminal_lines(record))
    assert "SURVIVED  canal-json, encode: plus one at insert records[].value.id" in text
    assert "canal-json/x" in text


def test_what_a_row_explains_is_free_and_no_survivor(monkeypatch: pytest.MonkeyPatch) -> None:
    row = free_forms.FreeForm(("canal-json",), "encode", "records[].value.id", ("plus one",), "CJ-013", "because")
    monkeypatch.setattr(free_forms, "FREE_FORMS", (row,))
    assert unexplained(sweep_record([survivor()])) == []


def test_every_row_of_the_free_forms_names_operators_that_there_are() -> None:
    known: Sequence[str] = (*OPERATORS, "broken", "refused", "nothing", "other class")
    known = (*known, "taken for nothing", "taken as without the fault")
    assert {operator for free in FREE_FORMS for operator in free.operators} <= set(known)


def test_the_source_of_every_free_form_is_a_heading_for_implementers_or_a_requirement() -> None:
    headings = {line[3:].strip() for line in HARNESS_PAGE.read_text("utf-8").splitlines() if line.startswith("## ")}
    for free in FREE_FORMS:
        page, comma, heading = free.source.partition(", ")
        if comma:
            assert (page, heading in headings) == ("For implementers", True), free
        else:
            assert any(free.source in load_register(protocol).requirements for protocol in free.protocols), free


def test_a_column_has_the_type_that_the_table_of_its_event_gives_it() -> None:
    one = Table("s", "one", (Column("c", ColumnType("int", Family.INT)),))
    other = Table("s", "other", (Column("c", ColumnType("float", Family.FLOAT)),))
    case = replace(next(iter(golden_cases("canal-json"))), tables=(one, other), events=())
    events = [{"kind": "row", "op": "insert", "schema": "s", "table": t, "after": {"c": "1"}} for t in ("one", "other")]
    families = [n.place.family for n in nodes(case, {"events": events}) if n.place.path.endswith("{column}")]
    assert families == ["int", "float"]


def test_breaking_on_a_case_proves_no_requirement() -> None:
    assert [one for one in load_faults() if one.operator == "broken"] == []


def test_a_fault_on_which_the_judge_itself_fails_is_never_free() -> None:
    sweep = Sweep("canal-json", "encode")
    fault = Fault(Place("insert", "records[].partition", ""), "null as zero")
    sweep.results[fault] = FaultResult(broken=["a case (TypeError: boom)"])
    [survivor] = unexplained(sweep_record([sweep]))
    assert survivor["cases"] == ["a case (TypeError: boom)"]


def test_the_row_that_an_insert_leaves_is_not_free_to_be_left_out() -> None:
    missed = FaultResult(missed={"a case": ""})
    for image, op in (("after", "insert"), ("before", "delete"), ("before", "update")):
        lost = Fault(Place(op, f"events[].{image}", ""), "member lost")
        assert free_forms.free_form_of("canal-json", "decode", lost, missed) == ()
