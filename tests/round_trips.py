"""What must be read back of a stream that was written, for the properties of every codec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from reference_impl.errors import Rejected, RejectionClass
from reference_impl.keys import split_update
from reference_impl.model import Column, DdlEvent, Event, Row, RowChange, Table, Value, Watermark
from reference_impl.values import same_value

__all__ = ["NeverQuick", "assert_events", "assert_image", "events_back", "outcome"]


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


def _same(column: Column, sent: Value, got: Value) -> bool:
    return same_value(column.type, sent, got)


def assert_image(
    table: Table,
    sent: Row | None,
    got: Row | None,
    *,
    partial: bool = False,
    names: Set[str] | None = None,
    same: Callable[[Column, Value, Value], bool] = _same,
) -> None:
    """Assert that an image came back: its columns `names`, else all or, if `partial`, some; its values by `same`."""
    if sent is None or got is None:
        assert sent is got
        return
    assert {*got} <= {*sent} if partial else {*got} == ({*sent} if names is None else names)
    for name, value in got.items():
        column = table.column(name)
        assert column is not None
        assert same(column, sent[name], value), (name, sent[name], value)


def assert_events(
    expected: Sequence[Event], got: Sequence[Event], check: Callable[[RowChange | DdlEvent, RowChange | DdlEvent], None]
) -> None:
    """Assert that events came back in order: watermarks whole, others with their names, the rest by `check`."""
    assert [type(event) for event in got] == [type(event) for event in expected]
    for sent, event in zip(expected, got, strict=True):
        if isinstance(event, Watermark) or isinstance(sent, Watermark):
            assert event == sent
            continue
        assert (event.schema, event.table) == (sent.schema, sent.table)
        if isinstance(event, DdlEvent):
            assert isinstance(sent, DdlEvent)
            assert event.query == sent.query
        check(sent, event)


class NeverQuick:
    """In place of what a decoder learnt: always the slow path."""

    def row(self, *_: object) -> None:
        """Knows, learns and forgets nothing."""

    find = learn = forget = row
