"""Streams that go on: what is settled piece by piece is what a comparison of everything at once finds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.cli.main import main
from differential.align.pairs import Pair
from differential.counts import Counts
from differential.decode.quick import FEW
from differential.decode.reader import SlimReader
from differential.decode.slim import counts_row, partition_row
from differential.faults import Fault, Kind
from differential.live.journal import Journal
from differential.live.rounds import EVERYTHING, LastChange, SettledDifference, Settling, Timed, Waiting
from differential.local import Outcome
from differential.model import Class, Difference, Place
from differential.result.duplicates import REPEATED, without_repeats
from differential.result.tally import order_of
from differential.sides import Side
from reference_impl.model import Record
from tests.comparing import compare_locally
from tests.unit.differential import generated
from tests.unit.differential.building import pairs_for, unnamed_pairs
from tests.unit.differential.slims import slims
from tests.unit.differential.streams import changes, cut, lost, messages, numbered, repeated, side

CHANGES = 250
FOREVER = 10**15
LEFT = side("left", "canal-json", enable_tidb_extension="true")
RIGHT = side("right", "open-protocol", max_batch_size="1")
THIRD = side("third", "debezium", enable_tidb_extension="true")
PAIRS = {
    "canal": (generated.side("left", "canal-json", enable_tidb_extension="true"), generated.side("right", "canal")),
    "debezium-connector": (
        generated.side("left", "debezium"),
        generated.side("right", "debezium-connector", version="2.4.0"),
    ),
}


@dataclass
class Run:
    """A comparison that goes on, without Spark and without files."""

    sides: Sequence[Side]
    pairs: tuple[Pair, ...]
    patience: int
    waiting: list[Timed] = field(default_factory=list)
    last: dict[tuple[bytes, int], LastChange] = field(default_factory=dict)
    newest: dict[int, int] = field(default_factory=dict)
    outcome: Outcome = field(default_factory=Outcome)

    def take(self, news: Sequence[Sequence[Record]], due: float | None = None) -> list[Difference]:
        """The differences that a batch tells; by default what is due is due."""
        if due is None and len(self.newest) == len(self.sides):
            due = min(self.newest.values()) - self.patience
        settling = Settling(self.pairs, len(self.sides), due)
        rows = [row for n, records in enumerate(news) for row in timed(n, self.sides[n], records)]
        pieces, self.waiting = settled(settling, self.waiting, rows)
        found = [self._named(piece) for piece in pieces if isinstance(piece, SettledDifference)]
        self.last |= {(piece.key_hash, piece.side): piece for piece in pieces if isinstance(piece, LastChange)}
        for number, time in settling.newest.items():
            self.newest[number] = max(time, self.newest.get(number, time))
        self.outcome.counts.add(settling.counts)
        self.outcome.differences += found
        return found

    def _named(self, told: SettledDifference) -> Difference:
        it = told.repeats
        before = self.last.get((it.key_hash, it.side)) if it else None
        repeats = it is not None and before is not None and before.change_hash == it.change_hash
        return replace(told.difference, kind=Class.DUPLICATE) if repeats else told.difference

    def end(self) -> Outcome:
        """What was found when everything is settled."""
        self.take([], EVERYTHING)
        counts = self.outcome.counts
        for last in self.last.values():
            if last.image is not None:
                of = (last.side, last.schema, last.table)
                counts.rows[of] += 1
                counts.checksum[of] = (counts.checksum[of] + last.image) % 2**64
        self.outcome.differences.sort(key=order_of)
        return Outcome(self.outcome.differences, without_zeros(counts))


def settled(settling: Settling, waiting: Sequence[Timed], rows: Sequence[Timed]) -> tuple[list[Any], list[Timed]]:
    """The pieces of a round, and what waits for the next one."""
    pieces = list(settling.pieces(sorted([*waiting, *rows], key=lambda timed: timed.row.order)))
    return pieces, [piece.timed for piece in pieces if isinstance(piece, Waiting)]


CLOCKS = ("clocks", "offset_examples")  # learned of whole streams alone


def without_zeros(counts: Counts) -> Counts:
    there = {
        name: [one for one in told if one[-1] != "0"] for name, told in counts.to_json().items() if name not in CLOCKS
    }
    return Counts.from_json(there)


def timed(number: int, of: Side, records: Sequence[Record]) -> list[Timed]:
    read = SlimReader(number, of, few=FEW)
    times = {(record.topic or "", record.partition or 0, record.offset or 0): record.timestamp for record in records}
    rows = [Timed(row, times[row.topic, row.partition, row.offset]) for row in slims(read, records)]
    newest = max((record.timestamp or 0 for record in records), default=None)
    copied = records if of.traits.broadcasts else ()
    partitions = Counter((record.topic or "", record.partition or 0) for record in copied)
    told = [partition_row(number, *place, messages) for place, messages in partitions.items()]
    told.append(counts_row(number, read.counts + Counter(messages=len(records))))
    return [*rows, *(Timed(row, newest) for row in told)]


@cache
def broken(pair: str) -> tuple[list[Record], ...]:
    """Streams of the generator with faults of every kind in them, in the time of their transactions."""
    sides, taken = PAIRS[pair], set[bytes]()
    stream = generated.transactions("shop", CHANGES, 4)
    return tuple(
        generated.broken(of, generated.sent(of, stream), [Fault(kind, 2) for kind in Kind], taken)[0] for of in sides
    )


def clocked(records: Sequence[Record]) -> list[Record]:
    """The messages, one a second."""
    return [replace(record, timestamp=1000 * n) for n, record in enumerate(records)]


def in_batches(streams: Sequence[Sequence[Record]], batches: int, seed: int) -> list[list[Sequence[Record]]]:
    """The streams cut at random, each at other places."""
    draw = random.Random(seed)
    cuts = [[0, *sorted(draw.randint(0, len(s)) for _ in range(batches - 1)), len(s)] for s in streams]
    return [[s[of[n] : of[n + 1]] for s, of in zip(streams, cuts, strict=True)] for n in range(batches)]


def live(sides: Sequence[Side], streams: Sequence[Sequence[Record]], patience: int, batches: int, seed: int) -> Outcome:
    run = Run(sides, pairs_for(sides), patience)
    for news in in_batches(streams, batches, seed):
        run.take(news)
    return run.end()


def at_once(sides: Sequence[Side], streams: Sequence[Sequence[Record]]) -> Outcome:
    found = compare_locally(sides, streams, pairs_for(sides))
    of_keys = [d for d in found.differences if d.column != "tombstone" and (d.key or d.kind is not Class.REORDERED)]
    return Outcome(of_keys, without_zeros(found.counts))


@cache
def at_once_of(pair: str) -> Outcome:
    return at_once(PAIRS[pair], broken(pair))


@pytest.mark.parametrize("pair", PAIRS)
@given(batches=st.integers(1, 12), seed=st.integers(0, 1000))
@settings(max_examples=4, deadline=None)
def test_however_streams_are_cut_what_is_found_is_what_a_comparison_at_once_finds(
    pair: str, batches: int, seed: int
) -> None:
    expected = at_once_of(pair)
    assert len(expected.differences) > 20
    assert live(PAIRS[pair], broken(pair), FOREVER, batches, seed) == expected


@cache
def with_three_faults() -> tuple[list[list[Record]], Outcome]:
    """The streams of two sides, and what a comparison at once finds in them."""
    left, right = clocked(messages(LEFT, changes(5, CHANGES))), clocked(messages(RIGHT, changes(5, CHANGES)))
    streams = [clocked(repeated(lost(cut(left, 30), 90), 150)), right]
    return streams, at_once((LEFT, RIGHT), streams)


@given(batches=st.integers(2, 12), seed=st.integers(0, 1000))
@settings(max_examples=5, deadline=None)
def test_patience_changes_nothing_where_no_message_is_later_than_that(batches: int, seed: int) -> None:
    streams, expected = with_three_faults()
    assert live((LEFT, RIGHT), streams, 5_000, batches, seed) == expected


@cache
def of_three_sides() -> tuple[list[list[Record]], Outcome]:
    """The streams of three sides with faults in two of them, and what a comparison at once finds."""
    sides = (LEFT, RIGHT, THIRD)
    sound = [clocked(messages(of, changes(6, 120))) for of in sides]
    streams = [clocked(lost(sound[0], 40)), sound[1], clocked(repeated(cut(sound[2], 50), 70))]
    return streams, at_once(sides, streams)


@given(batches=st.integers(2, 8), seed=st.integers(0, 1000))
@settings(max_examples=4, deadline=None)
def test_three_sides_are_settled_where_all_of_them_agree(batches: int, seed: int) -> None:
    streams, expected = of_three_sides()
    for patience in (5_000, FOREVER):
        assert live((LEFT, RIGHT, THIRD), streams, patience, batches, seed) == expected


def two(patience: int = 10_000, count: int = 60) -> tuple[Run, list[Record], list[Record]]:
    made = changes(8, count)
    sides = (LEFT, RIGHT)
    run = Run(sides, unnamed_pairs(sides), patience)
    return run, clocked(messages(LEFT, made)), clocked(messages(RIGHT, made))


def test_sides_that_are_even_leave_nothing_to_wait() -> None:
    run, left, right = two()
    run.take([left, right])
    assert run.waiting == []
    assert run.outcome.differences == []


def test_a_late_message_is_never_reported_as_missing() -> None:
    run, left, right = two(patience=0)
    assert run.take([left, right[:10]]) == run.take([[], []]) == []
    assert len(run.waiting) == 50
    for n in range(10, 60):
        assert run.take([[], right[n : n + 1]]) == []
    assert run.waiting == []


def test_a_lost_message_is_reported_after_the_patience_and_not_before() -> None:
    run, left, right = two(patience=10_000)
    told = [n for n in range(60) if run.take([left[n : n + 1], right[n : n + 1] if n != 20 else []])]
    assert told[0] == 31  # what is due at 30 s is told by the batch after it
    assert [d.kind for d in run.outcome.differences] == [Class.MISSING]


def test_lost_messages_are_reported_once_their_side_is_no_longer_silent() -> None:
    run, left, right = two(patience=10_000)
    for n in range(60):
        assert run.take([left[n : n + 1], []]) == [], "a side is silent"
    run.take([[], [replace(right[-1], timestamp=45_000, value=b"")]])
    run.take([[], []])
    told = [d.left.offset for d in run.outcome.differences if d.kind is Class.MISSING and d.left]
    assert sorted(told) == list(range(36))
    assert len(run.waiting) == 24


@pytest.mark.parametrize("late", [1, 8])
def test_messages_out_of_order_are_reported_together_even_if_one_is_due_earlier(late: int) -> None:
    made = changes(8, 60, keys=1)
    left, right = messages(LEFT, made), messages(RIGHT, made)
    right.insert(20 + late, right.pop(20))
    streams = [clocked(left), clocked(numbered(right))]
    run = Run((LEFT, RIGHT), pairs_for((LEFT, RIGHT)), 10_000)
    for n in range(60):
        run.take([streams[0][n : n + 1], streams[1][n : n + 1]])
    assert {d.kind for d in run.outcome.differences} == {Class.REORDERED}
    assert run.end() == at_once((LEFT, RIGHT), streams)


def test_a_message_repeated_long_after_its_key_was_settled_is_a_repeated_one() -> None:
    run, left, right = two(patience=5_000)
    run.take([left, right])
    again = replace(left[-1], offset=100, timestamp=61_000)
    run.take([[again], []])
    run.end()
    assert [(d.kind, d.left and d.left.offset) for d in run.outcome.differences] == [(Class.DUPLICATE, 100)]


def test_a_message_that_has_no_time_waits_for_the_end() -> None:
    run, left, right = two(patience=0)
    run.take([[replace(left[0], timestamp=None)], right[50:]])
    assert run.take([left[50:], []]) == run.take([[], []]) == []
    assert run.waiting[0].row.offset == 0
    assert [d.kind for d in run.take([], EVERYTHING)] == [Class.MISSING]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--once"], "--once goes with --live"),
        (["--patience", "5"], "--patience goes with --live"),
        (["--live", "--runner", "spark", "--plan", "merge"], "--plan merge does not go with --live"),
        (["--live", "--runner", "spark", "--stage", "s"], "--stage does not go with --live"),
        (["--live", "--patience", "-1"], "--patience: '-1' is not a number from 0 on"),
        (["--live", "--every", "nan"], "--every: 'nan' is not a number from 0 on"),
    ],
)
def test_options_of_live_that_do_not_go_together_are_refused(
    given: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = ["--left", "canal-json:a", "--right", "canal-json:b"]
    assert main(["compare", *sides, "--tables", "none.sql", "--out", "none", *given]) == 4
    assert told in capsys.readouterr().err


def test_a_statement_that_may_come_again_is_no_difference_at_the_end(tmp_path: Path) -> None:
    sides = [LEFT, replace(RIGHT, at_least_once=True)]
    pairs, counts = pairs_for(sides), Counts()
    journal = Journal(tmp_path, kept=lambda found, counted: without_repeats(found, sides, pairs, counted))
    journal.open({})
    progress, again = journal.progress(), Difference("left-right", Class.DUPLICATE, right=Place("t", 0, 1))
    journal.conclude(progress, [again, replace(again, kind=Class.EXTRA)], counts)
    assert progress.tally.by("left-right", "kind") == {"extra": 1}
    assert counts.control[1, REPEATED] == 1
