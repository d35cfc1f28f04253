"""Reads values of ENUM and SET that messages have as numbers: in digits, as Canal writes them, or in JSON."""

from __future__ import annotations

import re
from collections.abc import Callable

from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected
from reference_impl.model import Index, Mask, Value
from reference_impl.values import labels_of_mask

__all__ = ["MAX_INDEX", "read_enum", "read_set", "value_of_index", "value_of_mask"]

MAX_INDEX = 65535
_SET_BITS = 64
_NUMBER = re.compile(r"0|[1-9][0-9]*")
_LONGEST_NUMBER = len(str(2**64 - 1))


def value_of_index(column_type: ColumnType, index: int) -> Value:
    """The ENUM value of a number: its label, or the number where that is 0 or the labels are not known."""
    return column_type.members[index - 1] if column_type.members and index else Index(index)


def value_of_mask(column_type: ColumnType, mask: int) -> Value:
    """The SET value of a bit mask: its labels, or the mask where they are not known."""
    return labels_of_mask(column_type.members, mask) if column_type.members else Mask(mask)


def read_enum(column_type: ColumnType) -> Callable[[str], Value]:
    """A function from the number of an ENUM value to the value.

    It raises `Rejected`: class `type` for a text that is not a number, `range` for a number beyond the members.
    """
    maximum = len(column_type.members) or MAX_INDEX
    return lambda text: value_of_index(column_type, _number(column_type, text, maximum))


def read_set(column_type: ColumnType) -> Callable[[str], Value]:
    """As `read_enum`, for the bit mask of a SET value."""
    maximum = (1 << (len(column_type.members) or _SET_BITS)) - 1
    return lambda text: value_of_mask(column_type, _number(column_type, text, maximum))


def _number(column_type: ColumnType, text: str, maximum: int) -> int:
    if not _NUMBER.fullmatch(text):
        raise Rejected("type", f"{text!r} is not the number of a member of an {column_type.family}")
    if len(text) > _LONGEST_NUMBER or int(text) > maximum:
        raise Rejected("range", f"{text} is beyond the members of {column_type.text}")
    return int(text)
