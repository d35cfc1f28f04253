"""The cases of the upstream dialects: what they are made of, and what they leave out."""

from __future__ import annotations

import pytest

from conformance.cases.every_case import all_cases
from conformance.cases.model import Anchor, Case, ExpectedRecords
from conformance.catalogue.corpora import load_families
from reference_impl.column_types import Family
from reference_impl.model import DdlEvent, RowChange
from reference_impl.options import parse
from reference_impl.profiles import PROFILES
from reference_impl.protocols import UPSTREAM

every_dialect = pytest.mark.parametrize("protocol", UPSTREAM)
ROLES = ("encode", "decode")

# Versions that differ from another in nothing that a message has but their name.
SAME = {("version", "3.6.3"), ("version", "1.1.7")}


def options_of(case: Case) -> dict[str, str]:
    """Every option of a case as a text."""
    codec = UPSTREAM[case.protocol]
    chosen = parse(codec.options, case.options)
    fields = {f.metadata["name"]: getattr(chosen, f.name) for f in codec.options.__dataclass_fields__.values()}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in fields.items()}


@every_dialect
def test_no_two_cases_have_one_name_and_the_profile_changes_nothing(protocol: str) -> None:
    cases = all_cases(protocol)
    assert len({case.id for case in cases}) == len(cases)
    assert all(len(all_cases(protocol, profile)) == len(cases) for profile in PROFILES)


@every_dialect
@pytest.mark.parametrize("role", ROLES)
def test_every_value_of_every_option_is_tried_in_both_roles(protocol: str, role: str) -> None:
    fields = UPSTREAM[protocol].options.__dataclass_fields__.values()
    wanted = {(f.metadata["name"], value) for f in fields for value in f.metadata["values"]} - SAME
    tried = {item for case in all_cases(protocol) if case.role == role for item in options_of(case).items()}
    assert wanted - tried == set()


@every_dialect
@pytest.mark.parametrize("role", ROLES)
def test_every_boundary_of_every_type_is_written_and_read_but_where_the_producer_ends(protocol: str, role: str) -> None:
    asked = {(c.axes.get("type"), c.axes.get("boundary")) for c in all_cases(protocol) if c.role == role}
    known = {(d.label, b) for family in load_families() for d in family.declarations for b in d.boundaries}
    left = {label for label, _ in known - asked}
    assert {label for label in left if not label.startswith(("vector", "json"))} == set()


@every_dialect
@pytest.mark.parametrize("role", ROLES)
def test_every_operation_is_recorded_and_a_record_that_is_recorded_is_expected(protocol: str, role: str) -> None:
    cases = [case for case in all_cases(protocol) if case.anchor is Anchor.RECORDED and case.role == role]
    operations = {event.op for case in cases for event in case.events if isinstance(event, RowChange)}
    assert {"insert", "update", "delete"} <= operations
    recorded = [case for case in cases if "/recorded/" in case.id]
    assert all(isinstance(c.expected, ExpectedRecords) == (role == "encode") for c in recorded)
    assert any(isinstance(event, DdlEvent) for case in recorded for event in case.events)


def test_what_the_reference_alone_says_is_called_so() -> None:
    corpora = [c for protocol in UPSTREAM for c in all_cases(protocol) if c.source == "corpora"]
    assert {case.anchor for case in corpora} == {Anchor.REFERENCE}


def test_a_column_that_stops_the_producer_has_one_case() -> None:
    stops = [case for case in all_cases("canal") if case.requirements == ("CJ-428",)]
    assert [case.role for case in stops] == ["encode"]
    vectors = {
        c.role for c in all_cases("canal") for t in c.tables for k in t.columns if k.type.family is Family.VECTOR
    }
    assert vectors == {"encode"}
