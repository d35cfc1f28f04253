"""The outcome of a case in pytest's terms: passed, skipped, expected to fail, a warning, a failure."""

from __future__ import annotations

from enum import StrEnum

import pytest

__all__ = ["ConformanceWarning", "Kind", "Red", "is_red", "report_to_pytest"]


class ConformanceWarning(pytest.PytestWarning):
    """A verdict `warn`: the answer breaks a requirement, but the gate stays green."""


class Red(Exception):
    """A verdict that makes the gate red."""


class _Failed(Red, AssertionError):
    """A wrong answer. An `AssertionError`, so that other plug-ins report a failed test and not a broken one."""


class Kind(StrEnum):
    """The outcome of a case, as pytest reports it."""

    PASSED = "passed"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    WARNED = "warned"
    FAILED = "failed"
    """The answer was wrong."""
    BROKEN = "broken"
    """There was no answer, or the suite is at fault."""


def is_red(kind: Kind) -> bool:
    """Whether pytest counts the outcome as a failure."""
    return kind in (Kind.FAILED, Kind.BROKEN)


def report_to_pytest(item: pytest.Item, kind: Kind, text: str) -> None:
    """Report the outcome of the running item to pytest; `text` is the reason or the text of the failure."""
    match kind:
        case Kind.SKIPPED:
            # `pytest.skip` would report this line as the location.
            raise pytest.skip.Exception(text, _use_item_location=True)
        case Kind.XFAILED:
            pytest.xfail(text)
        case Kind.FAILED:
            raise _Failed(text)
        case Kind.BROKEN:
            raise Red(text)
        case Kind.XPASSED:
            item.add_marker(pytest.mark.xfail(reason="in the baseline, but passes", strict=False))
        case Kind.WARNED:
            item.warn(ConformanceWarning(text))
