"""Collects the predicates that the checks of Open Protocol name."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.conditions import (
    has_key_change,
    has_primary_key,
    is_empty_text,
    is_null,
    is_raw,
    is_stored,
    is_virtual,
    written_for,
)
from conformance.oracle.open_protocol import answers, conditions, counting, handles, strings, values
from conformance.oracle.order import are_halves
from conformance.oracle.rules import Condition, Predicates, by_name

__all__ = ["PREDICATES"]

_SHARED: Sequence[Condition] = (
    *(are_halves, has_key_change, has_primary_key, is_empty_text, is_null, is_raw, is_stored, is_virtual),
)
_MODULES = (answers, conditions, counting, handles, strings, values)

PREDICATES = Predicates(
    plain=by_name(_SHARED, *(module.PREDICATES for module in _MODULES)),
    of_requirement={
        "are_statements_of_it": values.are_statements_of,
        "is_code_of_it": values.is_code_of,
        "is_count_of_it": conditions.is_count_of,
        "is_escape_of_it": strings.is_escape_of,
        "is_own_case": written_for,
        "is_quoting_of_it": strings.is_quoting_of,
    },
    of_argument={
        "broadcasts": conditions.broadcasts,
        "concerns_bits": conditions.concerns_bits,
        "fault": conditions.fault,
        "is_given": values.is_given,
        "is_reduced_by": conditions.is_reduced_by,
        "is_worked_example": conditions.is_worked_example,
        "lacks_kind": counting.lacks_kind,
    },
)
