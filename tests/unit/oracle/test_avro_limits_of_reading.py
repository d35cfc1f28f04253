"""Where reading a datum of Avro ends: bounds of numbers, unions, names and depth, and what looks like a mark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.oracle.avro import ORACLE
from conformance.oracle.avro.binary import named_types
from conformance.oracle.avro.expected_events import renamed
from reference_impl.avro import Options
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from reference_impl.wire import table_from_json
from tests.unit.oracle.avro_answers import WATCHED as WATCHED_OPTIONS
from tests.unit.oracle.avro_answers import case_of, row
from tests.unit.oracle.judging import OLD, SMALL, ddl_event, options_of
from tests.unit.oracle.test_avro_reading import AGE, ID, KEY, WATCHED, body_of, read, record, refused

ENUM = {"type": "enum", "name": "e", "symbols": ["a", "b"]}
PAIR = {"type": "fixed", "name": "pair", "size": 2}
BOTH = ["null", "int"]


@pytest.mark.parametrize(
    ("kind", "body", "value"),
    [
        (ENUM, "00", "a"),
        (ENUM, "02", "b"),
        (PAIR, "0a0b", "0a0b"),
        ({"type": "int"}, "02", "1"),
        ({"type": ["null", "int"]}, "0202", "1"),
        ("boolean", "00", "false"),
        ("int", "00", "0"),
        ("int", "808001", "8192"),
        ("string", "02ff", "\\xff"),
        ("float", "0000c03f", "1.5"),
        ("double", "000000000000f83f", "1.5"),
        (["null", "int", "string"], "040261", "a"),
        ("int", "01", "-1"),
        ("int", "feffffff0f", "2147483647"),
        ("int", "ffffffff0f", "-2147483648"),
        ("long", "feffffffffffffffff01", "9223372036854775807"),
        ("long", "ffffffffffffffffff01", "-9223372036854775808"),
        ("string", "2639323233333732303336383534373735383038", "9223372036854775808"),
        ("string", "06e6b58b", "测"),
        ("string", "00", ""),
        ("bytes", "060102ff", "0102ff"),
        ("boolean", "01", "true"),
        (["null", "int"], "0202", "1"),
        (["null", "int"], "00", None),
        (["int", "null"], "0002", "1"),
        (["int", "null"], "02", None),
    ],
)
def test_a_datum_is_read_by_its_schema(kind: Any, body: str, value: str | None) -> None:
    assert body_of(kind, body) == value


@pytest.mark.parametrize(
    ("kind", "body", "reason", "why"),
    [
        (ENUM, "04", "syntax", "symbol 2 of 2"),
        (ENUM, "01", "syntax", "symbol -1 of 2"),
        (BOTH, "04", "syntax", "union branch 2 of 2"),
        (BOTH, "01", "syntax", "union branch -1 of 2"),
        ("boolean", "02", "syntax", "a boolean of 2"),
        ("int", "8080808010", "syntax", "a number of more than 32 bits"),
        ("int", "ffffffff1f", "syntax", "a number of more than 32 bits"),
        ("long", "80808080808080808002", "syntax", "a number of more than 64 bits"),
        ("long", "8080808080808080808001", "syntax", "a number of more than ten bytes"),
        ("int", "80", "syntax", "the datum is cut"),
        ("string", "0461", "syntax", "the datum is cut"),
        ("string", "01", "syntax", "the datum is cut"),
        ("int", "0202", "syntax", "1 bytes after the datum"),
        (PAIR, "0a", "syntax", "the datum is cut"),
        ("x", "02", "schema", "no Avro type is called 'x'"),
        ({"type": "array", "items": "int"}, "02", "schema", "an Avro type 'array'"),
        ({"type": "fixed", "name": "f"}, "02", "schema", "the schema has an invalid type: KeyError"),
        ({"type": "enum", "name": "f", "symbols": 5}, "02", "schema", "the schema has an invalid type: TypeError"),
        ({"type": "fixed", "name": "f", "size": "x"}, "02", "schema", "the schema has an invalid type: ValueError"),
    ],
)
def test_a_datum_beyond_its_bounds_is_refused(kind: Any, body: str, reason: str, why: str) -> None:
    schemas = {9: json.dumps(record({"name": "c", "type": kind}))}
    assert refused("0000000009" + body, None, schemas) == (reason, f"key: the body is no datum: {why}")


def test_a_body_with_the_branches_exchanged_is_known() -> None:
    schemas = {9: json.dumps(record({"name": "c", "type": BOTH}, {"name": "d", "type": BOTH}))}
    assert refused("0000000009" + "000402", None, schemas)[1].startswith(
        "key: the branches of its unions are exchanged"
    )
    three = {9: json.dumps(record({"name": "c", "type": ["null", "int", "long"]}))}
    assert refused("0000000009" + "0004", None, three)[1].startswith("key: the body is no datum")


@pytest.mark.parametrize("mark", ["4f626a01", "c301"])
def test_the_mark_of_a_file_or_an_object_is_known(mark: str) -> None:
    assert refused("0000000001" + mark + "02", None)[1].startswith("key: a mark stands before the datum")
    assert refused("0000000001" + "02" + mark, None)[1].startswith("key: the body is no datum")


def test_an_id_is_four_bytes() -> None:
    text = json.dumps(KEY)
    assert read("00" + "01000009" + "02", None, {0x01000009: text})["key"]["row"] == {"id": "1"}
    assert refused("00" + "01000009" + "02", None, {9: text}) == ("schema", "key: nothing has the id: 16777225")
    assert refused("00" + "09000001" + "02", None, {0x01000009: text})[1].startswith(
        "key: an id that is read backwards"
    )
    assert refused("0000000001", None, {1: json.dumps(KEY)})[1].startswith("key: the body is no datum")
    assert refused("00000001", None) == ("framing", "key: no header of 5 bytes in 4")
    assert refused("090000000102", None) == ("framing", "key: no header: the first byte is 9")


def test_a_value_that_is_cut_behind_the_key_columns_has_a_damaged_body_and_the_right_id() -> None:
    """The schema of the key reads such a body; in a key it shows that the id is that of the value's schema."""
    schemas = {1: json.dumps(KEY), 2: json.dumps(record(ID, AGE))}
    assert read("000000000102", "0000000002020202", schemas)["value"]["row"] == {"id": "1", "age": "1"}
    cut = refused("000000000102", "000000000202", schemas)
    assert cut == ("syntax", "value: the body is no datum: the datum is cut")
    other = "the id of another schema: {}, the body is a datum of {}"
    assert refused("000000000202", None, schemas) == ("schema", "key: " + other.format(2, 1))
    assert refused("000000000102", "0000000001020202", schemas) == ("schema", "value: " + other.format(1, 2))


