"""Aligns the DDL statements of two sides, and reports lost, repeated, moved and altered ones.

Statements are few, and are compared at the end of a run. Statements with the same normal form (`sql_text`) are equal; a
lost or repeated one is one difference. A side whose dialect and options write no statements is not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain
from typing import TypeAlias

from differential.align.pairs import Pair
from differential.classify.naming import Name
from differential.counts import SHOWN, Counts
from differential.decode.ddl_messages import OF_SNAPSHOT, TABLE_CHANGES, TableChange
from differential.decode.window_filter import differences_inside_by_time
from differential.model import Class, Difference, Status
from differential.sides import Side
from differential.statements.items import Entry, Item
from differential.statements.naming import NO_MESSAGE, SILENT, StatementNamer
from differential.statements.order import Match, are_reversed, moved
from differential.statements.sql_text import Step
from differential.statements.streams import Stream

__all__ = ["Statements", "StatementsResult"]

_ALIKE_ENOUGH = 0.6  # the similarity from which two texts count as one altered statement
_DROPS_KEY = "ALTER TABLE DROP PRIMARY KEY"


@dataclass(slots=True)
class StatementsResult:
    """The result for the statements of a pair, which are counted by steps."""

    left: int = 0
    right: int = 0
    alike: int = 0  # steps that both sides have in the same position
    reworded: int = 0  # those of them with another text
    silent: str = ""  # the name of the side that writes no statements
    name: Name | None = None  # the divergence that explains this silence
    # By schema, table and divergence: the reworded steps that it explains, and the first examples.
    named: Counter[tuple[str, str, Name]] = field(default_factory=Counter)
    shown: dict[tuple[str, str, Name], list[str]] = field(default_factory=dict)

    def count_reworded(self, step: Step, name: Name, query: str) -> None:
        """Count a statement under a divergence."""
        key = (step.schema, step.table, name)
        self.named[key] += 1
        shown = self.shown.setdefault(key, [])
        if len(shown) < SHOWN:
            shown.append(query)


class Statements:
    """Compares the statements of all pairs.

    Statements about other schemas or tables than those given are ignored.

    `found` has the result by name of the pair, and is complete when `differences` is exhausted. `namers` supply the
    divergences of statements, and of messages that are not compared.
    """

    def __init__(self, sides: Sequence[Side], pairs: Sequence[Pair]) -> None:
        self._sides, self._pairs = sides, pairs
        self.found: dict[str, StatementsResult] = {pair.context.pair: StatementsResult() for pair in pairs}
        self.namers = {pair.context.pair: StatementNamer(sides[pair.a], sides[pair.b]) for pair in pairs}

    def differences(self, counts: Counts) -> Iterator[Difference]:
        """The differences in the statements that were counted."""
        read: list[dict[str, set[int]]] = [{} for _ in self._sides]
        for n, topic, partition in counts.partitions:
            read[n].setdefault(topic, set()).add(partition)
        entries = [Entry(*entry) for entry in counts.statements]  # type: ignore[arg-type]
        streams = [
            Stream(
                side,
                [entry for entry in entries if entry.side == n],
                read[n],
                has_snapshot=counts.control[n, OF_SNAPSHOT] > 0,
            )
            for n, side in enumerate(self._sides)
        ]
        for pair in self._pairs:
            name = pair.context.pair
            yield from _Comparison(pair, streams[pair.a], streams[pair.b], self.namers[name], self.found[name])()


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The statements of one pair."""

    pair: Pair
    left: Stream
    right: Stream
    namer: StatementNamer
    result: StatementsResult
    matches: list[Match] = field(default_factory=list)  # the statements that are alike and in order within their table

    def __call__(self) -> Iterator[Difference]:
        window, items = self.pair.window, [[*chain(*stream.items.values())] for stream in (self.left, self.right)]
        self.result.left, self.result.right = (
            sum(window is None or one.stamp is None or window.has(one.stamp) for one in of_side) for of_side in items
        )
        differences = self._differences()
        if window is not None:
            differences = differences_inside_by_time(window, differences, self.left.stamps, self.right.stamps)
        yield from differences

    def _differences(self) -> Iterator[Difference]:
        yield from self._odd_members()
        silent = next((stream for stream in (self.left, self.right) if stream.is_silent), None)
        if silent is not None:
            self.result.silent, self.result.name = silent.side.name, self.namer.messages(SILENT)
            return
        for table in sorted({*self.left.items, *self.right.items}):
            yield from self._table(self.left.items.get(table, []), self.right.items.get(table, []))
        for a, b in moved(self.matches):
            yield self._difference(Class.REORDERED, a, b)
        for item, partition in self.left.missing_copies:
            yield self._difference(Class.EXTRA, item, None, values=(f"not in partition {partition}", item.query))
        for item, partition in self.right.missing_copies:
            yield self._difference(Class.MISSING, None, item, values=(item.query, f"not in partition {partition}"))
        yield from self._copies()

    def _copies(self) -> Iterator[Difference]:
        """The differences of statements that a side has again, or in another order in a partition."""
        for item in self.left.duplicates:
            yield self._difference(Class.DUPLICATE, item, None)
        for item in self.right.duplicates:
            yield self._difference(Class.DUPLICATE, None, item)
        for item, where in self.left.moved:
            yield self._difference(Class.REORDERED, item, None, values=(where, item.query))
        for item, where in self.right.moved:
            yield self._difference(Class.REORDERED, None, item, values=(item.query, where))

    def _odd_members(self) -> Iterator[Difference]:
        """The differences of messages that the dialect writes differently for their statements."""
        for item in chain.from_iterable(self.left.items.values()):
            for path, expected, got in item.odd:
                yield self._difference(Class.SHAPE, item, None, None, path, (got, expected))
        for item in chain.from_iterable(self.right.items.values()):
            for path, expected, got in item.odd:
                yield self._difference(Class.SHAPE, None, item, None, path, (expected, got))

    def _table(self, left: Sequence[Item], right: Sequence[Item]) -> Iterator[Difference]:
        """The differences of a table's statements; adds to `matches`."""
        only_left, only_right = list[Item](), list[Item]()
        matches: list[Match] = []
        for a, b in _aligned(left, right):
            if a is not None and b is not None:
                if a.words == b.words:
                    matches.append((a, b))
                yield from self._matched(a, b)
            elif (a is not None and _repeats(a, left)) or (b is not None and _repeats(b, right)):
                yield self._difference(Class.DUPLICATE, a, b)
            elif a is not None:
                only_left.append(a)
            elif b is not None:
                only_right.append(b)
        for a in only_left:
            twin = next((b for b in only_right if b.words == a.words), None)
            if twin is None:
                name = self.namer.kinds(a.step, a.query, a.kind, NO_MESSAGE) or self._in_snapshot(a, left, self.right)
                yield self._difference(Class.MISSING, a, None, name)
                if a.step.table:
                    yield from self._named_differently(a, None)
                continue
            only_right.remove(twin)
            if any(are_reversed((a, twin), match) for match in matches):
                yield self._difference(Class.REORDERED, a, twin)
            else:
                matches.append((a, twin))  # their order on a side is unknown: a renamed table has two topics
                yield from self._matched(a, twin)
        for b in only_right:
            name = self.namer.kinds(b.step, b.query, NO_MESSAGE, b.kind) or self._in_snapshot(b, right, self.left)
            yield self._difference(Class.EXTRA, None, b, name)
            if b.step.table:
                yield from self._named_differently(None, b)
        self.matches.extend(matches)

    def _in_snapshot(self, item: Item, items: Sequence[Item], other: Stream) -> Name | None:
        """The divergence of a statement that the other side sent in its initial snapshot."""
        is_first = item is items[0] and item.step.verb.endswith(" DATABASE")
        return self.namer.snapshot() if is_first and other.has_snapshot else None

    def _matched(self, a: Item, b: Item) -> Iterator[Difference]:
        """The differences between a statement's messages on both sides."""
        if a.words != b.words:
            yield self._difference(Class.VALUE, a, b)
            return
        self.result.alike += 1
        if a.query != b.query or a.tables != b.tables:
            self.result.reworded += 1
            if name := self.namer.words(a.step, (a.tables, b.tables)):
                self.result.count_reworded(a.step, name, b.query)
        left, right = self.left.side.traits, self.right.side.traits
        if left.family == right.family and a.kind != b.kind and None not in (a.kind, b.kind):
            name = self.namer.kinds(a.step, a.query, a.kind, b.kind)
            yield self._difference(Class.SHAPE, a, b, name, left.kind_member, (a.kind, b.kind))
        yield from self._named_differently(a, b)
        yield from self._tables_after(a, b)
        if self.pair.context.same_clock and None not in (a.commit_ts, b.commit_ts) and a.commit_ts != b.commit_ts:
            values = (str(a.commit_ts), str(b.commit_ts))
            yield self._difference(Class.METADATA, a, b, None, "commit_ts", values)

    def _named_differently(self, a: Item | None, b: Item | None) -> Iterator[Difference]:
        """The differences between a message's names and those of its statement, on either side."""
        left, right = self.left.side.traits.name_members, self.right.side.traits.name_members
        for n in range(3):
            agrees = a is None or a.names_agree[n], b is None or b.names_agree[n]
            if not all(agrees):
                values = (a.named[n] if a else None, b.named[n] if b else None)
                yield self._difference(Class.SHAPE, a, b, None, (right if agrees[0] else left)[n], values)

    def _tables_after(self, a: Item, b: Item) -> Iterator[Difference]:
        """The differences between the tables after a statement, if both messages describe them."""
        if a.change is None or b.change is None or not (a.change.columns and b.change.columns):
            return
        x, y = a.change, b.change
        columns, others = ([name.lower() for name in change.columns] for change in (x, y))
        if columns != others:
            yield self._difference(
                Class.SHAPE, a, b, None, f"{TABLE_CHANGES}.columns", (_listed(x.columns), _listed(y.columns))
            )
        keys, other_keys = ([name.lower() for name in change.keys] for change in (x, y))
        lone_key = set() if keys and other_keys else {*keys, *other_keys}
        if keys != other_keys and not self._is_stand_in(a.step, lone_key):
            member = f"{TABLE_CHANGES}.primaryKeyColumnNames"
            yield self._difference(Class.SHAPE, a, b, None, member, (_listed(x.keys), _listed(y.keys)))
        if columns == others:
            yield from self._versions_after(a, b, x, y)

    def _versions_after(self, a: Item, b: Item, x: TableChange, y: TableChange) -> Iterator[Difference]:
        """The differences if only one side describes a given version of the table.

        Sides of one dialect and configuration must describe the same table, whatever versions were given.
        """
        left, right = (dict(change.version_differences) for change in (x, y))
        odd: list[tuple[str, str | None, str | None]] = []
        if differing := _differences_from_version_of(right, left):
            odd = [(path, got, expected) for path, expected, got in differing]
        elif differing := _differences_from_version_of(left, right):
            odd = [(path, expected, got) for path, expected, got in differing]
        elif self._write_alike and x.digest != y.digest:
            odd = [("", "a table", "another table")]
        for path, *values in odd:
            yield self._difference(
                Class.SHAPE, a, b, None, f"{TABLE_CHANGES}.{path}".rstrip("."), (values[0], values[1])
            )

    @property
    def _write_alike(self) -> bool:
        left, right = self.left.side, self.right.side
        return (left.dialect, left.every_option()) == (right.dialect, right.every_option())

    def _is_stand_in(self, step: Step, names: set[str]) -> bool:
        """Whether the columns form a unique key that may replace the primary key which the table lacks.

        The given table may be the one from before the statement.
        """
        tables = {
            t for stream in (self.left, self.right) for t in stream.side.tables if t.id == (step.schema, step.table)
        }
        without_primary_key = [t for t in tables if not t.primary_key or step.text == _DROPS_KEY]
        return any(
            names == {name.lower() for name in key.columns} for t in without_primary_key for key in t.unique_keys
        )

    def _difference(
        self,
        kind: Class,
        a: Item | None,
        b: Item | None,
        name: Name | None = None,
        column: str = "",
        values: tuple[str | None, str | None] | None = None,
    ) -> Difference:
        item = a or b
        assert item is not None
        return Difference(
            pair=self.pair.context.pair,
            kind=kind,
            schema=item.step.schema,
            table=item.step.table,
            column=column,
            commit_ts=item.commit_ts,
            left=a.place if a else None,
            right=b.place if b else None,
            left_value=values[0] if values else a.query if a else None,
            right_value=values[1] if values else b.query if b else None,
            divergence=name.divergence if name else None,
            status=name.status if name else Status.UNEXPLAINED,
        )


