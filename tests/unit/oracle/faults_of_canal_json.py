"""Faults of Canal-JSON: what an encoder writes wrong in messages and records, and what a decoder answers wrong.

The tree of a message is its value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.tree import MISSING
from tests.unit.oracle.canal_answers import COMMIT_TS, EXTENSION, TABLE, case_of, row
from tests.unit.oracle.changes import Fault, all_but_the_last, doubled, faults, of_bytes
from tests.unit.oracle.judging import ddl_event, written

TIME = {"commit_ts": str(COMMIT_TS)}
HANDLE = {"delete-only-output-handle-key-columns": "true"}
ONLY_CHANGED, COMPATIBLE_TYPES = {"only-output-updated-columns": "true"}, {"content-compatible": "true"}
RAW = {"output-raw-change-event": "true"}
DROPPED = {"table": "", "query": "DROP DATABASE `test`", "action": "drop schema", "action_code": 2}
TRUNCATED = {"query": "TRUNCATE TABLE `t`", "action": "truncate table", "action_code": 11}
MARKED = {"kind": "watermark", **TIME}

# -- messages ----------------------------------------------------------------------------------------------------------

INSERT, UPDATE, DELETE = case_of(row("insert")), case_of(row("update", n="8", x=None)), case_of(row("delete"))
DDL = case_of(ddl_event(COMMIT_TS, **DROPPED))
WATERMARK = case_of(MARKED)
CHANGED_ONLY = case_of(row("update", n="8"), options=EXTENSION | ONLY_CHANGED)
COMPATIBLE = case_of(row("update", n="8"), options=EXTENSION | COMPATIBLE_TYPES)
HANDLE_ONLY = case_of(row("delete"), options=HANDLE)
PLAIN = case_of(row("insert"), options={})
WIDE = case_of(row("insert", n="2147483648"))
CROSSING = case_of(row("update", n="3000000000"))
NULLS = case_of(row("insert", n=None, x="null", d=None))
IN_TOKYO = case_of(row("insert"), timezone="Asia/Tokyo")


def reverse(tree: dict[str, Any]) -> None:
    """The members the other way round."""
    members = list(tree.items())
    tree.clear()
    tree.update(reversed(members))


MESSAGES: list[Fault] = [
    *faults(
        INSERT,
        ("013", "id", 1),
        ("014", "id", "0"),
        ("010", "ts", MISSING),
        ("661", "ts", 1700000000),
        ("010a", "gtid", ""),
        ("010d", "isDdl", True),
        ("010c", "isDdl", "false"),
        ("016", "type", "insert"),
        ("015", "database", "TEST"),
        ("660", "es", 1),
        ("014", "es", "1639633141221"),
        ("010e", "sql", "insert"),
        ("020a", "pkNames", ["a", "b"]),
        ("020", "pkNames", ["b"]),
        ("020", "pkNames", ["b", "b"]),
        ("020", "pkNames", None),
        ("037 / 030a", lambda t: t["data"][0].update(N=t["data"][0].pop("n"))),
        ("032", lambda t: t["data"].append(t["data"][0])),
        ("032", lambda t: t.update(data=t["data"][0])),
        ("011", reverse),
        ("", lambda t: reverse(t["mysqlType"])),
        ("502a", lambda t: t.update(old=t["data"])),
        ("040", "_tidb", MISSING),
        "data.0",
        ("034", "n", 7),
        ("381 / 034b", "n", "8"),
        ("034b", "n", None),
        ("030a", "n", MISSING),
        ("030a", "other", "1"),
        ("030", "v", "1"),
        ("388", "d", "1.5"),
        ("034b", "d", "1.51"),
        ("388 / 034b", "d", "one"),
        ("385 / 384", "f", "1.0E7"),
        ("034b / 384", "f", "10000001"),
        ("390", "e", "blob"),
        ("034b / 390", "e", "1"),
        ("399", "bin", "ab"),
        ("398 / 034b", "bin", "YWIAAA=="),
        ("034b", "bin", "abcd"),
        ("397 / 034b", "x", "<null> \t / Ã©"),
        ("034", "j", {"a": 1}),
        ("034b / 400", "j", '{"a": 2, "b": [1.5, "x"]}'),
        ("400 / 034b", "j", "{a: 1}"),
        ("400 / 034b", "j", "[" * 100_000),
        ("410", "j", '{"a":1,"b":[1.5,"x"]}'),
        ("411", "j", '{"b": [1.5, "x"], "a": 1}'),
        ("412", "j", '{"a": 1, "b": [1.5, "\\u0078"]}'),
        ("413", "j", '{"a": 1, "b": [1.50, "x"]}'),
        ("394", "w", "2024-01-02 03:04:05.6"),
        ("381", "z", "000005"),
        "sqlType",
        ("030a", "n", MISSING),
        ("311", "a", 1),
        ("311", "a", "12"),
        "mysqlType",
        ("355", "a", "varchar(10)"),
        ("350 / 351", "n", "int"),
        ("354", "z", "int unsigned"),
        ("351", "z", "integer unsigned zerofill"),
        ("351", "b", "INT"),
        "_tidb",
        ("042", "commitTs", 1),
        ("014 / 042", "commitTs", 429819990172237824),
        ("042", "commitTs", MISSING),
        ("043", "onlyHandleKey", False),
        ("047", "tableId", 7),
        ("014 / 042", "commitTs", "429819990172237825"),
    ),
    *faults(
        NULLS,
        ("341", "sqlType.n", -5),
        "data.0",
        ("034a / 034b", "n", "NULL"),
        ("034a", "n", MISSING),
        ("035 / 034b", "x", None),
    ),
    *faults(IN_TOKYO, ("111", "data.0.w", "2024-01-01 18:04:05.600")),
    *faults(WIDE, ("340 / 336", "sqlType.n", 4)),
    *faults(CROSSING, "sqlType", ("031", "n", 4), ("336", "n", 3)),
    *faults(
        COMPATIBLE,
        ("103", "old.0.b", "1"),
        "mysqlType",
        ("360", "b", "int"),
        ("369", "d", "decimal(10, 2)"),
        ("377", "e", "enum('x', 'blob')"),
    ),
    *faults(DELETE, ("502", lambda t: t.update(old=t["data"]))),
    *faults(UPDATE, ("501", "old", None), "old.0", ("501", "b", MISSING), ("507 / 501", "a", MISSING)),
    *faults(CHANGED_ONLY, "old.0", ("102", "b", "1"), ("504", "n", MISSING)),
    *faults(HANDLE_ONLY, ("104", "data.0.n", "7")),
    *faults(PLAIN, ("101", "_tidb", {"commitTs": 1})),
    *faults(
        DDL,
        ("608a", "type", "ERASE"),
        ("620", "sql", "drop database test"),
        ("623", "table", "t"),
        ("010f", "data", []),
        ("022", "pkNames", []),
        ("626", "es", 1),
    ),
    *faults(
        WATERMARK,
        ("052", "type", "WATERMARK"),
        ("052", "data", []),
        "_tidb",
        ("046", "commitTs", 1),
        ("046", "commitTs", "1"),
        ("046", "watermarkTs", 1),
    ),
]

# -- records -----------------------------------------------------------------------------------------------------------

LZ4, SNAPPY = (
    case_of(row("insert"), options=EXTENSION | {"large-message-handle-compression": kind}) for kind in ("lz4", "snappy")
)
IN_THREE = case_of(ddl_event(COMMIT_TS, after=TABLE, **TRUNCATED), partitions=3)

RECORDS: list[Fault] = [
    *faults(
        INSERT,
        ("888", all_but_the_last),
        ("202", lambda records: [replace(records[0], key=b"")]),
        ("201", lambda records: [replace(records[0], key=b"k")]),
        ("207", of_bytes("value", lambda data: data[:-1])),
        ("010b", of_bytes("value", lambda data: data.replace(b'"id":0', b'"id":0,"id":0', 1))),
        ("711", of_bytes("value", lambda data: data.replace(b'"id":0', b'"id":0e0', 1))),
    ),
    *faults(WATERMARK, ("050", all_but_the_last), ("888", doubled)),
    *faults(replace(WATERMARK, options={}), ("050", lambda records: written(WATERMARK))),
    *faults(case_of(row("update", b="2")), ("888", all_but_the_last)),
    *faults(case_of(row("update", b="2"), options=RAW), ("888", all_but_the_last)),
    *faults(case_of({"kind": "watermark", "commit_ts": "1"}, partitions=3), ("051", all_but_the_last)),
    *faults(LZ4, ("106", lambda records: written(INSERT))),
    *faults(SNAPPY, ("136", lambda records: written(LZ4))),
    *faults(
        IN_THREE,
        ("051a", lambda records: [replace(records[0], partition=1)]),
        ("", lambda records: [replace(records[0], partition=None)]),
    ),
]

# -- events ------------------------------------------------------------------------------------------------------------

READ, READ_PLAIN = (case_of(row("insert"), options=options, role="decode") for options in (EXTENSION, {}))
READ_UPDATE, READ_DELETE = case_of(row("update", n="8"), role="decode"), case_of(row("delete"), role="decode")
PARTIAL = case_of(row("update", n="8"), options=ONLY_CHANGED, role="decode")
READ_COMPATIBLE = case_of(row("insert"), options=COMPATIBLE_TYPES, role="decode")
BEYOND = case_of(row("insert", n="4294967295"), role="decode")
READ_NULLS = case_of(row("insert", n=None, x="null"), role="decode")
READ_WATERMARK = case_of(MARKED, role="decode")


def with_old_behind(case: Case) -> Case:
    """The message with its members in the order of the document."""
    [record] = case.records
    head, _, tail = (record.value or b"").partition(b'"old":null,')
    data, _, extension = tail.partition(b',"_tidb"')
    return replace(case, records=(replace(record, value=head + data + b',"old":null,"_tidb"' + extension),))


EVENTS: list[Fault] = [
    *faults(
        READ,
        ("886", lambda events: events[0].update(before=events[0]["after"])),
        ("037 / 030a 886", lambda events: events[0]["after"].update(N=events[0]["after"].pop("n"))),
        "0",
        ("801", "kind", "ddl"),
        ("016", "op", "update"),
        ("015", "table", "T"),
        ("042", "commit_ts", "1"),
        ("885 / 042", "commit_ts", "429819990172237824"),
        ("886", "query", "x"),
        "0.after",
        ("380", "b", {"index": "1"}),
        ("390", "e", {"index": "x"}),
        ("030a", "n", MISSING),
        ("886", "v", "1"),
        ("034b", "n", None),
        ("380 / 034b", "b", "2"),
        ("034b", "d", "1.60"),
        ("388", "d", "1.5"),
        ("399", "bin", "YWI="),
        ("034b / 400", "j", '{"a": 2}'),
    ),
    *faults(READ_PLAIN, ("886", "0.commit_ts", "1")),
    *faults(READ_DELETE, ("032", "0.before", None)),
    *faults(READ_UPDATE, ("501", "0.before", None), ("501 / 030a", "0.before.n", MISSING)),
    *faults(
        PARTIAL,
        ("", lambda events: events[0]["before"].update(b="1", a="k")),
        "0.before",
        ("504", "n", MISSING),
        ("380 / 034b", "b", "2"),
    ),
    *faults(
        READ_NULLS,
        ("", "0.source", {"pos": 7}),
        "0.after",
        ("", "e", {"index": "2"}),
        ("", "f", "1e7"),
        ("", "j", '{"b":[1.50,"x"],"a":1}'),
        ("035 / 034b", "x", None),
        ("034a / 034b", "n", "0"),
    ),
    *faults(BEYOND, ("883 / 034b", "0.after.n", "-1")),
    *faults(READ_COMPATIBLE, ("884 / 034b 390", "0.after.e", "x")),
    *faults(READ_WATERMARK, ("046", "0.commit_ts", "1")),
]

REFUSED: list[tuple[str, Case, str]] = [("801", READ, "type"), ("880 / 801", with_old_behind(READ), "schema")]
