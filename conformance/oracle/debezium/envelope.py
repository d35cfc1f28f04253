"""Rules of the payload of rows and watermarks: its members, `source`, and which images and columns there are.

[DBZ-013, DBZ-014, DBZ-040 … DBZ-046, DBZ-401, DBZ-421 … DBZ-423]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from conformance.oracle.conditions import (
    all_of,
    any_of,
    apart_from,
    event_op,
    generated,
    kind,
    no,
    op,
    option,
    same,
    shows,
)
from conformance.oracle.debezium.columns import same_order
from conformance.oracle.debezium.places import IMAGES, given_in
from conformance.oracle.rules import Condition, Place, Row, Rule, absent, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import BINARY, Family
from reference_impl.exact_json import Object
from reference_impl.model import Column, RowChange
from reference_impl.names import sanitized
from reference_impl.values import same_value

__all__ = ["envelope_rules"]

_ALL = frozenset({Kind.MISSING, Kind.EXTRA, Kind.JSON_KIND, Kind.VALUE})
_FORM = frozenset({Kind.MISSING, Kind.JSON_KIND})
_LEAF = frozenset({Kind.MISSING, Kind.JSON_KIND, Kind.VALUE})
_WRONG = frozenset({Kind.JSON_KIND, Kind.VALUE})
_GONE, _EXTRA, _ORDER, _DOUBLED, _TEXT = (
    frozenset({k}) for k in (Kind.MISSING, Kind.EXTRA, Kind.ORDER, Kind.DOUBLED, Kind.TEXT)
)

_row, _watermark, _ddl = kind("row"), kind("watermark"), kind("ddl")
_envelope = any_of(_row, _watermark)
_old_value, _include_start = option("debezium_output_old_value"), option("debezium_include_start_ts")

# -- source --------------------------------------------------------------------------------------------------------

# What the members of `source` are, for messages of every kind.
_SOURCE: Mapping[str, str] = {
    "version": "DBZ-041a",
    "connector": "DBZ-041b",
    "name": "DBZ-041c",
    "ts_ms": "DBZ-041d",
    "snapshot": "DBZ-041e",
    "server_id": "DBZ-041h",
    "gtid": "DBZ-041i",
    "file": "DBZ-041j",
    "pos": "DBZ-041k",
    "row": "DBZ-041l",
    "thread": "DBZ-041m",
    "query": "DBZ-041n",
    "cluster_id": "DBZ-041p",
}


def _is_changed_by_names(place: Place) -> bool:
    cluster = place.case.settings.cluster_id
    return sanitized(cluster) != cluster


def _is_sanitized(place: Place) -> bool:
    return place.got in (place.expected, sanitized(place.case.settings.cluster_id))


def _source_rules() -> Iterator[Rule]:
    at = "value.payload.source"
    yield Rule("DBZ-041", at, kinds=_FORM)
    yield Rule("DBZ-040b", at, kinds=_DOUBLED)
    yield Rule("DBZ-040a", f"{at}.*", kinds=_EXTRA)
    for name in ("name", "cluster_id"):
        yield Rule("DBZ-018", f"{at}.{name}", all_of(_is_changed_by_names, _is_sanitized), _WRONG)
    for name, requirement in _SOURCE.items():
        yield Rule(requirement, f"{at}.{name}", kinds=_WRONG)
    for name in (*_SOURCE, "db", "table", "commit_ts"):
        yield Rule("DBZ-041", f"{at}.{name}", kinds=_GONE)
    for name, of_row, of_watermark in (("db", "DBZ-041f", "DBZ-401a"), ("table", "DBZ-041g", "DBZ-401d")):
        yield Rule(of_row, f"{at}.{name}", _row, _WRONG)
        yield Rule(of_watermark, f"{at}.{name}", _watermark, _WRONG)
    yield Rule("DBZ-041o", f"{at}.commit_ts", no(_watermark), _WRONG)
    yield Rule("DBZ-401c", f"{at}.commit_ts", _watermark, _WRONG)
    yield absent("DBZ-041q", f"{at}.sequence")
    start = f"{at}.start_ts"
    yield Rule("DBZ-014", start, all_of(_row, _include_start), _LEAF)
    yield absent("DBZ-014a", start, all_of(no(_row), _include_start))
    yield absent("DBZ-014b", start, no(_include_start))


# -- members -------------------------------------------------------------------------------------------------------


def _is_image_order(place: Place) -> bool:
    """Only the images of a delete stand in another order."""
    if not (isinstance(place.expected, dict) and isinstance(place.got, dict)):
        return False
    common = [name for name in place.expected if name in place.got]
    given = [name for name in place.got if name in place.expected]
    orders = ([name for name in order if name not in ("before", "after")] for order in (common, given))
    return next(orders) == next(orders)


def _member_rules() -> Iterator[Rule]:
    at = "value.payload"
    yield Rule("DBZ-040", at, kinds=_FORM)
    yield Rule("DBZ-040b", at, kinds=_DOUBLED)
    yield Rule("DBZ-043d", at, all_of(op("delete"), any_of(same_order, _is_image_order)), _ORDER)
    yield Rule("DBZ-042c", at, all_of(_envelope, any_of(same_order, no(all_of(op("delete"), _is_image_order)))), _ORDER)
    yield Rule("DBZ-040a", f"{at}.*", kinds=_EXTRA)
    yield Rule("DBZ-042", f"{at}.ts_ms", kinds=_LEAF)
    yield Rule("DBZ-042a", f"{at}.transaction", _envelope, _LEAF)
    yield Rule("DBZ-042b", f"{at}.op", _row, _LEAF)
    yield Rule("DBZ-401", f"{at}.op", _watermark, _LEAF)
    yield absent("DBZ-304a", f"{at}.op", _ddl)
    for image in ("before", "after"):
        yield absent("DBZ-401b", f"{at}.{image}", _watermark)


# -- images --------------------------------------------------------------------------------------------------------


def _is_doubled_default(place: Place) -> bool:
    """A binary column that is NULL and has a default stands in the image twice."""
    if not isinstance(place.got, Object) or place.table is None:
        return False
    columns = [place.table.column(name) for name in place.got.doubled]
    return bool(columns) and all(column is not None and _is_binary_default(place, column) for column in columns)


def _is_binary_default(place: Place, column: Column) -> bool:
    event = place.event
    assert isinstance(event, RowChange)
    row = event.before if place.path[-1] == "before" else event.after
    return column.type.family in BINARY and column.default is not None and (row or {}).get(column.name) is None


def _image_rules() -> Iterator[Rule]:
    for at, name in zip(IMAGES, ("before", "after"), strict=True):
        image = at.removesuffix(".{column}")
        yield Rule("DBZ-040b", image, all_of(_row, no(_is_doubled_default)), _DOUBLED)
        yield Rule("DBZ-162e", image, all_of(_row, _is_doubled_default), _DOUBLED)
        yield Rule("DBZ-045b", image, _row, _ORDER)
        if name == "before":
            yield Rule("DBZ-043", image, op("insert"), _ALL)
            yield Rule("DBZ-043b", image, all_of(op("delete", "update"), _old_value), _FORM)
            yield Rule("DBZ-013a", image, all_of(op("delete"), no(_old_value)), _FORM)
            yield absent("DBZ-013", image, all_of(op("update"), no(_old_value)))
        else:
            yield Rule("DBZ-043a", image, op("delete"), _ALL)
            yield Rule("DBZ-043c", image, op("insert", "update"), _FORM)


def _is_unchanged(place: Place) -> bool:
    """The update does not change the place's column."""
    event, column = place.event, place.column
    if not isinstance(event, RowChange) or column is None or event_op(place) != "update":
        return False
    before, after = event.before or {}, event.after or {}
    return same_value(column.type, before.get(column.name), after.get(column.name))


