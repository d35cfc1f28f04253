"""Whether a server runs a statement, as far as the statements before it decide that.

Tables and their columns are followed; keys, rows and constraints are not, and no statement fails for them here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto

from reference_impl.sql_tokens import Kind, Token, inside, skip, split, table_name, tokens

__all__ = ["Feasible", "Outcome", "about"]

Name = tuple[str, str]  # schema and table
_Columns = set[str] | None  # in lower case; None is not known


class Outcome(Enum):
    """The outcome of a statement on the server."""

    RUNS = auto()
    FAILS = auto()
    UNKNOWN = auto()
    """The statement is about a table that existed before, or is of a kind that is not simulated."""


_NO_COLUMN = frozenset(
    {
        "PRIMARY",
        "UNIQUE",
        "KEY",
        "INDEX",
        "FULLTEXT",
        "SPATIAL",
        "CONSTRAINT",
        "FOREIGN",
        "CHECK",
        "PERIOD",
        "PARTITION",
    }
)
_DECORATIONS = frozenset({"OR", "REPLACE", "ONLINE", "OFFLINE", "IGNORE", "UNIQUE", "FULLTEXT", "SPATIAL"})
_SUBJECTS = {"TABLE": "TABLE", "TABLES": "TABLE", "DATABASE": "DATABASE", "SCHEMA": "DATABASE", "INDEX": "INDEX"}


def about(sql: str) -> tuple[str, Sequence[Token]] | None:
    """The kind of a statement, as `CREATE TABLE`, and the pieces from its subject on; None for one not followed.

    A temporary table is not followed: nothing is logged of it.
    """
    pieces = tokens(sql)
    if not pieces:
        return None
    word, rest = pieces[0].word, pieces[1:]
    if word == "TRUNCATE":
        return "TRUNCATE TABLE", skip(rest, "TABLE")
    while rest and rest[0].word in _DECORATIONS:
        rest = rest[1:]
    if word not in ("CREATE", "ALTER", "DROP", "RENAME") or not rest or rest[0].word not in _SUBJECTS:
        return None
    return f"{word} {_SUBJECTS[rest[0].word]}", rest[1:]


class Feasible:
    """The tables of a script, as its statements make them."""

    def __init__(self) -> None:
        self._tables: dict[Name, _Columns] = {}

    def run(self, sql: str, schema: str) -> Outcome:
        """What becomes of a statement of a session in that schema, in the order of the script."""
        found = about(sql)
        if found is None:
            return Outcome.UNKNOWN
        kind, pieces = found
        method = _METHODS.get(kind)
        try:
            return method(self, pieces, schema) if method is not None else Outcome.UNKNOWN
        except (IndexError, LookupError):
            return Outcome.UNKNOWN

    def _known(self, name: Name) -> Outcome:
        return Outcome.RUNS if name in self._tables else Outcome.UNKNOWN

    def create_database(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """CREATE or ALTER DATABASE."""
        return Outcome.RUNS

    def drop_database(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """DROP DATABASE."""
        self._tables = {name: columns for name, columns in self._tables.items() if name[0] != schema}
        return Outcome.RUNS

    def create_index(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """CREATE or DROP INDEX."""
        on = next(at for at, piece in enumerate(pieces) if piece.word == "ON")
        return self._known(_named(pieces[on + 1 :], schema)[0])

    def truncate_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """TRUNCATE TABLE."""
        return self._known(_named(pieces, schema)[0])

    def create_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """CREATE TABLE, from elements, LIKE another one or of a query."""
        wanted = skip(pieces, "IF", "NOT", "EXISTS")
        name, rest = _named(wanted, schema)
        if name in self._tables:
            return Outcome.RUNS if len(wanted) < len(pieces) else Outcome.FAILS
        like = rest[1:] if rest[0].is_mark("(") else rest
        columns: _Columns = None
        if like[0].word == "LIKE":
            other = _named(like[1:], schema)[0]
            if other not in self._tables:
                return Outcome.UNKNOWN
            columns = None if self._tables[other] is None else set(self._tables[other] or ())
        elif rest[0].is_mark("(") and not any(piece.word == "SELECT" for piece in rest):
            names = list(_columns(split(inside(rest), ",")))
            columns = set(names)
            if len(columns) < len(names):
                return Outcome.FAILS
        self._tables[name] = columns
        return Outcome.RUNS

    def drop_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """DROP TABLE, of one or several."""
        rest = skip(pieces, "IF", "EXISTS")
        names = [_named(part, schema)[0] for part in split(rest, ",")]
        known = all(name in self._tables for name in names)
        for name in names:
            self._tables.pop(name, None)
        return Outcome.RUNS if known or len(rest) < len(pieces) else Outcome.UNKNOWN

    def rename_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """RENAME TABLE, clause by clause."""
        outcomes = []
        for clause in split(pieces, ","):
            old, rest = _named(clause, schema)
            outcomes.append(self._move(old, _named(rest[1:], schema)[0]))
        return next((o for o in outcomes if o is not Outcome.RUNS), Outcome.RUNS)

    def _move(self, old: Name, new: Name) -> Outcome:
        if old not in self._tables:
            return Outcome.UNKNOWN
        if new in self._tables:
            return Outcome.FAILS
        self._tables[new] = self._tables.pop(old)
        return Outcome.RUNS

    def alter_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """ALTER TABLE: all of its actions, or none."""
        name, rest = _named(pieces, schema)
        if name not in self._tables:
            return Outcome.UNKNOWN
        had = self._tables[name]
        columns: _Columns = None if had is None else set(had)
        new = name
        for action in split(rest, ","):
            word, rest = (action[0].word, action[1:]) if action else ("", action)
            if word == "RENAME" and rest[0].word not in ("COLUMN", "INDEX", "KEY"):
                new = _named(skip(rest, "TO", "AS"), schema)[0]
            elif columns is not None and not _changes(columns, word, rest):
                return Outcome.FAILS
        self._tables[name] = columns
        return Outcome.RUNS if new == name else self._move(name, new)


_METHODS: Mapping[str, Callable[[Feasible, Sequence[Token], str], Outcome]] = {
    "CREATE DATABASE": Feasible.create_database,
    "ALTER DATABASE": Feasible.create_database,
    "DROP DATABASE": Feasible.drop_database,
    "CREATE INDEX": Feasible.create_index,
    "DROP INDEX": Feasible.create_index,
    "TRUNCATE TABLE": Feasible.truncate_table,
    "CREATE TABLE": Feasible.create_table,
    "DROP TABLE": Feasible.drop_table,
    "RENAME TABLE": Feasible.rename_table,
    "ALTER TABLE": Feasible.alter_table,
}


def _named(pieces: Sequence[Token], schema: str) -> tuple[Name, Sequence[Token]]:
    name, rest = table_name(pieces)
    if name is None:
        raise LookupError
    return (name.schema or schema, name.table), rest


def _columns(elements: Iterable[Sequence[Token]]) -> Iterator[str]:
    for element in elements:
        if element and (element[0].kind is not Kind.WORD or element[0].word not in _NO_COLUMN):
            yield element[0].text.lower()


def _changes(columns: set[str], word: str, rest: Sequence[Token]) -> bool:
    """Do to the columns what an action does; False where they make it impossible."""
    named = skip(rest, "COLUMN")
    plain = skip(skip(named, "IF", "NOT", "EXISTS"), "IF", "EXISTS")
    is_sure = len(plain) == len(named)
    if word == "ADD":
        elements = split(inside(plain), ",") if plain[0].is_mark("(") else [plain]
        for column in _columns(elements):
            if column in columns and is_sure:
                return False
            columns.add(column)
    elif word == "DROP" and not (rest[0].kind is Kind.WORD and rest[0].word in _NO_COLUMN):
        if plain[0].text.lower() not in columns:
            return not is_sure
        columns.discard(plain[0].text.lower())
    elif word in ("MODIFY", "CHANGE") or (word == "RENAME" and rest[0].word == "COLUMN"):
        old = plain[0].text.lower()
        if old not in columns:
            return not is_sure
        columns.discard(old)
        columns.add({"MODIFY": plain[0], "CHANGE": plain[1]}.get(word, plain[-1]).text.lower())
    return True
