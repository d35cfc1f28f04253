"""Records of the connector are paired with the truth: a fault costs the records that have it, and no others."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cases.model import Case
from conformance.catalogue.recordings import Workloads, read_recordings
from conformance.oracle.upstream.alignment import Identity, align
from conformance.oracle.upstream.pairing import EMPTY_RECORD, RecordPair
from conformance.oracle.upstream.recordings import RecordingJudge, record_pairs
from reference_impl.protocols import UPSTREAM
from reference_impl.wire import record_to_json
from tests.slices import Line, change_bytes, change_lines, slice_of

TABLES = {"k_comp", "m_big", "x_tx"}
NAME = "mysql97_txmeta"


def findings(folder: Path, sql: str | None = None) -> list[tuple[str, str, str]]:
    """(case, path, kind) of everything that is wrong with the one recording of a folder."""
    [recording] = read_recordings(folder)
    found = record_pairs(recording, Workloads(folder).truth_of(recording), sql, UPSTREAM[recording.protocol])
    judge = RecordingJudge(recording.protocol, {place.id: place for place in found})
    wrong = []
    for place in found:
        if not place.reason:
            records = [] if place.got is None else [record_to_json(place.got)]
            judgement = judge.judge(Case(place.id, recording.protocol, "encode"), {"ok": {"records": records}})
            assert judgement.evaluated
            wrong += [(place.id.partition("/")[2], f.path, str(f.kind)) for f in judgement.findings]
    return wrong


def payload(line: Line) -> dict[str, object]:
    tree = json.loads(base64.b64decode(line["value"])) if line["value"] else {}
    return dict(tree.get("payload", tree))


def at(lines: list[Line], table: str, op: str | None, nth: int = 0) -> int:
    """The place of the nth record of a table and an operation; None is a tombstone."""
    of_table = [n for n, line in enumerate(lines) if line["topic"].endswith(f".{table}")]
    return [n for n in of_table if payload(lines[n]).get("op") == op][nth]


def remove(table: str, op: str | None, nth: int = 0) -> Callable[[list[Line]], None]:
    return lambda lines: lines.pop(at(lines, table, op, nth)) and None


def alter(table: str, op: str, old: bytes, new: bytes, nth: int = 0) -> Callable[[list[Line]], None]:
    return lambda lines: change_bytes(lines[at(lines, table, op, nth)], old, new)


def empty(table: str, op: str) -> Callable[[list[Line]], None]:
    return lambda lines: lines[at(lines, table, op)].update(value=None)


def rename_header(lines: list[Line]) -> None:
    line = next(line for line in lines if line.get("headers"))
    line["headers"][0][0] = "__debezium.otherkey"


def border(lines: list[Line], status: str) -> int:
    return next(n for n, line in enumerate(lines) if payload(line).get("status") == status)


def lose_border(lines: list[Line]) -> None:
    del lines[border(lines, "BEGIN")]


def alter_border(lines: list[Line]) -> None:
    line = lines[border(lines, "END")]
    change_bytes(line, b'"event_count":2}]', b'"event_count":3}]')


FAULTS: dict[str, tuple[str, Callable[[list[Line]], None], list[tuple[str, str]]]] = {
    "a lost row amid the rows of a statement": (NAME, remove("m_big", "c", 2), [("record", "missing")]),
    "a lost row at the end of a rows event": (NAME, remove("m_big", "c", 3), [("record", "missing")]),
    "a lost row at the beginning of a rows event": (NAME, remove("m_big", "c", 4), [("record", "missing")]),
    "a lost half of a change of the key": (NAME, remove("k_comp", "d"), [("record", "missing")]),
    "a position of its own": (NAME, alter("m_big", "u", b'"pos":', b'"pos":9', 1), []),
    "the number of another row": (
        NAME,
        alter("m_big", "c", b'"row":1', b'"row":2', 1),
        [("value.source.row", "value")],
    ),
    "another transaction than its neighbours": (
        NAME,
        alter("m_big", "c", b'"transaction":{"id":"', b'"transaction":{"id":"9', 1),
        [("value.transaction.id", "value")],
    ),
    "another place in its transaction": (
        NAME,
        alter("m_big", "c", b'"total_order":2', b'"total_order":3', 1),
        [("value.transaction.total_order", "value")],
    ),
    "another operation": (NAME, alter("m_big", "c", b'"op":"c"', b'"op":"r"'), [("value.op", "value")]),
    "another table": (
        NAME,
        alter("x_tx", "c", b'"table":"x_tx"', b'"table":"x_ty"'),
        [("value.source.table", "value")],
    ),
    "no value": (NAME, empty("m_big", "c"), [("value", "json kind")]),
    "a lost border of its transaction": (NAME, lose_border, [("record", "missing")]),
    "a border with another number of rows": (NAME, alter_border, [("value.data_collections[0].event_count", "value")]),
    "a lost tombstone": ("mysql97_noschema", remove("k_comp", None, 1), [("tombstone", "missing")]),
    "another header": (
        "mysql97_noschema",
        rename_header,
        [("headers.__debezium.newkey", "missing"), ("headers.__debezium.otherkey", "extra")],
    ),
}


@pytest.mark.parametrize(("name", "fault", "expected"), FAULTS.values(), ids=FAULTS)
def test_a_fault_costs_the_record_that_has_it_alone(
    tmp_path: Path, name: str, fault: Callable[[list[Line]], None], expected: list[tuple[str, str]]
) -> None:
    folder = slice_of("debezium24", name, TABLES, tmp_path)
    change_lines(folder / f"{name}.jsonl", fault)
    assert [(path, kind) for _, path, kind in findings(folder)] == expected


def test_a_schema_is_judged_by_the_column_that_a_field_describes(tmp_path: Path) -> None:
    folder = slice_of("debezium36", "mysql97_schema", {"k_comp"}, tmp_path)
    change_lines(folder / "mysql97_schema.jsonl", alter("k_comp", "c", b'{"type":"int32"', b'{"type":"int64"'))
    assert [(path, kind) for _, path, kind in findings(folder)] == [("value.schema.fields[0].fields[1].type", "value")]


def test_the_connector_keeps_not_null_where_the_statements_are_known(tmp_path: Path) -> None:
    folder = slice_of("debezium24", "mysql97_noschema", {"d_all"}, tmp_path)
    sql = "create table d_all (id int primary key, h bigint not null); alter table d_all change h h2 varchar(30);"
    assert [path for _, path, _ in findings(folder)] == ["value.after.h2"]
    # The slice has no records of statements, which are missed.
    assert {path for _, path, _ in findings(folder, f"use cap; {sql}")} == {"ddl"}


def test_a_snapshot_holds_what_the_workload_left(tmp_path: Path) -> None:
    folder = slice_of("debezium24", "mysql97_snapshot", {"t_int"}, tmp_path)
    change_lines(folder / "mysql97_snapshot.jsonl", remove("t_int", "r", 2))
    # Of the slice they are the first and the last of all; the row that is missing is counted in its place.
    assert findings(folder) == [
        ("156", "value.source.snapshot", "value"),
        ("after-157/missing-1", "record", "missing"),
        ("159", "value.source.snapshot", "value"),
    ]


@pytest.mark.parametrize(
    ("protocol", "pair", "requirement"),
    [
        ("canal", RecordPair("x", None, EMPTY_RECORD), "CJ-901"),
        ("canal", RecordPair("x", EMPTY_RECORD), "CJ-901"),
        ("debezium-connector", RecordPair("x", None, EMPTY_RECORD), "DBZ-251"),
        ("debezium-connector", RecordPair("x", None, EMPTY_RECORD, what="tombstone"), "DBZ-022"),
    ],
)
def test_a_lost_record_is_a_tombstone_only_where_a_tombstone_is_expected(
    protocol: str, pair: RecordPair, requirement: str
) -> None:
    records = [] if pair.got is None else [record_to_json(pair.got)]
    judgement = RecordingJudge(protocol, {"x": pair}).judge(Case("x", protocol, "encode"), {"ok": {"records": records}})
    assert [finding.requirement for finding in judgement.findings] == [requirement]


# -- alignment ---------------------------------------------------------------------------------------------------------

Pairs = list[tuple[int | None, int | None]]


def identities(*keys: str) -> list[Identity]:
    return [Identity("s", "t", "c", key, f"row {key}") for key in keys]


ROWS = identities(*(str(n) for n in range(8)))
UNREAD = Identity(None, None, None, None, None)


def together(*, lost: int | None = None, extra: int | None = None) -> Pairs:
    """The pairs of eight rows of which one was lost, or stands twice."""
    pairs: Pairs = []
    got = 0
    for n in range(8):
        pairs.append((n, None if n == lost else got))
        got += n != lost
        if n == extra:
            pairs.append((None, got))
            got += 1
    return pairs


def test_equal_sides_are_paired_one_by_one() -> None:
    assert align(ROWS, ROWS) == together()


@pytest.mark.parametrize("n", range(8))
def test_a_lost_record_costs_itself_alone(n: int) -> None:
    assert align(ROWS, [*ROWS[:n], *ROWS[n + 1 :]]) == together(lost=n)


@pytest.mark.parametrize("n", range(8))
def test_a_repeated_record_costs_itself_alone(n: int) -> None:
    paired = align(ROWS, [*ROWS[: n + 1], *ROWS[n:]])
    assert sum(got is None for _, got in paired) == 0
    assert [expected for expected, _ in paired if expected is not None] == list(range(8))


DAMAGES = {
    "another value": lambda identity: replace(identity, body="other"),
    "another key": lambda identity: replace(identity, key="9", body="other"),
    "another table": lambda identity: replace(identity, table="u"),
    "another operation": lambda identity: replace(identity, op="d"),
    "nothing to be read": lambda identity: UNREAD,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("n", [0, 3, 7])
def test_a_damaged_record_is_paired_with_what_it_was(damage: object, n: int) -> None:
    assert callable(damage)
    assert align(ROWS, [*ROWS[:n], damage(ROWS[n]), *ROWS[n + 1 :]]) == together()


def test_a_record_of_another_table_is_paired_with_nothing() -> None:
    other = Identity("s", "u", "c", "1", "row of u")
    assert align(identities("1"), [other]) in ([(None, 0), (0, None)], [(0, None), (None, 0)])


def test_of_repeated_changes_of_one_row_the_contents_tell_which_was_lost() -> None:
    rows = [Identity("s", "t", "u", "1", f"version {n}") for n in range(6)]
    assert align(rows, [*rows[:3], *rows[4:]]) == [(0, 0), (1, 1), (2, 2), (3, None), (4, 3), (5, 4)]


def test_long_streams_are_cut_where_both_sides_are_equal() -> None:
    rows = identities(*(str(n) for n in range(1200)))
    got = [row for n, row in enumerate(rows) if n % 200 != 100]
    lost = [expected for expected, other in align(rows, got) if other is None]
    assert lost == [100, 300, 500, 700, 900, 1100]