def _is_of_changed_alone(place: Place) -> bool:
    """The given image has no column that the update leaves as it is."""
    given = given_in(place, "value", "payload", str(place.path[2]))
    if not isinstance(given, dict) or place.table is None:
        return False
    columns = (place.table.column(name) for name in given)
    return not any(column is not None and _is_unchanged(place._replace(column=column)) for column in columns)


def _column_rules() -> Iterator[Rule]:
    column: Condition = lambda place: place.expected is not MISSING  # noqa: E731
    for at in IMAGES:
        yield Rule("DBZ-045", at, all_of(_row, generated("stored")), _GONE)
        yield Rule("DBZ-046", at, all_of(_is_unchanged, any_of(same, _is_of_changed_alone)), _GONE)
        yield Rule("DBZ-045a", at, all_of(_row, column), _GONE)
        yield absent("DBZ-045", at, all_of(_row, generated("virtual")))
        yield Rule("DBZ-040a", at, all_of(_row, no(generated("virtual"))), _EXTRA)


# -- text ----------------------------------------------------------------------------------------------------------

_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE, Family.DECIMAL})
_FRACTION = re.compile(r"[.eE]|-0(?![0-9])")  # an integer has no negative zero


def _is_of_float(place: Place) -> bool:
    """The number is one of a float column, as far as its text shows."""
    has_floats = place.table is not None and any(c.type.family in _FLOATS for c in place.table.columns)
    return _FRACTION.search(str(place.expected)) is not None or (
        has_floats and _FRACTION.search(str(place.got)) is not None
    )


_EXPONENT_OF_TWO_DIGITS = re.compile(r"(?<=[0-9])e([-+])0(?=[0-9](?![0-9]))")


def _has_two_digits(place: Place) -> bool:
    """The expected number has an exponent whose first digit is a zero."""
    return _EXPONENT_OF_TWO_DIGITS.search(str(place.expected)) is not None


def _lacks_a_digit(place: Place) -> bool:
    """Without that zero the given number is the expected one."""
    short = (_EXPONENT_OF_TWO_DIGITS.sub(r"e\1", str(text)) for text in (place.expected, place.got))
    return len(set(short)) == 1


def _text_rules() -> Iterator[Rule]:
    for part in ("key", "value"):
        yield Rule("DBZ-420", f"text.{part}.space", kinds=_TEXT)
        yield Rule("DBZ-421", f"text.{part}.string", kinds=_TEXT)
        digits: Row = ("DBZ-423a", all_of(_has_two_digits, shows(_lacks_a_digit)))
        floats: Row = ("DBZ-423", all_of(_is_of_float, apart_from(digits)))
        yield from ranked(f"text.{part}.other", _TEXT, digits, floats, ("DBZ-422", apart_from(digits, floats)))


def envelope_rules() -> Iterator[Rule]:
    """Every rule of payloads but those of values, keys and DDL messages."""
    yield from _source_rules()
    yield from _member_rules()
    yield from _image_rules()
    yield from _column_rules()
    yield from _text_rules()
