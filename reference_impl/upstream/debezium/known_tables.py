"""The connector's knowledge of tables: it applies each statement, and reports the tables that change.

An unknown statement changes nothing.  [DBZ-350 … DBZ-353]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from reference_impl.errors import Rejected
from reference_impl.model import Table
from reference_impl.sql_tokens import Token, inside, skip, skip_wait, split, table_name, tokens
from reference_impl.upstream.charsets import CharsetMistake, is_utf8
from reference_impl.upstream.debezium.alterations import Alteration
from reference_impl.upstream.debezium.definitions import add_unique, define, key_names, raw, read_key, table_charset
from reference_impl.upstream.debezium.grammar import is_unknown
from reference_impl.upstream.debezium.table_changes import TableChange
from reference_impl.upstream.debezium.versions import Kept, Version

__all__ = ["DdlEffect", "KnownTables"]

Name: TypeAlias = tuple[str, str]  # schema and table

_DEFAULT_CHARSET = "utf8mb4"
# The attributes between CREATE and the kind of object; other objects may be named, or have columns named, like these.
_ATTRIBUTES = r"\b(?:`[^`]*`|'[^']*'|\"[^\"]*\"|(?!\b(?:table|database|schema|index|event)\b)[^`'\"])*?"
_SILENT = re.compile(
    r"truncate|analyze|grant|revoke|(?:create|drop|alter|rename)\s+(?:user|role)"
    rf"|(?:create|alter|drop){_ATTRIBUTES}\b(?:view|trigger|procedure|function)\b",
    re.IGNORECASE | re.DOTALL,
)
_VIEW = re.compile(
    rf"(?:create|alter){_ATTRIBUTES}\bview\s+(?:if\s+not\s+exists\s+)?(?P<name>.*)", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class DdlEffect:
    """The effect of a statement that one record reports."""

    ddl: str  # the text of the statement in the record
    # The tables in `source.table`; the empty tuple is written as an empty string, None as null.
    tables: tuple[Name, ...] | None = ()
    change: TableChange | None = None  # None if the record reports no changed table


@dataclass(slots=True)
class _Statement:
    """A statement to be applied."""

    sql: str
    pieces: Sequence[Token]  # the tokens after the words that it begins with
    schema: str  # the schema of the session
    after: Table | None  # the table that it creates, if the caller knows it


@dataclass(slots=True)
class KnownTables:
    """The tables that the connector knows, by schema and name."""

    version: Version
    # Whether DROP TABLE of several tables lists the existing ones first, as MySQL logs it.
    existing_first: bool = True
    tables: dict[Name, Table] = field(default_factory=dict)
    # The default charset of each schema.
    charsets: dict[str, str] = field(default_factory=dict)
    # Whether columns are nullable for the connector, where the server may know it differently.
    nullable: dict[Name, Mapping[str, bool]] = field(default_factory=dict)
    # The keys of altered tables: without a primary key, the connector keeps the key that it has chosen.
    keys: dict[Name, tuple[str, ...]] = field(default_factory=dict)
    # Of tables whose charset follows only from their collation, which the connector ignores.
    charset_mistakes: dict[Name, CharsetMistake] = field(default_factory=dict)
    # (table given to `learn`, table that `learn` adopted), to recognise a table that is given again.
    _learned: dict[Name, tuple[Table, Table]] = field(default_factory=dict)

    def learn(self, table: Table) -> None:
        """Adopt the definition of a table, except for parts that the connector knows differently."""
        previous, adopted = self._learned.get(table.id, (None, None))
        if previous is table and self.tables.get(table.id) is adopted:
            return
        original, nullable = table, self.nullable.get(table.id, {})
        if any(nullable.get(column.name, column.nullable) != column.nullable for column in table.columns):
            columns = (replace(c, nullable=nullable.get(c.name, c.nullable)) for c in table.columns)
            table = replace(table, columns=tuple(columns))
        key = self.keys.get(table.id)
        if key is not None and not table.primary_key and all(table.column(name) is not None for name in key):
            table = replace(table, primary_key=key, unique_keys=())
        self.tables[table.id] = table
        self._learned[table.id] = original, table

    def apply(self, sql: str, schema: str, after: Table | None = None) -> list[DdlEffect]:
        """Apply a statement in a session of a schema; returns its effects.

        `after` is the created table, for a CREATE TABLE … SELECT.
        """
        sql = sql.strip()
        if self.version.silent_statements and _SILENT.match(sql):
            return []
        pieces = tokens(sql)
        if is_unknown(pieces, self.version):
            return [DdlEffect(sql)]
        for words, method in _STATEMENTS:
            skipped = _begins(pieces, words)
            if skipped is not None:
                try:
                    return list(method(self, _Statement(sql, pieces[skipped:], schema, after)))
                except (Rejected, IndexError):
                    return [DdlEffect(sql)]
        view = _VIEW.match(sql)
        name = table_name(tokens(view["name"]))[0] if view else None
        return [DdlEffect(sql, ((name.schema or schema, name.table),) if name else ())]

    def truncated_by(self, sql: str, schema: str) -> Table | None:
        """The table that a TRUNCATE empties, None for another statement or an unknown table."""
        pieces = tokens(sql)
        if _begins(pieces, ("TRUNCATE",)) is None:
            return None
        try:
            name, _ = self._existing_name(_Statement(sql, pieces[1:], schema, None), skip(pieces[1:], "TABLE"))
        except Rejected:
            return None
        return self.tables.get(name)

    # -- names

    def _existing_name(self, statement: _Statement, pieces: Sequence[Token]) -> tuple[Name, Sequence[Token]]:
        """The name of a table at the beginning, and the tokens after it.

        A name without a schema means the table in the session's schema, or the only known table of that name.
        """
        name, rest = table_name(pieces)
        if name is None:
            raise Rejected("syntax", "there is no table name")
        if name.schema is not None:
            return (name.schema, name.table), rest
        in_session = statement.schema, name.table
        namesakes = [(schema, table) for schema, table in self.tables if table == name.table]
        if in_session not in self.tables and len(namesakes) == 1:
            return namesakes[0], rest
        return in_session, rest

    def _new_name(self, statement: _Statement, pieces: Sequence[Token]) -> tuple[Name, Sequence[Token]]:
        """The name of a table at the beginning, in the session's schema by default, and the tokens after it."""
        name, rest = table_name(pieces)
        if name is None:
            raise Rejected("syntax", "there is no table name")
        return (name.schema or statement.schema, name.table), rest

    # -- schemas

    def schema_created(self, statement: _Statement) -> Iterator[DdlEffect]:
        """CREATE DATABASE."""
        self.charsets.setdefault(statement.schema, table_charset(statement.pieces) or _DEFAULT_CHARSET)
        yield DdlEffect(statement.sql, None)

    def schema_altered(self, statement: _Statement) -> Iterator[DdlEffect]:
        """ALTER DATABASE."""
        if charset := table_charset(statement.pieces):
            self.charsets[statement.schema] = charset
        yield DdlEffect(statement.sql)

    def session_set(self, statement: _Statement) -> Iterator[DdlEffect]:
        """USE and SET, with which a snapshot begins."""
        yield DdlEffect(statement.sql, None)

    def schema_dropped(self, statement: _Statement) -> Iterator[DdlEffect]:
        """DROP DATABASE."""
        for name in [name for name in self.tables if name[0] == statement.schema]:
            self._forget(name)
        self.charsets.pop(statement.schema, None)
        yield DdlEffect(statement.sql, None)

    # -- tables

    def created(self, statement: _Statement) -> Iterator[DdlEffect]:
        """CREATE TABLE: with definitions, LIKE another table, or from a query."""
        named = skip(statement.pieces, "IF", "NOT", "EXISTS")
        name, rest = self._new_name(statement, named)
        like = rest[1:] if rest[0].is_mark("(") else rest
        may_exist = len(named) < len(statement.pieces) or _begins(tokens(statement.sql), ("CREATE", "OR"))
        if may_exist and name in self.tables and like[0].word != "LIKE":  # the connector keeps its definition
            yield DdlEffect(statement.sql, (name,))
            return
        mistake: CharsetMistake | None = None
        if like[0].word == "LIKE":
            other, _ = self._existing_name(statement, like[1:])
            mistake = self.charset_mistakes.get(other)
            table = replace(self.tables[other], schema=name[0], name=name[1]) if other in self.tables else None
        elif any(piece.word == "SELECT" for piece in rest):
            table = statement.after
        else:
            body = inside(rest)
            options, default = rest[len(body) + 2 :], self.charsets.get(name[0], _DEFAULT_CHARSET)
            charset = table_charset(options, by_collation=False) or default
            true_charset = table_charset(options) or default
            if true_charset != charset and not (is_utf8(true_charset) and is_utf8(charset)):
                mistake = CharsetMistake(true_charset, assumed=charset)
            table = define(statement.sql, *name, body, charset)
        if table is None:
            yield DdlEffect(statement.sql, (name,))
            return
        self._forget(name)
        self.tables[name] = table
        if mistake is not None:
            self.charset_mistakes[name] = mistake
        yield DdlEffect(statement.sql, (name,), TableChange("CREATE", *name, table))

    def dropped(self, statement: _Statement) -> Iterator[DdlEffect]:
        """DROP TABLE: one record for each table."""
        rest = skip(statement.pieces, "IF", "EXISTS")
        begin = "DROP TABLE IF EXISTS" if len(rest) < len(statement.pieces) else "DROP TABLE"
        names = [self._new_name(statement, part)[0] for part in split(rest, ",")]
        if self.existing_first:
            names.sort(key=lambda name: name not in self.tables)
        for name in names:
            self._forget(name)
            yield DdlEffect(f"{begin} `{name[0]}`.`{name[1]}`", tuple(names), TableChange("DROP", *name, None))

    def _forget(self, name: Name) -> None:
        self.tables.pop(name, None)
        for known in (self.nullable, self.keys, self.charset_mistakes):
            known.pop(name, None)

    def renamed(self, statement: _Statement) -> Iterator[DdlEffect]:
        """RENAME TABLE: one record for each clause."""
        begin = statement.sql[: statement.pieces[0].start]
        renames: list[tuple[str, Name]] = []
        for clause in split(statement.pieces, ","):
            old, rest = self._existing_name(statement, clause)
            new, _ = self._new_name(statement, skip_wait(rest)[1:])  # behind TO
            self._move(old, new)
            renames.append((begin + raw(statement.sql, clause), new))
        names = tuple(new for _, new in renames)
        for ddl, new in renames:
            yield DdlEffect(ddl, names, TableChange("ALTER", *new, self.tables.get(new)))

    def renamed_in_plural(self, statement: _Statement) -> Iterator[DdlEffect]:
        """RENAME TABLES, which only some versions know."""
        return self.renamed(self._in_plural(statement))

    def dropped_in_plural(self, statement: _Statement) -> Iterator[DdlEffect]:
        """DROP TABLES, which only some versions know."""
        return self.dropped(self._in_plural(statement))

    def _in_plural(self, statement: _Statement) -> _Statement:
        """The statement about TABLES. Raises `Rejected` if the version does not know the word."""
        if not self.version.plural_tables:
            raise Rejected("syntax", "TABLES in place of TABLE")
        return statement

    def _move(self, old: Name, new: Name) -> None:
        table = self.tables.pop(old, None)
        if table is not None:
            self.tables[new] = replace(table, schema=new[0], name=new[1])
        if old in self.nullable:
            self.nullable[new] = self.nullable.pop(old)
        if old in self.keys:
            self.keys[new] = self.keys.pop(old)
        if old in self.charset_mistakes:
            self.charset_mistakes[new] = self.charset_mistakes.pop(old)

    def truncated(self, statement: _Statement) -> Iterator[DdlEffect]:
        """TRUNCATE TABLE."""
        name, _ = self._existing_name(statement, skip(statement.pieces, "TABLE"))
        yield DdlEffect(statement.sql, (name,))

    def indexed(self, statement: _Statement) -> Iterator[DdlEffect]:
        """CREATE [OR REPLACE] UNIQUE INDEX, which may become the key of the table."""
        words = [piece.word for piece in statement.pieces]
        after_on = words.index("ON") + 1 if "ON" in words else len(words)
        name, rest = self._existing_name(statement, statement.pieces[after_on:])
        table = self._keyed_table(name)
        key = None if table is None else read_key([statement.pieces[0], *rest])
        if table is None or key is None or (changed := add_unique(table, key.columns)) is table:
            yield DdlEffect(statement.sql)
            return
        self.tables[name] = changed
        self.keys[name] = changed.primary_key
        yield DdlEffect(statement.sql, (name,), TableChange("ALTER", *name, changed))

    def altered(self, statement: _Statement) -> Iterator[DdlEffect]:
        """ALTER TABLE: applies one action after the other."""
        name, rest = self._existing_name(statement, skip(statement.pieces, "IF", "EXISTS"))
        table = self._keyed_table(name)
        new = name
        if table is not None:
            for action in split(skip_wait(rest), ","):
                new_name = self._renamed_to(statement, action)
                if new_name is not None:
                    new = new_name
                elif action:
                    if action[0].word == "CONVERT":
                        self.charset_mistakes.pop(name, None)
                    table = Alteration(self.version, statement.sql, table).apply(action)
            self.tables[name] = table
            self.keys[name] = table.primary_key
            keeps_not_null = Kept.NOT_NULL in self.version.change_keeps
            self.nullable[name] = {
                column.name: column.nullable
                for column in table.columns
                if (column.name in table.primary_key if column.nullable else keeps_not_null)
            }
            self._move(name, new)
        yield DdlEffect(statement.sql, (new,), TableChange("ALTER", *new, self.tables.get(new)))

    def _keyed_table(self, name: Name) -> Table | None:
        """A known table, with the key that the connector uses as its primary key."""
        table = self.tables.get(name)
        if table is None or not table.unique_keys:
            return table
        return replace(table, primary_key=key_names(table, snapshot=False), unique_keys=())

    def _renamed_to(self, statement: _Statement, action: Sequence[Token]) -> Name | None:
        """The table's new name in an action `RENAME TO …`, None for another action."""
        if not action or action[0].word != "RENAME" or action[1].word in ("COLUMN", "INDEX", "KEY"):
            return None
        return self._new_name(statement, skip(action[1:], "TO", "AS"))[0]


