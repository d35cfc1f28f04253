"""What the reference's own run evaluates: every requirement that can be tested, by an oracle that counts.

It takes the better part of a minute a protocol; all that asks for it stands here, so that one process computes it.
"""

from __future__ import annotations

import pytest

from conformance.cases.model import Anchor
from conformance.catalogue.anchors import anchor_key, load_anchors
from conformance.catalogue.register import Level, Requirement, load_register
from conformance.cli.main import main
from conformance.engine.coverage import reference_coverage
from reference_impl.protocols import DIALECTS

every_protocol = pytest.mark.parametrize("protocol", DIALECTS)


def that_can_be_tested(protocol: str) -> list[Requirement]:
    return [r for r in load_register(protocol).requirements.values() if r.testable]


@every_protocol
def test_only_requirements_that_can_be_tested_are_evaluated(protocol: str) -> None:
    assert reference_coverage(protocol).anchors.keys() - {r.id for r in that_can_be_tested(protocol)} == set()


@every_protocol
def test_every_requirement_that_can_be_tested_is_evaluated(protocol: str) -> None:
    assert [r.id for r in that_can_be_tested(protocol) if reference_coverage(protocol).anchor(r.id) is None] == []


@every_protocol
def test_no_must_stands_on_the_reference_alone(protocol: str) -> None:
    musts = [r.id for r in that_can_be_tested(protocol) if r.level is Level.MUST]
    assert [i for i in musts if reference_coverage(protocol).anchor(i) is Anchor.REFERENCE] == []


def test_the_list_of_uncovered_requirements_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "requirements", "--uncovered"]) == 0
    assert capsys.readouterr().out == "0 requirements\n"


@every_protocol
def test_the_anchors_that_are_shipped_are_those_of_the_run(protocol: str) -> None:
    shipped = load_anchors()
    computed = {anchor_key(r): str(reference_coverage(protocol).anchor(r.id)) for r in that_can_be_tested(protocol)}
    again = "run: python tools/reference_pages.py requirements && python tools/manifest.py"
    assert {i: (shipped.get(i), anchor) for i, anchor in computed.items() if shipped.get(i) != anchor} == {}, again


def test_anchors_are_shipped_of_requirements_that_can_be_tested_and_no_others() -> None:
    assert load_anchors().keys() == {anchor_key(r) for protocol in DIALECTS for r in that_can_be_tested(protocol)}
