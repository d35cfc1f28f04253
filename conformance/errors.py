"""Two kinds of blame, never mixed: the implementation broke a rule, or the suite itself is at fault.

A function raises one of them, never both. `UsageError` is what a person asked for and cannot have.
"""

from __future__ import annotations

__all__ = ["ConformanceError", "ImplementationError", "SuiteError", "UsageError"]


class ConformanceError(Exception):
    """Base of the errors that the suite raises across its own borders."""


class ImplementationError(ConformanceError):
    """The other side broke the harness protocol, died, or was silent. Its subclasses name the verdict."""


class SuiteError(ConformanceError):
    """Our fault: a fixture, a case or an expectation that is wrong in itself. Never the implementation's verdict."""


class UsageError(ConformanceError):
    """What was asked for makes no sense: the text says what was wrong, where, and what to do. Exit status 4."""
