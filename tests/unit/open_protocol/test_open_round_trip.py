"""What goes in comes out, as far as the format carries it, under every profile."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from reference_impl import options as option_strings
from reference_impl.errors import Rejected
from reference_impl.keys import split_update
from reference_impl.model import DdlEvent, Event, RowChange, Table
from reference_impl.open_protocol import Options, decode, encode
from reference_impl.profiles import PROFILES
from tests.amounts import examples
from tests.round_trips import assert_events, assert_image
from tests.strategies import flags, streams

_profiles = st.sampled_from(sorted(PROFILES.values(), key=lambda profile: profile.name))


def _carried(change: Event, tables: dict[tuple[str, str], Table], raw: bool) -> list[Event]:
    """What the format carries of an event."""
    if isinstance(change, DdlEvent):
        return [replace(change, table_before=None, table_after=None, other_tables=())]
    if isinstance(change, RowChange) and not raw:
        return list(split_update(change, tables[change.schema, change.table]))
    return [change]


def _same_row(tables: dict[tuple[str, str], Table], sent: RowChange | DdlEvent, got: RowChange | DdlEvent) -> None:
    if not isinstance(sent, RowChange) or not isinstance(got, RowChange):
        assert sent == got
        return
    assert (sent.op, sent.commit_ts) == (got.op, got.commit_ts)
    assert_image(tables[sent.schema, sent.table], sent.before, got.before)
    assert_image(tables[sent.schema, sent.table], sent.after, got.after)


@settings(max_examples=examples(150), deadline=None)
@given(streams(), _profiles, flags("output-raw-change-event"), st.sampled_from(["1", "3", "16"]))
def test_what_was_encoded_is_decoded(
    stream: tuple[list[Table], list[Event]], profile: object, given_flags: dict[str, str], batch: str
) -> None:
    tables, events = stream
    options = option_strings.parse(Options, {"max-batch-size": batch, **given_flags})
    by_name = {table.id: table for table in tables}
    expected = [e for one in events for e in _carried(one, by_name, options.output_raw_change_event)]
    records = encode(events, tables, options, profile).records  # type: ignore[arg-type]
    got: list[Event] = []
    for record in records:  # one at a time, so that a DDL event does not make the decoder forget the tables
        got += decode([record], tables, options=options)
    assert_events(expected, got, partial(_same_row, by_name))


@settings(max_examples=examples(60), deadline=None)
@given(streams(), _profiles)
def test_without_tables_only_labels_become_numbers(stream: tuple[list[Table], list[Event]], profile: object) -> None:
    tables, events = stream
    records = encode(events, tables, profile=profile).records  # type: ignore[arg-type]
    known, unknown = ([e for r in records for e in decode([r], given)] for given in (tables, []))
    assert_events(known, unknown, partial(_same_row, {table.id: table for table in tables}))


@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(streams(keyed=True), st.sampled_from(["none", "lz4", "snappy"]), st.integers(300, 900))
def test_claim_check_and_compression_lose_nothing(
    stream: tuple[list[Table], list[Event]], compression: str, limit: int
) -> None:
    tables, events = stream
    options = Options(
        large_message_handle_option="claim-check",
        large_message_handle_compression=compression,
        claim_check_storage_uri="file:///claims",
        max_message_bytes=limit,
    )
    try:
        encoded = encode(events, tables, options)
    except Rejected as e:
        assume(e.reason != "range")  # the handle key alone is too large
        raise
    event(f"claims: {min(len(encoded.claims), 1)}")
    whole = decode(encode(events, tables).records)
    assert decode(encoded.records, claims=encoded.claims, options=options) == whole
