"""Predicates of the checks of Open Protocol on records, keys, columns and images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.conditions import (
    event_kind,
    event_op,
    is_virtual,
    key_change_count,
    old_and_new,
    refuse_unknown,
)
from conformance.oracle.events import compare_event_leaf
from conformance.oracle.open_protocol import reading
from conformance.oracle.open_protocol.expected_events import changed, handle_columns
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING, equal, part_in
from reference_impl.keys import count_of_split_updates
from reference_impl.model import DdlEvent, RowChange, Table, Watermark

__all__ = [
    "PREDICATES",
    "broadcasts",
    "concerns_bits",
    "fault",
    "is_count_of",
    "is_p_empty",
    "is_reduced_by",
    "is_swapped",
    "is_worked_example",
]


_REDUCTION_MARKS = frozenset({"ohk", "ccl"})
"""Members of a key that say that its event has only the handle columns: without more, or with a claim-check file."""


# -- records and answers -----------------------------------------------------------------------------------------------


_FAULTS: Mapping[str, str] = {
    "beyond-64-bits": reading.BEYOND_64_BITS,
    "compressed-key": reading.COMPRESSED_KEY,
    "compression": reading.COMPRESSION,
    "ddl-value": reading.DDL_VALUE,
    "event-key": reading.EVENT_KEY,
    "key-layout": reading.KEY_LAYOUT,
    "not-utf-8": reading.NOT_UTF8,
    "pairs": reading.PAIRS,
    "resolved-value": reading.RESOLVED_VALUE,
    "row-value": reading.ROW_VALUE,
    "value-layout": reading.VALUE_LAYOUT,
    "version": reading.VERSION,
}
"""Argument of `fault` → the beginning of the reason, which stands as a text in the place of an unreadable record."""


def fault(name: str) -> Condition:
    """The record is readable, or unreadable for the named reason."""
    phrase = _FAULTS[name]
    return lambda place: not isinstance(place.got, str) or place.got.startswith(phrase)


def is_unread(place: Place) -> bool:
    """The record is unreadable."""
    # The reason is a text; so may be a part of a message, but that belongs to a delivery.
    return isinstance(place.got, str) and place.delivery is None


def _key(tree: Mapping[str, Any]) -> Mapping[str, Any]:
    """The key of a message; empty where it is no object."""
    found = tree.get("key")
    return found if isinstance(found, Mapping) else {}


def is_reduced_unasked(place: Place) -> bool:
    """The answer lacks a column, and its event is marked as reduced to the handle key although it should be whole."""
    if place.got is not MISSING:
        return False
    expected, got = _key(place.expected_tree), _key(place.got_tree)
    return any(mark in got and mark not in expected for mark in _REDUCTION_MARKS)


def is_mixed(place: Place) -> bool:
    """The answered record has a DDL or resolved event together with other events."""
    frame = place.got_tree.get("frame")
    return isinstance(frame, Mapping) and not frame["alone"]


def broadcasts(name: str) -> Condition:
    """The case has several partitions, and an event of that kind, which goes to each of them."""
    kind = {"ddl": DdlEvent, "watermark": Watermark}[name]
    return lambda place: place.case.settings.partitions > 1 and any(isinstance(e, kind) for e in place.case.events)


def _primary_key_change_count(place: Place) -> int:
    return count_of_split_updates(place.case.events, place.case.tables, lambda table: table.primary_key)


def splits_primary_key(place: Place) -> bool:
    """An update of the case changes a column of a primary key."""
    return _primary_key_change_count(place) > 0


def splits_unique_key(place: Place) -> bool:
    """An update of the case changes a column of a unique key, and none of a primary key."""
    return key_change_count(place) > _primary_key_change_count(place)


def _tables_of(case: Case) -> set[tuple[str, str]]:
    return {(e.schema, e.table) for e in case.events if isinstance(e, RowChange)}


_DEFAULT_BATCH_SIZE = 16  # events in a message, without the option max-batch-size  [OP-154]


def is_count_of(requirement: str) -> Condition:
    """The requirement is the one on the number of events in a message, under the options and events of the case."""
    refuse_unknown(requirement, "OP-150", "OP-152", "OP-154", "OP-155")

    def holds(place: Place) -> bool:
        options = place.case.options
        if "max-message-bytes" in options:
            return requirement == "OP-150"
        if "max-batch-size" in options:
            return requirement == "OP-152"
        if len(_tables_of(place.case)) > 1:
            return requirement == "OP-155"
        return requirement == ("OP-154" if len(place.case.events) > _DEFAULT_BATCH_SIZE else "OP-152")

    return holds


# -- keys --------------------------------------------------------------------------------------------------------------


def is_empty_name(place: Place) -> bool:
    """The event is a DDL statement, and on both sides the name is empty or left out."""
    return event_kind(place) == "ddl" and place.expected in (MISSING, "") and place.got in (MISSING, "")


def is_ohk_doubled_alone(place: Place) -> bool:
    """The only member that the answered key has twice is `ohk`."""
    return set(getattr(place.got, "doubled", ())) <= {"ohk"}


def is_reduced(place: Place) -> bool:
    """The expected event has only its handle columns, because the row is too large."""
    return not _REDUCTION_MARKS.isdisjoint(_key(place.expected_tree))


def is_sent_whole(place: Place) -> bool:
    """The expected event has all columns but virtual ones, and this column is not virtual."""
    return not is_virtual(place) and not is_reduced(place)


def is_reduced_by(option: str) -> Condition:
    """The expected event has only its handle columns, under that value of large-message-handle-option."""
    if option not in ("claim-check", "handle-key-only"):
        raise ValueError(option)
    return lambda place: is_reduced(place) and place.options.large_message_handle_option == option


def is_named(place: Place) -> bool:
    """The answer has a name where none is expected."""
    return place.expected is MISSING and place.got is not MISSING and place.got != ""


# -- columns -----------------------------------------------------------------------------------------------------------


def _composite_columns(table: Table) -> frozenset[str]:
    """The columns of keys and indexes with several columns."""
    keys = (table.primary_key, *(key.columns for key in (*table.unique_keys, *table.indexes)))
    return frozenset(name for key in keys if len(key) > 1 for name in key)


def is_generated_in_index(place: Place) -> bool:
    """The column is generated, and belongs to a key or an index."""
    if place.table is None or place.column is None or place.column.generated is None:
        return False
    table, name = place.table, place.column.name
    return name in table.primary_key or any(name in key.columns for key in (*table.unique_keys, *table.indexes))


def is_indexed_alone(place: Place) -> bool:
    """The column alone has a non-unique index, and belongs to no key or index of several columns."""
    table, column = place.table, place.column
    if table is None or column is None or column.name in _composite_columns(table):
        return False
    return any(index.columns == (column.name,) for index in table.indexes)


def is_worked_example(number: str) -> Condition:
    """The column is generated, and has these flags, which the document computes as an example."""
    flags = int(number)
    return lambda place: place.expected == flags and place.column is not None and place.column.generated is not None


def is_byte(place: Place) -> bool:
    """The answer has an integer of eight bits."""
    return isinstance(place.got, int) and 0 <= place.got <= 0xFF


def concerns_bits(bits: str) -> Condition:
    """The answered flags are right, or differ from the expected ones in these bits, a hexadecimal mask."""
    mask = int(bits, 16)
    if not 0 < mask <= 0xFF:
        raise ValueError(bits)

    def holds(place: Place) -> bool:
        expected, got = place.expected, place.got
        if not (isinstance(expected, int) and is_byte(place)):
            return False
        # Right flags evaluate the requirement; wrong ones are blamed on the requirements of the bits that differ.
        return expected == got or bool((expected ^ got) & mask)

    return holds


# -- images ------------------------------------------------------------------------------------------------------------


def has_updated_only(place: Place) -> bool:
    """The event is an update whose `p`, under the options, has only the columns that changed."""
    is_on: bool = place.options.only_output_updated_columns and place.options.open_output_old_value
    return is_on and event_op(place) == "update"


def _is_nameless(place: Place) -> bool:
    """The answer has a member of a column's object in the place of a column: the name of the column is lost."""
    return place.path[-1] in ("t", "h", "f", "v") and place.got is not MISSING and not isinstance(place.got, dict)


