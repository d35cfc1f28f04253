"""Writes the sent lines to files, for `--dump-stdin DIR`: the exact stdin of a child, to be fed to it again by hand."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from conformance.errors import UsageError

__all__ = ["StdinDump"]


class StdinDump:
    """A `Trace` that writes a file for each start: `<prefix>-0001.jsonl` and so on. Raises `UsageError`."""

    def __init__(self, folder: Path, prefix: str = "stdin") -> None:
        self._folder = folder
        self._prefix = prefix
        self._starts = 0
        self._file: BinaryIO | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise UsageError(f"--dump-stdin {folder}: {e.strerror}") from None

    def launched(self) -> None:
        """Begin the next file."""
        self.close()
        self._starts += 1
        path = self._folder / f"{self._prefix}-{self._starts:04}.jsonl"
        try:
            self._file = path.open("wb", buffering=0)
        except OSError as e:
            raise UsageError(f"--dump-stdin {path}: {e.strerror}") from None

    def sent(self, line: bytes) -> None:
        """Write a line, unbuffered."""
        if self._file is not None:
            self._file.write(line)

    def received(self, line: bytes) -> None:
        """Ignore answers."""

    def close(self) -> None:
        """Close the last file."""
        if self._file is not None:
            self._file.close()
            self._file = None
