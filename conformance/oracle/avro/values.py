"""Rules of the values of columns, as they are written and as they are read: the same requirements speak of both.

A wrong value breaks the rule of its column's kind, whatever other rule speaks of it too; the right value in other words
breaks the rule on how it is written.  [AV-052, AV-075b … AV-108]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from conformance.oracle.avro.conditions import (
    differs,
    is_changed_key,
    is_lossless_as_double,
    label_needs_escape,
    speaking,
    truth,
)
from conformance.oracle.avro.kinds import SPELLINGS, VALUES, kind_of, spelling_ids
from conformance.oracle.conditions import all_of, event_op, op, option
from conformance.oracle.rules import Place, Rule
from conformance.oracle.tree import MISSING, Kind
from reference_impl.avro.types import allowed
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.floats import is_number
from reference_impl.values import from_wire

__all__ = ["READ_IDS", "row_rules", "value_ids"]

_WRONG = frozenset({Kind.VALUE, Kind.JSON_KIND})
_TEXT = frozenset({Kind.TEXT})

# The most special first.
_IDS = ("AV-052a", "AV-094d", "AV-104", "AV-107", *VALUES, "AV-052")
_WRITTEN_IDS = ("AV-080c", *_IDS, "AV-110b", "AV-003")
READ_IDS = ("AV-080d", "AV-105c", "AV-206", *_IDS, "AV-203b", "AV-203c")

_LARGEST_LONG = 2**63 - 1
_BITS_OF_BYTE = 8

_ZONES_APART, _FARTHEST_ZONES = timedelta(minutes=15), timedelta(hours=26)


def _is_wrapped(place: Place) -> bool:
    """A BIGINT UNSIGNED that is beyond a long."""
    kind, value = kind_of(place), truth(place)
    return kind is not None and kind.value == "AV-080b" and isinstance(value, str) and int(value) > _LARGEST_LONG


def _is_unwrapped_otherwise(place: Place) -> bool:
    """Both numbers are the same 64 bits."""
    try:
        return is_number(str(place.got)) and (int(place.expected) - int(place.got)) % 2**64 == 0
    except (TypeError, ValueError):
        return False


def _is_zone_away(place: Place) -> bool:
    try:
        expected, got = (datetime.fromisoformat(str(text)) for text in (place.expected, place.got))
        return abs(got - expected) <= _FARTHEST_ZONES and (got - expected) % _ZONES_APART == timedelta()
    except (TypeError, ValueError):
        return False


def _is_short(place: Place) -> bool:
    """A BIT whose first byte is zero."""
    value, column = truth(place), place.column
    assert column is not None
    whole = (column.type.bits + _BITS_OF_BYTE - 1) // _BITS_OF_BYTE
    return isinstance(value, str) and whole > 1 and int(value) < 1 << _BITS_OF_BYTE * (whole - 1)


def _is_escaped(place: Place) -> bool:
    return isinstance(place.got, str) and place.got == allowed(str(place.expected))


def _is_misshapen(place: Place) -> bool:
    """What a decoder gave is no value of the column's type."""
    assert place.column is not None
    try:
        from_wire(place.column.type, place.got)
    except Rejected:
        return True
    return False


def _special(place: Place) -> Iterator[str]:
    """Requirements that speak of some values of a kind beside the one of the kind."""
    column = place.column
    assert column is not None
    family, right = column.type.family, not differs(place)
    if family is Family.TIMESTAMP and place.case.settings.timezone != "UTC" and (right or _is_zone_away(place)):
        yield "AV-094d"
    if family is Family.DECIMAL and not is_lossless_as_double(str(truth(place))):
        yield "AV-104"
    if family in (Family.ENUM, Family.SET) and label_needs_escape(column) and (right or _is_escaped(place)):
        yield "AV-107"
    if place.role == "decode":
        if family is Family.BIT and _is_short(place):
            yield "AV-105c"
        if right or (not place.case.send_tables and _is_misshapen(place)):
            yield "AV-206"


def value_ids(place: Place) -> Iterable[str]:
    """The requirements on the value of a column that is there on both sides."""
    column, kind = place.column, kind_of(place)
    if column is None or kind is None or place.expected is MISSING or place.got is MISSING:
        return ()
    if place.expected is None or place.got is None:
        if column.generated == "virtual":
            return ("AV-110b",) if place.role == "encode" else ("AV-203b",)
        return ("AV-052",) if differs(place) else ("AV-052", "AV-052a")
    if _is_wrapped(place):
        wrapped = "AV-080c" if place.role == "encode" else "AV-080d"
        return (wrapped,) if _is_unwrapped_otherwise(place) else (kind.value, wrapped)
    found = [kind.value, *_special(place)]
    if not differs(place) and column.nullable:
        found += ["AV-052", "AV-052a"]
    if column.type.family is Family.VECTOR:  # the document is silent here, but the row differs
        found.append("AV-003" if place.role == "encode" else "AV-203c")
    return found


def _spelling_ids(place: Place) -> Iterable[str]:
    has_value = isinstance(place.expected, str) and isinstance(place.got, str)
    return spelling_ids(place) if has_value else ()


_raw = all_of(option("output_raw_change_event"), is_changed_key)


def row_rules() -> Iterator[Rule]:
    """Every rule of the values in a key, a value and a row before."""
    for at in ("key.row.{column}", "value.row.{column}", "value.before.{column}"):
        yield from speaking(at, value_ids, _WRITTEN_IDS, _WRONG)
        yield from speaking(at, _spelling_ids, SPELLINGS, _TEXT)
    yield Rule("AV-004a", "key.row.{column}", op("delete"), _WRONG)
    yield Rule("AV-009a", "key.row.{column}", _raw, _WRONG)
    yield Rule("AV-121", "value.before.{column}", op("update"), _WRONG)
    for at in ("value.before.{column}", "value.row.{column}"):
        yield Rule("AV-121a", at, lambda place: event_op(place) == "delete", _WRONG)
