"""What is checked of whole streams, beside the comparison key by key."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy
import pytest

from differential.checks.clocks import (
    CLOCK_RECORD,
    ClockSide,
    clock_differences,
    clock_of,
    clock_side,
    count_offsets,
)
from differential.checks.order import out_of_line, out_of_order
from differential.checks.records import (
    DELETE,
    OTHER,
    READ,
    RECORD,
    Check,
    CheckRecords,
    Columns,
    arrays_of,
    effects_of,
    records_in,
)
from differential.counts import Counts
from differential.model import Class, Difference
from differential.result.duplicates import REPEATED, without_repeats
from differential.result.streams import every_difference
from differential.sides import Side
from reference_impl.model import Record
from tests.amounts import ordinarily
from tests.comparing import compare_locally
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import sent, side, transactions

GIVEN = transactions("shop", ordinarily(120, 200), 3)
TICDC = side("left", "canal-json", enable_tidb_extension="true")
CANAL, CONNECTOR = side("right", "canal"), side("right", "debezium-connector")
DEBEZIUM = side("left", "debezium")


def compared(sides: Sequence[Side], streams: Sequence[Sequence[Record]], **options: int) -> list[Difference]:
    pairs = pairs_for(sides)
    outcome = compare_locally(sides, streams, pairs)
    found = every_difference(outcome.differences, outcome.counts, sides, pairs, **options)
    return [d for d in found if d.divergence is None]


def numbered(records: Sequence[Record]) -> list[Record]:
    counted: dict[str, int] = {}
    made = []
    for record in records:
        topic = record.topic or ""
        counted[topic] = counted.get(topic, -1) + 1
        made.append(replace(record, offset=counted[topic]))
    return made


def changed(records: Sequence[Record], at: int, change: Callable[[bytes], bytes]) -> list[Record]:
    made = [*records]
    made[at] = replace(made[at], value=change(made[at].value or b""))
    return made


def test_the_fewest_changes_out_of_order_are_reported() -> None:
    assert out_of_line([1, 2, 9, 3, 4]) == [2]
    assert out_of_line([1, 5, 6, 2, 7]) == [3]
    assert out_of_line([1, 1, 2]) == out_of_line([]) == []


@pytest.mark.parametrize("no_time", [0, -1])
def test_a_change_without_a_time_is_no_repeat_of_another_one_at_the_beginning(no_time: int) -> None:
    changes = [(no_time, 1, READ), (5, 2, OTHER), (5, 2, OTHER), (no_time, 3, DELETE)]
    rows = [(offset, 0, time, 7, effect, op) for offset, (time, effect, op) in enumerate(changes)]
    assert list(out_of_order(Check.DUPLICATES, numpy.array(rows, dtype=RECORD))) == []


@pytest.mark.parametrize(
    ("use", "expected"),
    [(Check.ORDER, "commit times that do not go back"), (Check.LOG, "places in the binary log that do not go back")],
)
def test_a_change_out_of_order_is_reported_unless_it_is_out_of_order_for_its_own_key(use: str, expected: str) -> None:
    times = [(10, 1), (30, 2), (20, 1), (25, 3), (40, 2), (35, 2), (50, 1)]  # the alignment of key 2 reports the 35
    rows = [(offset, 0, time, key, offset, OTHER) for offset, (time, key) in enumerate(times)]
    found = [(offset, told) for offset, _, told in out_of_order(use, numpy.array(rows, dtype=RECORD))]
    assert found == [(1, expected)]  # without the 30, the 20 and the 25 are in order


@pytest.mark.parametrize("number", [1, 32_767, 131_071, 2**31 - 2])
def test_the_next_file_of_the_binary_log_comes_behind_the_one_before_whatever_their_numbers(number: int) -> None:
    message = b'{"source":{"file":"binlog.%06d","pos":%d,"row":0},"op":"c"}'
    places = [(number, 900), (number, 2**32 - 1), (number + 1, 4), (number + 1, 900)]
    for order, late in (((0, 1, 2, 3), []), ((0, 3, 1, 2), [1])):
        records = [Record(b"%d" % at, message % places[at], offset=offset) for offset, at in enumerate(order)]
        [row] = CheckRecords(1, CONNECTOR).of_messages(records)
        assert [offset for offset, _, _ in out_of_order(row.op, records_in(row))] == late


def test_a_place_out_of_order_is_told_as_its_record_has_it_also_where_the_numbers_of_files_begin_again() -> None:
    times = [(131_070 << 46, 1), (1 << 46, 2), (131_071 << 46, 3), (2 << 46, 4)]
    rows = [(offset, 0, time, key, offset, OTHER) for offset, (time, key) in enumerate(times)]
    found = [(offset, got) for offset, got, _ in out_of_order(Check.LOG, numpy.array(rows, dtype=RECORD))]
    assert found == [(1, f"place in the binary log {1 << 46}, out of order")]


def test_what_is_usual_of_two_clocks_is_the_middle_of_their_offsets() -> None:
    clock = clock_of({3600: 90, 3601: 5, 7200: 1})
    assert clock is not None
    assert (clock.usual, clock.spread, clock.is_constant) == (3600, 0, True)
    assert [clock.has(offset) for offset in (3600, 3650, 7200)] == [True, True, False]
    assert clock_of({}) is None


def offsets_of(*sides: Any) -> Counts:
    """How far the clocks of two sides are apart."""
    counts = Counts()
    count_offsets([("left-right", 0, 1)], {n: ClockSide(one, [("topic", 0)]) for n, one in enumerate(sides)}, counts)
    return counts


@pytest.mark.parametrize("offset", [0, 299, -3_640, 172_800, 262_800, -262_800])
def test_a_declared_offset_of_the_clocks_is_no_difference_however_large(offset: int) -> None:
    rows = numpy.zeros(1, dtype=CLOCK_RECORD)
    later = rows.copy()
    rows["time"], later["time"] = 10**12, 10**12 + 1000 * offset
    counts = offsets_of(rows, later)
    assert list(clock_differences("left-right", counts, offset)) == []
    assert len(list(clock_differences("left-right", counts, offset + 90_000))) == 1


@pytest.mark.parametrize("early", [2, 3])
@pytest.mark.parametrize("days", [3, -3, 7])
def test_offsets_about_whole_days_that_differ_by_a_second_are_usual(days: int, early: int) -> None:
    left = numpy.zeros(5, dtype=CLOCK_RECORD)
    left["key"], left["time"] = numpy.arange(5), 10**12
    right = left.copy()
    right["time"] += 1000 * (86_400 * days - (numpy.arange(5) < early))
    counts = offsets_of(left, right)
    assert sorted(counts.clocks.values()) == [2, 3]
    assert list(clock_differences("left-right", counts, 86_400 * days)) == []


def lives(changes: Sequence[tuple[str, int, bytes, bytes]]) -> ClockSide:
    """The check records of a key: operation, second, image before and after."""
    ops, seconds, before, after = (list(column) for column in zip(*changes, strict=True))
    count = len(changes)
    table, key, topic = [("shop", "t")] * count, [b'["1"]'] * count, ["topic"] * count
    does, ms = effects_of(before, after), [1000 * second for second in seconds]
    zeros = [0] * count
    columns = Columns(table, key, topic, zeros, [*range(count)], zeros, ops, [None] * count, ms, does)
    return clock_side(arrays_of(columns))


def test_clocks_are_not_compared_by_changes_of_different_lives_of_a_row() -> None:
    # TiDB has no change of the first life, and two in the transaction of an update: the numbers are equal by chance.
    left = [("insert", 20, b"", b"a"), ("delete", 30, b"a", b""), ("insert", 30, b"", b"b"), ("delete", 50, b"b", b"")]
    right = [
        ("insert", 10, b"", b"x"),
        ("delete", 10, b"x", b""),
        ("insert", 20, b"", b"a"),
        ("update", 30, b"a", b"b"),
        ("delete", 50, b"b", b""),
    ]
    for one, other in ((left, right), (left, right[1:]), (left[1:], right)):
        counts = Counts()
        count_offsets([("left-right", 0, 1)], {0: lives(one), 1: lives(other)}, counts)
        assert {offset for _, offset in counts.clocks} == {0}


def test_a_side_without_changes_says_nothing_of_the_other_clock() -> None:
    some = lives([("insert", 20, b"", b"a")])
    none = ClockSide(some.records[:0], ())
    counts = Counts()
    count_offsets([("left-right", 0, 1)], {0: some, 1: none}, counts)
    count_offsets([("left-right", 0, 1)], {0: none, 1: none}, counts)
    assert not counts.clocks


def test_a_clock_that_is_an_hour_off_is_one_difference_unless_it_is_declared() -> None:
    sound, late = sent(TICDC, GIVEN), []
    for record in sent(CANAL, GIVEN):
        head, _, rest = (record.value or b"").partition(b'"es":')
        late.append(replace(record, value=head + b'"es":%d' % (int(rest[:13]) + 3_600_000) + rest[13:]))
    [one] = compared([TICDC, CANAL], [sound, late])
    assert (one.kind, one.column) == (Class.METADATA, "clock")
    assert "--clock-offset" in str(one.right_value)
    assert compared([TICDC, CANAL], [sound, late], clock_offset=3600) == []


def row_of(record: Record) -> bytes:
    """The table and the first column of a row of Canal's, which tell it."""
    patterns = rb'"table":"(\w+)"', rb'"data":\[\{("\w+":"[^"]*")'
    found = [re.search(pattern, record.value or b"") for pattern in patterns]
    return b" ".join(one[1] for one in found if one) if all(found) else b""


