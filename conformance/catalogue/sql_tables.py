"""Tables out of a person's DDL: the CREATE TABLE statements of a script, as `mysqldump --no-data` prints them.

Other statements are passed over, but for USE. Defaults become value strings where they are literals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

from conformance.errors import UsageError
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.errors import Rejected
from reference_impl.model import Column, Default, Expression, Key, Table
from reference_impl.sql_tokens import Kind, Token, inside, skip, split, statements, table_name, tokens
from reference_impl.upstream.debezium.definitions import is_key, read_column, read_key, table_charset
from reference_impl.values import check_text

__all__ = ["default_of", "tables_of_sql"]

_BITS = re.compile(r"(?:[bB]'([01]+)'|0b([01]+))\Z")
_HEX = re.compile(r"(?:[xX]'([0-9A-Fa-f]+)'|0x([0-9A-Fa-f]+))\Z")
_TRUTHS = {"TRUE": "1", "FALSE": "0"}
_NUMBER = re.compile(r"[+-]? ?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")


def tables_of_sql(text: str, what: str) -> list[Table]:
    """The tables that a script creates, in order; `what` names the script in messages.

    Raises `UsageError` for a table without a schema, a column type that is none, and a script without any table.
    """
    found: list[Table] = []
    schema: str | None = None
    for number, statement in enumerate(statements(text), 1):
        pieces = tokens(statement)
        if pieces[0].word == "USE" and len(pieces) > 1:
            schema = pieces[1].text
        elif pieces[0].word == "CREATE" and (rest := skip(pieces[1:], "TEMPORARY", "TABLE")) != pieces[1:]:
            try:
                found.append(_table(statement, rest, schema))
            except (Rejected, UsageError) as e:
                raise UsageError(f"{what}, statement {number}: {e}") from None
    if not found:
        raise UsageError(f"{what}: there is no CREATE TABLE statement with columns")
    return found


def _table(statement: str, pieces: Sequence[Token], schema: str | None) -> Table:
    name, rest = table_name(skip(pieces, "IF", "NOT", "EXISTS"))
    if name is None or not rest or not rest[0].marks("("):
        raise UsageError("a CREATE TABLE without a list of columns: write its columns out")
    schema = name.schema or schema
    if schema is None:
        raise UsageError(f"the table {name.table!r} has no schema: write `schema`.`{name.table}`, or USE before it")
    body = inside(rest)
    options = rest[len(body) + 2 :]
    charset, collation = table_charset(options), _collation(options)
    elements = [part for part in split(body, ",") if part]
    defined = [read_column(statement, part, charset) for part in elements if not is_key(part)]
    keys = [found for part in elements if is_key(part) and (found := read_key(part))]
    primary = tuple(one.column.name for one in defined if one.primary)
    primary = next((key.columns for kind, key in keys if kind == "primary"), primary)
    uniques = [Key(one.column.name, (one.column.name,)) for one in defined if one.unique]
    uniques += [replace(key, name=key.name or key.columns[0]) for kind, key in keys if kind == "unique"]
    own = {one.column.name.lower(): one.column.name for one in defined}  # MySQL's names of columns have no case
    if twice := [name for name, n in Counter(one.column.name.lower() for one in defined).items() if n > 1]:
        raise UsageError(f"the table has two columns {twice[0]!r}")
    keyed = (primary, *(key.columns for key in uniques))
    try:
        primary, *others = (tuple(own[name.lower()] for name in names) for names in keyed)
    except KeyError as e:
        raise UsageError(f"a key names the column {e}, which the table does not have") from None
    uniques = [replace(key, columns=names) for key, names in zip(uniques, others, strict=True)]
    columns = tuple(_column(one.column, primary, collation) for one in defined)
    return Table(schema, name.table, columns, primary, tuple(uniques), charset=charset, create_sql=statement)


def _collation(options: Sequence[Token]) -> str | None:
    """The collation that the options of a table name."""
    at = next((n for n, piece in enumerate(options) if piece.word == "COLLATE"), None)
    return None if at is None else next((p.text for p in options[at + 1 :] if not p.marks("=")), None)


def _column(column: Column, primary: Sequence[str], collation: str | None) -> Column:
    nullable = column.nullable and column.name not in primary
    inherits = column.type.family in TEXT and column.charset is None and column.collation is None
    return replace(
        column,
        nullable=nullable,
        default=default_of(column),
        collation=collation if inherits else column.collation,
    )


def default_of(column: Column) -> Default:
    """The default as a value string, where the definition has a literal."""
    given = column.default
    if not isinstance(given, Expression):
        return given
    literal = _literal(given.text)
    if literal is None or column.type.family in BINARY:
        return given if literal is None else literal
    try:
        value = _fitted(column, literal)
        check_text(column.type, value)
    except (Rejected, ArithmeticError):
        return given
    return value


def _literal(text: str) -> str | None:
    """What a literal says, None for an expression."""
    if bits := _BITS.match(text):
        return str(int(bits[1] or bits[2], 2))
    if digits := _HEX.match(text):
        return str(int(digits[1] or digits[2], 16))
    if _NUMBER.match(text):
        return text.replace(" ", "")
    if text.upper() in _TRUTHS:
        return _TRUTHS[text.upper()]
    pieces = tokens(text)
    return pieces[0].text if len(pieces) == 1 and pieces[0].kind is Kind.STRING else None


def _fitted(column: Column, literal: str) -> str:
    """The literal in the form of the column's values."""
    kind = column.type
    if kind.family is Family.DECIMAL:
        return f"{Decimal(literal).quantize(Decimal(1).scaleb(-(kind.scale or 0)), ROUND_HALF_UP):f}"
    if kind.family in INTEGERS or kind.family in (Family.YEAR, Family.BIT):
        return f"{Decimal(literal).quantize(Decimal(1), ROUND_HALF_UP):f}"
    if kind.family in (Family.TIME, Family.DATETIME, Family.TIMESTAMP):
        whole, _, fraction = literal.partition(".")
        kept = fraction[: kind.fsp].ljust(kind.fsp, "0")
        return f"{whole}.{kept}" if kept else whole
    return literal
