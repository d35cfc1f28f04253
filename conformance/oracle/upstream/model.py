"""What the oracle knows of an upstream dialect: the row of `conformance.oracle.upstream.dialects`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.oracle.upstream.carried import Carried
from conformance.oracle.upstream.reading import Sight
from conformance.oracle.upstream.rules import Rule
from reference_impl.model import Record, RowChange, Table

__all__ = ["DialectOracle"]


@dataclass(frozen=True, slots=True)
class DialectOracle:
    """`rules` in order, `sight` what a record is about; how a `row` change is carried, and what a record has `told` of:

    a statement, or so many rows. `describes`: under these options messages tell the types of columns. `told_nulls`:
    nothing stands in for NULL. `values_at` are the paths of objects that hold the values of columns; with a schema
    beside it the payload is a level deeper.
    """

    rules: Sequence[Rule]
    sight: Callable[[Record], Sight]
    row: Callable[[RowChange, Table | None, Any], Carried]
    told: Callable[[Record], Carried | int]
    describes: Callable[[Any], bool]
    told_nulls: bool
    values_at: Sequence[str]
