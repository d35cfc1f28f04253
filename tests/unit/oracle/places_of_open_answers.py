"""Places made by hand that the predicates of Open Protocol judge: answers as a whole, records and keys."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from conformance.oracle.open_protocol import reading
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.exact_json import Object
from reference_impl.model import Table
from reference_impl.settings import Settings
from reference_impl.wire import events_from_json, table_from_json
from tests.unit.oracle.judging import ddl_event, mark, row_event
from tests.unit.oracle.places import Row, place, rows

at = partial(place, "open-protocol")
UPDATED = {"only-output-updated-columns": "true"}
TWO, VALUE = Settings(partitions=2), "value.u.c"
UNIQUE = {"unique_keys": [{"name": "u", "columns": ["c"]}]}
ROW = row_event("insert", base={"id": "1"})
BY_CLAIM, BY_HANDLE = "is_reduced_by=claim-check", "is_reduced_by=handle-key-only"
HANDLE = {"large-message-handle-option": "handle-key-only"}
CLAIM = {"large-message-handle-option": "claim-check", "claim-check-storage-uri": "file:///a"}


def doubled(*names: str) -> Object:
    """A key that has members twice."""
    return Object([pair for name in names for pair in ((name, 1), (name, 2))])


def of(*events: dict[str, Any], path: str = "answer.events", others: tuple[Table, ...] = (), **more: Any) -> Place:
    """A place of a case with these events; `others` are tables."""
    made = at(path, event=events[0], **more)
    tables = *made.case.tables, *others
    return made._replace(case=replace(made.case, tables=tables, events=tuple(events_from_json(events, tables))))


def with_another(*events: dict[str, Any], schema: str = "test", table: str = "o") -> Place:
    """A place of a case with these events, and one of another table."""
    other = {"schema": schema, "name": table, "primary_key": [], "columns": [{"name": "id", "type": "int"}]}
    return of(*events, {**ROW, "schema": schema, "table": table}, others=(table_from_json(other),))


def after(given: Any) -> dict[str, Any]:
    return {"given": {"event": {"after": given}}}


ROWS: list[Row] = [
    # -- answers
    *(
        ("is_respelled", yes, at(VALUE, axes={"encoding": name}))
        for name, yes in (
            ("shuffled", True),
            ("spaced", True),
            ("escaped", True),
            ("unknown members", False),
            ("plain", False),
        )
    ),
    *(
        ("is_rewritten", yes, at(VALUE, axes={"encoding": name}))
        for name, yes in (
            ("shuffled", True),
            ("spaced", True),
            ("escaped", True),
            ("unknown members", True),
            ("plain", False),
        )
    ),
    *(
        ("is_found_by_count", yes, at("answer.events", requirements=ids))
        for ids, yes in (
            (("OP-044b",), True),
            (("OP-003", "OP-105"), True),
            (("OP-003",), False),
            ((), False),
            (("OP-001", "OP-044b"), False),
        )
    ),
    *(
        ("is_of_codes", yes, at("answer.events", requirements=ids))
        for ids, yes in (
            (("OP-105",), True),
            (("OP-044b",), False),
            ((), False),
            (("OP-044b", "OP-240"), True),
        )
    ),
    *(
        ("is_other_change", yes, at("event.op", "update", got))
        for got, yes in (
            ("insert", False),
            ("update", False),
            ("upsert", False),
            ("delete", True),
            (None, True),
            ("", True),
        )
    ),
    *(
        ("is_empty_p_filled", yes, at("event.before", *pair, values=values, options=options, **after(given)))
        for pair, values, options, given, yes in (
            ((None, {"c": "1"}), ("1", "1"), UPDATED, {"c": "1"}, True),
            ((None, {"c": "1"}), ("1", "2"), UPDATED, {"c": "1"}, False),
            ((None, {"c": "1"}), ("1", "1"), {}, {"c": "1"}, False),
            ((None, {"c": "1"}), ("1", "1"), UPDATED, {"c": "2"}, False),
            ((None, {"c": "1", "id": "2"}), ("1", "1"), UPDATED, {"c": "1", "id": "1"}, False),
            ((None, {"c": None}), ("1", "1"), UPDATED, {}, False),
            ((None, None), ("1", "1"), UPDATED, None, True),
            ((None, {"c": "1"}), ("1", "1"), UPDATED, None, False),
            ((None, "c"), ("1", "1"), UPDATED, {"c": "1"}, False),
            (({"c": "2"}, {"c": "1"}), ("1", "1"), UPDATED, {"c": "1"}, False),
            (({"c": "2"}, {"c": "2"}), ("1", "1"), UPDATED, {"c": "1"}, True),
            ((None, {}), ("1", "1"), UPDATED, {"c": "1"}, True),
        )
    ),
    ("is_empty_p_filled", False, at("event.before", None, {"c": "1"}, values=("1", "1"), options=UPDATED)),
    *(
        ("is_of_after", yes, at("event.before.c", *pair, **after(given)))
        for pair, given, yes in (
            (("1", "1"), None, True),
            (("1", "2"), {"c": "2"}, True),
            (("1", "2"), {"c": "3"}, False),
            (("1", "2"), None, False),
            (("1", "2"), "c", False),
            (("1", None), {}, False),
            (("1", "2"), {"d": "2"}, False),
        )
    ),
    ("is_of_after", False, at("event.before.c", "1", "2")),
    # -- records
    *(
        (f"fault={name}", yes, at("record", None, got))
        for name, phrase in (
            ("beyond-64-bits", reading.BEYOND_64_BITS),
            ("compressed-key", reading.COMPRESSED_KEY),
            ("compression", reading.COMPRESSION),
            ("ddl-value", reading.DDL_VALUE),
            ("event-key", reading.EVENT_KEY),
            ("key-layout", reading.KEY_LAYOUT),
            ("not-utf-8", reading.NOT_UTF8),
            ("pairs", reading.PAIRS),
            ("resolved-value", reading.RESOLVED_VALUE),
            ("row-value", reading.ROW_VALUE),
            ("value-layout", reading.VALUE_LAYOUT),
            ("version", reading.VERSION),
        )
        for got, yes in ((f"{phrase}: x", True), (f"x {phrase}", False), ({}, True), (None, True))
    ),
    *rows(
        "is_unread",
        [at("record", None, "version")._replace(delivery=None)],
        [at("record", None, {})._replace(delivery=None), at("record", None, "version")],
    ),
    *(
        ("is_reduced_unasked", yes, at(VALUE, "1", got, tree=tree, given=given))
        for got, tree, given, yes in (
            (MISSING, {}, {"key": {"ohk": True}}, True),
            (MISSING, {"key": {}}, {"key": {"ccl": "x"}}, True),
            (MISSING, {"key": {"ohk": True}}, {"key": {"ohk": True}}, False),
            (MISSING, {"key": None}, {}, False),
            (MISSING, {}, {"key": 5}, False),
            (MISSING, {}, {"key": "ohk"}, False),
            (None, {}, {"key": {"ohk": True}}, False),
            (MISSING, {"key": {"ccl": "x"}}, {"key": {"ohk": True}}, True),
            (MISSING, {"key": {"ohk": True}}, {}, False),
            (MISSING, {}, {"key": {"ts": 1}}, False),
        )
    ),
    *rows(
        "is_mixed",
        [at("frame.alone", given={"frame": {"alone": False}})],
        [
            at("frame.alone", given={"frame": {"alone": True}}),
            at("frame.alone", given={"frame": "version"}),
            at("frame.alone"),
        ],
    ),
    *(
        (f"broadcasts={name}", yes, of(*events, settings=settings))
        for name, events, settings, yes in (
            ("ddl", (ROW, ddl_event()), TWO, True),
            ("ddl", (ROW, mark()), TWO, False),
            ("ddl", (ddl_event(),), Settings(), False),
            ("watermark", (ROW, mark()), TWO, True),
            ("watermark", (ddl_event(),), TWO, False),
            ("watermark", (mark(),), Settings(), False),
        )
    ),
    *(
        (name, yes, at("answer.events", values=values, keys=keys))
        for values, keys, names in (
            (("1", "2"), {}, ""),
            (("1", "2"), UNIQUE, "has_key_change splits_unique_key"),
            (("1", "1"), UNIQUE, ""),
            (("1", "2"), {"primary_key": ["c"]}, "has_key_change splits_primary_key"),
            (("1", "2"), {**UNIQUE, "primary_key": ["c"]}, "has_key_change splits_primary_key"),
        )
        for name, yes in (
            (n, n in names.split()) for n in ("has_key_change", "splits_primary_key", "splits_unique_key")
        )
    ),
    *(
        (f"is_count_of_it={name}", name == speaks, where)
        for where, speaks in (
            (of(ROW, options={"max-message-bytes": "1000"}), "OP-150"),
            (of(ROW, options={"max-batch-size": "2"}), "OP-152"),
            (of(ROW, options={"max-message-bytes": "1000", "max-batch-size": "2"}), "OP-150"),
            (of(ROW), "OP-152"),
            (of(*[ROW] * 16), "OP-152"),
            (of(*[ROW] * 17), "OP-154"),
            (of(ROW, options={"max-batch-size": "16"}), "OP-152"),
            (of(*[ROW] * 17, options={"max-batch-size": "2"}), "OP-152"),
            (with_another(ROW), "OP-155"),
            (of(ROW, ddl_event(table="o")), "OP-152"),
            (with_another(*[ROW] * 17), "OP-155"),
            (with_another(ROW, schema="b", table="t"), "OP-155"),
        )
        for name in ("OP-150", "OP-152", "OP-154", "OP-155")
    ),
    # -- keys
    *(
        ("is_empty_name", yes, at("key.tbl", *pair, event=event))
        for event, pair, yes in (
            (ddl_event(), (MISSING, MISSING), True),
            (ddl_event(), ("", MISSING), True),
            (ddl_event(), (MISSING, ""), True),
            (ddl_event(), ("t", ""), False),
            (ddl_event(), ("", "t"), False),
            (ROW, ("", ""), False),
            (ddl_event(), (None, ""), False),
        )
    ),
    *(
        ("is_ohk_doubled_alone", yes, at("key", {}, got))
        for got, yes in (
            (doubled("ohk"), True),
            (doubled("ts"), False),
            (doubled("ohk", "ts"), False),
            ({}, True),
            (None, True),
        )
    ),
    *(
        (name, name in names.split(), at(VALUE, tree=tree, column=column, options=options))
        for tree, column, options, names in (
            ({"key": {"ohk": True}}, "int", HANDLE, f"is_reduced {BY_HANDLE}"),
            ({"key": {"ccl": "x"}}, "int", CLAIM, f"is_reduced {BY_CLAIM}"),
            ({"key": {"ts": 1}}, "int", CLAIM, "is_sent_whole"),
            ({"key": "ohk"}, "int", {}, "is_sent_whole"),
            ({}, "int", {}, "is_sent_whole"),
            ({}, {"type": "int", "generated": "virtual"}, {}, ""),
            ({}, {"type": "int", "generated": "stored"}, {}, "is_sent_whole"),
            ({"key": {"ohk": True}}, "int", {}, "is_reduced"),
        )
        for name in ("is_reduced", "is_sent_whole", BY_CLAIM, BY_HANDLE)
    ),
    *(
        ("is_named", yes, at("key.tbl", *pair))
        for pair, yes in (
            ((MISSING, "t"), True),
            ((MISSING, None), True),
            ((MISSING, ""), False),
            ((MISSING, MISSING), False),
            (("t", "u"), False),
            (("", "t"), False),
        )
    ),
]
