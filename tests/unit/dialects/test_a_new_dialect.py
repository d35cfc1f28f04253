"""A new dialect goes through every command by its own module and data: Squirrel, which builds on Canal."""

from __future__ import annotations

import base64
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.cases.parts import all_cases
from conformance.catalogue.register import load_register
from conformance.cli.main import main
from conformance.embedded import Embedded
from conformance.oracle.judges import judge_of
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CANAL, DIALECTS, UPSTREAM
from tests.amounts import ordinarily
from tests.unit.dialects.squirrel import SQUIRREL, add, serve

NAME = SQUIRREL.name
SERVED = shlex.join([sys.executable, serve.__file__])


@pytest.fixture(scope="module", autouse=True)
def known() -> Iterator[None]:
    """The dialect is known while these tests run."""
    with pytest.MonkeyPatch.context() as patch:
        for table in (DIALECTS, UPSTREAM):
            patch.setitem(table, NAME, SQUIRREL)
        add()
        yield


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the same changes as messages of both dialects."""
    folder = tmp_path_factory.mktemp("streams") / "made"
    what = ["--preset", "shop", "--seed", "5", "--changes", "60", "--ddl", "4", "--format", "jsonl", "-n", "1"]
    assert main(["generate", *what, "--dialect", NAME, "--dialect", CANAL.name, "--out", str(folder)]) == 0
    return folder


def case_of(role: str, name: str) -> Case:
    return next(case for case in all_cases(NAME, NEWARCH) if case.role == role and name in case.id)


def messages(folder: Path) -> list[dict[str, Any]]:
    lines = [line for file in sorted((folder / NAME).iterdir()) for line in file.read_text().splitlines()]
    return [json.loads(base64.b64decode(json.loads(line)["value"])) for line in lines]


def broken_in(folder: Path, into: Path, old: bytes, new: bytes) -> Path:
    """The stream with one message in which `old` became `new`."""
    lines = [line for file in sorted((folder / NAME).iterdir()) for line in file.read_text().splitlines()]
    for number, line in enumerate(lines):
        record = json.loads(line)
        value = base64.b64decode(record["value"])
        if old in value:
            lines[number] = json.dumps(record | {"value": base64.b64encode(value.replace(old, new, 1)).decode()})
            break
    else:
        raise AssertionError(f"no message has {old!r}")
    file = into / "broken.jsonl"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_what_is_encoded_has_the_member_of_the_dialect_and_is_decoded_again() -> None:
    case = case_of("encode", "keyed/smallint")
    records = SQUIRREL.encoder(parse(SQUIRREL.options, {})).encode(case.events, case.tables).records
    assert {tuple(json.loads(r.value or b"{}"))[:3] for r in records} == {("data", "db", "es")}
    assert len(SQUIRREL.decoder(parse(SQUIRREL.options, {})).decode(records, case.tables)) == len(case.events)


@pytest.mark.parametrize("role", ["encode", "decode"])
def test_the_reference_is_judged_by_rules_of_the_dialect_and_of_what_it_builds_on(role: str) -> None:
    judge, register, reference = judge_of(NAME, load_register(NAME), NEWARCH), load_register(NAME), Embedded(NEWARCH)
    found = [judge.judge(case, reference.ask(case)) for case in (case_of(role, "ddl/text"), case_of(role, "shape/"))]
    assert [judgement.findings for judgement in found] == [[], []]
    evaluated = set[str]().union(*(judgement.evaluated for judgement in found))
    assert evaluated <= register.requirements.keys()
    assert ("SQ-001" in evaluated) is (role == "encode")


def test_a_fault_in_the_member_of_the_dialect_breaks_its_requirement() -> None:
    case = case_of("encode", "ddl/text")
    answer = json.loads(json.dumps(Embedded(NEWARCH).ask(case)))
    for record in answer["ok"]["records"]:
        value = base64.b64decode(record["value"])
        record["value"] = base64.b64encode(value.replace(b'"db":"test"', b'"db":"tess"')).decode()
    found = judge_of(NAME, load_register(NAME), NEWARCH).judge(case, answer).findings
    assert {(f.requirement, f.path, str(f.harm)) for f in found} == {("SQ-001", "ddl.db", "changed")}


def test_a_harness_of_the_dialect_is_run_and_reported(tmp_path: Path) -> None:
    page, record = tmp_path / "run.html", tmp_path / "run.jsonl"
    reports = [f"--report=html={page}", f"--report=jsonl={record}"]
    chosen = ["--protocol", NAME, "-k", "keyed/smallint", "-n", "1"]
    assert main(["run", "-q", *chosen, "--iut", f"cmd:{SERVED}", *reports]) == 0
    assert NAME in page.read_text(encoding="utf-8")
    assert '"SQ-001"' in record.read_text(encoding="utf-8")


def test_the_sweep_finds_the_faults_in_the_member_of_the_dialect(tmp_path: Path) -> None:
    file = tmp_path / "sweep.json"
    chosen = ["--protocol", NAME, "--role", "encode", "--share", ordinarily("32", "8"), "-n", "1"]
    main(["sweep", *chosen, "--report", f"json={file}"])
    [swept] = json.loads(file.read_text(encoding="utf-8"))["sweeps"]
    [own] = [row for row in swept["paths"] if row["path"] == "records[].value.db"]
    assert own["faults"] == own["found"] > 0


def test_a_capture_of_the_dialect_is_checked(streams: Path, tmp_path: Path) -> None:
    page = tmp_path / "capture.html"
    tables = ["--tables", str(streams / "tables.json"), "--report", f"html={page}"]
    sound = [part for file in sorted((streams / NAME).iterdir()) for part in ("--records", str(file))]
    assert main(["check-capture", "--protocol", NAME, *sound, *tables]) == 0
    assert "squirrel" in page.read_text(encoding="utf-8")
    named = broken_in(streams, tmp_path, b'"db":', b'"database":')
    assert main(["check-capture", "--protocol", NAME, "--records", str(named), *tables]) == 1


def test_streams_of_the_dialect_are_compared_with_those_of_what_it_builds_on(streams: Path, tmp_path: Path) -> None:
    def compared(squirrel: Path, out: str) -> dict[str, Any]:
        sides = ["--left", f"{NAME}:{squirrel}", "--right", f"{CANAL.name}:{streams / CANAL.name}"]
        more = ["--tables", str(streams / "tables.json"), "-n", "1", "--quiet", f"--report=html={tmp_path / out}.html"]
        main(["compare", *sides, *more, "--out", str(tmp_path / out)])
        found: dict[str, Any] = json.loads((tmp_path / out / "summary.json").read_text(encoding="utf-8"))
        return found

    alike = compared(streams / NAME, "alike")
    assert (alike["exit_status"], NAME in (tmp_path / "alike.html").read_text(encoding="utf-8")) == (0, True)
    table = next(message["table"] for message in messages(streams) if message["data"])
    lost = compared(broken_in(streams, tmp_path, f'"table":"{table}"'.encode(), b'"table":"gone"'), "lost")
    assert lost["exit_status"] == 1
