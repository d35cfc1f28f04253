"""Every invalid fixture has one fault: the reference decoder or encoder takes the twin and refuses the fixture."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.invalid import invalid_cases
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.invalid import InvalidFixture, InvalidInput, load_invalid, read_invalid
from conformance.catalogue.notation import bytes_of
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError
from conformance.oracle.judge import Judge
from conformance.oracle.rules import ProtocolOracle
from conformance.registry import LocalRegistry
from reference_impl import options as option_strings
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS
from reference_impl.settings import Settings

PROTOCOLS = tuple(CODECS)


def _refusal(fixture: InvalidFixture, given: InvalidInput) -> RejectionClass | None:
    """For which reason the reference refuses an input; None if it takes it."""
    try:
        _put(fixture, given)
    except Rejected as e:
        return e.reason
    return None


def _put(fixture: InvalidFixture, given: InvalidInput) -> None:
    codec = CODECS[fixture.protocol]
    options = option_strings.parse(codec.options, given.options)
    registry = LocalRegistry()
    registry.begin(given.schemas, given.registry_fault)
    settings = Settings(registry=registry.client)
    if fixture.role == "encode":
        codec.encoder(options, settings=settings).encode(given.events, given.tables)
    else:
        codec.decoder(options, settings=settings).decode(given.records, given.tables, given.claims)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_reference_takes_the_twin(protocol: str):
    for fixture in load_invalid(protocol):
        assert fixture.twin != fixture.input, fixture.id
        assert _refusal(fixture, fixture.twin) is None, fixture.id


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_reference_refuses_the_fault_with_a_class_that_is_right(protocol: str):
    for fixture in load_invalid(protocol):
        assert _refusal(fixture, fixture.input) in fixture.classes, fixture.id


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_class_of_rejection_comes_first_in_five_fixtures_or_more(protocol: str):
    first = Counter(fixture.classes[0] for fixture in load_invalid(protocol))
    assert all(first[reason] >= 5 for reason in RejectionClass), first


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_broken_rule_is_a_testable_requirement_of_the_role(protocol: str):
    register = load_register(protocol)
    for case in invalid_cases(protocol):
        for name in case.requirements:
            requirement = register.find(name)
            assert requirement is not None, (case.id, name)
            assert requirement.testable, (case.id, name)
            assert requirement.role in (case.role, "both"), (case.id, name)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_classes_are_listed_in_the_order_in_which_they_are_looked_for(protocol: str):
    order = list(RejectionClass)
    for fixture in load_invalid(protocol):
        assert list(fixture.classes) == sorted(fixture.classes, key=order.index), fixture.id


def _never(*given: Any) -> Any:
    raise AssertionError(given)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_whoever_accepts_an_invalid_input_breaks_the_rules_of_its_fixture(protocol: str):
    oracle = ProtocolOracle(protocol, "", (), _never, _never, _never, _never, frozenset())
    judge = Judge(oracle, load_register(protocol), NEWARCH)
    for case in invalid_cases(protocol):
        accepted = {"ok": {"events": []} if case.role == "decode" else {"records": []}}
        # Where refusing is optional, the lost event is found beside it, by the rule that has no name here.
        found = {f.requirement for f in judge.judge(case, accepted).findings} - {""}
        assert found == {*case.requirements}, case.id


def test_frames_are_written_with_the_version_and_with_lengths_that_may_lie():
    frames = {"version": 1, "frames": [{"text": "ab"}, {"hex": "ff"}], "lengths": [None, "9223372036854775808"]}
    assert bytes_of(frames) == bytes.fromhex("0000000000000001 0000000000000002 6162 8000000000000000 ff")


def test_an_avro_datum_stands_behind_a_zero_byte_and_the_id_of_its_schema():
    assert bytes_of({"avro": {"id": 258, "body": "02 0261"}}) == bytes.fromhex("00 00000102 02 0261")


def test_a_file_in_the_wrong_place_is_a_suite_error_that_names_it(tmp_path: Path):
    source = next((fixtures_root() / "invalid" / "canal-json").glob("001-*.json"))
    folder = tmp_path / "invalid" / "open-protocol"
    folder.mkdir(parents=True)
    copy = folder / source.name
    copy.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(SuiteError, match=f"invalid/open-protocol/{source.name}"):
        read_invalid(copy)
