"""Recorded statements: one without its record is missed, one with two is told, and so are truncations."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.oracle.upstream.ddl_simulator import DdlSimulator, Outcome
from tests.recorded_by_hand import canal, canal_ddl, rows, statement, table, written
from tests.slices import Line, Run, change_bytes, change_lines, whole

STREAMS = [
    ("canal", "mysql97", "canal", "CJ-640", b'"sql":"alter table d_all add column h int"'),
    ("debezium24", "mysql97_noschema", "debezium-connector", "DBZ-350", b'"ddl":"alter table d_all add column h int"'),
]
streams = pytest.mark.parametrize(("folder", "name", "protocol", "requirement", "text"), STREAMS)
TRUNCATED = ("debezium24", "debezium36")


def ran(folder: Path, protocol: str) -> tuple[int, list[dict[str, Any]], list[tuple[str, ...]]]:
    """The status of a run, its verdicts, and (case, requirement, path, kind) of its findings."""
    run = Run(folder, "--protocol", protocol)
    return run.status, run.verdicts, run.found("requirement", "path", "kind")[1]


def data(line: Line) -> bytes:
    return base64.b64decode(line["value"] or "")


def at(lines: list[Line], text: bytes) -> int:
    return next(n for n, line in enumerate(lines) if text in data(line))


def changed(folder: Path, name: str, change: Callable[[list[Line]], object]) -> None:
    change_lines(folder / f"{name}.jsonl", change)


def configured(folder: Path, name: str, *lines: str, without: str = "") -> None:
    path = folder / f"{name}.meta.json"
    meta = json.loads(path.read_text(encoding="utf-8"))
    meta["config"] = [line for line in meta["config"] if line != without] + list(lines)
    path.write_text(json.dumps(meta), encoding="utf-8")


def _lose(lines: list[Line], n: int) -> None:
    del lines[n]


def _repeat(lines: list[Line], n: int) -> None:
    lines.insert(n, lines[n])


@streams
@pytest.mark.parametrize(("change", "kind", "place"), [(_lose, "missing", "/after-"), (_repeat, "extra", "/")])
def test_a_statement_has_one_record(tmp_path, folder, name, protocol, requirement, text, change, kind, place) -> None:
    given = whole(folder, name, tmp_path)
    changed(given, name, lambda lines: change(lines, at(lines, text)))
    status, _, [(case, *finding)] = ran(given, protocol)
    assert (status, finding) == (1, [requirement, "ddl", kind])
    assert case.startswith(f"{name}{place}")


@pytest.mark.parametrize(
    ("stream", "option", "spared"),
    [
        (STREAMS[0], "canal.instance.filter.query.ddl=true", b'"type":"QUERY"'),
        (STREAMS[1], "include.schema.changes=false", b"no such thing"),
    ],
)
def test_a_producer_that_was_told_to_leave_statements_out_has_no_record_of_them(tmp_path, stream, option, spared):
    folder, name, protocol, requirement, _ = stream
    given = whole(folder, name, tmp_path)
    configured(given, name, option)
    assert {f[1:] for f in ran(given, protocol)[2]} == {(requirement, "ddl", "extra")}
    marks = (b'"isDdl":true', b'"ddl":')
    changed(given, name, lambda lines: _keep(lines, lambda d: spared in d or not any(mark in d for mark in marks)))
    assert ran(given, protocol)[::2] == (0, [])


def _keep(lines: list[Line], wanted: Callable[[bytes], bool]) -> None:
    lines[:] = [line for line in lines if wanted(data(line))]


def test_what_comes_after_the_end_of_a_recording_that_was_cut_short_is_not_missed(tmp_path: Path) -> None:
    folder, name, protocol, _, text = STREAMS[0]
    given = whole(folder, name, tmp_path)
    changed(given, name, lambda lines: lines.__delitem__(slice(at(lines, text), None)))
    path = given / f"{name}.meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "complete": False}), encoding="utf-8")
    assert ran(given, protocol)[::2] == (0, [])


# -- truncations -----------------------------------------------------------------------------------------------------

OP_T = b'"op":"t"'


@pytest.mark.parametrize("folder", TRUNCATED)
def test_a_truncation_is_judged(tmp_path: Path, folder: str) -> None:
    name = "mysql97_noschema"
    given = whole(folder, name, tmp_path)
    changed(given, name, lambda lines: change_bytes(lines[at(lines, OP_T)], b'"after":null', b'"after":{"id":1}'))
    status, verdicts, findings = ran(given, "debezium-connector")
    assert (status, [f[1:] for f in findings]) == (1, [("DBZ-044", "value.after", "json kind")])
    assert sorted({v["verdict"] for v in verdicts}) == ["fail", "pass"]  # the other truncations pass


def test_a_truncation_that_is_lost_or_there_twice_is_told(tmp_path: Path) -> None:
    folder, name = TRUNCATED[0], "mysql97_noschema"
    given = whole(folder, name, tmp_path)
    changed(given, name, lambda lines: _repeat(lines, at(lines, OP_T)))
    assert [f[1:] for f in ran(given, "debezium-connector")[2]] == [("DBZ-024", "truncation", "extra")]
    changed(given, name, lambda lines: _keep(lines, lambda d: OP_T not in d))
    assert [f[1:] for f in ran(given, "debezium-connector")[2]] == [("DBZ-024", "truncation", "missing")] * 2


def test_a_truncation_that_is_skipped_has_no_record_among_the_rows(tmp_path: Path) -> None:
    folder, name = TRUNCATED[1], "mysql97_noschema"
    given = whole(folder, name, tmp_path)
    configured(given, name, without="skipped.operations=none")
    assert [f[1:] for f in ran(given, "debezium-connector")[2]] == [("DBZ-024", "truncation", "extra")] * 2
    changed(given, name, lambda lines: _keep(lines, lambda d: OP_T not in d))
    assert ran(given, "debezium-connector")[::2] == (0, [])


# -- which statements ran --------------------------------------------------------------------------------------------

ONE = {"id": "1", "v": "1"}
CREATED = "create table t (id int, v int, primary key (id))"


def _hand(tmp_path: Path, sql: str) -> Path:
    script = f"use cap; {CREATED}; insert into t values (1, 1); {sql}"
    truth = [table(1), rows(2, 1, (None, ONE))]
    return written(tmp_path, "canal", script, truth, [canal_ddl(1, "CREATE", CREATED), canal(2, [ONE], ["id"])])


@pytest.mark.parametrize(
    ("sql", "verdicts"),
    [
        ("alter table t add column w int;", ["pass", "pass", "fail"]),
        ("alter table t add column v int;", ["pass", "pass"]),  # it fails
        ("set sql_log_bin = 0; alter table t add column w int;", ["pass", "pass"]),
        ("alter table before_it add column w int;", ["pass", "pass", "unsupported"]),
        ("create temporary table x (id int);", ["pass", "pass"]),
    ],
)
def test_a_statement_is_missed_where_the_server_ran_it(tmp_path: Path, sql: str, verdicts: list[str]) -> None:
    assert [v["verdict"] for v in ran(_hand(tmp_path, sql), "canal")[1]] == verdicts


@pytest.mark.parametrize("source", ["null", "3", "[]"])
def test_a_statement_without_a_readable_source_is_judged(tmp_path: Path, source: str) -> None:
    line = statement(1, CREATED)
    tree = json.loads(data(line)) | {"source": json.loads(source)}
    line["value"] = base64.b64encode(json.dumps(tree, separators=(",", ":")).encode()).decode()
    folder = written(tmp_path, "debezium-connector", f"use cap; {CREATED};", [table(1)], [line])
    status, _, findings = ran(folder, "debezium-connector")
    assert (status, [f[2] for f in findings if "source" in f[2]]) == (1, ["ddl.source"])


RUNS, FAILS, UNKNOWN = Outcome.RUNS, Outcome.FAILS, Outcome.UNKNOWN
STATEMENTS = [
    ("create table t (a int, b int)", RUNS),
    ("create table t (a int)", FAILS),
    ("create table if not exists t (a int)", RUNS),
    ("create table d (a int, `A` int)", FAILS),
    ("create table l like t", RUNS),
    ("create table m like nobody", UNKNOWN),
    ("create table q as select 1", RUNS),
    ("alter table q drop column anything", RUNS),
    ("alter table l drop column b, drop column b", FAILS),
    ("alter table l drop column b", RUNS),
    ("alter table l modify b int", FAILS),
    ("alter table l change a c bigint, add (d int, primary key (c))", RUNS),
    ("alter table l rename column c to e", RUNS),
    ("alter table l drop column if exists zz, drop primary key", RUNS),
    ("alter table l drop column e", RUNS),
    ("alter table nobody add column a int", UNKNOWN),
    ("create unique index i on t (a)", RUNS),
    ("drop index i on nobody", UNKNOWN),
    ("drop index i on", UNKNOWN),
    ("drop index i", UNKNOWN),
    ("rename table l to t", FAILS),
    ("alter table l rename to r", RUNS),
    ("rename table r to s2, l to x", UNKNOWN),
    ("truncate table s2", RUNS),
    ("truncate nobody", UNKNOWN),
    ("drop table t, nobody", UNKNOWN),
    ("drop table if exists t, nobody", RUNS),
    ("create table t (a int)", RUNS),
    ("create or replace table t (b int)", RUNS),
    ("alter table t add column b int", FAILS),
    ("create table u (a int)", RUNS),
    ("rename table t to v, u to v", FAILS),
    ("alter table t add column c int, rename to u", FAILS),
    ("alter table t add column c int", RUNS),
    ("create table w (a int, b int)", RUNS),
    ("alter table w rename column a to b, rename column b to a", RUNS),
    ("alter table w add column a bigint, drop column a", RUNS),
    ("alter table w rename column a to b, drop column b, add column a int", RUNS),
    ("alter table w change a b int", FAILS),
    ("alter table w add column c int, drop column c", FAILS),
    ("alter table w add column c int, modify c bigint first, drop column if exists zz", RUNS),
    ("alter table w add column if not exists (a int, d int)", RUNS),
    ("alter table w wait 5 drop column b", RUNS),
    ("alter table w nowait modify b int", FAILS),
    ("alter table if exists w modify d bigint", RUNS),
    ("rename table w wait 5 to x", RUNS),
    ("rename table if exists x nowait to y", RUNS),
    ("alter table y drop column a, drop column c", RUNS),
    ("alter table y modify c int", FAILS),
    ("create database other", RUNS),
    ("drop schema s", RUNS),
    ("truncate s2", UNKNOWN),
    ("create view v as select 1", UNKNOWN),
    ("alter table", UNKNOWN),
]


def test_statements_run_that_the_ones_before_make_possible() -> None:
    followed = DdlSimulator()
    assert [(sql, followed.run(sql, "s")) for sql, _ in STATEMENTS] == STATEMENTS
