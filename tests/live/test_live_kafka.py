"""Topics of a real broker are read as files of the same messages are. `tox run -e live-kafka` runs this."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.captures.broker import read_by_time, read_spans, spans_of
from conformance.captures.files import read_capture
from conformance.captures.kafka_config import KafkaConfig
from conformance.captures.topics import parse_topics
from conformance.cli.main import main
from differential.sources.captures import with_fixed_offsets
from differential.sources.spec import parse_spec
from harnesses.providers.brokers import PASSWORD, USER, Broker
from reference_impl.model import Record

confluent_kafka = pytest.importorskip("confluent_kafka", reason="topics are read with confluent-kafka")
admin = pytest.importorskip("confluent_kafka.admin")

TICDC = "canal-json?enable-tidb-extension=true"
PARTITIONS = 3
FOREVER = {"retention.ms": "-1"}  # the generated time stamps lie in the past


def produce(servers: str, records: Iterable[Record], **properties: str) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": servers, **properties})
    for r in records:
        of_partition = {} if r.partition is None else {"partition": r.partition}
        producer.produce(r.topic, r.value, r.key, timestamp=r.timestamp or 0, headers=list(r.headers), **of_partition)
    assert producer.flush(30) == 0


def create(servers: str, *names: str, partitions: int = PARTITIONS) -> None:
    client = admin.AdminClient({"bootstrap.servers": servers})
    topics = [admin.NewTopic(name, partitions, 1, config=FOREVER) for name in names]
    for made in client.create_topics(topics).values():
        made.result(30)


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated stream in two dialects, as files: a partition a file, each key in one partition."""
    folder = tmp_path_factory.mktemp("streams")
    dialects = [part for dialect in (TICDC, "canal") for part in ("--dialect", dialect)]
    size = ["--changes", "400", "--seed", "7", "--shards", str(PARTITIONS), "-n", "1"]
    assert main(["generate", "--preset", "shop", *dialects, *size, "--format", "jsonl", "--out", str(folder)]) == 0
    return folder


def captured(streams: Path, dialect: str) -> list[Record]:
    return [one.record for one in read_capture(streams / dialect, dialect) if one.record is not None]


@pytest.fixture(scope="module")
def open_(broker: Broker, streams: Path) -> str:
    """The address of the broker, where the streams are in topics of the names that the messages have."""
    for dialect in ("canal-json", "canal"):
        records = captured(streams, dialect)
        create(broker.open, *{str(r.topic) for r in records})
        produce(broker.open, records)
    return broker.open


def compared(streams: Path, out: Path, left: str, right: str, *more: str) -> dict[str, Any]:
    """The summary of a comparison, without what differs between files and topics in any case."""
    sides = ["--left", f"{TICDC}:{left}", "--right", f"canal:{right}", "--tables", str(streams / "tables.json")]
    assert main(["compare", *sides, "--out", str(out), *more]) == 0
    found: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    for name in ("runner", "made"):
        del found[name]
    for side in found["sides"]:
        del side["source"]
        side.pop("offsets", None)
    # A file and a partition are read by a reader each, which reads its first messages one by one: only the sums agree.
    found["plan"] |= {part: _total(found["plan"][part]) for part in ("read", "compared")}
    return found


def _total(ways: dict[str, Any]) -> int:
    return sum(way if isinstance(way, int) else _total(way) for way in ways.values())


