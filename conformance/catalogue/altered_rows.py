"""Computes the effect of ALTER TABLE on an existing row, where it is plain.

Plain are columns that are added (also with a literal default), renamed, dropped or made NOT NULL, and whole numbers
that become other whole numbers or texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from conformance.catalogue.workload import column_type
from reference_impl.column_types import INTEGERS, TEXT, Family
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Default, Expression, Value
from reference_impl.sql_tokens import Kind, Token, inside, skip, split, tokens

__all__ = ["Cells", "Unclear", "actions_of", "altered", "defaults_of"]

Cells: TypeAlias = Mapping[str, tuple[Family, Value]]
"""A row: by column the family of its type, and its value."""

_NO_COLUMN = frozenset(
    {"INDEX", "KEY", "UNIQUE", "PRIMARY", "FULLTEXT", "SPATIAL", "CONSTRAINT", "FOREIGN", "CHECK"}
    | {"PARTITION", "PARTITIONING"}
)
_ZERO: Mapping[Family, str] = {**dict.fromkeys(INTEGERS, "0"), **dict.fromkeys(TEXT, "")}


class Unclear(Exception):
    """Raised where the effect of a statement on a row is not plain."""


def altered(cells: Cells, statement: str, actions: Sequence[Token]) -> Cells:
    """The row after the actions of an ALTER TABLE. Raises `Unclear`."""
    row = dict(cells)
    for action in split(actions, ","):
        if action:
            _apply(row, statement, action)
    return row


def _apply(row: dict[str, tuple[Family, Value]], statement: str, action: Sequence[Token]) -> None:
    word, rest = action[0].word, skip(action[1:], "COLUMN")
    if not rest or rest[0].word in _NO_COLUMN:
        return
    if word == "ADD":
        for definition in split(inside(rest), ",") if rest[0].is_mark("(") else (rest,):
            row[definition[0].text] = _added(statement, definition[1:])
    elif word == "DROP":
        row.pop(rest[0].text, None)
    elif word == "RENAME" and action[1].word == "COLUMN":
        row[rest[2].text] = row.pop(rest[0].text)
    elif word in ("CHANGE", "MODIFY"):
        old, definition = rest[0].text, rest[1 if word == "CHANGE" else 0 :]
        row[definition[0].text] = _converted(*row.pop(old), statement, definition[1:])


def _family(statement: str, definition: Sequence[Token]) -> Family:
    first = definition[0]
    end = first.end
    if len(definition) > 1 and definition[1].is_mark("("):
        end = definition[1 + len(inside(definition[1:])) + 1].end
    try:
        return column_type(statement[first.start : end]).family
    except Rejected as e:
        raise Unclear(e.message) from None


def _is_not_null(definition: Sequence[Token]) -> bool:
    words = [piece.word for piece in definition]
    return ("NOT", "NULL") in pairwise(words) or "PRIMARY" in words


def _added(statement: str, definition: Sequence[Token]) -> tuple[Family, Value]:
    words = [piece.word for piece in definition]
    family = _family(statement, definition)
    if "AS" in words or "AUTO_INCREMENT" in words:
        raise Unclear("a column is computed")
    if "DEFAULT" in words:
        default = definition[words.index("DEFAULT") + 1]
        literal = default.text if default.kind is Kind.STRING or default.text.isdecimal() else None
        if default.word == "NULL":
            return family, None
        if literal is None or family not in _ZERO:
            raise Unclear("a default is no plain literal")
        return family, literal
    return family, _zero(family) if _is_not_null(definition) else None


def _zero(family: Family) -> str:
    if family not in _ZERO:
        raise Unclear("a zero of another type than a whole number or text")
    return _ZERO[family]


def _converted(family: Family, value: Value, statement: str, definition: Sequence[Token]) -> tuple[Family, Value]:
    new = _family(statement, definition)
    if value is None:
        return new, _zero(new) if _is_not_null(definition) else None
    if new is not family and not (family in INTEGERS and new in _ZERO):
        raise Unclear("a column was converted")
    return new, value


def actions_of(statement: str) -> Sequence[Token]:
    """The tokens of an ALTER TABLE after the name of its table."""
    pieces = skip(tokens(statement), "ALTER", "TABLE")
    return pieces[3 if len(pieces) > 1 and pieces[1].is_mark(".") else 1 :]


def defaults_of(statement: str, actions: Sequence[Token]) -> Mapping[str, Default]:
    """The defaults that the actions of an ALTER TABLE set or drop, by column."""
    found: dict[str, Default] = {}
    for action in split(actions, ","):
        rest = skip(action[1:], "COLUMN")
        words = [piece.word for piece in rest[1:3]]
        if not action or action[0].word != "ALTER" or len(words) < 2 or words[1] != "DEFAULT":
            continue
        if words[0] == "DROP":
            found[rest[0].text] = ABSENT
        elif words[0] == "SET" and len(rest) > 3:
            is_null = rest[3].word == "NULL"
            found[rest[0].text] = None if is_null else Expression(statement[rest[3].start : rest[-1].end])
    return found
