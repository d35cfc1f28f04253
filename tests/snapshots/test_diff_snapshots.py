"""A diff of two runs of one build, on a terminal."""

from __future__ import annotations

from reports.diff import terminal_lines
from tests.snapshots.snapshot import assert_snapshot
from tests.unit.reports.diff.runs import compared, side, verdict


def test_an_empty_diff_on_a_terminal_is_a_few_lines() -> None:
    same = compared(side("1", verdict("a", answer=b"{}")), side("2", verdict("a", answer=b"{}")))
    assert_snapshot("diff.empty.txt", "\n".join(terminal_lines(same)) + "\n")
