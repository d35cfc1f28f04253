"""Properties of the Canal-JSON codec: what is written is read back, and both ways to read agree."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reference_impl import options as option_strings
from reference_impl.canal_json import Decoder, Options, decode, encode
from reference_impl.canal_json.decoder import Decoder as _Decoder
from reference_impl.canal_json.texts import literal, quick_test, reader, writer
from reference_impl.canal_json.types import mysql_type, read_mysql_type, sql_type
from reference_impl.column_types import ColumnType, Family
from reference_impl.keys import handle_key
from reference_impl.model import DdlEvent, Event, Record, RowChange, Table
from reference_impl.profiles import CLASSIC, DOC, NEWARCH
from reference_impl.values import same_value
from tests.round_trips import NeverQuick, assert_events, assert_image, events_back, outcome
from tests.strategies import changes, column_types, flags, streams, tables, values_of

_profiles = st.sampled_from([NEWARCH, CLASSIC, DOC])
_options = flags(
    "enable-tidb-extension",
    "content-compatible",
    "only-output-updated-columns",
    "delete-only-output-handle-key-columns",
    "output-raw-change-event",
).map(lambda given: option_strings.parse(Options, given))


@given(streams(), _options, _profiles)
def test_what_is_written_is_read_back(stream: tuple[list[Table], list[Event]], options: Options, profile: Any) -> None:
    versions, events = stream
    known = {table.id: table for table in versions}
    records = encode(events, versions, options, profile).records
    # A decoder forgets a table at its DDL message, so every record is read with the tables known.
    got = [decode([record], versions, options=options)[0] for record in records]
    expected = events_back(
        events,
        known,
        whole=options.output_raw_change_event,
        other=lambda event: isinstance(event, DdlEvent) or options.enable_tidb_extension,
    )

    def check(sent: RowChange | DdlEvent, event: RowChange | DdlEvent) -> None:
        assert event.commit_ts == (sent.commit_ts if options.enable_tidb_extension else None)
        if isinstance(sent, DdlEvent) or isinstance(event, DdlEvent):
            return
        assert event.op == sent.op
        table = known[event.schema, event.table]
        only_keys = event.op == "delete" and options.delete_only_output_handle_key_columns
        keys = {*handle_key(table, virtual_counts=profile is not CLASSIC)} if only_keys else None
        changed_only = event.op == "update" and options.changed_only
        assert_image(table, sent.before, event.before, partial=changed_only, names=keys)
        assert_image(table, sent.after, event.after, partial=False, names=None)

    assert_events(expected, got, check)


@given(tables(), _profiles, st.data())
def test_with_changed_columns_alone_before_and_after_still_make_the_old_row(
    table: Table, profile: Any, data: st.DataObject
) -> None:
    change = data.draw(changes(table).filter(lambda change: change.op == "update"))
    options = Options(only_output_updated_columns=True, output_raw_change_event=True)
    [event] = decode(encode([change], [table], options, profile).records, [table], options=options)
    assert isinstance(event, RowChange)
    assert event.before is not None
    assert event.after is not None
    assert_image(table, change.before, {**event.after, **event.before}, partial=False, names=None)


@given(column_types(), st.data())
def test_a_value_is_read_back_with_and_without_the_parameters_of_its_type(
    column_type: ColumnType, data: st.DataObject
) -> None:
    value = data.draw(values_of(column_type))
    text = writer(column_type)(value)
    for full in (False, True):
        declared = read_mysql_type(mysql_type(column_type, full=full))
        assert same_value(column_type, reader(declared.column_type, declared.exact)(text), value)


@given(column_types())
def test_a_full_mysql_type_names_the_column_type_again(column_type: ColumnType) -> None:
    full = read_mysql_type(mysql_type(column_type, full=True)).column_type
    assert mysql_type(full, full=True) == mysql_type(column_type, full=True)
    assert (full.family, full.members, full.unsigned) == (
        column_type.family,
        column_type.members,
        column_type.unsigned and column_type.family not in (Family.BIT, Family.YEAR),
    )


@given(st.text())
def test_a_literal_is_the_text_for_any_reader_of_json(text: str) -> None:
    assert json.loads(literal(text)) == text


_SHORT_TEXTS = st.one_of(
    st.text("0123456789-.: e", max_size=21),
    st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,7})?", fullmatch=True),
    st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}( [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,7})?)?", fullmatch=True),
)


@given(column_types(), st.booleans(), st.data())
def test_a_text_that_is_surely_a_value_is_that_value_and_has_the_base_code(
    column_type: ColumnType, exact: bool, data: st.DataObject
) -> None:
    test = quick_test(column_type, exact)
    text = data.draw(_SHORT_TEXTS | values_of(column_type).map(writer(column_type)))
    if test is not None and test(text):
        assert reader(column_type, exact)(text) == text
        assert sql_type(column_type, text) == sql_type(column_type, None)


def _long_way(options: Options) -> _Decoder:
    decoder = Decoder(options)
    decoder._quick = NeverQuick()  # type: ignore[assignment]
    return decoder


_odd_values = st.sampled_from(
    [None, True, 0, 1, -1, 1.0, 4.0, 2**63, 2**64, "", "0", "1", "x", "9" * 30, [], {}, [None], [{}], {"commitTs": 1}]
)


@st.composite
def _mutations(draw: st.DrawFn, tree: dict[str, Any]) -> dict[str, Any]:
    """The same message with some of its parts replaced, taken away or added."""
    tree = json.loads(json.dumps(tree))
    for _ in range(draw(st.integers(0, 2))):
        places = [tree, *(tree[n] for n in ("sqlType", "mysqlType", "_tidb") if isinstance(tree.get(n), dict))]
        images = (tree[n] for n in ("data", "old") if isinstance(tree.get(n), list))
        places += [row for rows in images for row in rows if isinstance(row, dict)]
        place = draw(st.sampled_from(places))
        name = draw(st.sampled_from([*sorted(place), "more"]))
        if draw(st.booleans()):
            place[name] = draw(_odd_values)
        else:
            place.pop(name, None)
    return tree


@given(tables(), st.booleans(), st.booleans(), st.data())
def test_the_short_way_reads_every_message_like_the_long_way(
    table: Table, extension: bool, known: bool, data: st.DataObject
) -> None:
    options = Options(enable_tidb_extension=extension, output_raw_change_event=True)
    events = data.draw(st.lists(changes(table), min_size=2, max_size=4))
    records = encode(events, [table], options).records
    trees = [json.loads(record.value or b"") for record in records]
    messages = [
        json.dumps(data.draw(_mutations(tree)), separators=(",", ":"), ensure_ascii=False).encode()
        for tree in trees[1:]
    ]
    versions = [table] if known else []
    for message in messages:
        stream = [records[0], Record(None, message), Record(None, message)]
        assert outcome(lambda: Decoder(options).decode(stream, versions)) == outcome(  # noqa: B023
            lambda: _long_way(options).decode(stream, versions)  # noqa: B023
        )


@given(tables(), st.data())
def test_the_long_way_reads_or_refuses_any_mutation(table: Table, data: st.DataObject) -> None:
    change = data.draw(changes(table))
    [record, *_] = encode([change], [table]).records
    tree = data.draw(_mutations(json.loads(record.value or b"")))
    found = outcome(lambda: Decoder().decode([Record(None, json.dumps(tree).encode())], [table]))
    assert isinstance(found, (str, list))
