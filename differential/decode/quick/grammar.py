"""Patterns of values: no pattern matches one text in two ways.

Those of types (`exact`) match only texts that are already canonical: `differential.decode.canonical` defines what is
canonical, `reference_impl.values` what is a value. They may miss some canonical texts, and never match any other text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from reference_impl.column_types import INTEGERS, ColumnType, Family

__all__ = ["BASE64", "LOOSE", "NUMBER", "STRING", "TSO", "between", "decimal", "exact", "fixed", "integer"]

NUMBER = "(?:0|[1-9][0-9]{0,17})"
"""An integer that is not negative and fits 63 bits."""

TSO = "[1-9][0-9]{0,17}"
"""A time stamp of TiDB (TSO), which is never 0."""

BASE64 = '"[A-Za-z0-9+/=]*+"'
"""Bytes in base64; the number of characters is not checked."""

STRING = r'"[^"\\\x00-\x1f]*+(?>\\.[^"\\\x00-\x1f]*+)*+"'
"""Any JSON string, quotes included; its escapes and its UTF-8 are not checked."""

LOOSE = rf'"[^"]*+(?<!\\)"|(?="[^"]*+(?<=\\)"){STRING}'
"""The same in half the time if no quote is escaped; it also matches strings with control characters."""


_LONG = 64  # bytes


def fixed(text: str) -> str:
    """The pattern of a text that all messages have; of a long text only the length.

    A long text matches any bytes of its length, in the group `fixed`.

    The caller compares that group, which is far faster than matching a long text.
    """
    size = len(text.encode())
    return f"(?P<fixed>.{{{size}}})" if size > _LONG else re.escape(text)


def _digits(least: int, most: int) -> str:
    if most == 0:
        return ""
    return "[0-9]" + (f"{{{least},{most}}}" if least != most else f"{{{least}}}" if least > 1 else "")


def _same_length(low: str, high: str) -> str:
    """The numbers from `low` to `high`, which have the same number of digits."""
    if low == high:
        return low
    if not low.strip("0") and not high.strip("9"):
        return _digits(len(low), len(low))
    first, last, rest = int(low[0]), int(high[0]), len(low) - 1
    if first == last:
        return low[0] + _same_length(low[1:], high[1:])
    parts = []
    if low[1:].strip("0"):
        parts.append(low[0] + _same_length(low[1:], "9" * rest))
        first += 1
    if high[1:].strip("9"):
        parts.append(high[0] + _same_length("0" * rest, high[1:]))
        last -= 1
    if first <= last:
        parts.append((str(first) if first == last else f"[{first}-{last}]") + (_digits(rest, rest) if rest else ""))
    return parts[0] if len(parts) == 1 else "(?:" + "|".join(parts) + ")"


@lru_cache(maxsize=1024)  # tables have few types, and each many columns
def between(low: int, high: int) -> str:
    """The decimal numbers from `low`, not negative, to `high`, without zeros in front."""
    if low == 0:
        return "0" if high == 0 else f"(?:0|{between(1, high)})"
    parts, whole = [], []
    for length in range(len(str(low)), len(str(high)) + 1):
        least, most = 10 ** (length - 1), 10**length - 1
        if low <= least and most <= high:
            whole.append(length - 1)
        else:
            parts.append(_same_length(str(max(low, least)), str(min(high, most))))
    if whole:  # first, since most numbers are of these
        parts.insert(0, "[1-9]" + _digits(whole[0], whole[-1]) + ("+" if whole[0] < whole[-1] else ""))
    return "(?:" + "|".join(parts) + ")"


def integer(kind: ColumnType) -> str:
    """The values of an integer type or of BIT."""
    if kind.minimum >= 0:
        return between(kind.minimum, kind.maximum)
    return f"(?:0|-?{between(1, kind.maximum)}|{kind.minimum})"


def decimal(kind: ColumnType, fraction: str | None = None) -> str:
    """The values of a DECIMAL with every declared digit, or with `fraction` in their place."""
    scale = kind.scale or 0
    whole = (kind.length or 10) - scale
    digits = f"(?:0|[1-9][0-9]{{0,{whole - 1}}})" if whole > 0 else "0"
    shown = f"[.][0-9]{{{scale}}}" if scale else ""
    return ("" if kind.unsigned else "-?") + digits + (shown if fraction is None else fraction)


_DATE = "[0-9]{4}-(?:0[0-9]|1[0-2])-(?:[0-2][0-9]|3[01])"
_MINUTES = ":[0-5][0-9]:[0-5][0-9]"


def _fraction(kind: ColumnType) -> str:
    return f"[.][0-9]{{{kind.fsp}}}" if kind.fsp else ""


def _datetime(kind: ColumnType) -> str:
    return f"{_DATE} (?:[01][0-9]|2[0-3]){_MINUTES}{_fraction(kind)}"


def _time(kind: ColumnType) -> str:
    last = "838:(?:[0-4][0-9]:[0-5][0-9]|5[0-8]:[0-5][0-9]|59:[0-4][0-9]|59:5[0-8])" + _fraction(kind)
    end = "838:59:59" + (f"[.]0{{{kind.fsp}}}" if kind.fsp else "")
    hours = "(?:[0-9]{2}|[1-7][0-9]{2}|8[0-2][0-9]|83[0-7])"
    return f"-?(?:{hours}{_MINUTES}{_fraction(kind)}|{last}|{end})"


def _year(kind: ColumnType) -> str:
    return f"(?:0|{between(1901, 2155)})"


_EXACT: Mapping[Family, Callable[[ColumnType], str]] = {
    **dict.fromkeys((*INTEGERS, Family.BIT), integer),
    Family.DECIMAL: decimal,
    Family.DATE: lambda kind: _DATE,
    Family.DATETIME: _datetime,
    Family.TIMESTAMP: _datetime,
    Family.TIME: _time,
    Family.YEAR: _year,
}


def exact(kind: ColumnType) -> str | None:
    """The pattern of a type's canonical texts, None for a type that no pattern can describe."""
    pattern = _EXACT.get(kind.family)
    return None if pattern is None else pattern(kind)
