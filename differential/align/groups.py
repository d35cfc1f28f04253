"""Groups of changes of a side that may be one change of the other side: steps of a transaction.

For example, an insert and an update of a row in one transaction of upstream are one insert in TiCDC.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from differential.model import PARTLY, UNKNOWN, Change, transaction_in

__all__ = [
    "Group",
    "as_one",
    "chains",
    "groups_at",
    "is_whole_transaction",
    "of_one_time",
    "op_of",
    "transaction_of",
    "unmoved",
    "vanishes",
    "vanishes_at_once",
]

Group: TypeAlias = tuple[Change, ...]

_LONGEST = 64  # changes of a group


def transaction_of(change: Change) -> object:
    """The identity of a change's transaction, None if its message has none."""
    return change.commit_ts or transaction_in(change.instant) or None


def of_one_time(a: Change, b: Change) -> bool:
    """Whether two adjacent changes may belong to one transaction.

    Changes of a named transaction may have different times; all others need the same time. A delete may have neither
    name nor time, as in Avro; then an insert behind it may belong to its transaction.
    """
    if not _has_time(a):
        return a.after is None and _is_insert(b)
    names = transaction_in(a.instant), transaction_in(b.instant)
    return a.commit_ts == b.commit_ts and (names[0] == names[1] if any(names) else a.instant == b.instant)


def _has_time(change: Change) -> bool:
    return change.instant != "" or change.commit_ts is not None


def _is_insert(change: Change) -> bool:
    return change.before is None or (change.before == UNKNOWN and change.op == "upsert")


def op_of(changes: Sequence[Change]) -> str:
    """The operation that changes together amount to."""
    if len(changes) == 1:
        return changes[0].op
    if changes[0].before is None:
        return "insert"
    return "delete" if changes[-1].after is None else "update"


def as_one(changes: Sequence[Change]) -> Change:
    """The change that several changes amount to."""
    first, last = changes[0], changes[-1]
    if len(changes) == 1:
        return first
    return replace(first, op=op_of(changes), after=last.after)


def unmoved(group: Group) -> Change:
    """As `as_one`, but never half of a change of the key (`moved`)."""
    change = as_one(group)
    return replace(change, moved=False) if change.moved else change


def vanishes(group: Group) -> bool:
    """Whether a group leads back to its start: to no row, or to the same known row."""
    before, after = group[0].before, group[-1].after
    return before == after and before != UNKNOWN and not (before or b"").startswith(PARTLY)


def vanishes_at_once(changes: Sequence[Change], at: int, group: Group) -> bool:
    """Whether a group at a position vanishes and may be one transaction.

    Updates that lead back to the same row count as one transaction only if their messages name it. Updates that merely
    share a time may each be a lost change.
    """
    if not vanishes(group):
        return False
    is_whole = is_whole_transaction(changes, at, len(group))
    begins_without_row = group[0].before is None
    return is_whole is True or (is_whole is None and begins_without_row)


def chains(changes: Sequence[Change], start: int) -> Iterator[Group]:
    """The groups from a position on: two or more linked changes of one time.

    Each change starts from the row that the change before it left.
    """
    for end in range(start + 2, min(len(changes), start + _LONGEST) + 1):
        before, last = changes[end - 2], changes[end - 1]
        follows = before.after == last.before or (before.after is None and _is_insert(last))
        if not follows or not of_one_time(before, last):
            return
        yield tuple(changes[start:end])


def is_whole_transaction(changes: Sequence[Change], at: int, count: int = 1) -> bool | None:
    """Whether `count` changes from a position on are a whole transaction.

    None if their messages name no transaction, or if a delete without a time before them may belong to it.
    """
    transaction = transaction_of(changes[at])
    if transaction is None or (at and not _has_time(changes[at - 1]) and of_one_time(changes[at - 1], changes[at])):
        return None
    if at and transaction_of(changes[at - 1]) == transaction:
        return False
    return at + count >= len(changes) or transaction_of(changes[at + count]) != transaction


def groups_at(changes: Sequence[Change], at: int) -> Sequence[Group]:
    """The groups (`chains`) from a position on, without incomplete ones of a named transaction."""
    if at == len(changes):
        return ()
    return [group for group in chains(changes, at) if is_whole_transaction(changes, at, len(group)) is not False]
