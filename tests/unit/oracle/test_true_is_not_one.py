"""An answer's `true` is no 1, nor its `false` a 0, wherever Python takes one for the other."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from conformance.oracle.open_protocol.conditions import is_swapped
from conformance.oracle.tree import Kind
from tests.unit.oracle.avro_answers import case_of, row, with_message
from tests.unit.oracle.judging import SMALL, answer_of, asked, beside_id, ddl_event, judged
from tests.unit.oracle.places import place


def test_a_default_of_another_json_kind_is_found() -> None:
    table = beside_id({"name": "a", "type": "int", "default": "1"})
    case = case_of("encode", row("insert", base={"id": "1", "a": "1"}), table=table)

    def change(parts: Any) -> None:
        [field] = [one for one in parts["value"]["schema"]["fields"] if one["name"] == "a"]
        assert field["default"] == 1
        field["default"] = True

    findings = judged(case, with_message(case, change)).findings
    at = "value.schema.fields.a.default"
    assert {finding.kind for finding in findings if finding.path == at} == {Kind.JSON_KIND}


@pytest.mark.parametrize(("code", "kinds"), [(1, set()), (True, {Kind.VALUE}), (7, {Kind.VALUE}), (None, {Kind.VALUE})])
def test_a_code_that_may_be_one_of_several_is_no_boolean(code: Any, kinds: set[Kind]) -> None:
    event = ddl_event(query="CREATE DATABASE `test`", table="", action="create schema", action_code=1)
    case = asked("canal-json", "decode", event, table=SMALL)
    [given] = answer_of(case)["ok"]["events"]
    findings = judged(case, {"ok": {"events": [{**given, "action_code": code}]}}).findings
    assert {finding.kind for finding in findings} == kinds


IMAGES = {"value": {"u": {"c": {"v": 1}}, "p": {"c": {"v": 0}}}}
at = partial(place, "open-protocol", "value.u.c.v", 1)


@pytest.mark.parametrize(
    ("got", "other", "swapped"),
    [(0, 1, True), (False, 1, False), (0, True, False), (1, 1, False), (True, 1, False), (0, 0, False)],
)
def test_a_boolean_is_not_the_number_of_the_other_image(got: Any, other: Any, swapped: bool) -> None:
    given = {"value": {"u": {"c": {"v": got}}, "p": {"c": {"v": other}}}}
    assert is_swapped(at(got, tree=IMAGES, given=given)) is swapped


def test_a_boolean_is_another_value_than_the_number_of_both_images() -> None:
    same = {"value": {"u": {"c": {"v": 1}}, "p": {"c": {"v": 1}}}}
    given = {"value": {"u": {"c": {"v": True}}, "p": {"c": {"v": 1}}}}
    assert not is_swapped(at(True, tree=same, given=given))
