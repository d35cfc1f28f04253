"""What a record is about, taken leniently out of its bytes: a small reader of its own, which judges nothing.

It recognises the kinds of records, and gives a record of rows one `Mark` a row. It must not refuse: of a record that
cannot be read it says what can still be seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.oracle.upstream.alignment import Mark

__all__ = ["TOMBSTONE", "RecordKind", "RecordSummary", "canonical", "columns_of", "glimpse", "text_at"]


class RecordKind(StrEnum):
    """What a record is."""

    ROWS = "rows"
    DDL = "a statement that changes a schema"
    STATEMENT = "the text of a statement"
    TRANSACTION = "the border of a transaction without rows"
    TRUNCATION = "the truncation of a table"
    OTHER = "neither rows nor anything that is known"


@dataclass(frozen=True, slots=True)
class RecordSummary:
    """A record as it is seen: its kind, and for rows their marks in order and the columns of the first."""

    kind: RecordKind
    marks: tuple[Mark, ...] = ()
    columns: tuple[str, ...] = ()


def canonical(tree: Any) -> str:
    """A text that is equal where trees are."""
    return json.dumps(tree, sort_keys=True, ensure_ascii=False)


def text_at(tree: Any, name: str) -> str | None:
    """The text of a member, None if there is none."""
    value = tree.get(name) if isinstance(tree, Mapping) else None
    return value if isinstance(value, str) else None


def glimpse(data: bytes | None, name: str) -> str | None:
    """The text of a member of a document that cannot be read, as far as it can be seen."""
    found = re.search(rb'"%s"\s*:\s*"((?:[^"\\]|\\.)*)"' % name.encode(), data or b"")
    return found[1].decode("utf-8", "replace") if found else None


def columns_of(row: Any) -> tuple[str, ...]:
    """The columns of a row, none if it is not one."""
    return tuple(row) if isinstance(row, dict) else ()


TOMBSTONE = "tombstone"
"""What the mark of a tombstone has for an operation."""
