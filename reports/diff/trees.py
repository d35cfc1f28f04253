"""Two JSON trees side by side, exactly: numbers as their text, doubled members kept, the order of members ignored.

A path is a tuple of member names and positions. A *skeleton* is a path as text, with `[]` for positions and `{column}`
for the members of objects whose members are columns: `value.data[].{column}`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

__all__ = [
    "MISSING",
    "Difference",
    "Doubled",
    "Number",
    "Path",
    "Tree",
    "differences",
    "kind_of",
    "path_text",
    "read_json",
    "shown",
    "skeleton_of",
]

Tree: TypeAlias = Any
"""None, bool, str, `Number`, `Doubled`, a list or a dict of trees."""
Path: TypeAlias = tuple[str | int, ...]

_LISTS_WITH_NAMES: Final = frozenset({"fields", "columns"})
"""Members whose list has parts with a name: the fields of a schema, the columns of a table."""
_NAMES: Final = ("field", "name")
"""The members of a part that may have its name."""
_LONGEST, _MOST, _DEEPEST = 1000, 60, 12
"""What is shown of a tree: characters of a text, parts of a list or object, levels."""


class Number(str):
    """A number with its spelling; `1.0` and `1` are equal numbers and different texts."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """A text of the same characters is another value."""
        return type(other) is Number and str.__eq__(self, other)

    __hash__ = str.__hash__

    def is_equal(self, other: Number) -> bool:
        """Whether the two are one number, perhaps in other digits."""
        if self == other:
            return True
        try:
            return Decimal(self) == Decimal(other)
        except InvalidOperation:  # an exponent of 19 digits
            return False


class Doubled(tuple[Tree, ...]):
    """The values of a member that an object has more than once, in order."""

    __slots__ = ()


class _Missing:
    """The mark of a path that one of the trees lacks."""

    def __repr__(self) -> str:
        return "(missing)"


MISSING: Final = _Missing()


def _object(pairs: list[tuple[str, Tree]]) -> dict[str, Tree]:
    tree = dict(pairs)
    if len(tree) != len(pairs):
        values: dict[str, list[Tree]] = {}
        for name, value in pairs:
            values.setdefault(name, []).append(value)
        tree = {name: found[0] if len(found) == 1 else Doubled(found) for name, found in values.items()}
    return tree


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    parse_int=Number, parse_float=Number, parse_constant=_no_constant, object_pairs_hook=_object, strict=False
)


def read_json(text: str) -> Tree:
    """The tree of a JSON text. Raises `ValueError` for malformed or too deeply nested JSON."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


class Difference(NamedTuple):
    """A path where two trees differ.

    `kind` is `missing` (only the left has it), `extra`, `json kind`, `value`, `doubled` (a member occurs more or less
    often), `order` (the same parts of a list in another order) or `text` (one number in other digits, or one JSON text
    in a column in other characters). `left` and `right` are the parts there, or `MISSING`.
    """

    path: Path
    kind: str
    left: Tree
    right: Tree


def differences(left: Tree, right: Tree, path: Path = ()) -> Iterator[Difference]:
    """Every path where the two differ, parents before their parts; nothing below a path of only one tree."""
    if isinstance(left, dict) and isinstance(right, dict):
        yield from _members(left, right, path)
    elif isinstance(left, Doubled) != isinstance(right, Doubled):
        yield Difference(path, "doubled", left, right)
    elif isinstance(left, (list, Doubled)) and isinstance(right, (list, Doubled)):
        yield from _parts(left, right, path)
    elif kind_of(left) != kind_of(right):
        yield Difference(path, "json kind", left, right)
    elif left != right:
        yield Difference(path, "text" if _is_respelled(left, right) else "value", left, right)


def _is_respelled(left: str, right: str) -> bool:
    """Whether two numbers, or two JSON texts in a column, are equal in other characters."""
    if isinstance(left, Number) and isinstance(right, Number):
        return left.is_equal(right)
    if not isinstance(left, str) or left[:1] not in ("{", "[") or left[:1] != right[:1]:
        return False
    try:
        return all(one.kind == "text" for one in differences(read_json(left), read_json(right)))
    except ValueError:
        return False


def _members(left: Mapping[str, Tree], right: Mapping[str, Tree], path: Path) -> Iterator[Difference]:
    for name, part in left.items():
        if name not in right:
            yield Difference((*path, name), "missing", part, MISSING)
        elif part is not right[name]:
            yield from differences(part, right[name], (*path, name))
    for name, part in right.items():
        if name not in left:
            yield Difference((*path, name), "extra", MISSING, part)