_Versions: TypeAlias = "Mapping[int, Sequence[tuple[str, str | None, str | None]]]"


def _differences_from_version_of(others: _Versions, own: _Versions) -> Sequence[tuple[str, str | None, str | None]]:
    """The differences between a side's table and the version that the other side describes; empty if unknown.

    `own` and `others` are the differences of either side's table from each version.
    """
    found = [own[number] for number, differences in others.items() if not differences and number in own]
    return min(found, key=len, default=())


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _repeats(item: Item, items: Sequence[Item]) -> bool:
    """Whether a side has a statement twice: in a row, or with the same text and time."""
    at = next(n for n, one in enumerate(items) if one is item)
    if item.time and any(one is not item and (one.query, one.time) == (item.query, item.time) for one in items):
        return True
    return any(0 <= n < len(items) and items[n].words == item.words for n in (at - 1, at + 1))


def _aligned(left: Sequence[Item], right: Sequence[Item]) -> Iterator[tuple[Item | None, Item | None]]:
    """The items of both sides, each once and in order; the items of one statement form a pair."""
    matcher = SequenceMatcher(None, [item.words for item in left], [item.words for item in right], autojunk=False)
    for tag, i, k, j, m in matcher.get_opcodes():
        if tag == "equal":
            yield from zip(left[i:k], right[j:m], strict=True)
            continue
        start = j
        for a in left[i:k]:
            at = next((n for n in range(start, m) if _is_altered(a, right[n])), None)
            if at is None:
                yield a, None
            else:
                yield from ((None, b) for b in right[start:at])
                yield a, right[at]
                start = at + 1
        yield from ((None, b) for b in right[start:m])


def _is_altered(a: Item, b: Item) -> bool:
    """Whether two differing statements count as one altered statement."""
    return SequenceMatcher(None, a.step.text, b.step.text, autojunk=False).ratio() > _ALIKE_ENOUGH
