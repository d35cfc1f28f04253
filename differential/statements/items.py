"""Reads DDL messages into the steps of their statements that concern the given tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import orjson

from differential.decode.ddl_differences import names_written
from differential.decode.ddl_messages import TableChange, changes_of
from differential.model import Place
from differential.sides import Side
from differential.statements.sql_text import Step, steps
from reference_impl.model import DdlEvent
from reference_impl.tso import compose

__all__ = ["Entry", "Item", "ItemReader", "names_agree_with"]


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
    # Set by `Stream`: the position of its message among those of the side, which is an order only in `queue`; topic and
    # partition, which is 0 if all partitions have copies.
    number: int = 0
    queue: tuple[str, int] = ("", 0)

    @property
    def stamp(self) -> int | None:
        """The time of the statement as a TSO, None if it is unknown."""
        return self.commit_ts or (compose(self.time) if self.time else None)

    @property
    def words(self) -> tuple[str, str]:
        """The words that must be equal on both sides."""
        return self.step.verb, self.step.text


class ItemReader:
    """Reads the DDL messages of a side."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._tables = {(schema.lower(), name.lower()): (schema, name) for schema, name in (t.id for t in side.tables)}
        self._schemas = {schema.lower(): schema for schema, _ in self._tables.values()}

    def items(self, entry: Entry) -> list[Item]:
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
        names = names_written(self._side, event) or ("", "")
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
