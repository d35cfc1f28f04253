"""What is read of a side's topics is fixed once, told, and handed to Spark as it is."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from conformance.captures.kafka_config import KafkaConfig
from conformance.captures.topics import Span, Topics, parse_topics
from conformance.errors import UsageError
from differential.sources.captures import fingerprint, with_fixed_offsets
from differential.sources.spec import Spec
from differential.sources.topics import OFFSETS, Reading
from differential.spark.kafka import connection, connector, source_options
from differential.spark.streams import stream_of

SOURCE = "kafka://h:9092/~shop_.*"
SPANS = (Span("shop_a", 0, 0, 5), Span("shop_a", 1, 2, 2), Span("shop_b", 0, 7, 600_007))
SECRET = KafkaConfig("f", {"ssl.key.password": "hush", "security.protocol": "SSL", "group.id": "mine"})
TOLD = {
    "begin": {"shop_a": {"0": 0, "1": 2}, "shop_b": {"0": 7}},
    "end": {"shop_a": {"0": 5, "1": 2}, "shop_b": {"0": 600_007}},
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that a cluster was asked about; more is there each time."""
    found: list[str] = []

    def spans_of(topics: Topics, config: KafkaConfig) -> tuple[Span, ...]:
        found.append(str(topics))
        return tuple(replace(span, end=span.end + len(found) - 1) for span in SPANS)

    monkeypatch.setattr("differential.sources.topics.spans_of", spans_of)
    return found


def test_offsets_are_determined_once_and_a_continued_run_reads_the_same(asked: list[str], tmp_path: Path) -> None:
    specs = [Spec("canal-json", SOURCE), Spec("canal", "some/file"), Spec("canal", SOURCE)]
    first = with_fixed_offsets(specs, stage=tmp_path / "stage")
    assert with_fixed_offsets(specs, stage=tmp_path / "stage") == first
    assert asked == [SOURCE]
    assert [spec.reading.spans for spec in first if spec.reading] == [SPANS, SPANS]
    assert first[1].reading is None
    (tmp_path / "stage" / OFFSETS).unlink()
    assert with_fixed_offsets(specs, stage=tmp_path / "stage") != first


def test_without_a_stage_nothing_is_kept(asked: list[str], tmp_path: Path) -> None:
    assert with_fixed_offsets([Spec("canal", SOURCE)]) != with_fixed_offsets([Spec("canal", SOURCE)])
    with_fixed_offsets([Spec("canal", "some/file")], stage=tmp_path / "stage")
    assert not list(tmp_path.iterdir())


def test_a_malformed_file_of_offsets_gives_one_message(asked: list[str], tmp_path: Path) -> None:
    (tmp_path / OFFSETS).write_text("{")
    with pytest.raises(UsageError, match="remove the folder"):
        with_fixed_offsets([Spec("canal", SOURCE)], stage=tmp_path)


def reading() -> Reading:
    return Reading(parse_topics(SOURCE), SECRET, SPANS)


def test_a_fingerprint_of_streams_has_offsets_and_no_secrets() -> None:
    told = json.dumps(fingerprint(Spec("canal", SOURCE, reading=reading())))
    assert json.loads(told) == ["h:9092", TOLD]
    assert "hush" not in told + repr(reading())


def test_what_was_read_can_be_given_back_as_where_to_begin(tmp_path: Path) -> None:
    file = tmp_path / "begin.json"
    file.write_text(json.dumps(reading().to_json()["begin"]))
    assert parse_topics(f"{SOURCE}?begin={file}").begin == {"shop_a": {0: 0, 1: 2}, "shop_b": {0: 7}}


def test_spark_is_given_each_partition_with_its_offsets_and_kafka_s_own_properties() -> None:
    options = source_options(reading())
    assert json.loads(options["assign"]) == {"shop_a": [0, 1], "shop_b": [0]}
    assert [json.loads(options[name]) for name in ("startingOffsets", "endingOffsets")] == list(TOLD.values())
    assert (options["minPartitions"], options["failOnDataLoss"]) == ("4", "true")
    assert connection("h:1", SECRET) == {
        "kafka.bootstrap.servers": "h:1",
        "kafka.isolation.level": "read_committed",
        "kafka.ssl.key.password": "hush",
        "kafka.security.protocol": "SSL",
    }


def test_spark_s_source_is_a_folder_of_jars_a_jar_or_packages(tmp_path: Path) -> None:
    jar = tmp_path / "spark-sql-kafka-0-10_2.13-4.2.0.jar"
    with pytest.raises(UsageError, match="there is no jar"):
        connector(str(tmp_path))
    jar.touch()
    (tmp_path / "kafka-clients.jar").touch()
    assert connector(str(tmp_path)) == {"spark.jars": f"{tmp_path}/kafka-clients.jar,{jar}"}
    assert connector(str(jar)) == {"spark.jars": str(jar)}
    packages = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0,a:b:1"
    assert connector(packages) == {"spark.jars.packages": packages}
    with pytest.raises(UsageError, match="there is no jar"):
        connector(str(tmp_path / "spark-sql-kafka-not-there.jar"))


def test_no_pattern_of_growing_streams_matches_topics_of_kafka_itself() -> None:
    spark = Mock()
    options = spark.readStream.format.return_value.options
    options.return_value.load.side_effect = UsageError("read")
    with pytest.raises(UsageError, match="read"):
        stream_of(spark, Spec("canal", "kafka://h:9092/~a|.*"))
    pattern = re.compile(options.call_args.kwargs["subscribePattern"])
    assert [bool(pattern.fullmatch(name)) for name in ("a", "shop", "__consumer_offsets")] == [True, True, False]
