"""Recordings of producers as encoders of the table: small folders, written by hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conformance.cli.configuring import REFERENCE, run_config
from conformance.cli.main import main
from conformance.cli.settings import SETTINGS
from conformance.compatibility import RecordedProducer
from conformance.engine import RunConfig
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
