"""How findings weigh against each other, and which of several judgements is the lightest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level, load_register
from conformance.oracle.findings import Finding, Judgement
from conformance.oracle.tree import Kind
from conformance.oracle.weights import Weight, grade, heaviest_first, is_as_heavy, lightest

LOST, CHANGED, SCHEMA, METADATA, STRICTNESS, FORM = Harm
MUST, SHOULD, MAY = Level
PLAIN = replace(load_register("canal-json").requirements["CJ-881"], harm=None)
REQUIREMENTS = {str(level): replace(PLAIN, level=level) for level in Level}


@pytest.mark.parametrize(
    ("level", "harm", "key"),
    [
        (MUST, FORM, (0, 0)),
        (SHOULD, LOST, (0, 1)),
        (SHOULD, CHANGED, (0, 1)),
        (SHOULD, SCHEMA, (1, 1)),
        (MAY, LOST, (2, 2)),
    ],
)
def test_failing_findings_come_first_and_then_the_stronger_level(level: Level, harm: Harm, key: tuple[int, int]):
    assert heaviest_first(Weight(level, harm)) == key


@pytest.mark.parametrize(
    ("weights", "verdict"),
    [
        ((), "pass"),
        ((Weight(MAY, LOST),), "pass"),
        ((Weight(MAY, LOST), Weight(SHOULD, FORM)), "warn"),
        ((Weight(SHOULD, FORM), Weight(SHOULD, LOST), Weight(MAY, LOST)), "fail"),
    ],
)
def test_the_verdict_is_that_of_the_worst_finding(weights: tuple[Weight, ...], verdict: str) -> None:
    assert grade(weights) == verdict


@pytest.mark.parametrize(
    ("one", "other", "yes"),
    [
        (Weight(MUST, LOST), Weight(SHOULD, CHANGED), True),
        (Weight(SHOULD, CHANGED), Weight(MUST, LOST), False),
        (Weight(SHOULD, FORM), Weight(SHOULD, SCHEMA), True),
        (Weight(MUST, FORM), Weight(SHOULD, SCHEMA), True),
        (Weight(MUST, FORM), Weight(SHOULD, LOST), False),
        (Weight(MUST, LOST), Weight(MUST, FORM), True),
        (Weight(SHOULD, SCHEMA), Weight(MUST, FORM), False),
    ],
)
def test_a_finding_without_harm_to_data_does_not_stand_for_one_with_it(one: Weight, other: Weight, yes: bool) -> None:
    assert is_as_heavy(one, other) is yes


def judgement(*found: tuple[Level, Harm, Kind]) -> Judgement:
    return Judgement(set(), [Finding(str(level), "", kind, "", "", "", harm) for level, harm, kind in found])


NOTHING = judgement()
ALLOWED = judgement((MAY, LOST, Kind.VALUE))
WARNED = judgement((SHOULD, FORM, Kind.VALUE))
FAILED = judgement((MUST, LOST, Kind.VALUE))
FAILED_BY_A_SHOULD = judgement((SHOULD, LOST, Kind.VALUE))
FAILED_TWICE = judgement((MUST, LOST, Kind.VALUE), (SHOULD, FORM, Kind.VALUE))
MISCOUNTED = judgement((SHOULD, LOST, Kind.COUNT))


@pytest.mark.parametrize(
    ("lighter", "heavier"),
    [
        (NOTHING, ALLOWED), (ALLOWED, WARNED), (WARNED, FAILED_BY_A_SHOULD), (FAILED_BY_A_SHOULD, FAILED),
        (FAILED, FAILED_TWICE), (FAILED, MISCOUNTED), (FAILED_TWICE, MISCOUNTED), (WARNED, MISCOUNTED),
    ],
)  # fmt: skip
def test_the_lightest_judgement_is_chosen(lighter: Judgement, heavier: Judgement) -> None:
    assert lightest([lighter, heavier], REQUIREMENTS) is lighter
    assert lightest([heavier, lighter], REQUIREMENTS) is lighter


def test_the_first_of_equal_judgements_is_chosen() -> None:
    one, other = judgement((MUST, LOST, Kind.VALUE)), judgement((MUST, CHANGED, Kind.VALUE))
    assert lightest([one, other], REQUIREMENTS) is one
