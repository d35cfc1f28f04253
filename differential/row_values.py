"""Replaces values in both rows of a change, and brings its TIMESTAMPs into another time zone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, tzinfo

from reference_impl.model import Row, RowChange, Value

__all__ = ["in_zone", "with_values"]

_SECONDS = len("0000-00-00 00:00:00")


def with_values(change: RowChange, value_of: Callable[[str, Value], Value]) -> RowChange:
    """The change with other values in its rows; `value_of` gets the name of a column and its value."""

    def image_of(given: Row | None) -> Row | None:
        return None if given is None else {name: value_of(name, value) for name, value in given.items()}

    return replace(change, before=image_of(change.before), after=image_of(change.after))


def in_zone(change: RowChange, timestamps: Collection[str], given: tzinfo, other: tzinfo) -> RowChange:
    """The change with the same instants on the clock of another zone; `timestamps` are the columns of TIMESTAMP.

    An hour that occurs twice in the given zone is taken as the first one.
    """
    if given is other or not timestamps:
        return change

    def value_of(name: str, value: Value) -> Value:
        return _on_clock(value, given, other) if name in timestamps and isinstance(value, str) else value

    return with_values(change, value_of)


def _on_clock(text: str, given: tzinfo, other: tzinfo) -> str:
    """A wall clock of a zone on the clock of another; the zero TIMESTAMP, which is not an instant, stays as it is."""
    try:
        moment = datetime.fromisoformat(text[:_SECONDS]).replace(tzinfo=given).astimezone(other)
    except (ValueError, OverflowError):
        return text
    return moment.isoformat(" ")[:_SECONDS] + text[_SECONDS:]
