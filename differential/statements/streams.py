"""The statements of one side, in order and each once, with the other members of their messages."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import orjson

from differential.checks.order import out_of_line
from differential.counts import PlacedText
from differential.decode.ddl_differences import names_written
from differential.decode.ddl_messages import TableChange, changes_of
from differential.model import Place
from differential.sides import Side
from differential.statements.sql_text import Step, steps
from differential.statements.subjects import names_agree_with
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Column, DdlEvent, Table
from reference_impl.tso import compose

__all__ = ["Item", "Stream", "writes_statements"]

_OF_ROWS = "t"  # the connector's kind of a TRUNCATE in the topic of the rows


@dataclass(frozen=True, slots=True)
class Item:
    """A step of a statement. Only the first step of a message has its `names_agree` and `odd`."""

    step: Step
    place: Place
    query: str
    kind: str | None  # see `contents.Statement`
    commit_ts: int | None
    tables: int  # the number of steps in its message
    named: tuple[str, str, str] = ("", "", "")  # the schema, the table and the ids in the message
    names_agree: tuple[bool, bool, bool] = (True, True, True)  # whether each of these belongs to the statement
    odd: tuple[tuple[str, str | None, str | None], ...] = ()  # members that the dialect writes differently
    change: TableChange | None = None  # the table after the step, if the message describes it
    time: int = 0  # the commit time stamp, or milliseconds since 1970; 0 if unknown
    number: int = 0  # the position of its message among those of the side, which is an order only in `queue`
    queue: tuple[str, int] = ("", 0)  # topic and partition; partition 0 if all partitions have copies

    @property
    def stamp(self) -> int | None:
        """Its time as a TSO, None if it is unknown."""
        return self.commit_ts or (compose(self.time) if self.time else None)

    @property
    def words(self) -> tuple[str, str]:
        """The words that must be equal on both sides."""
        return self.step.verb, self.step.text


def writes_statements(side: Side) -> bool:
    """Whether a side of this dialect and configuration has a message for a statement."""
    table = Table("s", "t", (Column("id", parse_column_type("int"), nullable=False),), ("id",))
    query = "CREATE TABLE `t` (`id` INT PRIMARY KEY)"
    event = DdlEvent("s", "t", query, "create table", 3, commit_ts=1 << 18, table_after=table)
    try:
        return bool(side.encoder().encode([event]).records)
    except (Rejected, Unsupported):
        return False


class Stream:
    """The statements of a side, in order, each once.

    `read` has, by topic, the partitions with messages. `has_snapshot`: the side has further statements in a snapshot,
    which are left out.
    """

    def __init__(
        self,
        side: Side,
        messages: Sequence[PlacedText],
        read: Mapping[str, Collection[int]],
        *,
        has_snapshot: bool = False,
    ) -> None:
        self.side, self.has_snapshot = side, has_snapshot
        self._tables = {(schema.lower(), name.lower()): (schema, name) for schema, name in (t.id for t in side.tables)}
        self._schemas = {schema.lower(): schema for schema, _ in self._tables.values()}
        found = [self._items(*entry) for entry in _in_order(messages)]
        self.stamps = {item.place: item.stamp for item in chain.from_iterable(found)}
        self.missing_copies: list[tuple[Item, int]] = []
        self.duplicates: list[Item] = []
        self.moved: list[tuple[Item, str]] = []
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

    def _without_duplicates(self, items: Sequence[Item]) -> list[Item]:
        """The items without those that TiCDC sent again, which go to `duplicates`.

        TiDB executes one statement at a time.

        An item that comes again behind newer ones, without these, goes to `moved`.
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

    def _with_position(self, item: Item, number: int) -> Item:
        """The item with its place in the order. Copies in all partitions of a topic have one place."""
        partition = 0 if self.side.traits.broadcasts else item.place.partition
        return replace(item, number=number, queue=(item.place.topic, partition))

    def _items(self, *entry: Any) -> list[Item]:
        _, topic, partition, offset, _, schema, table, query, kind, time, at, changes_text, odd_text = entry
        place, commit_ts = Place(topic, partition, offset), None if time is None else int(time)
        changes = changes_of(changes_text)
        found = steps(query, schema, table)
        kept = [step for step in map(self._of_given_table, found) if step is not None]
        names = (schema, table, " ".join(change.id for change in changes))
        items = []
        for step in kept:
            change = next((change for change in changes if change.is_of(step.schema, step.table)), None)
            item = Item(step, place, query, kind, commit_ts, len(found), names, change=change)
            items.append(replace(item, time=commit_ts or _ms_of(at)))
        of_schema, of_table, ids = names_agree_with(found, schema, table, changes)
        if not items and found and not (of_schema and of_table) and schema and table:
            # The message names a given table, but its statement is about another table.
            mine = self._of_given_table(replace(found[0], schema=schema, table=table))
            items = [Item(mine, place, query, kind, commit_ts, 1, names, time=commit_ts or _ms_of(at))] if mine else []
        if not items:
            return []
        if not (schema and table):
            of_schema, of_table = self._empty_names_agree(items[0], schema, table)
        odd = tuple(
            (path, expected, got)
            for path, expected, got in orjson.loads(odd_text or "[]")
            if not (got == query and steps(expected or "", schema, table) == found)  # same meaning
        )
        return [replace(items[0], names_agree=(of_schema, of_table, ids), odd=odd), *items[1:]]

    def _empty_names_agree(self, item: Item, schema: str, table: str) -> tuple[bool, bool]:
        """Whether the dialect leaves schema and table empty if the message of a step does."""
        step = item.step
        event = DdlEvent(step.schema, step.table, item.query, commit_ts=item.commit_ts)
        names = names_written(self.side, event) or ("", "")
        return bool(schema) or not names[0], bool(table) or not names[1]

    def _of_given_table(self, step: Step) -> Step | None:
        """The step with the spelling of a given table or schema, None if it concerns none of them."""
        if not step.table:
            schema = self._schemas.get(step.schema.lower())
            return None if schema is None else replace(step, schema=schema)
        if not step.schema:  # the schema is known only if a single schema has such a table
            named = [table for table in self._tables.values() if table[1].lower() == step.table.lower()]
            return replace(step, schema=named[0][0], table=named[0][1]) if len(named) == 1 else None
        given = self._tables.get((step.schema.lower(), step.table.lower()))
        return None if given is None else replace(step, schema=given[0], table=given[1])

    def _once(self, messages: list[list[Item]], read: Mapping[str, Collection[int]]) -> list[list[Item]]:
        """Each message once, where every partition of a topic has a copy.

        `missing_copies` gets the missing copies, `duplicates` those that only some partitions have twice, `moved` those
        that are in another order in a partition.

        A partition that was read lacks its copies even if it has no statement at all. The order is that of the
        partition with the most statements.
        """
        topics: dict[str, dict[int, dict[tuple[Any, ...], list[Item]]]] = {}
        for items in messages:
            first = items[0]
            topic = first.place.topic
            partitions = topics.setdefault(topic, {partition: {} for partition in sorted(read.get(topic, ()))})
            of_partition = partitions.setdefault(first.place.partition, {})
            number = 0
            what = (first.query, first.commit_ts, first.kind, first.named, first.change)
            while (identity := (*what, number)) in of_partition:
                number += 1
            of_partition[identity] = items
        once: list[list[Item]] = []
        for partitions in topics.values():
            most = max(partitions, key=lambda partition: (len(partitions[partition]), -partition))
            copies = dict[tuple[Any, ...], list[Item]]()
            for identity, items in chain.from_iterable(messages_.items() for messages_ in partitions.values()):
                # An odd copy is preferred.
                if identity not in copies or items[0].odd or not all(items[0].names_agree):
                    copies[identity] = items
            partly = dict.fromkeys(
                one for one in copies if one[-1] and not all(one in messages_ for messages_ in partitions.values())
            )
            self.duplicates += [copies[one][0] for one in partly]
            found = [copies[identity] for identity in partitions[most] if identity not in partly]
            for identity, items in copies.items():
                if identity in partly:
                    continue
                if identity not in partitions[most]:
                    insort(found, items, key=lambda items: items[0].commit_ts or 0)
                self.missing_copies += [
                    (item, partition)
                    for partition, messages_ in partitions.items()
                    if identity not in messages_
                    for item in items
                ]
            places = {identity: at for at, identity in enumerate(partitions[most])}
            for partition, messages_ in partitions.items():
                known = [identity for identity in messages_ if identity in places]
                out = out_of_line([places[identity] for identity in known])
                self.moved += [(messages_[known[at]][0], f"in another order in partition {partition}") for at in out]
            once += found
        return once


