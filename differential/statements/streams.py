"""The statements of one side, in order and each once: finds the copies in several partitions, and the repeats."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from heapq import merge
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, TypeAlias

from differential.checks.order import out_of_line
from differential.model import Place
from differential.sides import Side
from differential.statements.items import Entry, Item, ItemReader
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Column, DdlEvent, Table

__all__ = ["Stream", "writes_statements"]

_OF_ROWS = "t"  # the connector's kind of a TRUNCATE in the topic of the rows


class Stream:
    """The statements of a side: `items` by table, in order, each once.

    `missing_copies`, `duplicates` and `moved` are what is wrong with the stream by itself. `read` has, by topic, the
    partitions with messages. `has_snapshot`: the side has further statements in a snapshot, which are left out.
    """

    def __init__(
        self,
        side: Side,
        messages: Sequence[Entry],
        read: Mapping[str, Collection[int]],
        *,
        has_snapshot: bool = False,
    ) -> None:
        self.side, self.has_snapshot = side, has_snapshot
        found = list(map(ItemReader(side).items, _in_order(messages)))
        self.stamps = {item.place: item.stamp for item in chain.from_iterable(found)}
        self.missing_copies: list[tuple[Item, int]] = []  # with the partition that lacks the copy
        self.duplicates: list[Item] = []
        self.moved: list[tuple[Item, str]] = []  # with a text that says what is wrong
        if side.traits.broadcasts:
            found = self._once([items for items in found if items], read)
        self.items: dict[tuple[str, str], list[Item]] = {}
        for number, items in enumerate(found):
            for item in (self._with_position(item, number) for item in items):
                self.items.setdefault((item.step.schema, item.step.table), []).append(item)
        for table, items in self.items.items():
            self.items[table] = self._without_duplicates(_without_rows(items))

    @cached_property
    def is_silent(self) -> bool:
        """Whether there are no statements because the dialect writes none."""
        return not self.items and not writes_statements(self.side)

    def _once(self, messages: list[list[Item]], read: Mapping[str, Collection[int]]) -> list[list[Item]]:
        """Each message once, where every partition of a topic has a copy.

        The order is that of the partition with the most statements. A partition that was read lacks its copies even if
        it has no statement at all.
        """
        topics: dict[str, dict[int, dict[_Identity, list[Item]]]] = {}  # messages by topic, partition and identity
        for items in messages:
            place = items[0].place
            partitions = topics.setdefault(
                place.topic, {partition: {} for partition in sorted(read.get(place.topic, ()))}
            )
            of_partition = partitions.setdefault(place.partition, {})
            repetition = 0
            while (identity := _identity(items[0], repetition)) in of_partition:
                repetition += 1
            of_partition[identity] = items
        return [items for partitions in topics.values() for items in self._once_of_topic(partitions)]

    def _once_of_topic(self, partitions: Mapping[int, Mapping[_Identity, list[Item]]]) -> list[list[Item]]:
        """Each message of a topic once, from the messages of its partitions.

        Adds to `missing_copies` the missing copies, to `duplicates` those that only some partitions have twice, and to
        `moved` those that are in another order in a partition.
        """
        copies: dict[_Identity, list[Item]] = {}
        for identity, items in chain.from_iterable(of_partition.items() for of_partition in partitions.values()):
            # An odd copy is preferred.
            if identity not in copies or items[0].odd or not all(items[0].names_agree):
                copies[identity] = items
        duplicates = [
            identity
            for identity in copies
            if identity[-1] and not all(identity in of_partition for of_partition in partitions.values())
        ]
        self.duplicates += [copies[identity][0] for identity in duplicates]
        for identity in duplicates:
            del copies[identity]
        fullest = partitions[max(partitions, key=lambda partition: (len(partitions[partition]), -partition))]
        once = [copies[identity] for identity in fullest if identity in copies]
        for identity, items in copies.items():
            if identity not in fullest:
                insort(once, items, key=lambda items: items[0].commit_ts or 0)
            for partition, of_partition in partitions.items():
                if identity not in of_partition:
                    self.missing_copies += [(item, partition) for item in items]
        numbers = {identity: number for number, identity in enumerate(fullest)}
        for partition, of_partition in partitions.items():
            known = [identity for identity in of_partition if identity in numbers]
            out_of_order = out_of_line([numbers[identity] for identity in known])
            where = f"in another order in partition {partition}"
            self.moved += [(of_partition[known[at]][0], where) for at in out_of_order]
        return once

    def _with_position(self, item: Item, number: int) -> Item:
        """The item with its place in the order. Copies in all partitions of a topic have one place."""
        partition = 0 if self.side.traits.broadcasts else item.place.partition
        return replace(item, number=number, queue=(item.place.topic, partition))

    def _without_duplicates(self, items: Sequence[Item]) -> list[Item]:
        """The items without those that TiCDC sent again, which go to `duplicates`.

        TiDB executes one statement at a time, so equal items are one statement. An item that comes again after newer
        ones, without these, goes to `moved`.
        """
        if not self.side.traits.is_of_ticdc:
            return [*items]
        found: dict[Item, Item] = {}
        for at, item in enumerate(items):
            bare = replace(item, place=Place() if item.time else item.place, number=0)
            if bare not in found:
                found[bare] = item
            elif _is_stale(items, at):
                self.moved.append((item, "behind a newer one that does not come again"))
            else:
                self.duplicates.append(item)
        return [*found.values()]


_Identity: TypeAlias = tuple[Any, ...]
"""What the copies of a message have in common; last, how often it was in its partition before."""


def _identity(item: Item, repetition: int) -> _Identity:
    return item.query, item.commit_ts, item.kind, item.named, item.change, repetition


def _in_order(messages: Sequence[Entry]) -> Iterator[Entry]:
    """The messages of each topic in order; topics are merged by time."""
    topics = (list(of_topic) for _, of_topic in groupby(messages, key=attrgetter("topic")))
    return merge(*topics, key=attrgetter("time_or_commit_ts"))


def _is_stale(items: Sequence[Item], at: int) -> bool:
    """Whether a newer item is before this one, and none that is as new behind it."""
    newest = max(item.time for item in items[:at])
    return newest > items[at].time and not any(item.time >= newest for item in items[at + 1 :])


def _without_rows(items: Sequence[Item]) -> list[Item]:
    """The items without TRUNCATE messages among the rows, if the statement has its own message."""
    has_statement = any(item.step.verb == "TRUNCATE TABLE" and item.kind != _OF_ROWS for item in items)
    return [replace(i, kind="") if i.kind == _OF_ROWS else i for i in items if i.kind != _OF_ROWS or not has_statement]


def writes_statements(side: Side) -> bool:
    """Whether a side of this dialect and configuration has a message for a statement."""
    table = Table("s", "t", (Column("id", parse_column_type("int"), nullable=False),), ("id",))
    query = "CREATE TABLE `t` (`id` INT PRIMARY KEY)"
    event = DdlEvent("s", "t", query, "create table", 3, commit_ts=1 << 18, table_after=table)
    try:
        return bool(side.encoder().encode([event]).records)
    except (Rejected, Unsupported):
        return False
