"""Predicates of the checks on values: which value the answer has, and its spelling."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from conformance.oracle.canal_json.compare import IMAGES, is_another_value, json_spelling, unpadded
from conformance.oracle.canal_json.places import is_rounded
from conformance.oracle.conditions import family, has_zone, is_raw, is_value_expected, is_zone_away, same, truth
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING, Maybe
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.errors import Rejected
from reference_impl.floats import is_number, same_float
from reference_impl.values import from_wire, loosely_same_value

__all__ = ["PREDICATES", "reads_alike"]

_text, _integer, _timestamp = family(*TEXT), family(*INTEGERS), family(Family.TIMESTAMP)

# -- expected and answered values --------------------------------------------------------------------------------


def is_empty_or_null(place: Place) -> bool:
    """NULL is expected; or an empty text is, and the answer has an empty text or NULL."""
    return place.expected is None or (place.expected == "" and place.got in ("", None))


def is_text_null(place: Place) -> bool:
    """The text `null` is expected, and the answer has this text or NULL."""
    return bool(place.expected == "null" and place.got in ("null", None))


def is_bare(place: Place) -> bool:
    """The answer has something that is neither a string nor null."""
    return place.got is not None and not isinstance(place.got, str)


def may_be_null(place: Place) -> bool:
    """A value is expected, and the answer has a value or NULL."""
    return is_value_expected(place) and place.got is not MISSING


def is_readable(place: Place) -> bool:
    """A value is expected, and the answer has one that is not NULL; from an encoder it must be a string."""
    if place.role == "encode":
        return is_value_expected(place) and isinstance(place.got, str)
    return is_value_expected(place) and place.got is not None and place.got is not MISSING


def is_readable_or_null(place: Place) -> bool:
    """A value is expected, and the answer has a value or NULL; from an encoder the value must be a string."""
    return may_be_null(place) if place.role == "decode" else is_value_expected(place) and not is_bare(place)


def is_lost_or_another(place: Place) -> bool:
    """The answer has NULL for a value, or another value of a type that is neither text nor integer."""
    return is_another_value(place) and (place.got is None or not (_text(place) or _integer(place)))


def is_tiny_or_minus_zero(place: Place) -> bool:
    """The number is minus zero, or nearer to zero than a thousandth."""
    text = str(place.expected)
    try:
        return (text.startswith("-0") and Decimal(text) == 0) or 0 < abs(Decimal(text)) < Decimal("0.001")
    except InvalidOperation:
        return False


def is_another_zone(place: Place) -> bool:
    """A TIMESTAMP differs by as much as two zones can, in a case with another time zone than UTC."""
    return _timestamp(place) and has_zone(place) and is_zone_away(place)


def is_wrong(place: Place) -> bool:
    """The answer has NULL for a value, a value for NULL, or another value than the row."""
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
    return isinstance(got, str) and not _is_other_spelling(place, column.type.family)


def reads_alike(place: Place) -> bool:
    """Both texts read as one value of the column."""
    texts = isinstance(place.expected, str) and isinstance(place.got, str)
    return texts and place.column is not None and place.path[1] in (*IMAGES, "before", "after") and not is_wrong(place)


_TEMPORAL = frozenset({Family.DATE, Family.DATETIME, Family.TIMESTAMP, Family.TIME})
_NUMBERS = frozenset({*INTEGERS, Family.DECIMAL, Family.BIT, Family.YEAR, Family.ENUM, Family.SET})


def _is_other_spelling(place: Place, column_family: Family) -> bool:
    """Whether the answered text reads as the expected value."""
    expected, got = str(place.expected), str(place.got)
    if column_family in _NUMBERS:
        return got == truth(place) or _number(got) == _number(expected) is not None
    if column_family in (Family.FLOAT, Family.DOUBLE):
        return same_float(expected, got, 32 if column_family is Family.FLOAT else 64)
    if column_family in BINARY:
        return is_unpadded(place)
    if column_family in (Family.JSON, Family.VECTOR):
        assert place.column is not None
        return loosely_same_value(place.column.type, expected, got)
    return column_family in _TEMPORAL and _without_zeros(got) == _without_zeros(expected)


def _number(text: str) -> Decimal | None:
    return Decimal(text) if is_number(text) else None


def _without_zeros(text: str) -> str:
    """A time with a space between date and time of day, without `Z`, and without zeros at the end of its fraction."""
    whole, point, fraction = text.replace("T", " ").removesuffix("Z").partition(".")
    return f"{whole}.{fraction}".rstrip("0").rstrip(".") if fraction else whole + point


def is_whole_number(place: Place) -> bool:
    """A whole number is expected."""
    try:
        number = Decimal(str(place.expected))
        return number == number.to_integral_value()
    except InvalidOperation:
        return False


def are_images_exchanged(place: Place) -> bool:
    """The answer has each image of the update in the place of the other one."""
    image, other = ("before", "after") if place.path[0] == "event" else ("data", "old")
    expected, got = place.expected_tree[str(place.path[0])], place.got_tree[str(place.path[0])]
    if expected[image] == expected[other]:
        return False
    return _is_image(expected[image], got.get(other)) and _is_image(expected[other], got.get(image))


def _is_image(expected: object, got: object) -> bool:
    """Whether an image of the answer is the expected one, which may have optional columns."""
    if not (isinstance(expected, dict) and isinstance(got, dict)):
        return bool(expected == got)
    required = {name for name, value in expected.items() if not isinstance(value, Maybe)}
    values = {name: value.value if isinstance(value, Maybe) else value for name, value in expected.items()}
    return required <= got.keys() and all(name in values and values[name] == got[name] for name in got)


def is_unpadded(place: Place) -> bool:
    """The bytes differ only in the zeros at their end."""
    if place.role == "decode":
        return unpadded(place.expected) == unpadded(place.got) is not None
    return str(place.got).rstrip("\0") == str(place.expected).rstrip("\0")


def names_bytes(place: Place) -> bool:
    """A label of the ENUM or SET contains the word `blob` or `binary`, which also names types."""
    members = " ".join(place.column.type.members) if place.column is not None else ""
    return "blob" in members or "binary" in members


# -- how JSON is spelled -----------------------------------------------------------------------------------------


def _is_spelled(place: Place, difference: str) -> bool:
    if not isinstance(place.got, str) or not isinstance(place.expected, str):
        return False
    try:
        return json_spelling(place.expected, place.got) == difference
    except (ValueError, RecursionError):
        return False


def has_other_space(place: Place) -> bool:
    """The two JSON texts differ only in white space."""
    return _is_spelled(place, "space")


def has_other_order(place: Place) -> bool:
    """The two JSON texts differ only in the order of members."""
    return _is_spelled(place, "order")


def has_other_strings(place: Place) -> bool:
    """The two JSON texts differ only in the spelling of strings."""
    return _is_spelled(place, "string")


def has_other_numbers(place: Place) -> bool:
    """The two JSON texts differ only in the spelling of numbers."""
    return _is_spelled(place, "number")


PREDICATES: tuple[Condition, ...] = (
    *(are_images_exchanged, has_other_numbers, has_other_order, has_other_space, has_other_strings),
    *(is_another_zone, is_bare, is_empty_or_null, is_lost_or_another, is_raw, is_readable, is_readable_or_null),
    *(is_rounded, is_text_null, is_tiny_or_minus_zero, is_unpadded, is_whole_number, is_wrong),
    *(is_zone_away, has_zone),
    *(may_be_null, names_bytes),
)
