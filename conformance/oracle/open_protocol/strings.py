"""Finds the requirement on the spelling of a string: escapes and quoting.

Strings of JSON have escapes, binary strings are quoted in addition. Two spellings of a string are compared unit by unit
(a character or an escape): the differing units decide which requirements are broken.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import takewhile

from conformance.oracle.conditions import family, refuse_unknown, same
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING
from reference_impl.column_types import Family
from reference_impl.model import DdlEvent, RowChange

__all__ = ["PREDICATES", "is_beyond_document", "is_escape_of", "is_quoting_of"]

_ESCAPED = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]")


def _escape_rule(char: str) -> str:
    """The requirement on the escape of a character."""
    if char in '"\\':
        return "OP-070"
    if char in "\n\r\t":
        return "OP-071"
    if char in "\b\f":
        return "OP-072"
    if char < " ":
        return "OP-073"
    if char == "\x7f":
        return "OP-074"
    if char in "<>&":
        return "OP-075"
    return "OP-076" if char in "\u2028\u2029" else "OP-078"


@lru_cache(maxsize=4096)
def _escape_rules(expected: str, got: str) -> frozenset[str]:
    """The requirements on the escapes in two equal literals; for different literals, on the escapes that differ."""
    units, others = _ESCAPED.findall(expected[1:-1]), _ESCAPED.findall(got[1:-1])
    pairs = zip(units, others, strict=True) if len(units) == len(others) else ()
    differing = [unit for unit, other in pairs if unit != other] if expected != got else units
    return frozenset(_escape_rule(json.loads(f'"{unit}"')) for unit in dict.fromkeys(differing))


def is_name(place: Place) -> bool:
    """The literal is the name of a schema, table or column, or a statement, and has a character to escape."""
    event, table = place.event, place.table
    literal = place.expected
    if "\\" not in literal and literal.isascii() and not any(char in literal for char in "<>&\x7f"):
        return False
    text = json.loads(literal)
    if isinstance(event, DdlEvent):
        return text in (event.schema, event.table, event.query)
    if isinstance(event, RowChange) and text in (event.schema, event.table):
        return True
    return table is not None and table.column(text) is not None


_OF_ESCAPES = ("OP-070", "OP-071", "OP-072", "OP-073", "OP-074", "OP-075", "OP-076", "OP-078")


def is_escape_of(requirement: str) -> Condition:
    """The text has a character that the requirement is about; if the two differ, one that differs."""
    refuse_unknown(requirement, *_OF_ESCAPES)
    return lambda place: requirement in _escape_rules(place.expected, place.got) and not is_name(place)


_QUOTED = re.compile(r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\.|[^\\]", re.DOTALL)
_PLAIN = ("OP-133", "OP-136")  # the rules on characters that stay as they are
_BY_LETTER = {"\\a": "\\x07", "\\b": "\\x08", "\\t": "\\x09", "\\v": "\\x0b", "\\f": "\\x0c"}


def _quote_rule(unit: str) -> str:
    """The requirement on how a unit of a binary string is quoted."""
    if unit[:2] == "\\x":
        return "OP-135" if int(unit[2:], 16) < 0x80 else "OP-130"
    if unit[:2] in ("\\u", "\\U"):
        return "OP-137" if unit[1] == "u" else "OP-138"
    if unit[0] == "\\":
        return {'"': "OP-131", "\\": "OP-132"}.get(unit[1], "OP-134")
    return "OP-133" if unit == "'" else "OP-136"


def _style_rule(unit: str) -> str | None:
    """The requirement on the choice between several escapes for a unit; None if the document leaves no choice."""
    if unit in _BY_LETTER:
        return "OP-134a"
    return "OP-130a" if unit[:2] == "\\x" and not unit[2:].isdecimal() else None


def _is_same_byte(unit: str, other: str) -> bool:
    """Whether `other` is another escape for the same byte."""
    return other.lower() in (unit, _BY_LETTER.get(unit))


def _byte_of(unit: str) -> bytes:
    """The bytes that a unit of a binary string stands for."""
    if unit[:2] in ("\\x", "\\u", "\\U"):
        code = int(unit[2:], 16)
        return bytes([code]) if unit[1] == "x" else chr(code).encode("utf-8", "surrogatepass")
    letter = _BY_LETTER.get(unit) or {"\\n": "\\x0a", "\\r": "\\x0d"}.get(unit)
    return _byte_of(letter) if letter else unit[-1].encode("utf-8", "surrogatepass")


# Other forms in which bytes are often written.
_OTHER_FORMS: tuple[Callable[[bytes], str], ...] = (
    lambda data: base64.b64encode(data).decode(),
    lambda data: base64.b64encode(data).decode().rstrip("="),
    lambda data: base64.urlsafe_b64encode(data).decode(),
    lambda data: data.hex(),
    lambda data: data.hex().upper(),
    lambda data: f"0x{data.hex()}",
    lambda data: f"0x{data.hex().upper()}",
)


def _equal_at_start(units: Sequence[str], others: Sequence[str]) -> int:
    """How many units two binary strings begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(units, others, strict=False)))


