"""Rules of the keys of row changes and watermarks: which columns, and their schema.  [DBZ-030 … DBZ-036, DBZ-400]"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.conditions import all_of, any_of, apart_from, kind, no, same, shows
from conformance.oracle.debezium.names import name_rules
from conformance.oracle.debezium.places import KEY, given_in
from conformance.oracle.rules import Place, Row, Rule, absent
from conformance.oracle.tree import MISSING, Kind
from reference_impl.keys import handle_key, key_columns

__all__ = ["key_rules"]

_PRESENCE = frozenset({Kind.MISSING, Kind.EXTRA})
_FORM = frozenset({Kind.MISSING, Kind.JSON_KIND})
_LEAF = frozenset({Kind.MISSING, Kind.JSON_KIND, Kind.VALUE})
_EXTRA, _ORDER, _DOUBLED = (frozenset({k}) for k in (Kind.EXTRA, Kind.ORDER, Kind.DOUBLED))
_WRONG = frozenset({Kind.JSON_KIND, Kind.VALUE})

_FIELDS = "key.schema.fields"
_row, _watermark = kind("row"), kind("watermark")

# -- which columns -------------------------------------------------------------------------------------------------


def _has_primary_key(place: Place) -> bool:
    return place.table is not None and bool(place.table.primary_key)


def _has_no_key(place: Place) -> bool:
    return place.table is not None and not handle_key(place.table)


def _is_in_no_key(place: Place) -> bool:
    return place.table is not None and str(place.path[-1]) not in key_columns(place.table)


def _is_over_virtual(place: Place) -> bool:
    """Which unique key is the key depends on whether one over a virtual generated column counts."""
    table = place.table
    return table is not None and handle_key(table) != handle_key(table, virtual_counts=False)


def _is_lost(place: Place) -> bool:
    return place.got is MISSING


_OF_NO_KEY: tuple[Row, ...] = (
    ("DBZ-030", shows(any_of(all_of(_has_primary_key, no(_is_lost)), _is_in_no_key))),
    ("DBZ-034", _has_no_key),
    ("DBZ-032a", all_of(no(_has_primary_key), _is_over_virtual)),
)
_COLUMNS: tuple[Row, ...] = (
    ("DBZ-030f", all_of(_has_primary_key, shows(_is_lost))),
    *_OF_NO_KEY,
    ("DBZ-032", all_of(no(_has_primary_key), apart_from(*_OF_NO_KEY))),
)


def _is_as_in_payload(place: Place) -> bool:
    """What the given payload has, its description has, and no more."""
    payload = given_in(place, "key", "payload")
    return isinstance(payload, dict) and (place.path[-1] in payload) == (place.got is not MISSING)


def _column_rules() -> Iterator[Rule]:
    for requirement, condition in _COLUMNS:
        absence = requirement in ("DBZ-034", "DBZ-032a")
        yield Rule(requirement, KEY, all_of(_row, condition), _PRESENCE, when_absent=absence)
        described = all_of(_row, any_of(same, _is_as_in_payload), condition)
        yield Rule(requirement, f"{_FIELDS}.{{column}}", described, _PRESENCE)
    yield Rule("DBZ-030b", f"{_FIELDS}.{{column}}", all_of(_row, any_of(same, no(_is_as_in_payload))), _PRESENCE)
    yield Rule("DBZ-030b", f"{_FIELDS}.{{column}}", _row, _WRONG)
    for at in ("key.payload", _FIELDS):
        yield Rule("DBZ-033", at, _row, _ORDER)
        yield Rule("DBZ-034", at, all_of(_row, _has_no_key), frozenset())


def _schema_rules() -> Iterator[Rule]:
    yield Rule("DBZ-030f", "key.payload", all_of(_row, _has_primary_key), _FORM)
    yield Rule("DBZ-032", "key.payload", all_of(_row, no(_has_primary_key)), _FORM)
    yield Rule("DBZ-030c", "key.schema.type", _row, _LEAF)
    yield Rule("DBZ-030d", "key.schema.optional", _row, _LEAF)
    yield absent("DBZ-030e", "key.schema.version", _row)
    yield Rule("DBZ-030b", _FIELDS, _row, _FORM)
    yield Rule("DBZ-040b", "key.payload", _row, _DOUBLED)
    yield Rule("DBZ-057b", _FIELDS, _row, _DOUBLED)
    yield Rule("DBZ-050d", "key.schema", _row, _ORDER)
    yield from name_rules("DBZ-031", "key.schema.name", _row)


def _watermark_rules() -> Iterator[Rule]:
    yield Rule("DBZ-400b", "key.payload", _watermark, _FORM)
    yield absent("DBZ-400b", KEY, _watermark)
    yield from name_rules("DBZ-400c", "key.schema.name", _watermark)
    yield Rule("DBZ-400e", "key.schema.type", _watermark, _LEAF)
    yield Rule("DBZ-400f", "key.schema.optional", _watermark, _LEAF)
    yield Rule("DBZ-400d", _FIELDS, _watermark, _FORM)
    yield absent("DBZ-400d", f"{_FIELDS}.{{column}}", _watermark)
    yield Rule("DBZ-040a", "key.schema.version", _watermark, _EXTRA)
    yield Rule("DBZ-050d", "key.schema", _watermark, _ORDER)


def key_rules() -> Iterator[Rule]:
    """Every rule of these keys but those of values and of how a column is described."""
    yield from _column_rules()
    yield from _schema_rules()
    yield from _watermark_rules()
