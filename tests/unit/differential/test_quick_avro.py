"""The fast path to read Avro against the slow path: what is read is written again, and has to be the message."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from differential.decode.quick import QuickRows
from differential.decode.quick.cells import UNSURE
from differential.decode.quick.datums import DatumCells
from differential.decode.reader import SlimReader
from differential.sides import Side
from reference_impl.avro.layout import layout
from reference_impl.avro.options import Options
from reference_impl.avro.registered import read_schema
from reference_impl.avro.style import style_of
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column, Record, Table
from reference_impl.settings import Settings
from tests.unit.differential.generated import avro, side, transactions
from tests.unit.differential.test_quick import assert_read_alike, read_any, read_ordinary, taken_by

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
    return avro("left", preset, transactions(preset, 150, 3), **OPTIONS[name])


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
        assert reader.rows(sure) == read_any(reader, sure)
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
        assert reader.rows(broken) == read_any(reader, broken)


def broken_bytes(data: bytes, seed: int) -> Iterator[bytes]:
    """The bytes with one of them changed by a bit, left out or put in, at drawn places."""
    draw = random.Random(seed)
    for _ in range(40):
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
