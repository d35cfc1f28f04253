"""The GitHub action: its steps run in a fake job, and do what its inputs and outputs say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.ci_files import Job
from tests.integration.minimal import address

pytest.importorskip("yaml")

SUITE = {"steps.install.outputs.command": "ticdc-conformance"}
SELECTED = {"iut": address(), "protocol": "canal-json", "role": "decode"}
FEW = "-k\nCJ-502 or invalid"

# It lists the comments that `listed` names, and notes everything else that it is asked.
_GH = """
case "$*" in
  *--paginate*) {listed} ;;
  *) echo "$@" >> "$RUNNER_TEMP/asked"; {done} ;;
esac
"""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path / "a job")


def test_a_red_run_ends_the_step_and_is_in_the_log_the_summary_the_outputs_and_the_folder(job: Job) -> None:
    done = job.step(SUITE, "judge", {**SELECTED, "gate": "should", "arguments": FEW})
    assert done.returncode == 1, done.stdout + done.stderr
    outputs = job.outputs()
    assert (outputs["status"], outputs["report"]) == ("1", "ticdc-report")
    assert int(outputs["findings"]) > 0
    assert "\n::error " in done.stdout
    assert "conformance" in job.summary()
    made = {path.name for path in (job.folder / "ticdc-report").iterdir()}
    assert made == {"annotations.txt", "comment.md", "index.html", "junit.xml", "run", "run.sarif", "summary.md"}


def test_a_green_run_ends_with_0_and_its_warnings_are_counted(job: Job) -> None:
    done = job.step(SUITE, "judge", {**SELECTED, "arguments": FEW, "report": "reports of it"})
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = job.outputs()
    assert (outputs["status"], outputs["report"]) == ("0", "reports of it")
    assert done.stdout.count("\n::warning ") == int(outputs["findings"]) > 0


def test_what_cannot_be_asked_is_status_4_and_one_message(job: Job) -> None:
    done = job.step(SUITE, "judge", {"iut": "./harness"})
    assert (done.returncode, job.outputs()["status"]) == (4, "4")
    assert "did you mean 'cmd:./harness'?" in done.stderr


def test_an_input_is_never_a_command_of_the_shell(job: Job) -> None:
    done = job.step(SUITE, "judge", {"iut": "cmd:$(touch made) `touch made`; touch made", "protocol": "canal-json"})
    assert done.returncode == 6, done.stdout + done.stderr
    assert not (job.folder / "made").exists()


def test_the_suite_is_installed_into_an_environment_of_its_own(job: Job) -> None:
    made = '{ mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp "$(which ticdc-conformance)" "$3/bin/"; }'
    python = job.program("suite-python", f'echo "$@" >> "$RUNNER_TEMP/asked"\n[ "$2" != venv ] || {made}')
    done = job.step(
        {"steps.python.outputs.python-path": str(python), "github.action_path": "the checkout"}, "install", {}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    environment = job.folder / "temp" / "ticdc-conformance"
    assert (job.folder / "temp" / "asked").read_text(encoding="utf-8").splitlines() == [
        f"-m venv {environment}",
        "-m pip install --quiet --disable-pip-version-check the checkout",
    ]
    assert job.outputs() == {"command": str(environment / "bin" / "ticdc-conformance")}


def asked(job: Job, status: str, listed: str = "true", done: str = "true") -> tuple[list[str], str]:
    """What the comment step asked of GitHub, and what it printed."""
    report = job.folder / "report"
    report.mkdir()
    (report / "comment.md").write_text("<!-- ticdc-conformance: x -->\ntext", encoding="utf-8")
    job.program("gh", _GH.format(listed=listed, done=done))
    known = {
        "github.event.number": "7",
        "steps.judge.outputs.status": status,
        "steps.judge.outputs.report": str(report),
    }
    ran = job.step(known, "3", {"token": "secret"})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    file = job.folder / "temp" / "asked"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else [], ran.stdout


def test_a_red_run_is_a_comment_of_the_pull_request(job: Job) -> None:
    [line], _ = asked(job, "1")
    assert "--method POST repos/team/sink/issues/7/comments" in line


def test_a_green_run_is_no_comment(job: Job) -> None:
    assert asked(job, "0") == ([], "")


@pytest.mark.parametrize("status", ["0", "1"])
def test_a_comment_that_is_there_is_replaced_by_every_run(job: Job, status: str) -> None:
    [line], _ = asked(job, status, listed="echo 12; echo 34")
    assert "--method PATCH repos/team/sink/issues/comments/12 " in line


def test_a_token_that_may_only_read_leaves_a_notice_and_no_failure(job: Job) -> None:
    _, said = asked(job, "1", done="exit 1")
    assert said.startswith("::notice title=ticdc-conformance::The token may not comment")
