"""When two leaves of Avro are the same, one value in other words, or another value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from conformance.oracle.avro.compare import compare, fields_at, is_row_leaf
from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind
from tests.unit.oracle.judging import ddl_event
from tests.unit.oracle.places import place
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
EXCHANGED = {"registry": {"subjects": {"a-key": ["t(id, c)"], "a-value": ["t(id)"]}}}
ALIKE = {"registry": {"subjects": {"a-key": ["t(id, c)"], "a-value": ["t(id, c)"]}}}
SECOND = place("avro", "registry.subjects.a-key.0", "t(id)", "t(id, c)", tree=SUBJECTS)
ELSE: list[tuple[Kind | None, Place]] = [
    (None, place("avro", "registry.subjects.a-key.0", "t(id)", "t(id)", tree=SUBJECTS)),
    (None, place("avro", "registry.subjects.a-key.0", "t(id)", "x", tree=SUBJECTS)),
    (Kind.VALUE, SECOND._replace(got_tree=EXCHANGED)),
    (None, SECOND._replace(got_tree=ALIKE)),
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
