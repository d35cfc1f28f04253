"""Faults of Avro in lists: wrong records of an encoder, and wrong events or a refusal of a decoder."""

from __future__ import annotations

from dataclasses import replace

from conformance.cases.model import Case
from conformance.oracle.tree import MISSING
from reference_impl.model import Record
from tests.unit.oracle.avro_answers import AS_STRINGS, BEFORE, EXTENDED, RAW, WATCHED, ZONED, case_of, row
from tests.unit.oracle.changes import Fault, all_but_the_first, faults, of_bytes
from tests.unit.oracle.changes import turned as backwards
from tests.unit.oracle.faults_of_avro_messages import INSERT, MOVED_RAW, STATEMENT, UNIQUE, WIDER
from tests.unit.oracle.judging import OLD, SMALL, ddl_event, mark, written

# -- records -----------------------------------------------------------------------------------------------------------

MOVED = case_of("encode", row("update", base=OLD, id="5"), table=SMALL)
MOVED_WITH_EXTENSION = replace(MOVED, options=EXTENDED)
QUIET = case_of("encode", ddl_event(), mark(), row("insert", base=OLD), table=SMALL)
KEYLESS = case_of("encode", row("insert", base=OLD), table=UNIQUE)
TWO = case_of("encode", row("insert", base=OLD), row("insert", base=OLD, ts=8 << 18, id="2"), table=SMALL)


def with_id_of(data: bytes | None, other: bytes | None) -> bytes:
    """The data with the id of the schema of other data."""
    return (data or b"")[:1] + (other or b"")[1:5] + (data or b"")[5:]


RECORDS: list[Fault] = [
    *faults(TWO, ("052a / 019", of_bytes("value", lambda data: data[:6] + b"\0" + data[7:]))),
    *faults(QUIET, ("006", lambda records: [*records, Record(None, b"\2" + bytes(8))])),
    *faults(MOVED, ("009", all_but_the_first), ("009", backwards)),
    *faults(
        MOVED_WITH_EXTENSION, ("009", lambda records: written(replace(MOVED_WITH_EXTENSION, options=EXTENDED | RAW)))
    ),
    *faults(MOVED_RAW, ("009a", lambda records: [Record(records[0].key, None), *records])),
    *faults(STATEMENT, ("130a", of_bytes("value", lambda data: b"\1{oops"))),
    *faults(
        INSERT,
        ("015 / 002a", of_bytes("value", lambda data: b"\3\0" + bytes(16) + data[5:])),
        ("015a / 002a", of_bytes("value", lambda data: data[:1] + data[4:0:-1] + data[5:])),
        ("156a", of_bytes("value", lambda data: data[:1] + bytes((0, 0, 9, 9)) + data[5:])),
        ("015a / 002a", lambda records: [replace(records[0], value=with_id_of(records[0].value, records[0].key))]),
        ("018 / 019", of_bytes("value", lambda data: data[:5] + b"\xc3\1" + bytes(8) + data[5:])),
        ("019", of_bytes("key", lambda data: data[:5] + b"\x82\0" + data[6:])),
    ),
]

# -- events ------------------------------------------------------------------------------------------------------------


READ = case_of("decode", row("insert"))
READ_NULLS = case_of("decode", row("insert", o=None, c=None, ti=None))
WITH_EXTENSION = case_of("decode", row("insert"), options=EXTENDED)
READ_DELETE = case_of("decode", row("delete"))
READ_KEPT = case_of("decode", row("update", base=OLD, a="3"), table=SMALL, options=BEFORE)
READ_KEPT_DELETE = case_of("decode", row("delete", base=OLD), table=SMALL, options=BEFORE)
READ_TEXTS = case_of("decode", row("insert"), options=AS_STRINGS)
READ_EASTERN = case_of("decode", row("insert"), settings=ZONED)
READ_STATEMENT = case_of("decode", ddl_event(), table=SMALL, options=WATCHED)
READ_MARK = case_of("decode", mark(), table=SMALL, options=WATCHED)
READ_MARKED_DELETE = case_of("decode", row("delete", base=OLD), table=SMALL, options=WATCHED)
READ_KEYLESS = case_of("decode", row("insert", base=OLD), table=UNIQUE)
GONE = row("delete", base=OLD, ts=8 << 18)
KEYLESS_DELETE = case_of("decode", row("insert", base=OLD), GONE, table=UNIQUE)
PUT_AND_GONE = case_of("decode", row("insert", base=OLD), GONE, table=SMALL)
GROWN = case_of(
    "decode",
    row("insert", base=OLD),
    ddl_event(after=WIDER, ts=8 << 18),
    row("insert", base={**OLD, "id": "2", "c": "3"}, ts=9 << 18),
    table=SMALL,
)

