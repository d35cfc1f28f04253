"""Keys and constraints as an element of CREATE TABLE, an action of ALTER TABLE, or a CREATE INDEX defines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from conformance.errors import UsageError
from reference_impl.sql_tokens import Kind, Token, inside, split

__all__ = ["KeyKind", "KeyPart", "is_key", "is_nonclustered", "read_key"]


class KeyKind(Enum):
    """The kinds of keys and constraints."""

    PRIMARY = auto()
    UNIQUE = auto()
    INDEX = auto()
    FOREIGN = auto()
    UNORDERED = auto()  # FULLTEXT, SPATIAL or VECTOR: messages do not show such an index
    OTHER = auto()  # a constraint without an index


@dataclass(frozen=True, slots=True)
class KeyPart:
    """A key or constraint, as its definition says."""

    kind: KeyKind
    name: str
    """Its name, or ""."""
    columns: tuple[str, ...]
    """Its columns in order, without expressions."""
    computed: bool = False
    """Whether it has an expression in place of a column."""


_KINDS = {
    "PRIMARY": KeyKind.PRIMARY,
    "UNIQUE": KeyKind.UNIQUE,
    "KEY": KeyKind.INDEX,
    "INDEX": KeyKind.INDEX,
    "FOREIGN": KeyKind.FOREIGN,
    "FULLTEXT": KeyKind.UNORDERED,
    "SPATIAL": KeyKind.UNORDERED,
    "VECTOR": KeyKind.UNORDERED,
}
_NO_NAMES = ("KEY", "INDEX", "USING", "TYPE", "BTREE", "HASH", "RTREE", "HNSW", "IF", "NOT", "EXISTS")


def is_key(pieces: Sequence[Token]) -> bool:
    """Whether an element is a key or a constraint, not a column."""
    if not pieces or pieces[0].kind is not Kind.WORD:
        return False
    word, then = pieces[0].word, pieces[1].word if len(pieces) > 1 else ""
    if word in ("PERIOD", "VECTOR"):  # names of columns, too
        return then in ("FOR", "KEY", "INDEX")
    return word in _KINDS or word in ("CHECK", "CONSTRAINT")


def read_key(pieces: Sequence[Token]) -> KeyPart:
    """The key of an element. Raises `UsageError` for a key without columns."""
    constraint, pieces = _constraint_name(pieces)
    kind = _KINDS.get(pieces[0].word, KeyKind.OTHER) if pieces else KeyKind.OTHER
    if kind is KeyKind.OTHER:
        return KeyPart(kind, constraint, ())
    opened = next((at for at, piece in enumerate(pieces) if piece.is_mark("(")), len(pieces))
    names = [piece.text for piece in pieces[1:opened] if piece.kind is Kind.NAME or piece.word not in _NO_NAMES]
    parts = [part for part in split(inside(pieces[opened:]), ",") if part]
    if not parts:
        raise UsageError(f"{'an index' if kind is KeyKind.INDEX else f'a {kind.name} key'} has no columns")
    columns = tuple(part[0].text for part in parts if not part[0].is_mark("("))
    named = [constraint, *names] if kind is KeyKind.FOREIGN else [*names, constraint]
    return KeyPart(kind, next(filter(None, named), ""), columns, computed=len(columns) < len(parts))


def _constraint_name(pieces: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """The name after a leading CONSTRAINT, "" without one, and the tokens after it."""
    if pieces[0].word != "CONSTRAINT":
        return "", pieces
    if len(pieces) == 1 or is_key(pieces[1:2]):
        return "", pieces[1:]
    return pieces[1].text, pieces[2:]


def is_nonclustered(pieces: Sequence[Token]) -> bool:
    """Whether the definition says NONCLUSTERED: TiDB then stores the rows separately from the primary key."""
    return any(piece.word == "NONCLUSTERED" for piece in pieces)
