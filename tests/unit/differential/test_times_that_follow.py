"""Where a message carries TiDB's commit time stamp, the time that follows from it is compared, in both ways."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from differential.decode.changes import ChangeReader
from differential.decode.contents import Oddity
from differential.decode.quick import QuickRows
from differential.decode.reader import SlimReader
from differential.sides import Side
from reference_impl.model import Record
from tests.unit.differential.slims import slims
from tests.unit.differential.streams import changes, messages, side

EXTENSION = {"enable_tidb_extension": "true"}
TIMED = {
    "canal-json": (side("left", "canal-json", **EXTENSION), b'"es":', "es"),
    "debezium": (side("left", "debezium"), b'"name":"default","ts_ms":', "payload.source.ts_ms"),
    "debezium without schemas": (
        side("left", "debezium", debezium_disable_schema="true", **EXTENSION),
        b'"name":"default","ts_ms":',
        "payload.source.ts_ms",
    ),
}


def late(record: Record, member: bytes, by: int) -> Record:
    """The message with a member that is so many milliseconds later."""
    assert record.value is not None
    value, n = re.subn(re.escape(member) + rb"(\d+)", lambda m: member + b"%d" % (int(m[1]) + by), record.value)
    assert n == 1
    return replace(record, value=value)


def oddities(of: Side, record: Record) -> list[Oddity]:
    return [found for found in ChangeReader(of).read(record) if isinstance(found, Oddity)]


@pytest.mark.parametrize("by", [1, -1000])
@pytest.mark.parametrize("name", TIMED)
def test_a_time_that_is_not_that_of_the_commit_time_stamp_is_odd(name: str, by: int) -> None:
    of, member, path = TIMED[name]
    sound = messages(of, changes(seed=11, count=12))
    ms = [re.findall(re.escape(member) + rb"(\d+)", record.value or b"")[0].decode() for record in sound]
    for record, told in zip(sound, ms, strict=True):
        assert oddities(of, record) == []
        (found,) = oddities(of, late(record, member, by))
        assert ".".join(found.path) == f"value.{path}"
        assert (found.expected, found.got) == (told, str(int(told) + by))


@pytest.mark.parametrize("name", TIMED)
def test_the_short_way_leaves_such_messages_over_and_no_others(name: str) -> None:
    of, member, _ = TIMED[name]
    records = messages(of, changes(seed=11, count=40))
    broken = [late(record, member, 1) if n % 3 == 0 else record for n, record in enumerate(records)]
    quick = QuickRows(of)
    _, over = quick.read([record.value for record in records], [record.key for record in records])
    _, rest = quick.read([record.value for record in broken], [record.key for record in broken])
    assert rest == sorted({*over, *range(0, len(records), 3)})
    reader = SlimReader(0, of)
    assert slims(reader, broken) == [row for record in broken for row in reader.read_any(record)]


def test_a_time_without_a_source_is_not_compared() -> None:
    of = side("left", "canal-json")
    (record,) = messages(of, changes(seed=11, count=1))
    assert oddities(of, late(record, b'"es":', 1)) == []
