"""Encoders that give a column another type: Avro's, or that of `connect.parameters`.  [AV-028a, AV-075 … AV-106]"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from conformance.mutants.avro.edits import (
    Applies,
    encoder,
    in_families,
    is_signed,
    is_unsigned,
    parameter,
    types,
)
from conformance.mutants.avro.forgery import Tree
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import with_options
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]


def _is_said_as_text(column: Column) -> bool:
    """A character type with charset binary."""
    return column.type.family in BINARY and ("char" in column.type.text or "text" in column.type.text)


# -- Avro types --------------------------------------------------------------------------------------------------------


def _with_type(name: str, kind: Tree, column: Column) -> None:
    kind["type"] = name


# (what, requirement, which columns, the Avro type that they are given, the requirement on values that do not fit it)
_AVRO: tuple[tuple[str, str, Applies, str, *tuple[str, ...]], ...] = (
    ("int", "AV-077", is_signed(Family.INT), "long"),
    ("bit", "AV-086", in_families(Family.BIT), "long", "AV-105"),
    ("text", "AV-087", in_families(*TEXT), "bytes"),
    ("text-of-charset-binary", "AV-099", _is_said_as_text, "string", "AV-088b"),
    ("enum", "AV-089", in_families(Family.ENUM), "bytes"),
)


def _avro_types() -> Iterator[Mutant]:
    for what, requirement, applies, name, *also in _AVRO:
        fault = types(applies, partial(_with_type, name))
        yield encoder(f"{what}-as-{name}", requirement, f"{what} is Avro's {name}", fault, *also)


# -- tidb_type ---------------------------------------------------------------------------------------------------------

# (requirement, which columns, the tidb_type that they are given)
_TIDB: tuple[tuple[str, Applies, str], ...] = (("AV-099", _is_said_as_text, "TEXT"),)


def _other_word(tidb: str, given: Any, column: Column) -> str:
    return tidb


def _tidb_types() -> Iterator[Mutant]:
    for requirement, applies, tidb in _TIDB:
        name = f"tidb-type-{tidb.lower().replace(' ', '-')}-{requirement.lower()}"
        fault = parameter(applies, "tidb_type", partial(_other_word, tidb))
        yield encoder(name, requirement, f"a tidb_type is {tidb}", fault)


def _unsigned_everywhere(kind: Tree, column: Column) -> None:
    kind["connect.parameters"]["tidb_type"] += " UNSIGNED"


# -- decimals, parameters ----------------------------------------------------------------------------------------------


def _is_logical(kind: Tree) -> bool:
    return "logicalType" in kind


def _decimal_string_logical(kind: Tree, column: Column) -> None:
    if not _is_logical(kind):
        kind.update(logicalType="decimal", precision=column.type.length or 10, scale=column.type.scale or 0)


_ENUM, _SET, _BIT = in_families(Family.ENUM), in_families(Family.SET), in_families(Family.BIT)
_INT_UNSIGNED, _FLOAT = is_unsigned(Family.INT), in_families(Family.FLOAT)
_UNSIGNED_FLOAT, _UNSIGNED_DECIMAL = is_unsigned(Family.FLOAT), is_unsigned(Family.DECIMAL)


_MODES = (
    encoder(
        "bigint-unsigned-always-long",
        "AV-081",
        "BIGINT UNSIGNED is a long in mode string, too",
        with_options(avro_bigint_unsigned_handling_mode="long"),
    ),
    encoder("float-as-double", "AV-082", "FLOAT is Avro's double", types(_FLOAT, partial(_with_type, "double"))),
    encoder(
        "float-as-float-too-early",
        "AV-082a",
        "FLOAT is Avro's float before it was",
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
    encoder(
        "decimal-always-precise",
        "AV-085",
        "DECIMAL is bytes in mode string, too",
        with_options(avro_decimal_handling_mode="precise"),
        *("AV-046", "AV-048"),
    ),
    encoder(
        "decimal-string-of-logical-type",
        "AV-085",
        "DECIMAL as a string has a logical type",
        types(in_families(Family.DECIMAL), _decimal_string_logical),
    ),
)

_PARAMETERS = (
    encoder(
        "bit-length-a-number",
        "AV-028a",
        "the length of BIT is a number",
        parameter(_BIT, "length", lambda length, column: int(length)),
    ),
    encoder(
        "allowed-a-list",
        "AV-028a",
        "`allowed` is a list",
        parameter(in_families(Family.ENUM, Family.SET), "allowed", lambda given, column: list(column.type.members)),
    ),
    encoder(
        "allowed-without-backslashes",
        "AV-106",
        "a comma in `allowed` that belongs to a member has no backslash before it",
        parameter(in_families(Family.ENUM, Family.SET), "allowed", lambda given, column: given.replace("\\,", ",")),
    ),
    encoder(
        "allowed-with-doubled-quotes",
        "AV-106",
        "a quote in `allowed` is doubled as in SQL",
        parameter(in_families(Family.ENUM, Family.SET), "allowed", lambda given, column: given.replace("'", "''")),
    ),
    encoder(
        "unsigned-float-said",
        "AV-099a",
        "UNSIGNED stands in the tidb_type of FLOAT",
        types(_UNSIGNED_FLOAT, _unsigned_everywhere),
        "AV-082c",
    ),
    encoder(
        "unsigned-decimal-said",
        "AV-099a",
        "UNSIGNED stands in the tidb_type of DECIMAL",
        types(_UNSIGNED_DECIMAL, _unsigned_everywhere),
        "AV-084a",
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_avro_types(), *_tidb_types(), *_MODES, *_PARAMETERS)
