"""Drift between recordings: one changed byte is seen, and what differs in every run is not."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import files_of
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.cli import record as record_command
from conformance.cli.main import main
from conformance.drift.comparison import Drift, drift_of
from conformance.drift.masks import MASKS, clock_columns, masked
from reference_impl.model import Record
from reference_impl.protocols import UPSTREAM

RECORDED = fixtures_root() / "recorded"
PRODUCERS = ("canal", "debezium24", "debezium36")
ONE = {"canal": "mysql97_extra", "debezium24": "mysql97_extra", "debezium36": "mysql97_extra"}


@cache
def recordings(producer: str) -> Mapping[str, Recording]:
    """The shipped recordings of a producer by name."""
    return {one.name: one for one in read_recordings(RECORDED / producer)}


def shipped(producer: str, name: str) -> Recording:
    return recordings(producer)[name]


@cache
def workloads(protocol: str) -> Workloads:
    return Workloads(RECORDED / ONE_OF[protocol])


def changed(recording: Recording, n: int, old: bytes, new: bytes) -> Recording:
    """The recording with other bytes in the value of one record."""
    records = list(recording.records)
    record = records[n].record
    assert record is not None
    assert record.value is not None
    assert record.value.count(old) >= 1, record.value
    records[n] = replace(records[n], record=replace(record, value=record.value.replace(old, new, 1)))
    return replace(recording, records=tuple(records))


def first_insert(recording: Recording) -> int:
    records = enumerate(recording.records)
    return next(n for n, one in records if one.record and b'"INSERT"' in (one.record.value or b""))


def drift(one: Recording, other: Recording) -> Drift:
    return drift_of(one, other, clock_columns(workloads(one.protocol).truth_of(one)))


ONE_OF = {"canal": "canal", "debezium-connector": "debezium24"}


def test_every_upstream_dialect_has_its_masks() -> None:
    assert MASKS.keys() == UPSTREAM.keys()


@pytest.mark.parametrize("producer", PRODUCERS)
def test_a_recording_has_no_drift_from_itself(producer: str) -> None:
    recording = shipped(producer, ONE[producer])
    assert drift(recording, recording).drifted == ()


OTHER_VALUES: Mapping[str, Callable[[dict[str, Any]], None]] = {
    "canal": lambda tree: tree.update(id=77, es=1, ts=2, gtid=tree["gtid"] and "other:1"),
    "debezium-connector": lambda tree: tree.update(
        ts_ms=1, source=tree["source"] | {"ts_ms": 2, "pos": 3, "file": "binlog.000077"}
    ),
}


@pytest.mark.parametrize("producer", ["canal", "debezium24"])
def test_times_and_positions_are_no_drift(producer: str) -> None:
    recording = shipped(producer, ONE[producer])
    records = []
    for one in recording.records:
        assert one.record is not None
        if one.record.value is None:
            records.append(one)
            continue
        tree = json.loads(one.record.value)
        written = _compact(tree)
        OTHER_VALUES[recording.protocol](tree)
        # Only what survives being read and written again can be changed so.
        same = written == one.record.value
        records.append(replace(one, record=replace(one.record, value=_compact(tree))) if same else one)
    other = replace(recording, records=tuple(records))
    assert other != recording
    assert drift(recording, other).drifted == ()


def _compact(tree: object) -> bytes:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode()


def test_a_member_that_was_a_text_and_is_null_is_drift_wherever_it_stands() -> None:
    recording = shipped("canal", "mysql97_gtid")
    record = recording.records[3].record
    assert record is not None
    gtid = json.dumps(json.loads(record.value or b"")["gtid"]).encode()
    [pair] = drift(recording, changed(recording, 3, gtid, b"null")).drifted
    assert [change.path for change in pair.changes] == ["value.gtid"]


def test_one_changed_byte_of_a_value_is_drift_at_its_path() -> None:
    recording = shipped("canal", "mysql97")
    n, record = next(
        (n, r.record) for n, r in enumerate(recording.records) if r.record and b'"INSERT"' in r.record.value
    )
    assert record is not None
    [pair] = drift(recording, changed(recording, n, b'"id":"1"', b'"id":"2"')).drifted
    assert (pair.committed, pair.recorded) == (n, n)
    [change] = pair.changes
    assert (change.path, change.place) == ("value.data[0].id", "value.data[].id")
    assert (change.committed, change.recorded) == ('"1"', '"2"')


@pytest.mark.parametrize(("old", "new"), [(b'","', b'", "'), (b'"isDdl":false', b'"isDdl": false')])
def test_a_blank_between_members_is_drift_of_bytes(old: bytes, new: bytes) -> None:
    recording = shipped("canal", "mysql97")
    n = first_insert(recording)
    [pair] = drift(recording, changed(recording, n, old, new)).drifted
    assert [change.path for change in pair.changes] == ["value (bytes)"]


def test_an_escape_for_a_letter_is_drift() -> None:
    recording = shipped("canal", "mysql97")
    n = first_insert(recording)
    assert drift(recording, changed(recording, n, b'"cap"', b'"c\\u0061p"')).drifted


def test_a_record_that_is_gone_and_one_more_are_told_by_their_numbers() -> None:
    recording = shipped("debezium24", "mysql97_extra")
    fewer = replace(recording, records=recording.records[:5] + recording.records[6:])
    [gone] = drift(recording, fewer).drifted
    assert (gone.committed, gone.recorded) == (5, None)
    [more] = drift(fewer, recording).drifted
    assert (more.committed, more.recorded) == (None, 5)


def test_another_release_drifts_at_one_place_in_every_record_that_names_it() -> None:
    recording = shipped("debezium24", "mysql97_extra")
    records = recording.records
    other = recording
    for n, one in enumerate(records):
        if one.record is not None and one.record.value and b'"version":"2.4.0.Final"' in one.record.value:
            other = changed(other, n, b'"version":"2.4.0.Final"', b'"version":"2.4.1.Final"')
    places = drift(recording, other).by_place()
    assert list(places) == ["value.source.version"]
    assert len(places["value.source.version"]) == len([r for r in records if r.record and r.record.value])


def test_columns_that_a_clock_filled_are_masked_and_others_are_not() -> None:
    recording = shipped("canal", "mysql97")
    clocks = clock_columns(workloads("canal").truth_of(recording))
    assert ("cap", "f_def", "dc") in clocks
    record = Record(None, b'{"data":[{"dc":"2024-01-01 00:00:00","a":"1"}],"database":"cap","table":"f_def"}')
    assert masked(record, "canal", clocks).texts[2] == '{"data":[{"dc":"•","a":"1"}],"database":"cap","table":"f_def"}'
    elsewhere = replace(record, value=(record.value or b"").replace(b"f_def", b"f_abc"))
    assert "2024" in str(masked(elsewhere, "canal", clocks).texts[2])


def test_the_account_that_ran_the_script_is_masked_in_the_text_of_a_view() -> None:
    text = '{"sql":"ALTER DEFINER=`%s`@`%%` SQL SECURITY DEFINER VIEW v AS select 1"}'
    root, suite = (masked(Record(None, (text % name).encode()), "canal").texts for name in ("root", "suite"))
    assert root == suite


@pytest.mark.parametrize("value", [b"not json", b"", b"[1,2", b'{"a":', b"{}}}", b'"', b"\xff\xfe"])
def test_a_value_that_is_no_json_is_compared_as_it_is(value: bytes) -> None:
    found = masked(Record(None, value), "canal")
    assert found != masked(Record(None, value + b"x"), "canal")


def test_a_header_is_compared_even_if_the_next_one_has_its_name() -> None:
    one, other = (
        masked(Record(b"1", b"{}", headers=(("h", first), ("h", b"same"))), "debezium-connector")
        for first in (b"old", b"new")
    )
    assert one.texts == (None, "1", "{}", "h", "old", "h", "same")
    assert other.texts != one.texts


def test_a_header_more_without_a_value_is_told_by_the_number_of_headers() -> None:
    recording = shipped("canal", "mysql97")
    record = recording.records[0].record
    assert record is not None
    more = replace(recording.records[0], record=replace(record, headers=(*record.headers, ("h", None))))
    [pair] = drift(recording, replace(recording, records=(more, *recording.records[1:]))).drifted
    [change] = pair.changes
    count = len(record.headers)
    assert (change.path, change.committed, change.recorded) == ("headers", str(count), str(count + 1))


# -- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The shipped recordings of one workload as plain files."""
    for name, data in files_of(RECORDED / "canal").items():
        if name.startswith("mysql97_extra."):
            (tmp_path / name).write_bytes(data)
    return tmp_path