def _is_another_text(units: Sequence[str], got: str) -> bool:
    """Whether an answer has the bytes in another form, or other bytes, so that no single unit is quoted wrongly.

    It has other bytes if it lacks a printable character, unless the only differing unit is this character.
    """
    data = b"".join(map(_byte_of, units))
    if any(form(data) == got for form in _OTHER_FORMS):
        return True
    others = _QUOTED.findall(got)
    first = _equal_at_start(units, others)
    rest, other_rest = units[first:], others[first:]
    last = _equal_at_start(rest[::-1], other_rest[::-1])
    rest = rest[: len(rest) - last]
    remaining = iter("".join(other_rest[: len(other_rest) - last]))
    # `in` takes characters from `remaining`: the printable ones must be there in their order.
    return len(rest) > 1 and not all(unit in remaining for unit in rest if _quote_rule(unit) in _PLAIN)


@lru_cache(maxsize=4096)
def _quote_rules(expected: str, got: str) -> frozenset[str]:
    """The requirements on the units of two equal binary strings; for different strings, on the units that differ.

    Empty if the answer is another text altogether.
    """
    units = _QUOTED.findall(expected)
    if expected == got:
        return frozenset(rule for unit in units for rule in (_quote_rule(unit), _style_rule(unit)) if rule)
    if _is_another_text(units, got):
        return frozenset()
    found: set[str] = set()
    for unit, other in zip(units, _QUOTED.findall(got), strict=False):
        if unit == other:
            continue
        style = _style_rule(unit)
        if style is None or not _is_same_byte(unit, other):
            return frozenset({*found, _quote_rule(unit)})  # behind it the units need not belong together
        found.add(style)
    return frozenset(found)


_binary = family(Family.BINARY, Family.VARBINARY)


def _rules_of_quoting(place: Place) -> frozenset[str]:
    """The requirements on quoting for two binary strings, see `_quote_rules`; empty for anything but texts."""
    both = isinstance(place.expected, str) and isinstance(place.got, str)
    return _quote_rules(place.expected, place.got) if both else frozenset()


_OF_QUOTING = (
    *("OP-130", "OP-130a", "OP-131", "OP-132", "OP-133", "OP-134", "OP-134a", "OP-135", "OP-136", "OP-137"),
    "OP-138",
)


def is_quoting_of(requirement: str) -> Condition:
    """The requirement is on a unit of the two binary strings, or on a differing one if they differ."""
    refuse_unknown(requirement, *_OF_QUOTING)
    return lambda place: requirement in _rules_of_quoting(place)


def is_of_quoting(place: Place) -> bool:
    """Two binary strings differ, in a unit that a requirement on quoting is about."""
    return _binary(place) and not same(place) and bool(_rules_of_quoting(place))


def is_beyond_document(place: Place) -> bool:
    """The bytes of a binary column (base64 in an event) need escapes that the document does not name."""
    if place.expected in (None, MISSING):
        return False
    text = base64.b64decode(place.expected).decode("utf-8", "surrogateescape")
    return any(
        char in '"\\' or (char > "\x7f" and not "\udc80" <= char <= "\udcff" and not char.isprintable())
        for char in text
    )


PREDICATES: Sequence[Condition] = (is_name, is_of_quoting)
