"""A window of commit time: what of two streams takes part, and what is only there to be a partner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.errors import UsageError
from differential.decode.contradictions import is_contradiction
from differential.decode.reader import SlimReader
from differential.decode.slim import Kind, statement_in
from differential.decode.window_filter import window_of
from differential.local import Outcome
from differential.model import Class
from differential.sides import Side
from differential.window import Window, moment
from reference_impl.model import DdlEvent, Record, RowChange
from reference_impl.tso import MAX_TSO, compose
from tests.comparing import compare_locally
from tests.unit.differential import generated
from tests.unit.differential.building import NOON, exactly, pairs_for, unnamed_pairs
from tests.unit.differential.slims import slims
from tests.unit.differential.streams import TABLE, changes, messages, side

LEFT = side("left", "canal-json", enable_tidb_extension="true")
OTHER = side("right", "open-protocol", max_batch_size="1")
UPSTREAM = side("right", "canal")
DAY = [
    replace(change, commit_ts=compose(NOON + 1000 * n), start_ts=compose(NOON + 1000 * n - 5))
    for n, change in enumerate(changes(seed=8, count=120))
]
HALF = Window(compose(NOON + 20_000), compose(NOON + 50_000))


def later(given: Sequence[RowChange], ms: int) -> list[RowChange]:
    """The changes as another server commits them."""
    return [replace(change, commit_ts=(change.commit_ts or 0) + compose(ms)) for change in given]


def outcome(left: Sequence[Record], right: Sequence[Record], of: Side, window: Window) -> Outcome:
    sides = [replace(one, window=window) for one in (LEFT, of)]
    return compare_locally(sides, (left, right), unnamed_pairs(sides))


def taken(found: Outcome, side_: int) -> int:
    return sum(n for (of, _, _), n in found.counts.changes.items() if of == side_)


def test_sides_of_one_clock_are_cut_at_the_same_place() -> None:
    found = outcome(messages(LEFT, DAY), messages(OTHER, DAY), OTHER, HALF)
    assert not found.differences
    assert taken(found, 0) == taken(found, 1) == 30
    assert found.counts.control[0, "outside the window"] == found.counts.control[1, "outside the window"] == 90


def test_a_window_may_end_between_two_changes_of_a_millisecond() -> None:
    pair = [replace(DAY[0], commit_ts=compose(NOON, 1)), replace(DAY[1], commit_ts=compose(NOON, 2))]
    found = outcome(messages(LEFT, pair), messages(OTHER, pair), OTHER, Window(end=compose(NOON, 2)))
    assert taken(found, 0) == taken(found, 1) == 1


def test_a_binlog_s_clock_is_cut_by_its_milliseconds() -> None:
    found = outcome(messages(LEFT, DAY), messages(UPSTREAM, DAY), UPSTREAM, HALF)
    assert taken(found, 0) == taken(found, 1) == 30


@pytest.mark.parametrize("behind", [-1900, 0, 700, 1900])
def test_a_clock_offset_below_the_slack_makes_no_difference(behind: int) -> None:
    window = replace(HALF, slack=2000)
    found = outcome(messages(LEFT, DAY), messages(UPSTREAM, later(DAY, behind)), UPSTREAM, window)
    assert not [d for d in found.differences if d.kind in (Class.MISSING, Class.EXTRA)]


def test_without_slack_changes_at_the_edges_have_no_partner() -> None:
    found = outcome(messages(LEFT, DAY), messages(UPSTREAM, later(DAY, 1900)), UPSTREAM, HALF)
    assert {d.kind for d in found.differences} >= {Class.MISSING, Class.EXTRA}


def test_slack_hides_no_change_that_is_lost_inside() -> None:
    window = replace(HALF, slack=2000)
    sides = [replace(of, window=window) for of in (LEFT, UPSTREAM)]
    streams = [messages(LEFT, [*DAY[:30], *DAY[31:45], *DAY[46:]]), messages(UPSTREAM, later(DAY, 700))]
    assert compare_locally(sides, streams, pairs_for(sides)) == exactly(sides, streams)
    lost = messages(LEFT, [*DAY[:30], *DAY[31:]])
    found = outcome(lost, messages(UPSTREAM, DAY), UPSTREAM, window)
    assert Class.EXTRA in {d.kind for d in found.differences}
    beside = messages(LEFT, [*DAY[:19], *DAY[20:]])
    found = outcome(beside, messages(UPSTREAM, DAY), UPSTREAM, window)
    assert Class.EXTRA not in {d.kind for d in found.differences}


@pytest.mark.parametrize("name", generated.DIALECTS)
def test_steps_that_are_one_change_are_no_difference_within_the_slack(name: str) -> None:
    stream = generated.transactions("shop", 400, 4)
    ends = [stream[len(stream) * n // 3].commit_ts for n in (1, 2)]
    sides = [replace(of, window=Window(*ends, slack=60_000)) for of in generated.sides_of(name, 2)]
    streams = [generated.sent(of, stream) for of in sides]
    found = compare_locally(sides, streams, pairs_for(sides))
    assert found == exactly(sides, streams)
    assert found.differences or name == "one clock"


def test_a_number_beyond_a_double_hides_no_time_of_a_statement() -> None:
    connector, query = side("right", "debezium-connector"), "ALTER TABLE orders ADD c INT"
    event = DdlEvent("shop", "orders", query, "add column", 5, compose(NOON), table_after=TABLE)
    [record, *_] = messages(connector, [event])
    odd = replace(record, value=b'{"x":1e999,' + (record.value or b"")[1:])
    later = Window(compose(NOON + 60_000), compose(NOON + 120_000))
    for window, count in ((None, 1), (later, 0)):
        read = SlimReader(0, replace(connector, window=window))
        assert [row.kind for row in slims(read, [odd])].count(Kind.STATEMENT) == count


@pytest.mark.parametrize("of", [LEFT, OTHER, UPSTREAM, side("left", "debezium")], ids=lambda of: of.dialect)
def test_statements_are_cut_as_changes_are(of: Side) -> None:
    at = (NOON - 1000, NOON, NOON + 1000)  # upstream tells seconds
    events = [
        DdlEvent("shop", "orders", f"ALTER TABLE orders ADD c{n} INT", "add column", 5, compose(ms), table_after=TABLE)
        for n, ms in enumerate(at)
    ]
    records = messages(of, events)
    read = SlimReader(0, replace(of, window=Window(compose(NOON), compose(NOON + 1000))))
    assert [statement_in(row).query for row in slims(read, records)] == [events[1].query]
    assert read.counts["outside the window"] == 2


def test_what_cannot_be_read_takes_part() -> None:
    [row] = slims(SlimReader(0, replace(LEFT, window=Window(end=1))), [Record(None, b"{")])
    assert row.kind == Kind.UNREADABLE


def test_an_unexpected_tombstone_takes_part_since_it_has_no_time() -> None:
    window = Window(compose(NOON), compose(NOON + 1000))
    given = messages(LEFT, DAY[:1])
    stray = [*given, replace(given[0], offset=7, key=b"k", value=None)]
    [row] = slims(SlimReader(0, replace(LEFT, window=window)), stray[1:])
    assert row.kind == Kind.ODDITY
    [difference] = outcome(given, stray, replace(LEFT, name="right"), window).differences
    assert difference.column == "tombstone"


def test_what_is_odd_about_a_message_is_left_out_with_its_changes() -> None:
    value = messages(LEFT, DAY[:1])[0].value or b""
    odd = Record(None, value.replace(b'"isDdl":false', b'"isDdl":false,"more":1'))
    kinds = [row.kind for row in slims(SlimReader(0, LEFT), [odd])]
    assert kinds == [Kind.CHANGE, Kind.ODDITY]
    assert not slims(SlimReader(0, replace(LEFT, window=Window(end=1))), [odd])


ALTER = DdlEvent("shop", "orders", "ALTER TABLE orders ADD c INT", "add column", 5, compose(NOON), table_after=TABLE)


@pytest.mark.parametrize("event", [DAY[0], ALTER], ids=["row", "statement"])
def test_an_added_kafka_key_is_counted_in_the_window_alone(event: RowChange | DdlEvent) -> None:
    [record] = messages(LEFT, [event])
    keyed = replace(record, key=b"1")
    counted = []
    for window in (None, Window(end=1), Window(end=compose(NOON + 1000))):
        reader = SlimReader(0, replace(LEFT, window=window))
        slims(reader, [keyed])
        counted.append(sum(map(is_contradiction, reader.counts)))
    assert counted == [1, 0, 1]


def test_moments_are_rfc_3339_with_a_zone_or_time_stamps_of_tidb() -> None:
    assert moment("--from", "2024-02-29T12:00:00Z") == moment("--from", "2024-02-29T20:00:00+08:00") == compose(NOON)
    assert moment("--from", "2024-02-29T12:00:00.001999Z") == compose(NOON + 1)
    assert moment("--from", "448000000000000001") == 448_000_000_000_000_001
    for wrong in ("2024-02-29T12:00:00", "noon", "1709208000", "1709208000000", "2024-02-30T00:00:00Z"):
        with pytest.raises(UsageError, match="--from"):
            moment("--from", wrong)


def test_the_zone_that_a_moment_lacks_is_shown_in_a_moment_that_is_read() -> None:
    with pytest.raises(UsageError, match=r"write 2024-02-29T00:00:00Z or 2024-02-29T00:00:00\+08:00"):
        moment("--from", "2024-02-29")


def test_what_cannot_be_cut_is_refused() -> None:
    begin, end = "2024-02-29T12:00:00Z", "2024-02-29T13:00:00Z"
    assert window_of(None, None, None, (LEFT, UPSTREAM)) is None
    assert window_of(begin, None, None, (LEFT, OTHER)) == Window(compose(NOON), MAX_TSO)
    assert window_of(begin, None, 0, (LEFT, UPSTREAM)) == Window(compose(NOON), MAX_TSO)
    for given, of, why in (
        ((begin, end, None), UPSTREAM, "two clocks"),
        ((end, begin, None), OTHER, "is not after"),
        ((begin, end, None), side("right", "avro"), "enable-tidb-extension"),
        ((None, None, 3), OTHER, "--slack"),
        ((None, "1970-01-01T00:00:00Z", None), OTHER, r"^--until 1970-01-01T00:00:00Z: nothing is before it$"),
        (("9000-01-01T00:00:00Z", None, None), OTHER, r"^--from 9000-01-01T00:00:00Z: nothing is after it$"),
    ):
        with pytest.raises(UsageError, match=why):
            window_of(*given, (LEFT, of))
