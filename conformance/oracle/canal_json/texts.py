"""Predicates of the checks on JSON text: characters of literals, names of columns."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.oracle.conditions import same
from conformance.oracle.rules import Condition, Place

__all__ = ["is_escape_of", "is_name_of_column"]

_UNIT = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)

# Requirement → how the characters whose escape it rules are spelled in an expected text.
_SPELLINGS: Mapping[str, re.Pattern[str]] = {
    "CJ-701": re.compile(r'\\["\\]'),
    "CJ-702": re.compile(r"\\u00(?:3[cCeE]|26)"),
    "CJ-703": re.compile(r"\\[tnr]"),
    "CJ-704": re.compile(r"\\u00[01][0-9a-f]"),
    "CJ-705": re.compile(r"\\u202[89]"),
    "CJ-708": re.compile(r"\\ufffd"),
    "CJ-707": re.compile(r"[/']"),
    "CJ-706": re.compile(r"[^\\/']"),
}


def _first_difference(expected: str, got: str) -> str:
    """The first character or escape of the expected literal that the answered one spells differently."""
    units = zip(_UNIT.findall(expected), _UNIT.findall(got), strict=False)
    return next((str(expected_unit) for expected_unit, got_unit in units if expected_unit != got_unit), "")


def is_escape_of(requirement: str) -> Condition:
    """The text has a character that the requirement is about; if the two differ, one that differs."""
    pattern = _SPELLINGS[requirement]

    def condition(place: Place) -> bool:
        if same(place):
            return pattern.search(place.expected[1:-1]) is not None
        unit = _first_difference(place.expected, place.got)
        return next((r for r, p in _SPELLINGS.items() if p.fullmatch(unit)), "") == requirement

    return condition


def is_name_of_column(place: Place) -> bool:
    """The literal is the name of a column, and is not a plain ASCII identifier."""
    if place.table is None or (place.expected[1:-1].isidentifier() and place.expected.isascii()):
        return False
    unescaped = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), place.expected[1:-1]).replace('\\"', '"')
    return place.table.column(unescaped) is not None
