"""A child process on stdio, in a process group of its own; nothing of the group survives the session.

This holds for the child's own children, too, and even after a crash of either side. See `leftovers` for the exceptions.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from time import monotonic, sleep

from conformance.transport.channel import MAX_LINE, Channel, EndOfStream, LineTooLong, Silence
from conformance.transport.errors import HarnessLost
from conformance.transport.guard import guard
from conformance.transport.leftovers import MARK, end_group, sweep
from conformance.transport.peer import Fate

__all__ = ["ProcessPeer", "absence"]

_GLANCE = 0.05
"""Seconds between two looks at a child that was asked to end and neither writes nor closes its output."""
_SHORTEST = 0.0005


class ProcessPeer(Channel):
    """A child started from an argument list, without a shell. Raises `HarnessLost` if it cannot be started."""

    def __init__(
        self, argv: Sequence[str], *, max_line: int = MAX_LINE, environment: Mapping[str, str] | None = None
    ) -> None:
        pipe = subprocess.PIPE
        self._guard = guard()
        self._mark = self._guard.next_mark()
        marked = {**(os.environ if environment is None else environment), MARK: self._mark}
        try:
            self._process = subprocess.Popen(
                argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env=marked
            )
        except (OSError, ValueError) as e:
            reason = e.strerror if isinstance(e, OSError) else str(e)
            raise HarnessLost(_unstarted(argv, reason)) from None
        self._guard.watch(self._process.pid)
        self._is_reaped = False
        child = self._process
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        stdin, stdout, stderr = (os.dup(stream.fileno()) for stream in (child.stdin, child.stdout, child.stderr))
        for stream in (child.stdin, child.stdout, child.stderr):
            stream.close()
        super().__init__(stdout, stdin, stderr, max_line=max_line)

    def fate(self, patience: float) -> Fate | None:
        """How the child ended; None while it runs.

        Where the system allows it, the child is not reaped yet: until then no other process group can have its id.
        """
        status = self._process.returncode
        if status is None:
            status = _status_of(self._process, patience)
        return None if status is None else Fate(_in_words(status), status)

    def kill(self) -> None:
        """Kill the whole process group, reap the child, and kill what it has started elsewhere."""
        if not self._is_reaped:
            end_group(self._process.pid)
            self._process.wait()
            self._is_reaped = True
        sweep(self._mark)
        self._guard.forget(self._process.pid)
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
            end_group(self._process.pid, signal.SIGTERM)
            if self.fate(grace) is None:
                complaint += f", nor within {grace:g} s of SIGTERM, and was killed"
        elif fate.status != 0:
            complaint = f"it {fate.text} after bye"
        elif extra:
            complaint = "it wrote to its output after its answer to bye"
        self.kill()
        return complaint

    def _rest(self, deadline: float) -> bool:
        """Read until it closes its output or exits, so that no full pipe blocks it; returns whether there was data."""
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


def absence(argv: Sequence[str]) -> str:
    """The complaint of `ProcessPeer` about a missing program; "" for one that exists."""
    there = os.path.exists(argv[0]) if os.path.dirname(argv[0]) else shutil.which(argv[0], os.F_OK)
    return "" if there else _unstarted(argv, os.strerror(errno.ENOENT))


def _unstarted(argv: Sequence[str], reason: str | None) -> str:
    return f"the program {argv[0]!r} cannot be started: {reason}"


def _status_of(child: subprocess.Popen[bytes], patience: float) -> int | None:
    """The exit status of a child, as `Popen` counts it, or None if it still runs after `patience` seconds."""
    if not hasattr(os, "waitid"):
        try:
            return child.wait(patience)
        except subprocess.TimeoutExpired:
            return None
    deadline, pause = monotonic() + patience, _SHORTEST
    while (ended := os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is None:
        left = deadline - monotonic()
        if left <= 0:
            return None
        pause = min(2 * pause, left, _GLANCE)
        sleep(pause)
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _in_words(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
