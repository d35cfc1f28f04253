"""What a reader of payloads knows of a column, and checks of the JSON kinds of its values."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from typing import TypeAlias

from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.model import Value
from reference_impl.upstream.debezium.texts import Reading
from reference_impl.upstream.debezium.types import Form
from reference_impl.values import check_text

__all__ = [
    "LOST",
    "Lost",
    "PayloadColumn",
    "Reader",
    "bounded",
    "checked",
    "data_of",
    "integer_of",
    "number_of",
    "string_of",
    "unfit",
]


class Lost(Enum):
    """The marker of a value that a message does not determine."""

    LOST = auto()


LOST = Lost.LOST
Reader: TypeAlias = Callable[[Tree], Value | Lost]


@dataclass(frozen=True, slots=True)
class PayloadColumn:
    """A column as a reader of payloads knows it."""

    column_type: ColumnType
    form: Form
    exact: bool  # whether length and scale of the type are known
    reading: Reading


def unfit(column: PayloadColumn, value: Tree) -> Rejected:
    """The refusal of a value whose form does not fit its type."""
    return Rejected("type", f"{str(value)[:60]!r} is not a value of a {column.column_type.text} column")


def integer_of(column: PayloadColumn, value: Tree) -> int:
    """The integer in a JSON value. Raises `Rejected` (class `type`) for another JSON kind."""
    if type(value) is not int:
        raise unfit(column, value)
    return value


def string_of(column: PayloadColumn, value: Tree) -> str:
    """The string in a JSON value. Raises `Rejected` (class `type`) for another JSON kind."""
    if not isinstance(value, str):
        raise unfit(column, value)
    return value


def number_of(column: PayloadColumn, value: Tree) -> float:
    """The number in a JSON value, as a double.

    Raises `Rejected`: class `type` for another JSON kind, `range` for a number beyond a double.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise unfit(column, value)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise Rejected("range", f"{str(value)[:60]} is outside {column.column_type.text}")
    return number


def data_of(column: PayloadColumn, value: Tree) -> bytes:
    """The bytes in a base64 string. Raises `Rejected` (class `type`) for any other JSON value."""
    try:
        return base64.b64decode(string_of(column, value), validate=True)
    except ValueError:
        raise unfit(column, value) from None


def bounded(column_type: ColumnType, number: int) -> str:
    """The text of a number. Raises `Rejected` (class `range`) for one outside the type."""
    if not column_type.minimum <= number <= column_type.maximum:
        raise Rejected("range", f"{number} is outside {column_type.text}")
    return str(number)


def checked(column: PayloadColumn, text: str) -> str:
    """The text itself. Raises `Rejected` (class `type` or `range`) if it is not a value of the type."""
    check_text(column.column_type, text)
    return text
