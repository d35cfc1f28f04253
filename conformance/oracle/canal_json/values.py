"""Rules of value texts, before images and JSON text.  [CJ-034, CJ-380 … CJ-413, CJ-501 … CJ-508, CJ-701 … CJ-711]"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation

from conformance.oracle.canal_json.compare import IMAGES, is_another_value, json_spelling, unpadded
from conformance.oracle.canal_json.places import (
    DATA,
    OLD,
    changed_only,
    has_value,
    is_changed,
    is_integer_unsigned,
    is_known_by_another_case,
    limit,
    reduced_as,
    rounded,
    truth,
)
from conformance.oracle.canal_json.predicates import is_nothing_changed
from conformance.oracle.canal_json.types import BLOBS, CHARACTERS, REDUCTIONS, TEXTS
from conformance.oracle.conditions import all_of, any_of, family, generated, kind, no, op, option, same, shows
from conformance.oracle.rules import Condition, Place, Row, Rule, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.errors import Rejected
from reference_impl.floats import is_number, same_float
from reference_impl.model import RawText
from reference_impl.values import from_wire, loosely_same_value

__all__ = ["reads_alike", "text_rules", "value_rows", "value_rules"]

_LEAF = frozenset({Kind.VALUE, Kind.JSON_KIND, Kind.TEXT})
_PRESENCE = frozenset({Kind.MISSING, Kind.EXTRA})
_TEXT = frozenset({Kind.TEXT})

_text, _json, _integer = family(*TEXT), family(Family.JSON), family(*INTEGERS)
_float, _double = family(Family.FLOAT), family(Family.DOUBLE)
_floats = family(Family.FLOAT, Family.DOUBLE)

# -- values ------------------------------------------------------------------------------------------------------


def _is_empty_or_null(place: Place) -> bool:
    return place.expected is None or (place.expected == "" and place.got in ("", None))


def _reads_null(place: Place) -> bool:
    return bool(place.expected == "null" and place.got in ("null", None))


def _is_bare(place: Place) -> bool:
    """Something that is neither a string nor null."""
    return place.got is not None and not isinstance(place.got, str)


def _is_lost_or_another(place: Place) -> bool:
    """The value is lost, or it is another one and the family has no rule as strong as the one for this."""
    return is_another_value(place) and (place.got is None or not (_text(place) or _integer(place)))


def _is_tiny_or_minus_zero(place: Place) -> bool:
    text = str(place.expected)
    try:
        return (text.startswith("-0") and Decimal(text) == 0) or 0 < abs(Decimal(text)) < Decimal("0.001")
    except InvalidOperation:
        return False


_ZONES_APART, _FARTHEST_ZONES = timedelta(minutes=15), timedelta(hours=26)


def _in_zone(place: Place) -> bool:
    return place.case.settings.timezone != "UTC"


def _is_zone_away(place: Place) -> bool:
    """The two differ by what zones can differ by."""
    try:
        expected, got = (datetime.fromisoformat(str(text)) for text in (place.expected, place.got))
        return timedelta() < abs(got - expected) <= _FARTHEST_ZONES and (got - expected) % _ZONES_APART == timedelta()
    except (TypeError, ValueError):
        return False


def is_wrong(place: Place) -> bool:
    """NULL for a value or a value for NULL, or another value than the row has: whatever rule else speaks of it."""
    expected, got, column = place.expected, place.got, place.column
    if expected is MISSING or got is MISSING or column is None or same(place):
        return False
    if expected is None or got is None:
        return True
    if place.role == "decode" and not isinstance(got, str):
        try:
            return not loosely_same_value(column.type, from_wire(column.type, expected), from_wire(column.type, got))
        except Rejected:
            return False
    return isinstance(got, str) and not _in_other_words(place, column.type.family)


def reads_alike(place: Place) -> bool:
    """Both texts read as one value of the column."""
    texts = isinstance(place.expected, str) and isinstance(place.got, str)
    return texts and place.column is not None and place.path[1] in (*IMAGES, "before", "after") and not is_wrong(place)


_TEMPORAL = frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME})
_NUMBERS = frozenset({*INTEGERS, Family.DECIMAL, Family.BIT, Family.YEAR, Family.ENUM, Family.SET})


def _in_other_words(place: Place, kind_of_column: Family) -> bool:
    """What was given is the right value, only not written as it is to be: a text that does not read as it is wrong."""
    expected, got = str(place.expected), str(place.got)
    if kind_of_column in _NUMBERS:
        return got == truth(place) or _number(got) == _number(expected) is not None
    if kind_of_column in (Family.FLOAT, Family.DOUBLE):
        return same_float(expected, got, 32 if kind_of_column is Family.FLOAT else 64)
    if kind_of_column in BINARY:
        return _is_unpadded(place)
    if kind_of_column in (Family.JSON, Family.VECTOR):
        assert place.column is not None
        return loosely_same_value(place.column.type, expected, got)
    return kind_of_column in _TEMPORAL and _without_zeros(got) == _without_zeros(expected)


def _number(text: str) -> Decimal | None:
    return Decimal(text) if is_number(text) else None


def _without_zeros(text: str) -> str:
    whole, point, fraction = text.replace("T", " ").removesuffix("Z").partition(".")
    return f"{whole}.{fraction}".rstrip("0").rstrip(".") if fraction else whole + point


def _is_whole(place: Place) -> bool:
    try:
        number = Decimal(str(place.expected))
        return number == number.to_integral_value()
    except InvalidOperation:
        return False


def _are_exchanged(place: Place) -> bool:
    """The two images of an update stand in each other's place."""
    image, other = ("before", "after") if place.path[0] == "event" else ("data", "old")
    expected, given = place.tree[str(place.path[0])], place.given[str(place.path[0])]
    if expected[image] == expected[other]:
        return False
    return bool(expected[image] == given.get(other) and expected[other] == given.get(image))


