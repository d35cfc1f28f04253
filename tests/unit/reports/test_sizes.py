"""How large reports of large runs are: a page that a person opens, and what a CI takes."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from benchmarks.reports import many_failures, rendered
from reports import RENDERERS, TerminalRenderer
from tests.amounts import ordinarily

LIMITS = {"terminal": 200_000, "markdown": 60_000, "html": 5_000_000, "junit": 10_000_000}
"""Kind of report → bytes that it may have of 10,000 failing cases."""
KINDS = {"terminal": TerminalRenderer, **RENDERERS}


@cache
def failures(causes: int) -> list[dict[str, Any]]:
    return many_failures(causes=causes)


@pytest.mark.parametrize("kind", [kind for kind in LIMITS if kind in KINDS])
@pytest.mark.parametrize("causes", ordinarily([1, 10_000], [1, 1_000, 10_000]))
def test_a_report_of_ten_thousand_failing_cases_stays_small(kind: str, causes: int) -> None:
    text = rendered(KINDS[kind], failures(causes))
    assert len(text.encode()) < LIMITS[kind]
    assert kind != "junit" or text.count("<failure") == 10_000
