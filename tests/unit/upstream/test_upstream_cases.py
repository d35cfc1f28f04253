"""The cases of the upstream dialects: what they are made of, and what they leave out."""

from __future__ import annotations

import pytest

from conformance.cases.index import indexed_cases
from conformance.cases.model import Anchor, CaseHead, ExpectedRecords
from conformance.catalogue.corpora import load_families
from reference_impl.model import RowChange
from reference_impl.options import parse
from reference_impl.profiles import PROFILES
from reference_impl.protocols import UPSTREAM
from tests.amounts import ordinarily
from tests.every_case import heads, made, one_in

every_dialect = pytest.mark.parametrize("protocol", UPSTREAM)
ROLES = ("encode", "decode")

# Versions that differ from another in nothing that a message has but their name.
SAME = {("version", "3.6.3"), ("version", "1.1.7")}


def options_of(case: CaseHead) -> dict[str, str]:
    """Every option of a case as a text."""
    codec = UPSTREAM[case.protocol]
    chosen = parse(codec.options, case.options)
    fields = {f.metadata["name"]: getattr(chosen, f.name) for f in codec.options.__dataclass_fields__.values()}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in fields.items()}


@every_dialect
def test_no_two_cases_have_one_name_and_the_profile_changes_nothing(protocol: str) -> None:
    cases = heads(protocol)
    assert len({case.id for case in cases}) == len(cases)
    assert all(len(indexed_cases(protocol, profile)) == len(cases) for profile in PROFILES.values())


@every_dialect
@pytest.mark.parametrize("role", ROLES)
def test_every_value_of_every_option_is_tried_in_both_roles(protocol: str, role: str) -> None:
    fields = UPSTREAM[protocol].options.__dataclass_fields__.values()
    wanted = {(f.metadata["name"], value) for f in fields for value in f.metadata["values"]} - SAME
    tried = {item for case in heads(protocol) if case.role == role for item in options_of(case).items()}
    assert wanted - tried == set()


@every_dialect
@pytest.mark.parametrize("role", ROLES)
def test_every_boundary_of_every_type_is_written_and_read_but_where_the_producer_ends(protocol: str, role: str) -> None:
    asked = {(c.axes.get("type"), c.axes.get("boundary")) for c in heads(protocol) if c.role == role}
    known = {(d.label, b) for family in load_families() for d in family.declarations for b in d.boundaries}
    left = {label for label, _ in known - asked}
    assert {label for label in left if not label.startswith(("vector", "json"))} == set()


@every_dialect
@pytest.mark.parametrize("role", ROLES)
def test_every_operation_is_recorded_and_a_record_that_is_recorded_is_expected(protocol: str, role: str) -> None:
    of_role = [case for case in heads(protocol) if case.anchor is Anchor.RECORDED and case.role == role]
    cases = [made(head) for head in one_in(ordinarily(8, 1), of_role)]
    operations = {event.op for case in cases for event in case.events if isinstance(event, RowChange)}
    assert {"insert", "update", "delete"} <= operations
    recorded = [case for case in cases if "/recorded/" in case.id]
    assert all(isinstance(c.expected, ExpectedRecords) == (role == "encode") for c in recorded)
    assert any("/recorded/" in head.id and ("events", "ddl") in head.needs for head in of_role)


def test_what_the_reference_alone_says_is_called_so() -> None:
    corpora = [c for protocol in UPSTREAM for c in heads(protocol) if c.source == "corpora"]
    assert {case.anchor for case in corpora} == {Anchor.REFERENCE}


def test_a_column_that_stops_the_producer_has_one_case() -> None:
    stops = [case for case in heads("canal") if case.requirements == ("CJ-428",)]
    assert [case.role for case in stops] == ["encode"]
    vectors = {case.role for case in heads("canal") if ("column_types", "vector") in case.needs}
    assert vectors == {"encode"}