@pytest.fixture(scope="module")
def of_files(streams: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    found = compared(streams, tmp_path_factory.mktemp("files"), str(streams / "canal-json"), str(streams / "canal"))
    assert found["pairs"][0]["differences"]
    return found


def names(streams: Path, dialect: str) -> str:
    return ",".join(sorted({str(record.topic) for record in captured(streams, dialect)}))


def test_topics_compare_as_files_of_the_same_messages(
    streams: Path, open_: str, of_files: Mapping[str, Any], tmp_path: Path
) -> None:
    left, right = (f"kafka://{open_}/{names(streams, dialect)}" for dialect in ("canal-json", "canal"))
    assert "," in left.partition("//")[2]
    assert compared(streams, tmp_path, left, right) == of_files


def test_topics_of_swapped_sides_are_refused_by_their_first_messages(
    streams: Path, open_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = (f"kafka://{open_}/{names(streams, dialect)}" for dialect in ("canal", "canal-json"))
    sides = ["--left", f"{TICDC}:{left}", "--right", f"canal:{right}", "--tables", str(streams / "tables.json")]
    assert main(["compare", *sides, "--out", str(tmp_path / "out")]) == 4
    assert "the sources or the dialects are swapped" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_pattern_finds_a_topic_a_table(
    streams: Path, open_: str, of_files: Mapping[str, Any], tmp_path: Path
) -> None:
    assert compared(streams, tmp_path, f"kafka://{open_}/~shop_.*", f"kafka://{open_}/~can.l") == of_files


@pytest.fixture
def config(broker: Broker, tmp_path: Path) -> Path:
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    file = tmp_path / "client.properties"
    file.write_text(
        "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\ngroup.id=mine\n"
        f"ssl.truststore.type=PEM\nssl.truststore.location={broker.certificate}\n"
        f'sasl.jaas.config={module} required \\\n  username="{USER}" password="{PASSWORD}";\n'
    )
    return file


def test_a_run_that_is_taken_up_again_on_spark_reads_what_it_began_with_though_more_was_produced(
    streams: Path,
    broker: Broker,
    open_: str,
    of_files: Mapping[str, Any],
    connector: Path,
    config: Path,
    tmp_path: Path,
) -> None:
    left, right = f"kafka://{open_}/~shop_.*", f"kafka://{broker.guarded}/canal?config={config}"
    begun = with_fixed_offsets([parse_spec(f"{TICDC}:{left}"), parse_spec(f"canal:{right}")], stage=tmp_path / "stage")
    more = [replace(record, partition=0) for record in captured(streams, "canal")[:5]]
    create(open_, "shop_later")
    produce(open_, [*more, *(replace(record, topic="shop_later") for record in more)])
    spark = ["--runner", "spark", "--master", "local[1]", "--partitions", "2", "--spark-jars", str(connector)]
    try:
        assert compared(streams, tmp_path, left, right, *spark) == of_files
        told = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
        expected = [spec.reading.to_json() | {"without_a_message": 0} for spec in begun if spec.reading]
        assert [side["offsets"] for side in told["sides"]] == expected
        assert not (tmp_path / "stage").exists()
    finally:
        client = admin.AdminClient({"bootstrap.servers": open_})
        for done in client.delete_topics(["shop_later"]).values():
            done.result(30)


def read(source: str, **properties: str) -> list[Record]:
    topics, config = parse_topics(source), KafkaConfig("given", properties)
    found = read_spans(topics.servers, config, spans_of(topics, config))
    return [one.record for one in found if one.record is not None]


def test_offsets_and_times_say_where_reading_begins_and_ends(broker: Broker, tmp_path: Path) -> None:
    create(broker.open, "bounds", partitions=2)
    sent = [Record(None, b"%d" % n, n % 2, "bounds", timestamp=1_767_225_600_000 + 1000 * n) for n in range(10)]
    produce(broker.open, sent)
    (tmp_path / "begin.json").write_text('{"bounds": {"0": 1, "1": -2}}')
    (tmp_path / "end.json").write_text('{"bounds": {"0": 3, "1": 0}}')
    source = f"kafka://{broker.open}/bounds"
    by_offset = read(f"{source}?begin={tmp_path}/begin.json&end={tmp_path}/end.json")
    assert [(r.partition, r.offset, r.value) for r in by_offset] == [(0, 1, b"2"), (0, 2, b"4")]
    by_time = read(f"{source}?begin=2026-01-01T00:00:03Z&end=2026-01-01T01:00:06+01:00")
    assert sorted(str(r.value) for r in by_time) == ["b'3'", "b'4'", "b'5'"]
    assert read(f"{source}?begin=latest") == []
    assert len(read(source)) == len(sent)


def test_what_is_judged_is_read_in_the_order_of_time(broker: Broker) -> None:
    create(broker.open, "timed", partitions=3)
    sent = [Record(None, b"%d" % n, n * n % 3, "timed", timestamp=1000 + n) for n in range(40)]
    produce(broker.open, sent)
    topics, config = parse_topics(f"kafka://{broker.open}/timed"), KafkaConfig()
    found = read_by_time(topics.servers, config, spans_of(topics, config))
    assert [one.record.value for one in found if one.record] == [record.value for record in sent]


def test_no_key_an_empty_key_and_a_tombstone_are_three_things(broker: Broker) -> None:
    create(broker.open, "nothing", partitions=1)
    sent = [
        Record(None, b"v", 0, "nothing", (("h", b"\xff"), ("h", None)), 0, 1),
        Record(b"", b"", 0, "nothing", (), 1, 2),
        Record(b"k", None, 0, "nothing", (), 2, 3),
    ]
    produce(broker.open, sent)
    assert read(f"kafka://{broker.open}/nothing") == sent


def test_what_a_transaction_took_back_or_has_not_committed_is_not_there(broker: Broker) -> None:
    create(broker.open, "committed", partitions=1)
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.open, "transactional.id": "a-producer"})
    producer.init_transactions(30)
    for value, end in ((b"back", producer.abort_transaction), (b"kept", producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce("committed", value)
        producer.flush(30)
        end(30)
    producer.begin_transaction()
    producer.produce("committed", b"waits")
    producer.flush(30)
    source = f"kafka://{broker.open}/committed"
    assert [r.value for r in read(source)] == [b"kept"]
    uncommitted = read(source, **{"isolation.level": "read_uncommitted"})
    assert [r.value for r in uncommitted] == [b"back", b"kept", b"waits"]
    producer.abort_transaction(30)


def test_a_capture_of_a_topic_is_judged_behind_a_password_too(
    broker: Broker, open_: str, streams: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables = ["--tables", str(streams / "tables.json"), "-q"]
    for servers, more in ((open_, []), (broker.guarded, ["--kafka-config", str(config)])):
        records = f"kafka://{servers}/~shop_.*"
        assert main(["check-capture", "--protocol", "canal-json", "--records", records, *tables, *more]) == 0
        assert f"= pass {len(captured(streams, 'canal-json'))}" in capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], source: str, *more: str) -> str:
    """The one line that a person reads of a source that cannot be had."""
    assert main(["check-capture", "--protocol", "canal-json", "--records", source, *more]) == 4
    told = capsys.readouterr()
    assert not told.out
    assert len(told.err.splitlines()) == 1
    return told.err


def test_a_wrong_password_is_one_message_that_does_not_tell_it(
    broker: Broker, open_: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(config.read_text().replace(PASSWORD, "not that one"))
    told = refused(capsys, f"kafka://{broker.guarded}/canal", "--kafka-config", str(config))
    assert "Authentication failed" in told
    assert "not that one" not in told


def test_a_certificate_that_nobody_vouches_for_is_one_message(
    broker: Broker, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(config.read_text().replace("ssl.truststore.", "# ssl.truststore."))
    told = refused(capsys, f"kafka://{broker.guarded}/canal", "--kafka-config", str(config))
    assert "certificate verify failed" in told


def test_brokers_that_are_not_there_and_topics_that_are_not_there_are_one_message(
    broker: Broker, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "Connection refused" in refused(capsys, "kafka://127.0.0.1:9/topic")
    source = f"kafka://{broker.open}/no-such-topic"
    assert "there is no topic 'no-such-topic'" in refused(capsys, source)
    assert "there is no topic 'no-such-topic'" in refused(capsys, source), "asking for a topic made it"
    assert "no topic matches" in refused(capsys, f"kafka://{broker.open}/~no-such-.*")


def test_offsets_that_retention_removed_are_one_message_on_spark_too(
    broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create(broker.open, "aged", partitions=1)
    produce(broker.open, [Record(None, b"%d" % n, 0, "aged") for n in range(5)])
    [begun] = with_fixed_offsets([parse_spec(f"canal:kafka://{broker.open}/aged")])
    client = admin.AdminClient({"bootstrap.servers": broker.open})
    for done in client.delete_records([confluent_kafka.TopicPartition("aged", 0, 3)]).values():
        done.result(30)
    (tmp_path / "begin.json").write_text('{"aged": {"0": 1}}')
    told = refused(capsys, f"kafka://{broker.open}/aged?begin={tmp_path}/begin.json")
    assert "topic aged, partition 0: offset 1 is gone" in told
    assert begun.reading is not None
    with pytest.raises(Exception, match="offset 0 is gone"):
        begun.reading.check()
    with pytest.raises(Exception, match=r"[Oo]ffset out of range"):
        list(begun.reading.records())
