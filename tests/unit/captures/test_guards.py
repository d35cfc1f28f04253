"""What is wrong with the suite at one record costs that record, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.captures.judge import CaptureJudge
from conformance.cli.main import main
from differential.counts import Counts
from differential.decode.changes import ChangeReader
from differential.decode.slim import Kind, slim_rows
from differential.sides import Side
from reference_impl.model import Record
from reference_impl.wire import record_to_json
from tests.unit.captures.given import row_vector


def test_a_fault_of_the_suite_is_one_suite_error_and_all_other_records_are_judged(tmp_path, monkeypatch, capsys):
    records = row_vector().records or ()
    path, report = tmp_path / "records.jsonl", tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(record_to_json(one)) + "\n" for one in records), encoding="utf-8")
    judge = CaptureJudge._judge_record

    def broken(self: Any, place: Any, record: Record) -> Any:
        return {}["gone"] if place.line == 2 else judge(self, place, record)

    monkeypatch.setattr(CaptureJudge, "_judge_record", broken)
    given = ["--protocol", "canal-json", "--records", str(path), "--report", f"jsonl={report}"]
    assert main(["check-capture", *given]) == 3
    events = [json.loads(line) for line in report.read_bytes().splitlines()]
    found = [(event["verdict"], event["case"]) for event in events if event["event"] == "verdict"]
    assert [verdict for verdict, _ in found] == ["pass", "suite_error", *["pass"] * (len(records) - 2)]
    assert f"{path}, line 2, byte " in found[1][1]
    said = " ".join(capsys.readouterr().out.split())
    assert "the suite failed: KeyError: 'gone' (test_guards.py, line " in said
    assert "report it with this record" in said


def test_a_message_at_which_the_suite_fails_is_one_row_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = ChangeReader(Side("left", "canal-json"))

    def read(record: Record) -> Any:
        yield 1 / 0

    monkeypatch.setattr(reader, "read", read)
    [row] = slim_rows(reader, 1, Record(None, b"{}", partition=2, topic="t", offset=3))
    assert (row[4:8], row[9]) == ((1, "t", 2, 3), Kind.SUITE_ERROR)


def test_failures_of_parts_add_up_and_survive_the_way_between_processes() -> None:
    told = ("left", "", "", "", "t", 0, 1, "the suite failed")
    one, other = Counts(), Counts()
    one.fail(0, told)
    other.fail(0, (*told[:6], 2, told[7]))
    one.add(Counts.from_json(other.to_json()))
    assert (one.control[0, "suite errors"], [error[6] for error in one.suite_errors]) == (2, [1, 2])


WRONG = {
    "a topic that is a list": ('"topic": ["x"]', "'topic' is not a string"),
    "a partition with a fraction": ('"partition": 1.5', "'partition' is not a whole number"),
    "a partition beyond 31 bits": ('"partition": 2147483648', "'partition' is not between 0 and 2147483647"),
    "a negative offset": ('"offset": -1', "'offset' is not between"),
    "a topic with half a character": ('"topic": "\\ud800"', "topic is not Unicode"),
    "a deep line": ('"topic": ' + "[" * 100_000, "nested too deeply"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_member_of_a_line_that_kafka_does_not_have_makes_it_a_broken_line(wrong: str) -> None:
    from conformance.captures.lines import split_lines
    from conformance.captures.readers import read_lines

    member, problem = WRONG[wrong]
    [found] = read_lines("jsonl", split_lines([f'{{"key": null, "value": null, {member}}}'.encode()]), "f")
    assert (found.record, found.is_ours) == (None, False)
    assert problem in str(found.problem)


def test_a_finding_about_a_value_that_is_nested_deeply_is_still_reported() -> None:
    from conformance.engine.shown import shown_values

    deep: Any = []
    for _ in range(900):
        deep = [deep]
    assert shown_values([[1]], deep) == ([[1]], "… (nested more than 100 levels deep)")
