"""Changes of one thing in a tree, a list of events or one of records, and the faults that tests make with them.

A path has its steps between dots: names of members, and in a list numbers, or the name of a part: that which its
member `field` or `name` has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from conformance.cases.model import Case
from conformance.oracle.tree import MISSING
from reference_impl import exact_json
from reference_impl.model import Record
from tests.unit.oracle.judging import Change

Records = list[Record]


class Fault(NamedTuple):
    """A change of the right answer to a case, and the requirements that it breaks, without the protocol's prefix.

    Behind a slash stand those that are never the first at their place; without any, the change is allowed.
    """

    requirements: str
    case: Case
    change: Callable[[Any], Any]


def faults(case: Case, *rows: Any) -> list[Fault]:
    """Faults of one case: each is (requirements, change), or (requirements, path, value), where MISSING removes it.

    A text among them is the path in which the paths behind it begin.
    """
    found, within = [], ""
    for row in rows:
        if isinstance(row, str):
            within = f"{row}."
        else:
            requirements, *change = row
            found.append(Fault(requirements, case, put(within + change[0], change[1]) if change[1:] else change[0]))
    return found


def edit(change: Callable[..., None]) -> Callable[..., Change]:
    """A function of a tree and of more, as one of the rest, which makes a change."""
    return lambda *given, **more: lambda tree: change(tree, *given, **more)


# -- trees -------------------------------------------------------------------------------------------------------------


def at(tree: Any, path: str) -> Any:
    """The part at a path."""
    for step in path.split(".") if path else ():
        if isinstance(tree, list):
            named = [part for part in tree if isinstance(part, dict) and step in (part.get("field"), part.get("name"))]
            tree = named[0] if named else tree[int(step)]
        else:
            tree = tree[step]
    return tree


@edit
def put(tree: Any, path: str, value: Any) -> None:
    """Set the member at a path; MISSING removes it."""
    parent, _, name = path.rpartition(".")
    if value is MISSING:
        drop(path)(tree)
    else:
        at(tree, parent)[name] = value


@edit
def drop(tree: Any, path: str) -> None:
    """Remove the member, or the part of a list, at a path."""
    parent, _, name = path.rpartition(".")
    place = at(tree, parent)
    if isinstance(place, list):
        place.remove(at(place, name))
    else:
        del place[name]


@edit
def last(tree: Any, path: str) -> None:
    """Put the member, or the part of a list, at a path behind the others."""
    parent, _, name = path.rpartition(".")
    place = at(tree, parent)
    part = at(place, name)
    drop(path)(tree)
    if isinstance(place, list):
        place.append(part)
    else:
        place[name] = part


@edit
def replaced(tree: Any, path: str, old: str, new: str) -> None:
    """Write another part into the text at a path."""
    put(path, at(tree, path).replace(old, new))(tree)


@edit
def both(tree: Any, *changes: Change) -> None:
    """One change after the other."""
    for each in changes:
        each(tree)


@edit
def twice(tree: Any, part: str, member: str) -> None:
    """Write a member of the outermost object of a part a second time."""
    text = exact_json.dumps({member: tree[part][member]})
    tree[part] = f"{exact_json.dumps(tree[part])[:-1]},{text[1:]}".encode()


# -- records -----------------------------------------------------------------------------------------------------------


def none(records: Records) -> Records:
    """No record at all."""
    return []


def the_first(records: Records) -> Records:
    """The first record alone."""
    return records[:1]


def all_but_the_first(records: Records) -> Records:
    """The others."""
    return records[1:]


def all_but_the_last(records: Records) -> Records:
    """A record too few."""
    return records[:-1]


def doubled(records: Records) -> Records:
    """All records twice."""
    return records * 2


def turned(records: Records) -> Records:
    """The last record first."""
    return records[::-1]


def of_bytes(part: str, change: Callable[[bytes], bytes | None]) -> Callable[[Records], Records]:
    """Other bytes of the key or value of the first record."""
    return lambda records: [replace(records[0], **{part: change(getattr(records[0], part) or b"")}), *records[1:]]
