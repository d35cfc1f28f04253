"""Recorded records of statements: what their text decides is compared, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.oracle.findings import Judgement
from conformance.oracle.upstream.comparison import RecordComparison
from conformance.oracle.upstream.ddl_records import DdlRecords
from conformance.oracle.upstream.dialects import DIALECTS
from conformance.oracle.upstream.reading import RecordKind
from conformance.oracle.upstream.script import Script
from conformance.oracle.upstream.writer import encoders_of
from reference_impl.model import DdlEvent, Record
from reference_impl.protocols import UPSTREAM
from tests.recorded_by_hand import connector, table, written

NAMED = {"canal": ("canal", "mysql97"), "debezium-connector": ("debezium24", "mysql97_noschema")}


@cache
def recorded(protocol: str) -> tuple[Recording, str]:
    folder, name = NAMED[protocol]
    path = fixtures_root() / "recorded" / folder
    recording = next(r for r in read_recordings(path) if r.name == name)
    return recording, Workloads(path).sql_of(recording) or ""


def statement(protocol: str, part: bytes) -> Record:
    """The first record of a statement that has this in it."""
    found = (c.record for c in recorded(protocol)[0].records if c.record is not None)
    return next(r for r in found if r.value and part in r.value and (b'"isDdl":true' in r.value or b'"ddl"' in r.value))


def breaks(protocol: str, record: Record) -> tuple[list[tuple[str, str]], str]:
    """What is found in a record of a statement, and why it cannot be judged."""
    recording, sql = recorded(protocol)
    known = DdlRecords(recording, encoders_of(recording, UPSTREAM[protocol])(), sql)
    expected, uncertain, reason = known.expected(record)
    found = Judgement()
    if expected is not None:
        comparison = RecordComparison(protocol, found, None, lambda name: False, uncertain)
        comparison.compare("ddl", replace(expected, topic=record.topic), record)
    return [(f.requirement, str(f.kind)) for f in found.findings], reason


def with_bytes(record: Record, old: bytes, new: bytes) -> Record:
    assert record.value is not None
    assert old in record.value
    return replace(record, value=record.value.replace(old, new, 1))


@pytest.mark.parametrize("protocol", NAMED)
def test_a_statement_as_it_was_recorded_breaks_nothing(protocol: str) -> None:
    assert breaks(protocol, statement(protocol, b"create table t_int")) == ([], "")


FAULTS = {
    "a type of message": ("canal", b'"type":"CREATE"', b'"type":"ALTER"', [("CJ-640", "value")]),
    "a text": ("canal", b"create table t_int", b"create table t_inx", [("CJ-653", "value")]),
    "rows": ("canal", b'"data":null', b'"data":[]', [("CJ-654", "json kind")]),
    "a member of source": ("debezium-connector", b'"connector":"mysql"', b'"connector":"x"', [("DBZ-041", "value")]),
    "a type": ("debezium-connector", b'"jdbcType":4', b'"jdbcType":9', [("DBZ-354", "value")]),
}


@pytest.mark.parametrize(("protocol", "old", "new", "expected"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_is_found_and_has_a_requirement(
    protocol: str, old: bytes, new: bytes, expected: list[tuple[str, str]]
) -> None:
    record = with_bytes(statement(protocol, b"create table t_int"), old, new)
    assert breaks(protocol, record) == (expected, "")


def test_what_became_of_a_table_that_was_there_before_is_uncertain() -> None:
    altered = statement("debezium-connector", b'"type":"ALTER"')
    assert breaks("debezium-connector", with_bytes(altered, b'"jdbcType":', b'"jdbcType":1'))[0] == []


def test_blanks_that_a_client_takes_out_are_no_fault() -> None:
    record = statement("canal", b"create table t_int")
    assert breaks("canal", with_bytes(record, b"create table t_int", b"create  table t_int"))[0] == []


def test_a_statement_of_which_nothing_is_known_is_not_judged() -> None:
    record = statement("canal", b"create table t_int")
    told = json.loads(record.value or b"") | {"sql": "create view v as select 1"}
    assert breaks("canal", replace(record, value=json.dumps(told).encode()))[1].startswith(
        "the reference does not know"
    )


@pytest.mark.parametrize(("truncations", "times"), [(0, 1), (1, 2)])
def test_statements_are_written_again_only_for_the_position_of_a_truncation(
    truncations: int, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["create table t (id int primary key, v int)", "truncate table t"]
    records = [connector(4, "t", None, None, None)] * truncations
    settings = ["skipped.operations=none"]
    folder = written(
        tmp_path, "debezium-connector", f"use cap; {'; '.join(texts)};", [table(1)], records, config=settings
    )
    [recording] = read_recordings(folder)
    workloads, codec = Workloads(folder), UPSTREAM[recording.protocol]
    truth, sql = workloads.truth_of(recording), workloads.sql_of(recording) or ""
    seen: list[str] = []
    encode = codec.encoder.encode

    def counted(encoder: Any, events: Sequence[DdlEvent], *others: Any) -> Any:
        seen.extend(event.query for event in events)
        return encode(encoder, events, *others)

    monkeypatch.setattr(codec.encoder, "encode", counted)
    got = [captured.record for captured in recording.records]
    summaries = [DIALECTS[recording.protocol].summary(record) for record in got if record is not None]
    script = Script(recording, truth, sql, encoders_of(recording, codec))
    matches = script.matches(summaries, got, lambda record: {"pos": 4})
    assert [match.got for match in matches if match.kind is RecordKind.TRUNCATION] == ([0] if truncations else [None])
    assert seen == texts * times
