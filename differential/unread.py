"""Malformed lines of captures, passed on as records with an empty value and the problem in the key.

Every runner passes records on, and a record has no other column for the problem.
"""

from __future__ import annotations

from reference_impl.model import Record

__all__ = ["message_of", "problem_of"]

_MARK = b"\0ticdc-conformance: "


def message_of(record: Record | None, file: str, byte: int, problem: str | None) -> Record:
    """The record of a line, or, for a malformed line, a record with its problem, file and offset."""
    if record is not None:
        return record
    return Record(_MARK + f"{file}, byte {byte}: {problem}".encode("utf-8", "backslashreplace"), b"")


def problem_of(record: Record) -> str | None:
    """The problem that a record of `message_of` carries, None for an ordinary record."""
    if record.value != b"" or record.key is None or not record.key.startswith(_MARK):
        return None
    return record.key.removeprefix(_MARK).decode("utf-8", "backslashreplace")
