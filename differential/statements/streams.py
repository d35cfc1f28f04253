"""The statements of one side, in order and each once, with the other members of their messages."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import merge
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import orjson

from differential.checks.order import out_of_line
from differential.decode.ddl_differences import names_written
from differential.decode.ddl_messages import TableChange, changes_of
from differential.model import Place
from differential.sides import Side
from differential.statements.sql_text import Step, steps
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Column, DdlEvent, Table
from reference_impl.tso import compose

__all__ = ["Entry", "Item", "Stream", "names_agree_with", "writes_statements"]

_OF_ROWS = "t"  # the connector's kind of a TRUNCATE in the topic of the rows


class Entry(NamedTuple):
    """A DDL message, as an entry of `Counts.statements` has it; `decode.contents.Statement` explains most fields."""

    side: int
    topic: str
    partition: int
    offset: int
    step: int  # its number in its record
    schema: str
    table: str
    query: str
    kind: str | None
    commit_ts: str | None  # in digits
    time: str
    changes: str
    odd: str

    @property
    def time_or_commit_ts(self) -> int:
        """The commit time stamp, or without one the milliseconds since 1970; 0 if unknown."""
        if self.commit_ts is not None:
            return int(self.commit_ts)
        return int(self.time) if self.time.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class Item:
    """A step of a statement, with the members of its message.

    Only the first step of a message has its `names_agree` and `odd`.
    """

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
        """The time of the statement as a TSO, None if it is unknown."""
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
        messages: Sequence[Entry],
        read: Mapping[str, Collection[int]],
        *,
        has_snapshot: bool = False,
    ) -> None:
        self.side, self.has_snapshot = side, has_snapshot
        self._tables = {(schema.lower(), name.lower()): (schema, name) for schema, name in (t.id for t in side.tables)}
        self._schemas = {schema.lower(): schema for schema, _ in self._tables.values()}
        found = [self._items(entry) for entry in _in_order(messages)]
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

    def _with_position(self, item: Item, number: int) -> Item:
        """The item with its place in the order. Copies in all partitions of a topic have one place."""
        partition = 0 if self.side.traits.broadcasts else item.place.partition
        return replace(item, number=number, queue=(item.place.topic, partition))

    def _items(self, entry: Entry) -> list[Item]:
        """The steps of a message that concern the given tables."""
        schema, table, query, changes = entry.schema, entry.table, entry.query, changes_of(entry.changes)
        every_step = steps(query, schema, table)
        names = (schema, table, " ".join(change.id for change in changes))

        def item(step: Step, tables: int, change: TableChange | None = None) -> Item:
            place = Place(entry.topic, entry.partition, entry.offset)
            commit_ts = None if entry.commit_ts is None else int(entry.commit_ts)
            time = entry.time_or_commit_ts
            return Item(step, place, query, entry.kind, commit_ts, tables, names, change=change, time=time)

        items = []
        for step in filter(None, map(self._of_given_table, every_step)):
            change = next((change for change in changes if change.is_of(step.schema, step.table)), None)
            items.append(item(step, len(every_step), change))
        schema_agrees, table_agrees, ids_agree = names_agree_with(every_step, schema, table, changes)
        if not items and every_step and not (schema_agrees and table_agrees) and schema and table:
            # The message names a given table, but its statement is about another table.
            step_of_message = self._of_given_table(replace(every_step[0], schema=schema, table=table))
            items = [item(step_of_message, 1)] if step_of_message else []
        if not items:
            return []
        if not (schema and table):
            schema_agrees, table_agrees = self._empty_names_agree(items[0], schema, table)
        odd = tuple(
            (path, expected, got)
            for path, expected, got in orjson.loads(entry.odd or "[]")
            if not (got == query and steps(expected or "", schema, table) == every_step)  # same meaning
        )
        return [replace(items[0], names_agree=(schema_agrees, table_agrees, ids_agree), odd=odd), *items[1:]]

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

        The order is that of the partition with the most statements. A partition that was read lacks its copies even if
        it has no statement at all.
        """
        topics: dict[str, dict[int, dict[_Identity, list[Item]]]] = {}
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


def names_agree_with(
    every_step: Sequence[Step], schema: str, table: str, changes: Sequence[TableChange] = ()
) -> tuple[bool, bool, bool]:
    """Whether the schema, the tables, and the ids of a message are those of its statement's steps.

    Empty names match anything, and case is ignored. If several tables are dropped or renamed at once, a message may
    name all of them, with commas, although its statement is about one of them. A statement about a view or the like
    does not name its subject, so any table matches.
    """
    subjects = {
        (name[0].lower(), name[1].lower()) for step in every_step for name in ((step.schema, step.table), *step.also)
    }
    schemas, tables = {schema_ for schema_, _ in subjects}, {name for _, name in subjects}
    is_unknown = any(not step.table and not step.verb.endswith(" DATABASE") for step in every_step) or not every_step
    several = any(step.verb in ("DROP TABLE", "RENAME TABLE") for step in every_step)
    named = {table.lower(), *(table.lower().split(",") if several else ())}
    of_schema = not schema or not schemas or schema.lower() in schemas
    of_table = is_unknown or not table or not named.isdisjoint(tables)
    ids = {f"{schema_}.{name}".replace('"', "") for schema_, name in subjects}
    return of_schema, of_table, is_unknown or all(ids.issuperset(change.names) for change in changes)
