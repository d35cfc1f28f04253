"""Messages that are read again, for the exact way: the changes of the keys that fingerprints did not settle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

import numpy

from differential.batches import found_batch, slim_batch
from differential.decode.reader import SlimReader
from differential.decode.slim import Kind
from differential.frames import binaries, records_at
from differential.prints.settling import Key
from differential.sides import Side

__all__ = ["fetched"]


def fetched(number: int, side: Side, batches: Iterable[Any], messages: Set[int], keys: Set[Key]) -> Iterator[Any]:
    """Slim batches of the changes of keys, of those messages of a part that have these numbers."""
    read = SlimReader(number, side)
    wanted, first = numpy.array(sorted(messages), dtype=numpy.int64), 0
    for batch in batches:
        begin, end = numpy.searchsorted(wanted, [first, first + batch.num_rows])
        some = batch.take(wanted[begin:end] - first) if begin < end else None
        first += batch.num_rows
        if some is not None:
            yield from _of_batch(number, read, some, keys)


def _of_batch(number: int, read: SlimReader, batch: Any, keys: Set[Key]) -> Iterator[Any]:
    of_messages, values = (binaries(batch.column(place)) for place in range(2))
    found, rest = read.quickly(values, of_messages)
    kept = []
    for one in found:
        keep = [(one.plan.schema, one.plan.table, key) in keys for key in one.keys]
        if any(keep):
            kept.append(one if all(keep) else one.only(keep))
    if kept:
        yield found_batch(number, batch, kept)
    slims = (row for record in records_at(batch, rest) for row in read.thoroughly(record)) if rest else ()
    rows = [row for row in slims if row.kind == Kind.CHANGE and (row.schema, row.table, row.key) in keys]
    if rows:
        yield slim_batch(rows)
