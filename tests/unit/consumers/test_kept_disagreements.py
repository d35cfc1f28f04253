"""Answers of real consumers that their models once did not predict, one or two of a kind; `answers/` has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main
from conformance.consumers.agreement import agreements
from conformance.consumers.answers import read_answers
from conformance.consumers.captured import Captures
from conformance.consumers.unrun import UNRUN
from conformance.errors import UsageError

ANSWERS = sorted((Path(__file__).parent / "answers").glob("*.jsonl"))


@pytest.mark.parametrize("file", ANSWERS, ids=lambda file: file.stem)
def test_what_models_once_did_not_predict_they_predict(file: Path) -> None:
    [found], _ = agreements(read_answers(file.name, file.read_bytes(), Captures()))
    assert [(one.answer.place, one.answer.rows, one.prediction.rows) for one in found.disagreements] == []
    assert found.agreed + found.abstained == found.answers > 0


def test_consumers_that_were_not_run_are_listed_as_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "consumers"]) == 0
    printed = capsys.readouterr()
    for consumer, says in UNRUN.items():
        assert f"not run: {consumer} (read): {says}" in printed.out + printed.err


@pytest.mark.parametrize(
    ("rows", "words"),
    [([["+I", {"id": 5}]], "id: 5 is neither a text nor null"), ([["+X", {}]], "kind of a row '+X'"), ([["+I"]], "")],
)
def test_an_answer_with_rows_of_another_form_is_refused_by_its_line(rows: Any, words: str) -> None:
    lines = (Path(__file__).parent / "answers" / "flink-2.3.0.jsonl").read_bytes().splitlines()
    broken = json.dumps({**json.loads(lines[0]), "outcome": "rows", "rows": rows}).encode()
    with pytest.raises(UsageError, match="a, line 2: not an answer of a consumer") as refused:
        list(read_answers("a", lines[0] + b"\n" + broken, Captures()))
    assert words in str(refused.value)
