"""`run --iut recorded:DIR` of recordings of upstream producers: judged by the truth of their workload, without code."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from conformance.cases.model import replay_id_of
from conformance.cli.main import main
from conformance.engine.recordings import Asked, recordings_target
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import UPSTREAM
from tests.slices import Line, Run, change_bytes, change_lines, slice_of

TABLES = {"t_int", "k_comp", "f_def", "m_big"}
STREAMS = [("canal", "mysql97", "canal"), ("debezium24", "mysql97_noschema", "debezium-connector")]
STREAMS += [("debezium36", "mysql97_schema", "debezium-connector")]
streams = pytest.mark.parametrize(
    ("folder", "name", "protocol"), [s for s in STREAMS if s[2] in UPSTREAM], ids=lambda v: str(v)
)


def canal(tmp_path: Path) -> Path:
    return slice_of("canal", "mysql97", TABLES, tmp_path)


def records(folder: Path) -> Path:
    return folder / "mysql97.jsonl"


@streams
def test_a_recording_is_green(tmp_path: Path, folder: str, name: str, protocol: str) -> None:
    run = Run(slice_of(folder, name, TABLES, tmp_path), "--protocol", protocol)
    assert (run.status, set(run.counts), run.findings) == (0, {"pass"}, [])
    assert run.end["accounting"]["adds_up"]


def test_a_process_that_is_forked_to_judge_a_part_has_the_records_paired_already(tmp_path: Path) -> None:
    target = recordings_target("recorded:x", canal(tmp_path), NEWARCH, Asked())
    assert target.for_worker is not None
    shutil.rmtree(tmp_path / "canal")
    assert target.for_worker(1).open() is target.open()


@pytest.mark.parametrize("kind", ["junit", "markdown"])
def test_every_report_tells_of_it(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "report"
    main(["run", "--iut", f"recorded:{canal(tmp_path)}", "-q", f"--report={kind}={out}"])
    assert "canal" in out.read_text(encoding="utf-8")


def test_an_altered_digit_is_red_and_names_the_column(tmp_path: Path) -> None:
    folder = canal(tmp_path)
    change_lines(records(folder), lambda lines: change_bytes(lines[0], b"-8388608", b"-8388609"))
    run = Run(folder)
    [(case, finding)] = run.findings
    assert (run.status, run.counts["fail"]) == (1, 1)
    assert (case, finding["path"], finding["requirement"]) == ("mysql97/4", "value.data[0].c_mi", "CJ-440")
    assert (finding["expected"], finding["got"]) == ("-8388608", "-8388609")


def _leave_the_last(lines: list[Line]) -> None:
    del lines[:-1]


def _lose(lines: list[Line]) -> None:
    del lines[3]


def _repeat(lines: list[Line]) -> None:
    lines.insert(3, lines[3])


def _cut(lines: list[Line]) -> None:
    lines[3]["value"] = base64.b64encode(base64.b64decode(lines[3]["value"])[:-30]).decode()


def _blank(lines: list[Line]) -> None:
    change_bytes(lines[3], b'{"data"', b'{ "data"')


def _reorder(lines: list[Line]) -> None:
    change_bytes(lines[3], b'"database":"cap",', b"")
    change_bytes(lines[3], b'"isDdl"', b'"database":"cap","isDdl"')


def _double(lines: list[Line]) -> None:
    change_bytes(lines[3], b'"isDdl":false', b'"isDdl":false,"isDdl":false')


def _send_elsewhere(lines: list[Line]) -> None:
    lines[3]["topic"] = "elsewhere"


FAULTS: dict[str, tuple[Callable[[list[Line]], None], list[tuple[str, str, str]]]] = {
    "lost": (_lose, [("mysql97/after-6/missing-1", "record", "missing")]),
    "repeated": (_repeat, [("mysql97/7#2", "record", "extra")]),
    "cut": (_cut, [("mysql97/7", "value", "broken")]),
    "with a blank": (_blank, [("mysql97/7", "value", "text")]),
    "in another order": (_reorder, [("mysql97/7", "value", "order")]),
    "to another topic": (_send_elsewhere, [("mysql97/7", "topic", "value")]),
    "with a member twice": (_double, [("mysql97/7", "value.isDdl", "doubled")]),
}


@pytest.mark.parametrize(("fault", "expected"), FAULTS.values(), ids=FAULTS)
def test_a_record_that_is_not_as_it_should_be_is_red_and_costs_itself_alone(tmp_path, fault, expected) -> None:
    folder = canal(tmp_path)
    change_lines(records(folder), fault)
    run = Run(folder)
    assert [(case, f["path"], f["kind"]) for case, f in run.findings] == expected
    assert run.status == 1
    assert run.end["accounting"]["adds_up"]


MARIADB = "mariadb1011"


def test_the_text_of_a_statement_is_told_before_its_rows(tmp_path: Path) -> None:
    folder = slice_of("canal", MARIADB, {"k_nopk"}, tmp_path, truth=f"truth-{MARIADB}.jsonl", sql=True)
    # Of the statements about this table the slice has the text of the insertion alone.
    path = folder / f"{MARIADB}.jsonl"  # without the messages of statements that define something, which are missed
    texts = [(f["path"], f["kind"]) for _, f in Run(folder).findings if f["path"] != "ddl"]
    assert texts == [("statement", "missing")] * 2
    change_lines(path, lambda lines: change_bytes(lines[0], b"insert into", b"Insert into"))
    assert ("value.sql", "value") in [(f["path"], f["kind"]) for _, f in Run(folder).findings]


def test_a_wrong_second_is_no_fault_and_a_time_that_is_no_second_is(tmp_path: Path) -> None:
    folder = canal(tmp_path)
    change_lines(records(folder), lambda lines: change_bytes(lines[0], b'"es":1795248411000', b'"es":1795248412000'))
    assert Run(folder).status == 0
    change_lines(records(folder), lambda lines: change_bytes(lines[0], b'"es":1795248412000', b'"es":1795248412001'))
    assert [f["requirement"] for _, f in Run(folder).findings] == ["CJ-668"]


def test_what_no_rule_models_is_shown_and_is_no_pass(tmp_path: Path) -> None:
    folder = canal(tmp_path)
    border = b'{"data":null,"database":"cap","isDdl":false,"sql":"","table":"x","type":"GTID"}'
    statement = {"n": 999, "topic": "example", "key": None, "value": base64.b64encode(border).decode()}
    change_lines(records(folder), lambda lines: lines.append(statement))
    run = Run(folder)
    assert (run.status, run.counts["unsupported"]) == (0, 1)
    assert "neither rows nor anything that is known" in run.verdicts[-1]["message"]
    change_lines(records(folder), _leave_the_last)
    (tmp_path / "workload" / "truth-mysql97.jsonl").write_text(
        '{"kind": "table", "version": 1, "table": {"schema": "cap", "name": "x", "columns": []}}\n', encoding="utf-8"
    )
    assert Run(folder).status == 5


def test_a_line_that_holds_no_record_is_inconclusive(tmp_path: Path) -> None:
    folder = canal(tmp_path)
    with records(folder).open("a", encoding="utf-8") as lines:
        lines.write("no json\n")
    assert Run(folder).status == 6


def test_a_time_beyond_the_calendar_is_a_fault_of_its_record_in_every_zone_of_a_session(tmp_path: Path) -> None:
    folder = slice_of("canal", "mysql97", {"f_def"}, tmp_path, sql=True)
    script = tmp_path / "workload" / "workload.sql"
    script.write_bytes(script.read_bytes().replace(b"time_zone='+00:00'", b"time_zone='+05:00'"))
    meta = json.loads((folder / "mysql97.meta.json").read_bytes()) | {"workload_sha256": None}
    (folder / "mysql97.meta.json").write_text(json.dumps(meta), encoding="utf-8")
    change_lines(records(folder), lambda lines: [change_bytes(line, b'"es":', b'"es":99') for line in lines])
    run = Run(folder)
    assert (run.status, run.counts["suite_error"]) == (1, 0)
    assert run.counts["fail"] > 0


def test_without_a_truth_it_is_said_what_was_looked_for_and_where(tmp_path: Path, capsys) -> None:
    folder = canal(tmp_path)
    (tmp_path / "workload" / "truth-mysql97.jsonl").unlink()
    assert Run(folder).status == 4
    said = capsys.readouterr().err
    assert "truth-mysql97-workload.jsonl or truth-mysql97.jsonl" in said
    assert str(tmp_path / "workload") in said


@pytest.fixture
def beside_one_without_a_truth(tmp_path: Path) -> Path:
    """A folder of the recordings `mysql97` and `other`, with a truth for the first alone."""
    folder = canal(tmp_path)
    (folder / "other.jsonl").write_bytes(records(folder).read_bytes())
    meta = json.loads((folder / "mysql97.meta.json").read_bytes()) | {"server": "mariadb", "server_version": "11"}
    (folder / "other.meta.json").write_text(json.dumps(meta), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("select", "status"),
    [
        *(("mysql97/1", 0), ("mysql97/* or mysql97/2", 0), ("mysql97 and encode", 0)),
        *(("mysql97/1 or other/1", 4), ("*/103", 4), ("insert", 4), ("not mysql97", 4), ("not insert", 4)),
    ],
)
def test_a_recording_without_a_truth_stops_no_selection_of_another_one(
    select: str, status: int, beside_one_without_a_truth: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Run(beside_one_without_a_truth, "-k", select).status == status
    assert ("other: no truth of workload.sql on mariadb" in capsys.readouterr().err) == (status == 4)


@pytest.mark.parametrize(("recording", "status"), [("mysql97", 0), ("other", 4)])
@pytest.mark.parametrize("name_of", [str, partial(replay_id_of, "encode")], ids=["id", "replay id"])
def test_a_recording_without_a_truth_stops_no_replay_of_a_case_of_another_one(
    recording: str, status: int, name_of, beside_one_without_a_truth: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = beside_one_without_a_truth
    number = json.loads(records(folder).read_bytes().splitlines()[0])["n"]
    assert main(["replay", name_of(f"{recording}/{number}"), "--iut", f"recorded:{folder}"]) == status
    assert ("other: no truth of workload.sql on mariadb" in capsys.readouterr().err) == (status == 4)


def test_the_gate_may_be_asked_to_forgive_what_no_document_states(tmp_path: Path) -> None:
    folder = canal(tmp_path)
    change_lines(records(folder), _lose)
    assert Run(folder, "--gate", "must").status == 0
