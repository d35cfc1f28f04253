"""Encoders that write large values of BIGINT UNSIGNED wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.debezium.edits import encoder, values_by_truth
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]


Edit = Callable[[Any, Any, Column], Any]
"""(Written value, the event's value, column) → the value that is written instead."""


def _unsigned_bigint(make: Callable[[int], Any], *, wrapped: bool) -> Edit:
    def edit(value: Any, truth: Any, column: Column) -> Any:
        is_one = truth is not None and column.type.family is Family.BIGINT and column.type.unsigned
        return make(int(truth)) if is_one and (int(truth) >> 63) == wrapped else value

    return edit


_EDITS: tuple[tuple[str, str, str, Edit], ...] = (
    ("DBZ-119b", "bigint-unsigned-whole", "large BIGINT UNSIGNED is not wrapped", _unsigned_bigint(int, wrapped=True)),
    (
        "DBZ-119b",
        "bigint-unsigned-clamped",
        "large BIGINT UNSIGNED is the largest signed",
        _unsigned_bigint(lambda number: (1 << 63) - 1, wrapped=True),
    ),
)


MUTANTS: tuple[Mutant, ...] = tuple(
    encoder(name, requirement, description, values_by_truth(edit)) for requirement, name, description, edit in _EDITS
)
