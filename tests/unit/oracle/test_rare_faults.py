"""Checks of Open Protocol and Canal-JSON that the sweep of faults does not reach: each speaks at its place."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from conformance.cases.model import Case
from reference_impl.profiles import CLASSIC, NEWARCH, Profile, profile_of_release
from tests.unit.oracle import canal_answers, open_answers
from tests.unit.oracle.changes import drop, put
from tests.unit.oracle.judging import SMALL, Change, answer_of, asked, ddl_event, judged, row_event
from tests.unit.oracle.open_answers import case_of, ddl, row
from tests.unit.oracle.test_open_spelling_blame import TEXTS

V5_3, V6_5 = profile_of_release("v5.3.0"), profile_of_release("v6.5.0")
UPDATE, DELETE = case_of("encode", row("update", f="0.2")), case_of("encode", row("delete"))


def small(op: str, column: dict[str, Any], value: str | None, keys: dict[str, Any], **options: str) -> Case:
    """A row change of a small table whose last column is another."""
    table = {**SMALL, "columns": [*SMALL["columns"], {"nullable": False, **column}], **keys}
    base = {"id": "1", "a": "2", column["name"]: value}
    return asked("open-protocol", "encode", row_event(op, base=base, ts=7, a="3"), table=table, options=options)


def of_85(op: str) -> Case:
    column = {"name": "g", "type": "varbinary(5)", "nullable": True, "generated": "stored"}
    return small(op, column, "eA==", {"unique_keys": [{"name": "u", "columns": ["g"]}]})


def of_46(op: str) -> Case:
    column = {"name": "g", "type": "varchar(5)", "generated": "stored"}
    return small(op, column, "x", {"primary_key": ["id", "g"]})


CHANGED_ONLY = {"only-output-updated-columns": "true"}
VIRTUAL = small(
    "update", {"name": "v", "type": "int", "nullable": True, "generated": "virtual"}, "4", {}, **CHANGED_ONLY
)
LONG = put("value.p.f.v", Decimal("0.100000001"))
LONG_IN_DELETE = put("value.d.f.v", Decimal("0.100000001"))

CANAL_DELETE = canal_answers.case_of(canal_answers.row("delete"))
REDUCED = canal_answers.case_of(
    canal_answers.row("update", n="8"),
    options={**canal_answers.EXTENSION, "large-message-handle-option": "handle-key-only", "max-message-bytes": "500"},
    table={**canal_answers.TABLE, "primary_key": []},
)

MESSAGES: list[tuple[str, str, Case, Change, Profile]] = [
    ("OP-034", "key.tbl", case_of("encode", ddl(table="")), put("key.tbl", "t"), CLASSIC),
    ("OP-034", "key.scm", case_of("encode", ddl_event(7, schema="")), put("key.scm", "test"), CLASSIC),
    ("OP-058", "value.p.v", VIRTUAL, put("value.p.v", None), NEWARCH),
    ("OP-080a", "value.p.f.v", UPDATE, LONG, V6_5),
    ("OP-080a", "value.d.f.v", DELETE, LONG_IN_DELETE, V6_5),
    ("OP-254", "value.p.g.f", of_85("update"), put("value.p.g.f", 1), NEWARCH),
    ("OP-254", "value.d.g.f", of_85("delete"), put("value.d.g.f", 1), NEWARCH),
    ("OP-255", "value.p.g.f", of_46("update"), put("value.p.g.f", 1), CLASSIC),
    ("OP-255", "value.d.g.f", of_46("delete"), put("value.d.g.f", 1), CLASSIC),
    ("CJ-042", "value._tidb.commitTs", canal_answers.case_of(ddl_event(0)), put("_tidb.commitTs", 1), NEWARCH),
    ("CJ-113", "value.old[0].n", REDUCED, put("old.0.n", "7"), NEWARCH),
    ("CJ-502b", "value.old[0]", CANAL_DELETE, put("old", [None]), V5_3),
    ("CJ-502b", "value.old[0].n", CANAL_DELETE, drop("old.0.n"), V5_3),
]


@pytest.mark.parametrize(("requirement", "path", "case", "change", "profile"), MESSAGES)
def test_a_check_speaks_of_a_rare_fault_in_a_message(
    requirement: str, path: str, case: Case, change: Change, profile: Profile
) -> None:
    right = answer_of(case, profile)
    assert judged(case, right, profile).findings == []
    if case.protocol == "canal-json":
        wrong = canal_answers.with_message(right, change)
    else:
        wrong = open_answers.with_message(case, change, profile)
    found = judged(case, wrong, profile).findings
    assert (requirement, path) in {(f.requirement, f.path) for f in found}


# -- the text of a key -------------------------------------------------------------------------------------------------

SPELLED = [row for row in TEXTS if "OP-070" <= row[0] <= "OP-076"]


@pytest.mark.parametrize(("requirement", "character", "written", "instead"), SPELLED)
def test_a_check_speaks_of_an_escape_in_the_location_of_a_file(
    requirement: str, character: str, written: str, instead: str
) -> None:
    options = {"large-message-handle-option": "claim-check", "claim-check-storage-uri": f"file:///a{character}b"}
    case = case_of("encode", row("insert", x="y" * 3000), options={**options, "max-message-bytes": "1000"})

    def respelled(tree: Any) -> None:
        location = tree["key"]["ccl"]
        folder, name = f"file:///a{written}b/", location.rpartition("/")[2]
        text = f'{{"ts":7,"scm":"test","tbl":"t","t":1,"ohk":true,"ccl":"{folder}{name}"}}'
        tree["key"] = text.replace(written, instead, 1).encode()

    found = judged(case, open_answers.with_message(case, respelled)).findings
    assert {(f.requirement, f.path) for f in found} == {(requirement, "text.key.string")}


# -- events ------------------------------------------------------------------------------------------------------------

MEMBERS = ",".join(f"'m{i}'" for i in range(64))
HIGHEST = case_of(
    "decode",
    row_event("update", base={"id": "1", "a": "2", "s": "m0,m63"}, ts=7, a="3"),
    table={**SMALL, "columns": [*SMALL["columns"], {"name": "s", "type": f"set({MEMBERS})"}]},
)
DELETED = case_of("decode", row("delete"))


def put_to(case: Case, *requirements: str) -> Case:
    return replace(case, requirements=requirements)


EVENTS: list[tuple[str, str, Case, Any]] = [
    ("OP-024a", "event.schema", case_of("decode", ddl_event(7, schema="")), "test"),
    ("OP-105", "event.before.w", put_to(DELETED, "OP-105"), "2024-01-02 03:04:05.601"),
    ("OP-114", "event.after.s", HIGHEST, "m0"),
    ("OP-114", "event.before.s", HIGHEST, "m0"),
    ("OP-116", "event.before.c", put_to(DELETED, "OP-116"), "z"),
    ("OP-120", "event.before.x", replace(DELETED, send_tables=False), {"base64": "eQ=="}),
    ("OP-142", "event.before.q", replace(DELETED, send_tables=False), "AAAA"),
    ("OP-239", "event.after.s", HIGHEST, "m0"),
    ("OP-239", "event.before.s", HIGHEST, "m0"),
    ("OP-240", "event.before.y", put_to(DELETED, "OP-240"), "2023"),
]


@pytest.mark.parametrize(("requirement", "path", "case", "value"), EVENTS)
def test_a_check_speaks_of_a_rare_fault_in_an_event(requirement: str, path: str, case: Case, value: Any) -> None:
    answer = answer_of(case)
    assert judged(case, answer).findings == []
    put(path.removeprefix("event."), value)(answer["ok"]["events"][0])
    found = judged(case, answer).findings
    assert (requirement, path) in {(f.requirement, f.path) for f in found}
