"""The guard: a process that ends the started implementations if the suite itself is killed."""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import subprocess
import sys
from itertools import count
from pathlib import Path

from conformance.transport import leftovers

__all__ = ["Guard", "guard"]


class Guard:
    """The guard of this process; it is started with the first child.

    If it cannot be started, the run goes on, but the children of a killed suite survive.
    """

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._mark = secrets.token_hex(8)
        self._children = count(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_ours(self) -> bool:
        """Whether this process made the guard; a fork inherits that of its parent."""
        return self._owner == os.getpid()

    def next_mark(self) -> str:
        """A new mark for the environment of a child; see `leftovers`."""
        return f"{self._mark}.{next(self._children)}"

    def watch(self, group: int) -> None:
        """Report the process group of a new child to the guard, which is started for the first one."""
        if self._process is None:
            argv = [sys.executable, "-I", "-S", str(Path(leftovers.__file__)), self._mark]
            null = subprocess.DEVNULL
            with contextlib.suppress(OSError):
                self._process = subprocess.Popen(
                    argv, stdin=subprocess.PIPE, stdout=null, stderr=null, start_new_session=True, bufsize=0
                )
                atexit.register(self._end)
        self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Report to the guard that all processes of a group have ended."""
        self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(line.encode())

    def _end(self) -> None:
        if self._process is not None and self.is_ours:
            self._process.communicate()


_guard = Guard()


def guard() -> Guard:
    """The guard of this process."""
    global _guard
    if not _guard.is_ours:
        _guard = Guard()
    return _guard
