"""How a person names topics, and what is said of a name that is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from conformance.captures.topics import EARLIEST, LATEST, Topics, is_topics, parse_topics
from conformance.errors import UsageError

CHINA = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("source", "topics"),
    [
        ("kafka://h:9092/t", Topics("h:9092", ("t",))),
        ("kafka://b-1.x:9092,10.0.0.7:9093/t,u_v.w-2", Topics("b-1.x:9092,10.0.0.7:9093", ("t", "u_v.w-2"))),
        ("kafka://[::1]:9092,[fe80::1]:1/t", Topics("[::1]:9092,[fe80::1]:1", ("t",))),
        ("kafka://h:9/t,t", Topics("h:9", ("t",))),
        ("kafka://h:9/~shop_(a|b/?)?x{1,2}", Topics("h:9", pattern="shop_(a|b/?)?x{1,2}")),
        ("kafka://h:9/~a?b?begin=latest", Topics("h:9", pattern="a?b", begin=LATEST)),
        ("kafka://h:9/t?config=/etc/k.properties", Topics("h:9", ("t",), config=Path("/etc/k.properties"))),
        (
            "kafka://h:9/t?begin=2026-01-31T12:00:00Z&end=2026-02-01T00:00:00+08:00",
            Topics("h:9", ("t",), begin=datetime(2026, 1, 31, 12, tzinfo=UTC), end=datetime(2026, 2, 1, tzinfo=CHINA)),
        ),
    ],
)
def test_a_source_names_brokers_topics_and_where_to_begin_and_end(source: str, topics: Topics) -> None:
    assert parse_topics(source) == topics
    assert is_topics(source)
    assert str(topics) == source.partition("?begin")[0].partition("?config")[0].replace("t,t", "t")


def test_all_there_is_is_read_unless_something_else_is_said() -> None:
    topics = parse_topics("kafka://h:9/t")
    assert (topics.begin, topics.end) == (EARLIEST, LATEST)


def test_offsets_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "begin.json"
    file.write_text('{"t": {"0": 23, "1": -2}}')
    assert parse_topics(f"kafka://h:9/t?begin={file}").begin == {"t": {0: 23, 1: -2}}
    for text in ("[]", '{"t": 1}', '{"t": {"a": 1}}', '{"t": {"0": "1"}}', '{"t": {"0": -3}}', "{", '{"t":' * 100_000):
        file.write_text(text)
        with pytest.raises(UsageError, match="offsets look like"):
            parse_topics(f"kafka://h:9/t?begin={file}")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("kafka://h:9", "it looks like kafka://HOST:PORT/TOPIC"),
        ("kafka:///t", "it looks like kafka://HOST:PORT/TOPIC"),
        ("kafka://h/t", "'h' is no HOST:PORT"),
        ("kafka://::1:9092/t", "'::1:9092' is no HOST:PORT"),
        ("kafka://h:70000/t", "is no HOST:PORT"),
        ("kafka://h:9/a b", "'a b' is no name of a topic"),
        ("kafka://h:9/a,,b", "'' is no name of a topic"),
        ("kafka://h:9/..", "'..' is no name of a topic"),
        ("kafka://h:9/t*", r"kafka://HOST:PORT/~PATTERN"),
        ("kafka://h:9/~", "the pattern is empty"),
        ("kafka://h:9/~(", "no regular expression"),
        ("kafka://h:9/t?begin=soon", "neither earliest nor latest"),
        ("kafka://h:9/t?begin=2026-01-31T12:00:00", "has no zone"),
        ("kafka://h:9/t?begin=2026-01-32T12:00:00Z", "is no time"),
        ("kafka://h:9/t?begin=latest&till=latest", "unknown option 'till'"),
        ("kafka://h:9/t?begin=latest&begin=latest", "twice"),
        ("kafka://h:9/t?begin=nowhere.json", "cannot be read (No such file"),
    ],
)
def test_what_is_no_source_is_one_message(source: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_topics(source)
    assert why in str(raised.value)


def test_a_password_in_a_source_is_refused_and_not_told() -> None:
    with pytest.raises(UsageError, match="--kafka-config") as raised:
        parse_topics("kafka://me:secret@h:9/t")
    assert "secret" not in str(raised.value)
