"""The CPU time and memory of this process and its children, from /proc; Linux only."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

__all__ = ["Watched"]

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_EVERY = 0.2  # seconds between two measurements
_PARENT, _USER, _SYSTEM, _RESIDENT = 1, 11, 12, 21  # fields of /proc/PID/stat, from the state on


def _stats() -> dict[int, list[str]]:
    """Process id → the fields of its /proc/PID/stat from the state on, for every process of the machine."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue  # the process has ended meanwhile
            found[int(folder.name)] = text[text.rindex(")") + 2 :].split()
    return found


def _tree() -> Iterator[tuple[int, list[str]]]:
    """This process and all of its descendants, each with its fields."""
    stats = _stats()
    children: dict[int, list[int]] = {}
    for pid, fields in stats.items():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        if pid in stats:
            yield pid, stats[pid]
        waiting += children.get(pid, [])


class Watched:
    """A context manager that measures this process and its descendants five times a second.

    `peak` is the greatest sum of resident memory, in bytes; it is an upper bound, since a page that processes share
    counts once for each of them. A process that ends is counted up to its last measurement.
    """

    def __init__(self) -> None:
        self.peak = 0
        self._cores: dict[int, int] = {}
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def core_seconds(self) -> float:
        """Time on cores up to now."""
        self._look()
        return sum(self._cores.values()) / _TICKS

    def _look(self) -> None:
        with self._lock:
            resident = 0
            for pid, fields in _tree():
                self._cores[pid] = int(fields[_USER]) + int(fields[_SYSTEM])
                resident += int(fields[_RESIDENT]) * _PAGE
            self.peak = max(self.peak, resident)

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY):
            self._look()
