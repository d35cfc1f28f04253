"""Merges the sides of a comparison: turns sorted slim records into differences and counts.

`Merge` takes rows sorted by `slim.ORDERING`, and holds the changes of one key at a time. The result does not depend on
how the keys are divided into partitions: differences belong to keys, and counts are sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, combinations, groupby
from operator import attrgetter
from typing import TypeAlias

from conformance.errors import our_fault
from differential.align.comparison import compare_key
from differential.align.explained import same_op
from differential.align.missing_before_image import are_alike
from differential.align.pair_context import PairContext
from differential.align.times import ms_at
from differential.checks.judging import judged
from differential.classify.naming import Namer, Spelling
from differential.counts import Counts
from differential.decode.fingerprints import number_of, print_of
from differential.decode.slim import (
    Kind,
    Slim,
    after_of,
    change_of,
    counts_of,
    failure_in,
    identifying_image,
    oddity_in,
    partition_of,
    statement_in,
    unreadable_in,
)
from differential.decode.window_filter import differences_inside
from differential.model import Change, Class, Difference, Place
from differential.sides import Side
from differential.window import Window
from reference_impl.column_types import ColumnType
from reference_impl.keys import handle_key

__all__ = ["Merge", "Pair", "differing_columns", "pairs_of", "row_hash"]

SkippedOf: TypeAlias = Callable[[int], Iterable[Slim]]
"""Returns the skipped changes of a key on a side: its first ones, which are equal on all sides."""

_KEY_GROUP = attrgetter("group", "schema", "table", "key")
_CONTENT = attrgetter("op", "moved", "payload")
_CONTENT_AND_TIME = attrgetter("op", "moved", "commit_ts", "payload")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides, with the context and the namer of their comparison."""

    a: int  # the number of the left side
    b: int  # the number of the right side
    context: PairContext
    namer: Namer
    # By schema and table: the columns whose values may be spelled differently, each with the divergence.
    spellings: Mapping[tuple[str, str], tuple[tuple[str, Spelling], ...]]
    window: Window | None = None


def pairs_of(
    sides: Sequence[Side], types: Mapping[tuple[str, str, str], ColumnType], namers: Mapping[str, Namer]
) -> tuple[Pair, ...]:
    """All pairs of the sides: left-right, and with a third side left-third and right-third."""
    pairs = []
    for a, b in combinations(range(len(sides)), 2):
        left, right = sides[a], sides[b]
        name = f"{left.name}-{right.name}"
        same_clock = left.traits.is_of_ticdc and right.traits.is_of_ticdc
        new_rows_only = left.tables_with_new_rows_only, right.tables_with_new_rows_only
        keyless = frozenset(table.id for side in (left, right) for table in side.tables if not handle_key(table))
        context = PairContext(name, left.dialect, right.dialect, types, same_clock, new_rows_only, keyless)
        namer = namers[name]
        spellings: dict[tuple[str, str], tuple[tuple[str, Spelling], ...]] = {}
        for (schema, table, column), column_type in types.items():
            of_column = namer.spellings((schema, table, column), column_type)
            of_table = spellings.get((schema, table), ())
            spellings[schema, table] = (*of_table, *((column, spelling) for spelling in of_column))
        pairs.append(Pair(a, b, context, namer, spellings, left.window))
    return tuple(pairs)


def row_hash(image: bytes) -> int:
    """The number that a row adds to the checksum of its table, below 2**64."""
    return number_of(print_of(image))


