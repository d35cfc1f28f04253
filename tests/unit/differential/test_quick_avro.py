"""The fast path to read Avro against the slow path: what is read is written again, and has to be the message.

What the fingerprints of Avro settle, with and without the row before, is what the exact way finds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest

from differential.decode.quick import QuickRows
from differential.decode.quick.cells import UNSURE
from differential.decode.quick.datums import DatumCells
from differential.decode.reader import SlimReader
from differential.local import compare_locally
from differential.prints.ways import ComparedBy, ReadAs
from differential.sides import Side
from reference_impl.avro.layout import layout
from reference_impl.avro.options import Options
from reference_impl.avro.registered import read_schema
from reference_impl.avro.style import style_of
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Record, Table
from reference_impl.settings import Settings
from tests.amounts import ordinarily
from tests.unit.differential import generated
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import avro, side, transactions
from tests.unit.differential.slims import slims
from tests.unit.differential.test_prints import exactly, with_faults
from tests.unit.differential.test_quick import assert_read_alike, read_any, read_ordinary, taken_by

CHANGES = ordinarily(80, 150)
EXTENSION = {"enable_tidb_extension": "true"}
OPTIONS = {
    "alone": {},
    "with the extension": EXTENSION,
    "with the row before": {**EXTENSION, "avro_include_before_value": "true"},
    "numbers as texts": {
        **EXTENSION,
        "avro_include_before_value": "true",
        "avro_decimal_handling_mode": "string",
        "avro_bigint_unsigned_handling_mode": "string",
    },
}


@cache
def sent(name: str, preset: str) -> tuple[Side, list[Record]]:
    """A side that knows the schemas of its messages, and these."""
    return avro("left", preset, transactions(preset, CHANGES, 3), **OPTIONS[name])


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("preset", ["shop", "types"])
def test_the_short_way_gives_what_the_long_way_gives(name: str, preset: str) -> None:
    of, records = sent(name, preset)
    with_row = [record for record in records if record.value is not None]
    assert len(read_ordinary(of, with_row)) > 0.9 * len(with_row)
    assert_read_alike(of, records)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("preset", ["shop", "types"])
def test_what_the_short_way_takes_of_broken_messages_the_long_way_reads_alike(name: str, preset: str) -> None:
    of, records = sent(name, preset)
    reader, known, taken = SlimReader(0, of), QuickRows(of), 0
    rows = [record for record in records if record.value is not None]
    for number, record in enumerate(rows[:: 1 + len(rows) // 24]):
        assert record.value is not None
        assert record.key is not None
        other = rows[(number + 1) % len(rows)]
        broken = [replace(record, value=value) for value in broken_bytes(record.value, number)]
        broken += [replace(record, key=key) for key in broken_bytes(record.key, number)]
        broken += [replace(record, key=other.key), replace(record, value=other.value)]
        sure = taken_by(known, broken)
        taken += len(sure)
        assert slims(reader, sure) == read_any(reader, sure)
    assert taken > 0


@pytest.mark.parametrize("name", ["alone", "with the extension"])
@pytest.mark.parametrize("preset", ["shop", "types"])
def test_a_delete_is_read_by_its_key_alone_and_a_broken_one_as_the_long_way_reads_it(name: str, preset: str) -> None:
    of, records = sent(name, preset)
    deletes = [record for record in records if record.value is None]
    known, reader = QuickRows(of), SlimReader(0, of)
    found, rest = known.read([one.value for one in deletes], [one.key for one in deletes])
    assert (sum(len(one.positions) for one in found), rest) == (len(deletes), [])
    for number, record in enumerate(deletes):
        assert record.key is not None
        broken = [replace(record, key=key) for key in broken_bytes(record.key, number)]
        broken += [replace(record, value=b""), replace(record, key=record.key + b"\0")]
        assert slims(reader, broken) == read_any(reader, broken)


def broken_bytes(data: bytes, seed: int) -> Iterator[bytes]:
    """The bytes with one of them changed by a bit, left out or put in, at drawn places."""
    draw = random.Random(seed)
    for _ in range(ordinarily(12, 40)):
        place = draw.randrange(len(data))
        yield data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :]
    for _ in range(5):
        place = draw.randrange(len(data))
        yield data[:place] + data[place + 1 :]
        yield data[:place] + bytes([draw.randrange(256)]) + data[place:]


def test_messages_with_a_schema_that_is_no_longer_that_of_their_table_are_left_to_the_long_way() -> None:
    of, records = sent("with the row before", "shop")
    table = replace(of.tables[0], columns=of.tables[0].columns[:-1])
    changed = replace(of, tables=(table, *of.tables[1:]))
    assert 0 < len(read_ordinary(changed, records)) < len(read_ordinary(of, records))
    assert_read_alike(changed, records)


def test_a_decimal_of_more_digits_than_any_column_has_is_left_to_the_long_way() -> None:
    table = Table("s", "t", (Column("id", parse_column_type("int")), Column("a", parse_column_type("decimal(9,2)"))))
    value = layout(table, Options(), style_of(side("left", "avro").profile), Settings()).value
    cells = DatumCells(table.columns[1], read_schema(value.text), Options(), style_of(side("left", "avro").profile))
    assert cells.of([b"\x01", b"\x7f" * 30]) == [b'"0.01"', UNSURE]


# -- fingerprints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("share", [0, 0.03])
def test_what_fingerprints_settle_of_avro_is_what_the_exact_way_finds(name: str, share: float) -> None:
    of, records = sent(name, "shop")
    other = side("right", "canal-json", "shop", **EXTENSION)
    sides, draw = [of, other], random.Random(3)
    streams = [records, generated.sent(other, transactions("shop", CHANGES, 3))]
    streams = [with_faults(stream, draw, share) for stream in streams]
    found = compare_locally(sides, streams, pairs_for(sides), batch=47)
    assert found == exactly(sides, streams)
    ways = found.counts.ways
    read, long = (ways["left", way.value] for way in (ReadAs.COLUMNS, ReadAs.ONE_BY_ONE))
    assert share or (read, long) == (len(records), 0)


@pytest.mark.parametrize("name", ["alone", "with the extension", "with the row before"])
def test_keys_whose_changes_agree_as_far_as_each_side_says_need_no_values(name: str) -> None:
    of, records = sent(name, "shop")
    other = side("right", "canal-json", "shop", **EXTENSION)
    sides, streams = [of, other], [records, generated.sent(other, transactions("shop", CHANGES, 3))]
    ways = compare_locally(sides, streams, pairs_for(sides), batch=47).counts.ways
    compared = {way: count for (kind, way), count in ways.items() if kind == "compared"}
    assert compared == {ComparedBy.PRINTS.value: sum(map(len, streams))}


@pytest.mark.parametrize("dialect", ["canal", "debezium-connector", "open-protocol"])
@pytest.mark.parametrize("name", ["alone", "with the extension"])
def test_lost_repeated_and_late_messages_beside_avro_are_found_as_in_the_exact_way(name: str, dialect: str) -> None:
    of, records = sent(name, "shop")
    other = side("right", dialect, "shop")
    sides, draw = [of, other], random.Random(5)
    streams = [shaken(records, draw), shaken(generated.sent(other, transactions("shop", CHANGES, 3)), draw)]
    found = compare_locally(sides, streams, pairs_for(sides), batch=47)
    assert found == exactly(sides, streams)
    assert found.differences


def shaken(records: Sequence[Record], draw: random.Random) -> list[Record]:
    """The messages, of which a tenth are lost, sent again, or come later."""
    found: list[Record] = []
    late: list[Record] = []
    for record in records:
        kind = draw.choice(("lost", "again", "late")) if draw.random() < 0.1 else ""
        if kind == "late":
            late.append(record)
        elif kind != "lost":
            found += [record] * (2 if kind == "again" else 1)
        if late and draw.random() < 0.2:
            found.append(late.pop(draw.randrange(len(late))))
    return [replace(record, offset=number) for number, record in enumerate([*found, *late])]
