"""The failures of an implementation in a session: an exception class for each verdict.

Nothing that an implementation sends raises `UsageError`, which blames the user, or `SuiteError`, which blames us.
"""

from __future__ import annotations

from conformance.errors import ImplementationError

__all__ = ["Crashed", "HarnessLost", "ProtocolError", "TimedOut", "shown"]

_SHOWN_OF_A_LINE = 200
"""Characters of an offending line that a message repeats."""


def shown(line: bytes) -> str:
    """The beginning of a line for a message, cut and escaped."""
    text = line[: _SHOWN_OF_A_LINE * 4].decode("utf-8", errors="backslashreplace")
    return repr(text[:_SHOWN_OF_A_LINE]) + ("…" if len(text) > _SHOWN_OF_A_LINE else "")


class Crashed(ImplementationError):
    """The implementation ended, or closed its output, while a request was in flight.

    `status` is the exit status (negative: the signal that killed it), None if it is unknown.
    """

    def __init__(self, message: str, *, status: int | None = None, stderr: str = "") -> None:
        super().__init__(message, stderr=stderr)
        self.status = status


class TimedOut(ImplementationError):
    """The implementation was silent for longer than the limit; a line that never ends counts as silence."""


class ProtocolError(ImplementationError):
    """The implementation wrote a line that the harness protocol does not allow there.

    `line_number` counts the lines of its output since its start, from 1; `line` is the line itself, or its beginning if
    it was too long. `request` is the id of the request that the line names, None without one.
    """

    def __init__(
        self, problem: str, *, line_number: int, line: bytes, stderr: str = "", request: int | None = None
    ) -> None:
        super().__init__(f"line {line_number} of its output: {problem}: {shown(line)}", stderr=stderr)
        self.request = request


class HarnessLost(ImplementationError):
    """The implementation did not start, or was restarted too often without a good answer: exit status 6."""
