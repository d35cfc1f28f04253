"""Faults of Debezium JSON in lists: wrong records of an encoder, and wrong events or a refusal of a decoder."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.tree import MISSING
from tests.unit.oracle.changes import Fault, faults, the_first, turned
from tests.unit.oracle.debezium_answers import BARE, CHANGED, EXTENDED, NO_OLD, NOW, RAW, case_of, ddl, row
from tests.unit.oracle.judging import SMALL, mark, written

# -- records -----------------------------------------------------------------------------------------------------------

ROWS = case_of("encode", *(row("insert", ts=n << 18, base={"id": str(n), "a": "1"}) for n in (7, 8)), table=SMALL)
SPLIT = case_of("encode", row("update", base={"id": "1", "a": "1"}, id="2"), table=SMALL)
ONE_DELETE = case_of("encode", row("delete", base={"id": "1", "a": "1"}), table=SMALL)
ONE_ROW = case_of("encode", row("insert", base={"id": "1", "a": "1"}), table=SMALL)
KEPT_WHOLE = replace(SPLIT, options=RAW)
TWO_KEYS = [
    row("update", base={"id": "1", "a": "1"}, id="2"),
    row("update", ts=8 << 18, base={"id": "3", "a": "1"}, id="4"),
    row("update", ts=9 << 18, base={"id": "5", "a": "1"}, a="2"),
]
TWO_SPLITS = case_of("encode", *TWO_KEYS, table=SMALL)
TWO_WHOLE = replace(TWO_SPLITS, options=RAW)


SPREAD = replace(NOW, partitions=3)
MARKS = case_of("encode", mark(), options=EXTENDED, settings=SPREAD)
DDLS = case_of("encode", ddl(), table=CHANGED, settings=SPREAD)

RECORDS: list[Fault] = [
    *faults(ROWS, ("039b", turned)),
    *faults(ONE_DELETE, ("010b", lambda records: [*records, replace(records[0], value=None)])),
    *faults(
        SPLIT, ("038", lambda records: written(KEPT_WHOLE)), ("039b", turned)
    ),  # no document asks for the splitting: the order is broken
    *faults(KEPT_WHOLE, ("038a", lambda records: written(SPLIT))),
    *faults(TWO_SPLITS, ("038", lambda records: written(TWO_WHOLE))),
    *faults(TWO_WHOLE, ("038a", lambda records: written(TWO_SPLITS))),
    *faults(ONE_ROW, ("010b 453", lambda records: [*records, replace(records[0], value=None)])),
    *faults(MARKS, ("403", the_first)),
    *faults(DDLS, ("303", the_first)),
]

# -- events ------------------------------------------------------------------------------------------------------------

INSERTED = case_of("decode", row("insert"), options=EXTENDED)
UPDATED = case_of("decode", row("update", c="z"))
UPDATED_TYPES = case_of("decode", row("update", ti="7", d="2024-03-04", e={"index": "2"}))
WITHOUT_OLD = case_of("decode", row("update", c="z"), options=NO_OLD)
DELETED = case_of("decode", row("delete"))
STATED = case_of("decode", ddl(), table=CHANGED)
MARKED = case_of("decode", mark(), options=EXTENDED)
PRESSED = case_of("decode", row("insert"), options={"large-message-handle-compression": "lz4"})
UNSCHEMED = case_of("decode", row("insert"), options=BARE)
BLIND = case_of("decode", row("insert"), options=EXTENDED, send_tables=False)
DEFAULTED = case_of("decode", row("insert", ti=None, x=""))


def swapped(events: list[Any]) -> None:
    """Each image in the place of the other."""
    events[0]["before"], events[0]["after"] = events[0]["after"], events[0]["before"]


def with_the_old_row_as_after(events: list[Any]) -> None:
    """`after` is the row before the change."""
    events[0]["after"] = events[0]["before"]


EVENTS: list[Fault] = [
    *faults(
        INSERTED,
        "0",
        ("", "source", {"offset": "1"}),
        ("", "row_id", "1"),
        ("451a", "kind", "ddl"),
        ("451a", "op", MISSING),
        ("451f", "table", "my-cluster.test.t"),
        ("451f", "table", MISSING),
        ("451y", "query", "INSERT"),
        ("451d", "commit_ts", MISSING),
        ("451y", "before", {"id": "1"}),
        ("451e", "after", None),
        ("451y", "more", "1"),
        "0.after",
        ("451e", "c", MISSING),
        ("451e", "id", MISSING),
        ("451u / 451e", "o", MISSING),
        ("451g", "b", "9007199254740992"),
        ("451g", "b", None),
        ("451i", "b1", "0"),
        ("451i", "bt", "258"),
        ("451k", "m", "1.51"),
        ("451k", "m", "150"),
        ("451n", "tm", "01:02:03"),
        ("451o", "y", "24"),
        ("451q", "q", "QVFMLw=="),
        ("451r", "e", "a"),
        ("451r", "s", "a"),
        ("451s", "j", '{"a": 1.5}'),
        ("451t / 451e", "v", "[1,0.25]"),
        ("451u / 451e", "o", "0"),
    ),
    *faults(
        STATED,
        "0",
        ("451y", "op", "insert"),
        ("451b", "schema", "x"),
        ("451b", "table", ""),
        ("451b", "query", MISSING),
    ),
    *faults(BLIND, ("451k / 451x", "0.after.m", "1.51")),
    *faults(DELETED, ("451g", "0.before.id", "2"), "0", ("451y", "after", {"id": "1"}), ("451e", "before", MISSING)),
    *faults(WITHOUT_OLD, ("451y", "0.before", {"id": "1"})),
    *faults(UPDATED, ("451e", swapped), ("451e", "0.before", None), ("451e", "0.before.c", "z")),
    *faults(UPDATED_TYPES, ("451e", with_the_old_row_as_after)),
    *faults(DEFAULTED, "0.after", ("451g", "ti", None)),
]

REFUSED: list[tuple[str, Case, str]] = [
    ("451a", INSERTED, "syntax"),
    ("451b", STATED, "syntax"),
    ("451c", MARKED, "syntax"),
    ("451a", UNSCHEMED, "syntax"),
    ("451x", BLIND, "syntax"),
    ("016a", PRESSED, "syntax"),
    # for a schema that is switched off
    ("451w", UNSCHEMED, "schema"),
    ("451w", UNSCHEMED, "syntax: there is no Schema"),
    ("451a", INSERTED, "schema"),
    ("451a", INSERTED, "syntax: there is no Schema"),
]
