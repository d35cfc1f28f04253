"""`fuzz` and `replay` of the upstream dialects: what a broken harness shows is made small, saved, and shown again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from tests.amounts import ordinarily

# By dialect: a mutant, and what the smallest case that shows it has in it.
BROKEN = [
    ("canal", "decode", "loses-the-last-row", ["insert"]),
    ("debezium-connector", "encode", "no-tombstones", ["insert", "delete"]),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("protocol", "role", "mutant", "ops"), BROKEN)
def test_what_is_found_in_a_dialect_is_saved_and_replayed(here, protocol, role, mutant, ops, capsys) -> None:
    broken = f"{REFERENCE} --mutant {protocol}/{mutant}"
    asked = ["--protocol", protocol, "--role", role, "--iut", broken, "--examples", ordinarily("10", "40")]
    assert main(["fuzz", *asked]) == 1
    out = capsys.readouterr().out
    [saved, *_] = sorted((here / "found").iterdir())
    assert f"replay found/{saved.name}" in " ".join(out.split())
    kept = json.loads(saved.read_text("utf-8"))
    assert [event.get("op") for event in kept["events"]] == ops
    assert main(["replay", str(saved), "--iut", broken]) == 1
    assert main(["replay", str(saved), "--iut", REFERENCE]) == 0
    assert main(["replay", str(saved)]) == 0


def test_a_harness_without_the_dialect_was_not_searched(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--protocol", "canal", "--iut", f"{REFERENCE} --protocol avro", "--examples", "3"]) == 5
    assert capsys.readouterr().out.endswith("nothing was searched\n")
