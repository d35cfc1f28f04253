"""Compares the spelling of two JSON texts, token by token: white space, strings and numbers.

The values are compared elsewhere: a number with another value is skipped here. Where the texts differ in the number or
the values of their strings, only white space is compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

__all__ = ["text_differences"]

_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")
# A context in which numbers of any exponent can be compared, without errors.
_EXACT = Context(prec=4300, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")|(\s+)|([^"\s]+)', re.DOTALL)


def _normalized(token: str) -> str:
    """A token that is no string, with its numbers in one spelling; -0 becomes 0."""
    return _NUMBER.sub(lambda found: str(Decimal(found[0]).normalize(_EXACT) or 0), token)


def _tokens(text: str) -> tuple[list[str], list[str], bool]:
    """(string literals, other tokens, whether there is white space between tokens)."""
    strings, others, blank = [], [], False
    for string, space, other in _TOKEN.findall(text):
        if string:
            strings.append(string)
        elif space:
            blank = True
        else:
            others.append(other)
    return strings, others, blank


def text_differences(expected: str, got: str) -> Iterator[tuple[str, str, str]]:
    """(`space` | `string` | `other`, expected, got) for every pair of tokens with equal values.

    Equal tokens are yielded too, once for each spelling: an assertion ran for them.
    """
    want, want_others, want_blank = _tokens(expected)
    have, have_others, have_blank = (want, want_others, want_blank) if got == expected else _tokens(got)
    yield "space", "white space" if want_blank else "", "white space" if have_blank else ""
    if len(want) != len(have) or any(
        w != h and json.loads(w) != json.loads(h) for w, h in zip(want, have, strict=True)
    ):
        return
    for pair in dict.fromkeys(zip(want, have, strict=True)):
        yield "string", *pair
    if len(want_others) == len(have_others):
        for w, h in dict.fromkeys(zip(want_others, have_others, strict=True)):
            if w == h or _normalized(w) == _normalized(h):  # another number is a matter of its value
                yield "other", w, h
