"""Encoders with wrong schemas: other types, defaults or parameters of columns, or fields in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import column_fields, encoder, type_of, types
from conformance.mutants.avro.rewriting import BEFORE, Part, RecordRewriter
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Applies, Json, in_families, is_text_of_charset_binary
from reference_impl.avro.extension import COMMIT_TIME, COMMIT_TS, OP
from reference_impl.column_types import TEXT, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

# -- fields ------------------------------------------------------------------------------------------------------------


def _sorted_columns(schema: Json, part: Part) -> None:
    """Sort the columns of a value by name; other fields keep their positions."""
    if part.side == "value":
        columns = sorted((f for f in schema["fields"] if f["name"] in part.columns), key=lambda field: field["name"])
        schema["fields"] = [columns.pop(0) if f["name"] in part.columns else f for f in schema["fields"]]


def _extension_first(schema: Json, part: Part) -> None:
    schema["fields"].sort(key=lambda field: field["name"] not in (OP, COMMIT_TS, COMMIT_TIME))


def _times_exchanged(schema: Json, part: Part) -> None:
    order = {COMMIT_TIME: 1, COMMIT_TS: 2}
    schema["fields"].sort(key=lambda field: order.get(field["name"], 0))


def _without_before(schema: Json, part: Part) -> None:
    schema["fields"] = [field for field in schema["fields"] if field["name"] != BEFORE]


# -- unions with null --------------------------------------------------------------------------------------------------

_EMPTY: dict[str, Any] = {"string": "", "bytes": "", "int": 0, "long": 0, "float": 0, "double": 0}


def _null_last(field: Json, column: Column) -> None:
    right = type_of(field)
    if field.get("default", 0) is None and "logicalType" not in right:
        field["type"].reverse()
        field["default"] = _EMPTY[right["type"]]


def _null_first(field: Json, column: Column) -> None:
    if isinstance(field["type"], list) and field["type"][0] != "null" and column.default != "null":
        field["type"].reverse()
        field["default"] = None


def _of_columns(edit: Callable[[Json, Column], Any]) -> RecordRewriter:
    return RecordRewriter(column_fields(lambda column: True, edit))


# -- types -------------------------------------------------------------------------------------------------------------


def _as_type(name: str, applies: Applies) -> RecordRewriter:
    """Gives matching columns another Avro type."""
    return types(applies, lambda avro_type: avro_type.update(type=name))


def _said_unsigned(family: Family) -> RecordRewriter:
    """Appends UNSIGNED to the `tidb_type` of unsigned columns of a family."""

    def append(avro_type: Json) -> None:
        avro_type["connect.parameters"]["tidb_type"] += " UNSIGNED"

    return types(lambda column: column.type.family is family and column.type.unsigned, append)


_FLOAT = in_families(Family.FLOAT)

MUTANTS: tuple[Mutant, ...] = (
    encoder("columns-sorted", "AV-110", "columns are sorted by name")(RecordRewriter(_sorted_columns)),
    encoder("key-reversed", "AV-112c", "the columns of a key are in reverse order")(
        RecordRewriter(lambda schema, part: schema["fields"].reverse() if part.side == "key" else None)
    ),
    encoder("extension-before-columns", "AV-116d", "the extension stands before the columns")(
        RecordRewriter(_extension_first)
    ),
    encoder("extension-times-exchanged", "AV-116d", "the physical time stands before the commit time stamp")(
        RecordRewriter(_times_exchanged)
    ),
    encoder("row-before-left-out", "AV-120", "a value lacks the before image")(RecordRewriter(_without_before)),
    encoder("null-last", "AV-047", "null is the last branch, and the default a zero")(_of_columns(_null_last)),
    encoder("null-first", "AV-048", "null is the first branch and the default, also of columns with another default")(
        _of_columns(_null_first)
    ),
    encoder("text-as-bytes", "AV-087", "text is Avro's bytes")(_as_type("bytes", in_families(*TEXT))),
    encoder("text-of-charset-binary-as-string", "AV-099", "a character type with charset binary is Avro's string")(
        _as_type("string", is_text_of_charset_binary)
    ),
    encoder("float-as-double", "AV-082", "FLOAT is Avro's double")(_as_type("double", _FLOAT)),
    encoder(
        "float-as-float-too-early", "AV-082a", "FLOAT is Avro's float in a release that writes double", release="v6.5.3"
    )(_as_type("float", _FLOAT)),
    encoder("float-as-float-against-the-document", "AV-082b", "FLOAT is Avro's float", profile="doc")(
        _as_type("float", _FLOAT)
    ),
    encoder("unsigned-float-said", "AV-099a", "UNSIGNED stands in the tidb_type of FLOAT")(
        _said_unsigned(Family.FLOAT)
    ),
    encoder("unsigned-decimal-said", "AV-099a", "UNSIGNED stands in the tidb_type of DECIMAL")(
        _said_unsigned(Family.DECIMAL)
    ),
)
