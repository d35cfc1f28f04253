"""Conditions for the rules of all protocols, and combinations of conditions.

They are small predicates over a place. The conditions of a single protocol are in its package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from conformance.cases.model import Role
from conformance.oracle.rules import AllOf, CachedCondition, Condition, Place
from conformance.oracle.tree import MISSING, equal
from reference_impl.actions import action_code
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.keys import count_of_split_updates
from reference_impl.model import DdlEvent, RawText, Row, RowChange, Value, Watermark
from reference_impl.values import same_value

__all__ = [
    "action",
    "all_of",
    "any_of",
    "encoded_as",
    "event_count",
    "event_kind",
    "event_op",
    "family",
    "has_key_change",
    "has_primary_key",
    "has_statements",
    "has_watermarks",
    "has_zone",
    "is_boolean",
    "is_changed",
    "is_empty_text",
    "is_expected",
    "is_extension_stated",
    "is_missed",
    "is_null",
    "is_null_expected",
    "is_raw",
    "is_stored",
    "is_unsigned",
    "is_value_expected",
    "is_virtual",
    "is_zone_away",
    "key_change_count",
    "kind",
    "kind_of",
    "no",
    "old_and_new",
    "op",
    "operation_of",
    "option",
    "refuse_unknown",
    "role",
    "row_of",
    "same",
    "shows",
    "truth",
    "written_for",
]


def all_of(*conditions: Condition) -> Condition:
    """Every one of `conditions` holds; they are evaluated in order."""
    parts = (c.parts if isinstance(c, AllOf) else (c,) for c in conditions)
    return AllOf(tuple(part for some in parts for part in some))


def _cached_if_all(parts: Sequence[Condition], combined: Condition) -> Condition:
    """`combined`, a combination of `parts`: a `CachedCondition` if all parts are."""
    return CachedCondition(combined) if all(isinstance(part, CachedCondition) for part in parts) else combined


def any_of(*conditions: Condition) -> Condition:
    """One of `conditions` holds."""

    def holds(place: Place) -> bool:
        for condition in conditions:  # noqa: SIM110 - called millions of times: a generator would double the cost
            if condition(place):
                return True
        return False

    return _cached_if_all(conditions, holds)


def no(condition: Condition) -> Condition:
    """`condition` does not hold."""
    return _cached_if_all((condition,), lambda place: not condition(place))


def same(place: Place) -> bool:
    """The answer equals the expectation at the place."""
    return equal(place.expected, place.got)


def shows(sign: Condition) -> Condition:
    """Both sides are equal, which evaluates the requirement, or `sign` holds for their difference, which breaks it."""
    return lambda place: same(place) or sign(place)


def event_kind(place: Place) -> str | None:
    """The kind of the event at the place, as in `kind_of`."""
    return kind_of(place.event)


def kind_of(event: Any) -> str | None:
    """`row`, `ddl` or `watermark`; None for no event. The event may be a JSON object."""
    if isinstance(event, RowChange):
        return "row"
    if event is None:
        return None
    if isinstance(event, Mapping):
        return str(event.get("kind"))
    return "ddl" if isinstance(event, DdlEvent) else "watermark"


def event_op(place: Place) -> str | None:
    """`insert`, `update`, `delete`, … of a row event, else None."""
    return _op_of(place.event)


def _op_of(event: Any) -> str | None:
    if isinstance(event, RowChange):
        return event.op
    found = event.get("op") if isinstance(event, Mapping) else None
    return found if isinstance(found, str) else None


def operation_of(event: Any) -> str:
    """The operation of a row event, the kind of another event, "" for None; the event may be a JSON object."""
    return _op_of(event) or kind_of(event) or ""


def kind(*kinds: str) -> Condition:
    """The event is of one of these kinds."""
    return CachedCondition(lambda place: event_kind(place) in kinds)


def op(*ops: str) -> Condition:
    """The event is a row event with one of these operations."""
    return CachedCondition(lambda place: event_op(place) in ops)


def family(*families: Family) -> Condition:
    """The place belongs to a column of one of these families."""
    allowed = frozenset(families)
    return CachedCondition(lambda place: place.column is not None and place.column.type.family in allowed)


# -- the row -------------------------------------------------------------------------------------------------------

# Names of images before a change. In a delete the only image is such a one, whatever its name.
_BEFORE = frozenset({"before", "old", "p"})


def row_of(place: Place) -> Row | None:
    """The row of the event that the place's image belongs to; a key belongs to the row after, if there is one."""
    event = place.event
    if not isinstance(event, RowChange):
        return None
    image = place.path[2] if place.path[:2] == ("value", "payload") else place.path[1]
    return event.before if event.after is None or image in _BEFORE else event.after


def truth(place: Place) -> Value:
    """The value of the place's column in its row; None for NULL, and without a row or column."""
    return (row_of(place) or {}).get(place.column.name) if place.column is not None else None


