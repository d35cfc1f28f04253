"""Types of columns in Avro, and the requirements on the type, the `tidb_type`, the value and the default of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from conformance.oracle.rules import Place
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family
from reference_impl.model import Absent, Column, Expression

__all__ = [
    "DEFAULTS",
    "SPELLINGS",
    "TIDB_TYPES",
    "TYPES",
    "VALUES",
    "Kind",
    "default_id",
    "has_default",
    "is_precise",
    "kind_of",
    "spelling_ids",
    "tidb_ids",
    "type_ids",
]


class Kind(NamedTuple):
    """What is required of columns of one kind. FLOAT has an Avro type for each profile and release."""

    types: tuple[str, ...]
    tidb: str
    value: str
    default: str
    spellings: tuple[str, ...] = ()


_SMALL = Kind(("AV-075",), "AV-075a", "AV-075b", "AV-055")
_SMALL_UNSIGNED = Kind(("AV-076",), "AV-076a", "AV-075b", "AV-055")
_INT = Kind(("AV-077",), "AV-077a", "AV-077b", "AV-055")
_INT_UNSIGNED = Kind(("AV-078",), "AV-078a", "AV-078b", "AV-056")
_BIGINT = Kind(("AV-079",), "AV-079a", "AV-079b", "AV-056")
_AS_LONG = Kind(("AV-080",), "AV-080a", "AV-080b", "AV-057")
_AS_DIGITS = Kind(("AV-081",), "AV-080a", "AV-081a", "AV-058")
_PRECISE = Kind(("AV-084",), "AV-084a", "AV-100", "AV-050", ("AV-101",))
_AS_TEXT = Kind(("AV-085",), "AV-084a", "AV-085a", "AV-061", ("AV-085b",))
_TEXT = Kind(("AV-087",), "AV-087a", "AV-087b", "AV-063")
_BYTES = Kind(("AV-088",), "AV-088a", "AV-088b", "AV-062")
_BINARY = _BYTES._replace(spellings=("AV-088c",))
_OF_CHARSET = Kind(("AV-099",), "AV-099", "AV-088b", "AV-062")

_SMALLS = frozenset({Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT})

_PLAIN: Mapping[Family, Kind] = {
    **dict.fromkeys(_SMALLS, _SMALL),
    Family.INT: _INT,
    Family.BIGINT: _BIGINT,
    Family.FLOAT: Kind(("AV-082", "AV-082a", "AV-082b"), "AV-082c", "AV-082d", "AV-059"),
    Family.DOUBLE: Kind(("AV-083",), "AV-083a", "AV-083b", "AV-060"),
    Family.BIT: Kind(("AV-086",), "AV-086a", "AV-105", "AV-062", ("AV-105a", "AV-105b")),
    **dict.fromkeys(TEXT, _TEXT),
    **dict.fromkeys(BINARY, _BYTES),
    Family.BINARY: _BINARY,
    Family.ENUM: Kind(("AV-089",), "AV-089a", "AV-089c", "AV-064"),
    Family.SET: Kind(("AV-090",), "AV-090a", "AV-090c", "AV-064", ("AV-090d",)),
    Family.JSON: Kind(("AV-091",), "AV-091a", "AV-091b", "AV-063", ("AV-091c",)),
    Family.DATE: Kind(("AV-092",), "AV-092a", "AV-092b", "AV-065", ("AV-092c",)),
    Family.DATETIME: Kind(("AV-093",), "AV-093a", "AV-093b", "AV-065", ("AV-093c",)),
    Family.TIMESTAMP: Kind(("AV-094",), "AV-094a", "AV-094b", "AV-066", ("AV-094c",)),
    Family.TIME: Kind(("AV-095",), "AV-095a", "AV-095b", "AV-065", ("AV-095c",)),
    Family.YEAR: Kind(("AV-096",), "AV-096a", "AV-096b", "AV-055"),
    Family.VECTOR: Kind(("AV-097",), "AV-097a", "AV-097b", "AV-063", ("AV-097b",)),
}

_UNSIGNED: Mapping[Family, Kind] = {
    **dict.fromkeys(_SMALLS, _SMALL_UNSIGNED),
    Family.INT: _INT_UNSIGNED,
}

_ALL = (*_PLAIN.values(), *_UNSIGNED.values(), _AS_LONG, _AS_DIGITS, _PRECISE, _AS_TEXT, _OF_CHARSET)


def _distinct(ids: Callable[[Kind], tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(requirement for kind in _ALL for requirement in ids(kind)))


TYPES = _distinct(lambda kind: kind.types)
TIDB_TYPES = _distinct(lambda kind: (kind.tidb,))
VALUES = _distinct(lambda kind: (kind.value,))
SPELLINGS = _distinct(lambda kind: kind.spellings)
DEFAULTS = (*_distinct(lambda kind: () if kind is _PRECISE else (kind.default,)), "AV-066a", "AV-068")


@lru_cache(maxsize=4096)
def _kind(kind: ColumnType, decimals: str, bigints: str) -> Kind:
    family = kind.family
    if family is Family.DECIMAL:
        return _PRECISE if decimals == "precise" else _AS_TEXT
    if family is Family.BIGINT and kind.unsigned:
        return _AS_LONG if bigints == "long" else _AS_DIGITS
    if family in BINARY and ("char" in kind.text.lower() or "text" in kind.text.lower()):
        return _OF_CHARSET
    return _UNSIGNED.get(family, _PLAIN[family]) if kind.unsigned else _PLAIN[family]


def kind_of(place: Place) -> Kind | None:
    """The kind of the place's column; None where there is no column."""
    if place.column is None:
        return None
    options = place.options
    return _kind(place.column.type, options.avro_decimal_handling_mode, options.avro_bigint_unsigned_handling_mode)


def type_ids(place: Place) -> tuple[str, ...]:
    """The requirements on the Avro type of the place's column, those of every profile."""
    kind = kind_of(place)
    return () if kind is None else kind.types


def tidb_ids(place: Place) -> tuple[str, ...]:
    """The requirement on the `tidb_type` of the place's column."""
    kind = kind_of(place)
    return () if kind is None else (kind.tidb,)


def spelling_ids(place: Place) -> tuple[str, ...]:
    """The requirements on how the value of the place's column is written."""
    kind = kind_of(place)
    return () if kind is None else kind.spellings


def is_precise(place: Place) -> bool:
    """The column is a DECIMAL that is sent as bytes."""
    return kind_of(place) is _PRECISE


def has_default(column: Column) -> bool:
    """The column has a default other than NULL."""
    return column.default is not None and not isinstance(column.default, Absent)


def default_id(place: Place) -> str:
    """The requirement on how the default of the place's column is written."""
    column, kind = place.column, kind_of(place)
    assert column is not None
    assert kind is not None
    if isinstance(column.default, Expression) and column.type.family in (Family.DATETIME, Family.TIMESTAMP):
        return "AV-066a"
    return "AV-068" if column.default == "null" else kind.default
