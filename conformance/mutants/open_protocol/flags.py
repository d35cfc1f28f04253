"""Encoders that get a bit of a column's flags wrong.  [OP-122 … OP-129a, OP-250 … OP-255]"""

from __future__ import annotations

from collections.abc import Callable

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import encoder, in_families, member
from reference_impl.column_types import TEXT, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

BINARY, HANDLE, GENERATED, PRIMARY, UNIQUE, MULTIPLE, NULLABLE, UNSIGNED = (1 << bit for bit in range(8))

_TEXTS = tuple(family for family in Family if family in TEXT - {Family.CHAR, Family.VARCHAR})
_ALWAYS_UNSIGNED = (Family.YEAR, Family.BIT)
_INDEXED = PRIMARY | UNIQUE


def _but(*families: Family) -> Callable[[Column], bool]:
    return lambda column: column.type.family not in families


def _flag(
    name: str,
    requirement: str,
    description: str,
    change: Callable[[int], int],
    *may_also: str,
    applies: Callable[[Column], bool] = lambda column: True,
    profile: str = "newarch",
) -> Mutant:
    wrap = member("f", lambda flags, column: change(flags), applies)
    return encoder(name, requirement, description, wrap, *may_also, profile=profile)


def _never(bit: int) -> Callable[[int], int]:
    return lambda flags: flags & ~bit


def _where(marked: int, change: Callable[[int], int]) -> Callable[[int], int]:
    return lambda flags: change(flags) if flags & marked else flags


def _where_not(marked: int, change: Callable[[int], int]) -> Callable[[int], int]:
    return lambda flags: flags if flags & marked else change(flags)


MUTANTS: tuple[Mutant, ...] = (
    _flag(
        "text-with-binary-flag",
        "OP-122",
        "TEXT types have the binary flag",
        lambda flags: flags | BINARY,
        applies=in_families(*_TEXTS),
    ),
    _flag(
        "handle-flag-of-primary-keys-alone",
        "OP-250",
        "columns of a unique key are never the handle",
        _where_not(PRIMARY, _never(HANDLE)),
        "OP-123",
    ),
    _flag("generated-unmarked", "OP-124", "generated columns have no flag", _never(GENERATED), "OP-254"),
    _flag("primary-key-unmarked", "OP-125", "columns of a primary key have no flag of it", _never(PRIMARY)),
    _flag("unique-key-unmarked", "OP-126", "columns of a unique key have no flag of it", _never(UNIQUE), "OP-254"),
    _flag(
        "primary-key-marked-unique",
        "OP-126",
        "columns of a primary key have the flag of unique keys, too",
        _where(PRIMARY, lambda flags: flags | UNIQUE),
    ),
    _flag(
        "composite-key-unmarked",
        "OP-127",
        "columns of a key of several columns have no flag of it",
        _where(_INDEXED, _never(MULTIPLE)),
    ),
    _flag(
        "single-index-unmarked",
        "OP-127a",
        "columns of indexes that are not unique have no flag of it",
        _where_not(_INDEXED, _never(MULTIPLE)),
        "OP-127",
    ),
    _flag(
        "unsigned-unmarked",
        "OP-129",
        "unsigned columns have no flag",
        _never(UNSIGNED),
        applies=_but(*_ALWAYS_UNSIGNED),
    ),
    _flag(
        "year-and-bit-signed",
        "OP-129a",
        "YEAR and BIT have no unsigned flag",
        _never(UNSIGNED),
        applies=in_families(*_ALWAYS_UNSIGNED),
    ),
    _flag(
        "generated-column-without-index-flags",
        "OP-252",
        "a generated column has no flag of an index",
        _where(GENERATED, _never(_INDEXED | MULTIPLE | HANDLE)),
    ),
    _flag(
        "generated-column-never-unique",
        "OP-254",
        "a generated column has no flag of a unique key",
        _where(GENERATED, _never(UNIQUE)),
    ),
    _flag(
        "generated-column-never-in-a-composite-key",
        "OP-255",
        "a generated column has no flag of a key of several columns",
        _where(GENERATED, _never(MULTIPLE)),
        profile="classic",
    ),
)
