"""Encoders that get wrong what is written for NULL: a default, in its form, or null.  [DBZ-160 … DBZ-163]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.defaults import as_declared, as_text, is_now, is_plain, is_zero
from conformance.mutants.debezium.edits import (
    Wrap,
    encoder,
    has_default,
    truths,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import reference
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.epochs import EPOCH_TEXT
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]
Null = Callable[[Any, Column], Any]


def _nulls(applies: Applies, make: Null) -> Wrap:
    """What is written for NULL is another."""
    return truths(lambda value, truth, column: make(value, column) if truth is None and applies(column) else value)


def _without_default(column: Column) -> bool:
    return not has_default(column)


_NUMBERS = (Family.FLOAT, Family.DOUBLE, Family.DECIMAL, Family.BIT)

# (requirement, name, what is wrong, columns, what is written)
_REPLACED: tuple[tuple[str, str, str, Applies, Null], ...] = (
    ("DBZ-160", "kept", "NULL is null beside a default", has_default, lambda v, c: None),
    (
        "DBZ-160a",
        "empty",
        "NULL is an empty text",
        lambda c: _without_default(c) and c.type.family in (*TEXT, *BINARY, Family.ENUM, Family.SET),
        lambda v, c: "",
    ),
    (
        "DBZ-160a",
        "zero",
        "a number that is NULL is 0",
        lambda c: _without_default(c) and c.type.family in INTEGERS,
        lambda v, c: 0,
    ),
    ("DBZ-162", "number-text", "NULL in numbers is the text of the default", is_plain(*_NUMBERS), as_declared),
    ("DBZ-162a", "integer-text", "NULL in integers is the text of the default", is_plain(*INTEGERS), as_text),
    (
        "DBZ-162a",
        "bigint-double",
        "NULL in BIGINT is the default as a 64-bit float",
        is_plain(Family.BIGINT),
        lambda v, c: int(float(v)),
    ),
    ("DBZ-162d", "date-text", "NULL in DATE is the text of the default", is_plain(Family.DATE), as_declared),
    ("DBZ-162e", "binary-text", "NULL in bytes is the text of the default", is_plain(*BINARY), as_declared),
    (
        "DBZ-162f",
        "datetime-text",
        "NULL in DATETIME is the text of the default",
        is_plain(Family.DATETIME),
        as_declared,
    ),
    (
        "DBZ-162f",
        "datetime-zero",
        "NULL in DATETIME with a zero default is 0",
        lambda c: c.type.family is Family.DATETIME and is_zero(c),
        lambda v, c: 0,
    ),
    (
        "DBZ-162g",
        "timestamp-epoch",
        "NULL in TIMESTAMP with CURRENT_TIMESTAMP is the start of 1970",
        lambda c: c.type.family is Family.TIMESTAMP and (is_now(c) or is_zero(c)),
        lambda v, c: EPOCH_TEXT,
    ),
    (
        "DBZ-163",
        "timestamp-text",
        "NULL in TIMESTAMP is the text of the default",
        lambda c: is_plain(Family.TIMESTAMP)(c) and not is_zero(c),
        as_declared,
    ),
)

# (requirement, defect of a recorded producer, what is wrong)
_DEFECTS: tuple[tuple[str, str, str], ...] = (
    ("DBZ-162a", "large-default-as-zero", "NULL in BIGINT UNSIGNED is 0 beside a large default"),
    ("DBZ-162b", "year-default-as-text", "NULL in YEAR is the text of the default"),
    ("DBZ-162c", "time-default-as-zero", "NULL in TIME is 0"),
    ("DBZ-162e", "doubled-binary-default", "NULL in bytes is the default, twice"),
)


# What is neither null nor a form of the default makes the image wrong as well.
_OF_IMAGES = ("DBZ-043b", "DBZ-043c")
_INVENTED = dict.fromkeys(("empty", "zero", "bigint-double", "integer-text"), _OF_IMAGES)
_OF_TIMESTAMPS = ("DBZ-043b", "DBZ-162g", "DBZ-163")


def _nothing(value: Any, column: Column) -> Any:
    return "" if isinstance(value, str) else 0


def _null() -> Iterator[Mutant]:
    for requirement, name, description, applies, make in _REPLACED:
        yield encoder(f"null-{name}", requirement, description, _nulls(applies, make), *_INVENTED.get(name, ()))
    for requirement, defect, description in _DEFECTS:
        yield encoder(f"null-{defect}", requirement, description, reference(NEWARCH, f"debezium/{defect}"))
    yield encoder(
        "null-nothing",
        "DBZ-043c",
        "NULL beside a default is an empty text or 0",
        _nulls(is_plain(*TEXT, *INTEGERS, Family.DATE, Family.TIMESTAMP), _nothing),
        *(*_OF_TIMESTAMPS, "DBZ-162", "DBZ-162a", "DBZ-162d"),
    )
    yield encoder(
        "null-another-instant",
        "DBZ-043c",
        "NULL in TIMESTAMP is the start of 2001 beside a default",
        _nulls(is_plain(Family.TIMESTAMP), lambda v, c: "2001-01-01T00:00:00Z"),
        *_OF_TIMESTAMPS,
    )
    yield encoder(
        "empty-null",
        "DBZ-160a",
        "an empty text is null",
        truths(lambda value, truth, column: None if value == "" and column.type.family in TEXT else value),
        *("DBZ-102a", "DBZ-160"),
    )


MUTANTS: tuple[Mutant, ...] = tuple(_null())
