"""Faults of Open Protocol: what an encoder writes wrong in messages and records, and what a decoder answers wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.tree import MISSING
from reference_impl.compression import compress, decompress
from reference_impl.model import Record
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.settings import Settings
from tests.unit.oracle.changes import Fault, faults, last, of_bytes, put, replaced, the_first
from tests.unit.oracle.judging import SMALL, written
from tests.unit.oracle.open_answers import case_of, ddl, mark, row

ONLY_CHANGED = {"only-output-updated-columns": "true"}
NO_OLD = {"open-output-old-value": "false"}
HANDLE_ONLY = {"large-message-handle-option": "handle-key-only", "max-message-bytes": "300"}
BOTH_KEYS = [{**column, "nullable": False} for column in SMALL["columns"]]
U = {"name": "u", "columns": ["id"]}


def small(columns: list[Any] = SMALL["columns"], **members: Any) -> Case:
    """An insert into the small table, which has these members."""
    return case_of("encode", row("insert", base={"id": "1", "a": "2"}), table={**SMALL, "columns": columns, **members})


# -- messages ----------------------------------------------------------------------------------------------------------

INSERT = case_of("encode", row("insert"))
UPDATE = case_of("encode", row("update", c="z"))
DELETE = case_of("encode", row("delete"))
CHANGED = case_of("encode", row("update", c=None, m="2.50"), options=ONLY_CHANGED)
WITHOUT_OLD = case_of("encode", row("update", c="z"), options=NO_OLD)
DELETE_WITHOUT_OLD = replace(DELETE, options=NO_OLD)
DDL = case_of("encode", ddl())
DDL_SCHEMA = case_of("encode", ddl(table="", code=1))
MARK = case_of("encode", mark())
LZ4 = case_of("encode", row("insert"), options={"large-message-handle-compression": "lz4"})
REDUCED = case_of("encode", row("insert"), options=HANDLE_ONLY)
CLAIMED = case_of(
    "encode",
    row("insert"),
    options={
        "large-message-handle-option": "claim-check",
        "claim-check-storage-uri": "file:///claims",
        "max-message-bytes": "300",
    },
)
PARTITION = case_of("encode", row("insert", base={"id": "1", "a": "2"}) | {"partition_id": 4}, table=SMALL)
MORE_TYPES = (("d", "date"), ("h", "char(3)"), ("z", "double"), ("q", "varbinary(9)"))
MORE = case_of(
    "encode",
    row("insert", base={"id": "1", "d": "2024-02-29", "h": "x", "z": "-0", "q": "5gkKGg=="}),
    table={**SMALL, "columns": [SMALL["columns"][0], *({"name": name, "type": kind} for name, kind in MORE_TYPES)]},
)
COMPOSITE = small(BOTH_KEYS, primary_key=["id", "a"])
EITHER = small(BOTH_KEYS, primary_key=[], unique_keys=[U, {"name": "v", "columns": ["a"]}])
UNIQUE = small(primary_key=[], unique_keys=[U])


def nameless(tree: Any) -> None:
    """The members of a column of `p` without its name."""
    tree["value"]["p"] |= tree["value"]["p"].pop("c")


MESSAGES: list[Fault] = [
    *faults(
        INSERT,
        ("020", "key", b'{"ts":7,"scm":"test","tbl":"t","tbl":"t","t":1}'),
        ("027", "key", b'{"ts":7.0,"scm":"test","tbl":"t","t":1}'),
        ("040", "value", b"[]"),
        ("043a", last("value.u.c.t")),
        ("045", last("value.u.id")),
        ("130", replaced("value.u.q.v", "\\x89", "\\x88")),
        "key",
        ("020", "scm", MISSING),
        ("020", "tbl", 1),
        ("020", "t", 7),
        ("027", "ts", "7"),
        ("030", "ohk", False),
        "value",
        ("040", "more", {}),
        ("041", "d", {}),
        "value.u",
        ("040", "c", MISSING),
        ("040", "more", {}),
        ("043", "c", "a"),
        ("043", "c.more", 1),
        ("044", "c.f", "64"),
        ("044", "c.f", 321),
        ("044", "c.f", Decimal("65.5")),
        ("044", "o.v", MISSING),
        ("046", "gen", {"t": 3, "f": 65, "v": 1}),
        ("052", "id.h", MISSING),
        ("052a", "k.h", True),  # unique by itself, which the document takes for a handle
        ("052", "m.h", True),  # of an index that is not unique
        ("090", "c.t", "15"),
        ("094", "id.t", 8),
        ("094", "id.v", "1"),
        ("095", "f.v", 1),
        ("098a", "w.v", "2024-01-02 03:04:05.6"),
        ("098", "w.v", "2024-01-02 03:04:05"),
        ("104", "y.v", 24),
        ("106", "c.t", 14),
        ("111", "j.v", '{"a": 2}'),
        ("111", "j.v", {"a": 1}),
        ("111a", "j.v", '{"a":1}'),
        ("113", "e.v", "b"),
        ("114", "s.v", 1),
        ("119", "o.v", 0),
        ("119", "c.v", None),
        ("122", "x.f", 65),
        ("122a", "n.f", 192),
        ("123", "k.f", 83),
        ("125", "id.f", 3),
        ("127", "m.f", 65),  # the first of an index of several
        ("127", "g.f", 97),  # a column of no index at all
        ("128", "c.f", 0),
    ),
    *faults(
        DDL,
        ("065", "value", b"[]"),
        ("020", "key.t", 1),
        ("021", "key.rid", 1),
        ("021", "key.more", 1),
        "value",
        ("065", "q", MISSING),
        ("065", "t", "5"),
        ("065", "more", 1),
    ),
    *faults(MARK, ("007", "value", b"null"), "key", ("025", "ts", MISSING), ("021", "rid", 1)),
    *faults(PARTITION, "key", ("028", "ptn", 1)),
    *faults(REDUCED, "key", ("030", "ohk", MISSING)),
    *faults(CLAIMED, ("170", "value.u.c", {"t": 15, "f": 64, "v": "x"}), "key", ("031", "ccl", None)),
    *faults(UPDATE, ("042", "value.p", MISSING)),
    *faults(DELETE, ("041", "value.u", {})),
    *faults(WITHOUT_OLD, ("042", "value.p", {})),
    *faults(
        DELETE_WITHOUT_OLD,
        ("048b", lambda tree: put("value.d", {"id": tree["value"]["d"]["id"]})(tree)),
        "value.d",
        ("048", "more", {"t": 3, "f": 0, "v": 1}),
    ),
    *faults(COMPOSITE, ("052a", "value.u.a.h", MISSING)),
    *faults(UNIQUE, "value.u", ("052", "a.h", True), ("123", "id.f", 17), ("052", "id.h", MISSING)),
    *faults(EITHER, "value.u", ("250", "a.h", True), ("250", "id.h", MISSING)),
    *faults(
        CHANGED,
        ("058", nameless),
        ("055", "value.u.n", MISSING),
        "value.p",
        ("055", "n", {"t": 8, "f": 193, "v": 1}),
        ("056", "id", {"t": 3, "h": True, "f": 11, "v": 1}),
    ),
    *faults(replace(INSERT, options=CHANGED.options), ("059", "value.u.c", MISSING)),
    *faults(MORE, "value.u", ("101", "d.t", 12), ("117", "h.t", 253), ("135", "q.v", "\\xe6\\t\\n\\032")),
    *faults(LZ4, ("157", "value", b"\x00\x01")),
]

# -- records -----------------------------------------------------------------------------------------------------------


def joined(records: list[Record]) -> list[Record]:
    """The records as one."""
    key = (records[0].key or b"") + b"".join((record.key or b"")[8:] for record in records[1:])
    return [replace(records[0], key=key, value=b"".join(record.value or b"" for record in records))]


def backwards(records: list[Record]) -> list[Record]:
    """The events of the first record in the other order."""
    pairs = unframe(records[0].key or b"", records[0].value or b"")
    key, value = frame(reversed(list(pairs)))
    return [replace(records[0], key=key, value=value), *records[1:]]


TWO = case_of("encode", row("insert"), row("insert", id="2"))
ONE_EACH = replace(TWO, options={"max-batch-size": "1"})
MANY = case_of("encode", *(row("insert", id=str(i)) for i in range(1, 18)))
BY_SIZE = replace(TWO, options={"max-message-bytes": "1000"})
ROW_AND_MARK = case_of("encode", row("insert"), mark())
MARKS = case_of("encode", mark(), settings=Settings(partitions=2))
STATEMENTS = case_of("encode", ddl(), settings=Settings(partitions=2))
SPLIT = case_of("encode", row("update", id="2"))
SPLIT_UNIQUE = case_of("encode", row("update", k="6"))
SPLIT_BOTH = replace(SPLIT, events=(*SPLIT.events, *SPLIT_UNIQUE.events), options={"max-batch-size": "1"})
SPLIT_FIRST = replace(SPLIT_BOTH, events=SPLIT.events)
RAW_SECOND = replace(SPLIT_UNIQUE, options={"output-raw-change-event": "true", "max-batch-size": "1"})
RAW = replace(SPLIT, options={"output-raw-change-event": "true"})


TWO_SNAPPY = replace(TWO, options={"large-message-handle-compression": "snappy"})


def first_body_as(compression: str) -> Callable[[bytes], bytes]:
    """A function that compresses the first body of a value in that way instead of with Snappy, or instead of not."""

    def change(value: bytes) -> bytes:
        length = int.from_bytes(value[:8], "big")
        body = value[8 : 8 + length]
        changed = compress(compression, body if body.startswith(b'{"') else decompress("snappy", body))
        return len(changed).to_bytes(8, "big") + changed + value[8 + length :]

    return change


RECORDS: list[Fault] = [
    *faults(
        INSERT,
        ("006", of_bytes("value", lambda value: value + bytes(8))),
        ("006", of_bytes("value", lambda value: b"")),
    ),
    *faults(
        TWO_SNAPPY, ("157", of_bytes("value", first_body_as("none"))), ("157", of_bytes("value", first_body_as("lz4")))
    ),
    *faults(
        INSERT, ("157", of_bytes("value", first_body_as("lz4"))), ("157", of_bytes("value", first_body_as("snappy")))
    ),
    *faults(DDL, ("157", of_bytes("value", first_body_as("lz4")))),
    *faults(ROW_AND_MARK, ("008", joined)),
    *faults(BY_SIZE, ("150", joined)),
    *faults(ONE_EACH, ("152", joined)),
    *faults(MANY, ("154", joined)),
    *faults(SPLIT, ("180", lambda records: written(RAW))),
    *faults(
        SPLIT_UNIQUE, ("180b", lambda records: written(replace(RAW, events=SPLIT_UNIQUE.events))), ("180", backwards)
    ),
    *faults(
        SPLIT_BOTH,
        ("180", lambda records: written(replace(RAW, events=SPLIT_BOTH.events))),
        ("180b", lambda records: [*written(SPLIT_FIRST), *written(RAW_SECOND)]),
    ),
    *faults(RAW, ("180a", lambda records: written(SPLIT))),
    *faults(MARKS, ("203", the_first)),
    *faults(STATEMENTS, ("204", the_first)),
]

# -- events ------------------------------------------------------------------------------------------------------------

INSERTED, DELETED = case_of("decode", row("insert")), case_of("decode", row("delete"))
UPDATED, PARTIAL, READ_UNTOLD = (
    case_of("decode", row("update", c="z"), options=options) for options in ({}, ONLY_CHANGED, NO_OLD)
)
SAME = case_of("decode", row("update"), options=ONLY_CHANGED)
STATED, STATED_SCHEMA, MARKED = (case_of("decode", event) for event in (ddl(), ddl(table=""), mark()))
PARTITIONED = case_of("decode", row("insert") | {"partition_id": 4})
NULL_BYTES = case_of("decode", row("insert", q=None))
BLIND = replace(INSERTED, send_tables=False)
NULL_BYTES_BLIND = replace(NULL_BYTES, send_tables=False)

EVENTS: list[Fault] = [
    *faults(
        INSERTED,
        "0",
        ("", "source", {"offset": "1"}),
        ("", "row_id", "1"),
        ("020", "kind", "ddl"),
        ("034", "table", "T"),
        ("041", "after", None),
        "0.after",
        ("040", "more", "1"),
        ("095", "f", "0.2"),
        ("113", "e", {"index": "1"}),
        ("119", "o", "0"),
        ("119", "c", None),
        ("140", "q", "eA=="),
    ),
    *faults(MARKED, "0", ("027", "commit_ts", MISSING)),
    *faults(STATED_SCHEMA, ("024a", "0.table", "t")),
    *faults(DELETED, ("041", "0.after", {"id": "1"}), ("048", "0.before.c", MISSING)),
    *faults(UPDATED, "0", ("042", "before", None), ("051", "op", "insert")),
    *faults(PARTIAL, "0.before", ("060", "id", "1")),
    *faults(STATED, "0", ("065", "query", MISSING), ("143", "action_code", 6)),
    *faults(PARTITIONED, ("028", "0.partition_id", MISSING)),
    *faults(NULL_BYTES, ("119", "0.after.q", "eA==")),
    *faults(NULL_BYTES_BLIND, ("119", "0.after.q", "eA==")),
    *faults(BLIND, "0.after", ("120", "b", {"base64": "eA=="}), ("142", "q", "eA==")),
    *faults(READ_UNTOLD, *(("", "0.op", op) for op in ("insert", "update", "upsert"))),
    *faults(SAME, "0", ("057", "before", {"id": "1"}), ("042", "before", {"id": "2"})),
]

REFUSED: list[tuple[str, Case, str]] = [
    ("083a", replace(INSERTED, axes={"encoding": "spaced"}), "syntax"),
    ("245", replace(INSERTED, axes={"encoding": "unknown members"}), "syntax"),
]