def _is_unpadded(place: Place) -> bool:
    if place.role == "decode":
        return unpadded(place.expected) == unpadded(place.got) is not None
    return str(place.got).rstrip("\0") == str(place.expected).rstrip("\0")


def _is_boolean(place: Place) -> bool:
    return place.column is not None and place.column.type.text.lower() in ("bool", "boolean", "tinyint(1)")


def _is_beyond_signed(place: Place) -> bool:
    value = truth(place)
    assert place.column is not None
    return is_integer_unsigned(place) and isinstance(value, str) and int(value) > limit(place.column.type)


def _names_bytes(place: Place) -> bool:
    """The full type text of an ENUM or SET has a word for a binary type among its members."""
    members = " ".join(place.column.type.members) if place.column is not None else ""
    return "blob" in members or "binary" in members


def _is_raw(place: Place) -> bool:
    return isinstance(truth(place), RawText)


def _spelled(*differences: str) -> Condition:
    def condition(place: Place) -> bool:
        if not isinstance(place.got, str) or not isinstance(place.expected, str):
            return False
        try:
            return json_spelling(place.expected, place.got) in differences
        except ValueError:
            return False

    return condition


_shifted = all_of(family(Family.TIMESTAMP), _in_zone, _is_zone_away)  # the document is silent on zones
_right = shows(no(_is_lost_or_another))  # the value itself: what differs is how it is written
_respelled = all_of(_right, _spelled("space", "order", "string", "number"))
_exact = family(*INTEGERS, Family.DECIMAL, Family.BIT)


def _is_there(place: Place) -> bool:
    """Both sides have something that is not null."""
    return has_value(place) and place.got is not None and place.got is not MISSING


def _is_text(place: Place) -> bool:
    """Both sides have a string."""
    return has_value(place) and isinstance(place.got, str)


def _may_be_null(place: Place) -> bool:
    return has_value(place) and place.got is not MISSING


