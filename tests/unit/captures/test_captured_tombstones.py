"""Deletes of a connector's capture: each is followed by its tombstone, unless nothing can be said of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.captures import tombstones
from conformance.captures.check import check_capture
from conformance.captures.model import Place
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.upstream import NO_TOMBSTONES
from conformance.catalogue.recordings import read_recordings
from reference_impl.model import Record
from tests.amounts import ordinarily
from tests.unit.captures.given import captured
from tests.unit.captures.test_upstream_captures import RECORDED, recordings, tables_of

LATER = {"pos": 300}


def change(op: str, key: int | None = 1, **source: Any) -> Record:
    """A row change of the connector; `source` places it in the binary log."""
    image = {"id": key}
    place = {
        "version": "3.6.1.Final",
        "connector": "mysql",
        "name": "srv",
        "file": "binlog.000009",
        "pos": 200,
        "row": 0,
    }
    images = {"before": image if op in "ud" else None, "after": image if op != "d" else None}
    value = {**images, "source": {**place, **source}, "op": op}
    return Record(key_of(key), json.dumps(value).encode(), 0, "srv.test.t")


def key_of(key: int | None) -> bytes | None:
    return None if key is None else json.dumps({"id": key}).encode()


def tombstone(key: int | None = 1) -> Record:
    return Record(key_of(key), None, 0, "srv.test.t")


def numbered(*records: Record, offsets: Sequence[int] = ()) -> list[Record]:
    """The records with those offsets, by default one behind the other."""
    at = offsets or range(len(records))
    return [Record(r.key, r.value, r.partition, r.topic, offset=n) for r, n in zip(records, at, strict=True)]


def between(records: Sequence[Record], **options: str) -> list[CaptureResult]:
    """The results of rules between records."""
    given = {name.replace("_", "."): value for name, value in options.items()}
    results = check_capture("f", "debezium-connector", captured=captured(records), options=given)
    return [result for result in results if result.is_stream]


ONE = (change("d", 7, pos=100), tombstone(7))
"""A delete as it should be: it shows that the connector writes tombstones."""


def nowhere(*records: Record, topic: str | None = "srv.test.t") -> list[Record]:
    """The records without a partition."""
    return [Record(record.key, record.value, None, topic) for record in records]


MISSED = {
    "a later record of another row": [*ONE, change("d"), change("c", 2, **LATER)],
    "a later record of the same row": [*ONE, change("d"), change("c", 1, **LATER)],
    "the next row of one event": [*ONE, change("d"), change("d", 2, row=1), tombstone(2)],
    "the next file": [*ONE, change("d"), change("c", 2, file="binlog.000010", pos=4)],
    "a file of more digits": [*ONE, change("d", file="binlog.999999"), change("c", 2, file="binlog.1000000", pos=4)],
    "the same row, wherever it is": nowhere(*ONE, change("d"), change("c", 1, **LATER), topic=None),
    "with offsets": numbered(*ONE, change("d"), change("c", 2, **LATER)),
    "the tombstone of another row": [*ONE, change("d"), tombstone(2), change("c", 2, **LATER)],
}


@pytest.mark.parametrize("case", MISSED)
def test_a_delete_without_a_tombstone_is_found_once_the_partition_goes_on(case: str) -> None:
    [result] = between(MISSED[case])
    assert (result.place, result.verdict) == (Place("f", 3), CaptureVerdict.WARN)
    assert [(f.requirement, f.path, str(f.kind)) for f in result.findings] == [("DBZ-022", "tombstone", "missing")]


def elsewhere(record: Record) -> Record:
    return Record(record.key, record.value, 1, record.topic)


NOT_SAID = {
    "each has one": [*ONE, change("d"), tombstone(), change("c", 1, **LATER), change("d", 1, pos=400), tombstone()],
    "the last of the partition": [*ONE, change("d")],
    "nothing shows tombstones": [change("d"), change("c", 2, **LATER)],
    "another partition goes on": [*ONE, change("d"), elsewhere(change("c", 2, **LATER))],
    "another connector goes on": [*ONE, change("d"), change("c", 2, name="other", **LATER)],
    "another binary log": [*ONE, change("d"), change("c", 2, file="mysql-bin.000010")],
    "sent again from before": [*ONE, change("d"), change("c", 1, pos=150), change("d"), tombstone()],
    "a gap in the offsets": numbered(*ONE, change("d"), change("c", 2, **LATER), offsets=[0, 1, 2, 9]),
    "a part of the capture from before": numbered(*ONE, change("d"), change("c", 2, **LATER), offsets=[5, 6, 7, 2]),
    "a delete without a key": [*ONE, change("d", None), change("c", 2, **LATER)],
    "no place in the binary log": [*ONE, change("d", file=None), change("c", 2, **LATER)],
    "a later record without a place": [*ONE, change("d"), change("c", 2, pos=None)],
    "a record of another row, of an unknown partition": nowhere(
        *ONE, change("d"), change("c", 2, **LATER), tombstone()
    ),
    "a record of another table, of an unknown topic": nowhere(
        *ONE, change("d", table="a"), change("c", table="b", **LATER), tombstone(), topic=None
    ),
    "a text that looks like a delete": [*ONE, change("c", 1, query='"op":"d"'), change("c", 2, **LATER)],
}


@pytest.mark.parametrize("case", NOT_SAID)
def test_nothing_is_said_of_a_delete_whose_tombstone_may_be_somewhere(case: str) -> None:
    assert between(NOT_SAID[case]) == []


@pytest.mark.parametrize("name", ["debezium24/mysql97_noschema", "debezium36/mysql97_schema"])
def test_where_no_tombstone_is_seen_and_no_option_given_each_delete_says_so(name: str) -> None:
    kept = [one.record for one in recordings()[name].records if one.record is not None and one.record.value is not None]
    some = [
        record for n, record in enumerate(kept) if n < ordinarily(20, len(kept)) or b'"op":"d"' in (record.value or b"")
    ]

    def noted(**options: str) -> int:
        given = {option.replace("_", "."): value for option, value in options.items()}
        results = check_capture(
            "f", "debezium-connector", captured=captured(some), tables=tables_of(name), options=given
        )
        return sum(NO_TOMBSTONES in result.not_judged for result in results)

    assert noted() > 40
    assert noted(tombstones_on_delete="true") == noted(tombstones_on_delete="false") == 0


def test_the_option_decides_where_the_capture_does_not_show_it() -> None:
    plain = [change("d"), change("c", 2, **LATER)]
    assert [r.place.line for r in between(plain, tombstones_on_delete="true")] == [1]
    assert between(MISSED["with offsets"], tombstones_on_delete="false") == []


LONG_SNAPSHOT = [change("r", key, pos=1) for key in range(1100)]
"""More records without a tombstone than those from which options are inferred."""


def test_a_delete_is_found_if_the_first_tombstone_comes_after_a_long_snapshot() -> None:
    results = between([*LONG_SNAPSHOT, *MISSED["with offsets"]])
    assert [(r.place.line, r.findings[0].requirement) for r in results] == [(1103, "DBZ-022")]


def test_deletes_before_the_first_tombstone_are_found_when_it_comes() -> None:
    deletes = [change("d", key, pos=10 + key) for key in range(3)]
    results = between([*LONG_SNAPSHOT, *deletes, *ONE])
    assert [r.place.line for r in results] == [1101, 1102, 1103]
    assert between([*LONG_SNAPSHOT, *deletes, ONE[0]]) == []


def test_a_recording_that_loses_a_tombstone_after_a_long_snapshot_breaks_the_rule() -> None:
    records = [one.record for one in recordings()["debezium24/mysql97_noschema"].records if one.record is not None]
    at = next(n for n, record in enumerate(records) if record.value is None)
    kept = [replace(r, partition=0) for r in [records[0]] * 1000 + records[:at] + records[at + 1 :]]
    assert [f.requirement for result in between(kept) for f in result.findings] == ["DBZ-022"]


def test_only_deletes_before_the_first_tombstone_say_that_theirs_is_not_judged_yet() -> None:
    name = "debezium24/mysql97_noschema"
    records = [one.record for one in recordings()[name].records if one.record is not None]
    given = captured([records[0]] * 1000 + records)
    results = check_capture("f", "debezium-connector", captured=given, tables=tables_of(name))
    noted = [result.place.line - 1001 for result in results if NO_TOMBSTONES in result.not_judged]
    assert noted == [next(n for n, record in enumerate(records) if record.value is None) - 1]


def test_of_many_deletes_before_the_first_tombstone_the_last_result_counts_those_it_stands_for() -> None:
    deletes = [change("d", key, pos=10 + key) for key in range(1500)]
    results = between([*LONG_SNAPSHOT, *deletes, change("d", 7, pos=9999), tombstone(7)])
    assert len(results) == 1000
    assert "the same is true of 500 later deletes" in str(results[-1].findings[0].got)


def test_of_too_many_deletes_of_an_unknown_partition_the_oldest_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tombstones, "_MOST_WAITING", 3)
    deletes = [change("d", key, pos=10 + key) for key in range(5)]
    later = [change("c", key, pos=300 + key) for key in range(5)]
    assert [r.place.line for r in between(nowhere(*ONE, *deletes, *later, topic=None))] == [5, 6, 7]


@pytest.mark.parametrize("name", ["debezium24/mysql97_noschema", "debezium36/mysql97_schema"])
def test_every_tombstone_of_a_recording_is_missed_unless_its_partition_ends_there(name: str) -> None:
    folder, _, recorded = name.partition("/")
    recording = next(one for one in read_recordings(RECORDED / folder) if one.name == recorded)
    records = [replace(one.record, partition=0) for one in recording.records if one.record is not None]
    kept = [r for r in records if r.value is not None]
    deletes = [r for r in kept if b'"op":"d"' in (r.value or b"") and r.key is not None]
    last = {(r.topic, r.partition): r for r in kept}
    ends = sum(delete in last.values() for delete in deletes)
    assert len(deletes) > 40
    assert between(records) == []
    assert len(between(kept, tombstones_on_delete="true")) == len(deletes) - ends
