"""Places made by hand for the predicates of Canal-JSON, where no recorded fault shows what they say."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.counts import MESSAGES
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING, Maybe
from reference_impl.settings import Settings
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "canal-json")
VALUE, IMAGE = "value.data.0.c", "event.after.c"
TOKYO = Settings(timezone="Asia/Tokyo")
TYPE, MOVED = "value.mysqlType.c", {"id": "1", "a": "y"}


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
    *rows("is_empty_or_null", [at(VALUE, "", None), at(VALUE, "", "")], [at(VALUE, "", "x")]),
    *rows("is_text_null", [at(VALUE, "null", "null")], [at(VALUE, "null", "NULL")]),
    *rows("may_be_null", no=[at(VALUE, "1", MISSING), at(VALUE, MISSING, "1")]),
    *rows(
        "is_readable",
        [at(IMAGE, "1", {"index": "1"})],
        [at(VALUE, None, "1"), at(IMAGE, "1", None), at(IMAGE, "1", MISSING)],
    ),
    *rows("is_readable_or_null", [at(IMAGE, "1", {"index": "1"})], [at(VALUE, "1", 1), at(VALUE, None, None)]),
    *rows(
        "is_lost_or_another",
        [at(VALUE, "1", None), at(VALUE, "1.5", "2.5", column="double")],
        [at(VALUE, "a", "b", column="text")],
    ),
    *rows("has_parts", [at("value.data", [])], [at("value.data", "")]),
    *rows("is_held", no=[at("event.before", None, {}, op="insert")]),
    *rows("is_partition_known", no=[at("record.partition", "unknown", "partition 1")]),
    *rows("has_partitions", [at(VALUE, settings=Settings(partitions=2))], [at(VALUE)]),
    # -- numbers
    *rows("is_tiny_or_minus_zero", no=[at(VALUE, "-0.5", "0"), at(VALUE, "x", "0")]),
    *rows("is_whole_number", no=[at(VALUE, "x")]),
    *(
        ("is_rounded", yes, at(VALUE, expected, got))
        for expected, got, yes in (
            ("12345678901234567890", "12345678901234567000", True),
            ("2", "2", False),
            ("9007199254740993", "x", False),
            ("x", 1, False),
        )
    ),
    *rows("is_no_exact_integer", [at("value._tidb.commitTs", *sides) for sides in ((7, "7"), (1, True))]),
    ("is_no_exact_integer", False, at("value._tidb.commitTs", 7, 8)),
    # -- times
    *(
        ("is_another_zone", yes, at(VALUE, "2024-01-02 00:00:00", got, column=kind, settings=zone))
        for got, kind, zone, yes in (
            ("2024-01-02 09:00:00", "datetime", TOKYO, False),
            ("2024-01-02 09:00:00", "timestamp", Settings(), False),
            ("2024-01-02 00:00:01", "timestamp", TOKYO, False),
        )
    ),
    # -- a value that is wrong, or not written as it is to be
    *(
        ("is_wrong", yes, at(VALUE, expected, got, column=kind))
        for kind, expected, got, yes in (
            ("int", MISSING, "1", False),
            ("int", "1", None, True),
            ("int", None, None, False),
            ("bit(8)", "1", "01", False),
            ("double", "0.1", "0.10000000149011612", True),
            ("datetime(3)", "2024-01-02 00:00:00.500", "2024-01-02T00:00:00.5Z", False),
            ("time(1)", "01:00:00.0", "01:00:00", False),
        )
    ),
    *rows(
        "is_wrong",
        [at(IMAGE, "b", {"index": "1"}, column="enum('a','b')")],
        [at(IMAGE, "b", {"index": "x"}, column="enum('a','b')"), at("value.sql", "a", "b")],
    ),
    *rows("is_unpadded", no=[at(IMAGE, "y", "z")]),
    *rows("names_bytes", [at(VALUE, column=f"enum('{label}')") for label in ("a blob", "binary")]),
    *(
        (f"has_other_{part}", part == difference, at(VALUE, '{"a": 1, "b": "x"}', got))
        for part in ("order", "strings")
        for difference, got in (("order", '{"b": "x", "a": 1}'), ("strings", '{"a": 1, "b": "\\u0078"}'), ("", 1))
    ),
    *rows("has_other_order", no=[at(VALUE, None, "{}"), at(VALUE, "[1]", "[" * 200_000)]),
    # -- images
    *(
        ("are_images_exchanged", yes, at("value", **images(*sides)))
        for sides, yes in (
            (([1], [2], [2], [1]), True),
            (([1], [1], [1], [1]), False),
            (([1], [2], [3], [1]), False),
        )
    ),
    *(
        ("are_images_exchanged", yes, exchanged({"id": Maybe("1"), "a": "x"}, MOVED, MOVED, after))
        for after, yes in (({"id": "1", "a": "x"}, True), ({"id": "1"}, False), ({"a": "x", "b": "1"}, False))
    ),
    *rows("has_no_columns", [at("value.data", tree={"value": None})]),
    *rows(
        "is_image_reduced",
        no=[
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
            (None, {"onlyHandleKey": True}, {}, False),
        )
    ),
    *rows("is_permuted_key", no=map(keyed, (["a", "c"], [1, "a"]))),
    *(
        (predicate, yes, at(f"value.data.0.{name}", expected, got, **rows_of({"c": "1"}, given)))
        for name, expected, got, given, another, invented in (
            ("C", MISSING, "1", {"C": "1"}, True, False),
            ("d", MISSING, "1", {"c": "1", "d": "1"}, False, True),
        )
        for predicate, yes in (("differs_in_letter_case", another), ("is_invented_column", invented))
    ),
    # -- types
    *rows("is_at_border", [typed("0", "2147483647"), typed("0", "2147483648")]),
    *rows("crosses_signed", [typed("1", "4294967295")], [typed("1", "2")]),
    *rows("is_declared_with_parameters", [declared("char(3)")], [declared("text")]),
    *(
        ("is_bytes_by_charset", yes, declared({"type": kind, "charset": charset}))
        for kind, charset, yes in (("text", "binary", True), ("char(3)", "utf8mb4", False))
    ),
    *rows("has_other_words", no=[at(TYPE, "int unsigned", "integer unsigned")]),
    # -- how many messages there are
    *rows(
        "are_rows_gathered",
        [gathered(1, 2), gathered(2, 2, {"value": None}, 2)],
        [gathered(1, 2, "no JSON"), gathered(1, {"value": {"data": 1}})],
    ),
]
