"""What the conditions that every protocol shares say of places made by hand, and how they are put together."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from conformance.oracle import conditions
from conformance.oracle.conditions import action, all_of, any_of, event_kind, event_op, no, operation_of, option, shows
from conformance.oracle.rules import AllOf, CachedCondition, Condition, Delivery, Place
from conformance.oracle.tree import MISSING
from reference_impl.column_types import Family
from reference_impl.settings import Settings
from tests.unit.oracle.judging import ddl_event, mark, row_event
from tests.unit.oracle.places import place

at = partial(place, "avro", "value.row.c")
INSERT, STATEMENT, MARK = at(op="insert"), at(event=ddl_event()), at(event=mark())
NOTHING = at()._replace(delivery=None)


def told(event: Any) -> Place:
    """The place of an event that is known as JSON alone."""
    return at()._replace(delivery=Delivery(event, None))


def statement(**members: Any) -> Place:
    return at(event={**ddl_event(), "action": None, "action_code": None, **members})


HOLDS: list[tuple[Condition, bool, Place]] = [
    *(
        (conditions.same, yes, at(expected, got))
        for expected, got, yes in (
            ("1", "1", True),
            ("1", "2", False),
            (1, True, False),
            (True, 1, False),
            (True, True, True),
            (0, False, False),
            (1, Decimal("1.0"), True),
            ([1], [True], False),
            ({"a": 0}, {"a": False}, False),
            ({"a": 1}, {"a": 1}, True),
            (MISSING, MISSING, True),
            (None, MISSING, False),
            (None, None, True),
        )
    ),
    (shows(conditions.is_missed), True, at("1", "1")),
    (shows(conditions.is_missed), True, at("1", MISSING)),
    (shows(conditions.is_missed), False, at("1", "2")),
    (conditions.kind("row"), True, INSERT),
    (conditions.kind("ddl", "watermark"), False, INSERT),
    (conditions.kind("ddl"), True, STATEMENT),
    (conditions.kind("watermark"), True, MARK),
    (conditions.kind("row"), False, NOTHING),
    (conditions.op("insert", "delete"), True, INSERT),
    (conditions.op("update"), False, INSERT),
    (conditions.op("insert"), False, STATEMENT),
    (conditions.family(Family.INT), True, at()),
    (conditions.family(Family.BIGINT), False, at()),
    (conditions.family(Family.INT, Family.BIGINT), True, at(column="bigint")),
    (conditions.family(Family.INT), False, at()._replace(column=None)),
    (action(5, 7), True, statement(action_code=5)),
    (action(7), False, statement(action_code=5)),
    (action(5), True, statement(action="add column")),
    (action(5), False, statement()),
    (action(5), False, INSERT),
    (action(5), False, statement(action="something else")),
    (conditions.kind("watermark"), False, STATEMENT),
    *((conditions.is_expected, yes, at(value)) for value, yes in ((None, True), ("1", True), (MISSING, False))),
    *((conditions.is_null_expected, yes, at(value)) for value, yes in ((None, True), ("1", False), (MISSING, False))),
    *((conditions.is_missed, yes, at("1", got)) for got, yes in ((None, False), (MISSING, True))),
    *((conditions.is_value_expected, yes, at(value)) for value, yes in ((None, False), ({}, True), (MISSING, False))),
    *(
        (conditions.is_null, yes, at(expected, got))
        for expected, got, yes in (
            (None, "1", True),
            ("1", None, True),
            ("1", "1", False),
            (MISSING, None, False),
            (None, None, True),
        )
    ),
    *((conditions.is_empty_text, yes, at(value, "")) for value, yes in (("", True), (None, False), ("x", False))),
    (conditions.is_extension_stated, True, at(options={"enable-tidb-extension": "false"})),
    (conditions.is_extension_stated, False, at()),
    (conditions.has_primary_key, True, at()),
    (conditions.has_primary_key, False, at(keys={"primary_key": []})),
    (conditions.has_primary_key, False, STATEMENT._replace(delivery=None)),
    *(
        (condition, generated == word, at(column={"type": "int", "generated": generated}))
        for condition, word in ((conditions.is_virtual, "virtual"), (conditions.is_stored, "stored"))
        for generated in (None, "virtual", "stored")
    ),
    (conditions.is_stored, False, at()._replace(column=None)),
    (conditions.is_virtual, False, at()._replace(column=None)),
    (option("enable_tidb_extension"), True, at(options={"enable-tidb-extension": "true"})),
    (option("enable_tidb_extension"), False, at()),
    (option("enable_tidb_extension", False), True, at()),
    (conditions.role("encode"), True, at()),
    (conditions.role("decode"), False, at()),
    (conditions.encoded_as("a", "b"), True, at(axes={"encoding": "b"})),
    (conditions.encoded_as("a", "b"), False, at(axes={"encoding": "c"})),
    (conditions.encoded_as("a"), False, at()),
    (conditions.written_for("AV-001"), True, at(requirements=("AV-002", "AV-001"))),
    (conditions.written_for("AV-001"), False, at(requirements=("AV-001a",))),
]


NOT_UTF8 = {"base64": "/w=="}
MIDNIGHT = "2024-01-02 00:00:00"

HOLDS += [
    *(
        (conditions.has_key_change, yes, at(values=values, keys={"primary_key": ["c"]}))
        for values, yes in ((("1", "2"), True), (("1", "1"), False))
    ),
    (conditions.has_key_change, False, at(values=("1", "2"))),
    (conditions.has_key_change, False, at(op="insert", keys={"primary_key": ["c"]})),
    *((conditions.has_statements, yes, where) for where, yes in ((STATEMENT, True), (MARK, False), (INSERT, False))),
    *((conditions.has_watermarks, yes, where) for where, yes in ((MARK, True), (STATEMENT, False), (INSERT, False))),
    *((conditions.is_unsigned, yes, at(column=kind)) for kind, yes in (("int unsigned", True), ("int", False))),
    (conditions.is_unsigned, False, at()._replace(column=None)),
    *((conditions.is_boolean, True, at(column=kind)) for kind in ("tinyint(1)", "bool", "BOOLEAN")),
    (conditions.is_boolean, False, at(column="tinyint")),
    (conditions.is_boolean, False, at()._replace(column=None)),
    (conditions.has_zone, True, at(settings=Settings(timezone="Asia/Tokyo"))),
    (conditions.has_zone, False, at()),
    *(
        (conditions.is_zone_away, yes, at(MIDNIGHT, got))
        for got, yes in (
            ("2024-01-02 09:00:00", True),
            ("2024-01-01 22:45:00", True),
            ("2024-01-03 02:00:00", True),
            ("2023-12-31 22:00:00", True),
            ("2023-12-31 21:45:00", False),
            ("2024-01-03 02:15:00", False),
            ("2024-01-02 00:20:00", False),
            (MIDNIGHT, False),
            ("2024-01-02 09:00:00+00:00", False),
            ("x", False),
            (None, False),
        )
    ),
    *(
        (conditions.is_changed, yes, at(column=kind, values=values, op=op))
        for kind, values, op, yes in (
            ("int", ("1", "2"), "update", True),
            ("int", ("1", "1"), "update", False),
            ("int", (None, "2"), "update", True),
            ("int", ("1", None), "update", True),
            ("int", (None, None), "update", False),
            ("float", ("0.1", "0.10000000149011612"), "update", False),
            ("int", ("1", "2"), "insert", False),
            ("int", ("1", "2"), "delete", False),
        )
    ),
    (conditions.is_changed, False, place("avro", "value.row.d", values=("1", "2"))),
    (conditions.is_changed, False, at(event=row_event("update", base={"id": "1"}, c="1"))),
    (conditions.is_changed, False, STATEMENT),
    (conditions.is_raw, True, at(column="text", values=("a", NOT_UTF8))),
    (conditions.is_raw, False, at(column="text", values=(NOT_UTF8, "a"))),
    (conditions.is_raw, False, STATEMENT),
]


@pytest.mark.parametrize(
    ("protocol", "path", "op", "value"),
    [
        ("avro", "value.row.c", "update", "2"),
        ("avro", "value.before.c", "update", "1"),
        ("avro", "value.row.c", "insert", "2"),
        ("avro", "value.row.c", "delete", "1"),
        ("avro", "key.row.c", "update", "2"),
        ("avro", "key.row.c", "delete", "1"),
        ("avro", "key.row.x", "update", None),
        ("canal-json", "value.data.0.c", "update", "2"),
        ("canal-json", "value.old.0.c", "update", "1"),
        ("canal-json", "value.data.0.c", "delete", "1"),
        ("canal-json", "value.mysqlType.c", "update", "2"),
        ("debezium", "value.payload.after.c", "update", "2"),
        ("debezium", "value.payload.before.c", "update", "1"),
        ("debezium", "value.payload.before.c", "delete", "1"),
        ("debezium", "value.payload.before.c", "insert", None),
        ("debezium", "key.payload.c", "insert", "2"),
        ("debezium", "key.payload.c", "delete", "1"),
        ("open-protocol", "value.u.c", "update", "2"),
        ("open-protocol", "value.p.c", "update", "1"),
        ("open-protocol", "value.d.c", "delete", "1"),
        ("open-protocol", "event.after.c", "update", "2"),
        ("open-protocol", "event.before.c", "update", "1"),
        ("open-protocol", "event.before.c", "insert", None),
    ],
)
def test_the_truth_at_a_place_is_the_value_of_the_row_that_its_image_has(
    protocol: str, path: str, op: str, value: str | None
) -> None:
    assert conditions.truth(place(protocol, path, values=("1", "2"), op=op)) == value


def test_there_is_no_truth_where_no_row_has_the_column() -> None:
    assert conditions.truth(STATEMENT) is None
    assert conditions.truth(at(event=row_event("insert", base={"id": "1"}))) is None


@pytest.mark.parametrize(("condition", "expected", "where"), HOLDS)
def test_a_condition_holds_where_its_sentence_is_true(condition: Condition, expected: bool, where: Place) -> None:
    assert condition(where) is expected


ROW = {"kind": "row", "op": "update"}


@pytest.mark.parametrize(
    ("where", "kind", "op", "operation"),
    [
        (INSERT, "row", "insert", "insert"),
        (STATEMENT, "ddl", None, "ddl"),
        (MARK, "watermark", None, "watermark"),
        (NOTHING, None, None, ""),
        (told(ROW), "row", "update", "update"),
        (told({"kind": "ddl"}), "ddl", None, "ddl"),
        (told({"kind": "row", "op": 5}), "row", None, "row"),
        (told({}), "None", None, "None"),
    ],
)
def test_an_event_has_a_kind_and_an_operation(where: Place, kind: str | None, op: str | None, operation: str) -> None:
    assert (event_kind(where), event_op(where), operation_of(where.event)) == (kind, op, operation)


def yes(place: Place) -> bool:
    return True


def never(place: Place) -> bool:
    return False


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (all_of(yes, yes), True),
        (all_of(yes, never), False),
        (all_of(never, yes), False),
        (all_of(), True),
        (all_of(all_of(yes, never), yes), False),
        (any_of(never, yes), True),
        (any_of(yes, never), True),
        (any_of(never, never), False),
        (any_of(), False),
        (no(yes), False),
        (no(never), True),
    ],
)
def test_conditions_are_put_together(condition: Condition, expected: bool) -> None:
    assert condition(at()) is expected


def test_all_of_all_of_is_one_list() -> None:
    assert all_of(all_of(yes, never), no(yes), yes).parts[:2] == (yes, never)
    assert isinstance(all_of(yes), AllOf)


def test_what_is_made_of_cached_conditions_is_cached() -> None:
    cached = CachedCondition(yes)
    assert isinstance(any_of(cached, cached), CachedCondition)
    assert not isinstance(any_of(cached, yes), CachedCondition)
    assert isinstance(no(cached), CachedCondition)
    assert not isinstance(no(yes), CachedCondition)
    for one in (
        conditions.kind("row"),
        conditions.op("insert"),
        conditions.family(),
        option("x"),
        conditions.role("encode"),
    ):
        assert isinstance(one, CachedCondition)


def test_a_requirement_that_no_condition_speaks_of_is_refused() -> None:
    conditions.refuse_unknown("AV-001", "AV-002", "AV-001")
    with pytest.raises(ValueError, match="AV-003"):
        conditions.refuse_unknown("AV-003", "AV-002", "AV-001")


def test_a_role_is_that_of_the_answer() -> None:
    decoded = at()._replace(role="decode", case=replace(at().case, role="encode"))
    assert conditions.role("decode")(decoded)
