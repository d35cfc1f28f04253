"""What the rules of Avro ask about a place, an event, a case, and which name of a field is another.

A function that answers ids answers those that speak at a place: all that apply where nothing differs, else those that
the difference breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from conformance.cases.model import Case
from conformance.oracle.avro.compare import fields_at
from conformance.oracle.avro.expected_events import renamed
from conformance.oracle.avro.reading import given_in
from conformance.oracle.conditions import event_op
from conformance.oracle.counts import are_splits, read_of, unread
from conformance.oracle.rules import Condition, Place, Rule
from conformance.oracle.tree import Kind, Maybe
from reference_impl.keys import split_update
from reference_impl.model import Column, DdlEvent, RowChange, Table, Watermark
from reference_impl.names import sanitized

__all__ = [
    "Ids",
    "control_events",
    "differs",
    "expected_in",
    "in_valid_index",
    "is_changed_key",
    "is_lossless_as_double",
    "is_nested",
    "is_split_otherwise",
    "is_stale",
    "key_changes",
    "kind_sent",
    "label_needs_escape",
    "name_id",
    "original_name",
    "renaming",
    "rows",
    "speaking",
    "text_of",
    "truth",
    "versions",
]

Ids: TypeAlias = Callable[[Place], Iterable[str]]


def speaking(
    at: str, ids: Ids, among: Iterable[str], kinds: frozenset[Kind], *, when_absent: bool = False
) -> Iterator[Rule]:
    """A rule for each of the requirements `among`, which speaks where `ids` answers it: it is asked once a place."""
    asked: tuple[Place | None, Iterable[str]] = (None, ())

    def answered(place: Place) -> Iterable[str]:
        nonlocal asked
        last = asked
        if last[0] is not place:
            last = asked = (place, ids(place))
        return last[1]

    def speaks(requirement: str) -> Condition:
        return lambda place: requirement in answered(place)

    for requirement in dict.fromkeys(among):
        yield Rule(requirement, at, speaks(requirement), kinds, when_absent)


def differs(place: Place) -> bool:
    """What was given is not what is expected."""
    return place.expected is not place.got and not (
        place.expected == place.got and isinstance(place.expected, type(place.got))
    )


def expected_in(place: Place, *path: str | int) -> Any:
    """The part of the expected message at that path of members, or None."""
    return given_in(place.tree, *path)


def text_of(place: Place) -> str:
    """What was given, as a text; of a record that cannot be read, why."""
    return place.got if isinstance(place.got, str) else ""


# -- the case ----------------------------------------------------------------------------------------------------------


def rows(case: Case, *ops: str) -> int:
    """How many row events with one of these operations the case has."""
    return sum(isinstance(event, RowChange) and event.op in ops for event in case.events)


def control_events(case: Case, kind: type[DdlEvent] | type[Watermark]) -> int:
    """How many DDL statements or watermarks the case has, each counted once."""
    return sum(isinstance(event, kind) for event in case.events)


def versions(case: Case) -> Iterator[Table]:
    """Every version of every table of the case."""
    yield from case.tables
    for event in case.events:
        if isinstance(event, DdlEvent):
            yield from (t for t in (event.table_before, event.table_after, *event.other_tables) if t is not None)


def key_changes(case: Case) -> int:
    """How many updates of the case change a key column."""
    tables = {table.id: table for table in case.tables}
    found = 0
    for event in case.events:
        if isinstance(event, DdlEvent):
            tables.update((t.id, t) for t in (event.table_after, *event.other_tables) if t is not None)
        if isinstance(event, RowChange) and (table := tables.get((event.schema, event.table))) is not None:
            found += len(list(split_update(event, table))) > 1
    return found


# -- answers of another number -----------------------------------------------------------------------------------------


def kind_sent(message: Any) -> str:
    """`row`, `ddl` or `watermark`."""
    marker = given_in(message, "value", "marker")
    return marker if marker in ("ddl", "watermark") else "row"


def _identity(message: Any) -> Any:
    """What a message says of its row or statement: no schema, no form of numbers."""
    value = message.get("value")
    parts = ("row", "before", "extension", "marker", "ddl", "commit_ts")
    parts_shown = {name: value.get(name) for name in parts} if isinstance(value, dict) else value
    names = [given_in(message, part, "schema", name) for part in ("key", "value") for name in ("namespace", "name")]
    return [given_in(message, "key", "row"), names, parts_shown]


def _is_delete(message: Any) -> bool:
    operation = given_in(message, "value", "extension", "_tidb_op")
    return message.get("value") is None or given_in(message, "value", "marker") == "delete" or operation == "d"


def _is_whole(delete: Any, insert: Any, update: Any) -> bool:
    """Whether two messages are the halves of the update that the third one is, as far as messages show."""
    if not _is_delete(delete) or _is_delete(insert) or not isinstance(given_in(update, "value", "row"), dict):
        return False
    table = [given_in(message, "value", "schema", "name") for message in (insert, update)]
    times = [given_in(message, "value", "extension", "_tidb_commit_ts") for message in (insert, update)]
    old, before = given_in(delete, "value", "row"), given_in(update, "value", "before")
    return (
        table[0] == table[1]
        and times[0] == times[1]
        and given_in(insert, "value", "row") == given_in(update, "value", "row")
        and given_in(update, "key", "row") in [given_in(half, "key", "row") for half in (delete, insert)]
        and given_in(delete, "key", "schema", "name") == given_in(update, "key", "schema", "name")
        and given_in(update, "value", "extension", "_tidb_op") in (None, "u")
        and (old is None or before is None or before == old)
    )


def is_split_otherwise(place: Place) -> bool:
    """All that differs is that updates of a key are one record in place of two, or two in place of one.

    Without `_tidb_op` an update is what its insert is, and a delete that is left out is all that can be seen.
    """
    if unread(place):
        return False
    expected, got = read_of(place.tree), read_of(place.given)
    split, whole = (got, expected) if place.options.output_raw_change_event else (expected, got)
    return are_splits(split, whole, _identity, _is_whole, key_changes(place.case))


def is_changed_key(place: Place) -> bool:
    """An update that stays one record gives the place's column, one of the key, another value."""
    event, column = place.event, place.column
    if not isinstance(event, RowChange) or event.op != "update" or column is None:
        return False
    return (event.before or {}).get(column.name) != (event.after or {}).get(column.name)


