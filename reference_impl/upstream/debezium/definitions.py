"""Tables as statements define them: columns and keys, in the words and literals of the statement.  [DBZ-240, DBZ-354]

The type and the default of a `Column` from here have the texts of the statement; the labels are unescaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

from reference_impl.column_types import ColumnType, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Column, Default, Expression, Table
from reference_impl.sql_tokens import Kind, Token, inside, split, table_name
from reference_impl.upstream.debezium.versions import Version

__all__ = [
    "Defined",
    "DefinedKey",
    "add_unique",
    "charset_of_collation",
    "define",
    "is_character_set",
    "is_key",
    "key_names",
    "keyed",
    "raw",
    "read_column",
    "read_key",
    "table_charset",
    "words_of_type",
]

_LABELLED = ("ENUM", "SET")
_TYPES_OF_SEVERAL_WORDS = frozenset(
    tuple(text.split())
    for text in (
        *("DOUBLE PRECISION", "CHAR VARYING", "CHARACTER VARYING", "NCHAR VARCHAR", "NCHAR VARYING"),
        *("NATIONAL CHAR", "NATIONAL CHARACTER", "NATIONAL VARCHAR", "NATIONAL VARCHARACTER"),
        *("NATIONAL CHAR VARYING", "NATIONAL CHARACTER VARYING"),
        *("LONG VARCHAR", "LONG VARCHARACTER", "LONG CHAR VARYING", "LONG CHARACTER VARYING", "LONG VARBINARY"),
    )
)
# What the newer parser reads in place of a type before the word BINARY; the charset is then the table's.  [DBZ-355]
_MISREAD_BEFORE_BINARY: Mapping[str, str] = {
    **dict.fromkeys(("NATIONAL CHAR", "NATIONAL CHARACTER"), "BINARY"),
    **dict.fromkeys(("NATIONAL VARCHAR", "NCHAR VARCHAR"), "VARCHAR"),
    "NATIONAL VARCHARACTER": "VARCHARACTER",
}
_SIGNS = ("UNSIGNED", "ZEROFILL", "SIGNED")
_VALUE = re.compile(
    r"""(?:_\w+\s*|n|(?:date|time|timestamp)\s*)?'(?:[^'\\]|''|\\.)*'(?:\s*'(?:[^'\\]|''|\\.)*')*
    | (?:_\w+\s*)?"(?:[^"\\]|""|\\.)*"
    | (?:_\w+\s*)?(?:[bx]'[^']*' | 0[xb]\w+)
    | [+-]?\s*(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?(?![\w.]) | 0[xb]\w+ | \w+(?:\s*\([^()]*\))?""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_KEYS = frozenset({"PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "CONSTRAINT", "FOREIGN", "CHECK"})


@dataclass(frozen=True, slots=True)
class Defined:
    """A column and further parts of its definition."""

    column: Column
    primary: bool = False  # PRIMARY KEY
    unique: bool = False  # UNIQUE
    null: bool | None = None  # NULL or NOT NULL; None if the definition has neither
    is_first: bool = False  # FIRST
    after: str | None = None  # the name of the column in AFTER


@dataclass(frozen=True, slots=True)
class DefinedKey:
    """A primary or unique key; its name is empty if the definition has none."""

    is_primary: bool
    name: str
    columns: tuple[str, ...]


def raw(sql: str, pieces: Sequence[Token]) -> str:
    """The original text of tokens in the statement."""
    return sql[pieces[0].start : pieces[-1].end] if pieces else ""


def charset_of_collation(collation: str) -> str:
    """The charset of a collation."""
    return collation.partition("_")[0]


def _after_parentheses(pieces: Sequence[Token]) -> Sequence[Token]:
    return pieces[len(inside(pieces)) + 2 :]


def is_key(pieces: Sequence[Token]) -> bool:
    """Whether a table element is a key or a constraint, not a column."""
    return bool(pieces) and pieces[0].kind is Kind.WORD and pieces[0].word in _KEYS


def is_character_set(pieces: Sequence[Token]) -> bool:
    """Whether the tokens begin with CHARACTER SET or CHAR SET."""
    return len(pieces) > 1 and pieces[0].word in ("CHARACTER", "CHAR") and pieces[1].word == "SET"


def words_of_type(pieces: Sequence[Token]) -> Sequence[Token]:
    """The words with which a type begins: one, or several as in LONG CHAR VARYING."""
    words = tuple(piece.word for piece in pieces[:3])
    return pieces[: next((count for count in (3, 2) if words[:count] in _TYPES_OF_SEVERAL_WORDS), 1)]


def _read_type(sql: str, pieces: Sequence[Token]) -> tuple[str, tuple[str, ...], Sequence[Token]]:
    """The text of a type, its labels, and the tokens after it."""
    words = words_of_type(pieces)
    rest = pieces[len(words) :]
    text = " ".join(word.text for word in words)
    labels: tuple[str, ...] = ()
    if rest and rest[0].is_mark("("):
        within = inside(rest)
        text += f"({raw(sql, within)})"
        if pieces[0].word in _LABELLED:
            labels = tuple(piece.text for piece in within if piece.kind is Kind.STRING)
        rest = _after_parentheses(rest)
    while rest and rest[0].word in _SIGNS:
        text += " " + rest[0].text.lower()
        rest = rest[1:]
    return text, labels, rest[2:] if rest and rest[0].word == "SRID" else rest


def _column_type(text: str, labels: tuple[str, ...], charset: str | None) -> ColumnType:
    word = text.partition("(")[0].strip().upper()
    if word in _LABELLED:
        return replace(parse_column_type(f"{word.lower()}('')"), text=text, members=labels)
    return parse_column_type(text, charset)


# An attribute that is a fixed word or two → the member of `_Attributes` that it sets, the value, and its tokens.
_FIXED: Mapping[tuple[str, ...], tuple[str, bool | str, int]] = {
    ("NOT", "NULL"): ("null", False, 2),
    ("NULL",): ("null", True, 1),
    ("ON", "UPDATE"): ("on_update", True, 3),
    ("AUTO_INCREMENT",): ("auto_increment", True, 1),
    ("UNIQUE", "KEY"): ("unique", True, 2),
    ("UNIQUE",): ("unique", True, 1),
    ("PRIMARY", "KEY"): ("primary", True, 2),
    ("KEY",): ("primary", True, 1),
    ("AS",): ("generated", "virtual", 1),
    ("STORED",): ("generated", "stored", 1),
    ("PERSISTENT",): ("generated", "stored", 1),
    ("BINARY",): ("is_binary", True, 1),
    ("FIRST",): ("is_first", True, 1),
}


@dataclass(slots=True)
class _Attributes:
    """The attributes after the type of a column, as far as they were read."""

    null: bool | None = None
    default: Default = ABSENT
    charset: str | None = None
    collation: str | None = None
    generated: Literal["virtual", "stored"] | None = None
    auto_increment: bool = False
    on_update: bool = False
    primary: bool = False
    unique: bool = False
    is_binary: bool = False
    is_first: bool = False
    after: str | None = None

    def read(self, sql: str, pieces: Sequence[Token]) -> Sequence[Token]:
        """Read the first attribute; the tokens after it."""
        words = tuple(piece.word for piece in pieces[:2])
        fixed = _FIXED.get(words) or _FIXED.get(words[:1])
        if fixed is not None:
            name, value, used = fixed
            setattr(self, name, value)
            return pieces[used:]
        if words == ("SERIAL", "DEFAULT"):  # and VALUE
            self.null, self.auto_increment, self.unique = False, True, True
            return pieces[3:]
        if words[0] == "DEFAULT":
            self.default, rest = _read_default(sql, pieces[1:])
            return rest
        if words[0] in ("CHARSET", "COLLATE") or is_character_set(pieces):
            at = 2 if is_character_set(pieces) else 1
            name = pieces[at].text if len(pieces) > at else ""
            setattr(self, "collation" if words[0] == "COLLATE" else "charset", name)
            return pieces[at + 1 :]
        if words[0] == "AFTER" and len(pieces) > 1:
            self.after = pieces[1].text
            return pieces[2:]
        if words[0] == "REFERENCES":
            return _after_reference(pieces[1:])
        if words[0] in ("COMMENT", "COLUMN_FORMAT", "STORAGE"):
            return pieces[2:]
        return _after_parentheses(pieces) if pieces[0].is_mark("(") else pieces[1:]


def _after_reference(pieces: Sequence[Token]) -> Sequence[Token]:
    """The tokens after a reference to a table: its columns, MATCH, ON DELETE and ON UPDATE."""
    _, rest = table_name(pieces)
    if rest and rest[0].is_mark("("):
        rest = _after_parentheses(rest)
    while rest and rest[0].word in ("MATCH", "ON"):
        used = 2 if rest[0].word == "MATCH" else 4 if rest[2:] and rest[2].word in ("SET", "NO") else 3
        rest = rest[used:]
    return rest


def read_column(sql: str, pieces: Sequence[Token], charset: str | None, version: Version | None = None) -> Defined:
    """The column in a definition, in a table of that charset: as the parser of a version reads it, else as a server.

    Raises `Rejected`: class `type` for an unknown type, `syntax` for a type or an attribute that the version does not
    know.
    """
    text, labels, rest = _read_type(sql, pieces[1:])
    unknown: Set[str] = frozenset() if version is None else version.unknown_words
    if (type_words := text.partition("(")[0].upper()) in unknown:
        raise Rejected("syntax", f"{type_words} is unknown")
    given = _Attributes()
    # The older parser sees a collation only next to the type, and none behind labels.
    has_older_parser = version is not None and not version.newer_parser
    is_next_to_type = not labels
    while rest:
        word = rest[0].word
        if not unknown.isdisjoint((word, " ".join(piece.word for piece in rest[:2]))):
            raise Rejected("syntax", f"{rest[0].text} is unknown")
        is_next_to_type = is_next_to_type and word in ("CHARSET", "CHARACTER", "CHAR", "COLLATE", "BINARY")
        is_unseen = has_older_parser and word == "COLLATE" and not is_next_to_type
        rest = rest[2:] if is_unseen else given.read(sql, rest)
    if given.is_binary and version is not None and version.newer_parser:
        words, *size = re.split(r"(?=\()", text, maxsplit=1)
        text = "".join((_MISREAD_BEFORE_BINARY.get(words.upper(), words), *size))
    is_serial = text.upper() == "SERIAL"
    own_charset = given.charset or (charset_of_collation(given.collation) if given.collation else None)
    column_type = _column_type(text, labels, own_charset or charset)
    if given.is_binary:
        column_type = replace(column_type, text=f"{column_type.text} binary")
    column = Column(
        name=pieces[0].text,
        type=column_type,
        nullable=given.null is not False and not given.primary and not is_serial,
        default=given.default,
        charset=own_charset,
        collation=given.collation,
        generated=given.generated,
        auto_increment=given.auto_increment or is_serial,
        on_update_now=given.on_update,
    )
    return Defined(column, given.primary, given.unique or is_serial, given.null, given.is_first, given.after)


def _read_default(sql: str, pieces: Sequence[Token]) -> tuple[Default, Sequence[Token]]:
    """The default after the word DEFAULT, and the tokens after it."""
    if not pieces:
        return ABSENT, pieces
    if pieces[0].is_mark("("):
        used = len(inside(pieces)) + 2
        return Expression(raw(sql, pieces[:used])), pieces[used:]
    match = _VALUE.match(sql, pieces[0].start)
    if not match:
        return ABSENT, pieces[1:]
    text, rest = match[0], [piece for piece in pieces if piece.start >= match.end()]
    while rest and text.endswith(("'", '"')) and rest[0].kind is Kind.STRING:  # a comment stands between the texts
        text, rest = f"{text} {raw(sql, rest[:1])}", rest[1:]
    return None if text.upper() == "NULL" else Expression(text), rest


def read_key(pieces: Sequence[Token]) -> DefinedKey | None:
    """The primary or unique key that a table element defines, None for another index or a constraint."""
    if pieces[0].word == "CONSTRAINT":
        pieces = pieces[1:] if len(pieces) > 1 and is_key(pieces[1:]) else pieces[2:]
    if not pieces or pieces[0].word not in ("PRIMARY", "UNIQUE"):
        return None
    opening = next((index for index, piece in enumerate(pieces) if piece.is_mark("(")), len(pieces))
    names = [piece for piece in pieces[1:opening] if piece.word not in ("KEY", "INDEX", "USING", "BTREE", "HASH")]
    columns = tuple(part[0].text for part in split(inside(pieces[opening:]), ",") if part and not part[0].is_mark("("))
    return DefinedKey(pieces[0].word == "PRIMARY", names[0].text if names else "", columns)


def key_names(table: Table, *, snapshot: bool) -> tuple[str, ...]:
    """The columns of a record's key, in their order in the index.  [DBZ-250]

    The primary key, else the first unique key that the definition of a column declares or whose columns are all NOT
    NULL. A key that a column declares has the name of the column. In a snapshot no column declares a key, since the
    server prints keys as lists.
    """
    if table.primary_key:
        return table.primary_key
    for key in table.unique_keys:
        columns = [table.column(name) for name in key.columns]
        is_inline = not snapshot and key.columns == (key.name,)
        if is_inline or all(column is not None and not column.nullable for column in columns):
            return key.columns
    return ()


def _own_name(table: Table, name: str) -> str:
    """The name of a column as its table spells it, found without regard to letter case."""
    return next((column.name for column in table.columns if column.name.lower() == name.lower()), name)


def keyed(table: Table, names: tuple[str, ...], *, not_null: bool) -> Table:
    """The table with these columns as its primary key; `not_null` also makes them NOT NULL."""
    names = tuple(_own_name(table, name) for name in names)
    columns = tuple(
        replace(column, nullable=False) if not_null and column.name in names else column for column in table.columns
    )
    return replace(table, primary_key=names, columns=columns)


def add_unique(table: Table, names: tuple[str, ...]) -> Table:
    """The table after a unique key is added, which becomes its key if it has none and the columns are NOT NULL."""
    columns = [table.column(_own_name(table, name)) for name in names]
    if table.primary_key or not columns or any(column is None or column.nullable for column in columns):
        return table
    return keyed(table, names, not_null=False)


def table_charset(pieces: Sequence[Token], *, by_collation: bool = True) -> str | None:
    """The charset in the options of a table or schema, None without one.

    With `by_collation` a collation implies the charset; the connector does so for schemas, but not for tables.
    """
    charset = collation = None
    for index, piece in enumerate(pieces):
        value = next((p.text for p in pieces[index + 1 : index + 4] if not p.is_mark("=") and p.word != "SET"), None)
        if piece.word == "CHARSET" or is_character_set(pieces[index : index + 2]):
            charset = value
        elif piece.word == "COLLATE":
            collation = value
    return charset or (charset_of_collation(collation) if collation and by_collation else None)


def define(sql: str, schema: str, name: str, body: Sequence[Token], charset: str, version: Version) -> Table:
    """The table that a CREATE TABLE defines by the elements `body` in its parentheses, for the parser of a version.

    Raises `Rejected` as `read_column` does.
    """
    elements = [part for part in split(body, ",") if part]
    defined = [read_column(sql, part, charset, version) for part in elements if not is_key(part)]
    table = Table(schema, name, tuple(d.column for d in defined), charset=charset)
    for element in defined:
        if element.primary:
            table = keyed(table, (element.column.name,), not_null=True)
    keys = [key for part in elements if is_key(part) and (key := read_key(part))]
    for key in keys:
        if key.is_primary:
            table = keyed(table, key.columns, not_null=True)
    unique_columns = [element.column.name for element in defined if element.unique]
    if not table.primary_key and unique_columns:
        table = keyed(table, (unique_columns[0],), not_null=False)
    for key in keys:
        if not key.is_primary:
            table = add_unique(table, key.columns)
    return table
