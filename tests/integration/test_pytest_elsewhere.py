"""The plug-in where tests have packages named like ours: it talks to the suite in an environment of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.minimal import address
from ticdc_conformance_door.subprocess_engine import command_of, suite_named

ROOT = Path(__file__).resolve().parents[2]

# A suite with one item of each kind. It notes what it is sent.
_FAKE = """
import json, sys
def say(**line):
    print(json.dumps(line), flush=True)
def hear():
    line = sys.stdin.readline()
    print(line.strip(), file=open({log!r}, "a"))
    return json.loads(line or "null")
assert sys.argv[1:] == ["serve-pytest"]
option = dict(help="", metavar="A")
say(options=[dict(name="iut", kind="list", **option), dict(name="strict", kind="flag", **option)])
asked = hear()
if asked and asked["given"]["iut"] == ["cmd:wrong"]:
    say(usage="this cannot be asked")
elif asked:
    kinds = ["passed", "skipped", "xfailed", "xpassed", "warned", "failed", "broken"]
    say(planned=[dict(name=f"canal-json/{{kind}}[encode]", keywords=["CJ-1"]) for kind in kinds])
    for number in (hear() or dict(chosen=()))["chosen"]:
        if number == 2 and asked["given"]["iut"] == ["cmd:dies"]:
            sys.exit(9)
        say(item=number, kind=kinds[number], text=f"why {{kinds[number]}}")
    say(status=1, summary=["planned 7 = all of them"])
"""


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A folder of tests with a package `reports` of its own."""
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "__init__.py").write_text("MINE = True\n", encoding="utf-8")
    (tmp_path / "test_mine.py").write_text("import reports\n\ndef test_mine():\n    assert reports.MINE\n")
    return tmp_path


