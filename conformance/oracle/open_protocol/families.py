"""Families of column types in Open Protocol, and the requirement on the code and the value of each."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.oracle.rules import Condition
from reference_impl.column_types import TEXT, Family

__all__ = ["BINARIES", "BLOBS", "FAMILY_RULES", "OF_FAMILY", "STRINGS", "TEXTS", "of_family"]

TEXTS = TEXT - {Family.CHAR, Family.VARCHAR}
BLOBS = frozenset({Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB})
STRINGS = frozenset({Family.CHAR, Family.VARCHAR})
BINARIES = frozenset({Family.BINARY, Family.VARBINARY})

# The rule on the code and the value of each family.
OF_FAMILY: Mapping[Family, str] = {
    Family.TINYINT: "OP-092",
    Family.SMALLINT: "OP-093",
    Family.INT: "OP-094",
    Family.FLOAT: "OP-095",
    Family.DOUBLE: "OP-096",
    Family.TIMESTAMP: "OP-098",
    Family.BIGINT: "OP-099",
    Family.MEDIUMINT: "OP-100",
    Family.DATE: "OP-101",
    Family.TIME: "OP-102",
    Family.DATETIME: "OP-103",
    Family.YEAR: "OP-104",
    Family.VARCHAR: "OP-106",
    Family.VARBINARY: "OP-106",
    Family.BIT: "OP-107",
    Family.VECTOR: "OP-109",
    Family.JSON: "OP-111",
    Family.DECIMAL: "OP-112",
    Family.ENUM: "OP-113",
    Family.SET: "OP-114",
    **dict.fromkeys((*TEXTS, *BLOBS), "OP-115"),
    Family.CHAR: "OP-117",
    Family.BINARY: "OP-117",
}


def of_family(requirement: str) -> Condition:
    """The column is of a family that this requirement speaks of."""
    return lambda place: place.column is not None and OF_FAMILY.get(place.column.type.family) == requirement


FAMILY_RULES = tuple(dict.fromkeys(OF_FAMILY.values()))
