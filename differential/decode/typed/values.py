"""Converts columns of texts to canonical cells, a batch of messages at a time.

A reader takes a column of strings, with None for NULL and `UNSET` for an absent member. It returns the cells, and the
numbers of those that it is not sure of: a slower path must read their messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import orjson
from msgspec import UNSET

from differential.decode.quick.cells import UNSURE, Read
from differential.decode.quick.family import Member
from differential.decode.quick.grammar import LOOSE, STRING

__all__ = ["Column", "Reader", "Readers"]

Column: TypeAlias = "Sequence[Any]"
Reader: TypeAlias = Callable[[Column], tuple[Column, Sequence[int]]]

_MOST = 1 << 16  # values of a column in the cache
_SURE: Sequence[int] = ()


def _texts(column: Column) -> list[str]:
    return [value for value in column if value.__class__ is str]


def _mismatches_of(pattern: str) -> Callable[[Column], Sequence[int]]:
    """A function from a column to the numbers of its texts that do not match; one search covers the whole column."""
    one, all_of = re.compile(pattern).fullmatch, re.compile(f"(?>{pattern}\n)*+").fullmatch

    def mismatches(column: Column) -> Sequence[int]:
        try:
            together, count = "\n".join(column), len(column)
        except TypeError:  # there is NULL, or an absent member
            texts = _texts(column)
            together, count = "\n".join(texts), len(texts)
        if not count or (together.count("\n") == count - 1 and all_of(together + "\n")):
            return _SURE
        return [n for n, value in enumerate(column) if value.__class__ is str and not one(value)]

    return mismatches


def _as_they_are(pattern: str) -> Reader:
    """Texts that are already canonical."""
    mismatches = _mismatches_of(pattern)
    return lambda column: (column, mismatches(column))


def _padded(pattern: str, point: int, zeros: str) -> Reader:
    """Numbers that get `zeros` at the end if their decimal point is at the index `point`, such as -2."""
    mismatches = _mismatches_of(pattern)

    def read(column: Column) -> tuple[Column, Sequence[int]]:
        padded = [
            value + zeros if value.__class__ is str and value[point : point + 1] == "." else value for value in column
        ]
        return padded, mismatches(column)

    return read


def _sized(longest: int | None) -> Reader:
    """Any texts of at most `longest` characters."""
    if longest is None:
        return lambda column: (column, _SURE)
    most = longest

    def read(column: Column) -> tuple[Column, Sequence[int]]:
        if max(map(len, _texts(column)), default=0) <= most:
            return column, _SURE
        return column, [n for n, v in enumerate(column) if v.__class__ is str and len(v) > most]

    return read


class _CachedReader:
    """Converts texts by a reader of tokens, each text once while it is in the cache."""

    def __init__(self, token: str, read: Read) -> None:
        self._read = read
        self._is_token = None if token == STRING else re.compile(token.encode()).fullmatch
        self._forget()

    def _forget(self) -> None:
        self._known: dict[Any, Any] = {None: None, UNSET: UNSET}
        self._unsure: set[str] = set()

    def __call__(self, column: Column) -> tuple[Column, Sequence[int]]:
        try:
            found = list(map(self._known.__getitem__, column))
        except KeyError:
            if len(self._known) > _MOST:
                self._forget()
            self._learn([value for value in dict.fromkeys(column) if value not in self._known])
            found = list(map(self._known.__getitem__, column))
        if self._unsure and not self._unsure.isdisjoint(column):
            return found, [n for n, value in enumerate(column) if value in self._unsure]
        return found, _SURE

    def _learn(self, texts: Iterable[str]) -> None:
        fits = self._is_token
        tokens = {text: orjson.dumps(text) for text in texts}
        sure = [text for text, token in tokens.items() if fits is None or fits(token)]
        cells = self._read([tokens[text] for text in sure])
        read = [text for text, cell in zip(sure, cells, strict=True) if cell != UNSURE]
        values = orjson.loads(b"[%b]" % b",".join([cell for cell in cells if cell]))
        self._known.update(zip(read, values, strict=True))
        for text in tokens.keys() - set(read):
            self._known[text] = None
            self._unsure.add(text)


def _bare(token: str) -> str:
    """The pattern of a token without its quotes."""
    assert token[0] == token[-1] == '"'
    return token[1:-1]


def reader_of(member: Member, *, with_wide: bool = False) -> Reader:
    """The reader of a column's values; with `with_wide` also of values with the wider type code."""
    if member.token == LOOSE:
        return _sized(member.longest)
    if member.padded is not None:
        return _padded(_bare(member.token), *member.padded)
    if member.read is not None:
        return _CachedReader(member.token, member.read)
    bare = _bare(member.token)
    return _as_they_are(f"(?:{bare}|{_bare(member.wide)})" if with_wide and member.wide else bare)


def wide_reader_of(member: Member) -> Reader:
    """The reader of the values of a column with the wider type code."""
    assert member.wide is not None
    return never_null(_as_they_are(_bare(member.wide)))


def never_null(read: Reader) -> Reader:
    """A reader that is not sure of NULL."""

    def checked(column: Column) -> tuple[Column, Sequence[int]]:
        if None not in column:
            return read(column)
        return column, [n for n, value in enumerate(column) if value is None]

    return checked


def only_null(column: Column) -> tuple[Column, Sequence[int]]:
    """Reads nothing but NULL."""
    return column, [n for n, value in enumerate(column) if value is not None]


class Readers:
    """The readers of a table's columns.

    The readers in `of_any` read values of every type code; afterwards those of `of` check that the values fit the code
    in the message. The messages of all operations share the caches of the readers.
    """

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self.of_any = [reader_of(member, with_wide=True) for member in members]

    def of(self, number: int, code: object) -> Reader | None:
        """A reader, for the column of this number, that is not sure of values without a type code.

        None for a code that the column never has.
        """
        member = self.members[number]
        if member.wide and code == member.wide_code:
            return wide_reader_of(member)
        if member.null_code is not None and code == member.null_code:
            return only_null
        if code != member.code:
            return None
        plain = reader_of(member) if member.wide else _as_it_is
        return plain if member.null_code is None else never_null(plain)

    def may_differ(self, number: int) -> bool:
        """Whether values of a column may have different type codes."""
        member = self.members[number]
        return member.wide is not None or member.null_code is not None


def _as_it_is(column: Column) -> tuple[Column, Sequence[int]]:
    return column, _SURE
