"""Predicates and helpers on places of Canal-JSON: their message, row and case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from conformance.oracle.conditions import (
    event_count,
    event_kind,
    event_op,
    is_unsigned,
    key_change_count,
    old_and_new,
    refuse_unknown,
)
from conformance.oracle.counts import extra_kinds, lost_kinds, read_of, unread
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING, part_in
from reference_impl.canal_json.types import sql_type
from reference_impl.column_types import INTEGERS, ColumnType
from reference_impl.floats import is_number
from reference_impl.keys import handle_key
from reference_impl.model import Watermark

__all__ = [
    "PREDICATES",
    "changed_only",
    "codes_of_update",
    "is_integer_unsigned",
    "is_rounded",
    "largest_signed",
    "reduced_as",
]

# -- the message -------------------------------------------------------------------------------------------------


def changed_only(place: Place) -> bool:
    """Under the options, `old` has only the columns that changed."""
    return bool(place.options.only_output_updated_columns or place.options.content_compatible)


def _reduction(place: Place) -> str | None:
    """The requirement for which the expected message is reduced to its handle key; None for a whole message."""
    if event_kind(place) != "row" or place.table is None:
        return None
    tidb = part_in(place.expected_tree, "value", "_tidb") or {}
    deleted = event_op(place) == "delete" and place.options.delete_only_output_handle_key_columns
    if not deleted and "onlyHandleKey" not in tidb and "claimCheckLocation" not in tidb:
        return None
    if not place.table.primary_key:
        return "CJ-112" if handle_key(place.table) else "CJ-113"
    if event_op(place) == "update" and "old" in place.path and changed_only(place):
        return "CJ-132"
    return "CJ-131" if "onlyHandleKey" in tidb else "CJ-134" if "claimCheckLocation" in tidb else "CJ-104"


def reduced_as(requirement: str) -> Condition:
    """The expected message is reduced to its handle key, by that requirement."""
    refuse_unknown(requirement, "CJ-104", "CJ-112", "CJ-113", "CJ-131", "CJ-132", "CJ-134")
    return lambda place: _reduction(place) == requirement


def is_reduced_unasked(place: Place) -> bool:
    """The answer lacks a column, and its event is marked as reduced to the handle key although it should be whole."""
    if place.got is not MISSING:
        return False
    expected, got = part_in(place.expected_tree, "value", "_tidb"), (place.got_tree.get("value") or {}).get("_tidb")
    return _is_marked_reduced(got) and not _is_marked_reduced(expected)


def _is_marked_reduced(tidb: Any) -> bool:
    """Whether the `_tidb` of a message says that the row is reduced to its handle key."""
    return isinstance(tidb, dict) and ("onlyHandleKey" in tidb or "claimCheckLocation" in tidb)


def differs_in_letter_case(place: Place) -> bool:
    """A missing column is there in upper or lower case; or an additional member is no column, and one is missing."""
    if place.expected is MISSING:
        return place.column is None and _lacks_column(place)
    name = str(place.path[-1]).casefold()
    return any(n.casefold() == name for n in _image_in(place.got_tree, place))


def is_invented_column(place: Place) -> bool:
    """An additional member has no name of a column, and none is missing."""
    return place.expected is MISSING and place.column is None and not _lacks_column(place)


def _lacks_column(place: Place) -> bool:
    """Whether the answered image lacks a column that is expected."""
    return not _image_in(place.expected_tree, place).keys() <= _image_in(place.got_tree, place).keys()


def _image_in(tree: Any, place: Place) -> Mapping[str, object]:
    """The image that the place is in, in the expected or the answered tree."""
    for step in place.path[:-1]:  # both sides have the image that lacks a column
        tree = tree[step]
    image: Mapping[str, object] = tree
    return image


# -- the truth ---------------------------------------------------------------------------------------------------


def is_integer_unsigned(place: Place) -> bool:
    """The column is of an unsigned integer type."""
    return is_unsigned(place) and place.column is not None and place.column.type.family in INTEGERS


def largest_signed(column_type: ColumnType) -> int:
    """The largest number of the signed type of the same width."""
    return (1 << (column_type.bits - 1)) - 1


def codes_of_update(place: Place) -> tuple[int, int] | None:
    """The `sqlType` codes of the old and new value of an updated unsigned integer column; None for any other place."""
    values, column = old_and_new(place), place.column
    if values is None or column is None or not is_integer_unsigned(place):
        return None
    old_code, new_code = (sql_type(column.type, None if value is None else str(value)) for value in values)
    return old_code, new_code


def is_rounded(place: Place) -> bool:
    """The answer is the expected number rounded to a 64-bit float, with all digits of the float or the fewest."""
    try:
        if isinstance(place.got, str) and not is_number(place.got):
            return False
        expected, got, double = Decimal(place.expected), Decimal(place.got), float(place.expected)
        return expected != got and not isinstance(place.got, bool) and got in (Decimal(double), Decimal(repr(double)))
    except (TypeError, ValueError, OverflowError, InvalidOperation):
        return False


# -- the case ----------------------------------------------------------------------------------------------------


def _type(message: Any) -> str:
    """The member `type` of a message; "" without one."""
    value = message.get("value")
    return str(value.get("type")) if isinstance(value, dict) else ""


def is_split_otherwise(place: Place) -> bool:
    """The sides differ only in updates of keys, which are two events on one side and one on the other."""
    expected, got = (Counter(map(_type, read_of(side))) for side in (place.expected_tree, place.got_tree))
    extra, missing = got - expected, expected - got
    count = max(extra["UPDATE"], missing["UPDATE"])
    split, whole = Counter(DELETE=count, INSERT=count), Counter(UPDATE=count)
    is_split_on_one_side = (extra, missing) in ((split, whole), (whole, split))
    return not unread(place) and 0 < count <= key_change_count(place) and is_split_on_one_side


def _row_count(message: Any) -> int:
    """The number of rows in a message; 1 for a message without an array of rows."""
    value = message.get("value")
    data = value.get("data") if isinstance(value, dict) else None
    return len(data) if isinstance(data, list) and data else 1


def are_rows_gathered(place: Place) -> bool:
    """Other messages hold the rows of the missing ones: as many additional rows as messages are missing."""
    expected, got = place.expected, place.got
    gathered = sum(_row_count(message) - 1 for message in read_of(place.got_tree))
    missing = expected - got if isinstance(expected, int) and isinstance(got, int) else 0
    return not unread(place) and 0 < gathered == missing


def lacks_copies_of_watermarks(place: Place) -> bool:
    """Only watermarks are missing, and few enough that each may still be in one partition."""
    expected, got = place.expected, place.got
    copies = event_count(place, Watermark) * (place.case.settings.partitions - 1)
    are_fewer = isinstance(expected, int) and isinstance(got, int) and 0 < expected - got <= copies
    return are_fewer and lost_kinds(_type, "TIDB_WATERMARK")(place)


def are_watermarks(place: Place) -> bool:
    """All watermarks are missing, or there are watermarks without the extension; nothing else differs."""
    if not place.options.enable_tidb_extension:
        return extra_kinds(_type, "TIDB_WATERMARK")(place)
    sent = any(_type(message) == "TIDB_WATERMARK" for message in read_of(place.got_tree))
    return not sent and lost_kinds(_type, "TIDB_WATERMARK")(place)


_ES_AND_TSO = re.compile(rb'"es":(\d+).*"(?:commitTs|watermarkTs)":(\d+)', re.DOTALL)
_DATA_FIRST = re.compile(rb'"isDdl":false.*"data":\[.*"old":', re.DOTALL)


def in_document_order(place: Place) -> bool:
    """A record of the case has `data` before `old`, as in the document."""
    return any(_DATA_FIRST.search(record.value or b"") for record in place.case.records)


def time_contradicted(place: Place) -> bool:
    """A record of the case has an `es` that is not the time of its TSO."""
    matches = (_ES_AND_TSO.search(record.value or b"") for record in place.case.records)
    return any(match and int(match[1]) != int(match[2]) >> 18 for match in matches)


PREDICATES: Sequence[Condition] = (
    *(are_rows_gathered, are_watermarks, changed_only, differs_in_letter_case, in_document_order),
    *(is_invented_column, is_reduced_unasked, is_split_otherwise, lacks_copies_of_watermarks),
    *(time_contradicted,),
)
