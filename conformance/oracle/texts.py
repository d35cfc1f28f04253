"""Compares the spelling of two JSON texts, token by token: white space, strings and numbers.

The values are compared elsewhere: a token with another value is skipped here. Where the strings stand in another order,
as members may, or have other values, each string and number is compared with one of the same value. Where the texts
differ in the number of their strings, only white space is compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import NamedTuple

__all__ = ["JSON_TOKEN", "text_differences"]

_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")
# A context in which numbers of any exponent can be compared, without errors.
_EXACT = Context(prec=4300, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_OTHER = re.compile(r'[^"\s]+')
_SPACE = re.compile(r"\s")
# A string, white space, or anything else.
JSON_TOKEN = re.compile(r'("(?:[^"\\]|\\.)*")|(\s+)|([^"\s]+)', re.DOTALL)


def text_differences(expected: str, got: str) -> Iterator[tuple[str, str, str]]:
    """(`space` | `string` | `other`, expected, got) for every pair of tokens with equal values.

    Equal tokens are yielded too, once for each spelling: an assertion ran for them.
    """
    expected_tokens = _tokens(expected)
    got_tokens = expected_tokens if got == expected else _tokens(got)
    yield "space", _space(expected_tokens), _space(got_tokens)
    if len(expected_tokens.strings) != len(got_tokens.strings):
        return
    strings = dict.fromkeys(zip(expected_tokens.strings, got_tokens.strings, strict=True))
    if any(one != other and json.loads(one) != json.loads(other) for one, other in strings):
        pairs = _paired_by_value(expected_tokens.strings, got_tokens.strings, json.loads)
        yield from (("string", one, other) for one, other in pairs)
        pairs = _paired_by_value(expected_tokens.numbers(), got_tokens.numbers(), _normalized)
        yield from (("other", one, other) for one, other in pairs)
        return
    for one, other in strings:
        yield "string", one, other
    if len(expected_tokens.others) == len(got_tokens.others):
        for one, other in dict.fromkeys(zip(expected_tokens.others, got_tokens.others, strict=True)):
            if one == other or _normalized(one) == _normalized(other):  # another number is a matter of its value
                yield "other", one, other


def _paired_by_value(
    expected: Sequence[str], got: Sequence[str], value_of: Callable[[str], str]
) -> Collection[tuple[str, str]]:
    """Each answered token with an expected one of its value: the same token if there is one; others are left out."""
    known, by_value = frozenset(expected), {value_of(one): one for one in expected}
    pairs = ((one if one in known else by_value.get(value_of(one)), one) for one in dict.fromkeys(got))
    return [(one, other) for one, other in pairs if one is not None]


class _Tokens(NamedTuple):
    strings: list[str]  # with their quotes
    others: list[str]
    has_space: bool  # whether there is white space between tokens

    def numbers(self) -> list[str]:
        """The numbers, as they are spelled."""
        return [number for other in self.others for number in _NUMBER.findall(other)]


def _tokens(text: str) -> _Tokens:
    rest = _STRING.sub('"', text)
    return _Tokens(_STRING.findall(text), _OTHER.findall(rest), _SPACE.search(rest) is not None)


def _space(tokens: _Tokens) -> str:
    return "white space" if tokens.has_space else ""


def _normalized(token: str) -> str:
    """A token that is not a string, with its numbers in one spelling; -0 becomes 0."""
    return _NUMBER.sub(lambda found: str(Decimal(found[0]).normalize(_EXACT) or 0), token)
