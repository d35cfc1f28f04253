"""A running producer, and its records as it writes them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from harnesses.providers.service import ServiceError, close_stdin, guarded, tail

__all__ = ["Silent", "Stream", "streaming"]

_TO_END = 10  # seconds that a producer may take to end
_SECONDS = 60  # that it may take for the next line


class Silent(ServiceError):
    """Raised if a producer sends nothing within the time limit."""


class Stream:
    """The records of a running producer, and its `log`."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.log = log
        self._name = name
        self._lines: Queue[bytes | None] = Queue()
        self._output = process.stdout
        Thread(target=self._read, daemon=True, name=f"output of {name}").start()

    def _read(self) -> None:
        assert self._output is not None
        with suppress(ValueError, OSError):
            for line in self._output:
                self._lines.put(line)
        self._lines.put(None)

    def await_reading(self) -> None:
        """Wait until the producer says that it reads the binary log; records before that are kept for `next`.

        Raises `ServiceError`.
        """
        records = []
        while "reading" not in (line := self._next(_SECONDS)):
            records.append(line)
        for record in records:
            self._lines.put(json.dumps(record).encode())

    def next(self, seconds: float = _SECONDS) -> Mapping[str, Any]:
        """The next record. Raises `ServiceError` if the producer fails or ends, `Silent` after the time limit."""
        while "reading" in (line := self._next(seconds)):
            pass
        return line

    def _next(self, seconds: float) -> Mapping[str, Any]:
        """The next line of the producer: a record, or `{"reading": …}` once it reads the binary log."""
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            raise Silent(f"{self._name} sends nothing for {seconds:g} s ({self.log}): {tail(self.log)}") from None
        if line is None:
            self._lines.put(None)
            raise ServiceError(f"{self._name} ended ({self.log}): {tail(self.log)}")
        found: Mapping[str, Any] = json.loads(line)
        if "failed" in found:
            raise ServiceError(f"{self._name} fails: {found['failed']}")
        return found


@contextmanager
def streaming(name: str, command: Sequence[str], log: Path) -> Iterator[Stream]:
    """A producer that runs within the block, and ends with this process. Raises `ServiceError`."""
    with log.open("ab") as out:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": out}
        with guarded(command, close_stdin, _TO_END, **pipes) as process:
            yield Stream(name, process, log)
