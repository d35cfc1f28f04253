"""The one member that Squirrel calls by another name: `db` is what Canal calls `database`."""

from __future__ import annotations

import re
from dataclasses import replace

from reference_impl.model import Record

__all__ = ["as_canal", "as_squirrel", "is_named"]

CANALS, OWN = b'"database"', b'"db"'
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


def _place(value: bytes, name: bytes) -> int | None:
    """Where a message has a member of that name; None if it has none."""
    depth = 0
    for token in _TOKEN.finditer(value):
        if token[0] in b"{[":
            depth += 1
        elif token[0] in b"}]":
            depth -= 1
        elif depth == 1 and token[0] == name and value[token.end() :].lstrip()[:1] == b":":
            return token.start()
    return None


def is_named(value: bytes) -> bool:
    """Whether a message has the member by Canal's name."""
    return _place(value, CANALS) is not None


def _renamed(record: Record, old: bytes, new: bytes) -> Record:
    value = record.value or b""
    at = _place(value, old)
    return record if at is None else replace(record, value=value[:at] + new + value[at + len(old) :])


def as_canal(record: Record) -> Record:
    """The record as Canal writes it."""
    return _renamed(record, OWN, CANALS)


def as_squirrel(record: Record) -> Record:
    """The record of Canal as Squirrel writes it."""
    return _renamed(record, CANALS, OWN)
