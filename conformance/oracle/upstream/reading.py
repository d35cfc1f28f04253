"""A lenient reader: the kind of a record, and an `Identity` for each of its rows.

It judges nothing and refuses nothing; from a record that it cannot parse it takes what is legible.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.oracle.upstream.alignment import Identity

__all__ = ["TOMBSTONE", "RecordKind", "RecordSummary", "canonical", "columns_of", "glimpse"]


class RecordKind(StrEnum):
    """The kinds of records of an upstream producer."""

    ROWS = "rows"
    DDL = "a statement that changes a schema"
    STATEMENT = "the text of a statement"
    TRANSACTION = "the border of a transaction without rows"
    TRUNCATION = "the truncation of a table"
    OTHER = "neither rows nor anything that is known"


@dataclass(frozen=True, slots=True)
class RecordSummary:
    """A record as it is read: its kind, and for rows their identities in order and the columns of the first."""

    kind: RecordKind
    identities: tuple[Identity, ...] = ()
    columns: tuple[str, ...] = ()


def canonical(tree: Any) -> str:
    """The tree as a text that is the same for equal trees."""
    return json.dumps(tree, sort_keys=True, ensure_ascii=False)


def glimpse(data: bytes | None, name: str) -> str | None:
    """The text of a member in bytes that are no JSON document, None if it is not legible."""
    match = re.search(rb'"%s"\s*:\s*"((?:[^"\\]|\\.)*)"' % name.encode(), data or b"")
    return match[1].decode("utf-8", "replace") if match else None


def columns_of(row: Any) -> tuple[str, ...]:
    """The columns of a row; empty if it is no JSON object."""
    return tuple(row) if isinstance(row, dict) else ()


TOMBSTONE = "tombstone"
"""The operation in the identity of a tombstone."""
