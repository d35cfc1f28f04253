"""The command `generate`: its files, its faults, and what it refuses."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from conformance.cli.main import main
from tests.amounts import ordinarily
from tests.unit.ddl.schemas import SCHEMAS

CHANGES = ordinarily(120, 300)
COMMAND = ["generate", "--preset", "shop", "--dialect", "canal-json", "--dialect", "canal", "--dialect", "avro"]


def generated(out: Path, *more: str) -> dict[str, bytes]:
    assert main([*COMMAND, "--changes", str(CHANGES), "--seed", "7", "--shards", "3", "--out", str(out), *more]) == 0
    return {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*") if file.is_file()}


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_two_runs_write_the_same_bytes_however_many_workers_there_are(tmp_path: Path, form: str) -> None:
    one = generated(tmp_path / "one", "--format", form, "-n", "1")
    assert one == generated(tmp_path / "two", "--format", form, "-n", "2")
    assert {"tables.json", "generate.json", "avro.schemas.json", f"canal/part-00002.{form}"} <= one.keys()


def test_the_files_describe_the_parameters_of_the_stream(tmp_path: Path) -> None:
    found = generated(tmp_path, "--format", "jsonl", "-n", "1")
    described = json.loads(found["generate.json"])
    assert (described["seed"], described["changes"], described["shards"]) == (7, CHANGES, 3)
    for of in described["sides"]:
        lines = {part["file"]: part["messages"] for part in of["parts"]}
        assert lines == {name: found[name].count(b"\n") for name in lines}


FAULTS = """
[[fault]]
kind = "lost"
count = 4
side = "canal"

