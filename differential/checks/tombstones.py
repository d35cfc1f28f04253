"""Tombstones of a side that writes one behind each delete: one that is lost, has another key, or is of a live row.

Log compaction removes the rows of a key behind whose last message stands a tombstone: a stray one loses a row, and
without one a deleted row stays.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy

from differential.checks.narrow import DELETE, TOMBSTONE, Records

__all__ = ["odd_tombstones"]

_NONE, _ONE = "no tombstone", "a tombstone behind the delete of its key"
_STRAY, _NO_DELETE = "a tombstone", "no tombstone: no delete of its key is before it"


def odd_tombstones(records: Records, *, written: bool) -> Iterator[tuple[int, str, str]]:
    """Offsets of a partition at which a tombstone is missing or stray, what is there, and what was expected.

    `records` are all messages of the partition, in the order of their offsets. `written`: the side writes tombstones.
    A delete and its tombstone that come again are both there again.
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
