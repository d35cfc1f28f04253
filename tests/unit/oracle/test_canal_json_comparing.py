"""When two leaves of Canal-JSON are the same, one value in other words, or another value; and how texts are spelled."""

from __future__ import annotations

import base64
import json
from functools import partial
from typing import Any

import pytest

from conformance.oracle.canal_json.compare import compare, is_another_value, json_spelling
from conformance.oracle.canal_json.reading import place_of_file
from conformance.oracle.canal_json.values import reads_alike
from conformance.oracle.tree import Kind
from tests.unit.oracle.canal_answers import case_of, row, with_message
from tests.unit.oracle.judging import answer_of, judged, row_event, table_and_row
from tests.unit.oracle.places import holds, place

at = partial(place, "canal-json")
VALUE, OLD, IMAGE, BEFORE = "value.data.0.c", "value.old.0.c", "event.after.c", "event.before.c"

ANOTHER: list[tuple[str, str, Any, bool]] = [
    ("int", "1", "1", False),
    ("int", "1", None, True),
    ("int", "1", 2, False),
    ("int", "1", "2", True),
    ("int", "1", "01", False),
    ("int", "1", "+2", True),
    ("int", "1", "x", False),
    ("set('a')", "1", "3", True),
    ("bit(8)", "1", "3", True),
    ("year", "2024", "2025", True),
    ("text", "a", "b", True),
    ("json", "[1]", "[2]", True),
    ("json", "[1]", "[1.0]", False),
    ("json", "[1]", "[2", False),
    ("binary(3)", "abc", "abd", True),
    ("binary(3)", "abc", "", True),
    ("binary(3)", "abc", "ab", False),
    ("double", "0", "-0", False),
    ("double", "0.0", "-0.0", False),
    ("double", "0", "1", True),
    ("double", "1", "x", False),
    ("decimal(5,1)", "1.0", "1.1", True),
    ("decimal(5,1)", "1.0", "1", False),
    ("date", "2024-01-02", "2024-01-03", True),
    ("date", "2024-01-02", "2024-1-3", False),
    ("datetime", "2024-01-02 00:00:00", "2024-01-03 00:00:00.123456", True),
    ("datetime", "2024-01-02 00:00:00", "2024-01-03T00:00:00", False),
    ("timestamp", "2024-01-02 00:00:00", "2024-01-03 00:00:00.1234567", False),
    ("timestamp", "2024-01-02 00:00:00", "2024-01-03 00:00:00", True),
    ("time", "01:00:00", "-101:00:00.5", True),
    ("time", "01:00:00", "1:00:00", False),
    ("vector(2)", "[1,2]", "[1,3]", True),
    ("vector(2)", "[1,2]", "1,3", False),
]


@pytest.mark.parametrize(("kind", "expected", "got", "another"), ANOTHER)
def test_another_value_is_one_in_the_form_of_its_type(kind: str, expected: str, got: Any, another: bool) -> None:
    assert is_another_value(at(VALUE, expected, got, column=kind)) is another


@pytest.mark.parametrize(
    ("kind", "expected", "got", "another"),
    [
        ("enum('a','b')", "a", "b", True),
        ("enum('a','b')", "a", "", True),
        ("enum('a','b')", "a", "c", False),
        ("set('a','b')", "a", "a,b", True),
        ("set('a','b')", "a", "a,c", False),
        ("blob", "YWI=", "YWM=", True),
        ("blob", "YWI=", "", True),
        ("blob", "YWI=", "YQ==", False),
        ("blob", "YWI=", "YW", False),
        ("blob", "YWI=", "YW*M=", False),
    ],
)
def test_another_value_of_an_event_is_one_of_its_type(kind: str, expected: str, got: Any, another: bool) -> None:
    assert is_another_value(at(IMAGE, expected, got, column=kind)) is another


