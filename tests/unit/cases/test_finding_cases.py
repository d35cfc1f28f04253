"""All cases of a protocol: recorded ones with their right expectations, found again by id and replay id."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.cases.model import Anchor, Case, ExpectedRecords, ExpectedRejection
from conformance.cases.parts import all_cases, find_in
from conformance.cases.recorded import recorded_cases
from conformance.cases.requests import input_digest
from conformance.catalogue.defects import load_defects
from conformance.errors import UsageError
from reference_impl.errors import RejectionClass
from reference_impl.profiles import PROFILES
from reference_impl.protocols import CODECS
from tests.every_case import every_case

every_protocol = pytest.mark.parametrize("protocol", CODECS)
every_profile = pytest.mark.parametrize("profile", PROFILES)


def of_equal_texts(cases: Sequence[Case]) -> list[Case]:
    """The cases whose SQL or records another case has too: any other question is its own."""
    groups: dict[object, list[Case]] = {}
    for case in cases:
        asked = case.sql if case.role == "encode" else tuple((record.key, record.value) for record in case.records)
        groups.setdefault((case.role, asked), []).append(case)
    return [case for group in groups.values() if len(group) > 1 for case in group]


@every_protocol
@every_profile
def test_no_two_cases_of_a_profile_put_the_same_question(protocol: str, profile: str) -> None:
    alike = of_equal_texts(every_case(protocol, profile))
    assert len(alike) > 100
    assert len(set(map(input_digest, alike))) == len(alike)


@every_protocol
@every_profile
def test_replay_ids_are_unique(protocol: str, profile: str) -> None:
    assert len({c.replay_id for c in every_case(protocol, profile)}) == len(every_case(protocol, profile))


@every_protocol
@every_profile
def test_documents_recordings_and_corpora_have_cases_in_both_roles(protocol: str, profile: str) -> None:
    anchors = {(c.anchor, c.role) for c in every_case(protocol, profile)}
    wanted = {(a, r) for a in (Anchor.DOCUMENT, Anchor.RECORDED, Anchor.REFERENCE) for r in ("encode", "decode")}
    assert wanted - anchors == set()


@pytest.mark.parametrize(("profile", "producer"), [("newarch", "newarch"), ("classic", "classic"), ("doc", "newarch")])
@every_protocol
def test_a_profile_goes_by_the_recordings_of_its_producer(protocol: str, profile: str, producer: str) -> None:
    assert {c.id.split("/")[2] for c in recorded_cases(protocol, profile)} == {producer}


@every_protocol
@pytest.mark.parametrize("profile", ["newarch", "classic"])
def test_what_was_recorded_is_what_an_encoder_must_write(protocol: str, profile: str) -> None:
    excused = {case for defect in load_defects() for case in defect.recorded}
    encode = [c for c in recorded_cases(protocol, profile) if c.role == "encode"]
    asked = [c.id.split("/recorded/")[1] for c in encode if c.expected is None]
    crashed = [c for c in asked if c not in excused]
    crashes = {("canal-json", "classic"): 2, ("debezium", "newarch"): 2}
    assert len(crashed) == crashes.get((protocol, profile), 0)
    assert all(c.anchor is (Anchor.REFERENCE if c.expected is None else Anchor.RECORDED) for c in encode)


def test_a_recording_with_a_defect_is_still_read() -> None:
    shown = {case for d in load_defects() for case in d.recorded if case.startswith("newarch/")}
    read = {c.id for c in recorded_cases("open-protocol", "newarch") if c.role == "decode"}
    assert {f"open-protocol/recorded/{case}/decode" for case in shown if "/open-protocol" in case} <= read


def test_a_recorded_rejection_must_be_one_for_a_requirement() -> None:
    refused = [c for c in recorded_cases("canal-json", "newarch") if isinstance(c.expected, ExpectedRejection)]
    assert [(c.expected, c.requirements) for c in refused] == [
        (ExpectedRejection(frozenset({RejectionClass.RANGE})), ("CJ-130", "CJ-205")),
        (ExpectedRejection(frozenset({RejectionClass.RANGE})), ("CJ-131",)),
    ]


def test_claims_stand_in_the_order_in_which_the_records_name_them() -> None:
    for profile in ("newarch", "classic"):
        [case] = [c for c in recorded_cases("open-protocol", profile) if c.claims]
        written = b"".join((r.key or b"") + (r.value or b"") for r in case.records)
        places = [written.find(claim.location.encode()) for claim in case.claims]
        assert places == sorted(places)
        assert min(places) >= 0


def test_records_of_a_recording_are_its_own() -> None:
    case = next(c for c in recorded_cases("canal-json", "newarch") if c.role == "encode")
    assert isinstance(case.expected, ExpectedRecords)
    assert case.expected.records


def test_the_documents_are_not_held_against_recordings_that_contradict_them() -> None:
    assert not [c for c in recorded_cases("open-protocol", "doc") if "open-output-old-value" in c.options]


def test_a_case_is_found_by_id_and_by_the_beginning_of_its_replay_id() -> None:
    given = every_case("canal-json", "newarch")
    case = next(c for c in given if c.id == "canal-json/type/bigint unsigned/2^63/insert")
    assert find_in(given, case.id) is case
    assert find_in(given, case.replay_id) is case
    assert find_in(given, case.opaque_id[:8]) is case


def test_an_id_that_no_case_has_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no case is called 'canal-json/none'"):
        find_in(every_case("canal-json", "newarch"), "canal-json/none")


def test_an_id_that_two_cases_share_is_a_usage_error_that_tells_them_apart() -> None:
    case = every_case("canal-json", "newarch")[0]
    twin = replace(case, role="decode" if case.role == "encode" else "encode")
    with pytest.raises(UsageError, match=f"{case.replay_id} or {twin.replay_id}"):
        find_in([case, twin], case.id)


@pytest.mark.parametrize(("protocol", "profile"), [("maxwell", "newarch"), ("canal-json", "new")])
def test_an_unknown_protocol_or_profile_is_a_usage_error(protocol: str, profile: str) -> None:
    with pytest.raises(UsageError, match="there are"):
        all_cases(protocol, profile)
