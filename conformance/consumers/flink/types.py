"""The types that a Flink table declares for columns of MySQL, after the table in the manual of Flink CDC."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.consumers.mysql_types import MysqlType

__all__ = ["FlinkType", "Undeclarable", "declared"]


class Undeclarable(Exception):
    """There is no type for the column."""


@dataclass(frozen=True, slots=True)
class FlinkType:
    """A type: its root, and precision and scale where it has them."""

    root: str
    precision: int = 0
    scale: int = 0


_INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
_WIDTHS = {"tinyint": 0, "smallint": 1, "mediumint": 2, "int": 2, "integer": 2, "bigint": 3}
_PLAIN = {
    **dict.fromkeys(("boolean", "bool"), "BOOLEAN"),
    "year": "INT",
    "float": "FLOAT",
    **dict.fromkeys(("double", "real"), "DOUBLE"),
    "date": "DATE",
    **dict.fromkeys(("tinyblob", "blob", "mediumblob", "longblob", "binary", "varbinary"), "BYTES"),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "json"), "STRING"),
    **dict.fromkeys(("geometry", "point", "linestring", "polygon", "vector"), "STRING"),
}
_OWN = re.compile(r"([A-Za-z_]+)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")
_MOST_DIGITS = 38


def declared(column: Mapping[str, object], options: Mapping[str, str]) -> FlinkType:
    """The type of a column: from its member `flink_type`, else by its MySQL type. Raises `Undeclarable`."""
    if own := column.get("flink_type"):
        return _own(str(own))
    mysql = MysqlType.of(str(column.get("type", "")))
    base, length = mysql.base, mysql.length
    if base in _PLAIN:
        return FlinkType(_PLAIN[base])
    if base == "tinyint" and length == 1 and options.get("tinyint1-as-int") != "true":
        return FlinkType("BOOLEAN")
    if base == "mediumint":
        return FlinkType("INT")
    if base in _WIDTHS:
        width = _WIDTHS[base] + mysql.is_unsigned
        return FlinkType(_INTEGERS[width]) if width < len(_INTEGERS) else FlinkType("DECIMAL", 20, 0)
    if base in ("decimal", "numeric"):
        precision = 10 if length is None else length
        return FlinkType("STRING") if precision > _MOST_DIGITS else FlinkType("DECIMAL", precision, mysql.scale or 0)
    if base == "bit":
        return FlinkType("BOOLEAN") if (length or 1) <= 1 else FlinkType("BYTES")
    if base in ("time", "datetime", "timestamp"):
        return FlinkType("TIME" if base == "time" else "TIMESTAMP", length or 0)
    raise Undeclarable(base)


def _own(text: str) -> FlinkType:
    found = _OWN.match(text)
    if found is None:
        raise Undeclarable(text)
    root, precision, scale = found.groups()
    return FlinkType(root.upper(), int(precision or 0), int(scale or 0))
