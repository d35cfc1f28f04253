"""The common parts of messages of the canal family: rows of texts, and a type code for each column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from differential.decode.canonical import canonical
from differential.decode.quick.cells import Read, Unsure, folding
from differential.decode.quick.grammar import between, exact
from differential.decode.quick.plan import Field, Plan
from reference_impl.column_types import ColumnType
from reference_impl.keys import handle_key
from reference_impl.model import Table, Value

__all__ = [
    "OPS",
    "Convert",
    "Member",
    "code_after",
    "code_first",
    "converter",
    "integer_tokens",
    "joined",
    "plan_of",
    "row",
    "some_of_row",
    "subjects",
    "value_after",
    "value_first",
    "value_unless_same",
]

Convert: TypeAlias = "Callable[[bytes], bytes]"

OPS = {"insert": "INSERT", "update": "UPDATE", "delete": "DELETE"}


def converter(kind: ColumnType, read: Callable[[str], Value], write: Callable[[Value], str]) -> Convert:
    """The slow path for a single token.

    It raises `Unsure` for a text that the dialect would write differently.
    """

    def convert(token: bytes) -> bytes:
        text = orjson.loads(token)
        value = read(text)
        if write(value) != text:
            raise Unsure
        return orjson.dumps(canonical(kind, value))

    return convert


def subjects(values: Sequence[bytes | None], keys: Sequence[bytes | None]) -> Sequence[bytes | None]:
    """The texts for the patterns: the values of messages without a key."""
    if not any(keys):
        return values
    return [None if key else value for value, key in zip(values, keys, strict=True)]


@dataclass(frozen=True, slots=True)
class Member:
    """A column in the form that the messages have it."""

    name: str
    literal: str  # the name as JSON
    shown: str  # the `mysqlType` as JSON
    token: str  # the pattern of values with the code `code`
    read: Read | None  # the reader of tokens; None if they are canonical already
    code: int  # the type code (`sqlType`)
    wide: str | None = None  # the pattern of values with the code `wide_code`
    wide_code: int = 0
    null_code: int | None = None  # the code of NULL if it differs from `code`

    @property
    def any_token(self) -> str:
        """The pattern of every token."""
        return f"(?:null|{self.token}|{self.wide})" if self.wide else f"(?:null|{self.token})"


def integer_tokens(kind: ColumnType, *, widens: bool) -> tuple[str, str | None]:
    """The patterns of integers with the code of their type, and with that of the next wider one."""
    if not widens:
        return f'"{exact(kind)}"', None
    limit = 1 << (kind.bits - 1)
    return f'"{between(0, limit - 1)}"', f'"{between(limit, kind.maximum)}"'


def joined(members: Sequence[Member], value: Callable[[int, Member], str]) -> str:
    """The pattern of an object with a member for each column."""
    pairs = (f"{re.escape(member.literal)}:{value(number, member)}" for number, member in enumerate(members))
    return r"\{" + ",".join(pairs) + r"\}"


def _named(image: str, number: int, member: Member) -> str:
    return f"(?P<{image}{number}>{member.any_token})" if image else member.any_token


def row(members: Sequence[Member], image: str) -> str:
    """The pattern of a whole row, its values in the groups of an image.

    Without groups for the image "".
    """
    return joined(members, lambda number, member: _named(image, number, member))


def some_of_row(members: Sequence[Member], image: str) -> str:
    """The pattern of some members of a row, in order.

    The quote before a name is matched first: then the letter behind the quote rules out most absent names at once.
    """
    parts = (
        rf'(?:{re.escape(member.literal[1:])}:{_named(image, number, member)}(?:,"(?!\}})|(?=\}}))|)'
        for number, member in enumerate(members)
    )
    return r'\{(?:"(?!\})|(?=\}))' + "".join(parts) + r"\}"


def code_first(number: int, member: Member) -> str:
    """A `sqlType` code that stands before its value."""
    return f"(?:{member.code}|(?P<w{number}>{member.wide_code}))" if member.wide else str(member.code)


def value_after(image: str) -> Callable[[int, Member], str]:
    """A value behind its code."""

    def value(number: int, member: Member) -> str:
        token = f"null|{member.token}"
        return f"(?P<{image}{number}>{f'(?(w{number}){member.wide}|(?:{token}))' if member.wide else token})"

    return value


def value_unless_same(number: int, member: Member) -> str:
    """A value of the image after, behind its code.

    Its group stays empty if it equals the value before, except in a column with two codes.

    The two alternatives never match the same text, so a mismatch is found without backtracking.
    """
    value = value_after("a")(number, member)
    return value if member.wide else f"(?:(?P=b{number})|(?!(?P=b{number})){value})"


def value_first(image: str) -> Callable[[int, Member], str]:
    """A value before its code."""

    def value(number: int, member: Member) -> str:
        if member.null_code is not None:
            return f"(?P<{image}{number}>{member.token}|(?P<n{number}>null))"
        wide = f"|(?P<w{number}>{member.wide})" if member.wide else ""
        return f"(?P<{image}{number}>null|{member.token}{wide})"

    return value


def code_after(number: int, member: Member) -> str:
    """The code of the value before it."""
    if member.null_code is not None:
        return f"(?(n{number}){member.null_code}|{member.code})"
    return f"(?(w{number}){member.wide_code}|{member.code})" if member.wide else str(member.code)


def plan_of(table: Table, members: Iterable[Member], *, has_commit_ts: bool) -> Plan | None:
    """The plan of a table, None if it has no key."""
    key = handle_key(table)
    if not key:
        return None
    fields = [Field(member.name, member.read, folding(table, member.name)) for member in members]
    return Plan(table.schema, table.name, fields, key, has_commit_ts=has_commit_ts)
