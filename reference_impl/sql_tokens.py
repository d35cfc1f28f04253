"""Splits SQL statements into tokens: words, names, texts and marks, without comments.

It does not parse statements: callers use the tokens that they know and ignore the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

__all__ = [
    "Kind",
    "TableName",
    "Token",
    "inside",
    "named_table",
    "skip",
    "skip_wait",
    "split",
    "statements",
    "table_name",
    "tokens",
    "unquoted_name",
]


class Kind(Enum):
    """The kinds of tokens."""

    WORD = auto()
    NAME = auto()  # in back quotes
    STRING = auto()
    MARK = auto()


class Token(NamedTuple):
    """A token of a statement."""

    kind: Kind
    text: str  # without quotes
    start: int  # the indexes of its first character in the statement, and of the character after it
    end: int

    @property
    def word(self) -> str:
        """The text of a word in upper case; empty for other tokens."""
        return self.text.upper() if self.kind is Kind.WORD else ""

    def is_mark(self, mark: str) -> bool:
        """Whether the token is that punctuation mark."""
        return self.text == mark and self.kind is Kind.MARK


# The content of comments that the database executes is part of the statement; no release of MySQL or MariaDB executes
# those of release 99999. TiDB does, but a statement does not say its database (docs/comparing.md).
_PIECE = re.compile(
    r"""
      (?P<skip> \s+ | --(?=[\s])[^\n]* | --\Z | \#[^\n]* | /\*T?!(?!99999)(?:\[[^\]]*\])?[0-9]*
                | /\*(?!T?!(?!99999)).*?\*/ | \*/ )
    | (?P<name> `(?:[^`]|``)*` )
    | (?P<single> '(?:[^'\\]|''|\\.)*' )
    | (?P<double> "(?:[^"\\]|""|\\.)*" )
    | (?P<word> [0-9A-Za-z_$\u0080-\U0010FFFF]+ )
    | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
# Wildcards keep the backslash; any other character stands for itself.
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def _unquoted(text: str) -> str:
    quote = text[0]
    body = text[1:-1].replace(quote * 2, quote)
    return body if quote == "`" else _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), body)


def unquoted_name(text: str) -> str:
    """A name as a statement has it, without its back quotes if it has any."""
    return _unquoted(text) if text.startswith("`") else text


_KINDS = {"name": Kind.NAME, "single": Kind.STRING, "double": Kind.STRING, "word": Kind.WORD, "mark": Kind.MARK}


def tokens(statement: str) -> list[Token]:
    """The tokens of a statement, without comments."""
    pieces = []
    for match in _PIECE.finditer(statement):
        group = match.lastgroup
        if group is not None and group != "skip":
            kind = _KINDS[group]
            text = match[0] if kind is Kind.WORD or kind is Kind.MARK else _unquoted(match[0])
            pieces.append(Token(kind, text, *match.span()))
    return pieces


def split(pieces: Sequence[Token], mark: str) -> Iterator[Sequence[Token]]:
    """The parts of the tokens between such marks outside parentheses."""
    depth = start = 0
    for index, piece in enumerate(pieces):
        if piece.is_mark("("):
            depth += 1
        elif piece.is_mark(")"):
            depth -= 1
        elif depth == 0 and piece.is_mark(mark):
            yield pieces[start:index]
            start = index + 1
    yield pieces[start:]


def statements(text: str) -> list[str]:
    """The statements of a text, separated by semicolons."""
    parts = [part for part in split(tokens(text), ";") if part]
    return [text[part[0].start : part[-1].end] for part in parts]


def skip(pieces: Sequence[Token], *words: str) -> Sequence[Token]:
    """The tokens after any leading `words`, which are optional but in this order."""
    for word in words:
        if pieces and pieces[0].word == word:
            pieces = pieces[1:]
    return pieces


def skip_wait(pieces: Sequence[Token]) -> Sequence[Token]:
    """The tokens after a leading WAIT n or NOWAIT: how long a statement of MariaDB waits for the table before it."""
    return pieces[2:] if pieces and pieces[0].word == "WAIT" else skip(pieces, "NOWAIT")


def inside(pieces: Sequence[Token]) -> Sequence[Token]:
    """The tokens inside the parentheses with which `pieces` begins."""
    depth = 0
    for index, piece in enumerate(pieces):
        depth += piece.is_mark("(") - piece.is_mark(")")
        if depth == 0:
            return pieces[1:index]
    return pieces[1:]


@dataclass(frozen=True, slots=True)
class TableName:
    """A table name; without `schema` it means a table in the schema of the session."""

    schema: str | None
    table: str


def table_name(pieces: Sequence[Token]) -> tuple[TableName | None, Sequence[Token]]:
    """The table name at the beginning, None without one, and the tokens after it."""
    if not pieces or pieces[0].kind is Kind.MARK:
        return None, pieces
    if len(pieces) > 2 and pieces[1].is_mark("."):
        return TableName(pieces[0].text, pieces[2].text), pieces[3:]
    return TableName(None, pieces[0].text), pieces[1:]


def named_table(pieces: Sequence[Token], session_schema: str) -> tuple[tuple[str, str], Sequence[Token]]:
    """(schema, name) of the table at the beginning, and the tokens after it. Raises LookupError without a name."""
    name, rest = table_name(pieces)
    if name is None:
        raise LookupError("no name of a table")
    return (name.schema or session_schema, name.table), rest
