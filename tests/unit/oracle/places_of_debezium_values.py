"""Places made by hand that the predicates of Debezium JSON judge: values of columns, and what was given for them."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.settings import Settings
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "debezium")
AFTER, KEY, IMAGE = "value.payload.after.c", "key.payload.c", "event.after.c"
FIELD, KEY_FIELD = "value.schema.fields.after.fields.c.type", "key.schema.fields.c.type"
TOKYO, RAW = Settings(timezone="Asia/Tokyo"), {"base64": "/w=="}
ZERO, LARGE = "0000-00-00 00:00:00", 1 << 63


def written(value: Any, kind: str, expected: Any = None, got: Any = None, path: str = AFTER, **more: Any) -> Place:
    """A place whose column holds a value."""
    return at(path, expected, got, column=kind, values=(None, value), **more)


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
            (str(LARGE - 1), "bigint unsigned", ""),
            ("[1]", "vector(1)", "is_not_documented"),
            (None, "vector(1)", "is_not_documented"),
            (str(LARGE), "bigint unsigned", "is_large_bigint is_not_documented"),
            (str(LARGE - 1), "bigint", ""),
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
            ("bigint unsigned", str(LARGE), -LARGE, LARGE, "is_in_another_form"),
            ("bigint unsigned", str(LARGE), -LARGE, str(LARGE), "is_in_another_form"),
            ("bigint unsigned", str(LARGE), -LARGE, 1, "is_of_no_form"),
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
]
