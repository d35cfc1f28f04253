"""Encoders that get the types of columns in DDL messages wrong: names, codes, charsets, lengths.  [DBZ-338, DBZ-339]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.debezium.changed_columns import Fault, Make, is_any, is_plain_int, member, of, to, unless_null
from conformance.mutants.debezium.edits import encoder
from conformance.mutants.model import Mutant
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

_CHARACTERS = TEXT | {Family.ENUM, Family.SET}
_USUAL = frozenset({Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT, Family.INT, Family.BIGINT})
_OWN_LENGTH = frozenset({Family.CHAR, Family.VARCHAR, Family.BINARY, Family.VARBINARY, Family.DECIMAL, Family.BIT})
_WITH_SCALE = frozenset({Family.DECIMAL, Family.FLOAT, Family.DOUBLE})


def _not_int(column: Column, defined: bool) -> bool:
    return not is_plain_int(column, defined)


def _is_implied(column: Column, defined: bool) -> bool:
    return column.collation == "utf8_unicode_ci"


def _lengthy(given: Any, column: Column) -> Any:
    return (column.type.length or 11) if given is None else given


def _one_more(given: Any, column: Column) -> Any:
    return given if given is None else given + 1


def _fitting(value: Any, applies: Callable[[Any, Column], bool]) -> Make:
    return lambda given, column: value if applies(given, column) else given


def _given_null(given: Any, column: Column) -> bool:
    return given is None


def _with_parameters(given: str, column: Column) -> str:
    return f"{given}({column.type.length})" if column.type.length and "(" not in given else given


def _without_parameters(given: str, column: Column) -> str:
    return given.partition("(")[0]


_FAULTS: tuple[Fault, ...] = (
    ("DBZ-338", "int-code", "jdbcType of INT is -5", "jdbcType", is_plain_int, to(-5)),
    ("DBZ-338l", "int-name", "typeName of INT is INTEGER", "typeName", is_plain_int, to("INTEGER")),
    ("DBZ-338m", "int-expression", "typeExpression of INT is int(11)", "typeExpression", is_plain_int, to("INT(11)")),
    (
        "DBZ-338a",
        "code-of-mysql",
        "jdbcType of TINYINT is -6",
        "jdbcType",
        lambda c, defined: c.type.family is Family.TINYINT,
        to(-6),
    ),
    ("DBZ-338a", "code-of-timestamp", "jdbcType of TIMESTAMP is 93", "jdbcType", of(Family.TIMESTAMP), to(93)),
    ("DBZ-338b", "name-lower-case", "typeName in lower case", "typeName", _not_int, lambda v, c: v.lower()),
    (
        "DBZ-338b",
        "name-unsigned-lost",
        "typeName lacks UNSIGNED",
        "typeName",
        is_any,
        lambda v, c: v.removesuffix(" UNSIGNED"),
    ),
    (
        "DBZ-338c",
        "expression-with-length",
        "typeExpression has the length",
        "typeExpression",
        of(Family.VARCHAR, Family.CHAR),
        _with_parameters,
    ),
    (
        "DBZ-338c",
        "expression-bare",
        "typeExpression of VECTOR and DOUBLE has no digits",
        "typeExpression",
        is_any,
        _without_parameters,
    ),
    (
        "DBZ-338d",
        "charset-lost",
        "charsetName of texts is null",
        "charsetName",
        lambda c, defined: c.type.family in _CHARACTERS and not _is_implied(c, defined),
        to(None),
    ),
    (
        "DBZ-338d",
        "charset-collation",
        "charsetName is the collation",
        "charsetName",
        lambda c, defined: not _is_implied(c, defined),
        unless_null(lambda name: f"{name}_bin"),
    ),
    (
        "DBZ-338e",
        "charset-of-collation",
        "the collation does not tell the charset",
        "charsetName",
        _is_implied,
        to("utf8mb4"),
    ),
    (
        "DBZ-338f",
        "charset-of-numbers",
        "charsetName of other types is binary",
        "charsetName",
        lambda c, defined: c.type.family not in _CHARACTERS,
        to("binary"),
    ),
    ("DBZ-338g", "length-other", "length is one more", "length", of(*_OWN_LENGTH), _one_more),
    ("DBZ-338g", "length-zero", "length is 0", "length", of(*_OWN_LENGTH), unless_null(lambda length: 0)),
    ("DBZ-338h", "length-usual", "length of integers is the usual one", "length", of(*_USUAL), _lengthy),
    (
        "DBZ-338h",
        "length-of-blobs",
        "length of blobs is 0",
        "length",
        of(*BINARY, *TEXT, Family.JSON),
        _fitting(0, _given_null),
    ),
    ("DBZ-338i", "scale-zero", "scale of DECIMAL is 0", "scale", of(Family.DECIMAL), to(0)),
    ("DBZ-338i", "scale-null", "scale of DECIMAL is null", "scale", of(Family.DECIMAL), to(None)),
    (
        "DBZ-338j",
        "scale-of-all",
        "scale of other types is 0",
        "scale",
        lambda c, defined: c.type.family not in _WITH_SCALE,
        to(0),
    ),
    (
        "DBZ-338k",
        "length-of-set",
        "length of SET is the number of labels",
        "length",
        of(Family.SET),
        lambda v, c: len(c.type.members) + 90,
    ),
    ("DBZ-338k", "length-of-enum", "length of ENUM is null", "length", of(Family.ENUM), to(None)),
    (
        "DBZ-339",
        "length-of-float",
        "length of FLOAT is 12",
        "length",
        lambda c, defined: c.type.family is Family.FLOAT and c.type.scale is None,
        to(12),
    ),
)


MUTANTS: tuple[Mutant, ...] = tuple(
    encoder(f"change-{name}", requirement, description, member(place, applies, make))
    for requirement, name, description, place, applies, make in _FAULTS
)
