"""Reading topics of a real broker while others rebalance, partitions are added, or the broker is killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from conformance.captures import broker as reading
from conformance.captures.broker import TopicLost, read_by_time, read_spans, spans_of
from conformance.captures.kafka_config import KafkaConfig, read_config
from conformance.captures.topics import parse_topics
from conformance.cli.main import main
from harnesses import providers
from harnesses.providers import Broker
from harnesses.providers.brokers import PASSWORD, USER
from reference_impl.model import Record
from tests.live.test_live_kafka import create, produce

confluent_kafka = pytest.importorskip("confluent_kafka", reason="topics are read with confluent-kafka")
admin = pytest.importorskip("confluent_kafka.admin")

MANY, LARGE = 3000, b"x" * 20_000
"""Records, and bytes of each: more than a client has in store."""


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[Broker]:
    """A broker of one test's own, to be killed."""
    try:
        with providers.kafka(tmp_path / "broker") as found:
            if found.process is None:
                pytest.skip("a broker in a container is not ours to kill")
            yield found
    except providers.Unavailable as e:
        pytest.skip(str(e))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for a broker that is gone gives up sooner than it does for people."""
    monkeypatch.setattr(reading, "_PATIENCE", 4.0)


def kill(broker: Broker) -> None:
    assert broker.process is not None
    broker.process.kill()
    broker.process.wait()


def test_reading_goes_on_while_a_group_of_the_same_name_rebalances_and_nothing_is_committed(broker: Broker) -> None:
    create(broker.open, "rebalanced", partitions=4)
    sent = [Record(None, b"%d" % n, n % 4, "rebalanced", timestamp=1000 + n) for n in range(400)]
    produce(broker.open, sent)
    mine = {"bootstrap.servers": broker.open, "group.id": "ticdc-conformance", "auto.offset.reset": "earliest"}
    topics, config = parse_topics(f"kafka://{broker.open}/rebalanced"), KafkaConfig()
    heard: list[int] = []
    members = [confluent_kafka.Consumer({**mine, "enable.auto.commit": False}) for _ in range(2)]
    try:
        found = read_by_time(topics.servers, config, spans_of(topics, config))
        values = [one.record.value for one in islice(found, 50) if one.record]
        for member in members:  # each makes the members before it give up partitions
            member.subscribe(["rebalanced"], on_assign=lambda _, given: heard.append(len(given)))
            while len(heard) < members.index(member) + 1:
                for one in members[: members.index(member) + 1]:
                    one.poll(0.1)
        values += [one.record.value for one in found if one.record]
        places = [confluent_kafka.TopicPartition("rebalanced", n) for n in range(4)]
        committed = members[0].committed(places, timeout=30)
    finally:
        for member in members:
            member.close()
    assert values == [record.value for record in sent]
    assert all(place.offset < 0 for place in committed), "something was committed"


def test_partitions_that_are_added_meanwhile_do_not_change_what_is_read(broker: Broker) -> None:
    create(broker.open, "widened", partitions=2)
    produce(broker.open, [Record(None, b"%d" % n, n % 2, "widened") for n in range(100)])
    topics, config = parse_topics(f"kafka://{broker.open}/widened"), KafkaConfig()
    found = read_spans(topics.servers, config, spans_of(topics, config))
    first = list(islice(found, 10))
    client = admin.AdminClient({"bootstrap.servers": broker.open})
    for done in client.create_partitions([admin.NewPartitions("widened", 4)]).values():
        done.result(30)
    produce(broker.open, [Record(None, b"later", n, "widened") for n in range(2)])
    values = [one.record.value for one in (*first, *found) if one.record]
    assert sorted(values) == sorted(b"%d" % n for n in range(100))


def test_a_login_by_scram_over_tls_reads_what_is_there(broker: Broker, tmp_path: Path) -> None:
    create(broker.open, "scrambled", partitions=1)
    produce(broker.open, [Record(None, b"v", 0, "scrambled")])
    client = admin.AdminClient({"bootstrap.servers": broker.open})
    kind = admin.ScramCredentialInfo(admin.ScramMechanism.SCRAM_SHA_256, 4096)
    wanted = admin.UserScramCredentialUpsertion(USER, kind, PASSWORD.encode())
    for done in client.alter_user_scram_credentials([wanted]).values():
        done.result(30)
    file = tmp_path / "client.properties"
    module = "org.apache.kafka.common.security.scram.ScramLoginModule"
    file.write_text(
        "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-256\n"
        f"ssl.truststore.type=PEM\nssl.truststore.location={broker.certificate}\n"
        f'sasl.jaas.config={module} required username="{USER}" password="{PASSWORD}";\n',
        encoding="utf-8",
    )
    topics, config = parse_topics(f"kafka://{broker.guarded}/scrambled"), read_config(file)
    found = read_spans(topics.servers, config, spans_of(topics, config))
    assert [one.record.value for one in found if one.record] == [b"v"]


def test_a_broker_that_is_killed_while_it_is_read_is_one_error_that_names_the_place(
    doomed: Broker, impatient: None
) -> None:
    create(doomed.open, "killed", partitions=1)
    produce(doomed.open, [Record(None, LARGE, 0, "killed") for _ in range(MANY)])
    topics, config = parse_topics(f"kafka://{doomed.open}/killed"), KafkaConfig()
    found = read_spans(topics.servers, config, spans_of(topics, config), {"queued.max.messages.kbytes": "1024"})
    values = [one.record.value for one in islice(found, 10) if one.record]
    kill(doomed)
    with pytest.raises(TopicLost) as lost:
        values += [one.record.value for one in found if one.record]
    assert f"kafka://{doomed.open}: topic killed, partition 0, from offset 0 to {MANY}: " in str(lost.value)
    assert 10 <= len(values) < MANY
    assert set(values) == {LARGE}


def test_what_was_judged_before_a_broker_was_killed_is_told_and_the_run_is_inconclusive(
    doomed: Broker,
    impatient: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    create(doomed.open, "cut", partitions=1)
    value = {"id": 1, "database": "test", "table": "t", "pkNames": ["id"], "isDdl": False, "type": "INSERT"}
    value |= {"es": 1, "ts": 1, "sql": "", "sqlType": {"id": 4, "c": 12}, "mysqlType": {"id": "int", "c": "text"}}
    rows = ({**value, "data": [{"id": str(n), "c": LARGE.decode()}], "old": None} for n in range(MANY))
    produce(doomed.open, [Record(None, json.dumps(row).encode(), 0, "cut", timestamp=n) for n, row in enumerate(rows)])
    whole = reading._captured
    seen: list[int] = []

    def killing(message: object) -> object:
        seen.append(1)
        if len(seen) == 20:
            kill(doomed)
        return whole(message)

    monkeypatch.setattr(reading, "_captured", killing)
    record = tmp_path / "run.jsonl"
    asked = ["check-capture", "--protocol", "canal-json", "--records", f"kafka://{doomed.open}/cut", "-q"]
    assert main([*asked, "--report", f"jsonl={record}"]) == 6
    told = capsys.readouterr().err
    assert f"kafka://{doomed.open}: topic cut, partition 0" in told
    events = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    judged = [event for event in events if event["event"] == "verdict"]
    assert 20 <= len(judged) < MANY
    assert "what was read until then is judged" in told
    assert (events[-1]["event"], events[-1]["exit"]) == ("end", 6)
