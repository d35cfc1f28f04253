"""What is left of implementations: processes that ours have started, found by a mark in their environment, and killed.

Run as a program, with a mark: reads the ids of process groups that begin (`+12`) and end (`-12`) from stdin, a line
each, and at the end of the input, which is the end of who wrote them, kills what is left. It imports nothing of ours.

A process in a session of its own is found on Linux alone, where `/proc` shows environments; neither is one found that
has cleared its own, or runs as somebody else.
"""

import contextlib
import os
import signal
import sys

__all__ = ["MARK", "end_group", "sweep"]

MARK = "TICDC_CONFORMANCE_CHILD_OF"
"""The variable that holds the mark; what a child starts inherits it."""

_ROUNDS = 10  # while they are killed, processes may start others


def end_group(group: int, number: int = signal.SIGKILL) -> None:
    """Send a signal to all of a process group that is still there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def sweep(mark: str) -> None:
    """Kill every process whose mark is `mark`, or begins with it and a point."""
    for _ in range(_ROUNDS):
        found = _marked(mark)
        if not found:
            return
        for process in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def _marked(mark: str) -> list[int]:
    # From the beginning of a variable: the value of another may hold the same words.
    wanted = tuple(f"\0{MARK}={mark}{end}".encode() for end in ("\0", "."))
    try:
        names = os.listdir("/proc")
    except OSError:
        return []
    found = []
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    data = b"\0" + file.read()
            except OSError:
                continue
            if any(one in data for one in wanted) and int(name) != os.getpid():
                found.append(int(name))
    return found


def main() -> None:
    """See the module."""
    groups: set[int] = set()
    for line in sys.stdin.buffer:
        (groups.add if line.startswith(b"+") else groups.discard)(int(line[1:]))
    for group in groups:
        end_group(group)
    sweep(sys.argv[1])


if __name__ == "__main__":
    main()