def test_a_value_under_the_id_of_an_older_schema_has_another_id_also_where_all_columns_are_keys() -> None:
    """Key and value have the same schema then, so that the key's schema reads the value."""
    schemas = {1: json.dumps(record(ID)), 2: json.dumps(record(ID, AGE))}
    assert read("0000000002020202", "0000000002020202", schemas)["value"]["row"] == {"id": "1", "age": "1"}
    stale = refused("0000000002020202", "0000000001020202", schemas)
    assert stale == ("schema", "value: the id of another schema: 1, the body is a datum of 2")


@pytest.mark.parametrize(("levels", "is_read"), [(63, True), (64, False), (900, False)])
def test_types_nest_64_levels_deep(levels: int, is_read: bool) -> None:
    others = [{"name": f"n{i}", "type": "int"} for i in range(9)]
    text = json.dumps(record(*others, {"name": "c", "type": "?"})).replace(
        '"?"', '{"type":' * levels + '"int"' + "}" * levels
    )
    if is_read:
        assert read("0000000009" + "02" * 10, None, {9: text})["key"]["row"]["c"] == "1"
    else:
        assert "nest more than 64 levels deep" in refused("0000000009" + "02" * 10, None, {9: text})[1]


@pytest.mark.parametrize(
    ("count", "body", "is_read"), [(9999, "", True), (10000, "", False), (10007, "01", True), (10008, "01", False)]
)
def test_a_datum_has_ten_thousand_values_and_eight_a_byte_at_most(count: int, body: str, is_read: bool) -> None:
    first = [{"name": "b", "type": "boolean"}] * bool(body)
    fields = [*first, *({"name": f"n{i}", "type": "null"} for i in range(count - len(first)))]
    schemas = {9: json.dumps(record(*fields))}
    if is_read:
        assert len(read("0000000009" + body, None, schemas)["key"]["row"]) == count
    else:
        assert "have too many values" in refused("0000000009" + body, None, schemas)[1]


