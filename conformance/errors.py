"""Two kinds of blame, never mixed: the implementation broke a rule, or the suite itself is at fault.

A function raises one of them, never both. `UsageError` is what a person asked for and cannot have.
"""

from __future__ import annotations

import traceback
from pathlib import Path

__all__ = ["ConformanceError", "ImplementationError", "SuiteError", "UsageError", "missing_extra", "our_fault"]

REPORT_IT = "report it with this record, the command and the output of `ticdc-conformance --version`"
_SAID = 300  # characters of an error's own text that are shown


class ConformanceError(Exception):
    """Base of the errors that the suite raises across its own borders."""


class ImplementationError(ConformanceError):
    """The other side broke the harness protocol, died, or was silent. Its subclasses name the verdict.

    `belated`: it came after the last `encode` or `decode` had been answered, and is of that one, not of what was asked.
    """

    belated = False


class SuiteError(ConformanceError):
    """Our fault: a fixture, a case or an expectation that is wrong in itself. Never the implementation's verdict."""


class Inapplicable(SuiteError):
    """A case cannot be put with the schema registry there is; the text says why. Nothing is wrong with the case."""


class UsageError(ConformanceError):
    """What was asked for makes no sense: the text says what was wrong, where, and what to do. Exit status 4."""


def missing_extra(what: str, extra: str) -> UsageError:
    """The error for a package that an extra of this project installs; `what` is what needs the package.

    It presumes no package index: the extra is installed from wherever the project was.
    """
    return UsageError(f"{what}: install the extra [{extra}], in a checkout with: pip install '.[{extra}]'")


def our_fault(error: Exception) -> str:
    """A fault of the suite in one sentence: what was raised, where, and how to report it.

    It costs the record, message, case or key group at hand, and nothing else.
    """
    if isinstance(error, SuiteError):
        return f"{error}; {REPORT_IT}"
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    said = f": {error}" if str(error) else ""
    return f"the suite failed: {type(error).__name__}{said[:_SAID]}{where}; {REPORT_IT}"
