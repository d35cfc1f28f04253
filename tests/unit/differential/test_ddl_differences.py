"""A DDL message is what its dialect writes for its statement, but for the producer's own place and time."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.catalogue.vectors import load_producers, recorded_vectors
from differential.decode.changes import ChangeReader
from differential.decode.contents import Statement
from differential.model import Class, Difference, Unreadable
from differential.sides import Side
from reference_impl.compression import compress, decompress
from reference_impl.model import DdlEvent, Record
from reference_impl.open_protocol.framing import frame, unframe
from reference_impl.profiles import PROFILES
from tests.unit.differential.ddl_streams import compared, ddl, sent, side
from tests.unit.differential.recordings import RECORDED, recorded
from tests.unit.differential.reproducing import SCHEMA

ADD = ddl(f"ALTER TABLE `{SCHEMA}`.`t` ADD COLUMN `n4` INT", "add column", code=5)
CANAL, CANAL_JSON = side("left", "canal"), side("left", "canal-json", enable_tidb_extension="true")
DEBEZIUM, CONNECTOR = side("left", "debezium"), side("left", "debezium-connector")
OPEN, AVRO = side("left", "open-protocol"), side("right", "avro")
BESIDE = {"canal": "canal-json", "canal-json": "canal", "debezium": "debezium-connector"}


def altered(of: Side, old: str, new: str, event: DdlEvent = ADD, other: Side | None = None) -> list[Difference]:
    """The unexplained differences of a statement whose message, key or value, has something replaced."""
    beside = other or side("right", BESIDE.get(of.dialect, "debezium"))
    records = sent(of, [event])
    broken = [changed(one, old, new) for one in records]
    assert broken != records
    return [d for d in compared([of, beside], [broken, sent(beside, [event])]).differences if d.divergence is None]


def changed(record: Record, old: str, new: str) -> Record:
    key, value = (data and re.sub(old.encode(), new.encode(), data, count=1) for data in (record.key, record.value))
    return replace(record, key=key, value=value)


ODD = {
    "canal-json es": (CANAL_JSON, r'"es":\d', '"es":2', "value.es"),
    "canal-json commitTs": (CANAL_JSON, r'"commitTs":4300', '"commitTs":4200', "value.es"),
    "canal-json data": (CANAL_JSON, '"data":null', '"data":[]', "value.data"),
    "canal-json pkNames": (CANAL_JSON, '"pkNames":null', '"pkNames":[]', "value.pkNames"),
    "canal-json sqlType": (CANAL_JSON, '"sqlType":null', '"sqlType":{}', "value.sqlType"),
    "canal-json more": (CANAL_JSON, '"isDdl"', '"zz":1,"isDdl"', "value.zz"),
    "debezium time": (DEBEZIUM, '"default","ts_ms":1', '"default","ts_ms":2', "value.payload.source.ts_ms"),
    "debezium connector": (DEBEZIUM, '"connector":"TiCDC"', '"connector":"mysql"', "value.payload.source.connector"),
    "debezium name": (DEBEZIUM, '"name":"default"', '"name":"zzz"', "value.payload.source.name"),
    "debezium schema": (DEBEZIUM, '"schema":{"optional":false', '"schema":{"optional":true', "value.schema.optional"),
    "connector name": (CONNECTOR, '"name":"default"', '"name":"zzz"', "value.payload.source.name"),
    "connector schema name": (CONNECTOR, '"schemaName":null', '"schemaName":"a"', "value.payload.schemaName"),
    "connector key": (CONNECTOR, "SchemaChangeKey", "SchemaChange", "key.schema.name"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_what_a_dialect_does_not_write_for_a_statement_is_a_difference(name: str) -> None:
    of, old, new, path = ODD[name]
    found = altered(of, old, new)
    assert {(d.kind, d.column, d.table) for d in found} == {(Class.SHAPE, path, "t")}


@pytest.mark.parametrize("name", ["canal-json es", "debezium time"])
def test_it_is_reported_beside_dialects_without_the_member_or_without_statements(name: str) -> None:
    of, old, new, path = ODD[name]
    for other in (replace(OPEN, name="right"), AVRO):
        assert [(d.kind, d.column) for d in altered(of, old, new, other=other)] == [(Class.SHAPE, path)]


@pytest.mark.parametrize(("old", "new"), [('"tbl"', '"trl"'), ('"scm"', '"qcm"')])
def test_a_member_of_open_protocol_is_missed_or_not_known(old: str, new: str) -> None:
    assert altered(OPEN, old, new, other=side("right", "canal-json")) != []


OWN = {
    "canal-json now": (CANAL_JSON, r'"ts":\d', '"ts":2'),
    "canal now": (CANAL, r'"ts":\d', '"ts":2'),
    "canal number": (CANAL, r'"id":\d', '"id":7'),
    "canal time": (CANAL, r'"es":\d', '"es":2'),
    "debezium now": (DEBEZIUM, r'"ts_ms":(\d+),"databaseName"', r'"ts_ms":1,"databaseName"'),
    "connector place": (CONNECTOR, r'"pos":\d+', '"pos":77'),
    "connector time": (CONNECTOR, r'"ts_ms":\d', '"ts_ms":2'),
    "table as it was left": (DEBEZIUM, '"defaultCharsetName":"utf8mb4"', '"defaultCharsetName":"latin1"'),
}


@pytest.mark.parametrize("name", OWN)
def test_members_of_a_producer_s_place_and_time_make_no_difference(name: str) -> None:
    assert altered(*OWN[name]) == []


def test_without_a_commit_time_stamp_the_time_follows_from_nothing() -> None:
    assert altered(side("left", "canal-json"), r'"es":\d', '"es":2') == []


@pytest.mark.parametrize("kind", ["lz4", "snappy"])
@pytest.mark.parametrize("dialect", ["canal-json", "debezium"])
def test_a_compressed_message_is_looked_at_as_it_was_before(dialect: str, kind: str) -> None:
    of = side("left", dialect, large_message_handle_compression=kind)
    [record] = sent(of, [ADD])
    assert odd(of, [record]) == []
    value = decompress(kind, record.value or b"").replace(b'{"', b'{"zz":1,"', 1)
    [found] = odd(of, [replace(record, value=compress(kind, value))])
    assert [path for path, _, _ in json.loads(found)] == ["value.zz"]


@pytest.mark.parametrize("kind", ["none", "lz4", "snappy"])
def test_what_stands_in_frames_is_looked_at_as_it_was_before(kind: str) -> None:
    of = side("left", "open-protocol", large_message_handle_compression=kind)
    [record] = sent(of, [ADD])
    assert odd(of, [record]) == []
    [(key, value)] = unframe(record.key, record.value)
    for old, new, path in ((b'{"q"', b'{"zz":1,"q"', ["value.zz"]), (b'{"q"', b'{ "q"', [])):
        changed = decompress(kind, value).replace(old, new, 1)
        head, body = frame([(key, compress(kind, changed))])
        found = odd(of, [replace(record, key=head, value=body)])
        assert [one[0] for text in found for one in json.loads(text or "[]")] == path


def test_other_words_for_the_same_statement_are_no_difference() -> None:
    rename = ddl(f"RENAME TABLE `{SCHEMA}`.`v` TO `{SCHEMA}`.`t`", "rename table", code=14)
    for old, new, seen in (("`t`", "`t` /* by hand */", False), ("`v` TO", "`w` TO", True)):
        beside = replace(CONNECTOR, name="right")
        records = sent(CONNECTOR, [rename])
        broken = [changed(one, f'("ddl":"[^"]*){old}', rf"\1{new}") for one in records]
        assert broken != records
        assert bool(compared([CONNECTOR, beside], [broken, sent(beside, [rename])]).differences) is seen


def test_a_message_of_open_protocol_without_the_name_of_its_table_is_a_difference() -> None:
    other = side("right", "canal-json")
    found = compared([OPEN, other], [sent(OPEN, [replace(ADD, table="")]), sent(other, [ADD])]).differences
    assert [(d.kind, d.column, d.left_value, d.right_value) for d in found] == [(Class.SHAPE, "tbl", "", "t")]


EMPTY = {
    "statements about a schema": (CANAL_JSON, ddl(f"CREATE DATABASE `{SCHEMA}`", "create schema", table="")),
    "an index upstream": (CONNECTOR, ddl("CREATE INDEX i2 ON t (c)", "add index", table="")),
    "what Canal gives up on": (CANAL, replace(ddl("ALTER ALGORITHM=MERGE VIEW v AS SELECT 1", table=""), schema="")),
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_name_that_a_dialect_leaves_empty_may_be_so(name: str) -> None:
    of, event = EMPTY[name]
    [statement] = [one for one in ChangeReader(of).read(sent(of, [event])[0]) if isinstance(one, Statement)]
    assert statement.table == statement.odd == ""
    twin = replace(of, name="right")
    assert compared([of, twin], [sent(of, [event])] * 2).differences == []


BROKEN = [('"columns":[{', '"columns":[[],{'), ('"tableChanges":[{"type"', '"tableChanges":[{"kind"')]


@pytest.mark.parametrize("of", [DEBEZIUM, CONNECTOR], ids=lambda of: of.dialect)
@pytest.mark.parametrize(("old", "new"), BROKEN)
def test_malformed_table_changes_are_refused(of: Side, old: str, new: str) -> None:
    [record] = sent(of, [ADD])
    broken = replace(record, value=(record.value or b"").replace(old.encode(), new.encode()))
    assert broken != record
    assert [type(found) for found in ChangeReader(of).read(broken)] == [Unreadable]


def odd(of: Side, records: Sequence[Record]) -> list[str]:
    """What is odd about the statements in a stream, of which there must be some, and each must be looked at."""
    reader = ChangeReader(of)
    found = [one for record in records for one in reader.read(record) if isinstance(one, Statement)]
    assert found
    assert not reader.counts["unchecked"]
    return [one.odd for one in found if one.odd]


@pytest.mark.parametrize("name", RECORDED)
def test_no_statement_of_a_real_producer_upstream_is_odd(name: str) -> None:
    records, tables = recorded(name)
    dialect, options, settings = RECORDED[name]
    marked = [one for one in records if b'"ddl":' in (one.value or b"") or b'"isDdl":true' in (one.value or b"")]
    assert odd(Side("left", dialect, options, settings=settings, tables=tables), marked) == []


@pytest.mark.parametrize(
    ("protocol", "producer"),
    [
        *((protocol, "ticdc-newarch") for protocol in ("canal-json", "open-protocol", "debezium")),
        *((protocol, "ticdc-classic") for protocol in ("canal-json", "open-protocol")),  # that has no Debezium of them
    ],
)
def test_no_statement_of_a_real_producer_is_odd(protocol: str, producer: str) -> None:
    profile = PROFILES[producer.removeprefix("ticdc-")]
    for vector in recorded_vectors(load_producers()[producer], protocol):
        if vector.records and any(isinstance(event, DdlEvent) for event in vector.events):
            of = Side("left", protocol, vector.options, profile, vector.settings, vector.tables)
            assert odd(of, vector.records) == [], vector.case
