"""The first messages of each side of a comparison, checked against the command before all messages are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import orjson

from conformance.captures.likely import likely_dialect, likely_options
from conformance.cli.inputs import listed
from conformance.errors import UsageError
from differential.decode.changes import ChangeReader
from differential.decode.contents import Oddity, Statement
from differential.decode.slim import contents_of
from differential.model import Failed, Unreadable
from differential.sides import Side
from differential.sources.captures import read_source
from differential.sources.spec import Spec
from differential.sources.topics import is_topics
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import Record, RowChange
from reference_impl.protocols import AVRO, DIALECTS

__all__ = ["check_first_messages", "note_on_tables"]

_LOOKED_AT = 40  # messages of each side that are read
_TRIED = 5  # messages that are tried with every option of another dialect
_LARGEST = 1 << 16  # bytes of such a message


def check_first_messages(sides: Sequence[Side], specs: Mapping[str, Spec]) -> None:
    """Check the first messages of each side; the offsets of topics are those of `specs`.

    Raises `UsageError` if only some sides are empty, if two dialects are swapped, if the messages of a side are of
    another dialect, or if they contradict the side's options: about the schema or a member in every message, or about
    the name of the connector or cluster. An empty topic is no error: its producer may have lost every message.
    """
    firsts = [list(islice(read_source(specs[side.name]), _LOOKED_AT)) for side in sides]
    full = [side for side, records in zip(sides, firsts, strict=True) if records]
    for side, records in zip(sides, firsts, strict=True):
        source = specs[side.name].source
        if full and not records and not is_topics(source):
            raise UsageError(f"{side.name}: {source} has no messages to compare with those of {full[0].name}")
    for side, records in zip(sides, firsts, strict=True):
        _check_schema(side, records)
        _check_name(side, records)
        _check_member(side, records)
    if len(sides) == 2 and len(full) == 2 and sides[0].dialect != sides[1].dialect:
        _check_swapped(sides, firsts)
    for side, records in zip(sides, firsts, strict=True):
        _check_dialect(side, records)


def note_on_tables(side: Side, spec: Spec) -> str:
    """The tables of the first messages of a side and the given ones; "" if a table is in both."""
    decoder, given = side.decoder(), {table.id for table in side.tables}
    found: dict[tuple[str, str], None] = {}
    for record in islice(read_source(spec), _LOOKED_AT):
        with suppress(Rejected, Unsupported):
            found |= {(e.schema, e.table): None for e in decoder.decode([record]) if isinstance(e, RowChange)}
    if not found or found.keys() & given:
        return ""
    return f"the first messages of {side.name} are of {listed(found)}; --tables has {listed(given)}"


def _check_schema(side: Side, records: Sequence[Record]) -> None:
    option, without, with_schema = side.traits.schema_option or ("", "", "")
    trees = [tree for record in records if (tree := _tree(record)) is not None]
    if not option or not trees:
        return
    value = side.every_option()[option]
    have_schema = ["schema" in tree and "payload" in tree for tree in trees]
    if all(have_schema):
        fitting, schema = with_schema, "a schema"
    elif not any(have_schema):
        fitting, schema = without, "no schema"
    else:
        return
    if fitting != value:
        raise UsageError(f"{side.name}: its messages have {schema}, but {option} is {value}: set {option}={fitting}")


def _check_name(side: Side, records: Sequence[Record]) -> None:
    if side.traits.source_name is None:
        return
    option, name_of, option_value = side.traits.source_name
    trees = [tree.get("payload", tree) for record in records if (tree := _tree(record)) is not None]
    sources = [source for tree in trees if isinstance(source := tree.get("source"), dict)]
    names = {name for source in sources if isinstance(name := source.get("name"), str)}
    if len(names) == 1 and name_of(side.settings) not in names:
        [name] = names
        value, fitting = getattr(side.settings, option), option_value.format(name)
        raise UsageError(
            f"{side.name}: its messages have the name {name!r} in `source`, but {option} is {value}: "
            f"set {option}={fitting}"
        )


def _check_member(side: Side, records: Sequence[Record]) -> None:
    member, option = side.traits.optional_member or ("", "")
    trees = [tree for record in records if isinstance(tree := _json(record), dict)]
    if option and side.every_option()[option] != "true" and trees and all(member in tree for tree in trees):
        raise UsageError(f"{side.name}: its messages have `{member}`, but {option} is false: set {option}=true")


def _tree(record: Record) -> dict[str, Any] | None:
    """The JSON of a row's message; None for any other message."""
    tree = _json(record)
    payload = tree.get("payload", tree) if isinstance(tree, dict) else None
    return tree if isinstance(payload, dict) and "op" in payload else None


def _json(record: Record) -> Any:
    """The JSON of a value; None for a value that is not JSON."""
    try:
        return orjson.loads(record.value or b"")
    except orjson.JSONDecodeError:
        return None


def _check_swapped(sides: Sequence[Side], firsts: Sequence[Sequence[Record]]) -> None:
    first, second = sides
    if any(any(_reads(side, records)) for side, records in zip(sides, firsts, strict=True)):
        return
    swapped = [replace(second, name=first.name), replace(first, name=second.name)]
    if all(any(_reads(side, records)) for side, records in zip(swapped, firsts, strict=True)):
        raise UsageError(
            f"the sources or the dialects are swapped: the messages of {first.name} are of {second.dialect}, "
            f"those of {second.name} are of {first.dialect}"
        )


def _check_dialect(side: Side, records: Sequence[Record]) -> None:
    tried = [record for record in records if len(record.value or b"") <= _LARGEST][:_TRIED]
    if not tried or any(_reads(side, records)):
        return
    for dialect in DIALECTS:
        if dialect == side.dialect:
            continue
        for options in likely_options(DIALECTS[dialect]):
            readable = 0
            with suppress(Rejected, Unsupported):  # an option that needs another one, or what the codec lacks
                readable = sum(_reads(replace(side, dialect=dialect, options=options), tried, is_whole=True))
            if 2 * readable > len(tried):
                needed = "".join(f"?{name}={value}" for name, value in options.items())
                raise UsageError(
                    f"{side.name}: its first messages are of {dialect}, none is of {side.dialect}: "
                    f"set --{side.name} {dialect}{needed}:…"
                )
    # Avro cannot be read without a registry. What looks like another dialect may be odd messages of the side's own.
    if side.dialect != AVRO.name and likely_dialect(tried) == AVRO.name:
        raise UsageError(
            f"{side.name}: its first messages look like {AVRO.name}, none is of {side.dialect}: "
            f"set --{side.name} {AVRO.name}:…"
        )


def _reads(side: Side, records: Iterable[Record], *, is_whole: bool = False) -> Iterator[bool]:
    """Whether each message can be read as the dialect of a side writes it.

    With `is_whole` a message counts only if every member was checked. A damaged message of one dialect may look like
    another dialect, whose encoder cannot check it.
    """
    reader = ChangeReader(side)
    for record in records:
        unchecked = reader.counts["unchecked"]
        items = contents_of(reader, record)
        is_odd = any(isinstance(item, Statement) and item.odd for item in items)
        is_partly = is_whole and (is_odd or reader.counts["unchecked"] > unchecked)
        has_error = any(isinstance(item, (Unreadable, Oddity, Failed)) for item in items)
        yield bool(items) and not is_partly and not has_error
