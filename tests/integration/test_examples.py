"""What the guide for implementers shows: the example is a harness that is honest, and the pages say what is so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.cli.settings import SETTINGS
from conformance.engine.verdicts import Verdict
from conformance.transport.addresses import parse_address
from tests.amounts import ordinarily
from tests.integration.minimal import EXAMPLE, ROOT, address, changed

GUIDE = (ROOT / "docs" / "harness.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    """The blocks of a language in the guide."""
    return [block.partition("\n```")[0] for block in GUIDE.split(f"```{language}\n")[1:]]


def test_the_example_passes_the_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--iut", address()]) == 0
    said = capsys.readouterr().out
    assert [step for step in ("hello", "configure", "decode", "bye") if f"ok    {step}" not in said] == []


@pytest.mark.parametrize("declared", ["TYPES = [*BITS]", 'TYPES = ["varchar"]'])
def test_the_doctor_asks_for_nothing_that_was_not_declared(declared: str, tmp_path: Path, capsys) -> None:
    smaller = changed(tmp_path, ('TYPES = [*BITS, "char", "varchar"]', declared))
    assert main(["doctor", "--iut", smaller]) == 0


@pytest.mark.parametrize("example", ["minimal_harness.py", "canal_json_harness.py"])
def test_an_example_breaks_no_must_and_claims_nothing_that_it_does_not_do(example: str, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    asked = ["--protocol", "canal-json", *ordinarily(["--shard", "2/6"], [])]
    status = main(["run", "--iut", address(ROOT / "examples" / example), *asked, "-q", "--report", f"jsonl={record}"])
    events = [json.loads(line) for line in record.read_bytes().splitlines()]
    verdicts = {e["verdict"] for e in events if e["event"] == "verdict"}
    assert (status, verdicts) == (0, {Verdict.PASS, Verdict.WARN, Verdict.UNSUPPORTED})


def test_the_guide_shows_the_example_as_it_is() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    shown = fenced("python")
    assert shown
    assert [block for block in shown if block not in text] == []


def test_the_guide_explains_every_verdict_and_every_setting() -> None:
    assert [verdict for verdict in Verdict if f"| `{verdict}` |" not in GUIDE] == []
    assert [s.name for s in SETTINGS if f"| `{s.name}` |" not in GUIDE] == []


@pytest.mark.parametrize("scheme", ["cmd:", "py:", "tcp:", "exec:", "recorded:"])
def test_every_address_in_the_guide_can_be_read(scheme: str) -> None:
    written = [word for word in GUIDE.split("`") if word.startswith(scheme) and len(word) > len(scheme)]
    assert written
    for text in written:
        parse_address(text)
