"""Compares rows with letters that their producer lost: U+FFFD in columns whose charset does not have it.

No encoder writes such letters. The row and the message get a question mark for each, and the rest is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from differential.decode.unlike import Unlike
from reference_impl.model import Record, Row, RowChange

__all__ = ["with_question_marks", "without_stand_ins"]

_LOST = "\ufffd"


def with_question_marks(rows: Sequence[RowChange], record: Record) -> tuple[list[RowChange], Record] | None:
    """The rows and their message with a question mark for every lost letter.

    None without lost letters.
    """
    lost = _LOST.encode()
    if record.value is None or lost not in record.value:
        return None
    found = [replace(row, before=_row(row.before), after=_row(row.after)) for row in rows]
    return found, replace(record, value=record.value.replace(lost, b"?"))


def _row(row: Row | None) -> Row | None:
    if row is None:
        return None
    return {name: value.replace(_LOST, "?") if isinstance(value, str) else value for name, value in row.items()}


def without_stand_ins(found: Sequence[Unlike]) -> list[Unlike]:
    """The differences without a question mark: in some charsets it is longer than the byte that it replaces."""
    return [one for one in found if "?" not in (one[2] or "")]
