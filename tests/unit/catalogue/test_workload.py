"""The truth of a workload: its values, types, defaults and times, and lines that cannot be read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import files_of
from conformance.catalogue.workload import Change, Truth, column_type, read_truth
from conformance.errors import UsageError
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.model import Expression, Index
from reference_impl.zones import zone_of
from tests.unit.catalogue.workload_truths import ID, column, rows_line, truth_of

RECORDED = fixtures_root() / "recorded"


def only(truth: Truth) -> Change:
    [change] = truth.changes
    return change


def test_the_shipped_truths_can_be_read_whole() -> None:
    files = files_of(RECORDED / "workload")
    truths = {name: read_truth(data, name) for name, data in files.items() if name.startswith("truth-")}
    assert {name: truth.problems for name, truth in truths.items() if truth.problems} == {}
    # A line of a rows event has one row or more; these are the rows.
    assert {name: len(truth.changes) for name, truth in truths.items()} == {
        "truth-mariadb1011.jsonl": 241,
        "truth-mysql97.jsonl": 242,
        "truth-mysql97-extra_mysql.jsonl": 12,
        "truth-mysql97-extra_rowimage.jsonl": 9,
        "truth-mysql97-extra_vector.jsonl": 4,
    }


VALUES = [
    ("enum('a','b')", {"index": "0"}, Index(0)),
    ("enum('it''s','\\\\')", "\\", "\\"),
    ("""enum("it''s" , "a""b  ")""", 'a"b', 'a"b  '),
    ("binary(4)", "YWIAAA==", b"ab\0\0"),
    ("geometry", "AAAAAAEBAAAA", bytes.fromhex("000000000101000000")),
    ("vector(3)", {"opaque": "vec:[1.0, 2.5, -3.0]"}, "[1,2.5,-3]"),
    ("json", '{"dup": 1, "dup": 2}', '{"dup": 1, "dup": 2}'),
    ("int4 unsigned", "4294967295", "4294967295"),
    ("enum('x  ','y')", "x", "x  "),
    ("set('x ','y')", "x,y", "x ,y"),
]


@pytest.mark.parametrize(("type_", "given", "read"), VALUES, ids=[v[0] for v in VALUES])
def test_values_of_a_truth_are_values_of_the_model(type_: str, given: Any, read: Any) -> None:
    change = only(truth_of([ID, column("c", type_)], {"id": "1", "c": given}))
    assert change.after is not None
    assert change.after["c"] == read


def test_a_character_column_of_charset_binary_holds_the_bytes_of_its_text() -> None:
    change = only(truth_of([ID, column("c", "varchar(20)", charset="binary")], {"id": "1", "c": "é"}))
    assert change.after == {"id": "1", "c": b"\xc3\xa9"}


def test_a_default_is_the_text_of_the_statement() -> None:
    columns = [ID, column("c", "int", default={"sql": "- 7"}), column("d", "int", default=None)]
    table = only(truth_of(columns, {"id": "1"})).table
    assert [c.default for c in table.columns[1:]] == [Expression("- 7"), None]


def test_the_time_of_a_statement_has_the_fraction_of_its_column() -> None:
    columns = [ID, column("d", "datetime"), column("f", "timestamp(3)")]
    change = only(truth_of(columns, {"id": "1", "d": {"now": True}, "f": {"now": True}}))
    now = datetime(2024, 2, 29, 12, 34, 56, 789123, UTC)
    event = change.event(now=dict.fromkeys(change.now, now), zone=zone_of("+08:00"))
    assert event.after == {"id": "1", "d": "2024-02-29 12:34:56", "f": "2024-02-29 20:34:56.789"}


def test_timestamps_are_told_in_utc_and_read_in_the_zone_of_a_session() -> None:
    change = only(
        truth_of(
            [ID, column("t", "timestamp"), column("z", "timestamp")],
            {"id": "1", "t": "2024-01-01 00:00:00", "z": "0000-00-00 00:00:00"},
        )
    )
    event = change.event(zone=zone_of("Asia/Shanghai"))
    assert event.after == {"id": "1", "t": "2024-01-01 08:00:00", "z": "0000-00-00 00:00:00"}


SPELLINGS = [
    ("serial", Family.BIGINT),
    ("char varying(6)", Family.VARCHAR),
    ("char byte", Family.BINARY),
    ("long varbinary", Family.MEDIUMBLOB),
    ("nchar varying(3)", Family.VARCHAR),
    ("Double Precision", Family.DOUBLE),
    ("middleint", Family.MEDIUMINT),
    ("national character varying(5)", Family.VARCHAR),
]


@pytest.mark.parametrize(("text", "family"), SPELLINGS, ids=[s[0] for s in SPELLINGS])
def test_types_are_read_as_a_statement_spells_them(text: str, family: Family) -> None:
    read = column_type(text)
    assert (read.family, read.text) == (family, text)


def test_a_text_that_is_no_type_is_refused() -> None:
    with pytest.raises(Rejected):
        column_type("nonsense(3)")


BROKEN = {
    "no JSON": "not json",
    "another kind": '{"kind": "other"}',
    "an unknown table version": json.dumps(rows_line(1, "I", None, {"id": "1"})).replace('version": 1', 'version": 9'),
    "a value that is none": json.dumps(rows_line(1, "I", None, {"id": 5})),
    "a statement without a number": json.dumps(rows_line(1, "I", None, {"id": "5"}) | {"statement": "1"}),
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_line_that_cannot_be_read_is_a_problem_that_names_its_place(line: str) -> None:
    table = {"kind": "table", "version": 1, "table": {"schema": "s", "name": "t", "columns": [ID]}}
    truth = read_truth(f"{json.dumps(table)}\n{line}\n".encode(), "x.jsonl")
    assert [p.partition(":")[0] for p in truth.problems] == ["x.jsonl, line 2"]


def test_a_file_without_a_line_of_a_truth_is_none() -> None:
    with pytest.raises(UsageError, match="no truth of a workload"):
        read_truth(b"{}\n", "x.jsonl")