def pytest_run(folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """pytest with our plug-in alone in that folder, whose packages come first."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TICDC_"))}
    env = kept | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "COLUMNS": "200", **variables}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "ticdc_conformance_pytest", *options],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def suite(user: Path) -> str:
    """The line that starts the fake suite."""
    fake = user / "fake_suite.py"
    fake.write_text(_FAKE.format(log=str(user / "log")), encoding="utf-8")
    return shlex.join([sys.executable, str(fake)])


def heard(user: Path) -> list[object]:
    return [json.loads(line) for line in (user / "log").read_text(encoding="utf-8").splitlines() if line]


def test_verdicts_from_elsewhere_are_those_of_pytest_and_so_is_the_status(user: Path, suite: str) -> None:
    done = pytest_run(user, "--ticdc-suite", suite, "--ticdc-iut=cmd:x", "-rA", "-W", "always")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "2 failed, 2 passed, 1 skipped, 1 xfailed, 1 xpassed" in done.stdout
    assert "why failed" in done.stdout
    assert "ConformanceWarning: why warned" in done.stdout
    assert "planned 7 = all of them" in done.stdout
    assert "Traceback" not in done.stdout


def test_what_pytest_selects_is_what_is_judged_elsewhere(user: Path, suite: str) -> None:
    done = pytest_run(user, f"--ticdc-suite={suite}", "--ticdc-iut=cmd:x", "--ticdc-strict", "-k", "passed or skipped")
    [asked, chosen] = heard(user)
    assert asked["given"] == {"iut": ["cmd:x"], "strict": True}  # type: ignore[index, call-overload]
    assert chosen == {"chosen": [0, 1, 3]}  # passed, skipped, xpassed
    assert done.returncode == 1


@pytest.mark.parametrize(("option", "status"), [("--collect-only", 0), ("-kneither", 5)])
def test_without_a_chosen_item_the_suite_elsewhere_ends_unasked(user, suite, option, status) -> None:
    done = pytest_run(user, f"--ticdc-suite={suite}", "--ticdc-iut=cmd:x", option)
    assert done.returncode == status, done.stdout + done.stderr
    assert len(heard(user)) == 1


def test_of_a_suite_that_dies_every_case_left_fails_without_a_traceback(user: Path, suite: str) -> None:
    done = pytest_run(user, f"--ticdc-suite={suite}", "--ticdc-iut=cmd:dies")
    assert done.returncode == 3
    assert "5 failed, 1 passed, 1 skipped" in done.stdout
    assert "it ended without a word" in done.stdout
    assert done.stdout.count("the run ended without a verdict of this case") >= 4
    assert "subprocess_engine.py" not in done.stdout


def test_the_tests_of_the_user_keep_their_own_packages(user: Path, suite: str) -> None:
    done = pytest_run(user, "test_mine.py", "--ticdc-iut=cmd:x", "-k", "mine or passed", TICDC_CONFORMANCE_SUITE=suite)
    assert "test_mine.py ." in done.stdout
    assert chosen_of(user) == [0, 3]


def chosen_of(user: Path) -> object:
    return heard(user)[-1]["chosen"]  # type: ignore[index, call-overload]


def test_without_an_address_nothing_is_judged_and_nothing_is_said(user: Path, suite: str) -> None:
    done = pytest_run(user, TICDC_CONFORMANCE_SUITE=suite)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ticdc-conformance: " not in done.stdout + done.stderr


def test_a_package_named_like_ours_is_the_users_where_nothing_is_judged(user: Path) -> None:
    """Its folder is put in front by the conftest, after the plug-in was loaded."""
    (user / "conftest.py").touch()
    done = pytest_run(user, "test_mine.py", PYTHONPATH=str(ROOT), PYTHONSAFEPATH="1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_cannot_be_asked_is_one_line_and_status_4(user: Path, suite: str) -> None:
    done = pytest_run(user, "--ticdc-iut=cmd:wrong", TICDC_CONFORMANCE_SUITE=suite)
    assert done.returncode == 4
    assert "ticdc-conformance: this cannot be asked" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("line", ["./no-such-suite", f"{shlex.quote(sys.executable)} -c print(1)"])
def test_a_suite_that_is_none_is_named_with_what_to_do(user: Path, line: str) -> None:
    done = pytest_run(user, "--ticdc-iut=cmd:x", TICDC_CONFORMANCE_SUITE=line)
    assert done.returncode == 4
    assert f"the suite cannot be used as {line.split()[0]}" in done.stderr
    assert "--ticdc-suite PATH" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_the_suite_beside_the_plug_in_judges_where_its_names_are_taken(user: Path) -> None:
    asked = ["--ticdc-iut", address(), "--ticdc-protocol", "canal-json", "--ticdc-role", "decode"]
    done = pytest_run(user, *asked, "--ticdc-select", "golden and decode", "--ticdc-report", "jsonl=run.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr
    events = [json.loads(line) for line in (user / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    judged = {event["case"] for event in events if event["event"] == "verdict" and event["verdict"] == "pass"}
    assert judged
    assert "gate green, exit 0" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "variables", "named"),
    [
        ([], {}, ""),
        (["--ticdc-suite", "a"], {}, "a"),
        (["--ticdc-suite=a b", "-x"], {"TICDC_CONFORMANCE_SUITE": "c"}, "a b"),
        ([], {"TICDC_CONFORMANCE_SUITE": "c"}, "c"),
        ([], {"PYTEST_ADDOPTS": "-x --ticdc-suite 'a b'"}, "a b"),
        (["--ticdc-suite=d"], {"PYTEST_ADDOPTS": "--ticdc-suite=a"}, "d"),
        ([], {"PYTEST_ADDOPTS": "'"}, ""),
    ],
)
def test_the_suite_is_named_by_the_option_then_by_the_variable(arguments, variables, named) -> None:
    assert suite_named(arguments, variables) == named


def test_a_suite_is_a_folder_of_an_environment_a_program_or_a_line(tmp_path: Path) -> None:
    program = tmp_path / "env" / "bin" / "ticdc-conformance"
    program.parent.mkdir(parents=True)
    program.write_text("")
    assert command_of(str(tmp_path / "env"), tmp_path) == [str(program)]
    assert command_of(str(program), tmp_path) == [str(program)]
    assert command_of("uvx ticdc-conformance", tmp_path) == ["uvx", "ticdc-conformance"]
    assert command_of("", tmp_path) == [sys.executable, str(tmp_path / "ticdc_conformance.py")]
