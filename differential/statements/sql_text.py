"""Normalises DDL statements for comparison: their steps, table by table, in normal words.

A server keeps the text of the user, while TiDB prints the statement that it parsed: quotes, case, comments, optional
words and synonyms differ without a difference in meaning. `steps` removes them. A statement about several tables gives
a step for each. This is no parser: a statement of an unknown shape keeps all its words.  [CJ-620, CJ-653]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from reference_impl.sql_tokens import Kind, Token, skip, skip_wait, split, table_name, tokens

__all__ = ["Step", "steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """The effect of a statement on one table."""

    verb: str  # the beginning of the statement, such as CREATE TABLE
    schema: str
    table: str  # of a RENAME, the new name; empty for a statement about a schema, a view or the like
    text: str  # the statement without the name of the table, in normal words
    clauses: int = 1  # of an ALTER TABLE
    # Schema and name of further tables: the old one of a RENAME, and others that an ALTER TABLE affects.
    also: tuple[tuple[str, str], ...] = field(default=(), compare=False)


# -- words that mean the same

Words: TypeAlias = tuple[str, ...]

_OPTIONS = (
    *("ENGINE", "CHARSET", "COLLATE", "COMMENT", "AUTO_INCREMENT", "ROW_FORMAT", "KEY_BLOCK_SIZE", "CHECKSUM"),
    *("ALGORITHM", "LOCK", "MAX_ROWS", "MIN_ROWS", "AVG_ROW_LENGTH", "STATS_PERSISTENT", "COMPRESSION", "ENCRYPTION"),
    *("AUTO_ID_CACHE", "SHARD_ROW_ID_BITS", "PRE_SPLIT_REGIONS", "AUTO_RANDOM_BASE", "TTL", "TTL_ENABLE"),
)

# Longer phrases first. A phrase without a replacement is optional in SQL.
_SAME: Mapping[Words, Words] = {
    ("DEFAULT", "CHARACTER", "SET"): ("CHARSET",),
    ("DEFAULT", "CHAR", "SET"): ("CHARSET",),
    ("DEFAULT", "CHARSET"): ("CHARSET",),
    ("DEFAULT", "COLLATE"): ("COLLATE",),
    ("CHARACTER", "SET"): ("CHARSET",),
    ("CHAR", "SET"): ("CHARSET",),
    ("CHARACTER", "VARYING"): ("VARCHAR",),
    ("CHAR", "VARYING"): ("VARCHAR",),
    ("LONG", "VARCHAR"): ("MEDIUMTEXT",),
    ("LONG", "VARBINARY"): ("MEDIUMBLOB",),
    ("DOUBLE", "PRECISION"): ("DOUBLE",),
    ("IF", "NOT", "EXISTS"): (),
    ("IF", "EXISTS"): (),
    ("GENERATED", "ALWAYS", "AS"): ("AS",),
    ("PRIMARY", "KEY"): ("PRIMARY KEY",),
    ("FOREIGN", "KEY"): ("FOREIGN KEY",),
    **{(word, kind): (word,) for word in ("UNIQUE", "FULLTEXT", "SPATIAL") for kind in ("KEY", "INDEX")},
    **{(word, "COLUMN"): (word,) for word in ("ADD", "DROP", "MODIFY", "CHANGE", "ALTER")},
    **{
        (word, "(", ")"): ("CURRENT_TIMESTAMP",) for word in ("NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP")
    },
    **{(word,): ("CURRENT_TIMESTAMP",) for word in ("NOW", "LOCALTIME", "LOCALTIMESTAMP")},
    **{(word,): ("TINYINT", "(", "1", ")") for word in ("BOOL", "BOOLEAN")},
    **{(word,): ("DECIMAL",) for word in ("NUMERIC", "DEC", "FIXED")},
    **{(word,): ("DOUBLE",) for word in ("REAL", "FLOAT8")},
    **{(word,): ("INT",) for word in ("INTEGER", "INT4")},
    **{(word,): ("MEDIUMINT",) for word in ("MIDDLEINT", "INT3")},
    ("CHARACTER",): ("CHAR",),
    ("VARCHARACTER",): ("VARCHAR",),
    ("INT1",): ("TINYINT",),
    ("INT2",): ("SMALLINT",),
    ("INT8",): ("BIGINT",),
    ("FLOAT4",): ("FLOAT",),
    ("KEY",): ("INDEX",),
    ("SCHEMA",): ("DATABASE",),
    ("UTF8MB3",): ("UTF8",),
    ("TRUE",): ("1",),
    ("FALSE",): ("0",),
    ("CLUSTERED",): (),
    ("NONCLUSTERED",): (),
    ("ASC",): (),
    ("START", "TRANSACTION"): (),  # follows CREATE TABLE … SELECT
}
_LONGEST = max(map(len, _SAME))


def _plain(pieces: Sequence[Token]) -> Iterator[str]:
    """Names and words in upper case, and texts in quotes, without the charset before a text."""
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        if piece.kind is Kind.STRING:
            yield f"'{piece.text}'"
        elif not (piece.word.startswith("_") and following is not None and following.kind is Kind.STRING):
            yield piece.text.upper()


def _normal(pieces: Sequence[Token]) -> str:
    """The text of pieces in normal words: `c datetime default now()` → `C DATETIME DEFAULT CURRENT_TIMESTAMP`."""
    words, found, at = list(_plain(pieces)), list[str](), 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            if (same := _SAME.get(tuple(words[at : at + length]))) is not None:
                found += same
                at += length
                break
        else:
            if not (words[at] == "=" and found and found[-1] in _OPTIONS):
                found.append(words[at])
            at += 1
    return " ".join(found)


# -- shapes of statements


_OF_SCHEMA = frozenset({"DEFAULT", "CHARACTER", "CHAR", "CHARSET", "COLLATE", "ENCRYPTION", "READ"})


# Statements of these verbs need nothing but the name of their table.
_VERBS_OF_A_NAME = frozenset({"DROP TABLE", "TRUNCATE TABLE"})


@dataclass(frozen=True, slots=True)
class _StepBuilder:
    """Builds the steps of a statement; `schema` is the one that its message gives."""

    schema: str

    def of_table(self, verb: str, pieces: Sequence[Token]) -> Step:
        """The step of a statement whose pieces begin with a table's name."""
        name, rest = table_name(pieces)
        if name is None:
            return self.of_no_table(verb, pieces)
        rest = skip_wait(rest)
        if verb in _VERBS_OF_A_NAME:
            rest = skip_wait(skip(rest, "RESTRICT", "CASCADE"))
        text = f"{verb} {_normal(rest)}".rstrip()
        clauses = sum(1 for _ in split(rest, ",")) if verb == "ALTER TABLE" else 1
        return Step(verb, name.schema or self.schema, name.table, text, clauses)

    def of_rename(self, pieces: Sequence[Token]) -> Step:
        """The step of `old TO new`."""
        old, rest = table_name(pieces)
        new, more = table_name(_behind_to(skip_wait(rest)))
        if old is None or new is None:
            return self.of_no_table("RENAME TABLE", pieces)
        text = f"RENAME TABLE {old.schema or self.schema}.{old.table}".upper() + f" {_normal(more)}".rstrip()
        was = (old.schema or self.schema, old.table)
        return Step("RENAME TABLE", new.schema or self.schema, new.table, text, also=(was,))

    def of_no_table(self, verb: str, pieces: Sequence[Token]) -> Step:
        """The step of a statement that is not about a table.

        The pieces follow the first word of `verb`.
        """
        return Step(verb, self.schema, "", f"{verb.split()[0]} {_normal(pieces)}".rstrip())

    def of_schema(self, verb: str, pieces: Sequence[Token]) -> Step:
        """The step of a statement that begins with a schema's name, or leaves it to the session."""
        rest = skip(skip(pieces, "IF", "NOT", "EXISTS"), "EXISTS")
        unnamed = not rest or rest[0].word in _OF_SCHEMA
        schema, rest = (self.schema, rest) if unnamed else (rest[0].text, rest[1:])
        return Step(verb, schema, "", f"{verb} {_normal(rest)}".rstrip())


