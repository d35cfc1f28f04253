"""Places made by hand for the predicates of Debezium JSON that no recorded fault shows: columns, descriptions."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

from conformance.oracle.rules import Place
from reference_impl.settings import Settings
from tests.unit.oracle.judging import SMALL, ddl_event, row_event
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


ROWS: list[Row] = [
    # -- columns
    *(
        ("is_defined", yes, at(path, event=event, column={"name": name, "type": "int"}))
        for path, event, name, yes in (
            (CHANGED, ddl_event(query="add cc, bc, $c, c$ int"), "c", False),
            (f"{CHANGED}.x", ddl_event(query="c"), "c", False),
            (CHANGED, row_event("insert", base={"id": "1"}), "c", False),
        )
    ),
    ("is_under_another_name", False, at(CHANGED, tree=columns(*"abc"), given=columns(*"ab"))),
    *rows("has_comment", no=[described(comment=""), described(path="value.x", comment="x")]),
    *rows("is_signed_int", no=[described(type="int unsigned"), described(path="value.x")]),
    *(
        ("is_filled_by_server", yes, described(path=path, **members))
        for path, members, yes in (
            (FIELD, {"auto_increment": True}, True),
            ("value.x", {"auto_increment": True}, False),
            (FIELD, {"type": "timestamp"}, False),
            (FIELD, {"type": "datetime", "on_update_now": True}, False),
        )
    ),
    *(
        ("is_charset_implied", yes, described(type="varchar(5)", collation=collation, event=event))
        for collation, event, yes in (
            ("utf8_unicode_ci", ddl_event(query="c CHARACTER SET utf8"), False),
            ("utf8_unicode_ci", ddl_event(query="c charset utf8"), False),
            ("utf8_unicode_ci", ddl_event(query="charsets"), True),
            ("utf8_unicode_ci", ddl_event(query="mycharset"), True),
            ("utf8_general_ci", None, False),
        )
    ),
    ("is_utf8mb4", False, described(got="utf8")),
    *rows(
        "is_default_now",
        [described(type="timestamp", default="current_timestamp")],
        [described(path="value.x", type="timestamp", default=NOW)],
    ),
    *(
        ("is_catalogue_default", yes, described(got=got, type="timestamp", default=default))
        for default, got, yes in (
            (NOW, "CURRENT_TIMESTAMP", False),
            (ZERO, ZERO, True),
            (NOW, "1970-01-01 00:00:00", True),
        )
    ),
    *rows(
        "has_label_to_escape",
        [described(type="enum('x','a\\\\b')")],
        [described(path="value.x", type="enum('a''b')")],
    ),
    *(
        ("is_label_escaped", yes, described(*pair))
        for pair, yes in ((("a''b", "ab"), False), (("ab", "'ab'"), True), (("a\\b", "ab"), True), (("1", 1), False))
    ),
    # -- descriptions
    ("is_escaped_otherwise", False, described("a,b", "a,c")),
    *rows(
        "has_virtual",
        [described(generated="virtual")],
        [described(generated="stored"), described(generated="virtual")._replace(delivery=None)],
    ),
    ("is_default_no_instant", True, described(type="date", settings=TOKYO)),
    *(
        ("is_default_changed", yes, versions(None, *defaults, **more))
        for defaults, more, yes in (
            (("5", "4"), {}, True),
            (("4",), {"table": "o"}, False),
            (("4",), {"path": "value.x"}, False),
        )
    ),
    *(
        ("is_earlier_default", yes, versions(got, *defaults))
        for got, defaults, yes in (
            ("4", ("4",), True),
            # As a schema has it: numbers are equal in any spelling.
            (Decimal("4.0"), ("4",), True),
            (5, ("5.0", "05"), False),
        )
    ),
    *(
        ("is_twin", yes, described(*pair, path=path, type=kind, charset=charset))
        for path, kind, charset, pair, yes in (
            (FIELD, "varchar(5)", "binary", ("varbinary", "varchar"), True),
            (FIELD, "char(5)", "binary", ("binary", "char(5)"), True),
            (FIELD, "tinytext", "binary", ("tinyblob", "TINYTEXT"), True),
            (FIELD, "mediumtext", "binary", ("mediumblob", "mediumtext"), True),
            (FIELD, "longtext", "binary", ("longblob", "longtext"), True),
            ("value.x", "text", "binary", ("blob", "text"), False),
            (FIELD, "TEXT", "binary", ("blob", "text binary"), True),
        )
    ),
    *(
        (name, name == which, described(*pair))
        for pair, which in ((("int", "int UNSIGNED"), "is_signed_otherwise"), (("None", None), "is_another_word"))
        for name in ("is_another_word", "is_signed_otherwise")
    ),
    (
        "is_described_without",
        True,
        at(
            "key.schema.fields.c.tidb_type",
            given={"value": {"schema": {"fields": {"after": {"fields": {"c": "tidb_type"}}}}}},
        ),
    ),
]