def check(copy: Path, *more: str) -> int:
    return main(["record", "canal", "--check", "--only", "mysql97_extra", "--from", str(copy), *more])


def test_recordings_as_committed_have_status_0(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(copy) == 0
    assert capsys.readouterr().out == "mysql97_extra: 25 records, as committed\nrecordings 1 = as committed 1\n"


def seed(copy: Path) -> None:
    """Change one byte of the last record: the type of its message."""
    file = copy / "mysql97_extra.jsonl"
    *lines, last = file.read_text(encoding="utf-8").splitlines()
    record = json.loads(last)
    record["value"] = b64encode(b64decode(record["value"]).replace(b'"type":"INSERT"', b'"type":"INSERt"')).decode()
    file.write_text("\n".join([*lines, json.dumps(record)]) + "\n", encoding="utf-8")


def test_a_seeded_change_of_one_byte_opens_a_report_with_status_1(copy: Path, capsys, tmp_path: Path) -> None:
    seed(copy)
    page, record = tmp_path / "drift.html", tmp_path / "drift.json"
    assert check(copy, "--report", f"html={page}", "--report", f"json={record}") == 1
    told = capsys.readouterr().out
    assert "mysql97_extra: 1 of 25 records drifted" in told
    assert '  value.type: "INSERT" → "INSERt", first in record 24' in told
    [entry] = json.loads(record.read_text(encoding="utf-8"))["meaning"]
    assert (entry["case"], entry["cases"], entry["at"]) == ("mysql97_extra/24", 1, "value.type")
    assert "INSERt" in page.read_text(encoding="utf-8")


def test_a_recording_that_was_not_made_is_named_with_status_1(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "canal", "--check", "--from", str(copy)]) == 1
    told = capsys.readouterr().out
    assert "mysql97_gtid: not recorded" in told
    assert told.endswith("= as committed 1 + not recorded 8\n")


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorder that makes none of the recordings that it is asked for but mysql97_gtid."""

    class Unavailable(Exception):
        pass

    def record(*_arguments: object, **_options: object) -> list[str]:
        return ["mysql97_gtid"]

    modules = {
        "harnesses.producers.recording": SimpleNamespace(record=record),
        "harnesses.providers": SimpleNamespace(Unavailable=Unavailable),
    }
    monkeypatch.setattr(record_command, "import_module", modules.__getitem__)


def test_a_folder_to_compare_with_that_has_no_recordings_is_refused_before_the_producer_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs: list[str] = []
    monkeypatch.setattr(record_command, "import_module", runs.append)
    (tmp_path / "empty").mkdir()
    out = tmp_path / "made"
    arguments = ["record", "canal", "--check", "--against", str(tmp_path / "empty"), "--out", str(out)]
    assert main(arguments) == 4
    assert f"{tmp_path / 'empty'}: there are no recordings here" in capsys.readouterr().err
    assert (runs, out.exists()) == ([], False)


def test_a_check_against_some_recordings_makes_these_alone(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[frozenset[str]] = []

    def record(*arguments: Any, names: frozenset[str], **more: Any) -> list[str]:
        requested.append(names)
        return list(names)

    module = SimpleNamespace(record=record, Unavailable=RuntimeError)
    monkeypatch.setattr(record_command, "import_module", lambda name: module)
    assert main(["record", "canal", "--check", "--against", str(copy), "--out", str(copy)]) == 0
    assert requested == [{"mysql97_extra"}]


@pytest.mark.usefixtures("recorder")
def test_a_recording_of_an_earlier_run_does_not_pass_for_one_that_could_not_be_made(copy: Path, capsys) -> None:
    for name, data in files_of(RECORDED / "canal").items():
        if name.startswith("mysql97_gtid."):
            (copy / name).write_bytes(data)
    only = ["--only", "mysql97_extra", "--only", "mysql97_gtid"]
    assert main(["record", "canal", "--check", *only, "--out", str(copy)]) == 1
    assert "mysql97_extra: not recorded\n" in capsys.readouterr().out


@pytest.mark.usefixtures("recorder")
@pytest.mark.parametrize(("name", "status"), [("mysql97_gtid", 0), ("mysql97_extra", 1)])
def test_a_recording_that_could_not_be_made_has_status_1_without_check(name: str, status: int, copy: Path) -> None:
    assert main(["record", "canal", "--only", name, "--out", str(copy / "made")]) == status
