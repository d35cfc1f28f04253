"""Properties of the Debezium JSON codec: what is written is read back, and both ways to read agree."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reference_impl import options as option_strings
from reference_impl.column_types import ColumnType, Family
from reference_impl.debezium_json import Decoder, Options, decode, encode
from reference_impl.debezium_json.decoder import Decoder as _Decoder
from reference_impl.debezium_json.json_text import literal, number
from reference_impl.debezium_json.statement import definitions, renamings
from reference_impl.epochs import date_of_days, datetime_of_micros, days, micros, time_micros, time_of_micros
from reference_impl.floats import nearest_float32
from reference_impl.model import Column, DdlEvent, Event, Index, Record, RowChange, Table, Value
from reference_impl.profiles import CLASSIC, DOC, NEWARCH
from reference_impl.settings import Settings
from reference_impl.sql_tokens import statements
from reference_impl.values import loosely_same_value, same_value
from tests.round_trips import NeverQuick, assert_events, assert_image, events_back, outcome
from tests.strategies import changes, flags, streams, tables
from tests.unit.debezium_json.messages import TABLE1, compact

_profiles = st.sampled_from([NEWARCH, CLASSIC, DOC])
_options = flags(
    "enable-tidb-extension", "debezium-disable-schema", "debezium-output-old-value", "output-raw-change-event"
).map(lambda given: option_strings.parse(Options, given))


def _is_lost(column_type: ColumnType, value: str) -> bool:
    """Whether the format has no room for a time: it is in no calendar, of two digits, or a TIMESTAMP too early."""
    if column_type.family is Family.TIMESTAMP:
        return value < "1970-01-01 00:00:01"
    return column_type.family in (Family.DATE, Family.DATETIME) and int(value[:4]) < 100


def _same(column: Column, sent: Value, got: Value, *, exact: bool = True) -> bool:
    column_type = column.type
    if isinstance(sent, str) and _is_lost(column_type, sent):
        return True
    if sent == Index(0):
        return got in (Index(0), "")
    if column_type.family is Family.DECIMAL and isinstance(sent, str) and isinstance(got, str):
        return float(sent) == float(got)
    return same_value(column_type, sent, got) if exact else loosely_same_value(column_type, sent, got)


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
        other=lambda event: profile is not CLASSIC and (isinstance(event, DdlEvent) or options.enable_tidb_extension),
    )

    def check(sent: RowChange | DdlEvent, event: RowChange | DdlEvent) -> None:
        assert event.commit_ts == sent.commit_ts
        if isinstance(sent, DdlEvent) or isinstance(event, DdlEvent):
            return
        assert event.op == sent.op
        table = known[event.schema, event.table]
        if event.op != "update" or options.debezium_output_old_value:
            assert_image(table, sent.before, event.before, same=_same)
        else:
            assert event.before is None
        assert_image(table, sent.after, event.after, same=_same)

    assert_events(expected, got, check)


@given(tables(), st.data())
def test_with_the_extension_values_are_read_without_a_table(table: Table, data: st.DataObject) -> None:
    change = data.draw(changes(table))
    options = Options(enable_tidb_extension=True, output_raw_change_event=True)
    [event] = decode(encode([change], [table], options).records, options=options)
    assert isinstance(event, RowChange)
    assert_image(table, change.before, event.before, same=partial(_same, exact=False))
    assert_image(table, change.after, event.after, same=partial(_same, exact=False))


@given(tables(), _profiles, _options, st.data())
def test_every_message_is_read_whatever_is_known_of_its_types(
    table: Table, profile: Any, options: Options, data: st.DataObject
) -> None:
    events = data.draw(st.lists(changes(table), min_size=1, max_size=3))
    records = encode(events, [table], options, profile).records
    assert len(decode(records)) == len(records)


@given(st.text())
def test_a_literal_is_the_text_for_any_reader_of_json(text: str) -> None:
    assert json.loads(literal(text)) == text


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_number_reads_back_as_the_same_float_and_is_json(wide: float, narrow: float) -> None:
    assert float(json.loads(number(repr(wide), 64))) == wide
    assert nearest_float32(str(json.loads(number(repr(narrow), 32)))) == narrow


@given(st.dates(min_value=date(100, 1, 1)), st.datetimes(min_value=datetime(100, 1, 1)))
def test_dates_come_back_from_their_counts(day: date, moment: datetime) -> None:
    assert days(day.isoformat()) == (day - date(1970, 1, 1)).days
    assert date_of_days(days(day.isoformat()) or 0) == day.isoformat()
    text = moment.isoformat(" ", "microseconds")
    assert micros(text) == (moment - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    assert datetime_of_micros(micros(text) or 0, 6) == text


@given(st.integers(-3020399000000, 3020399000000))
def test_times_come_back_from_their_counts(count: int) -> None:
    assert time_micros(time_of_micros(count, 6)) == count


@given(
    st.text(alphabet="aA(),;.'\"`\\-#/*!T[]=0 \n", max_size=40),
    st.sampled_from(["", "ALTER TABLE t ADD ", "CREATE TABLE t ("]),
)
def test_any_text_is_taken_for_a_statement(text: str, head: str) -> None:
    definitions(head + text)
    renamings("RENAME TABLE " + text)
    assert all(part in head + text for part in statements(head + text))


# Both ways to read


def _long_way(options: Options) -> _Decoder:
    decoder = Decoder(options)
    decoder._quick = NeverQuick()  # type: ignore[assignment]
    return decoder


_odd_values = st.sampled_from(
    [
        *(None, True, 0, 1, -1, 1.0, 4.0, 1.5, 1e300, 2**63, 2**64, "", "0", "x", "é", "AA==", "9" * 30, []),
        *({}, [None], "c", "m"),
    ]
)


def _places(tree: Any) -> list[Any]:
    """Every object and array of a tree."""
    inner = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    found = [tree] if isinstance(tree, (dict, list)) and tree else []
    return found + [place for item in inner for place in _places(item)]


@st.composite
def _mutations(draw: st.DrawFn, tree: Any) -> Any:
    """The same document with some of its parts replaced, taken away or added."""
    tree = json.loads(json.dumps(tree))
    for _ in range(draw(st.integers(0, 2))):
        payload = tree.get("payload", tree)
        # Mostly in the payload, where the two ways part.
        place = draw(st.sampled_from(_places(payload) if draw(st.booleans()) and _places(payload) else [tree]))
        if isinstance(place, list):
            place[draw(st.integers(0, len(place) - 1))] = deepcopy(draw(_odd_values))  # it may be changed itself, next
            continue
        name = draw(st.sampled_from([*sorted(place), "more", "schema"]))
        if draw(st.booleans()):
            place[name] = deepcopy(draw(_odd_values))  # it may be changed itself, next
        else:
            place.pop(name, None)
        if not isinstance(tree, dict):
            break
    return tree


@given(tables(), st.booleans(), st.booleans(), st.booleans(), st.data())
def test_the_short_way_reads_every_message_like_the_long_way(
    table: Table, extension: bool, bare: bool, known: bool, data: st.DataObject
) -> None:
    options = Options(enable_tidb_extension=extension, debezium_disable_schema=bare, output_raw_change_event=True)
    events = data.draw(st.lists(changes(table), min_size=2, max_size=4))
    records = encode(events, [table], options).records
    versions = [table] if known else []
    for record in records[1:]:
        value = compact(data.draw(_mutations(json.loads(record.value or b""))))
        key = compact(data.draw(_mutations(json.loads(record.key or b"")))) if data.draw(st.booleans()) else record.key
        stream = [records[0], Record(key, value), Record(key, value)]
        assert outcome(lambda: Decoder(options).decode(stream, versions)) == outcome(  # noqa: B023
            lambda: _long_way(options).decode(stream, versions)  # noqa: B023
        )


def test_the_short_way_is_taken_for_the_second_message_of_a_schema() -> None:
    decoder = Decoder()
    for bare in (False, True):
        change = RowChange("insert", *TABLE1.id, 1, after={"tiny": "1"})
        [record] = encode([change], [TABLE1], Options(debezium_disable_schema=bare)).records
        assert decoder._quick.find(record.value or b"", record.key) is None
        decoder.decode([record])
        assert decoder._quick.find(record.value or b"", record.key) is not None


@given(tables(), st.booleans(), st.data())
def test_the_long_way_reads_or_refuses_any_mutation(table: Table, known: bool, data: st.DataObject) -> None:
    change = data.draw(changes(table))
    [record, *_] = encode([change], [table], Options(enable_tidb_extension=True), settings=Settings()).records
    tree = json.loads(record.value or b"")
    places = _places(tree)
    place = data.draw(st.sampled_from(places))
    if isinstance(place, list):
        place[0] = data.draw(_odd_values)
    else:
        place[data.draw(st.sampled_from(sorted(place)))] = data.draw(_odd_values)
    found = outcome(lambda: Decoder().decode([Record(record.key, compact(tree))], [table] if known else []))
    assert isinstance(found, (str, list))
