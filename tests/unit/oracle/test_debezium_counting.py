"""What the predicates of Debezium JSON say of answers as a whole: how many messages there are, and of what kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from conformance.oracle.debezium.reading import COMPRESSION, NO_VALUE
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.profiles import CLASSIC, NEWARCH
from reference_impl.settings import Settings
from reference_impl.wire import events_from_json
from tests.unit.oracle.judging import ddl_event, mark, row_event
from tests.unit.oracle.places import Row, holds, place, rows

at = partial(place, "debezium")
EXTENSION = {"enable-tidb-extension": "true"}
TWO, RAW = Settings(partitions=2), {"output-raw-change-event": "true"}
UNSENT = ddl_event(action="rebase auto random base", action_code=40)  # a statement that has no message
BASE = {"id": "1", "c": "1"}
INSERT, DELETE_EVENT = row_event("insert", base=BASE), row_event("delete", base=BASE)
UPDATE_OF_KEY, UPDATE_OF_ROW = row_event("update", base=BASE, id="2"), row_event("update", base=BASE, c="2")


def of(*events: dict[str, Any], expected: Any = 0, got: Any = 0, **more: Any) -> Place:
    """A place of a case with these events."""
    tree, given = more.pop("tree", {}), more.pop("given", {})
    made = at("answer.events", expected, got, event=events[0], tree=tree, given=given, **more)
    found = tuple(events_from_json(events, made.case.tables))
    return made._replace(case=replace(made.case, events=found))


def message(
    op: str, commit: int = 1, key: Any = None, db: str = "test", table: str = "t", **payload: Any
) -> dict[str, Any]:
    source = {"db": db, "table": table, "commit_ts": commit}
    return {"key": {"payload": key}, "value": {"payload": {"op": op, "source": source, **payload}}}


def delete(value: int = 1, **more: Any) -> dict[str, Any]:
    return message("d", key={"id": value}, before={"id": value}, after=None, **more)


def insert(value: int = 2, **more: Any) -> dict[str, Any]:
    return message("c", key={"id": value}, before=None, after={"id": value}, **more)


def update(key: int = 2, before: Any = 1, **more: Any) -> dict[str, Any]:
    old = None if before is None else {"id": before}
    return message("u", key={"id": key}, before=old, after={"id": 2}, **more)


def watermark(commit: int = 1) -> dict[str, Any]:
    return message("m", commit)


def ddl(text: str = "x") -> dict[str, Any]:
    return {"key": {}, "value": {"payload": {"ddl": text}}}


def counted(expected: Sequence[Any], got: Sequence[Any], *events: dict[str, Any], **more: Any) -> Place:
    sides = {"tree": {"messages": expected}, "given": {"messages": got}}
    return of(*(events or (UPDATE_OF_KEY,)), expected=len(expected), got=len(got), **sides, **more)


ROWS: list[Row] = [
    # -- what a case has
    *(
        (name, name in names.split(), of(*events, options=options))
        for events, options, names in (
            ((INSERT,), EXTENSION, "has_row_changes"),
            ((ddl_event(),), {}, "has_statements has_control_messages has_ddl_messages"),
            ((mark(),), {}, "has_watermarks"),
            ((mark(), INSERT), EXTENSION, "has_watermarks has_control_messages has_row_changes"),
            ((DELETE_EVENT,), {}, "has_row_changes has_deletes"),
            ((UNSENT,), {}, "has_statements has_control_messages has_unsent_statements"),
        )
        for name in (
            "has_row_changes",
            "has_control_messages",
            "has_ddl_messages",
            "has_deletes",
            "has_unsent_statements",
        )
    ),
    *rows(
        "has_own_limit",
        [of(INSERT, options={"max-message-bytes": "1000"})],
        [of(INSERT, options={"max-message-bytes": "10485760"})],
    ),
    *rows("is_silent", [of(INSERT, profile=CLASSIC)], [of(INSERT, profile=NEWARCH)]),
    ("is_blind", False, of(INSERT, send_tables=False, options={"debezium-disable-schema": "true"})),
    # -- refusals
    *(
        ("is_schema_missed", yes, at("answer", 1, got))
        for got, yes in (
            ({"class": "schema"}, True),
            ({"class": "type", "message": "no Schema"}, True),
            ({"class": "type"}, False),
            (1, False),
        )
    ),
    *(
        (name, name in names.split(), at("record", {}, got))
        for got, names in ((NO_VALUE, "has_no_value"), (f"{COMPRESSION}: x", "is_not_decompressed"))
        for name in ("has_no_value", "is_not_decompressed")
    ),
    # -- tombstones
    *(
        ("are_tombstones_added", yes, counted(expected, got))
        for expected, got, yes in (
            ([delete()], [delete(), NO_VALUE], True),
            ([insert()], [insert(), NO_VALUE], False),
            ([delete()], [delete(), "x"], False),
            ([delete()], [delete(), NO_VALUE, NO_VALUE], False),
            ([delete(1)], [delete(2), NO_VALUE], False),
        )
    ),
    # -- messages of other kinds, that are lost or too many
    *(
        (name, name in names.split(), counted(expected, got, *events, options=EXTENSION, settings=settings))
        for events, settings, expected, got, names in (
            ((mark(), INSERT), Settings(), [watermark(), insert()], [watermark()], ""),
            ((mark(), INSERT), Settings(), [watermark(), insert()], [insert(), "unreadable"], ""),
            ((mark(),), TWO, [watermark(), watermark()], [], "are_watermarks_lost lacks_watermarks"),
            ((mark(),), TWO, [watermark(), watermark()], [watermark(2)], "are_watermarks_lost"),
            ((mark(), INSERT), TWO, [watermark(), watermark(), insert()], [watermark(), watermark()], ""),
            ((ddl_event(), INSERT), TWO, [ddl(), ddl(), insert()], [ddl(), ddl()], ""),
            ((mark(),), TWO, [], [watermark()], "are_watermarks_added are_control_events_added"),
            ((mark(),), TWO, [], [watermark()] * 2, "are_watermarks_added are_control_events_added"),
            ((mark(),), TWO, [], [watermark()] * 3, "are_control_events_added"),
            ((ddl_event(),), Settings(), [ddl()], [ddl()] * 2, "are_control_events_added"),
            ((UNSENT,), TWO, [], [ddl()] * 2, "are_unsent_statements_sent are_control_events_added"),
            ((UNSENT,), TWO, [], [ddl()] * 3, "are_control_events_added"),
            ((ddl_event(),), TWO, [ddl()] * 2, [], "are_statements_lost lacks_statements"),
            ((ddl_event(),), TWO, [ddl()] * 2, [ddl()], "are_statements_lost lacks_statements_elsewhere"),
            ((mark(),), Settings(), [], [{"value": None}], ""),
        )
        for name in (
            "are_watermarks_lost",
            "lacks_watermarks",
            "lacks_watermarks_elsewhere",
            "are_watermarks_added",
            "are_control_events_added",
            "are_statements_lost",
            "lacks_statements",
            "lacks_statements_elsewhere",
            "are_unsent_statements_sent",
        )
    ),
    *rows(
        "lacks_watermarks",
        no=[
            counted([watermark()], [], mark())._replace(got={}),
            counted([watermark()], [], mark())._replace(expected=MISSING),
        ],
    ),
]


HALVES: list[tuple[str, list[Any], list[Any]]] = [
    # which side may be split: both, the answered one, none; the halves, the update
    ("both", [delete(), insert()], [update()]),
    ("both", [delete(), insert()], [update(1)]),
    ("none", [delete(), insert()], [update(3)]),
    ("none", [insert(), delete()], [update()]),
    ("none", [delete(), insert()], [delete(), insert()]),
    ("none", [delete()], [update()]),
    ("none", [delete(), insert(3)], [update()]),
    ("none", [delete(), message("c", key={"id": 2}, before=None, after={"id": 3})], [update()]),
    ("none", [delete(), insert()], [update(before=3)]),
    ("answered", [delete(), insert()], [update(before=None)]),
    ("both", [delete(2), insert()], [update(before=None)]),
    ("none", [delete(commit=2), insert()], [update()]),
    ("none", [delete(), insert(commit=2)], [update()]),
    ("none", [delete(), insert()], [update(commit=2)]),
    ("none", [delete(), insert()], [update(table="o")]),
    ("none", [delete(), insert()], [update(db="o")]),
    ("none", [delete(), insert()], [{**update(), "value": {"payload": {**update()["value"]["payload"], "op": "r"}}}]),
    ("both", [delete(), insert(), ddl()], [update(), ddl()]),
    ("none", [delete(), insert(), ddl()], [update(), ddl("y")]),
    ("none", [delete(), insert(), insert(8)], [update(), insert(9)]),
    ("none", [delete(), insert(), delete(8)], [update(), delete(9)]),
    ("none", [delete(), insert(), update(8)], [update(), update(9)]),
    ("none", [delete(), insert(), watermark(8)], [update(), watermark(9)]),
    ("none", [delete(), insert(), message("c")], [update(), message("r")]),
    ("none", [delete(), insert()] * 2, [update()] * 2),
]


@pytest.mark.parametrize(("which", "split", "whole"), HALVES)
def test_updates_are_split_or_joined(which: str, split: list[Any], whole: list[Any]) -> None:
    joined, parted = counted(split, whole), counted(whole, split, options=RAW)
    assert holds("is_split_otherwise", joined) is (which == "both")
    assert holds("is_split_otherwise", parted) is (which in ("both", "answered"))
    assert not holds("is_split_otherwise", counted(whole, split))
    assert not holds("is_split_otherwise", counted(split, whole, options=RAW))
    assert not holds("is_split_otherwise", counted(split, [*whole, "unreadable"]))
    assert not holds("is_split_otherwise", counted(split, whole, UPDATE_OF_ROW))
