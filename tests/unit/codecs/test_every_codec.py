"""What is alike in every codec of TiCDC: refused events, large messages, partitions, versions of tables, styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.catalogue.defects import load_defects
from reference_impl import options as option_strings
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import (
    Column,
    DdlEvent,
    Encoded,
    Event,
    Index,
    Mask,
    RawText,
    Record,
    RowChange,
    Table,
    Watermark,
)
from reference_impl.partitions import partition_of_table
from reference_impl.profiles import PROFILES
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings

TABLE = Table(
    "test",
    "t",
    (Column("id", parse_column_type("int"), nullable=False), Column("a", parse_column_type("int"))),
    primary_key=("id",),
)
ROW = {"id": "1", "a": "2"}
INSERT = RowChange("insert", "test", "t", 1, after=ROW)
UPDATE = RowChange("update", "test", "t", 1, before=ROW, after={"id": "3", "a": "2"})
DELETE = RowChange("delete", "test", "t", 1, before=ROW)
DDL = DdlEvent("test", "t", "truncate table t", "truncate table", 11, 1)
TESTS = {"enable-tidb-extension": "true"}
OF_TESTS = {"canal-json": TESTS, "debezium": TESTS, "avro": TESTS | {"avro-enable-watermark": "true"}}
"""The options with which a protocol sends all that it has."""

every_codec = pytest.mark.parametrize("protocol", CODECS)


def encoded(
    protocol: str, *events: Event, options: dict[str, str] | None = None, table: Table = TABLE, **settings: Any
) -> Encoded:
    codec = CODECS[protocol]
    given = option_strings.parse(codec.options, OF_TESTS.get(protocol, {}) | (options or {}))
    return codec.encoder(given, PROFILES["newarch"], settings=Settings(**settings)).encode(events, [table])


# -- refusals --------------------------------------------------------------------------------------------------------

# Canal-JSON and Debezium copy the text of a number, and do not write the number of a statement.
_STRICT: dict[str, str | None] = {"": "type", "canal-json": None, "debezium": None}
_NUMBERED: dict[str, str | None] = {"canal-json": None, "debezium": None}

# How codecs call themselves.
PRODUCTS = {
    "canal-json": "Canal-JSON",
    "debezium": "Debezium JSON of TiCDC",
    "avro": "Avro",
    "open-protocol": "Open Protocol",
}


def wrong(op: str, before: bool, after: bool) -> dict[str, str]:
    return of_all(f"the images of an event {op!r} are wrong: before {before}, after {after}")


def of_all(words: str) -> dict[str, str]:
    return dict.fromkeys(PRODUCTS, words)


def no_row_event(op: str) -> dict[str, str]:
    return {protocol: f"{product} has no row event {op!r}" for protocol, product in PRODUCTS.items()}


def time_stamp(words: str) -> dict[str, str]:
    return of_all(f"commit_ts of a {words}")


_NO_TIME = time_stamp("row event is missing")

# What is wrong, the event, the class, and the words of some codecs. The class is that of all codecs; or of those named,
# "" for all others. None: nothing is asked.
REFUSED: list[tuple[str, Event, str | dict[str, str | None], dict[str, str]]] = [
    ("an unknown table", replace(INSERT, table="other"), "semantics", of_all("test.other is not among the tables")),
    ("an unknown schema", replace(INSERT, schema="other"), "semantics", of_all("other.t is not among the tables")),
    ("an insert without a row", replace(INSERT, after=None), "semantics", wrong("insert", False, False)),
    ("an insert of an empty row", replace(INSERT, after={}), "semantics", {}),
    ("an insert with an old row", replace(INSERT, before=ROW), "semantics", wrong("insert", True, True)),
    ("an update without an old row", replace(UPDATE, before=None), "semantics", wrong("update", False, True)),
    ("an update without a new row", replace(UPDATE, after=None), "semantics", wrong("update", True, False)),
    ("a delete without a row", replace(DELETE, before=None), "semantics", wrong("delete", False, False)),
    ("a delete with a new row", replace(DELETE, after=ROW), "semantics", wrong("delete", True, True)),
    ("an operation of no name", replace(INSERT, op="upsert"), "semantics", no_row_event("upsert")),
    ("a row of a snapshot", replace(INSERT, op="read"), "semantics", no_row_event("read")),
    (
        *("a row that lacks a column", replace(INSERT, after={"id": "1"})),
        *({"": "semantics", "open-protocol": None}, of_all("a row of 't' lacks the column 'a'")),
    ),
    ("NULL in a key", replace(INSERT, after=ROW | {"id": None}), {"": None, "avro": "type"}, {}),
    *(
        (f"{text!r} in an integer column", replace(INSERT, after=ROW | {"a": text}), _STRICT, {})
        for text in ("x", "1_0", " 1", "+1", "01", "-0", "１")
    ),
    ("bytes in an integer column", replace(INSERT, after=ROW | {"a": b"x"}), "type", {}),
    *(
        (f"{event.op} without a time stamp", replace(event, commit_ts=None), "semantics", _NO_TIME)
        for event in (INSERT, UPDATE, DELETE)
    ),
    *(
        (
            *(f"{event.op} at {number}", replace(event, commit_ts=number), "range"),
            time_stamp(f"row event: {number} is no time stamp of 64 bits"),
        )
        for event in (INSERT, DELETE)
        for number in (-1, 2**64)
    ),
    ("a statement without a time stamp", replace(DDL, commit_ts=None), "semantics", time_stamp("ddl event is missing")),
    (
        *("a statement of 65 bits", replace(DDL, commit_ts=2**64), "range"),
        time_stamp(f"ddl event: {2**64} is no time stamp of 64 bits"),
    ),
    ("a statement of no number", DdlEvent("test", "t", "x", commit_ts=1), {"": "semantics", "canal-json": None}, {}),
    ("a statement of no known name", replace(DDL, action="fly", action_code=None), _NUMBERED | {"": "semantics"}, {}),
    ("a statement of a number too large", replace(DDL, action_code=256), _NUMBERED | {"": "range"}, {}),
    (
        *("half a character", replace(DDL, query="\ud800"), "type"),
        of_all("U+D800 stands alone, which is not Unicode"),
    ),
    *(
        (f"a watermark at {n}", Watermark(n), "range", time_stamp(f"watermark: {n} is no time stamp of 64 bits"))
        for n in (-1, 2**64)
    ),
]


def refused() -> Iterator[Any]:
    for name, event, reasons, words in REFUSED:
        for protocol in CODECS:
            reason = reasons if isinstance(reasons, str) else reasons.get(protocol, reasons[""])
            if reason is not None:
                yield pytest.param(protocol, event, reason, words.get(protocol), id=f"{name}-{protocol}")


@pytest.mark.parametrize(("protocol", "event", "reason", "words"), list(refused()))
def test_an_event_that_a_protocol_cannot_carry_is_refused_with_its_class(
    protocol: str, event: Event, reason: str, words: str | None
) -> None:
    with pytest.raises(Rejected) as caught:
        encoded(protocol, event)
    assert (caught.value.reason, words or caught.value.message) == (reason, caught.value.message)


@every_codec
@pytest.mark.parametrize("word", ["float", "double"])
@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "Infinity", "1e309", "-1e309", "1_0", " 1", "１", ""])
def test_what_no_column_of_floats_holds_is_refused_and_never_written(protocol: str, word: str, text: str) -> None:
    table = replace(TABLE, columns=(TABLE.columns[0], Column("a", parse_column_type(word))))
    with pytest.raises(Rejected) as caught:
        encoded(protocol, replace(INSERT, after=ROW | {"a": text}), table=table)
    assert caught.value.reason in ("type", "range")


# Python values that could be taken for one of the column: its type, and what another column would hold.
OF_OTHER_TYPES: list[tuple[str, tuple[Any, ...]]] = [
    *((text, (b"1", bytearray(b"1"), True, 1, 1.5, RawText(b"1"))) for text in ("int", "bigint unsigned", "bit(3)")),
    ("year", (b"2024", 2024, 2024.0)),
    *((text, (b"1.5", 1, 1.5, True)) for text in ("float", "double", "decimal(2,1)")),
    *((text, (b"2024-01-01", RawText(b"2024-01-01"), 0)) for text in ("date", "json")),
    *((text, (b"1", bytearray(b"1"), 1, True)) for text in ("char(3)", "text")),
    *((text, ("1", bytearray(b"1"), RawText(b"1"), 1)) for text in ("binary(3)", "varbinary(3)", "blob")),
    *((text, (b"1", 1, True, RawText(b"1"))) for text in ("enum('1','True')", "set('1','True')")),
    ("enum('1')", (Mask(1),)),
    ("set('1')", (Index(1),)),
    ("vector", (b"[1]", ["1"], 1)),
]


@every_codec
@pytest.mark.parametrize(
    ("text", "value"), [(text, value) for text, values in OF_OTHER_TYPES for value in values], ids=repr
)
def test_a_value_of_a_python_type_that_its_column_lacks_is_refused_and_never_written(
    protocol: str, text: str, value: Any
) -> None:
    table = replace(TABLE, columns=(TABLE.columns[0], Column("a", parse_column_type(text))))
    codec = CODECS[protocol]
    options = option_strings.parse(codec.options, {})
    with pytest.raises(Rejected, match=r"is no(t a)? value of") as caught:
        codec.encoder(options, PROFILES["newarch"], settings=Settings()).encode(
            [replace(INSERT, after={"id": "1", "a": value})], [table]
        )
    assert caught.value.reason == "type"


@every_codec
@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("float(10,0)", "7"), ("double(10,0)", "7"), ("decimal(0)", "7"), ("bit(0)", "1")),
        *(("char(0)", ""), ("varchar(0)", ""), ("binary(0)", b""), ("varbinary(0)", b"")),
    ],
)
def test_a_type_with_a_zero_in_parentheses_is_written_and_read(protocol: str, text: str, value: Any) -> None:
    table = replace(TABLE, columns=(TABLE.columns[0], Column("a", parse_column_type(text))))
    codec, settings = CODECS[protocol], Settings(registry=MemoryRegistry())
    for row in ({"id": "1", "a": value}, {"id": "1", "a": None}):
        records = codec.encoder(settings=settings).encode([replace(INSERT, after=row)], [table]).records
        [event] = codec.decoder(settings=settings).decode(records, [table])
        assert isinstance(event, RowChange)
        assert event.after == row


CLAIM_CHECK = {"large-message-handle-option": "claim-check", "claim-check-storage-uri": "file:///x"}
UUID = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol"])
@pytest.mark.parametrize("uri", ["file:///x", "file:///x/"])
def test_a_claim_check_file_has_a_random_uuid_of_its_own_which_is_the_same_in_each_run(protocol: str, uri: str) -> None:
    table = replace(TABLE, columns=(TABLE.columns[0], Column("a", parse_column_type("text"))))
    options = {"max-message-bytes": "1000", **CLAIM_CHECK, "claim-check-storage-uri": uri}
    given = option_strings.parse(CODECS[protocol].options, OF_TESTS.get(protocol, {}) | options)
    events = [replace(INSERT, after={"id": "1", "a": "x" * 1000})] * 2

    def names() -> list[str]:
        encoder = CODECS[protocol].encoder(given, PROFILES["newarch"], settings=Settings())
        return [claim.location for _ in range(2) for claim in encoder.encode(events, [table]).claims]

    found = names()
    assert (found, len(set(found))) == (names(), 4)
    assert all(re.fullmatch(f"file:///x/{UUID}[.]json", name) for name in found)  # OP-171


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol", "avro"])
def test_a_message_is_reckoned_36_bytes_larger_than_its_key_and_value(protocol: str) -> None:
    [record] = encoded(protocol, INSERT).records
    size = len(record.key or b"") + len(record.value or b"") + 36
    assert encoded(protocol, INSERT, options={"max-message-bytes": str(size)}).records == (record,)
    with pytest.raises(Rejected) as caught:
        encoded(protocol, INSERT, options={"max-message-bytes": str(size - 1)})
    assert caught.value.reason == "range"  # AV-008


# -- where records go ------------------------------------------------------------------------------------------------


@every_codec
def test_rows_go_by_their_table_and_everything_else_everywhere_but_a_statement_of_canal_json(protocol: str) -> None:
    records = encoded(protocol, INSERT, DDL, Watermark(2), partitions=3).records
    everywhere = [0, 1, 2]
    statement = [0] if protocol == "canal-json" else everywhere
    assert [r.partition for r in records] == [partition_of_table("test", "t", 3), *statement, *everywhere]
    assert len({(r.key, r.value) for r in records}) == 3


def of_named_table(protocol: str, partitions: int, **names: Any) -> Encoded:
    """An insert into a table with another name, or in another schema."""
    table = replace(TABLE, **names)
    return encoded(protocol, replace(INSERT, schema=table.schema, table=table.name), table=table, partitions=partitions)


@every_codec
@pytest.mark.parametrize("member", ["schema", "name"])
@pytest.mark.parametrize("half", [0xD800, 0xDC80])
@pytest.mark.parametrize("partitions", [1, 3])
def test_half_a_character_in_a_name_is_refused_with_any_number_of_partitions(
    protocol: str, member: str, half: int, partitions: int
) -> None:
    with pytest.raises(Rejected, match=rf"U\+{half:X} stands alone, which is not Unicode") as refused:
        of_named_table(protocol, partitions, **{member: f"t{chr(half)}"})
    assert refused.value.reason == "type"


@every_codec
def test_with_one_partition_no_record_names_it(protocol: str) -> None:
    assert {record.partition for record in encoded(protocol, INSERT, DDL, Watermark(2)).records} == {None}


@every_codec
def test_an_update_of_the_key_is_a_delete_and_an_insert_but_where_raw_events_are_wanted(protocol: str) -> None:
    parted = encoded(protocol, DELETE, replace(INSERT, after=UPDATE.after)).records
    assert encoded(protocol, UPDATE).records == parted
    raw = encoded(protocol, UPDATE, options={"output-raw-change-event": "true"}).records
    assert raw != parted
    if protocol in ("debezium", "avro"):  # whose key is that of the new row
        assert [record.key for record in raw] == [parted[1].key]


@every_codec
@pytest.mark.parametrize("member", ["table_after", "other_tables"])
def test_the_tables_of_a_statement_are_in_force_for_the_rows_after_it(protocol: str, member: str) -> None:
    wider = replace(TABLE, columns=(*TABLE.columns, Column("n", parse_column_type("int"))))
    tables_after: dict[str, Any] = {member: wider if member == "table_after" else (wider,)}
    row, ddl = replace(INSERT, after=ROW | {"n": "7"}), replace(DDL, action=None, action_code=5, **tables_after)
    codec, settings = CODECS[protocol], Settings(registry=MemoryRegistry())
    encoder = codec.encoder(settings=settings)
    if protocol in ("open-protocol", "debezium"):  # they keep tables from call to call
        encoder.encode([INSERT, ddl], [TABLE])
        records = encoder.encode([row]).records
    else:
        records = encoder.encode([INSERT, ddl, row], [TABLE]).records[-1:]
    [event] = codec.decoder(settings=settings).decode(records)
    assert isinstance(event, RowChange)
    assert event.after == row.after


@every_codec
def test_an_event_after_a_refused_one_is_written_as_if_nothing_had_been(protocol: str) -> None:
    codec = CODECS[protocol]
    fresh, used = (codec.encoder(codec.options(), PROFILES["newarch"], settings=Settings()) for _ in range(2))
    with pytest.raises(Rejected):
        used.encode([replace(INSERT, after={})], [TABLE])
    assert used.encode([INSERT], [TABLE]).records == fresh.encode([INSERT], [TABLE]).records


@every_codec
def test_every_profile_has_a_style_which_each_defect_of_the_catalogue_changes(protocol: str) -> None:
    module = import_module(f"{CODECS[protocol].module}.style")
    assert {name: module.style_of(profile) for name, profile in PROFILES.items()} == module.STYLES
    defects = {defect.id for defect in load_defects() if defect.protocol == protocol}
    assert defects == getattr(module, "DEFECTS", {}).keys()
    assert not [d for d in defects for p in PROFILES.values() if module.style_of(p, [d]) == module.STYLES[p.name]]


@every_codec
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_bytes_make_a_decoder_fail_in_another_way_than_by_refusing(protocol: str, data: bytes) -> None:
    for compression in ("none", "lz4"):
        options = option_strings.parse(CODECS[protocol].options, {"large-message-handle-compression": compression})
        with pytest.raises(Rejected):
            CODECS[protocol].decoder(options, settings=Settings()).decode([Record(data, data)])
