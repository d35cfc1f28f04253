"""The Avro type of each column type: Avro type name, `connect.parameters`, decimal.  [AV-075 … AV-098]

The modules `writers` and `readers` convert the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reference_impl.avro.options import Options
from reference_impl.avro.style import Style
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.values import escaped_label

__all__ = ["AVRO_TYPES_OF_TIDB", "AvroType", "avro_type"]

_UNSIGNED = " UNSIGNED"

_INTS = (Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT, Family.INT)

# Avro type and `tidb_type`, before options and signedness.
_TYPES: Mapping[Family, tuple[str, str]] = {
    **dict.fromkeys(_INTS, ("int", "INT")),
    Family.BIGINT: ("long", "BIGINT"),
    Family.FLOAT: ("float", "FLOAT"),
    Family.DOUBLE: ("double", "DOUBLE"),
    Family.DECIMAL: ("bytes", "DECIMAL"),
    Family.BIT: ("bytes", "BIT"),
    **dict.fromkeys(TEXT, ("string", "TEXT")),
    **dict.fromkeys(BINARY - {Family.GEOMETRY}, ("bytes", "BLOB")),
    Family.DATE: ("string", "DATE"),
    Family.DATETIME: ("string", "DATETIME"),
    Family.TIMESTAMP: ("string", "TIMESTAMP"),
    Family.TIME: ("string", "TIME"),
    Family.YEAR: ("int", "YEAR"),
    Family.ENUM: ("string", "ENUM"),
    Family.SET: ("string", "SET"),
    Family.JSON: ("string", "JSON"),
    Family.VECTOR: ("string", "TiDBVECTORFloat32"),
}

# The Avro types that belong to a `tidb_type`, in any mode, profile and release.
AVRO_TYPES_OF_TIDB: Mapping[str, frozenset[str]] = {
    **{tidb: frozenset({avro}) for avro, tidb in _TYPES.values()},
    "INT UNSIGNED": frozenset({"int", "long"}),
    "BIGINT UNSIGNED": frozenset({"long", "string"}),
    "FLOAT": frozenset({"float", "double"}),
    "DECIMAL": frozenset({"bytes", "string"}),
}


@dataclass(frozen=True, slots=True)
class AvroType:
    """A column type as an Avro schema has it."""

    avro: str
    """The name of the Avro type."""
    parameters: Mapping[str, str]
    """`connect.parameters`."""
    decimal: tuple[int, int] | None = None
    """Precision and scale, for `bytes` of the logical type `decimal`."""

    @property
    def tidb(self) -> str:
        """The parameter `tidb_type`."""
        return self.parameters["tidb_type"]


def _plain(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    avro, tidb = _TYPES[column_type.family]
    return AvroType(avro, {"tidb_type": tidb})


def _int(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    is_wide = column_type.unsigned and column_type.family is Family.INT  # [AV-078]
    return AvroType("long" if is_wide else "int", {"tidb_type": "INT" + _UNSIGNED * column_type.unsigned})


def _bigint(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    # The mode names the Avro type.
    avro = options.avro_bigint_unsigned_handling_mode if column_type.unsigned else "long"
    return AvroType(avro, {"tidb_type": "BIGINT" + _UNSIGNED * column_type.unsigned})


def _float(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    return AvroType(style.float_type, {"tidb_type": "FLOAT"})


def _decimal(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    if options.avro_decimal_handling_mode == "string":
        return AvroType("string", {"tidb_type": "DECIMAL"})
    return AvroType("bytes", {"tidb_type": "DECIMAL"}, (column_type.length or 10, column_type.scale or 0))


def _bit(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    return AvroType("bytes", {"length": str(column_type.bits), "tidb_type": "BIT"})


def _members(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    labels = ",".join(escaped_label(label) for label in column_type.members)
    return AvroType("string", {"allowed": labels, "tidb_type": _TYPES[column_type.family][1]})


_MAKERS = {
    **dict.fromkeys(_TYPES, _plain),
    **dict.fromkeys(_INTS, _int),
    Family.BIGINT: _bigint,
    Family.FLOAT: _float,
    Family.DECIMAL: _decimal,
    Family.BIT: _bit,
    Family.ENUM: _members,
    Family.SET: _members,
}


def avro_type(column_type: ColumnType, options: Options, style: Style) -> AvroType:
    """The Avro type of a column type.

    Raises `Rejected` (class `type`) for a type that TiDB does not have.  [AV-098]
    """
    make = _MAKERS.get(column_type.family)
    if make is None:
        raise Rejected("type", f"{column_type.text}: TiDB has no such column type")
    return make(column_type, options, style)
