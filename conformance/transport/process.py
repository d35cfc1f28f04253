"""A child process on stdio, in a process group of its own; the group ends with the session.

This holds for the child's own children too, and even after a crash of either side. See `leftovers` for the exceptions.
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
from conformance.transport.connection import Exit
from conformance.transport.errors import HarnessLost
from conformance.transport.guard import guard
from conformance.transport.leftovers import MARK, end_group, kill_marked

__all__ = ["ProcessConnection", "absence"]

_GLANCE = 0.05
"""Seconds between two checks of a child that was asked to end and neither writes nor closes its output."""
_FIRST_PAUSE = 0.001
"""The first pause between two checks for an exit, in seconds; each pause is twice the last, up to `_GLANCE`."""


class ProcessConnection(Channel):
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

    def exit_within(self, patience: float) -> Exit | None:
        """How the child ended; None while it runs.

        Where the system allows it, the child is not reaped yet: until then no other process group can have its id.
        """
        status = self._process.returncode
        if status is None:
            status = _status_of(self._process, patience)
        return None if status is None else Exit(_in_words(status), status)

    def kill(self) -> None:
        """Kill the process group, reap the child, and kill the processes that it started in other groups."""
        if not self._is_reaped:
            end_group(self._process.pid)
            self._process.wait()
            self._is_reaped = True
        kill_marked(self._mark)
        self._guard.forget(self._process.pid)
        self.close()

    def leave(self, patience: float, grace: float) -> str | None:
        """Close its input and wait; see `Connection.leave`."""
        deadline = monotonic() + patience
        self.close_input()
        has_extra = self._read_rest(deadline)
        exited = self.exit_within(max(0.0, deadline - monotonic()))
        complaint = None
        if exited is None:
            complaint = f"it did not exit within {patience:g} s of bye"
            end_group(self._process.pid, signal.SIGTERM)
            if self.exit_within(grace) is None:
                complaint += f", nor within {grace:g} s of SIGTERM, and was killed"
        elif exited.status != 0:
            complaint = f"it {exited.text} after bye"
        elif has_extra:
            complaint = "it wrote to its output after its answer to bye"
        self.kill()
        return complaint

    def _read_rest(self, deadline: float) -> bool:
        """Read until the child closes its output or exits, so that no full pipe blocks it; whether there was data."""
        has_data = self.waiting() is not None
        while True:
            try:
                self.receive(min(deadline, monotonic() + _GLANCE))
                has_data = True
            except EndOfStream as e:
                return has_data or bool(e.partial)
            except LineTooLong:
                return True
            except Silence as e:
                if monotonic() >= deadline or self.exit_within(0):
                    return has_data or bool(e.partial)


def absence(argv: Sequence[str]) -> str:
    """The complaint of `ProcessConnection` about a missing program; "" for one that exists."""
    exists = os.path.exists(argv[0]) if os.path.dirname(argv[0]) else shutil.which(argv[0], os.F_OK)
    return "" if exists else _unstarted(argv, os.strerror(errno.ENOENT))


def _unstarted(argv: Sequence[str], reason: str | None) -> str:
    return f"the program {argv[0]!r} cannot be started: {reason}"


def _status_of(child: subprocess.Popen[bytes], patience: float) -> int | None:
    """The exit status of a child, as `Popen` counts it, or None if it still runs after `patience` seconds."""
    if not hasattr(os, "waitid"):
        try:
            return child.wait(patience)
        except subprocess.TimeoutExpired:
            return None
    deadline, pause = monotonic() + patience, _FIRST_PAUSE
    # WNOWAIT leaves the child unreaped.
    while (ended := os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is None:
        left = deadline - monotonic()
        if left <= 0:
            return None
        sleep(min(pause, left))
        pause = min(2 * pause, _GLANCE)
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _in_words(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
