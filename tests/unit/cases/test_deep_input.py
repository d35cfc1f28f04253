"""Files and messages that are nested thousands deep are refused by their line, as any other malformed ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.cases.saved import load_case
from conformance.catalogue.workload import read_truth
from conformance.cli.inputs import read_tables
from conformance.consumers.answers import read_answers
from conformance.consumers.captured import Captures
from conformance.errors import UsageError
from reports.jsonl import read_record

DEEP = "[" * 100_000


READERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "tables": (read_tables, r"deep\.json, line 1"),
    "a saved case": (load_case, "nested too deeply"),
    "an answer of a consumer": (
        lambda path: [*read_answers("a", path.read_bytes(), Captures())],
        "a, line 1: not an answer",
    ),
    "a truth": (lambda path: read_truth(path.read_bytes(), "t"), "t: no truth of a workload: t, line 1"),
}


@pytest.mark.parametrize(("read", "words"), READERS.values(), ids=READERS)
def test_what_is_nested_too_deeply_is_refused(read: Callable[[Path], object], words: str, tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text(DEEP)
    with pytest.raises(UsageError, match=words):
        read(tmp_path / "deep.json")


def test_a_line_of_a_run_record_is_a_problem() -> None:
    events, problems = read_record([DEEP])
    assert (events, [problem.partition(":")[0] for problem in problems]) == ([], ["the record, line 1"])
