"""Places made by hand that the predicates of Canal-JSON judge."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.counts import MESSAGES
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING, Maybe
from reference_impl.settings import Settings
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "canal-json")
VALUE, OLD, IMAGE, BEFORE = "value.data.0.c", "value.old.0.c", "event.after.c", "event.before.c"
TOKYO = Settings(timezone="Asia/Tokyo")
TYPE, MOVED = "value.mysqlType.c", {"id": "1", "a": "y"}
NOT_UTF8 = {"base64": "/w=="}


def marks(given: Any, expected: Any = None) -> dict[str, Any]:
    """The extension of the message that was given, and of the one expected."""
    return {"tree": {"value": {"_tidb": expected}}, "given": {"value": {"_tidb": given}}}


def images(data: Any, old: Any, given_data: Any, given_old: Any) -> dict[str, Any]:
    return {"tree": {"value": {"data": data, "old": old}}, "given": {"value": {"data": given_data, "old": given_old}}}


def rows_of(data: Any, given: Any) -> dict[str, Any]:
    return {"tree": {"value": {"data": [data]}}, "given": {"value": {"data": [given]}}}


def exchanged(before: Any, after: Any, given_before: Any, given_after: Any) -> Place:
    """The images of an event, and those that were given."""
    tree, given = {"before": before, "after": after}, {"before": given_before, "after": given_after}
    return at("event", tree={"event": tree}, given={"event": given})


def keyed(given: list[Any]) -> Place:
    """The names in the key of two columns."""
    return at("value.pkNames", tree={"value": {"pkNames": ["a", "b"]}}, given={"value": {"pkNames": given}})


def typed(old: Any, new: Any, expected: Any = None, got: Any = None, kind: str = "int unsigned", **more: Any) -> Place:
    """The code of the type of a column that has these values."""
    return at("value.sqlType.c", expected, got, column=kind, values=(old, new), **more)


def gathered(missing: int, *messages: Any) -> Place:
    """An answer that lacks messages, and has these: for each the number of its rows, or all of it."""
    given = [{"value": {"data": [{}] * m}} if isinstance(m, int) else m for m in messages]
    return at("answer", missing + len(given), len(given), given={MESSAGES: given})


def declared(column: Any) -> Place:
    """The type of a column that is declared so."""
    return at(TYPE, column=column)


ROWS: list[Row] = [
    # -- what is there
    *rows(
        "is_empty_or_null",
        [at(VALUE, None, "x"), at(VALUE, "", None), at(VALUE, "", "")],
        [at(VALUE, "", "x"), at(VALUE, "x", "")],
    ),
    *rows(
        "is_text_null",
        [at(VALUE, "null", None), at(VALUE, "null", "null")],
        [at(VALUE, "null", "NULL"), at(VALUE, "x", None)],
    ),
    *rows("is_bare", [at(VALUE, "1", 1)], [at(VALUE, "1", "1"), at(VALUE, "1", None)]),
    *rows(
        "may_be_null", [at(VALUE, "1", None)], [at(VALUE, "1", MISSING), at(VALUE, None, "1"), at(VALUE, MISSING, "1")]
    ),
    *rows(
        "is_readable",
        [at(VALUE, "1", "1"), at(IMAGE, "1", {"index": "1"})],
        [at(VALUE, "1", 1), at(VALUE, None, "1"), at(IMAGE, "1", None), at(IMAGE, "1", MISSING)],
    ),
    *rows(
        "is_readable_or_null",
        [at(VALUE, "1", None), at(IMAGE, "1", {"index": "1"})],
        [at(VALUE, "1", 1), at(VALUE, None, None), at(IMAGE, "1", MISSING)],
    ),
    *rows(
        "is_lost_or_another",
        [at(VALUE, "1", None), at(VALUE, "1.5", "2.5", column="double")],
        [at(VALUE, "1", "2"), at(VALUE, "a", "b", column="text")],
    ),
    *rows("is_empty", [at(VALUE, "x", "")], [at(VALUE, "x", None)]),
    *rows("has_parts", [at("value._tidb", {}), at("value.data", [])], [at("value.data", "")]),
    *rows(
        "is_held",
        [at("event.after", None, {}, op="delete"), at("event.before", {}, None)],
        [at("event.before", None, {}, op="insert")],
    ),
    *rows(
        "is_partition_known",
        [at("record.partition", "partition 0", "partition 1")],
        [at("record.partition", "unknown", "partition 1")],
    ),
    *rows("has_partitions", [at(VALUE, settings=Settings(partitions=2))], [at(VALUE)]),
    # -- numbers
    *rows(
        "is_tiny_or_minus_zero",
        [at(VALUE, text, "0") for text in ("-0", "-0.0", "0.0009", "-0.0009")],
        [at(VALUE, text, "0") for text in ("0.001", "-1", "0", "-0.5", "x", "-0x")],
    ),
    *rows(
        "is_whole_number",
        [at(VALUE, text) for text in ("3", "3.0", "1e3")],
        [at(VALUE, text) for text in ("3.5", "x", "NaN")],
    ),
    *(
        ("is_rounded", yes, at(VALUE, expected, got))
        for expected, got, yes in (
            (9007199254740993, 9007199254740992, True),
            ("9007199254740993", "9007199254740992", True),
            ("0.1", "0.1000000000000000055511151231257827021181583404541015625", True),
            ("12345678901234567890", "12345678901234567000", True),
            ("12345678901234567891", "12345678901234567800", False),
            ("12345678901234567891", "1.2345678901234567e+19", True),
            ("2", "1", False),
            ("2", "2", False),
            ("9007199254740993", "x", False),
            (1, True, False),
            (None, "1", False),
            ("x", 1, False),
            ("1", None, False),
            ("1" + "0" * 400, "1", False),
            ("x", "y", False),
        )
    ),
    *(
        ("is_no_exact_integer", yes, at("value._tidb.commitTs", expected, got))
        for expected, got, yes in (
            (7, 8, False),
            (7, "7", True),
            (1, True, True),
            (7, MISSING, False),
            (7, None, True),
            (9007199254740993, 9007199254740992, True),
        )
    ),
    # -- times
    *(
        ("is_another_zone", yes, at(VALUE, "2024-01-02 00:00:00", got, column=kind, settings=zone))
        for got, kind, zone, yes in (
            ("2024-01-02 09:00:00", "timestamp", TOKYO, True),
            ("2024-01-02 09:00:00", "datetime", TOKYO, False),
            ("2024-01-02 09:00:00", "timestamp", Settings(), False),
            ("2024-01-02 00:00:01", "timestamp", TOKYO, False),
        )
    ),
    # -- a value that is wrong, or not written as it is to be
    *(
        ("is_wrong", yes, at(VALUE, expected, got, column=kind))
        for kind, expected, got, yes in (
            ("int", "1", MISSING, False),
            ("int", MISSING, "1", False),
            ("int", "1", None, True),
            ("int", None, "1", True),
            ("int", None, None, False),
            ("int", "1", "1", False),
            ("int", "1", "2", True),
            ("int", "1", "01", False),
            ("int", "1", 1, False),
            ("int", "1", "x", True),
            ("bit(8)", "1", "01", False),
            ("year", "2024", "24", True),
            ("decimal(5,1)", "1.0", "1", False),
            ("float", "0.1", "0.10000000149011612", False),
            ("double", "0.1", "0.10000000149011612", True),
            ("json", "[1]", "[ 1]", False),
            ("json", "[1]", "[2]", True),
            ("vector(1)", "[1]", "[1.0]", False),
            ("vector(1)", "[1]", "[2]", True),
            ("text", "a", "b", True),
            ("datetime(3)", "2024-01-02 00:00:00.500", "2024-01-02T00:00:00.5Z", False),
            ("datetime", "2024-01-02 00:00:10", "2024-01-02 00:00:1", True),
            ("date", "2024-01-02", "2024-01-03", True),
            ("timestamp(1)", "2024-01-02 00:00:00.0", "2024-01-02 00:00:00", False),
            ("time(1)", "01:00:00.0", "01:00:00", False),
            ("binary(2)", "a\0", "a", False),
            ("binary(2)", "a\0", "b", True),
            ("blob", "\0a", "a", True),
        )
    ),
    *rows(
        "is_wrong",
        [
            at(VALUE, "2", "a", column="enum('a','b')", values=("a", "b")),
            at(IMAGE, "b", {"index": "1"}, column="enum('a','b')"),
        ],
        [
            at(VALUE, "2", "b", column="enum('a','b')", values=("a", "b")),
            at(VALUE, "3", "a,b", column="set('a','b')", values=("a", "a,b")),
            at(IMAGE, "b", {"index": "2"}, column="enum('a','b')"),
            at(IMAGE, "b", {"index": "x"}, column="enum('a','b')"),
            at("value.sql", "a", "b"),
        ],
    ),
    *rows(
        "is_unpadded",
        [at(VALUE, "ab\0\0", "ab"), at(IMAGE, "YWIAAA==", "YWI=")],
        [at(VALUE, "\0ab", "ab"), at(VALUE, "ab", "\0ab"), at(IMAGE, "AABhYg==", "YWI="), at(IMAGE, "y", "z")],
    ),
    *(
        ("names_bytes", yes, at(VALUE, column=f"enum('{label}')", values=(label, label)))
        for label, yes in (("a blob", True), ("binary", True), ("b", False))
    ),
    ("names_bytes", False, at(VALUE, column="blob", values=("", ""))),
    *(
        (f"has_other_{part}", part == difference, at(VALUE, '{"a": 1, "b": "x"}', got))
        for part in ("space", "order", "strings", "numbers")
        for difference, got in (
            ("space", '{"a":1,"b":"x"}'),
            ("order", '{"b": "x", "a": 1}'),
            ("strings", '{"a": 1, "b": "\\u0078"}'),
            ("numbers", '{"a": 1.0, "b": "x"}'),
            ("", 1),
            ("", None),
            ("", '{"a'),
        )
    ),
    *rows("has_other_order", no=[at(VALUE, None, "{}"), at(VALUE, "[1]", "[" * 200_000)]),
    # -- images
    *(
        ("are_images_exchanged", yes, at("value", **images(*sides)))
        for sides, yes in (
            (([1], [2], [2], [1]), True),
            (([1], [2], [1], [2]), False),
            (([1], [1], [1], [1]), False),
            (([1], [2], [2], [3]), False),
            (([1], [2], [3], [1]), False),
        )
    ),
    ("are_images_exchanged", True, exchanged(1, 2, 2, 1)),
    *(
        ("are_images_exchanged", yes, exchanged({"id": Maybe("1"), "a": "x"}, MOVED, MOVED, after))
        for after, yes in (
            ({"a": "x"}, True),
            ({"id": "1", "a": "x"}, True),
            ({"id": "2", "a": "x"}, False),
            ({"id": "1"}, False),
            ({"a": "x", "b": "1"}, False),
        )
    ),
    *rows(
        "is_nothing_changed",
        [at("value.old", tree={"value": {"old": [{}]}})],
        [at("value.old", tree={"value": {"old": [{"c": "1"}]}})],
    ),
    *rows(
        "has_no_columns",
        [at("value.data", tree={"value": {"sqlType": None}}), at("value.data", tree={"value": None})],
        [at("value.data", tree={"value": {"sqlType": {}}})],
    ),
    *rows(
        "is_image_reduced",
        [at("event.after", given={"event": {"after": {"id": "1"}}})],
        [
            at("event.after", given={"event": {"after": {"id": "1", "c": "2"}}}),
            at("event.after", given={"event": {"after": None}}),
        ],
    ),
    # -- what a message is marked as
    *(
        ("is_reduced_unasked", yes, at(VALUE, "1", got, **marks(given, wanted)))
        for got, given, wanted, yes in (
            (MISSING, {"onlyHandleKey": True}, {}, True),
            (MISSING, {"claimCheckLocation": "x"}, None, True),
            (MISSING, {"onlyHandleKey": True}, {"onlyHandleKey": True}, False),
            (MISSING, {}, {}, False),
            (MISSING, None, {}, False),
            (None, {"onlyHandleKey": True}, {}, False),
            (MISSING, "onlyHandleKey", {}, False),
        )
    ),
    *rows("is_permuted_key", [keyed(["b", "a"])], map(keyed, (["a", "c"], ["a", "b", "b"], [1, "a"]))),
    *(
        (predicate, yes, at(f"value.data.0.{name}", expected, got, **rows_of({"c": "1"}, given)))
        for name, expected, got, given, another, invented in (
            ("c", "1", MISSING, {"C": "1"}, True, False),
            ("c", "1", MISSING, {"d": "1"}, False, False),
            ("C", MISSING, "1", {"C": "1"}, True, False),
            ("d", MISSING, "1", {"c": "1", "d": "1"}, False, True),
            ("c", MISSING, "1", {"c": "1"}, False, False),
        )
        for predicate, yes in (("is_known_by_another_case", another), ("is_invented_column", invented))
    ),
    # -- types
    *rows(
        "is_beyond_signed",
        [typed("0", value) for value in ("2147483648", "4294967295")],
        [typed("0", value) for value in ("2147483647", None)],
    ),
    *rows(
        "is_at_border",
        [typed("0", value) for value in ("2147483647", "2147483648")],
        [typed("0", value) for value in ("2147483646", "2147483649", None)],
    ),
    ("is_at_border", False, typed("0", "2147483647", kind="int")),
    *rows(
        "crosses_signed",
        [typed("1", "4294967295")],
        [typed("1", "2"), typed("1", "2", kind="int"), typed(None, "4294967295", op="insert")],
    ),
    *rows("is_code_of_old_row", [typed("1", "4294967295", -5, 4)], [typed("1", "4294967295", 4, -5)]),
    *rows("is_null_in_row", [typed("1", None, kind="int")], [typed(None, "1", kind="int")]),
    *(
        row
        for word, yes, no in (
            ("is_declared_with_parameters", ["char(3)"], ["text"]),
            ("has_one_number", ["char(3)"], ["decimal(5,1)", "int"]),
            ("has_two_numbers", ["decimal(5,1)"], ["char(3)"]),
            ("is_boolean", ["tinyint(1)", "bool", "BOOLEAN"], ["tinyint(2)"]),
            ("is_declared_unsigned", ["int unsigned"], ["bit(3)", "year", "int"]),
            ("is_zerofill", ["int(5) zerofill"], ["int"]),
            ("is_integer_unsigned", ["int unsigned"], ["decimal(5,1) unsigned", "int"]),
        )
        for row in rows(word, map(declared, yes), map(declared, no))
    ),
    *(
        ("is_bytes_by_charset", yes, declared({"type": kind, "charset": charset}))
        for kind, charset, yes in (
            ("char(3)", "binary", True),
            ("text", "binary", True),
            ("varchar(3)", "binary", True),
            ("blob", "binary", False),
            ("varbinary(3)", "binary", False),
            ("char(3)", "utf8mb4", False),
            ("text", "utf8mb4", False),
        )
    ),
    *rows("has_parameters", [at(TYPE, "int", "int(11)")], [at(TYPE, "int(11)", "int")]),
    *rows(
        "has_other_words",
        [at(TYPE, "int unsigned", "int"), at(TYPE, "int unsigned zerofill", "int unsigned")],
        [at(TYPE, "int unsigned", "integer unsigned")],
    ),
    # -- how many messages there are
    *rows(
        "are_rows_gathered",
        [gathered(1, 2), gathered(2, 3, 1), gathered(2, 2, {"value": None}, 2)],
        [
            gathered(1, 1),
            gathered(0, 2),
            gathered(1, 3),
            gathered(1, 2, "no JSON"),
            gathered(1, {"value": {"data": 1}}),
        ],
    ),
]
