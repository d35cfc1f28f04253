"""DDL statements of two sides laid side by side: each is told once more, lost, repeated, moved, altered, or the same.

They are few, and are compared where a run ends. What is the same in normal words (`sql_text`) is the same statement; a
lost or repeated one costs one row. A side whose dialect and options let it write none is not held against the other.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from differential.align.comparison import Name
from differential.align.merging import Pair
from differential.counts import SHOWN, Counts, Told
from differential.decode.ddl_messages import CHANGES, NAMES, TableChange, changes_of
from differential.model import Class, Difference, Place, Status
from differential.sides import Side
from differential.statements.names import NO_MESSAGE, SILENT, StatementNamer
from differential.statements.sql_text import Step, steps
from differential.statements.subjects import are_of
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Column, DdlEvent, Table
from reference_impl.tso import physical_ms

__all__ = ["Found", "Statements", "writes_statements"]

_ALIKE_ENOUGH = 0.6  # of two texts that are taken for one, altered
_DROPS_KEY = "ALTER TABLE DROP PRIMARY KEY"
_OF_ROWS = "t"  # how a connector calls a truncation that stands among the rows


@dataclass(frozen=True, slots=True)
class _Item:
    """A step of a statement. `tables` is how many its message has.

    `told` are the schema, the table and the ids that the message names, and `own` whether they are the statement's:
    that is said once, of the first of its steps. `change` is what the message tells of the table as the step left it.
    """

    step: Step
    place: Place
    query: str
    kind: str | None
    commit_ts: int | None
    tables: int
    told: tuple[str, str, str] = ("", "", "")
    own: tuple[bool, bool, bool] = (True, True, True)
    change: TableChange | None = None

    @property
    def words(self) -> tuple[str, str]:
        """What must be the same on both sides."""
        return self.step.verb, self.step.text


@dataclass(slots=True)
class Found:
    """What was found of the statements of a pair.

    `left` and `right` count steps, `alike` those that both sides have in the same place. `named` has by schema, table
    and divergence how often they are told in another way, and `shown` the first examples. `silent` is the side that
    writes no statements, by name, and `name` why.
    """

    left: int = 0
    right: int = 0
    alike: int = 0
    reworded: int = 0
    silent: str = ""
    name: Name | None = None
    named: Counter[tuple[str, str, Name]] = field(default_factory=Counter)
    shown: dict[tuple[str, str, Name], list[str]] = field(default_factory=dict)

    def tell(self, step: Step, name: Name, query: str) -> None:
        """Count a statement under a divergence."""
        key = (step.schema, step.table, name)
        self.named[key] += 1
        shown = self.shown.setdefault(key, [])
        if len(shown) < SHOWN:
            shown.append(query)


def writes_statements(side: Side) -> bool:
    """Whether a side of this dialect and configuration has a message for a statement."""
    table = Table("s", "t", (Column("id", parse_column_type("int"), nullable=False),), ("id",))
    query = "CREATE TABLE `t` (`id` INT PRIMARY KEY)"
    event = DdlEvent("s", "t", query, "create table", 3, commit_ts=1 << 18, table_after=table)
    try:
        return bool(side.encoder().encode([event]).records)
    except (Rejected, Unsupported):
        return False


class Statements:
    """Compares the statements of all pairs.

    `found` is complete, by name of the pair, when `differences` is exhausted; `namers` name what is about statements,
    and messages that are not compared.

    Statements of other schemas than those of the tables given, and of other tables, are passed over.
    """

    def __init__(self, sides: Sequence[Side], pairs: Sequence[Pair]) -> None:
        self._sides, self._pairs = sides, pairs
        self.found: dict[str, Found] = {pair.meeting.pair: Found() for pair in pairs}
        self.namers = {pair.meeting.pair: StatementNamer(sides[pair.a], sides[pair.b]) for pair in pairs}

    def differences(self, counts: Counts) -> Iterator[Difference]:
        """The differences in the statements that were counted."""
        read: list[dict[str, set[int]]] = [{} for _ in self._sides]
        for n, topic, partition in counts.partitions:
            read[n].setdefault(topic, set()).add(partition)
        streams = [_Stream(side, [told for told in counts.statements if told[0] == n], read[n]) for n, side in
                   enumerate(self._sides)]  # fmt: skip
        for pair in self._pairs:
            name = pair.meeting.pair
            yield from _Comparison(pair, streams[pair.a], streams[pair.b], self.namers[name], self.found[name])()


class _Stream:
    """The statements of a side, in order; `read` are the partitions of its topics from which there are messages."""

    def __init__(self, side: Side, told: Sequence[Told], read: Mapping[str, Collection[int]]) -> None:
        self.side = side
        self._tables = {(schema.lower(), name.lower()): (schema, name) for schema, name in (t.id for t in side.tables)}
        self._schemas = {schema.lower(): schema for schema, _ in self._tables.values()}
        messages = [self._items(*of) for of in _in_order(told)]
        self.lacking: list[tuple[_Item, int]] = []
        if side.carries.broadcasts:
            messages = self._once([items for items in messages if items], read)
        self.items: dict[tuple[str, str], list[_Item]] = {}
        for items in messages:
            for item in items:
                self.items.setdefault((item.step.schema, item.step.table), []).append(item)
        for table, items in self.items.items():
            self.items[table] = _without_rows(items)

    @cached_property
    def is_silent(self) -> bool:
        """Whether there is none because the dialect writes none."""
        return not self.items and not writes_statements(self.side)

    def _items(self, *told: Any) -> list[_Item]:
        _, topic, partition, offset, _, schema, table, query, kind, time, _, told_changes = told
        place, commit_ts = Place(topic, partition, offset), None if time is None else int(time)
        changes = changes_of(told_changes)
        found = steps(query, schema, table)
        kept = [kept for step in found if (kept := self._given(step)) is not None]
        names = (schema, table, " ".join(change.id for change in changes))
        items = []
        for step in kept:
            change = next((change for change in changes if change.is_of(step.schema, step.table)), None)
            items.append(_Item(step, place, query, kind, commit_ts, len(found), names, change=change))
        return [replace(items[0], own=are_of(found, schema, table, changes)), *items[1:]] if items else []

    def _given(self, step: Step) -> Step | None:
        """A step under the name of the table that was given, None for one of no such table or schema."""
        if not step.table:
            schema = self._schemas.get(step.schema.lower())
            return None if schema is None else replace(step, schema=schema)
        if not step.schema:  # nothing says which: it is known if one schema alone has such a table
            named = [table for table in self._tables.values() if table[1].lower() == step.table.lower()]
            return replace(step, schema=named[0][0], table=named[0][1]) if len(named) == 1 else None
        given = self._tables.get((step.schema.lower(), step.table.lower()))
        return None if given is None else replace(step, schema=given[0], table=given[1])

    def _once(self, messages: list[list[_Item]], read: Mapping[str, Collection[int]]) -> list[list[_Item]]:
        """Each message once, where every partition of a topic has a copy; `lacking` are the copies that are not there.

        A partition that was read lacks a copy though it has no statement at all.

        The order is that of the partition that has most.
        """
        topics: dict[str, dict[int, dict[tuple[Any, ...], list[_Item]]]] = {}
        for items in messages:
            first = items[0]
            topic = first.place.topic
            partitions = topics.setdefault(topic, {partition: {} for partition in sorted(read.get(topic, ()))})
            of_partition = partitions.setdefault(first.place.partition, {})
            number = 0
            while (identity := (first.query, first.commit_ts, first.change, number)) in of_partition:
                number += 1
            of_partition[identity] = items
        once: list[list[_Item]] = []
        for partitions in topics.values():
            most = max(partitions, key=lambda partition: (len(partitions[partition]), -partition))
            everywhere = dict[tuple[Any, ...], list[_Item]]()
            for identity, items in chain.from_iterable(of.items() for of in partitions.values()):
                if identity not in everywhere or not all(items[0].own):
                    everywhere[identity] = items
            found = [everywhere[identity] for identity in partitions[most]]  # one that tells a wrong name before others
            for identity, items in everywhere.items():
                if identity not in partitions[most]:
                    insort(found, items, key=lambda items: items[0].commit_ts or 0)
                self.lacking += [
                    (item, partition) for partition, of in partitions.items() if identity not in of for item in items
                ]
            once += found
        return once


def _time(told: Told) -> int:
    """The time of a statement in milliseconds, 0 where nothing tells it."""
    *_, commit_ts, at, _ = told
    if commit_ts is not None:
        return physical_ms(int(str(commit_ts)))
    return int(str(at)) if str(at).isdecimal() else 0


def _in_order(told: Sequence[Told]) -> Iterator[Told]:
    """The messages of each topic in their order, those of different topics by their times."""
    topics = (list(of) for _, of in groupby(told, key=itemgetter(1)))
    return merge(*topics, key=_time)


def _without_rows(items: Sequence[_Item]) -> list[_Item]:
    """Without truncations that stand among the rows, where the statement is told as well."""
    told = any(item.step.verb == "TRUNCATE TABLE" and item.kind != _OF_ROWS for item in items)
    return [replace(i, kind="") if i.kind == _OF_ROWS else i for i in items if i.kind != _OF_ROWS or not told]


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The statements of one pair."""

    pair: Pair
    left: _Stream
    right: _Stream
    namer: StatementNamer
    found: Found

    def __call__(self) -> Iterator[Difference]:
        found, streams = self.found, (self.left, self.right)
        found.left, found.right = (sum(map(len, stream.items.values())) for stream in streams)
        silent = next((stream for stream in streams if stream.is_silent), None)
        if silent is not None:
            found.silent, found.name = silent.side.name, self.namer.messages(SILENT)
            return
        for table in sorted({*self.left.items, *self.right.items}):
            yield from self._table(self.left.items.get(table, []), self.right.items.get(table, []))
        for item, partition in self.left.lacking:
            yield self._pair(Class.EXTRA, item, None, values=(f"not in partition {partition}", item.query))
        for item, partition in self.right.lacking:
            yield self._pair(Class.MISSING, None, item, values=(item.query, f"not in partition {partition}"))

    def _table(self, left: Sequence[_Item], right: Sequence[_Item]) -> Iterator[Difference]:
        alone: tuple[list[_Item], list[_Item]] = ([], [])
        for a, b in _aligned(left, right):
            if a is not None and b is not None:
                yield from self._both(a, b)
            elif (a is not None and _repeats(a, left)) or (b is not None and _repeats(b, right)):
                yield self._pair(Class.DUPLICATE, a, b)
            elif a is not None:
                alone[0].append(a)
            elif b is not None:
                alone[1].append(b)
        for a in alone[0]:
            twin = next((b for b in alone[1] if b.words == a.words), None)
            if twin is not None:
                alone[1].remove(twin)
                yield self._pair(Class.REORDERED, a, twin)
            else:
                yield self._pair(Class.MISSING, a, None, self.namer.kinds(a.step, a.query, a.kind, NO_MESSAGE))
        for b in alone[1]:
            yield self._pair(Class.EXTRA, None, b, self.namer.kinds(b.step, b.query, NO_MESSAGE, b.kind))

    def _both(self, a: _Item, b: _Item) -> Iterator[Difference]:
        if a.words != b.words:
            yield self._pair(Class.VALUE, a, b)
            return
        self.found.alike += 1
        if a.query != b.query or a.tables != b.tables:
            self.found.reworded += 1
            if name := self.namer.words(a.step, (a.tables, b.tables)):
                self.found.tell(a.step, name, b.query)
        meeting = self.pair.meeting
        left, right = self.left.side.carries, self.right.side.carries
        if left.family == right.family and a.kind != b.kind and None not in (a.kind, b.kind):
            name = self.namer.kinds(a.step, a.query, a.kind, b.kind)
            yield self._pair(Class.SHAPE, a, b, name, left.kind, (a.kind, b.kind))
        for n in range(len(a.own)):
            if not (a.own[n] and b.own[n]):
                member = NAMES[(right if a.own[n] else left).family][n]
                yield self._pair(Class.SHAPE, a, b, None, member, (a.told[n], b.told[n]))
        yield from self._left_by(a, b)
        if meeting.same_clock and None not in (a.commit_ts, b.commit_ts) and a.commit_ts != b.commit_ts:
            values = (str(a.commit_ts), str(b.commit_ts))
            yield self._pair(Class.METADATA, a, b, None, "commit_ts", values)

    def _left_by(self, a: _Item, b: _Item) -> Iterator[Difference]:
        """What the sides tell of the table as the statement left it, where both do."""
        if a.change is None or b.change is None or not (a.change.columns and b.change.columns):
            return
        x, y = a.change, b.change
        columns, others = ([name.lower() for name in change.columns] for change in (x, y))
        if columns != others:
            yield self._pair(Class.SHAPE, a, b, None, f"{CHANGES}.columns", (_listed(x.columns), _listed(y.columns)))
        keys, its = ([name.lower() for name in change.keys] for change in (x, y))
        if keys != its and not self._stand_in(a.step, {*keys, *its} if not (keys and its) else set()):
            member = f"{CHANGES}.primaryKeyColumnNames"
            yield self._pair(Class.SHAPE, a, b, None, member, (_listed(x.keys), _listed(y.keys)))

    def _stand_in(self, step: Step, names: set[str]) -> bool:
        """Whether the columns are those of a unique key of a table without a primary key, which may stand for it.

        The table given may be that from before the statement.
        """
        given = {
            t for stream in (self.left, self.right) for t in stream.side.tables if t.id == (step.schema, step.table)
        }
        return any(
            names == {name.lower() for name in key.columns}
            for t in given
            if not t.primary_key or step.text == _DROPS_KEY
            for key in t.unique_keys
        )

    def _pair(
        self,
        kind: Class,
        a: _Item | None,
        b: _Item | None,
        name: Name | None = None,
        column: str = "",
        values: tuple[str | None, str | None] | None = None,
    ) -> Difference:
        item = a or b
        assert item is not None
        return Difference(
            pair=self.pair.meeting.pair,
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


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


def _repeats(item: _Item, items: Sequence[_Item]) -> bool:
    """Whether the statement before or after it, on its side, is the same."""
    at = next(n for n, one in enumerate(items) if one is item)
    return any(0 <= n < len(items) and items[n].words == item.words for n in (at - 1, at + 1))


def _aligned(left: Sequence[_Item], right: Sequence[_Item]) -> Iterator[tuple[_Item | None, _Item | None]]:
    """The items of both sides, each once and in order, those that are one statement together."""
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


def _is_altered(a: _Item, b: _Item) -> bool:
    """Whether two statements of other words are taken for one."""
    return SequenceMatcher(None, a.step.text, b.step.text, autojunk=False).ratio() > _ALIKE_ENOUGH
