"""The first messages of each side, looked at before all of them are read: whether they are what the command says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import orjson

from conformance.errors import UsageError
from differential.decode.changes import ChangeReader, Oddity
from differential.model import Unreadable
from differential.sides import Side
from differential.sources.captures import read_source
from differential.sources.spec import Spec
from differential.sources.topics import is_topics
from reference_impl.model import Record

__all__ = ["look_at"]

_LOOKED_AT = 40


def look_at(sides: Sequence[Side], specs: Mapping[str, Spec]) -> None:
    """Raises `UsageError` where a side is empty and another is not, two have each other's dialect, or a side's messages

    have a schema, or none, or the name of another connector or cluster, against its option. Topics are not looked at.
    """
    if any(is_topics(spec.source) for spec in specs.values()):
        return
    firsts = [list(islice(read_source(specs[side.name]), _LOOKED_AT)) for side in sides]
    full = [side for side, records in zip(sides, firsts, strict=True) if records]
    for side, records in zip(sides, firsts, strict=True):
        if full and not records:
            source = specs[side.name].source
            raise UsageError(f"{side.name}: {source} has no message, so there is nothing that {full[0].name} is like")
    for side, records in zip(sides, firsts, strict=True):
        _check_schema(side, records)
        _check_name(side, records)
    if len(sides) == 2 and len(full) == 2 and sides[0].dialect != sides[1].dialect:
        _check_swapped(sides, firsts)


def _check_schema(side: Side, records: Sequence[Record]) -> None:
    option, without, with_schema = side.carries.schema_with or ("", "", "")
    trees = [tree for record in records if (tree := _tree(record)) is not None]
    if not option or not trees:
        return
    given = side.settled()[option]
    have = ["schema" in tree and "payload" in tree for tree in trees]
    wanted = with_schema if all(have) else without if not any(have) else given
    if wanted != given:
        what = "a schema" if wanted == with_schema else "no schema"
        raise UsageError(f"{side.name}: its messages have {what}, against {option}={given}: give {option}={wanted}")


def _check_name(side: Side, records: Sequence[Record]) -> None:
    if side.carries.named_by is None:
        return
    option, name_of, given_as = side.carries.named_by
    trees = [tree.get("payload", tree) for record in records if (tree := _tree(record)) is not None]
    names = {str(tree["source"].get("name")) for tree in trees if isinstance(tree.get("source"), dict)}
    if len(names) == 1 and name_of(side.settings) not in names:
        [name] = names
        told, given = f"{option}={getattr(side.settings, option)}", f"{option}={given_as.format(name)}"
        raise UsageError(f"{side.name}: its messages have the name {name!r} in `source`, against {told}: give {given}")


def _tree(record: Record) -> dict[str, Any] | None:
    """A message of a row as a tree."""
    try:
        tree: Any = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None
    told = tree.get("payload", tree) if isinstance(tree, dict) else None
    return tree if isinstance(told, dict) and "op" in told else None


def _check_swapped(sides: Sequence[Side], firsts: Sequence[Sequence[Record]]) -> None:
    one, other = sides
    if any(_read(side, records) for side, records in zip(sides, firsts, strict=True)):
        return
    swapped = [replace(other, name=one.name), replace(one, name=other.name)]
    if all(_read(side, records) for side, records in zip(swapped, firsts, strict=True)):
        raise UsageError(
            f"the messages of {one.name} are {other.dialect}'s and those of {other.name} {one.dialect}'s: "
            f"the sources, or the dialects, are swapped"
        )


def _read(side: Side, records: Sequence[Record]) -> int:
    """How many messages a side tells that are what its dialect writes."""
    reader = ChangeReader(side)
    found = (list(reader.read(record)) for record in records)
    return sum(bool(reads) and not any(isinstance(one, (Unreadable, Oddity)) for one in reads) for reads in found)