[[fault]]
kind = "cut"
share = 0.02
"""


def test_faults_are_put_into_the_named_side_and_listed_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "faults.toml").write_text(FAULTS, encoding="utf-8")
    sound = generated(tmp_path / "sound", "--format", "jsonl", "-n", "1")
    found = generated(tmp_path / "out", "--format", "jsonl", "-n", "1", "--faults", str(tmp_path / "faults.toml"))
    injected = [json.loads(line) for line in found["injected.jsonl"].splitlines()]
    assert Counter((one["side"], one["kind"]) for one in injected)["canal", "lost"] == 4
    assert {one["side"] for one in injected if one["kind"] == "cut"} == {"canal", "canal-json", "avro"}
    counts = [sum(of[f"canal/part-0000{n}.jsonl"].count(b"\n") for n in range(3)) for of in (sound, found)]
    assert counts[0] - counts[1] == 4


def test_faults_without_a_place_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[[fault]]\nkind = "lost"\ncount = 2000\nside = "canal"\n[[fault]]\nkind = "cut"\ncount = 3\n'
    (tmp_path / "faults.toml").write_text(text.replace("3", "3\nside = 'avro'"), encoding="utf-8")
    found = generated(tmp_path / "out", "--format", "jsonl", "-n", "1", "--faults", str(tmp_path / "faults.toml"))
    described = json.loads(found["generate.json"])
    assert described["asked"] == {"cut": 3, "lost": 2000}
    assert described["faults"] == sum(described["put_in"].values()) < 2003
    short = 2000 - described["put_in"]["lost"]
    assert f"{short:,} of 2,000 faults 'lost' could not be put in" in capsys.readouterr().out


WRONG_FAULTS = {
    'kind = "lost"': "a list of",
    "fault = [1]": "fault 1: 1: a table with kind",
    "[[fault]]\nkind = 'lots'\ncount = 1": "kind 'lots': one of lost",
    "[[fault]]\nkind = 'lost'": "either a count",
    "[[fault]]\nkind = 'lost'\ncount = 1\nshare = 0.5": "either a count",
    "[[fault]]\nkind = 'lost'\ncount = 1\nside = 'debezium'": "side 'debezium': one of canal-json",
    "[[fault]]\nkind = 'lost'\ncount = 'two'": "count = 'two'",
}


@pytest.mark.parametrize("text", WRONG_FAULTS)
def test_invalid_faults_are_reported_by_file_and_number(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "faults.toml").write_text(text, encoding="utf-8")
    arguments = [*COMMAND, "--changes", "10", "--seed", "1", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--faults", str(tmp_path / "faults.toml")]) == 4
    told_ = capsys.readouterr().err
    assert "faults.toml" in told_
    assert WRONG_FAULTS[text] in told_


def without(name: str) -> list[str]:
    """Arguments that lack one."""
    given = {"--preset": "shop", "--dialect": "canal", "--changes": "9", "--seed": "1"}
    return [part for pair in given.items() if pair[0] != name for part in pair]


OF_RECORDED = ["--seed", "1", "--format", "jsonl", "--recorded", "canal:x.jsonl"]
OF_STREAMS = (
    *(["--preset", "shop"], ["--dialect", "canal"], ["--changes", "9"], ["--boundaries"]),
    *(["--ddl", "2"], ["--shards", "2"]),
)
WRONG_ARGUMENTS = [
    ("--changes: '0' is not a whole number from 1 on", [*without("--changes"), "--changes", "0"]),
    ("--shards: '-1' is not a whole number from 1 on", [*without(""), "--shards", "-1"]),
    ("unknown dialect 'kanal'; did you mean 'canal'?", [*without("--dialect"), "--dialect", "kanal"]),
    ("canal: canal", [*without("--dialect"), "--dialect", "canal?color=red"]),
    ("--boundaries needs --tables", [*without(""), "--boundaries"]),
    ("--recorded needs --faults", OF_RECORDED),
    *((f"{more[0]} is for generated streams", [*OF_RECORDED, *more]) for more in OF_STREAMS),
    *((name, without(name)) for name in ("--preset", "--dialect", "--changes")),
]


@pytest.mark.parametrize(("why", "arguments"), WRONG_ARGUMENTS, ids=lambda of: of if isinstance(of, str) else None)
def test_a_wrong_argument_is_reported_before_anything_is_written(
    why: str, arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", *arguments, "--out", str(tmp_path / "out")]) == 4
    assert why in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "canal").mkdir()
    (tmp_path / "canal" / "diary.txt").write_text("mine", encoding="utf-8")
    assert main([*COMMAND, "--changes", "9", "--seed", "1", "--out", str(tmp_path)]) == 4
    assert "diary.txt, which is not a part of a stream" in capsys.readouterr().err


def test_parts_of_an_earlier_stream_go_only_once_no_folder_holds_anything_else(tmp_path: Path) -> None:
    earlier = generated(tmp_path, "--format", "jsonl")
    (tmp_path / "avro" / "diary.txt").write_text("mine", encoding="utf-8")
    assert main([*COMMAND, "--changes", "9", "--seed", "1", "--out", str(tmp_path)]) == 4
    assert {name: (tmp_path / name).read_bytes() for name in earlier} == earlier


def test_the_faults_of_an_earlier_stream_are_no_longer_listed(tmp_path: Path) -> None:
    (tmp_path / "faults.toml").write_text(FAULTS, encoding="utf-8")
    out = tmp_path / "out"
    assert "injected.jsonl" in generated(out, "--format", "jsonl", "--faults", str(tmp_path / "faults.toml"))
    assert "injected.jsonl" not in generated(out, "--format", "jsonl")


def test_tables_of_a_dump_are_generated_without_those_that_tidb_cannot_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--dialect", "canal-json", "--dialect", "canal", "--changes", "60", "--seed", "1", "--boundaries"]
    place = ["--tables", str(SCHEMAS["places_spatial"]), "--out", str(tmp_path), "--format", "jsonl"]
    assert main(["generate", *place, *arguments]) == 0
    assert json.loads((tmp_path / "generate.json").read_text(encoding="utf-8"))["tables"] == ["maps.street"]
    assert "left out: maps.place: TiDB has no spatial types, and 'at' is point\n" in capsys.readouterr().out


def test_a_table_that_a_dialect_cannot_write_is_left_out_under_its_own_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.sql").write_text(
        "CREATE TABLE größen (id INT PRIMARY KEY, c INT);\nCREATE TABLE v (id INT PRIMARY KEY, c VECTOR(2));"
    )
    arguments = ["--dialect", "canal-json", "--dialect", "canal", "--changes", "9", "--seed", "1", "--format", "jsonl"]
    assert main(["generate", "--tables", str(tmp_path / "s.sql"), *arguments, "--out", str(tmp_path / "out")]) == 0
    assert "left out: s.v: VECTOR(2): Canal stops at such a column\n" in capsys.readouterr().out
    lines = (tmp_path / "out" / "canal-json" / "part-00000.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["topic"] for line in lines} == {"s_gr__en"}  # letters that no topic can have


def test_tables_of_one_name_in_two_schemas_are_distinguished(tmp_path: Path) -> None:
    place = ["--tables", str(SCHEMAS["every_database"]), "--out", str(tmp_path), "--format", "jsonl"]
    assert main(["generate", *place, "--dialect", "canal", "--changes", "400", "--seed", "1"]) == 0


RECORDED = ["generate", "--seed", "1", "--format", "jsonl", "--recorded"]


def test_faults_are_put_into_recorded_messages_and_no_other_byte_changes(tmp_path: Path) -> None:
    sound = generated(tmp_path / "sound", "--format", "jsonl", "-n", "1")
    (tmp_path / "faults.toml").write_text('[[fault]]\nkind = "reordered"\ncount = 2\n', encoding="utf-8")
    more = ["--faults", str(tmp_path / "faults.toml"), "--tables", str(tmp_path / "sound" / "tables.json")]
    assert main([*RECORDED, f"canal:{tmp_path / 'sound' / 'canal'}", *more, "--out", str(tmp_path / "out")]) == 0
    before = b"".join(sound[f"canal/part-0000{n}.jsonl"] for n in range(3)).splitlines()
    after = (tmp_path / "out" / "canal" / "part-00000.jsonl").read_bytes().splitlines()
    values = [[json.loads(line)["value"] for line in lines] for lines in (before, after)]
    assert sorted(values[0]) == sorted(values[1])
    assert sum(a != b for a, b in zip(*values, strict=True)) == 4
    assert len((tmp_path / "out" / "injected.jsonl").read_text(encoding="utf-8").splitlines()) == 2
