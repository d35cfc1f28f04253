"""Files and messages that are nested thousands deep are refused by their line, as any other malformed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.catalogue.workload import read_truth
from conformance.cli.inputs import read_tables
from conformance.consumers.answers import read_answers
from conformance.consumers.captured import Captures
from conformance.errors import UsageError
from reports.jsonl import read_record

DEEP = "[" * 100_000


def test_a_file_of_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text(DEEP)
    with pytest.raises(UsageError, match=r"tables\.json, line 1"):
        read_tables(tmp_path / "tables.json")


def test_an_answer_of_a_consumer_is_refused() -> None:
    with pytest.raises(UsageError, match="a, line 1: not an answer"):
        list(read_answers("a", DEEP.encode(), Captures()))


def test_a_truth_is_refused() -> None:
    with pytest.raises(UsageError, match="t: no truth of a workload: t, line 1"):
        read_truth(DEEP.encode(), "t")


def test_a_line_of_a_run_record_is_a_problem() -> None:
    events, problems = read_record([DEEP])
    assert (events, [problem.partition(":")[0] for problem in problems]) == ([], ["the record, line 1"])
