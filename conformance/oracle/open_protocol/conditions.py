"""When a rule of Open Protocol speaks: conditions on places that only this protocol has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.conditions import event_kind, event_op
from conformance.oracle.events import compare_event_leaf
from conformance.oracle.open_protocol.expected_events import changed, handle_columns
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING
from reference_impl.actions import action_code as code_of
from reference_impl.column_types import Family
from reference_impl.keys import count_of_split_updates
from reference_impl.model import DdlEvent, RawText, RowChange, Table, Watermark
from reference_impl.values import loosely_same_value

__all__ = [
    "action_code",
    "among_floats",
    "bit",
    "broadcasts",
    "code_given",
    "code_of_null",
    "counts_batches",
    "doubled_ohk",
    "empty_name",
    "empty_p",
    "empty_text",
    "exponent",
    "fault",
    "generated_in_index",
    "in_an_index",
    "in_composite_index",
    "in_zone",
    "is_flags",
    "is_reduced_unasked",
    "mixed",
    "nameless",
    "null_involved",
    "raw_text",
    "reduced",
    "reduced_by",
    "same_instant",
    "same_shape",
    "splits",
    "splits_primary_key",
    "splits_unique_key",
    "statements_alone",
    "swapped",
    "tables_sent",
    "unread",
    "updated_only",
    "with_backslash",
    "within",
    "worked_example",
]


# -- records and answers -----------------------------------------------------------------------------------------------


def fault(*phrases: str) -> Condition:
    """The record was read, or could not be read for a reason that begins with one of `phrases`."""
    return lambda place: not isinstance(place.got, str) or place.got.startswith(phrases)


def unread(place: Place) -> bool:
    """The record could not be read at all: what was given is the reason."""
    return isinstance(place.got, str) and place.delivery is None


def is_reduced_unasked(place: Place) -> bool:
    """A column is missing since the answered message is marked as reduced to its handle key, and should be whole."""
    if place.got is not MISSING:
        return False
    wanted, given = (side.get("key") or {} for side in (place.tree, place.given))
    return any(name in given and name not in wanted for name in ("ohk", "ccl"))


def mixed(place: Place) -> bool:
    """The message that was given has a DDL or resolved event beside others."""
    frame = place.given.get("frame")
    return isinstance(frame, Mapping) and not frame["alone"]


def broadcasts(kind: type[DdlEvent] | type[Watermark]) -> Condition:
    """There are several partitions, and an event of that kind to be sent to each."""
    return lambda place: place.case.settings.partitions > 1 and any(isinstance(e, kind) for e in place.case.events)


def splits(place: Place) -> bool:
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


def counts_batches(requirement: str) -> Condition:
    """That rule on the number of events in a message has a say: which one depends on options and rows."""

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


def empty_name(place: Place) -> bool:
    """A name of a DDL event that is empty, written as such or left out."""
    return event_kind(place) == "ddl" and place.expected in (MISSING, "") and place.got in (MISSING, "")


def doubled_ohk(place: Place) -> bool:
    """What is doubled in a key is `ohk` alone."""
    return set(getattr(place.got, "doubled", ())) <= {"ohk"}


def _key(place: Place) -> Mapping[str, Any]:
    found = place.tree.get("key")
    return found if isinstance(found, Mapping) else {}


def reduced(place: Place) -> bool:
    """The row is sent with its handle columns alone, for its size."""
    key = _key(place)
    return "ohk" in key or "ccl" in key


def reduced_by(option: str) -> Condition:
    """The row is so reduced under that value of large-message-handle-option."""
    return lambda place: reduced(place) and place.options.large_message_handle_option == option


# -- columns -----------------------------------------------------------------------------------------------------------


def _composite(table: Table) -> frozenset[str]:
    keys = (table.primary_key, *(key.columns for key in (*table.unique_keys, *table.indexes)))
    return frozenset(name for key in keys if len(key) > 1 for name in key)


def in_composite_index(place: Place) -> bool:
    """The column belongs to an index of several columns."""
    return place.table is not None and place.column is not None and place.column.name in _composite(place.table)


def generated_in_index(place: Place) -> bool:
    """A generated column that belongs to a key or an index."""
    if place.table is None or place.column is None or place.column.generated is None:
        return False
    table, name = place.table, place.column.name
    return name in table.primary_key or any(name in key.columns for key in (*table.unique_keys, *table.indexes))


def in_an_index(place: Place) -> bool:
    """The column begins a non-unique index."""
    return (
        place.table is not None
        and place.column is not None
        and any(key.columns[:1] == (place.column.name,) for key in place.table.indexes)
    )


def worked_example(*numbers: int) -> Condition:
    """The flags of a generated column that the document works out."""
    return lambda place: place.expected in numbers and place.column is not None and place.column.generated is not None


def is_flags(place: Place) -> bool:
    """A number of eight bits was given."""
    return isinstance(place.got, int) and 0 <= place.got <= 0xFF


def bit(mask: int) -> Condition:
    """That bit of two flags is the same in equal flags, or one of those that differ."""

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


def updated_only(place: Place) -> bool:
    """An update that is to carry only the previous values that changed."""
    asked: bool = place.options.only_output_updated_columns and place.options.open_output_old_value
    return asked and event_op(place) == "update"


def null_involved(place: Place) -> bool:
    """The column is NULL before or after the update."""
    images = _images(place)
    return images is not None and None in images


_OTHER_IMAGE = {"u": "p", "p": "u", "before": "after", "after": "before"}


def _at(tree: Any, path: Iterable[str | int]) -> Any:
    for step in path:
        tree = tree.get(step, MISSING) if isinstance(tree, Mapping) else MISSING
    return tree


def _same(place: Place, expected: Any, got: Any) -> bool:
    if expected == got or place.role == "encode" or place.column is None or MISSING in (expected, got):
        return bool(expected == got)
    return compare_event_leaf(place._replace(expected=expected, got=got)) is None


def swapped(place: Place) -> bool:
    """An update was given the value of its other image, and there the value of this one."""
    if place.expected == place.got:
        return False
    part, image, *rest = place.path
    other = part, _OTHER_IMAGE.get(str(image), ""), *rest
    return _same(place, _at(place.tree, other), place.got) and _same(place, place.expected, _at(place.given, other))


def nameless(place: Place) -> bool:
    """What was given stands where a column should, but is a member of one that has lost its name."""
    return place.path[-1] in ("t", "h", "f", "v") and place.got is not MISSING and not isinstance(place.got, dict)


def empty_p(place: Place) -> bool:
    """An update of only updated columns in which none changed of those that are sent."""
    event, table = place.event, place.table
    if not (updated_only(place) and isinstance(event, RowChange) and table and event.before and event.after):
        return False
    before, after = event.before, event.after
    sent = handle_columns(table, place.profile) if reduced(place) else tuple(before)
    return not any(
        changed(column, before[column.name], after[column.name])
        for column in table.columns
        if column.name in sent and column.name in before.keys() & after.keys() and column.generated != "virtual"
    )


# -- values ------------------------------------------------------------------------------------------------------------

_EXPONENT = re.compile(r"[0-9][eE]")
_DIGIT = re.compile(r"[0-9]")


def same_shape(place: Place) -> bool:
    """Two texts that differ in digits only."""
    expected, got = place.expected, place.got
    return isinstance(expected, str) and isinstance(got, str) and _DIGIT.sub("0", expected) == _DIGIT.sub("0", got)


_TEMPORAL = (Family.TIMESTAMP, Family.DATETIME, Family.TIME)


def same_instant(place: Place) -> bool:
    """Two temporal texts that differ in zeros at the end of the fraction, or equal ones that have a fraction."""
    column, expected, got = place.column, place.expected, place.got
    if column is None or column.type.family not in _TEMPORAL or not isinstance(expected, str):
        return False
    if expected == got:
        return "." in expected
    return loosely_same_value(column.type, expected, got)


def in_zone(place: Place) -> bool:
    """A TIMESTAMP of a changefeed that is not in UTC; where it differs, it does so in digits only."""
    column = place.column
    if column is None or column.type.family is not Family.TIMESTAMP or place.case.settings.timezone == "UTC":
        return False
    return same_shape(place)


def among_floats(place: Place) -> bool:
    """The table has a floating point column, so that the spelling of a number may be that of a float."""
    columns = place.table.columns if place.table else ()
    return any(c.type.family in (Family.FLOAT, Family.DOUBLE) for c in columns)


def exponent(place: Place) -> bool:
    """One of two spellings of a number has an exponent."""
    return _EXPONENT.search(place.expected) is not None or _EXPONENT.search(place.got) is not None


def code_given(*codes: int) -> Condition:
    """One of these codes was given."""
    return lambda place: place.got in codes


def code_of_null(place: Place) -> bool:
    """A column was given the code of NULL, which no column has.  [OP-097]"""
    return bool(place.got == 6)


def raw_text(place: Place) -> bool:
    """The value of a CHAR or VARCHAR column that is not UTF-8."""
    event, column = place.event, place.column
    if not isinstance(event, RowChange) or column is None or column.type.family not in (Family.CHAR, Family.VARCHAR):
        return False
    row = event.before if {"p", "d", "before"} & set(place.path[:2]) else event.after
    return row is not None and isinstance(row.get(column.name), RawText)


def tables_sent(place: Place) -> bool:
    """The decoder was given the tables."""
    return place.case.send_tables


def empty_text(place: Place) -> bool:
    """The empty text is expected."""
    return bool(place.expected == "")


def with_backslash(place: Place) -> bool:
    """The text that is expected has a backslash."""
    return isinstance(place.expected, str) and "\\" in place.expected


def within(low: int, high: int) -> Condition:
    """A number from `low` to `high`, as a number or as the digits of an event's value."""

    def holds(place: Place) -> bool:
        expected = place.expected
        if isinstance(expected, str) and expected.lstrip("-").isdecimal():
            expected = int(expected)
        return isinstance(expected, int) and low <= expected <= high

    return holds


def _rule_of_code(code: int, role: str) -> str:
    unknown = "OP-145" if role == "encode" else "OP-144"
    return "OP-143" if 1 <= code <= 36 else "OP-143a" if 37 <= code <= 77 else unknown


def statements_alone(requirement: str) -> Condition:
    """The case is about statements, all of them with codes of that rule."""

    def holds(place: Place) -> bool:
        changes = [event for event in place.case.events if not isinstance(event, Watermark)]
        return bool(changes) and all(
            isinstance(event, DdlEvent) and _rule_of_code(code_of(event), place.role) == requirement
            for event in changes
        )

    return holds


def action_code(requirement: str) -> Condition:
    """That rule on the codes of DDL statements has a say on the number expected, or on its name."""

    def speaks(place: Place) -> bool:
        code = place.tree["event"].get("action_code") if place.path == ("event", "action") else place.expected
        if not isinstance(code, int):
            return False
        return requirement == _rule_of_code(code, place.role)

    return speaks
