"""`matrix`: encoders by readers, from the command to its reports."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.cases.model import Case
from conformance.catalogue.fixtures import fixtures_root
from conformance.cli.main import main
from conformance.engine.case_session import CaseSession


def test_recorded_ticdc_is_read_by_consumers_and_by_the_reference(tmp_path: Path, capsys) -> None:
    reports = [part for kind in ("json", "html") for part in ("--report", f"{kind}={tmp_path / f'table.{kind}'}")]
    readers = ["--consumer", "flink@2.3.0", "--consumer", "paimon@1.3.1", "--decoder", "reference"]
    asked = ["matrix", "--encoder", "ticdc-newarch", "--protocol", "canal-json", "-k", "type/bigint or type/enum"]
    assert main([*asked, *readers, *reports]) == 0
    record = json.loads((tmp_path / "table.json").read_text())
    schema = json.loads((fixtures_root() / "schemas" / "compatibility.schema.json").read_text())
    assert list(Draft202012Validator(schema).iter_errors(record)) == []
    cells = {cell["reader"]: cell for cell in record["cells"]}
    assert cells["flink@2.3.0"]["verdict"] == "silently wrong"  # an ENUM is its number
    assert cells["reference (newarch) 0.1.0"]["verdict"] == "lossless"
    assert all(sum(cell["counts"].values()) == cell["cases"] for cell in record["cells"])
    enum = next(cause for cause in cells["flink@2.3.0"]["causes"] if cause["type"].startswith("enum"))
    assert enum["examples"][0]["case"].startswith("canal-json/recorded/newarch/")
    page = (tmp_path / "table.html").read_text()
    assert "silently wrong" in page
    assert "http" not in page.partition("<main")[2].partition("<script")[0]
    assert "SILENTLY WRONG" in capsys.readouterr().out


_FEW = ["--protocol", "canal-json", "-k", "type/bigint"]
_NEWARCH = ["--encoder", "ticdc-newarch", "--protocol", "canal-json"]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([*_FEW, "--encoder", "reference", "--encoder", "cmd:false", "--decoder", "reference"], 6),
        ([*_FEW, "--encoder", "reference", "--decoder", "cmd:false", "--fail-on", "lossy"], 6),
        ([*_NEWARCH, "--consumer", "connect@3.9.1", "-k", "type/int"], 5),
        ([*_NEWARCH, "-k", "type/enum", "--fail-on", "silently-wrong"], 1),
    ],
)
def test_the_status_says_what_went_wrong(arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["matrix", *arguments]) == status
    said = capsys.readouterr()
    assert "Traceback" not in said.err


_DYING = """
import json, sys

for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "encode":
        sys.exit(3)
    ok = {"harness": 1, "name": "dying", "version": "0", "language": "python", "protocols": {"canal-json": {}}}
    print(json.dumps({"id": request["id"], "ok": ok if request["op"] == "hello" else {}}), flush=True)
"""


_ENDING = """
import sys
from pathlib import Path

from conformance.cli.serve_stdio import serve
from conformance.reference_harness import ReferenceHarness

op, ended, seen = sys.argv[1], Path(sys.argv[2]), []
if ended.exists():
    sys.exit(3)


def answer(request):
    seen.append(request["op"])
    if seen.count(op) > 1:
        ended.touch()
        sys.exit(3)
    return ReferenceHarness.answer(reference, request)


