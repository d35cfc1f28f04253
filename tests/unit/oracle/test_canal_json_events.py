"""What a decoder must answer, what it may leave out, and which requirement speaks where it answers otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from tests.unit.oracle.canal_answers import EXTENSION, case_of, row
from tests.unit.oracle.judging import answer_of, assert_charged, judged

Edit = Callable[[Any], None]

DECODE: dict[str, Any] = {"role": "decode"}
INSERT = case_of(row("insert"), **DECODE)
UPDATE = case_of(row("update", n="8"), **DECODE)
DELETE = case_of(row("delete"), **DECODE)
PLAIN = case_of(row("insert"), options={}, **DECODE)
PARTIAL = case_of(row("update", n="8"), options={"only-output-updated-columns": "true"}, **DECODE)
COMPATIBLE = case_of(row("insert"), options={"content-compatible": "true"}, **DECODE)
BEYOND = case_of(row("insert", n="4294967295"), **DECODE)
NULLS = case_of(row("insert", n=None, x="null"), **DECODE)
WATERMARK = case_of({"kind": "watermark", "commit_ts": "429819990172237825"}, **DECODE)


def put(*path: str, to: Any) -> Edit:
    def edit(event: Any) -> None:
        for step in path[:-1]:
            event = event[step]
        event[path[-1]] = to

    return edit


def drop(*path: str) -> Edit:
    def edit(event: Any) -> None:
        for step in path[:-1]:
            event = event[step]
        del event[path[-1]]

    return edit


def _answered(case: Case, edit: Edit) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(json.dumps(answer_of(case)))
    edit(answer["ok"]["events"][0])
    return answer


WRONG: list[tuple[str, Case, Edit, set[str]]] = [
    ("kind", INSERT, put("kind", to="ddl"), {"CJ-801"}),
    ("operation", INSERT, put("op", to="update"), {"CJ-016"}),
    ("table", INSERT, put("table", to="T"), {"CJ-015"}),
    ("a value in no form", INSERT, put("after", "b", to={"index": "1"}), {"CJ-380"}),
    ("a label by a number that is none", INSERT, put("after", "e", to={"index": "x"}), {"CJ-390"}),
    ("time stamp", INSERT, put("commit_ts", to="1"), {"CJ-042"}),
    ("rounded time stamp", INSERT, put("commit_ts", to="429819990172237824"), {"CJ-885", "CJ-042"}),
    ("time stamp invented", PLAIN, put("commit_ts", to="1"), {"CJ-886"}),
    ("image invented", INSERT, lambda e: e.update(before=e["after"]), {"CJ-886"}),
    ("image lost", DELETE, put("before", to=None), {"CJ-032"}),
    ("before image lost", UPDATE, put("before", to=None), {"CJ-501"}),
    ("column lost", INSERT, drop("after", "n"), {"CJ-030a"}),
    ("old column lost", UPDATE, drop("before", "n"), {"CJ-501"}),
    ("changed column lost", PARTIAL, drop("before", "n"), {"CJ-504"}),
    ("virtual column invented", INSERT, put("after", "v", to="1"), {"CJ-886"}),
    ("name in capitals", INSERT, lambda e: e["after"].update(N=e["after"].pop("n")), {"CJ-037"}),
    ("value lost", INSERT, put("after", "n", to=None), {"CJ-034b"}),
    ("text null lost", NULLS, put("after", "x", to=None), {"CJ-035"}),
    ("NULL as text", NULLS, put("after", "n", to="0"), {"CJ-034a", "CJ-034b"}),
    ("another number", INSERT, put("after", "b", to="2"), {"CJ-380"}),
    ("number beyond the signed range", BEYOND, put("after", "n", to="-1"), {"CJ-883", "CJ-034b"}),
    ("another decimal", INSERT, put("after", "d", to="1.60"), {"CJ-034b"}),
    ("decimal without its scale", INSERT, put("after", "d", to="1.5"), {"CJ-388"}),
    ("enum as bytes", COMPATIBLE, put("after", "e", to="x"), {"CJ-884", "CJ-034b"}),
    ("bytes as characters", INSERT, put("after", "bin", to="YWI="), {"CJ-399"}),
    ("another JSON", INSERT, put("after", "j", to='{"a": 2}'), {"CJ-034b"}),
    ("watermark", WATERMARK, put("commit_ts", to="1"), {"CJ-046"}),
    ("statement out of nothing", INSERT, put("query", to="x"), {"CJ-886"}),
]


@pytest.mark.parametrize(("case", "edit", "expected"), [w[1:] for w in WRONG], ids=[w[0] for w in WRONG])
def test_a_wrong_event_is_charged_to_the_requirement_that_speaks_of_it(
    case: Case, edit: Edit, expected: set[str]
) -> None:
    assert_charged(judged(case, _answered(case, edit)), expected)


FREE: list[tuple[str, Case, Edit]] = [
    ("enum by its number", INSERT, put("after", "e", to={"index": "2"})),
    ("double in other words", INSERT, put("after", "f", to="1e7")),
    ("JSON in other words", INSERT, put("after", "j", to='{"b":[1.50,"x"],"a":1}')),
    ("unchanged columns filled in", PARTIAL, lambda e: e["before"].update(b="1", a="k")),
    ("information", INSERT, put("source", to={"pos": 7})),
]


@pytest.mark.parametrize(("case", "edit"), [f[1:] for f in FREE], ids=[f[0] for f in FREE])
def test_what_a_format_leaves_open_is_no_finding(case: Case, edit: Edit) -> None:
    assert judged(case, _answered(case, edit)).findings == []


def test_a_column_that_is_filled_in_must_have_its_value() -> None:
    answer = _answered(PARTIAL, put("before", "b", to="2"))
    assert_charged(judged(PARTIAL, answer), {"CJ-380"})


def test_a_refused_message_is_charged_to_the_dispatch_of_messages() -> None:
    refusal = {"rejected": {"class": "type", "message": ""}}
    assert_charged(judged(INSERT, refusal), {"CJ-801"})


def test_a_refusal_of_a_message_in_the_order_of_the_document_is_charged_to_the_order() -> None:
    [record] = INSERT.records
    assert record.value is not None
    head, _, tail = record.value.partition(b'"old":null,')
    data, _, extension = tail.partition(b',"_tidb"')
    shown = replace(INSERT, records=(replace(record, value=head + data + b',"old":null,"_tidb"' + extension),))
    refusal = {"rejected": {"class": "schema", "message": ""}}
    assert_charged(judged(shown, refusal), {"CJ-880"})


def test_a_row_reduced_to_its_key_carries_the_key_alone() -> None:
    options = {**EXTENSION, "large-message-handle-option": "handle-key-only", "max-message-bytes": "800"}
    case = case_of(row("insert", x="y" * 2000), options=options, **DECODE)
    answer = answer_of(case)
    assert answer["ok"]["events"][0]["after"] == {"b": "1", "a": "k"}
    assert judged(case, answer).findings == []


def test_a_row_put_into_storage_is_more_than_its_key() -> None:
    options = {
        **EXTENSION,
        "large-message-handle-option": "claim-check",
        "claim-check-storage-uri": "file:///claims",
        "max-message-bytes": "800",
    }
    case = case_of(row("insert", x="y" * 2000), options=options, **DECODE)
    answer = _answered(case, put("after", to={"b": "1", "a": "k"}))
    assert_charged(judged(case, answer), {"CJ-133"})
