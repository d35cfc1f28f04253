"""What the predicates of Avro say of answers: of updates as two messages or one, of reasons, of records by kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from conformance.oracle.rules import Place
from reference_impl.model import Record
from tests.unit.oracle.places import holds, place
from tests.unit.oracle.places_of_avro_answers import (
    KEYED_ROW,
    KEYLESS_MARK,
    KEYLESS_ROW,
    MARKED,
    MOVED,
    NULLED,
    RAW,
    ROWLESS,
    UPDATE,
    answer,
)

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
THIRD, THIRD_GONE = sent("3", ""), sent("3", None)
OLD_ROW, NEW_ROW = {"id": "1", "a": "2"}, {"id": "7", "a": "2"}
TOLD_HALVES = [sent("1", "d", row=OLD_ROW, _tidb_commit_ts="7"), sent("7", "c", row=NEW_ROW, _tidb_commit_ts="7")]
TOLD = with_part(sent("7", "u", row=NEW_ROW, _tidb_commit_ts="7"), before=OLD_ROW)


def split(halves: Sequence[Any], whole: Sequence[Any], *events: Mapping[str, Any]) -> Place:
    """An answer that gives the whole update in place of its halves."""
    return answer(events or (MOVED,), halves, whole)


def joined(halves: Sequence[Any], whole: Sequence[Any], *events: Mapping[str, Any]) -> Place:
    """An answer that gives the halves in place of the update."""
    return answer(events or (MOVED,), whole, halves, options=RAW)


def behind(one: Any, other: Any) -> Place:
    """An answer that gives the whole update in place of its halves, each behind a message of its own."""
    return split([one, *HALVES], [other, *WHOLE])


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
    (True, behind(THIRD, THIRD)),
    (False, behind(THIRD, sent("4", ""))),
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
        (name == "varints", behind(*(with_part(THIRD, **{name: value}) for value in (1, 2))))
        for name in ("varints", "row", "before", "extension", "marker", "ddl", "commit_ts")
    ),
    (False, behind(THIRD_GONE, sent("4", None))),
    (True, behind({**THIRD_GONE, "key": {**THIRD_GONE["key"], "varints": "padded"}}, THIRD_GONE)),
    (False, behind(sent("3", "", table="u"), THIRD)),
    (False, behind(with_part(THIRD, schema={"name": "t", "namespace": "a"}), THIRD)),
    (True, behind(with_part(THIRD, schema={"name": "t", "namespace": "default.test", "fields": {}}), THIRD)),
    (False, behind({"key": None, "value": ""}, {"key": None, "value": "x"})),
]


@pytest.mark.parametrize(("expected", "where"), SPLITS)
def test_an_update_is_split_otherwise_where_halves_and_whole_say_the_same(expected: bool, where: Place) -> None:
    assert holds("is_split_otherwise", where) is expected


# -- records that cannot be read ---------------------------------------------------------------------------------------

REASONS: Mapping[str, str] = {
    "unread_for=compressed": "body no-header mark unknown-id",
    "unread_for=no-header": "no-header",
    "unread_for=backward-id": "backward",
    "unread_for=unknown-id": "unknown-id",
    "unread_for=mark": "mark",
    "unread_for=exchanged-branches": "branches",
    "unread_for=no-datum": "body mark branches",
    "unread_for=no-key-schema": "key-no-header key-backward key-no-schema",
    "unread_for=no-value-schema": "value-no-header value-backward value-no-schema",
    "unread_for=broken-watermark": "value-watermark",
    "unread_for=broken-statement": "value-ddl",
    "unread_for=broken-delete": "value-delete",
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
    assert not holds("unread_for=no-header", unread({"why": text}))
    assert not holds("unread_for=no-header", unread(f"a {text}"))
    assert not holds("unread_for=no-header", place("avro", "value.row.c", "x", text))


# -- records by their first byte and their key -------------------------------------------------------------------------

RECORDS = {
    "keyed row": KEYED_ROW,
    "keyless row": KEYLESS_ROW,
    "rowless": ROWLESS,
    "marked": MARKED,
    "keyless mark": KEYLESS_MARK,
    "nulled": NULLED,
    "statement": Record(None, b"\1{}"),
    "watermark": Record(None, b"\2t"),
    "keyed statement": Record(b"\0k", b"\1{}"),
    "keyed watermark": Record(b"\0k", b"\2t"),
    "byteless": Record(b"\0k", b""),
    "keyless byteless": Record(None, b""),
}
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