def _time(entry: PlacedText) -> int:
    """The commit time stamp of a statement, or its milliseconds, 0 if unknown."""
    *_, commit_ts, at, _, _ = entry
    return _ms_of(at) if commit_ts is None else int(str(commit_ts))


def _ms_of(at: object) -> int:
    return int(str(at)) if str(at).isdecimal() else 0


def _in_order(messages: Sequence[PlacedText]) -> Iterator[PlacedText]:
    """The messages of each topic in order; topics are merged by time."""
    topics = (list(of_topic) for _, of_topic in groupby(messages, key=itemgetter(1)))
    return merge(*topics, key=_time)


def _is_stale(items: Sequence[Item], at: int) -> bool:
    """Whether a newer item is before this one, and none that is as new behind it."""
    newest = max(item.time for item in items[:at])
    return newest > items[at].time and not any(item.time >= newest for item in items[at + 1 :])


def _without_rows(items: Sequence[Item]) -> list[Item]:
    """The items without TRUNCATE messages among the rows, if the statement has its own message."""
    has_statement = any(item.step.verb == "TRUNCATE TABLE" and item.kind != _OF_ROWS for item in items)
    return [replace(i, kind="") if i.kind == _OF_ROWS else i for i in items if i.kind != _OF_ROWS or not has_statement]
