"""Compares rows with letters that their producer lost and wrote as U+FFFD.

The charset of their columns lacks that character, so no encoder writes such rows. Therefore the row and the message get
a question mark for each lost letter, and the rest is compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from differential.decode.member_differences import MemberDifference
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
    found = [replace(row, before=_with_marks(row.before), after=_with_marks(row.after)) for row in rows]
    return found, replace(record, value=record.value.replace(lost, b"?"))


def _with_marks(row: Row | None) -> Row | None:
    if row is None:
        return None
    return {name: value.replace(_LOST, "?") if isinstance(value, str) else value for name, value in row.items()}


def without_stand_ins(found: Sequence[MemberDifference]) -> list[MemberDifference]:
    """The differences whose actual value has no question mark.

    `with_question_marks` may have caused the others: in some charsets a question mark is longer than the lost byte.
    """
    return [one for one in found if "?" not in (one[2] or "")]