reference = ReferenceHarness()
serve(answer)
"""


@pytest.mark.parametrize(("op", "other"), [("encode", "--decoder"), ("decode", "--encoder")])
def test_an_implementation_that_is_lost_midway_is_no_green_table(op: str, other: str, tmp_path: Path, capsys) -> None:
    harness = tmp_path / "harness.py"
    harness.write_text(_ENDING, encoding="utf-8")
    address = f"cmd:{sys.executable} {harness} {op} {tmp_path / 'ended'}"
    asked = ["matrix", f"--{op}r", address, other, "reference", "--protocol", "canal-json", "-k", "golden"]
    assert main([*asked, "--report", f"json={tmp_path / 'table.json'}"]) == 6
    said = capsys.readouterr()
    [cell] = json.loads((tmp_path / "table.json").read_text())["cells"]
    assert cell["counts"]["not tried"] > 0
    assert "it does not start any more" in said.err


@pytest.mark.parametrize("role", ["encode", "decode"])
def test_a_fault_of_the_suite_itself_is_no_green_table(role: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    judged = CaseSession._judged

    def failing(self: CaseSession, item: Any, case: Case, answer: Any) -> Any:
        if case.role == role:
            raise ZeroDivisionError("no such number")
        return judged(self, item, case, answer)

    monkeypatch.setattr(CaseSession, "_judged", failing)
    assert main(["matrix", *_FEW, "--encoder", "reference", "--decoder", "reference"]) == 3
    said = capsys.readouterr()
    assert "the suite itself failed in " in said.err
    assert "not tried" in said.out


@pytest.mark.parametrize("refused", [False, True], ids=["all encoded", "some refused"])
def test_a_decoder_that_does_not_start_is_told(refused: bool, tmp_path: Path, capsys) -> None:
    harness = tmp_path / "harness.py"
    refusing = "if seen.count('encode') == 2: return {'id': request['id'], 'error': 'no'}"
    harness.write_text(
        _ENDING.replace("if seen.count(op) > 1:", f"{refusing * refused}\n    if False:"), encoding="utf-8"
    )
    encoder = f"cmd:{sys.executable} {harness} encode {tmp_path / 'ended'}"
    asked = ["matrix", "--encoder", encoder, "--decoder", "cmd:false", "--protocol", "canal-json", "-k", "golden"]
    assert main(asked) == 6
    assert "cmd:false: " in capsys.readouterr().err


def test_cases_that_a_lost_encoder_did_not_get_are_not_tried(tmp_path: Path) -> None:
    harness = tmp_path / "harness.py"
    harness.write_text(_DYING, encoding="utf-8")
    encoders = ["--encoder", f"cmd:{sys.executable} {harness}", "--encoder", "reference"]
    asked = ["matrix", *encoders, "--protocol", "canal-json", "-k", "golden", "--consumer", "flink@2.3.0"]
    assert main([*asked, "--report", f"json={tmp_path / 'table.json'}"]) == 6
    lost, whole = json.loads((tmp_path / "table.json").read_text())["cells"]
    assert (lost["cases"], lost["counts"]) == (whole["cases"], {"not tried": whole["cases"]})
    assert any(cause["effect"].startswith("the encoder was lost: ") for cause in lost["causes"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_table_whose_report_cannot_be_written_is_shown_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["matrix", *_FEW, "--encoder", "reference", "--decoder", "reference", "--report", "json=/dev/full"]
    assert main(asked) == 3
    said = capsys.readouterr()
    assert ("1 cell: 1 lossless" in said.out, "No space left on device" in said.err) == (True, True)


_REFUSING = """
from conformance.cli.serve_stdio import serve
from conformance.reference_harness import ReferenceHarness

protocols = []


def answer(request):
    protocols.append(request.get("protocol", protocols[-1] if protocols else ""))
    if request["op"] == "encode" and protocols[-1] == "open-protocol":
        return {"id": request["id"], "error": "no"}
    return ReferenceHarness.answer(reference, request)


reference = ReferenceHarness()
serve(answer)
"""


def test_a_decoder_with_nothing_to_read_in_a_protocol_has_one_column_for_all(tmp_path: Path) -> None:
    harness = tmp_path / "harness.py"
    harness.write_text(_REFUSING, encoding="utf-8")
    protocols = ["--protocol", "open-protocol", "--protocol", "canal-json", "-k", "golden"]
    asked = ["matrix", "--encoder", f"cmd:{sys.executable} {harness}", "--decoder", "reference", *protocols]
    assert main([*asked, "--report", f"json={tmp_path / 'table.json'}"]) == 0
    table = json.loads((tmp_path / "table.json").read_text())
    assert table["readers"] == ["reference (newarch) 0.1.0"]
    assert {cell["protocol"]: cell["verdict"] for cell in table["cells"]} == {
        "canal-json": "lossless",
        "open-protocol": "not tried",
    }
