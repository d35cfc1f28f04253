"""Guards the log of a step of GitHub Actions, where a line that begins with `::` is a command.

A harness's answer may stand at the beginning of a line, after blanks. If it begins with `::`, a blank between the
colons keeps it visible and without effect.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

__all__ = ["for_commands", "only_own_commands"]

_OLD_COMMAND = "##["


class _WithoutCommands:
    """A stream that disarms commands in what it writes; all else goes to the stream behind it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._before = ""
        """What was written of the current line, as long as that is blanks and one colon at most."""
        self._is_open = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write a text, which may continue a line."""
        self.stream.write("".join(map(self._disarmed, text.splitlines(keepends=True))))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def _disarmed(self, part: str) -> str:
        part = part.replace(_OLD_COMMAND, "## [")
        if self._is_open:
            whole = self._before + part
            begin = len(whole) - len(whole.lstrip())
            if whole.startswith("::", begin):
                # The first colon may have been written already.
                cut = max(begin + 1 - len(self._before), 0)
                part = f"{part[:cut]} {part[cut:]}"
            self._before = whole
            self._is_open = whole.strip() in ("", ":")
        if part.endswith(("\n", "\r")):
            self._before, self._is_open = "", True
        return part


@contextlib.contextmanager
def only_own_commands() -> Iterator[None]:
    """In a step of GitHub Actions, disarm commands in all output, except in what `for_commands` writes."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_WithoutCommands, streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def for_commands(stream: TextIO) -> TextIO:
    """The stream for the suite's own commands."""
    return stream.stream if isinstance(stream, _WithoutCommands) else stream
