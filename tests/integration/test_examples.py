"""What the guide for implementers shows: the example is a harness that is honest, and the pages say what is so."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.cli.settings import SETTINGS
from conformance.engine.verdicts import Verdict
from conformance.transport.addresses import parse_address
from tests.amounts import ordinarily

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "minimal_harness.py"
ADDRESS = f"cmd:{sys.executable} {EXAMPLE}"
GUIDE = (ROOT / "docs" / "harness.md").read_text(encoding="utf-8")


def fenced(language: str) -> list[str]:
    """The blocks of a language in the guide."""
    return [block.partition("\n```")[0] for block in GUIDE.split(f"```{language}\n")[1:]]


def test_the_example_passes_the_doctor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--iut", ADDRESS]) == 0
    said = capsys.readouterr().out
    assert [step for step in ("hello", "configure", "decode", "bye") if f"ok    {step}" not in said] == []


@pytest.mark.parametrize("declared", ["TYPES = [*BITS]", 'TYPES = ["varchar"]'])
def test_the_doctor_asks_for_nothing_that_was_not_declared(declared: str, tmp_path: Path, capsys) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    smaller = tmp_path / "smaller.py"
    smaller.write_text(text.replace('TYPES = [*BITS, "char", "varchar"]', declared), encoding="utf-8")
    assert smaller.read_text(encoding="utf-8") != text
    assert main(["doctor", "--iut", f"cmd:{sys.executable} {smaller}"]) == 0


@pytest.mark.parametrize("example", ["minimal_harness.py", "canal_json_harness.py"])
def test_an_example_breaks_no_must_and_claims_nothing_that_it_does_not_do(example: str, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    address = f"cmd:{sys.executable} {ROOT / 'examples' / example}"
    asked = ["--protocol", "canal-json", *ordinarily(["--shard", "2/6"], [])]
    status = main(["run", "--iut", address, *asked, "-q", "--report", f"jsonl={record}"])
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


@pytest.mark.parametrize("address", ["cmd:", "py:", "tcp:", "exec:", "recorded:"])
def test_every_address_in_the_guide_can_be_read(address: str) -> None:
    written = [word for word in GUIDE.split("`") if word.startswith(address) and len(word) > len(address)]
    assert written
    for text in written:
        parse_address(text)
