"""One failed verdict as plain text: all its findings, and the input if the run record has it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.clusters import clusters
from reports.inputs import input_lines
from reports.texts import column_of, difference_of, options_text, oracle_text, path_of, weight_text

__all__ = ["failure_text"]

_WIDTH_OF_VALUE, _LINES_OF_VALUE = 100, 6
"""Size of a shown value: characters a line, and lines. Of a longer value, both ends and the first difference show."""


def failure_text(event: Mapping[str, Any], case: Mapping[str, Any]) -> str:
    """The findings of a `verdict` event, its message, and the input; `case` is its `case` event, or empty."""
    causes = clusters(event["findings"])
    lines = [line for cluster in causes for line in _cause(cluster)]
    if event.get("message"):
        lines.append(str(event["message"]))
    if options := options_text(case):
        lines.append(f"options   {options}")
    column = next(filter(None, (column_of(cluster[0]) for cluster in causes)), "")
    lines += [f"input     {line}" for line in input_lines(case, column)]
    if case and "input" not in case:  # the run record has the input of one case a cause
        lines.append(f"input     ticdc-conformance explain {shlex.quote(event['case'])}")
    return "\n".join(lines)


def _cause(cluster: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A finding, with further ones that follow from the same missing column or member."""
    finding, *others = cluster
    expected, got, _ = difference_of(finding, _WIDTH_OF_VALUE, _LINES_OF_VALUE)
    yield f"{finding['requirement']} {weight_text(finding)} {finding['fingerprint']}"
    yield f"rule      {finding.get('rule', '')}"
    yield f"place     {finding.get('place', '')}"
    yield f"path      {path_of(finding)}"
    yield f"expected  {expected}"
    yield f"got       {got}"
    yield f"oracle    {oracle_text(finding)}"
    for other in others:
        yield f"follows   {other['requirement']} {weight_text(other)}  {path_of(other)}"
