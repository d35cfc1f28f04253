"""Names of schemas, tables and columns that have only the characters of an Avro name.  [AV-036 … AV-039, DBZ-031]"""

from __future__ import annotations

import re

__all__ = ["namespace", "sanitized"]

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_]")


def sanitized(name: str) -> str:
    """The name with `_` for every character that is not a letter, a digit or `_`, and before a leading digit."""
    clean = _FORBIDDEN.sub("_", name)
    return "_" + clean if clean[:1].isdigit() else clean


def namespace(first: str, schema: str) -> str:
    """The sanitised parts with a dot between them; without a schema the first part alone."""
    return f"{sanitized(first)}.{sanitized(schema)}" if schema else sanitized(first)
