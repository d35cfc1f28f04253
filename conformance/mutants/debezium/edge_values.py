"""Encoders that write large values of BIGINT UNSIGNED wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.debezium.edits import Wrap, encoder, values_by_truth
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]


_LARGEST_SIGNED = (1 << 63) - 1


def _large_unsigned(make: Callable[[int], int]) -> Wrap:
    """Writes `make(number)` for numbers of BIGINT UNSIGNED that no signed type holds."""

    def edit(value: Any, truth: Any, column: Column) -> Any:
        is_one = truth is not None and column.type.family is Family.BIGINT and column.type.unsigned
        return make(int(truth)) if is_one and int(truth) > _LARGEST_SIGNED else value

    return values_by_truth(edit)


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "bigint-unsigned-whole",
        "DBZ-119b",
        "large BIGINT UNSIGNED is not wrapped",
        _large_unsigned(lambda number: number),
    ),
    encoder(
        "bigint-unsigned-clamped",
        "DBZ-119b",
        "large BIGINT UNSIGNED is the largest signed",
        _large_unsigned(lambda number: _LARGEST_SIGNED),
    ),
)
