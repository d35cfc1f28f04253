"""Converts columns of JSON tokens to canonical cells, a batch at a time.

A token is a value as JSON, quotes included; None stands for an absent member. A reader of a column returns a cell for
each token: canonical JSON, or `UNSURE` if the slow path must read the message. Conversions of single values are cached,
at most `_MOST` of them.
"""

from __future__ import annotations

import binascii
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import orjson

from differential.decode.versions import folded
from reference_impl.column_types import TEXT
from reference_impl.errors import Rejected
from reference_impl.model import Table

__all__ = [
    "NULL",
    "UNSURE",
    "CellCache",
    "Column",
    "Read",
    "Token",
    "Unsure",
    "binaries",
    "binaries_of_base64",
    "each",
    "folding",
    "texts",
]

Token: TypeAlias = "bytes | None"
Column: TypeAlias = "Sequence[Token]"
Read: TypeAlias = "Callable[[Column], Column]"

UNSURE = b""
NULL = b"null"

_MOST = 1 << 15
_BLANK = ord(" ")
_BACKSLASH = ord("\\")  # searching bytes for a number is five times faster than for a text of one byte


class Unsure(Exception):
    """Raised for a token that the slow path must read."""


class CellCache(dict[Token, Token]):
    """The cells of tokens.

    `convert` raises `Unsure`, `Rejected` or ValueError where it is not sure.
    """

    def __init__(self, convert: Callable[[bytes], bytes]) -> None:
        super().__init__({NULL: NULL, None: None})
        self._convert = convert

    def __missing__(self, token: bytes) -> bytes:
        try:
            cell = self._convert(token)
        except (Unsure, Rejected, ValueError):
            cell = UNSURE
        if len(self) >= _MOST:
            self.clear()
            self.update({NULL: NULL, None: None})
        self[token] = cell
        return cell


def each(convert: Callable[[bytes], bytes]) -> Read:
    """A reader that converts the tokens of a column one by one."""
    cell_of = CellCache(convert).__getitem__
    return lambda column: list(map(cell_of, column))


def texts(longest: int | None) -> Read:
    """A reader of texts of at most `longest` characters, from tokens of the pattern `LOOSE`.

    Texts without escapes are already canonical.
    """
    most = sys.maxsize if longest is None else longest + 2

    def cell(token: bytes) -> bytes:
        text = orjson.loads(token)
        if longest is not None and len(text) > longest:
            raise Unsure
        return orjson.dumps(text)

    import numpy  # not at the top of the module: commands that compare nothing need no numpy

    one_by_one = each(cell)

    def read(column: Column) -> Column:
        given: Any = list(filter(None, column)) if None in column else column
        if not given:
            return column
        together = b"".join(given)
        is_short = max(map(len, given)) <= most
        try:
            if not together.isascii():
                together.decode()  # raises for what is not UTF-8
            if numpy.frombuffer(together, numpy.uint8).min() < _BLANK:
                return one_by_one(column)
            if is_short and _BACKSLASH not in together:
                return column
            odd = [
                n
                for n, token in enumerate(column)
                if token is not None and (_BACKSLASH in token or len(token) > most) and token != NULL
            ]
            found = orjson.loads(b"[%b]" % b",".join([column[n] or NULL for n in odd]))
        except ValueError:
            return one_by_one(column)
        if longest is not None and max(map(len, found), default=0) > longest:
            return one_by_one(column)
        cells = list(column)
        for n, text in zip(odd, found, strict=True):
            cells[n] = orjson.dumps(text)
        return cells

    return read


def binaries(longest: int | None, *, padded: int = 0, stripped: bool = False) -> Read:
    """A reader of bytes written as characters, at most `longest`, padded with zeros to `padded` bytes.

    With `stripped` the token must not end in such zeros.
    """

    def cell(token: bytes) -> bytes:
        data = orjson.loads(token).encode("latin-1")
        if (longest is not None and len(data) > longest) or (stripped and data.endswith(b"\0")):
            raise Unsure
        return b'{"base64":"%b"}' % binascii.b2a_base64(data.ljust(padded, b"\0"), newline=False)

    return each(cell)


def binaries_of_base64(longest: int | None, *, padded: int = 0) -> Read:
    """A reader of bytes in base64, at most `longest`, padded with zeros to `padded` bytes."""

    def cell(token: bytes) -> bytes:
        data = binascii.a2b_base64(token[1:-1], strict_mode=True)
        if longest is not None and len(data) > longest:
            raise Unsure
        text = binascii.b2a_base64(data, newline=False)
        if text != token[1:-1]:
            raise Unsure
        if len(data) < padded:
            text = binascii.b2a_base64(data.ljust(padded, b"\0"), newline=False)
        return b'{"base64":"%b"}' % text

    return each(cell)


def folding(table: Table, name: str) -> Read | None:
    """A reader that maps texts which are equal in the collation to equal cells.

    None without a collation.
    """
    column = table.column(name)
    collation = column.collation if column is not None and column.type.family in TEXT else None
    if not collation:
        return None

    def cell(token: bytes) -> bytes:
        text = orjson.loads(token)
        return orjson.dumps(folded(text, collation)) if isinstance(text, str) else token

    return each(cell)
