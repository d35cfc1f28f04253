"""A captured record and the place it came from."""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.model import Record

__all__ = ["Captured", "Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a capture: the file, the line from 1, the byte offset of the line in the decompressed file."""

    file: str
    line: int = 0
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}, byte {self.offset}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Captured:
    """A record, or the problem that kept it from being read; with both, the record is judged too."""

    record: Record | None
    place: Place
    problem: str | None = None
    is_ours: bool = False
    """The problem is a fault of the suite."""