def value_rows(*, decoding: bool) -> tuple[Row, ...]:
    """The rules of the value of a column that is there on both sides."""
    written = _is_there if decoding else _is_text
    named = all_of(family(Family.ENUM, Family.SET), option("content_compatible"), _names_bytes)
    read = (
        ("CJ-883", all_of(_may_be_null, _integer, _is_beyond_signed)),
        ("CJ-885", all_of(_may_be_null, _exact, shows(rounded))),
        ("CJ-884", all_of(_may_be_null, named)),
    )
    spelled = (
        ("CJ-410", all_of(written, _json, _right, shows(_spelled("space")))),
        ("CJ-411", all_of(written, _json, _right, shows(_spelled("order")))),
        ("CJ-412", all_of(written, _json, _right, shows(_spelled("string")))),
        ("CJ-413", all_of(written, _json, _right, shows(_spelled("number")))),
    )
    own = any_of(_is_boolean, all_of(_integer, _is_beyond_signed)) if decoding else _is_boolean
    of_values: tuple[Row, ...] = (
        ("CJ-034a", _is_empty_or_null),
        ("CJ-035", _reads_null),
        *(read if decoding else (("CJ-034", all_of(has_value, shows(_is_bare))),)),
        ("CJ-386", all_of(_may_be_null if decoding else no(_is_bare), _floats, has_value, _is_tiny_or_minus_zero)),
        ("CJ-111", all_of(written, family(Family.TIMESTAMP), _in_zone, shows(_is_zone_away))),
        ("CJ-034b", all_of(_may_be_null, shows(all_of(_is_lost_or_another, no(_shifted))))),
        ("CJ-382", all_of(written, _is_boolean)),
        ("CJ-381", all_of(written, is_integer_unsigned, shows(no(own)))),
        ("CJ-380", all_of(written, _integer, shows(no(any_of(is_integer_unsigned, own))))),
        ("CJ-385", all_of(written, _floats, _is_whole, _right)),
        ("CJ-383", all_of(written, _float)),
        ("CJ-384", all_of(written, _double)),
        ("CJ-388", all_of(written, family(Family.DECIMAL), _right)),
        ("CJ-389", all_of(written, family(Family.BIT))),
        ("CJ-390", all_of(written, family(Family.ENUM))),
        ("CJ-391", all_of(written, family(Family.SET))),
        ("CJ-392", all_of(written, family(Family.DATE), _right)),
        ("CJ-393", all_of(written, family(Family.DATETIME), _right)),
        ("CJ-394", all_of(written, family(Family.TIMESTAMP), _right)),
        ("CJ-395", all_of(written, family(Family.TIME), _right)),
        ("CJ-396", all_of(written, family(Family.YEAR), _right)),
        ("CJ-402", all_of(written, _text, _is_raw)),
        ("CJ-397", all_of(written, _text)),
        ("CJ-399", all_of(written, family(Family.BINARY), shows(_is_unpadded))),
        ("CJ-398", all_of(written, family(*BINARY), _right, shows(no(all_of(family(Family.BINARY), _is_unpadded))))),
        *(() if decoding else spelled),
        ("CJ-400", all_of(written, _json) if decoding else all_of(written, _json, shows(no(_respelled)))),
        ("CJ-401", all_of(written, family(Family.VECTOR))),
        ("CJ-034b", all_of(is_wrong, no(_shifted))),
    )
    in_place = shows(no(all_of(op("update"), _are_exchanged)))
    exchanged = ("CJ-034b", all_of(op("update"), shows(_are_exchanged)))
    return (exchanged, *((requirement, all_of(when, in_place)) for requirement, when in of_values))


# -- before images -----------------------------------------------------------------------------------------------


def _is_whole_text(place: Place) -> bool:
    return family(*CHARACTERS, *TEXTS, *BLOBS)(place) and not is_changed(place)


def _too_much(place: Place) -> bool:
    return place.expected is MISSING


