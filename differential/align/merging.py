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
from differential.align.missing_before_image import are_alike
from differential.align.pairs import Pair
from differential.align.repeated import may_repeat
from differential.align.spellings import SpellingCounter
from differential.checks.judging import fault_of_side, judged
from differential.counts import Counts
from differential.decode.fingerprints import number_of, print_of
from differential.decode.slim import (
    Kind,
    Slim,
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

__all__ = ["Merge", "compare_changes", "differing_columns", "row_hash"]

_KEY_GROUP = attrgetter("group", "schema", "table", "key")


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
            changes: list[list[Change]] = [[] for _ in range(self._sides)]
            check_rows: list[Slim] = []
            for row in of_key:
                if row.kind == Kind.CHANGE:
                    changes[row.side].append(change_of(row))
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

    def _key_differences(self, changes: list[list[Change]]) -> Iterator[Difference]:
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
                differences, alike = compare_changes(pair, left, right)
                self.counts.alike[pair.context.pair, *table_id] += alike
                found = differences
                if right:
                    _count_spellings(counter, left, found)
            except Exception as e:  # noqa: BLE001 - a fault of the suite, which costs only this key group of this pair
                name = first.key.decode("utf-8", "backslashreplace")
                self.counts.fail(pair.a, (pair.context.pair, *table_id, name, None, None, None, our_fault(e)))
            yield from found

    def _count_changes(self, table: tuple[int, str, str], changes: Sequence[Change]) -> None:
        """Count the changes of a key on a side, and the row that they end with."""
        self.counts.changes[table] += len(changes)
        for change in changes:
            self.counts.ops[*table, change.op] += 1
        if changes[-1].after is not None:
            self.counts.rows[table] += 1
            self.counts.checksum[table] = (self.counts.checksum[table] + row_hash(changes[-1].after)) % 2**64

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


def compare_changes(pair: Pair, left: list[Change], right: list[Change]) -> tuple[list[Difference], int]:
    """The differences in the changes of a key, as far as they concern the window, and the number of alike changes."""
    first, same_clock = 0, pair.context.same_clock
    for n, (a, b) in enumerate(zip(left, right, strict=False)):
        if n and not same_clock and (may_repeat(a, left[n - 1]) or may_repeat(b, right[n - 1])):
            break
        if not are_alike(a, b, same_clock=same_clock):
            break
        first += 1
    if first == max(len(left), len(right)):
        return [], first
    begin = max(0, first - 1)  # the next change may repeat the last equal one

    def before(on_left: bool) -> Iterable[Change]:
        return (left if on_left else right)[:begin]

    found = compare_key(pair.context, left[begin:], right[begin:], pair.namer, before)
    differences = found.differences
    if pair.has_slack:
        assert pair.window is not None
        differences = list(differences_inside(pair.window, differences, left, right))
    return differences, begin + found.alike


def _count_spellings(counter: SpellingCounter, left: Sequence[Change], found: Sequence[Difference]) -> None:
    """Count the spellings of the values of a key that the sides have in common."""
    columns = differing_columns(left, found)
    for number, change in enumerate(left):
        differing = columns.get(number, frozenset())
        if differing is not None:  # the right side has the change
            counter.count(change, differing)


def differing_columns(changes: Sequence[Change], found: Sequence[Difference]) -> dict[int, frozenset[str] | None]:
    """The columns that differ, by position of the left change. Changes without a difference are left out.

    The value is None for a change that the other side lacks, and {""} for one that differs as a whole.
    """
    columns: dict[Place, frozenset[str] | None] = {}
    for one in found:
        if one.left is not None:
            others = columns.get(one.left, frozenset())
            columns[one.left] = None if others is None or one.right is None else others | {one.column}
    if not columns:
        return {}
    return {number: columns[change.place] for number, change in enumerate(changes) if change.place in columns}
