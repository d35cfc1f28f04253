"""Streams in which a statement changes the keys, the indexes or the columns of a table that has rows.

After the statement the new version of the table decides handle key, flags, types and order of columns, and whether an
update is split. These inputs expose an implementation that keeps the old version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from conformance.cases.inputs import Input, altered, column, delete, insert, timed, update, with_sql
from reference_impl.model import Column, Event, Key, Row, Table

__all__ = ["evolution_inputs"]

_COLUMNS = (column("id", "int", nullable=False), column("u", "varchar(20)", nullable=False), column("v", "int"))
_BY_U = (Key("u", ("u",)),)
_BY_V = (Key("i", ("v",)),)


def _version(
    columns: tuple[Column, ...] = _COLUMNS,
    primary_key: tuple[str, ...] = (),
    unique_keys: tuple[Key, ...] = (),
    indexes: tuple[Key, ...] = (),
) -> Table:
    """A version of the table `t`. Its primary key is not clustered, so that it can be added and dropped."""
    return with_sql(Table("test", "t", columns, primary_key, unique_keys, indexes, clustered=False))


def _with(name: str, **members: object) -> tuple[Column, ...]:
    """The columns; the one with this name gets other members."""
    return tuple(replace(c, **members) if c.name == name else c for c in _COLUMNS)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Step:
    """An ALTER TABLE: its clause, its action, and the versions of the table before and after it."""

    name: str
    clause: str
    action: str
    before: Table
    after: Table


_KEYLESS = _version()
_KEYED = _version(primary_key=("id",))
_UNIQUE = _version(unique_keys=_BY_U)
_BOTH = _version(primary_key=("id",), unique_keys=_BY_U)
_INDEXED = _version(primary_key=("id",), indexes=_BY_V)
_UNIQUE_NULLABLE = _version(_with("u", nullable=True), unique_keys=_BY_U)
_KEYED_NULLABLE = _version(_with("u", nullable=True), ("id",))
_REORDERED = _version((_COLUMNS[2], _COLUMNS[0], _COLUMNS[1]), ("id",))
_WIDER_KEY = _version(_with("id", type=column("id", "bigint").type), ("id",))
_WIDER = _version(_with("v", type=column("v", "bigint unsigned").type), ("id",))
_ADDED_FIRST = _version((column("n", "int"), *_COLUMNS), ("id",))
_WITHOUT_U = _version((_COLUMNS[0], _COLUMNS[2]), ("id",))
_RENAMED = _version((*_COLUMNS[:2], column("w", "int")), ("id",))

_ADD, _DROP, _MODIFY = "add index", "drop index", "modify column"

_STEPS = (
    _Step("add primary key", "ADD PRIMARY KEY (`id`)", "add primary key", _KEYLESS, _KEYED),
    _Step("drop primary key", "DROP PRIMARY KEY", "drop primary key", _KEYED, _KEYLESS),
    _Step("drop primary key beside a unique key", "DROP PRIMARY KEY", "drop primary key", _BOTH, _UNIQUE),
    _Step("add unique key", "ADD UNIQUE INDEX `u` (`u`)", _ADD, _KEYLESS, _UNIQUE),
    _Step("add unique key beside a primary key", "ADD UNIQUE INDEX `u` (`u`)", _ADD, _KEYED, _BOTH),
    _Step("drop unique key", "DROP INDEX `u`", _DROP, _UNIQUE, _KEYLESS),
    _Step("drop unique key beside a primary key", "DROP INDEX `u`", _DROP, _BOTH, _KEYED),
    _Step("add index", "ADD INDEX `i` (`v`)", _ADD, _KEYED, _INDEXED),
    _Step("drop index", "DROP INDEX `i`", _DROP, _INDEXED, _KEYED),
    _Step("unique key becomes NOT NULL", "MODIFY COLUMN `u` varchar(20) NOT NULL", _MODIFY, _UNIQUE_NULLABLE, _UNIQUE),
    _Step("unique key becomes nullable", "MODIFY COLUMN `u` varchar(20) NULL", _MODIFY, _UNIQUE, _UNIQUE_NULLABLE),
    _Step("column becomes NOT NULL", "MODIFY COLUMN `u` varchar(20) NOT NULL", _MODIFY, _KEYED_NULLABLE, _KEYED),
    _Step("column becomes nullable", "MODIFY COLUMN `u` varchar(20) NULL", _MODIFY, _KEYED, _KEYED_NULLABLE),
    _Step("columns change places", "MODIFY COLUMN `v` int FIRST", _MODIFY, _KEYED, _REORDERED),
    _Step("column added before others", "ADD COLUMN `n` int FIRST", "add column", _KEYED, _ADDED_FIRST),
    _Step("column dropped before others", "DROP COLUMN `u`", "drop column", _KEYED, _WITHOUT_U),
    _Step("column renamed", "CHANGE COLUMN `v` `w` int", _MODIFY, _KEYED, _RENAMED),
    _Step("primary key becomes wider", "MODIFY COLUMN `id` bigint NOT NULL", _MODIFY, _KEYED, _WIDER_KEY),
    _Step("column becomes wider and unsigned", "MODIFY COLUMN `v` bigint unsigned", _MODIFY, _KEYED, _WIDER),
)

_OLD_NAMES = {"w": "v"}
"""New name of a column → the old one."""


def _row(table: Table, id_: str, u: str, v: str | None = "7") -> Row:
    """A row of a version of the table; an added column is NULL."""
    whole: Row = {"id": id_, "u": u, "v": v}
    return {c.name: whole.get(_OLD_NAMES.get(c.name, c.name)) for c in table.columns}


def _life(table: Table, id_: str, u: str) -> Iterator[Event]:
    """Changes of an existing row: another value, another unique key, another primary key, and a delete."""
    new = f"{u} again"
    values = [(id_, u, "7"), (id_, u, None), (id_, new, None), (f"{id_}0", new, None)]
    states = [_row(table, *state) for state in values]
    yield from (update(table, before, after) for before, after in pairwise(states) if before != after)
    yield delete(table, states[-1])


def evolution_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """For each statement: rows before it, and after it changes of one of them and of a new one."""
    for step in _STEPS:
        before, after = step.before, step.after
        statement = altered(before, after, f"ALTER TABLE `t` {step.clause}", step.action)
        yield Input(
            f"evolution/{step.name}",
            (before,),
            timed(
                [
                    *(insert(before, _row(before, id_, u)) for id_, u in (("1", "one"), ("2", "two"))),
                    update(before, _row(before, "2", "two"), _row(before, "3", "two")),
                    statement,
                    *_life(after, "1", "one"),
                    insert(after, _row(after, "4", "four")),
                    *_life(after, "4", "four"),
                ]
            ),
            options,
            in_both_styles=True,
            axes={"stream": step.name, "statement": step.action},
        )
