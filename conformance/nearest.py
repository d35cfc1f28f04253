"""Near misses: the existing names that a person most likely meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache

__all__ = ["did_you_mean", "nearest", "unknown_name"]

_DIGITS = re.compile("[0-9]+")
_BETWEEN = re.compile(r"[\s_-]+")
_SIMILARITY = 0.75


@cache
def _plain(name: str) -> str:
    """A name for comparison: in lower case, with one kind of separator, and numbers without leading zeros."""
    folded = _BETWEEN.sub("-", name.casefold())
    return _DIGITS.sub(lambda digits: digits[0].lstrip("0") or "0", folded)


def nearest(given: str, names: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """The names nearest to `given`, the best first; empty where none is near.

    Letter case, leading zeros of a number and the kind of separator do not count: `op-40` is near to `OP-040`.
    """
    by_plain: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        by_plain.setdefault(_plain(name), []).append(name)
    typed = _plain(given)
    if not typed:
        return ()
    near = [typed] if typed in by_plain else []
    near += sorted((p for p in by_plain if p.startswith(typed) and p != typed and _is_variant(p, typed)), key=_size)
    near = near or difflib.get_close_matches(typed, by_plain, n=most, cutoff=_SIMILARITY)
    return tuple(name for p in near for name in by_plain[p])[:most]


def _is_variant(name: str, beginning: str) -> bool:
    """Whether a longer name is a variant, as `CJ-40b` is of `CJ-40`, and not another number, as `CJ-401` is."""
    return not (beginning[-1].isdigit() and name[len(beginning)].isdigit())


def _size(name: str) -> tuple[int, str]:
    return len(name), name


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """`; did you mean OP-040 or OP-040a?`, or nothing if no name is near."""
    near = nearest(given, names)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def unknown_name(what: str, given: str, names: Iterable[str]) -> str:
    """`unknown protocol 'avr'; did you mean avro?`, and on a second line all names. `what` is the noun."""
    names = list(names)
    return f"unknown {what} {given!r}{did_you_mean(given, names)}\n  There are: {', '.join(names)}"
