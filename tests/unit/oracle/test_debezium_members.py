"""What the predicates of Debezium JSON say of members, images, keys and numbers at places made by hand."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.exact_json import Object
from reference_impl.profiles import CLASSIC, NEWARCH
from tests.unit.oracle.judging import ddl_event, row_event
from tests.unit.oracle.places import Row, holds, place, rows

at = partial(place, "debezium")
AFTER, BEFORE, TEXT = "value.payload.after.c", "value.payload.before.c", "text.value.number"
NEW, OLD = "value.payload.after", "value.payload.before"
HIDDEN = {"debezium-output-old-value": "false"}
VIRTUAL = {"type": "int", "generated": "virtual", "nullable": False}
UNIQUE = {"primary_key": [], "unique_keys": [{"name": "u", "columns": ["c"]}]}


def members(names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), 1)


def ordered(expected: str, got: str, **more: Any) -> Place:
    """An object whose members stand in another order."""
    return at("value.payload", members(expected), members(got), **more)


def doubled(*names: str) -> Object:
    """An image that has columns twice."""
    return Object([pair for name in names for pair in ((name, 1), (name, 2))])


def binary(value: Any, path: str = NEW, default: Any = "a", kind: str = "binary(2)", **more: Any) -> Place:
    """An image that has a column twice that is NULL or has a value in it, and a value in the other one."""
    values = (value, "YQA=") if path == OLD else ("YQA=", value)
    return at(path, {}, doubled("c"), column={"type": kind, "default": default}, values=values, **more)


ORDERS: list[tuple[str, str, str]] = [
    # expected, given, and what holds of the order
    ("a b c", "a b c", "kept"), ("a b c", "c b a", ""), ("a b", "a b z", "kept"), ("a z b", "a b", "kept"),
    ("before after op", "op before after", "images"), ("before after op", "before op after", "images after"),
    ("before op after x", "op after before x", "images second"), ("before after op x", "x op before after", ""),
    ("a start_ts b", "a b start_ts", "start_ts"), ("a start_ts b", "b start_ts a", ""), ("id c x", "id x c", "virtual"),
    ("before after op", "before after op", "kept second"), ("op after before", "before after op", "images second"),
    ("op x after before", "x after op before", "second"), ("op after before", "after op before", "images"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "got", "found"), ORDERS)
def test_members_move_alone_or_keep_their_order(expected: str, got: str, found: str) -> None:
    where = ordered(expected, got, column=VIRTUAL)
    words = found.split()
    is_kept, is_second = "kept" in words, got.split()[1] == "after"
    for moved in ("images", "start_ts", "virtual"):
        assert holds(f"moves_alone={moved}", where) is (moved in words)
        assert holds(f"keeps_order_beside={moved}", where) is (moved in words or is_kept)
    assert holds("keeps_order_or_has_after_second", where) is (is_kept or is_second)
    assert holds("is_after_moved_second", where) is (not is_kept and is_second)


@pytest.mark.parametrize(("expected", "got"), [(MISSING, {"a": 1}), ({"a": 1}, None), ([1], [2])])
def test_what_is_no_object_keeps_its_order(expected: Any, got: Any) -> None:
    where = at("value.payload", expected, got)
    assert holds("keeps_order_beside=images", where)
    assert holds("keeps_order_or_has_after_second", where)
    assert not holds("moves_alone=images", where)
    assert not holds("is_after_moved_second", where)


def test_columns_are_virtual_only_in_a_table() -> None:
    stored = {"type": "int", "generated": "stored"}
    assert not holds("moves_alone=virtual", ordered("id c x", "id x c", column=stored))
    assert not holds("moves_alone=virtual", ordered("id c x", "id x c", column=VIRTUAL)._replace(delivery=None))


ROWS: list[Row] = [
    # -- what is there
    *((name, name in names.split(), at(AFTER, *pair)) for pair, names in (
        ((None, 1), "is_null_either_way is_null_expected is_expected"), ((1, None), "is_null_given is_null_either_way "
        "is_expected is_image_expected"), ((1, 1), "is_expected is_image_expected"), ((MISSING, MISSING), "is_missed"),
        ((None, None), "is_null_given is_null_either_way is_null_expected is_expected"),
    ) for name in ("is_null_given", "is_null_either_way", "is_null_expected", "is_expected", "is_image_expected",
                   "is_missed")),
    *rows("is_classic", [at(AFTER, profile=CLASSIC)], [at(AFTER, profile=NEWARCH)]),
    *rows("is_generated", [at(AFTER, column=VIRTUAL), at(AFTER, column={"type": "int", "generated": "stored"})],
        [at(AFTER), at("value.payload.after.x", column=VIRTUAL)]),
    *rows("is_extension_stated", [at(AFTER, options={"enable-tidb-extension": "false"})], [at(AFTER)]),
    # -- images
    *rows("has_doubled_default", [binary(None), binary(None, OLD), binary(None, kind="varbinary(2)"),
        binary(None, op="insert"), binary(None, OLD, op="insert")], [binary("YgA="), binary("YgA=", OLD),
        binary(None, kind="varchar(2)"), binary(None, default=None), binary(None)._replace(got=doubled("id")),
        binary(None)._replace(got=doubled("c", "id")), binary(None)._replace(got=doubled("c", "x")),
        binary(None)._replace(got=Object([("c", 1)])), binary(None)._replace(got={"c": 1}),
        binary(None)._replace(delivery=None)]),
    *(("is_unchanged", yes, at(path, column=kind, values=values, op=op)) for path, kind, values, op, yes in (
        (AFTER, "int", ("1", "1"), "update", True), (AFTER, "int", ("1", "2"), "update", False),
        (AFTER, "int", (None, None), "update", True), (AFTER, "int", ("1", None), "update", False),
        (AFTER, "float", ("0.1", "0.10000000149011612"), "update", True), (AFTER, "int", (None, None), "insert", False),
        ("value.payload.after.x", "int", ("1", "1"), "update", False), (AFTER, "int", (None, "1"), "update", False),
    )),
    *rows("is_unchanged", no=[at(AFTER, event=ddl_event()),
        at(AFTER, event=row_event("update", base={"id": "1"}, c="1"))]),
    *(("has_changed_columns_alone", yes, at(path, values=values, given={"value": {"payload": given}}))
      for path, values, given, yes in (
        (AFTER, ("1", "2"), {"after": {"c": 2}}, True), (AFTER, ("1", "2"), {"after": {"id": 1, "c": 2}}, False),
        (BEFORE, ("1", "2"), {"before": {"c": 1}, "after": {"id": 1}}, True),
        (AFTER, ("1", "1"), {"after": {"c": 1}}, False),
        (AFTER, ("1", "2"), {"after": {"x": 2}}, True), (AFTER, ("1", "2"), {"after": None}, False),
        (AFTER, ("1", "2"), {"before": {"c": 1}}, False), (AFTER, ("1", "2"), {"after": {}}, True),
    )),
    ("has_changed_columns_alone", False, at(AFTER,
        given={"value": {"payload": {"after": {}}}})._replace(delivery=None)),
    *(("is_null_image", yes, at(f"value.schema.fields.{image}.fields.c", op=op, options=options))
      for image, op, options, yes in (
        ("before", "insert", {}, True), ("after", "insert", {}, False), ("before", "delete", {}, False),
        ("after", "delete", {}, True), ("before", "update", {}, False), ("after", "update", {}, False),
        ("before", "update", HIDDEN, True), ("after", "update", HIDDEN, False), ("before", "delete", HIDDEN, False),
    )),
    # -- keys
    *rows("has_no_key", [at(AFTER, keys={"primary_key": []}), at(AFTER, keys=UNIQUE)], [at(AFTER),
        at(AFTER, column=VIRTUAL, keys=UNIQUE), at(AFTER, keys={"primary_key": []})._replace(delivery=None)]),
    *rows("has_primary_key", [at(AFTER)], [at(AFTER, keys=UNIQUE)]),
    *rows("is_in_no_key", [at(AFTER), at("key.payload.x")], [at("value.payload.after.id"), at(AFTER, keys=UNIQUE),
        at(AFTER)._replace(delivery=None)]),
    *rows("is_over_virtual", [at(AFTER, column=VIRTUAL, keys=UNIQUE)], [at(AFTER, column=VIRTUAL),
        at(AFTER, column={"type": "int", "nullable": False}, keys=UNIQUE),
        at(AFTER, column=VIRTUAL, keys=UNIQUE)._replace(delivery=None)]),
    *(("is_as_in_key", yes, at("key.schema.fields.c", {}, got, given={"key": {"payload": payload}}))
      for got, payload, yes in (
        ({}, {"c": 1}, True), ({}, {"id": 1}, False), (MISSING, {"c": 1}, False), (MISSING, {"id": 1}, True),
        (MISSING, None, False), ({}, {"c": None}, True), ({}, "c", False),
    )),
    # -- numbers
    *(("is_number_of_float", yes, at(TEXT, *pair, column=kind)) for kind, pair, yes in (
        ("int", ("1.5", "1"), True), ("int", ("1e3", "1"), True), ("int", ("1E3", "1"), True),
        ("int", ("-0", "0"), True), ("int", ("-01", "0"), False), ("int", ("1", "1.5"), False),
        ("float", ("1", "1.5"), True), ("double", ("1", "1.5"), True), ("decimal(5,1)", ("1", "1.5"), True),
        ("float", ("1", "1"), False), ("float", ("1", "-0"), True), ("int", ("10", "1"), False),
        ("float", ("1", "1e3"), True), ("int", ("-5", "5"), False), ("int", ("-09", "5"), False),
    )),
    ("is_number_of_float", False, at(TEXT, "1", "1.5", column="float")._replace(delivery=None)),
    *(("has_padded_exponent", yes, at(TEXT, expected)) for expected, yes in (
        ("1e-07", True), ("1e+05", True), ("1e-7", False), ("1e-10", False), ("1e-007", False), ("e-07", False),
        ("1e07", False), ("1E-07", False), ("9e+09", True), (Decimal("1"), False),
    )),
    *(("lacks_padding_alone", yes, at(TEXT, *pair)) for pair, yes in (
        (("1e-07", "1e-7"), True), (("1e+05", "1e+5"), True), (("1e-07", "1e+7"), False), (("1e-07", "1e-8"), False),
        (("1e-07", "1e-07"), True), (("1e-07", "0.0000001"), False), (("1", 1), True),
    )),
    # -- DDL messages
    *(("is_of_no_table", yes, at("value.payload", event=ddl_event(), tree=tree)) for tree, yes in (
        ({"value": {"payload": {"tableChanges": []}}}, True), ({"value": {"payload": {"tableChanges": [1]}}}, False),
        ({"value": {"payload": {"tableChanges": None}}}, True),
    )),
]  # fmt: skip
