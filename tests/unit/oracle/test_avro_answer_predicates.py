"""What the predicates of Avro say of answers as a whole, made by hand: each row is one that a word decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Role
from conformance.oracle.rules import Place
from reference_impl.model import Record
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from tests.unit.oracle.judging import OLD, SMALL, asked, ddl_event, mark, options_of, row_event
from tests.unit.oracle.places import Row, holds, place

ROW, DDL, MARK, GONE = "row", "ddl", "watermark", "delete"
INSERT, DELETE = row_event("insert", base=OLD), row_event("delete", base=OLD)
UPDATE, MOVED = row_event("update", base=OLD, a="7"), row_event("update", base=OLD, id="7")
RAW = {"output-raw-change-event": "true"}


def said(kind: str, n: int = 0) -> Any:
    """A message of that kind; `n` tells it from others."""
    return {"key": None, "value": {"marker": kind, "n": n} if kind in (DDL, MARK, GONE) else {"row": {"id": str(n)}}}


def answer(
    events: Sequence[Mapping[str, Any]],
    expected: Sequence[Any],
    given: Sequence[Any],
    *,
    role: Role = "encode",
    records: Sequence[Record] = (),
    table: Mapping[str, Any] = SMALL,
    **more: Any,
) -> Place:
    """The place of an answer with so many messages or events; texts are kinds of messages, or reasons."""
    case = asked("avro", "encode", *events, table=table, **more)
    case = replace(case, role=role, records=tuple(records))
    sides = [[said(m) if m in (ROW, DDL, MARK, GONE) else m for m in side] if role == "encode" else list(side)
             for side in (expected, given)]  # fmt: skip
    return Place(
        role=role,
        path=("answer",),
        expected=len(sides[0]),
        got=len(sides[1]),
        expected_tree={"messages": sides[0]},
        case=case,
        options=options_of(case),
        profile=NEWARCH,
        delivery=None,
        column=None,
        got_tree={"messages": sides[1]},
    )


def over(count: int) -> dict[str, Any]:
    return {"settings": Settings(partitions=count)}


# -- messages of an encoder --------------------------------------------------------------------------------------------

COUNTED: list[Row] = [
    *(
        (name, yes, answer(events, [], []))
        for name, events, yes in (
            ("has_rows", [INSERT], True),
            ("has_rows", [UPDATE], True),
            ("has_rows", [DELETE], True),
            ("has_rows", [ddl_event()], False),
            ("has_rows", [mark()], False),
            ("has_rows", [], False),
            ("has_statements", [ddl_event()], True),
            ("has_statements", [mark(), INSERT], False),
            ("has_watermarks", [mark()], True),
            ("has_watermarks", [ddl_event(), INSERT], False),
            ("has_control_events", [mark()], True),
            ("has_control_events", [ddl_event()], True),
            ("has_control_events", [INSERT], False),
            ("has_key_change", [MOVED], True),
            ("has_key_change", [UPDATE], False),
            ("has_key_change", [INSERT], False),
            ("has_key_change", [], False),
            ("has_key_change", [ddl_event(after={**SMALL, "primary_key": ["a"]}), UPDATE], True),
            ("has_key_change", [ddl_event(after={**SMALL, "primary_key": ["a"]}), MOVED], False),
            ("has_key_change", [ddl_event(other_tables=[{**SMALL, "primary_key": ["a"]}]), UPDATE], True),
            ("has_key_change", [MOVED, UPDATE, ddl_event()], True),
        )
    ),
    ("has_rows", True, answer([mark()], [], [ROW])),
    ("has_rows", False, answer([mark()], [ROW], [])),
    ("has_rows", False, answer([mark()], [], [MARK])),
    ("states_limit", True, answer([], [], [], options={"max-message-bytes": "100"})),
    ("states_limit", False, answer([], [], [])),
    *(
        ("are_rows_miscounted", yes, answer([], expected, given))
        for expected, given, yes in (
            ([ROW], [], True),
            ([], [ROW], True),
            ([ROW], [ROW], False),
            ([DDL], [], False),
            ([ROW, DDL], [], False),
            ([ROW], [MARK], False),
            ([ROW, ROW], [ROW, "key: x"], False),
            ([GONE], [], True),
        )
    ),
    *(
        (
            f"are_{what}_unsent",
            yes and what == which,
            answer([event] * events, [kind] * expected, [kind] * given, **over(n)),
        )
        for what in ("statements", "watermarks")
        for which, event, kind in (("statements", ddl_event(), DDL), ("watermarks", mark(), MARK))
        for events, n, expected, given, yes in (
            (1, 1, 1, 0, True),
            (1, 2, 2, 0, True),
            (1, 2, 2, 1, True),
            (1, 3, 3, 1, True),
            (1, 3, 3, 2, False),
            (2, 2, 4, 2, True),
            (2, 3, 6, 3, False),
            (2, 3, 6, 2, True),
            (1, 1, 2, 0, False),
            (1, 1, 0, 1, False),
            (1, 1, 1, 1, False),
            (0, 2, 1, 0, False),
        )
    ),
    ("are_statements_unsent", False, answer([ddl_event()], [ROW], [])),
    ("are_watermarks_unsent", False, answer([mark()], [ROW], [])),
    *(
        ("are_control_events_sent", yes, answer(events, [ROW] * 2, given, **over(n)))
        for events, n, given, yes in (
            ([ddl_event()], 1, [ROW, ROW, DDL], True),
            ([mark()], 1, [ROW, ROW, MARK], True),
            ([mark(), ddl_event()], 1, [ROW, ROW, MARK, DDL], True),
            ([mark()], 2, [ROW, ROW, MARK, MARK], True),
            ([mark()], 1, [ROW, ROW, MARK, MARK], False),
            ([mark()], 1, [ROW, ROW, ROW], False),
            ([mark(), ddl_event()], 1, [ROW, ROW, MARK, DDL, DDL], False),
            ([mark()], 1, [ROW, ROW], False),
            ([mark()], 2, [ROW, ROW, MARK, MARK, MARK], False),
            ([mark()], 1, [ROW, MARK], False),
            ([ddl_event()], 2, [ROW, ROW, DDL], True),
            ([INSERT], 1, [ROW, ROW, DDL], False),
        )
    ),
]


# -- updates of keys as two messages or one ----------------------------------------------------------------------------


def sent(key: str | None, value: Any, *, row: Any = None, table: str = "t", **extension: Any) -> dict[str, Any]:
    """A message: its key's row by the id, and its value; None for none, else its operation beside more of it."""
    part = {"schema": {"name": table, "namespace": "default.test"}, "row": {"id": key}}
    if value is None:
        return {"key": part, "value": None}
    marks = {"_tidb_op": value, **extension} if value else extension
    body = {"schema": dict(part["schema"]), "row": row or {"id": key}, "varints": "minimal"}
    return {"key": part, "value": body | ({"extension": marks} if marks else {})}


