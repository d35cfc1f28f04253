"""Compares changes whose messages lack images or columns: a missing part matches anything.

Examples are an update without the row before it, a delete with key columns only, and an update that left its old key.
An update without the row before it still implies that there was one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from differential.align.explained import one_op
from differential.decode.canonical import agree, load
from differential.model import PARTLY, UNKNOWN, Change

__all__ = ["are_alike", "begin_alike", "follows", "goes_on", "has_before_image", "with_new_rows_only"]


def begin_alike(a: Change, b: Change) -> bool:
    """Whether two changes start from the same row, in the columns that both have."""
    if UNKNOWN in (a.before, b.before):
        return None not in (a.before, b.before) or "upsert" in (a.op, b.op)
    return agree(a.before, b.before)


def are_alike(a: Change, b: Change, *, same_clock: bool) -> bool:
    """Whether two changes are the same in everything that both messages have."""
    if not one_op(a, b) or a.moved != b.moved or a.after != b.after:
        return False
    if same_clock and a.commit_ts != b.commit_ts and None not in (a.commit_ts, b.commit_ts):
        return False
    return a.before == b.before or begin_alike(a, b)


def follows(before: Change, one: Change) -> bool:
    """Whether a change starts from the row that `before` left, in the columns that both have."""
    if one.before == UNKNOWN and before.after is None:
        return one.op == "upsert"
    return agree(before.after, one.before)


def goes_on(before: Change | None, one: Change) -> bool:
    """Whether a change starts from the row that the change before it left, if there is one.

    Images with different columns mean that the table was altered in between; their common columns must be equal.
    """
    return before is None or follows(before, one) or _is_of_altered_table(before.after, one.before)


def _is_of_altered_table(old: bytes | None, new: bytes | None) -> bool:
    if not old or not new or old.startswith(PARTLY) or new.startswith(PARTLY):
        return False
    cells, others = load(old), load(new)
    shared = cells.keys() & others.keys()
    return bool(shared) and cells.keys() != others.keys() and all(cells[name] == others[name] for name in shared)


def has_before_image(change: Change) -> bool:
    """Whether a change has a complete image of the row that it starts from."""
    return change.before is None or not (change.before == UNKNOWN or change.before.startswith(PARTLY))


def with_new_rows_only(changes: Sequence[Change], tables: Collection[tuple[str, str]]) -> Sequence[Change]:
    """The changes of a key as a side would report them whose updates in some tables have only the new row.

    `tables` are these tables. An update that changed the key loses the half that removes the old row; the other half
    becomes an update.
    """
    if not changes or (changes[0].schema, changes[0].table) not in tables:
        return changes
    kept = (one for one in changes if not (one.moved and one.after is None))
    return [replace(one, op="update", before=UNKNOWN, moved=False) if one.moved else one for one in kept]
