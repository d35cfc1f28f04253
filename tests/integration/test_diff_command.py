"""`diff` as people use it: two generations of one record, two builds in two folders, and what is no run at all."""

from __future__ import annotations

import contextlib
import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.cli.main import main
from conformance.cli.run_folder import RunFolder, keeping
from conformance.engine import RunConfig, run_suite
from conformance.engine.baseline import read_baseline
from conformance.engine.implementation import recorded_target
from conformance.engine.verdicts import Gate
from reference_impl.profiles import CLASSIC, NEWARCH
from reports import Event

RECORDINGS = fixtures_root() / "recorded"

# The regressions of the newer generation that its recordings show: requirement broken, and the id in fixtures/defects.
REGRESSIONS = {
    ("avro", "AV-002b"): "virtual-not-null-refused",
    ("debezium", ""): "panics on an explicit NULL in a nullable DATE column",
    ("open-protocol", "OP-058"): "nameless-null-in-p",
    ("debezium", "DBZ-162c"): "time-default-as-zero",
    ("debezium", "DBZ-057b"): "doubled-virtual-column",
    ("open-protocol", "OP-032"): "doubled-ohk",
}


@pytest.fixture(scope="module")
def generations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder with the recordings of both generations of TiCDC."""
    out = tmp_path_factory.mktemp("generations")
    config = RunConfig(
        targets=(
            recorded_target("recordings of ticdc-newarch", RECORDINGS / "ticdc-newarch", NEWARCH),
            recorded_target("recordings of ticdc-classic", RECORDINGS / "ticdc-classic", CLASSIC),
        ),
        policy=Gate.DATA,
        baseline=tuple(read_baseline(RECORDINGS / "baseline.toml").entries),
        today=date(2026, 1, 1),
        command=("ticdc-conformance", "run"),
    )
    with contextlib.ExitStack() as stack:
        folder = RunFolder(out, stack)
        run_suite(keeping(config, folder), [folder.handle])
        folder.finish()
    return out


def diff(tmp_path: Path, *arguments: str) -> tuple[int, Event]:
    report = tmp_path / "diff.json"
    status = main(["diff", *arguments, "--report", f"json={report}"])
    return status, json.loads(report.read_text(encoding="utf-8"))


def test_the_six_regressions_of_the_newer_generation_stand_on_top(generations: Path, tmp_path: Path, capsys) -> None:
    old, new = f"{generations}#ticdc-classic", f"{generations}#ticdc-newarch"
    status, record = diff(tmp_path, old, new, "--fail-on", "changed")
    first = record["newly_broken"][: len(REGRESSIONS)]
    assert {(e["protocol"], e["requirement"]): " ".join(e["known"]) for e in first}.keys() == REGRESSIONS.keys()
    assert [e for e in first if REGRESSIONS[e["protocol"], e["requirement"]] not in " ".join(e["known"])] == []
    # What follows is advice alone, and of the same defects.
    assert {e["level"] for e in record["newly_broken"][len(REGRESSIONS) :]} <= {"may"}
    assert status == 1
    shown = capsys.readouterr().out
    at = [
        shown.index(" ".join((requirement or "no answer", level.upper()))) for (_, requirement), level in _levels(first)
    ]
    assert at == sorted(at)
    assert at[-1] < shown.index("CHANGED MEANING")


def _levels(entries: list[Event]) -> list[tuple[tuple[str, str], str]]:
    return [((entry["protocol"], entry["requirement"]), entry["level"]) for entry in entries]


def test_the_other_way_round_the_six_are_fixed(generations: Path, tmp_path: Path) -> None:
    _, record = diff(tmp_path, f"{generations}#ticdc-newarch", f"{generations}#ticdc-classic")
    fixed = {(e["protocol"], e["requirement"]) for e in record["fixed"]}
    assert fixed >= REGRESSIONS.keys()


def test_a_run_does_not_differ_from_itself(generations: Path, tmp_path: Path, capsys) -> None:
    status, record = diff(tmp_path, str(generations), str(generations), "--fail-on", "form")
    entries = [name for name, held in record.items() if isinstance(held, list) and held and name != "sides"]
    assert (status, entries) == (0, [])
    assert "no difference in 1,994 cases" in capsys.readouterr().out


def test_profiles_differ_in_what_they_are_known_to_differ_in(generations: Path, tmp_path: Path) -> None:
    _, record = diff(tmp_path, f"{generations}#ticdc-classic", f"{generations}#ticdc-newarch")
    assert "order of members at value.u" in {entry["at"] for entry in record["bytes"]}
    assert {"value.mysqlType", "key.tbl"} <= {entry["at"] for entry in record["meaning"]}
    assert [entry["at"] for entry in record["meaning"] if entry["unexpected"]] == []
    assert len(record["meaning"]) < 30


@pytest.mark.parametrize(
    ("of_a_run", "said"),
    [
        (lambda folder: folder / "nothing", "cannot be read as a run record"),
        (lambda folder: folder.parent, "there is no run.jsonl in it"),
        (lambda folder: folder / "answers.jsonl.gz", "no verdict in it"),
        (lambda folder: f"{folder}#ticdc-clasic", "did you mean ticdc-classic?"),
    ],
)
def test_what_is_no_run_is_refused_in_a_sentence(generations: Path, capsys, of_a_run: object, said: str) -> None:
    assert callable(of_a_run)
    assert main(["diff", str(of_a_run(generations)), str(generations)]) == 4
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_a_record_that_was_cut_is_compared_as_far_as_it_goes(generations: Path, tmp_path: Path, capsys) -> None:
    cut = tmp_path / "cut"
    shutil.copytree(generations, cut)
    lines = (cut / "run.jsonl").read_bytes().splitlines(keepends=True)
    (cut / "run.jsonl").write_bytes(b"".join(lines[:700]) + lines[700][:50])
    answers = (cut / "answers.jsonl.gz").read_bytes()
    (cut / "answers.jsonl.gz").write_bytes(answers[: len(answers) // 2])
    status, record = diff(tmp_path, f"{generations}#ticdc-newarch", f"{cut}#ticdc-newarch")
    assert status == 0
    assert record["only_left"]
    assert "was cut" in " ".join(record["notes"])
    assert "Traceback" not in capsys.readouterr().err


def test_events_that_no_run_has_written_are_refused_in_a_sentence(tmp_path: Path, capsys) -> None:
    head = {"event": "iut", "iut": "x", "address": "cmd:x"}
    odd = {"event": "verdict", "iut": "x", "case": "a", "protocol": "avro", "role": "encode", "level": "must"}
    odd |= {"verdict": "fail", "findings": [{"nothing": 1}], "fingerprints": []}
    path = tmp_path / "odd.jsonl"
    path.write_text("".join(json.dumps(event) + "\n" for event in (head, odd)), encoding="utf-8")
    assert main(["diff", str(path), str(path)]) == 4
    assert "line 2: an event 'verdict': findings[0] without requirement" in capsys.readouterr().err


def test_runs_without_a_common_case_end_with_status_5(generations: Path, tmp_path: Path, capsys) -> None:
    record = (generations / "run.jsonl").read_text(encoding="utf-8").replace('"case":"', '"case":"other/')
    other = tmp_path / "other.jsonl"
    other.write_text(record, encoding="utf-8")
    assert main(["diff", str(generations), str(other)]) == 5
    assert "no case is in both runs" in capsys.readouterr().err


def test_a_run_that_selected_nothing_has_nothing_to_compare(generations: Path, tmp_path: Path, capsys) -> None:
    nothing = tmp_path / "nothing.jsonl"
    asked = ["--iut", "cmd:false", "--protocol", "canal-json", "-k", "none-of-them"]
    assert main(["run", "-q", *asked, "--report", f"jsonl={nothing}"]) == 5
    capsys.readouterr()
    one = f"{generations}#ticdc-newarch"
    assert main(["diff", one, str(nothing), "--fail-on", "lost"]) == 5
    said = capsys.readouterr()
    assert "nothing to compare" in said.err
    assert "GREEN" not in said.out


def test_the_hint_to_name_an_implementation_has_the_whole_path(generations: Path, tmp_path: Path, capsys) -> None:
    run = shutil.copytree(generations, tmp_path / "run#1")
    text = (run / "run.jsonl").read_text(encoding="utf-8")
    (run / "run.jsonl").write_text(text.replace('"iut":"ticdc-', '"iut":"old-'), encoding="utf-8")
    assert main(["diff", str(run), f"{generations}#ticdc-classic"]) == 4
    assert f"name one as {run}#NAME (old-newarch, old-classic)" in capsys.readouterr().err


def test_of_a_file_that_is_no_run_record_the_first_lines_are_named_and_the_others_counted(tmp_path, capsys) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text('{"id": 1}\n' * 12, encoding="utf-8")
    assert main(["diff", str(file), str(file)]) == 4
    *lines, more, _ = capsys.readouterr().err.splitlines()
    assert [line.rpartition(": ")[0].rpartition(" ")[2] for line in lines] == ["1", "2", "3", "4", "5"]
    assert more == f"ticdc-conformance: {file}: 7 more lines are unreadable"