def with_part(message: dict[str, Any], **members: Any) -> dict[str, Any]:
    """The message with other members of its value."""
    return {**message, "value": {**message["value"], **members}}


HALVES = [sent("1", None), sent("7", "")]
WHOLE = [sent("7", "")]
OLD_ROW, NEW_ROW = {"id": "1", "a": "2"}, {"id": "7", "a": "2"}
TOLD_HALVES = [sent("1", "d", row=OLD_ROW, _tidb_commit_ts="7"), sent("7", "c", row=NEW_ROW, _tidb_commit_ts="7")]
TOLD = with_part(sent("7", "u", row=NEW_ROW, _tidb_commit_ts="7"), before=OLD_ROW)


def split(halves: Sequence[Any], whole: Sequence[Any], *events: Mapping[str, Any]) -> Place:
    """An answer that gives the whole update in place of its halves."""
    return answer(events or (MOVED,), halves, whole)


def joined(halves: Sequence[Any], whole: Sequence[Any], *events: Mapping[str, Any]) -> Place:
    """An answer that gives the halves in place of the update."""
    return answer(events or (MOVED,), whole, halves, options=RAW)


SPLITS: list[tuple[bool, Place]] = [
    (True, split(HALVES, WHOLE)),
    (True, joined(HALVES, WHOLE)),
    (False, split(WHOLE, HALVES)),
    (False, joined(WHOLE, HALVES)),
    (False, split(HALVES, WHOLE, UPDATE)),
    (False, split(HALVES, [*WHOLE, "key: no header"])),
    (False, split([*HALVES, "key: no header"], [*WHOLE, "key: no header"])),
    (True, split([*HALVES, *HALVES], [*WHOLE, *WHOLE], MOVED, MOVED)),
    (False, split([*HALVES, *HALVES], [*WHOLE, *WHOLE], MOVED)),
    (True, split([sent("3", ""), *HALVES], [sent("3", ""), *WHOLE])),
    (False, split([sent("3", ""), *HALVES], [sent("4", ""), *WHOLE])),
    (False, split([*HALVES, sent("3", "")], WHOLE)),
    (False, split(HALVES, HALVES)),
    # -- the halves
    (True, split([sent("1", "d"), sent("7", "c")], [sent("7", "u")])),
    (True, split([with_part(sent("1", ""), marker="delete"), sent("7", "")], WHOLE)),
    (False, split([sent("1", "c"), sent("7", "c")], [sent("7", "u")])),
    (False, split([sent("1", None), sent("7", "d")], [sent("7", "u")])),
    (False, split([sent("1", None), sent("7", None)], WHOLE)),
    (False, split(HALVES, [sent("7", None)])),
    (False, split(HALVES, [{"key": WHOLE[0]["key"], "value": {"row": None}}])),
    # -- what they have in common with the update
    (True, split(TOLD_HALVES, [TOLD])),
    (False, split(TOLD_HALVES, [with_part(TOLD, before={"id": "2", "a": "2"})])),
    (True, split([HALVES[0], TOLD_HALVES[1]], [TOLD])),
    (True, split(TOLD_HALVES, [with_part(TOLD, before=None)])),
    (False, split(TOLD_HALVES, [with_part(TOLD, row={"id": "7", "a": "3"})])),
    (False, split(TOLD_HALVES, [with_part(TOLD, extension={"_tidb_op": "u", "_tidb_commit_ts": "8"})])),
    (False, split(TOLD_HALVES, [with_part(TOLD, extension={"_tidb_op": "c", "_tidb_commit_ts": "7"})])),
    (False, split(TOLD_HALVES, [with_part(TOLD, extension={"_tidb_op": "d", "_tidb_commit_ts": "7"})])),
    (True, split(TOLD_HALVES, [with_part(TOLD, extension={"_tidb_commit_ts": "7"})])),
    (True, split(TOLD_HALVES, [{**TOLD, "key": TOLD_HALVES[0]["key"]}])),
    (False, split(TOLD_HALVES, [{**TOLD, "key": sent("9", None)["key"]}])),
    (False, split(TOLD_HALVES, [{**TOLD, "key": sent("7", None, table="u")["key"]}])),
    (False, split(TOLD_HALVES, [with_part(TOLD, schema={"name": "u"})])),
    (False, split([sent("1", None, table="u"), sent("7", "")], WHOLE)),
    (False, split([sent("1", None), sent("7", "", table="u")], WHOLE)),
    # -- and of the messages beside them
    *(
        (
            name == "varints",
            split([with_part(sent("3", ""), **{name: 1}), *HALVES], [with_part(sent("3", ""), **{name: 2}), *WHOLE]),
        )
        for name in ("varints", "row", "before", "extension", "marker", "ddl", "commit_ts")
    ),
    (False, split([sent("3", None), *HALVES], [sent("4", None), *WHOLE])),
    (
        True,
        split(
            [{**sent("3", None), "key": {**sent("3", None)["key"], "varints": "padded"}}, *HALVES],
            [sent("3", None), *WHOLE],
        ),
    ),
    (False, split([sent("3", "", table="u"), *HALVES], [sent("3", ""), *WHOLE])),
    (
        False,
        split([with_part(sent("3", ""), schema={"name": "t", "namespace": "a"}), *HALVES], [sent("3", ""), *WHOLE]),
    ),
    (
        True,
        split(
            [with_part(sent("3", ""), schema={"name": "t", "namespace": "default.test", "fields": {}}), *HALVES],
            [sent("3", ""), *WHOLE],
        ),
    ),
    (False, split([{"key": None, "value": ""}, *HALVES], [{"key": None, "value": "x"}, *WHOLE])),
]


