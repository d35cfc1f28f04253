"""What a DDL statement's text says of columns, as far as DDL messages depend on it, and of tables that change names.

A tokenizer and a few shapes of statements, no SQL parser: what it does not recognise it leaves alone.  [DBZ-331]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["Definition", "Renaming", "Token", "definitions", "renamings", "statements", "tokens"]


class _Is(Enum):
    WORD = auto()
    NAME = auto()  # in back quotes
    STRING = auto()
    MARK = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a statement; `text` is without quotes, `word` in upper case and empty for anything but a bare word."""

    kind: _Is
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.upper() if self.kind is _Is.WORD else ""

    def marks(self, mark: str) -> bool:
        """Whether this is that punctuation mark."""
        return self.kind is _Is.MARK and self.text == mark


# Comments that the database executes are opened and closed, and their content is part of the statement.
_PIECE = re.compile(
    r"""
      (?P<skip> \s+ | --(?=[\s])[^\n]* | --\Z | \#[^\n]* | /\*(?:T?!(?:\[[^\]]*\])?[0-9]*) | /\*(?!T?!).*?\*/ | \*/ )
    | (?P<name> `(?:[^`]|``)*` )
    | (?P<single> '(?:[^'\\]|''|\\.)*' )
    | (?P<double> "(?:[^"\\]|""|\\.)*" )
    | (?P<word> [0-9A-Za-z_$\u0080-\U0010FFFF]+ )
    | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}


def _unquoted(text: str) -> str:
    quote = text[0]
    body = text[1:-1].replace(quote * 2, quote)
    return body if quote == "`" else _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), body)


_KINDS = {"name": _Is.NAME, "single": _Is.STRING, "double": _Is.STRING, "word": _Is.WORD, "mark": _Is.MARK}


def tokens(statement: str) -> list[Token]:
    """The pieces of a statement without comments."""
    found = []
    for match in _PIECE.finditer(statement):
        group = match.lastgroup
        if group is not None and group != "skip":
            kind = _KINDS[group]
            text = _unquoted(match[0]) if kind in (_Is.NAME, _Is.STRING) else match[0]
            found.append(Token(kind, text, match.start(), match.end()))
    return found


def _split(pieces: Sequence[Token], mark: str) -> Iterator[Sequence[Token]]:
    """The parts between marks that stand in no parentheses."""
    depth = start = 0
    for at, piece in enumerate(pieces):
        if piece.marks("("):
            depth += 1
        elif piece.marks(")"):
            depth -= 1
        elif depth == 0 and piece.marks(mark):
            yield pieces[start:at]
            start = at + 1
    yield pieces[start:]


def statements(text: str) -> list[str]:
    """The statements of a text, which have semicolons between them."""
    parts = [part for part in _split(tokens(text), ";") if part]
    return [text[part[0].start : part[-1].end] for part in parts]


def _skip(pieces: Sequence[Token], *words: str) -> Sequence[Token]:
    """The pieces after those of `words` that stand at the beginning, in that order."""
    for word in words:
        if pieces and pieces[0].word == word:
            pieces = pieces[1:]
    return pieces


def _inside(pieces: Sequence[Token]) -> Sequence[Token]:
    """What stands in the parentheses that `pieces` begins with."""
    depth = 0
    for at, piece in enumerate(pieces):
        depth += piece.marks("(") - piece.marks(")")
        if depth == 0:
            return pieces[1:at]
    return pieces[1:]


@dataclass(frozen=True, slots=True)
class TableName:
    """A table name; `schema` is None where the statement leaves it to the session."""

    schema: str | None
    table: str


def _table_name(pieces: Sequence[Token]) -> tuple[TableName | None, Sequence[Token]]:
    """A table name at the beginning, and what follows it."""
    if not pieces or pieces[0].kind is _Is.MARK:
        return None, pieces
    if len(pieces) > 2 and pieces[1].marks("."):
        return TableName(pieces[0].text, pieces[2].text), pieces[3:]
    return TableName(None, pieces[0].text), pieces[1:]


# Columns

_NO_COLUMN = frozenset(
    {
        *("PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "VECTOR", "COLUMNAR"),
        *("CONSTRAINT", "FOREIGN", "CHECK", "LIKE", "PARTITION", "STATS_EXTENDED"),
    }
)
_CLOCK_WORDS = frozenset({"NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A column as a statement defines it.

    `length` is the first number in the parentheses of its type. `default` is the text of a literal DEFAULT, None for
    one that is not there or no literal; `default_null` and `default_now` tell DEFAULT NULL and the time of the change.
    """

    name: str
    type_word: str
    length: int | None = None
    default: str | None = None
    default_null: bool = False
    default_now: bool = False


def _number(pieces: Sequence[Token]) -> str | None:
    """A number without a sign at the beginning."""
    if not (pieces and pieces[0].kind is _Is.WORD and pieces[0].text[0].isdigit()):
        return None
    if len(pieces) > 2 and pieces[1].marks(".") and pieces[2].text.isdigit():
        return f"{pieces[0].text}.{pieces[2].text}"
    return pieces[0].text


def _default(pieces: Sequence[Token]) -> dict[str, str | bool]:
    """What a definition's DEFAULT clause says, as members of `Definition`."""
    depth = 0
    for at, piece in enumerate(pieces[:-1]):
        depth += piece.marks("(") - piece.marks(")")
        if depth or piece.word != "DEFAULT":
            continue
        given = pieces[at + 1]
        if given.kind is _Is.STRING:
            return {"default": given.text}
        if given.word == "NULL":
            return {"default_null": True}
        if given.word in _CLOCK_WORDS:
            return {"default_now": True}
        number = _number(pieces[at + 1 :])
        return {} if number is None else {"default": number}
    return {}


def _definition(pieces: Sequence[Token]) -> Definition | None:
    if len(pieces) < 2 or pieces[0].kind in (_Is.MARK, _Is.STRING) or pieces[0].word in _NO_COLUMN:
        return None
    length = None
    if len(pieces) > 3 and pieces[2].marks("(") and pieces[3].text.isdigit():
        length = int(pieces[3].text)
    return Definition(pieces[0].text, pieces[1].word, length, **_default(pieces[2:]))  # type: ignore[arg-type]


def _created(pieces: Sequence[Token]) -> Iterator[Definition | None]:
    _, rest = _table_name(_skip(pieces, "TEMPORARY", "TABLE", "IF", "NOT", "EXISTS"))
    if rest and rest[0].marks("("):
        yield from map(_definition, _split(_inside(rest), ","))


def _altered(pieces: Sequence[Token]) -> Iterator[Definition | None]:
    _, rest = _table_name(_skip(pieces, "IGNORE", "TABLE", "IF", "EXISTS"))
    for clause in _split(rest, ","):
        verb = clause[0].word if clause else ""
        if verb not in ("ADD", "MODIFY", "CHANGE"):
            continue
        body = _skip(clause[1:], "COLUMN", "IF", "NOT", "EXISTS")
        if verb == "ADD" and body and body[0].marks("("):
            yield from map(_definition, _split(_inside(body), ","))
        else:
            yield _definition(body[1:] if verb == "CHANGE" else body)


_DEFINING = {"CREATE": _created, "ALTER": _altered}


def definitions(statement: str) -> dict[str, Definition]:
    """The columns that a CREATE TABLE or ALTER TABLE defines, by name as it is spelled."""
    pieces = tokens(statement)
    find = _DEFINING.get(pieces[0].word) if pieces else None
    return {} if find is None else {d.name: d for d in find(pieces[1:]) if d is not None}


# Tables that change names


@dataclass(frozen=True, slots=True)
class Renaming:
    """One table's change of name."""

    old: TableName
    new: TableName


def _renaming(old: TableName | None, rest: Sequence[Token]) -> Iterator[Renaming]:
    if rest and (rest[0].word in ("TO", "AS") or rest[0].marks("=")):
        rest = rest[1:]
    new, _ = _table_name(rest)
    if old is not None and new is not None:
        yield Renaming(old, new)


def renamings(statement: str) -> list[Renaming]:
    """The tables that a RENAME TABLE or ALTER TABLE … RENAME gives another name, in order."""
    pieces = tokens(statement)
    verb = pieces[0].word if pieces else ""
    found: list[Renaming] = []
    if verb == "RENAME":
        for clause in _split(_skip(pieces[1:], "TABLE", "TABLES"), ","):
            found += _renaming(*_table_name(clause))
    elif verb == "ALTER":
        old, rest = _table_name(_skip(pieces[1:], "TABLE", "IF", "EXISTS"))
        for clause in _split(rest, ","):
            if clause and clause[0].word == "RENAME" and (len(clause) < 2 or clause[1].word not in _NO_RENAMING):
                found += _renaming(old, clause[1:])
    return found


_NO_RENAMING = frozenset({"COLUMN", "INDEX", "KEY"})
