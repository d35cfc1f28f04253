"""The edits of the operators: functions from a value to a changed one; they raise `Skip` for a value without one.

`operators` names them with their module, as `edits.last_digit`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any

from conformance.sweep.nodes import Document, FrameNumber, Raw, dumped

__all__ = ["Edit", "Skip"]


class Skip(Exception):
    """The operator finds nothing to change in a value."""


Edit = Callable[[Any], Any]


def _skip_unless(holds: bool) -> None:
    if not holds:
        raise Skip


# -- numbers, and texts that are numbers -------------------------------------------------------------------------------

_LONGEST = 4_000  # characters that Python reads as digits
_NUMERAL = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal | float) and not isinstance(value, bool)


def of_number(edit: Callable[[Any], Any]) -> Edit:
    """The edit of an exact number, on numbers and on texts that are numerals."""

    def edited(value: Any) -> Any:
        if isinstance(value, str):
            _skip_unless(_NUMERAL.fullmatch(value) is not None and len(value) < 60)
            number = edit(Decimal(value) if "." in value else int(value))
            return format(number, "f") if isinstance(number, Decimal) else str(number)
        _skip_unless(_is_number(value))
        return edit(value)

    return edited


def of_integer(edit: Callable[[int], int]) -> Edit:
    """The edit of an integer, as a number or as text."""

    def edited(value: Any) -> Any:
        _skip_unless(isinstance(value, int) and not isinstance(value, bool))
        return edit(value)

    return of_number(edited)


def last_digit(number: Any) -> Any:
    """Add one in the last decimal place, or change the last digit of an integer."""
    if isinstance(number, Decimal):
        return number + Decimal((0, (1,), int(number.as_tuple().exponent)))
    _skip_unless(isinstance(number, int))
    return number + 1 if number % 10 < 9 else number - 9


def low_bits(number: int) -> int:
    """Keep the low 32 bits of a larger integer, with their sign."""
    _skip_unless(not -(2**31) <= number < 2**31)
    low = number & 0xFFFFFFFF
    return low - 2**32 if low >= 2**31 else low


def through_double(number: int) -> int:
    """Round the integer to a 64-bit float."""
    return int(float(number))


def by_1000(number: int) -> int:
    """Divide the integer by a thousand."""
    _skip_unless(abs(number) >= 1000)
    return number // 1000


def bit_taken(number: int) -> int:
    """Clear the lowest set bit of the integer."""
    _skip_unless(0 < number < 2**63)
    return number & (number - 1)


def bit_added(number: int) -> int:
    """Set the lowest clear bit of the integer."""
    _skip_unless(0 <= number < 2**63)
    return number | (number + 1)


def float_changed(value: Any) -> Any:
    """Change a float."""
    _skip_unless(isinstance(value, float))
    return value * 2 + 1.0


# -- texts -------------------------------------------------------------------------------------------------------------


def of_text(edit: Callable[[str], str]) -> Edit:
    """The edit of a nonempty text."""

    def edited(value: Any) -> str:
        _skip_unless(isinstance(value, str) and not isinstance(value, Raw) and value != "")
        return edit(value)

    return edited


def mojibake(text: str) -> str:
    """Read the UTF-8 of a text as Latin-1."""
    _skip_unless(not text.isascii())
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def leading_zero(text: str) -> str:
    """Add a zero before a numeral."""
    _skip_unless(_NUMERAL.fullmatch(text) is not None)
    return f"-0{text[1:]}" if text[0] == "-" else f"0{text}"


def trailing_zero(text: str) -> str:
    """Add a zero after the point of a numeral."""
    _skip_unless(_NUMERAL.fullmatch(text) is not None)
    return f"{text}0" if "." in text else f"{text}.0"


_CLOCK = re.compile(r"\b([0-9]{2}):([0-9]{2}):([0-9]{2})")


def hour_later(text: str) -> str:
    """Move the time of day in a text by an hour."""
    match = _CLOCK.search(text)
    if match is None:
        raise Skip
    return f"{text[: match.start()]}{(int(match[1]) + 1) % 24:02}{text[match.start() + 2 :]}"


def fraction_lost(text: str) -> str:
    """Remove the fraction of a time of day."""
    _skip_unless(_CLOCK.search(text) is not None and "." in text)
    return text.rpartition(".")[0]


def other_last(text: str) -> str:
    """Change the last character of a text."""
    return text[:-1] + ("y" if text[-1] != "y" else "z")


# -- other types ------------------------------------------------------------------------------------------------------


def other_kind(value: Any) -> Any:
    """Change the JSON type: a numeral to a number, another text to an array, anything else to text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if _is_number(value):
        return str(value)
    if isinstance(value, str):
        return Raw(value) if _NUMERAL.fullmatch(value) else [value]
    _skip_unless(isinstance(value, dict | list))
    return dumped(value)


def other_kind_plain(value: Any) -> Any:
    """Like `other_kind`, for values outside of JSON documents."""
    changed = other_kind(value)
    if isinstance(changed, Raw):
        return [value] if "." in changed or len(changed) > _LONGEST else int(changed)
    return changed


