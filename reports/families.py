"""The subject of a case, from its axes: the family of a column type, the operation, or the kind of input."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "OPERATIONS",
    "SEVERAL",
    "belongs_to",
    "broken_operations",
    "family_of",
    "operation_of",
    "operations_of",
    "subject_of",
]

SEVERAL = "several"
_OF_ROWS = ("insert", "update", "delete")
OPERATIONS = (*_OF_ROWS, SEVERAL, "other")
"""Operations of a case, in the order of the report.

`several` stands for a case of more than one operation, `other` for a case without a row change.
"""

_FAMILY_OF = {
    "tinyint(1)": "bool",
    "boolean": "bool",
    **dict.fromkeys(("tinyblob", "mediumblob", "longblob"), "blob"),
    **dict.fromkeys(("tinytext", "mediumtext", "longtext"), "text"),
    "integer": "int",
    "numeric": "decimal",
}
_FAMILIES = frozenset(
    {
        *("bigint", "binary", "bit", "blob", "bool", "char", "date", "datetime", "decimal", "double", "enum", "float"),
        *("int", "json", "mediumint", "set", "smallint", "text", "time", "timestamp", "tinyint", "varbinary"),
        *("varchar", "vector", "year"),
    }
)
_SUBJECTS: Mapping[str, str] = {
    "fault": "malformed input",
    "negative": "malformed input",
    "statement": "DDL statements",
    "watermark": "watermarks",
    "batch": "batches",
    "size": "large messages",
    "compression": "large messages",
    "options": "options",
    "option": "options",
    "key": "keys",
    "name": "names",
    "partitions": "partitions",
    "time": "time stamps",
    "zone": "time zones",
    "encoding": "other spellings",
    "stream": "streams",
    "table": "tables",
}
"""Axis → the subject of its cases, for axes other than column types; the first axis here that a case has counts."""

_WORDS = re.compile(r"[a-z]+")


def family_of(axes: Mapping[str, str]) -> str:
    """The family of a case's column type, as `bigint unsigned`; empty where it has none."""
    if family := axes.get("family"):
        return str(family)
    name = str(axes.get("type", "")).lower()
    # Recorded cases are named after their tables: `tinyint1`, `bit-7`, `decimal-65-30`.
    plain = "tinyint(1)" if name == "tinyint1" else name
    base = _WORDS.match(plain)
    if base is None:
        return ""
    family = _FAMILY_OF.get(plain, _FAMILY_OF.get(base[0], base[0]))
    if family not in _FAMILIES:
        return ""
    if "zerofill" in name:
        return "zerofill"
    return f"{family} unsigned" if "unsigned" in name and family.endswith("int") else family


def subject_of(axes: Mapping[str, str]) -> str:
    """The subject of a case: the family of a type, or the kind of its input in words."""
    if family := family_of(axes):
        return family
    return next((text for axis, text in _SUBJECTS.items() if axis in axes), "whole messages")


def operation_of(axes: Mapping[str, str]) -> str:
    """One of `OPERATIONS`."""
    found = operations_of(axes)
    return found[0] if len(found) == 1 else SEVERAL


def operations_of(axes: Mapping[str, str]) -> list[str]:
    """Every operation of a case: `insert`, `update` and `delete`, or `other` alone."""
    text = str(axes.get("operation", ""))
    found = [name for name in _OF_ROWS if name in text]
    # Any other text describes an update, such as a change of a key or of a value to NULL.
    return found or ["update" if text else "other"]


def broken_operations(axes: Mapping[str, str], findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The operations at which a failed case is counted, in the order of `OPERATIONS`.

    A case of one operation counts at that one. A case of several counts at the operation of each event that a finding
    belongs to; it counts at `several` for a finding without an event, and if it has no finding.
    """
    operation = operation_of(axes)
    if operation != SEVERAL:
        return [operation]
    weighty = [one for one in findings if one.get("level") != "may"] or findings
    broken = {name for finding in weighty for name in _operations_of_finding(finding)} or {SEVERAL}
    return [name for name in OPERATIONS if name in broken]


def belongs_to(finding: Mapping[str, Any], operation: str) -> bool:
    """Whether a finding of a case of several operations is one of this operation."""
    return operation in _operations_of_finding(finding)


def _operations_of_finding(finding: Mapping[str, Any]) -> set[str]:
    return {name if name in _OF_ROWS else "other" for name in finding.get("operations", ())} or {SEVERAL}
