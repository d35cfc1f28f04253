"""Computes the effect of ALTER TABLE on an existing row, where it is plain.

Plain are columns that are added (also with a literal default), renamed, dropped or made NOT NULL, whole numbers that
become other whole numbers or texts, and texts of another length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from conformance.catalogue.workload import column_type
from reference_impl.column_types import INTEGERS, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Default, Expression, Value
from reference_impl.sql_tokens import (
    Kind,
    TableName,
    Token,
    inside,
    named_table,
    skip,
    skip_wait,
    split,
    table_name,
    tokens,
)

__all__ = ["Cell", "Cells", "Unclear", "altered", "defaults_of", "new_name_of", "table_and_actions"]


class Cell(NamedTuple):
    """The content of a column in a row."""

    type: ColumnType
    value: Value
    is_now: bool = False  # it holds the time of its statement, which is unknown; `value` is None


Cells: TypeAlias = Mapping[str, Cell]
"""A row: column → cell."""

# Words that begin the definition of something other than a column.
_NO_COLUMN = frozenset(
    {"INDEX", "KEY", "UNIQUE", "PRIMARY", "FULLTEXT", "SPATIAL", "CONSTRAINT", "FOREIGN", "CHECK"}
    | {"PARTITION", "PARTITIONING"}
)
_ZERO: Mapping[Family, str] = {**dict.fromkeys(INTEGERS, "0"), **dict.fromkeys(TEXT, "")}


class Unclear(Exception):
    """Raised where the effect of a statement on a row is not plain."""


def altered(cells: Cells, statement: str, actions: Sequence[Token]) -> Cells:
    """The row after the actions of an ALTER TABLE. Raises `Unclear`, or LookupError for an unknown column."""
    # Every action names columns as they were before the statement, which may swap two names.
    old, new = dict(cells), dict[str, Cell]()
    for action in split(actions, ","):
        if action:
            _apply(old, new, statement, action)
    return {**old, **new}


def _apply(old: dict[str, Cell], new: dict[str, Cell], statement: str, action: Sequence[Token]) -> None:
    """Takes columns that an action drops, renames or redefines out of `old`, and puts their successors into `new`."""
    word, named = action[0].word, skip(action[1:], "COLUMN")
    rest = skip(named, "IF", "NOT", "EXISTS")
    is_conditional = len(rest) < len(named)
    if not rest or rest[0].word in _NO_COLUMN:
        return
    if word == "ADD":
        for definition in split(inside(rest), ",") if rest[0].is_mark("(") else (rest,):
            if not (is_conditional and definition[0].text in old):
                new[definition[0].text] = _added(statement, definition[1:])
    elif is_conditional and rest[0].text not in old:
        return
    elif word == "DROP":
        old.pop(rest[0].text, None)
    elif word == "RENAME" and action[1].word == "COLUMN":
        new[rest[2].text] = old.pop(rest[0].text)  # rest[1] is TO
    elif word in ("CHANGE", "MODIFY"):
        name, definition = rest[0].text, rest[1 if word == "CHANGE" else 0 :]
        new[definition[0].text] = _converted(old.pop(name), statement, definition[1:])


def _type(statement: str, definition: Sequence[Token]) -> ColumnType:
    first = definition[0]
    end = first.end
    if len(definition) > 1 and definition[1].is_mark("("):
        end = definition[1 + len(inside(definition[1:])) + 1].end
    try:
        return column_type(statement[first.start : end])
    except Rejected as e:
        raise Unclear(e.message) from None


def _is_not_null(definition: Sequence[Token]) -> bool:
    words = [piece.word for piece in definition]
    return ("NOT", "NULL") in pairwise(words) or "PRIMARY" in words


def _added(statement: str, definition: Sequence[Token]) -> Cell:
    """The cell of a new column in an existing row."""
    words = [piece.word for piece in definition]
    column_type = _type(statement, definition)
    if "AS" in words or "AUTO_INCREMENT" in words:
        raise Unclear("a column is computed")
    if "DEFAULT" not in words:
        return Cell(column_type, _zero(column_type) if _is_not_null(definition) else None)
    default = definition[words.index("DEFAULT") + 1]
    if default.word == "NULL":
        return Cell(column_type, None)
    if column_type.family not in _ZERO or not (default.kind is Kind.STRING or default.text.isdecimal()):
        raise Unclear("a default is no plain literal")
    return Cell(column_type, default.text)


def _zero(column_type: ColumnType) -> str:
    if column_type.family not in _ZERO:
        raise Unclear("a zero of another type than a whole number or text")
    return _ZERO[column_type.family]


def _converted(cell: Cell, statement: str, definition: Sequence[Token]) -> Cell:
    """A cell after its column is defined anew."""
    old, new = cell.type, _type(statement, definition)
    if cell.value is None and not cell.is_now:
        return Cell(new, _zero(new) if _is_not_null(definition) else None)
    is_of_one_size = (new.length, new.scale) == (old.length, old.scale)
    is_kept = new.family is old.family and (new.family in _ZERO or is_of_one_size)
    if not is_kept and not (old.family in INTEGERS and new.family in _ZERO):
        raise Unclear("a column was converted")
    return cell._replace(type=new)


def table_and_actions(statement: str, session_schema: str) -> tuple[tuple[str, str], Sequence[Token]]:
    """(schema, name) of the table of an ALTER TABLE, and the tokens of its actions.

    Raises LookupError for another statement.
    """
    rest = skip(tokens(statement), "ALTER", "ONLINE", "IGNORE")
    if not rest or rest[0].word != "TABLE":
        raise LookupError(f"not ALTER TABLE: {statement}")
    table, actions = named_table(skip(rest[1:], "IF", "EXISTS"), session_schema)
    return table, skip_wait(actions)


def new_name_of(actions: Sequence[Token]) -> TableName | None:
    """The name that the actions of an ALTER TABLE give the table, if any."""
    for action in split(actions, ","):
        if action and action[0].word == "RENAME":
            name, rest = table_name(skip(action[1:], "TO", "AS"))
            if not rest:  # a column or an index is followed by its names
                return name
    return None


def defaults_of(statement: str, actions: Sequence[Token]) -> Mapping[str, Default]:
    """The defaults that the actions of an ALTER TABLE set or drop, by column."""
    found: dict[str, Default] = {}
    for action in split(actions, ","):
        rest = skip(action[1:], "COLUMN", "IF", "EXISTS")
        words = [piece.word for piece in rest[1:3]]
        if not action or action[0].word != "ALTER" or len(words) < 2 or words[1] != "DEFAULT":
            continue
        if words[0] == "DROP":
            found[rest[0].text] = ABSENT
        elif words[0] == "SET" and len(rest) > 3:
            is_null = rest[3].word == "NULL"
            found[rest[0].text] = None if is_null else Expression(statement[rest[3].start : rest[-1].end])
    return found
