"""The perfect answer to an expectation, and the answers that equal it as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.model import ExpectedEvents, ExpectedRecords, ExpectedRejection
from conformance.oracle.perfect import is_perfect, is_same_json, perfect_answer
from conformance.oracle.tree import Maybe
from reference_impl.errors import RejectionClass
from reference_impl.model import Claim, Record
from reference_impl.registry import RegisteredSchema

EVENTS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"kind": "ddl"}, {"kind": "ddl"}), ({"a": frozenset({"2", "1"})}, {"a": "1"}), ({"a": Maybe("1")}, {"a": "1"}),
    ({"a": Maybe(frozenset({"1"}))}, {"a": "1"}), ({"a": Maybe(frozenset({"1", "2"}))}, {}),
    ({"a": {"b": Maybe(frozenset({"1", "2"})), "c": 1}}, {"a": {"c": 1}}),
    ({"after": {"b": Maybe("1"), "c": frozenset({"2", "1"})}}, {"after": {"c": "1"}}),
    ({"before": {"b": Maybe("1"), "c": None}}, {"before": {"c": None}}),
    ({"old": {"b": Maybe("1")}}, {"old": {"b": "1"}}), ({"after": None}, {"after": None}),
    ({"a": [frozenset({"1"}), {"b": Maybe("1")}], "b": ("2",)}, {"a": ["1", {"b": "1"}], "b": ["2"]}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "answered"), EVENTS)
def test_the_perfect_event_has_the_certain_members_and_no_optional_columns(
    event: dict[str, Any], answered: dict[str, Any]
) -> None:
    expected = ExpectedEvents((event,))
    assert perfect_answer(expected) == {"ok": {"events": [answered]}}
    assert is_perfect(expected, {"ok": {"events": [answered]}})
    assert not is_perfect(expected, {"ok": {"events": [answered, answered]}})
    assert not is_perfect(expected, {"ok": {"events": [{**answered, "other": 1}]}})


@pytest.mark.parametrize(
    ("one", "other", "yes"),
    [
        (1, 1, True), (1, True, False), (1, 1.0, False), (1, "1", False), (0.0, -0.0, False), (0.5, 0.5, True),
        (None, None, True), (None, False, False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False), ({"a": 1, "b": 2}, {"a": 1}, False), ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False), ([1, 2], [1, 2], True), ([1, 2], [2, 1], False), ([1], [1, 2], False),
        ([], {}, False), (0, False, False), ("", None, False), ({"a": None}, {}, False),
    ],
)  # fmt: skip
def test_values_are_the_same_by_type_and_content(one: Any, other: Any, yes: bool) -> None:
    assert is_same_json(one, other) is yes
    assert is_same_json([{"a": one}], [{"a": other}]) is yes


EXPECTED = ExpectedRecords(
    (Record(b"k", b"v", 1, "t", (("h", b"x"), ("n", None)), 5, 6), Record(None, None)),
    (Claim("file:///a", b"c"),),
    (RegisteredSchema(7, "s", "{}"),),
)


def answer(part: str = "", at: int = 0, **members: Any) -> dict[str, Any]:
    """The perfect answer with other members in one part."""
    ok = perfect_answer(EXPECTED)["ok"]
    if part:
        ok[part][at] = {**ok[part][at], **members}
    return ok


OTHERS: list[dict[str, Any]] = [
    *(answer("records", 0, **{name: value}) for name, value in (
        ("key", None), ("key", "aw"), ("key", ""), ("value", "dw=="), ("value", None), ("value", 1), ("partition", 2),
        ("partition", "1"), ("partition", None), ("topic", "u"), ("offset", 6), ("timestamp", 7), ("headers", []),
        ("headers", [["h", "eA=="]]), ("headers", [["n", None], ["h", "eA=="]]),
        ("headers", [["h", "eA=="], ["n", ""]]),
        ("headers", [["h", "eA==", 1], ["n", None]]), ("headers", [["i", "eA=="], ["n", None]]), ("headers", "hn"),
    )),
    *(answer("records", 1, **{name: value}) for name, value in (("key", ""), ("value", ""), ("partition", 0))),
    answer("claims", location="file:///b"), answer("claims", value="ZA=="), answer("claims", value=None),
    answer("schemas", id=8), answer("schemas", id="7"), answer("schemas", subject="x"), answer("schemas", schema="[]"),
    answer() | {"records": answer()["records"][:1]}, answer() | {"records": tuple(answer()["records"])},
    answer() | {"records": [*answer()["records"][:1], {"key": None}]},
    answer() | {"records": [*answer()["records"][:1], {"value": None}]},
    answer() | {"records": [*answer()["records"][:1], []]},
    *({name: part for name, part in answer().items() if name != lost} for lost in ("records", "claims", "schemas")),
    answer() | {"claims": []}, answer() | {"schemas": [*answer()["schemas"]] * 2},
]  # fmt: skip


def test_the_perfect_records_equal_their_expectation() -> None:
    assert is_perfect(EXPECTED, {"ok": answer()})
    assert is_perfect(EXPECTED, {"ok": answer("records", 1, headers=None, topic=None)})
    bare = ExpectedRecords(EXPECTED.records)
    assert is_perfect(bare, {"ok": {"records": answer()["records"]}})
    assert not is_perfect(EXPECTED, {"ok": answer(), "other": 1})


@pytest.mark.parametrize("ok", OTHERS)
def test_records_that_differ_in_any_member_are_not_the_perfect_answer(ok: dict[str, Any]) -> None:
    assert not is_perfect(EXPECTED, {"ok": ok})


def test_the_perfect_rejection_has_one_of_the_allowed_classes_and_is_left_to_the_judge() -> None:
    expected = ExpectedRejection(frozenset({RejectionClass.SYNTAX, RejectionClass.RANGE}))
    assert perfect_answer(expected) == {"rejected": {"class": "range", "message": ""}}
    assert not is_perfect(expected, perfect_answer(expected))
