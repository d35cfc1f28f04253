"""The columns that Canal takes for the key of a table, according to the statements that it keeps.  [CJ-906]

Canal treats `PRIMARY KEY` in the definition of a column as an attribute of the column: DROP PRIMARY KEY does not remove
it, but a new definition of the column without it does. DROP PRIMARY KEY removes only a key that is a list of columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from reference_impl.model import Table
from reference_impl.sql_tokens import Token, inside, skip, split, table_name, tokens

__all__ = ["Keys"]

Name: TypeAlias = tuple[str, str]  # schema and table
_Names: TypeAlias = frozenset[str]  # of columns, in lower case

_NONE: _Names = frozenset()
# Words that begin another table element than a column.
_NOT_COLUMNS = frozenset(
    {"UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK", "PARTITION", "CONSTRAINT"}
)


@dataclass(frozen=True, slots=True)
class _Key:
    """The key of a table."""

    declared: _Names = _NONE  # columns whose definitions have PRIMARY KEY, as Canal knows them
    listed: _Names = _NONE  # columns in the list of a PRIMARY KEY (…), as Canal knows it
    server: _Names = _NONE  # the columns of the key in the server

    def without(self, column: str) -> _Key:
        """The key after a column was dropped."""
        return _Key(self.declared - {column}, self.listed - {column}, self.server - {column})

    def renamed(self, old: str, new: str) -> _Key:
        """The key after a column was renamed."""

        def names(columns: _Names) -> _Names:
            return columns - {old} | {new} if old in columns else columns

        return _Key(names(self.declared), names(self.listed), names(self.server))

    def added(self, names: _Names, *, listed: bool) -> _Key:
        """The key after a statement adds `names`, as a list or in the definition of a column."""
        if listed:
            return replace(self, listed=names, server=names)
        return replace(self, declared=self.declared | names, server=self.server | names)


class Keys:
    """The keys of tables by schema and name, from the statements that were applied."""

    def __init__(self) -> None:
        self._keys: dict[Name, _Key] = {}

    def of(self, table: Table) -> Collection[str]:
        """The columns of the key of a table version, in lower case.

        If Canal's knowledge is out of step with the server, these are the columns of the server.
        """
        server = frozenset(name.lower() for name in table.primary_key)
        key = self._keys.get(table.id)
        if key is None and table.create_sql is not None:
            self.apply(table.create_sql, table.schema)
            key = self._keys.get(table.id)
        return server if key is None or key.server != server else key.declared | key.listed

    def apply(self, sql: str, schema: str) -> None:
        """Apply a statement in a session of a schema; unknown statements change nothing."""
        pieces = tokens(sql)
        words = [piece.word for piece in pieces[:3]]
        try:
            if words[:2] == ["CREATE", "TABLE"]:
                self._create(pieces[2:], schema)
            elif words[:2] == ["ALTER", "TABLE"]:
                self._alter(pieces[2:], schema)
            elif words[:2] == ["RENAME", "TABLE"]:
                for clause in split(pieces[2:], ","):
                    old, rest = _named(clause, schema)
                    self._rename(old, _named(rest[1:], schema)[0])
            elif words[:2] == ["DROP", "TABLE"]:
                for part in split(skip(pieces[2:], "IF", "EXISTS"), ","):
                    self._keys.pop(_named(part, schema)[0], None)
        except (LookupError, StopIteration):
            return

    def _rename(self, old: Name, new: Name) -> None:
        if old in self._keys:
            self._keys[new] = self._keys.pop(old)

    def _create(self, pieces: Sequence[Token], schema: str) -> None:
        named = skip(pieces, "IF", "NOT", "EXISTS")
        name, rest = _named(named, schema)
        if name in self._keys and len(named) < len(pieces):
            return
        self._keys.pop(name, None)
        like = rest[1:] if rest[0].is_mark("(") else rest
        if like[0].word == "LIKE":
            self._keys[name] = self._keys[_named(like[1:], schema)[0]]
        elif rest[0].is_mark("("):
            key = _Key()
            for element in split(inside(rest), ","):
                key = _with_element(key, element)
            self._keys[name] = key

    def _alter(self, pieces: Sequence[Token], schema: str) -> None:
        name, rest = _named(pieces, schema)
        new, key = name, self._keys.get(name)
        for action in split(rest, ","):
            word, clause = (action[0].word, action[1:]) if action else ("", action)
            if word == "RENAME" and clause[0].word not in ("COLUMN", "INDEX", "KEY"):
                new = _named(skip(clause, "TO", "AS"), schema)[0]
            elif key is not None:
                key = _after_action(key, word, clause)
        if key is not None:
            self._keys[name] = key
            self._rename(name, new)


def _named(pieces: Sequence[Token], schema: str) -> tuple[Name, Sequence[Token]]:
    """A table's name and the tokens after it. Raises `LookupError` if there is no name."""
    name, rest = table_name(pieces)
    if name is None:
        raise LookupError
    return (name.schema or schema, name.table), rest


def _after_action(key: _Key, word: str, clause: Sequence[Token]) -> _Key:
    """The key after one action of an ALTER TABLE."""
    if word == "ADD":
        added = skip(skip(clause, "COLUMN"), "IF", "NOT", "EXISTS")
        for element in split(inside(added), ",") if added[0].is_mark("(") else (added,):
            key = _with_element(key, element)
    elif word == "DROP" and clause[0].word == "PRIMARY":
        key = replace(key, listed=_NONE, server=_NONE)
    elif word == "DROP" and not _is_no_column(clause):
        key = key.without(skip(skip(clause, "COLUMN"), "IF", "EXISTS")[0].text.lower())
    elif word in ("MODIFY", "CHANGE"):
        definition = skip(skip(clause, "COLUMN"), "IF", "EXISTS")
        old = definition[0].text.lower()
        definition = definition[1:] if word == "CHANGE" else definition
        new = definition[0].text.lower()
        key = key.renamed(old, new)
        key = _with_element(replace(key, declared=key.declared - {new}), definition)
    elif word == "RENAME" and clause[0].word == "COLUMN":
        key = key.renamed(clause[1].text.lower(), clause[3].text.lower())
    return key


def _is_no_column(element: Sequence[Token]) -> bool:
    """Whether another table element than a column or a primary key begins here; PERIOD may be the name of a column."""
    return element[0].word in _NOT_COLUMNS or [token.word for token in element[:2]] == ["PERIOD", "FOR"]


def _with_element(key: _Key, element: Sequence[Token]) -> _Key:
    """The key after a table element: a list, or a column that declares a key."""
    if element and element[0].word == "CONSTRAINT":
        element = element[1:] if element[1].word == "PRIMARY" else element[2:]
    if not element or _is_no_column(element):
        return key
    if element[0].word == "PRIMARY" and element[1].word == "KEY":
        opened = next(index for index, piece in enumerate(element) if piece.is_mark("("))
        listed = frozenset(part[0].text.lower() for part in split(inside(element[opened:]), ","))
        return key.added(listed, listed=True)
    is_declared = any(token.word == "PRIMARY" and following.word == "KEY" for token, following in pairwise(element))
    return key.added(frozenset({element[0].text.lower()}), listed=False) if is_declared else key
