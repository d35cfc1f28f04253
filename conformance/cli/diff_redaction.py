"""`diff --redact`: the diff without the values of columns: their type and length stand in their place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conformance.captures.redaction import hidden
from reports.diff import Record
from reports.diff.wording import SECTIONS

__all__ = ["without_values"]

_NOTE = "the values of columns are left out (--redact): their type and length stand in their place"
_VALUES = frozenset({"expected", "got", "left", "right", "message", "reason"})
"""Members of an entry that hold values, or words of an implementation, which may hold some."""
_STATEMENTS = frozenset({"sql", "unexpected"})
_FINGERPRINTS = frozenset({"fingerprint", "was"})
"""Members that hold the fingerprint of a finding, or the message of a failure in place of an answer."""
_OF_A_FINDING = re.compile(r"[a-z-]+@\S*#[0-9a-f]{8}")


def without_values(record: Record) -> Record:
    """The record without values, and a note that says so. Names, rules, places, cases and counts stay."""
    shown = {section.name: [_entry(entry) for entry in record[section.name]] for section in SECTIONS}
    return {**record, **shown, "notes": [*record["notes"], _NOTE]}


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    redacted: dict[str, Any] = {}
    for name, value in entry.items():
        if name in _STATEMENTS:
            redacted[name] = []
        elif name in _VALUES:
            redacted[name] = hidden(value) if value != "" else value
        elif name in _FINGERPRINTS:
            redacted[name] = value if not value or _OF_A_FINDING.fullmatch(value) else hidden(value)
        elif name == "ways":
            redacted[name] = [_entry(way) for way in value]
        else:
            redacted[name] = value
    if entry.get("requirement") == "":  # the rule is the text of a failure, in the implementation's own words
        redacted["rule"] = hidden(entry["rule"])
    return redacted
