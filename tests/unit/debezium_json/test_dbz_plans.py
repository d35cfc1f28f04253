"""Plans for rows: what the schema leaves out, and when a table is believed."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, RowChange, Table, Value
from tests.unit.debezium_json.messages import OMIT, changed, compact, decode_one, named, refusal, without_schema

_ENUM = named("string", "data.Enum", allowed="a,b")


def message(field: dict[str, Any], given: Any) -> dict[str, Any]:
    """An insert into the column `c`; `field` is all that its schema says."""
    fields = [{"field": "c", **field}]
    return changed({"schema.fields.0.fields": fields, "schema.fields.1.fields": fields, "payload.after": {"c": given}})


def after(tree: Any, *tables: Table, **how: Any) -> Any:
    event = decode_one(tree, *tables, **how)
    assert isinstance(event, RowChange)
    return event.after


def table_of(kind: str) -> Table:
    return Table("test", "table1", (Column("c", parse_column_type(kind)),))


@pytest.mark.parametrize(("field", "given"), [({"type": "string"}, "a"), (_ENUM, "a")])
def test_a_column_that_does_not_say_so_is_not_optional(field: dict[str, Any], given: str) -> None:
    for members, reason in (({}, "type"), ({"optional": False}, "type"), ({"optional": True}, None)):
        assert after(message(field | members, given)) == {"c": given}
        null = message(field | members, None)
        if reason is None:
            assert after(null) == {"c": None}
        else:
            assert refusal(null) == reason


def test_null_is_a_value_of_a_row_without_schema() -> None:
    tree = without_schema({"payload.after": {"c": None, "d": None}})
    assert after(tree, table_of("int")) == {"c": None, "d": None}


@pytest.mark.parametrize("tables", [(), (table_of("geometry"),)])
@pytest.mark.parametrize("name", ["Geometry", "Point"])
def test_a_geometry_is_read_with_and_without_its_table(tables: tuple[Table, ...], name: str) -> None:
    field = {"type": "struct", "name": f"io.debezium.data.geometry.{name}"}
    assert after(message(field, {"wkb": "YQ=="}), *tables) == {"c": b"a"}


def test_without_a_schema_a_geometry_of_the_table_is_read_as_nobody_describes_it() -> None:
    assert after(without_schema({"payload.after": {"c": "YQ=="}}), table_of("geometry")) == {"c": "YQ=="}


# Schema, column of the known table, what stands in the payload, value: by the table if it fits the form.
REFINED: list[tuple[dict[str, Any], str, Any, Value]] = [
    ({"type": "boolean"}, "tinyint(1)", True, "1"),
    ({"type": "int32"}, "int unsigned", -1, "4294967295"),
    ({"type": "int64"}, "bigint unsigned", -1, "18446744073709551615"),
    (named("bytes", "connect.Decimal", scale="0"), "bigint unsigned", "AP//////////", "18446744073709551615"),
    (named("bytes", "connect.Decimal", scale="2"), "decimal(5,2)", "AJY=", "1.50"),
    ({"type": "float"}, "float(10,2)", 1.5, "1.5"),
    ({"type": "double"}, "float", 1.5, "1.5"),
    ({"type": "float"}, "double", 1.5, "1.5"),
    ({"type": "double"}, "decimal(5,2)", 1.5, "1.50"),
    ({"type": "string"}, "decimal(5,2)", "1.50", "1.50"),
    ({"type": "string"}, "varbinary(5)", "YQ==", b"a"),
    *(
        ({"type": "bytes"}, word, "YQ==", b"a")
        for word in ("binary(1)", "varbinary(5)", "tinyblob", "blob", "mediumblob", "longblob")
    ),
    (named("int64", "connect.Timestamp"), "datetime", 1000, "1970-01-01 00:00:01"),
    (named("int32", "connect.Time"), "time(1)", 100, "00:00:00.1"),
    (named("int64", "connect.Timestamp"), "datetime(6)", 100, "1970-01-01 00:00:00.100000"),
    (named("int64", "time.Timestamp"), "datetime(2)", 100, "1970-01-01 00:00:00.10"),
    ({"type": "double", "tidb_type": "decimal"}, "decimal(10,4)", 1.5, "1.5000"),
    ({"type": "string"}, "varbinary(3)", "_---", b"\xff\xef\xbe"),
    (named("array", "data.FloatVector"), "vector(1)", [1], "[1]"),
    (named("int64", "time.Timestamp"), "datetime(3)", 1, "1970-01-01 00:00:00.001"),
    ({"type": "string"}, "int", "x", "x"),
    ({"type": "int16"}, "varchar(5)", 1, "1"),
    (_ENUM, "int", "a", "a"),
]


@pytest.mark.parametrize(("field", "kind", "given", "value"), REFINED)
def test_a_table_that_fits_the_form_of_a_column_gives_its_type(
    field: dict[str, Any], kind: str, given: Any, value: Value
) -> None:
    assert after(message(field, given), table_of(kind)) == {"c": value}


_BITS = named("bytes", "data.Bits", length="9")
_SCALE_4 = named("bytes", "connect.Decimal", scale="4")

# Schema, column of the known table, what stands in the payload, value: labels, length and scale are the schema's.
CHANGED: list[tuple[dict[str, Any], str, Any, Value]] = [
    (_ENUM, "enum('a')", "b", "b"),
    (_ENUM, "enum('x','y')", "a", "a"),
    (_ENUM, "enum('a,b')", "a,b", "a,b"),  # a label with a comma that is not escaped
    (_ENUM | {"name": "io.debezium.data.EnumSet"}, "set('a')", "a,b", "a,b"),
    (_BITS, "bit(4)", "/wE=", "511"),
    (_SCALE_4, "decimal(10,2)", "AJY=", "0.0150"),
]


@pytest.mark.parametrize(("field", "kind", "given", "value"), CHANGED)
def test_a_table_that_a_statement_may_have_changed_does_not_prevail(
    field: dict[str, Any], kind: str, given: Any, value: Value
) -> None:
    assert after(message(field, given), table_of(kind)) == {"c": value}


# What the schema says with `tidb_type`, what stands in the payload, value.
LOOSE: list[tuple[dict[str, Any], Any, Value]] = [
    (named("int64", "time.Timestamp", "datetime"), 1, "1970-01-01 00:00:00.001"),
    (named("int64", "time.MicroTimestamp", "datetime"), 1, "1970-01-01 00:00:00.000001"),
    ({"type": "boolean", "tidb_type": "bit"}, True, "1"),
    (named("bytes", "data.Bits", "bit", length="9"), "AQE=", "257"),
]


@pytest.mark.parametrize(("field", "given", "value"), LOOSE)
def test_a_tidb_type_fits_every_form_of_its_type(field: dict[str, Any], given: Any, value: Value) -> None:
    assert after(message(field, given)) == {"c": value}


@pytest.mark.parametrize("zone", ["UTC", "+08:00"])
def test_a_timestamp_without_schema_is_shown_in_the_zone_too(zone: str) -> None:
    tree = without_schema({"payload.after": {"c": "2024-01-01T00:00:00Z"}})
    hour = "08" if zone == "+08:00" else "00"
    assert after(tree, table_of("timestamp"), timezone=zone) == {"c": f"2024-01-01 {hour}:00:00"}


def test_a_declared_column_may_be_missing_in_both_images() -> None:
    assert after(changed({"payload.after": {}})) == {}
    assert after(changed({"payload.before": OMIT})) == {"tiny": "1"}


@pytest.mark.parametrize("image", ["before", "after"])
def test_a_schema_may_describe_one_image_alone(image: str) -> None:
    field = {"type": "struct", "optional": True, "field": image, "fields": [{"field": "tiny", "type": "int16"}]}
    for given, value in ((1, "1"), (-(2**15), "-32768")):
        assert after(changed({"schema.fields": [field], "payload.after": {"tiny": given}})) == {"tiny": value}
    assert refusal(changed({"schema.fields": [field], "payload.after": {"tiny": 2**15}})) == "range"


@pytest.mark.parametrize(
    ("op", "before", "row", "key", "fits"),
    [
        ("c", None, 1, 1, True),
        ("c", None, 1, 2, False),
        ("u", 1, 2, 2, True),
        ("u", 1, 2, 1, False),
        ("d", 1, None, 1, True),
        ("d", 1, None, 2, False),
    ],
)
def test_the_key_is_that_of_the_new_row_or_of_the_deleted_one(
    op: str, before: int | None, row: int | None, key: int, fits: bool
) -> None:
    images = {
        name: None if number is None else {"tiny": number} for name, number in (("before", before), ("after", row))
    }
    tree = changed({"payload.op": op, **{f"payload.{name}": image for name, image in images.items()}})
    assert (refusal(tree, key={"payload": {"tiny": key}}) == "semantics") is not fits


def test_a_payload_is_a_payload_whatever_stands_beside_it() -> None:
    assert after(changed({"source": {}})) == {"tiny": "1"}


def test_of_a_binary_default_twice_in_a_payload_alone_the_first_counts() -> None:
    payload = compact(changed({"payload.after": {"c": "?"}})["payload"])
    assert after(payload.replace(b'"c":"?"', b'"c":"YQ==","c":"a"'), table_of("blob")) == {"c": b"a"}
