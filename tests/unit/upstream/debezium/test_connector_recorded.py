"""Every record of Debezium 2.4.0 and 3.6.1 that was recorded of rows, statements and transactions, byte for byte.

`recorded_streams` says what is taken from a record. Not written are the record that the connector begins a stream with,
and truncations of tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from recorded_streams import (
    Row,
    is_row,
    options_of,
    payload_of,
    recordings,
    settings_of,
    snapshot_of,
    stream_of,
    whole_snapshot_of,
)

from reference_impl.exact_json import loads
from reference_impl.model import DdlEvent, Record, RowChange
from reference_impl.upstream.debezium import Decoder, Encoder
from reference_impl.values import same_value

# Records of rows (tombstones too), of statements and of transactions that each recording of the binary log has.
STREAMS = {
    "debezium24/mariadb1011_noschema": (291, 120, 0),
    "debezium24/mysql97_decstring": (293, 120, 0),
    "debezium24/mysql97_extra": (12, 9, 0),
    "debezium24/mysql97_noschema": (293, 120, 0),
    "debezium24/mysql97_schema": (293, 120, 0),
    "debezium24/mysql97_ticdctest": (293, 120, 0),
    "debezium24/mysql97_timeconnect": (293, 120, 0),
    "debezium24/mysql97_txmeta": (247, 120, 339),
    "debezium36/mysql97_decstring": (293, 104, 0),
    "debezium36/mysql97_extra": (12, 9, 0),
    "debezium36/mysql97_noschema": (293, 104, 0),
    "debezium36/mysql97_schema": (293, 104, 0),
    "debezium36/mysql97_timeconnect": (293, 104, 0),
    "debezium36/mysql97_vector": (4, 4, 0),
}
SNAPSHOTS = {"debezium24/mysql97_snapshot": 101, "debezium36/mysql97_snapshot": 101}

# What a message does not carry whole, by column: NULL that came as a default, dates that are no days, years of two
# digits, doubles that became floats, JSON without the server's numbers, and a negative TIME that may have been another.
LOST = {
    ("t_int", "c_bool"), ("t_float", "r"), ("t_json", "j"), ("y_json", "j"), ("f_nn", "dz"), ("f_nn", "ts"),
    ("d_all", "h2"),
    *(("t_time", f"c_{name}") for name in ("date", "dt", "dt1", "dt3", "dt4", "dt6", "ts", "ts1", "ts3", "ts6")),
    *(("t_time", f"c_time{fsp}") for fsp in ("", 1, 2, 3, 4, 5, 6)),
}  # fmt: skip
# By the mode of a recording: digits that a double has not, and less than a millisecond.
LOST_BY_MODE = {
    "ticdctest": {("t_dec", column) for column in ("d_20_4", "d_65_30", "d_65_0", "d_30_30")},
    "timeconnect": {("k_dt", "k")},
}
DEFAULTED = "f_def"
# Rows that are read as they were, and rows of which something is lost.
WHOLE = {
    "debezium24/mariadb1011_noschema": (226, 15), "debezium24/mysql97_decstring": (226, 16),
    "debezium24/mysql97_extra": (10, 2), "debezium24/mysql97_noschema": (226, 16),
    "debezium24/mysql97_schema": (226, 16), "debezium24/mysql97_ticdctest": (224, 18),
    "debezium24/mysql97_timeconnect": (218, 24), "debezium24/mysql97_txmeta": (226, 16),
    "debezium36/mysql97_decstring": (229, 13), "debezium36/mysql97_extra": (10, 2),
    "debezium36/mysql97_noschema": (229, 13), "debezium36/mysql97_schema": (229, 13),
    "debezium36/mysql97_timeconnect": (219, 23), "debezium36/mysql97_vector": (4, 0),
}  # fmt: skip


def _bytes(records: Sequence[Record]) -> list[Any]:
    return [(record.topic, record.key, record.value, record.headers) for record in records]


def test_every_recording_is_counted() -> None:
    assert STREAMS.keys() | SNAPSHOTS.keys() == recordings().keys()
    rows = [r for name in STREAMS for row in stream_of(name).rows for r in row.records]
    rows += [r for name in SNAPSHOTS for row in snapshot_of(name) for r in row.records]
    assert (len(rows), sum(record.value is not None for record in rows)) == (3405, 2946)


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_comes_out_byte_for_byte_and_in_order(name: str) -> None:
    stream = stream_of(name)
    written = Encoder(options_of(name), settings=settings_of(name)).encode(stream.events).records
    topics = Counter("rows" if is_row(r) else "ddl" if "ddl" in payload_of(r) else "border" for r in stream.records)
    assert (topics["rows"], topics["ddl"], topics["border"]) == STREAMS[name]
    # The recording ended before its last transaction did.
    assert _bytes(written[: len(stream.records)]) == _bytes(stream.records)
    assert len(written) - len(stream.records) == (STREAMS[name][2] > 0)


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_the_rows_of_a_snapshot_come_out_byte_for_byte(name: str) -> None:
    rows = snapshot_of(name)
    tables = {row.table.id: row.table for row in rows}
    written = Encoder(options_of(name), settings=settings_of(name)).encode([r.event for r in rows], tables.values())
    assert len(rows) == SNAPSHOTS[name]
    assert _bytes(written.records) == _bytes([row.records[0] for row in rows])


@pytest.mark.parametrize("name", [name for name in STREAMS if "3" in name[8:10]])
def test_rows_come_out_of_tables_as_out_of_statements(name: str) -> None:
    encoder = Encoder(options_of(name), settings=settings_of(name))
    for row in stream_of(name).rows:
        written = encoder.encode([row.event], [row.table]).records
        assert _bytes(written) == _bytes(row.records)


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_a_snapshot_comes_out_byte_for_byte_with_its_statements(name: str) -> None:
    stream = whole_snapshot_of(name)
    written = Encoder(options_of(name), settings=settings_of(name)).encode(stream.events).records
    assert len(stream.records) - len(stream.rows) == 86
    assert _bytes(written) == _bytes(stream.records)


def _lost(row: Row, event: RowChange) -> set[str]:
    found = set()
    for image in ("before", "after"):
        sent, got = getattr(row.event, image), getattr(event, image)
        assert (sent is None) == (got is None)
        for column in row.table.columns if sent is not None else ():
            if column.name not in got or not same_value(column.type, sent[column.name], got[column.name]):
                found.add(column.name)
    return found


@pytest.mark.parametrize("name", STREAMS)
def test_rows_are_read_as_they_are_in_the_truth(name: str) -> None:
    decoder = Decoder(options_of(name))
    counts: Counter[bool] = Counter()
    may = LOST | LOST_BY_MODE.get(name.rpartition("_")[2], set())
    for row in stream_of(name).rows:
        [event] = decoder.decode(row.records, [row.table])
        assert isinstance(event, RowChange)
        assert (event.op, event.schema, event.table) == (row.event.op, row.event.schema, row.event.table)
        lost = _lost(row, event)
        assert row.table.name == DEFAULTED or {(row.table.name, column) for column in lost} <= may
        counts[bool(lost)] += 1
    assert (counts[False], counts[True]) == WHOLE[name]


# Rows with a default of BINARY, which is shorter than a value, and with decimals in JSON; a table of which old versions
# know only by the statements; and decimals that a double has rounded out of their columns.
_UNEVEN = {DEFAULTED, "y_json", "d_all"}
_UNEVEN_BY_MODE = {"ticdctest": {"t_dec"}}


def _all_there(row: Row, event: RowChange) -> bool:
    images = [image for image in (event.before, event.after) if image is not None]
    return all(column.name in image for image in images for column in row.table.columns)


@pytest.mark.parametrize("name", [name for name, counts in STREAMS.items() if counts[2] == 0])
def test_what_was_read_is_written_as_it_was(name: str) -> None:
    uneven = _UNEVEN | _UNEVEN_BY_MODE.get(name.rpartition("_")[2], set())
    decoder = Decoder(options_of(name))
    encoder = Encoder(options_of(name), settings=settings_of(name))
    for row in stream_of(name).rows:
        [event] = decoder.decode(row.records, [row.table])
        assert isinstance(event, RowChange)
        if _all_there(row, event) and row.table.name not in uneven:
            assert _bytes(encoder.encode([event], [row.table]).records) == _bytes(row.records)


@pytest.mark.parametrize("name", STREAMS)
def test_a_whole_recording_is_read_without_tables(name: str) -> None:
    stream = stream_of(name)
    events = Decoder(options_of(name)).decode(stream.records)
    statements = sum(isinstance(event, DdlEvent) for event in events)
    assert (len(events) - statements, statements) == (len(stream.rows), STREAMS[name][1])


def test_a_truncation_among_the_rows_is_read_as_the_statement_that_it_was() -> None:
    recording, _ = recordings()["debezium24/mysql97_noschema"]
    records = [captured.record for captured in recording.records]
    truncations = [r for r in records if r is not None and r.value and loads(r.value).get("op") == "t"]
    assert len(truncations) == 2
    events = Decoder(options_of("debezium24/mysql97_noschema")).decode(truncations)
    assert [e.query for e in events if isinstance(e, DdlEvent)] == [
        "TRUNCATE TABLE `cap`.`d_r1`",
        "TRUNCATE TABLE `cap`.`d_r2`",
    ]
