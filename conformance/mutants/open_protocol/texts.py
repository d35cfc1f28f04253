"""Encoders that spell JSON differently."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.open_protocol.edits import Pair, encoder, member, pairs, rows
from conformance.mutants.wrappers import Context, in_families
from reference_impl.column_types import Family

__all__ = ["MUTANTS"]

_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"')
_UNIT = re.compile(r"\\u[0-9a-f]{4}|\\.|[^\\]", re.DOTALL)
_NAMES = re.compile(r'(?<=\{|,)"(?:[^"\\]|\\.)*"(?=:\{"t")')


def _in_literals(literals: re.Pattern[str], change: Callable[[str], str]) -> Wrap:
    """Changes every character and every escape in the matching string literals."""

    def literal(found: re.Match[str]) -> str:
        return '"' + "".join(map(change, _UNIT.findall(found[0][1:-1]))) + '"'

    def respelled(body: bytes) -> bytes:
        return literals.sub(literal, body.decode()).encode()

    def each(events: list[Pair], context: Context) -> list[Pair]:
        return [(respelled(key), respelled(value) if context.compression == "none" else value) for key, value in events]

    return pairs(each)


def _spelled(change: Callable[[str], str]) -> Wrap:
    return _in_literals(_LITERAL, change)


def _escaped(chars: str) -> Wrap:
    return _spelled(lambda unit: f"\\u{ord(unit):04x}" if unit in chars else unit)


def _replaced(unit: str, other: str) -> Wrap:
    return _spelled(lambda given: other if given == unit else given)


MUTANTS: tuple[Mutant, ...] = (
    encoder("mediumint-with-a-point", "OP-081a", "MEDIUMINT is written with a point")(
        member("v", lambda value: None if value is None else Decimal(f"{value}.0"), in_families(Family.MEDIUMINT))
    ),
    encoder("key-order-of-the-new-architecture", "OP-022", "the row id comes after the type", profile="classic")(
        rows(lambda key, value, context: key.update(rid=key.pop("rid")) if "rid" in key else None)
    ),
    encoder("quotation-marks-in-digits", "OP-070", "quotation marks are written as \\u0022")(
        _replaced('\\"', "\\u0022")
    ),
    encoder("tabs-in-digits", "OP-071", "tabs are written as \\u0009")(_replaced("\\t", "\\u0009")),
    encoder("short-backspace", "OP-072", "a backspace is written as \\b")(_replaced("\\u0008", "\\b")),
    encoder("controls-in-upper-case", "OP-073", "the digits of escapes are in upper case")(
        _spelled(lambda unit: unit[:2] + unit[2:].upper() if unit[:2] == "\\u" else unit)
    ),
    encoder("del-escaped", "OP-074", "DEL is escaped")(_escaped("\x7f")),
    encoder("html-escaped", "OP-075", "the characters < > & are escaped")(_escaped("<>&")),
    encoder("line-separators-escaped", "OP-076", "U+2028 and U+2029 are escaped")(_escaped("\u2028\u2029")),
    encoder("names-in-ascii", "OP-083", "names of columns are written in ASCII")(
        _in_literals(
            _NAMES, lambda unit: unit if unit.isascii() or len(unit) > 1 or unit > "\uffff" else f"\\u{ord(unit):04x}"
        )
    ),
)
