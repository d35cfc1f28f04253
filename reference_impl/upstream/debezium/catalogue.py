"""The connector's knowledge of tables: it applies every statement, and reports the tables that it changes.

[DBZ-350 … DBZ-353]  A statement that is not understood changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from reference_impl.errors import Rejected
from reference_impl.model import Table
from reference_impl.sql_tokens import Token, inside, skip, split, table_name, tokens
from reference_impl.upstream.charsets import is_utf8
from reference_impl.upstream.debezium.alterations import Alteration
from reference_impl.upstream.debezium.definitions import add_unique, define, key_names, raw, read_key, table_charset
from reference_impl.upstream.debezium.versions import Version

__all__ = ["Catalogue", "DdlEffect"]

Name: TypeAlias = tuple[str, str]  # schema and table

_DEFAULT_CHARSET = "utf8mb4"
_SILENT = re.compile(
    r"truncate|analyze|grant|revoke|(?:create|drop|alter|rename)\s+(?:user|role)"
    r"|(?:create|alter|drop)\b.*?\b(?:view|trigger|procedure|function)\b",
    re.IGNORECASE | re.DOTALL,
)
_VIEW = re.compile(r"(?:create|alter)\b.*?\bview\s+(?:if\s+not\s+exists\s+)?`?([^`\s(]+)`?", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class DdlEffect:
    """The effect of a statement, for one record.

    `tables` are those of `source.table`: none is the empty text, None is null. `change` is the kind and the name of the
    table that changes, with the table as it is then, None for one that is gone.
    """

    ddl: str
    tables: tuple[Name, ...] | None = ()
    change: tuple[str, Name, Table | None] | None = None


@dataclass(slots=True)
class _Session:
    """A statement: its text, its tokens after the words for its kind, its schema, and the table that it made

    as far as somebody else knows it.
    """

    sql: str
    pieces: Sequence[Token]
    schema: str
    after: Table | None


@dataclass(slots=True)
class Catalogue:
    """The tables by schema and name.

    `existing_first`: the server lists existing tables before others.

    `kept` are columns that stay NOT NULL for the connector, unlike for the server; `keys` the keys of
    tables that were altered: without a primary key the connector does not choose another one than it has.
    `collated` are tables whose charset the connector mistakes, because only their collation implies it: the charset of
    the server, and that of the connector.
    """

    version: Version
    existing_first: bool = True
    tables: dict[Name, Table] = field(default_factory=dict)
    charsets: dict[str, str] = field(default_factory=dict)
    kept: dict[Name, frozenset[str]] = field(default_factory=dict)
    keys: dict[Name, tuple[str, ...]] = field(default_factory=dict)
    collated: dict[Name, tuple[str, str]] = field(default_factory=dict)
    _learned: dict[Name, tuple[Table, Table]] = field(default_factory=dict)

    def learn(self, table: Table) -> None:
        """Adopt a table's definition, except what the connector knows differently."""
        given, made = self._learned.get(table.id, (None, None))
        if given is table and self.tables.get(table.id) is made:
            return
        given, kept = table, self.kept.get(table.id, frozenset())
        if any(column.nullable and column.name in kept for column in table.columns):
            columns = (replace(c, nullable=c.nullable and c.name not in kept) for c in table.columns)
            table = replace(table, columns=tuple(columns))
        key = self.keys.get(table.id)
        if key is not None and not table.primary_key and all(table.column(name) is not None for name in key):
            table = replace(table, primary_key=key, unique_keys=())
        self.tables[table.id] = table
        self._learned[table.id] = given, table

    def apply(self, sql: str, schema: str, after: Table | None = None) -> list[DdlEffect]:
        """The effects of a statement in a session of a schema, which are applied to the tables.

        `after` is the table that it made, for a statement that makes it of a query.
        """
        sql = sql.strip()
        if self.version.silent_statements and _SILENT.match(sql):
            return []
        pieces = tokens(sql)
        for words, method in _STATEMENTS:
            at = _begins(pieces, words)
            if at is not None:
                try:
                    return list(method(self, _Session(sql, pieces[at:], schema, after)))
                except (Rejected, IndexError):
                    return [DdlEffect(sql)]
        view = _VIEW.match(sql)
        return [DdlEffect(sql, ((schema, view[1]),) if view else ())]

    def emptied_by(self, sql: str, schema: str) -> Table | None:
        """The table that a statement empties, None for another statement or an unknown table."""
        pieces = tokens(sql)
        if _begins(pieces, ("TRUNCATE",)) is None:
            return None
        try:
            name, _ = self._name(_Session(sql, pieces[1:], schema, None), skip(pieces[1:], "TABLE"))
        except Rejected:
            return None
        return self.tables.get(name)

    # -- names

    def _name(self, session: _Session, pieces: Sequence[Token]) -> tuple[Name, Sequence[Token]]:
        """A known table, and the tokens after its name.

        Without a schema it may belong to another schema.
        """
        name, rest = table_name(pieces)
        if name is None:
            raise Rejected("syntax", "there is no table name")
        if name.schema is not None:
            return (name.schema, name.table), rest
        own = session.schema, name.table
        others = [known for known in self.tables if known[1] == name.table]
        return (own if own in self.tables or len(others) != 1 else others[0]), rest

    def _new_name(self, session: _Session, pieces: Sequence[Token]) -> tuple[Name, Sequence[Token]]:
        name, rest = table_name(pieces)
        if name is None:
            raise Rejected("syntax", "there is no table name")
        return (name.schema or session.schema, name.table), rest

    # -- schemas

    def schema_made(self, session: _Session) -> Iterator[DdlEffect]:
        """CREATE DATABASE."""
        self.charsets.setdefault(session.schema, table_charset(session.pieces) or _DEFAULT_CHARSET)
        yield DdlEffect(session.sql, None)

    def schema_altered(self, session: _Session) -> Iterator[DdlEffect]:
        """ALTER DATABASE."""
        if charset := table_charset(session.pieces):
            self.charsets[session.schema] = charset
        yield DdlEffect(session.sql)

    def used(self, session: _Session) -> Iterator[DdlEffect]:
        """USE and SET, with which a snapshot begins."""
        yield DdlEffect(session.sql, None)

    def schema_gone(self, session: _Session) -> Iterator[DdlEffect]:
        """DROP DATABASE."""
        self.tables = {name: table for name, table in self.tables.items() if name[0] != session.schema}
        self.charsets.pop(session.schema, None)
        yield DdlEffect(session.sql, None)

    # -- tables

    def made(self, session: _Session) -> Iterator[DdlEffect]:
        """CREATE TABLE, from elements, LIKE another table or of a query."""
        named = skip(session.pieces, "IF", "NOT", "EXISTS")
        name, rest = self._new_name(session, named)
        if len(named) < len(session.pieces) and name in self.tables:
            yield DdlEffect(session.sql, (name,))
            return
        like = rest[1:] if rest[0].marks("(") else rest
        mistaken: tuple[str, str] | None = None
        if like[0].word == "LIKE":
            other, _ = self._name(session, like[1:])
            mistaken = self.collated.get(other)
            table = replace(self.tables[other], schema=name[0], name=name[1]) if other in self.tables else None
        elif any(piece.word == "SELECT" for piece in rest):
            table = session.after
        else:
            body = inside(rest)
            options, usual = rest[len(body) + 2 :], self.charsets.get(name[0], _DEFAULT_CHARSET)
            charset = table_charset(options, by_collation=False) or usual
            own = table_charset(options) or usual
            mistaken = None if own == charset or (is_utf8(own) and is_utf8(charset)) else (own, charset)
            table = define(session.sql, *name, body, charset)
        if table is None:
            yield DdlEffect(session.sql, (name,))
            return
        self.tables[name] = table
        self.keys.pop(name, None)
        self.collated.pop(name, None)
        if mistaken is not None:
            self.collated[name] = mistaken
        yield DdlEffect(session.sql, (name,), ("CREATE", name, table))

    def gone(self, session: _Session) -> Iterator[DdlEffect]:
        """DROP TABLE: one record a table."""
        rest = skip(session.pieces, "IF", "EXISTS")
        begin = "DROP TABLE IF EXISTS" if len(rest) < len(session.pieces) else "DROP TABLE"
        names = [self._new_name(session, part)[0] for part in split(rest, ",")]
        if self.existing_first:
            names.sort(key=lambda name: name not in self.tables)
        for name in names:
            self.tables.pop(name, None)
            self.kept.pop(name, None)
            self.keys.pop(name, None)
            self.collated.pop(name, None)
            yield DdlEffect(f"{begin} `{name[0]}`.`{name[1]}`", tuple(names), ("DROP", name, None))

    def renamed(self, session: _Session) -> Iterator[DdlEffect]:
        """RENAME TABLE: one record a clause."""
        begin = session.sql[: session.pieces[0].start]
        renames: list[tuple[str, Name]] = []
        for clause in split(session.pieces, ","):
            old, rest = self._name(session, clause)
            new, _ = self._new_name(session, rest[1:])
            self._move(old, new)
            renames.append((begin + raw(session.sql, clause), new))
        names = tuple(new for _, new in renames)
        for ddl, new in renames:
            yield DdlEffect(ddl, names, ("ALTER", new, self.tables.get(new)))

    def _move(self, old: Name, new: Name) -> None:
        table = self.tables.pop(old, None)
        if table is not None:
            self.tables[new] = replace(table, schema=new[0], name=new[1])
        if old in self.keys:
            self.keys[new] = self.keys.pop(old)
        if old in self.collated:
            self.collated[new] = self.collated.pop(old)

    def emptied(self, session: _Session) -> Iterator[DdlEffect]:
        """TRUNCATE TABLE."""
        name, _ = self._name(session, skip(session.pieces, "TABLE"))
        yield DdlEffect(session.sql, (name,))

    def indexed(self, session: _Session) -> Iterator[DdlEffect]:
        """CREATE UNIQUE INDEX, which may make a key."""
        on = next((at for at, piece in enumerate(session.pieces) if piece.word == "ON"), len(session.pieces))
        name, rest = self._name(session, session.pieces[on + 1 :])
        table = self._settled(name)
        found = read_key([session.pieces[0], *rest]) if table is not None else None
        changed = add_unique(table, found[1]) if table is not None and found else table
        if changed is table:
            yield DdlEffect(session.sql)
            return
        assert changed is not None
        self.tables[name] = changed
        self.keys[name] = changed.primary_key
        yield DdlEffect(session.sql, (name,), ("ALTER", name, changed))

    def altered(self, session: _Session) -> Iterator[DdlEffect]:
        """ALTER TABLE: one action after the other."""
        name, rest = self._name(session, session.pieces)
        table = self._settled(name)
        new = name
        for action in split(rest, ",") if table is not None else ():
            moved = self._renames(session, action)
            if moved is not None:
                new = moved
            elif action:
                assert table is not None
                if action[0].word == "CONVERT":
                    self.collated.pop(name, None)
                table = Alteration(self.version, session.sql, table).apply(action)
        if table is not None:
            self.tables[name] = table
            self.keys[name] = table.primary_key
            if self.version.edits_in_place:
                self.kept[new] = frozenset(column.name for column in table.columns if not column.nullable)
            self._move(name, new)
        yield DdlEffect(session.sql, (new,), ("ALTER", new, self.tables.get(new)))

    def _settled(self, name: Name) -> Table | None:
        """A table whose key is what the connector uses: columns, from whatever kind of key."""
        table = self.tables.get(name)
        if table is None or not table.unique_keys:
            return table
        return replace(table, primary_key=key_names(table, snapshot=False), unique_keys=())

    def _renames(self, session: _Session, action: Sequence[Token]) -> Name | None:
        if not action or action[0].word != "RENAME" or action[1].word in ("COLUMN", "INDEX", "KEY"):
            return None
        return self._new_name(session, skip(action[1:], "TO", "AS"))[0]


