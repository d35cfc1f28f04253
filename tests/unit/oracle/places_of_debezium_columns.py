"""Places made by hand that the predicates of Debezium JSON judge: columns, and how they are described."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.settings import Settings
from reference_impl.wire import events_from_json
from tests.unit.oracle.judging import SMALL, ddl_event, mark, row_event
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "debezium")
FIELD, CHANGED = "value.schema.fields.after.fields.c", "value.payload.tableChanges.0.table.columns.c"
TOKYO = Settings(timezone="Asia/Tokyo")
ZERO, NOW = "0000-00-00 00:00:00", {"expression": "CURRENT_TIMESTAMP"}


def described(expected: Any = None, got: Any = None, path: str = FIELD, **members: Any) -> Place:
    """A place in the description of the column, which has these members."""
    more = {name: members.pop(name) for name in ("settings", "event") if name in members}
    return at(path, expected, got, column={"type": "int", **members}, **more)


def columns(*names: str) -> dict[str, Any]:
    table = {"columns": {name: {} for name in names}}
    return {"value": {"payload": {"tableChanges": [{"table": table}]}}}


def versions(got: Any, *defaults: Any, now: Any = "5", kind: str = "int", table: str = "t", path: str = FIELD) -> Place:
    """A column of a default, whose table has others before and after a statement, and as another table of it."""
    past: list[Any] = [
        {**SMALL, "name": table, "columns": [*SMALL["columns"], {"name": "c", "type": kind, "default": default}]}
        for default in defaults
    ]
    sides = dict(zip(("table_before", "table_after"), past, strict=False))
    return at(path, None, got, column={"type": kind, "default": now}, event=ddl_event(**sides, other_tables=past[2:]))


def followed(at_place: Place) -> Place:
    """The same place, in a case with one more statement at its end."""
    case = at_place.case
    return at_place._replace(case=replace(case, events=(*case.events, *events_from_json([ddl_event()], case.tables))))


ROWS: list[Row] = [
    # -- columns
    *(
        ("is_defined", yes, at(path, event=event, column={"name": name, "type": "int"}))
        for path, event, name, yes in (
            (CHANGED, ddl_event(query="add c int"), "c", True),
            (CHANGED, ddl_event(query="add `c` int"), "c", True),
            (CHANGED, ddl_event(query="add cc, bc, $c, c$ int"), "c", False),
            (CHANGED, ddl_event(query="c"), "c", True),
            (CHANGED, ddl_event(query="add C"), "c", False),
            (f"{CHANGED}.x", ddl_event(query="c"), "c", False),
            (CHANGED, row_event("insert", base={"id": "1"}), "c", False),
            ("value.c|d", ddl_event(query="c"), "c|d", False),
            ("value.c|d", ddl_event(query="c|d"), "c|d", True),
            (CHANGED, mark(), "c", False),
        )
    ),
    *(
        ("is_under_another_name", yes, at(CHANGED, tree=columns(*left), given=columns(*right)))
        for left, right, yes in (
            ("abc", "abd", True),
            ("abc", "ab", False),
            ("", "", True),
            ("a", "ab", False),
        )
    ),
    *rows(
        "has_comment",
        [described(comment="x")],
        [described(comment=""), described(), described(path="value.x", comment="x")],
    ),
    *(
        ("is_signed_int", yes, described(path=path, type=kind))
        for path, kind, yes in (
            (FIELD, "int", True),
            (FIELD, "int unsigned", False),
            (FIELD, "bigint", False),
            ("value.x", "int", False),
        )
    ),
    *(
        ("is_filled_by_server", yes, described(path=path, **members))
        for path, members, yes in (
            (FIELD, {"auto_increment": True}, True),
            (FIELD, {}, False),
            ("value.x", {"auto_increment": True}, False),
            (FIELD, {"type": "timestamp", "on_update_now": True}, True),
            (FIELD, {"type": "timestamp"}, False),
            (FIELD, {"type": "datetime", "on_update_now": True}, False),
        )
    ),
    *(
        ("is_charset_implied", yes, described(type="varchar(5)", collation=collation, event=event))
        for collation, event, yes in (
            ("utf8_unicode_ci", ddl_event(query="c collate utf8_unicode_ci"), True),
            ("utf8_unicode_ci", None, True),
            ("utf8_unicode_ci", ddl_event(query="c CHARACTER SET utf8"), False),
            ("utf8_general_ci", None, False),
            ("utf8_unicode_ci", ddl_event(query="c charset utf8"), False),
            (None, None, False),
            ("utf8_unicode_ci", ddl_event(query="c Char Set utf8"), True),
            ("utf8_unicode_ci", ddl_event(query="charsets"), True),
            ("utf8_unicode_ci", ddl_event(query="mycharset"), True),
        )
    ),
    *rows("is_utf8mb4", [described(got="utf8mb4")], [described(got="utf8"), described("utf8mb4")]),
    *(
        ("is_default_now", yes, described(path=path, type="timestamp", default=default))
        for path, default, yes in (
            (FIELD, NOW, True),
            (FIELD, "current_timestamp", True),
            (FIELD, "2024-01-02 00:00:00", False),
            (FIELD, None, False),
            ("value.x", NOW, False),
            (FIELD, {"expression": "now()"}, True),
        )
    ),
    *(
        ("is_catalogue_default", yes, described(got=got, type="timestamp", default=default))
        for default, got, yes in (
            (NOW, "CURRENT_TIMESTAMP", False),
            (NOW, "current_timestamp", False),
            (NOW, None, True),
            (ZERO, ZERO, True),
            (NOW, "1970-01-01 00:00:00", True),
            (NOW, "x", False),
            (ZERO, "1970-01-01 00:00:00", True),
            (ZERO, "x", False),
            (ZERO, "CURRENT_TIMESTAMP", False),
            ("x", "X", False),
        )
    ),
    *(
        ("has_label_to_escape", yes, described(path=path, type=kind))
        for path, kind, yes in (
            (FIELD, "enum('a''b')", True),
            (FIELD, "enum('x','a\\\\b')", True),
            (FIELD, "enum('a')", False),
            (FIELD, "int", False),
            ("value.x", "enum('a''b')", False),
            (FIELD, "set('a''b')", True),
        )
    ),
    *(
        ("is_label_escaped", yes, described(*pair))
        for pair, yes in (
            (("a'b", "a''b"), True),
            (("a''b", "ab"), False),
            (("ab", "'ab'"), True),
            (("a\\b", "ab"), True),
            (("a", "b"), False),
            (("1", 1), False),
            (("X'a'X", "a"), False),
            (("'a'", "a"), True),
            (("a'b", "a\\'b"), True),
        )
    ),
    # -- descriptions
    *(
        ("has_scale", yes, described(type=kind))
        for kind, yes in (
            ("decimal(5,2)", True),
            ("decimal(5,0)", True),
            ("int", False),
            ("double", False),
            ("float(5,2)", True),
        )
    ),
    *(
        ("is_escaped_otherwise", yes, described(*pair))
        for pair, yes in (
            (("a,b", "'a','b'"), True),
            (("a\\,b", "a,b"), True),
            (("a,b", "a,c"), False),
            (("1", 1), False),
            ((1, "1"), True),
            (("'a'", "a"), True),
        )
    ),
    *rows(
        "has_virtual",
        [described(generated="virtual")],
        [described(generated="stored"), described(), described(generated="virtual")._replace(delivery=None)],
    ),
    *rows("is_default_expression", [described(type="timestamp", default=NOW)], [described(default="5")]),
    *(
        (name, name in names.split(), described(type=kind, default=default, settings=settings))
        for kind, default, settings, names in (
            ("timestamp", NOW, TOKYO, "is_default_no_instant is_default_no_day"),
            ("date", "2023-02-30", TOKYO, "is_default_no_instant is_default_no_day"),
            ("timestamp", ZERO, TOKYO, "is_default_no_instant is_default_zero is_default_no_day"),
            ("timestamp", "2024-01-02 00:00:00", TOKYO, ""),
            ("timestamp", "1970-01-01 09:00:00", TOKYO, "is_default_no_instant"),
            ("timestamp", "1970-01-01 09:00:01", TOKYO, ""),
            ("timestamp", "1970-01-01 09:00:00", Settings(), ""),
            ("date", None, TOKYO, "is_default_no_instant is_default_no_day"),
            ("date", "0000-00-01", TOKYO, "is_default_no_instant is_default_no_day"),
        )
        for name in ("is_default_no_instant", "is_default_zero", "is_default_no_day")
    ),
    *(
        ("is_default_changed", yes, versions(None, *defaults, **more))
        for defaults, more, yes in (
            (("4",), {}, True),
            (("5",), {}, False),
            (("5", "4"), {}, True),
            (("5", "5", "4"), {}, True),
            ((), {}, False),
            (("4",), {"table": "o"}, False),
            (("4",), {"path": "value.x"}, False),
            ((None,), {}, True),
        )
    ),
    ("is_default_changed", True, followed(versions(None, "4", "4"))),
    ("is_default_changed", False, versions(None, "5.0", "05")),
    *(
        ("is_earlier_default", yes, versions(got, *defaults))
        for got, defaults, yes in (
            ("4", ("4",), True),
            ("3", ("4",), False),
            (4, ("4",), True),
            (MISSING, (None,), True),
            (MISSING, ("4",), False),
            ("5", ("4",), False),
            ("3", ("4", "3"), True),
            ("3", ("4", "5", "3"), True),
            (None, (None,), False),
            # As a schema has it: numbers are equal in any spelling.
            (Decimal("4.0"), ("4",), True),
            (4, ("4.00",), True),
            ("4.00", ("4.00",), True),
            (5, ("5.0", "05"), False),
        )
    ),
    *(
        ("is_earlier_default", yes, versions(got, *defaults, now=now, kind=kind))
        for kind, now, got, defaults, yes in (
            ("date", "2020-01-01", 1, ("1970-01-02",), True),
            ("date", "2020-01-01", "1970-01-02", ("1970-01-02",), True),
            ("date", None, MISSING, ("0000-00-00", "1970-01-02"), False),
            ("datetime(6)", None, 1_000_000, ("1970-01-01 00:00:01.000000",), True),
            ("bit(10)", "1", "QgE=", ("322",), True),
            ("timestamp", "2020-01-01 00:00:00", "1970-01-02T00:00:00Z", ("1970-01-02 00:00:00",), True),
            ("binary(3)", "b", "a\0\0", ("a",), True),
            ("binary(3)", "a\0\0", "a\0\0", ("a",), False),
        )
    ),
    *(
        ("is_twin", yes, described(*pair, path=path, type=kind, charset=charset))
        for path, kind, charset, pair, yes in (
            (FIELD, "varchar(5)", "binary", ("varbinary", "varchar"), True),
            (FIELD, "char(5)", "binary", ("binary", "char(5)"), True),
            (FIELD, "text", "binary", ("blob", "text"), True),
            (FIELD, "tinytext", "binary", ("tinyblob", "TINYTEXT"), True),
            (FIELD, "mediumtext", "binary", ("mediumblob", "mediumtext"), True),
            (FIELD, "blob", None, ("blob", "text"), False),
            (FIELD, "longtext", "binary", ("longblob", "longtext"), True),
            (FIELD, "text", "binary", ("blob", "longtext"), False),
            ("value.x", "text", "binary", ("blob", "text"), False),
            (FIELD, "varbinary(5)", None, ("varbinary", "varchar"), False),
            (FIELD, "text", "binary", ("blob", None), False),
            (FIELD, "TEXT", "binary", ("blob", "text binary"), True),
        )
    ),
    *(
        (name, name in names.split(), described(*pair))
        for pair, names in (
            (("int", "bigint"), "is_another_word"),
            (("int", "int(11)"), ""),
            (("int", "INT"), "is_upper_case"),
            (("int unsigned", "int"), "is_signed_otherwise"),
            (("int", "int UNSIGNED"), "is_signed_otherwise is_upper_case"),
            (("int", None), "is_another_word"),
            (("int", MISSING), "is_another_word"),
            (("int", " int"), ""),
            (("int unsigned", "int unsigned"), ""),
            (("int", "bigint unsigned"), "is_another_word is_signed_otherwise"),
            (("INT", "int"), ""),
            (("int", "int (11)"), ""),
            (("None", None), "is_another_word"),
        )
        for name in ("is_another_word", "is_upper_case", "is_signed_otherwise")
    ),
    *(
        (
            "is_described_without",
            yes,
            at(
                "key.schema.fields.c.tidb_type",
                given={"value": {"schema": {"fields": {"after": {"fields": {"c": given}}}}}},
            ),
        )
        for given, yes in (
            ({"tidb_type": "x"}, False),
            ({"type": "x"}, True),
            ("tidb_type", True),
            (None, True),
        )
    ),
]