@pytest.mark.parametrize(("expected", "where"), SPLITS)
def test_an_update_is_split_otherwise_where_halves_and_whole_say_the_same(expected: bool, where: Place) -> None:
    assert holds("is_split_otherwise", where) is expected


# -- records that cannot be read ---------------------------------------------------------------------------------------

REASONS: Mapping[str, str] = {
    "looks_compressed": "body no-header mark unknown-id",
    "has_no_header": "no-header",
    "has_backward_id": "backward",
    "has_unknown_id": "unknown-id",
    "has_mark": "mark",
    "has_exchanged_branches": "branches",
    "is_no_datum": "body mark branches",
    "has_no_key_schema": "key-no-header key-backward key-no-schema",
    "has_no_value_schema": "value-no-header value-backward value-no-schema",
    "is_broken_watermark": "value-watermark",
    "is_broken_statement": "value-ddl",
    "is_broken_delete": "value-delete",
}
TEXTS = {
    "body": "the body is no datum: the datum is cut",
    "no-header": "no header: 1 bytes",
    "mark": "a mark stands before the datum: the datum is cut",
    "unknown-id": "nothing has the id: 9",
    "backward": "an id that is read backwards: 9",
    "branches": "the branches of its unions are exchanged: the datum is cut",
    "no-schema": "not a schema: oops",
    "watermark": "a watermark with a time stamp of 3 bytes",
    "ddl": "a DDL statement: not JSON",
    "delete": "a delete with a time stamp of 3 bytes",
}


