"""Rules of what a decoder answers.  [DBZ-016a, DBZ-451]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.oracle.conditions import (
    all_of,
    any_of,
    apart_from,
    encoded_as,
    family,
    kind,
    no,
    option,
    role,
    same,
    shows,
    written_for,
)
from conformance.oracle.debezium.known_values import is_wrapped
from conformance.oracle.debezium.places import are_exchanged, has_value, is_unsigned_integer, truth, type_of
from conformance.oracle.rules import Condition, Place, Row, Rule, absent, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.model import DdlEvent, RowChange, Watermark

__all__ = ["event_rules"]

_ALL = frozenset(Kind) - {Kind.ORDER, Kind.TEXT, Kind.CLASS}
_ANSWERED = frozenset({Kind.REFUSED, Kind.ACCEPTED})
_WRONG = frozenset({Kind.VALUE, Kind.JSON_KIND})
_GONE, _EXTRA = frozenset({Kind.MISSING}), frozenset({Kind.EXTRA})

_row, _ddl, _watermark = kind("row"), kind("ddl"), kind("watermark")
_decoding = role("decode")

# -- the answer ----------------------------------------------------------------------------------------------------


def _has(event: type) -> Condition:
    return lambda place: any(isinstance(e, event) for e in place.case.events)


def _is_blind(place: Place) -> bool:
    """The reader has no tables, but a schema with the types."""
    return not place.case.send_tables and not place.options.debezium_disable_schema


def _misses_schema(place: Place) -> bool:
    """The refusal is for the schema, by its class or its words."""
    refusal = place.got
    if not isinstance(refusal, Mapping):
        return False
    return refusal.get("class") == "schema" or "schema" in str(refusal.get("message")).lower()


# Why a message may be refused that is right.
_REFUSALS: tuple[Row, ...] = (
    ("DBZ-016a", no(option("large_message_handle_compression", "none"))),
    ("DBZ-454", encoded_as("unknown members")),
    ("DBZ-451v", encoded_as("shuffled")),
    ("DBZ-451w", all_of(option("debezium_disable_schema"), shows(_misses_schema))),
    ("DBZ-451x", _is_blind),
)
_BY_EVENT: tuple[Row, ...] = (
    ("DBZ-451a", all_of(_has(RowChange), apart_from(*_REFUSALS))),
    ("DBZ-451b", all_of(_has(DdlEvent), apart_from(*_REFUSALS))),
    ("DBZ-451c", all_of(_has(Watermark), apart_from(*_REFUSALS))),
)
_ANSWERS: tuple[Row, ...] = (
    *_REFUSALS,
    *_BY_EVENT,
    ("DBZ-451e", apart_from(*_REFUSALS, *_BY_EVENT)),
    ("DBZ-451v", all_of(written_for("DBZ-451v"), same)),  # an example of the document has an order of its own
)

# -- members -------------------------------------------------------------------------------------------------------


def _member_rules() -> Iterator[Rule]:
    yield Rule("DBZ-451a", "event.kind", _row, _ALL)
    yield Rule("DBZ-451b", "event.kind", _ddl, _ALL)
    yield Rule("DBZ-451c", "event.kind", _watermark, _ALL)
    yield Rule("DBZ-451e", "event.kind", no(any_of(_row, _ddl, _watermark)), _ALL)
    yield Rule("DBZ-451a", "event.op", _row, _ALL)
    yield absent("DBZ-451y", "event.op", no(_row))
    for name in ("schema", "table"):
        yield Rule("DBZ-451f", f"event.{name}", _row, _ALL)
        yield Rule("DBZ-451b", f"event.{name}", _ddl, _ALL)
        yield absent("DBZ-451y", f"event.{name}", _watermark)
    for name in ("query", "action", "action_code"):
        yield Rule("DBZ-451b", f"event.{name}", _ddl, _ALL)
    yield absent("DBZ-451y", "event.query", no(_ddl))
    yield Rule("DBZ-451d", "event.commit_ts", kinds=_ALL)
    yield Rule("DBZ-451z", "event.start_ts", kinds=_ALL - _EXTRA)
    yield absent("DBZ-451y", "event.start_ts")
    yield Rule("DBZ-451y", "event.*", kinds=_EXTRA)
    yield Rule("DBZ-451e", "event.*", kinds=_ALL - _EXTRA)
    invented: Condition = lambda place: place.expected is None or place.expected is MISSING  # noqa: E731
    for name in ("before", "after"):
        yield Rule("DBZ-451y", f"event.{name}", invented, _ALL)
        yield Rule("DBZ-451e", f"event.{name}", no(invented), _ALL)


# -- columns -------------------------------------------------------------------------------------------------------


def _is_wrapped(place: Place) -> bool:
    return place.column is not None and is_wrapped(type_of(place), truth(place))


_large = all_of(is_unsigned_integer(Family.BIGINT), _is_wrapped)

# How the values of each family are read.
_FAMILIES: tuple[tuple[str, Condition], ...] = (
    ("DBZ-451g", all_of(family(*INTEGERS), no(_large))),
    ("DBZ-451h", _large),
    ("DBZ-451i", family(Family.BIT)),
    ("DBZ-451j", family(Family.FLOAT, Family.DOUBLE)),
    ("DBZ-451k", family(Family.DECIMAL)),
    ("DBZ-451l", family(Family.DATE, Family.DATETIME)),
    ("DBZ-451m", family(Family.TIMESTAMP)),
    ("DBZ-451n", family(Family.TIME)),
    ("DBZ-451o", family(Family.YEAR)),
    ("DBZ-451p", family(*TEXT)),
    ("DBZ-451q", family(*BINARY)),
    ("DBZ-451r", family(Family.ENUM, Family.SET)),
    ("DBZ-451s", family(Family.JSON)),
    ("DBZ-451t", family(Family.VECTOR)),
)
_unruled = any_of(_large, family(Family.VECTOR))


def _is_null(place: Place) -> bool:
    return place.expected is None


def _is_empty(place: Place) -> bool:
    """An empty text is expected or given."""
    return bool(place.expected == "" or (place.got == "" and place.expected is None))


def _value_rules(at: str) -> Iterator[Rule]:
    there: Condition = lambda place: place.expected is not MISSING and place.column is not None  # noqa: E731
    not_null = all_of(there, no(_is_null))
    lost_text: Condition = lambda place: _is_empty(place) and place.got in ("", None)  # noqa: E731
    yield Rule("DBZ-451u", at, all_of(there, any_of(_is_null, lost_text)), _WRONG)
    for requirement, applies in _FAMILIES:
        yield Rule(requirement, at, all_of(not_null, applies), _WRONG)
    yield Rule("DBZ-451e", at, all_of(not_null, _unruled), _WRONG)
    yield Rule("DBZ-451e", at, all_of(there, _is_null), _WRONG)
    yield Rule("DBZ-451x", at, all_of(there, _is_blind), _WRONG)


def _column_rules() -> Iterator[Rule]:
    for image in ("before", "after"):
        at = f"event.{image}.{{column}}"
        yield Rule("DBZ-451u", at, all_of(_is_null, no(has_value)), _GONE)
        yield Rule("DBZ-451e", at, kinds=_GONE)
        yield Rule("DBZ-451y", at, kinds=_EXTRA, when_absent=False)
        yield Rule("DBZ-451e", at, are_exchanged, _WRONG)
        yield from (replace(rule, when=all_of(no(are_exchanged), rule.when)) for rule in _value_rules(at))


def event_rules() -> Iterator[Rule]:
    """Every rule of a decoder's answer."""
    yield from ranked("answer", _ANSWERED, *((requirement, all_of(_decoding, when)) for requirement, when in _ANSWERS))
    again: Row = ("DBZ-455", all_of(_decoding, written_for("DBZ-455")))
    yield from ranked("answer", frozenset({Kind.COUNT}), again, ("DBZ-453", all_of(_decoding, apart_from(again))))
    yield from _member_rules()
    yield from _column_rules()
