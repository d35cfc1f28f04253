"""Applies the actions of an ALTER TABLE to a table, as the connector does.  [DBZ-351 … DBZ-353]"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from reference_impl.column_types import TEXT
from reference_impl.model import ABSENT, Column, Table
from reference_impl.sql_tokens import Token, inside, skip, split, tokens
from reference_impl.upstream.debezium.definitions import (
    Defined,
    add_unique,
    is_key,
    keyed,
    own_name,
    read_column,
    read_key,
    table_charset,
)
from reference_impl.upstream.debezium.versions import Kept, Version

__all__ = ["Alteration"]

_INT = tokens("int")[0]


@dataclass(slots=True)
class Alteration:
    """Applies actions of an ALTER TABLE; actions that change neither columns nor the key have no effect.

    The primary key of `table` is the key of its records: where the database has none, a unique key stands in for it.
    """

    version: Version
    sql: str  # the whole statement
    table: Table  # the table after the actions so far

    def apply(self, action: Sequence[Token]) -> Table:
        """The table after one more action."""
        word, rest = action[0].word, action[1:]
        if word == "ADD":
            self._add(skip(rest, "COLUMN"))
        elif word == "DROP" and rest:
            self._drop(rest)
        elif word == "MODIFY":
            definition = skip(skip(rest, "COLUMN"), "IF", "EXISTS")
            name, kept = own_name(self.table, definition[0].text), self.version.modify_keeps
            # The database takes the name as the statement spells it.
            self._change(name, definition, name if Kept.NAME in kept else definition[0].text, kept)
        elif word == "CHANGE":
            definition = skip(skip(rest, "COLUMN"), "IF", "EXISTS")
            name = own_name(self.table, definition[0].text)
            self._change(name, definition[1:], definition[1].text, self.version.change_keeps)
        elif word == "RENAME" and rest[0].word == "COLUMN":
            self._rename(rest[1].text, rest[3].text)
        elif word == "ALTER" and rest[0].word not in ("INDEX", "CHECK", "CONSTRAINT"):
            self._alter_default(skip(rest, "COLUMN"))
        elif word == "CONVERT" and self.version.newer_parser and (charset := table_charset(rest)):
            columns = (replace(c, charset=charset) if c.type.family in TEXT else c for c in self.table.columns)
            self.table = replace(self.table, columns=tuple(columns), charset=charset)
        return self.table

    def _add(self, rest: Sequence[Token]) -> None:
        rest = skip(rest, "IF", "NOT", "EXISTS")
        if not rest or rest[0].word == "PARTITION":
            return
        for element in split(inside(rest), ",") if rest[0].is_mark("(") else (rest,):
            self._add_element(element)

    def _add_element(self, element: Sequence[Token]) -> None:
        if is_key(element):
            if key := read_key(element):
                if key.is_primary:
                    self.table = keyed(self.table, key.columns, not_null=True)
                else:
                    self.table = add_unique(self.table, key.columns)
        else:
            self._insert(self._read(element))

    def _read(self, definition: Sequence[Token]) -> Defined:
        return read_column(self.sql, definition, self.table.charset, self.version.unknown_attributes)

    def _insert(self, defined: Defined, index: int | None = None) -> None:
        """Inserts a column at the place that its definition names (FIRST, AFTER), else at `index`, else at the end.

        It replaces a column of that name, and without a place it takes that one's: a column that is added IF NOT
        EXISTS may exist, and one with a new name may have that of another.
        """
        columns = list(self.table.columns)
        same = next((i for i, c in enumerate(columns) if c.name.lower() == defined.column.name.lower()), None)
        if same is not None:
            del columns[same]
            index = same if index is None else index - (same < index)
        index = len(columns) if index is None else index
        if defined.is_first:
            index = 0
        elif defined.after is not None:
            after = own_name(self.table, defined.after)
            index = 1 + next((i for i, c in enumerate(columns) if c.name == after), len(columns))
        columns.insert(index, defined.column)
        self.table = replace(self.table, columns=tuple(columns))
        if defined.primary or (defined.unique and not self.table.primary_key):
            self.table = keyed(self.table, (defined.column.name,), not_null=defined.primary)

    def _drop(self, rest: Sequence[Token]) -> None:
        if rest[0].word == "PRIMARY":
            self.table = replace(self.table, primary_key=())
        elif rest[0].word not in ("INDEX", "KEY", "FOREIGN", "CONSTRAINT", "CHECK", "PARTITION"):
            name = own_name(self.table, skip(skip(rest, "COLUMN"), "IF", "EXISTS")[0].text)
            self.table = replace(
                self.table,
                columns=tuple(column for column in self.table.columns if column.name != name),
                primary_key=tuple(key for key in self.table.primary_key if key != name),
            )

    def _change(self, old: str, definition: Sequence[Token], new: str, kept: Set[Kept]) -> None:
        """Replaces the column `old` by the one of a definition, under the name `new`."""
        defined = self._read(definition)
        before = self.table.column(old)
        if before is None:
            return
        column = _with_kept(before, replace(defined.column, name=new), kept, declared_null=defined.null)
        self._put_in_place_of(old, replace(defined, column=column))

    def _rename(self, old: str, new: str) -> None:
        column = self.table.column(own_name(self.table, old))
        if column is not None:
            self._put_in_place_of(column.name, Defined(replace(column, name=new)))

    def _put_in_place_of(self, old: str, defined: Defined) -> None:
        """Replaces the column `old`, also in the key."""
        index = next(i for i, c in enumerate(self.table.columns) if c.name == old)
        primary_key = tuple(defined.column.name if key == old else key for key in self.table.primary_key)
        others = tuple(c for c in self.table.columns if c.name != old)
        self.table = replace(self.table, columns=others, primary_key=primary_key)
        self._insert(defined, index)

    def _alter_default(self, rest: Sequence[Token]) -> None:
        name, words = own_name(self.table, rest[0].text), [piece.word for piece in rest[1:3]]
        if words == ["SET", "DEFAULT"]:
            # Only definitions can be read: one of that column with any type, and this DEFAULT.
            default = self._read([rest[0], _INT, *rest[2:]]).column.default
        elif words == ["DROP", "DEFAULT"]:
            default = ABSENT
        else:
            return
        self.table = replace(
            self.table,
            columns=tuple(replace(c, default=default) if c.name == name else c for c in self.table.columns),
        )


def _with_kept(before: Column, after: Column, kept: Set[Kept], *, declared_null: bool | None) -> Column:
    """The column `after` with the attributes that it keeps from its earlier definition.

    `declared_null` is the nullability that the statement declares, None if it declares none.
    """
    column_type = after.type
    parameters = re.search(r"\(.*\)", before.type.text, re.DOTALL) if Kept.SIZE in kept else None
    if parameters and "(" not in column_type.text and not column_type.members and not before.type.members:
        word, _, rest = column_type.text.partition(" ")
        column_type = replace(column_type, text=f"{word}{parameters[0]} {rest}".rstrip(), length=before.type.length)
    stays_not_null = Kept.NOT_NULL in kept and not before.nullable and declared_null is None
    return replace(
        after,
        type=column_type,
        nullable=after.nullable and not stays_not_null,
        auto_increment=after.auto_increment or (Kept.AUTO_INCREMENT in kept and before.auto_increment),
        on_update_now=after.on_update_now or (Kept.ON_UPDATE in kept and before.on_update_now),
    )