# Statements about these objects have no place in a stream of table changes.
_IGNORED = frozenset({"TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "USER", "ROLE", "SERVER"})
_OF_NO_TABLE = frozenset({"GRANT", "REVOKE", "SET", "ANALYZE", "FLUSH", "USE"})
_INDEX_WORDS = ("UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR", "ONLINE", "OFFLINE")


def _create(build: _StepBuilder, pieces: Sequence[Token]) -> Iterator[Step]:
    created = skip(pieces, "OR", "REPLACE")
    replaces = len(created) < len(pieces)
    rest = skip(created, "TEMPORARY")
    if rest and rest[0].word == "TABLE":
        step = build.of_table("CREATE TABLE", skip(rest[1:], "IF", "NOT", "EXISTS"))
        yield replace(step, text=f"{step.text} OR REPLACE") if replaces else step
    elif rest and rest[0].word in ("DATABASE", "SCHEMA"):
        yield build.of_schema("CREATE DATABASE", rest[1:])
    elif any(piece.word == "INDEX" for piece in skip(rest, *_INDEX_WORDS)[:1]):
        yield _index(build, "CREATE INDEX", rest)
    else:
        at = _view_or_ignored(rest)
        if at is None:
            yield build.of_no_table("CREATE", rest)
        elif rest[at].word == "VIEW":  # the definer and the algorithm precede this word
            yield build.of_no_table("CREATE VIEW", rest[at:])


def _view_or_ignored(pieces: Sequence[Token]) -> int | None:
    """The position of the word `VIEW`, or of the kind of an object without steps; None if there is neither."""
    return next((n for n, piece in enumerate(pieces) if piece.word in {"VIEW", *_IGNORED}), None)


def _index(build: _StepBuilder, verb: str, pieces: Sequence[Token]) -> Step:
    """The step of a statement about an index ON a table."""
    at = next((n for n, piece in enumerate(pieces) if piece.word == "ON"), len(pieces))
    name, rest = table_name(pieces[at + 1 :])
    if name is None:
        return build.of_no_table(verb, pieces)
    text = f"{verb} {_normal(pieces[:at])} {_normal(rest)}".rstrip()
    return Step(verb, name.schema or build.schema, name.table, text)


def _drop(build: _StepBuilder, pieces: Sequence[Token]) -> Iterator[Step]:
    rest = skip(pieces, "TEMPORARY")
    word = rest[0].word if rest else ""
    if word in ("TABLE", "TABLES"):
        for part in split(skip(rest[1:], "IF", "EXISTS"), ","):
            yield build.of_table("DROP TABLE", part)
    elif word in ("DATABASE", "SCHEMA"):
        yield build.of_schema("DROP DATABASE", rest[1:])
    elif word == "INDEX":
        yield _index(build, "DROP INDEX", rest)
    elif word not in _IGNORED:
        yield build.of_no_table(f"DROP {word}".rstrip(), rest)


_NOT_OF_TABLES = frozenset({"COLUMN", "INDEX", "KEY"})


def _alter(build: _StepBuilder, pieces: Sequence[Token]) -> Iterator[Step]:
    rest = skip(pieces, "ONLINE", "OFFLINE", "IGNORE")
    if rest and rest[0].word in ("DATABASE", "SCHEMA"):
        yield build.of_schema("ALTER DATABASE", rest[1:])
        return
    if not rest or rest[0].word != "TABLE":
        at = _view_or_ignored(rest)
        if at is None or rest[at].word == "VIEW":
            yield build.of_no_table("ALTER", rest)
        return
    named = skip(rest[1:], "IF", "EXISTS")
    _, behind_name = table_name(named)
    clauses = skip_wait(behind_name)
    if _renames_table(clauses) and sum(1 for _ in split(clauses, ",")) == 1:
        yield build.of_rename([*named[: len(named) - len(behind_name)], *clauses[1:]])
    else:
        yield replace(build.of_table("ALTER TABLE", named), also=tuple(_other_tables(build, clauses)))


def _behind_to(pieces: Sequence[Token]) -> Sequence[Token]:
    """The tokens behind TO, AS or =, before the new name of a table."""
    return pieces[1:] if pieces and pieces[0].is_mark("=") else skip(pieces, "TO", "AS")


def _renames_table(clause: Sequence[Token]) -> bool:
    words = [piece.word for piece in clause[:2]]
    return words[:1] == ["RENAME"] and not _NOT_OF_TABLES & {*words}


def _other_tables(build: _StepBuilder, pieces: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The new name in an ALTER TABLE, or the table with which a partition is exchanged."""
    for clause in split(pieces, ","):
        words = [piece.word for piece in clause]
        if _renames_table(clause):
            begin = 1
        elif words[:1] == ["EXCHANGE"] and "TABLE" in words:
            begin = words.index("TABLE") + 1
        else:
            continue
        name, _ = table_name(_behind_to(clause[begin:]))
        if name is not None:
            yield name.schema or build.schema, name.table


def _truncate(build: _StepBuilder, pieces: Sequence[Token]) -> Iterator[Step]:
    yield build.of_table("TRUNCATE TABLE", skip(pieces, "TABLE"))


def _rename(build: _StepBuilder, pieces: Sequence[Token]) -> Iterator[Step]:
    if pieces and pieces[0].word in _IGNORED:
        return
    for part in split(skip(skip(pieces, "TABLE"), "TABLES", "IF", "EXISTS"), ","):
        yield build.of_rename(part)


_STEPS_OF: Mapping[str, Callable[[_StepBuilder, Sequence[Token]], Iterator[Step]]] = {
    "CREATE": _create,
    "DROP": _drop,
    "ALTER": _alter,
    "TRUNCATE": _truncate,
    "RENAME": _rename,
}


def steps(query: str, schema: str, table: str) -> tuple[Step, ...]:
    """The steps of a statement, table by table; `schema` and `table` are those of its message, or empty.

    `drop table a, x.b` in schema `s` has two steps: DROP TABLE of `s`.`a`, and DROP TABLE of `x`.`b`.

    Statements about triggers, routines, events and users have no steps.
    """
    pieces = [piece for piece in tokens(query) if not piece.is_mark(";")]
    if not pieces or pieces[0].word in _OF_NO_TABLE:
        return ()
    # Debezium's connector writes CREATE UNIQUE INDEX without its first word since 3.6.
    verb, rest = ("CREATE", pieces) if pieces[0].word == "UNIQUE" else (pieces[0].word, pieces[1:])
    steps_of = _STEPS_OF.get(verb)
    if steps_of is None:
        return (Step(verb, schema, table, _normal(pieces)),)
    return tuple(steps_of(_StepBuilder(schema), rest))