def old_and_new(place: Place) -> tuple[Value, Value] | None:
    """The values of the place's column before and after an update; None for any other place."""
    event, column = place.event, place.column
    if not isinstance(event, RowChange) or event.before is None or event.after is None or column is None:
        return None
    name, before, after = column.name, event.before, event.after
    return (before[name], after[name]) if name in before and name in after else None


def is_changed(place: Place) -> bool:
    """The update changes the place's column."""
    values = old_and_new(place)
    return values is not None and place.column is not None and not same_value(place.column.type, *values)


def is_raw(place: Place) -> bool:
    """The text has bytes that are not UTF-8."""
    return isinstance(truth(place), RawText)


# -- the case and its events ---------------------------------------------------------------------------------------


def action(*codes: int) -> Condition:
    """The event is a statement of one of these TiDB actions, known by its code or by its name."""
    allowed = frozenset(codes)
    return lambda place: isinstance(place.event, DdlEvent) and _code_of(place.event) in allowed


def _code_of(event: DdlEvent) -> int | None:
    try:
        return action_code(event)
    except Rejected:
        return None


def event_count(place: Place, kind: type[DdlEvent] | type[Watermark]) -> int:
    """The number of DDL statements or watermarks of the case, without their copies for several partitions."""
    return sum(isinstance(event, kind) for event in place.case.events)


def has_statements(place: Place) -> bool:
    """The case has DDL statements."""
    return event_count(place, DdlEvent) > 0


def has_watermarks(place: Place) -> bool:
    """The case has watermarks."""
    return event_count(place, Watermark) > 0


def has_zone(place: Place) -> bool:
    """The case has another time zone than UTC."""
    return place.case.settings.timezone != "UTC"


# Offsets of time zones are multiples of the first; no two zones differ by more than the second.
_ZONE_STEP, _MOST_ZONE_DIFFERENCE = timedelta(minutes=15), timedelta(hours=26)


def is_zone_away(place: Place) -> bool:
    """The two sides are different times, and two time zones can differ by as much."""
    try:
        expected, got = (datetime.fromisoformat(str(text)) for text in (place.expected, place.got))
        is_multiple = (got - expected) % _ZONE_STEP == timedelta()
        return is_multiple and timedelta() < abs(got - expected) <= _MOST_ZONE_DIFFERENCE
    except (TypeError, ValueError):
        return False


# -- expected and answered values ----------------------------------------------------------------------------------


def is_expected(place: Place) -> bool:
    """Something is expected at the place."""
    return place.expected is not MISSING


def is_null_expected(place: Place) -> bool:
    """NULL is expected."""
    return place.expected is None


def is_missed(place: Place) -> bool:
    """The answer lacks the place."""
    return place.got is MISSING


def is_empty_text(place: Place) -> bool:
    """The empty text is expected."""
    return bool(place.expected == "")


def is_extension_stated(place: Place) -> bool:
    """The case states `enable-tidb-extension`, on or off."""
    return "enable-tidb-extension" in place.case.options


def is_value_expected(place: Place) -> bool:
    """Something other than null is expected at the place."""
    return place.expected is not MISSING and place.expected is not None


def has_primary_key(place: Place) -> bool:
    """The table has a primary key."""
    return place.table is not None and bool(place.table.primary_key)


def key_change_count(place: Place) -> int:
    """The number of updates of the case that change a column of their table's key."""
    return count_of_split_updates(place.case.events, place.case.tables)


def has_key_change(place: Place) -> bool:
    """An update of the case changes a column of a key."""
    return key_change_count(place) > 0


def is_boolean(place: Place) -> bool:
    """The column is a BOOLEAN, or declared as BOOL or TINYINT(1)."""
    return place.column is not None and place.column.type.text.lower() in ("bool", "boolean", "tinyint(1)")


def is_unsigned(place: Place) -> bool:
    """The column is UNSIGNED."""
    return place.column is not None and place.column.type.unsigned


def is_virtual(place: Place) -> bool:
    """The column is generated, and not stored."""
    return place.column is not None and place.column.generated == "virtual"


def is_stored(place: Place) -> bool:
    """The column is generated, and stored."""
    return place.column is not None and place.column.generated == "stored"


def option(name: str, value: object = True) -> Condition:
    """The option in the field `name` of the options object has the value."""
    return CachedCondition(lambda place: getattr(place.options, name) == value)


def is_null(place: Place) -> bool:
    """JSON null is expected, or the answer has it in place of another value."""
    return place.expected is None or (place.got is None and place.expected is not MISSING)


def role(name: Role) -> Condition:
    """An answer of that role is judged."""
    return CachedCondition(lambda place: place.role == name)


def encoded_as(*names: str) -> Condition:
    """The axis `encoding` of the case is one of these: its records are respelled in that way."""
    return lambda place: place.case.axes.get("encoding") in names


def refuse_unknown(requirement: str, *ids: str) -> None:
    """Raises `ValueError` unless `requirement` is one of `ids`, the only ones for which a condition can hold."""
    if requirement not in ids:
        raise ValueError(requirement)


def written_for(requirement: str) -> Condition:
    """The case was written for the requirement."""
    return lambda place: requirement in place.case.requirements
