"""Each thing that an encoder can do wrong is held against the requirement that speaks of it, alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from open_answers import case_of, ddl, drop, mark, put, row, with_message

from conformance.cases.model import Case
from reference_impl.model import Record
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import CLASSIC, NEWARCH
from reference_impl.settings import Settings
from tests.unit.oracle.judging import SMALL, answer_of, blamed, judged, with_records, written

INSERT = case_of("encode", row("insert"))
UPDATE = case_of("encode", row("update", c="z"))
DELETE = case_of("encode", row("delete"))
CHANGED = case_of("encode", row("update", c=None, m="2.50"), options={"only-output-updated-columns": "true"})
UNCHANGED = case_of("encode", row("update"), options={"only-output-updated-columns": "true"})
NO_OLD = case_of("encode", row("update", c="z"), options={"open-output-old-value": "false"})
HANDLE_DELETE = case_of("encode", row("delete"), options={"delete-only-output-handle-key-columns": "true"})
DDL = case_of("encode", ddl())
DDL_SCHEMA = case_of("encode", ddl(table="", code=1))
DDL_LATER = case_of("encode", ddl(code=61))
DDL_UNKNOWN = case_of("encode", ddl(code=99))
MARK = case_of("encode", mark())
LZ4 = case_of("encode", row("insert"), options={"large-message-handle-compression": "lz4"})
ZONED = case_of("encode", row("insert"), settings=Settings(timezone="Asia/Shanghai"))
HANDLE_ONLY = case_of(
    "encode", row("insert"), options={"large-message-handle-option": "handle-key-only", "max-message-bytes": "300"}
)
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
MORE = case_of(
    "encode",
    row("insert", base={"id": "1", "d": "2024-02-29", "h": "x", "z": "-0", "q": "5gkKGg=="}),
    table={
        **SMALL,
        "columns": [
            SMALL["columns"][0],
            *(
                {"name": name, "type": kind, "nullable": True}
                for name, kind in (("d", "date"), ("h", "char(3)"), ("z", "double"), ("q", "varbinary(9)"))
            ),
        ],
    },
)
UNTOLD_DELETE = replace(DELETE, options={"open-output-old-value": "false"})
COMPOSITE = case_of(
    "encode",
    row("insert", base={"id": "1", "a": "2"}),
    table={**SMALL, "columns": [{**c, "nullable": False} for c in SMALL["columns"]], "primary_key": ["id", "a"]},
)
EITHER = case_of(
    "encode",
    row("insert", base={"id": "1", "a": "2"}),
    table={
        **SMALL,
        "columns": [{**c, "nullable": False} for c in SMALL["columns"]],
        "primary_key": [],
        "unique_keys": [{"name": "u", "columns": ["id"]}, {"name": "v", "columns": ["a"]}],
    },
)
UNIQUE = case_of(
    "encode",
    row("insert", base={"id": "1", "a": "2"}),
    table={**SMALL, "primary_key": [], "unique_keys": [{"name": "u", "columns": ["id"]}]},
)


def column(name: str, **members: Any) -> Callable[[Any], None]:
    """Change members of a column of `u`."""

    def change(tree: Any) -> None:
        tree["value"]["u"][name] |= members

    return change


def nameless(tree: Any) -> None:
    """The members of a column of `p` without its name."""
    tree["value"]["p"] |= tree["value"]["p"].pop("c")


MESSAGES: list[tuple[str, Case, Callable[[Any], None]]] = [
    ("OP-020", INSERT, drop("key.scm")),
    ("OP-020", INSERT, put("key.tbl", 1)),
    ("OP-020", INSERT, put("key.t", 7)),
    ("OP-020", INSERT, put("key", b'{"ts":7,"scm":"test","tbl":"t","tbl":"t","t":1}')),
    ("OP-020", DDL, put("key.t", 1)),
    ("OP-021", INSERT, put("key.extra", 1)),
    ("OP-023", INSERT, put("key", b'{"t":1,"ts":7,"scm":"test","tbl":"t"}')),
    ("OP-024", DDL_SCHEMA, drop("key.tbl")),
    ("OP-025", MARK, put("key.scm", "test")),
    ("OP-025", MARK, drop("key.ts")),
    ("OP-027", INSERT, put("key.ts", "7")),
    ("OP-027", INSERT, put("key.ts", 8)),
    ("OP-027", INSERT, put("key", b'{"ts":7.0,"scm":"test","tbl":"t","t":1}')),
    ("OP-028", PARTITION, drop("key.ptn")),
    ("OP-028", PARTITION, put("key.ptn", 1)),
    ("OP-028", INSERT, put("key.ptn", 1)),
    ("OP-029", INSERT, put("key.rid", 1)),
    ("OP-030", HANDLE_ONLY, drop("key.ohk")),
    ("OP-030", HANDLE_ONLY, put("key.ohk", False)),
    ("OP-030", INSERT, put("key.ohk", False)),
    ("OP-031", CLAIMED, put("key.ccl", None)),
    ("OP-032", HANDLE_ONLY, put("key", b'{"ts":7,"scm":"test","tbl":"t","t":1,"ohk":true,"ohk":true}')),
    ("OP-032a", CLAIMED, drop("key.ohk")),
    ("OP-034", INSERT, put("key.scm", "TEST")),
    ("OP-040", INSERT, put("value", b"[]")),
    ("OP-040", INSERT, put("value", b"{oops")),
    ("OP-040", INSERT, put("value.more", {})),
    ("OP-040", INSERT, drop("value.u.c")),
    ("OP-040", INSERT, put("value.u.more", {})),
    ("OP-040a", UPDATE, lambda tree: tree["value"].update(u=tree["value"].pop("u"))),
    ("OP-041", INSERT, put("value.d", {})),
    ("OP-041", INSERT, put("value.p", {})),
    ("OP-041", DELETE, put("value.u", {})),
    ("OP-042", UPDATE, drop("value.p")),
    ("OP-042", UPDATE, drop("value.p.c")),
    ("OP-042", NO_OLD, put("value.p", {})),
    ("OP-043", INSERT, put("value.u.c", "a")),
    ("OP-043", INSERT, column("c", more=1)),
    ("OP-043a", INSERT, lambda tree: tree["value"]["u"]["c"].update(t=tree["value"]["u"]["c"].pop("t"))),
    ("OP-044", INSERT, drop("value.u.c.f")),
    ("OP-044", INSERT, column("c", f="64")),
    ("OP-044", INSERT, column("c", f=321)),
    ("OP-044", INSERT, lambda tree: column("c", f=Decimal("65.5"))(tree)),
    ("OP-044", INSERT, drop("value.u.o.v")),
    ("OP-044a", INSERT, column("c", h=False)),
    ("OP-045", INSERT, lambda tree: tree["value"]["u"].update(id=tree["value"]["u"].pop("id"))),
    ("OP-046", INSERT, put("value.u.gen", {"t": 3, "f": 65, "v": 1})),
    ("OP-048", DELETE, drop("value.d.c")),
    ("OP-048a", HANDLE_DELETE, put("value.d.c", {"t": 15, "f": 64, "v": "x"})),
    ("OP-048", UNTOLD_DELETE, drop("value.d.c")),
    ("OP-048", UNTOLD_DELETE, drop("value.d.id")),
    ("OP-048", UNTOLD_DELETE, put("value.d.more", {"t": 3, "f": 0, "v": 1})),
    ("OP-048b", UNTOLD_DELETE, lambda tree: put("value.d", {"id": tree["value"]["d"]["id"]})(tree)),
    ("OP-052", INSERT, drop("value.u.id.h")),
    ("OP-052a", INSERT, column("k", h=True)),  # unique by itself, which the document takes for a handle
    ("OP-052", INSERT, column("m", h=True)),  # of an index that is not unique
    ("OP-052", INSERT, column("c", h=True)),
    ("OP-052a", COMPOSITE, drop("value.u.a.h")),
    ("OP-052", UNIQUE, column("a", h=True)),
    ("OP-250", EITHER, column("a", h=True)),
    ("OP-250", EITHER, drop("value.u.id.h")),
    ("OP-250", EITHER, column("a", f=19)),
    ("OP-055", CHANGED, put("value.p.n", {"t": 8, "f": 193, "v": 1})),
    ("OP-055", CHANGED, drop("value.p.m")),
    ("OP-055", CHANGED, drop("value.u.n")),
    ("OP-056", CHANGED, put("value.p.id", {"t": 3, "h": True, "f": 11, "v": 1})),
    ("OP-057", UNCHANGED, drop("value.p")),
    ("OP-058", CHANGED, drop("value.p.c")),
    ("OP-058", CHANGED, nameless),
    ("OP-059", replace(INSERT, options=CHANGED.options), drop("value.u.c")),
    ("OP-065", DDL, drop("value.q")),
    ("OP-065", DDL, put("value.t", "5")),
    ("OP-065", DDL, put("value", b"[]")),
    ("OP-065", DDL, put("value", b"oops")),
    ("OP-065", DDL, put("value.more", 1)),
    ("OP-065a", DDL, lambda tree: tree["value"].update(q=tree["value"].pop("q"))),
    ("OP-066", DDL, put("value.q", "x")),
    ("OP-143", DDL, put("value.t", 6)),
    ("OP-143a", DDL_LATER, put("value.t", 6)),
    ("OP-145", DDL_UNKNOWN, put("value.t", 6)),
    ("OP-007", MARK, put("value", b"null")),
    ("OP-090", INSERT, column("c", t="15")),
    ("OP-094", INSERT, column("id", t=8)),
    ("OP-094", INSERT, column("id", v="1")),
    ("OP-095", INSERT, column("f", v=1)),
    ("OP-098a", INSERT, column("w", v="2024-01-02 03:04:05.6")),
    ("OP-098", INSERT, column("w", v="2024-01-02 03:04:05")),
    ("OP-081", MORE, column("z", v=0)),
    ("OP-099", INSERT, column("n", v=9007199254740992)),
    ("OP-104", INSERT, column("y", v=24)),
    ("OP-101", MORE, column("d", t=12)),
    ("OP-101a", MORE, column("d", t=14)),
    ("OP-106", INSERT, column("c", t=14)),
    ("OP-106a", INSERT, column("c", t=253)),
    ("OP-106a", INSERT, column("q", t=253)),
    ("OP-117", MORE, column("h", t=253)),
    ("OP-106", INSERT, column("c", v="a")),
    ("OP-106", INSERT, column("q", v="")),
    ("OP-111", INSERT, column("j", v='{"a": 2}')),
    ("OP-111", INSERT, column("j", v={"a": 1})),
    ("OP-111a", INSERT, column("j", v='{"a":1}')),
    ("OP-112", INSERT, column("m", v="1.5")),
    ("OP-113", INSERT, column("e", v="b")),
    ("OP-114", INSERT, column("s", v=1)),
    ("OP-115", INSERT, column("x", v="y")),
    ("OP-115", INSERT, column("b", t=251)),
    ("OP-119", INSERT, column("o", v=0)),
    ("OP-119", INSERT, column("c", v=None)),
    ("OP-121", ZONED, column("w", v="2024-01-01 19:04:05.600")),
    ("OP-122", INSERT, column("x", f=65)),
    ("OP-122a", INSERT, column("n", f=192)),
    ("OP-123", INSERT, column("k", f=83)),
    ("OP-124", INSERT, column("n", f=197)),
    ("OP-125", INSERT, column("id", f=3)),
    ("OP-126", INSERT, column("k", f=65)),
    ("OP-127", INSERT, column("f", f=65)),
    ("OP-127", INSERT, column("m", f=65)),  # the first of an index of several
    ("OP-127", INSERT, column("g", f=97)),  # a column of no index at all
    ("OP-127a", INSERT, column("o", f=65)),
    ("OP-128", INSERT, column("c", f=0)),
    ("OP-129", INSERT, column("n", f=65)),
    ("OP-129a", INSERT, column("y", f=65)),
    ("OP-130", INSERT, lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"].replace("\\x89", "\\x88"))(tree)),
    ("OP-130a", MORE, column("q", v="\\xE6\\t\\n\\x1a")),
    ("OP-134a", MORE, column("q", v="\\xe6\\x09\\n\\x1a")),
    ("OP-134", MORE, column("q", v="\\xe6\\t\\x0a\\x1a")),
    ("OP-134", MORE, column("q", v="\\xe6\t\\n\\x1a")),
    ("OP-135", MORE, column("q", v="\\xe6\\t\\n\\032")),
    ("OP-131", INSERT, lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"].replace('\\"', '"'))(tree)),
    ("OP-132", INSERT, lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"].replace("\\\\", "/"))(tree)),
    ("OP-133", INSERT, lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"].replace("'", "\\'"))(tree)),
    ("OP-134", INSERT, lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"].replace("\\n", "\\x0a"))(tree)),
    ("OP-136", INSERT, lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"][:-1] + "y")(tree)),
    ("OP-137", INSERT, lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"].replace("\\u00a0", "\xa0"))(tree)),
    (
        "OP-138",
        INSERT,
        lambda tree: put("value.u.q.v", tree["value"]["u"]["q"]["v"].replace("\\U000e", "\\U000E"))(tree),
    ),
    ("OP-157", LZ4, put("value", b"\x00\x01")),
    ("OP-160", HANDLE_ONLY, put("value.u.c", {"t": 15, "f": 64, "v": "x"})),
    ("OP-170", CLAIMED, put("value.u.c", {"t": 15, "f": 64, "v": "x"})),
    ("OP-123", UNIQUE, column("id", f=17)),
    ("OP-052", UNIQUE, drop("value.u.id.h")),
]


@pytest.mark.parametrize(
    ("requirement", "case", "change"), MESSAGES, ids=[f"{i}-{m[0]}" for i, m in enumerate(MESSAGES)]
)
def test_a_wrong_message_is_held_against_one_requirement(requirement: str, case: Case, change: Callable[[Any], None]):
    assert blamed(case, with_message(case, change)) == [requirement]


def key_bytes(change: Callable[[bytes], bytes | None]) -> Callable[[list[Record]], list[Record]]:
    """Change the key of the first record as bytes."""
    return lambda records: [replace(records[0], key=change(records[0].key or b"")), *records[1:]]


def value_bytes(change: Callable[[bytes], bytes | None]) -> Callable[[list[Record]], list[Record]]:
    """Change the value of the first record as bytes."""
    return lambda records: [replace(records[0], value=change(records[0].value or b"")), *records[1:]]


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
PLACED = case_of("encode", row("insert"), settings=Settings(partitions=4))
SPLIT = case_of("encode", row("update", id="2"))
SPLIT_UNIQUE = case_of("encode", row("update", k="6"))
SPLIT_BOTH = replace(SPLIT, events=(*SPLIT.events, *SPLIT_UNIQUE.events), options={"max-batch-size": "1"})
SPLIT_FIRST = replace(SPLIT_BOTH, events=SPLIT.events)
RAW_SECOND = replace(SPLIT_UNIQUE, options={"output-raw-change-event": "true", "max-batch-size": "1"})
RAW = replace(SPLIT, options={"output-raw-change-event": "true"})

RECORDS: list[tuple[str, Case, Callable[[list[Record]], list[Record]]]] = [
    ("OP-257", TWO, lambda records: []),
    ("OP-002", INSERT, key_bytes(lambda key: key[:4])),
    ("OP-002", INSERT, key_bytes(lambda key: key[:-1])),
    ("OP-003", INSERT, value_bytes(lambda value: value[:-1])),
    ("OP-003", INSERT, value_bytes(lambda value: (1).to_bytes(8, "big") + value)),
    ("OP-004", INSERT, key_bytes(lambda key: key[:8] + key[8:16][::-1] + key[16:])),
    ("OP-004", INSERT, value_bytes(lambda value: b"\xff" * 8 + value[8:])),
    ("OP-005", INSERT, key_bytes(lambda key: (2).to_bytes(8, "big") + key[8:])),
    ("OP-005", INSERT, key_bytes(lambda key: (1).to_bytes(8, "little") + key[8:])),
    ("OP-006", INSERT, value_bytes(lambda value: value + bytes(8))),
    ("OP-006", INSERT, value_bytes(lambda value: b"")),
    ("OP-007", MARK, value_bytes(lambda value: b"")),
    ("OP-001 OP-007", MARK, value_bytes(lambda value: None)),
    ("OP-008", ROW_AND_MARK, joined),
    ("OP-150", BY_SIZE, joined),
    ("OP-152", ONE_EACH, joined),
    ("OP-154", MANY, joined),
    ("OP-180", SPLIT, lambda records: written(RAW)),
    ("OP-180b", SPLIT_UNIQUE, lambda records: written(replace(RAW, events=SPLIT_UNIQUE.events))),
    ("OP-180", SPLIT_BOTH, lambda records: written(replace(RAW, events=SPLIT_BOTH.events))),
    ("OP-180b", SPLIT_BOTH, lambda records: [*written(SPLIT_FIRST), *written(RAW_SECOND)]),
    ("OP-180", SPLIT_UNIQUE, backwards),
    ("OP-180a", RAW, lambda records: written(SPLIT)),
    ("OP-203", MARKS, lambda records: records[:1]),
    ("OP-257", MARKS, lambda records: [*records, records[0]]),
    ("OP-257", STATEMENTS, lambda records: [*records, records[0]]),
    ("OP-204", STATEMENTS, lambda records: records[:1]),
    ("OP-212", PLACED, lambda records: [replace(r, partition=((r.partition or 0) + 1) % 4) for r in records]),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), RECORDS, ids=[f"{i}-{m[0].replace(' ', '+')}" for i, m in enumerate(RECORDS)]
)
def test_wrong_records_are_held_against_the_requirements_that_speak_of_them(
    requirements: str, case: Case, change: Callable[[list[Record]], list[Record]]
):
    assert blamed(case, with_records(case, change)) == requirements.split()


def test_what_the_other_generation_writes_breaks_nothing_but_rules_of_style():
    found = {
        finding.requirement
        for case in (INSERT, UPDATE, DELETE, DDL, DDL_SCHEMA, MARK)
        for finding in judged(case, answer_of(case, CLASSIC)).findings
    }
    assert found == {"OP-024", "OP-045"}


def test_the_order_of_members_of_a_key_is_that_of_the_profile():
    case = case_of("encode", row("insert"))
    shuffled = put("key", b'{"t":1,"ts":7,"scm":"test","tbl":"t"}')
    assert blamed(case, with_message(case, shuffled, CLASSIC), CLASSIC) == ["OP-022"]


def test_a_generated_column_in_an_index_has_the_flags_of_either_generation():
    table = {
        **SMALL,
        "columns": [SMALL["columns"][0], {"name": "a", "type": "int", "generated": "stored"}],
        "indexes": [{"name": "i", "columns": ["id", "a"]}],
    }
    case = case_of("encode", row("insert", base={"id": "1", "a": "2"}), table=table)
    assert answer_of(case, CLASSIC) != answer_of(case, NEWARCH)
    assert blamed(case, answer_of(case, CLASSIC)) == ["OP-045", "OP-252"]


def test_a_claim_check_file_is_compared_with_the_whole_event_and_its_name_is_free():
    right = answer_of(CLAIMED)
    other = with_message(CLAIMED, drop("value.u.id.h"))
    assert blamed(CLAIMED, right) == []
    assert "OP-170" in blamed(CLAIMED, {"ok": {**right["ok"], "claims": []}})
    assert blamed(CLAIMED, other) == ["OP-052"]