NAMED: list[tuple[Any, Sequence[str]]] = [
    (ENUM, ["n.e"]),
    ({**ENUM, "namespace": "m"}, ["m.e"]),
    ({**ENUM, "name": "o.e"}, ["o.e"]),
    ({"type": ENUM}, ["n.e"]),
    (["null", ENUM, PAIR], ["n.e", "n.pair"]),
    ({"type": ["null", ENUM]}, ["n.e"]),
    ("int", []),
    ({"type": "int"}, []),
    ({"type": "record", "name": "m.r", "fields": [{"name": "a", "type": ENUM}, "odd"]}, ["m.r", "m.e"]),
    ({"type": "record", "name": "r", "fields": 5}, ["n.r"]),
    ({"type": {"type": "record", "name": "r", "fields": [{"name": "a", "type": ENUM}]}}, ["n.r", "n.e"]),
    ({"fields": [{"name": "a", "type": ENUM}]}, ["n.e"]),
]


@pytest.mark.parametrize(("schema", "names"), NAMED)
def test_every_named_type_is_found_by_its_full_name(schema: Any, names: Sequence[str]) -> None:
    assert list(named_types(schema, "n")) == names


def test_a_name_without_a_namespace_is_a_full_one() -> None:
    assert list(named_types(ENUM)) == ["e"]
    assert named_types(ENUM)["e"] is ENUM


# -- values of the test mode -------------------------------------------------------------------------------------------

TIME = "0000000000000009"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("02" + TIME, {"marker": "watermark", "commit_ts": 9}),
        ("03" + TIME, {"marker": "delete", "commit_ts": 9}),
        ("01" + b"{}".hex(), {"marker": "ddl", "ddl": {}}),
    ],
)
def test_what_looks_like_a_value_of_the_test_mode_is_one_outside_of_it_too(value: str, found: Any) -> None:
    assert read(None, value)["value"] == found
    assert read(None, value, options=WATCHED)["value"] == found


@pytest.mark.parametrize("value", ["02" + TIME + "00", "02" + TIME[2:], "0100" + b"{}".hex(), "01", "04" + TIME])
def test_what_does_not_look_like_one_has_no_header_outside_of_the_test_mode(value: str) -> None:
    assert refused(None, value)[1].startswith("value: no header")


@pytest.mark.parametrize(
    ("value", "reason", "why"),
    [
        ("02" + TIME[2:], "framing", "value: a watermark with a time stamp of 7 bytes"),
        ("03" + TIME + "00", "framing", "value: a delete with a time stamp of 9 bytes"),
        ("01" + b"{".hex(), "syntax", "value: a DDL statement: not JSON"),
        ("04" + TIME, "framing", "value: no header: the first byte is 4"),
    ],
)
def test_a_broken_value_of_the_test_mode_says_what_it_is(value: str, reason: str, why: str) -> None:
    with pytest.raises(Rejected) as caught:
        read(None, value, options=WATCHED)
    assert (str(caught.value.reason), caught.value.message[: len(why)]) == (reason, why)


def test_a_key_is_no_value_of_the_test_mode() -> None:
    assert refused("02" + TIME, None)[0] == "framing"


