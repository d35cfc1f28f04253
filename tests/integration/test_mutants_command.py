"""`mutants` from the command line: its exit statuses, its reports, and a mutant as an implementation."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.faults import load_faults
from conformance.cli import mutants, serve_reference
from conformance.cli.main import main
from conformance.errors import SuiteError
from conformance.mutants import mutant_named
from conformance.mutants.matrix import MutantResult, Outcome
from conformance.mutants.model import Mutant
from conformance.mutants.parallel import fault_proofs, matrix_results
from tests.unit.mutants.few_cases import BREAKS_MORE, DIES, golden, killed, survived

Said = pytest.CaptureFixture[str]


def with_results(monkeypatch: pytest.MonkeyPatch, *results: MutantResult | BaseException) -> None:
    """The matrix yields these results, and raises a result that is an exception."""

    def matrix(chosen: Sequence[Mutant], processes: int, limit: int) -> Iterator[MutantResult]:
        for result in results:
            if isinstance(result, BaseException):
                raise result
            yield result

    monkeypatch.setattr(mutants, "matrix_results", matrix)


def run(
    folder: Path, *arguments: str, select: str = f"{DIES[:-1]}? or {BREAKS_MORE[:-1]}?"
) -> tuple[int, dict[str, Any]]:
    """The exit status, and the JSON report."""
    file = folder / "matrix.json"
    status = main(["mutants", "-k", select, "--report", f"json={file}", *arguments])
    return status, json.loads(file.read_text(encoding="utf-8"))


def result_of(outcome: Outcome) -> MutantResult:
    return MutantResult(mutant_named(BREAKS_MORE), outcome, cases=3, witness="canal-json/golden/2", also=("CJ-010",))


STATUSES: dict[str, tuple[Sequence[MutantResult | BaseException], int]] = {
    "all are killed": ([killed(DIES), killed(BREAKS_MORE)], 0),
    "one survives": ([killed(DIES), survived(BREAKS_MORE)], 1),
    "one is killed for another reason": ([killed(DIES), result_of(Outcome.ANOTHER_REASON)], 1),
    "one never differs": ([survived(DIES), result_of(Outcome.EQUIVALENT)], 3),
    "one has no case": ([survived(DIES), result_of(Outcome.NO_CASE)], 3),
    "it is interrupted": ([survived(DIES), KeyboardInterrupt()], 2),
    "the suite is at fault": ([killed(DIES), SuiteError("the fixture is wrong")], 3),
    "something breaks down": ([killed(DIES), KeyError("no such thing")], 3),
}


@pytest.mark.parametrize(("results", "status"), STATUSES.values(), ids=STATUSES)
def test_the_exit_status_is_that_of_the_worst_and_stands_in_the_report(results, status, tmp_path, monkeypatch, capsys):
    with_results(monkeypatch, *results)
    got, record = run(tmp_path)
    assert (got, record["exit"]) == (status, status)
    assert f"(exit {status})" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize("end", [KeyboardInterrupt(), SuiteError("the fixture is wrong")], ids=["ctrl-c", "fault"])
def test_every_report_of_a_matrix_that_was_cut_is_whole(end: BaseException, tmp_path, monkeypatch, capsys) -> None:
    with_results(monkeypatch, killed(DIES), end)
    page, table = tmp_path / "m.html", tmp_path / "m.md"
    _, record = run(tmp_path, "--report", f"html={page}", "--report", f"markdown={table}")
    word = "interrupted" if isinstance(end, KeyboardInterrupt) else "the fixture is wrong"
    assert (record["totals"]["killed"], record["totals"]["not run"]) == (1, 1)
    assert word in record["message"]
    assert page.read_text(encoding="utf-8").endswith("</html>\n")
    assert word in table.read_text(encoding="utf-8")
    assert "Traceback" not in capsys.readouterr().err


def test_a_survivor_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Said) -> None:
    with_results(monkeypatch, killed(DIES), survived(BREAKS_MORE))
    run(tmp_path)
    out = capsys.readouterr().out
    replay = f"replay 89abcdef-encode --iut 'cmd:ticdc-conformance serve-reference --mutant {BREAKS_MORE}'"
    assert [w for w in ("SURVIVED", "sharpen a rule of CJ-030a", replay, "in doubt: 0 of 1") if w not in out] == []


def test_a_mutant_that_other_requirements_find_is_told_with_them_in_every_report(monkeypatch, tmp_path, capsys) -> None:
    with_results(monkeypatch, killed(DIES), result_of(Outcome.ANOTHER_REASON))
    page, table = tmp_path / "m.html", tmp_path / "m.md"
    _, record = run(tmp_path, "--report", f"html={page}", "--report", f"markdown={table}")
    assert {m["mutant"]: m["also"] for m in record["mutants"]} == {DIES: [], BREAKS_MORE: ["CJ-010"]}
    for text in (capsys.readouterr().out, page.read_text(encoding="utf-8"), table.read_text(encoding="utf-8")):
        assert re.search(r"found by +CJ-010", text, re.IGNORECASE)


def test_a_must_that_nothing_proves_is_red(monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    monkeypatch.setattr(mutants, "all_mutants", lambda: (mutant_named(DIES),))
    monkeypatch.setattr(mutants, "load_faults", lambda: ())
    with_results(monkeypatch, killed(DIES))
    assert main(["mutants"]) == 1
    assert "MUST   no proof" in capsys.readouterr().out


def test_a_fault_that_its_requirement_is_not_shown_by_first_is_red_and_says_what_to_run(monkeypatch, capsys, tmp_path):
    known = next(fault for fault in load_faults() if "canal-json/golden/" in fault.case)
    monkeypatch.setattr(mutants, "load_faults", lambda: (replace(known, requirement="CJ-501"),))
    monkeypatch.setattr(mutants, "fault_proofs", partial(fault_proofs, cases_of=golden))
    with_results(monkeypatch, killed(DIES), killed(BREAKS_MORE))
    status, record = run(tmp_path, select="CJ-501")
    out = capsys.readouterr().out
    assert (status, record["faults"][0]["outcome"], record["faults"][0]["shown"]) == (
        1,
        "not shown first",
        known.requirement,
    )
    assert [w for w in ("NOT SHOWN FIRST  CJ-501", "python tools/faults_page.py", "gate red") if w not in out] == []


NOTHING = {
    "a name that is misspelled": ("canal-json/old-nulk", f"did you mean {DIES}"),
    "a requirement in lower case": ("cj-501x", "did you mean CJ-501"),
    "what is like nothing": ("zzzzzz", "nothing matches 'zzzzzz'"),
    "terms that never meet": ("avro and canal-json", "no mutant or generated fault was selected"),
}


@pytest.mark.parametrize(("select", "words"), NOTHING.values(), ids=NOTHING)
def test_nothing_selected_is_told_with_the_nearest_names(select: str, words: str, capsys: Said, tmp_path: Path) -> None:
    report = tmp_path / "m.json"
    report.write_text("old", encoding="utf-8")
    assert main(["mutants", "-k", select, "--report", f"json={report}"]) == 5
    said = capsys.readouterr().err
    assert words in said
    assert "list mutants" in said
    assert report.read_text(encoding="utf-8") == "old"


COMMANDS: dict[str, list[str]] = {
    "mutants": ["mutants", "--report", "json={0}", "--report", "markdown={1}"],
    "run": ["run", "--protocol", "avro", "--report", "jsonl={0}", "--report", "junit={1}"],
}
SAME: dict[str, Callable[[Path], Path]] = {
    "one name": lambda file: file,
    "another way to it": lambda file: file.parent / "deep" / ".." / file.name,
    "a link": lambda file: file.with_name("link"),
}


@pytest.mark.parametrize("same", SAME.values(), ids=SAME)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_two_reports_into_one_file_are_refused_before_it_is_touched(command, same, tmp_path, capsys) -> None:
    file = tmp_path / "report"
    file.write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to(file)
    assert main([word.format(file, same(file)) for word in command]) == 4
    assert "give each its own file" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "old"


def test_the_matrix_counts_defects_and_reports_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr(mutants, "matrix_results", partial(matrix_results, cases_of=golden))
    table, data = tmp_path / "m.md", tmp_path / "m.json"
    chosen = ["-k", "canal-json/table-i?", "-n", "1", "--cases", "2"]
    assert main(["mutants", *chosen, "--report", f"markdown={table}", "--report", f"json={data}"]) == 0
    assert "historical defects: 1 killed, 0 survived" in capsys.readouterr().out
    assert "| CJ-18 |" in table.read_text(encoding="utf-8")
    assert json.loads(data.read_text(encoding="utf-8"))["mutants"][0]["history"] == ["CJ-18"]


# -- mutants one by one --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "name"), [([], "reference (classic)"), (["--profile", "doc"], "reference (doc)")]
)
def test_a_mutant_is_served_in_the_style_it_is_judged_under_unless_told_otherwise(arguments, name, monkeypatch) -> None:
    hello: list[Any] = []
    monkeypatch.setattr(serve_reference, "serve", lambda answer: hello.append(answer({"id": 1, "op": "hello"})))
    # Those off by one generation answer in the name of the other one.
    classic = next(m.name for m in mutants.all_mutants() if m.profile == "classic" and "-for-" not in m.name)
    assert main(["serve-reference", "--mutant", classic, *arguments]) == 0
    assert hello[0]["ok"]["name"] == name
