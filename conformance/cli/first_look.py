"""The first messages of each side of a comparison, checked against the command before all messages are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from itertools import islice
from typing import Any

import orjson

from conformance.errors import UsageError
from differential.decode.changes import ChangeReader
from differential.decode.contents import Oddity, Statement
from differential.decode.slim import contents
from differential.model import Failed, Unreadable
from differential.sides import Side, codec_of
from differential.sources.captures import read_source
from differential.sources.spec import Spec
from differential.sources.topics import is_topics
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record
from reference_impl.protocols import DIALECTS

__all__ = ["look_at"]

_LOOKED_AT = 40
_TRIED = 5  # messages that are tried with every option of another dialect
_LARGEST = 1 << 16  # bytes of such a message


def look_at(sides: Sequence[Side], specs: Mapping[str, Spec]) -> None:
    """Check the first messages of each side. Topics are left out: to read them takes a connection.

    Raises `UsageError` if one side alone is empty, if two dialects are swapped, if the messages of a
    side are of another dialect and none is of its own, or if they contradict its options: they have a schema or none,
    or the name of another connector or cluster.
    """
    if any(is_topics(spec.source) for spec in specs.values()):
        return
    firsts = [list(islice(read_source(specs[side.name]), _LOOKED_AT)) for side in sides]
    full = [side for side, records in zip(sides, firsts, strict=True) if records]
    for side, records in zip(sides, firsts, strict=True):
        if full and not records:
            source = specs[side.name].source
            raise UsageError(f"{side.name}: {source} has no messages to compare with those of {full[0].name}")
    for side, records in zip(sides, firsts, strict=True):
        _check_schema(side, records)
        _check_name(side, records)
    if len(sides) == 2 and len(full) == 2 and sides[0].dialect != sides[1].dialect:
        _check_swapped(sides, firsts)
    for side, records in zip(sides, firsts, strict=True):
        _check_dialect(side, records)


def _check_schema(side: Side, records: Sequence[Record]) -> None:
    option, without, with_schema = side.traits.schema_option or ("", "", "")
    trees = [tree for record in records if (tree := _tree(record)) is not None]
    if not option or not trees:
        return
    given = side.every_option()[option]
    have = ["schema" in tree and "payload" in tree for tree in trees]
    fitting = with_schema if all(have) else without if not any(have) else given
    if fitting != given:
        what = "a schema" if fitting == with_schema else "no schema"
        raise UsageError(f"{side.name}: its messages have {what}, but {option} is {given}: set {option}={fitting}")


def _check_name(side: Side, records: Sequence[Record]) -> None:
    if side.traits.source_name is None:
        return
    option, name_of, given_as = side.traits.source_name
    trees = [tree.get("payload", tree) for record in records if (tree := _tree(record)) is not None]
    names = {str(tree["source"].get("name")) for tree in trees if isinstance(tree.get("source"), dict)}
    if len(names) == 1 and name_of(side.settings) not in names:
        [name] = names
        given, fitting = getattr(side.settings, option), given_as.format(name)
        raise UsageError(
            f"{side.name}: its messages have the name {name!r} in `source`, but {option} is {given}: "
            f"set {option}={fitting}"
        )


def _tree(record: Record) -> dict[str, Any] | None:
    """The JSON of a row's message; None for any other message."""
    try:
        tree: Any = orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None
    payload = tree.get("payload", tree) if isinstance(tree, dict) else None
    return tree if isinstance(payload, dict) and "op" in payload else None


def _check_swapped(sides: Sequence[Side], firsts: Sequence[Sequence[Record]]) -> None:
    one, other = sides
    if any(any(_reads(side, records)) for side, records in zip(sides, firsts, strict=True)):
        return
    swapped = [replace(other, name=one.name), replace(one, name=other.name)]
    if all(any(_reads(side, records)) for side, records in zip(swapped, firsts, strict=True)):
        raise UsageError(
            f"the sources or the dialects are swapped: the messages of {one.name} are of {other.dialect}, "
            f"those of {other.name} are of {one.dialect}"
        )


def _check_dialect(side: Side, records: Sequence[Record]) -> None:
    tried = [record for record in records if len(record.value or b"") <= _LARGEST][:_TRIED]
    if not tried or any(_reads(side, records)):
        return
    for dialect in DIALECTS:
        if dialect == side.dialect:
            continue
        switches = [f.metadata["name"] for f in fields(codec_of(dialect).options) if f.default is False]
        for options in ({}, *({name: "true"} for name in switches)):
            found = 0
            with suppress(Rejected, Unsupported):  # an option that needs another one, or what the codec lacks
                found = sum(_reads(replace(side, dialect=dialect, options=options), tried, is_whole=True))
            if 2 * found > len(tried):
                needed = "".join(f"?{name}={value}" for name, value in options.items())
                raise UsageError(
                    f"{side.name}: its first messages are of {dialect}, none is of {side.dialect}: "
                    f"set --{side.name} {dialect}{needed}:…"
                )


def _reads(side: Side, records: Iterable[Record], *, is_whole: bool = False) -> Iterator[bool]:
    """Whether each message can be read as the dialect of a side writes it.

    With `is_whole` a message counts only if every member was checked. A damaged message of one dialect may look like
    another dialect, whose encoder cannot check it.
    """
    reader = ChangeReader(side)
    for record in records:
        unchecked = reader.counts["unchecked"]
        found = contents(reader, record)
        is_odd = any(isinstance(one, Statement) and one.odd for one in found)
        is_partly = is_whole and (is_odd or reader.counts["unchecked"] > unchecked)
        yield bool(found) and not is_partly and not any(isinstance(one, (Unreadable, Oddity, Failed)) for one in found)
