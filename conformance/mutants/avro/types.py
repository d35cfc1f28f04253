"""Encoders that write a wrong type of a column: of Avro, or in `connect.parameters`."""

from __future__ import annotations

from functools import partial

from conformance.mutants.avro.edits import encoder, in_families, is_unsigned, types
from conformance.mutants.avro.rewriting import Tree
from conformance.mutants.model import Mutant
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]


def _is_text_of_charset_binary(column: Column) -> bool:
    """Whether a column has a character type with charset binary."""
    return column.type.family in BINARY and ("char" in column.type.text or "text" in column.type.text)


# -- Avro types --------------------------------------------------------------------------------------------------------


def _with_type(name: str, avro_type: Tree, column: Column) -> None:
    avro_type["type"] = name


_AVRO = (
    encoder("text-as-bytes", "AV-087", "text is Avro's bytes", types(in_families(*TEXT), partial(_with_type, "bytes"))),
    encoder(
        "text-of-charset-binary-as-string",
        "AV-099",
        "a character type with charset binary is Avro's string",
        types(_is_text_of_charset_binary, partial(_with_type, "string")),
    ),
)

# -- tidb_type ---------------------------------------------------------------------------------------------------------


def _append_unsigned(avro_type: Tree, column: Column) -> None:
    avro_type["connect.parameters"]["tidb_type"] += " UNSIGNED"


# -- FLOAT, UNSIGNED ---------------------------------------------------------------------------------------------------


_INT_UNSIGNED, _FLOAT = is_unsigned(Family.INT), in_families(Family.FLOAT)
_UNSIGNED_FLOAT, _UNSIGNED_DECIMAL = is_unsigned(Family.FLOAT), is_unsigned(Family.DECIMAL)


_MODES = (
    encoder("float-as-double", "AV-082", "FLOAT is Avro's double", types(_FLOAT, partial(_with_type, "double"))),
    encoder(
        "float-as-float-too-early",
        "AV-082a",
        "FLOAT is Avro's float in a release that writes double",
        types(_FLOAT, partial(_with_type, "float")),
        release="v6.5.3",
    ),
    encoder(
        "float-as-float-against-the-document",
        "AV-082b",
        "FLOAT is Avro's float",
        types(_FLOAT, partial(_with_type, "float")),
        profile="doc",
    ),
)

_PARAMETERS = (
    encoder(
        "unsigned-float-said",
        "AV-099a",
        "UNSIGNED stands in the tidb_type of FLOAT",
        types(_UNSIGNED_FLOAT, _append_unsigned),
    ),
    encoder(
        "unsigned-decimal-said",
        "AV-099a",
        "UNSIGNED stands in the tidb_type of DECIMAL",
        types(_UNSIGNED_DECIMAL, _append_unsigned),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_AVRO, *_MODES, *_PARAMETERS)
