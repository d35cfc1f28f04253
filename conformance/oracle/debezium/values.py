"""Rules of column values: in the images of a row and in its key.  [DBZ-030a, DBZ-100a … DBZ-139b, DBZ-160 … DBZ-163]

A wrong value breaks the rule that says what values of its type are. What the document is silent about has rules of its
own; where only they speak, a value that is no form of the right one breaks the rule of the image, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

from conformance.oracle.conditions import all_of, any_of, family, no, op, same
from conformance.oracle.debezium.compare import bytes_of, is_canonical
from conformance.oracle.debezium.known_values import calendar_day, instant, is_wrapped
from conformance.oracle.debezium.null_forms import is_form_of_default
from conformance.oracle.debezium.places import (
    IMAGES,
    KEY,
    column_of,
    expected_in,
    has_default,
    has_value,
    is_boolean,
    is_in_payload,
    is_lost,
    is_other_image,
    is_unsigned_integer,
    same_in_value,
    truth,
    type_of,
)
from conformance.oracle.rules import Condition, Place, Rule, always
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.floats import same_float
from reference_impl.model import Index, RawText

__all__ = ["value_rules"]

_WRONG = frozenset({Kind.VALUE, Kind.JSON_KIND})
_TEXT = frozenset({Kind.TEXT})

_DATES = family(Family.DATE, Family.DATETIME)
_BINARIES, _TEXTS = family(*BINARY), family(*TEXT)
_FLOATS = family(Family.FLOAT, Family.DOUBLE, Family.DECIMAL)

# -- conditions -----------------------------------------------------------------------------------------------------


def _is_bit(*, one: bool) -> Condition:
    return all_of(family(Family.BIT), lambda place: (type_of(place).bits == 1) == one)


def _is_micro(place: Place) -> bool:
    return type_of(place).fsp > 3


def _is_invalid_label(place: Place) -> bool:
    value = truth(place)
    return isinstance(value, Index) and not 0 < value.number <= len(type_of(place).members)


def _is_raw(place: Place) -> bool:
    return isinstance(truth(place), RawText)


def _is_wrapped(place: Place) -> bool:
    return is_wrapped(type_of(place), truth(place))


def _is_in_no_calendar(place: Place) -> bool:
    return calendar_day(str(truth(place))) is None


def _is_of_short_year(place: Place) -> bool:
    return not _is_in_no_calendar(place) and int(str(truth(place))[:4]) < 100


def _is_zero_timestamp(place: Place) -> bool:
    return instant(str(truth(place)), place.case.settings) is None


def _has_escaped_label(place: Place) -> bool:
    return isinstance(place.expected, str) and _escaped(place.expected) != place.expected


def _escaped(label: str) -> str:
    """As the parameter `allowed` has it.  [DBZ-131]"""
    return label.replace(",", "\\,").replace("\\'", "'").replace("''", "'")


def _is_decided_by_charset(place: Place) -> bool:
    """A text of a binary collation, or of the charset binary."""
    column = column_of(place)
    word = column.type.text.lower()
    by_collation = column.type.family in TEXT and (column.collation or "").endswith("_bin")
    return by_collation or (column.type.family in BINARY and ("char" in word or "text" in word))


# -- what was given ------------------------------------------------------------------------------------------------


def _is_taken_for_the_other(place: Place) -> bool:
    """A text in base64, or bytes as a text."""
    if not (isinstance(place.expected, str) and isinstance(place.got, str)):
        return False
    text, coded = (place.expected, place.got) if _TEXTS(place) else (place.got, place.expected)
    return bytes_of(coded) == text.encode("utf-8", "surrogatepass") and coded != text


def _is_boolean_given(place: Place) -> bool:
    return isinstance(place.got, bool)


def _is_unwrapped(place: Place) -> bool:
    return bool(str(place.got) == truth(place))


def _is_of_the_year_as_it_is(place: Place) -> bool:
    """The count of a day whose year was not moved."""
    text, got = str(truth(place)), place.got
    try:
        day = date.fromisoformat(text[:10]).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return False
    per_day = {Family.DATE: 1}.get(type_of(place).family, 86_400_000_000 if _is_micro(place) else 86_400_000)
    return isinstance(got, int) and got // per_day == day


def _is_none_or_zero(place: Place) -> bool:
    return place.got is None or (place.got == 0 and not isinstance(place.got, bool))


def _is_no_label(place: Place) -> bool:
    return place.got not in type_of(place).members


def _is_instead_of_zero(place: Place) -> bool:
    return place.got is None or str(place.got).startswith(("0000-00-00", "1970-01-01T00:00:00"))


def _is_same_float32(place: Place) -> bool:
    return same_float(str(place.expected), str(place.got), 32)


def _is_another_length(place: Place) -> bool:
    return is_canonical(str(place.got)) and bytes_of(str(place.got)) != bytes_of(str(place.expected))


def _is_no_standard_base64(place: Place) -> bool:
    return not is_canonical(str(place.got))


# -- types ---------------------------------------------------------------------------------------------------------

# What is right in the eyes of a rule that the document is silent about, and no form of a wrong value: requirement,
# condition, sign. The value of its type is then not held to be wrong.
_OTHER_FORMS: tuple[tuple[str, Condition, Condition], ...] = (
    ("DBZ-104c", all_of(family(Family.ENUM), _is_invalid_label), _is_no_label),
    ("DBZ-119b", all_of(family(Family.BIGINT), _is_wrapped), _is_unwrapped),
    ("DBZ-134", all_of(_DATES, _is_of_short_year), _is_of_the_year_as_it_is),
    ("DBZ-135", all_of(_DATES, _is_in_no_calendar), _is_none_or_zero),
    ("DBZ-136", all_of(family(Family.TIMESTAMP), _is_zero_timestamp), _is_instead_of_zero),
)

# What the document says a value of a type is.
_OF_TYPE: tuple[tuple[str, Condition], ...] = (
    ("DBZ-100a", _is_bit(one=True)),
    ("DBZ-101a", _is_bit(one=False)),
    ("DBZ-102a", all_of(_TEXTS)),
    ("DBZ-103a", _BINARIES),
    ("DBZ-104a", all_of(family(Family.ENUM), no(_is_invalid_label))),
    ("DBZ-105a", family(Family.SET)),
    ("DBZ-106a", all_of(family(Family.DATE), no(_is_in_no_calendar))),
    ("DBZ-107a", all_of(family(Family.DATETIME), no(_is_in_no_calendar), no(_is_micro))),
    ("DBZ-108a", all_of(family(Family.DATETIME), no(_is_in_no_calendar), _is_micro)),
    ("DBZ-109a", all_of(family(Family.TIMESTAMP), no(_is_zero_timestamp))),
    ("DBZ-110a", family(Family.TIME)),
    ("DBZ-111a", family(Family.JSON)),
    ("DBZ-112b", all_of(is_boolean, any_of(same, _is_boolean_given))),
    ("DBZ-112a", all_of(family(Family.TINYINT), no(all_of(is_boolean, _is_boolean_given)))),
    ("DBZ-113a", all_of(family(Family.SMALLINT), no(is_unsigned_integer()))),
    ("DBZ-114a", is_unsigned_integer(Family.SMALLINT)),
    ("DBZ-115a", family(Family.MEDIUMINT)),
    ("DBZ-116a", all_of(family(Family.INT), no(is_unsigned_integer()))),
    ("DBZ-117a", is_unsigned_integer(Family.INT)),
    ("DBZ-118a", all_of(family(Family.BIGINT), no(is_unsigned_integer()))),
    ("DBZ-119a", all_of(is_unsigned_integer(Family.BIGINT), no(_is_wrapped))),
    ("DBZ-120b", all_of(family(Family.FLOAT), any_of(same, _is_same_float32))),
    ("DBZ-120a", all_of(family(Family.FLOAT), any_of(same, no(_is_same_float32)))),
    ("DBZ-122a", family(Family.DOUBLE)),
    ("DBZ-123a", family(Family.DECIMAL)),
    ("DBZ-124a", family(Family.YEAR)),
)

# What recorded producers agree on beside it, with the sign of a difference.
_AGREED: tuple[tuple[str, Condition, Condition], ...] = (
    *((requirement, condition, always) for requirement, condition, _ in _OTHER_FORMS),
    ("DBZ-125a", family(Family.VECTOR), always),
)

# A wrong value whose cause shows in it.
_CAUSES: tuple[tuple[str, Condition, Condition], ...] = (
    ("DBZ-130", all_of(family(*TEXT, *BINARY), _is_decided_by_charset), _is_taken_for_the_other),
    ("DBZ-132", all_of(family(Family.ENUM), _has_escaped_label), lambda place: place.got == _escaped(place.expected)),
)

# The value is right and only its text is another.
_SPELLINGS: tuple[tuple[str, Condition, Condition], ...] = (
    ("DBZ-101b", _is_bit(one=False), _is_another_length),
    ("DBZ-103b", family(Family.BINARY), _is_another_length),
    ("DBZ-424", all_of(family(Family.BIT, *BINARY), no(_is_bit(one=True))), _is_no_standard_base64),
    ("DBZ-109b", all_of(family(Family.TIMESTAMP), no(_is_zero_timestamp)), always),
    ("DBZ-136", all_of(family(Family.TIMESTAMP), _is_zero_timestamp), always),
    ("DBZ-125a", family(Family.VECTOR), always),
    ("DBZ-139b", family(Family.JSON), always),
    ("DBZ-423", _FLOATS, always),
    ("DBZ-130a", all_of(_TEXTS, _is_raw), always),
)

_IN_ANOTHER_FORM = any_of(*(all_of(condition, sign) for _, condition, sign in _OTHER_FORMS))
_HAS_RULE = any_of(*(condition for _, condition in _OF_TYPE))


def _agrees_or(sign: Condition) -> Condition:
    return any_of(same, sign)


def _type_rules(at: str) -> Iterator[Rule]:
    """Values that are not NULL."""
    for requirement, condition, sign in _CAUSES:
        yield Rule(requirement, at, all_of(has_value, condition, _agrees_or(sign)), _WRONG)
    for requirement, condition in _OF_TYPE:
        yield Rule(requirement, at, all_of(has_value, condition, _agrees_or(no(_IN_ANOTHER_FORM))), _WRONG)
    for requirement, condition, sign in _AGREED:
        yield Rule(requirement, at, all_of(has_value, condition, _agrees_or(sign)), _WRONG)
    for requirement, condition, sign in _SPELLINGS:
        yield Rule(requirement, at, all_of(has_value, condition, _agrees_or(sign)), _TEXT)


_IS_UNRULED = all_of(has_value, no(same), no(_HAS_RULE), no(_IN_ANOTHER_FORM))

# -- NULL ----------------------------------------------------------------------------------------------------------

_REPLACEMENTS: Mapping[str, Condition] = {
    "DBZ-162a": family(*INTEGERS),
    "DBZ-162b": family(Family.YEAR),
    "DBZ-162c": family(Family.TIME),
    "DBZ-162d": family(Family.DATE),
    "DBZ-162e": _BINARIES,
    "DBZ-162f": family(Family.DATETIME),
    "DBZ-162g": all_of(family(Family.TIMESTAMP), lambda place: place.expected is None),
    "DBZ-163": all_of(family(Family.TIMESTAMP), lambda place: place.expected is not None),
}


_is_null = all_of(is_in_payload, no(has_value), lambda place: place.expected is not MISSING)
_is_empty_text = all_of(has_value, _TEXTS, lambda place: place.expected == "")


def _null_rules(at: str) -> Iterator[Rule]:
    replaced = all_of(_is_null, has_default)
    yield Rule("DBZ-160", at, all_of(replaced, _agrees_or(is_lost), lambda p: p.expected is not None), _WRONG)
    written = all_of(replaced, no(is_lost))
    for requirement, condition in _REPLACEMENTS.items():
        yield Rule(requirement, at, all_of(written, condition), _WRONG | _TEXT)
    others = no(any_of(*_REPLACEMENTS.values()))
    yield Rule("DBZ-162", at, all_of(written, others), _WRONG | _TEXT)
    yield Rule(
        "DBZ-160a", at, any_of(all_of(_is_null, no(has_default)), all_of(_is_empty_text, _agrees_or(is_lost))), _WRONG
    )


_IS_INVENTED = all_of(_is_null, no(same), no(all_of(has_default, is_form_of_default)))

# -- images and keys -----------------------------------------------------------------------------------------------


def _is_old_value(place: Place) -> bool:
    name = column_of(place).name
    return bool(expected_in(place, "value", "payload", "before", name) == place.got)


def _key_rules() -> Iterator[Rule]:
    """A value that the given image has, too, is a fault of the value; another one is the key's."""
    new_row = all_of(op("update"), _agrees_or(all_of(_is_old_value, no(same_in_value))))
    yield Rule("DBZ-037", KEY, all_of(is_in_payload, new_row), _WRONG)
    of_value = any_of(same, same_in_value)
    yield from (replace(rule, when=all_of(of_value, rule.when)) for rule in (*_type_rules(KEY), *_null_rules(KEY)))
    wrong = no(all_of(has_value, _IN_ANOTHER_FORM))
    yield Rule("DBZ-030a", KEY, all_of(is_in_payload, _agrees_or(no(same_in_value)), wrong), _WRONG)
    yield Rule("DBZ-030a", KEY, all_of(same_in_value, any_of(_IS_UNRULED, _IS_INVENTED)), _WRONG)
    for requirement, condition, _ in _OTHER_FORMS:
        form = all_of(has_value, condition, no(same), no(same_in_value), _IN_ANOTHER_FORM)
        yield Rule(requirement, KEY, form, _WRONG)
    for requirement, condition, sign in _SPELLINGS:
        yield Rule(requirement, KEY, all_of(has_value, condition, no(same), no(same_in_value), sign), _TEXT)
    other_row = all_of(op("delete"), _agrees_or(no(same_in_value)))
    yield Rule("DBZ-037", KEY, all_of(is_in_payload, other_row), frozenset({Kind.VALUE}))


def value_rules() -> Iterator[Rule]:
    """Every rule of the value of a column that is there on both sides."""
    for at, of_image in zip(IMAGES, ("DBZ-043b", "DBZ-043c"), strict=True):
        in_place = no(is_other_image)
        rules = (*_null_rules(at), *_type_rules(at))
        yield from (replace(rule, when=all_of(in_place, rule.when)) for rule in rules)
        yield Rule(of_image, at, all_of(in_place, any_of(_IS_UNRULED, _IS_INVENTED)), _WRONG)
        yield Rule(of_image, at, is_other_image, _WRONG | _TEXT)
    yield from _key_rules()
