"""`--out DIR` by every door: the record and the answers of a run, whole and the same however it was run."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from conformance.cases import golden, parts
from conformance.cases.model import Case
from conformance.catalogue.fixtures import fixtures_root
from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from conformance.engine.answers import answer_digest
from conformance.engine.crew import Crew
from reference_impl.profiles import Profile
from reports.renderer import Event
from reports.saved import ANSWERS, RECORD, CaseKey, SavedRun, open_run
from tests.amounts import ordinarily
from tests.integration.test_check_capture import Files

ROOT = Path(__file__).resolve().parents[2]
HARNESS = f"cmd:{sys.executable} {Path(__file__).with_name('several.py')}"
SELECTED = "canal-json/keyed* or canal-json/flags* or canal-json/name* or canal-json/evolution*"
PLUG_IN = ["-p", "no:cacheprovider", "-p", "ticdc_conformance_pytest"]
ASKED = ["--iut", HARNESS, "--protocol", "canal-json", "--timeout", "0.7", "-k", SELECTED]

SCHEMA = json.loads((fixtures_root() / "schemas" / "run-event.schema.json").read_text(encoding="utf-8"))
VOLATILE = {
    (kind, name)
    for kind, part in SCHEMA["$defs"].items()
    for name, member in part.get("properties", {}).items()
    if member.get("x-volatile")
}


@cache
def run(*more: str) -> SavedRun:
    """The saved run of a harness that shows every kind of verdict."""
    out = Path(mkdtemp(), "out")
    main(["run", "-q", *ASKED, *more, "--out", str(out)])
    return open_run(out)


def verdicts_of(saved: SavedRun) -> Mapping[CaseKey, Event]:
    """The verdicts of a run of one implementation."""
    [iut] = saved.iuts.values()
    return iut.verdicts


def stable(path: Path, *, sessions: bool) -> list[str]:
    """The lines of a record, without what is volatile; of several sessions without what is a matter of one."""
    lines = []
    for event in open_run(path).events:
        kind = event["event"]
        if sessions and kind == "restart":
            continue
        kept = {name: _plain(value) for name, value in event.items() if (kind, name) not in VOLATILE}
        lines.append(json.dumps(kept))
    return lines


def _plain(value: Any) -> Any:
    """Without the number of a request and of a line, which say how many its session has had."""
    return re.sub(r"\(request \d+\)|\d+ of its output", "…", value) if isinstance(value, str) else value


@pytest.mark.parametrize("sessions", ordinarily(["3"], ["2", "3"]))
def test_several_sessions_give_the_run_record_of_one(sessions: str) -> None:
    assert stable(run("-n", sessions).path, sessions=True) == stable(run("-n", "1").path, sessions=True)


def test_every_session_has_its_share_of_a_small_run(monkeypatch: pytest.MonkeyPatch) -> None:
    put: Counter[int] = Counter()
    take = Crew._take

    def noted(crew: Crew, worker: Any, outcomes: Any, lost: str) -> None:
        put[id(worker)] += len(outcomes)
        take(crew, worker, outcomes, lost)

    monkeypatch.setattr(Crew, "_take", noted)
    run.__wrapped__("-n", "2", "--role", "encode")
    assert len(put) == 2
    assert min(put.values()) >= sum(put.values()) // 10


def test_a_list_of_cases_is_made_once_for_all_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = golden.golden_cases

    def noted(protocol: str, profile: Profile) -> list[Case]:
        (tmp_path / f"{os.getpid()}").touch()
        return made(protocol, profile)

    monkeypatch.setattr(golden, "golden_cases", noted)
    monkeypatch.setattr(parts, "_cases_of_list", cache(parts._cases_of_list.__wrapped__))
    arguments = ["--iut", REFERENCE, "--protocol", "avro", "--role", "encode", "-k", "golden", "-n", "3"]
    assert main(["run", "-q", *arguments]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{os.getpid()}"]


def test_ctrl_c_before_the_sessions_start_leaves_a_whole_record(tmp_path: Path, monkeypatch) -> None:
    def interrupted(*_: object) -> list[Case]:
        raise KeyboardInterrupt

    monkeypatch.setattr(golden, "golden_cases", interrupted)
    monkeypatch.setattr(parts, "_cases_of_list", cache(parts._cases_of_list.__wrapped__))
    arguments = ["--iut", REFERENCE, "--protocol", "avro", "--role", "encode", "-k", "golden", "-n", "3"]
    assert main(["run", "-q", *arguments, "--out", str(tmp_path)]) == 2
    saved = open_run(tmp_path)
    assert saved.end is not None
    assert (saved.end["exit"], saved.end["accounting"]["adds_up"]) == (2, True)
    assert saved.end["accounting"]["counts"]["not_run"] > 0


def test_after_each_crash_and_silence_a_session_is_started_again() -> None:
    events = list(run("-n", "3").events)
    ends = {e["case"] for e in events if e["event"] == "verdict" and e["verdict"] in ("crash", "timeout")}
    assert {e["after"] for e in events if e["event"] == "restart"} <= ends


def test_the_answers_are_the_same_bytes_for_any_number_of_sessions() -> None:
    one, three = ((run("-n", number).path / ANSWERS).read_bytes() for number in ("1", "3"))
    assert one == three
    assert len(gzip.decompress(one).splitlines()) > 40


def test_every_answer_is_kept_and_is_the_one_that_its_digest_says() -> None:
    saved = run("-n", "3")
    named = [verdict["answer"] for verdict in verdicts_of(saved).values() if verdict["answer"]]
    kept = dict(saved.answers)
    assert list(kept) == list(dict.fromkeys(named))
    assert [answer_digest(text) for text in kept.values()] == list(kept)


def test_only_a_case_that_was_not_answered_has_no_answer() -> None:
    saved = run("-n", "3")
    without = {v["verdict"] for v in verdicts_of(saved).values() if v["answer"] is None}
    given = {v["verdict"] for v in verdicts_of(saved).values() if v["answer"] is not None}
    assert without == {"crash", "timeout", "unsupported"}
    assert given == {"pass", "fail", "crash", "false_claim"}  # a crash, for a harness may answer that it broke
    kinds = {next(iter(saved.answer_of(v) or {"none": 0})) for v in verdicts_of(saved).values()}
    assert kinds == {"ok", "rejected", "unsupported", "error", "none"}


def test_the_record_in_the_folder_is_the_one_that_a_report_writes(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    main(["run", "-q", *ASKED, "--role", "encode", "--out", str(tmp_path / "out"), "--report", f"jsonl={path}"])
    assert (tmp_path / "out" / RECORD).read_bytes() == path.read_bytes()


def test_a_report_over_a_file_of_the_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--out", str(tmp_path), "--report", f"jsonl={tmp_path / RECORD}"]
    assert main(["run", "-q", *ASKED, *arguments]) == 4
    assert "give the report its own" in capsys.readouterr().err


def test_a_run_that_replaces_another_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    shutil.copytree(run("-n", "1").path, out)
    capsys.readouterr()
    asked = ["--iut", "cmd:false", "--protocol", "canal-json", "-k", "golden"]
    main(["run", "-q", *asked, "--out", str(out)])
    assert f"--out {out}: the run that was in it is replaced" in capsys.readouterr().err
    main(["run", "-q", *asked, "--out", str(tmp_path / "new")])
    assert "replaced" not in capsys.readouterr().err


@pytest.mark.parametrize("text", ["mine\n", '{"event":"end"}\n', "[]\n", '{"a":1}\n'])
def test_a_file_that_is_no_run_record_is_never_replaced(text: str, tmp_path: Path, capsys) -> None:
    (tmp_path / RECORD).write_text(text, encoding="utf-8")
    assert main(["run", "-q", *ASKED, "--out", str(tmp_path)]) == 4
    assert "is no run record, and is not replaced" in capsys.readouterr().err
    assert (tmp_path / RECORD).read_text(encoding="utf-8") == text


def test_pytest_writes_the_folder_that_the_command_writes(tmp_path: Path) -> None:
    options = [f"--ticdc-{word.removeprefix('--')}" if word.startswith("--") else word for word in ASKED]
    options[options.index("-k")] = "--ticdc-select"
    argv = [sys.executable, "-m", "pytest", "-q", *PLUG_IN, *options, "--ticdc-role", "encode"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(
        [*argv, "--ticdc-out", str(tmp_path)], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert (tmp_path / ANSWERS).read_bytes() == (run("-n", "2", "--role", "encode").path / ANSWERS).read_bytes()


def test_the_records_of_a_capture_are_its_answers_unless_values_are_hidden(tmp_path: Path) -> None:
    def kept(*more: str) -> list[Any]:
        files.check("-q", "--out", str(tmp_path / "out"), *more)
        return [json.loads(text)["ok"]["records"][0]["value"] for _, text in open_run(tmp_path / "out").answers]

    files = Files(tmp_path, "canal-json")
    lines = Path(files.records).read_text(encoding="utf-8").splitlines()
    assert kept() == [json.loads(line)["value"] for line in lines]
    assert kept("--redact") == []
