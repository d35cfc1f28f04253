"""Encoders that get single values wrong: those a type has no place for, and those beyond one.  [DBZ-104c … DBZ-136]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.debezium.edits import encoder, truths
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family
from reference_impl.epochs import DAY, days, micros
from reference_impl.model import Column

__all__ = ["MUTANTS"]


Told = Callable[[Any, Any, Column], Any]


def _invalid_label(made: Any) -> Told:
    return lambda value, truth, column: made if isinstance(truth, dict) and truth.get("index") == "0" else value


def _unsigned_bigint(make: Callable[[int], Any], *, wrapped: bool) -> Told:
    def told(value: Any, truth: Any, column: Column) -> Any:
        is_one = truth is not None and column.type.family is Family.BIGINT and column.type.unsigned
        return make(int(truth)) if is_one and (int(truth) >> 63) == wrapped else value

    return told


def _unmoved(value: Any, truth: Any, column: Column) -> Any:
    """A date of a year below 100 as it is."""
    if column.type.family not in (Family.DATE, Family.DATETIME) or not truth or days(truth) is None:
        return value
    year = int(truth[:4])
    if not 0 < year < 100:
        return value
    # 400 years have always the same days.
    moved = f"{year + 400:04d}{truth[4:]}"
    if column.type.family is Family.DATE:
        return (days(moved) or 0) - 146_097
    return ((micros(moved) or 0) - 146_097 * DAY) // (1000 if column.type.fsp <= 3 else 1)


def _no_day(make: Callable[[Column], Any]) -> Told:
    def told(value: Any, truth: Any, column: Column) -> Any:
        is_date = column.type.family in (Family.DATE, Family.DATETIME)
        return make(column) if is_date and truth and days(truth) is None else value

    return told


def _zero_timestamp(make: Callable[[Column], Any]) -> Told:
    def told(value: Any, truth: Any, column: Column) -> Any:
        is_zero = column.type.family is Family.TIMESTAMP and truth and truth.startswith("0000")
        return make(column) if is_zero else value

    return told


def _wall_clock(value: Any, truth: Any, column: Column) -> Any:
    is_one = column.type.family is Family.TIMESTAMP and truth and not truth.startswith("0000")
    return truth.replace(" ", "T") + "Z" if is_one else value


_TOLD: tuple[tuple[str, str, str, Told], ...] = (
    ("DBZ-104c", "enum-invalid-null", "the invalid ENUM is null", _invalid_label(None)),
    ("DBZ-104c", "enum-invalid-zero", "the invalid ENUM is 0", _invalid_label("0")),
    ("DBZ-109a", "timestamp-local", "TIMESTAMP is the wall clock of the zone", _wall_clock),
    ("DBZ-119a", "bigint-unsigned-text", "BIGINT UNSIGNED is a text", _unsigned_bigint(str, wrapped=False)),
    ("DBZ-119b", "bigint-unsigned-whole", "large BIGINT UNSIGNED is not wrapped", _unsigned_bigint(int, wrapped=True)),
    (
        "DBZ-119b",
        "bigint-unsigned-clamped",
        "large BIGINT UNSIGNED is the largest signed",
        _unsigned_bigint(lambda number: (1 << 63) - 1, wrapped=True),
    ),
    ("DBZ-134", "year-unmoved", "years below 100 are not moved", _unmoved),
    ("DBZ-135", "no-day-zero", "a date that is none is 0", _no_day(lambda column: 0)),
    ("DBZ-135", "no-day-null", "a date that is none is null", _no_day(lambda column: None)),
    ("DBZ-136", "zero-timestamp-null", "the zero TIMESTAMP is null", _zero_timestamp(lambda column: None)),
    (
        "DBZ-136",
        "zero-timestamp-digits",
        "the zero TIMESTAMP has fractional digits",
        _zero_timestamp(lambda column: f"1970-01-01T00:00:00{'.' if column.type.fsp else ''}{'0' * column.type.fsp}Z"),
    ),
    (
        "DBZ-136",
        "zero-timestamp-zeros",
        "the zero TIMESTAMP is 0000-00-00T00:00:00Z",
        _zero_timestamp(lambda column: "0000-00-00T00:00:00Z"),
    ),
)


# What is no form of a value that the document is silent about makes image and key wrong as well.
_ALSO: dict[str, tuple[str, ...]] = {"bigint-unsigned-clamped": ("DBZ-030a", "DBZ-043b", "DBZ-043c")}

MUTANTS: tuple[Mutant, ...] = tuple(
    encoder(name, requirement, description, truths(told), *_ALSO.get(name, ()))
    for requirement, name, description, told in _TOLD
)
