"""Brings row changes from the form that a dialect reads or writes into another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal, InvalidOperation

from differential.decode.member_differences import MemberDifference
from differential.decode.versions import Version
from differential.row_values import with_values
from reference_impl.column_types import ColumnType, Family
from reference_impl.model import Row, RowChange, Value

__all__ = [
    "as_present_row",
    "completed",
    "with_all_digits",
    "with_nulls",
    "with_zero_dates",
    "writable",
]


_ALL_DIGITS = Context(prec=65)  # of the longest DECIMAL


def completed(change: RowChange) -> RowChange:
    """The change, with a before image completed by the columns that the update did not change."""
    if change.op == "update" and change.before is not None and change.after is not None:
        return replace(change, before={**change.after, **change.before})
    return change


def as_present_row(row: RowChange) -> RowChange:
    """The change that a message without an operation reports: the row exists now."""
    return row if row.op != "insert" else replace(row, op="upsert" if row.before is None else "update")


def writable(row: RowChange) -> RowChange:
    """The change in the form that encoders take: no upsert, and no update without a row before it."""
    if row.op == "upsert":
        return replace(row, op="insert" if row.before is None else "update")
    return replace(row, before=row.after) if row.op == "update" and row.before is None else row


def with_all_digits(row: RowChange, types: Mapping[str, ColumnType]) -> RowChange:
    """The change with every digit that its decimals have in the database, where a message has a shorter number.

    A side that writes a DECIMAL as a double, contrary to its options, has such numbers, some with an exponent.
    """

    def text_of(name: str, value: Value) -> Value:
        column_type = types[name]
        if column_type.family is not Family.DECIMAL or not isinstance(value, str):
            return value
        try:
            number = Decimal(value)
            whole = number.quantize(Decimal(1).scaleb(-(column_type.scale or 0)), context=_ALL_DIGITS)
        except InvalidOperation:  # no number, or one that does not fit
            return value
        return f"{whole:f}" if whole == number else value

    return with_values(row, text_of)


def with_nulls(row: RowChange, odd: Sequence[MemberDifference], defaults: frozenset[str]) -> RowChange:
    """The change with NULL in columns that have a default and are among the `odd` members.

    The producer may have written the default for NULL.
    """

    def image_of(name: str, given: Row | None) -> Row | None:
        nulls = {path[-1]: None for path, _, _ in odd if path[-2:-1] == (name,) and path[-1] in defaults}
        return None if given is None else {**given, **nulls}

    return replace(row, before=image_of("before", row.before), after=image_of("after", row.after))


def with_zero_dates(row: RowChange, version: Version, epoch: str) -> RowChange:
    """The row with zero dates in place of their stand-ins.

    A zero TIMESTAMP is written as `epoch`, the beginning of 1970; any other as NULL, if the column has a default.
    """
    if not version.zero_dates:
        return row

    def zero_of(name: str, value: Value) -> Value:
        zero = version.zero_dates.get(name)
        if zero is None:
            return value
        column_type = version.types[name]
        if column_type.family is Family.TIMESTAMP:
            return zero + value[len(zero) :] if isinstance(value, str) and value.startswith(epoch) else value
        if value is not None or name not in version.defaults:
            return value
        return zero + ("." + "0" * column_type.fsp if column_type.fsp else "")

    return with_values(row, zero_of)
