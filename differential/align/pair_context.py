"""The context of a pair of sides, and how a difference between their changes is built."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from differential.classify.naming import Name, Where
from differential.model import PARTLY, Change, Class, Difference, Status
from reference_impl.column_types import ColumnType

__all__ = ["PairContext", "difference", "message_op"]


@dataclass(frozen=True, slots=True)
class PairContext:
    """What the comparison of a pair needs to know of its sides and their tables."""

    pair: str  # the names of the sides, as `left-right`
    left: str  # a dialect
    right: str  # a dialect
    types: Mapping[Where, ColumnType]
    same_clock: bool = False
    # By side, the tables whose updates may change the key, although their messages have only the new row.
    new_rows_only: tuple[Collection[tuple[str, str]], Collection[tuple[str, str]]] = ((), ())
    keyless: Collection[tuple[str, str]] = ()  # tables without a key: equal rows form a key group


def difference(
    context: PairContext,
    kind: Class,
    a: Change | None,
    b: Change | None,
    *,
    column: str = "",
    values: tuple[str | None, str | None] | None = None,
    name: Name | None = None,
) -> Difference:
    """A difference between two changes, or of a change without a partner.

    `values` default to their rows.
    """
    one = a or b
    assert one is not None
    shown = values or (_row_text(a), _row_text(b))
    return Difference(
        pair=context.pair,
        kind=kind,
        schema=one.schema,
        table=one.table,
        column=column,
        key=one.key.decode(),
        commit_ts=one.commit_ts,
        left=a.place if a else None,
        right=b.place if b else None,
        left_value=shown[0],
        right_value=shown[1],
        divergence=name.divergence if name else None,
        status=name.status if name else Status.UNEXPLAINED,
    )


def _row_text(change: Change | None) -> str | None:
    if change is None:
        return None
    shown = change.before if change.after is None else change.after
    return f"{change.op} {shown.removeprefix(PARTLY).decode()}" if shown else change.op


def message_op(change: Change) -> str:
    """The operation in the message of a change: both halves of a key change come from an update."""
    return "update" if change.moved else change.op
