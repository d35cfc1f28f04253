"""Predicates of the divergences between Alibaba Canal and TiCDC's Canal-JSON."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from differential.classify.predicates.common import double_of, nodes_of, rounded_tree_of, tree_of
from differential.classify.predicates.kinds import CellTest, ColumnCellTest, ValueTest
from differential.model import Cell
from reference_impl import exact_json
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32
from reference_impl.java_numbers import FEWEST_DIGITS_SINCE, double_text, float_text
from reference_impl.model import Column
from reference_impl.upstream.charsets import encoded, is_utf8, read_by_java

__all__ = ["CELLS", "COLUMN_CELLS", "VALUES"]


# Values that both sides have

_GROUP = 9  # decimal digits that DECIMAL stores together


def _has_empty_group(column_type: ColumnType, cell: Cell) -> bool:
    """A DECIMAL whose last digits, those beyond full groups of nine, are zeros."""
    spare = (column_type.scale or 0) % _GROUP
    return isinstance(cell, str) and spare > 0 and cell[-1:] == "0" and not cell[-spare:].strip("0")


# Numbers below ten million with at most 7 (float) or 15 (double) digits: no number halfway between two
# of them is as short, so every release of Java prints these digits, which are the fewest.
_SAFE = {
    True: re.compile(r"-?(?=[0-9.]{1,8}$)[1-9][0-9]{0,6}(?:\.[0-9]+)?"),
    False: re.compile(r"-?(?=[0-9.]{1,16}$)[1-9][0-9]{0,6}(?:\.[0-9]+)?"),
}


def _digits_of(java: int) -> ValueTest:
    """A test: whether a release of Java prints more digits than are needed to identify the number."""

    def test(column_type: ColumnType, cell: Cell) -> bool:
        if not isinstance(cell, str):
            return False
        single = column_type.family is Family.FLOAT
        if _SAFE[single].fullmatch(cell):
            return False
        printed = float_text(nearest_float32(cell), java) if single else double_text(float(cell), java)
        return printed != cell and Decimal(printed) != Decimal(cell)

    return test


@lru_cache(maxsize=16)
def _characters(data: str) -> str:
    return base64.b64decode(data).decode("latin-1")


def _has(pattern: str) -> ValueTest:
    """A test: whether a text, or bytes as characters, contains a character of the pattern."""
    special = re.compile(pattern)

    def test(column_type: ColumnType, cell: Cell) -> bool:
        if isinstance(cell, dict):
            data = cell.get("base64") or cell.get("raw")
            return data is not None and special.search(_characters(data)) is not None
        return cell is not None and special.search(cell) is not None

    return test


def _declared_as_text(column_type: ColumnType, cell: Cell) -> bool:
    """True for every value of a character type with the charset `binary`."""
    return column_type.family in BINARY and parse_column_type(column_type.text).family in TEXT


def _has_length(column_type: ColumnType, cell: Cell) -> bool:
    """True for every value of a column declared with a length, or as LONG."""
    return column_type.length is not None or column_type.text.strip().lower() == "long"


def _any_node(test: Callable[[Any], bool]) -> ValueTest:
    return lambda column_type, cell: cell is not None and any(map(test, nodes_of(tree_of(cell))))


@lru_cache(maxsize=1024)
def _in_another_order(names: tuple[str, ...]) -> bool:
    """Whether names sorted by length have another order than sorted by letters."""
    lengths = [len(name) for name in sorted(name.encode("utf-8", "surrogatepass") for name in names)]
    return lengths != sorted(lengths)


def _length_reorders(column_type: ColumnType, cell: Cell) -> bool:
    nodes = [rounded_tree_of(cell)]
    for node in nodes:  # the list grows meanwhile
        if isinstance(node, dict):
            if len(node) > 1 and _in_another_order((*node,)):
                return True
            nodes += node.values()
        elif isinstance(node, list):
            nodes += node
    return False


_WHOLE = range(-(2**63), 2**64)


def _is_double(node: Any) -> bool:
    """Whether a number must be a double.

    Canonical JSON writes a double without a fraction as an integer.
    """
    if isinstance(node, bool):
        return False
    return isinstance(node, Decimal) or (isinstance(node, int) and node not in _WHOLE)


def _prints_exponent(node: Any) -> bool:
    return _is_double(node) and node != 0 and not Decimal("0.001") <= Decimal(node).copy_abs() < 10**7


def _has_raw_name(node: Any) -> bool:
    return isinstance(node, dict) and any(re.search('[\0-\x1f"\\\\]', name) for name in node)


def _has_escaped(node: Any) -> bool:
    return isinstance(node, str) and re.search("[\b\f\x7f-\xa0]", node) is not None


VALUES: Mapping[str, ValueTest] = {
    "decimal with an empty group": _has_empty_group,
    "digits of Java before 19": _digits_of(FEWEST_DIGITS_SINCE - 1),
    "digits of Java from 19 on": _digits_of(FEWEST_DIGITS_SINCE),
    "<, > or &": _has("[<>&]"),
    "0x08 or 0x0C": _has("[\b\f]"),
    "U+2028 or U+2029": _has("[\u2028\u2029]"),
    "U+FFFD": _has("\ufffd"),
    "declared as text, of UTF-8": _declared_as_text,
    "declared with a length": _has_length,
    "JSON with names of other lengths": _length_reorders,
    "JSON with an exponent in Java": _any_node(_prints_exponent),
    "JSON with names that need an escape": _any_node(_has_raw_name),
    "JSON with characters that Canal escapes": _any_node(_has_escaped),
}


# Values that differ


def _cut_at_nul(upstream: Any, ticdc: Any) -> bool:
    return isinstance(upstream, str) and isinstance(ticdc, str) and upstream == ticdc.partition("\0")[0]


def _one_double(upstream: Any, ticdc: Any) -> bool:
    if not (_is_double(upstream) and _is_double(ticdc)):
        return False
    double = double_of(upstream)
    return double is not None and double == double_of(ticdc)


_Leaf: TypeAlias = Callable[[Any, Any], bool]
_LEAVES: Sequence[_Leaf] = (_cut_at_nul, _one_double)


def _reasons(a: Any, b: Any) -> set[_Leaf] | None:
    """The reasons why leaves of two JSON values differ.

    None if a leaf differs without a reason.
    """
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        parts = [_reasons(a[name], b[name]) for name in a]
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        parts = list(map(_reasons, a, b))
    elif exact_json.same(a, b):
        parts = []
    else:
        return {leaf for leaf in _LEAVES if leaf(a, b)} or None
    found = {reason for part in parts if part is not None for reason in part}
    return None if None in parts else found


def _because_of(leaf: _Leaf) -> CellTest:
    """A test: whether two JSON values differ for known reasons only, of which this is the first."""

    def test(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
        if upstream is None or ticdc is None:
            return False
        reasons = _reasons(tree_of(upstream), tree_of(ticdc))
        return bool(reasons) and next(one for one in _LEAVES if one in (reasons or ())) is leaf

    return test


_UNREADABLE = re.compile("(\ufffd+)")


def _broken_characters(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """Invalid UTF-8: Java replaces several bytes by one U+FFFD, TiCDC each byte by one."""
    if not (isinstance(upstream, str) and isinstance(ticdc, str)):
        return False
    a, b = _UNREADABLE.split(upstream), _UNREADABLE.split(ticdc)
    if a[::2] != b[::2] or len(a) == 1:
        return False
    return all(len(x) <= len(y) <= 3 * len(x) for x, y in zip(a[1::2], b[1::2], strict=True))


def _raw_in_canal(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """Bytes that Canal passes unchanged, and TiCDC as text with U+FFFD for each invalid byte."""
    if not (_has_length(column_type, ticdc) and isinstance(upstream, dict) and "raw" in upstream):
        return False
    text = base64.b64decode(upstream["raw"]).decode("utf-8", "surrogateescape")
    return ticdc == re.sub("[\udc80-\udcff]", "\ufffd", text)


def _bytes_as_text(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """Bytes of a character type read as UTF-8, with U+FFFD for invalid bytes."""
    if not (_declared_as_text(column_type, ticdc) and isinstance(upstream, dict) and isinstance(ticdc, dict)):
        return False
    data = base64.b64decode(ticdc["base64"])
    size = (column_type.length or 0) if column_type.family is Family.BINARY else 0
    text = read_by_java(data.rstrip(b"\0") if size else data)
    return upstream == {"base64": base64.b64encode(text.encode().ljust(size, b"\0")).decode()}


CELLS: Mapping[str, CellTest] = {
    "bytes read as UTF-8": _bytes_as_text,
    "bytes that are U+FFFD in TiCDC": _raw_in_canal,
    "JSON text cut at NUL": _because_of(_cut_at_nul),
    "JSON number in other digits": _because_of(_one_double),
    "U+FFFD for several bytes": _broken_characters,
}


def _garbled(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """The bytes of the column's charset read as UTF-8."""
    if column.charset is None or is_utf8(column.charset) or not isinstance(ticdc, str):
        return False
    try:
        return upstream == read_by_java(encoded(ticdc, column.charset))
    except Rejected:
        return False


COLUMN_CELLS: Mapping[str, ColumnCellTest] = {"charset read as UTF-8": _garbled}
