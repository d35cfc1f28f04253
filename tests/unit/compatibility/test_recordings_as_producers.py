"""Recordings of producers as encoders of the table: small folders, written by hand."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from conformance.cli.configuring import REFERENCE, run_config
from conformance.cli.main import main
from conformance.cli.settings import SETTINGS
from conformance.compatibility import RecordedProducer
from conformance.compatibility.unpaired import cases_of
from conformance.engine import RunConfig
from conformance.engine.selection import Expression
from conformance.oracle.upstream.recordings import RecordPair, record_pairs
from tests.recorded_by_hand import canal, connector, rows, table, written

ONE = {"id": "1", "v": "1"}
SQL = "use cap; create table t (id int primary key, v int); insert into t values (1, 1);"
TRUTH = [table(1), rows(2, 1, (None, ONE))]


def config(*protocols: str) -> RunConfig:
    settings: dict[str, object] = {setting.key: None for setting in SETTINGS}
    return run_config(settings | {"iut": (REFERENCE,), "protocol": protocols or None}, ())


def of_canal(into: Path) -> Path:
    return written(into, "canal", SQL, TRUTH, [canal(1, [ONE], ["id"])])


def of_debezium(into: Path, *settings: str) -> Path:
    row = {"id": 1, "v": 1}
    return written(into, "debezium-connector", SQL, TRUTH, [connector(9, "c", {"id": 1}, None, row)], config=settings)


def both(into: Path, *settings: str) -> Path:
    """A folder with a recording of Canal and one of Debezium."""
    folder, other = of_canal(into / "canal"), of_debezium(into / "debezium", *settings)
    for ending in ("meta.json", "jsonl"):
        shutil.copy(other / f"hand.{ending}", folder / f"other.{ending}")
    return folder


def test_the_changes_of_a_dialect_that_the_reference_does_not_offer_are_not_tried_and_say_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = both(tmp_path, "time.precision.mode=adaptive")
    assert main(["matrix", "--encoder", f"recorded:{folder}", "--consumer", "faultless", "--decoder", "reference"]) == 0
    shown = capsys.readouterr().out
    assert "LOSSLESS        recording 1.1.7, 2.4.0.Final → faultless, canal: 1 lossless" in shown
    assert "NOT TRIED       recording 1.1.7, 2.4.0.Final → faultless, debezium-connector: 1 not tried" in shown
    assert "the reference does not offer the dialect: option time.precision.mode=" in shown


def test_a_recording_that_the_reference_offers_has_a_case_for_each_change_and_no_other(tmp_path: Path) -> None:
    _, cases = RecordedProducer("both", both(tmp_path)).encoded(config())
    assert [(one.case.protocol, one.reason, len(one.case.events)) for one in cases] == [
        ("canal", "", 1),
        ("debezium-connector", "", 1),
    ]


@pytest.mark.parametrize(
    ("protocols", "versions"), [([], "1.1.7, 2.4.0.Final"), (["canal"], "1.1.7"), (["avro"], "")], ids=str
)
def test_the_label_names_the_versions_of_the_selected_protocols_only(
    protocols: list[str], versions: str, tmp_path: Path
) -> None:
    named, _ = RecordedProducer("both", both(tmp_path)).encoded(config(*protocols))
    assert named.version == versions


NOT_RECORDED = [*TRUTH, *(rows(n, 1, (None, {"id": str(n), "v": "1"})) for n in range(3, 14))]
MORE_SQL = SQL + "".join(f" insert into t values ({n}, 1);" for n in range(3, 14))


@pytest.fixture
def halves(tmp_path: Path) -> Path:
    """A folder with a recording of Canal, `hand`, and one of Debezium, `other`; both lack eleven of twelve rows."""
    folder = both(tmp_path)
    lacking = written(tmp_path / "lacking", "canal", MORE_SQL, NOT_RECORDED, [canal(1, [ONE], ["id"])])
    for file in lacking.iterdir():
        shutil.copy(file, folder / file.name)
    return folder


def test_every_text_of_a_case_may_match_before_the_records_are_paired(halves: Path) -> None:
    read = {recording.protocol: recording for recording in read_recordings(halves)}
    workloads = Workloads(halves)
    _, found = RecordedProducer("halves", halves).encoded(config())
    assert [one.case.id.rpartition("/")[2] for one in found if "missing" in one.case.id][-1] == "missing-11"
    for case in (one.case for one in found):
        unpaired = cases_of(halves.name, read[case.protocol], workloads)
        words = (case.id, case.protocol, case.role, *(f"{name}={value}" for name, value in case.axes.items()))
        for word in words:
            texts = {word[first:last] for first in range(len(word)) for last in range(first + 1, len(word) + 1)}
            missed = [text for text in texts if not Expression(f'"{text}"').may_match(unpaired)]
            assert not missed, word
        for cut in range(len(case.id)):
            assert Expression(f'"{case.id[:cut]}*"').may_match(unpaired)
        assert not Expression(f'not "{case.protocol}"').may_match(unpaired)


@pytest.mark.parametrize(
    ("expression", "paired", "count"),
    [
        ("hand", ["hand"], 12),
        ("connector", ["other"], 12),
        ("not hand", ["other"], 12),
        ("hand and missing-11", ["hand"], 1),
        ("canal/*/hand/*", ["hand"], 12),
        ("operation=delete or DBZ-041", [], 0),
        ("operation=insert and not missing", ["hand", "other"], 2),
    ],
)
def test_only_recordings_that_may_hold_a_selected_case_are_paired(
    expression: str, paired: list[str], count: int, halves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def counted(recording: Recording, *others: Any) -> list[RecordPair]:
        seen.append(recording.name)
        return record_pairs(recording, *others)

    monkeypatch.setattr("conformance.compatibility.recordings.record_pairs", counted)
    selected = config()
    selected = replace(selected, selection=replace(selected.selection, expression=Expression(expression)))
    _, found = RecordedProducer("halves", halves).encoded(selected)
    assert (seen, len(found)) == (paired, count)