# -- trees, texts, identities ------------------------------------------------------------------------------------------


def message(key: Any, value: Any, key_body: str = "02", value_body: str = "02") -> Any:
    """A message of two schemas."""
    schemas = {8: json.dumps(key), 9: json.dumps(value)}
    data = bytes.fromhex("0000000008" + key_body), bytes.fromhex("0000000009" + value_body)
    [found] = ORACLE.read(Record(*data), Options(), schemas).messages
    return found


def test_a_message_is_what_its_rows_and_names_say() -> None:
    one = message(KEY, record(ID)).identity
    assert message({**KEY, "doc": "x"}, record(ID)).identity == one
    assert message(KEY, record(ID), "8200", "8200").identity == one
    assert message(KEY, record(ID), key_body="04").identity != one
    assert message(KEY, record(ID), value_body="04").identity != one
    assert message({**KEY, "name": "x"}, record(ID)).identity != one
    assert message({**KEY, "namespace": "x"}, record(ID)).identity != one
    assert message(KEY, {**record(ID), "namespace": "x"}).identity != one
    two = message(KEY, record(ID, AGE), value_body="020228").identity
    assert message(KEY, record(AGE, ID), value_body="022802").identity == two
    assert message(KEY, record(ID, {**AGE, "type": AGE["type"][::-1]}), value_body="020028").identity == two
    assert message(KEY, record(ID, AGE), value_body="02022a").identity != two


def test_the_texts_of_a_message_are_its_schemas_or_its_statement() -> None:
    assert message(KEY, record(AGE, ID), value_body="020202").texts == {
        "key": json.dumps(KEY),
        "value": json.dumps(record(AGE, ID)),
    }
    reading = ORACLE.read(Record(None, b'\1{"a": 1}', headers=(("h", b""),)), WATCHED, {})
    assert reading.messages[0].texts == {"value": '{"a": 1}'}
    assert reading.frame == {"headers": ["h"]}
    assert ORACLE.read(Record(None, bytes.fromhex("02" + TIME)), WATCHED, {}).messages[0].texts == {}


@pytest.mark.parametrize(
    ("kind", "tree", "nullable"),
    [
        ("int", {"type": "int"}, "no"),
        (["null", "int"], {"type": "int"}, "null first"),
        (["int", "null"], {"type": "int"}, "null last"),
        ([{"type": "null"}, {"type": "int", "a": 1}], {"type": "int", "a": 1}, "null first"),
        (["int"], {"type": "int"}, "value"),
        (["null"], {"type": "null"}, "null"),
        (["null", "int", "long"], {"type": "int"}, "null, value, value"),
    ],
)
def test_a_field_has_its_type_in_one_form(kind: Any, tree: Any, nullable: str) -> None:
    body = "" if kind == ["null"] else "02"
    first = "00" if isinstance(kind, list) else ""
    where = {"null first": "02", "null last": "00", "null, value, value": "02"}.get(nullable, first)
    schemas = {9: json.dumps(record({"name": "c", "type": kind, "doc": "d"}))}
    found = read("0000000009" + where + body, None, schemas)["key"]["schema"]["fields"]["c"]
    assert found == {"name": "c", "type": tree, "doc": "d", "nullable": nullable}


OP, TS = {"name": "_tidb_op", "type": "string"}, {"name": "_tidb_commit_ts", "type": "long"}
OLD_ROW = {"name": "_ticdc_before", "type": ["null", record(ID, name="b")], "default": None}


