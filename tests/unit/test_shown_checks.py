"""What `explain` says of the checks of a requirement."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.catalogue.checks import Check
from conformance.catalogue.register import load_register
from conformance.cli.shown_checks import shown_checks
from reference_impl.protocols import DIALECTS


def shown(protocol: str, requirement: str) -> list[list[str]]:
    return [list(lines) for lines in shown_checks(load_register(protocol).requirements[requirement])]


def test_a_check_says_where_it_looks_what_breaks_it_and_when() -> None:
    assert shown("canal-json", "CJ-102") == [
        [
            "value.old[].{column}: missing, extra; checked also where neither side has the path",
            "operations: update; with only-output-updated-columns",
            "if not: the update changes the place's column",
            "a difference breaks it if not: something is expected at the place",
        ]
    ]


def test_a_reason_why_a_record_cannot_be_read_is_said_in_words() -> None:
    assert shown("avro", "AV-019")[0] == ["value: value", "if the bytes after a header are no datum of the schema"]


def test_a_check_of_an_upstream_dialect_names_its_columns() -> None:
    [[place, columns, specific]] = shown("canal", "CJ-443")
    assert place.endswith("and 1 more place: any difference")
    assert (columns, specific) == ("columns: decimal", "where no more specific check fits")


def test_a_check_that_no_difference_breaks_says_so() -> None:
    assert ["key: looked at here, broken elsewhere", "events: row"] in shown("open-protocol", "OP-021")


def test_what_a_difference_must_show_is_one_sentence() -> None:
    [[_, family, readable, broken]] = shown("canal-json", "CJ-410")
    assert (family, readable[:3]) == ("columns: json", "if ")
    assert broken == (
        "a difference breaks it if not: the answer has NULL for a value, or another value of a type that is neither"
        " text nor integer; and the two JSON texts differ only in white space"
    )


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("name", "with name"),
        ("!name", "without name"),
        ("name=value", "with name=value"),
        ("!name=value", "with name other than value"),
    ],
)
def test_an_option_is_on_off_or_has_a_value(option: str, said: str) -> None:
    check = Check("CJ-001", ("value",), ("value",), options=(option,))
    requirement = replace(load_register("canal-json").requirements["CJ-010"], checks=(check,))
    assert list(shown_checks(requirement)) == [("value: value", said)]


def test_the_argument_of_a_predicate_is_shown() -> None:
    assert shown("open-protocol", "OP-254") == [
        [
            "value.u.{column}.f, value.p.{column}.f, value.d.{column}.f: value",
            "if the column is generated, and has these flags, which the document computes as an example (85)",
        ]
    ]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_every_requirement_that_has_a_check_shows_it_without_the_signs_of_the_register(protocol: str) -> None:
    checked = [r for r in load_register(protocol).requirements.values() if r.checks]
    assert checked
    lines = [line for r in checked for lines in shown_checks(r) for line in lines]
    assert len(lines) >= len(checked)
    assert [line for line in lines if "!" in line] == []
