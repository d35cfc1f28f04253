"""A message of a stream has the kind, the key and the meaning of its event."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.sent import SentKind, sent_of
from reference_impl.model import Event, RowChange, Watermark
from reference_impl.wire import events_from_json, table_from_json
from tests.unit.oracle.judging import NEW, OLD, SMALL, TS, ddl_event, row_event

[INSERT, UPDATE, DELETE, STATEMENT] = events_from_json(
    [*(row_event(op, base=OLD, a="3") for op in ("insert", "update", "delete")), ddl_event()], (table_from_json(SMALL),)
)
MARK = Watermark(TS)
MOVED = RowChange("update", "test", "t", TS, before={"id": "1"}, after={"id": "2"})
REMOVED = RowChange("delete", "test", "t", TS, before={"id": "1"})


@pytest.mark.parametrize(
    ("event", "kind", "table"),
    [
        (INSERT, SentKind.ROW, ("test", "t")),
        (STATEMENT, SentKind.DDL, ("test", "t")),
        (MARK, SentKind.WATERMARK, ("", "")),
    ],
)
def test_a_message_has_the_kind_the_table_and_the_place_of_its_event(
    event: Event, kind: SentKind, table: tuple[str, str]
) -> None:
    sent = sent_of(event, 3, topic="x", offset=5, where="here")
    assert (sent.kind, sent.table, sent.commit_ts, sent.key) == (kind, table, TS, None)
    assert (sent.partition, sent.topic, sent.offset, sent.where) == (3, "x", 5, "here")


@pytest.mark.parametrize(
    ("event", "columns", "key"),
    [
        (INSERT, ("id",), (("id", '"1"'),)),
        (MOVED, ("id",), (("id", '"2"'),)),
        (REMOVED, ("id",), (("id", '"1"'),)),
        (UPDATE, ("a", "id"), (("a", '"3"'), ("id", '"1"'))),
        (INSERT, (), None),
        (INSERT, ("id", "other"), None),
        (RowChange("insert", "test", "t", TS), ("id",), None),
        (STATEMENT, ("id",), None),
        (MARK, ("id",), None),
    ],
)
def test_a_row_is_identified_by_its_key_after_the_change(event: Event, columns: tuple[str, ...], key: Any) -> None:
    assert sent_of(event, 0, key=columns).key == key


def test_a_message_sent_again_has_the_same_identity_and_no_other_has() -> None:
    turned = RowChange("insert", "test", "t", TS, after=dict(reversed(NEW.items())))
    one = sent_of(RowChange("insert", "test", "t", TS, after=NEW), 0)
    assert one.identity == sent_of(turned, 1, key=("id",), topic="x", offset=1, where=1).identity
    others = [sent_of(event, 0).identity for event in (one, UPDATE, DELETE, STATEMENT, MARK, MOVED) if event is not one]
    assert len({one.identity, *others}) == 6
    assert len(one.identity) == 16
