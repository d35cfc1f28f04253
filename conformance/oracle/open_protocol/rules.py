"""The rules of Open Protocol, and what proves those requirements that have no place of their own."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.open_protocol.answers import EVENT_RULES
from conformance.oracle.open_protocol.records import RECORD_RULES
from conformance.oracle.rules import Rule

__all__ = ["BY_CASE", "RULES"]

RULES: tuple[Rule, ...] = (*RECORD_RULES, *EVENT_RULES)

# By what they are proved instead: an input that must be refused, or the order of a stream.
BY_CASE: Mapping[str, str] = {
    **dict.fromkeys(("OP-013", "OP-091", "OP-108", "OP-110", "OP-237"), "rejection"),
    **dict.fromkeys(("OP-049", "OP-151", "OP-174", "CF-004", "CF-005", "CF-025"), "rejection"),
    "OP-256": "any answer",
    **dict.fromkeys(("OP-201", "OP-202", "OP-207"), "stream"),
}
