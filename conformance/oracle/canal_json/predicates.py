"""The predicates that the checks of Canal-JSON name: some are defined here, all are collected in `PREDICATES`."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.canal_json import places, types, values
from conformance.oracle.canal_json.places import changed_only, is_rounded, reduced_as
from conformance.oracle.canal_json.reading import UNKNOWN
from conformance.oracle.canal_json.texts import is_escape_of, is_name_of_column
from conformance.oracle.conditions import (
    event_kind,
    event_op,
    has_key_change,
    has_primary_key,
    has_watermarks,
    is_changed,
    is_expected,
    is_extension_stated,
    is_missed,
    is_null_expected,
    is_value_expected,
    is_virtual,
    written_for,
)
from conformance.oracle.rules import Condition, Place, Predicates, by_name
from conformance.oracle.tree import MISSING, part_in
from reference_impl.keys import handle_key

__all__ = ["PREDICATES"]


def is_empty(place: Place) -> bool:
    """The answer is an empty text."""
    return bool(place.got == "")


def has_parts(place: Place) -> bool:
    """An object or an array is expected."""
    return isinstance(place.expected, (dict, list))


def has_partitions(place: Place) -> bool:
    """The topic has more than one partition."""
    return place.case.settings.partitions > 1


def is_partition_known(place: Place) -> bool:
    """The partition of the expected record is known."""
    return bool(place.expected != UNKNOWN)


def may_old_be_partial(place: Place) -> bool:
    """An option is on under which `old` or a DELETE lacks columns."""
    return bool(place.options.delete_only_output_handle_key_columns) or changed_only(place)


def has_no_primary_key(place: Place) -> bool:
    """The table is known and has no primary key."""
    return place.table is not None and not place.table.primary_key


def is_permuted_key(place: Place) -> bool:
    """The answer has exactly the columns of the key, perhaps in another order."""
    expected, names = (tree["value"]["pkNames"] for tree in (place.expected_tree, place.got_tree))
    return all(isinstance(n, str) for n in names) and sorted(names) == sorted(expected)


def has_no_columns(place: Place) -> bool:
    """The message is expected to have no columns: its `sqlType` is null or absent."""
    return part_in(place.expected_tree, "value", "sqlType") is None


def is_nothing_changed(place: Place) -> bool:
    """`old` is expected to be one empty row."""
    return bool(part_in(place.expected_tree, "value", "old") == [{}])


def is_no_exact_integer(place: Place) -> bool:
    """The answer is something other than an integer, or an integer that a 64-bit float has rounded."""
    got = place.got
    return got is not MISSING and (not isinstance(got, int) or isinstance(got, bool) or is_rounded(place))


# -- events ------------------------------------------------------------------------------------------------------


def is_watermark(place: Place) -> bool:
    """The event is a watermark."""
    return event_kind(place) == "watermark"


def is_held(place: Place) -> bool:
    """The image is expected, or the message is a DELETE, whose row a decoder may have put there."""
    return event_op(place) == "delete" or is_value_expected(place)


def is_image_reduced(place: Place) -> bool:
    """The answered image has only columns of the handle key."""
    image = place.got_tree["event"].get(place.path[1])
    return isinstance(image, dict) and place.table is not None and image.keys() <= {*handle_key(place.table)}


_OWN: Sequence[Condition] = (
    *(has_key_change, has_no_columns, has_no_primary_key, has_partitions, has_parts, has_primary_key),
    *(has_watermarks, is_changed, is_empty, is_expected, is_extension_stated, is_held, is_image_reduced),
    *(is_missed, is_name_of_column, is_no_exact_integer, is_nothing_changed, is_null_expected),
    *(is_partition_known, is_permuted_key, is_value_expected, is_virtual, is_watermark, may_old_be_partial),
)

PREDICATES = Predicates(
    plain=by_name(_OWN, *(module.PREDICATES for module in (places, types, values))),
    of_requirement={"is_escape_of_it": is_escape_of, "is_own_case": written_for, "is_reduced_by_it": reduced_as},
)
