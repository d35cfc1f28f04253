"""The command as a person meets it: bad input is one clear message and the right exit status, never a traceback."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.configuring import REFERENCE
from conformance.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, str(ROOT / "ticdc_conformance.py")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("iut = [", ["not TOML"]),
        ("iut = " + "[" * 5000, ["not TOML"]),
        ('\nprotocl = ["canal-json"]\n', ["line 2", "'protocl'", "did you mean protocol?"]),
        ('level = "shall"\n', ["line 1", "'shall'", "should"]),
        ("timeout = -1\n", ["timeout"]),
        ("sessions = inf\n", ["line 1", "sessions", "whole number"]),
        ("sessions = 2.7\n", ["sessions", "whole number above 0", "2.7"]),
        ("timeout = 1e7\n", ["timeout", "below 1,000,000"]),
        ('\n"level" = "shall"\n', ["line 2", "'shall'"]),
        ("[level]\nis = 1\n", ["line 1", "level is not a text"]),
        ("level.is = 1\n", ["line 1", "level is not a text"]),
    ],
)
def test_a_malformed_configuration_names_file_line_and_remedy(text: str, words: list[str], tmp_path, capsys) -> None:
    file = tmp_path / "ticdc-conformance.toml"
    file.write_text(text, encoding="utf-8")
    assert main(["run", "--config", str(file)]) == 4
    said = capsys.readouterr().err
    assert [w for w in ["config error", str(file), *words] if w not in said] == []


def test_the_command_line_wins_over_the_environment_and_the_environment_over_the_file(tmp_path, monkeypatch, capsys):
    from conformance.cli.settings import resolve

    file = tmp_path / "ticdc-conformance.toml"
    file.write_text('level = "may"\ntimeout = 7\nprotocol = ["canal-json"]\n', encoding="utf-8")
    found = resolve({"level": "must"}, {"TICDC_CONFORMANCE_LEVEL": "should", "TICDC_CONFORMANCE_TIMEOUT": "3"}, file)
    assert (found["level"], found["timeout"], found["protocol"]) == ("must", 3.0, ("canal-json",))


def test_a_capture_with_a_broken_record_judges_the_rest_and_names_the_record(tmp_path: Path, capsys) -> None:
    watermark = (
        b'{"id":0,"database":"","table":"","pkNames":null,"isDdl":false,"type":"TIDB_WATERMARK","es":1640007049196,'
        b'"ts":1640007050284,"sql":"","sqlType":null,"mysqlType":null,"data":null,"old":null,'
        b'"_tidb":{"watermarkTs":429918007904436226}}'
    )
    capture = tmp_path / "topic.txt"
    capture.write_bytes(watermark + b"\n" + b'{"id":0,\n' + watermark + b"\n")
    report = tmp_path / "run.jsonl"
    arguments = ["check-capture", "--protocol", "canal-json", "--records", str(capture), "--report", f"jsonl={report}"]
    status = main(arguments)
    events = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    verdicts = [(e["case"], e["verdict"]) for e in events if e["event"] == "verdict"]
    assert [v for _, v in verdicts].count("pass") == 2
    assert any("line 2" in case and "byte" in case for case, v in verdicts if v != "pass")
    assert status != 0


def test_a_package_that_shadows_ours_is_one_clear_message(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "__init__.py").write_text("", encoding="utf-8")
    path = f"sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]"
    code = f"import sys; {path}; import ticdc_conformance as t; sys.exit(t.main())"
    done = subprocess.run([sys.executable, "-P", "-c", code, "list"], capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "'reports'" in done.stderr
    assert "environment of its own" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_copy_writes_can_be_used_without_this_tool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "fixtures"
    assert main(["copy", str(target)]) == 0
    manifest = json.loads((target / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    assert {"licence", "provenance", "sha256", "bytes"} == set(manifest["register/canal-json.toml"])
    assert main(["copy", str(target)]) == 4


def test_the_doctor_names_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--iut", REFERENCE, "--protocol", "open-protocol"]) == 0
    said = capsys.readouterr().out
    assert [s for s in ("hello", "configure", "encode", "decode", "bye") if s not in said] == []


def test_the_reference_without_its_option_is_told_apart_from_the_whole(tmp_path: Path) -> None:
    """A run through the pipe, small: selected by an expression, reported three ways."""
    reports = [f"--report={kind}={tmp_path / kind}" for kind in ("jsonl", "junit", "markdown")]
    done = subprocess.run(
        [*COMMAND, "run", "--iut", REFERENCE, "--protocol", "canal-json", "-k", "golden", *reports],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "jsonl").read_text(encoding="utf-8").splitlines()
    last = json.loads(lines[-1])
    assert last["event"] == "end"
    assert last["accounting"]["planned"] == sum(last["accounting"]["counts"].values())
    assert last["accounting"]["counts"]["pass"] > 0
    junit = (tmp_path / "junit").read_text(encoding="utf-8")
    assert junit.startswith("<?xml")
    put = last["accounting"]["counts"]["pass"]
    assert put > 100
    # 10 MB and 2 MB for a run of 6,500 cases that pass.
    of_cases = [line for line in lines if json.loads(line)["event"] in ("case", "verdict")]
    assert sum(map(len, of_cases)) / put < 10e6 / 6500
    assert len(junit.encode()) / put < 2e6 / 6500


def test_replay_with_v_shows_the_records_decoded_below_their_frames(capsys: pytest.CaptureFixture[str]) -> None:
    digest = hashlib.sha256(b"decode open-protocol/golden/01-event-formats/row-key").hexdigest()
    assert main(["replay", f"{digest[:8]}-decode", "--iut", REFERENCE, "-v"]) == 0
    said = capsys.readouterr()
    lines = [line.strip() for line in said.out.splitlines()]
    frame = next(i for i, line in enumerate(lines) if line.startswith("> ") and '"op":"decode"' in line)
    below = lines[frame + 1 : frame + 6]
    assert below[0].startswith("records[0] key    00 00 00 00 00 00 00 01")
    assert [line.split() for line in below[1:2]] == [["records[0]", "version", "1"]]
    assert any(line.startswith("records[0]        length") and '"u":' in line for line in below)


def test_the_lines_that_the_embedded_reference_is_sent_are_saved(tmp_path: Path) -> None:
    chosen = ["--protocol", "canal-json", "--role", "encode", "-k", "CJ-388", "-n", "1", "-q"]
    assert main(["run", *chosen, "--dump-stdin", str(tmp_path / "sent")]) == 0
    [file] = (tmp_path / "sent").iterdir()
    assert [json.loads(line)["op"] for line in file.read_text(encoding="utf-8").splitlines()[:2]] == [
        "hello",
        "configure",
    ]


MALFORMED_REQUESTS: list[tuple[dict[str, Any], str, str]] = [
    ({"op": ["encode"]}, "unsupported", "unknown op ['encode']"),
    ({"op": "encode", "tables": 3}, "rejected", "tables"),
    ({"op": "decode", "records": "e30="}, "rejected", "records"),
    ({"op": "configure", "protocol": ["avro"]}, "unsupported", "unknown protocol ['avro']"),
    *(
        ({"op": "configure", "protocol": "avro", name: given}, "rejected", name)
        for name, given in (("options", [1]), ("partitions", "2"), ("partitions", 0), ("now_ms", "x"), ("timezone", 1))
    ),
]


def test_the_reference_answers_a_malformed_request_and_the_next_one() -> None:
    requests = [{"op": "configure", "protocol": "canal-json"}, *(request for request, _, _ in MALFORMED_REQUESTS)]
    lines = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests))
    done = subprocess.run([*COMMAND, "serve-reference"], input=lines, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == list(range(len(requests)))
    for answer, (_, kind, word) in zip(answers[1:], MALFORMED_REQUESTS, strict=True):
        assert word in str(answer[kind])


def test_a_harness_on_stdio_answers_its_own_fault_with_an_error_and_goes_on() -> None:
    program = "from conformance.cli.serve_stdio import serve; serve(lambda request: {'id': 1 // request['id']})"
    lines = "".join(json.dumps({"id": number}) + "\n" for number in (0, 1))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, input=lines, capture_output=True, text=True, check=True
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"id": 0, "error": "ZeroDivisionError: integer division or modulo by zero"},
        {"id": 1},
    ]
    assert "Traceback" in done.stderr
