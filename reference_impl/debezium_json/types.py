"""Column types in Debezium JSON: forms of values, their schema types and names, and `tidb_type`.

[DBZ-100 … DBZ-126, DBZ-150 … DBZ-153, DBZ-201 … DBZ-219]

Values are written in `texts` and read in `readers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, auto
from functools import lru_cache

from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family, parse_column_type
from reference_impl.epochs import datetime_unit
from reference_impl.errors import Rejected
from reference_impl.values import escaped_label

__all__ = [
    "FORMS",
    "READABLE",
    "Form",
    "allowed",
    "form_of",
    "read_tidb_type",
    "schema_type",
    "tidb_type",
]


class Form(StrEnum):
    """The forms of values in a payload; only the imitated connector writes those of the last block."""

    BOOLEAN = auto()
    INT16 = auto()
    INT32 = auto()
    INT64 = auto()
    FLOAT = auto()
    DOUBLE = auto()
    STRING = auto()
    BITS = auto()  # base64 of little-endian bytes
    DATE = auto()  # days
    MILLIS = auto()
    MICROS = auto()
    TIME = auto()  # microseconds
    ZONED = auto()  # ISO text in UTC
    YEAR = auto()
    ENUM = auto()
    SET = auto()
    JSON = auto()
    VECTOR = auto()

    BYTES = auto()  # base64
    DECIMAL = auto()  # base64 of a big-endian number without its point
    CONNECT_TIME = auto()  # milliseconds
    CONNECT_TIMESTAMP = auto()  # milliseconds, for any precision of the column
    FLOATS = auto()  # an array
    GEOMETRY = auto()  # an object with `wkb`


# Schema type and name of each form, as TiCDC writes it.
FORMS: Mapping[Form, tuple[str, str | None]] = {
    Form.BOOLEAN: ("boolean", None),
    Form.INT16: ("int16", None),
    Form.INT32: ("int32", None),
    Form.INT64: ("int64", None),
    Form.FLOAT: ("float", None),
    Form.DOUBLE: ("double", None),
    Form.STRING: ("string", None),
    Form.BITS: ("bytes", "io.debezium.data.Bits"),
    Form.DATE: ("int32", "io.debezium.time.Date"),
    Form.MILLIS: ("int64", "io.debezium.time.Timestamp"),
    Form.MICROS: ("int64", "io.debezium.time.MicroTimestamp"),
    Form.TIME: ("int64", "io.debezium.time.MicroTime"),
    Form.ZONED: ("string", "io.debezium.time.ZonedTimestamp"),
    Form.YEAR: ("int32", "io.debezium.time.Year"),
    Form.ENUM: ("string", "io.debezium.data.Enum"),
    Form.SET: ("string", "io.debezium.data.EnumSet"),
    Form.JSON: ("string", "io.debezium.data.Json"),
    Form.VECTOR: ("string", "io.debezium.data.TiDBVectorFloat32"),
}

# The form of each schema type and name that may be read.
READABLE: Mapping[tuple[str, str | None], Form] = {schema: form for form, schema in FORMS.items()} | {
    ("bytes", None): Form.BYTES,
    ("bytes", "org.apache.kafka.connect.data.Decimal"): Form.DECIMAL,
    ("int32", "org.apache.kafka.connect.data.Date"): Form.DATE,
    ("int32", "org.apache.kafka.connect.data.Time"): Form.CONNECT_TIME,
    ("int64", "org.apache.kafka.connect.data.Timestamp"): Form.CONNECT_TIMESTAMP,
    ("array", "io.debezium.data.FloatVector"): Form.FLOATS,
    ("struct", "io.debezium.data.geometry.Geometry"): Form.GEOMETRY,
    ("struct", "io.debezium.data.geometry.Point"): Form.GEOMETRY,
}

# (signed, unsigned)  [DBZ-112 … DBZ-119]
_INTEGER_FORMS: Mapping[Family, tuple[Form, Form]] = {
    Family.TINYINT: (Form.INT16, Form.INT16),
    Family.SMALLINT: (Form.INT16, Form.INT32),
    Family.MEDIUMINT: (Form.INT32, Form.INT32),
    Family.INT: (Form.INT32, Form.INT64),
    Family.BIGINT: (Form.INT64, Form.INT64),
}

# The form of each family whose form does not depend on the rest of the type.
_FORM_OF_FAMILY: Mapping[Family, Form] = {
    **dict.fromkeys(TEXT, Form.STRING),
    **dict.fromkeys(BINARY - {Family.GEOMETRY}, Form.STRING),
    Family.DECIMAL: Form.DOUBLE,
    Family.DOUBLE: Form.DOUBLE,
    Family.DATE: Form.DATE,
    Family.TIME: Form.TIME,
    Family.TIMESTAMP: Form.ZONED,
    Family.YEAR: Form.YEAR,
    Family.ENUM: Form.ENUM,
    Family.SET: Form.SET,
    Family.JSON: Form.JSON,
    Family.VECTOR: Form.VECTOR,
}

_SHOWN_UNSIGNED = INTEGERS | {Family.FLOAT, Family.DOUBLE}


@lru_cache(maxsize=4096)
def form_of(column_type: ColumnType) -> Form:
    """The form in which TiCDC writes a column type.

    Raises `Rejected` (class `type`) for a type that TiDB lacks.
    """
    family = column_type.family
    if family in _INTEGER_FORMS:
        return _INTEGER_FORMS[family][column_type.unsigned]
    if family is Family.BIT:
        return Form.BOOLEAN if column_type.bits == 1 else Form.BITS
    if family is Family.FLOAT:
        return Form.FLOAT if column_type.scale is None else Form.DOUBLE
    if family is Family.DATETIME:
        return Form.MICROS if datetime_unit(column_type) == 1 else Form.MILLIS
    try:
        return _FORM_OF_FAMILY[family]
    except KeyError:
        raise Rejected("type", f"{column_type.text}: TiDB has no such column type") from None


def allowed(column_type: ColumnType) -> str:
    """The parameter `allowed`: labels with commas between them; those of an ENUM are escaped.  [DBZ-131]"""
    is_set = column_type.family is Family.SET
    return ",".join(column_type.members if is_set else map(escaped_label, column_type.members))


@lru_cache(maxsize=4096)
def tidb_type(column_type: ColumnType) -> str:
    """`tidb_type`: the word of the type, with `unsigned` only for integers and floats.  [DBZ-151, DBZ-152]"""
    is_unsigned = column_type.unsigned and column_type.family in _SHOWN_UNSIGNED
    return column_type.family.value + (" unsigned" if is_unsigned else "")


@lru_cache(maxsize=4096)
def read_tidb_type(text: str) -> ColumnType:
    """The column type of a `tidb_type`, without length and scale.

    Raises `Rejected` (class `type`) for any other text.
    """
    column_type = parse_column_type(text)
    if tidb_type(column_type) != text:
        raise Rejected("type", f"{text!r} is not a tidb_type")
    form_of(column_type)  # raises for a type that TiDB lacks
    return column_type


@lru_cache(maxsize=4096)
def schema_type(column_type: ColumnType) -> tuple[str, str | None]:
    """`type` and `name` of a column's schema."""
    return FORMS[form_of(column_type)]
