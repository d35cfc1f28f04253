"""Removes the values of columns from results: for captures of data that must not be shown.

Names of tables and columns, options, time stamps and statements stay; they are not values of columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from conformance.captures.results import CaptureResult
from conformance.oracle import ORACLES
from conformance.oracle.findings import Finding
from conformance.oracle.upstream.dialects import DIALECTS as UPSTREAM_ORACLES
from reference_impl.protocols import UPSTREAM

__all__ = ["Redaction", "hidden"]

# These members hold a piece of a message, or quote one.
_IN_WORDS = re.compile(r"(text|record|answer|frame)\b")


def hidden(value: Any) -> Any:
    """A value with the same members, in which each text and number became `…`, its type and its length."""
    if isinstance(value, Mapping):
        return {name: hidden(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [hidden(part) for part in value]
    if isinstance(value, frozenset):
        return [hidden(part) for part in sorted(value, key=repr)]
    if isinstance(value, str):
        return f"… (text, {len(value)} characters)"
    if isinstance(value, bytes):
        return f"… (binary, {len(value)} bytes)"
    if isinstance(value, bool):
        return "… (boolean)"
    if isinstance(value, int | float | Decimal):
        return f"… (number, {len(str(value))} characters)"
    return value


class Redaction:
    """Takes the values of columns out of the results of a protocol, and the records with them."""

    def __init__(self, protocol: str) -> None:
        places = UPSTREAM_ORACLES[protocol].values_at if protocol in UPSTREAM else ORACLES[protocol].columns_at
        rows = [tuple(at.replace("[]", "").split(".")) for at in places]
        self._rows = [row for row in rows if row[0] != "registry"]

    def __call__(self, result: CaptureResult) -> CaptureResult:
        """The result without values. Quotations by a reader or decoder may hold values, and are left out, too."""
        if result.is_stream:
            return replace(result, record=None, events=())  # it concerns order and time alone
        problem = None if result.problem is None else hidden(result.problem)
        findings = tuple(map(self._finding, result.findings))
        return replace(result, findings=findings, problem=problem, record=None, events=())

    def _finding(self, finding: Finding) -> Finding:
        if not (_IN_WORDS.match(finding.path) or self._has_values(finding.path)):
            return finding
        return replace(finding, expected=hidden(finding.expected), got=hidden(finding.got))

    def _has_values(self, path: str) -> bool:
        """Whether a path is that of the values of a row, or is below or above them."""
        steps = tuple(re.sub(r"\[\d+\]", "", path).split("."))
        return any(all(a == b for a, b in zip(steps, row, strict=False)) for row in self._rows)