def test_a_wrong_time_is_reported_of_a_transaction_that_is_one_change_on_one_side_only() -> None:
    """Of its row there are more changes on one side, and none does quite the same as that of the other."""
    plain = side("left", "canal-json")
    sound, right = sent(plain, GIVEN), sent(CANAL, GIVEN)
    steps = [Counter(filter(None, map(row_of, side))) for side in (sound, right)]
    folded = [n for n, record in enumerate(sound) if steps[0][row_of(record)] < steps[1][row_of(record)]]
    assert folded
    for at in folded[::16]:
        late = changed(sound, at, lambda v: re.sub(rb'"es":(\d+)', lambda m: b'"es":%d' % (int(m[1]) + 3_600_000), v))
        assert "clock" in {d.column for d in compared([plain, CANAL], [late, right])}, at


def test_rows_that_a_snapshot_read_hours_later_say_nothing_of_the_clock() -> None:
    sound, right = sent(DEBEZIUM, GIVEN), sent(CONNECTOR, GIVEN)
    times = Counter(record.key for record in right)
    alone = [n for n, r in enumerate(right) if b'"op":"c"' in (r.value or b"") and times[r.key] == 1]
    assert alone

    def read(value: bytes) -> bytes:
        head, found, source = value.rpartition(b'"source":{')
        source = re.sub(rb'"ts_ms":(\d+)', lambda m: b'"ts_ms":%d' % (int(m[1]) + 7_200_000), source, count=1)
        marked = source.replace(b'"snapshot":"false"', b'"snapshot":"true"').replace(b'"op":"c"', b'"op":"r"')
        return head + found + marked

    snapshot = right
    for at in alone:
        snapshot = changed(snapshot, at, read)
    assert snapshot != right
    assert "clock" not in {d.column for d in compared([DEBEZIUM, CONNECTOR], [sound, snapshot])}