class Merge:
    """Compares the sides of one part of the keys; `counts` is complete after the last of `differences`."""

    def __init__(self, pairs: Sequence[Pair], sides: int) -> None:
        from differential.align.spellings import SpellingCounter  # not at the top of the module: it imports numpy

        self.pairs = pairs
        self.sides = sides  # their number
        self.counters = [SpellingCounter(pair.context.pair, pair.spellings) for pair in pairs]
        self.counts = Counts()

    def differences(self, rows: Iterable[Slim]) -> Iterator[Difference]:
        """The differences in rows that are sorted by `slim.ORDERING`."""
        for _, of_key in groupby(rows, _KEY_GROUP):
            changes: list[list[Slim]] = [[] for _ in range(self.sides)]
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
                pairs = [(pair.context.pair, pair.a, pair.b) for pair in self.pairs]
                yield from judged(pairs, check_rows, self.counts)
            if any(changes):
                yield from self._key_differences(changes)
        for counter in self.counters:
            counter.move_to(self.counts)

    def _add_counts(self, row: Slim) -> None:
        if (of_partition := partition_of(row)) is not None:
            place, messages = of_partition
            self.counts.partitions[place] += messages
        else:
            self.counts.control.update({(row.side, what): n for what, n in counts_of(row).items()})

    def _key_differences(self, changes: list[list[Slim]]) -> Iterator[Difference]:
        """The differences of one key, whose changes are given by side; counts its changes, final rows and spellings."""
        first = next(side[0] for side in changes if side)
        table_id, key = (first.schema, first.table), first.key
        for number, side in enumerate(changes):
            if side:
                self.count_changes(number, table_id, len(side))
                image = after_of(side[-1].payload)
                if image is not None:
                    self.count_final_rows(number, table_id, 1, row_hash(image))
        for pair, counter, found in zip(self.pairs, self.counters, self.compared(changes), strict=True):
            yield from found
            left, right = changes[pair.a], changes[pair.b]
            if not right or not counter.columns(*table_id):
                continue
            with self.guarded(pair, table_id, key):
                columns = differing_columns(left, found)
                for number, row in enumerate(left):
                    differing = columns.get(number, frozenset())
                    if differing is None:
                        continue  # the right side lacks the change
                    if image := identifying_image(row.payload):
                        counter.count_row(table_id, row.op, key.decode(), image, differing)

    @contextmanager
    def guarded(self, pair: Pair, table_id: tuple[str, str], key: bytes) -> Iterator[None]:
        """A context in which a failure of our own code costs only this key group of this pair."""
        try:
            yield
        except Exception as e:  # noqa: BLE001 - any exception here is a fault of the suite
            name = key.decode("utf-8", "backslashreplace")
            self.counts.fail(pair.a, (pair.context.pair, *table_id, name, None, None, None, our_fault(e)))

    def _side_name(self, side: int) -> str:
        pair = next(pair for pair in self.pairs if side in (pair.a, pair.b))
        left, right = pair.context.pair.split("-")
        return left if side == pair.a else right

    def compared(
        self, changes: Sequence[list[Slim]], skipped: int = 0, skipped_of: SkippedOf = lambda side: ()
    ) -> Iterator[list[Difference]]:
        """The differences in the changes of a key, which are given by side; yields a list for each pair.

        `skipped` is the number of changes before them, on each side, that `skipped_of` returns. If it is not 0, the
        first change in each list is still equal on all sides.
        """
        first = next(side[0] for side in changes if side)
        schema, table, key = first.schema, first.table, first.key
        for pair in self.pairs:
            left, right = changes[pair.a], changes[pair.b]
            found: list[Difference] = []  # if our own code fails
            with self.guarded(pair, (schema, table), key):
                differences, alike = self._compare_pair(pair, left, right, skipped_of)
                if pair.window is not None and pair.window.slack:
                    differences = list(differences_inside(pair.window, differences, left, right))
                self.counts.alike[pair.context.pair, schema, table] += skipped + alike
                found = differences
            yield found

    def _compare_pair(
        self, pair: Pair, left: list[Slim], right: list[Slim], skipped_of: SkippedOf
    ) -> tuple[list[Difference], int]:
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
            side, rows = (pair.a, left) if on_left else (pair.b, right)
            return map(change_of, chain(skipped_of(side), rows[:begin]))

        found = compare_key(pair.context, a, b, pair.namer, before)
        return found.differences, begin + found.alike

    def count_changes(self, side: int, table_id: tuple[str, str], changes: int) -> None:
        """Count changes of a table, by schema and name."""
        self.counts.changes[side, *table_id] += changes

    def count_final_rows(self, side: int, table_id: tuple[str, str], rows: int, hashes: int) -> None:
        """Count final rows of a table, and add the sum of their hashes to its checksum."""
        if rows:
            table = (side, *table_id)
            self.counts.rows[table] += rows
            self.counts.checksum[table] = (self.counts.checksum[table] + hashes) % 2**64

    def count_alike(self, table_id: tuple[str, str], changes: int) -> None:
        """Count changes of a table that are alike on all sides."""
        for pair in self.pairs:
            self.counts.alike[pair.context.pair, *table_id] += changes

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
        table = row.schema, row.table
        for pair in self.pairs:
            name = pair.context.pair
            if row.side == pair.a:
                yield Difference(name, kind, *table, column, key, left=place, left_value=got, right_value=expected)
            elif row.side == pair.b:
                yield Difference(name, kind, *table, column, key, right=place, left_value=expected, right_value=got)


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