@pytest.mark.parametrize(
    ("fields", "body", "is_tail"),
    [
        ([ID, OLD_ROW, OP], "02" + "00" + "00", True),
        ([ID, OP, TS], "02" + "00" + "00", True),
        ([ID, OP, OLD_ROW], "02" + "00" + "00", False),
        ([OP, ID], "00" + "02", False),
        ([OLD_ROW, ID], "00" + "02", False),
        ([ID], "02", True),
    ],
)
def test_the_row_before_and_the_extension_follow_the_columns(fields: Any, body: str, is_tail: bool) -> None:
    schema = read(None, "0000000009" + body, {9: json.dumps(record(*fields))})["value"]["schema"]
    names = [field["name"] for field in fields]
    assert schema["is_tail"] is is_tail
    assert list(schema["fields"]) == ["id"]
    assert list(schema.get("extension", ())) == [name for name in names if name.startswith("_tidb")]
    assert ("before" in schema) is ("_ticdc_before" in names)
    if "before" in schema:
        assert schema["before"]["nullable"] == "null first"
        assert list(schema["before"]["type"]["fields"]) == ["id"]


def test_a_row_before_that_is_no_record_is_told() -> None:
    schemas = {9: json.dumps(record(ID, {"name": "_ticdc_before", "type": "int"}))}
    found = read(None, "0000000009" + "0204", schemas)["value"]
    assert (found["schema"]["before"]["type"], found["before"], found["row"]) == ("no record", "2", {"id": "1"})


def test_doubled_members_are_told_at_any_depth() -> None:
    text = json.dumps(KEY).replace('"name": "id"', '"name": "id", "doc": "a", "doc": "b"')
    assert read("000000000902", None, {9: text})["key"]["schema"]["doubled"] == "doc"
    assert read("000000000902", None, {9: json.dumps(KEY)})["key"]["schema"]["doubled"] == ""
    twice = json.dumps(KEY)[:-1] + ', "doc": 1, "doc": [{"a": 1, "a": 2}]}'
    assert read("000000000902", None, {9: twice})["key"]["schema"]["doubled"] == "doc, a"


# -- names and deliveries ----------------------------------------------------------------------------------------------


def test_a_table_with_other_characters_has_every_name_as_its_field_is_called() -> None:
    table = table_from_json(
        {
            **SMALL,
            "columns": [{"name": name, "type": "int", "nullable": False} for name in ("a-b", "1c", "d")],
            "primary_key": ["a-b", "d"],
            "unique_keys": [{"name": "u-1", "columns": ["1c", "d"]}],
        }
    )
    found = renamed(table)
    assert [column.name for column in found.columns] == ["a_b", "_1c", "d"]
    assert found.primary_key == ("a_b", "d")
    assert [(key.name, key.columns) for key in found.unique_keys] == [("u-1", ("_1c", "d"))]
    plain = table_from_json(SMALL)
    assert renamed(plain) is plain


def test_of_a_virtual_column_a_record_shows_that_it_is_there() -> None:
    table = {**SMALL, "columns": [*SMALL["columns"], {"name": "g", "type": "int", "generated": "virtual"}]}
    case = case_of("decode", row("insert", base={**OLD, "g": "4"}), table=table)
    [delivery] = ORACLE.deliveries(case, options_of(case), NEWARCH)
    assert delivery.event.after == {**OLD, "g": None}  # type: ignore[union-attr]


def test_records_in_a_single_partition_may_say_so() -> None:
    case = case_of("decode", row("insert", base=OLD), table=SMALL)
    said = replace(case, records=tuple(replace(record, partition=0) for record in case.records))
    [delivery] = ORACLE.deliveries(said, options_of(said), NEWARCH)
    assert delivery.partition is None


def test_of_two_partitions_a_row_has_one() -> None:
    case = case_of("encode", row("insert", base=OLD), table=SMALL, settings=Settings(partitions=2))
    [delivery] = ORACLE.deliveries(case, options_of(case), NEWARCH)
    assert delivery.partition in (0, 1)


def test_a_row_of_an_unknown_table_is_delivered_without_one() -> None:
    case = case_of("encode", row("insert", base=OLD), ddl_event(), table=SMALL, options=WATCHED_OPTIONS)
    bare = replace(case, tables=())
    assert [d.table for d in ORACLE.deliveries(bare, options_of(bare), NEWARCH)] == [None, None]
    assert [d.partition for d in ORACLE.deliveries(bare, options_of(bare), NEWARCH)] == [None, None]
