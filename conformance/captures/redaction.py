"""Removes the values of columns from results: for captures of data that must not be shown.

Names of tables and columns, options, time stamps and statements stay.
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

# Paths of findings whose values are a part of a message, or quote one.
_QUOTATIONS = re.compile(r"(text|record|answer|frame)\b")


def hidden(value: Any) -> Any:
    """A value with the same members, in which `…`, the type and the length stand for each text and number."""
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
    """Removes the values of columns, and the records, from the results of a protocol."""

    def __init__(self, protocol: str) -> None:
        paths = UPSTREAM_ORACLES[protocol].values_at if protocol in UPSTREAM else ORACLES[protocol].columns_at
        # The subjects of a registry are like columns to the oracle, and are not values.
        self._value_paths = [p.replace("[]", "").split(".") for p in paths if not p.startswith("registry.")]

    def __call__(self, result: CaptureResult) -> CaptureResult:
        """The result without values; the problem is hidden too, as it may quote values."""
        problem = None if result.problem is None else hidden(result.problem)
        findings = tuple(map(self._finding, result.findings))
        return replace(result, findings=findings, problem=problem, record=None, events=())

    def _finding(self, finding: Finding) -> Finding:
        if not (_QUOTATIONS.match(finding.path) or self._has_values(finding.path)):
            return finding
        return replace(finding, expected=hidden(finding.expected), got=hidden(finding.got))

    def _has_values(self, path: str) -> bool:
        """Whether a path leads to values of columns: to the object that has them, below it, or above it."""
        steps = re.sub(r"\[\d+\]", "", path).split(".")
        return any(all(a == b for a, b in zip(steps, known, strict=False)) for known in self._value_paths)
