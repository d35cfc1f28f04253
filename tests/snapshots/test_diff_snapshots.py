"""The wording and layout of the reports of a diff, as a person sees them."""

from __future__ import annotations

import pytest

from reports.diff import DIFF_REPORTS, terminal_lines
from tests.snapshots.snapshot import assert_snapshot
from tests.unit.reports.diff.runs import compared, everything, side, verdict


def _body(html: str) -> str:
    """What is read: style and script are no words."""
    return html[html.index("<body>") : html.index("<script>")]


def test_a_diff_on_a_terminal_reads_as_reviewed() -> None:
    assert_snapshot("diff.terminal.txt", "\n".join(terminal_lines(everything())) + "\n")


def test_an_empty_diff_on_a_terminal_is_a_few_lines() -> None:
    same = compared(side("1", verdict("a", answer=b"{}")), side("2", verdict("a", answer=b"{}")))
    assert_snapshot("diff.empty.txt", "\n".join(terminal_lines(same)) + "\n")


@pytest.mark.parametrize(("kind", "suffix"), [("markdown", "md"), ("html", "html")])
def test_the_report_of_a_diff_reads_as_reviewed(kind: str, suffix: str) -> None:
    text = DIFF_REPORTS[kind](everything())
    assert_snapshot(f"diff.{suffix}", _body(text) if kind == "html" else text)
