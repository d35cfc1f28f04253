"""Tables of a capture that were given in several versions, as a comparison needs them; and heartbeats among it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.captures.model import Captured, Place
from conformance.captures.results import CaptureVerdict
from conformance.captures.upstream import judge_upstream_capture
from conformance.captures.versions import Versions
from conformance.cli.main import main
from conformance.ddl import tables_of_sql
from reference_impl.canal_json import Decoder, Encoder
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Record, RowChange

[FIRST], [SECOND], [OTHER] = (
    tables_of_sql(f"USE s; CREATE TABLE t (id INT PRIMARY KEY, {column})", "t")
    for column in ("a INT", "b INT", "c INT")
)


def record(column: str) -> Record:
    [written] = (
        Encoder()
        .encode(
            [RowChange("insert", "s", "t", 1 << 18, after={"id": "1", column: "2"})],
            [one for one in (FIRST, SECOND, OTHER) if one.column(column)],
        )
        .records
    )
    return written


def test_a_later_version_is_in_force_from_the_first_record_on_that_fits_no_earlier_one() -> None:
    versions = Versions([FIRST, SECOND, OTHER])
    for column, table in (("a", FIRST), ("b", SECOND), ("b", SECOND), ("c", OTHER)):
        [event] = versions.decode(Decoder(), record(column))
        assert isinstance(event, RowChange)
        assert (event.after, versions.now["s", "t"]) == ({"id": "1", column: "2"}, table)
    with pytest.raises(Rejected):
        versions.decode(Decoder(), record("a"))


def test_a_statement_makes_every_version_unknown() -> None:
    versions = Versions([FIRST, SECOND])
    versions.forget([DdlEvent("s", "t", "ALTER TABLE t ADD COLUMN x INT", commit_ts=1)])
    assert versions.now == {}
    versions.decode(Decoder(), record("a"))
    assert versions.now == {}


def test_each_partition_has_a_version_in_force() -> None:
    versions = Versions([FIRST, SECOND])
    for column, partition in (("b", 0), ("a", 1), ("b", 0), ("b", 1)):
        [event] = versions.decode(Decoder(), replace(record(column), topic="t", partition=partition))
        assert isinstance(event, RowChange)
        assert event.after == {"id": "1", column: "2"}
    with pytest.raises(Rejected):
        versions.decode(Decoder(), replace(record("a"), topic="t", partition=1))


@pytest.mark.parametrize(
    "dialect", ["canal-json?enable-tidb-extension=true", "debezium", "canal", "avro", "open-protocol"]
)
def test_the_tables_of_a_comparison_serve_for_its_sides_alone(dialect: str, tmp_path: Path) -> None:
    """Each side is judged first, by the same file, though its tables were altered on the way."""
    name = dialect.partition("?")[0]
    drawn = ["--preset", "shop", "--seed", "5", "--changes", "140", "--ddl", "8", "-n", "1", "--format", "jsonl"]
    assert main(["generate", *drawn, "--dialect", dialect, "--out", str(tmp_path)]) == 0
    capture, report = tmp_path / "all.jsonl", tmp_path / "run.jsonl"
    capture.write_bytes(b"".join(part.read_bytes() for part in sorted((tmp_path / name).glob("*.jsonl"))))
    given = ["--protocol", name, "--records", str(capture), "--tables", str(tmp_path / "tables.json")]
    if name == "avro":
        given += ["--schemas", str(tmp_path / "avro.schemas.json")]
    assert main(["check-capture", *given, "--report", f"jsonl={report}", "-q"]) == 0
    events = [json.loads(line) for line in report.read_bytes().splitlines()]
    assert {*Counter(event["verdict"] for event in events if event["event"] == "verdict")} == {"pass"}


def test_heartbeats_of_a_connector_are_no_broken_messages() -> None:
    """Whatever their topic is called, and where the topic is not known."""
    beats = [(b'{"ts_ms":1}', "__debezium-heartbeat.shop"), (b'{"ts_ms":1}', "alive.shop"), (b'{"ts_ms":1}', None)]
    wrapped = (b'{"schema":{"type":"struct"},"payload":{"ts_ms":1}}', None)
    broken = [(b'{"ts_ms":1,"op":"c"}', "__debezium-heartbeat.shop"), (b'{"ts_ms":"soon"}', None), (b"{}", None)]
    given = [
        Captured(Record(b"{}", value, topic=topic, partition=0, offset=0), Place("f", n))
        for n, (value, topic) in enumerate([*beats, wrapped, *broken], 1)
    ]
    results = judge_upstream_capture("debezium-connector", given, (), {"schemas.enable": "false"})
    assert [result.verdict for result in results] == [CaptureVerdict.EXCLUDED] * 4 + [CaptureVerdict.FAIL] * 3
