"""Sanitises names of schemas, tables and columns to the characters of Avro names.  [AV-036 … AV-039, DBZ-031]"""

from __future__ import annotations

import re

__all__ = ["namespace", "sanitized"]

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_]")


def sanitized(name: str) -> str:
    """The name with `_` for each character other than letters, digits and `_`, and before a leading digit."""
    clean = _FORBIDDEN.sub("_", name)
    return "_" + clean if clean[:1].isdigit() else clean


def namespace(first: str, schema: str) -> str:
    """The sanitised parts joined by a dot; only the first part without a schema."""
    return f"{sanitized(first)}.{sanitized(schema)}" if schema else sanitized(first)
