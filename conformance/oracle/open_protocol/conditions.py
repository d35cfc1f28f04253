"""What the checks of Open Protocol ask about records, keys, columns and images."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.conditions import event_kind, event_op, is_virtual, known
from conformance.oracle.events import compare_event_leaf
from conformance.oracle.open_protocol import reading
from conformance.oracle.open_protocol.expected_events import changed, handle_columns
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING, equal
from reference_impl.keys import count_of_split_updates
from reference_impl.model import DdlEvent, RowChange, Table, Watermark

__all__ = [
    "begins_index",
    "broadcasts",
    "fault",
    "has_lost_its_name",
    "has_updated_only",
    "involves_null",
    "is_count_of",
    "is_empty_name",
    "is_flag",
    "is_flags",
    "is_generated_in_index",
    "is_mixed",
    "is_named",
    "is_ohk_doubled_alone",
    "is_p_empty",
    "is_p_left_out",
    "is_reduced",
    "is_reduced_by",
    "is_reduced_unasked",
    "is_sent_whole",
    "is_swapped",
    "is_unread",
    "is_worked_out",
    "splits_key",
    "splits_primary_key",
    "splits_unique_key",
]


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


def fault(name: str) -> Condition:
    """The record was read, or could not be read for that reason."""
    phrase = _FAULTS[name]
    return lambda place: not isinstance(place.got, str) or place.got.startswith(phrase)


def is_unread(place: Place) -> bool:
    """The record could not be read at all: what was given is the reason."""
    return isinstance(place.got, str) and place.delivery is None


def is_reduced_unasked(place: Place) -> bool:
    """A column is missing since the answered message is marked as reduced to its handle key, and should be whole."""
    if place.got is not MISSING:
        return False
    wanted, given = (side.get("key") or {} for side in (place.expected_tree, place.got_tree))
    return any(name in given and name not in wanted for name in ("ohk", "ccl"))


def is_mixed(place: Place) -> bool:
    """The message that was given has a DDL or resolved event beside others."""
    frame = place.got_tree.get("frame")
    return isinstance(frame, Mapping) and not frame["alone"]


def broadcasts(name: str) -> Condition:
    """There are several partitions, and an event of that kind to be sent to each."""
    kind = {"ddl": DdlEvent, "watermark": Watermark}[name]
    return lambda place: place.case.settings.partitions > 1 and any(isinstance(e, kind) for e in place.case.events)


def splits_key(place: Place) -> bool:
    """An update of the case changes a key column."""
    return count_of_split_updates(place.case.events, place.case.tables) > 0


def _split_by_primary_key(place: Place) -> int:
    return count_of_split_updates(place.case.events, place.case.tables, lambda table: table.primary_key)


def splits_primary_key(place: Place) -> bool:
    """An update of the case changes a column of a primary key."""
    return _split_by_primary_key(place) > 0


def splits_unique_key(place: Place) -> bool:
    """An update of the case changes a column of a unique key, and none of a primary key."""
    return count_of_split_updates(place.case.events, place.case.tables) > _split_by_primary_key(place)


def _tables_of(case: Case) -> set[tuple[str, str]]:
    return {(e.schema, e.table) for e in case.events if isinstance(e, RowChange)}


def is_count_of(requirement: str) -> Condition:
    """That requirement decides on the number of events in a message: which one does depends on options and rows."""
    known(requirement, "OP-150", "OP-152", "OP-154", "OP-155")

    def speaks(place: Place) -> bool:
        given = place.case.options
        if "max-message-bytes" in given:
            return requirement == "OP-150"
        if "max-batch-size" in given:
            return requirement == "OP-152"
        if len(_tables_of(place.case)) > 1:
            return requirement == "OP-155"
        return requirement == ("OP-154" if len(place.case.events) > 16 else "OP-152")

    return speaks


# -- keys --------------------------------------------------------------------------------------------------------------


def is_empty_name(place: Place) -> bool:
    """The name in a DDL event is empty, written as such or left out."""
    return event_kind(place) == "ddl" and place.expected in (MISSING, "") and place.got in (MISSING, "")


def is_ohk_doubled_alone(place: Place) -> bool:
    """What is doubled in a key is `ohk` alone."""
    return set(getattr(place.got, "doubled", ())) <= {"ohk"}


def _key(place: Place) -> Mapping[str, Any]:
    found = place.expected_tree.get("key")
    return found if isinstance(found, Mapping) else {}


def is_reduced(place: Place) -> bool:
    """The row is sent with its handle columns alone, for its size."""
    key = _key(place)
    return "ohk" in key or "ccl" in key


def is_sent_whole(place: Place) -> bool:
    """The row is sent with all its columns, and this is no virtual one."""
    return not is_virtual(place) and not is_reduced(place)


def is_reduced_by(option: str) -> Condition:
    """The row is sent with its handle columns alone, under that value of large-message-handle-option."""
    if option not in ("claim-check", "handle-key-only"):
        raise ValueError(option)
    return lambda place: is_reduced(place) and place.options.large_message_handle_option == option


def is_named(place: Place) -> bool:
    """A name stands where none should be."""
    return place.expected is MISSING and place.got is not MISSING and place.got != ""


# -- columns -----------------------------------------------------------------------------------------------------------


def _composite(table: Table) -> frozenset[str]:
    keys = (table.primary_key, *(key.columns for key in (*table.unique_keys, *table.indexes)))
    return frozenset(name for key in keys if len(key) > 1 for name in key)


def is_generated_in_index(place: Place) -> bool:
    """The column is a generated one and belongs to a key or an index."""
    if place.table is None or place.column is None or place.column.generated is None:
        return False
    table, name = place.table, place.column.name
    return name in table.primary_key or any(name in key.columns for key in (*table.unique_keys, *table.indexes))


def begins_index(place: Place) -> bool:
    """The column begins a non-unique index, and belongs to no index of several columns."""
    table, column = place.table, place.column
    if table is None or column is None or column.name in _composite(table):
        return False
    return any(key.columns == (column.name,) for key in table.indexes)


def is_worked_out(number: str) -> Condition:
    """The column is a generated one, and these flags are expected, which the document works out for one."""
    wanted = int(number)
    return lambda place: place.expected == wanted and place.column is not None and place.column.generated is not None


def is_flags(place: Place) -> bool:
    """An integer of eight bits was given."""
    return isinstance(place.got, int) and 0 <= place.got <= 0xFF


def is_flag(bits: str) -> Condition:
    """Flags are given that are right, or that differ from the expected ones in these bits."""
    mask = int(bits, 16)
    if not 0 < mask <= 0xFF:
        raise ValueError(bits)

    def holds(place: Place) -> bool:
        expected, got = place.expected, place.got
        if not (isinstance(expected, int) and is_flags(place)):
            return False
        return expected == got or bool((expected ^ got) & mask)

    return holds


def _images(place: Place) -> tuple[Any, Any] | None:
    event = place.event
    if not isinstance(event, RowChange) or event.before is None or event.after is None or place.column is None:
        return None
    name = place.column.name
    return (event.before[name], event.after[name]) if name in event.before and name in event.after else None


def has_updated_only(place: Place) -> bool:
    """The update is to carry only the previous values that changed."""
    asked: bool = place.options.only_output_updated_columns and place.options.open_output_old_value
    return asked and event_op(place) == "update"


def _nameless(place: Place) -> bool:
    """What was given stands where a column should, but is a member of one that has lost its name."""
    return place.path[-1] in ("t", "h", "f", "v") and place.got is not MISSING and not isinstance(place.got, dict)


def involves_null(place: Place) -> bool:
    """The column is NULL before or after the update, or lost its name."""
    images = _images(place)
    return _nameless(place) or (images is not None and None in images)


def has_lost_its_name(place: Place) -> bool:
    """In an update of only updated columns, a member of a column stands where the column should."""
    return has_updated_only(place) and _nameless(place)


_OTHER_IMAGE = {"u": "p", "p": "u", "before": "after", "after": "before"}


def _at(tree: Any, path: Iterable[object]) -> Any:
    for step in path:
        tree = tree.get(step, MISSING) if isinstance(tree, Mapping) else MISSING
    return tree


def _same(place: Place, expected: Any, got: Any) -> bool:
    if equal(expected, got) or place.role == "encode" or place.column is None or MISSING in (expected, got):
        return equal(expected, got)
    return compare_event_leaf(place._replace(expected=expected, got=got)) is None


def is_swapped(place: Place) -> bool:
    """An update was given the value of its other image, and there the value of this one."""
    if equal(place.expected, place.got):
        return False
    part, image, *rest = place.path
    other = part, _OTHER_IMAGE.get(str(image)), *rest
    return _same(place, _at(place.expected_tree, other), place.got) and _same(
        place, place.expected, _at(place.got_tree, other)
    )


def is_p_empty(place: Place) -> bool:
    """The update is to carry only what changed, and no column changed of those that are sent."""
    event, table = place.event, place.table
    if not (has_updated_only(place) and isinstance(event, RowChange) and table and event.before and event.after):
        return False
    before, after = event.before, event.after
    sent = handle_columns(table, place.profile) if is_reduced(place) else tuple(before)
    return not any(
        changed(column, before[column.name], after[column.name])
        for column in table.columns
        if column.name in sent and column.name in before.keys() & after.keys() and column.generated != "virtual"
    )


def is_p_left_out(place: Place) -> bool:
    """No column that is sent changed, and neither side has an image before the change, or it is empty."""
    return is_p_empty(place) and all(side is MISSING or side == {} for side in (place.expected, place.got))
