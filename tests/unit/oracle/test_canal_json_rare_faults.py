"""Checks of Canal-JSON that the sweep of faults does not reach: each speaks at its place of a fault made by hand."""

from __future__ import annotations

import pytest

from conformance.cases.model import Case
from reference_impl.profiles import NEWARCH, Profile, profile_of_release
from tests.unit.oracle.canal_answers import EXTENSION, TABLE, case_of, row, with_message
from tests.unit.oracle.changes import drop, put
from tests.unit.oracle.judging import Change, answer_of, ddl_event, judged

V5_3 = profile_of_release("v5.3.0")
DELETE = case_of(row("delete"))
TIMELESS = case_of(ddl_event(0))
REDUCED = case_of(
    row("update", n="8"),
    options={**EXTENSION, "large-message-handle-option": "handle-key-only", "max-message-bytes": "500"},
    table={**TABLE, "primary_key": []},
)


MESSAGES: list[tuple[str, str, Case, Change, Profile]] = [
    ("CJ-042", "value._tidb.commitTs", TIMELESS, put("_tidb.commitTs", 1), NEWARCH),
    ("CJ-113", "value.old[0].n", REDUCED, put("old.0.n", "7"), NEWARCH),
    ("CJ-502b", "value.old[0]", DELETE, put("old", [None]), V5_3),
    ("CJ-502b", "value.old[0].n", DELETE, drop("old.0.n"), V5_3),
]


@pytest.mark.parametrize(("requirement", "path", "case", "change", "profile"), MESSAGES)
def test_a_check_speaks_of_a_rare_fault_in_a_message(
    requirement: str, path: str, case: Case, change: Change, profile: Profile
) -> None:
    right = answer_of(case, profile)
    assert judged(case, right, profile).findings == []
    found = judged(case, with_message(right, change), profile).findings
    assert (requirement, path) in {(f.requirement, f.path) for f in found}
