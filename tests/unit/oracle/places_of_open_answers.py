"""Places made by hand for the predicates of Open Protocol that no recorded fault shows: answers, records, keys."""

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
ROW = row_event("insert", base={"id": "1"})
BY_CLAIM, BY_HANDLE = "is_reduced_by=claim-check", "is_reduced_by=handle-key-only"
HANDLE = {"large-message-handle-option": "handle-key-only"}
CLAIM = {"large-message-handle-option": "claim-check", "claim-check-storage-uri": "file:///a"}


def of(*events: dict[str, Any], path: str = "answer.events", others: tuple[Table, ...] = (), **more: Any) -> Place:
    """A place of a case with these events; `others` are tables."""
    made = at(path, event=events[0], **more)
    tables = *made.case.tables, *others
    return made._replace(case=replace(made.case, tables=tables, events=tuple(events_from_json(events, tables))))


def with_another(*events: dict[str, Any], schema: str = "test", table: str = "o") -> Place:
    """A place of a case with these events, and one of another table."""
    other = {"schema": schema, "name": table, "primary_key": [], "columns": [{"name": "id", "type": "int"}]}
    return of(*events, {**ROW, "schema": schema, "table": table}, others=(table_from_json(other),))


def written_for(*requirements: str) -> Place:
    """A place of a case that was written for these requirements."""
    return at("answer.events", requirements=requirements)


def after(given: Any) -> dict[str, Any]:
    return {"given": {"event": {"after": given}}}


ROWS: list[Row] = [
    # -- answers
    ("is_respelled", True, at(VALUE, axes={"encoding": "shuffled"})),
    *(
        ("is_rewritten", yes, at(VALUE, axes={"encoding": name}))
        for name, yes in (("shuffled", True), ("unknown members", True), ("plain", False))
    ),
    *rows("is_found_by_count", no=[written_for("OP-003"), written_for("OP-001", "OP-044b")]),
    *rows("is_of_codes", [written_for("OP-105")], [written_for("OP-044b")]),
    *rows("is_other_change", no=[at("event.op", "update", got) for got in ("insert", "update", "upsert")]),
    *(
        ("is_empty_p_filled", yes, at("event.before", *pair, values=values, options=options, **after(given)))
        for pair, values, options, given, yes in (
            ((None, {"c": "1"}), ("1", "1"), UPDATED, {"c": "1"}, True),
            ((None, {"c": "1"}), ("1", "2"), UPDATED, {"c": "1"}, False),
            ((None, {"c": "1", "id": "2"}), ("1", "1"), UPDATED, {"c": "1", "id": "1"}, False),
            ((None, {"c": None}), ("1", "1"), UPDATED, {}, False),
            ((None, None), ("1", "1"), UPDATED, None, True),
            ((None, {"c": "1"}), ("1", "1"), UPDATED, None, False),
            ((None, "c"), ("1", "1"), UPDATED, {"c": "1"}, False),
            (({"c": "2"}, {"c": "1"}), ("1", "1"), UPDATED, {"c": "1"}, False),
        )
    ),
    *(
        ("is_of_after", yes, at("event.before.c", *pair, **after(given)))
        for pair, given, yes in (
            (("1", "1"), None, True),
            (("1", "2"), {"c": "2"}, True),
            (("1", "2"), None, False),
            (("1", None), {}, False),
        )
    ),
    # -- records
    *(
        (f"fault={name}", True, at("record", None, f"{phrase}: x"))
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
    ),
    *rows("is_unread", no=[at("record", None, {})._replace(delivery=None), at("record", None, "version")]),
    *(
        ("is_reduced_unasked", yes, at(VALUE, "1", got, tree=tree, given=given))
        for got, tree, given, yes in (
            (MISSING, {"key": {}}, {"key": {"ccl": "x"}}, True),
            (MISSING, {"key": {"ohk": True}}, {"key": {"ohk": True}}, False),
            (None, {}, {"key": {"ohk": True}}, False),
        )
    ),
    *rows(
        "is_mixed",
        [at("frame.alone", given={"frame": {"alone": False}})],
        [at("frame.alone", given={"frame": {"alone": True}}), at("frame.alone", given={"frame": "version"})],
    ),
    *rows("broadcasts=ddl", no=[of(ROW, mark(), settings=TWO), of(ddl_event())]),
    *rows("broadcasts=watermark", [of(ROW, mark(), settings=TWO)], [of(mark())]),
    *(
        (f"splits_{key}_key", key == split, at("answer.events", values=("1", "2"), keys=keys))
        for keys, split in (({}, ""), ({"primary_key": ["c"]}, "primary"))
        for key in ("primary", "unique")
    ),
    *(
        (f"is_count_of_it={name}", name == speaks, where)
        for where, speaks in (
            (of(*[ROW] * 16), "OP-152"),
            (of(*[ROW] * 17), "OP-154"),
            (of(*[ROW] * 17, options={"max-batch-size": "2"}), "OP-152"),
            (of(*[ROW] * 17, options={"max-message-bytes": "1000", "max-batch-size": "2"}), "OP-150"),
            (with_another(ROW), "OP-155"),
            (with_another(ROW, schema="b", table="t"), "OP-155"),
        )
        for name in ("OP-150", "OP-152", "OP-154", "OP-155")
    ),
    # -- keys
    *(
        ("is_empty_name", yes, at("key.tbl", *pair, event=event))
        for event, pair, yes in (
            (ddl_event(), (MISSING, MISSING), True),
            (ddl_event(), (MISSING, ""), True),
            (ddl_event(), ("t", ""), False),
            (ddl_event(), ("", "t"), False),
            (ROW, ("", ""), False),
        )
    ),
    ("is_ohk_doubled_alone", False, at("key", {}, Object([("ts", 1), ("ts", 2)]))),
    *(
        (name, name in names.split(), at(VALUE, tree=tree, column=column, options=options))
        for tree, column, options, names in (
            ({"key": {"ohk": True}}, "int", HANDLE, f"is_reduced {BY_HANDLE}"),
            ({"key": {"ts": 1}}, "int", CLAIM, "is_sent_whole"),
            ({}, {"type": "int", "generated": "virtual"}, {}, ""),
        )
        for name in ("is_sent_whole", BY_CLAIM, BY_HANDLE)
    ),
    *rows(
        "is_named",
        [at("key.tbl", MISSING, "t")],
        [at("key.tbl", *pair) for pair in ((MISSING, ""), (MISSING, MISSING), ("t", "u"))],
    ),
]
