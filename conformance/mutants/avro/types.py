"""Encoders that give a column another type: Avro's, or that of `connect.parameters`.  [AV-028a, AV-075 … AV-106]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from conformance.mutants.avro.edits import (
    Applies,
    column_fields,
    encoder,
    every_value,
    in_families,
    is_signed,
    is_unsigned,
    parameter,
    type_of,
    types,
)
from conformance.mutants.avro.forgery import Forgery, Tree
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import with_options
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

_SMALLS = (Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT)


def _is_said_as_text(column: Column) -> bool:
    """A character type with charset binary."""
    return column.type.family in BINARY and ("char" in column.type.text or "text" in column.type.text)


def _is_binary(column: Column) -> bool:
    return column.type.family in BINARY and not _is_said_as_text(column)


# -- Avro types --------------------------------------------------------------------------------------------------------


def _with_type(name: str, kind: Tree, column: Column) -> None:
    kind["type"] = name


# (what, requirement, which columns, the Avro type that they are given, the requirement on values that do not fit it)
_AVRO: tuple[tuple[str, str, Applies, str, *tuple[str, ...]], ...] = (
    ("smallint", "AV-075", is_signed(*_SMALLS), "long"),
    ("tinyint", "AV-075", is_signed(Family.TINYINT), "boolean", "AV-075b", "AV-004a"),
    ("smallint-unsigned", "AV-076", is_unsigned(*_SMALLS), "long"),
    ("int", "AV-077", is_signed(Family.INT), "long"),
    ("bigint", "AV-079", is_signed(Family.BIGINT), "string"),
    ("double", "AV-083", in_families(Family.DOUBLE), "string"),
    ("bit", "AV-086", in_families(Family.BIT), "long", "AV-105"),
    ("text", "AV-087", in_families(*TEXT), "bytes"),
    ("blob", "AV-088", _is_binary, "string", "AV-088b", "AV-004a"),
    ("text-of-charset-binary", "AV-099", _is_said_as_text, "string", "AV-088b"),
    ("enum", "AV-089", in_families(Family.ENUM), "bytes"),
    ("set", "AV-090", in_families(Family.SET), "bytes"),
    ("json", "AV-091", in_families(Family.JSON), "bytes"),
    ("date", "AV-092", in_families(Family.DATE), "bytes"),
    ("datetime", "AV-093", in_families(Family.DATETIME), "bytes"),
    ("timestamp", "AV-094", in_families(Family.TIMESTAMP), "bytes"),
    ("time", "AV-095", in_families(Family.TIME), "bytes"),
    ("year", "AV-096", in_families(Family.YEAR), "long"),
    ("year", "AV-096", in_families(Family.YEAR), "string"),
    ("vector", "AV-097", in_families(Family.VECTOR), "bytes"),
)


def _avro_types() -> Iterator[Mutant]:
    for what, requirement, applies, name, *also in _AVRO:
        fault = types(applies, partial(_with_type, name))
        yield encoder(f"{what}-as-{name}", requirement, f"{what} is Avro's {name}", fault, *also)


# -- tidb_type ---------------------------------------------------------------------------------------------------------

# (requirement, which columns, the tidb_type that they are given)
_TIDB: tuple[tuple[str, Applies, str], ...] = (
    ("AV-075a", is_signed(Family.TINYINT), "TINYINT"),
    ("AV-075a", is_signed(Family.MEDIUMINT), "MEDIUMINT"),
    ("AV-076a", is_unsigned(*_SMALLS), "INT"),
    ("AV-077a", is_signed(Family.INT), "INTEGER"),
    ("AV-078a", is_unsigned(Family.INT), "UNSIGNED INT"),
    ("AV-079a", is_signed(Family.BIGINT), "INT"),
    ("AV-080a", is_unsigned(Family.BIGINT), "BIGINT"),
    ("AV-082c", in_families(Family.FLOAT), "DOUBLE"),
    ("AV-083a", in_families(Family.DOUBLE), "FLOAT"),
    ("AV-084a", in_families(Family.DECIMAL), "NUMERIC"),
    ("AV-086a", in_families(Family.BIT), "BINARY"),
    ("AV-087a", in_families(Family.VARCHAR), "VARCHAR"),
    ("AV-088a", _is_binary, "BINARY"),
    ("AV-089a", in_families(Family.ENUM), "SET"),
    ("AV-090a", in_families(Family.SET), "TEXT"),
    ("AV-091a", in_families(Family.JSON), "Json"),
    ("AV-092a", in_families(Family.DATE), "DATETIME"),
    ("AV-093a", in_families(Family.DATETIME), "TIMESTAMP"),
    ("AV-094a", in_families(Family.TIMESTAMP), "DATETIME"),
    ("AV-095a", in_families(Family.TIME), "DURATION"),
    ("AV-096a", in_families(Family.YEAR), "INT"),
    ("AV-097a", in_families(Family.VECTOR), "VECTOR"),
    ("AV-099", _is_said_as_text, "TEXT"),
)


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


def _logical(*names: str, **members: Any) -> Forgery:
    """Precise decimals lose or get members of their type."""

    def edit(kind: Tree, column: Column) -> None:
        if _is_logical(kind):
            for name in names:
                del kind[name]
            kind.update(members)

    return types(in_families(Family.DECIMAL), edit)


def _scale_of_zero_left_out(kind: Tree, column: Column) -> None:
    if kind.get("scale") == 0:
        del kind["scale"]


def _decimal_string_logical(kind: Tree, column: Column) -> None:
    if not _is_logical(kind):
        kind.update(logicalType="decimal", precision=column.type.length or 10, scale=column.type.scale or 0)


def _int_in_32_bits(value: Any, column: Column) -> Any:
    return value - (1 << 32) if value is not None and value >> 31 else value


_ENUM, _SET, _BIT = in_families(Family.ENUM), in_families(Family.SET), in_families(Family.BIT)
_INT_UNSIGNED, _FLOAT = is_unsigned(Family.INT), in_families(Family.FLOAT)
_UNSIGNED_FLOAT, _UNSIGNED_DECIMAL = is_unsigned(Family.FLOAT), is_unsigned(Family.DECIMAL)


def _typed(name: str, applies: Applies) -> Callable[[Tree, Any], None]:
    return column_fields(applies, lambda field, column: _with_type(name, type_of(field), column))


_MODES = (
    encoder(
        "int-unsigned-as-int",
        "AV-078",
        "INT UNSIGNED is Avro's int, and wraps around",
        Forgery(_typed("int", _INT_UNSIGNED), every_value(_int_in_32_bits, _INT_UNSIGNED)),
        *("AV-078b", "AV-004a", "AV-009a"),
    ),
    encoder(
        "bigint-unsigned-always-string",
        "AV-080",
        "BIGINT UNSIGNED is a string in mode long, too",
        with_options(avro_bigint_unsigned_handling_mode="string"),
    ),
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
        "decimal-always-string",
        "AV-084",
        "DECIMAL is a string in mode precise, too",
        with_options(avro_decimal_handling_mode="string"),
        *("AV-007a", "AV-049", "AV-050", "AV-084b"),
    ),
    encoder(
        "decimal-always-precise",
        "AV-085",
        "DECIMAL is bytes in mode string, too",
        with_options(avro_decimal_handling_mode="precise"),
        *("AV-046", "AV-048"),
    ),
    encoder("decimal-without-logical-type", "AV-084", "DECIMAL is bytes of no logical type", _logical("logicalType")),
    encoder(
        "decimal-without-precision",
        "AV-084b",
        "DECIMAL names neither precision nor scale",
        _logical("precision", "scale"),
    ),
    encoder(
        "decimal-without-scale-of-zero",
        "AV-084b",
        "DECIMAL names no scale where it is zero",
        types(in_families(Family.DECIMAL), _scale_of_zero_left_out),
    ),
    encoder("decimal-of-largest-precision", "AV-084b", "DECIMAL names the precision 65", _logical(precision=65)),
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
        "bit-without-length", "AV-086b", "BIT has no length", parameter(_BIT, "length", lambda length, column: None)
    ),
    encoder(
        "bit-length-in-bytes",
        "AV-086b",
        "the length of BIT is in bytes",
        parameter(_BIT, "length", lambda length, column: str((int(length) + 7) // 8)),
    ),
    encoder(
        "bit-length-always-64",
        "AV-086b",
        "the length of BIT is that of the document's example",
        parameter(_BIT, "length", lambda length, column: "64"),
    ),
    encoder(
        "enum-without-allowed",
        "AV-089b",
        "ENUM has no `allowed`",
        parameter(_ENUM, "allowed", lambda given, column: None),
    ),
    encoder(
        "enum-allowed-sorted",
        "AV-089b",
        "the members of ENUM are sorted",
        parameter(_ENUM, "allowed", lambda given, column: ",".join(sorted(column.type.members, reverse=True))),
    ),
    encoder(
        "set-without-allowed",
        "AV-090b",
        "SET has no `allowed`",
        parameter(_SET, "allowed", lambda given, column: None),
    ),
    encoder(
        "set-allowed-with-blanks",
        "AV-090b",
        "the members of SET have blanks between",
        parameter(_SET, "allowed", lambda given, column: ", ".join(column.type.members)),
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
