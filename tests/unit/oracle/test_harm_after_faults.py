"""The harm of what is read out of a malformed message; its path names one column, whose name may have points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.harm import Harm
from conformance.oracle import ORACLES
from conformance.oracle.faults import Fault, faults_of, harm_after_faults
from conformance.oracle.findings import Finding
from conformance.oracle.harm import Holds
from conformance.oracle.tree import MISSING, Kind
from tests.unit.oracle.judging import NEW, OLD, SMALL, asked, options_of, row_event

LOST, CHANGED, SCHEMA, _, STRICTNESS, _ = Harm
VALUE, IMAGE, OPERATION, TABLE = Holds.VALUE, Holds.IMAGE, Holds.OPERATION, Holds.TABLE


def finding(path: str, got: Any, expected: Any = "1", harm: Harm = Harm.CHANGED) -> Finding:
    return Finding("CJ-001", path, Kind.VALUE, expected, got, "", harm)


@pytest.mark.parametrize("column", ["c", "a.b", "a.b.c", ".", "c."])
@pytest.mark.parametrize(("got", "harm"), [("x", Harm.STRICTNESS), ("y", Harm.CHANGED)])
def test_the_written_content_of_a_fault_may_be_read_in_a_column_with_points_in_its_name(
    column: str, got: str, harm: Harm
) -> None:
    faults = [Fault(column, Holds.VALUE, "1", "x")]
    assert harm_after_faults([finding(f"event.after.{column}", got)], faults) is harm


@pytest.mark.parametrize("column", ["c", "a.b", "a.b.c"])
def test_one_column_may_be_anything_where_the_faults_are_unknown_and_two_may_not(column: str) -> None:
    one = [finding(f"event.after.{column}", "x")]
    assert harm_after_faults(one, None) is Harm.STRICTNESS
    assert harm_after_faults([*one, finding(f"event.after.{column}.d", "x")], None) is Harm.CHANGED
    assert harm_after_faults([finding("event.after", "x")], None) is Harm.CHANGED


C = "event.after.c"
UNKNOWN: list[tuple[list[Finding], Harm]] = [
    ([], STRICTNESS),
    *(([finding(C, got)], LOST) for got in (None, MISSING, {}, "")),
    ([finding(C, "x"), finding(C, "y")], STRICTNESS),
    ([finding(C, "x"), finding(C, None)], LOST),
    ([finding(C, "x"), finding("event.before.c", "x")], CHANGED),
    ([finding("event.schema", "x")], CHANGED),
    ([finding("answer[0]", "x", harm=LOST)], LOST),
    ([finding("event.schema", "x", harm=SCHEMA)], STRICTNESS),
]


@pytest.mark.parametrize(("findings", "harm"), UNKNOWN)
def test_a_lost_value_is_lost_where_the_faults_are_unknown(findings: list[Finding], harm: Harm) -> None:
    assert harm_after_faults(findings, None) is harm


KNOWN: list[tuple[Finding, list[Fault], Harm]] = [
    (finding(C, "x"), [], CHANGED),
    (finding(C, "x", harm=SCHEMA), [], STRICTNESS),
    (finding("answer[0]", "x", harm=LOST), [Fault(None, IMAGE, "1", "x")], LOST),
    # the operation of an event, whatever is written
    (finding("event.op", "insert"), [Fault(None, OPERATION, "7", "8")], STRICTNESS),
    (finding("event.op", "insert"), [Fault(None, VALUE, "7", "8"), Fault(None, IMAGE, {}, MISSING)], STRICTNESS),
    (finding("event.op", "insert"), [Fault(None, VALUE, "1", "insert")], CHANGED),
    # another member
    (finding("event.table", "x"), [Fault(None, TABLE, "1", "x")], STRICTNESS),
    (finding("event.table", "y"), [Fault(None, TABLE, "1", "x")], CHANGED),
    (finding("event.table", "x"), [Fault(None, TABLE, "7", "x")], CHANGED),
    (finding("event.table", "x"), [Fault(None, TABLE, "7", "x"), Fault(None, TABLE, "1", "x")], STRICTNESS),
    (finding("event.query", "x", expected=MISSING), [Fault(None, Holds.QUERY, None, "x")], STRICTNESS),
    (finding("event.query", "x"), [Fault(None, Holds.QUERY, None, "x")], CHANGED),
    (finding("event.query", "x", expected=None), [Fault(None, Holds.QUERY, "1", "x")], CHANGED),
    (finding("event.query", None), [Fault(None, Holds.QUERY, "1", "")], STRICTNESS),
    (finding("event.query", "7.00", expected="1"), [Fault(None, Holds.QUERY, "1.0", 7)], STRICTNESS),
    # a value
    (finding(C, "x"), [Fault("d", VALUE, "1", "x")], CHANGED),
    (finding(C, "x"), [Fault("d", VALUE, "1", "y"), Fault("c", VALUE, "1", "x")], STRICTNESS),
    (finding("event.before.c", "x"), [Fault("c", VALUE, "1", "x")], STRICTNESS),
    (finding(C, None), [Fault("c", VALUE, "1", None)], STRICTNESS),
    (finding(C, None), [Fault("c", VALUE, "1", "x")], LOST),
    (finding(C, None), [Fault("c", VALUE, "1", MISSING)], LOST),
    (finding(C, MISSING), [Fault("c", VALUE, "1", MISSING)], STRICTNESS),
    (finding(C, MISSING), [Fault("c", VALUE, "1", "x"), Fault("c", VALUE, "1", MISSING)], STRICTNESS),
    (finding(C, "y"), [Fault("c", Holds.SCHEMA, "1", "x")], STRICTNESS),
    (finding(C, "y"), [Fault("c", VALUE, "1", "x"), Fault("c", Holds.SCHEMA, "1", "x")], STRICTNESS),
    (finding(C, {"a": 1}), [Fault("c", VALUE, "1", "x")], STRICTNESS),
    (finding(C, [1]), [Fault("c", VALUE, "1", "x")], STRICTNESS),
    (finding(C, "y"), [Fault("c", VALUE, "7", "x")], STRICTNESS),
    (finding(C, "y"), [Fault("c", VALUE, "7", "x"), Fault("c", VALUE, "1", "x")], CHANGED),
    (finding(C, "2.00"), [Fault("c", VALUE, "1", "2.0")], STRICTNESS),
    (finding(C, "x", expected=frozenset({"1", "7"})), [Fault("c", VALUE, "1", "x")], STRICTNESS),
    (finding(C, "y", expected=frozenset({"1", "7"})), [Fault("c", VALUE, "1", "x")], CHANGED),
    # a value of a column without a name
    (finding("event.after.", None), [Fault(None, IMAGE, {"c": "1"}, None)], CHANGED),
    (finding("event.after.", "x"), [Fault("", VALUE, "1", "x")], STRICTNESS),
    # a value of an image that a fault writes
    (finding(C, "x"), [Fault(None, IMAGE, MISSING, {"c": "x"})], STRICTNESS),
    (finding(C, "y"), [Fault(None, IMAGE, MISSING, {"c": "x"})], CHANGED),
    (finding(C, "x"), [Fault(None, IMAGE, MISSING, {"d": "x"})], CHANGED),
    (finding(C, "x"), [Fault(None, Holds.MESSAGE, MISSING, {"c": "x"})], CHANGED),
    (finding(C, "x"), [Fault(None, IMAGE, MISSING, [{"d": "1"}, {"c": {"t": 3, "v": "x"}}])], STRICTNESS),
    (finding(C, "x"), [Fault(None, IMAGE, MISSING, {"after": {"c": "x"}})], STRICTNESS),
    (finding(C, "x"), [Fault(None, IMAGE, MISSING, {"after": [{"c": "x"}]})], STRICTNESS),
    # a whole image
    (finding("event.after", None, harm=LOST), [Fault(None, IMAGE, {"c": "1"}, None)], STRICTNESS),
    (finding("event.after", MISSING, harm=LOST), [Fault(None, IMAGE, {"c": "1"}, {})], STRICTNESS),
    (finding("event.after", None, harm=LOST), [Fault(None, IMAGE, {"c": "1"}, {"c": "2"})], LOST),
    (finding("event.after", None, harm=LOST), [Fault(None, VALUE, "1", None)], LOST),
    (finding("event.after", {"c": "x"}), [Fault(None, IMAGE, None, {"c": "x", "d": "1"})], STRICTNESS),
    (finding("event.before", {"c": "x"}), [Fault(None, IMAGE, None, {"c": "x"})], STRICTNESS),
    (finding("event.after", {"c": "x", "d": "1"}), [Fault(None, IMAGE, None, {"c": "x"})], CHANGED),
    (finding("event.after", {"c": "x"}), [], CHANGED),
]


@pytest.mark.parametrize(("one", "faults", "harm"), KNOWN)
def test_only_the_written_content_of_a_fault_is_a_lack_of_strictness(one: Finding, faults: list[Fault], harm: Harm):
    assert harm_after_faults([one], faults) is harm


def test_the_worst_difference_decides() -> None:
    lost, changed = finding("event.after.d", None, harm=LOST), finding("event.after.e", "x")
    faults = [Fault("c", VALUE, "1", "x")]
    assert harm_after_faults([finding(C, "x"), changed], faults) is CHANGED
    assert harm_after_faults([changed, lost], faults) is LOST


TWIN = asked("canal-json", "decode", row_event("update", base=OLD, **NEW), table=SMALL)


def with_value(was: bytes, now: bytes) -> Case:
    [record] = TWIN.records
    assert record.value is not None
    assert was in record.value
    return replace(TWIN, records=(replace(record, value=record.value.replace(was, now)),))


@pytest.mark.parametrize(
    ("case", "faults"),
    [
        (TWIN, []),
        (with_value(b'"3"', b'"x"'), [Fault("a", VALUE, "3", "x")]),
        (with_value(b'"3"', b"null"), [Fault("a", VALUE, "3", None)]),
        (with_value(b'"a":"3"', b'"a":{}'), [Fault("a", VALUE, "3", {})]),
        (with_value(b'"table":"t"', b'"table":"u"'), [Fault(None, TABLE, "t", "u")]),
        (with_value(b'"table":"t",', b""), [Fault(None, TABLE, "t", MISSING)]),
        (with_value(b'"database":"test","table":"t"', b'"table":"t","database":"test"'), []),
        (with_value(b"{", b"["), None),
        (replace(TWIN, records=()), None),
        (replace(TWIN, records=TWIN.records * 2), None),
    ],
)
def test_a_fault_has_its_content_in_the_twin_and_in_the_message(case: Case, faults: list[Fault] | None) -> None:
    assert faults_of(ORACLES["canal-json"], case, TWIN, options_of(case)) == faults