def unread(why: Any) -> Place:
    return answer([], [], [])._replace(expected="a message", got=why)


@pytest.mark.parametrize("reason", TEXTS)
@pytest.mark.parametrize("part", ["key", "value", "other"])
@pytest.mark.parametrize("predicate", REASONS)
def test_a_reason_is_known_by_its_first_words(predicate: str, part: str, reason: str) -> None:
    known = {reason, f"{part}-{reason}"} & set(REASONS[predicate].split())
    assert holds(predicate, unread(f"{part}: {TEXTS[reason]}")) is (bool(known) and part != "other")


def test_what_was_read_has_no_reason() -> None:
    text = f"key: {TEXTS['no-header']}"
    assert not holds("has_no_header", unread({"why": text}))
    assert not holds("has_no_header", unread(f"a {text}"))
    assert not holds("has_no_header", place("avro", "value.row.c", "x", text))


# -- events of a decoder -----------------------------------------------------------------------------------------------

KEYED_ROW, KEYLESS_ROW = Record(b"\0k", b"\0v"), Record(None, b"\0v")
ROWLESS, MARKED, KEYLESS_MARK = Record(None, None), Record(b"\0k", b"\3t"), Record(None, b"\3t")
NULLED, STATEMENT, WATERMARK = Record(b"\0k", None), Record(None, b"\1{}"), Record(None, b"\2t")
KEYED_STATEMENT, KEYED_WATERMARK, BYTELESS = Record(b"\0k", b"\1{}"), Record(b"\0k", b"\2t"), Record(b"\0k", b"")
RECORDS = {
    "keyed row": KEYED_ROW, "keyless row": KEYLESS_ROW, "rowless": ROWLESS, "marked": MARKED,
    "keyless mark": KEYLESS_MARK, "nulled": NULLED, "statement": STATEMENT, "watermark": WATERMARK,
    "keyed statement": KEYED_STATEMENT, "keyed watermark": KEYED_WATERMARK, "byteless": BYTELESS,
    "keyless byteless": Record(None, b""),
}  # fmt: skip
SPECIAL = {
    "has_rowless_delete": ["rowless", "keyless mark"],
    "has_statement_record": ["statement"],
    "has_watermark_record": ["watermark"],
    "has_marked_delete": ["marked"],
    "has_keyless_row": ["keyless row"],
    "has_null_delete": ["nulled"],
}


@pytest.mark.parametrize("record", RECORDS)
@pytest.mark.parametrize("predicate", SPECIAL)
def test_a_record_is_known_by_its_first_byte_and_its_key(predicate: str, record: str) -> None:
    at = answer([], [], [], role="decode", records=[RECORDS["keyed row"], RECORDS[record]])
    assert holds(predicate, at) is (record in SPECIAL[predicate])
    assert holds("has_special_record", at) is any(record in records for records in SPECIAL.values())


def row_of(op: str, table: str = "t", **images: Any) -> dict[str, Any]:
    """An event of a row as a decoder answers it."""
    return {"kind": "row", "op": op, "schema": "test", "table": table, **images}


GONE_EVENT, BARE = row_of("delete", before={"id": "1"}), row_of("delete", before={}, after=None)
PUT, TOLD_DDL, TOLD_MARK = row_of("insert"), {"kind": "ddl"}, {"kind": "watermark"}
NO_KEY = {**SMALL, "name": "t-1", "primary_key": []}
OTHER = row_of("insert", "t_1")


def decoded(
    records: Sequence[Record], expected: Sequence[Any], given: Sequence[Any], *events: Mapping[str, Any], **more: Any
) -> Place:
    return answer(events, expected, given, role="decode", records=records, **more)


