"""Places made by hand for the predicates of Open Protocol that no recorded fault shows: values, codes, statements."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from reference_impl.settings import Settings
from tests.unit.oracle.judging import ddl_event, mark
from tests.unit.oracle.places import Row, place, rows
from tests.unit.oracle.places_of_open_answers import VALUE, of

at = partial(place, "open-protocol")
IMAGE, BEYOND = "event.after.c", "is_beyond_double"
TOKYO = Settings(timezone="Asia/Tokyo")


def numbered(expected: Any, column: str = "int") -> Place:
    return at("event.after.c", expected, column=column)


ROWS: list[Row] = [
    *rows(
        BEYOND,
        [*map(numbered, ("-9007199254740993", 9007199254740993, "5-")), numbered("x", "enum('a')")],
        [numbered("-9007199254740992"), numbered(9007199254740992), numbered("a", "enum('a')"), at("event.after.x", 1)],
    ),
    *rows("is_beyond_signed_64", [numbered(1 << 63)], [numbered((1 << 63) - 1), numbered(1 << 64)]),
    ("is_quoted_by_flag", False, at("event.after.c", "a\\b", column="varchar(5)")),
    *(
        (f"is_code_of_it={name}", True, at("event.action_code", code))
        for name, code in (("OP-143", 36), ("OP-143a", 77), ("OP-144", 78))
    ),
    ("is_code_of_it=OP-144", False, at("event.action_code", "1")),
    # -- values
    *(
        ("is_same_instant", yes, at(VALUE, *pair, column=kind))
        for kind, pair, yes in (
            ("timestamp(3)", ("2024-01-02 00:00:00.100", "2024-01-02 00:00:00.1"), True),
            ("datetime(3)", ("2024-01-02 00:00:00.100", "2024-01-02 00:00:00.1"), True),
            ("time(3)", ("00:00:00.100", "00:00:00.100"), True),
            ("time", ("00:00:00", "00:00:00"), False),
            ("text", ("00:00:00.1", "00:00:00.1"), False),
            ("time(3)", ("00:00:00.100", "00:00:00.2"), False),
        )
    ),
    ("is_same_instant", False, at("value.u.x", "0.1", "0.1")),
    *(
        ("is_in_zone", yes, at(VALUE, *pair, column=kind, settings=settings))
        for kind, settings, pair, yes in (
            ("timestamp", TOKYO, ("2024-01-02", "2024-01-01"), True),
            ("timestamp", TOKYO, ("2024-01-02 00:00:00.5", "2024-01-02 00:00:00.0"), False),
            ("timestamp", Settings(), ("2024-01-02", "2024-01-01"), False),
            ("datetime", TOKYO, ("2024-01-02", "2024-01-01"), False),
            ("timestamp", TOKYO, ("1", None), False),
            ("timestamp", TOKYO, (None, "1"), False),
        )
    ),
    ("is_in_zone", False, at("value.u.x", "2024-01-02", "2024-01-01", column="timestamp", settings=TOKYO)),
    *(("is_among_floats", yes, at(VALUE, column=kind)) for kind, yes in (("float", True), ("decimal(5,1)", False))),
    *rows("has_exponent", [at(VALUE, "1e3", "1000"), at(VALUE, "1000", "1E3")]),
    *rows("is_given=1,16", no=[at(VALUE, 1, 2), at(VALUE, 1, [])]),
    ("is_code_of_null", True, at(VALUE, 1, 6)),
    *(
        ("has_other_value", yes, at("value.u.c.v", 1, got, tree={"value": {"p": {"c": {"v": other}}}}))
        for got, other, yes in ((2, 2, True), (1, 1, False), (None, None, False))
    ),
    *rows("has_bodies", no=[of(mark())]),
    *(
        ("is_quoted_by_flag", yes, at(IMAGE, value, column=kind, send_tables=sent))
        for kind, value, sent, yes in (
            ("varchar(5)", "a\\b", False, True),
            ("varchar(5)", "ab", False, False),
            ("text", "a\\b", False, False),
            ("varchar(5)", None, False, False),
        )
    ),
    # -- statements
    ("are_statements_of_it=OP-143", True, of(ddl_event(action_code=1), mark(), path="value")),
    ("are_statements_of_it=OP-143a", False, of(*(ddl_event(action_code=code) for code in (37, 36)), path="value")),
    ("is_code_of_it=OP-143a", False, at("event.action", "x", tree={"event": {"action_code": 1}})),
    ("is_code_of_it=OP-145", True, at("value.t", 0, tree={"event": {"action_code": 1}})),
]
