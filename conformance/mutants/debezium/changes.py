"""Encoders that get the columns of tables in DDL messages wrong, types apart.  [DBZ-325c, DBZ-327 … DBZ-337]"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from conformance.mutants.debezium.changed_columns import (
    Applies,
    Fault,
    is_any,
    lost,
    member,
    of,
    to,
    unless_null,
)
from conformance.mutants.debezium.edits import encoder
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]


_CLOCKS = frozenset({Family.DATETIME, Family.TIME, Family.TIMESTAMP})


# -- which columns -----------------------------------------------------------------------------------------------------


def _defined(*families: Family) -> Applies:
    return lambda column, defined: defined and column.type.family in families


def _counts(column: Column, defined: bool) -> bool:
    return column.auto_increment or (column.type.family is Family.TIMESTAMP and column.on_update_now)


# -- what is written ---------------------------------------------------------------------------------------------------


def _comment(given: Any, column: Column) -> Any:
    return column.comment or None


def _doubled(labels: Any, column: Column) -> Any:
    return [f"'{label[1:-1].replace(chr(39), chr(39) * 2)}'" for label in labels] if labels else labels


def _bare(labels: Any, column: Column) -> Any:
    return [label[1:-1] for label in labels] if labels else labels


def _listed(labels: Any, column: Column) -> Any:
    return f"[{', '.join(labels)}]" if labels else labels


def _now_word(given: Any, column: Column) -> Any:
    return "CURRENT_TIMESTAMP" if given == "1970-01-01 00:00:00" else given


def _bit_number(given: Any, column: Column) -> Any:
    return given if given is None else str(int(given, 2) + 2)


def _quoted_default(given: Any, column: Column) -> Any:
    plain = given is not None and given != "1970-01-01 00:00:00"
    return f"'{given}'" if plain and column.type.family is not Family.BIT else given


# (requirement, name, what is wrong, member, columns, what is written made of the right value)
_FAULTS: tuple[Fault, ...] = (
    (
        "DBZ-331",
        "comment-of-defined",
        "comment is that of every column",
        "comment",
        lambda c, defined: defined,
        _comment,
    ),
    (
        "DBZ-331a",
        "digits-zero",
        "no fractional digits are 0",
        "length",
        _defined(*_CLOCKS),
        lambda v, c: 0 if v is None else v,
    ),
    ("DBZ-331a", "digits-lost", "fractional digits are null", "length", _defined(*_CLOCKS), to(None)),
    (
        "DBZ-331b",
        "clock-default-lost",
        "defaults of defined clock columns are null",
        "defaultValueExpression",
        _defined(*_CLOCKS, Family.YEAR),
        to(None),
    ),
    (
        "DBZ-333",
        "comment-lost",
        "comment is null",
        "comment",
        lambda c, defined: not defined and bool(c.comment),
        to(None),
    ),
    (
        "DBZ-333",
        "comment-upper-case",
        "comment in upper case",
        "comment",
        lambda c, defined: bool(c.comment),
        unless_null(lambda text: f"{text}."),
    ),
    ("DBZ-334", "default-quoted", "defaults are in quotes", "defaultValueExpression", is_any, _quoted_default),
    (
        "DBZ-334",
        "default-lost",
        "defaults are null",
        "defaultValueExpression",
        lambda c, defined: c.type.family not in (*_CLOCKS, Family.YEAR),
        to(None),
    ),
    ("DBZ-334a", "default-now", "CURRENT_TIMESTAMP is that word", "defaultValueExpression", of(*_CLOCKS), _now_word),
    (
        "DBZ-334c",
        "default-bit-number",
        "the default of a BIT is a number",
        "defaultValueExpression",
        of(Family.BIT),
        _bit_number,
    ),
    ("DBZ-335", "labels-bare", "labels of ENUM have no quotes", "enumValues", of(Family.ENUM), _bare),
    ("DBZ-335", "labels-text", "labels of ENUM are a text", "enumValues", of(Family.ENUM), _listed),
    ("DBZ-335", "labels-lost", "labels of ENUM are null", "enumValues", of(Family.ENUM), to(None)),
    ("DBZ-335a", "labels-of-set-lost", "labels of SET are null", "enumValues", of(Family.SET), to(None)),
    ("DBZ-335b", "labels-doubled", "quotes in labels are doubled", "enumValues", is_any, _doubled),
    ("DBZ-336", "counts-never", "autoIncremented is never true", "autoIncremented", _counts, to(False)),
    ("DBZ-336", "counts-generated-never", "generated is never true", "generated", _counts, to(False)),
    (
        "DBZ-336b",
        "generated-true",
        "generated of a generated column is true",
        "generated",
        lambda c, defined: c.generated is not None,
        to(True),
    ),
)

# (requirement, member) of members that may be left out.
_LOST: tuple[tuple[str, str], ...] = (
    ("DBZ-334", "defaultValueExpression"),
    ("DBZ-338i", "scale"),
)
# What a fault breaks besides: by its name, or by the member that is left out.
_ALSO: dict[str, tuple[str, ...]] = {
    "labels-bare": ("DBZ-335b",),
    "autoIncremented": ("DBZ-336",),
    "defaultValueExpression": ("DBZ-334a", "DBZ-334b", "DBZ-334c"),
    "charsetName": ("DBZ-338f",),
    "length": ("DBZ-331a", "DBZ-338h", "DBZ-338k", "DBZ-339"),
    "scale": ("DBZ-338j",),
}


def _mutants() -> Iterator[Mutant]:
    for requirement, name, description, place, applies, make in _FAULTS:
        yield encoder(f"change-{name}", requirement, description, member(place, applies, make), *_ALSO.get(name, ()))
    for requirement, place in _LOST:
        yield encoder(
            f"change-without-{place.lower()}",
            requirement,
            f"columns lack {place}",
            lost(place),
            *_ALSO.get(place, ()),
        )


MUTANTS: tuple[Mutant, ...] = tuple(_mutants())
