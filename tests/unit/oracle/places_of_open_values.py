"""Places made by hand that the predicates of Open Protocol judge: values, codes and statements."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from reference_impl.settings import Settings
from tests.unit.oracle.judging import ddl_event, mark
from tests.unit.oracle.places import Row, place, rows
from tests.unit.oracle.places_of_open_answers import ROW, VALUE, of

at = partial(place, "open-protocol")
IMAGE, BEYOND = "event.after.c", "is_beyond_double"
TOKYO, RAW = Settings(timezone="Asia/Tokyo"), {"base64": "/w=="}


def numbered(expected: Any, column: str = "int") -> Place:
    return at("event.after.c", expected, column=column)


ROWS: list[Row] = [
    *rows(
        BEYOND,
        [
            numbered("-9007199254740993"),
            numbered(9007199254740993),
            numbered("5-"),
            numbered(None),
            numbered("x", "enum('a')"),
            numbered("1.5"),
            numbered("a,c", "set('a','b')"),
        ],
        [
            numbered("-9007199254740992"),
            numbered(9007199254740992),
            numbered("a", "enum('a')"),
            numbered("0"),
            numbered("a", "set('a','b')"),
            numbered({"index": "1"}, "enum('a')"),
            at("event.after.x", 1),
            at("event.after.x", "1"),
        ],
    ),
    *rows(
        "is_beyond_signed_64",
        [numbered(1 << 63), numbered((1 << 64) - 1), numbered("9223372036854775808")],
        [numbered((1 << 63) - 1), numbered(1 << 64), numbered("x"), numbered(-1)],
    ),
    ("is_quoted_by_flag", False, at("event.after.c", "a\\b", column="varchar(5)")),
    *rows("is_code_of_it=OP-144", [at("event.action_code", 78)], [at("event.action_code", "1")]),
    *rows("is_code_of_it=OP-143", [at("event.action_code", 36)], [at("event.action", 1, tree={"event": {}})]),
    *rows("is_code_of_it=OP-143a", [at("event.action_code", 37), at("event.action_code", 77)]),
    ("is_code_of_it=OP-145", True, at("key.q", 78)),
    # -- values
    *(
        ("is_same_instant", yes, at(VALUE, *pair, column=kind))
        for kind, pair, yes in (
            ("timestamp(3)", ("2024-01-02 00:00:00.100", "2024-01-02 00:00:00.1"), True),
            ("datetime(3)", ("2024-01-02 00:00:00.100", "2024-01-02 00:00:00.1"), True),
            ("time(3)", ("00:00:00.100", "00:00:00.1"), True),
            ("text", ("00:00:00.100", "00:00:00.1"), False),
            ("time(3)", ("00:00:00.100", "00:00:00.100"), True),
            ("time", ("00:00:00", "00:00:00"), False),
            ("text", ("00:00:00.1", "00:00:00.1"), False),
            ("time(3)", ("00:00:00.100", "00:00:00.2"), False),
            ("time(3)", (None, None), False),
            ("time(3)", ("00:00:00.100", None), False),
        )
    ),
    ("is_same_instant", False, at("value.u.x", "0.1", "0.1")),
    *(
        ("is_in_zone", yes, at(VALUE, *pair, column=kind, settings=settings))
        for kind, settings, pair, yes in (
            ("timestamp", TOKYO, ("2024-01-02", "2023-12-31"), True),
            ("timestamp", TOKYO, ("2024-01-02", "2023-12-3"), False),
            ("timestamp", Settings(), ("2024-01-02", "2023-12-31"), False),
            ("datetime", TOKYO, ("1", "2"), False),
            ("timestamp", TOKYO, (1, 1), False),
            ("timestamp", TOKYO, ("1", None), False),
            ("timestamp", TOKYO, (None, "1"), False),
            ("timestamp", TOKYO, ("9", "0"), True),
            ("timestamp", TOKYO, ("a", "0"), False),
        )
    ),
    ("is_in_zone", False, at("value.u.x", "1", "2", column="timestamp", settings=TOKYO)),
    *(
        ("is_among_floats", yes, at(VALUE, column=kind))
        for kind, yes in (
            ("float", True),
            ("double", True),
            ("decimal(5,1)", False),
            ("int", False),
        )
    ),
    ("is_among_floats", False, at(VALUE, column="float")._replace(delivery=None)),
    *(
        ("has_exponent", yes, at(VALUE, *pair))
        for pair, yes in (
            (("1e3", "1000"), True),
            (("1000", "1E3"), True),
            (("9e+3", "0"), True),
            (("0E1", "0"), True),
            (("e3", "E3"), False),
            (("1.5", "1.5"), False),
            (("x", "xe1"), False),
        )
    ),
    *(
        (f"is_given={codes}", yes, at(VALUE, 1, got))
        for codes, got, yes in (
            ("1,16", 1, True),
            ("1,16", 16, True),
            ("1,16", 2, False),
            ("1,16", "1", False),
            ("3", 3, True),
            ("1,16", [], False),
            ("1,16", {}, False),
        )
    ),
    *(("is_code_of_null", yes, at(VALUE, 1, got)) for got, yes in ((6, True), (5, False), (7, False), ("6", False))),
    *(
        ("has_other_value", yes, at("value.u.c.v", 1, got, tree={"value": {"p": {"c": {"v": other}}}}))
        for got, other, yes in ((2, 2, True), (2, 3, False), (1, 1, False), (None, None, False))
    ),
    *rows("has_bodies", [of(ROW, mark()), of(ddl_event())], [of(mark())]),
    *rows("has_claims", [at("answer", claims=("a file",))], [at("answer")]),
    *rows("are_tables_sent", [at(VALUE)], [at(VALUE, send_tables=False)]),
    *(
        ("is_quoted_by_flag", yes, at(IMAGE, value, column=kind, send_tables=sent))
        for kind, value, sent, yes in (
            ("varbinary(5)", "YQ==", False, True),
            ("binary(5)", "YQ==", False, True),
            ("varbinary(5)", "YQ==", True, False),
            ("blob", "YQ==", False, False),
            ("varchar(5)", "a\\b", False, True),
            ("char(5)", "a\\b", False, True),
            ("varchar(5)", "ab", False, False),
            ("text", "a\\b", False, False),
            ("varchar(5)", None, False, False),
        )
    ),
    # -- statements
    *(
        (f"are_statements_of_it={name}", yes, of(*events, path=path))
        for name, path, events, yes in (
            ("OP-143", "value", (ddl_event(action_code=1), mark()), True),
            ("OP-143", "value", (ROW,), False),
            ("OP-143", "value", (ddl_event(action_code=36), ROW), False),
            ("OP-143", "value", (mark(),), False),
            ("OP-143a", "value", (ddl_event(action_code=37), ddl_event(action_code=77)), True),
            ("OP-143a", "value", (ddl_event(action_code=37), ddl_event(action_code=36)), False),
            ("OP-145", "value", (ddl_event(action_code=78),), True),
            ("OP-144", "event.x", (ddl_event(action_code=78),), True),
            ("OP-144", "value", (ddl_event(action_code=78),), False),
            ("OP-145", "event.x", (ddl_event(action_code=78),), False),
        )
    ),
    *(
        (f"is_code_of_it={name}", yes, at(path, expected, tree={"event": {"action_code": code}}))
        for name, path, expected, code, yes in (
            ("OP-143", "event.action", "create schema", 1, True),
            ("OP-143a", "event.action", "x", 1, False),
            ("OP-143", "event.action", 1, "x", False),
            ("OP-143", "event.action", 1, None, False),
            ("OP-145", "value.t", 0, 1, True),
            ("OP-143", "value.t", 1, 37, True),
            ("OP-143", "value.action", 1, 37, True),
            ("OP-144", "event.action_code", 0, 1, True),
            ("OP-143", "event.action_code", 37, 1, False),
        )
    ),
]
