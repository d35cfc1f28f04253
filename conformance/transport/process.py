"""A child process on stdio, in a process group of its own, of which nothing survives."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from time import monotonic

from conformance.transport.channel import MAX_LINE, Channel, EndOfStream, LineTooLong, Silence
from conformance.transport.errors import HarnessLost
from conformance.transport.peer import Fate

__all__ = ["ProcessPeer"]

_GLANCE = 0.05
"""Seconds between looks at a child that was told to go and neither writes nor closes its output."""


class ProcessPeer(Channel):
    """A child started from an argument list, never by a shell. Raises `HarnessLost` where it cannot be started."""

    def __init__(
        self, argv: Sequence[str], *, max_line: int = MAX_LINE, environment: Mapping[str, str] | None = None
    ) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env=environment
            )
        except (OSError, ValueError) as e:
            reason = e.strerror if isinstance(e, OSError) else str(e)
            raise HarnessLost(f"the program {argv[0]!r} cannot be started: {reason}") from None
        child = self._process
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        stdin, stdout, stderr = (os.dup(stream.fileno()) for stream in (child.stdin, child.stdout, child.stderr))
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()
        super().__init__(stdout, stdin, stderr, max_line=max_line)

    def fate(self, patience: float) -> Fate | None:
        """How the child ended; None while it runs."""
        try:
            status = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        return Fate(_in_words(status), status)

    def kill(self) -> None:
        """Kill the whole process group and reap the child."""
        self._signal(signal.SIGKILL)
        self._process.wait()
        self.close()

    def leave(self, patience: float, grace: float) -> str | None:
        """Close its input and wait; see `Peer.leave`."""
        deadline = monotonic() + patience
        self.close_input()
        extra = self._rest(deadline)
        fate = self.fate(max(0.0, deadline - monotonic()))
        complaint = None
        if fate is None:
            complaint = f"it did not exit within {patience:g} s of bye"
            self._signal(signal.SIGTERM)
            if self.fate(grace) is None:
                complaint += f", nor within {grace:g} s of SIGTERM, and was killed"
        elif fate.status != 0:
            complaint = f"it {fate.text} after bye"
        elif extra:
            complaint = "it wrote to its output after its answer to bye"
        self.kill()
        return complaint

    def _rest(self, deadline: float) -> bool:
        """Read until it closes its output or exits, so that no full pipe holds it. Whether there was anything."""
        extra = self.waiting() is not None
        while True:
            try:
                self.receive(min(deadline, monotonic() + _GLANCE))
                extra = True
            except EndOfStream as e:
                return extra or bool(e.partial)
            except LineTooLong:
                return True
            except Silence as e:
                if monotonic() >= deadline or self.fate(0):
                    return extra or bool(e.partial)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _in_words(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
