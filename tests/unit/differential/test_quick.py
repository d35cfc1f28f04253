"""The fast path against the slow path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

import orjson
import pytest

from conformance.ddl import tables_of_sql
from differential.decode.quick import QuickRows
from differential.decode.reader import SlimReader
from differential.decode.slim import Kind, Slim
from differential.sides import Side
from reference_impl.model import Record, Row, RowChange
from reference_impl.open_protocol.framing import frame, unframe
from tests.amounts import ordinarily
from tests.unit.differential import generated
from tests.unit.differential.building import written
from tests.unit.differential.mutations import mutations
from tests.unit.differential.slims import slims
from tests.unit.differential.streams import changes, messages, side

DIALECTS = {
    "ticdc": ("canal-json", {"enable_tidb_extension": "true"}),
    "ticdc without the extension": ("canal-json", {}),
    "ticdc content-compatible": ("canal-json", {"content_compatible": "true", "enable_tidb_extension": "true"}),
    "ticdc with what has changed": ("canal-json", {"only_output_updated_columns": "true"}),
    "alibaba": ("canal", {}),
    "alibaba on java 25": ("canal", {"jdk": "25"}),
    "alibaba without tsdb": ("canal", {"tsdb": "false"}),
    "alibaba with gtid": ("canal", {"gtid": "true"}),
    "alibaba of mariadb": ("canal", {"server": "mariadb"}),
    "debezium": ("debezium", {}),
    "debezium with all its options": (
        "debezium",
        {"enable_tidb_extension": "true", "debezium_include_start_ts": "true"},
    ),
    "debezium without schemas": ("debezium", {"debezium_disable_schema": "true"}),
    "connector": ("debezium-connector", {}),
    "connector of another version, without schemas": (
        "debezium-connector",
        {"version": "3.6.1", "schemas.enable": "false", "tombstones.on.delete": "false"},
    ),
    "open protocol": ("open-protocol", {}),
    "open protocol, an event a message": ("open-protocol", {"max_batch_size": "1"}),
}
OF_EACH_DIALECT = ("ticdc", "alibaba", "debezium", "connector", "open protocol")
STREAMS = [
    (name, preset) for name in DIALECTS for preset in ("types", "shop") if preset == "types" or name in OF_EACH_DIALECT
]
"""Every type under all options; the keys of the shop, which no option changes, of each dialect."""
SIDES = {name: side("left", dialect, **options) for name, (dialect, options) in DIALECTS.items()}


def taken_by(known: Any, records: Sequence[Record]) -> list[Record]:
    """The messages that a fast path takes."""
    found, _ = known.read([record.value for record in records], [record.key for record in records])
    return [records[position] for position in sorted({p for one in found for p in one.positions})]


def read_ordinary(of: Side, records: Sequence[Record]) -> list[Record]:
    """The messages that the fast path is sure of."""
    return taken_by(QuickRows(of), records)


def read_any(reader: SlimReader, records: Iterable[Record]) -> list[Slim]:
    return [row for record in records for row in reader.read_any(record)]


def some_rows(records: Sequence[Record]) -> list[tuple[int, Record, bytes]]:
    """Some two dozen messages of rows, with their numbers and values."""
    rows = [(record, record.value) for record in records if record.value is not None]
    return [(number, record, value) for number, (record, value) in enumerate(rows[:: 1 + len(rows) // 24])]


def assert_read_alike(of: Side, records: Sequence[Record]) -> None:
    """Both ways read the messages alike."""
    reader = SlimReader(0, of)
    assert slims(reader, records) == read_any(reader, records)


@pytest.mark.parametrize("of", SIDES.values(), ids=list(SIDES))
def test_the_short_way_gives_what_the_long_way_gives(of: Side) -> None:
    records = messages(of, changes(seed=11, count=ordinarily(150, 400)))
    assert len(read_ordinary(of, records)) > 0.98 * len(records)
    assert_read_alike(of, records)


@pytest.mark.parametrize("name", OF_EACH_DIALECT)
def test_few_messages_of_a_kind_are_left_to_the_long_way_and_all_from_then_on_are_not(name: str) -> None:
    of = SIDES[name]
    records = messages(of, changes(seed=11, count=60))
    expected = read_any(SlimReader(0, of), records)
    known, taken = QuickRows(of, few=5), [taken_by(QuickRows(of), [one]) for one in records]
    left = [one for one, sure in zip(records, taken, strict=True) if sure and not taken_by(known, [one])]
    assert 0 < len(left) <= 3 * (5 - 1)
    assert not [one for one in left if not taken_by(known, [one])]
    assert slims(SlimReader(0, of, few=5), records) == expected


@pytest.mark.parametrize("name", OF_EACH_DIALECT)
def test_how_messages_are_cut_into_batches_does_not_decide_which_are_left_to_the_long_way(name: str) -> None:
    of = SIDES[name]
    records = messages(of, changes(seed=11, count=60))
    whole = taken_by(QuickRows(of, few=5), records)
    for size in (1, 7):
        known = QuickRows(of, few=5)
        batches = [records[at : at + size] for at in range(0, len(records), size)]
        assert [one for batch in batches for one in taken_by(known, batch)] == whole


@cache
def stream_of(name: str, preset: str) -> tuple[Side, list[Record]]:
    """A side of a dialect, and its messages."""
    dialect, options = DIALECTS[name]
    of = generated.side("left", dialect, preset, **options)
    return of, generated.sent(of, generated.transactions(preset, ordinarily(100, 150), 5))


@pytest.mark.parametrize(("name", "preset"), STREAMS)
def test_streams_of_every_type_are_read_alike_in_both_ways(name: str, preset: str) -> None:
    of, records = stream_of(name, preset)
    rows = [record for record in records if record.value is not None]
    assert len(read_ordinary(of, rows)) > 0.9 * len(rows)
    assert_read_alike(of, records)


@pytest.mark.parametrize(("name", "preset"), STREAMS)
def test_what_the_short_way_takes_of_broken_messages_the_long_way_reads_alike(name: str, preset: str) -> None:
    of, records = stream_of(name, preset)
    reader, known = SlimReader(0, of), QuickRows(of)
    for number, record, value in some_rows(records):
        broken = [replace(record, value=other) for other in mutations(value, number, ordinarily(15, 50))]
        if record.key is not None:
            broken += [replace(record, key=key) for key in mutations(record.key, number, ordinarily(4, 10))]
            broken += [replace(record, key=record.key[:-1], value=record.key[-1:] + value)]
        sure = taken_by(known, broken)
        assert slims(reader, sure) == read_any(reader, sure)
    assert not +reader.counts


@pytest.mark.parametrize("preset", ["shop", "types"])
def test_what_the_short_way_takes_of_events_broken_in_their_frame_the_long_way_reads_alike(preset: str) -> None:
    of = generated.side("left", "open-protocol", preset)
    records = generated.sent(of, generated.transactions(preset, 100, 5))
    reader, known, taken = SlimReader(0, of), QuickRows(of), 0
    for number, record in enumerate(records[:: 1 + len(records) // 24]):
        pairs = unframe(record.key, record.value)
        place = number % len(pairs)
        key, value = pairs[place]
        events = [(key, text) for text in mutations(value, number, ordinarily(15, 50))]
        events += [(text, value) for text in mutations(key, number, 10)]
        frames = [frame([*pairs[:place], event, *pairs[place + 1 :]]) for event in events]
        broken = [replace(record, key=key, value=value) for key, value in frames]
        sure = taken_by(known, broken)
        taken += len(sure)
        assert slims(reader, sure) == read_any(reader, sure)
    assert taken > 0
    assert not +reader.counts


def test_rows_of_two_tables_in_a_message_of_many_partitions_are_left_to_the_long_way() -> None:
    of = generated.side("left", "open-protocol", max_batch_size="2")
    records = generated.sent(of, generated.transactions("shop", 100, 5))
    pairs = [pair for record in records for pair in unframe(record.key, record.value)]
    by_table = {key.partition(b",")[2]: (key, value) for key, value in pairs}
    two = list(islice(by_table.values(), 2))
    key, value = frame(two)
    mixed = Record(key, value, 0, "topic", (), 0)
    reader = SlimReader(0, of)
    assert len(read_ordinary(of, [mixed])) == 1
    assert [row.step for row in slims(reader, [mixed]) if row.kind == Kind.CHANGE] == [0, 1]
    assert slims(reader, [mixed]) == read_any(reader, [mixed])
    assert read_ordinary(replace(of, settings=replace(of.settings, partitions=3)), [mixed]) == []
    assert read_ordinary(generated.side("left", "open-protocol", max_batch_size="1"), [mixed]) == []


[COLLATED] = tables_of_sql(
    "CREATE TABLE shop.codes (code VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, n INT)", "t"
)


@pytest.mark.parametrize("dialect", ["canal-json", "canal", "debezium", "debezium-connector", "open-protocol"])
def test_keys_that_are_equal_in_their_collation_are_one_key_in_both_ways(dialect: str) -> None:
    of = Side("left", dialect, tables=(COLLATED,))
    rows: list[Row] = [{"code": code, "n": str(n)} for n, code in enumerate(("Ab", "aB", "AB ", "É", "e", "<x>"))]
    pairs = list(pairwise(rows))
    events = [RowChange("insert", "shop", "codes", 1 << 58, after=row, start_ts=1) for row in rows]
    events += [RowChange("update", "shop", "codes", 1 << 58, before=a, after=b, start_ts=1) for a, b in pairs]
    records = [record for record in written(of, events) if record.value]
    assert_read_alike(of, records)
    assert len(read_ordinary(of, records)) == len(records)
    assert len({row.key for row in slims(SlimReader(0, of), records)}) == 3


ODD = {
    "a position that nobody asked for": ('"gtid":""', '"gtid":"u:1"'),
    "no position": ('"gtid":""', '"gtid":null'),
    "no whole second": ('000,"gtid"', '001,"gtid"'),
    "members in another order": ('"gtid":"","id":1', '"id":1,"gtid":""'),
    "columns in another order": ('"mysqlType":{"id":"bigint",', '"mysqlType":{"amount":"decimal(10,2)","id":"bigint",'),
}


@pytest.mark.parametrize("fault", ODD)
def test_what_the_long_way_refuses_the_short_way_leaves_to_it(fault: str) -> None:
    of = SIDES["alibaba"]
    old, new = (text.encode() for text in ODD[fault])
    record = messages(of, changes(seed=11, count=1))[0]
    assert record.value is not None
    value = record.value.replace(old, new, 1)
    if fault.startswith("columns"):
        value = value.replace(b'"id":"bigint","amount":"decimal(10,2)"', b'"id":"bigint"', 1)
    assert value != record.value
    assert read_ordinary(of, [record]) == [record]
    assert read_ordinary(of, [replace(record, value=value)]) == []


OLD = {
    "a quote and nothing behind it": '{"}',
    "a comma and nothing behind it": '{"amount":"1.00",}',
    "a comma, a quote and nothing behind them": '{"amount":"1.00","}',
    "a member twice": '{"amount":"1.00","amount":"1.00"}',
    "members in another order": '{"rate":"1.0","amount":"1.00"}',
    "a member that the table has not": '{"amounts":"1.00"}',
    "what did not change": '{"id":"%d"}',
}


@pytest.mark.parametrize("name", ["alibaba", "ticdc with what has changed"])
@pytest.mark.parametrize("fault", OLD)
def test_an_odd_image_of_what_has_changed_is_left_to_the_long_way(name: str, fault: str) -> None:
    of = SIDES[name]
    records = [record for record in messages(of, changes(seed=11, count=60)) if b"UPDATE" in (record.value or b"")]
    for record in records:
        before, old, rest = (record.value or b"").partition(b'"old":[')
        data = rest.partition(b"}]")[2]
        key = orjson.loads(record.value or b"")["data"][0]["id"]
        image = OLD[fault].replace("%d", key).encode()
        assert read_ordinary(of, [record]) == [record]
        assert read_ordinary(of, [replace(record, value=before + old + image + b"]" + data)]) == []


SAME_LENGTH = {
    "ticdc": ('"mysqlType":{"id":"bigint"', '"mysqlType":{"id":"bigins"'),
    "alibaba": ('"amount":"decimal(10,2)"', '"amount":"decimal(10,3)"'),
    "debezium": ('"field":"amount"', '"field":"amounu"'),
    "connector": ('"field":"amount"', '"field":"amounu"'),
}


@pytest.mark.parametrize("name", SAME_LENGTH)
def test_a_long_text_that_is_the_same_in_all_messages_is_compared_to_the_letter(name: str) -> None:
    of = SIDES[name]
    old, new = (text.encode() for text in SAME_LENGTH[name])
    records = messages(of, changes(seed=11, count=20))
    altered = [replace(record, value=(record.value or b"").replace(old, new, 1)) for record in records]
    assert all(a.value != b.value for a, b in zip(altered, records, strict=True))
    assert read_ordinary(of, records) == records
    assert read_ordinary(of, altered) == []
    assert read_ordinary(of, [*altered, *records]) == records


WIDE_COLUMNS = ", ".join(f"c{n} {('INT', 'VARCHAR(9)')[n % 2]}" for n in range(1, 60))
[WIDE] = tables_of_sql(f"CREATE TABLE shop.wide (c0 INT PRIMARY KEY, {WIDE_COLUMNS})", "t")


@pytest.mark.parametrize("dialect", ["canal-json", "canal", "debezium", "debezium-connector"])
def test_an_update_of_many_columns_is_left_at_once_where_its_end_does_not_fit(dialect: str) -> None:
    of = Side("left", dialect, tables=(WIDE,))
    row: Row = {column.name: "7" for column in WIDE.columns}
    after = {**row, "c5": "77", "c6": "770", "c7": 'a"b\\'}
    (record,) = written(of, [RowChange("update", "shop", "wide", 1 << 58, before=row, after=after, start_ts=1)])
    assert record.value is not None
    assert read_ordinary(of, [record]) == [record]
    assert_read_alike(of, [record])
    at = record.value.rindex(b'"c59":')
    for end in (record.value[:-1] + b"?", record.value[:at] + b'"c60":' + record.value[at + 6 :]):
        assert read_ordinary(of, [replace(record, value=end)]) == []


def test_a_message_that_its_dialect_would_have_made_smaller_is_left_to_the_long_way() -> None:
    of = side("left", "canal-json", max_message_bytes="2000")
    assert read_ordinary(of, messages(of, changes(seed=11, count=1))) == []


def test_a_message_with_a_key_is_left_to_the_long_way() -> None:
    of = SIDES["ticdc"]
    record = messages(of, changes(seed=11, count=1))[0]
    assert read_ordinary(of, [replace(record, key=b"1")]) == []
