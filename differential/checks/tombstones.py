"""Checks tombstones: each delete must be followed by one, and no other tombstone may occur.

Log compaction removes the messages of a key whose last one is a tombstone: a stray tombstone loses a row, and a missing
one keeps a deleted row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy

from differential.checks.records import DELETE, TOMBSTONE, Records

__all__ = ["odd_tombstones"]

_NONE, _ONE = "no tombstone", "a tombstone behind the delete of its key"
_STRAY, _NO_DELETE = "a tombstone", "no tombstone: no delete of its key is before it"


def odd_tombstones(records: Records, *, written: bool) -> Iterator[tuple[int, str, str]]:
    """The missing and stray tombstones of a partition: offset, got, expected.

    `records`: all messages of the partition, sorted by offset. `written`: the side writes tombstones. A repeated delete
    must have its tombstone repeated as well.
    """
    op, key, offset = records["op"], records["key"], records["offset"]
    ends = op == TOMBSTONE
    after = numpy.append(ends[1:] & (key[1:] == key[:-1]), False)
    deletes = numpy.flatnonzero((op == DELETE) & ~after)
    if written and len(deletes):
        if len(deletes) == numpy.count_nonzero(op == DELETE) and not ends.any() and len(deletes) > 1:
            text = f"no tombstone behind any of {len(deletes):,} deletes"
            yield int(offset[deletes[0]]), text, "a tombstone behind each delete (tombstones.on.delete=true)"
        else:
            yield from ((int(offset[at]), _NONE, _ONE) for at in deletes.tolist())
    before = numpy.insert((op[:-1] == DELETE) & (key[1:] == key[:-1]), 0, False) if len(op) else ends
    for at in numpy.flatnonzero(ends & ~(before if written else numpy.zeros_like(ends))).tolist():
        yield int(offset[at]), _STRAY, _NO_DELETE if written else "no tombstone (tombstones.on.delete=false)"
