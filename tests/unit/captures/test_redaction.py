"""Results from which the values of columns are taken out."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from conformance.captures.model import Place
from conformance.captures.redaction import Redaction, hidden
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.catalogue.harm import Harm
from conformance.oracle.findings import Finding
from conformance.oracle.tree import Kind
from reference_impl.model import Record

SECRET = "4111111111111111"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("测试", "… (text, 2 characters)"),
        (b"\x00\x01\x02", "… (binary, 3 bytes)"),
        (-12, "… (number, 3 characters)"),
        (Decimal("1.50"), "… (number, 4 characters)"),
        (None, None),
        (True, "… (boolean)"),
        ({"c": [1, "x"]}, {"c": ["… (number, 1 characters)", "… (text, 1 characters)"]}),
    ],
    ids=repr,
)
def test_a_value_shows_its_type_and_length_alone(value: Any, shown: Any):
    assert hidden(value) == shown


def result(path: str, *, problem: str | None = None) -> CaptureResult:
    finding = Finding("CJ-010", path, Kind.VALUE, SECRET, {"a": SECRET}, "mark", Harm.CHANGED)
    record = Record(None, SECRET.encode())
    return CaptureResult(Place("f", 1), CaptureVerdict.FAIL, (finding,), problem=problem, record=record)


@pytest.mark.parametrize(
    ("protocol", "path"),
    [
        ("canal-json", "value.data[0].c"),
        ("canal-json", "value.data"),
        ("canal-json", "value.old[0].c"),
        ("canal-json", "text.value.string"),
        ("canal-json", "record"),
        ("open-protocol", "value.u.c.v"),
        ("open-protocol", "value.p"),
        ("debezium", "value.payload.after.c"),
        ("debezium", "value.payload"),
        ("debezium", "key.payload.id"),
        ("debezium", "value.schema.fields.after.fields.c.default"),
        ("avro", "value.row.c"),
        ("avro", "value.before.c"),
        ("avro", "key.row.id"),
    ],
)
@pytest.mark.parametrize("is_stream", [False, True])
def test_no_value_of_a_column_is_left_in_a_result(protocol: str, path: str, is_stream: bool):
    """Nor in one between records: such is a record that passed by a version of its table that was withdrawn."""
    given = replace(result(path, problem=f"not a JSON object: {SECRET}"), is_stream=is_stream)
    redacted = Redaction(protocol)(given)
    assert SECRET not in repr(redacted)
    assert redacted.findings[0].path == path


@pytest.mark.parametrize(
    ("protocol", "path"),
    [
        ("canal-json", "value.type"),
        ("debezium", "value.payload.source.version"),
        ("avro", "value.schema.namespace"),
        ("avro", "registry.subjects.t-value"),
    ],
)
def test_what_is_no_value_of_a_column_is_still_shown(protocol: str, path: str):
    (finding,) = Redaction(protocol)(result(path)).findings
    assert finding.expected == SECRET
