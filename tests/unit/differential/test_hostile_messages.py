"""A message that nobody sends is one difference, and everything else is compared all the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from conformance.ddl import tables_of_sql
from differential.decode.changes import ChangeReader
from differential.model import Class, Unreadable
from differential.result.duplicates import without_repeats
from differential.sides import Side
from reference_impl.model import Record, RowChange
from tests.comparing import compare_locally
from tests.unit.differential.building import pairs_for
from tests.unit.differential.streams import changes, messages, numbered, side
from tests.unit.differential.test_prints import exactly

Change = Callable[[bytes], bytes]


def broken(records: Sequence[Record], at: int, change: Change) -> list[Record]:
    found = [replace(r, value=change(r.value)) if n == at and r.value else r for n, r in enumerate(records)]
    assert found != list(records)
    return found


def with_other(pattern: bytes, text: bytes) -> Change:
    return lambda value: re.sub(pattern, text, value)


def with_time(tso: int) -> Change:
    def change(value: bytes) -> bytes:
        value = re.sub(rb'"es":\d+', b'"es":%d' % (tso >> 18), value)
        return re.sub(rb'"commitTs":\d+', b'"commitTs":%d' % tso, value)

    return change


@pytest.mark.parametrize(
    "change",
    [
        with_other(rb'"op":"."', b'"op":"\xff"'),
        with_other(rb'"op":"."', b'"op":[]'),
        with_other(rb'"pos":\d+', b'"pos":' + b"9" * 5000),
        with_other(rb'"file":"[^"]*"', b'"file":"' + b"1" * 5000 + b'x"'),
    ],
)
def test_a_malformed_message_of_the_connector_ends_no_comparison(change: Change) -> None:
    sides = [side("left", "debezium"), side("right", "debezium-connector")]
    streams = [messages(of, changes(1, 6, keys=4)) for of in sides]
    streams[1] = broken(streams[1], 2, change)
    compare_locally(sides, streams, pairs_for(sides))
    exactly(sides, streams)


@pytest.mark.parametrize(
    "change",
    [with_time(2**63), with_time(2**64 - 1), with_other(rb'("sqlType":\{"id":-?\d+)', rb"\1.0")],
    ids=["a time stamp of 64 bits", "the last time stamp", "a code with a decimal point"],
)
def test_a_number_that_no_producer_writes_is_undecodable(change: Change) -> None:
    sides = [side(name, "canal-json", enable_tidb_extension="true") for name in ("left", "right")]
    streams = [messages(of, changes(1, 6, keys=4)) for of in sides]
    streams[1] = broken(streams[1], 2, change)
    found = compare_locally(sides, streams, pairs_for(sides)).differences
    assert {one.kind for one in found} == {Class.UNDECODABLE, Class.MISSING}
    assert found == exactly(sides, streams).differences


def test_a_disorder_across_keys_stays_a_difference_when_the_row_is_sent_again() -> None:
    def told(op: str, key: int, time: int) -> RowChange:
        row = {**dict.fromkeys(("rate", "state", "raw", "doc", "small", "at")), "id": str(key), "amount": "1.00"}
        ts = 430_000_000_000_000_000 + time * 262144 * 5000
        new = {**row, "name": "b" if op == "update" else "a"}
        old = {**row, "name": "a"} if op == "update" else None
        return RowChange(op, "shop", "orders", ts, before=old, after=new, start_ts=ts - 1)

    left = side("left", "canal-json", enable_tidb_extension="true")
    right = replace(side("right", "canal-json", enable_tidb_extension="true"), at_least_once=True)
    inserts = [told("insert", key, time) for key, time in ((1, 3), (2, 4), (3, 8), (4, 10))]
    sound = [*inserts[:2], told("update", 1, 5), *inserts[2:]]
    sent = messages(right, sound)
    disorder = [sent[0], sent[1], sent[3], sent[4], sent[2]]

    def kinds(stream: Sequence[Record]) -> list[Class]:
        pairs = pairs_for([left, right])
        found = compare_locally([left, right], [messages(left, sound), numbered(stream)], pairs)
        return [one.kind for one in without_repeats(found.differences, [left, right], pairs, found.counts)]

    assert kinds(disorder) == [Class.REORDERED]
    assert Class.REORDERED in kinds([*disorder, sent[0], sent[2]])
    assert kinds([*sent, sent[0], sent[2]]) == []


def test_the_key_of_an_undecodable_message_is_spelled_as_in_the_message() -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (b BIT(1) PRIMARY KEY, v INT)", "t.sql")
    of = Side("left", "debezium-connector", tables=(table,))
    row = RowChange("insert", "s", "t", 430_000_000_000_000_000, after={"b": "1", "v": "5"})
    [record] = of.encoder().encode([row], [table]).records
    assert record.value is not None
    broken = replace(record, value=record.value.replace(b'"v":5', b'"v":"five"'))
    [found] = ChangeReader(of).read(broken)
    assert isinstance(found, Unreadable)
    assert found.key == '["true"]'


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [(b'"type":"INSERT"', b'"kind":"INSERT"', ""), (b'"sql":""', b'"sql":5', ""), (b'"v":"5"', b'"v":"five"', "v")],
)
def test_a_member_of_the_message_is_no_column_of_its_name(old: bytes, new: bytes, column: str) -> None:
    [table] = tables_of_sql("CREATE TABLE s.t (type INT PRIMARY KEY, `sql` INT, v INT)", "t.sql")
    of = Side("left", "canal-json", tables=(table,))
    row = RowChange("insert", "s", "t", 430_000_000_000_000_000, after={"type": "1", "sql": "2", "v": "5"})
    [record] = of.encoder().encode([row], [table]).records
    assert record.value is not None
    assert old in record.value
    [found] = ChangeReader(of).read(replace(record, value=record.value.replace(old, new)))
    assert isinstance(found, Unreadable)
    assert found.column == column
