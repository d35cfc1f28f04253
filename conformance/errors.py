"""Two kinds of blame, never mixed: the implementation broke a rule, or the suite itself is at fault.

A function raises one of them, never both. `UsageError` is for a person's impossible request.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "ConformanceError",
    "ImplementationError",
    "Inapplicable",
    "SuiteError",
    "UsageError",
    "file_errors",
    "missing_extra",
    "our_fault",
]

REPORT_IT = "report it with this record, the command and the output of `ticdc-conformance --version`"
_SAID = 300  # characters of an error's own text that are shown


class ConformanceError(Exception):
    """Base of the errors that the suite raises between its packages."""


class ImplementationError(ConformanceError):
    """The implementation broke the harness protocol, crashed, or was silent. Each subclass stands for a verdict.

    `belated` is true for a failure after the answer to the last `encode` or `decode`: it counts for that request.
    `stderr` is the end of the implementation's stderr during the case.
    """

    belated = False

    def __init__(self, message: str, *, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


class SuiteError(ConformanceError):
    """A fault of the suite: a fixture, a case or an expectation that is wrong. Never the implementation's verdict."""


class Inapplicable(SuiteError):
    """A case cannot run with this schema registry; the text says why. The case itself is right."""


class UsageError(ConformanceError):
    """An impossible request: the text says what was wrong, where, and what to do. Exit status 4."""


@contextmanager
def file_errors(problem: str) -> Iterator[None]:
    """Turn an `OSError` into a `UsageError`: `--out x: cannot be written (No space left on device)`."""
    try:
        yield
    except OSError as e:
        raise UsageError(f"{problem} ({e.strerror or e})") from None


def missing_extra(what: str, extra: str) -> UsageError:
    """The error for a missing optional dependency: `what` needs a package of the extra `extra`.

    It names no package index: the user installs the extra from the project's own source.
    """
    return UsageError(f"{what}: install the extra [{extra}], in a checkout with: pip install '.[{extra}]'")


def our_fault(error: Exception) -> str:
    """A fault of the suite in one sentence: the exception, its place, and how to report it.

    Callers go on without the record, message, case or key group at hand.
    """
    if isinstance(error, SuiteError):
        return f"{error}; {REPORT_IT}"
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    said = f": {error}" if str(error) else ""
    return f"the suite failed: {type(error).__name__}{said[:_SAID]}{where}; {REPORT_IT}"
