"""The columns that Canal takes for the key of a table, according to the statements that it keeps.  [CJ-906]

Canal treats `PRIMARY KEY` in the definition of a column as an attribute of the column: DROP PRIMARY KEY does not remove
it, but a new definition of the column without it does. DROP PRIMARY KEY removes only a key that is a list of columns.
Tables outlive DROP DATABASE, which Canal ignores.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from reference_impl.model import Table
from reference_impl.sql_tokens import Token, inside, named_table, skip, split, tokens
from reference_impl.upstream.canal.ddl import NO_NAMES, is_table_option, message_of

__all__ = ["Keys"]

Name: TypeAlias = tuple[str, str]  # schema and table
_Names: TypeAlias = frozenset[str]  # of columns, in lower case
_Action: TypeAlias = tuple[str, Sequence[Token]]  # of an ALTER TABLE: the first word, and what follows

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

    def renamed(self, new_names: Mapping[str, str]) -> _Key:
        """The key after columns were renamed at once: old name → new name."""

        def names(columns: _Names) -> _Names:
            return frozenset(new_names.get(column, column) for column in columns)

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

        A table that no statement has created yet is created here, by its `create_sql`. If Canal's knowledge is out of
        step with the server, these are the columns of the server.
        """
        if table.id not in self._keys and table.create_sql is not None:
            self.apply(table.create_sql, table.schema)
        key = self._keys.get(table.id)
        server = frozenset(name.lower() for name in table.primary_key)
        return server if key is None or key.server != server else key.declared | key.listed

    def apply(self, sql: str, schema: str) -> None:
        """Apply a statement in a session of a schema.

        An unknown or incomplete statement changes nothing. Where a CREATE TABLE cannot be read, its table is forgotten.
        """
        pieces = _pieces(sql)
        words, rest = [piece.word for piece in pieces[:2]], pieces[2:]
        try:
            if words == ["CREATE", "TABLE"]:
                self._create(rest, schema)
            elif words == ["ALTER", "TABLE"]:
                self._alter(rest, schema)
            elif words == ["RENAME", "TABLE"]:
                for clause in split(rest, ","):
                    old, after_old = named_table(clause, schema)
                    self._rename(old, named_table(after_old[1:], schema)[0])  # after_old[0] is TO
            elif words == ["DROP", "TABLE"]:
                for part in split(skip(rest, "IF", "EXISTS"), ","):
                    self._keys.pop(named_table(part, schema)[0], None)
        except LookupError:  # no name; IndexError: an incomplete statement; KeyError: LIKE an unknown table
            return

    def _rename(self, old: Name, new: Name) -> None:
        if old in self._keys:
            self._keys[new] = self._keys.pop(old)

    def _create(self, pieces: Sequence[Token], schema: str) -> None:
        named = skip(pieces, "IF", "NOT", "EXISTS")
        has_if_not_exists = len(named) < len(pieces)
        name, rest = named_table(named, schema)
        if name in self._keys and has_if_not_exists:
            return
        self._keys.pop(name, None)  # nothing is known of the table if the rest cannot be read
        if rest[0].word == "LIKE":
            self._keys[name] = self._keys[named_table(rest[1:], schema)[0]]
        elif rest[0].is_mark("("):  # Canal sees no key in CREATE TABLE t (LIKE u)
            key = _Key()
            for element in split(inside(rest), ","):
                key = _with_element(key, element)
            self._keys[name] = key

    def _alter(self, pieces: Sequence[Token], schema: str) -> None:
        name, rest = named_table(pieces, schema)
        clauses = [clause for clause in split(rest, ",") if clause]
        if name in self._keys:
            self._keys[name] = _altered(self._keys[name], [(clause[0].word, clause[1:]) for clause in clauses])
        # Beside other clauses than options of the table Canal overlooks a new name.
        others = [clause for clause in clauses if not is_table_option(" ".join(piece.text for piece in clause[:3]))]
        if len(others) == 1 and others[0][0].word == "RENAME" and others[0][1].word not in ("COLUMN", "INDEX", "KEY"):
            self._rename(name, named_table(skip(others[0][1:], "TO", "AS"), schema)[0])


@lru_cache(maxsize=1024)  # every encoder of a table reads the statement that created it
def _pieces(sql: str) -> Sequence[Token]:
    """The tokens of a statement; none of one that Canal cannot parse."""
    return () if message_of(sql) == NO_NAMES else tuple(tokens(sql))


def _altered(key: _Key, actions: Sequence[_Action]) -> _Key:
    """The key after the actions of an ALTER TABLE.

    DROP, RENAME and the first name of CHANGE mean columns by the names before the statement, so that two columns may
    exchange their names. Definitions and lists have the new names.
    """
    new_names: dict[str, str] = {}
    for word, clause in actions:
        if word == "DROP" and clause[0].word != "PRIMARY" and not _is_no_column(clause):
            key = key.without(skip(clause, "COLUMN")[0].text.lower())
        elif word == "CHANGE":
            column = skip(clause, "COLUMN")
            new_names[column[0].text.lower()] = column[1].text.lower()
        elif word == "RENAME" and clause[0].word == "COLUMN":
            column = skip(clause, "COLUMN")
            new_names[column[0].text.lower()] = column[2].text.lower()  # column[1] is TO
    key = key.renamed(new_names)
    for word, clause in actions:
        if word == "ADD":
            added = skip(clause, "COLUMN")
            elements = split(inside(added), ",") if added[0].is_mark("(") else (added,)
            for element in elements:
                key = _with_element(key, element)
        elif word == "DROP" and clause[0].word == "PRIMARY":
            key = replace(key, listed=_NONE, server=_NONE)
        elif word in ("MODIFY", "CHANGE"):
            definition = skip(clause, "COLUMN")[1 if word == "CHANGE" else 0 :]
            undeclared = replace(key, declared=key.declared - {definition[0].text.lower()})
            key = _with_element(undeclared, definition)
    return key


def _is_no_column(element: Sequence[Token]) -> bool:
    """Whether another table element than a column or a primary key begins here; PERIOD may be the name of a column."""
    return element[0].word in _NOT_COLUMNS or [token.word for token in element[:2]] == ["PERIOD", "FOR"]


def _with_element(key: _Key, element: Sequence[Token]) -> _Key:
    """The key after a table element: a list, or a column that declares a key."""
    if element and element[0].word == "CONSTRAINT":
        has_name = element[1].word != "PRIMARY"  # CONSTRAINT [name] PRIMARY KEY (…)
        element = element[2:] if has_name else element[1:]
    if not element or _is_no_column(element):
        return key
    if [token.word for token in element[:2]] == ["PRIMARY", "KEY"]:
        opened = next((index for index, token in enumerate(element) if token.is_mark("(")), len(element))
        columns = split(inside(element[opened:]), ",")
        return key.added(frozenset(column[0].text.lower() for column in columns), listed=True)
    # PRIMARY KEY, or KEY alone.
    is_declared = any(token.word != "UNIQUE" and following.word == "KEY" for token, following in pairwise(element))
    return key.added(frozenset({element[0].text.lower()}), listed=False) if is_declared else key
