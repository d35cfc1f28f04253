"""When two leaves of Avro or Canal-JSON are the same, one value in other words, or another value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from conformance.oracle.avro.compare import compare, fields_at, is_row_leaf
from conformance.oracle.canal_json.compare import compare as compare_canal
from conformance.oracle.canal_json.compare import is_another_value, json_spelling
from conformance.oracle.canal_json.reading import place_of_file
from conformance.oracle.canal_json.values import reads_alike
from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind
from tests.unit.oracle.judging import ddl_event
from tests.unit.oracle.places import holds, place
from tests.unit.oracle.places_of_avro_records import tree_of

FIELDS = {
    "key.row.c": "key.schema.fields",
    "value.row.c": "value.schema.fields",
    "value.before.c": "value.schema.before.type.fields",
}
INT, LONG, STRING, BYTES, FLOAT = ({"type": kind} for kind in ("int", "long", "string", "bytes", "float"))
TO_TWO, FIXED = {**BYTES, "logicalType": "decimal", "scale": 2}, {"type": "fixed", "size": 2}


def leaf(
    column: str,
    expected: str,
    got: str,
    kind: Mapping[str, Any] | None = STRING,
    given: Mapping[str, Any] | None = None,
    path: str = "value.row.c",
) -> Place:
    """A value of a row, by its Avro type, and by that of what was given if it is another one."""
    trees = (tree_of(f"{FIELDS[path]}.c", {"type": one}) for one in (kind, given or kind))
    tree, other = trees
    return place("avro", path, expected, got, column=column)._replace(expected_tree=tree, got_tree=other)


VALUES: list[tuple[Kind | None, Place]] = [
    # -- numbers
    (Kind.VALUE, leaf("int", "1", "2", INT)),
    (None, leaf("int", "1", "01", INT, STRING)),
    (Kind.TEXT, leaf("int", "1", "01", STRING)),
    (None, leaf("tinyint(1)", "1", "true", INT, {"type": "boolean"})),
    (None, leaf("tinyint(1)", "0", "false", INT, {"type": "boolean"})),
    (Kind.VALUE, leaf("tinyint(1)", "0", "true", INT, {"type": "boolean"})),
    (Kind.VALUE, leaf("tinyint(1)", "1", "false", INT, {"type": "boolean"})),
    (Kind.VALUE, leaf("int", "1", "1.0", STRING)),
    (Kind.VALUE, leaf("int", "1", "+ 1", STRING)),
    (Kind.VALUE, leaf("int", "12", "1_2", STRING)),
    (Kind.VALUE, leaf("int", "1", "x", STRING)),
    (Kind.VALUE, leaf("int", "y", "x", STRING)),
    (Kind.TEXT, leaf("int", "1", "+1", STRING)),
    (Kind.TEXT, leaf("bigint unsigned", str(2**63), str(-(2**63)), LONG)),
    (None, leaf("bigint unsigned", str(2**63), str(-(2**63)), STRING, LONG)),
    (Kind.VALUE, leaf("bigint unsigned", str(2**63), str(-(2**63)), STRING)),
    (Kind.VALUE, leaf("bigint", "-1", str(2**64 - 1), LONG)),
    (Kind.VALUE, leaf("int unsigned", str(2**32 - 1), str(2**32 - 1 - 2**64), LONG)),
    (Kind.VALUE, leaf("bigint unsigned", "1", str(2**63 + 1), LONG)),
    (Kind.VALUE, leaf("bigint unsigned", "64", "0", LONG)),
    (Kind.TEXT, leaf("bit(16)", "0041", "41", BYTES)),
    (None, leaf("bit(16)", "0141", "0141", BYTES, FIXED)),
    (None, leaf("bit(16)", "0141", "321", BYTES, STRING)),
    (None, leaf("bit(16)", "321", "0141", STRING, FIXED)),
    (Kind.VALUE, leaf("bit(16)", "0141", "4101", BYTES)),
    (Kind.VALUE, leaf("bit(16)", "ffff", "-1", BYTES, STRING)),
    (None, leaf("bit(16)", "ffff", "65535", BYTES, STRING)),
    (None, leaf("year", "2024", "02024", INT, STRING)),
    # -- decimals
    (None, leaf("decimal(5,2)", "7d", "1.25", TO_TWO, STRING)),
    (None, leaf("decimal(5,2)", "1.25", "7d", STRING, TO_TWO)),
    (None, leaf("decimal(5,2)", "1.00", "01", STRING, FIXED)),
    (Kind.TEXT, leaf("decimal(5,2)", "7d", "007d", TO_TWO)),
    (None, leaf("decimal(5,2)", "83", "-1.25", TO_TWO, STRING)),
    (Kind.VALUE, leaf("decimal(5,2)", "83", "1.31", TO_TWO, STRING)),
    (Kind.VALUE, leaf("decimal(5,2)", "017d", "7d01", TO_TWO)),
    (Kind.VALUE, leaf("decimal(5,2)", "7d", "12.5", TO_TWO, STRING)),
    (Kind.TEXT, leaf("decimal(5,2)", "1.50", "1.5", STRING)),
    (Kind.TEXT, leaf("decimal(5,2)", "1.50", "15e-1", STRING)),
    (Kind.VALUE, leaf("decimal(5,2)", "1.50", "1_5e-1", STRING)),
    (Kind.VALUE, leaf("decimal(5,2)", "1.50", "1.51", STRING)),
    (Kind.VALUE, leaf("decimal(65,2)", "1" * 40 + ".50", "1" * 40 + ".51", STRING)),
    *(
        (Kind.VALUE, leaf("decimal(5,2)", "7d", "7d", TO_TWO, {**TO_TWO, "scale": scale})._replace(got="7e"))
        for scale in (-1, 10**6, 10**12, 2, True, None, "2")
    ),
    *(
        (Kind.TEXT, leaf("decimal(5,2)", "7d", "7d", {**TO_TWO, "scale": 0}, {**TO_TWO, "scale": scale}))
        for scale in (True, None, "2", 0)
    ),
    (Kind.TEXT, leaf("decimal(5,2)", "7d", "04e2", {**TO_TWO, "scale": 2}, {**TO_TWO, "scale": 3})),
    (Kind.TEXT, leaf("decimal(5,0)", "64", "01", {**TO_TWO, "scale": 0}, {**TO_TWO, "scale": -2})),
    *((Kind.VALUE, leaf("decimal(5,2)", "1.50", text, STRING)) for text in ("1e999999999", "1e-999999999", "x", "")),
    (Kind.VALUE, leaf("decimal(5,2)", "7d", "7", TO_TWO)),
    # -- floats
    (None, leaf("float", "0.1", "0.10000000149011612", FLOAT)),
    (None, leaf("float", "0.1", "0.10000000149011612", FLOAT, {"type": "double"})),
    (Kind.VALUE, leaf("double", "0.1", "0.10000000149011612", FLOAT)),
    (None, leaf("double", "0.1", "0.10", FLOAT, STRING)),
    (Kind.VALUE, leaf("float", "0.1", "0.1001", FLOAT)),
    (Kind.VALUE, leaf("float", "nan", "NaN", FLOAT)),
    # -- bytes and texts
    (None, leaf("blob", "6162", "ab", BYTES, STRING)),
    (None, leaf("blob", "6162", "6162", BYTES, FIXED)),
    (Kind.VALUE, leaf("blob", "6162", "6162", BYTES, STRING)),
    (Kind.VALUE, leaf("blob", "61", "6100", BYTES)),
    (Kind.VALUE, leaf("varbinary(3)", "61", "6100", BYTES)),
    (Kind.TEXT, leaf("binary(3)", "61", "610000", BYTES)),
    (Kind.VALUE, leaf("binary(3)", "61", "0061", BYTES)),
    (Kind.VALUE, leaf("binary(3)", "61", "6120", BYTES)),
    (None, leaf("text", "é", "c3a9", STRING, BYTES)),
    (None, leaf("text", "é", "c3a9", STRING, FIXED)),
    (Kind.VALUE, leaf("text", "é", "e9", STRING, BYTES)),
    (None, leaf("text", "\\xe9", "e9", STRING, BYTES)),
    (Kind.VALUE, leaf("text", "a", "A")),
    (Kind.VALUE, leaf("text", "1", "01")),
    (Kind.VALUE, leaf("enum('a','b')", "a", "b")),
    (Kind.TEXT, leaf("set('a','b')", "a,b", "b,a")),
    (Kind.VALUE, leaf("set('a','b')", "a,b", "a")),
    (Kind.VALUE, leaf("set('a','b')", "a,b", "a;b")),
    (None, leaf("set('a','b')", "a,b", "622c61", STRING, BYTES)),
    (Kind.TEXT, leaf("json", '{"a": 1, "b": 2}', '{"b":2,"a":1}')),
    (Kind.VALUE, leaf("json", "[1]", "[2]")),
    # -- times
    *(
        (kind, leaf("datetime(3)", "2024-01-02 03:04:05.100", got))
        for got, kind in (
            ("2024-01-02T03:04:05.1", Kind.TEXT),
            ("20240102 3:4:5.1", Kind.TEXT),
            ("2024-1-2 03:04:05.100", Kind.TEXT),
            ("2024-01-02 03:04:05.001", Kind.VALUE),
            ("2024-01-02 03:04:05", Kind.VALUE),
            ("2024-01-02 03:04:06.1", Kind.VALUE),
            ("2024-01-02 03:05:05.1", Kind.VALUE),
            ("2024-01-02 04:04:05.1", Kind.VALUE),
            ("2024-01-03 03:04:05.1", Kind.VALUE),
            ("2024-02-02 03:04:05.1", Kind.VALUE),
            ("2025-01-02 03:04:05.1", Kind.VALUE),
            ("-2024-01-02 03:04:05.1", Kind.VALUE),
            ("2024-01-02 03:04:05.1Z", Kind.VALUE),
            ("2024-01-02 03:04:05.010", Kind.VALUE),
            ("٢024-01-02 03:04:05.1", Kind.VALUE),
            ("2024-01-02 03:04", Kind.VALUE),
            ("2024-01-02X03:04:05.1", Kind.VALUE),
        )
    ),
    *(
        (kind, leaf("time(1)", "-101:02:03.5", got))
        for got, kind in (
            ("-101:2:3.50", Kind.TEXT),
            ("101:02:03.5", Kind.VALUE),
            ("-101:02:03.6", Kind.VALUE),
        )
    ),
    (Kind.TEXT, leaf("datetime", "2024-01-02 00:00:00", "2024-01-02")),
    (Kind.TEXT, leaf("date", "2024-01-02", "2024-01-02 00:00:00")),
    (Kind.VALUE, leaf("date", "2024-01-02", "2024-01-03")),
    (Kind.TEXT, leaf("timestamp", "2024-01-02 00:00:00", "2024-01-02 00:00:00.000")),
    (None, leaf("date", "2024-01-02", b"2024-01-02".hex(), STRING, BYTES)),
    (Kind.VALUE, leaf("date", "soon", "later")),
    # -- by the type of the record that the value stands in
    *((None, leaf("blob", "6162", "ab", BYTES, STRING, path)) for path in FIELDS),
    (Kind.VALUE, leaf("blob", "6162", "ab", BYTES, STRING)._replace(expected_tree={}, got_tree={})),
    (Kind.TEXT, leaf("int", "1", "01", {**STRING, "logicalType": "x"}, {**STRING, "logicalType": "y"})),
    (Kind.VALUE, leaf("int", "1", "01")._replace(column=None)),
    (Kind.VALUE, leaf("int", "1", "01")._replace(path=("value", "other", "c"))),
    (Kind.VALUE, leaf("int", "1", "01")._replace(path=("value", "row", "c", "c"))),
]


@pytest.mark.parametrize(("kind", "where"), VALUES)
def test_two_values_differ_as_what_they_stand_for(kind: Kind | None, where: Place) -> None:
    assert compare(where) is kind


LEAVES: list[tuple[str, bool]] = [
    ("key.row.c", True),
    ("value.before.c", True),
    ("value.row", False),
    ("value.schema.c", False),
    ("value.row.c.c", False),
    ("row.value.c", False),
]


@pytest.mark.parametrize(("path", "is_leaf"), LEAVES)
def test_a_leaf_of_a_row_stands_in_a_row_or_the_row_before(path: str, is_leaf: bool) -> None:
    assert is_row_leaf(place("avro", path)) is is_leaf


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("key.row.c", "key.schema.fields"),
        ("value.row.c", "value.schema.fields"),
        ("value.before.c", "value.schema.before.type.fields"),
        ("value.schema.before.type.fields.c", "value.schema.before.type.fields"),
        ("value.schema.fields.before", "value.schema.fields"),
        ("value.row.before", "value.schema.fields"),
        ("key.schema.name", "key.schema.fields"),
    ],
)
def test_the_fields_of_a_record_stand_in_its_schema(path: str, fields: str) -> None:
    assert ".".join(map(str, fields_at(place("avro", path)))) == fields


# -- what is no value of a row -----------------------------------------------------------------------------------------

SUBJECTS = {"registry": {"subjects": {"a-key": ["t(id)"], "a-value": ["t(id, c)"]}}}
ELSE: list[tuple[Kind | None, Place]] = [
    (None, place("avro", "registry.subjects.a-key.0", "t(id)", "t(id)", tree=SUBJECTS)),
    (None, place("avro", "registry.subjects.a-key.0", "t(id)", "x", tree=SUBJECTS)),
    (Kind.VALUE, place("avro", "registry.subjects.a-key.0", "t(id)", "t(id, c)", tree=SUBJECTS)),
    (None, place("avro", "registry.subjects.a-value.0", "t(id)", "t(id, c)", tree=SUBJECTS)),
    (Kind.VALUE, place("avro", "registry.other.a-key.0", "t(id)", "x", tree=SUBJECTS)),
    (Kind.VALUE, place("avro", "registry.repeated", 0, 1)),
    (None, place("avro", "registry.repeated", 0, 1, event=ddl_event())),
    (Kind.VALUE, place("avro", "registry.other", 0, 1, event=ddl_event())),
    *(
        (kind, place("avro", "value.schema.fields.c.type.connect.parameters.allowed", expected, got))
        for expected, got, kind in (
            ("a,b\\,c", "a,b,c", Kind.TEXT),
            ("it's", "it\\'s", Kind.TEXT),
            ("it's", "it''s", Kind.TEXT),
            ("a,b", "b,a", Kind.VALUE),
            ("a", "a", None),
        )
    ),
    (Kind.VALUE, place("avro", "value.schema.fields.c.type.connect.parameters.other", "a\\,b", "a,b")),
    (None, place("avro", "value.schema.fields.c.default", 1, 1)),
]


@pytest.mark.parametrize(("kind", "where"), ELSE)
def test_what_is_no_value_of_a_row_is_equal_or_not(kind: Kind | None, where: Place) -> None:
    assert compare(where) is kind


# -- Canal-JSON --------------------------------------------------------------------------------------------------------

at = partial(place, "canal-json")
VALUE, OLD, IMAGE, BEFORE = "value.data.0.c", "value.old.0.c", "event.after.c", "event.before.c"

# -- reading alike, and comparing --------------------------------------------------------------------------------------

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
        ("enum('a','b')", "a", "b", True), ("enum('a','b')", "a", "", True), ("enum('a','b')", "a", "c", False),
        ("set('a','b')", "a", "a,b", True), ("set('a','b')", "a", "a,c", False), ("blob", "YWI=", "YWM=", True),
        ("blob", "YWI=", "", True), ("blob", "YWI=", "YQ==", False), ("blob", "YWI=", "YW", False),
        ("blob", "YWI=", "YW*M=", False),
    ],
)  # fmt: skip
def test_another_value_of_an_event_is_one_of_its_type(kind: str, expected: str, got: Any, another: bool) -> None:
    assert is_another_value(at(IMAGE, expected, got, column=kind)) is another


ALIKE: list[tuple[str, Any, Any, bool]] = [
    (VALUE, "1", "01", True), (OLD, "1", "01", True), (IMAGE, "1", "01", True), (BEFORE, "1", "01", True),
    (VALUE, "1", "2", False), (VALUE, 1, "1", False), (VALUE, "1", 1, False), ("value.mysqlType.c", "1", "01", False),
    ("value.data.0.d", "1", "01", False),
]  # fmt: skip


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
    assert compare_canal(at(path, expected, got)) is kind


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
    ("CJ-701", '"a\\"b"', '"a\\u0022b"', True), ("CJ-701", '"a\\\\b"', '"a\\u005cb"', True),
    ("CJ-702", '"\\u003c"', '"<"', True), ("CJ-702", '"\\u003E"', '">"', True), ("CJ-702", '"\\u0026"', '"&"', True),
    ("CJ-703", '"\\t"', '"\\u0009"', True), ("CJ-704", '"\\u001f"', '"\\u001F"', True),
    ("CJ-705", '"\\u2028"', '"\u2028"', True), ("CJ-708", '"\\ufffd"', '"\ufffd"', True),
    ("CJ-707", '"/"', '"\\/"', True), ("CJ-706", '"é"', '"\\u00e9"', True), ("CJ-706", '"/"', '"\\/"', False),
    ("CJ-701", '"\\"é"', '"\\"\\u00e9"', False), ("CJ-706", '"\\"é"', '"\\"\\u00e9"', True),
    ("CJ-701", '"\\""', '"\\""', True), ("CJ-707", '"\\""', '"\\""', False),
]  # fmt: skip


@pytest.mark.parametrize(("requirement", "expected", "got", "speaks"), ESCAPES)
def test_the_first_unit_that_differs_says_which_requirement_speaks(
    requirement: str, expected: str, got: str, speaks: bool
) -> None:
    assert holds(f"is_escape_of_it={requirement}", at("text.value.string", expected, got)) is speaks


@pytest.mark.parametrize(
    ("name", "literal", "named"),
    [
        ("a b", '"a b"', True), ("a b", '"a c"', False), ("c", '"c"', False), ("é", '"é"', True),
        ("<c", '"\\u003cc"', True), ("<c", '"\\u003cd"', False), ('"c', '"\\"c"', True), ("1c", '"1c"', True),
    ],
)  # fmt: skip
def test_a_literal_is_the_name_of_a_column_that_needs_an_escape(name: str, literal: str, named: bool) -> None:
    keys = {"columns": [{"name": "id", "type": "int", "nullable": False}, {"name": name, "type": "int"}]}
    event = {"kind": "row", "op": "insert", "schema": "test", "table": "t", "commit_ts": "7", "before": None}
    event |= {"after": {"id": "1", name: "2"}}
    assert holds("is_name_of_column", at("text.value.string", literal, literal, keys=keys, event=event)) is named