def _parts(left: Sequence[Tree], right: Sequence[Tree], path: Path) -> Iterator[Difference]:
    if left == right:
        return
    if path and path[-1] in _LISTS_WITH_NAMES and (name := _naming_member(left, right)):
        yield from _named_parts(left, right, name, path)
        return
    found = [d for i, pair in enumerate(zip(left, right, strict=False)) for d in differences(*pair, (*path, i))]
    if found and len(left) == len(right) and sorted(map(_canonical, left)) == sorted(map(_canonical, right)):
        yield Difference(path, "order", left, right)
        return
    yield from found
    shorter = min(len(left), len(right))
    yield from (Difference((*path, i), "missing", part, MISSING) for i, part in enumerate(left[shorter:], shorter))
    yield from (Difference((*path, i), "extra", MISSING, part) for i, part in enumerate(right[shorter:], shorter))


def _naming_member(left: Sequence[Tree], right: Sequence[Tree]) -> str:
    """The member that names the parts of both lists, if there is one."""
    for name in _NAMES:
        if all(isinstance(part, dict) and isinstance(part.get(name), str) for part in (*left, *right)):
            return name
    return ""


def _named_parts(left: Sequence[Tree], right: Sequence[Tree], name: str, path: Path) -> Iterator[Difference]:
    """Pair parts by name, so that one more part does not move all after it."""
    lefts, rights = (_by_name(parts, name) for parts in (left, right))
    for key, part in lefts.items():
        if key not in rights:
            yield Difference((*path, key), "missing", part, MISSING)
        else:
            yield from differences(part, rights[key], (*path, key))
    yield from (Difference((*path, key), "extra", MISSING, part) for key, part in rights.items() if key not in lefts)
    if [key for key in lefts if key in rights] != [key for key in rights if key in lefts]:
        yield Difference(path, "order", list(lefts), list(rights))


def _by_name(parts: Sequence[Tree], name: str) -> dict[str, Tree]:
    return _object([(str(part[name]), part) for part in parts])


def _canonical(tree: Tree) -> str:
    """A text that equal trees share."""
    if isinstance(tree, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_canonical(tree[name])}" for name in sorted(tree)) + "}"
    if isinstance(tree, (list, Doubled)):
        lead = "doubled" if isinstance(tree, Doubled) else ""
        return f"{lead}[{','.join(map(_canonical, tree))}]"
    return str(tree) if isinstance(tree, Number) else json.dumps(tree)


def kind_of(tree: Tree) -> str:
    """`null`, `boolean`, `number`, `string`, `array` (also of a doubled member) or `object`."""
    if isinstance(tree, str):
        return "number" if isinstance(tree, Number) else "string"
    if isinstance(tree, dict):
        return "object"
    return "null" if tree is None else "boolean" if isinstance(tree, bool) else "array"


def skeleton_of(path: Path, columns_at: Collection[str]) -> str:
    """The skeleton of a path: `value.data[].{column}` for `value.data[0].price`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += "[]"
        elif text in columns_at:
            text += ".{column}"
        else:
            text = f"{text}.{step}" if text else step
    return text


def path_text(path: Path) -> str:
    """`value.data[0].c`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def shown(tree: Tree, depth: int = 0) -> Any:
    """A tree as a run record shows values: exact numbers as `$number`, what is missing as `$missing`, long ones cut."""
    if tree is MISSING:
        return {"$missing": True}
    if isinstance(tree, Number):
        return {"$number": str(tree)}
    if isinstance(tree, str):
        whole = tree.encode("utf-8", "backslashreplace").decode()
        return whole if len(whole) <= _LONGEST else {"$text": whole[:_LONGEST], "length": len(whole)}
    if depth == _DEEPEST and isinstance(tree, (dict, list, tuple)):
        return "…"
    if isinstance(tree, dict):
        parts = {_shown_name(name): shown(part, depth + 1) for name, part in list(tree.items())[:_MOST]}
        return parts | ({"$more": len(tree) - _MOST} if len(tree) > _MOST else {})
    if isinstance(tree, (list, tuple)):
        listed = [shown(part, depth + 1) for part in tree[:_MOST]]
        return [*listed, {"$more": len(tree) - _MOST}] if len(tree) > _MOST else listed
    return tree


def _shown_name(name: str) -> str:
    """A name of the message; one that begins like a mark of a run record is escaped."""
    return ("\\" if name.startswith("$") else "") + name[:_LONGEST]
