"""The recordings made of workloads: what their meta data say, which truth is theirs, and how they are packed."""

from __future__ import annotations

import hashlib
import json
import lzma
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import PACKED, files_of, pack, unpack
from conformance.catalogue.recordings import Workloads, has_recordings, read_recordings
from conformance.errors import UsageError
from tests.unit.catalogue.workload_truths import ID

RECORDED = fixtures_root() / "recorded"
FOLDERS = ("canal", "debezium", "debezium24", "debezium36", "workload")


def recording(folder: Path, name: str = "mysql97", **meta: Any) -> Path:
    """A folder with one recording of no record."""
    folder.mkdir(exist_ok=True)
    given = {"producer": "alibaba canal", "version": "1.1.7", "server": "mysql", "server_version": "9.7.4-2", **meta}
    (folder / f"{name}.meta.json").write_text(json.dumps(given), encoding="utf-8")
    (folder / f"{name}.jsonl").write_text("", encoding="utf-8")
    return folder


OPTIONS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "Canal": (
        {"java": 'openjdk version "25.0.3"', "config": ["-Dcap.tsdb=false", "-Dcap.gtid=true", "-Dcap.max=200"]},
        {"version": "1.1.7", "jdk": "25", "server": "mysql", "tsdb": "false", "gtid": "true"},
    ),
    "Debezium": (
        {
            "producer": "debezium",
            "version": "2.4.0.Final",
            "config": ["converter.schemas.enable=false", "decimal.handling.mode=string", "end=snapshot"],
        },
        {"version": "2.4.0", "server": "mysql", "decimal.handling.mode": "string", "schemas.enable": "false"},
    ),
}


@pytest.mark.parametrize(("meta", "options"), OPTIONS.values(), ids=OPTIONS)
def test_meta_data_become_the_options_of_the_dialect(tmp_path: Path, meta: dict[str, Any], options: Any) -> None:
    [read] = read_recordings(recording(tmp_path, **meta))
    assert (read.options, read.unknown) == (options, ())


def test_what_no_option_stands_for_is_told(tmp_path: Path) -> None:
    [read] = read_recordings(recording(tmp_path, producer="debezium", config=["event.converting.failure=warn"]))
    assert read.unknown == ("event.converting.failure=warn",)


def test_the_zone_of_the_session_and_the_columns_left_out_are_facts(tmp_path: Path) -> None:
    meta = {"note": "pace=0 jvm_zone=Asia/Shanghai", "config": ["column.exclude.list=s.t.a,s.t.b"]}
    [read] = read_recordings(recording(tmp_path, producer="debezium", **meta))
    assert (read.facts.timezone, read.facts.left_out) == ("Asia/Shanghai", {"s.t.a", "s.t.b"})


TRUTHS = ("truth-mysql97-held.jsonl", "truth-mysql97.jsonl")
LINE = json.dumps({"kind": "table", "version": 1, "table": {"schema": "s", "name": "t", "columns": [ID]}}) + "\n"


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("place", [".", "../workload"])
def test_a_truth_stands_beside_the_records_or_in_workload(tmp_path: Path, name: str, place: str) -> None:
    folder = recording(tmp_path / "canal", workload="held.sql")
    (folder / place).mkdir(exist_ok=True)
    (folder / place / name).write_text(LINE, encoding="utf-8")
    [read] = read_recordings(folder)
    assert Workloads(folder).truth_of(read).name.endswith(name)


def test_a_truth_by_another_name_is_known_by_its_sql(tmp_path: Path) -> None:
    folder = recording(tmp_path, workload="run.sql", workload_sha256=hashlib.sha256(b"select 1").hexdigest())
    (folder / "truth-mysql97-held.jsonl").write_text(LINE, encoding="utf-8")
    (folder / "held.sql").write_text("select 1", encoding="utf-8")
    [read] = read_recordings(folder)
    assert Workloads(folder).truth_of(read).name.endswith("truth-mysql97-held.jsonl")


def test_the_truth_of_another_server_is_not_the_truth_though_its_name_begins_alike(tmp_path: Path) -> None:
    sql = {"workload": "run.sql", "workload_sha256": hashlib.sha256(b"select 1").hexdigest()}
    folder = recording(tmp_path, "first", server="mariadb", server_version="10.1.48", **sql)
    (folder / "truth-mariadb1011-held.jsonl").write_text(LINE, encoding="utf-8")
    (folder / "held.sql").write_text("select 1", encoding="utf-8")
    [read] = read_recordings(folder)
    with pytest.raises(UsageError, match=r"no truth of run\.sql on mariadb101:"):
        Workloads(folder).truth_of(read)


def test_the_truth_of_other_sql_is_not_the_truth(tmp_path: Path) -> None:
    folder = recording(tmp_path, workload="workload.sql", workload_sha256=hashlib.sha256(b"select 1").hexdigest())
    (folder / "truth-mysql97.jsonl").write_text(LINE, encoding="utf-8")
    [read] = read_recordings(folder)
    (folder / "workload.sql").write_text("select 1", encoding="utf-8")
    assert Workloads(folder).truth_of(read).tables
    (folder / "workload.sql").write_text("select 2", encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"no truth of workload\.sql on mysql97: looked for truth-mysql97-workload\.jsonl"
    ):
        Workloads(folder).truth_of(read)


def test_the_truth_of_the_usual_workload_is_not_that_of_another(tmp_path: Path) -> None:
    folder = recording(tmp_path, workload="extra.sql")
    for name in ("truth-mysql97.jsonl", "workload.sql"):
        (folder / name).write_text(LINE, encoding="utf-8")
    [read] = read_recordings(folder)
    with pytest.raises(UsageError, match=r"no truth of extra\.sql"):
        Workloads(folder).truth_of(read)


def test_meta_data_of_no_known_producer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown producer 'maxwell'"):
        read_recordings(recording(tmp_path, producer="maxwell"))


# -- packing -----------------------------------------------------------------------------------------------------------


def test_packed_files_come_back_byte_for_byte() -> None:
    files = {
        "r.jsonl": b'{"n":0,"topic":"t","key":null,"value":"w6k=","headers":[["h","/w=="]]}\n',
        "odd.jsonl": b'{"n": 0, "key": null, "value": null}\nno newline at the end',
        "t.sql": "select 'é';\n\n".encode(),
        "empty": b"",
    }
    assert unpack(pack(files)) == files


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_shipped_streams_hold_what_is_listed(folder: str) -> None:
    listed = tomllib.loads((RECORDED / folder / "meta.toml").read_text(encoding="utf-8"))["file"]
    files = unpack((RECORDED / folder / PACKED).read_bytes())
    assert {f["name"]: f["sha256"] for f in listed} == {n: hashlib.sha256(d).hexdigest() for n, d in files.items()}


MALFORMED = {
    "the key is a number": '{"file":"a","form":"records","lines":1}\n{"key":5,"value":null}\n',
    "the name is a number": '{"file":5,"form":"text","lines":0}\n',
    "a line is missing": '{"file":"a","form":"text","lines":1}\n',
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_stream_is_refused_with_its_folder(tmp_path: Path, text: str) -> None:
    (tmp_path / PACKED).write_bytes(lzma.compress(text.encode()))
    with pytest.raises(UsageError, match="cannot be read"):
        files_of(tmp_path)


def test_a_folder_is_read_packed_or_plain(tmp_path: Path) -> None:
    plain, packed = recording(tmp_path / "plain"), tmp_path / "packed"
    packed.mkdir()
    (packed / PACKED).write_bytes(pack(files_of(plain)))
    assert has_recordings(packed)
    assert read_recordings(packed) == read_recordings(plain)
