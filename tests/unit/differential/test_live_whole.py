"""Streams that go on are checked as whole streams are: order across keys, tombstones, clocks."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from differential.batches import decode
from differential.checks.clocks import clock_differences
from differential.checks.records import CheckRecords, Columns
from differential.counts import Counts
from differential.decode.slim import Kind, Slim
from differential.live import whole
from differential.live.batches import decode_timed
from differential.live.rounds import EVERYTHING, SettledDifference, Settling, Timed
from differential.model import Class, Difference
from differential.record_batches import record_batch
from differential.sides import Side
from reference_impl.model import Record
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import sent, side, transactions
from tests.unit.differential.streams import side as small_side
from tests.unit.differential.test_live import settled
from tests.unit.differential.test_whole_streams import compared, numbered

GIVEN = transactions("shop", 200, 3)
SIDES = side("left", "debezium"), side("right", "debezium-connector")
SOUND = tuple(sent(of, GIVEN) for of in SIDES)
PATIENCE = 1_000


def found_in(streams: Sequence[Sequence[Record]], batches: int, seed: int) -> list[Difference]:
    """What is told of streams that come in batches: all that is about whole streams."""
    pairs, draw = pairs_for(SIDES), random.Random(seed)
    times = sorted(record.timestamp or 0 for stream in streams for record in stream)
    cuts = [times[0], *sorted(draw.choices(times, k=batches - 1)), times[-1] + 1]
    waiting: list[Timed] = []
    found: list[Difference] = []
    counts = Counts()
    for begin, end in [*pairwise(cuts), (0, 0)]:
        news = [[r for r in stream if begin <= (r.timestamp or 0) < end] for stream in streams]
        rows = [row for n, records in enumerate(news) for row in timed(n, SIDES[n], records)]
        settling = Settling(pairs, 2, begin - PATIENCE if end else EVERYTHING)
        pieces, waiting = settled(settling, waiting, rows)
        found += [piece.difference for piece in pieces if isinstance(piece, SettledDifference)]
        counts.add(settling.counts)
    assert waiting == []
    return sorted_([*found, *clock_differences("left-right", counts)])


def timed(number: int, of: Side, records: Sequence[Record]) -> list[Timed]:
    """The rows of messages, each with the time of its message."""
    times = {(r.topic or "", r.partition or 0, r.offset or 0): r.timestamp for r in records}
    rows = [Slim(*row.values()) for batch in decode(number, of, [record_batch(records)]) for row in batch.to_pylist()]
    newest = max((r.timestamp or 0 for r in records), default=None)
    return [Timed(row, newest if row.kind in (Kind.COUNTS, Kind.CHECKS) else times[row.place]) for row in rows]


def sorted_(found: Sequence[Difference]) -> list[Difference]:
    whole = [d for d in found if d.divergence is None]
    return sorted(whole, key=lambda d: (d.kind.value, d.column, str(d.left), str(d.right)))


def tombstone() -> int:
    return next(n for n, record in enumerate(SOUND[1]) if n > 40 and record.value is None)


def without_a_tombstone(records: list[Record]) -> list[Record]:
    at = tombstone()
    return numbered([*records[:at], *records[at + 1 :]])


def with_a_stray_tombstone(records: list[Record]) -> list[Record]:
    at = next(
        n for n, record in enumerate(records) if n > 60 and record.value is not None and b'"op":"c"' in record.value
    )
    return numbered([*records[: at + 1], replace(records[at], value=None), *records[at + 1 :]])


def out_of_order(records: list[Record]) -> list[Record]:
    of_one = [n for n, r in enumerate(records) if r.topic == records[50].topic and r.value and b'"op":"c"' in r.value]
    a, b = of_one[3], of_one[5]
    made = [*records]
    made[a], made[b] = replace(made[b], timestamp=made[a].timestamp), replace(made[a], timestamp=made[b].timestamp)
    return numbered(made)


def an_hour_off(records: list[Record]) -> list[Record]:
    made, at = [*records], next(n for n, r in enumerate(records) if n > 30 and b'"op":"c"' in (r.value or b""))
    head, mark, rest = (made[at].value or b"").partition(b'"ts_ms":')
    assert mark
    made[at] = replace(made[at], value=head + mark + b"%d" % (int(rest[:13]) + 3_600_000) + rest[13:])
    return made


@pytest.mark.parametrize("change", [without_a_tombstone, with_a_stray_tombstone, out_of_order, an_hour_off])
@pytest.mark.parametrize("batches", [1, 7])
def test_rounds_find_of_whole_streams_what_a_comparison_at_once_finds(
    change: Callable[[list[Record]], list[Record]], batches: int
) -> None:
    streams = [SOUND[0], change([*SOUND[1]])]
    expected = sorted_(compared(SIDES, streams))
    assert expected
    assert found_in(streams, batches, 3) == expected


def test_sound_streams_have_no_differences_however_they_are_cut() -> None:
    for seed in range(3):
        assert found_in(SOUND, 9, seed) == []


def test_of_what_was_judged_no_more_is_kept_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "KEPT", 10)
    rows = [row for n in range(2) for row, _ in timed(n, SIDES[n], SOUND[n]) if row.kind == Kind.CHECKS]
    one = [row for row in rows if row.key == rows[0].key]
    twice = [*one, *(row._replace(offset=row.offset + 10_000) for row in one)]
    kept = whole.judge(pairs_for(SIDES), twice, [True] * len(twice)).kept
    assert 0 < len(kept) < len(twice)
    assert all(row.moved for row in kept)


def test_rows_for_the_clocks_do_not_wait() -> None:
    batch = record_batch(SOUND[1][:50])
    timed_batch = batch.append_column("time", batch.column("offset"))
    rows = [row for made in decode_timed(1, SIDES[1], [timed_batch]) for row in made.to_pylist()]
    uses = {row["op"] for row in rows if row["kind"] == Kind.CHECKS}
    assert uses == {"log"}


# -- changes that come late --------------------------------------------------------------------------------------------

OF_TICDC = small_side("left", "canal-json", enable_tidb_extension="true"), small_side("right", "open-protocol")
At = tuple[int, int]  # milliseconds, offset


def rows(changes: Sequence[At]) -> list[Timed]:
    """Inserts of different rows in one partition of the left side."""
    count = len(changes)
    columns = Columns(
        [("shop", "orders")] * count,
        [b'["%d"]' % offset for _, offset in changes],
        ["t"] * count,
        [0] * count,
        [offset for _, offset in changes],
        [0] * count,
        ["insert"] * count,
        [ms << 18 for ms, _ in changes],
        [-1] * count,
        [7] * count,
    )
    newest = max((ms for ms, _ in changes), default=0)
    return [Timed(row, newest) for row in CheckRecords(0, OF_TICDC[0]).of_changes(columns)]


def told(rounds: Sequence[tuple[Sequence[At], int]]) -> list[Class]:
    """The kinds of what is told in rounds, each of changes that come and of the time up to which changes are due."""
    waiting: list[Timed] = []
    found: list[Class] = []
    for come, due in rounds:
        pieces, waiting = settled(Settling(pairs_for(OF_TICDC), 2, due), waiting, rows(come) if come else [])
        found += [piece.difference.kind for piece in pieces if isinstance(piece, SettledDifference)]
    return found


EARLY, LATE = (10_000, 0), (5_000, 1)


@pytest.mark.parametrize(
    "rounds",
    [
        [([EARLY, LATE], EVERYTHING)],
        [([EARLY], 1_000), ([LATE], 30_000), ([], EVERYTHING)],
        [([EARLY], 20_000), ([LATE], 30_000), ([], EVERYTHING)],
        [([EARLY], 20_000), ([LATE], 30_000), ([(40_000, 2)], 50_000), ([], EVERYTHING)],
    ],
)
def test_a_change_older_than_a_judged_one_is_reported_once(rounds: list[tuple[list[At], int]]) -> None:
    assert told(rounds) == [Class.REORDERED]


def test_changes_in_order_are_reported_in_no_round() -> None:
    assert told([([(1_000, 0)], 2_000), ([(3_000, 1), (4_000, 2)], 5_000), ([(9_000, 3)], EVERYTHING)]) == []
