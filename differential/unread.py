"""Lines of captures that hold no record, which travel as messages: no value, and why in the key.

A frame has no other place for it, and every runner has frames.
"""

from __future__ import annotations

from reference_impl.model import Record

__all__ = ["message_of", "problem_of"]

_MARK = b"\0ticdc-conformance: "


def message_of(record: Record | None, file: str, byte: int, problem: str | None) -> Record:
    """The record of a line; for a line without one a message that says why, and where in which file."""
    if record is not None:
        return record
    return Record(_MARK + f"{file}, byte {byte}: {problem}".encode("utf-8", "backslashreplace"), b"")


def problem_of(record: Record) -> str | None:
    """Why a line holds no record, None for a record."""
    if record.value != b"" or record.key is None or not record.key.startswith(_MARK):
        return None
    return record.key.removeprefix(_MARK).decode()