def _old_presence() -> Iterator[Rule]:
    update, reduced = op("update"), ("CJ-132", *REDUCTIONS)
    partial = all_of(update, changed_only)
    there: Condition = lambda place: place.expected is not MISSING  # noqa: E731
    # Of these, the document says only what should be.
    advised = any_of(*map(reduced_as, reduced), generated("virtual"), all_of(partial, is_changed), _is_of_null)
    steps: list[Row] = [
        ("CJ-037", shows(is_known_by_another_case)),
        *((requirement, reduced_as(requirement)) for requirement in reduced),
        ("CJ-030", generated("virtual")),
        ("CJ-505", all_of(partial, is_nothing_changed, shows(_too_much))),
        ("CJ-102", all_of(partial, option("only_output_updated_columns"), no(is_changed), shows(_too_much))),
        ("CJ-103", all_of(partial, no(option("only_output_updated_columns")), no(is_changed), shows(_too_much))),
        ("CJ-504", all_of(partial, is_changed)),
        ("CJ-034a", _is_of_null),
        ("CJ-507", all_of(update, _is_whole_text, there, shows(no(advised)))),
        ("CJ-501", all_of(update, there, shows(no(advised)))),
        ("CJ-502b", all_of(op("delete"), shows(no(advised)))),
    ]
    absences = {*reduced, "CJ-030", "CJ-505", "CJ-102", "CJ-103"}
    for requirement, condition in steps:
        yield Rule(requirement, OLD, condition, _PRESENCE, when_absent=requirement in absences)


def _is_of_null(place: Place) -> bool:
    return place.expected is None


def value_rules() -> Iterator[Rule]:
    """Every rule of what stands in `data` and `old`."""
    for at in (DATA, OLD):
        yield from ranked(at, _LEAF, *value_rows(decoding=False))
    yield from _old_presence()


# -- JSON text ---------------------------------------------------------------------------------------------------

_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)

# Characters by the requirement that says how they are written, as the expected text writes them.
_CLASSES: Mapping[str, re.Pattern[str]] = {
    "CJ-701": re.compile(r'\\["\\]'),
    "CJ-702": re.compile(r"\\u00(?:3[cCeE]|26)"),
    "CJ-703": re.compile(r"\\[tnr]"),
    "CJ-704": re.compile(r"\\u00[01][0-9a-f]"),
    "CJ-705": re.compile(r"\\u202[89]"),
    "CJ-708": re.compile(r"\\ufffd"),
    "CJ-707": re.compile(r"[/']"),
    "CJ-706": re.compile(r"[^\\/']"),
}


def _first_difference(expected: str, got: str) -> str:
    """The unit of the expected literal where the two part."""
    for want, have in zip(_UNIT.findall(expected), _UNIT.findall(got), strict=False):
        if want != have:
            return str(want)
    return ""


def _escapes(requirement: str) -> Condition:
    pattern = _CLASSES[requirement]

    def condition(place: Place) -> bool:
        if same(place):
            return pattern.search(place.expected[1:-1]) is not None
        unit = _first_difference(place.expected, place.got)
        return next((r for r, p in _CLASSES.items() if p.fullmatch(unit)), "") == requirement

    return condition


def _is_name(place: Place) -> bool:
    """The literal is the name of a column that needs an escape or is more than ASCII."""
    if place.table is None or (place.expected[1:-1].isidentifier() and place.expected.isascii()):
        return False
    return any(place.expected == f'"{name}"' for name in _names(place)) or _unescaped(place) in _names(place)


def _names(place: Place) -> frozenset[str]:
    assert place.table is not None
    return frozenset(column.name for column in place.table.columns)


def _unescaped(place: Place) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), place.expected[1:-1]).replace('\\"', '"')


def text_rules() -> Iterator[Rule]:
    """Every rule of white space, escapes and numbers in the text of a message."""
    yield Rule("CJ-012", "text.value.space", kinds=_TEXT)
    named = (("CJ-710", no(kind("row"))), ("CJ-709", _is_name))
    yield from ranked("text.value.string", _TEXT, *named, *((id_, _escapes(id_)) for id_ in _CLASSES))
    yield Rule("CJ-711", "text.value.other", kinds=_TEXT)
