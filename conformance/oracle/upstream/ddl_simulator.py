"""Predicts whether a server runs a DDL statement, from the statements before it.

It keeps tables and their columns; keys, rows and constraints are left out, and no statement fails for them here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto

from reference_impl.sql_tokens import Kind, Token, inside, named_table, skip, skip_wait, split, tokens

__all__ = ["DdlSimulator", "Outcome", "kind_and_subject"]

Name = tuple[str, str]  # schema and table
_Columns = set[str] | None  # in lower case; None: unknown


class Outcome(Enum):
    """The outcome of a statement on the server."""

    RUNS = auto()
    FAILS = auto()
    UNKNOWN = auto()
    """The statement is about a table from before the script, or is of a kind that is not simulated."""


# The first words of elements that define no column.
_NO_COLUMN = frozenset(
    "PRIMARY UNIQUE KEY INDEX FULLTEXT SPATIAL CONSTRAINT FOREIGN CHECK PERIOD PARTITION".split()  # noqa: SIM905
)
# Words between the verb and the subject, as in CREATE OR REPLACE TABLE.
_DECORATIONS = frozenset({"OR", "REPLACE", "ONLINE", "OFFLINE", "IGNORE", "UNIQUE", "FULLTEXT", "SPATIAL"})
_SUBJECTS = {"TABLE": "TABLE", "TABLES": "TABLE", "DATABASE": "DATABASE", "SCHEMA": "DATABASE", "INDEX": "INDEX"}


def kind_and_subject(sql: str) -> tuple[str, Sequence[Token]] | None:
    """The kind of a statement, as `CREATE TABLE`, and the tokens behind these words; None for other statements.

    These include statements about temporary tables, which are not logged.
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


class DdlSimulator:
    """The tables of a script, as its statements make them.

    The method for a kind of statement takes the tokens after the words of the kind, and the schema of the session.
    """

    def __init__(self) -> None:
        self._tables: dict[Name, _Columns] = {}

    def run(self, sql: str, schema: str) -> Outcome:
        """The outcome of the next statement of the script, in a session that uses the schema."""
        kind, pieces = kind_and_subject(sql) or ("", ())
        method = _METHODS.get(kind)
        try:
            if kind == "CREATE TABLE" and tokens(sql)[1].word == "OR":  # OR REPLACE
                replaced, _ = named_table(pieces, schema)
                self._tables.pop(replaced, None)
            return method(self, pieces, schema) if method is not None else Outcome.UNKNOWN
        except LookupError:
            return Outcome.UNKNOWN

    def _runs_if_known(self, name: Name) -> Outcome:
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
        on = next((at for at, piece in enumerate(pieces) if piece.word == "ON"), len(pieces))
        return self._runs_if_known(named_table(pieces[on + 1 :], schema)[0])

    def truncate_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """TRUNCATE TABLE."""
        return self._runs_if_known(named_table(pieces, schema)[0])

    def create_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """CREATE TABLE with elements, LIKE another table or from a query."""
        subject = skip(pieces, "IF", "NOT", "EXISTS")
        name, rest = named_table(subject, schema)
        if name in self._tables:
            return Outcome.RUNS if len(subject) < len(pieces) else Outcome.FAILS
        inner = rest[1:] if rest[0].is_mark("(") else rest
        columns: _Columns = None
        if inner[0].word == "LIKE":
            other, _ = named_table(inner[1:], schema)
            if other not in self._tables:
                return Outcome.UNKNOWN
            columns = self._tables[other]
        elif rest[0].is_mark("(") and not any(piece.word == "SELECT" for piece in rest):
            names = list(_column_names(split(inside(rest), ",")))
            columns = set(names)
            if len(columns) < len(names):
                return Outcome.FAILS
        self._tables[name] = columns
        return Outcome.RUNS

    def drop_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """DROP TABLE, of one or several."""
        rest = skip(pieces, "IF", "EXISTS")
        names = [named_table(part, schema)[0] for part in split(rest, ",")]
        are_known = all(name in self._tables for name in names)
        for name in names:
            self._tables.pop(name, None)
        return Outcome.RUNS if are_known or len(rest) < len(pieces) else Outcome.UNKNOWN

    def rename_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """RENAME TABLE, clause by clause; if one of them fails, none remains."""
        before, outcomes = dict(self._tables), []
        for clause in split(skip(pieces, "IF", "EXISTS"), ","):
            old, rest = named_table(clause, schema)
            outcomes.append(self._rename(old, named_table(skip_wait(rest)[1:], schema)[0]))
        outcome = next((o for o in outcomes if o is not Outcome.RUNS), Outcome.RUNS)
        if outcome is Outcome.FAILS:
            self._tables = before
        return outcome

    def _rename(self, old: Name, new: Name) -> Outcome:
        if old not in self._tables:
            return Outcome.UNKNOWN
        if new in self._tables:
            return Outcome.FAILS
        self._tables[new] = self._tables.pop(old)
        return Outcome.RUNS

    def alter_table(self, pieces: Sequence[Token], schema: str) -> Outcome:
        """ALTER TABLE: all of its actions, or none."""
        name, behind_name = named_table(skip(pieces, "IF", "EXISTS"), schema)
        if name not in self._tables:
            return Outcome.UNKNOWN
        actions = [action for action in split(skip_wait(behind_name), ",") if action]
        columns, new_name = self._tables[name], name
        for verb, *rest in actions:
            if verb.word == "RENAME" and rest[0].word not in ("COLUMN", "INDEX", "KEY"):
                new_name = named_table(skip(rest, "TO", "AS"), schema)[0]
        if columns is not None:
            columns = _after(actions, columns)
            if columns is None:
                return Outcome.FAILS
        outcome = Outcome.RUNS if new_name == name else self._rename(name, new_name)
        if outcome is Outcome.RUNS:
            self._tables[new_name] = columns
        return outcome


