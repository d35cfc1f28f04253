"""Tables of a capture that were given in several versions, as a comparison needs them; and heartbeats among it."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.captures.judge import NO_TABLES, judge_capture
from conformance.captures.model import CaptureContext
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.upstream import judge_upstream_capture
from conformance.captures.versions import GIVEN_ONCE
from conformance.cli.main import main
from conformance.ddl import tables_of_sql
from reference_impl import options
from reference_impl.canal_json import Encoder
from reference_impl.model import DdlEvent, Record, RowChange, Table
from reference_impl.protocols import CODECS
from tests.amounts import ordinarily
from tests.unit.captures.given import captured

[FIRST], [SECOND], [OTHER] = (
    tables_of_sql(f"USE s; CREATE TABLE t (id INT PRIMARY KEY, {column})", "t")
    for column in ("a INT", "b INT", "c INT")
)


CHANGE = RowChange("insert", "s", "t", 1 << 18, after={"id": "1", "a": "2"})


def record(column: str, op: str = "insert") -> Record:
    """A change of a row with that column."""
    row = {"id": "1", column: "2"}
    change = RowChange("insert", "s", "t", 1 << 18, after=row)
    if op == "delete":
        change = RowChange("delete", "s", "t", 1 << 18, before=row)
    [written] = Encoder().encode([change], [one for one in (FIRST, SECOND, OTHER) if one.column(column)]).records
    return written


[STATEMENT] = Encoder().encode([DdlEvent("s", "t", "ALTER TABLE t CHANGE a b INT", commit_ts=1 << 18)], []).records


def judged(*records: Record, tables: Sequence[Table] = (FIRST, SECOND, OTHER)) -> list[CaptureResult]:
    """The results of records, in order, by those versions of their table."""
    return [
        result
        for result in judge_capture(CaptureContext("canal-json", tuple(tables)), captured(records))
        if not result.is_stream
    ]


def test_a_later_version_is_in_force_from_the_first_record_on_that_is_right_by_no_earlier_one() -> None:
    results = judged(*map(record, "abbc"), record("a"))
    verdicts = [str(result.verdict) for result in results]
    assert verdicts == ["pass", "pass", "pass", "pass", "fail"]
    assert [NO_TABLES in result.not_judged for result in results] == [False] * 5


def test_each_partition_has_a_version_in_force() -> None:
    placed = [replace(record(column), topic="t", partition=n) for column, n in (("b", 0), ("a", 1), ("b", 0), ("b", 1))]
    again = [replace(record(column), topic="t", partition=1) for column in "ba"]
    assert [str(result.verdict) for result in judged(*placed, *again)] == ["pass"] * 5 + ["fail"]


def test_a_record_that_advanced_its_table_by_a_fault_is_blamed_in_place_of_those_behind_it() -> None:
    """One record by a later version among those by an earlier one: the earlier one is in force again."""
    wide = tables_of_sql("USE s; CREATE TABLE t (id INT PRIMARY KEY, a BIGINT)", "t")
    [fault] = Encoder().encode([CHANGE], wide).records
    given = captured([*map(record, "aa"), fault, *map(record, "aaa")])
    results = [*judge_capture(CaptureContext("canal-json", (FIRST, *wide)), given)]
    assert [(result.place.line, str(result.verdict)) for result in results if result.findings] == [(3, "fail")]
    assert {str(result.verdict) for result in results if not result.is_stream} == {"pass"}
    assert any("version 2 of s.t is in force" in note for result in results for note in result.not_judged)


def test_rules_between_records_see_a_record_by_the_version_that_it_is_judged_by() -> None:
    """A version that is only tried may have another key."""
    encoder = Encoder(options.parse(CODECS["canal-json"].options, {"enable-tidb-extension": "true"}))
    other = tables_of_sql("USE s; CREATE TABLE t (id INT, a INT, b INT, PRIMARY KEY (a))", "t")
    spoiled = b'"id":0,', b'"id":7,'
    found = []
    for tables in ([FIRST], [FIRST, *other]):
        written = encoder.encode([replace(CHANGE, commit_ts=ts << 18) for ts in (5, 9, 7)], [FIRST]).records
        placed = [replace(one, topic="t", partition=0, offset=n) for n, one in enumerate(written)]
        placed[1] = replace(placed[1], value=(placed[1].value or b"").replace(*spoiled, 1))
        context = CaptureContext("canal-json", tuple(tables), {"enable-tidb-extension": "true"})
        results = judge_capture(context, captured(placed))
        found.append([(result.place.line, finding.requirement) for result in results for finding in result.findings])
    assert found[0] == found[1]
    assert 3 in {line for line, _ in found[0]}


def test_a_delete_shows_a_later_version_by_the_row_before_it() -> None:
    results = judged(record("a"), record("b", "delete"), record("b"), record("a", "delete"))
    assert [str(result.verdict) for result in results] == ["pass", "pass", "pass", "fail"]


def test_a_record_that_is_wrong_by_every_version_is_judged_by_the_one_that_has_its_columns() -> None:
    value = record("b").value or b""
    spoiled = replace(record("b"), value=value.replace(b'"id":0,', b'"id":7,', 1))
    results = judged(record("a"), spoiled, record("a"), record("b"))
    assert [str(result.verdict) for result in results] == ["pass", "fail", "pass", "pass"]
    assert {finding.path for finding in results[1].findings} == {"value.id"}


@pytest.mark.parametrize(("tables", "known"), [((FIRST,), False), ((FIRST, SECOND), True)], ids=["one", "several"])
def test_a_statement_makes_a_table_unknown_unless_several_versions_of_it_are_given(tables, known) -> None:
    results = judged(record("a"), STATEMENT, record("b"), tables=tables)
    assert [str(result.verdict) for result in results] == ["pass"] * 3
    assert [NO_TABLES in result.not_judged for result in results] == [False, False, not known]
    assert [GIVEN_ONCE in result.not_judged for result in results] == [False, not known, False]


SERVED = ("canal-json?enable-tidb-extension=true", "debezium", "canal", "avro", "open-protocol", "debezium-connector")
# Every two of dialect, shards and statements are together once.
SIDES = [(dialect, n, (n == 1) is (i % 2 == 0)) for i, dialect in enumerate(SERVED) for n in (1, 3)]


@pytest.mark.parametrize(("dialect", "shards", "statements"), SIDES)
def test_the_tables_of_a_comparison_serve_for_its_sides_alone(dialect, shards, statements, tmp_path) -> None:
    """Each side is judged first, by the same file, though its tables were altered on the way."""
    name = dialect.partition("?")[0]
    drawn = ["--preset", "shop", "--seed", "5", "--ddl", "8", "-n", "1", "--format", "jsonl"]
    drawn += ["--changes", ordinarily("48", "140")]
    assert main(["generate", *drawn, "--shards", str(shards), "--dialect", dialect, "--out", str(tmp_path)]) == 0
    lines = [line for part in sorted((tmp_path / name).glob("*.jsonl")) for line in part.read_bytes().splitlines()]
    capture, report = tmp_path / "all.jsonl", tmp_path / "run.jsonl"
    capture.write_bytes(b"".join(line + b"\n" for line in lines if statements or not is_statement(line)))
    given = ["--protocol", name, "--records", str(capture), "--tables", str(tmp_path / "tables.json")]
    if name == "avro":
        given += ["--schemas", str(tmp_path / "avro.schemas.json")]
    assert main(["check-capture", *given, "--strict", "--report", f"jsonl={report}", "-q"]) == 0
    events = [json.loads(line) for line in report.read_bytes().splitlines()]
    verdicts = Counter(event["verdict"] for event in events if event["event"] == "verdict")
    assert {*verdicts} - {"excluded"} == {"pass"}
    assert verdicts["excluded"] < verdicts["pass"] / 3
    [plan] = (event for event in events if event["event"] == "plan")
    assert not any(NO_TABLES in note for note in plan["notes"])


def is_statement(line: bytes) -> bool:
    """Whether a line of a capture holds a statement, in any dialect but Avro, which has none."""
    record = json.loads(line)
    value, key = (base64.b64decode(record[part] or "") for part in ("value", "key"))
    return any(mark in value for mark in (b'"isDdl":true', b'"tableChanges"', b'"ddl"')) or b'"t":2}' in key


def test_heartbeats_of_a_connector_are_no_broken_messages() -> None:
    """Whatever their topic is called, and where the topic is not known."""
    beats = [(b'{"ts_ms":1}', "__debezium-heartbeat.shop"), (b'{"ts_ms":1}', "alive.shop"), (b'{"ts_ms":1}', None)]
    wrapped = (b'{"schema":{"type":"struct"},"payload":{"ts_ms":1}}', None)
    broken = [(b'{"ts_ms":1,"op":"c"}', "__debezium-heartbeat.shop"), (b'{"ts_ms":"soon"}', None), (b"{}", None)]
    given = [Record(b"{}", value, topic=topic, partition=0, offset=0) for value, topic in [*beats, wrapped, *broken]]
    context = CaptureContext("debezium-connector", (), {"schemas.enable": "false"})
    results = judge_upstream_capture(context, captured(given))
    assert [result.verdict for result in results] == [CaptureVerdict.EXCLUDED] * 4 + [CaptureVerdict.FAIL] * 3
