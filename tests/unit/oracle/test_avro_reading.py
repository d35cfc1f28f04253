"""Messages of Avro taken apart by the oracle's own reader: bytes worked out by hand or by another implementation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from conformance.oracle.avro import ORACLE
from reference_impl.avro import Options
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.registry import RegisteredSchema
from tests.unit.oracle.avro_answers import text_of

INT = {"type": "int", "connect.parameters": {"tidb_type": "INT"}}
ID, AGE = {"name": "id", "type": INT}, {"default": None, "name": "age", "type": ["null", INT]}
EXTENSION = [
    {"default": "", "name": "_tidb_op", "type": "string"},
    {"default": 0, "name": "_tidb_commit_ts", "type": "long"},
    {"default": 0, "name": "_tidb_commit_physical_time", "type": "long"},
]


def record(*fields: Any, **members: Any) -> dict[str, Any]:
    """The schema of a table `person`."""
    return {"type": "record", "name": "person", "namespace": "default.test", "fields": list(fields), **members}


KEY = record(ID)
VALUE = record(ID, AGE, *EXTENSION)
BEFORE = record(
    *(ID, AGE, {"default": None, "name": "_ticdc_before", "type": ["null", record(ID, AGE, name="person_before")]}),
    *EXTENSION,
)
SCHEMAS = {1: text_of(KEY), 2: text_of(VALUE), 3: text_of(BEFORE)}
WATCHED = Options(enable_tidb_extension=True, avro_enable_watermark=True)


def read(
    key: str | None, value: str | None, schemas: Mapping[int, str] = SCHEMAS, options: Options | None = None
) -> Mapping[str, Any]:
    """The tree of a message, both parts in hexadecimal digits."""
    parts = [None if part is None else bytes.fromhex(part) for part in (key, value)]
    [message] = ORACLE.read(Record(*parts), options or Options(), schemas).messages
    return message.tree


def refused(key: str | None, value: str | None, schemas: Mapping[int, str] = SCHEMAS) -> tuple[str, str]:
    """Class and message of the rejection."""
    with pytest.raises(Rejected) as caught:
        read(key, value, schemas)
    return str(caught.value.reason), caught.value.message


def body_of(kind: Any, body: str) -> Any:
    """The value of a lone field of a type."""
    return read("0000000009" + body, None, {9: json.dumps(record({"name": "c", "type": kind}))})["key"]["row"]["c"]


PAIR = {"type": "fixed", "name": "pair", "size": 2}


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (PAIR, "pair"),
        (PAIR, "default.test.pair"),  # a name without a namespace is in that of what it stands in
        ({**PAIR, "namespace": "x.y"}, "x.y.pair"),
        ({**PAIR, "name": "x.y.pair"}, "x.y.pair"),
        (["null", PAIR], "pair"),
        ({"type": PAIR}, "pair"),
        (PAIR, ["null", "pair"]),
    ],
)
def test_a_type_that_has_a_name_is_meant_by_it_afterwards(first: Any, again: Any):
    branches = ["02" if isinstance(kind, list) else "" for kind in (first, again)]
    schema = record({"name": "c", "type": first}, {"name": "d", "type": again})
    body = f"{branches[0]}0102{branches[1]}0304"
    assert read("0000000009" + body, None, {9: json.dumps(schema)})["key"]["row"] == {"c": "0102", "d": "0304"}


@pytest.mark.parametrize("kind", ["person", ["null", "person"]])
@pytest.mark.parametrize("others", [[], [ID, AGE]], ids=["alone", "before the columns"])
def test_a_record_that_contains_itself_is_refused_as_a_schema(kind: Any, others: list[Any]):
    schemas = {9: json.dumps(record({"name": "self", "type": kind}, *others))}
    reason, message = refused(None, "0000000009" + "02" * 5000, schemas)
    assert (reason, "nest more than 64 levels deep" in message) == ("schema", True)


def test_a_record_within_another_of_its_kind_is_read_where_it_ends():
    schemas = {9: json.dumps(record(ID, {"name": "self", "type": ["null", "person"]}))}
    assert read("0000000009" + "02020400", None, schemas)["key"]["row"] == {
        "id": "1",
        "self": {"id": "2", "self": None},
    }


def test_a_name_inside_a_nested_record_is_in_the_namespace_of_that_record():
    inner = {"type": "record", "name": "x.y.in", "fields": [{"name": "a", "type": PAIR}, {"name": "b", "type": "pair"}]}
    schemas = {9: json.dumps(record({"name": "c", "type": inner}, {"name": "d", "type": "x.y.pair"}))}
    row = read("0000000009" + "010203040506", None, schemas)["key"]["row"]
    assert row == {"c": {"a": "0102", "b": "0304"}, "d": "0506"}
    assert refused("0000000009" + "0102", None, {9: json.dumps(record({"name": "c", "type": "pair"}))})[0] == "schema"


def test_a_name_inside_a_record_that_is_meant_by_its_name_is_in_the_namespace_of_that_record():
    inner = {"type": "record", "name": "in", "fields": [{"name": "a", "type": PAIR}, {"name": "b", "type": "pair"}]}
    outer = {"type": "record", "name": "x.y.out", "fields": [{"name": "i", "type": inner}]}
    schemas = {9: json.dumps(record({"name": "c", "type": outer}, {"name": "d", "type": "x.y.in"}))}
    row = read("0000000009" + "0102030405060708", None, schemas)["key"]["row"]
    assert row == {"c": {"i": {"a": "0102", "b": "0304"}}, "d": {"a": "0506", "b": "0708"}}


def test_columns_extension_and_the_row_before_stand_apart():
    tree = read("000000000102", "0000000003" + "020228020202240275821000")
    assert tree["key"]["row"] == {"id": "1"}
    assert tree["value"]["row"] == {"id": "1", "age": "20"}
    assert tree["value"]["before"] == {"id": "1", "age": "18"}
    times = {"_tidb_op": "u", "_tidb_commit_ts": "1025", "_tidb_commit_physical_time": "0"}
    assert tree["value"]["extension"] == times


def test_the_time_of_a_commit_is_read_whole():
    tree = read(None, "0000000002" + "0202240263888080f08eb8ceca0b80f7c0f3d45c")
    assert tree["key"] is None
    assert tree["value"]["extension"]["_tidb_commit_ts"] == "417318403368288260"
    assert tree["value"]["extension"]["_tidb_commit_physical_time"] == "1591943372224"


def test_a_number_of_more_bytes_than_it_needs_is_seen():
    assert read("000000000102", None)["key"]["varints"] == "minimal"
    assert read("00000000018200", None)["key"]["varints"] == "padded"


def test_a_key_or_value_that_is_not_there_is_null_and_one_of_no_bytes_is_not():
    assert read(None, None) == {"key": None, "value": None}
    assert read("", "") == {"key": "", "value": ""}


@pytest.mark.parametrize("text", ["oops", "[]", '"int"', '{"type":"record","name":"t","fields":[{"name":"a"}]}'])
def test_a_text_that_is_no_schema_of_a_record_is_told(text: str):
    reason, message = refused("000000000102", None, {1: text})
    assert (reason, message.startswith("key: not a schema")) == ("schema", True)


def test_registrations_are_told_by_subject_and_fields():
    def request(subject: str, schema: Any) -> RegisteredSchema:
        return RegisteredSchema(1, subject, text_of(schema))

    found = ORACLE.registry_tree(
        [request("a.b-key", KEY), request("a_b-key", KEY), request("a_b-value", record(ID, AGE))]
    )
    assert found == {"subjects": {"a_b-key": ["person(id)"], "a_b-value": ["person(id, age)"]}, "repeated": 1}
    thrice = ORACLE.registry_tree([request("a-key", KEY)] * 3)
    assert thrice == {"subjects": {"a-key": ["person(id)"]}, "repeated": 2}
    again = ORACLE.registry_tree([request("a-key", one) for one in (KEY, record(ID, AGE), KEY)])
    assert again == {"subjects": {"a-key": ["person(id)", "person(id, age)", "person(id)"]}, "repeated": 0}
