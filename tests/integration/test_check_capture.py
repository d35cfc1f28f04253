"""`check-capture` as a command: files in, a run record and a status out."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main
from conformance.registry import ServedRegistry
from reference_impl.wire import event_to_json, record_to_json, table_to_json
from tests.unit.captures.given import row_vector
from tests.unit.differential.generated import sent, side, transactions

ROOT = Path(__file__).resolve().parents[2]


def write(path: Path, items: list[Any]) -> str:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return str(path)


class Files:
    """A recording as files: `records`, `tables`, `events`, `schemas`."""

    def __init__(self, folder: Path, protocol: str, spoil: Callable[[bytes], bytes] = bytes) -> None:
        vector = row_vector(protocol)
        records = [record_to_json(record) for record in vector.records or ()]
        records[0]["value"] = base64.b64encode(spoil(base64.b64decode(records[0]["value"]))).decode()
        self.protocol = protocol
        self.records = write(folder / "records.jsonl", records)
        self.tables = write(folder / "tables.jsonl", [table_to_json(table) for table in vector.tables])
        self.events = write(folder / "events.jsonl", [event_to_json(event) for event in vector.events])
        self.schemas = write(folder / "schemas.jsonl", [asdict(schema) for schema in vector.schemas])

    def check(self, *arguments: str) -> int:
        return main(["check-capture", "--protocol", self.protocol, "--records", self.records, *arguments])


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol", "debezium", "avro"])
@pytest.mark.parametrize("known", [(), ("tables",), ("tables", "events")], ids=["nothing", "tables", "events"])
def test_a_recording_is_green_whatever_is_known_of_it(protocol: str, known: tuple[str, ...], tmp_path: Path) -> None:
    files = Files(tmp_path, protocol)
    given = [word for name in known for word in (f"--{name}", getattr(files, name))]
    assert files.check(*given, "--schemas", files.schemas, "-q", "--strict") == 0


@pytest.mark.parametrize(
    ("protocol", "named"),
    [("canal-json", "canal"), ("canal-json", "open-protocol"), ("debezium", "canal-json"), ("open-protocol", "avro")],
)
@pytest.mark.parametrize("redacted", [(), ("--redact",)], ids=["shown", "redacted"])
def test_a_wrong_protocol_is_named_with_the_one_that_the_messages_look_like(
    protocol: str, named: str, redacted: tuple[str, ...], tmp_path: Path, capsys
) -> None:
    files = Files(tmp_path, protocol)
    assert files.check("--protocol", named, "--schemas", files.schemas, *redacted) in (1, 6)
    hint = f"no record is right as {named}; the first ones look like {protocol}: try --protocol {protocol}"
    assert hint in " ".join(capsys.readouterr().out.split())


def test_odd_messages_are_not_named_after_a_dialect_that_can_only_read_them(tmp_path: Path, capsys) -> None:
    """Canal-JSON reads messages of Canal that have one more member."""
    sound = sent(side("one", "canal"), transactions("shop", 10, 3))
    odd = [replace(one, value=one.value[:-1] + b',"more":1}') for one in sound if one.value]
    records = write(tmp_path / "records.jsonl", list(map(record_to_json, odd)))
    assert main(["check-capture", "--protocol", "canal", "--records", records]) == 1
    assert "look like" not in capsys.readouterr().out


def test_a_folder_in_place_of_the_tables_is_named_with_the_reason_alone(tmp_path: Path, capsys) -> None:
    assert Files(tmp_path, "canal-json").check("--tables", str(tmp_path)) == 4
    whole = f"--tables {tmp_path}: a folder without *-schema.sql, which dumpling and mydumper write\n"
    assert whole in capsys.readouterr().err


def test_a_schema_that_is_not_in_the_file_leaves_the_run_inconclusive(tmp_path: Path, capsys) -> None:
    files = Files(tmp_path, "avro")
    assert files.check("--schemas", write(tmp_path / "none.jsonl", [{"id": 99, "schema": "{}"}])) == 6
    assert "schema 1 is not among those given" in capsys.readouterr().out


def test_what_was_not_looked_at_is_said_with_the_number_of_records(tmp_path: Path, capsys) -> None:
    files = Files(tmp_path, "debezium")
    lines = [json.loads(line) for line in Path(files.records).read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 2
    for number, line in enumerate(lines):
        line |= {"partition": 0, "offset": 10**9 if number == 0 else number}
    write(Path(files.records), lines)
    assert files.check("--tables", files.tables) == 0
    said = " ".join(capsys.readouterr().out.split())
    left = len(lines) - 1
    assert (
        f"note {left} of {len(lines)} records: an earlier line of the capture has a later offset of its partition: "
        "order was left out"
    ) in said


def test_a_capture_that_is_judged_whole_has_no_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = Files(tmp_path, "debezium")
    lines = [json.loads(line) for line in Path(files.records).read_text(encoding="utf-8").splitlines()]
    write(Path(files.records), [line | {"partition": 0, "offset": n} for n, line in enumerate(lines)])
    assert files.check("--tables", files.tables) == 0
    assert "note" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("schemas", "said"),
    [
        ([{"id": 1}], "schema 1: there is no member 'schema'"),
        ([{"id": "1", "schema": "{}"}], "schema 1: `id` is a number"),
        ([7], "schema 1: "),
    ],
    ids=["no text", "an id that is a string", "no object"],
)
def test_a_list_of_schemas_that_is_none_is_one_clear_message(schemas: list[Any], said: str, tmp_path, capsys) -> None:
    assert Files(tmp_path, "avro").check("--schemas", write(tmp_path / "wrong.jsonl", schemas)) == 4
    assert said in capsys.readouterr().err


def test_a_finding_names_the_place_and_the_line_that_judges_it_again(tmp_path: Path, capsys, monkeypatch) -> None:
    files = Files(tmp_path, "debezium", lambda value: value.replace(b"2.4.0.Final", b"2.5.0.Final"))
    monkeypatch.setattr("sys.argv", ["ticdc-conformance", "check-capture", "--records", files.records])
    report = tmp_path / "run.jsonl"
    assert files.check("--report", f"jsonl={report}") == 1
    said = "".join(capsys.readouterr().out.split())
    assert f"replayticdc-conformancecheck-capture--records{files.records}#{files.records},line1,byte0" in said
    events = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    found = {(e["replay"], f["requirement"]) for e in events if e["event"] == "verdict" for f in e["findings"]}
    assert found == {(f"{files.records}, line 1, byte 0", "DBZ-041a")}


@pytest.mark.parametrize("kind", ["jsonl", "html", "junit", "markdown", "sarif", "allure"])
def test_a_redacted_report_has_no_value_of_a_column(kind: str, tmp_path: Path) -> None:
    if kind == "allure":
        pytest.importorskip("allure_commons")
    secret = "8675309"
    files = Files(tmp_path, "canal-json", lambda value: value.replace(b'"id":"1"', f'"id":"{secret}"'.encode()))
    texts = []
    for redact in ([], ["--redact"]):
        report = tmp_path / "report"
        given = ["--tables", files.tables, "--events", files.events, "--report", f"{kind}={report}"]
        assert files.check(*given, "-q", *redact) == 1
        written = sorted(report.iterdir()) if report.is_dir() else [report]
        texts.append("".join(file.read_text(encoding="utf-8") for file in written))
    # Nor in another form: as bytes beside each other, or as the record that was read.
    forms = [secret, secret.encode().hex(" "), base64.b64encode(secret.encode()).decode()[:8]]
    assert [any(form in text for form in forms) for text in texts] == [True, False]
    assert "value.data[0].id" in texts[1]


def test_schemas_are_looked_up_in_a_registry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = Files(tmp_path, "avro")
    registry = ServedRegistry()
    try:
        registry.begin(row_vector("avro").schemas)
        assert files.check("--registry-url", str(registry.url), "-q") == 0
        registry.begin()
        assert files.check("--registry-url", str(registry.url)) == 1
    finally:
        registry.close()
    assert "AV-156a" in capsys.readouterr().out


def test_a_registry_that_is_not_there_is_one_clear_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    registry = ServedRegistry()
    registry.close()
    assert Files(tmp_path, "avro").check("--registry-url", str(registry.url)) == 4
    assert "--registry-url: the schema registry cannot be reached" in capsys.readouterr().err


def test_a_terminal_without_utf_8_shows_escapes_and_the_run_ends_as_it_does_elsewhere(tmp_path: Path) -> None:
    files = Files(tmp_path, "canal-json", lambda value: value.replace(b'"id":4', '"é":4'.encode()))
    report = tmp_path / "run.jsonl"
    given = ["check-capture", "--protocol", "canal-json", "--records", files.records, "--report", f"jsonl={report}"]
    command = [sys.executable, "-m", "ticdc_conformance", *given]
    own = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    found = subprocess.run(command, env={**os.environ, **own}, capture_output=True, check=False, cwd=ROOT)
    assert (found.returncode, found.stderr) == (1, b"")
    assert found.stdout.isascii()
    assert json.loads(report.read_bytes().splitlines()[-1])["exit"] == 1


def test_if_no_record_is_of_a_given_table_the_tables_of_both_are_named(tmp_path: Path, capsys) -> None:
    tables = tmp_path / "other.sql"
    tables.write_text("CREATE TABLE t (id int PRIMARY KEY);", encoding="utf-8")
    files = Files(tmp_path, "canal-json")
    files.check("--tables", str(tables))
    known = {
        f"{line['schema']}.{line['name']}" for line in map(json.loads, Path(files.tables).read_text().splitlines())
    }
    [name] = known
    hint = f"no record is of a table of --tables: the records are of {name}; --tables has other.t"
    assert hint in " ".join(capsys.readouterr().out.split())
    files.check("--tables", files.tables)
    assert "no record is of a table" not in capsys.readouterr().out


def test_tables_are_read_as_sql_or_json_by_their_content_if_the_name_of_the_file_does_not_say(tmp_path: Path) -> None:
    files = Files(tmp_path, "canal-json")
    for name, content in (("a", Path(files.tables).read_text()), ("b.txt", "\n-- dump\nCREATE TABLE t (id int);")):
        (tmp_path / name).write_text("\ufeff" + content if name == "b.txt" else content, encoding="utf-8")
        assert files.check("--tables", str(tmp_path / name), "-q") == 0
    (tmp_path / "none.json").write_text("[]", encoding="utf-8")
    assert files.check("--tables", str(tmp_path / "none.json"), "-q") == 4
