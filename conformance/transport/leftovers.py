"""Finds processes that implementations have started, by a mark in their environment, and kills them.

As a program, with a mark as its argument, it reads from stdin the ids of process groups that begin (`+12`) and end
(`-12`), one a line. At the end of the input, when the suite has ended, it kills the processes that are left. It imports
nothing of the suite: `guard` runs this file alone.

A process that left its group is found only on Linux, where `/proc` shows environments. A process that cleared its
environment, or runs as another user, is not found.
"""

import contextlib
import os
import signal
import sys
import time

__all__ = ["MARK", "end_group", "kill_marked"]

MARK = "TICDC_CONFORMANCE_CHILD_OF"
"""The variable that holds the mark; the children of a child inherit it."""

_ROUNDS = 10  # processes may start others during the killing, or may be about to begin a program


def end_group(group: int, signal_number: int = signal.SIGKILL) -> None:
    """Send a signal, SIGKILL by default, to the processes of a group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal_number)


def kill_marked(mark: str) -> None:
    """Kill every process with this mark or, for the mark of a whole run, a child's: `mark.1`."""
    for _ in range(_ROUNDS):
        marked = _marked(mark)
        if not marked:
            return
        for process in marked:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def _marked(mark: str) -> list[int]:
    """The ids of the other processes with a mark."""
    # Match from the beginning of a variable: another variable's value may contain the same text.
    variables = tuple(f"\0{MARK}={mark}{end}".encode() for end in ("\0", "."))
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    marked = []
    for name in names:
        if name.isdigit():
            environment = b"\0" + _environment(name)
            if any(variable in environment for variable in variables) and int(name) != os.getpid():
                marked.append(int(name))
    return marked


def _environment(process: str) -> bytes:
    """The variables of a process, as `/proc` shows them, or nothing if it has ended or belongs to another user."""
    with contextlib.suppress(OSError):
        for _ in range(_ROUNDS):
            with open(f"/proc/{process}/environ", "rb") as file:
                variables = file.read()
            # A process shows nothing while it begins a program. The kernel's own have no program.
            if variables or not os.path.exists(f"/proc/{process}/exe"):
                return variables
            time.sleep(0.001)
    return b""


def main() -> None:
    """Run as the module's docstring says."""
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        group = int(line[1:])
        if line.startswith(b"+"):
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        end_group(group)
    kill_marked(sys.argv[1])


if __name__ == "__main__":
    main()
