"""`fuzz` from the command line: what it finds is saved, reported, and shown again by `replay`."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.configuring import REFERENCE
from conformance.cli.fuzz import _UNSTEADY
from conformance.cli.main import main
from tests.amounts import ordinarily

# It declares a protocol without any type of column.
_MUTE = """
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    ok = {"harness": 1, "name": "mute", "version": "0", "language": "python"}
    ok["protocols"] = {"canal-json": {"column_types": []}}
    print(json.dumps({"id": request["id"], "ok": ok if request["op"] == "hello" else {}}), flush=True)
"""

ROOT = Path(__file__).resolve().parents[2]
MUTANT = f"{REFERENCE} --mutant canal-json/read-column-lost"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fuzz(*arguments: str, protocol: str = "canal-json") -> int:
    return main(["fuzz", "--protocol", protocol, *arguments])


def test_nothing_is_found_in_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz("--examples", "5", protocol="avro") == 0
    out = capsys.readouterr().out
    assert "avro encode: 5 examples, 0 found" in out
    assert out.endswith("nothing found in 15 examples\n")


def test_a_search_leaves_nothing_in_the_folder_but_what_it_found(here: Path) -> None:
    argv = [sys.executable, "-m", "ticdc_conformance", "fuzz", "--protocol", "canal-json", "--role", "decode"]
    subprocess.run(
        [*argv, "--examples", "3"], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True, stdout=subprocess.DEVNULL
    )
    assert [path.name for path in here.iterdir()] == ["found"]
    assert list((here / "found").iterdir()) == []


def test_a_search_that_finds_nothing_says_what_it_drew(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz("--examples", "5", "--role", "encode") == 0
    told = dict(line.strip().split(": ", 1) for line in capsys.readouterr().out.splitlines() if ": " in line)
    assert re.search(r"\b[1-9][0-9]* insert\b", told["events"])
    assert re.search(r"\b[1-9][0-9]* int\b", told["columns"])
    assert "by default" in told["options"] or "=" in told["options"]
    assert "1 partitions" in told["settings"]
    assert "large-message-handle-option=claim-check" in told["never drawn"] + told["options"]


def test_an_implementation_that_answers_nothing_was_not_searched(here: Path, capsys) -> None:
    (here / "mute.py").write_text(_MUTE, encoding="utf-8")
    assert fuzz("--iut", f"cmd:{sys.executable} mute.py", "--examples", "5", "--role", "encode") == 5
    out = capsys.readouterr().out
    assert out.startswith(
        "canal-json encode: nothing can be drawn from the column types and event kinds that it declares"
    )
    assert out.endswith("nothing was searched\n")


def test_what_is_found_is_saved_reported_and_replayed(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz("--iut", MUTANT, "--role", "decode", "--examples", "5") == 1
    out = capsys.readouterr().out
    [saved] = (here / "found").glob("*.json")
    assert f"saved as found/{saved.name}" in out
    assert f"replay found/{saved.name}" in " ".join(out.split())
    assert "missing@event.after" in json.loads(saved.read_text("utf-8"))["note"]
    assert main(["replay", f"found/{saved.name}", "--iut", MUTANT]) == 1
    assert main(["replay", f"found/{saved.name}", "--iut", REFERENCE]) == 0


def test_what_the_baseline_excuses_is_no_failure_that_did_not_appear(here: Path, capsys) -> None:
    entry = 'match = "canal-json/search/*"\nfingerprint = "missing@event.after.{column}"\nreason = "known"'
    (here / "known.toml").write_text(f"[[known]]\n{entry}\n", encoding="utf-8")
    assert fuzz("--iut", MUTANT, "--role", "decode", "--examples", "5", "--baseline", "known.toml") == 0
    out = capsys.readouterr().out
    assert "= xfail 1" in out
    assert "did not appear" not in out


def test_what_the_baseline_excuses_of_one_implementation_appeared_in_no_other(capsys, monkeypatch) -> None:
    def excused_in_the_first_alone(config: Any, settings: Any, sink: Any) -> int:
        for number, target in enumerate(config.targets):
            sink({"event": "iut", "iut": f"mutant {number}"})
            for one in target.cases("canal-json", target.profile):
                verdict = "pass" if number else "xfail"
                event = {"event": "verdict", "iut": f"mutant {number}", "role": one.role, "case": one.id}
                sink({**event, "verdict": verdict})
        return 0

    monkeypatch.setattr("conformance.cli.fuzz.run_with_reports", excused_in_the_first_alone)
    assert fuzz("--iut", MUTANT, "--iut", MUTANT, "--role", "decode", "--examples", "5") == 1
    assert _UNSTEADY.format(1) in capsys.readouterr().out


def test_a_search_ends_after_the_time_it_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz("--role", "encode", "--budget", "1s") == 0
    assert "canal-json encode:" in capsys.readouterr().out


def test_a_crash_that_no_case_shows_by_itself_is_red_and_the_search_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    forgetful = shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, str(Path(__file__).with_name("forgetful.py"))])
    examples = ordinarily(20, 60)
    assert fuzz("--iut", f"cmd:{forgetful}", "--examples", str(examples), "--role", "decode") == 1
    out = capsys.readouterr().out
    assert f"canal-json decode: {examples} examples" in out
    assert "found crash@decode" in out
    assert "look for state that reset does not clear" in out


def test_a_saved_case_is_not_put_in_place_of_another_protocol_or_role(here: Path, capsys) -> None:
    assert fuzz("--iut", MUTANT, "--examples", "5", "--role", "decode") == 1
    [saved, *_] = sorted((here / "found").iterdir())
    assert main(["replay", str(saved), "--protocol", "avro"]) == 4
    assert main(["replay", str(saved), "--role", "encode"]) == 4
    assert "is of role decode" in capsys.readouterr().err
