"""Captures of the upstream dialects without a truth: recordings are green, and a fault in a member is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.captures.check import check_capture
from conformance.captures.judge import NO_TABLES
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.upstream import ONLY_READ
from conformance.captures.versions import GIVEN_ONCE
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.cli.main import main
from conformance.engine.verdicts import ExitStatus
from conformance.errors import UsageError
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Record, RowChange, Table
from reference_impl.upstream.canal import Options, encode
from reference_impl.wire import record_to_json
from tests.amounts import THOROUGH
from tests.unit.captures.given import captured

SNAPSHOT = "debezium36/mysql97_snapshot"
RECORDED = Path(__file__).resolve().parents[3] / "fixtures" / "recorded"
# What real producers write that breaks a rule: known defects of Canal and of Debezium 2.4.
KNOWN = {"a JSON column holds a text that is not JSON", "is outside -838:59:59 to 838:59:59"}


@cache
def recordings() -> dict[str, Recording]:
    folders = ("canal", "debezium24", "debezium36")
    return {f"{folder}/{one.name}": one for folder in folders for one in read_recordings(RECORDED / folder)}


workloads = cache(Workloads)


@cache
def tables_of(name: str) -> list[Table]:
    folder = RECORDED / name.partition("/")[0]
    truth = workloads(folder).truth_of(recordings()[name])
    return list({change.table.id: change.table for change in truth.changes}.values())


def judged(
    name: str, records: Iterable[Record | None], tables: Sequence[Table] = (), **more: str
) -> list[CaptureResult]:
    of = recordings()[name]
    options = {**of.options, **more}
    results = check_capture(
        "f", of.protocol, captured=captured(records), tables=tables, options=options, timezone=of.facts.timezone
    )
    return list(results)


@pytest.mark.parametrize("name", recordings())
def test_a_recording_breaks_nothing_but_what_its_producer_is_known_for(name: str) -> None:
    results = judged(name, [one.record for one in recordings()[name].records])
    assert CaptureVerdict.SUITE_ERROR not in {result.verdict for result in results}
    said = [str(finding.got) for result in results for finding in result.findings]
    assert [one for one in said if not any(known in one for known in KNOWN)] == []
    assert CaptureVerdict.PASS in {result.verdict for result in results}


def test_rows_of_the_connector_are_written_again_where_their_tables_are_given() -> None:
    records = [one.record for one in recordings()[SNAPSHOT].records if one.record and one.record.value]
    rows = [record for record in records if b'"op":"r"' in (record.value or b"")]
    plain, known = judged(SNAPSHOT, rows), judged(SNAPSHOT, rows, tables_of(SNAPSHOT))
    assert all("the table is not known" in result.not_judged[0] for result in plain)
    assert sum(len(result.evaluated) for result in known) > 5 * sum(len(result.evaluated) for result in plain)
    assert [result.findings for result in known if result.findings] == []


def _told_apart(of: Recording) -> tuple[object, ...]:
    """What is alike of recordings of one workload that differ in the version of the producer alone."""
    return of.protocol, of.workload, *sorted(item for item in of.options.items() if item[0] not in ("version", "jdk"))


# Ordinarily the tables are known of one recording of those alike, and unknown of one of each producer.
WITH = {_told_apart(of): name for name, of in recordings().items()}.values()
WITHOUT = {name.partition("/")[0]: name for name in recordings()}.values()
KNOWN_OR_NOT = [
    (name, known)
    for name in recordings()
    for known, chosen in ((True, WITH), (False, WITHOUT))
    if name in chosen or THOROUGH
]


@pytest.mark.parametrize(("name", "known"), KNOWN_OR_NOT)
def test_nothing_passes_but_rows_that_were_compared_and_statements(name: str, known: bool) -> None:
    rows = [one.record for one in recordings()[name].records if one.record and b"ddl" not in (one.record.value or b"")]
    results = judged(name, rows, tables_of(name) if known else ())
    notes = {result.not_judged for result in results if result.verdict is not CaptureVerdict.EXCLUDED}
    assert notes <= {(), (ONLY_READ,), (ONLY_READ, GIVEN_ONCE)}
    assert {result.evaluated for result in results if result.verdict is CaptureVerdict.EXCLUDED} <= {frozenset()}


def snapshot_rows(spoil: Callable[[dict[str, Any]], None]) -> list[Record]:
    """The rows of a snapshot without schemas, each changed."""
    rows = []
    for one in recordings()[SNAPSHOT].records:
        tree = json.loads(one.record.value) if one.record and one.record.value else {}
        if one.record and tree.get("op") == "r":
            spoil(tree)
            rows.append(replace(one.record, value=json.dumps(tree).encode()))
    return rows


def in_another_table(tree: dict[str, Any]) -> None:
    tree["source"]["table"] = "another"


def with_objects(tree: dict[str, Any]) -> None:
    tree["after"] = {name: {"a": 1} for name in tree["after"]}


def with_geometries(tree: dict[str, Any]) -> None:
    tree["after"] = {name: {"wkb": "AQ==", "srid": None} for name in tree["after"]}


def test_rows_of_a_table_that_is_not_among_the_given_ones_are_not_judged() -> None:
    results = judged(SNAPSHOT, snapshot_rows(in_another_table), tables_of(SNAPSHOT))
    assert {(result.verdict, result.not_judged) for result in results} == {(CaptureVerdict.EXCLUDED, (NO_TABLES,))}


def test_a_value_that_is_of_no_column_is_a_fault_without_a_table() -> None:
    results = judged(SNAPSHOT, snapshot_rows(with_objects))
    assert {finding.requirement for result in results for finding in result.findings} == {"DBZ-709"}
    assert {result.verdict for result in results} == {CaptureVerdict.FAIL}


def test_a_value_that_only_its_table_explains_is_not_judged_without_one() -> None:
    rows = [replace(row, key=None) for row in snapshot_rows(with_geometries)]
    assert {result.verdict for result in judged(SNAPSHOT, rows)} == {CaptureVerdict.EXCLUDED}


def test_a_fault_is_found_beside_a_value_that_only_its_table_explains() -> None:
    def spoil(tree: dict[str, Any]) -> None:
        with_geometries(tree)
        tree["after"]["id"] = {"a": 1}

    rows = [replace(row, key=None) for row in snapshot_rows(spoil)]
    assert {result.verdict for result in judged(SNAPSHOT, rows)} == {CaptureVerdict.FAIL}


def test_a_run_in_which_no_record_was_judged_is_not_green(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    lines = [json.dumps(record_to_json(row)) for row in snapshot_rows(in_another_table)]
    records.write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = ["--protocol", "debezium-connector", "--records", str(records), "-q"]
    assert main(["check-capture", *given]) == ExitStatus.NOTHING


def row_of(name: str, containing: bytes) -> Record:
    return next(c.record for c in recordings()[name].records if c.record and containing in (c.record.value or b""))


FAULTS: dict[str, tuple[str, bytes, Callable[[bytes], bytes], str]] = {
    "a type code": ("canal/mysql97", b'"type":"INSERT"', lambda v: v.replace(b'"id":4', b'"id":5'), "CJ-420"),
    "two members in another order": (
        "canal/mysql97",
        b'"type":"INSERT"',
        lambda v: json.dumps(dict(reversed(json.loads(v).items())), separators=(",", ":")).encode(),
        "CJ-721",
    ),
    "cut": ("canal/mysql97", b'"type":"INSERT"', lambda v: v[:-3], "CJ-204"),
    "a member that is gone": (
        "debezium36/mysql97_noschema",
        b'"op":"c"',
        lambda v: v.replace(b'"db":', b'"dc":'),
        "DBZ-044",
    ),
    "not JSON": ("debezium36/mysql97_noschema", b'"op":"c"', lambda v: v + b"}", "DBZ-425"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_record_is_a_finding(fault: str) -> None:
    name, containing, spoil, requirement = FAULTS[fault]
    record = row_of(name, containing)
    assert record.value is not None
    spoilt = Record(record.key, spoil(record.value), topic=record.topic, headers=record.headers)
    assert spoilt.value != record.value
    [result] = judged(name, [spoilt])
    assert [finding.requirement for finding in result.findings][:1] == [requirement]


@pytest.mark.parametrize("name", ["debezium24/mysql97_schema", "debezium24/mysql97_noschema"])
def test_a_value_that_cannot_be_read_breaks_the_rule_on_the_type_that_its_schema_or_its_table_tells(name: str) -> None:
    row = row_of(name, b'"c_year":1901')
    wrong = replace(row, value=(row.value or b"").replace(b'"c_year":1901', b'"c_year":"x"'))
    [result] = judged(name, [wrong], () if name.endswith("_schema") else tables_of(name))
    assert [finding.requirement for finding in result.findings] == ["DBZ-217"]


def test_options_of_the_connector_are_what_most_records_show() -> None:
    name = "debezium24/mysql97_schema"
    of = recordings()[name]
    records = [one.record for one in of.records]
    found = list(check_capture("f", "debezium-connector", captured=captured(records)))
    given = judged(name, records)
    assert [one.verdict for one in found] == [one.verdict for one in given]


def test_events_of_an_upstream_dialect_are_a_usage_error_that_names_the_other_way() -> None:
    with pytest.raises(UsageError, match="run --iut recorded:DIR"):
        list(check_capture("f", "canal", captured=[], events=[]))


def test_an_insert_without_any_column_is_judged_where_the_table_is_known_and_left_out_elsewhere() -> None:
    table = Table("s", "t", (Column("a", parse_column_type("int")),))
    [written] = encode(
        [RowChange("insert", "s", "t", 1 << 40, None, {"a": None})], [table], Options(binlog_row_image="MINIMAL")
    ).records
    options = {"binlog_row_image": "MINIMAL"}
    for tables, verdict in (([table], "pass"), ([], "excluded")):
        [found] = check_capture("f", "canal", captured=captured([written]), tables=tables, options=options)
        assert found.verdict == verdict


@pytest.mark.parametrize("name", ["canal/mysql97_extra", "debezium36/mysql97_extra"])
def test_the_command_judges_a_capture_of_an_upstream_dialect_redacted_too(name: str, tmp_path: Path) -> None:
    of = recordings()[name]
    records = tmp_path / "records.jsonl"
    lines = [json.dumps(record_to_json(one.record)) for one in of.records if one.record]
    records.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = tmp_path / "run.jsonl"
    given = ["--protocol", of.protocol, "--records", str(records), "--report", f"jsonl={report}", "-q", "--redact"]
    assert main(["check-capture", *given]) == 0
    events = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    assert [event["event"] for event in events].count("verdict") == len(lines)
