"""Real consumers answer as they were recorded, and as their models predict. `tox run -e live-consumers` runs this."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cli.main import main
from harnesses.consumers.agree import ConsumerResult, compare_consumer, recorded
from harnesses.consumers.built import CONSUMERS, command
from harnesses.consumers.running import recorded_form, running_consumer
from harnesses.providers import Unavailable

ROOT = Path(__file__).resolve().parents[3]
LEAST_SHOWN = 20_000
SAMPLE = 150


@pytest.fixture(scope="module")
def shown() -> list[int]:
    """How many generated inputs each consumer was shown."""
    return []


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_real_consumer_answers_as_recorded_and_as_its_model_predicts(
    name: str, shown: list[int], tmp_path: Path
) -> None:
    result = result_or_skip(name, tmp_path)
    assert [(was.place, was.rows, now.outcome, now.rows) for was, now in result.changed] == []
    assert result.agreement is not None
    shown.append(result.agreement.answers)
    assert [recorded_form(one.answer) for one in result.agreement.disagreements[:20]] == []
    assert result.agreement.is_enough


def result_or_skip(name: str, folder: Path) -> ConsumerResult:
    try:
        return compare_consumer(name, folder)
    except Unavailable as e:
        pytest.skip(f"{name}: {e}")


def test_a_spark_job_answers_as_what_the_optimizer_made_of_it_does_row_by_row(tmp_path: Path) -> None:
    name = "spark-4.1.1"
    kept = [one for one in recorded() if one.consumer == name and not one.message.protocol.endswith("avro")][::SAMPLE]
    try:
        at = running_consumer(name, command(name), tmp_path / "log", "")
    except Unavailable as e:
        pytest.skip(str(e))
    with at as running:
        jobs = (replace(one.message, options={**one.message.options, "evaluation": "job"}) for one in kept)
        answers = list(running.answers((one.variant, one.place, job) for one, job in zip(kept, jobs, strict=True)))
    assert [(one.outcome, one.rows) for one in answers] == [(one.outcome, one.rows) for one in kept]
    assert len(answers) > 10


def test_they_were_shown_every_type_boundary_operation_and_dialect(shown: list[int]) -> None:
    if len(shown) < len(CONSUMERS):
        pytest.skip(f"{len(CONSUMERS) - len(shown)} consumers were not run to their end")
    assert sum(shown) >= LEAST_SHOWN


def test_a_real_decoder_is_judged_as_any_implementation(capsys: pytest.CaptureFixture[str]) -> None:
    name = "flink-1.20.4"
    try:
        command(name)  # builds it, which would take longer than a harness may
    except Unavailable as e:
        pytest.skip(str(e))
    iut = f"cmd:{sys.executable} {ROOT}/harnesses/consumers {name}"
    asked = ["run", "--iut", iut, "--protocol", "canal-json", "--role", "decode", "--select", "type=int"]
    assert main([*asked, "-q"]) in (0, 1)
    told = capsys.readouterr().out
    assert "suite-error" not in told
    assert "crash" not in told


def test_a_name_that_is_no_consumer_is_one_line_and_status_4() -> None:
    asked = [sys.executable, str(ROOT / "harnesses/consumers"), "flink-0.1"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("name one of: flink-1.20.4")
    assert json.dumps(done.stderr).count("\\n") == 1