def involves_null(place: Place) -> bool:
    """The column is NULL before or after the update, or its name is lost."""
    values = old_and_new(place)
    return _is_nameless(place) or (values is not None and None in values)


def has_lost_its_name(place: Place) -> bool:
    """The update has only updated columns, and the name of a column is lost: its members are in its place."""
    return has_updated_only(place) and _is_nameless(place)


_OTHER_IMAGE = {"u": "p", "p": "u", "before": "after", "after": "before"}


def _is_same_part(place: Place, expected: Any, got: Any) -> bool:
    """Whether two parts are equal; a column's values in decoded events are compared as values of its type."""
    if equal(expected, got) or place.role == "encode" or place.column is None or MISSING in (expected, got):
        return equal(expected, got)
    return compare_event_leaf(place._replace(expected=expected, got=got)) is None


def _in_other_image(place: Place) -> tuple[object, ...]:
    """The path to the same part of the update's other image."""
    part, image, *rest = place.path
    return part, _OTHER_IMAGE.get(str(image)), *rest


def _is_of_other_image(place: Place) -> bool:
    if equal(place.expected, place.got):
        return False
    return _is_same_part(place, part_in(place.expected_tree, *_in_other_image(place), default=MISSING), place.got)


def has_other_value(place: Place) -> bool:
    """The column of an update has the value of the other image; not NULL, which may be a lost value."""
    return place.got is not None and _is_of_other_image(place)


def is_swapped(place: Place) -> bool:
    """The answer has the value of the update's other image here, and the value of this image there."""
    there = part_in(place.got_tree, *_in_other_image(place), default=MISSING)
    return _is_of_other_image(place) and _is_same_part(place, place.expected, there)


def is_p_empty(place: Place) -> bool:
    """The update has only the columns that changed, and no sent column changed."""
    event, table = place.event, place.table
    if not (has_updated_only(place) and isinstance(event, RowChange) and table and event.before and event.after):
        return False
    before, after = event.before, event.after
    sent = handle_columns(table, place.profile) if is_reduced(place) else tuple(before)
    return not any(
        changed(column, before[column.name], after[column.name], place.profile)
        for column in table.columns
        if column.name in sent and column.name in before.keys() & after.keys() and column.generated != "virtual"
    )


def is_p_left_out(place: Place) -> bool:
    """No sent column of the update changed, and on both sides the image before it is left out or empty."""
    return is_p_empty(place) and all(side is MISSING or side == {} for side in (place.expected, place.got))


PREDICATES: Sequence[Condition] = (
    *(has_lost_its_name, has_other_value, has_updated_only, involves_null, is_byte, is_empty_name),
    *(is_generated_in_index, is_indexed_alone, is_mixed, is_named, is_ohk_doubled_alone, is_p_empty),
    *(is_p_left_out, is_reduced, is_reduced_unasked, is_sent_whole, is_swapped, is_unread, splits_primary_key),
    *(splits_unique_key,),
)
