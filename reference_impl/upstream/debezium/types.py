"""The connector's mapping of column types, by the word in the statement, its options and its version.

[DBZ-201 … DBZ-219, §7.2 … §7.5, DBZ-704, DBZ-707]

`FORMS` maps forms to schemas; `WORDS` and `MODES` map column types to forms. A snapshot reads the types that the server
prints, so there every word is the base word of its family. The module `texts` writes values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from reference_impl.column_types import ColumnType, Family
from reference_impl.epochs import datetime_unit
from reference_impl.errors import Unsupported
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.versions import VERSIONS
from reference_impl.values import escaped_label

__all__ = [
    "DECIDING",
    "FORMS",
    "MODES",
    "WORDS",
    "Connect",
    "Form",
    "form_of",
    "is_binary",
    "parameters",
    "quoted_labels",
    "raw_labels",
    "word_of",
]


class Form(Enum):
    """The forms of values in a payload."""

    BOOLEAN = auto()
    INT16 = auto()
    INT32 = auto()
    INT64 = auto()
    FLOAT = auto()
    DOUBLE = auto()
    WIDENED = auto()  # a float of 32 bits, as a double
    STRING = auto()
    DECIMAL = auto()  # base64 of a big-endian number without its point
    DECIMAL_DOUBLE = auto()
    DECIMAL_TEXT = auto()
    UNSIGNED_DECIMAL = auto()  # BIGINT UNSIGNED as a decimal without fraction
    BYTES = auto()  # base64 by the converter
    BASE64 = auto()  # base64 by the connector
    URL_SAFE = auto()
    HEX = auto()
    BITS = auto()  # base64 of little-endian bytes
    DATE = auto()
    CONNECT_DATE = auto()
    TIME = auto()
    CONNECT_TIME = auto()
    MILLIS = auto()
    MICROS = auto()
    CONNECT_TIMESTAMP = auto()
    ZONED = auto()
    YEAR = auto()
    ENUM = auto()
    SET = auto()
    JSON = auto()
    POINT = auto()
    GEOMETRY = auto()
    FLOATS = auto()
    NOTHING = auto()  # a column that is declared as a double and always NULL


@dataclass(frozen=True, slots=True)
class Connect:
    """A schema of Kafka Connect: type, semantic name and its version, and a comment."""

    type: str
    name: str | None = None
    version: int | None = None
    doc: str | None = None


def _semantic(kind: str, name: str, doc: str | None = None) -> Connect:
    return Connect(kind, name, 1, doc)


FORMS: Mapping[Form, Connect] = {
    Form.BOOLEAN: Connect("boolean"),
    Form.INT16: Connect("int16"),
    Form.INT32: Connect("int32"),
    Form.INT64: Connect("int64"),
    Form.FLOAT: Connect("float"),
    Form.DOUBLE: Connect("double"),
    Form.WIDENED: Connect("double"),
    Form.NOTHING: Connect("double"),
    Form.STRING: Connect("string"),
    Form.DECIMAL: _semantic("bytes", "org.apache.kafka.connect.data.Decimal"),
    Form.DECIMAL_DOUBLE: Connect("double"),
    Form.DECIMAL_TEXT: Connect("string"),
    Form.UNSIGNED_DECIMAL: _semantic("bytes", "org.apache.kafka.connect.data.Decimal"),
    Form.BYTES: Connect("bytes"),
    Form.BASE64: Connect("string"),
    Form.URL_SAFE: Connect("string"),
    Form.HEX: Connect("string"),
    Form.BITS: _semantic("bytes", "io.debezium.data.Bits"),
    Form.DATE: _semantic("int32", "io.debezium.time.Date"),
    Form.CONNECT_DATE: _semantic("int32", "org.apache.kafka.connect.data.Date"),
    Form.TIME: _semantic("int64", "io.debezium.time.MicroTime"),
    Form.CONNECT_TIME: _semantic("int32", "org.apache.kafka.connect.data.Time"),
    Form.MILLIS: _semantic("int64", "io.debezium.time.Timestamp"),
    Form.MICROS: _semantic("int64", "io.debezium.time.MicroTimestamp"),
    Form.CONNECT_TIMESTAMP: _semantic("int64", "org.apache.kafka.connect.data.Timestamp"),
    Form.ZONED: _semantic("string", "io.debezium.time.ZonedTimestamp"),
    Form.YEAR: _semantic("int32", "io.debezium.time.Year"),
    Form.ENUM: _semantic("string", "io.debezium.data.Enum"),
    Form.SET: _semantic("string", "io.debezium.data.EnumSet"),
    Form.JSON: _semantic("string", "io.debezium.data.Json"),
    Form.POINT: _semantic("struct", "io.debezium.data.geometry.Point", "Geometry (POINT)"),
    Form.GEOMETRY: _semantic("struct", "io.debezium.data.geometry.Geometry", "Geometry"),
    Form.FLOATS: _semantic("array", "io.debezium.data.FloatVector"),
}

# Name of a choice → value of the option that decides → form.
MODES: Mapping[str, Mapping[str, Form]] = {
    "decimal": {"precise": Form.DECIMAL, "double": Form.DECIMAL_DOUBLE, "string": Form.DECIMAL_TEXT},
    "bigint unsigned": {"long": Form.INT64, "precise": Form.UNSIGNED_DECIMAL},
    "binary": {"bytes": Form.BYTES, "base64": Form.BASE64, "base64-url-safe": Form.URL_SAFE, "hex": Form.HEX},
    "date": {"adaptive_time_microseconds": Form.DATE, "connect": Form.CONNECT_DATE},
    "time": {"adaptive_time_microseconds": Form.TIME, "connect": Form.CONNECT_TIME},
    "datetime": {"adaptive_time_microseconds": Form.MILLIS, "connect": Form.CONNECT_TIMESTAMP},
    "fine datetime": {"adaptive_time_microseconds": Form.MICROS, "connect": Form.CONNECT_TIMESTAMP},
    "integer unsigned": {name: Form.INT64 if v.wide_integers else Form.INT32 for name, v in VERSIONS.items()},
}
# Name of a choice → the attribute of `Options` that decides.
DECIDING: Mapping[str, str] = {
    "decimal": "decimal_handling_mode",
    "bigint unsigned": "bigint_unsigned_handling_mode",
    "binary": "binary_handling_mode",
    **dict.fromkeys(("date", "time", "datetime", "fine datetime"), "time_precision_mode"),
    "integer unsigned": "version",
}

Choice: TypeAlias = Form | str  # a form, or the name of a row of MODES

_TEXT_WORDS = (
    *("char", "nchar", "national char", "character"),
    *("varchar", "nvarchar", "national varchar", "character varying", "char varying", "varcharacter", "long varchar"),
    *("national char varying", "national character", "national character varying", "national varcharacter"),
    *("nchar varying", "nchar varchar", "long char varying", "long character varying", "long varcharacter"),
    *("tinytext", "text", "mediumtext", "longtext", "long"),
)
_BINARY_WORDS = ("binary", "varbinary", "long varbinary", "tinyblob", "blob", "mediumblob", "longblob")
_SPATIAL_WORDS = (
    *("geometry", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon"),
    *("geometrycollection", "geomcollection"),
)

# Word in the statement → signed form, unsigned form.
WORDS: Mapping[str, tuple[Choice, Choice]] = {
    **dict.fromkeys(("bool", "boolean"), (Form.BOOLEAN, Form.BOOLEAN)),
    **dict.fromkeys(("tinyint", "int1"), (Form.INT16, Form.INT16)),
    **dict.fromkeys(("smallint", "int2"), (Form.INT16, Form.INT32)),
    **dict.fromkeys(("mediumint", "int3", "middleint"), (Form.INT32, Form.INT32)),
    **dict.fromkeys(("int", "int4"), (Form.INT32, Form.INT64)),
    "integer": (Form.INT32, "integer unsigned"),
    **dict.fromkeys(("bigint", "int8", "serial"), (Form.INT64, "bigint unsigned")),
    "float": (Form.FLOAT, Form.FLOAT),
    "float4": (Form.NOTHING, Form.NOTHING),
    **dict.fromkeys(("double", "double precision", "float8"), (Form.DOUBLE, Form.DOUBLE)),
    "real": (Form.FLOAT, Form.FLOAT),
    **dict.fromkeys(("decimal", "numeric", "dec", "fixed"), ("decimal", "decimal")),
    **dict.fromkeys(_TEXT_WORDS, (Form.STRING, Form.STRING)),
    **dict.fromkeys(_BINARY_WORDS, ("binary", "binary")),
    "bit": (Form.BITS, Form.BITS),
    "date": ("date", "date"),
    "time": ("time", "time"),
    "datetime": ("datetime", "datetime"),
    "timestamp": (Form.ZONED, Form.ZONED),
    "year": (Form.YEAR, Form.YEAR),
    "enum": (Form.ENUM, Form.ENUM),
    "set": (Form.SET, Form.SET),
    "json": (Form.JSON, Form.JSON),
    "point": (Form.POINT, Form.POINT),
    **dict.fromkeys(_SPATIAL_WORDS, (Form.GEOMETRY, Form.GEOMETRY)),
    "vector": (Form.FLOATS, Form.FLOATS),
}

_WORD = re.compile(r"[a-z]+[0-9]?(?: (?:precision|varying|char|varchar|character|varcharacter|varbinary)\b)*")
_LONGEST_SINGLE = 24


def word_of(column_type: ColumnType, *, snapshot: bool = False) -> str:
    """The word for a column type: in its statement, or in a snapshot as printed by the server."""
    if snapshot and column_type.family is not Family.GEOMETRY:
        return column_type.family.value
    match = _WORD.match(" ".join(column_type.text.lower().split()))
    return match[0] if match else column_type.family.value


def is_binary(column_type: ColumnType) -> bool:
    """Whether BINARY follows the type in its statement, which means the binary collation of its charset."""
    return column_type.text.endswith(" binary")


def form_of(column_type: ColumnType, options: Options, *, snapshot: bool = False) -> Form:
    """The form of a column. Raises `Unsupported` for a type that the version cannot parse, or whose values it loses."""
    word = word_of(column_type, snapshot=snapshot)
    if column_type.members and is_binary(column_type) and not snapshot:
        raise Unsupported(f"{options.traits.text} writes no value of a {column_type.text}")
    if word not in WORDS or word.upper() in options.traits.unknown_words:
        raise Unsupported(f"{options.traits.text} does not know the type {column_type.text}")
    chosen = WORDS[word][column_type.unsigned]
    if word == "bit" and column_type.bits == 1:
        return Form.BOOLEAN
    if word == "float":
        if column_type.scale is not None:
            return Form.WIDENED
        return Form.DOUBLE if (column_type.length or 0) > _LONGEST_SINGLE else Form.FLOAT
    if word == "datetime" and datetime_unit(column_type) == 1:
        chosen = "fine datetime"
    return chosen if isinstance(chosen, Form) else MODES[chosen][getattr(options, DECIDING[chosen])]


_LITERAL = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*\"""", re.DOTALL)


def quoted_labels(column_type: ColumnType) -> list[str]:
    """The labels of an ENUM or SET as in its statement, with their single or double quotes."""
    return _LITERAL.findall(column_type.text)


def raw_labels(column_type: ColumnType) -> list[str]:
    """The labels of an ENUM or SET as in its statement, without the quotes."""
    return [label[1:-1] for label in quoted_labels(column_type)]


def parameters(column_type: ColumnType, form: Form, *, snapshot: bool = False) -> Mapping[str, str]:
    """The parameters of a column's schema; the server prints labels without trailing blanks."""
    if form in (Form.ENUM, Form.SET):
        labels = raw_labels(column_type)
        return {"allowed": ",".join(escaped_label(label.rstrip(" ") if snapshot else label) for label in labels)}
    if form is Form.BITS:
        return {"length": str(column_type.bits)}
    if form is Form.DECIMAL:
        return {"scale": str(column_type.scale or 0), "connect.decimal.precision": str(column_type.length or 10)}
    if form is Form.UNSIGNED_DECIMAL:
        return {"scale": "0", "connect.decimal.precision": "20"}
    return {}