_Method = Callable[[Catalogue, _Session], Iterator[DdlEffect]]

# The words that a statement begins with.
_STATEMENTS: Sequence[tuple[tuple[str, ...], _Method]] = (
    (("CREATE", "DATABASE"), Catalogue.schema_made),
    (("CREATE", "SCHEMA"), Catalogue.schema_made),
    (("ALTER", "DATABASE"), Catalogue.schema_altered),
    (("ALTER", "SCHEMA"), Catalogue.schema_altered),
    (("DROP", "DATABASE"), Catalogue.schema_gone),
    (("DROP", "SCHEMA"), Catalogue.schema_gone),
    (("CREATE", "TABLE"), Catalogue.made),
    (("CREATE", "OR", "REPLACE", "TABLE"), Catalogue.made),
    (("ALTER", "TABLE"), Catalogue.altered),
    (("DROP", "TABLE"), Catalogue.gone),
    (("RENAME", "TABLE"), Catalogue.renamed),
    (("TRUNCATE",), Catalogue.emptied),
    (("USE",), Catalogue.used),
    (("SET",), Catalogue.used),
    (("CREATE", "UNIQUE"), Catalogue.indexed),
)


def _begins(pieces: Sequence[Token], words: tuple[str, ...]) -> int | None:
    """The number of leading tokens that match the words, None if they do not."""
    if tuple(piece.word for piece in pieces[: len(words)]) != words:
        return None
    return len(words) if words != ("CREATE", "UNIQUE") else 1