ALIKE: list[tuple[str, Any, Any, bool]] = [
    (VALUE, "1", "01", True),
    (OLD, "1", "01", True),
    (IMAGE, "1", "01", True),
    (BEFORE, "1", "01", True),
    (VALUE, "1", "2", False),
    (VALUE, 1, "1", False),
    (VALUE, "1", 1, False),
    ("value.mysqlType.c", "1", "01", False),
    ("value.data.0.d", "1", "01", False),
]


@pytest.mark.parametrize(("path", "expected", "got", "alike"), ALIKE)
def test_two_texts_read_alike_in_a_column_of_an_image(path: str, expected: Any, got: Any, alike: bool) -> None:
    assert reads_alike(at(path, expected, got)) is alike


CLAIM = "file:///a/b.json"
COMPARED: list[tuple[str, Any, Any, Kind | None]] = [
    ("value.ts", 1700000000000, 1700000000001, None),
    ("value.ts", 1700000000, 1700000000, Kind.VALUE),
    ("value.ts", 1700000000000, "1700000000000", Kind.VALUE),
    ("value.isDdl", False, 0, None),
    ("record.partition", "partition 0", "partition 1", None),
    ("value._tidb.claimCheckLocation", CLAIM, "file:///a/c.json", None),
    ("value._tidb.claimCheckLocation", CLAIM, "file:///b/b.json", Kind.VALUE),
    ("claim.record.partition", "x", "y", None),
    ("claim.value.sql", "[1]", "[ 1.0]", None),
    ("claim.value.sql", "[1]", "[2]", Kind.VALUE),
    ("claim.value.es", 1, 2, Kind.VALUE),
    (VALUE, "1", "01", Kind.TEXT),
    (OLD, "1", "2", Kind.VALUE),
    ("value.mysqlType.c", "1", "01", Kind.VALUE),
    ("value.sql", "1", "1", None),
]


@pytest.mark.parametrize(("path", "expected", "got", "kind"), COMPARED)
def test_a_leaf_differs_as_its_place_counts_differences(path: str, expected: Any, got: Any, kind: Kind | None) -> None:
    assert compare(at(path, expected, got)) is kind


SPELLED = [
    ("[1]", "[1]", "same"),
    ("[1, 2]", "[1,2]", "space"),
    ('[{"a": 1, "b": 2}]', '[{"b": 2, "a": 1}]', "order"),
    ('{"x": [{"a": 1, "b": 2}]}', '{"x": [{"b": 2, "a": 1}]}', "order"),
    ('["\\u0078"]', '["x"]', "string"),
    ('["a \\" b", 1]', '["a \\" b", 1.0]', "number"),
    ("[1.0]", "[1]", "number"),
]


@pytest.mark.parametrize(("expected", "got", "difference"), SPELLED)
def test_two_texts_of_one_json_value_differ_in_one_way(expected: str, got: str, difference: str) -> None:
    assert json_spelling(expected, got) == difference


@pytest.mark.parametrize(
    ("location", "place_"),
    [
        (CLAIM, "file:///a/*.json"),
        ("b.json", "*.json"),
        ("file:///a/b.txt", "file:///a/b.txt"),
        ("a.json\n", "a.json\n"),
    ],
)
def test_the_name_of_a_file_is_free_where_it_ends_in_json(location: str, place_: str) -> None:
    assert place_of_file(location) == place_


# -- texts -------------------------------------------------------------------------------------------------------------