def test_lost_and_stray_tombstones_and_those_of_another_key_are_reported() -> None:
    sides, sound, upstream = [DEBEZIUM, CONNECTOR], sent(DEBEZIUM, GIVEN), sent(CONNECTOR, GIVEN)
    at = next(n for n, record in enumerate(upstream) if record.value is None)
    assert compared(sides, [sound, upstream]) == []
    lost = compared(sides, [sound, numbered([*upstream[:at], *upstream[at + 1 :]])])
    assert [(d.column, d.right_value) for d in lost] == [("tombstone", "no tombstone")]
    of_none = [record for record in upstream if record.value is not None]
    found = compared(sides, [sound, of_none])
    assert len(found) == len({d.right.topic for d in found if d.right}) > 1
    assert any("no tombstone behind any" in str(d.right_value) for d in found)
    other = [replace(r, key=(r.key or b"") + b" ") if n == at else r for n, r in enumerate(upstream)]
    assert [d.right_value for d in compared(sides, [sound, other])] == ["no tombstone", "a tombstone"]
    off = side("right", "debezium-connector", **{"tombstones.on.delete": "false"})
    assert compared([DEBEZIUM, off], [sound, of_none]) == []
    stray = compared([DEBEZIUM, off], [sound, upstream])
    assert {(d.column, d.right_value) for d in stray} == {("tombstone", "a tombstone")}
    assert len(stray) == len(upstream) - len(of_none)


