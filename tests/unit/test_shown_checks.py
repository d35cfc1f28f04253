"""What `explain` says of the checks of a requirement."""

from __future__ import annotations

import pytest

from conformance.catalogue.register import load_register
from conformance.cli.shown_checks import shown_checks
from reference_impl.protocols import DIALECTS


def shown(protocol: str, requirement: str) -> list[list[str]]:
    return [list(lines) for lines in shown_checks(load_register(protocol).requirements[requirement])]


def test_a_check_says_where_it_looks_what_breaks_it_and_when() -> None:
    assert shown("canal-json", "CJ-102") == [
        [
            "value.old[].{column}: missing, extra, and that nothing stands there",
            "operations: update; with only-output-updated-columns",
            "if not: the update changes the place's column",
            "broken if nothing is expected there",
        ]
    ]


def test_a_check_of_an_upstream_dialect_names_its_columns() -> None:
    [[place, columns]] = shown("canal", "CJ-443")
    assert place.endswith("and 1 more places: any difference")
    assert columns == "columns: decimal"


def test_the_argument_of_a_predicate_is_shown() -> None:
    assert shown("open-protocol", "OP-254") == [
        [
            "value.u.{column}.f, value.p.{column}.f, value.d.{column}.f: value",
            "if these are the flags of a generated column that the document works out, and this number (85)",
        ]
    ]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_every_requirement_that_can_be_tested_can_be_shown(protocol: str) -> None:
    requirements = load_register(protocol).requirements.values()
    lines = [line for r in requirements if r.testable for lines in shown_checks(r) for line in lines]
    assert lines
    assert [line for line in lines if "!" in line.partition(":")[2]] == []
