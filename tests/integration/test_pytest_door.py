"""`pytest --ticdc-iut`: the same verdicts and exit status as `run`, and pytest's own options at work."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.cases.golden import golden_cases
from conformance.cli.main import main
from conformance.pytest_run import Judged
from reference_impl.profiles import NEWARCH

ROOT = Path(__file__).resolve().parents[2]
SELECT = "encode-0 or canal-json/golden/0*"

# The reference, but for the cases named: it breaks, dies, or refuses with a class of its own; and it lacks a type.
_HARNESS = f"""
import json, os, sys
sys.path.insert(0, {str(ROOT)!r})
from conformance.reference_harness import ReferenceHarness

broken, deadly, seen = sys.argv[1], sys.argv[2], open(sys.argv[3], "a", buffering=1)
harness = ReferenceHarness(protocols=["canal-json"])
for line in sys.stdin:
    request = json.loads(line)
    if request.get("case"):
        print(request["case"], file=seen)
    if request.get("case") == deadly:
        os._exit(3)
    answer = harness.answer(request)
    if request["op"] == "hello":
        types = ["tinyint", "smallint", "mediumint", "int", "bigint", "varchar", "char", "date", "timestamp"]
        answer["ok"]["protocols"]["canal-json"] |= {{"column_types": types}}
    if request.get("case") == broken:
        answer = {{"id": request["id"], "ok": {{"records": []}}}}
    if request["op"] == "encode" and "rejected" in answer:
        answer["rejected"]["class"] = "syntax"
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture(scope="module")
def implementation(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of an implementation that passes, warns, fails, crashes and declares less than all."""
    folder = tmp_path_factory.mktemp("implementation")
    (folder / "harness.py").write_text(_HARNESS, encoding="utf-8")
    golden = [c for c in golden_cases("canal-json", NEWARCH) if c.role == "encode" and "/golden/0" in c.id]
    first = next(at for at, case in enumerate(golden) if case.tables)
    broken, deadly = golden[first].opaque_id, golden[first + 1].opaque_id
    return "cmd:" + shlex.join([sys.executable, str(folder / "harness.py"), broken, deadly, str(folder / "seen")])


@dataclass(frozen=True)
class Run:
    """A run of pytest: how it ended, and the folder with `run.jsonl` and `junit.xml`."""

    done: subprocess.CompletedProcess[str]
    folder: Path

    def verdicts(self) -> dict[str, str]:
        return verdicts(self.folder / "run.jsonl")


HAS_ALLURE = find_spec("allure_pytest") is not None
REPORTS = ("--ticdc-report=jsonl=run.jsonl", "--junitxml=junit.xml", "-rs")


@pytest.fixture(scope="module")
def plain(implementation: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All the cases, with no option of pytest's that matters."""
    folder = tmp_path_factory.mktemp("plain")
    allure = ["--alluredir=results", "--ticdc-report=allure=ours"] if HAS_ALLURE else []
    return Run(pytest_run(implementation, folder, *REPORTS, *allure, with_others=True), folder)


def seen(implementation: str) -> list[str]:
    """The cases that the implementation was shown since last asked."""
    path = Path(shlex.split(implementation)[-1])
    lines = path.read_text(encoding="utf-8").split() if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def pytest_run(
    implementation: str, folder: Path, *options: str, select: str = SELECT, with_others: bool = False
) -> subprocess.CompletedProcess[str]:
    """A run of pytest with the plug-in, and `with_others` with all that are installed, which are slow to load."""
    asked = [f"--ticdc-iut={implementation}", "--ticdc-protocol=canal-json", "--ticdc-role=encode"]
    ours = [] if with_others and "ticdc_conformance_pytest" in _installed() else ["-p", "ticdc_conformance_pytest"]
    command = [sys.executable, "-m", "pytest", *ours, *asked, f"--ticdc-select={select}", *options]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TICDC_"))}
    env = kept | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    env |= {} if with_others else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def _installed() -> set[str]:
    from importlib.metadata import entry_points

    return {entry.value for entry in entry_points(group="pytest11")}


def verdicts(record: Path) -> dict[str, str]:
    events = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    return {e["case"]: e["verdict"] for e in events if e["event"] == "verdict"}


_IN_WORDS = {"pass": "passed", "warn": "passed", "fail": "failure", "crash": "failure", "unsupported": "skipped"}


@pytest.mark.parametrize("strict", [False, True])
def test_pytest_and_run_agree_in_every_verdict_and_in_the_status(implementation, plain, tmp_path, strict) -> None:
    asked = ["--iut", implementation, "--protocol", "canal-json", "--role", "encode", "-k", SELECT]
    more = ["--strict"] if strict else []
    status = main(["run", *asked, *more, "--report", f"jsonl={tmp_path / 'main.jsonl'}"])
    ours = Run(pytest_run(implementation, tmp_path, *REPORTS, "--ticdc-strict"), tmp_path) if strict else plain
    expected = verdicts(tmp_path / "main.jsonl")
    assert set(expected.values()) == {"pass", "warn", "fail", "crash", "unsupported"}
    assert ours.verdicts() == expected
    assert ours.done.returncode == status == 1, ours.done.stdout + ours.done.stderr
    words = {}
    for element in ET.parse(ours.folder / "junit.xml").iter("testcase"):
        name = str(element.get("name")).rpartition("[")[0]
        words[name] = next((child.tag for child in element), "passed")
    strictly = {"warn": "failure"} if strict else {}
    assert words == {case: (_IN_WORDS | strictly)[verdict] for case, verdict in expected.items()}


@pytest.fixture(scope="module")
def chosen(implementation: str, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What pytest selects of all the cases; `seen` is what the implementation was shown."""
    folder = tmp_path_factory.mktemp("chosen")
    seen(implementation)
    done = pytest_run(implementation, folder, "-k", "encode-0", "--ticdc-report=jsonl=run.jsonl")
    (folder / "seen").write_text("\n".join(seen(implementation)), encoding="utf-8")
    return Run(done, folder)


def test_a_warn_is_a_warning_of_pytest_and_leaves_the_status_green(chosen: Run) -> None:
    done = chosen.done
    assert done.returncode == 0, done.stdout
    assert "ConformanceWarning: warn: canal-json/invalid/encode-0" in done.stdout
    assert "AssertionError" not in done.stdout


def test_a_failure_is_the_text_of_the_suite_and_no_line_of_the_plug_in(plain: Run) -> None:
    told = plain.done.stdout
    assert re.search(r"^rule      \S", told, re.MULTILINE)
    assert re.search(r"^replay    ticdc-conformance replay \w+-encode --iut 'cmd:", told, re.MULTILINE)
    assert "status 3" in told
    assert re.search(r"^SKIPPED .*unsupported: for canal-json it does not declare", told, re.MULTILINE)
    assert "pytest_plugin.py" not in told
    assert "Traceback" not in told


def test_collecting_starts_nothing(implementation: str, tmp_path: Path) -> None:
    seen(implementation)
    done = pytest_run(implementation, tmp_path, "--co", "-q", "--ticdc-report=jsonl=run.jsonl", "-k", "CJ-030a")
    assert done.returncode == 0, done.stdout
    assert "ticdc-conformance::canal-json/golden/" in done.stdout  # of cases that name the requirement
    assert re.search(r"^\d+/\d+ tests collected", done.stdout, re.MULTILINE)
    assert seen(implementation) == []
    assert not (tmp_path / "run.jsonl").exists()


def test_only_what_pytest_selects_is_judged(chosen: Run, plain: Run) -> None:
    judged = chosen.verdicts()
    assert judged
    assert judged.keys() == {case for case in plain.verdicts() if "encode-0" in case} != plain.verdicts().keys()
    assert len(set((chosen.folder / "seen").read_text(encoding="utf-8").split())) <= len(judged)


def test_each_of_several_implementations_is_asked_its_own_items_alone(implementation: str, tmp_path: Path) -> None:
    *harness, _, _, _ = shlex.split(implementation.removeprefix("cmd:"))
    sound = "cmd:" + shlex.join([*harness, "none", "none", str(tmp_path / "seen")])
    seen(implementation)
    options = (f"--ticdc-iut={sound}", "-k", "golden/02 and newarch-2")
    done = pytest_run(implementation, tmp_path, *options, select="golden")
    assert done.returncode == 0, done.stdout
    assert (seen(implementation), len(seen(sound))) == ([], 1)


def test_it_stops_at_the_first_failure_and_goes_on_with_what_failed(implementation: str, tmp_path: Path) -> None:
    # One session is a case ahead of pytest. The implementation dies at it, and pytest never asks for its verdict.
    options = ("-x", "--ticdc-sessions=1", "--ticdc-report=jsonl=first.jsonl")
    first = pytest_run(implementation, tmp_path, *options, select="golden")
    assert first.returncode == 1, first.stdout
    assert "stopping after 1 failures" in first.stdout
    at_first = verdicts(tmp_path / "first.jsonl")
    red = {case: verdict for case, verdict in at_first.items() if verdict in {"fail", "crash"}}
    assert list(red.values()) == ["fail", "crash"]
    failed, ahead = red
    later = list(at_first)[list(at_first).index(ahead) + 1 :]
    assert {at_first[case] for case in later} == {"not_run", "unsupported"}
    assert json.loads((tmp_path / "first.jsonl").read_bytes().splitlines()[-1])["event"] == "end"
    again = pytest_run(implementation, tmp_path, "--lf", "--ticdc-report=jsonl=again.jsonl", select="golden")
    assert again.returncode == 1, again.stdout
    assert verdicts(tmp_path / "again.jsonl") == {failed: "fail"}, (first.stdout, again.stdout)


def test_an_item_that_another_plug_in_runs_again_has_its_verdict_again(implementation: str, tmp_path: Path) -> None:
    again = "from _pytest.runner import runtestprotocol as again\n\n\ndef pytest_runtest_protocol(item, nextitem):\n"
    (tmp_path / "conftest.py").write_text(f"{again}    again(item, log=False, nextitem=nextitem)\n")
    done = pytest_run(implementation, tmp_path, "-k", "golden/02", select="golden")
    assert done.returncode == 1, done.stdout
    assert "without a verdict" not in done.stdout
    assert re.search(r"^rule      \S", done.stdout, re.MULTILINE)


def test_processes_of_xdist_are_sessions_of_the_engine(implementation: str, plain: Run, tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    several = Run(pytest_run(implementation, tmp_path, "-n", "2", *REPORTS, with_others=True), tmp_path)
    assert several.done.returncode == plain.done.returncode == 1, several.done.stdout
    assert several.verdicts() == plain.verdicts()
    assert "2 sessions with the implementation, in this process" in several.done.stdout


def test_tests_of_the_users_own_stand_beside_the_cases(implementation: str, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("def test_good():\n    pass\n\n\ndef test_bad():\n    assert 0\n")
    done = pytest_run(implementation, tmp_path, "test_mine.py", select="encode-0")
    assert done.returncode == 1, done.stdout
    assert "test_mine.py::test_bad" in done.stdout
    assert "gate green, exit 0" in done.stdout


def test_what_cannot_be_asked_is_one_line_and_status_4(implementation: str, tmp_path: Path) -> None:
    done = pytest_run(implementation, tmp_path, "--ticdc-profile=nonsense")
    assert done.returncode == 4
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.skipif(not HAS_ALLURE, reason="allure-pytest is not installed")
def test_under_allure_pytest_items_have_the_labels_of_the_report(plain: Run) -> None:
    told, ours = ({}, {})  # type: dict[tuple[str, str], dict[str, object]], dict[tuple[str, str], dict[str, object]]
    for name, found in (("results", told), ("ours", ours)):
        for file in (plain.folder / name).glob("*-result.json"):
            result = json.loads(file.read_text(encoding="utf-8"))
            labels = {
                n: sorted(one["value"] for one in result["labels"] if one["name"] == n)
                for n in ("epic", "feature", "story", "severity", "parentSuite", "suite", "subSuite", "tag")
            }
            role = next(p["value"] for p in result["parameters"] if p["name"] == "role").strip("'")
            found[result["name"], role] = {"status": result["status"], **labels}
    assert len(told) > 10
    assert {status["status"] for status in told.values()} >= {"passed", "failed", "broken"}
    # What was settled before anything was put is a skipped item, and no entry of the report.
    assert {case: one for case, one in told.items() if case in ours} == ours
    assert {one["status"] for case, one in told.items() if case not in ours} <= {"skipped"}


def test_an_implementation_that_cannot_start_has_skipped_items_under_allure_pytest(tmp_path: Path) -> None:
    pytest.importorskip("allure_pytest")
    done = pytest_run("cmd:./nowhere", tmp_path, "--alluredir=results", select="encode-0", with_others=True)
    results = [json.loads(file.read_text(encoding="utf-8")) for file in (tmp_path / "results").glob("*-result.json")]
    assert {one["status"] for one in results} == {"skipped"}, done.stdout[-2000:]
    assert not any("again:" in one.get("description", "") for one in results)


def test_the_command_that_replays_a_case_has_a_case_and_an_address_that_a_shell_can_read() -> None:
    address = "cmd:python 'my harness.py'"
    for case in ("01234567-encode", "my cases/case.json"):
        replay = Judged({"replay": case}, {}).replay(address)
        assert shlex.split(replay) == ["ticdc-conformance", "replay", case, "--iut", address]