# -- columns -----------------------------------------------------------------------------------------------------------


def original_name(place: Place, field: str) -> str:
    """What the column of a field is called in its table."""
    if place.table is None:
        return field
    columns = (column.name for table in versions(place.case) if table.id == place.table.id for column in table.columns)
    return next((name for name in columns if sanitized(name) == field), field)


def in_valid_index(place: Place, field: str) -> bool:
    """Whether a field is a column of a primary key, or of a unique key without a nullable column.  [AV-112]"""
    table = place.table
    if table is None:
        return True
    keys = (table.primary_key, *(key.columns for key in table.unique_keys))
    valid = (key for key in keys if not any(c.nullable for c in map(table.column, key) if c))
    return any(field in (name, sanitized(name)) for key in valid for name in key)


def _names(place: Place) -> tuple[list[str], list[str]]:
    """(expected, given) names of the fields of the record that the place belongs to, those apart that need not be."""
    if place.path[0] == "event":
        path: tuple[str | int, ...] = place.path[:-1]
    else:
        path = fields_at(place)
    expected = given_in(place.tree, *path) or {}
    needed = [name for name, value in expected.items() if not isinstance(value, Maybe)]
    return needed, [name for name in given_in(place.given, *path) or () if name in needed or name not in expected]


def renaming(place: Place) -> tuple[str, str] | None:
    """(expected, given) name of the place's column, where it is there under another name or is such a name itself."""
    expected, given = _names(place)
    missing, extra = [n for n in expected if n not in given], [n for n in given if n not in expected]
    if len(missing) != len(extra):
        return None
    return next((pair for pair in zip(missing, extra, strict=True) if place.path[-1] in pair), None)


def name_id(place: Place) -> str | None:
    """The requirement on the names of fields that the place's column breaks by going by another name."""
    names = renaming(place)
    if names is None:
        return None
    expected, given = names
    original = original_name(place, expected)
    if original == expected:
        return "AV-039"
    return "AV-037a" if original[:1].isdigit() and given == expected[1:] else "AV-037"


def is_stale(place: Place) -> bool:
    """The fields given are those of another version of the table than the one in force."""
    if place.table is None or not any(isinstance(event, DdlEvent) for event in place.case.events):
        return False
    _, given = _names(place)
    for table in versions(place.case):
        other = renamed(table)
        if table.id == place.table.id and other != place.table:
            names = [column.name for column in other.columns if column.generated != "virtual" or column.name in given]
            if set(names) == set(given):
                return True
    return False


def is_nested(place: Place) -> bool:
    """One of the fields given is a record."""
    fields = given_in(place.given, *fields_at(place)) or {}
    return any(given_in(field, "type", "type") == "record" for field in fields.values())


# -- values ------------------------------------------------------------------------------------------------------------


def truth(place: Place) -> Any:
    """The value of the place's column in the row it belongs to; None where there is none."""
    event, column = place.event, place.column
    if not isinstance(event, RowChange) or column is None:
        return None
    is_before = "before" in place.path[:2] or event_op(place) == "delete"
    return ((event.before if is_before else event.after) or {}).get(column.name)


def is_lossless_as_double(text: str) -> bool:
    """A decimal text that a 64-bit float would give back."""
    try:
        return Decimal(repr(float(text))) == Decimal(text)
    except (ValueError, OverflowError, InvalidOperation):
        return True


def label_needs_escape(column: Column) -> bool:
    """A member of the ENUM or SET has a character that `allowed` writes in another way than values do."""
    return any("," in member or "'" in member for member in column.type.members)
