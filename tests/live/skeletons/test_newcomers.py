"""Two newcomers from the first command to the last: a Go encoder in GitHub's CI, a Java decoder in Maven.

The third, a team with two topics, needs no toolchain: tests/integration/test_two_topics.py.
"""

from __future__ import annotations

import os
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.integration.ci_files import Job
from tests.live.skeletons.built import skeleton_or_skip, written

pytest.importorskip("yaml")

WORKFLOW = ".github/workflows/ticdc-conformance.yml"
PYTHON = 'made() { mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; cp "$(which ticdc-conformance)" "$3/bin/"; }\n'


def broken(file: Path, right: str, wrong: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")


# -- a Go encoder in GitHub's CI ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job whose checkout is a new skeleton in Go; what `pip` is asked for is written down."""
    skeleton_or_skip("go")
    job = Job(tmp_path_factory.mktemp("go") / "checkout")
    job.program("pip", 'echo "$@" >> "$RUNNER_TEMP/asked"')
    job.program("suite-python", f'{PYTHON}[ "$2" != venv ] || made "$@"')
    job.program("gh", 'case "$*" in *--paginate*) ;; *) echo "$@" >> "$RUNNER_TEMP/comments" ;; esac')
    written("go", job.folder)
    return job


def test_the_workflow_that_init_wrote_is_green_on_the_first_push(pushed: Job) -> None:
    status, said, artifact = pushed.workflow(pushed.folder / WORKFLOW)
    assert status == 0, said
    assert (pushed.folder / "temp" / "asked").read_text(encoding="utf-8").startswith("install ticdc-conformance==")
    assert "\n::error " not in said
    assert "## ticdc-conformance" in pushed.summary()
    assert artifact == ["report.html", "junit.xml"]


def test_the_action_judges_the_same_harness_and_sets_its_outputs(pushed: Job) -> None:
    inputs = {"iut": "cmd:./harness", "protocol": "canal-json", "role": "encode", "arguments": "-k\ndecimal"}
    status, said = pushed.action(inputs, "pull_request")
    outputs = pushed.outputs()
    assert (status, outputs["status"], outputs["report"]) == (0, "0", "ticdc-report"), said
    assert said.count("\n::warning ") == int(outputs["findings"])
    assert not (pushed.folder / "temp" / "comments").exists()


def test_a_push_that_breaks_the_encoder_is_red_in_the_log_the_summary_the_outputs_and_a_comment(pushed: Job) -> None:
    broken(pushed.folder / "encoder.go", '"decimal": 3', '"decimal": 8')
    status, said, artifact = pushed.workflow(pushed.folder / WORKFLOW)
    assert (status, artifact) == (1, ["report.html", "junit.xml"]), said
    assert "\n::error " in said
    assert "CJ-308" in pushed.summary()
    inputs = {"iut": "cmd:./harness", "protocol": "canal-json", "role": "encode", "arguments": "-k\ndecimal"}
    status, said = pushed.action(inputs, "pull_request")
    outputs = pushed.outputs()
    assert (status, outputs["status"]) == (1, "1"), said
    assert int(outputs["findings"]) > 0
    assert "POST repos/team/sink/issues/7/comments" in (pushed.folder / "temp" / "comments").read_text(encoding="utf-8")


# -- a Java decoder in Maven -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new skeleton in Java."""
    skeleton_or_skip("java")
    return written("java", tmp_path_factory.mktemp("java") / "harness")


def package(folder: Path) -> subprocess.CompletedProcess[str]:
    """`mvn package`, on a machine where Python and this suite end with an error."""
    commands = folder.parent / "commands"
    commands.mkdir(exist_ok=True)
    for name in ("python", "python3", "ticdc-conformance"):
        (commands / name).write_text('#!/bin/sh\necho "$0 was called" >&2\nexit 97\n', encoding="utf-8")
        (commands / name).chmod(0o755)
    return subprocess.run(
        ["mvn", "--batch-mode", "package"],
        cwd=folder,
        env={**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def of_junit(folder: Path) -> tuple[int, int]:
    """How many tests JUnit ran, and how many failed."""
    root = ET.parse(folder / "target" / "surefire-reports" / "TEST-harness.RecordedTest.xml").getroot()
    return int(root.get("tests", "0")), int(root.get("failures", "0")) + int(root.get("errors", "0"))


def test_maven_builds_and_junit_reads_the_fixtures_from_the_jar_without_python(module: Path) -> None:
    done = package(module)
    assert done.returncode == 0, done.stdout + done.stderr
    tests, failed = of_junit(module)
    assert (tests > 40, failed) == (True, 0)
    assert (module / "target" / "harness.jar").is_file()
    assert [path.suffix for path in (module / "repository").rglob("*.jar")] == [".jar"]
    assert "was called" not in done.stdout + done.stderr


def test_a_decoder_that_loses_a_value_fails_the_build_of_maven(module: Path) -> None:
    source = module / "src" / "main" / "java" / "harness" / "Decoder.java"
    before = source.read_bytes()
    try:
        broken(source, 'event.set("after", row);', 'event.set("after", JSON.createObjectNode());')
        done = package(module)
    finally:
        source.write_bytes(before)
    assert done.returncode != 0
    assert "theDecoderReadsTheRowsThatWereRecorded" in done.stdout
