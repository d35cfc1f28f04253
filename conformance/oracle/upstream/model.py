"""What the oracle knows of an upstream dialect: the row of `conformance.oracle.upstream.dialects`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.oracle.upstream.carried import Carried
from conformance.oracle.upstream.reading import RecordSummary
from reference_impl.model import Record, RowChange, Table

__all__ = ["DialectOracle"]


@dataclass(frozen=True, slots=True)
class DialectOracle:
    """How records and events of a dialect are judged; its rules are the checks of its register."""

    # What a record is about.
    summary: Callable[[Record], RecordSummary]
    # What must come back of a row change.
    row: Callable[[RowChange, Table | None, Any], Carried]
    # The statement of a record, or the number of its rows.
    carried: Callable[[Record], Carried | int]
    # Whether messages show the types of columns under these options.
    describes: Callable[[Any], bool]
    # Nothing stands in for NULL.
    keeps_nulls: bool
    # The paths of objects that hold the values of columns; with a schema beside it the payload is a level deeper.
    values_at: Sequence[str]
