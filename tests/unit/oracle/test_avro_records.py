"""What is wrong with records, their frames and registrations as a whole is held against what speaks of it, alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from avro_answers import EXTENDED, RAW, WATCHED, case_of, long, row, with_requests
from avro_cases import (
    DELETE,
    EXTENSION,
    INSERT,
    KEPT,
    MARK,
    MARKED_DELETE,
    MOVED_RAW,
    STATEMENT,
    TEXTS,
    UNIQUE,
    UPDATE,
    WIDER,
)

from conformance.cases.model import Case
from reference_impl.model import Record
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.registry import RegisteredSchema
from tests.unit.oracle.judging import OLD, SMALL, answer_of, blamed, ddl_event, judged, mark, with_records, written

LATER = {**OLD, "c": None}

MOVED = case_of("encode", row("update", base=OLD, id="5"), table=SMALL)
MOVED_TOLD = replace(MOVED, options=EXTENDED)
MOVED_AND_MORE = case_of(
    "encode", row("update", base=OLD, id="5"), row("insert", base=OLD, ts=8 << 18, id="7"), table=SMALL
)
MARK_AND_ROW = case_of("encode", mark(), row("insert", base=OLD), table=SMALL, options=WATCHED)
QUIET = case_of("encode", ddl_event(), mark(), row("insert", base=OLD), table=SMALL)
KEYLESS = case_of("encode", row("insert", base=OLD), table=UNIQUE)
GROWN = case_of("encode", row("insert", base=OLD), ddl_event(after=WIDER), row("insert", base=LATER), table=SMALL)
TWO = case_of("encode", row("insert", base=OLD), row("insert", base=OLD, ts=8 << 18, id="2"), table=SMALL)


# -- records and frames ------------------------------------------------------------------------------------------------


def of_bytes(part: str, change: Callable[[bytes], bytes]) -> Callable[[list[Record]], list[Record]]:
    """Other bytes of the key or value of the first record."""
    return lambda records: [replace(records[0], **{part: change(getattr(records[0], part))}), *records[1:]]


RECORDS: list[tuple[list[str], Case, Callable[[list[Record]], list[Record]]]] = [
    (["AV-001", "AV-213"], TWO, lambda records: records[:1]),
    (["AV-001", "AV-213"], TWO, lambda records: [*records, records[0]]),
    (["AV-002b"], TWO, lambda records: records[::-1]),
    (["AV-006"], QUIET, lambda records: [*records, Record(None, b"\2" + bytes(8))]),
    (["AV-009"], MOVED, lambda records: records[1:]),
    (["AV-009"], MOVED, lambda records: records[::-1]),
    (["AV-009"], MOVED_TOLD, lambda records: written(replace(MOVED_TOLD, options=EXTENDED | RAW))),
    (["AV-001", "AV-213"], MOVED_TOLD, lambda records: records[1:]),
    (["AV-001", "AV-213"], MOVED, lambda records: records[:-1]),
    (["AV-001", "AV-213"], MOVED_AND_MORE, lambda records: records[:-1]),
    (["AV-001", "AV-213"], MOVED_AND_MORE, lambda records: records[:1] * 2),
    (["AV-001", "AV-213"], MOVED_RAW, lambda records: records * 2),
    (["AV-001", "AV-213"], DELETE, lambda records: records * 2),
    (["AV-001", "AV-213"], QUIET, lambda records: records * 2),
    (["AV-001", "AV-213"], MARK_AND_ROW, lambda records: records[:1]),
    (["AV-009a"], MOVED_RAW, lambda records: [Record(records[0].key, None), *records]),
    (["AV-130"], MARK, lambda records: []),
    (["AV-130a"], STATEMENT, lambda records: []),
    (["AV-112"], KEYLESS, lambda records: [replace(records[0], key=records[0].value)]),
    (["AV-002", "AV-015"], INSERT, of_bytes("key", lambda data: b"\1" + data[1:])),
    (["AV-002a", "AV-015"], INSERT, of_bytes("value", lambda data: b"\3\0" + bytes(16) + data[5:])),
    (["AV-002a", "AV-015a"], INSERT, of_bytes("value", lambda data: data[:1] + data[4:0:-1] + data[5:])),
    (["AV-156a"], INSERT, of_bytes("value", lambda data: data[:1] + bytes((0, 0, 9, 9)) + data[5:])),
    (["AV-018", "AV-019"], INSERT, of_bytes("value", lambda data: data[:5] + b"\xc3\1" + bytes(8) + data[5:])),
    (["AV-019"], INSERT, of_bytes("value", lambda data: data + b"\0")),
    (["AV-019"], INSERT, of_bytes("value", lambda data: data[:-1])),
    (["AV-019"], INSERT, of_bytes("key", lambda data: data[:5] + b"\x82\0" + data[6:])),
    (["AV-019", "AV-052a"], TWO, of_bytes("value", lambda data: data[:6] + b"\0" + data[7:])),
    (["AV-130a"], STATEMENT, of_bytes("value", lambda data: b"\1{oops")),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), RECORDS, ids=[f"{i}-{'+'.join(m[0])}" for i, m in enumerate(RECORDS)]
)
def test_wrong_records_are_held_against_what_speaks_of_them(
    requirements: list[str], case: Case, change: Callable[[list[Record]], list[Record]]
):
    assert blamed(case, with_records(case, change)) == requirements


# -- registrations -----------------------------------------------------------------------------------------------------

Requests = list[RegisteredSchema]


def subjects(change: Callable[[str], str]) -> Callable[[Requests], Requests]:
    """Other subjects."""
    return lambda requests: [replace(request, subject=change(request.subject)) for request in requests]


REQUESTS: list[tuple[list[str], Case, Callable[[Requests], Requests]]] = [
    (["AV-155"], INSERT, subjects(lambda subject: subject.removesuffix("-key").removesuffix("-value"))),
    (["AV-155"], INSERT, subjects(lambda subject: subject.replace("test_t", "default.test.t"))),
    (["AV-155"], INSERT, subjects(lambda subject: subject.replace("-", "_"))),
    (["AV-156"], INSERT, lambda requests: [*requests, *requests]),
    (["AV-007a"], GROWN, lambda requests: [*requests, replace(requests[0], id=9, subject="test_t2-value")]),
    (["AV-007a", "AV-190a"], GROWN, lambda requests: [*requests[:2], replace(requests[2], subject="test_t-old")]),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), REQUESTS, ids=[f"{i}-{'+'.join(m[0])}" for i, m in enumerate(REQUESTS)]
)
def test_wrong_registrations_are_held_against_what_speaks_of_them(
    requirements: list[str], case: Case, change: Callable[[Requests], Requests]
):
    assert blamed(case, with_requests(case, change)) == requirements


# -- free forms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC], ids=lambda profile: profile.name)
@pytest.mark.parametrize(
    "case", [INSERT, UPDATE, DELETE, EXTENSION, TEXTS, KEPT, MOVED, STATEMENT, MARKED_DELETE, KEYLESS, GROWN]
)
def test_what_the_reference_writes_breaks_nothing(case: Case, profile: Profile):
    assert blamed(case, answer_of(case, profile), profile) == []


def _later(data: bytes | None) -> bytes | None:
    """The same under an id that is 700 higher."""
    return None if data is None else data[:1] + (int.from_bytes(data[1:5], "big") + 700).to_bytes(4, "big") + data[5:]


def test_which_id_the_registry_gave_is_not_looked_at():
    later = with_requests(INSERT, lambda requests: [replace(request, id=request.id + 700) for request in requests])
    sent = with_records(
        INSERT, lambda records: [Record(_later(record.key), _later(record.value)) for record in records]
    )
    assert blamed(INSERT, {"ok": {**later["ok"], "records": sent["ok"]["records"]}}) == []


def test_a_number_of_more_bytes_than_it_needs_is_a_fault_of_the_encoding_alone():
    padded = with_records(INSERT, of_bytes("key", lambda data: data[:5] + b"\x82\0" + long(5)))
    assert blamed(INSERT, padded) == ["AV-019"]


COUNTED = {"AV-001", "AV-213", "AV-006", "AV-009", "AV-009a"}


@pytest.mark.parametrize(
    ("case", "spoken"),
    [
        (INSERT, {"AV-001", "AV-213"}),
        (MOVED, {"AV-001", "AV-213", "AV-009"}),
        (MOVED_RAW, {"AV-001", "AV-213", "AV-009a"}),
        (QUIET, {"AV-001", "AV-213", "AV-006"}),
        (replace(QUIET, events=QUIET.events[1:2]), {"AV-213", "AV-006"}),
        (STATEMENT, {"AV-213"}),
        (MARK, {"AV-213"}),
    ],
)
def test_as_many_records_as_expected_bear_out_each_rule_on_their_number(case: Case, spoken: set[str]):
    assert judged(case, answer_of(case)).evaluated & COUNTED == spoken


def _keyed(*key: str, nullable: bool) -> Case:
    """An insert into a table with a unique key beside the primary key."""
    columns = [SMALL["columns"][0], {**SMALL["columns"][1], "nullable": nullable}, {"name": "c", "type": "int"}]
    table = {**SMALL, "columns": columns, "primary_key": [*key], "unique_keys": [{"name": "u", "columns": ["a"]}]}
    return case_of("encode", row("insert", base=LATER), table=table)


@pytest.mark.parametrize(("nullable", "blamed_for"), [(False, ["AV-112d"]), (True, ["AV-112"])])
def test_a_key_may_hold_columns_of_another_valid_index_beside_the_primary_key_and_no_others(
    nullable: bool, blamed_for: list[str]
):
    given = answer_of(_keyed("id", "a", nullable=nullable))
    assert blamed(_keyed("id", nullable=nullable), given) == blamed_for


def test_a_row_without_a_primary_key_may_have_its_unique_key_for_a_key():
    assert blamed(KEYLESS, answer_of(KEYLESS, CLASSIC)) == ["AV-112b", "AV-113"]
