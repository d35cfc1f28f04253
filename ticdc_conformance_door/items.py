"""A verdict in pytest's words: passed, skipped, expected to fail, a warning, a failure."""

from __future__ import annotations

from enum import StrEnum

import pytest

__all__ = ["ConformanceWarning", "Kind", "Red", "is_red", "put_to_pytest"]


class ConformanceWarning(pytest.PytestWarning):
    """A verdict `warn`: something that should be otherwise, and leaves the gate green."""


class Red(Exception):
    """A verdict that makes the gate red."""


class _Failed(Red, AssertionError):
    """A verdict on an answer: to other plug-ins a test that failed, and not one that is broken."""


class Kind(StrEnum):
    """What became of a case, as pytest sees it."""

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
    """Whether pytest counts it as a failure."""
    return kind in (Kind.FAILED, Kind.BROKEN)


def put_to_pytest(item: pytest.Item, kind: Kind, text: str) -> None:
    """Tell pytest what became of an item, while it is run. `text` says why."""
    match kind:
        case Kind.SKIPPED:
            # `pytest.skip` would name a line of ours as the place.
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
