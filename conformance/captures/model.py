"""A captured record, the place it came from, and what is known of its capture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conformance.captures.claims import ClaimFiles
from conformance.captures.schemas import CapturedSchemas
from reference_impl.model import Record, Table
from reference_impl.profiles import NEWARCH, Profile

__all__ = ["CaptureContext", "Captured", "Place"]


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


@dataclass(frozen=True, slots=True)
class CaptureContext:
    """What the user knows of a capture; the rest is inferred from its records."""

    protocol: str
    tables: tuple[Table, ...] = ()
    """Those before the first record, and later versions of them; a missing one is made from each record."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Those of the changefeed; missing ones are inferred."""
    profile: Profile = NEWARCH
    partitions: int | None = None
    """The number of partitions of the topic; None if only those in the capture are known."""
    timezone: str = "UTC"
    """That of the changefeed."""
    schemas: CapturedSchemas = field(default_factory=CapturedSchemas)
    """The content of the registry."""
    claims: ClaimFiles | None = None
    """The files of claim-check storage; None if they are not at hand."""
