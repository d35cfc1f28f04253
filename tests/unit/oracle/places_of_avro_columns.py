"""Places made by hand that the predicates of Avro judge: types, defaults and values of a column."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.settings import Settings
from tests.unit.oracle.judging import row_event
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "avro")
VALUE, BEFORE, TYPE, IMAGE = "value.row.c", "value.before.c", "value.schema.fields.c", "event.after.c"
STRINGS = {"options": {"avro-decimal-handling-mode": "string", "avro-bigint-unsigned-handling-mode": "string"}}
TOKYO = Settings(timezone="Asia/Tokyo")
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
            ("is_unsigned", "int unsigned", True),
            ("is_unsigned", "int", False),
            ("has_character_type", "VARCHAR(3)", True),
            ("has_character_type", "char(3)", True),
            ("has_character_type", "text", True),
            ("has_character_type", "TINYTEXT", True),
            ("has_character_type", "blob", False),
            ("is_precise", "decimal(5,2)", True),
            ("is_precise", "double", False),
            ("needs_escape", "enum('a','b,c')", True),
            ("needs_escape", "set('a','b''c')", True),
            ("needs_escape", "enum('a','b')", False),
            ("needs_escape", "int", False),
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
            "is_not_null",
            "has_default",
            "has_computed_default",
            "reads_null",
            "is_virtual",
            "is_null_on_a_side",
            "has_values",
            "is_beyond_long",
            "begins_with_zeros",
            "is_misshapen",
            "is_changed",
        )
    ),
    ("is_precise", False, at(TYPE, column="decimal(5,2)", **STRINGS)),
    ("has_character_type", True, at(TYPE, column={"type": "varchar(3)", "charset": "binary"})),
    *(
        ("is_called_unsigned", yes, at(TYPE, got=got))
        for got, yes in (
            ("INT UNSIGNED", True),
            ({"tidb_type": "INT UNSIGNED"}, True),
            ("int unsigned", False),
            (None, False),
        )
    ),
    *rows("is_record", [at(TYPE, "int", "record")], [at(TYPE, "record", "int")]),
    # -- whether it may be NULL, and its default
    *rows("is_nullable", [at(TYPE)], [at(TYPE, column={"type": "int", "nullable": False})]),
    *rows("is_not_null", [at(TYPE, column={"type": "int", "nullable": False})], [at(TYPE)]),
    *(
        (name, yes, at(TYPE, column={"type": "text", **default}))
        for name, default, yes in (
            ("has_default", {"default": "1"}, True),
            ("has_default", {"default": None}, False),
            ("has_default", {}, False),
            ("has_default", {"default": {"expression": "UUID()"}}, True),
            ("has_computed_default", {"default": {"expression": "UUID()"}}, True),
            ("has_computed_default", {"default": "UUID()"}, False),
            ("has_computed_default", {}, False),
            ("reads_null", {"default": "null"}, True),
            ("reads_null", {"default": None}, False),
            ("reads_null", {"default": "NULL"}, False),
            ("reads_null", {}, False),
        )
    ),
    *(
        (name, yes, at(TYPE, expected, got))
        for name, expected, got, yes in (
            ("is_default_given", MISSING, "1", True),
            ("is_default_given", "1", MISSING, False),
            ("is_default_given", "1", None, False),
            ("is_default_given", "1", "1", True),
            ("is_other_default", "1", "2", True),
            ("is_other_default", MISSING, "2", True),
            ("is_other_default", "1", "1", False),
            ("is_other_default", "1", MISSING, False),
            ("is_other_default", "1", None, False),
            ("differs", "1", "2", True),
            ("differs", "1", "1", False),
            ("differs", MISSING, MISSING, False),
            ("differs", "1", 1, True),
            ("differs", 1, True, True),
            ("differs", True, 1, True),
            ("differs", 2, 2, False),
            ("differs", None, MISSING, True),
        )
    ),
    *rows(
        "is_virtual",
        [at(TYPE, column={"type": "int", "generated": "virtual"})],
        [at(TYPE, column={"type": "int", "generated": "stored"}), at(TYPE)],
    ),
    # -- values
    *(
        (name, yes, at(VALUE, expected, got))
        for name, expected, got, yes in (
            ("is_null_on_a_side", None, "1", True),
            ("is_null_on_a_side", "1", None, True),
            ("is_null_on_a_side", None, None, True),
            ("is_null_on_a_side", "1", "1", False),
            ("is_null_on_a_side", None, MISSING, False),
            ("is_null_on_a_side", MISSING, None, False),
            ("has_values", "1", "2", True),
            ("has_values", None, "2", False),
            ("has_values", "1", None, False),
            ("has_values", MISSING, "2", False),
            ("has_values", "1", MISSING, False),
            ("are_texts", "1", "2", True),
            ("are_texts", None, "2", False),
            ("are_texts", "1", None, False),
        )
    ),
    ("has_values", False, at(NO_COLUMN, "1", "1")),
    ("is_null_on_a_side", False, at(NO_COLUMN, None, None)),
    *rows(
        "is_beyond_long",
        [
            bigint(str(2**63)),
            bigint(str(2**63), path="event.after.c"),
            at(VALUE, column="bigint unsigned", values=(str(2**63), None), op="delete"),
            at(BEFORE, column="bigint unsigned", values=(str(2**63), "1")),
            at(
                "value.row.before",
                column={"type": "bigint unsigned", "name": "before"},
                event=row_event("update", base={"id": "1", "before": "1"}, before=str(2**63)),
            ),
        ],
        [
            bigint(str(2**63 - 1)),
            bigint(None),
            bigint(str(2**63), "decimal(20) unsigned"),
            bigint(str(2**63), **STRINGS),
            bigint(str(2**63), path=BEFORE),
            bigint(str(2**63), path="event.before.c"),
            at(VALUE, column="bigint unsigned", values=(str(2**63), "1")),
        ],
    ),
    *(
        ("is_wrapped", yes, wrapped(expected, got))
        for expected, got, yes in (
            (str(2**63), str(-(2**63)), True),
            (str(2**63 + 1), str(1 - 2**63), True),
            (str(2**63), str(1 - 2**63), False),
            (str(2**63), str(2**63 + 64), False),
            (str(2**63), str(2**64), False),
            (str(2**63), f" {-(2**63)}", False),
            (str(2**63), None, False),
            (None, str(2**63), False),
            ("x", str(2**63), False),
            (str(2**63), "1.5", False),
        )
    ),
    ("is_wrapped", False, wrapped("7", "7", values=(None, "7"))),
    *(
        ("is_lossy_as_double", yes, at(VALUE, column="decimal(40,2)", values=(None, value)))
        for value, yes in (
            ("1.50", False),
            ("12345678901234567890.55", True),
            ("9007199254740993.00", True),
            (None, False),
            ("0.10", False),
            ("1" + "0" * 37 + ".00", False),
        )
    ),
    ("is_lossy_as_double", False, at(VALUE, column="text", values=(None, "x"))),
    *rows(
        "is_escaped",
        [at(VALUE, "b,c", "b\\,c"), at(VALUE, "b", "b")],
        [at(VALUE, "b,c", "b,c"), at(VALUE, "b,c", None)],
    ),
    *(
        ("begins_with_zeros", yes, at(VALUE, column=kind, values=(None, value)))
        for kind, value, yes in (
            ("bit(10)", "255", True),
            ("bit(10)", "256", False),
            ("bit(16)", "255", True),
            ("bit(9)", "255", True),
            ("bit(8)", "0", False),
            ("bit(1)", "0", False),
            ("bit(17)", "65535", True),
            ("bit(17)", "65536", False),
            ("bit(10)", None, False),
            ("bit(24)", "65536", False),
        )
    ),
    *rows(
        "is_misshapen",
        [at(IMAGE, "1", "x", send_tables=False)],
        [at(IMAGE, "1", "2", send_tables=False), at(IMAGE, "1", "x")],
    ),
]
