"""What the predicates of Debezium JSON say of values, members, images, keys and numbers at places made by hand."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from conformance.oracle.debezium.places import is_in_payload, truth
from conformance.oracle.debezium.values import PREDICATES
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.exact_json import Object
from reference_impl.profiles import CLASSIC, NEWARCH
from reference_impl.settings import Settings
from tests.unit.oracle.judging import ddl_event, row_event
from tests.unit.oracle.places import Row, holds, place, rows

at = partial(place, "debezium")
AFTER, BEFORE, KEY, IMAGE = "value.payload.after.c", "value.payload.before.c", "key.payload.c", "event.after.c"
FIELD, KEY_FIELD = "value.schema.fields.after.fields.c.type", "key.schema.fields.c.type"
TOKYO, BOTH, RAW = Settings(timezone="Asia/Tokyo"), ("1", "2"), {"base64": "/w=="}
LARGE = {"column": "bigint unsigned", "values": (None, "9223372036854775808")}
ZERO = "0000-00-00 00:00:00"


def written(value: Any, kind: str, expected: Any = None, got: Any = None, path: str = AFTER, **more: Any) -> Place:
    """A place whose column holds a value."""
    return at(path, expected, got, column=kind, values=(None, value), **more)


def payload(**images: Any) -> dict[str, Any]:
    return {"value": {"payload": images}}


ROWS: list[Row] = [
    # -- what the column holds
    *rows(
        "holds_value", [written("1", "int")], [written(None, "int"), written("1", "int", path="value.payload.after.x")]
    ),
    *rows(
        "holds_null",
        [written(None, "int", None)],
        [written(None, "int", MISSING), written("1", "int", None), written(None, "int", path=IMAGE)],
    ),
    *(
        (name, name in names.split(), written("1", kind))
        for kind, names in (
            ("bit(1)", "is_single_bit"),
            ("bit", "is_single_bit"),
            ("bit(2)", "has_length"),
            ("int", ""),
            ("int unsigned", "is_unsigned"),
            ("tinyint(1)", "is_boolean"),
            ("bool", "is_boolean"),
            ("BOOLEAN", "is_boolean"),
            ("tinyint(2)", ""),
            ("tinyint", ""),
            ("tinyint(1) unsigned", "is_unsigned"),
        )
        for name in ("is_single_bit", "has_length", "is_unsigned", "is_boolean")
    ),
    *(
        (name, False, written("1", "bit(1)", path="value.payload.after.x"))
        for name in ("is_single_bit", "has_length", "is_unsigned", "is_boolean", "is_large_bigint", "is_not_documented")
    ),
    *rows("has_microseconds", [written(None, "time(4)")], [written(None, "time(3)")]),
    *(
        (name, name in names.split(), written(value, kind))
        for value, kind, names in (
            ("9223372036854775807", "bigint unsigned", ""),
            ("[1]", "vector(1)", "is_not_documented"),
            (None, "vector(1)", "is_not_documented"),
            ("9223372036854775808", "bigint unsigned", "is_large_bigint is_not_documented"),
            ("9223372036854775807", "bigint", ""),
            ("99999999999999999999", "decimal(20) unsigned", ""),
        )
        for name in ("is_large_bigint", "is_not_documented")
    ),
    *(
        ("is_invalid_label", yes, written(value, "enum('a','b')"))
        for value, yes in (
            ({"index": "0"}, True),
            ({"index": "1"}, False),
            ({"index": "2"}, False),
            ({"index": "3"}, True),
            ("a", False),
            (None, False),
        )
    ),
    *(
        (name, name in names.split(), written(value, "date"))
        for value, names in (
            ("0000-00-00", "is_in_no_calendar"),
            ("2023-02-30", "is_in_no_calendar"),
            ("2023-02-28", ""),
            ("0099-01-01", "is_of_short_year"),
            ("0100-01-01", ""),
            ("0001-01-01", "is_of_short_year"),
        )
        for name in ("is_in_no_calendar", "is_of_short_year")
    ),
    *rows(
        "is_zero_timestamp",
        [written(ZERO, "timestamp"), written("1970-01-01 00:00:01", "timestamp", settings=TOKYO)],
        [written("1970-01-01 00:00:01", "timestamp")],
    ),
    *rows("is_raw", [written(RAW, "varchar(5)")], [written("a", "varchar(5)")]),
    *(
        ("is_decided_by_charset", yes, at(AFTER, column={"type": kind, **more}))
        for kind, more, yes in (
            ("varchar(5)", {"collation": "utf8mb4_bin"}, True),
            ("varchar(5)", {"collation": "utf8mb4_general_ci"}, False),
            ("text", {"collation": "utf8mb4_bin"}, True),
            ("int", {"collation": "utf8mb4_bin"}, False),
            ("text", {}, False),
            ("varbinary(5)", {}, False),
            ("blob", {}, False),
            ("varchar(5)", {"charset": "binary"}, True),
            ("text", {"charset": "binary"}, True),
        )
    ),
    *(
        ("has_escaped_label", yes, at(AFTER, expected))
        for expected, yes in (
            ("a,b", True),
            ("a\\'b", True),
            ("a''b", True),
            ("ab", False),
            ("a'b", False),
            (None, False),
            (1, False),
        )
    ),
    *rows("is_empty_text", [at(AFTER, "")], [at(AFTER, None), at(AFTER, "x", "")]),
    # -- what was given
    *(
        ("is_taken_for_the_other", yes, at(AFTER, *pair, column=kind))
        for kind, pair, yes in (
            ("text", ("a", "YQ=="), True),
            ("text", ("YQ==", "a"), False),
            ("blob", ("YQ==", "a"), True),
            ("blob", ("a", "YQ=="), False),
            ("text", ("a", "YQ"), True),
            ("text", ("a", "Yg=="), False),
            ("text", ("", ""), False),
            ("text", ("a", 1), False),
            ("text", (None, "YQ=="), False),
            ("text", ("a", "Y"), False),
            ("varchar(5)", ("\ud800", "7aCA"), True),
        )
    ),
    *(
        ("is_escaped_label", yes, at(AFTER, *pair))
        for pair, yes in (
            (("a,b", "a\\,b"), True),
            (("a,b", "a,b"), False),
            (("ab", "ab"), True),
            (("a''b", "a'b"), True),
            (("a\\'b", "a'b"), True),
            (("a,,", "a\\,\\,"), True),
            ((1, "1"), True),
            (("a", None), False),
        )
    ),
    *(
        ("is_boolean_given", yes, at(path, None, got))
        for path, got, yes in (
            (AFTER, True, True),
            (AFTER, False, True),
            (AFTER, 1, False),
            (AFTER, "boolean", False),
            (FIELD, "boolean", True),
            (FIELD, True, False),
            (KEY, True, True),
            (KEY_FIELD, "boolean", True),
            (KEY_FIELD, "int16", False),
        )
    ),
    *(
        ("is_same_float32", yes, at(AFTER, *pair, column="float"))
        for pair, yes in (
            (("0.1", "0.10000000149011612"), True),
            ((1, 1), True),
            (("0.1", "0.2"), False),
            (("0.1", "0.1000001"), False),
        )
    ),
    *(
        (name, name in names.split(), at(AFTER, "YQ==", got))
        for got, names in (
            ("YQ==", ""),
            ("YQA=", "is_another_length"),
            ("YQ", "is_no_standard_base64"),
            ("-_8=", "is_no_standard_base64"),
            ("+/8=", "is_another_length"),
            (1, "is_no_standard_base64"),
        )
        for name in ("is_another_length", "is_no_standard_base64")
    ),
    # -- forms on which the document is silent
    *(
        (name, name in names.split(), written(value, kind, expected, got))
        for kind, value, expected, got, names in (
            ("enum('a')", {"index": "0"}, "", None, "is_in_another_form"),
            ("enum('a')", {"index": "0"}, "", "", "is_in_another_form"),
            ("enum('a')", {"index": "0"}, "", "a", "is_of_no_form"),
            ("enum('a')", "a", "a", "x", ""),
            ("enum('a')", None, None, "x", "is_of_no_form"),
            ("bigint unsigned", "9223372036854775808", -9223372036854775808, 9223372036854775808, "is_in_another_form"),
            (
                "bigint unsigned",
                "9223372036854775808",
                -9223372036854775808,
                "9223372036854775808",
                "is_in_another_form",
            ),
            ("bigint unsigned", "9223372036854775808", -9223372036854775808, 1, "is_of_no_form"),
            ("bigint", "1", 1, 2, ""),
            ("date", "0001-01-02", 11323, -719161, "is_in_another_form"),
            ("date", "0001-01-02", 11323, -719162, ""),
            ("date", "0001-01-02", 11323, "-719161", ""),
            ("date", "2023-02-30", None, 0, "is_in_another_form"),
            ("date", "0001-01-02", 11323, None, ""),
            ("date", "0001-01-02", 11323, 0, ""),
            ("date", "2023-02-30", 0, None, "is_in_another_form"),
            ("date", "2023-02-30", None, 1, "is_of_no_form"),
            ("date", "2023-02-30", None, False, "is_of_no_form"),
            ("date", "2023-02-28", 1, None, ""),
            ("datetime", "0001-01-02 00:00:01", 1, -719161 * 86400000 + 1000, "is_in_another_form"),
            ("datetime", "0001-01-02 00:00:01", 1, -719161 * 86400000 - 1, ""),
            ("datetime", "0001-01-02 00:00:01", 1, -719161 * 86400000 + 86400000, ""),
            ("datetime(3)", "0001-01-02 00:00:01.000", 1, -719161 * 86400000 + 86399999, "is_in_another_form"),
            ("datetime(6)", "0001-01-02 00:00:01.000000", 1, -719161 * 86400000, ""),
            ("datetime(6)", "0001-01-02 00:00:01.000000", 1, -719161 * 86400000000, "is_in_another_form"),
            ("datetime(6)", "0001-01-02 00:00:01.000000", 1, -719161 * 86400000000 + 86399999999, "is_in_another_form"),
            ("datetime(6)", "0001-01-02 00:00:01.000000", 1, -719160 * 86400000000, ""),
            ("datetime", ZERO, None, 0, "is_in_another_form"),
            ("datetime", ZERO, None, "0", "is_of_no_form"),
            ("timestamp", ZERO, "1970-01-01T00:00:00Z", None, "is_in_another_form"),
            ("timestamp", ZERO, None, "1970-01-01T00:00:00Z", "is_in_another_form"),
            ("timestamp", ZERO, None, ZERO, "is_in_another_form"),
            ("timestamp", ZERO, None, "1970-01-01", "is_of_no_form"),
            ("timestamp", ZERO, None, "0001-00-00", "is_of_no_form"),
            ("timestamp", "2024-01-02 00:00:00", 1, None, ""),
            ("vector(1)", "[1]", "[1]", "[2]", "is_of_no_form"),
            ("vector(1)", "[1]", "[1]", "[1]", ""),
            ("vector(1)", None, None, "[1]", "is_of_no_form"),
            ("int", None, None, 1, "is_of_no_form"),
            ("date", None, None, 0, "is_of_no_form"),
            ("int", None, None, None, ""),
            ("int", "1", 1, 2, ""),
        )
        for name in ("is_in_another_form", "is_of_no_form")
    ),
    *(
        ("is_of_no_form", yes, at(AFTER, None, got, column={"type": "int", "default": "5"}))
        for got, yes in (
            (5, False),
            ("5", False),
            (6, True),
            (None, False),
        )
    ),
    ("is_of_no_form", False, at(IMAGE, None, 6, column={"type": "int", "default": "5"})),
    # -- whose fault it is
    *(
        ("is_of_given_row", yes, at(KEY, 1, got, op=op, given=payload(**images)))
        for got, op, images, yes in (
            (2, "update", {"after": {"c": 2}, "before": {"c": 1}}, True),
            (2, "update", {"after": {"c": 1}}, False),
            (2, "delete", {"before": {"c": 2}, "after": {"c": 1}}, True),
            (2, "delete", {"after": {"c": 2}}, False),
            (2, "insert", {"after": {"c": 2}}, True),
            (MISSING, "update", {"after": {}}, False),
            (2, "update", {}, False),
            (2, "update", {"after": None}, False),
            (True, "update", {"after": {"c": 1}}, False),
        )
    ),
    *(
        (
            "is_of_given_row",
            yes,
            at(KEY_FIELD, "int32", got, given={"value": {"schema": {"fields": {"after": {"fields": {"c": given}}}}}}),
        )
        for got, given, yes in (
            ("int64", {"type": "int64"}, True),
            ("int64", {"type": "int32"}, False),
            (MISSING, {}, True),
            ("int64", {}, False),
        )
    ),
    *rows(
        "is_of_value",
        [
            at(KEY, 1, 2, given=payload(after={"c": 2})),
            written("2023-02-30", "date", None, 0, KEY, given=payload(after={"c": None})),
            at(AFTER, 2, 3, values=BOTH),
            at(FIELD, "int32", "int64", values=BOTH),
        ],
        [
            at(KEY, 1, 2, given=payload(after={"c": 1})),
            written("2023-02-30", "date", None, 1, KEY, given=payload(after={"c": None})),
            at(KEY_FIELD, "int32", "int64", given={}),
            at(AFTER, 2, 1, tree=payload(after={"c": 2}, before={"c": 1}), given=payload(after={"c": 1})),
        ],
    ),
    *(
        ("is_old_value", yes, at(path, 2, got, tree=payload(before={"c": 1})))
        for path, got, yes in (
            (KEY, 1, True),
            (KEY, 2, False),
            ("key.payload.x", MISSING, False),
            (KEY, True, False),
        )
    ),
    ("is_old_value", True, at(KEY, 2, MISSING)),
    # -- images
    *(
        ("is_other_image", yes, at(path, *pair, op=op, tree=tree, given=given))
        for path, op, pair, tree, given, yes in (
            (AFTER, "update", (2, 1), payload(after={"c": 2}, before={"c": 1}), payload(after={"c": 1}), True),
            (BEFORE, "update", (1, 2), payload(after={"c": 2}, before={"c": 1}), payload(before={"c": 2}), True),
            (AFTER, "insert", (2, 1), payload(after={"c": 2}, before={"c": 1}), payload(after={"c": 1}), False),
            (AFTER, "update", (2, 2), payload(after={"c": 2}, before={"c": 1}), payload(after={"c": 1}), False),
            (AFTER, "update", (2, 1), payload(after={"c": 2}, before={"c": 2}), payload(after={"c": 2}), False),
            (AFTER, "update", (2, 1), payload(after={"c": 2}, before=None), payload(after=None), False),
            (AFTER, "update", (2, 1), payload(after={"c": 2}, before={"c": 1}), payload(after=None), False),
            (AFTER, "update", (2, 1), payload(after={"c": 2}, before={"c": 1}), payload(after={"c": 1, "d": 1}), False),
            (
                AFTER,
                "update",
                (2, 1),
                payload(after={"c": 2}, before={"c": 1, "d": 1}),
                payload(after={"c": 1, "d": 2}),
                False,
            ),
            (
                AFTER,
                "update",
                (2, 1),
                payload(after={"c": 2}, before={"c": frozenset({1, 3})}),
                payload(after={"c": 1}),
                True,
            ),
            (
                AFTER,
                "update",
                (2, 1),
                payload(after={"c": 2}, before={"c": frozenset({3})}),
                payload(after={"c": 1}),
                False,
            ),
            (KEY, "update", (2, 1), payload(payload={"c": 2}), payload(), False),
            (
                IMAGE,
                "update",
                (2, 1),
                {"event": {"after": {"c": 2}, "before": {"c": 1}}},
                {"event": {"after": {"c": 1}}},
                True,
            ),
            (IMAGE, "update", (2, 1), payload(after={"c": 2}, before={"c": 1}), payload(after={"c": 1}), False),
        )
    ),
    *(
        ("are_exchanged", yes, at(path, *pair, op=op, tree=payload(after={"c": 2}, before={"c": 1}), given=given))
        for path, op, pair, given, yes in (
            (AFTER, "update", (2, 1), payload(after={"c": 1}, before={"c": 2}), True),
            (BEFORE, "update", (1, 2), payload(after={"c": 1}, before={"c": 2}), True),
            (AFTER, "update", (2, 1), payload(after={"c": 1}, before={"c": 1}), False),
            (AFTER, "update", (2, 1), payload(after={"c": 2}, before={"c": 2}), False),
            (AFTER, "insert", (2, 1), payload(after={"c": 1}, before={"c": 2}), False),
            (AFTER, "update", (2, 2), payload(after={"c": 1}, before={"c": 2}), False),
            (KEY, "update", (2, 1), payload(after={"c": 1}, before={"c": 2}), False),
        )
    ),
    # -- defaults
    *rows("has_column", [at(AFTER)], [at("value.payload.after.x")]),
    *rows(
        "has_default",
        [at(AFTER, column={"type": "int", "default": "5"})],
        [at(AFTER, column={"type": "int", "default": None}), at(AFTER), at("value.payload.after.x")],
    ),
    *rows(
        "is_null_instead",
        [at(AFTER, 1, None), at(AFTER, MISSING, None)],
        [at(AFTER, None, None), at(AFTER, 1, MISSING)],
    ),
]


@pytest.mark.parametrize(
    ("path", "is_row"),
    [
        (AFTER, True), (BEFORE, True), (KEY, True), ("key.schema.c", False), ("key.payload.x.c", False), (FIELD, False),
        ("value.schema.after.c", False), ("value.payload.c", False), ("value.payload.after.x.c", False),
        ("value.payload.after.x", False), (IMAGE, False),
    ],
)  # fmt: skip
def test_a_column_of_a_row_is_in_a_payload(path: str, is_row: bool) -> None:
    assert is_in_payload(at(path)) is is_row
    assert not is_in_payload(at(path, event=ddl_event()))


@pytest.mark.parametrize(
    ("path", "op", "value"),
    [
        (AFTER, "update", "2"), (BEFORE, "update", "1"), (KEY, "update", "2"), (KEY, "insert", "2"),
        (KEY, "delete", "1"), (BEFORE, "delete", "1"), (AFTER, "delete", None), (BEFORE, "insert", None),
        (IMAGE, "update", "2"), ("event.before.c", "update", "1"), ("value.payload.after.x", "update", None),
    ],
)  # fmt: skip
def test_the_truth_is_the_value_of_the_row_of_the_image(path: str, op: str, value: Any) -> None:
    assert truth(at(path, op=op, values=BOTH)) == value


def test_there_is_no_truth_where_no_row_has_the_column() -> None:
    assert truth(at(AFTER, event=ddl_event())) is None
    assert truth(at(AFTER, event=row_event("insert", base={"id": "1"}))) is None


def test_the_table_has_every_predicate_of_the_module() -> None:
    assert len({predicate.__name__ for predicate in PREDICATES}) == len(PREDICATES)


# -- members, images, keys and numbers ---------------------------------------------------------------------------------

TEXT = "text.value.number"
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
    ("a b c", "a b c", "kept"),
    ("a b c", "c b a", ""),
    ("a b", "a b z", "kept"),
    ("a z b", "a b", "kept"),
    ("before after op", "op before after", "images"),
    ("before after op", "before op after", "images after"),
    ("before op after x", "op after before x", "images second"),
    ("before after op x", "x op before after", ""),
    ("a start_ts b", "a b start_ts", "start_ts"),
    ("a start_ts b", "b start_ts a", ""),
    ("id c x", "id x c", "virtual"),
    ("before after op", "before after op", "kept second"),
    ("op after before", "before after op", "images second"),
    ("op x after before", "x after op before", "second"),
    ("op after before", "after op before", "images"),
]


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


MEMBERS: list[Row] = [
    # -- what is there
    *(
        (name, name in names.split(), at(AFTER, *pair))
        for pair, names in (
            ((None, 1), "is_null_either_way is_null_expected is_expected"),
            ((1, None), "is_null_given is_null_either_way is_expected is_image_expected"),
            ((1, 1), "is_expected is_image_expected"),
            ((MISSING, MISSING), "is_missed"),
            ((None, None), "is_null_given is_null_either_way is_null_expected is_expected"),
        )
        for name in (
            "is_null_given",
            "is_null_either_way",
            "is_null_expected",
            "is_expected",
            "is_image_expected",
            "is_missed",
        )
    ),
    *rows("is_classic", [at(AFTER, profile=CLASSIC)], [at(AFTER, profile=NEWARCH)]),
    *rows(
        "is_generated",
        [at(AFTER, column=VIRTUAL), at(AFTER, column={"type": "int", "generated": "stored"})],
        [at(AFTER), at("value.payload.after.x", column=VIRTUAL)],
    ),
    *rows("is_extension_stated", [at(AFTER, options={"enable-tidb-extension": "false"})], [at(AFTER)]),
    # -- images
    *rows(
        "has_doubled_default",
        [
            binary(None),
            binary(None, OLD),
            binary(None, kind="varbinary(2)"),
            binary(None, op="insert"),
            binary(None, OLD, op="insert"),
        ],
        [
            binary("YgA="),
            binary("YgA=", OLD),
            binary(None, kind="varchar(2)"),
            binary(None, default=None),
            binary(None)._replace(got=doubled("id")),
            binary(None)._replace(got=doubled("c", "id")),
            binary(None)._replace(got=doubled("c", "x")),
            binary(None)._replace(got=Object([("c", 1)])),
            binary(None)._replace(got={"c": 1}),
            binary(None)._replace(delivery=None),
        ],
    ),
    *(
        ("is_unchanged", yes, at(path, column=kind, values=values, op=op))
        for path, kind, values, op, yes in (
            (AFTER, "int", ("1", "1"), "update", True),
            (AFTER, "int", ("1", "2"), "update", False),
            (AFTER, "int", (None, None), "update", True),
            (AFTER, "int", ("1", None), "update", False),
            (AFTER, "float", ("0.1", "0.10000000149011612"), "update", True),
            (AFTER, "int", (None, None), "insert", False),
            ("value.payload.after.x", "int", ("1", "1"), "update", False),
            (AFTER, "int", (None, "1"), "update", False),
        )
    ),
    *rows(
        "is_unchanged", no=[at(AFTER, event=ddl_event()), at(AFTER, event=row_event("update", base={"id": "1"}, c="1"))]
    ),
    *(
        ("has_changed_columns_alone", yes, at(path, values=values, given={"value": {"payload": given}}))
        for path, values, given, yes in (
            (AFTER, ("1", "2"), {"after": {"c": 2}}, True),
            (AFTER, ("1", "2"), {"after": {"id": 1, "c": 2}}, False),
            (BEFORE, ("1", "2"), {"before": {"c": 1}, "after": {"id": 1}}, True),
            (AFTER, ("1", "1"), {"after": {"c": 1}}, False),
            (AFTER, ("1", "2"), {"after": {"x": 2}}, True),
            (AFTER, ("1", "2"), {"after": None}, False),
            (AFTER, ("1", "2"), {"before": {"c": 1}}, False),
            (AFTER, ("1", "2"), {"after": {}}, True),
        )
    ),
    (
        "has_changed_columns_alone",
        False,
        at(AFTER, given={"value": {"payload": {"after": {}}}})._replace(delivery=None),
    ),
    *(
        ("is_null_image", yes, at(f"value.schema.fields.{image}.fields.c", op=op, options=options))
        for image, op, options, yes in (
            ("before", "insert", {}, True),
            ("after", "insert", {}, False),
            ("before", "delete", {}, False),
            ("after", "delete", {}, True),
            ("before", "update", {}, False),
            ("after", "update", {}, False),
            ("before", "update", HIDDEN, True),
            ("after", "update", HIDDEN, False),
            ("before", "delete", HIDDEN, False),
        )
    ),
    # -- keys
    *rows(
        "has_no_key",
        [at(AFTER, keys={"primary_key": []}), at(AFTER, keys=UNIQUE)],
        [
            at(AFTER),
            at(AFTER, column=VIRTUAL, keys=UNIQUE),
            at(AFTER, keys={"primary_key": []})._replace(delivery=None),
        ],
    ),
    *rows("has_primary_key", [at(AFTER)], [at(AFTER, keys=UNIQUE)]),
    *rows(
        "is_in_no_key",
        [at(AFTER), at("key.payload.x")],
        [at("value.payload.after.id"), at(AFTER, keys=UNIQUE), at(AFTER)._replace(delivery=None)],
    ),
    *rows(
        "is_over_virtual",
        [at(AFTER, column=VIRTUAL, keys=UNIQUE)],
        [
            at(AFTER, column=VIRTUAL),
            at(AFTER, column={"type": "int", "nullable": False}, keys=UNIQUE),
            at(AFTER, column=VIRTUAL, keys=UNIQUE)._replace(delivery=None),
        ],
    ),
    *(
        ("is_as_in_key", yes, at("key.schema.fields.c", {}, got, given={"key": {"payload": payload}}))
        for got, payload, yes in (
            ({}, {"c": 1}, True),
            ({}, {"id": 1}, False),
            (MISSING, {"c": 1}, False),
            (MISSING, {"id": 1}, True),
            (MISSING, None, False),
            ({}, {"c": None}, True),
            ({}, "c", False),
        )
    ),
    # -- numbers
    *(
        ("is_number_of_float", yes, at(TEXT, *pair, column=kind))
        for kind, pair, yes in (
            ("int", ("1.5", "1"), True),
            ("int", ("1e3", "1"), True),
            ("int", ("1E3", "1"), True),
            ("int", ("-0", "0"), True),
            ("int", ("-01", "0"), False),
            ("int", ("1", "1.5"), False),
            ("float", ("1", "1.5"), True),
            ("double", ("1", "1.5"), True),
            ("decimal(5,1)", ("1", "1.5"), True),
            ("float", ("1", "1"), False),
            ("float", ("1", "-0"), True),
            ("int", ("10", "1"), False),
            ("float", ("1", "1e3"), True),
            ("int", ("-5", "5"), False),
            ("int", ("-09", "5"), False),
        )
    ),
    ("is_number_of_float", False, at(TEXT, "1", "1.5", column="float")._replace(delivery=None)),
    *(
        ("has_padded_exponent", yes, at(TEXT, expected))
        for expected, yes in (
            ("1e-07", True),
            ("1e+05", True),
            ("1e-7", False),
            ("1e-10", False),
            ("1e-007", False),
            ("e-07", False),
            ("1e07", False),
            ("1E-07", False),
            ("9e+09", True),
            (Decimal("1"), False),
        )
    ),
    *(
        ("lacks_padding_alone", yes, at(TEXT, *pair))
        for pair, yes in (
            (("1e-07", "1e-7"), True),
            (("1e+05", "1e+5"), True),
            (("1e-07", "1e+7"), False),
            (("1e-07", "1e-8"), False),
            (("1e-07", "1e-07"), True),
            (("1e-07", "0.0000001"), False),
            (("1", 1), True),
        )
    ),
    # -- DDL messages
    *(
        ("is_of_no_table", yes, at("value.payload", event=ddl_event(), tree=tree))
        for tree, yes in (
            ({"value": {"payload": {"tableChanges": []}}}, True),
            ({"value": {"payload": {"tableChanges": [1]}}}, False),
            ({"value": {"payload": {"tableChanges": None}}}, True),
        )
    ),
]
