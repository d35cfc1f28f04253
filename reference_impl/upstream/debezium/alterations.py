"""Applies the actions of an ALTER TABLE to a table, as the connector does.  [DBZ-351 … DBZ-353]"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from reference_impl.column_types import TEXT
from reference_impl.model import ABSENT, Column, Table
from reference_impl.sql_tokens import Token, inside, skip, split, tokens
from reference_impl.upstream.debezium.definitions import (
    Defined,
    add_unique,
    is_key,
    keyed,
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

    The primary key of the table is the key of its records: where the database has none, a unique key stands in for it.
    The columns are in lists, which are searched and changed fast: a statement may change each of a thousand columns.
    """

    version: Version
    sql: str  # the whole statement
    _table: Table  # the table but for its columns and its key
    _columns: list[Column] = field(init=False)
    _names: list[str] = field(init=False)  # of the columns, in lower case
    _key: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._become(self._table)

    @property
    def table(self) -> Table:
        """The table after the actions so far."""
        return replace(self._table, columns=tuple(self._columns), primary_key=self._key)

    def _become(self, table: Table) -> None:
        self._table, self._columns, self._key = table, [*table.columns], table.primary_key
        self._names = [column.name.lower() for column in table.columns]

    def apply(self, action: Sequence[Token]) -> None:
        """Apply one more action."""
        word, rest = action[0].word, action[1:]
        if word == "ADD":
            self._add(skip(rest, "COLUMN"))
        elif word == "DROP" and rest:
            self._drop(rest)
        elif word == "MODIFY":
            definition = skip(skip(rest, "COLUMN"), "IF", "EXISTS")
            kept, place = self.version.modify_keeps, self._place(definition[0].text)
            # The database takes the name as the statement spells it.
            self._change(place, definition, "" if Kept.NAME in kept else definition[0].text, kept)
        elif word == "CHANGE":
            definition = skip(skip(rest, "COLUMN"), "IF", "EXISTS")
            place = self._place(definition[0].text)
            self._change(place, definition[1:], definition[1].text, self.version.change_keeps)
        elif word == "RENAME" and rest[0].word == "COLUMN":
            self._rename(rest[1].text, rest[3].text)
        elif word == "ALTER" and rest[0].word not in ("INDEX", "CHECK", "CONSTRAINT"):
            self._alter_default(skip(rest, "COLUMN"))
        elif word == "CONVERT" and self.version.newer_parser and (charset := table_charset(rest)):
            columns = (replace(c, charset=charset) if c.type.family in TEXT else c for c in self._columns)
            self._become(replace(self.table, columns=tuple(columns), charset=charset))

    def _place(self, name: str) -> int | None:
        """The index of the column of a name in any letter case."""
        try:
            return self._names.index(name.lower())
        except ValueError:
            return None

    def _add(self, rest: Sequence[Token]) -> None:
        rest = skip(rest, "IF", "NOT", "EXISTS")
        if not rest or rest[0].word == "PARTITION":
            return
        elements = [*split(inside(rest), ",")] if rest[0].is_mark("(") else [rest]
        if rest[0].is_mark("(") and not any(map(is_key, elements)):
            self._add_columns(elements)
            return
        for element in elements:
            self._add_element(element)

    def _add_element(self, element: Sequence[Token]) -> None:
        if is_key(element):
            if key := read_key(element):
                if key.is_primary:
                    self._become(keyed(self.table, key.columns, not_null=True))
                else:
                    self._become(add_unique(self.table, key.columns))
        else:
            self._insert(self._read(element))

    def _add_columns(self, definitions: Sequence[Sequence[Token]]) -> None:
        """ADD (…, …) of columns, in which no parser sees all attributes.

        The newer parser sees no PRIMARY KEY, AUTO_INCREMENT, ON UPDATE and COLLATE. To the older one NULL and NOT NULL
        are also those of the next column, and UNIQUE is that of the next one instead; what the last column declares
        comes too late, unless a DEFAULT follows or its UNIQUE makes the key.
        """
        if self.version.newer_parser:
            for one in map(self._read, map(_without_collation, definitions)):
                is_serial = one.column.type.text.upper() == "SERIAL"
                nullable = one.null is not False and not is_serial
                column = replace(one.column, nullable=nullable, auto_increment=is_serial, on_update_now=False)
                self._insert(Defined(column))
            return
        listed = [self._read(definition) for definition in definitions]
        before: bool | None = None  # what the column before declares
        has_key = bool(self._key)
        columns: list[Column] = []
        for one, definition in zip(listed, definitions, strict=True):
            declared = one.null if one.column.nullable else False
            has_key = has_key or one.primary
            is_late = one is listed[-1] and (has_key or not one.unique) and not _has_default_last(definition)
            own = before if declared is None or is_late else declared
            columns.append(replace(one.column, nullable=own is not False))
            before = declared
            has_key = has_key or one.unique
        for one, column, following in zip(listed, columns, [*columns[1:], None], strict=True):
            if one.primary or (one.unique and not self._key):
                key = column if one.primary else following
                if key is not None:
                    self._insert(Defined(key))
                self._key = ((key or column).name,)
        for column in columns:
            self._insert(Defined(column))

    def _read(self, definition: Sequence[Token]) -> Defined:
        return read_column(self.sql, definition, self._table.charset, self.version)

    def _insert(self, defined: Defined, index: int | None = None) -> None:
        """Inserts a column at the place that its definition names (FIRST, AFTER), else at `index`, else at the end.

        It replaces a column of that name, and without a place it takes that one's: a column that is added IF NOT
        EXISTS may exist, and one with a new name may have that of another.
        """
        name = defined.column.name
        same = self._place(name)
        if same is not None:
            self._remove(same)
            index = same if index is None else index - (same < index)
        index = len(self._columns) if index is None else index
        if defined.is_first:
            index = 0
        elif defined.after is not None:
            after = self._place(defined.after)
            index = len(self._columns) if after is None else after + 1
        self._columns.insert(index, defined.column)
        self._names.insert(index, name.lower())
        makes_key = defined.unique and not self._key and not self.version.newer_parser
        if defined.primary or makes_key:
            self._become(keyed(self.table, (name,), not_null=defined.primary))

    def _remove(self, place: int) -> None:
        del self._columns[place], self._names[place]

    def _drop(self, rest: Sequence[Token]) -> None:
        if rest[0].word == "PRIMARY":
            self._key = ()
        elif rest[0].word not in ("INDEX", "KEY", "FOREIGN", "CONSTRAINT", "CHECK", "PARTITION"):
            place = self._place(skip(skip(rest, "COLUMN"), "IF", "EXISTS")[0].text)
            if place is not None:
                self._key = tuple(key for key in self._key if key != self._columns[place].name)
                self._remove(place)

    def _change(self, place: int | None, definition: Sequence[Token], new: str, kept: Set[Kept]) -> None:
        """Replaces the column at a place by the one of a definition, under the name `new`; empty: under its own."""
        defined = self._read(definition)  # first: it raises even where the column is not known
        if place is None:
            return
        after = replace(defined.column, name=new or self._columns[place].name)
        column = _with_kept(self._columns[place], after, kept, declared_null=defined.null)
        self._put_at(place, replace(defined, column=column))

    def _rename(self, old: str, new: str) -> None:
        place = self._place(old)
        if place is not None:
            self._put_at(place, Defined(replace(self._columns[place], name=new)))

    def _put_at(self, place: int, defined: Defined) -> None:
        """Replaces the column at a place, also in the key."""
        old = self._columns[place].name
        self._key = tuple(defined.column.name if key == old else key for key in self._key)
        self._remove(place)
        self._insert(defined, place)

    def _alter_default(self, rest: Sequence[Token]) -> None:
        place, words = self._place(rest[0].text), [piece.word for piece in rest[1:3]]
        if words == ["SET", "DEFAULT"]:
            # Only definitions can be read: one of that column with any type, and this DEFAULT.
            default = self._read([rest[0], _INT, *rest[2:]]).column.default
        elif words == ["DROP", "DEFAULT"]:
            default = ABSENT
        else:
            return
        if place is not None:
            self._columns[place] = replace(self._columns[place], default=default)


def _without_collation(definition: Sequence[Token]) -> Sequence[Token]:
    place = next((n for n, piece in enumerate(definition) if piece.word == "COLLATE"), len(definition))
    return [*definition[:place], *definition[place + 2 :]]


def _has_default_last(definition: Sequence[Token]) -> bool:
    """Whether a DEFAULT follows the nullability in a definition."""
    words = [piece.word for piece in definition]
    return "DEFAULT" in words and not {"NULL", "KEY"}.isdisjoint(words[: words.index("DEFAULT")])


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
