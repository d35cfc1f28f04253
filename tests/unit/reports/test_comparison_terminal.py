"""The report of a comparison on a terminal: invisible characters in names are shown, not taken for layout."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from reports.comparison import terminal_lines
from tests.snapshots.tiny_comparison import SUMMARY


def with_columns(*columns: str) -> dict[str, Any]:
    """The summary, with the columns of its first divergence renamed."""
    summary = deepcopy(SUMMARY)
    summary["pairs"][0]["divergences"][0]["columns"] = list(columns)
    return summary


def test_tabs_and_line_breaks_in_a_name_are_shown_where_lines_are_wrapped() -> None:
    text = "\n".join(terminal_lines(with_columns("a\tb", "e\nf", "g\rh")))
    assert "a␉b, e␊f, g␍h: " in text


def test_a_tab_in_the_note_of_a_side_is_shown() -> None:
    summary = deepcopy(SUMMARY)
    summary["sides"][0]["note"] = "the topic a\tb is empty"
    assert "the topic a␉b is empty" in "\n".join(terminal_lines(summary))


def test_a_message_that_cannot_be_read_is_shown_with_the_reason_below_it() -> None:
    summary = deepcopy(SUMMARY)
    place = {"topic": "orders", "partition": 0, "offset": 7}
    message, why = '{"id":', "line: dump.jsonl, byte 90: not JSON"
    example = {"key": "", "left": None, "right": place, "left_value": why, "right_value": message}
    cell = {"class": "undecodable", "status": "unexplained", "divergence": None, "harm": None, "count": 1}
    where = dict.fromkeys(("schema", "table", "column"), "")
    summary["pairs"][0]["pair"] = "left-right"
    summary["pairs"][0]["cells"] = [{**where, **cell, "examples": [example]}]
    lines = list(terminal_lines(summary))
    at = lines.index("  1 × undecodable at a message (unexplained)")
    assert lines[at + 1 : at + 3] == [f"      right  orders[0]@7  {message}", f"      why    {why}"]
    example["right_value"] = None  # the bytes of a broken line are not kept
    assert "      right  orders[0]@7" in list(terminal_lines(summary))


def test_a_column_that_is_described_otherwise_counts_once_for_each_divergence() -> None:
    summary = deepcopy(SUMMARY)
    types = summary["pairs"][0]["type_names"]
    [one] = types["differ"]
    types["differ"] = [one, {**one, "member": "sqlType"}, {**one, "column": "other", "divergences": ["DV-12"]}]
    assert "  types of columns: 2701 alike, 2 not (1 DV-02, 1 DV-12)" in list(terminal_lines(summary))