EVENTS: list[Fault] = [
    *faults(
        READ,
        ("039a", lambda events: events[0]["after"].update(C=events[0]["after"].pop("c"))),
        "0.after",
        ("080d / 080b", "big", "9223372036854775807"),
        ("100", "m", "12345678901234567890.55"),
        ("088b", "q", "AQI="),
        ("088b", "cb", "eQ=="),
        ("091b", "j", '{"a": 2, "b": [2]}'),
        ("093b", "dt", "2024-02-29 01:02:03.045"),
        ("094b", "w", "2024-02-29 01:02:04"),
        ("096b", "y", "24"),
        ("203b", "gen", "9"),
        ("", "gen", None),
        ("203c", "x", MISSING),
        ("203b", "more", "1"),
        "0",
        ("203c", "kind", "watermark"),
        ("203", "op", "delete"),
        *(("", "op", op) for op in ("insert", "update", "upsert")),
        ("207", "table", "test.t"),
        ("203c", "after", None),
    ),
    *faults(READ_TEXTS, "0.after", ("081a", "big", "9223372036854775807"), ("085a", "mn", "1.26")),
    *faults(
        READ_EASTERN,
        ("094d / 094b", "0.after.w", "2024-02-28 17:02:03"),
        ("094b", "0.after.w", "2024-02-29T01:02:03"),  # the same time: no zone is at fault
    ),
    *faults(READ_NULLS, "0.after", ("052", "ti", "0")),
    *faults(WITH_EXTENSION, "0", ("203a", "commit_ts", MISSING)),
    *faults(
        READ_DELETE,
        "0.before",
        ("202a", "k", MISSING),
        ("203b", "c", "y"),
        "0",
        ("202", "after", {"id": "1", "k": "5"}),
        ("202a", "before", None),
    ),
    *faults(READ_KEPT_DELETE, ("202a", "0.before.a", MISSING)),
    *faults(
        READ_KEPT,
        "0.before",
        ("203c", "a", MISSING),
        ("077b", "a", "9"),
        ("120c / 077b", "a", "3"),  # the new value
        "0",
        ("120c", "before", None),
        ("203c / 077b", "after.a", "2"),  # the old value
    ),
    *faults(READ_MARKED_DELETE, "0", ("131b", "commit_ts", "1"), ("131b", "commit_ts", MISSING)),
    *faults(
        READ_STATEMENT,
        "0",
        ("130e", "query", "x"),
        ("130e", "action_code", 6),
        ("130e", "table", "u"),
        ("130e", "commit_ts", "1"),
    ),
    *faults(READ_MARK, "0", ("130f", "kind", "row"), ("203b", "table", "t")),
    *faults(
        PUT_AND_GONE,
        ("202", lambda events: events.pop()),
        ("213", list.clear),
        ("213", lambda events: events.append(events[0])),
        ("213", lambda events: events.append(events[-1])),
    ),
    *faults(
        KEYLESS_DELETE,
        ("213", lambda events: events.append(events[0])),
        ("200a", lambda events: events.append({**events[0], "op": "delete", "after": None})),
    ),
]
REFUSED: list[tuple[str, Case, str]] = [
    ("203", READ, "framing"),
    ("203c", WITH_EXTENSION, "framing"),
    ("202", READ_DELETE, "framing"),
    ("120c", READ_KEPT, "framing"),
    ("130e", READ_STATEMENT, "framing"),
    ("130f", READ_MARK, "framing"),
    ("131b", READ_MARKED_DELETE, "framing"),
    ("200", READ_KEYLESS, "framing"),
    ("200a", KEYLESS_DELETE, "framing"),
    ("175", replace(READ, axes={"encoding": "spaced"}), "framing"),
    ("175 / 203", GROWN, "framing"),
]
"""Requirements, a case, and the class with which its records are refused; perhaps a message behind a colon."""
