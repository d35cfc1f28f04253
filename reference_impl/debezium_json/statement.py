"""Reads the column definitions and renames in a DDL statement, as far as DDL messages depend on them.

It is no SQL parser: it recognises a few shapes of statements and ignores the rest.  [DBZ-331]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reference_impl.sql_tokens import Kind, TableName, Token, inside, skip, split, table_name, tokens

__all__ = ["Definition", "Renaming", "definitions", "renamings"]


# Columns

# First words of elements of CREATE TABLE and ALTER TABLE … ADD that define no column.
_NO_COLUMN = frozenset(
    {
        *("PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "VECTOR", "COLUMNAR"),
        *("CONSTRAINT", "FOREIGN", "CHECK", "LIKE", "PARTITION", "STATS_EXTENDED"),
    }
)
_CLOCK_WORDS = frozenset({"NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A column as a statement defines it."""

    name: str
    type_word: str  # the first word of the type, in upper case
    length: int | None = None  # the first number in the parentheses of the type
    default: str | None = None  # the text of a DEFAULT that is a literal
    default_null: bool = False  # DEFAULT NULL
    default_now: bool = False  # DEFAULT CURRENT_TIMESTAMP or a synonym


def _number(pieces: Sequence[Token]) -> str | None:
    """The number with which the tokens begin; None for a number with a sign, and without a number."""
    if not (pieces and pieces[0].kind is Kind.WORD and pieces[0].text[0].isdecimal()):
        return None
    if len(pieces) > 2 and pieces[1].is_mark(".") and pieces[2].text.isdecimal():
        return f"{pieces[0].text}.{pieces[2].text}"
    return pieces[0].text


def _default(pieces: Sequence[Token]) -> dict[str, str | bool]:
    """A definition's DEFAULT clause, as members of `Definition`."""
    depth = 0
    for index, piece in enumerate(pieces[:-1]):
        depth += piece.is_mark("(") - piece.is_mark(")")
        if depth or piece.word != "DEFAULT":
            continue
        value = pieces[index + 1]
        if value.kind is Kind.STRING:
            return {"default": value.text}
        if value.word == "NULL":
            return {"default_null": True}
        if value.word in _CLOCK_WORDS:
            return {"default_now": True}
        number = _number(pieces[index + 1 :])
        return {} if number is None else {"default": number}
    return {}


def _definition(pieces: Sequence[Token]) -> Definition | None:
    """The definition of a column; None for another element, such as a key."""
    if len(pieces) < 2 or pieces[0].kind in (Kind.MARK, Kind.STRING) or pieces[0].word in _NO_COLUMN:
        return None
    length = None
    if len(pieces) > 3 and pieces[2].is_mark("(") and pieces[3].text.isdecimal():
        length = int(pieces[3].text)
    return Definition(pieces[0].text, pieces[1].word, length, **_default(pieces[2:]))  # type: ignore[arg-type]


def _created(pieces: Sequence[Token]) -> Iterator[Definition | None]:
    _, rest = table_name(skip(pieces, "TEMPORARY", "TABLE", "IF", "NOT", "EXISTS"))
    if rest and rest[0].is_mark("("):
        yield from map(_definition, split(inside(rest), ","))


def _altered(pieces: Sequence[Token]) -> Iterator[Definition | None]:
    _, rest = table_name(skip(pieces, "IGNORE", "TABLE", "IF", "EXISTS"))
    for clause in split(rest, ","):
        verb = clause[0].word if clause else ""
        if verb not in ("ADD", "MODIFY", "CHANGE"):
            continue
        body = skip(clause[1:], "COLUMN", "IF", "NOT", "EXISTS")
        if verb == "ADD" and body and body[0].is_mark("("):
            yield from map(_definition, split(inside(body), ","))
        else:
            yield _definition(body[1:] if verb == "CHANGE" else body)


# The columns that a statement defines, by its first word.
_DEFINITIONS_IN = {"CREATE": _created, "ALTER": _altered}


def definitions(statement: str) -> dict[str, Definition]:
    """The columns that a CREATE TABLE or ALTER TABLE defines, by name in the case of the statement."""
    pieces = tokens(statement)
    find = _DEFINITIONS_IN.get(pieces[0].word) if pieces else None
    return {} if find is None else {d.name: d for d in find(pieces[1:]) if d is not None}


# Tables that change names

# Words after RENAME in a clause of ALTER TABLE that renames something other than the table.
_NO_RENAMING = frozenset({"COLUMN", "INDEX", "KEY"})


@dataclass(frozen=True, slots=True)
class Renaming:
    """One table's change of name."""

    old: TableName
    new: TableName


def _renaming(old: TableName | None, rest: Sequence[Token]) -> Iterator[Renaming]:
    """The renaming of `old` to the name at the beginning of `rest`; nothing if either name is missing."""
    if rest and (rest[0].word in ("TO", "AS") or rest[0].is_mark("=")):
        rest = rest[1:]
    new, _ = table_name(rest)
    if old is not None and new is not None:
        yield Renaming(old, new)


def renamings(statement: str) -> list[Renaming]:
    """The renames of a RENAME TABLE or ALTER TABLE … RENAME, in order."""
    pieces = tokens(statement)
    verb = pieces[0].word if pieces else ""
    pairs: list[Renaming] = []
    if verb == "RENAME":
        for clause in split(skip(pieces[1:], "TABLE", "TABLES"), ","):
            pairs += _renaming(*table_name(clause))
    elif verb == "ALTER":
        old, rest = table_name(skip(pieces[1:], "IGNORE", "TABLE", "IF", "EXISTS"))
        for clause in split(rest, ","):
            words = [piece.word for piece in clause[:2]]
            if words[:1] == ["RENAME"] and _NO_RENAMING.isdisjoint(words):
                pairs += _renaming(old, clause[1:])
    return pairs
