"""Places made by hand for the predicates of Avro that no recorded fault shows: types, defaults, values of a column."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from tests.unit.oracle.judging import row_event
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "avro")
VALUE, BEFORE, TYPE, IMAGE = "value.row.c", "value.before.c", "value.schema.fields.c", "event.after.c"
STRINGS = {"options": {"avro-decimal-handling-mode": "string", "avro-bigint-unsigned-handling-mode": "string"}}
NO_COLUMN = "value.row.d"


def bigint(value: str | None, kind: str = "bigint unsigned", path: str = VALUE, **more: Any) -> Place:
    return at(path, value, value, column=kind, values=(None, value), **more)


def wrapped(expected: Any, got: Any, **more: Any) -> Place:
    return at(VALUE, expected, got, **{"column": "bigint unsigned", "values": (None, str(2**63)), **more})


ROWS: list[Row] = [
    # -- types
    *(
        (name, yes, at(TYPE, column=kind))
        for name, kind, yes in (
            ("has_character_type", "VARCHAR(3)", True),
            ("has_character_type", "text", True),
            ("is_precise", "decimal(5,2)", True),
            ("needs_escape", "enum('a','b,c')", True),
            ("needs_escape", "enum('a','b')", False),
        )
    ),
    *(
        (name, False, at(NO_COLUMN))
        for name in (
            "is_unsigned",
            "has_character_type",
            "is_precise",
            "needs_escape",
            "is_nullable",
            "has_default",
            "has_computed_default",
            "reads_null",
            "is_null_on_a_side",
            "is_beyond_long",
            "is_misshapen",
            "is_changed",
        )
    ),
    ("is_precise", False, at(TYPE, column="decimal(5,2)", **STRINGS)),
    ("is_called_unsigned", True, at(TYPE, got="INT UNSIGNED")),
    ("is_record", True, at(TYPE, "int", "record")),
    # -- whether it may be NULL, and its default
    ("has_default", False, at(TYPE, column={"type": "text", "default": None})),
    ("reads_null", True, at(TYPE, column={"type": "text", "default": "null"})),
    ("is_default_given", False, at(TYPE, "1", None)),
    ("is_other_default", False, at(TYPE, "1", "1")),
    ("differs", True, at(TYPE, 1, True)),
    # -- values
    *(
        (name, yes, at(VALUE, expected, got))
        for name, expected, got, yes in (
            ("is_null_on_a_side", None, "1", True),
            ("is_null_on_a_side", None, MISSING, False),
            ("has_values", MISSING, "2", False),
            ("are_texts", None, "2", False),
            ("are_texts", "1", None, False),
        )
    ),
    ("is_null_on_a_side", False, at(NO_COLUMN, None, None)),
    *rows(
        "is_beyond_long",
        [
            at(VALUE, column="bigint unsigned", values=(str(2**63), None), op="delete"),
            at(BEFORE, column="bigint unsigned", values=(str(2**63), "1")),
            at(
                "value.row.before",
                column={"type": "bigint unsigned", "name": "before"},
                event=row_event("update", base={"id": "1", "before": "1"}, before=str(2**63)),
            ),
        ],
        [bigint(str(2**63 - 1)), bigint(None)],
    ),
    *(
        ("is_wrapped", yes, wrapped(expected, got))
        for expected, got, yes in (
            (str(2**63), str(2**64), False),
            (str(2**63), f" {-(2**63)}", False),
            (None, str(2**63), False),
            ("x", str(2**63), False),
        )
    ),
    ("is_wrapped", False, wrapped("7", "7", values=(None, "7"))),
    ("is_lossy_as_double", False, at(VALUE, column="decimal(40,2)", values=(None, None))),
    *(
        ("begins_with_zeros", yes, at(VALUE, column=kind, values=(None, value)))
        for kind, value, yes in (
            ("bit(10)", "256", False),
            ("bit(9)", "255", True),
            ("bit(8)", "0", False),
            ("bit(10)", None, False),
        )
    ),
    ("is_misshapen", False, at(IMAGE, "1", "2", send_tables=False)),
]
