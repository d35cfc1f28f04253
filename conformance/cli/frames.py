"""Prints the frames of a conversation when they are sent; with `-v` in full, and their records as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reference_impl.protocols import DIALECTS
from reports.inputs import record_lines

__all__ = ["Frames", "records_of"]

_SHOWN = 2000  # characters of a frame that are printed without -v


class Frames:
    """A `Trace` that prints the frames of sessions about one protocol; in full with `verbose`."""

    def __init__(self, protocol: str, *, verbose: bool) -> None:
        self._verbose = verbose
        # A record of a protocol with a registry is binary: its bytes begin with a schema id.
        self._schemas: Sequence[Mapping[str, Any]] | None = [] if DIALECTS[protocol].uses_registry else None

    def launched(self) -> None:
        print("        (started)")

    def sent(self, line: bytes) -> None:
        self._print(">", line)

    def received(self, line: bytes) -> None:
        self._print("<", line)

    def close(self) -> None:
        """Do nothing."""

    def _print(self, mark: str, line: bytes) -> None:
        text = line.decode("utf-8", "backslashreplace").rstrip("\n")
        if not self._verbose and len(text) > _SHOWN:
            text = f"{text[:_SHOWN]} … {len(text) - _SHOWN} more, see them with -v"
        print(f"{mark} {text}")
        for shown in records_of(line, self._schemas) if self._verbose else ():
            print(f"  {shown}")


def records_of(line: bytes, schemas: Sequence[Mapping[str, Any]] | None = None) -> Iterator[str]:
    """Keys and values of the records in a frame, as text if they are text. Empty for a malformed frame."""
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        return
    holder = frame.get("ok", frame) if isinstance(frame, dict) else None
    records = holder.get("records") if isinstance(holder, dict) else None
    for i, record in enumerate(records if isinstance(records, list) else ()):
        if isinstance(record, dict):
            for shown in record_lines(record, schemas, len(line)):
                yield f"records[{i}] {shown}"