@pytest.mark.parametrize("written", [{"indent": 1}, {"sort_keys": True}], ids=["blanks", "another order"])
@pytest.mark.parametrize("right", [CANAL, CONNECTOR], ids=["canal", "connector"])
def test_blanks_and_another_order_of_members_are_no_difference(right: Side, written: dict[str, Any]) -> None:
    left = TICDC if right is CANAL else DEBEZIUM
    plain = right if right is CANAL else side("right", "debezium-connector", **{"decimal.handling.mode": "string"})
    sound, upstream = sent(left, GIVEN[:60]), sent(plain, GIVEN[:60])
    again = [
        replace(r, value=r.value and turned(r.value, written), key=r.key and turned(r.key, written)) for r in upstream
    ]
    assert again != upstream
    assert compared([left, plain], [sound, again]) == []
    if right is CONNECTOR:
        at = next(n for n, record in enumerate(again) if record.value is None)
        lost = compared([left, plain], [sound, numbered([*again[:at], *again[at + 1 :]])])
        assert [d.column for d in lost] == ["tombstone"]


def turned(data: bytes, written: dict[str, Any]) -> bytes:
    """JSON in other bytes, with its members in the opposite order."""
    return json.dumps(json.loads(data, object_pairs_hook=lambda pairs: dict(reversed(pairs))), **written).encode()


@pytest.mark.parametrize(("sides", "number"), [*product([(TICDC, CANAL), (DEBEZIUM, CONNECTOR)], [0, 1])])
def test_kafka_keys_are_one_difference_a_topic_whichever_side_has_or_lacks_them(
    sides: tuple[Side, Side], number: int
) -> None:
    streams = [sent(side, GIVEN) for side in sides]
    sound = streams[number]
    key = None if sides[0] is DEBEZIUM else b"k"
    streams[number] = [replace(record, key=key) for record in sound]
    found = compared(sides, streams)
    assert {(d.kind, d.column) for d in found} == {(Class.SHAPE, "key")}
    assert len(found) == len({record.topic for record in sound})


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_change_that_one_of_three_sides_has_again_is_counted_once(number: int) -> None:
    sides = [replace(side(name, "canal"), at_least_once=True) for name in ("left", "right", "third")]
    sound = sent(sides[0], GIVEN)
    streams = [numbered([*sound, sound[-1]]) if side == number else sound for side in range(3)]
    pairs = pairs_for(sides)
    outcome = compare_locally(sides, streams, pairs)
    assert list(without_repeats(outcome.differences, sides, pairs, outcome.counts)) == []
    assert outcome.counts.control[number, REPEATED] == 1
