"""Writes strings, numbers and names of schemas as TiCDC's Debezium JSON does.  [DBZ-031, DBZ-420 … DBZ-424]"""

from __future__ import annotations

import re

from reference_impl.exact_json import CONTROL_ESCAPES, string_writer
from reference_impl.floats import json_number
from reference_impl.names import namespace as schema_namespace

__all__ = ["literal", "namespace", "number"]

_FORBIDDEN_IN_TABLE = re.compile(r"[^A-Za-z0-9_.]")

literal = string_writer(CONTROL_ESCAPES)
"""Writes a text as a JSON string.  [DBZ-421]"""


def number(text: str, bits: int) -> str:
    """The shortest digits of the float of `bits` width that is nearest to a decimal text.  [DBZ-423, DBZ-423a]

    Raises ValueError or OverflowError for a text that is no such number.
    """
    return json_number(text, bits, short_exponent=False)


def namespace(cluster_id: str, schema: str, table: str) -> str:
    """The first part of the names of a table's schemas; the table's name keeps dots and leading digits.  [DBZ-031]"""
    return schema_namespace(cluster_id, schema) + "." + _FORBIDDEN_IN_TABLE.sub("_", table)
