"""Values of a finding as JSON for the run record: exact, and cut if they are long."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from conformance.oracle.tree import MISSING

__all__ = ["jsonable", "shown_values"]

_LONGEST_TEXT = 1000
_MOST_PARTS = 60
_EXACT = 2**53


def jsonable(value: Any, at: int = 0) -> Any:
    """A value of a finding as exact, readable JSON.

    A value that JSON cannot express is an object with one member that begins with `$`: `$missing` (the path does not
    exist), `$bytes` (hex), `$number` (an exact number as text), `$any` (any of these), `$text` (part of a long text),
    `$more` (the number of parts left out). `$doubled`, beside the members of an object, has the names of those that it
    has more than once. Of long text and bytes the part around the position `at` is shown: `length` is the length of the
    whole, `from` the position at which the part begins.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        # A lone surrogate has no UTF-8: its escape is shown.
        whole = value.encode("utf-8", "backslashreplace").decode()
        if len(whole) <= _LONGEST_TEXT:
            return whole
        part = slice(*_around(len(value), at))
        return _cut("$text", value[part].encode("utf-8", "backslashreplace").decode(), len(value), part.start)
    if isinstance(value, int):
        return value if -_EXACT < value < _EXACT else {"$number": str(value)}
    if isinstance(value, (Decimal, float)):
        return {"$number": str(value)}
    if isinstance(value, bytes):
        part = slice(*_around(len(value), at))
        return _cut("$bytes", value[part].hex(" "), len(value), part.start)
    if value is MISSING:
        return {"$missing": True}
    if isinstance(value, frozenset):
        return {"$any": [jsonable(v) for v in sorted(value, key=repr)]}
    if isinstance(value, Mapping):
        return _object(value)
    if isinstance(value, Iterable):
        return _list(list(value))
    return repr(value)


def shown_values(expected: Any, got: Any) -> tuple[Any, Any]:
    """Expected and got of a finding as JSON; of long values the parts around the first difference."""
    if type(expected) is not type(got) or not isinstance(expected, (str, bytes)):
        return jsonable(_unless_deep(expected)), jsonable(_unless_deep(got))
    shorter = min(len(expected), len(got))
    first = next((i for i in range(shorter) if expected[i] != got[i]), shorter)
    return jsonable(expected, first), jsonable(got, first)


_DEEPEST = 100


def _unless_deep(value: Any) -> Any:
    """The value, or a sentence for one that is nested too deeply for a report."""
    level = [value]
    for _ in range(_DEEPEST):
        parents = [part for part in level if isinstance(part, (Mapping, list, tuple))]
        level = [part for parent in parents for part in (parent.values() if isinstance(parent, Mapping) else parent)]
    return value if not level else f"… (nested more than {_DEEPEST} levels deep)"


def _around(length: int, at: int) -> tuple[int, int]:
    """The shown part of a long text, from start to end: its beginning, or the surroundings of the position `at`."""
    start = 0 if at < _LONGEST_TEXT * 3 // 4 else min(at - _LONGEST_TEXT // 2, max(0, length - _LONGEST_TEXT))
    return start, start + _LONGEST_TEXT


def _cut(kind: str, text: str, length: int, start: int) -> dict[str, Any]:
    return {kind: text, "length": length, **({"from": start} if start else {})}


def _object(value: Mapping[Any, Any]) -> dict[str, Any]:
    shown = {_name(name): jsonable(part) for name, part in list(value.items())[:_MOST_PARTS]}
    if len(value) > _MOST_PARTS:
        shown["$more"] = len(value) - _MOST_PARTS
    if doubled := getattr(value, "doubled", ()):
        shown["$doubled"] = list(doubled)
    return shown


def _name(name: Any) -> str:
    """The name of a member, with bytes that are not UTF-8 escaped, and a `$` at its beginning, too."""
    shown = str(name).encode("utf-8", "backslashreplace").decode()
    return f"\\{shown}" if shown.startswith("$") else shown


def _list(value: list[Any]) -> list[Any]:
    shown = [jsonable(part) for part in value[:_MOST_PARTS]]
    return [*shown, {"$more": len(value) - _MOST_PARTS}] if len(value) > _MOST_PARTS else shown