DECODED: list[Row] = [
    *(
        ("are_rowless_deletes_read", yes, decoded(records, [PUT], given))
        for records, given, yes in (
            ([ROWLESS], [PUT, BARE], True),
            ([KEYLESS_MARK], [PUT, BARE], True),
            ([ROWLESS] * 2, [PUT, BARE, BARE], True),
            ([ROWLESS], [PUT, BARE, BARE], False),
            ([ROWLESS] * 2, [PUT, BARE], False),
            ([ROWLESS], [PUT, PUT], False),
            ([ROWLESS], [PUT, GONE_EVENT], False),
            ([ROWLESS], [PUT, row_of("delete", after={"id": "1"})], False),
            ([ROWLESS], [PUT, row_of("delete")], True),
            ([NULLED], [PUT, BARE], False),
            ([ROWLESS], [PUT], False),
            ([ROWLESS], [PUT, row_of("insert")], False),
        )
    ),
    ("are_rowless_deletes_read", True, decoded([ROWLESS], [BARE], [BARE, BARE])),
    ("are_rowless_deletes_read", False, decoded([ROWLESS], [GONE_EVENT], [row_of("insert"), BARE])),
    ("are_rowless_deletes_read", False, decoded([ROWLESS] * 2, [PUT], [PUT, GONE_EVENT, BARE])),
    *(
        (f"are_{what}_unread", yes, decoded([], expected, given, *([event] * events), **over(n)))
        for what, event, kind in (("statements", ddl_event(), TOLD_DDL), ("watermarks", mark(), TOLD_MARK))
        for events, n, expected, given, yes in (
            (1, 1, [PUT, kind], [PUT], True),
            (2, 1, [kind, kind], [kind], False),
            (2, 1, [kind, kind], [], True),
            (1, 2, [kind, kind], [], True),
            (1, 2, [kind, kind], [kind], False),
            (1, 1, [PUT], [], False),
            (1, 1, [PUT, kind], [kind], False),
            (0, 1, [kind], [kind], False),
        )
    ),
    *(
        (f"are_{what}_deletes_unread", yes, decoded(records, expected, given))
        for what, one in (("marked", MARKED), ("null", NULLED))
        for records, expected, given, yes in (
            ([one], [PUT, GONE_EVENT], [PUT], True),
            ([one, one], [GONE_EVENT] * 2, [], True),
            ([one, one], [GONE_EVENT] * 2, [GONE_EVENT], False),
            ([one], [PUT], [], False),
            ([ROWLESS], [GONE_EVENT], [], False),
            ([one], [GONE_EVENT, PUT], [GONE_EVENT], False),
        )
    ),
    *(
        ("are_keyless_rows_unread", yes, decoded(records, expected, given, table=table))
        for records, expected, given, table, yes in (
            ([KEYLESS_ROW], [OTHER], [], NO_KEY, True),
            ([KEYLESS_ROW] * 2, [OTHER], [], NO_KEY, False),
            ([KEYLESS_ROW], [OTHER], [], {**NO_KEY, "primary_key": ["id"]}, False),
            ([KEYLESS_ROW], [row_of("insert", "u")], [], NO_KEY, False),
            ([KEYED_ROW], [OTHER], [], NO_KEY, False),
            ([KEYLESS_ROW], [row_of("insert", "t-1")], [], NO_KEY, True),
            ([KEYLESS_ROW], [row_of("delete", "t_1")], [], NO_KEY, False),
            ([KEYLESS_ROW], [{**OTHER, "schema": "te"}], [], NO_KEY, False),
            ([KEYLESS_ROW], [OTHER, row_of("insert", "u")], [row_of("insert", "u")], NO_KEY, True),
        )
    ),
    *(
        (
            "are_keyless_rows_unread",
            True,
            decoded([KEYLESS_ROW], [{**OTHER, "schema": said}], [], table={**NO_KEY, "schema": named}),
        )
        for said, named in (("a-b", "a_b"), ("a_b", "a-b"))
    ),
    *(
        ("are_keyless_rows_unread", yes, decoded([KEYLESS_ROW], [OTHER], [], ddl_event(**tables), table=SMALL))
        for tables, yes in (
            ({}, False),
            ({"table_before": NO_KEY}, True),
            ({"table_after": NO_KEY}, True),
            ({"other_tables": [NO_KEY]}, True),
        )
    ),
    ("is_in_another_encoding", True, answer([], [], [], axes={"encoding": "blocks"})),
    ("is_in_another_encoding", False, answer([], [], [], axes={"encoding": ""})),
    ("is_in_another_encoding", False, answer([], [], [], axes={"other": "x"})),
]