_METHODS: Mapping[str, Callable[[DdlSimulator, Sequence[Token], str], Outcome]] = {
    "CREATE DATABASE": DdlSimulator.create_database,
    "ALTER DATABASE": DdlSimulator.create_database,
    "DROP DATABASE": DdlSimulator.drop_database,
    "CREATE INDEX": DdlSimulator.create_index,
    "DROP INDEX": DdlSimulator.create_index,
    "TRUNCATE TABLE": DdlSimulator.truncate_table,
    "CREATE TABLE": DdlSimulator.create_table,
    "DROP TABLE": DdlSimulator.drop_table,
    "RENAME TABLE": DdlSimulator.rename_table,
    "ALTER TABLE": DdlSimulator.alter_table,
}


def _column_names(elements: Iterable[Sequence[Token]]) -> Iterator[str]:
    for element in elements:
        if element and (element[0].kind is not Kind.WORD or element[0].word not in _NO_COLUMN):
            yield element[0].text.lower()


def _after(actions: Iterable[Sequence[Token]], columns: set[str]) -> set[str] | None:
    """The columns after the actions of an ALTER TABLE; None if the statement fails.

    Every action names columns as they were before the statement, as on the server: two can exchange their names.
    """
    left, made = set(columns), list[str]()
    for verb, *rest in actions:
        word, subject = verb.word, skip(rest, "COLUMN")
        plain = skip(skip(subject, "IF", "NOT", "EXISTS"), "IF", "EXISTS")
        has_if = len(plain) < len(subject)  # IF EXISTS or IF NOT EXISTS: nothing to do is not a failure
        if word == "ADD":
            added = _column_names(split(inside(plain), ",") if plain[0].is_mark("(") else [plain])
            made += [column for column in added if not (has_if and column in (*columns, *made))]
        elif word == "DROP" and not (rest[0].kind is Kind.WORD and rest[0].word in _NO_COLUMN):
            if not _taken(plain[0], left) and not has_if:
                return None
        elif word in ("MODIFY", "CHANGE") or (word == "RENAME" and rest[0].word == "COLUMN"):
            if _taken(plain[0], left) or _taken(plain[0], made):
                made.append({"MODIFY": plain[0], "CHANGE": plain[1]}.get(word, plain[-1]).text.lower())
            elif not has_if:
                return None
    after = left.union(made)
    return after if len(after) == len(left) + len(made) else None


def _taken(column: Token, columns: set[str] | list[str]) -> bool:
    """Remove a column; False if it is not there."""
    name = column.text.lower()
    is_there = name in columns
    if is_there:
        columns.remove(name)
    return is_there
