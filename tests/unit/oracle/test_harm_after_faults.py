"""The harm of what is read out of a malformed message; its path names one column, whose name may have points."""

from __future__ import annotations

import pytest

from conformance.catalogue.harm import Harm
from conformance.oracle.faults import Fault, harm_after_faults
from conformance.oracle.findings import Finding
from conformance.oracle.harm import Holds
from conformance.oracle.tree import Kind


def finding(path: str, got: str) -> Finding:
    return Finding("CJ-001", path, Kind.VALUE, "1", got, "", Harm.CHANGED)


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
