"""Generates DDL statements that alter tables while rows change, and adapts the existing rows.

Keys never change, so that rows stay distinct. A statement happens once, at the same time in all shards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from conformance.ddl import tables_of_sql
from differential.generate.draw import Draw
from differential.generate.rows import Source
from reference_impl.model import Column, DdlEvent, Key, Row, Table, Value
from reference_impl.tso import compose

__all__ = ["Alteration", "alterations", "versions"]

_ALTER = "ALTER TABLE {table}"
_RENAMING = 14
_LONGEST = 56  # of the part of a name that a number follows: MySQL takes 64 characters
_LAST_OF_A_MS = 2**18 - 1  # the largest logical part of a time stamp: the last change of a millisecond


@dataclass(frozen=True, slots=True)
class Alteration:
    """A statement that alters a table of a stream, and its effect."""

    ms: int  # its time, in milliseconds since 1970
    place: int  # the index of its table in the stream
    event: DdlEvent
    source: Source  # the table afterwards
    renamed: Mapping[str, str]  # old names of columns and their new ones
    filled: Mapping[str, Value]  # by added column, its value in existing rows
    empties: bool = False  # the statement removes all rows of the table

    def row(self, given: Row) -> Row:
        """A row after the statement, from the row before it."""
        old = {self.renamed.get(name, name): value for name, value in given.items()}
        return {c.name: old.get(c.name, self.filled.get(c.name)) for c in self.source.table.columns}


@dataclass(frozen=True, slots=True)
class _Step:
    """The effect of a statement: its text, TiDB's action, and the table and rows after it.

    In `text`, {table} stands for the name of the table, {new} for a name that no table ever has.
    """

    text: str
    action: str
    code: int
    columns: tuple[Column, ...]
    indexes: tuple[Key, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)
    filled: Mapping[str, Value] = field(default_factory=dict)
    empties: bool = False

    @property
    def moves(self) -> bool:
        """Whether the table has another name afterwards."""
        return self.code == _RENAMING


_Columns: TypeAlias = Sequence[Column]

# Types of columns to add, and their values in existing rows.
_ADDED: Sequence[tuple[str, Value]] = (
    ("INT", None),
    ("VARCHAR(20) NOT NULL DEFAULT 'new'", "new"),
    ("DECIMAL(10,2) NOT NULL DEFAULT 1.50", "1.50"),
    ("DATETIME(3)", None),
    ("BIGINT UNSIGNED NOT NULL DEFAULT 0", "0"),
    ("TEXT", None),
)
_WIDER = {"int": "BIGINT", "varchar(20)": "VARCHAR(40) NOT NULL DEFAULT 'new'"}


def _column(name: str, declared: str) -> Column:
    (table,) = tables_of_sql(f"CREATE TABLE s.t (`{name}` {declared})", "an alteration")
    return table.columns[0]


def _indexed(table: Table) -> set[str]:
    return {name for key in table.indexes for name in key.columns}


def _add(table: Table, added: _Columns, draw: Draw, new: str) -> _Step:
    declared, filled = draw.of(_ADDED)
    given = {} if filled is None else {new: filled}
    columns = (*table.columns, _column(new, declared))
    return _Step(f"{_ALTER} ADD COLUMN `{new}` {declared}", "add column", 5, columns, table.indexes, filled=given)


def _drop(table: Table, added: _Columns, draw: Draw, new: str) -> _Step | None:
    eligible = [column.name for column in added if column.name not in _indexed(table)]
    if not eligible:
        return None
    name = draw.of(eligible)
    columns = tuple(column for column in table.columns if column.name != name)
    return _Step(f"{_ALTER} DROP COLUMN `{name}`", "drop column", 6, columns, table.indexes)


def _widen(table: Table, added: _Columns, draw: Draw, new: str) -> _Step | None:
    eligible = [column for column in added if column.type.text.lower() in _WIDER]
    if not eligible:
        return None
    old = draw.of(eligible)
    declared = _WIDER[old.type.text.lower()]
    columns = tuple(_column(c.name, declared) if c is old else c for c in table.columns)
    text = f"{_ALTER} MODIFY COLUMN `{old.name}` {declared}"
    return _Step(text, "modify column", 12, columns, table.indexes)


def _change(table: Table, added: _Columns, draw: Draw, new: str) -> _Step | None:
    return _with_new_name(table, added, draw, new, "CHANGE COLUMN `{old}` `{new}` {declared}")


def _rename(table: Table, added: _Columns, draw: Draw, new: str) -> _Step | None:
    return _with_new_name(table, added, draw, new, "RENAME COLUMN `{old}` TO `{new}`")


def _with_new_name(table: Table, added: _Columns, draw: Draw, new: str, clause: str) -> _Step | None:
    """Rename an added column; the rows keep its values."""
    eligible = [column.name for column in added if column.name not in _indexed(table)]
    if not eligible:
        return None
    old = draw.of(eligible)
    columns = tuple(replace(c, name=new) if c.name == old else c for c in table.columns)
    declared = _declaration(next(c for c in columns if c.name == new))
    text = f"{_ALTER} {clause.format(old=old, new=new, declared=declared)}"
    return _Step(text, "modify column", 12, columns, table.indexes, {old: new})


def _index(table: Table, added: _Columns, draw: Draw, new: str) -> _Step | None:
    eligible = [c.name for c in added if c.type.text.lower() != "text" and c.name not in _indexed(table)]
    if not eligible:
        return None
    name = draw.of(eligible)
    key = Key(f"by_{name}", (name,))
    text = f"{_ALTER} ADD INDEX `{key.name}` (`{name}`)"
    return _Step(text, "add index", 7, table.columns, (*table.indexes, key))


def _unindex(table: Table, added: _Columns, draw: Draw, new: str) -> _Step | None:
    names = {column.name for column in added}
    eligible = [key for key in table.indexes if key.columns[0] in names]
    if not eligible:
        return None
    old = draw.of(eligible)
    indexes = tuple(key for key in table.indexes if key is not old)
    return _Step(f"{_ALTER} DROP INDEX `{old.name}`", "drop index", 8, table.columns, indexes)


def _truncate(table: Table, added: _Columns, draw: Draw, new: str) -> _Step:
    return _Step("TRUNCATE TABLE {table}", "truncate table", 11, table.columns, table.indexes, empties=True)


def _move(table: Table, added: _Columns, draw: Draw, new: str) -> _Step:
    text = draw.of(("RENAME TABLE {table} TO {new}", f"{_ALTER} RENAME TO {{new}}"))
    return _Step(text, "rename table", _RENAMING, table.columns, table.indexes)


def _declaration(column: Column) -> str:
    """The declaration of an added column."""
    default = f" DEFAULT '{column.default}'" if isinstance(column.default, str) else ""
    return f"{column.type.text.upper()}{'' if column.nullable else ' NOT NULL'}{default}"


_Make: TypeAlias = Callable[[Table, _Columns, Draw, str], "_Step | None"]
"""From a table, its added columns and the name of a new one to a statement; None if there is nothing to alter."""

_MAKERS: Sequence[_Make] = (_add, _add, _add, _drop, _widen, _change, _rename, _index, _unindex, _truncate, _move)


def alterations(sources: Sequence[Source], seed: int, count: int, begin_ms: int, length_ms: int) -> list[Alteration]:
    """Statements spread evenly over a time, in order.

    One that finds nothing to alter adds a column instead.
    """
    draw, now = Draw(seed, "alterations"), list(sources)
    lots = [place for place, source in enumerate(sources) for _ in range(source.weight)]  # drawn by weight
    statements = []
    for number in range(count):
        place = draw.of(lots)
        source = now[place]
        own = {column.name.lower() for column in sources[place].table.columns}
        added = [column for column in source.table.columns if column.name.lower() not in own]
        new = _unused(f"added_{number}", own)
        step = draw.of(_MAKERS)(source.table, added, draw, new) or _add(source.table, added, draw, new)
        ms = begin_ms + (number + 1) * length_ms // (count + 1)
        table = _after(step, source.table, _other_name(sources, place, number))
        event = DdlEvent(
            table.schema,
            table.name,
            step.text.replace("{table}", _quoted(source.table), 1).replace("{new}", _quoted(table), 1),
            step.action,
            step.code,
            compose(ms, _LAST_OF_A_MS),
            table_before=source.table,
            table_after=table,
        )
        now[place] = replace(source, table=table)
        statements.append(Alteration(ms, place, event, now[place], step.renamed, step.filled, step.empties))
    return statements


def _quoted(table: Table) -> str:
    return ".".join(f"`{name.replace('`', '``')}`" for name in table.id)


def _after(step: _Step, table: Table, other_name: str) -> Table:
    if step.empties:
        return table
    name = other_name if step.moves else table.name
    return replace(table, name=name, columns=step.columns, indexes=step.indexes, create_sql=None)


def _other_name(sources: Sequence[Source], place: int, number: int) -> str:
    """A name that no table of the stream ever has, not even this one."""
    first = sources[place].table.name[:_LONGEST]
    return _unused(f"{first}_{number}", {source.table.name.lower() for source in sources})


def _unused(name: str, taken: Collection[str]) -> str:
    """The name, with underscores after it if it is taken; `taken` is in lower case."""
    names = (f"{name}{'_' * more}" for more in range(len(taken) + 1))
    return next(one for one in names if one.lower() not in taken)


def versions(tables: Sequence[Table], done: Sequence[Alteration]) -> Iterator[Table]:
    """Every version of every table, the first ones first."""
    yield from tables
    yield from (one.source.table for one in done)
