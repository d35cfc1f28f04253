"""Strategies for column types and for the values of a type.

Boundaries of a type are drawn often, and values shrink to the shortest. Callers drop values that their protocol cannot
express.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

from hypothesis import strategies as st

from reference_impl.column_types import BINARY, INTEGERS, TEXT, ColumnType, Family, parse_column_type
from reference_impl.floats import nearest_float32, plain
from reference_impl.model import Index, Value

__all__ = ["CHARACTERS", "column_types", "values_of"]

# Characters that JSON writers, quoting rules or regular expressions treat specially.
_SPECIAL = (
    "\0\x01\x07\b\t\n\v\f\r\x1b\x1f \"'\\/<>&,\x7f\x80\x9f\xa0\xad\xff\u2028\u2029\u3000\ufeff\ufffd测😀%[]{}()null0"
)
CHARACTERS = st.one_of(st.sampled_from("a" + _SPECIAL), st.characters(exclude_categories=["Cs"]))
"""A character; the special ones are drawn often."""

_labels = st.one_of(
    st.sampled_from(["a", "b", "", "c d", "it's", "中", '"', "<&>"]), st.text(CHARACTERS, min_size=1, max_size=4)
)
_set_labels = _labels.filter(lambda label: label and "," not in label)

_PLAIN_TYPES = (
    *(w + s for w in ("tinyint", "smallint", "mediumint", "int", "bigint") for s in ("", " unsigned")),
    *("tinyint(1)", "int(8) unsigned zerofill", "bigint(20)", "year", "year(4)", "date", "json", "vector"),
    *("float", "double", "float unsigned", "float(10,3)", "double(20,3)", "double unsigned"),
    *("tinytext", "text", "mediumtext", "longtext", "tinyblob", "blob", "mediumblob", "longblob"),
)


def _quoted(word: str, labels: Sequence[str]) -> str:
    return word + "(" + ",".join("'" + label.replace("'", "''") + "'" for label in labels) + ")"


_precisions = st.sampled_from([1, 2, 9, 10, 18, 19, 64, 65]) | st.integers(1, 65)
_scales = st.sampled_from([0, 1, 2, 30]) | st.integers(0, 30)
_signs = st.sampled_from(["", "", " unsigned"])


@st.composite
def _decimal_types(draw: st.DrawFn) -> str:
    precision, scale, unsigned = draw(_precisions), draw(_scales), draw(_signs)
    return f"decimal({precision},{min(precision, scale)}){unsigned}"


def _words(words: Iterable[str], families: frozenset[Family]) -> st.SearchStrategy[str]:
    """The words that are, or begin, a type of the families."""
    kept = [word for word in words if Family(word.partition("(")[0].split()[0]) in families]
    return st.sampled_from(kept) if kept else st.nothing()


@cache
def column_types(families: frozenset[Family] = frozenset(Family)) -> st.SearchStrategy[ColumnType]:
    """A column type of one of the families, by default of any that TiDB has."""
    lengths = st.sampled_from([1, 2, 16, 255])
    parts: Sequence[tuple[Family | None, st.SearchStrategy[str]]] = (
        (None, _words(_PLAIN_TYPES, families)),
        (Family.DECIMAL, _decimal_types()),
        (Family.BIT, st.sampled_from([1, 7, 8, 9, 63, 64]).map("bit({})".format)),
        (None, st.builds("{}({})".format, _words(("char", "varchar", "binary", "varbinary"), families), lengths)),
        (None, st.builds("{}({})".format, _words(("datetime", "timestamp", "time"), families), st.integers(1, 6))),
        (None, _words(("datetime", "timestamp", "time"), families)),
        (Family.VECTOR, st.sampled_from([1, 3]).map("vector({})".format)),
        (Family.ENUM, st.lists(_labels, min_size=1, max_size=5, unique=True).map(lambda ls: _quoted("enum", ls))),
        (Family.SET, st.lists(_set_labels, min_size=1, max_size=5, unique=True).map(lambda ls: _quoted("set", ls))),
    )
    return st.one_of([texts for family, texts in parts if family is None or family in families]).map(parse_column_type)


def _integers(low: int, high: int) -> st.SearchStrategy[str]:
    edges = {low, low + 1, high - 1, high, high // 2, high // 2 + 1, 0, 1, 9, 10, 99, 100}
    near = sorted((n for n in edges if low <= n <= high), key=lambda n: (abs(n), n < 0))
    return (st.sampled_from(near) | st.integers(low, high)).map(str)


def _decimals(column_type: ColumnType) -> st.SearchStrategy[str]:
    precision, scale = column_type.length or 10, column_type.scale or 0
    top = 10**precision - 1

    def text(number: int) -> str:
        digits = str(abs(number)).rjust(scale + 1, "0")
        body = digits if scale == 0 else f"{digits[:-scale]}.{digits[-scale:]}"
        return "-" + body if number < 0 else body

    low = 0 if column_type.unsigned else -top
    return (st.sampled_from([0, 1, top, low]) | st.integers(low, top)).map(text)


def _floats(column_type: ColumnType) -> st.SearchStrategy[str]:
    width = 32 if column_type.family is Family.FLOAT else 64
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=width)  # type: ignore[arg-type]
    if column_type.unsigned:
        numbers = numbers.map(abs)
    return numbers.map(repr)


def _fractions(fsp: int) -> st.SearchStrategy[str]:
    if fsp == 0:
        return st.just("")
    return (st.just("0" * fsp) | st.integers(0, 10**fsp - 1).map(lambda n: f"{n:0{fsp}}")).map(".{}".format)


def _datetimes(column_type: ColumnType) -> st.SearchStrategy[str]:
    moments = st.sampled_from(
        ["2024-02-29 23:59:59", "1970-01-01 00:00:01", "0000-00-00 00:00:00", "9999-12-31 00:00:00"]
    ) | st.datetimes().map(lambda t: t.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0"))
    return st.builds("{}{}".format, moments, _fractions(column_type.fsp))


def _timestamps(column_type: ColumnType) -> st.SearchStrategy[str]:
    """Times that a TIMESTAMP can hold, a day from each end of its range, so that they do in every time zone."""
    moments = st.sampled_from(["2024-02-29 23:59:59", "1970-01-02 00:00:00", "0000-00-00 00:00:00"]) | st.datetimes(
        datetime(1970, 1, 2), datetime(2038, 1, 18)
    ).map(lambda t: t.strftime("%Y-%m-%d %H:%M:%S"))
    return st.builds("{}{}".format, moments, _fractions(column_type.fsp))


def _times(column_type: ColumnType) -> st.SearchStrategy[str]:
    clock = st.builds(
        "{}{:02}:{:02}:{:02}".format,
        st.sampled_from(["", "-"]),
        st.sampled_from([0, 1, 23, 24, 99, 100, 837]),
        st.integers(0, 59),
        st.integers(0, 59),
    )
    edges = st.sampled_from(["838:59:59", "-838:59:59", "00:00:00"]).map(
        lambda text: text + ("." + "0" * column_type.fsp if column_type.fsp else "")
    )
    return edges | st.builds("{}{}".format, clock, _fractions(column_type.fsp)).map(_without_negative_zero)


def _without_negative_zero(text: str) -> str:
    """A TIME without the sign of `-00:00:00`, which no database holds."""
    return text if text.strip("-0:.") else text.removeprefix("-")


_json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(CHARACTERS, max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(CHARACTERS, max_size=4), inner, max_size=3),
    max_leaves=6,
)


def _vectors(column_type: ColumnType) -> st.SearchStrategy[str]:
    least, most = (1, 4) if column_type.length is None else (column_type.length, column_type.length)
    elements = st.floats(-1e6, 1e6, width=32).filter(lambda x: math.copysign(1.0, x) > 0 or x != 0)
    return st.lists(
        elements.map(lambda x: plain(repr(nearest_float32(repr(x))), 32)), min_size=least, max_size=most
    ).map(lambda parts: "[" + ",".join(parts) + "]")


def _binaries(column_type: ColumnType) -> st.SearchStrategy[bytes]:
    longest = min(column_type.length or 24, 24)
    data = st.binary(max_size=longest) | st.sampled_from([bytes(range(256)), b"", b"\xff\xfe\0"]).map(
        lambda b: b[:longest]
    )
    if column_type.family is Family.BINARY:
        return data.map(lambda b: b.ljust(column_type.characters, b"\0"))
    return data


@lru_cache(maxsize=1024)
def values_of(column_type: ColumnType, *, invalid_index: bool = True) -> st.SearchStrategy[Value]:
    """A value of a column type, never NULL; an ENUM may be index 0 unless `invalid_index` is false."""
    family = column_type.family
    if family in INTEGERS or family is Family.BIT:
        return _integers(column_type.minimum, column_type.maximum)
    if family in TEXT:
        return st.text(CHARACTERS, max_size=min(column_type.length or 20, 20))
    if family in BINARY:
        return _binaries(column_type)
    if family is Family.ENUM:
        labels: st.SearchStrategy[Value] = st.sampled_from(column_type.members)
        return labels | st.just(Index(0)) if invalid_index else labels
    if family is Family.SET:
        return st.sets(st.sampled_from(column_type.members)).map(
            lambda s: ",".join(m for m in column_type.members if m in s)
        )
    if family is Family.JSON:
        return _json_values.map(lambda tree: json.dumps(tree, ensure_ascii=False))
    strategies = {
        Family.DECIMAL: _decimals,
        Family.FLOAT: _floats,
        Family.DOUBLE: _floats,
        Family.DATETIME: _datetimes,
        Family.TIMESTAMP: _timestamps,
        Family.TIME: _times,
        Family.VECTOR: _vectors,
    }
    if family in strategies:
        return strategies[family](column_type)
    if family is Family.DATE:
        return st.sampled_from(["2024-02-29", "0000-00-00", "0001-01-01", "9999-12-31"]) | st.dates().map(
            lambda d: d.isoformat()
        )
    return st.sampled_from(["2024", "0", "1901", "1970", "2155"]) | st.integers(1901, 2155).map(str)  # YEAR
