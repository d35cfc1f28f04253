"""Where `compare`, `run` and `mutants` write: what cannot be written is told before anything is read or made."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from conformance.cli import compare
from conformance.cli.main import main
from conformance.cli.redactor import Redactor
from conformance.errors import SuiteError
from differential.model import Class, Difference, Place
from differential.rows import COLUMNS

NO_SIDES = ["--left", "canal:nowhere", "--right", "canal-json:nowhere", "--tables", "nowhere.json"]
COMMANDS = {
    "run": ["run", "--report", "jsonl={}"],
    "mutants": ["mutants", "--report", "json={}"],
    "compare": ["compare", *NO_SIDES, "--out", "{out}", "--report", "html={}"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(("place", "words"), [("made/up/x", "there is no folder"), ("", "it is a folder")])
def test_a_report_that_has_no_folder_is_refused_and_no_folder_is_made(place, words, command, tmp_path, capsys) -> None:
    assert main([word.format(tmp_path / place, out=tmp_path / "out") for word in command]) == 4
    assert words in capsys.readouterr().err
    assert not (tmp_path / "made").exists()


GENERATE = ["generate", "--preset", "shop", "--seed", "3", "--changes", "20", "--format", "jsonl", "-n", "1"]
GENERATE += ["--dialect", "canal-json", "--dialect", "canal"]
WRITING = {"compare": ["compare", *NO_SIDES], "generate": GENERATE}


@pytest.mark.parametrize("command", WRITING.values(), ids=WRITING)
@pytest.mark.parametrize(("out", "words"), [("/proc/x", "cannot be written"), ("{}", "it is a file")])
def test_an_out_that_cannot_be_written_is_told_by_its_option(out, words, command, tmp_path, capsys) -> None:
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    out = out.format(file)
    assert main([*command, "--out", out]) == 4
    said = capsys.readouterr().err
    assert f"--out {out}: " in said
    assert words in said
    assert file.read_text(encoding="utf-8") == "mine"


def test_an_out_with_too_long_a_name_is_told_by_its_option_and_leaves_no_folder(tmp_path, capsys) -> None:
    out = tmp_path / "new" / ("x" * 300)
    assert main(["compare", *NO_SIDES, "--out", str(out)]) == 4
    assert f"--out {out}: cannot be written" in capsys.readouterr().err
    assert not out.parent.exists()


@pytest.mark.parametrize("held", [False, True], ids=["made by the command", "made before"])
def test_a_comparison_that_cannot_begin_leaves_only_folders_that_were_there_before(held, tmp_path, capsys) -> None:
    out = tmp_path / "new" / "out"
    if held:
        out.mkdir(parents=True)
    assert main(["compare", *NO_SIDES, "--out", str(out)]) == 4
    assert "nowhere.json" in capsys.readouterr().err
    assert out.is_dir() is held
    assert out.parent.is_dir() is held


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """A comparison into `tmp_path / "out"`."""
    assert main([*GENERATE, "--out", str(tmp_path)]) == 0
    sides = [
        part for n, d in (("left", "canal-json"), ("right", "canal")) for part in (f"--{n}", f"{d}:{tmp_path}/{d}")
    ]
    return ["compare", *sides, "--tables", f"{tmp_path}/tables.json", "--out", f"{tmp_path}/out", "-n", "1", "--quiet"]


def earlier(out: Path) -> bytes:
    """What an earlier run may have left: a green summary, its rows, a draft, and stages of Spark."""
    for name in ("differences/part-00000.parquet", ".differences/part-00000.parquet", "stage/of.json"):
        (out / name).parent.mkdir(parents=True)
        (out / name).write_bytes(name.encode())
    (out / "summary.json").write_text("{}", encoding="utf-8")
    return b"differences/part-00000.parquet"


@pytest.mark.parametrize(("end", "status"), [(KeyboardInterrupt(), 2), (SuiteError("it broke"), 3)])
def test_a_run_that_does_not_end_leaves_no_summary_and_the_rows_and_stages_as_they_were(
    end: BaseException, status: int, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, whole = tmp_path / "out", compare.write_parquet
    rows = earlier(out)

    def ended(*args: Any, **options: Any) -> None:
        whole(*args, **options)
        raise end

    monkeypatch.setattr(compare, "write_parquet", ended)
    assert main(command) == status
    assert sorted(one.name for one in out.iterdir()) == ["differences", "stage"]
    assert (out / "differences" / "part-00000.parquet").read_bytes() == rows
    assert (out / "stage" / "of.json").is_file()


def test_a_run_that_ends_takes_the_place_of_the_one_before(command: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    earlier(out)
    assert main(command) == 0
    assert json.loads((out / "summary.json").read_text(encoding="utf-8"))["exit_status"] == 0
    assert parquet.read_table(out / "differences").column_names == [name for name, _ in COLUMNS]
    assert not (out / ".differences").exists()


def test_rows_of_something_else_are_left_alone(command: list[str], tmp_path: Path, capsys) -> None:
    kept = tmp_path / "out" / "differences" / "batch=1" / "part-00000.parquet"
    kept.parent.mkdir(parents=True)
    kept.touch()
    assert main(command) == 4
    assert "holds batch=1" in capsys.readouterr().err
    assert kept.is_file()


# -- sides that are nothing, or something else


def test_a_side_of_which_nothing_can_be_read_is_told(command: list[str], tmp_path: Path, capsys) -> None:
    file = tmp_path / "other.jsonl"
    records = map(json.loads, (tmp_path / "canal" / "part-00000.jsonl").read_text(encoding="utf-8").splitlines())
    lines = [json.dumps(record | {"value": base64.b64encode(b"[]").decode()}) for record in records]
    file.write_text("\n".join(lines), encoding="utf-8")
    command[command.index("--right") + 1] = f"debezium:{file}"
    assert main(command) == 1
    left, right = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))["sides"]
    assert (left["note"], right["note"]) == (None, "every message of right was unreadable: is it debezium?")
    assert right["note"] in capsys.readouterr().out.splitlines()


def test_a_side_of_another_dialect_is_refused_by_the_name_of_that(command: list[str], tmp_path: Path, capsys) -> None:
    command[command.index("--right") + 1] = f"debezium:{tmp_path / 'canal'}"
    assert main(command) == 4
    assert "its first messages are of canal, none is of debezium: set --right canal:…" in capsys.readouterr().err


# -- what is hidden

REASONS = {
    "type: after.note: 'secret' is not a value of a date column": "type: after.note: … (text, 40 characters)",
    "type: secret.secret: 'secret' is no value": "type: … (text, 35 characters)",
    "syntax: not JSON: secret": "syntax: … (text, 16 characters)",
    "unsupported: secret": "unsupported: … (text, 6 characters)",
    "secret: note: secret": "… (text, 20 characters)",
}


@pytest.mark.parametrize("why", REASONS)
def test_redacted_a_message_that_cannot_be_read_keeps_the_class_and_the_column(why: str) -> None:
    unreadable = Difference("left-right", Class.UNDECODABLE, "", "", left=Place(), left_value="secret", right_value=why)
    shown = Redactor({"note"})(unreadable)
    assert (shown.left_value, shown.right_value) == ("… (text, 6 characters)", REASONS[why])
    shown = Redactor({"note"})(replace(unreadable, kind=Class.VALUE))
    assert shown.right_value == f"… (text, {len(why)} characters)"
