"""Merges the sides of a comparison: turns sorted slim records into differences and counts.

`Merge` takes rows sorted by `slim.ORDERING`, and holds the changes of one key at a time. The result does not depend on
how the keys are divided into partitions: differences belong to keys, and counts are sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from conformance.errors import our_fault
from differential.align.comparison import compare_key
from differential.align.explained import same_op
from differential.align.missing_before_image import are_alike
from differential.align.pairs import Pair
from differential.align.spellings import SpellingCounter
from differential.align.times import ms_at
from differential.checks.judging import fault_of_side, judged
from differential.counts import Counts
from differential.decode.fingerprints import number_of, print_of
from differential.decode.slim import (
    Kind,
    Slim,
    after_of,
    change_of,
    counts_of,
    failure_in,
    oddity_in,
    partition_of,
    statement_in,
    unreadable_in,
)
from differential.decode.window_filter import differences_inside
from differential.model import Change, Class, Difference, Place

__all__ = ["Merge", "differing_columns", "row_hash"]

_KEY_GROUP = attrgetter("group", "schema", "table", "key")
_CONTENT = attrgetter("op", "moved", "payload")
_CONTENT_AND_TIME = attrgetter("op", "moved", "commit_ts", "payload")


def row_hash(image: bytes) -> int:
    """The number that a row adds to the checksum of its table, below 2**64."""
    return number_of(print_of(image))


class Merge:
    """Compares the sides of one part of the keys; `counts` is complete after the last of `differences`."""

    def __init__(self, pairs: Sequence[Pair], sides: int) -> None:
        self._pairs = pairs
        self._pair_sides = [pair.sides for pair in pairs]
        self._sides = sides  # their number
        self._spellings = [SpellingCounter(pair) for pair in pairs]
        self.counts = Counts()

    def differences(self, rows: Iterable[Slim]) -> Iterator[Difference]:
        """The differences in rows that are sorted by `slim.ORDERING`."""
        for _, of_key in groupby(rows, _KEY_GROUP):
            changes: list[list[Slim]] = [[] for _ in range(self._sides)]
            check_rows: list[Slim] = []
            for row in of_key:
                if row.kind == Kind.CHANGE:
                    changes[row.side].append(row)
                elif row.kind == Kind.COUNTS:
                    self._add_counts(row)
                elif row.kind == Kind.CHECKS:
                    check_rows.append(row)
                elif row.kind == Kind.STATEMENT:
                    self.counts.statements.append(
                        (row.side, *row.place, row.step, row.schema, row.table, *statement_in(row))
                    )
                elif row.kind == Kind.SUITE_ERROR:
                    # In the order of `Counts.suite_errors`.
                    failure = (self._side_name(row.side), "", "", "", *row.place, failure_in(row))
                    self.counts.fail(row.side, failure)
                else:
                    yield from self._message_differences(row)
            if check_rows:
                yield from judged(self._pair_sides, check_rows)
            if any(changes):
                yield from self._key_differences(changes)
        for counter in self._spellings:
            counter.move_to(self.counts)

    def _add_counts(self, row: Slim) -> None:
        if (of_partition := partition_of(row)) is not None:
            place, messages = of_partition
            self.counts.partitions[place] += messages
        else:
            self.counts.control.update({(row.side, what): n for what, n in counts_of(row).items()})

    def _side_name(self, side: int) -> str:
        pair = next(pair for pair in self._pairs if side in (pair.a, pair.b))
        left, right = pair.context.pair.split("-")
        return left if side == pair.a else right

    def _key_differences(self, changes: list[list[Slim]]) -> Iterator[Difference]:
        """The differences of one key, whose changes are given by side; counts its changes, final rows and spellings."""
        first = next(side[0] for side in changes if side)
        table_id = first.schema, first.table
        for number, side in enumerate(changes):
            if side:
                self._count_changes((number, *table_id), side)
        for pair, counter in zip(self._pairs, self._spellings, strict=True):
            left, right = changes[pair.a], changes[pair.b]
            found: list[Difference] = []
            try:
                differences, alike = _compare(pair, left, right)
                if pair.window is not None and pair.window.slack:
                    differences = list(differences_inside(pair.window, differences, left, right))
                self.counts.alike[pair.context.pair, *table_id] += alike
                found = differences
                if right:
                    _count_spellings(counter, left, found)
            except Exception as e:  # noqa: BLE001 - a fault of the suite, which costs only this key group of this pair
                name = first.key.decode("utf-8", "backslashreplace")
                self.counts.fail(pair.a, (pair.context.pair, *table_id, name, None, None, None, our_fault(e)))
            yield from found

    def _count_changes(self, table: tuple[int, str, str], changes: Sequence[Slim]) -> None:
        """Count the changes of a key on a side, and the row that they end with."""
        self.counts.changes[table] += len(changes)
        image = after_of(changes[-1].payload)
        if image is not None:
            self.counts.rows[table] += 1
            self.counts.checksum[table] = (self.counts.checksum[table] + row_hash(image)) % 2**64

    def _message_differences(self, row: Slim) -> Iterator[Difference]:
        """The difference of an unreadable or odd message, in every pair of its side."""
        place = Place(*row.place)
        if row.kind == Kind.UNREADABLE:
            message = unreadable_in(row)
            kind, column, key = Class.UNDECODABLE, message.column, message.key
            got: str | None = message.value
            expected: str | None = f"{message.refusal}: {message.why}"
        else:
            oddity = oddity_in(row)
            kind, column, key = Class.SHAPE, oddity.path, ""
            got, expected = oddity.got, oddity.expected
        names = row.schema, row.table, column
        yield from fault_of_side(self._pair_sides, row.side, kind, names, place, got, expected, key)


def _compare(pair: Pair, left: list[Slim], right: list[Slim]) -> tuple[list[Difference], int]:
    """The differences in the changes of a key, and the number of changes that are alike."""
    content = _CONTENT_AND_TIME if pair.context.same_clock else _CONTENT
    both = enumerate(zip(left, right, strict=False))
    differing = (n for n, (a, b) in both if content(a) != content(b) and not _are_alike(a, b, pair))
    first = next(differing, min(len(left), len(right)))
    if not pair.context.same_clock:
        first = min(_count_before_repeat(left[:first]), _count_before_repeat(right[:first]))
    if first == max(len(left), len(right)):
        return [], first
    begin = max(0, first - 1)  # the next change may repeat the last equal one
    a, b = ([change_of(row) for row in side[begin:]] for side in (left, right))

    def before(on_left: bool) -> Iterator[Change]:
        return map(change_of, (left if on_left else right)[:begin])

    found = compare_key(pair.context, a, b, pair.namer, before)
    return found.differences, begin + found.alike


def _count_spellings(counter: SpellingCounter, left: Sequence[Slim], found: Sequence[Difference]) -> None:
    """Count the spellings of the values of a key that the sides have in common."""
    columns = differing_columns(left, found)
    for number, row in enumerate(left):
        differing = columns.get(number, frozenset())
        if differing is not None:  # the right side has the change
            counter.count(row, differing)


def _are_alike(a: Slim, b: Slim, pair: Pair) -> bool:
    return same_op(a.op, b.op) and are_alike(change_of(a), change_of(b), same_clock=pair.context.same_clock)


def _count_before_repeat(changes: Sequence[Slim]) -> int:
    """The number of changes before the first that may be a repeat, by the rule of `repeated.may_repeat`."""
    if len(changes) < 2:
        return len(changes)
    times = [ms_at(None if row.commit_ts is None else int(row.commit_ts), row.instant) for row in changes]
    for n in range(1, len(changes)):
        last, row, last_time, time = changes[n - 1], changes[n], times[n - 1], times[n]
        is_older = time is not None and (last_time is None or time < last_time)
        if is_older or (row.commit_ts is not None and _CONTENT_AND_TIME(row) == _CONTENT_AND_TIME(last)):
            return n
    return len(changes)


def differing_columns(changes: Sequence[Slim], found: Sequence[Difference]) -> dict[int, frozenset[str] | None]:
    """The columns that differ, by position of the left change. Changes without a difference are left out.

    The value is None for a change that the other side lacks, and {""} for one that differs as a whole.
    """
    columns: dict[tuple[str, int, int], frozenset[str] | None] = {}
    for one in found:
        if one.left is not None:
            place = (one.left.topic, one.left.partition, one.left.offset)
            others = columns.get(place, frozenset())
            columns[place] = None if others is None or one.right is None else others | {one.column}
    if not columns:
        return {}
    return {number: columns[row.place] for number, row in enumerate(changes) if row.place in columns}