def of_null(value: Any) -> Edit:
    """An edit that puts a value in place of NULL."""

    def edited(null: Any) -> Any:
        _skip_unless(null is None)
        return value

    return edited


def null(value: Any) -> None:
    """Put NULL in place of a value."""
    _skip_unless(value is not None)


def empty(value: Any) -> Any:
    """Put an empty text, object or array in place of another."""
    _skip_unless(isinstance(value, str | dict | list | bytes) and len(value) > 0 and not isinstance(value, Raw))
    if isinstance(value, str | bytes):
        return type(value)()
    return {} if isinstance(value, dict) else []


def inverted(value: Any) -> bool:
    """Negate a truth value."""
    _skip_unless(isinstance(value, bool))
    return not value


def of_bytes(edit: Callable[[bytes], bytes]) -> Edit:
    """The edit of nonempty bytes."""

    def edited(value: Any) -> bytes:
        _skip_unless(isinstance(value, bytes) and len(value) > 0)
        return edit(value)

    return edited


# -- objects and arrays ------------------------------------------------------------------------------------------------

_IMAGES = (("before", "after"), ("u", "p"), ("data", "old"))


def exchanged_images(value: Any) -> Any:
    """Exchange the images before and after of an object."""
    _skip_unless(isinstance(value, dict))
    for left, right in _IMAGES:
        if left in value and right in value:
            return value | {left: value[right], right: value[left]}
    raise Skip


def extra_member(value: Any) -> Any:
    """Add a member to an object."""
    _skip_unless(isinstance(value, dict))
    return value | {"extra": "x"}


def extra_column(value: Any) -> Any:
    """Copy the first member under a new name."""
    _skip_unless(isinstance(value, dict) and len(value) > 0)
    return value | {"extra": next(iter(value.values()))}


def of_array(edit: Callable[[list[Any]], list[Any]]) -> Edit:
    """The edit of an array."""

    def edited(value: Any) -> Any:
        _skip_unless(isinstance(value, list))
        return edit(value)

    return edited


def extra_element(value: list[Any]) -> list[Any]:
    """Add a text to an array, or repeat its last element."""
    return [*value, "x" if not value or isinstance(value[-1], str) else value[-1]]


def repeated_element(value: list[Any]) -> list[Any]:
    """Repeat the last element of an array."""
    _skip_unless(len(value) > 0)
    return [*value, value[-1]]


def last_first(value: list[Any]) -> list[Any]:
    """Move the last element of an array to the front."""
    _skip_unless(len(value) > 1)
    return [value[-1], *value[:-1]]


def order_reversed(value: Any) -> Any:
    """Reverse the members of an object."""
    _skip_unless(isinstance(value, dict) and len(value) > 1)
    return dict(reversed(value.items()))


def exchanged_values(value: Any) -> Any:
    """Exchange the first two different values of neighbouring members that have the same type."""
    _skip_unless(isinstance(value, dict))
    for left, right in pairwise(value):
        if type(value[left]) is type(value[right]) and value[left] != value[right]:
            return value | {left: value[right], right: value[left]}
    raise Skip


# -- spelling ----------------------------------------------------------------------------------------------------------


def escaped(value: Any) -> Raw:
    """Escape the first character of a JSON string."""
    _skip_unless(isinstance(value, str) and not isinstance(value, Raw) and value[:1].isascii() and value != "")
    _skip_unless(value[0] not in '"\\' and value[0].isprintable())
    return Raw(f'"\\u{ord(value[0]):04x}{json.dumps(value, ensure_ascii=False)[2:]}')


def spaced(value: Any) -> Raw:
    """Add white space between the parts of a JSON document."""
    _skip_unless(isinstance(value, dict | list) and len(value) > 0)
    return Raw(dumped(value, " "))


def exponent(value: Any) -> Raw:
    """Add an exponent of 0 to a JSON number."""
    _skip_unless(_is_number(value))
    return Raw(f"{value}e0")


def decimal_point(value: Any) -> Raw:
    """Add a point and a zero to a JSON integer."""
    _skip_unless(isinstance(value, int) and not isinstance(value, bool))
    return Raw(f"{value}.0")


# -- bytes -------------------------------------------------------------------------------------------------------------


def of_document(edit: Callable[[bytes], bytes]) -> Edit:
    """The edit of the bytes of a document."""

    def edited(value: Any) -> Document:
        _skip_unless(isinstance(value, Document) and value.written != b"")
        data = edit(value.written)
        # Without `original`, a frame takes the document for changed and writes its length anew.
        return Document(None, lambda tree: data, None, value.is_text)

    return edited


def of_frame_number(edit: Callable[[FrameNumber], bytes]) -> Edit:
    """The edit of a number in a binary frame."""

    def edited(value: Any) -> FrameNumber:
        _skip_unless(isinstance(value, FrameNumber))
        return FrameNumber(edit(value))

    return edited


def plus(number: FrameNumber, addend: int) -> bytes:
    """The bytes of a number in a frame after an addition, in the same width."""
    size = len(number.data)
    return ((number.number + addend) & ((1 << 8 * size) - 1)).to_bytes(size, "big")
