"""Properties of the Avro codec: what is written is read back, under every profile and in every mode."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl import options as option_strings
from reference_impl.avro import Decoder, Encoder, Options
from reference_impl.decimals import decimal_text, from_bytes, to_bytes, unscaled
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Event, Index, Record, RowChange, Table, Watermark
from reference_impl.names import sanitized
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.settings import Settings
from tests.round_trips import assert_events, assert_image, events_back
from tests.strategies import streams
from tests.unit.avro.samples import EXTENSION, numbered, schema

_profiles = st.sampled_from([NEWARCH, CLASSIC, DOC])
_flags = ("enable-tidb-extension", "avro-enable-watermark", "avro-include-before-value", "output-raw-change-event")
_options = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.sampled_from(["true", "false"]) for name in _flags},
        "avro-decimal-handling-mode": st.sampled_from(["precise", "string"]),
        "avro-bigint-unsigned-handling-mode": st.sampled_from(["long", "string"]),
    },
).map(lambda chosen: option_strings.parse(Options, chosen))


def _can_be_written(table: Table) -> bool:
    """Whether no two names of the table are one in Avro."""
    names = [sanitized(column.name) for column in table.columns]
    return len(names) == len({*names})


def _has_invalid_index(event: Event) -> bool:
    images = (event.before, event.after) if isinstance(event, RowChange) else ()
    return any(isinstance(value, Index) for image in images if image is not None for value in image.values())


@given(streams(keyed=True), _options, _profiles)
def test_what_is_written_is_read_back(
    stream: tuple[list[Table], list[Event]], options: Options, profile: Profile
) -> None:
    tables, events = stream
    tables = [table for table in tables if _can_be_written(table)]
    known = {table.id: table for table in tables}
    events = [
        event
        for event in events
        if isinstance(event, Watermark) or ((event.schema, event.table) in known and not _has_invalid_index(event))
    ]
    settings = Settings(registry=MemoryRegistry())
    records = Encoder(options, profile, settings=settings).encode(events, tables).records
    expected = events_back(events, known, whole=options.output_raw_change_event, other=lambda event: options.watermarks)
    assert len(records) == len(expected)
    if len({(sanitized(schema), sanitized(name)) for schema, name in known}) != len(known):
        return  # nobody can tell whose rows these are

    def check(sent: RowChange | DdlEvent, event: RowChange | DdlEvent) -> None:
        if isinstance(sent, RowChange) and isinstance(event, RowChange):
            _assert_change(known[sent.schema, sent.table], sent, event, options, profile)
        elif isinstance(sent, DdlEvent) and isinstance(event, DdlEvent):
            assert (event.action_code, event.commit_ts) == (sent.action_code, sent.commit_ts)

    assert_events(expected, Decoder(options, settings=settings).decode(records, tables), check)


def _assert_change(table: Table, sent: RowChange, got: RowChange, options: Options, profile: Profile) -> None:
    has_before = options.avro_include_before_value and profile is NEWARCH
    is_told = options.enable_tidb_extension or has_before or sent.op == "delete"
    assert got.op == (sent.op if is_told else "insert")
    keys_only = sent.op == "delete" and not has_before
    told = options.watermarks and profile is NEWARCH if keys_only else options.enable_tidb_extension
    assert got.commit_ts == (sent.commit_ts if told else None)
    if has_before or sent.op != "update":
        assert_image(table, sent.before, got.before, partial=keys_only)
    assert_image(table, sent.after, got.after, partial=False)


@given(streams(keyed=True), _options, _profiles)
def test_the_same_events_give_the_same_records_and_schemas(
    stream: tuple[list[Table], list[Event]], options: Options, profile: Profile
) -> None:
    tables, events = stream

    def attempt() -> tuple[tuple[Record, ...] | str, list[RegisteredSchema]]:
        registry = MemoryRegistry()
        try:
            encoded = Encoder(options, profile, settings=Settings(registry=registry)).encode(events, tables)
        except Rejected as e:
            return str(e.reason), registry.requests
        return encoded.records, registry.requests

    assert attempt() == attempt()


_BODIES = st.one_of(st.binary(max_size=40), st.binary(max_size=30).map(lambda data: b"\0\0\0\0\2" + data))


@pytest.fixture(scope="module")
def settings() -> Settings:
    """A registry with a key and a value of every kind of field."""
    int_ = {"type": "int", "connect.parameters": {"tidb_type": "INT"}}
    text = {"type": "string", "connect.parameters": {"tidb_type": "TEXT"}}
    decimal = {
        "type": "bytes",
        "connect.parameters": {"tidb_type": "DECIMAL"},
        "logicalType": "decimal",
        "precision": 5,
    }
    fields = [{"name": "id", "type": int_}, {"name": "t", "type": ["null", text]}, {"name": "d", "type": decimal}]
    return Settings(registry=numbered(schema(fields[0]), schema(*fields, *EXTENSION)))


@given(key=st.none() | st.binary(max_size=12), value=st.none() | _BODIES)
def test_any_bytes_are_read_or_refused(settings: Settings, key: bytes | None, value: bytes | None) -> None:
    read: list[object] = []
    try:
        read += Decoder(settings=settings).decode([Record(key, value)])
    except Rejected as e:
        read.append(e)
    assert [isinstance(one, (RowChange, Rejected)) for one in read] == [True] * (key is not None or value is not None)


@given(st.integers(-(10**65) + 1, 10**65 - 1), st.integers(0, 30))
def test_a_decimal_survives_its_bytes(number: int, scale: int) -> None:
    text = decimal_text(number, scale)
    assert unscaled(text, scale) == number
    data = to_bytes(number)
    assert from_bytes(data) == number
    assert len(data) == 1 or from_bytes(data[1:]) != number  # no byte could be left out
