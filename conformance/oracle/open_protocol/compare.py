"""Compares two leaves of Open Protocol: equal, spelled differently, or different."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind
from reference_impl import exact_json
from reference_impl.column_types import BINARY, Family
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32, same_float
from reference_impl.open_protocol.quoting import unquote
from reference_impl.profiles import Release
from reference_impl.values import loosely_same_value

__all__ = ["compare", "reads_alike"]

_CLAIM_FILE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.json")
_CLAIM_PATHS = (("key", "ccl"), ("claim", "location"))  # where messages name claim-check files


def _compare_locations(expected: str, got: str) -> Kind | None:
    """The difference of two locations of claim-check files: the folder and the form of the name count.  [OP-171]"""
    folder, _, name = got.rpartition("/")
    return None if folder == expected.rpartition("/")[0] and _CLAIM_FILE.fullmatch(name) else Kind.VALUE


_FIRST_WITH_32_BITS: Release = (7, 0, 0)  # releases before it write a FLOAT as a 64-bit number  [OP-080a]


def _compare_floats(expected: Any, got: Any, bits: int, release: Release) -> Kind | None:
    """The difference of two floats at the width of their column; other digits for the same float are `TEXT`."""
    if not same_float(str(expected), str(got), bits):
        return Kind.VALUE
    if bits == 32 and release < _FIRST_WITH_32_BITS and Decimal(repr(nearest_float32(str(expected)))) == got:
        return None
    return None if expected == got else Kind.TEXT


def _compare_json(expected: str, got: str) -> Kind | None:
    if expected == got:
        return None
    try:
        same = exact_json.same(exact_json.loads(expected), exact_json.loads(got))
    except Rejected:
        same = False
    return Kind.TEXT if same else Kind.VALUE


def reads_alike(place: Place) -> bool:
    """Both texts of a column's value read as one value."""
    expected, got, column = place.expected, place.got, place.column
    if column is None or place.path[-1] != "v" or not (isinstance(expected, str) and isinstance(got, str)):
        return False
    if column.type.family not in BINARY:
        return loosely_same_value(column.type, expected, got)
    try:
        return unquote(expected) == unquote(got)
    except Rejected:
        return False


def compare(place: Place) -> Kind | None:
    """The kind of difference between two leaves of one JSON kind; None if they are equal or both allowed."""
    expected, got = place.expected, place.got
    if place.path in _CLAIM_PATHS:
        return _compare_locations(expected, got)
    family = place.column.type.family if place.column is not None and place.path[-1] == "v" else None
    if isinstance(expected, (int, Decimal)) and not isinstance(expected, bool):
        if family is Family.FLOAT or family is Family.DOUBLE:
            return _compare_floats(expected, got, 32 if family is Family.FLOAT else 64, place.profile.release)
        # 1.0 and 1e0 are no integers: an implementation that writes them went through a float.
        return None if expected == got and type(expected) is type(got) else Kind.VALUE
    if family is Family.JSON and isinstance(expected, str):
        return _compare_json(expected, got)
    return None if expected == got else Kind.VALUE
