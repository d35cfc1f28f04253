"""A saved run as it is read: by implementation and case, with its answers; what is broken is named by its line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.reports import rendered
from conformance.cli.run_folder import keeping, open_folder
from conformance.engine import run_suite
from conformance.engine.answers import answer_digest, answer_text
from reports import RENDERERS, TerminalRenderer
from reports.saved import ANSWERS, RECORD, SavedRun, SeveralRunsError, open_run
from reports.saved_answers import SavedAnswers, WrittenAnswers
from tests.toy import Toy, case, config, target

WORDS = {"a": "ok", "b": "T-1", "c": "crash", "d": "ok", "e": "unsupported", "f": "rejected", "g": "error"}


def saved(out: Path, words: dict[str, Any] | None = None) -> SavedRun:
    """A run of the toy, saved in a folder and read again."""
    words = words or WORDS
    asked = config(target(Toy(words), [case(name) for name in words]))
    with open_folder({"out": str(out), "report": ()}) as folder:
        assert folder is not None
        run_suite(keeping(asked, folder), [folder.handle])
    return open_run(out)


def test_a_folder_has_the_record_that_a_sink_is_told(tmp_path: Path) -> None:
    told: list[Any] = []
    run_suite(config(target(Toy(WORDS), [case(name) for name in WORDS])), [told.append])
    assert [json.loads(line) for line in (tmp_path / saved(tmp_path).path / RECORD).open(encoding="utf-8")] == told


def test_verdicts_are_found_by_protocol_role_and_case_and_answers_by_verdict(tmp_path: Path) -> None:
    run = saved(tmp_path)
    given = {name: run.answer_of(run.iuts["toy"].verdicts["toy", "encode", f"toy/{name}"]) for name in WORDS}
    record = {"records": [{"key": None, "value": "b2s="}]}
    assert given["a"] == given["d"] == {"ok": record}
    assert given["c"] is None
    assert given["e"] == {"unsupported": "cannot"}
    assert given["f"] == {"rejected": {"class": "range", "message": "no"}}
    assert given["g"] == {"error": "cannot"}
    assert list(run.iuts) == ["toy"]
    assert run.end is not None
    assert run.problems == []


def test_the_answer_that_several_cases_have_is_kept_once_in_the_order_of_the_first_of_them(tmp_path: Path) -> None:
    run = saved(tmp_path)
    lines = gzip.decompress((tmp_path / ANSWERS).read_bytes()).splitlines()
    kept = [json.loads(line)["sha256"] for line in lines]
    named = [verdict["answer"] for verdict in run.iuts["toy"].verdicts.values() if verdict["answer"]]
    assert kept == list(dict.fromkeys(named))
    assert len(named) == len(kept) + 1


def test_a_verdict_names_its_answer_whether_answers_are_kept_or_not(tmp_path: Path) -> None:
    events: list[Any] = []
    run_suite(config(target(Toy(WORDS), [case(name) for name in WORDS])), [events.append])
    there = {e["case"]: e["answer"] for e in events if e["event"] == "verdict"}
    assert there == {verdict["case"]: verdict["answer"] for verdict in saved(tmp_path).iuts["toy"].verdicts.values()}


def test_an_answer_is_the_same_whatever_the_order_of_its_members() -> None:
    one, other = answer_text("ok", {"a": 1, "b": {"c": 2, "d": 3}}), answer_text("ok", {"b": {"d": 3, "c": 2}, "a": 1})
    assert one == other
    assert answer_digest(one) != answer_digest(answer_text("rejected", {"a": 1, "b": {"c": 2, "d": 3}}))


@pytest.mark.parametrize("payload", ["\ud800", 2**70, {"deep": "x"}])
def test_every_answer_has_a_text(payload: Any) -> None:
    assert json.loads(answer_text("ok", payload)) == {"ok": payload}


def test_broken_lines_and_a_missing_end_are_named_and_hide_nothing_else(tmp_path: Path) -> None:
    whole = saved(tmp_path)
    lines = (tmp_path / RECORD).read_bytes().splitlines(keepends=True)
    broken = next(i for i, line in enumerate(lines) if b'"case":"toy/d"' in line)
    lines[broken] = lines[broken][:40] + b"\n"
    (tmp_path / RECORD).write_bytes(b"".join(lines[:-1]))
    run = open_run(tmp_path)
    assert sorted(set(whole.iuts["toy"].verdicts) - set(run.iuts["toy"].verdicts)) == [("toy", "encode", "toy/d")]
    assert run.end is None
    assert f"line {broken + 1}: not JSON" in run.problems[0]
    assert "there is no 'end' event" in run.problems[1]


def many(number: int) -> bytes:
    out = io.BytesIO()
    answers = WrittenAnswers(out)
    for i in range(number):
        answers.keep(f"{i:032x}", answer_text("ok", {"n": i}))
    answers.flush()
    return out.getvalue()


def test_each_of_many_answers_is_found(tmp_path: Path) -> None:
    (tmp_path / ANSWERS).write_bytes(many(1000))
    answers = SavedAnswers(tmp_path / ANSWERS)
    assert [answers.answer(f"{i:032x}") for i in range(1000)] == [{"ok": {"n": i}} for i in range(1000)]
    assert answers.answer("f" * 32) is None
    assert answers.problem == ""


def test_of_a_file_of_answers_that_was_cut_the_beginning_is_read(tmp_path: Path) -> None:
    (tmp_path / ANSWERS).write_bytes(many(1000)[:-50])
    answers = SavedAnswers(tmp_path / ANSWERS)
    found = [digest for digest, _ in answers]
    assert found == [f"{i:032x}" for i in range(len(found))]
    assert len(found) > 900
    assert "was cut" in answers.problem


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"no answer", "line 1 of the member at byte 0 is not an answer"),
        (b'{"sha256":"ff"}', "line 1 of the member at byte 0 is not an answer"),
        (b'{"sha256":"ff","answer":{"ok"}', "the answer ff is not JSON"),
    ],
)
def test_an_unreadable_answer_is_named_and_hides_no_other(tmp_path: Path, line: bytes, problem: str) -> None:
    (tmp_path / ANSWERS).write_bytes(gzip.compress(line + b"\n") + many(40))
    answers = SavedAnswers(tmp_path / ANSWERS)
    assert answers.answer("ff") is None
    assert [answers.answer(f"{i:032x}") for i in range(40)] == [{"ok": {"n": i}} for i in range(40)]
    assert problem in answers.problem


def test_a_record_without_a_folder_has_verdicts_and_no_answers(tmp_path: Path) -> None:
    saved(tmp_path / "out")
    (tmp_path / "run.jsonl").write_bytes((tmp_path / "out" / RECORD).read_bytes())
    run = open_run(tmp_path / "run.jsonl")
    assert run.iuts["toy"].verdicts.keys() == open_run(tmp_path / "out").iuts["toy"].verdicts.keys()
    assert run.answer_of(run.iuts["toy"].verdicts["toy", "encode", "toy/a"]) is None


def without(out: Path, *cases: str, twice: str = "") -> SavedRun:
    """A saved run whose record has lost the verdicts of cases, or has one twice."""
    lines = (out / RECORD).read_text(encoding="utf-8").splitlines()
    lines = [x for x in lines if not any(x.startswith('{"event":"verdict"') and f'"toy/{c}"' in x for c in cases)]
    lines = [x for line in lines for x in [line] * (1 + bool(twice and f'"case":"toy/{twice}"' in line))]
    (out / RECORD).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return open_run(out)


@pytest.mark.parametrize(
    ("cases", "twice", "words"),
    [
        (["a", "b"], "", "toy: 2 of its verdicts are missing"),
        ([], "a", "toy: 1 verdict more than its end counts"),
        (["b"], "a", "toy: 1 verdict is other than its end counts, or missing"),
    ],
)
def test_a_record_whose_verdicts_are_not_those_that_its_end_counts_has_no_end(cases, twice, words, tmp_path) -> None:
    assert saved(tmp_path).end is not None
    run = without(tmp_path, *cases, twice=twice)
    assert run.end is None
    assert all(event["event"] != "end" for event in run.events)
    assert words in " ".join(run.problems)


def test_a_record_with_a_broken_line_has_no_end_even_where_no_verdict_is_lost(tmp_path: Path) -> None:
    saved(tmp_path)
    lines = (tmp_path / RECORD).read_bytes().splitlines(keepends=True)
    (tmp_path / RECORD).write_bytes(b"".join([*lines[:-1], b'{"event":"note"', b"\n", lines[-1]]))
    run = open_run(tmp_path)
    assert (run.end, len(run.problems)) == (None, 1)


def test_two_runs_in_one_file_are_refused(tmp_path: Path) -> None:
    saved(tmp_path)
    (tmp_path / RECORD).write_bytes((tmp_path / RECORD).read_bytes() * 2)
    with pytest.raises(SeveralRunsError, match="two runs in one file; use report merge"):
        open_run(tmp_path)


def test_a_record_with_one_implementation_twice_is_refused_with_the_way_out(tmp_path: Path) -> None:
    saved(tmp_path)
    first, *others = (tmp_path / RECORD).read_bytes().splitlines(keepends=True)
    (tmp_path / RECORD).write_bytes(b"".join([first, *others, *others]))
    with pytest.raises(SeveralRunsError, match=r"'toy' twice.*save each run in its own file, or use report merge"):
        open_run(tmp_path)


@pytest.mark.parametrize("kind", ["terminal", "html", "junit", "markdown", "badge", "sarif"])
def test_every_report_says_why_a_damaged_record_is_shown_as_one_that_was_cut(tmp_path: Path, kind: str) -> None:
    saved(tmp_path)
    record = tmp_path / RECORD
    lines = record.read_text(encoding="utf-8").splitlines()
    gone = next(i for i, line in enumerate(lines) if json.loads(line)["event"] == "verdict")
    record.write_text("\n".join([*lines[:gone], *lines[gone + 1 :]]) + "\n", encoding="utf-8")
    run = open_run(tmp_path)
    made = {"terminal": TerminalRenderer, **RENDERERS}[kind]
    text = " ".join(rendered(made, run.events).split())
    assert "passing" not in text
    if kind != "badge":  # it has room for a word
        assert "its verdicts" in text
