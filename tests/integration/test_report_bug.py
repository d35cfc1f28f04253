"""`report-bug CASE`: what is in the bundle, what is never in a redacted one, and what is refused."""

from __future__ import annotations

import json
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main
from conformance.cli.parser import typed_command

CASE = "canal-json/golden/06-delete-event/since-v5-4-0"
OF_THE_REFERENCE = {"README.md", "case.json", "reference-frames.jsonl", "reference.jsonl", "register.json"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def harness(folder: Path) -> str:
    """One that answers every request with a value that nothing else has."""
    program = folder / "harness.py"
    program.write_text(
        "import base64, json, sys\n"
        "HELLO = {'harness': 1, 'name': 'h', 'version': '1', 'language': 'Python', 'protocols': {'canal-json': {}}}\n"
        "RECORD = {'key': None, 'value': base64.b64encode(b'{\"data\":\"very private\"}').decode()}\n"
        "for line in sys.stdin:\n"
        "    request = json.loads(line)\n"
        "    ok = {'hello': HELLO, 'encode': {'records': [RECORD]}, 'decode': {'events': []}}.get(request['op'], {})\n"
        "    print(json.dumps({'id': request['id'], 'ok': ok}), flush=True)\n",
        encoding="utf-8",
    )
    return f"cmd:{shlex.join([sys.executable, str(program)])}"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_bundle_has_the_case_the_register_the_verdict_and_the_bytes(folder: Path, harness: str) -> None:
    assert main(["report-bug", CASE, "--role", "encode", "--iut", harness, "-o", "bug"]) == 0
    bug = folder / "bug"
    assert {path.name for path in bug.iterdir()} == OF_THE_REFERENCE | {"run.jsonl", "frames.jsonl"}
    [verdict] = [e for e in lines(bug / "run.jsonl") if e["event"] == "verdict" and e["case"] == CASE]
    assert verdict["verdict"] == "fail"
    assert json.loads((bug / "case.json").read_text(encoding="utf-8"))["case"] == CASE
    entries = {entry["id"] for entry in json.loads((bug / "register.json").read_text(encoding="utf-8"))}
    assert {"CJ-502"} < entries
    assert entries >= {finding["requirement"] for finding in verdict["findings"]}  # type: ignore[attr-defined]
    frames = (bug / "frames.jsonl").read_text(encoding="utf-8").splitlines()
    assert any(line.startswith('> {"id":') and '"op":"encode"' in line for line in frames)
    assert any(line.startswith("< ") and '"records"' in line for line in frames)


def test_the_case_of_a_bundle_is_put_again(folder: Path, harness: str) -> None:
    assert main(["report-bug", CASE, "--role", "encode", "-o", "bug"]) == 0
    assert main(["replay", "bug/case.json", "--iut", harness]) == 1
    assert main(["replay", "bug/case.json", "--iut", REFERENCE]) == 0


def test_without_an_implementation_the_bundle_says_what_the_reference_answers(folder: Path) -> None:
    assert main(["report-bug", CASE, "--role", "encode"]) == 0
    [path] = folder.glob("*.zip")
    assert path.name.endswith("-encode.zip")
    with zipfile.ZipFile(path) as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == OF_THE_REFERENCE


def test_a_redacted_bundle_has_no_value_of_a_column_and_not_the_command(
    folder: Path, harness: str, monkeypatch
) -> None:
    given = ["report-bug", CASE, "--role", "encode", "-o", "bug", "--iut", harness, "--redact"]
    monkeypatch.setattr(sys, "argv", ["ticdc-conformance", *given])
    assert main(given) == 0
    assert {path.name for path in (folder / "bug").iterdir()} == {
        *("README.md", "reference.jsonl", "register.json", "run.jsonl")
    }
    whole = "".join(path.read_text(encoding="utf-8") for path in (folder / "bug").iterdir())
    assert "very private" not in whole
    assert str(folder) not in whole
    assert "… (text, " in whole


def test_the_same_case_makes_the_same_case_file(folder: Path) -> None:
    for name in ("a", "b"):
        assert main(["report-bug", CASE, "--role", "encode", "-o", name]) == 0
    for name in ("case.json", "register.json", "reference-frames.jsonl"):
        assert (folder / "a" / name).read_bytes() == (folder / "b" / name).read_bytes()


@pytest.mark.parametrize("password", ["s3cr3t", "p@s3cr3t"])
def test_a_password_of_a_registry_is_in_no_file(password: str, folder: Path, harness: str, monkeypatch) -> None:
    more = ["--iut", harness, "--registry-url", f"http://reader:{password}@127.0.0.1:9"]
    given = ["report-bug", CASE, "--role", "encode", "-o", "bug", *more]
    monkeypatch.setattr(sys, "argv", ["ticdc-conformance", *given])
    assert main(given) == 0
    told = "".join(path.read_text(encoding="utf-8") for path in (folder / "bug").iterdir())
    assert "s3cr3t" not in told
    assert "http://…@127.0.0.1:9" in told


@pytest.mark.parametrize("rest", ["?group=me@x", "#me@x", "/topic?group=me@x"])
def test_a_record_shows_the_host_of_a_url_with_an_at_sign_after_it(rest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["ticdc-conformance", "kafka://host:1" + rest, f"kafka://me:s3cr3t@host:1{rest}"])
    assert typed_command() == ["ticdc-conformance", f"kafka://host:1{rest}", f"kafka://…@host:1{rest}"]
