"""Places made by hand for the predicates of Debezium JSON that no recorded fault shows: values of columns."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "debezium")
AFTER, KEY, IMAGE = "value.payload.after.c", "key.payload.c", "event.after.c"
FIELD, KEY_FIELD = "value.schema.fields.after.fields.c.type", "key.schema.fields.c.type"
ZERO, LARGE = "0000-00-00 00:00:00", 1 << 63


def written(value: Any, kind: str, expected: Any = None, got: Any = None, path: str = AFTER, **more: Any) -> Place:
    """A place whose column holds a value."""
    return at(path, expected, got, column=kind, values=(None, value), **more)


ROWS: list[Row] = [
    # -- what the column holds
    ("holds_value", False, written("1", "int", path="value.payload.after.x")),
    *rows("holds_null", no=[written(None, "int", MISSING), written(None, "int", path=IMAGE)]),
    ("is_not_documented", False, written("1", "bit(1)", path="value.payload.after.x")),
    ("has_microseconds", True, written(None, "time(4)")),
    *rows("is_invalid_label", no=[written({"index": number}, "enum('a','b')") for number in "12"]),
    *(
        (name, name in names.split(), written(value, "date"))
        for value, names in (("0099-01-01", "is_of_short_year"), ("0100-01-01", ""))
        for name in ("is_in_no_calendar", "is_of_short_year")
    ),
    *(
        ("is_decided_by_charset", yes, at(AFTER, column={"type": kind, **more}))
        for kind, more, yes in (
            ("varchar(5)", {"collation": "utf8mb4_bin"}, True),
            ("varchar(5)", {"collation": "utf8mb4_general_ci"}, False),
            ("int", {"collation": "utf8mb4_bin"}, False),
            ("varbinary(5)", {}, False),
            ("varchar(5)", {"charset": "binary"}, True),
            ("text", {"charset": "binary"}, True),
        )
    ),
    *(
        ("has_escaped_label", yes, at(AFTER, expected))
        for expected, yes in (("ab", False), ("a,b", True), (None, False))
    ),
    # -- what was given
    *(
        ("is_taken_for_the_other", yes, at(AFTER, *pair, column=kind))
        for kind, pair, yes in (
            ("blob", ("YQ==", "a"), True),
            ("text", ("", ""), False),
            ("text", ("a", 1), False),
            ("text", (None, "YQ=="), False),
            ("varchar(5)", ("\ud800", "7aCA"), True),
        )
    ),
    *(
        ("is_escaped_label", yes, at(AFTER, *pair))
        for pair, yes in (
            (("a,b", "a\\,b"), True),
            (("a,b", "a,b"), False),
            (("a''b", "a'b"), True),
            (("a\\'b", "a'b"), True),
        )
    ),
    *rows("is_another_length", no=[at(AFTER, "YQ==", got) for got in ("YQ==", "-_8=")]),
    # -- forms on which the document is silent
    *(
        (name, name in names.split(), written(value, kind, expected, got))
        for kind, value, expected, got, names in (
            ("enum('a')", {"index": "0"}, "", "a", "is_of_no_form"),
            ("enum('a')", "a", "a", "x", ""),
            ("enum('a')", None, None, "x", "is_of_no_form"),
            ("bigint unsigned", str(LARGE), -LARGE, LARGE, "is_in_another_form"),
            ("date", "0001-01-02", 11323, "-719161", ""),
            ("date", "2023-02-30", None, False, "is_of_no_form"),
            ("datetime", "0001-01-02 00:00:01", 1, -719161 * 86400000 + 1000, "is_in_another_form"),
            ("datetime", "0001-01-02 00:00:01", 1, -719161 * 86400000 - 1, ""),
            ("datetime(6)", "0001-01-02 00:00:01.000000", 1, -719161 * 86400000000, "is_in_another_form"),
            ("datetime(6)", "0001-01-02 00:00:01.000000", 1, -719161 * 86400000000 + 86399999999, "is_in_another_form"),
            ("timestamp", ZERO, None, ZERO, "is_in_another_form"),
            ("timestamp", ZERO, None, 0, "is_of_no_form"),
            ("vector(1)", "[1]", "[1]", "[2]", "is_of_no_form"),
            ("vector(1)", "[1]", "[1]", "[1]", ""),
        )
        for name in ("is_in_another_form", "is_of_no_form")
    ),
    ("is_of_no_form", False, written(None, "vector(1)", "[1]", "[2]", IMAGE)),
    *(
        ("is_of_no_form", yes, at(AFTER, None, got, column={"type": "int", "default": "5"}))
        for got, yes in ((5, False), (6, True))
    ),
]
