"""What the refusal of an event says to a person, alike in the codecs of Canal-JSON, Debezium JSON and Avro."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, Event, Watermark
from reference_impl.partitions import partition_of_table
from reference_impl.profiles import PROFILES
from reference_impl.protocols import CODECS
from reference_impl.settings import Settings
from tests.unit.codecs.test_every_codec import DDL, DELETE, INSERT, ROW, TABLE, UPDATE, encoded, every_codec

PRODUCTS = {"canal-json": "Canal-JSON", "debezium": "Debezium JSON of TiCDC", "avro": "Avro"}
WRONG = "the images of an event"

REFUSED: list[tuple[Event, str]] = [
    (replace(INSERT, op="upsert"), "{product} has no row event 'upsert'"),
    (replace(INSERT, op="read"), "{product} has no row event 'read'"),
    (replace(INSERT, after=None), f"{WRONG} 'insert' are wrong: before False, after False"),
    (replace(INSERT, before=ROW), f"{WRONG} 'insert' are wrong: before True, after True"),
    (replace(UPDATE, before=None), f"{WRONG} 'update' are wrong: before False, after True"),
    (replace(UPDATE, after=None), f"{WRONG} 'update' are wrong: before True, after False"),
    (replace(DELETE, before=None), f"{WRONG} 'delete' are wrong: before False, after False"),
    (replace(INSERT, commit_ts=None), "commit_ts of a row event is missing"),
    (replace(UPDATE, commit_ts=None), "commit_ts of a row event is missing"),
    (replace(DELETE, commit_ts=None), "commit_ts of a row event is missing"),
    *(
        (replace(event, commit_ts=number), f"commit_ts of a row event: {number} is no time stamp of 64 bits")
        for event in (INSERT, DELETE)
        for number in (-1, 2**64)
    ),
    (replace(DDL, commit_ts=None), "commit_ts of a ddl event is missing"),
    (replace(DDL, commit_ts=2**64), f"commit_ts of a ddl event: {2**64} is no time stamp of 64 bits"),
    (Watermark(-1), "commit_ts of a watermark: -1 is no time stamp of 64 bits"),
    (replace(DDL, query="\ud800"), "U+D800 stands alone, which is not Unicode"),
]


@pytest.mark.parametrize("protocol", PRODUCTS)
@pytest.mark.parametrize(("event", "words"), REFUSED)
def test_a_refused_event_says_what_is_missing_or_wrong(protocol: str, event: Event, words: str) -> None:
    with pytest.raises(Rejected) as caught:
        encoded(protocol, event)
    assert caught.value.message == words.format(product=PRODUCTS[protocol])


@pytest.mark.parametrize("protocol", ["canal-json", "debezium"])
@pytest.mark.parametrize(
    ("event", "words"),
    [
        (replace(INSERT, table="other"), "test.other is not among the tables"),
        (replace(INSERT, schema="other"), "other.t is not among the tables"),
        (replace(INSERT, after={"id": "1"}), "a row of 't' lacks the column 'a'"),
    ],
)
def test_a_row_that_does_not_fit_the_tables_is_refused_by_name(protocol: str, event: Event, words: str) -> None:
    with pytest.raises(Rejected) as caught:
        encoded(protocol, event)
    assert caught.value.message == words


@every_codec
@pytest.mark.parametrize("partitions", [2, 64])
def test_of_several_partitions_a_row_goes_to_the_one_of_its_table(protocol: str, partitions: int) -> None:
    [row] = encoded(protocol, INSERT, partitions=partitions).records
    watermarks = encoded(protocol, Watermark(2), partitions=partitions).records
    assert row.partition == partition_of_table("test", "t", partitions)
    assert [record.partition for record in watermarks] == list(range(partitions))


@every_codec
@pytest.mark.parametrize("word", ["float", "double"])
@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "Infinity", "1e309", "-1e309", "1_0", " 1", "１", ""])
def test_what_no_column_of_floats_holds_is_refused_and_never_written(protocol: str, word: str, text: str) -> None:
    codec = CODECS[protocol]
    table = replace(TABLE, columns=(TABLE.columns[0], Column("a", parse_column_type(word))))
    encoder = codec.encoder(codec.options(), PROFILES["newarch"], settings=Settings())
    with pytest.raises(Rejected) as caught:
        encoder.encode([replace(INSERT, after=ROW | {"a": text})], [table])
    assert caught.value.reason in ("type", "range")