_Method = Callable[[KnownTables, _Statement], Iterator[DdlEffect]]

# The methods for statements, by the words that they begin with.
_STATEMENTS: Sequence[tuple[tuple[str, ...], _Method]] = (
    (("CREATE", "DATABASE"), KnownTables.schema_created),
    (("CREATE", "SCHEMA"), KnownTables.schema_created),
    (("ALTER", "DATABASE"), KnownTables.schema_altered),
    (("ALTER", "SCHEMA"), KnownTables.schema_altered),
    (("DROP", "DATABASE"), KnownTables.schema_dropped),
    (("DROP", "SCHEMA"), KnownTables.schema_dropped),
    (("CREATE", "TABLE"), KnownTables.created),
    (("CREATE", "OR", "REPLACE", "TABLE"), KnownTables.created),
    (("ALTER", "TABLE"), KnownTables.altered),
    (("ALTER", "ONLINE", "TABLE"), KnownTables.altered),
    (("ALTER", "IGNORE", "TABLE"), KnownTables.altered),
    (("ALTER", "ONLINE", "IGNORE", "TABLE"), KnownTables.altered),
    (("DROP", "TABLE"), KnownTables.dropped),
    (("DROP", "TABLES"), KnownTables.dropped_in_plural),
    (("RENAME", "TABLE"), KnownTables.renamed),
    (("RENAME", "TABLES"), KnownTables.renamed_in_plural),
    (("TRUNCATE",), KnownTables.truncated),
    (("USE",), KnownTables.session_set),
    (("SET",), KnownTables.session_set),
    (("CREATE", "UNIQUE"), KnownTables.indexed),
    (("CREATE", "OR", "REPLACE", "UNIQUE"), KnownTables.indexed),
)


def _begins(pieces: Sequence[Token], words: tuple[str, ...]) -> int | None:
    """The number of leading tokens to skip if a statement begins with these words, else None.

    The word UNIQUE is not skipped, since it belongs to the key.
    """
    if tuple(piece.word for piece in pieces[: len(words)]) != words:
        return None
    return len(words) - (words[-1] == "UNIQUE")
