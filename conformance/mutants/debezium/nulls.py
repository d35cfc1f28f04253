"""Encoders that write NULL wrongly in columns with a default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.defaults import is_plain
from conformance.mutants.debezium.edits import (
    Wrap,
    encoder,
    values_by_truth,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import reference
from reference_impl.column_types import INTEGERS, TEXT, Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]
Null = Callable[[Any, Column], Any]


def _nulls(applies: Applies, make: Null) -> Wrap:
    """Changes what is written for NULL in matching columns."""
    return values_by_truth(
        lambda value, truth, column: make(value, column) if truth is None and applies(column) else value
    )


# (requirement, defect of a recorded producer, description)
_DEFECTS: tuple[tuple[str, str, str], ...] = (
    ("DBZ-162a", "large-default-as-zero", "NULL in BIGINT UNSIGNED is 0 beside a large default"),
    ("DBZ-162c", "time-default-as-zero", "NULL in TIME is 0 beside a default"),
)


def _empty(value: Any, column: Column) -> Any:
    return "" if isinstance(value, str) else 0


def _null() -> Iterator[Mutant]:
    for requirement, defect, description in _DEFECTS:
        yield encoder(f"null-{defect}", requirement, description, reference(NEWARCH, f"debezium/{defect}"))
    yield encoder(
        "null-nothing",
        "DBZ-043c",
        "NULL beside a default is an empty text or 0",
        _nulls(is_plain(*TEXT, *INTEGERS, Family.DATE, Family.TIMESTAMP), _empty),
    )
    yield encoder(
        "null-another-instant",
        "DBZ-043c",
        "NULL in TIMESTAMP is the start of 2001 beside a default",
        _nulls(is_plain(Family.TIMESTAMP), lambda v, c: "2001-01-01T00:00:00Z"),
    )


MUTANTS: tuple[Mutant, ...] = tuple(_null())
