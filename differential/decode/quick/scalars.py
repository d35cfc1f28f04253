"""Fast conversions of common numbers and JSON documents to canonical texts.

Each is exact: the slow function that it gets (`convert`) converts a value that it does not recognise.
"""

from __future__ import annotations

import binascii
import json
import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import orjson

from differential.decode.canonical import has_each_once
from reference_impl.column_types import ColumnType, Family
from reference_impl.floats import nearest_float32

__all__ = [
    "binary_decimal",
    "compact_document",
    "decimal_cell",
    "document",
    "java_number",
    "plain_decimal",
    "plain_number",
    "stored_document",
]

# A decimal of at most so many digits has the shortest digits of its float.
_SURE_DIGITS = {Family.FLOAT: 6, Family.DOUBLE: 15}
# The shortest digits of a FLOAT are up to nine; `_is_shortest_single` decides for up to so many.
_MOST_SINGLE = 8
_SINGLE = re.compile(b'"-?[1-9][0-9]{0,5}[.][0-9]{0,7}[1-9]"').fullmatch


def _sign(kind: ColumnType) -> str:
    return "" if kind.unsigned else "-?"


def _is_shortest_single(token: bytes) -> bool:
    """Whether a text has the shortest digits of a 32-bit float from 1 to a million.

    For these every algorithm finds the same digits.
    """
    if _SINGLE(token) is None:
        return False
    text = token[1:-1].decode()
    digits = len(text) - 1 - text.startswith("-")
    value = nearest_float32(text)
    return (
        digits <= _MOST_SINGLE
        and f"{value:.{digits}g}" == text
        and nearest_float32(f"{value:.{digits - 1}g}") != value
        and math.frexp(value)[0] not in (0.5, -0.5)  # the floats below a power of two are nearer to it
    )


