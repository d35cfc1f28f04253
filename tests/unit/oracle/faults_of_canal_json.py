"""Faults of Canal-JSON: what an encoder writes wrong in messages and records, and what a decoder answers wrong.

The tree of a message is its value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.tree import MISSING
from tests.unit.oracle.canal_answers import COMMIT_TS, EXTENSION, TABLE, case_of, row
from tests.unit.oracle.changes import Fault, all_but_the_last, faults
from tests.unit.oracle.judging import ddl_event, written

TIME = {"commit_ts": str(COMMIT_TS)}
HANDLE = {"delete-only-output-handle-key-columns": "true"}
ONLY_CHANGED, COMPATIBLE_TYPES = {"only-output-updated-columns": "true"}, {"content-compatible": "true"}
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
WIDE = case_of(row("insert", n="2147483648"))
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
        ("014", "id", "0"),
        ("010", "ts", MISSING),
        ("010c", "isDdl", "false"),
        ("015", "database", "TEST"),
        ("014", "es", "1639633141221"),
        ("020", "pkNames", ["b", "b"]),
        ("020", "pkNames", None),
        ("037 / 030a", lambda t: t["data"][0].update(N=t["data"][0].pop("n"))),
        ("032", lambda t: t.update(data=t["data"][0])),
        ("", lambda t: reverse(t["mysqlType"])),
        ("502a", lambda t: t.update(old=t["data"])),
        "data.0",
        ("034", "n", 7),
        ("034b", "n", None),
        ("030a", "other", "1"),
        ("030", "v", "1"),
        ("034b", "d", "1.51"),
        ("390", "e", "blob"),
        ("034b", "bin", "abcd"),
        ("034", "j", {"a": 1}),
        ("411", "j", '{"b": [1.5, "x"], "a": 1}'),
        ("412", "j", '{"a": 1, "b": [1.5, "\\u0078"]}'),
        ("394", "w", "2024-01-02 03:04:05.6"),
        "sqlType",
        ("030a", "n", MISSING),
        ("311", "a", "12"),
        "mysqlType",
        ("355", "a", "varchar(10)"),
        "_tidb",
        ("042", "commitTs", 1),
        ("047", "tableId", 7),
        ("014 / 042", "commitTs", "429819990172237825"),
    ),
    *faults(NULLS, "data.0", ("034a / 034b", "n", "NULL")),
    *faults(IN_TOKYO, ("111", "data.0.w", "2024-01-01 18:04:05.600")),
    *faults(WIDE, ("340 / 336", "sqlType.n", 4)),
    *faults(COMPATIBLE, ("103", "old.0.b", "1")),
    *faults(DELETE, ("502", lambda t: t.update(old=t["data"]))),
    *faults(UPDATE, ("501", "old", None), "old.0", ("501", "b", MISSING)),
    *faults(CHANGED_ONLY, "old.0", ("102", "b", "1"), ("504", "n", MISSING)),
    *faults(HANDLE_ONLY, ("104", "data.0.n", "7")),
    *faults(WATERMARK, ("052", "type", "WATERMARK"), "_tidb", ("046", "watermarkTs", 1)),
]

# -- records -----------------------------------------------------------------------------------------------------------

LZ4, SNAPPY = (
    case_of(row("insert"), options=EXTENSION | {"large-message-handle-compression": kind}) for kind in ("lz4", "snappy")
)
IN_THREE = case_of(ddl_event(COMMIT_TS, after=TABLE, **TRUNCATED), partitions=3)

RECORDS: list[Fault] = [
    *faults(case_of({"kind": "watermark", "commit_ts": "1"}, partitions=3), ("051", all_but_the_last)),
    *faults(LZ4, ("106", lambda records: written(INSERT))),
    *faults(SNAPPY, ("136", lambda records: written(LZ4))),
    *faults(IN_THREE, ("", lambda records: [replace(records[0], partition=None)])),
]

# -- events ------------------------------------------------------------------------------------------------------------

READ = case_of(row("insert"), role="decode")
READ_UPDATE, READ_DELETE = case_of(row("update", n="8"), role="decode"), case_of(row("delete"), role="decode")
PARTIAL = case_of(row("update", n="8"), options=ONLY_CHANGED, role="decode")
READ_COMPATIBLE = case_of(row("insert"), options=COMPATIBLE_TYPES, role="decode")
READ_NULLS = case_of(row("insert", n=None, x="null"), role="decode")


def with_old_behind(case: Case) -> Case:
    """The message with its members in the order of the document."""
    [record] = case.records
    head, _, tail = (record.value or b"").partition(b'"old":null,')
    data, _, extension = tail.partition(b',"_tidb"')
    return replace(case, records=(replace(record, value=head + data + b',"old":null,"_tidb"' + extension),))


EVENTS: list[Fault] = [
    *faults(
        READ,
        ("037 / 030a 886", lambda events: events[0]["after"].update(N=events[0]["after"].pop("n"))),
        "0",
        ("015", "table", "T"),
        ("886", "query", "x"),
        "0.after",
        ("380", "b", {"index": "1"}),
        ("390", "e", {"index": "x"}),
        ("030a", "n", MISSING),
        ("886", "v", "1"),
        ("034b", "n", None),
        ("034b", "d", "1.60"),
        ("388", "d", "1.5"),
    ),
    *faults(READ_DELETE, ("032", "0.before", None)),
    *faults(READ_UPDATE, ("501", "0.before", None)),
    *faults(PARTIAL, ("", lambda events: events[0]["before"].update(b="1", a="k"))),
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
    *faults(READ_COMPATIBLE, ("884 / 034b 390", "0.after.e", "x")),
]

REFUSED: list[tuple[str, Case, str]] = [("801", READ, "type"), ("880 / 801", with_old_behind(READ), "schema")]
