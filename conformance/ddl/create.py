"""CREATE TABLE: columns, keys, and the charset of the table."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.ddl.draft import Draft, column_of, implied_charset
from conformance.ddl.keys import KeyKind, is_key, is_nonclustered, read_key
from conformance.errors import UsageError
from reference_impl.sql_tokens import Kind, Token, inside, split
from reference_impl.upstream.debezium.definitions import is_character_set

__all__ = ["Charset", "charset_in", "columns_and_keys", "with_quoted_names"]

Charset = tuple[str | None, str | None]
"""A charset and a collation, None if the text has none."""


def with_quoted_names(pieces: Sequence[Token], sql: str) -> Sequence[Token]:
    """The pieces; if one name stands in double quotes, everything in double quotes becomes a name.

    In MySQL a double quote opens a text, or, if `sql_mode` has ANSI_QUOTES, always a name.
    """
    quoted = [at for at, piece in enumerate(pieces) if _is_double(piece, sql)]
    if not any(at and (pieces[at - 1].is_mark(".") or pieces[at - 1].word in _BEFORE_NAMES) for at in quoted):
        return pieces
    return [Token(Kind.NAME, p.text, p.start, p.end) if _is_double(p, sql) else p for p in pieces]


def _is_double(piece: Token, sql: str) -> bool:
    return piece.kind is Kind.STRING and sql[piece.start] == '"'


# A name follows, and never a text.
_BEFORE_NAMES = ("TABLE", "EXISTS", "ON", "USE", "DATABASE", "SCHEMA", "TO", "REFERENCES")


def charset_in(options: Sequence[Token], present: Charset = (None, None)) -> Charset:
    """The charset and the collation that options leave to a table or a schema that had the `present` ones."""
    charset = collation = None
    for at, piece in enumerate(options):
        rest = [p for p in options[at + 1 : at + 4] if not p.is_mark("=")]
        if is_character_set(options[at : at + 2]):
            charset = rest[1].text if len(rest) > 1 else None
        elif piece.word == "CHARSET" and rest:
            charset = rest[0].text
        elif piece.word == "COLLATE" and rest:
            collation = rest[0].text
    charset, collation = (_named(one) for one in (charset, collation))
    charset = charset or (implied_charset(collation) if collation else None)
    return (charset, collation) if charset else (present[0], collation or present[1])


def _named(value: str | None) -> str | None:
    """The name in lower case; None for DEFAULT, which names nothing."""
    return None if value is None or value.lower() == "default" else value.lower()


def columns_and_keys(draft: Draft, rest: Sequence[Token], default: Charset) -> None:
    """Read the text after the name of the table: its columns in parentheses, and its options.

    `default` is that of the schema: its charset and collation. Raises `UsageError` or `Rejected` for unreadable SQL.
    """
    body = inside(rest)
    if len(body) + 1 >= len(rest):
        raise UsageError("the list of columns is never closed")
    options = rest[len(body) + 2 :]
    if any(piece.word == "SELECT" for piece in options):
        raise UsageError("a query adds columns to it: write its columns out")
    draft.charset, draft.collation = charset_in(options, default)
    elements = [part for part in split(body, ",") if part]
    keys = [read_key(part) for part in elements if is_key(part)]
    is_index = {KeyKind.PRIMARY, KeyKind.UNIQUE, KeyKind.INDEX, KeyKind.UNORDERED}
    draft.reserved_names = frozenset(key.name.lower() for key in keys if key.kind in is_index)
    for part in (element for element in elements if not is_key(element)):
        draft.put(column_of(draft.sql, part, draft.charset))
    for key in sorted(keys, key=lambda key: key.kind is KeyKind.FOREIGN):
        draft.add_key(key)
    draft.reserved_names = frozenset()
    draft.clustered = not is_nonclustered(body)
