"""Canonical values: one text for each value, whichever dialect it came from.

A canonical value is the value string of the harness protocol in a single spelling: floats in their shortest digits,
JSON with sorted members and exact numbers, labels in place of numbers. Equal values have equal bytes.
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, InvalidOperation
from typing import Any

import orjson

from differential.model import PARTLY, UNKNOWN, Cell, Image
from reference_impl import exact_json
from reference_impl.column_types import ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.floats import plain
from reference_impl.model import Index, Mask, RawText, Row, Value

__all__ = ["agree", "canonical", "comparable", "has_each_once", "image", "load", "shown", "text_of"]

_LONGEST_PLAIN = 400


def _decimal(column_type: ColumnType, text: str) -> str:
    """A DECIMAL with the declared number of digits after the point.

    Zeros are added, or removed if there are more.
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    exponent = number.as_tuple().exponent
    scale = column_type.scale or 0
    if not isinstance(exponent, int) or -exponent == scale:
        return text
    digits = f"{number:f}"
    whole, _, fraction = digits.partition(".")
    kept = fraction.rstrip("0").ljust(scale, "0")
    return f"{whole}.{kept}" if kept else whole


def _float(column_type: ColumnType, text: str) -> str:
    try:
        return plain(text, 32 if column_type.family is Family.FLOAT else 64)
    except (ValueError, OverflowError):
        return text


def _sorted_json(tree: Any) -> str:
    """A tree of `exact_json` with its members sorted and every number in one notation."""
    if isinstance(tree, exact_json.Object):
        if tree.doubled:
            raise Rejected("schema", f"doubled member {tree.doubled[0]!r}")
        return "{" + ",".join(f"{_quoted(name)}:{_sorted_json(tree[name])}" for name in sorted(tree)) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(map(_sorted_json, tree)) + "]"
    if isinstance(tree, Decimal):
        digits = max(1, len(tree.as_tuple().digits))
        number = tree.normalize(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN))
        return f"{number:f}" if abs(number.adjusted()) < _LONGEST_PLAIN else str(number)
    return str(tree) if isinstance(tree, int) and not isinstance(tree, bool) else orjson.dumps(tree).decode()


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()


# A JSON text without a match holds no number but 64-bit integers. -0 is a double, which one side may write as -0.0.
_MAYBE_INEXACT = re.compile(r"[0-9][.eE]|[0-9]{19}|(?:^|[][:, \t\n\r])-0(?![0-9])")


def has_each_once(text: str, printed: str) -> bool:
    """Fast duplicate-key check: compares the numbers of colons of a JSON text and its tree.

    True is certain; False is not.
    """
    return text.count(":") == printed.count(":") and "\\u003" not in text


def _json(column_type: ColumnType, text: str) -> str:
    """The canonical JSON text; a text with a duplicate member stays unchanged.

    Readers differ in which of two equal members they take.
    """
    if _MAYBE_INEXACT.search(text) is None:
        try:
            printed = orjson.dumps(orjson.loads(text), option=orjson.OPT_SORT_KEYS).decode()
            if has_each_once(text, printed):
                return printed
        except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # JSONEncodeError: too deep
            pass
    try:
        return _sorted_json(exact_json.loads(text))
    except (Rejected, orjson.JSONEncodeError):
        return text


def _vector(column_type: ColumnType, text: str) -> str:
    try:
        numbers = orjson.loads(text)
        return "[" + ",".join(plain(repr(struct.unpack("f", struct.pack("f", n))[0]), 32) for n in numbers) + "]"
    except (orjson.JSONDecodeError, struct.error, TypeError, OverflowError):
        return text


def _clock(column_type: ColumnType, text: str) -> str:
    """A time with the declared number of fractional digits.

    Zeros are added, or removed if there are more.
    """
    whole, _, fraction = text.partition(".")
    kept = fraction.rstrip("0").ljust(column_type.fsp, "0")
    return f"{whole}.{kept}" if kept else whole


_TEXTS = {
    Family.DECIMAL: _decimal,
    Family.FLOAT: _float,
    Family.DOUBLE: _float,
    Family.JSON: _json,
    Family.VECTOR: _vector,
    Family.TIME: _clock,
    Family.DATETIME: _clock,
    Family.TIMESTAMP: _clock,
}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _labels(column_type: ColumnType, bits: int) -> Cell:
    if bits >> len(column_type.members):
        return {"mask": str(bits)}
    return ",".join(label for place, label in enumerate(column_type.members) if bits >> place & 1)


def canonical(column_type: ColumnType, value: Value) -> Cell:
    """The canonical form of a value of a column of that type."""
    if value is None:
        return None
    if isinstance(value, str):
        write = _TEXTS.get(column_type.family)
        return value if write is None else write(column_type, value)
    if isinstance(value, bytes):
        if column_type.family is Family.BINARY and column_type.length:
            value = value.ljust(column_type.length, b"\0")
        return {"base64": _base64(value)}
    if isinstance(value, RawText):
        return {"raw": _base64(value.data)}
    if isinstance(value, Index):
        known = 0 < value.number <= len(column_type.members)
        return column_type.members[value.number - 1] if known else {"index": str(value.number)}
    assert isinstance(value, Mask)
    return _labels(column_type, value.bits)


def image(row: Row, types: Mapping[str, ColumnType]) -> bytes:
    """The canonical image of a row, as JSON bytes; members in the order of their names."""
    cells = {name: canonical(types[name], value) for name, value in row.items()}
    return orjson.dumps(cells, option=orjson.OPT_SORT_KEYS)


def load(data: bytes) -> Image:
    """The cells of an image; of a partial image those that it holds."""
    loaded: Image = orjson.loads(data.removeprefix(PARTLY))
    return loaded


def agree(a: bytes | None, b: bytes | None) -> bool:
    """Whether two images are equal, in the columns in which they can be compared; unknown images agree with any."""
    if a in (b, UNKNOWN) or b == UNKNOWN:
        return True
    if a is None or b is None or not (a.startswith(PARTLY) or b.startswith(PARTLY)):
        return False
    cells, others = load(a), load(b)
    names = comparable(a, b, cells, others)
    return all(name in cells and name in others and cells[name] == others[name] for name in names)


def comparable(a: bytes, b: bytes, cells: Image, others: Image) -> Iterable[str]:
    """The columns in which two images can be compared.

    These are the columns of either image, except those that a partial image lacks.
    """
    names: Iterable[str] = cells.keys() | others.keys()
    for image_, its_cells in ((a, cells), (b, others)):
        if image_.startswith(PARTLY):
            names = [name for name in names if name in its_cells]
    return names


def text_of(cell: Cell) -> str | None:
    """A cell as a person reads it."""
    if isinstance(cell, dict):
        return orjson.dumps(cell).decode()
    return cell


def shown(cell: Cell) -> str:
    """As `text_of`, with `NULL` for SQL NULL."""
    text = text_of(cell)
    return "NULL" if text is None else text
