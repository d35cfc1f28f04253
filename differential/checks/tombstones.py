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
    is_tombstone, is_delete = op == TOMBSTONE, op == DELETE
    is_followed = numpy.append(is_tombstone[1:] & (key[1:] == key[:-1]), False)  # by a tombstone of its key
    unfollowed = numpy.flatnonzero(is_delete & ~is_followed)
    if written and len(unfollowed):
        if len(unfollowed) == numpy.count_nonzero(is_delete) and not is_tombstone.any() and len(unfollowed) > 1:
            text = f"no tombstone behind any of {len(unfollowed):,} deletes"
            yield int(offset[unfollowed[0]]), text, "a tombstone behind each delete (tombstones.on.delete=true)"
        else:
            yield from ((int(offset[at]), _NONE, _ONE) for at in unfollowed.tolist())
    stray = is_tombstone
    if written and len(op):
        follows_delete = numpy.insert(is_delete[:-1] & (key[1:] == key[:-1]), 0, False)
        stray = is_tombstone & ~follows_delete
    for at in numpy.flatnonzero(stray).tolist():
        yield int(offset[at]), _STRAY, _NO_DELETE if written else "no tombstone (tombstones.on.delete=false)"
