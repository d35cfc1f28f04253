"""What must be read back of a stream that was written, for the properties of every codec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from reference_impl.errors import Rejected, RejectionClass
from reference_impl.keys import split_update
from reference_impl.model import Event, RowChange, Table

__all__ = ["events_back", "outcome"]


def events_back(
    events: Iterable[Event], known: Mapping[tuple[str, str], Table], *, whole: bool, other: Callable[[Event], bool]
) -> list[Event]:
    """The events that must come back: updates of a key are split unless `whole`; of what is no row, `other` decides."""
    found: list[Event] = []
    for event in events:
        if not isinstance(event, RowChange):
            found.extend([event] if other(event) else [])
        else:
            found.extend([event] if whole else split_update(event, known[event.schema, event.table]))
    return found


def outcome(read: Callable[[], list[Event]]) -> list[Event] | RejectionClass:
    """The events that are read, or the class for which they are refused."""
    try:
        return read()
    except Rejected as e:
        return e.reason
