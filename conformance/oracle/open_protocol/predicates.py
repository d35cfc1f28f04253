"""Collects the predicates that the checks of Open Protocol name."""

from __future__ import annotations

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
from conformance.oracle.rules import Predicates

__all__ = ["PREDICATES"]

_ANSWERS = (
    *(answers.has_bodies, answers.has_claims, answers.is_empty_p_filled, answers.is_found_by_count),
    *(answers.is_of_after, answers.is_of_codes),
    *(answers.is_other_change, answers.is_respelled, answers.is_rewritten),
    *(are_halves, counting.is_split_otherwise, counting.keeps_primary_keys),
)
_RECORDS = (
    *(conditions.is_empty_name, conditions.is_mixed, conditions.is_named, conditions.is_ohk_doubled_alone),
    *(conditions.is_reduced, conditions.is_reduced_unasked, conditions.is_unread),
    *(conditions.splits_primary_key, conditions.splits_unique_key, has_key_change),
)
_COLUMNS = (
    *(conditions.has_lost_its_name, conditions.has_other_value, conditions.has_updated_only, conditions.involves_null),
    *(conditions.is_byte, conditions.is_generated_in_index, conditions.is_indexed_alone, conditions.is_p_empty),
    *(conditions.is_p_left_out, conditions.is_swapped, conditions.is_sent_whole, is_null, is_stored, is_virtual),
    *(has_primary_key, handles.is_handle, handles.is_handle_certain, handles.is_legal_delete),
    *(handles.is_mark_certain, handles.is_marked),
)
_VALUES = (
    *(strings.is_name, strings.is_of_quoting, values.are_tables_sent, values.has_exponent, values.is_among_floats),
    *(values.is_beyond_double, values.is_beyond_signed_64, values.is_code_of_null, is_empty_text),
    *(values.is_in_zone, values.is_quoted_beyond, values.is_quoted_by_flag, is_raw, values.is_same_instant),
)

PREDICATES = Predicates(
    plain={predicate.__name__: predicate for predicate in (*_ANSWERS, *_RECORDS, *_COLUMNS, *_VALUES)},
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