def plain_number(kind: ColumnType, convert: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Converts a float in plain notation with the shortest digits."""
    most, single = _SURE_DIGITS[kind.family], kind.family is Family.FLOAT
    whole = f"0|{_sign(kind)}[1-9][0-9]{{0,{most - 1}}}"
    split = f'{_sign(kind)}(?=[0-9.]{{3,{most + 1}}}")(?:0|[1-9][0-9]*)[.][0-9]*[1-9]'
    sure = re.compile(f'"(?:{whole}|{split})"'.encode()).fullmatch
    negative = b'"-' if kind.unsigned else b"-"

    def cell(token: bytes) -> bytes:
        if sure(token) or (single and not token.startswith(negative) and _is_shortest_single(token)):
            return token
        return convert(token)

    return cell


def plain_decimal(kind: ColumnType, convert: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Converts a DECIMAL written as a double into one with every declared digit."""
    scale = kind.scale or 0
    whole = (kind.length or 10) - scale
    digits = f"(?:0|[1-9][0-9]{{0,{whole - 1}}})" if whole > 0 else "0"
    fraction = f'(?!0[.]000000){digits}[.](?=[0-9]{{1,{scale}}}")[0-9]*[1-9]' if scale else "(?!)"
    integer = f"[1-9][0-9]{{0,{whole - 1}}}" if whole > 0 else "(?!)"
    most = _SURE_DIGITS[Family.DOUBLE]
    sure = re.compile(f'"(?:0|{_sign(kind)}(?=[0-9.]{{1,{most}}}")(?:{fraction}|{integer}))"'.encode()).fullmatch
    zeros, point = b"0" * scale, b"." if scale else b""

    def cell(token: bytes) -> bytes:
        if not sure(token):
            return convert(token)
        number, _, given = token[1:-1].partition(b".")
        return b'"%b%b%b%b"' % (number, point, given, zeros[len(given) :])

    return cell


def binary_decimal(kind: ColumnType, convert: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Converts a DECIMAL written in base64 as the shortest big-endian signed integer of its digits."""
    scale, most = kind.scale or 0, 10 ** (kind.length or 10)
    least = 0 if kind.unsigned else 1 - most

    def cell(token: bytes) -> bytes:
        data = binascii.a2b_base64(token[1:-1])
        number = int.from_bytes(data, "big", signed=True)
        size = (number if number >= 0 else ~number).bit_length() // 8 + 1
        if size != len(data) or not least <= number < most:
            return convert(token)
        if binascii.b2a_base64(data, newline=False) != token[1:-1]:
            return convert(token)
        return decimal_cell(number, scale)

    return cell


def decimal_cell(number: int, scale: int) -> bytes:
    """The cell of a DECIMAL, given as its digits without the point."""
    digits = b"%d" % abs(number)
    if scale:
        digits = digits.rjust(scale + 1, b"0")
        digits = b"%b.%b" % (digits[:-scale], digits[-scale:])
    return b'"%b%b"' % (b"-" if number < 0 else b"", digits)


def java_number(kind: ColumnType, convert: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Converts a float that Java printed without an exponent.

    From a thousandth to ten million every release of Java prints the shortest digits, provided that few digits
    identify the float: its arithmetic does not overflow there.
    """
    most, single = _SURE_DIGITS[kind.family], kind.family is Family.FLOAT
    split = f'{_sign(kind)}(?=[0-9.]{{3,{most + 1}}}")(?!0[.]000)(?:0|[1-9][0-9]{{0,6}})[.][0-9]*[1-9]'
    whole = f"0|{_sign(kind)}[1-9][0-9]{{0,{min(most, 7) - 1}}}"
    sure = re.compile(f'"(?:{split}|({whole})[.]0)"'.encode()).fullmatch
    negative = b'"-' if kind.unsigned else b"-"

    def cell(token: bytes) -> bytes:
        found = sure(token)
        if found is not None:
            return token if found[1] is None else b'"%b"' % found[1]
        if single and not token.startswith(negative) and _is_shortest_single(token):
            return token
        return convert(token)

    return cell


# Texts whose numbers orjson reads exactly and prints unchanged.
_END = "(?![0-9.eE])"
_LARGE = f"[1-9](?:[0-9]{{0,16}}+{_END}|[0-9]{{0,6}}+[.](?:0|[0-9]{{0,7}}[1-9]){_END})"
_SMALL = f"0[.](?!000)[0-9]{{0,7}}[1-9]{_END}"
_NUMBER = f"-?(?:{_LARGE}|{_SMALL})|0(?:[.]0)?{_END}"
_EXACT = re.compile(f"[^-0-9]*+(?>(?:{_NUMBER}|-(?![0-9]))[^-0-9]*+)*+").fullmatch
_POWER = re.compile("e[-+0-9]")
_WHOLE = re.compile("[.]0(?![0-9])")
_DEEP = 100


def _tree(text: str) -> Any:
    """The tree of a JSON text.

    Raises ValueError for malformed text, or if it may be too deep to be printed.
    """
    if len(text) > _DEEP and text.count("[") + text.count("{") > _DEEP:
        raise ValueError("perhaps too deep")
    return orjson.loads(text)


def _whole(tree: Any) -> Any:
    """The tree with whole floats as integers."""
    if isinstance(tree, dict):
        return {name: _whole(value) for name, value in tree.items()}
    if isinstance(tree, list):
        return list(map(_whole, tree))
    return int(tree) if isinstance(tree, float) and tree.is_integer() else tree


def _sorted(text: str, tree: Any) -> str | None:
    """The canonical text of a tree, None if orjson may print a number differently from the text."""
    printed = orjson.dumps(tree, option=orjson.OPT_SORT_KEYS).decode()
    if not has_each_once(text, printed):
        return None
    if "." not in printed and "-0" not in text and not _POWER.search(printed):
        return printed  # no number was read as a float
    if not _EXACT(text):
        return None
    return orjson.dumps(_whole(tree), option=orjson.OPT_SORT_KEYS).decode() if _WHOLE.search(text) else printed


def document(convert: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Converts a JSON text as the database stores it."""

    def cell(token: bytes) -> bytes:
        try:
            text = orjson.loads(token)
            printed = _sorted(text, _tree(text))
        except ValueError:
            printed = None
        return convert(token) if printed is None else orjson.dumps(printed)

    return cell


_PRINTED = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
_ESCAPED = re.compile("[\\\\\x7f-\xa0]")


def _is_plain(text: str) -> bool:
    """Whether Canal leaves every character of a text as it is."""
    return (text.isascii() and "\\" not in text and "\x7f" not in text) or not _ESCAPED.search(text)


def _is_spaced(text: str, tree: Any) -> bool:
    """Whether a text equals its tree printed with a blank after each comma and colon."""
    if orjson.dumps(tree).decode().replace(",", ", ").replace(":", ": ") == text:
        return True
    return _PRINTED(tree) == text  # strings may hold commas and colons


@lru_cache(maxsize=4096)
def _in_stored_order(names: tuple[str, ...]) -> bool:
    """Whether names are sorted by length and then by bytes."""
    sizes = [(len(data := name.encode()), data) for name in names]
    return sizes == sorted(sizes)


def _is_stored_order(tree: Any) -> bool:
    """Whether members are in stored order at every depth."""
    if isinstance(tree, dict):
        if len(tree) > 1 and not _in_stored_order(tuple(tree)):
            return False
        tree = tree.values()
    elif not isinstance(tree, list):
        return True
    for value in tree:  # few values are containers: a call for each value would take most of the time
        kind = value.__class__
        if (kind is dict or kind is list) and not _is_stored_order(value):
            return False
    return True


def _stored(convert: Callable[[bytes], bytes], is_written: Callable[[str, Any], bool]) -> Callable[[bytes], bytes]:
    """Converts a JSON value of MySQL's binlog.

    `is_written` checks quickly that its text is in printed form.
    """

    def cell(token: bytes) -> bytes:
        try:
            text = orjson.loads(token)
            tree = _tree(text)
        except ValueError:
            return convert(token)
        if not is_written(text, tree) or not _is_stored_order(tree):
            return convert(token)
        printed = _sorted(text, tree)
        return convert(token) if printed is None else orjson.dumps(printed)

    return cell


def compact_document(convert: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Converts a JSON value that is printed without blanks."""
    return _stored(convert, lambda text, tree: "\\" not in text and orjson.dumps(tree).decode() == text)


def stored_document(convert: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Converts a JSON value as Canal prints it."""
    return _stored(convert, lambda text, tree: _is_plain(text) and _is_spaced(text, tree))
