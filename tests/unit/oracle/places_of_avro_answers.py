"""Places made by hand for the predicates of Avro that no recorded fault shows: answers as a whole, in both roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.cases.model import Role
from conformance.oracle.rules import Place
from reference_impl.model import Record
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from tests.unit.oracle.judging import OLD, SMALL, asked, ddl_event, mark, options_of, row_event
from tests.unit.oracle.places import Row

KINDS = ROW, DDL, MARK, GONE = "row", "ddl", "watermark", "delete"
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
    sides = [[said(m) if role == "encode" and m in KINDS else m for m in side] for side in (expected, given)]
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
            ("has_control_events", [mark()], True),
            ("has_control_events", [ddl_event()], True),
            ("has_control_events", [INSERT], False),
        )
    ),
    ("has_rows", True, answer([mark()], [], [ROW])),
    ("states_limit", True, answer([], [], [], options={"max-message-bytes": "100"})),
    ("states_limit", False, answer([], [], [])),
    *(
        ("are_rows_miscounted", False, answer([], expected, given))
        for expected, given in (([ROW], [ROW]), ([ROW, DDL], []), ([ROW] * 2, [ROW, "key: x"]))
    ),
    *(
        (
            f"are_{what}_unsent",
            yes and what == which,
            answer([event] * events, [kind] * expected, [kind] * given, **over(n)),
        )
        for what in ("statements", "watermarks")
        for which, event, kind in (("statements", ddl_event(), DDL), ("watermarks", mark(), MARK))
        for events, n, expected, given, yes in ((1, 2, 2, 1, True), (1, 3, 3, 2, False), (1, 1, 1, 1, False))
    ),
    *(
        ("are_control_events_sent", yes, answer(events, [ROW] * 2, given, **over(n)))
        for events, n, given, yes in (
            ([mark()], 1, [ROW, ROW, MARK], True),
            ([mark()], 1, [ROW, ROW, MARK, MARK], False),
            ([mark()], 1, [ROW, ROW, ROW], False),
        )
    ),
]

# -- events of a decoder -----------------------------------------------------------------------------------------------

KEYED_ROW, KEYLESS_ROW = Record(b"\0k", b"\0v"), Record(None, b"\0v")
ROWLESS, MARKED, KEYLESS_MARK = Record(None, None), Record(b"\0k", b"\3t"), Record(None, b"\3t")
NULLED = Record(b"\0k", None)


def row_of(op: str, table: str = "t", **images: Any) -> dict[str, Any]:
    """An event of a row as a decoder answers it."""
    return {"kind": "row", "op": op, "schema": "test", "table": table, **images}


GONE_EVENT, BARE = row_of("delete", before={"id": "1"}), row_of("delete", before={}, after=None)
PUT = row_of("insert")
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
            ([ROWLESS], [PUT, PUT], False),
            ([ROWLESS], [PUT, GONE_EVENT], False),
            ([ROWLESS], [PUT, row_of("delete", after={"id": "1"})], False),
            ([NULLED], [PUT, BARE], False),
            ([ROWLESS], [PUT, row_of("insert")], False),
        )
    ),
    ("are_rowless_deletes_read", False, decoded([ROWLESS], [GONE_EVENT], [row_of("insert"), BARE])),
    ("are_statements_unread", False, decoded([], [PUT], [], ddl_event())),
    *(
        (f"are_{what}_deletes_unread", yes, decoded(records, expected, given))
        for what, one in (("marked", MARKED), ("null", NULLED))
        for records, expected, given, yes in (
            ([one], [PUT, GONE_EVENT], [PUT], True),
            ([ROWLESS], [GONE_EVENT], [], False),
        )
    ),
    ("are_keyless_rows_unread", False, decoded([KEYED_ROW], [OTHER], [], table=NO_KEY)),
    ("are_keyless_rows_unread", True, decoded([KEYLESS_ROW], [OTHER], [], ddl_event(table_before=NO_KEY))),
    ("is_in_another_encoding", True, answer([], [], [], axes={"encoding": "blocks"})),
    ("is_in_another_encoding", False, answer([], [], [], axes={"encoding": ""})),
]