ESCAPES: list[tuple[str, str, str, bool]] = [
    ("CJ-701", '"a\\"b"', '"a\\u0022b"', True),
    ("CJ-701", '"a\\\\b"', '"a\\u005cb"', True),
    ("CJ-702", '"\\u003c"', '"<"', True),
    ("CJ-702", '"\\u003E"', '">"', True),
    ("CJ-702", '"\\u0026"', '"&"', True),
    ("CJ-703", '"\\t"', '"\\u0009"', True),
    ("CJ-704", '"\\u001f"', '"\\u001F"', True),
    ("CJ-705", '"\\u2028"', '"\u2028"', True),
    ("CJ-708", '"\\ufffd"', '"\ufffd"', True),
    ("CJ-707", '"/"', '"\\/"', True),
    ("CJ-706", '"é"', '"\\u00e9"', True),
    ("CJ-706", '"/"', '"\\/"', False),
    ("CJ-701", '"\\"é"', '"\\"\\u00e9"', False),
    ("CJ-706", '"\\"é"', '"\\"\\u00e9"', True),
    ("CJ-701", '"\\""', '"\\""', True),
    ("CJ-707", '"\\""', '"\\""', False),
]


@pytest.mark.parametrize(("requirement", "expected", "got", "speaks"), ESCAPES)
def test_the_first_unit_that_differs_says_which_requirement_speaks(
    requirement: str, expected: str, got: str, speaks: bool
) -> None:
    assert holds(f"is_escape_of_it={requirement}", at("text.value.string", expected, got)) is speaks


@pytest.mark.parametrize(
    ("name", "literal", "named"),
    [
        ("a b", '"a b"', True),
        ("a b", '"a c"', False),
        ("c", '"c"', False),
        ("é", '"é"', True),
        ("<c", '"\\u003cc"', True),
        ("<c", '"\\u003cd"', False),
        ('"c', '"\\"c"', True),
        ("1c", '"1c"', True),
    ],
)
def test_a_literal_is_the_name_of_a_column_that_needs_an_escape(name: str, literal: str, named: bool) -> None:
    keys = {"columns": [{"name": "id", "type": "int", "nullable": False}, {"name": name, "type": "int"}]}
    event = {"kind": "row", "op": "insert", "schema": "test", "table": "t", "commit_ts": "7", "before": None}
    event |= {"after": {"id": "1", name: "2"}}
    assert holds("is_name_of_column", at("text.value.string", literal, literal, keys=keys, event=event)) is named


def test_rows_gathered_in_one_message_break_the_rule_of_one_row() -> None:
    case = case_of(row("insert", b="1"), row("insert", b="2"))
    answer = answer_of(case)
    first, second = (json.loads(base64.b64decode(record["value"])) for record in answer["ok"]["records"])
    gathered = with_message(answer, lambda message: message.update(data=first["data"] + second["data"]))
    del gathered["ok"]["records"][1]
    assert {f.requirement for f in judged(case, gathered).findings} == {"CJ-032"}
    lost = {"ok": {**answer["ok"], "records": answer["ok"]["records"][:1]}}
    assert {f.requirement for f in judged(case, lost).findings} == {"CJ-888"}


@pytest.mark.parametrize(
    ("declared", "written", "wrong", "requirement"),
    [
        ("float(10,0)", "float", "float(10,0)", "CJ-366"),
        ("double(10,0) unsigned", "double unsigned", "double(10,0) unsigned", "CJ-366"),
        ("char(0)", "char(0)", "char", "CJ-372"),
        ("varbinary(0)", "varbinary(0)", "varbinary", "CJ-373"),
        (r"enum('a\b')", r"enum('a\b')", r"enum('a\\b')", "CJ-377"),
        (r"set('a\b')", r"set('a\b')", r"set('a\\b')", "CJ-377"),
    ],
)
def test_a_full_type_name_is_that_of_tidb(declared: str, written: str, wrong: str, requirement: str) -> None:
    table, values = table_and_row(("id", "int not null", "1"), ("c", declared, None), primary_key=["id"])
    case = case_of(row_event("insert", base=values), table=table, options={"content-compatible": "true"})
    answer = answer_of(case)
    assert json.loads(base64.b64decode(answer["ok"]["records"][0]["value"]))["mysqlType"]["c"] == written
    assert not judged(case, answer).findings
    other = with_message(answer, lambda message: message["mysqlType"].update(c=wrong))
    assert {f.requirement for f in judged(case, other).findings} == {requirement}
