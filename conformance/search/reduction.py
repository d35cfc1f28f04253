"""Makes inputs smaller by one part: a column, a row, an event, an option, an attribute.

Hypothesis shrinks single choices; this module removes parts that several choices made, such as a column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from conformance.cases.inputs import NOW, Input, with_sql
from reference_impl.model import ABSENT, Column, DdlEvent, Event, Row, RowChange, Table, Watermark

__all__ = ["smaller"]

_KEY = "id"


def smaller(given: Input) -> Iterator[Input]:
    """Inputs that are smaller than `given` by one part, the largest parts first; a database could produce them all."""
    for reduce in (
        _one_table,
        _without_renames,
        _fewer_rows,
        _without_column_changes,
        _fewer_events,
        _fewer_columns,
        _fewer_options,
        _plainer_columns,
        _plainer_settings,
    ):
        yield from reduce(given)


def _is_in_other_schema(event: Event, table: Table) -> bool:
    return isinstance(event, RowChange) and event.schema != table.schema


def _one_table(given: Input) -> Iterator[Input]:
    """Only with the first table, or only with the other one."""
    first, *others = given.tables
    for table in others:
        events = tuple(e for e in given.events if not _is_in_other_schema(e, first))
        if events:
            yield replace(given, tables=(first,), events=events)
        yield replace(given, tables=(table,), events=tuple(e for e in given.events if _is_in_other_schema(e, first)))


def _without_renames(given: Input) -> Iterator[Input]:
    """Without the statements that rename the table, which keeps its first name."""
    table = given.tables[0]

    def with_first_name(event: Event) -> Event:
        if isinstance(event, Watermark) or _is_in_other_schema(event, table):
            return event
        if isinstance(event, DdlEvent):
            versions = (event.table_before, event.table_after)
            before, after = (version and with_sql(replace(version, name=table.name)) for version in versions)
            query = event.query.replace(f"`{event.table}`", f"`{table.name}`", 1)
            return replace(event, table=table.name, table_before=before, table_after=after, query=query)
        return replace(event, table=table.name)

    kept = tuple(e for e in given.events if not _renames(e))
    if kept and len(kept) < len(given.events):
        yield replace(given, events=tuple(map(with_first_name, kept)))


def _renames(event: Event) -> bool:
    if not isinstance(event, DdlEvent):
        return False
    before, after = event.table_before, event.table_after
    return before is not None and after is not None and before.id != after.id


def _row_key(event: Event) -> object:
    """The key of the row that an event changes, before the change; None for other events."""
    row = (event.before or event.after) if isinstance(event, RowChange) else None
    return row.get(_KEY) if row else None


def _row_of_each(events: Sequence[Event]) -> list[object]:
    """For each event, the row that it changes, as the first key of that row; None for events that change no row.

    An update may change the key: insert 1, update 1 to 2, delete 2 → 1, 1, 1.
    """
    first_keys: dict[object, object] = {}
    rows: list[object] = []
    for event in events:
        key = _row_key(event)
        row = first_keys.get(key, key)
        rows.append(row)
        after = event.after if isinstance(event, RowChange) else None
        if after and after.get(_KEY) != key:
            first_keys[after.get(_KEY)] = row
    return rows


def _fewer_rows(given: Input) -> Iterator[Input]:
    """Without all changes of one row."""
    rows = _row_of_each(given.events)
    for removed in dict.fromkeys(row for row in rows if row is not None):
        events = tuple(e for e, row in zip(given.events, rows, strict=True) if row != removed)
        if events:
            yield replace(given, events=events)


def _without(events: Sequence[Event], position: int) -> tuple[Event, ...]:
    return (*events[:position], *events[position + 1 :])


def _fewer_events(given: Input) -> Iterator[Input]:
    """Without the last change of a row, its insert, a statement that changes no column, or a watermark.

    Without its insert, a row is inserted as the first update left it.
    """
    events, rows = given.events, _row_of_each(given.events)
    if len(events) == 1:
        return
    for n, event in enumerate(events):
        if not isinstance(event, RowChange):
            if not isinstance(event, DdlEvent) or _keeps_columns(event):
                yield replace(given, events=_without(events, n))
            continue
        next_change = next((e for e, row in zip(events[n + 1 :], rows[n + 1 :], strict=True) if row == rows[n]), None)
        if next_change is None and event.op != "insert":
            yield replace(given, events=_without(events, n))
        if event.op == "insert" and isinstance(next_change, RowChange) and next_change.op == "update":
            inserted = replace(next_change, op="insert", before=None)
            kept = tuple(inserted if e is next_change else e for e in _without(events, n))
            yield replace(given, events=kept)


def _keeps_columns(event: DdlEvent) -> bool:
    """Whether a statement leaves the name and the columns of the table as they were."""
    before, after = event.table_before, event.table_after
    return before is not None and after is not None and (before.id, before.columns) == (after.id, after.columns)


def _changes_columns(event: Event) -> bool:
    """Whether a statement adds or drops columns."""
    return isinstance(event, DdlEvent) and not _keeps_columns(event) and not _renames(event)


def _fewer_columns(given: Input) -> Iterator[Input]:
    table = given.tables[0]
    in_keys = {name for key in (table.primary_key, *(k.columns for k in table.unique_keys)) for name in key}
    for column in reversed(table.columns):
        if column.name in in_keys or column.name == _KEY:
            continue
        without = _with_tables_changed(given, partial(_without_column, name=column.name), column.name)
        pairs = zip(given.events, without.events, strict=True)
        # A statement that added or dropped only this column is left out.
        events = tuple(new for old, new in pairs if not _changes_columns(old) or _changes_columns(new))
        if events:
            yield replace(without, events=events)


def _without_column_changes(given: Input) -> Iterator[Input]:
    """Without the statements that add or drop columns: the columns never exist, or exist all the time."""
    kept = tuple(e for e in given.events if not _changes_columns(e))
    if not kept or len(kept) == len(given.events):
        return
    table, *others = given.tables
    versions = [e.table_after for e in given.events if isinstance(e, DdlEvent) and e.table_after is not None]
    added = {c.name: c for version in versions for c in version.columns if table.column(c.name) is None}
    for name in added:
        yield _with_tables_changed(replace(given, events=kept), partial(_without_column, name=name), name)
    if not any(map(_renames, kept)):
        wide = with_sql(replace(table, columns=(*table.columns, *added.values()))) if added else table
        events = tuple(event if _is_in_other_schema(event, table) else _widened(event, wide) for event in kept)
        yield replace(given, tables=(wide, *others), events=events)


def _adds_column(event: Event, name: str) -> bool:
    """Whether a statement adds the column, and so has its definition in the text."""
    if not isinstance(event, DdlEvent) or event.table_before is None or event.table_after is None:
        return False
    return event.table_before.column(name) is None and event.table_after.column(name) is not None


def _widened(event: Event, table: Table) -> Event:
    """The event as if the table had all these columns from the start."""

    def row(given: Row | None) -> Row | None:
        return None if given is None else {c.name: given.get(c.name) for c in table.columns}

    if isinstance(event, RowChange):
        return replace(event, before=row(event.before), after=row(event.after))
    return replace(event, table_before=table, table_after=table) if isinstance(event, DdlEvent) else event


def _without_column(table: Table, name: str) -> Table:
    return with_sql(replace(table, columns=tuple(c for c in table.columns if c.name != name)))


def _with_column(table: Table, old: Column, new: Column) -> Table:
    return with_sql(replace(table, columns=tuple(new if c == old else c for c in table.columns)))


def _with_plain_key(table: Table) -> Table:
    return with_sql(replace(table, primary_key=(_KEY,), unique_keys=(), clustered=True))


def _without_value(row: Row | None, dropped: str) -> Row | None:
    return None if row is None else {name: value for name, value in row.items() if name != dropped}


def _with_tables_changed(given: Input, change: Callable[[Table], Table], dropped: str = "") -> Input:
    """The input with every version of its tables changed, and rows without the dropped column."""

    def version(table: Table | None) -> Table | None:
        return None if table is None else change(table)

    def event(e: Event) -> Event:
        if isinstance(e, RowChange):
            return replace(e, before=_without_value(e.before, dropped), after=_without_value(e.after, dropped))
        if isinstance(e, DdlEvent):
            return replace(e, table_before=version(e.table_before), table_after=version(e.table_after))
        return e

    return replace(given, tables=tuple(map(change, given.tables)), events=tuple(map(event, given.events)))


def _fewer_options(given: Input) -> Iterator[Input]:
    for removed in given.options:
        yield replace(given, options={name: value for name, value in given.options.items() if name != removed})


def _plainer_columns(given: Input) -> Iterator[Input]:
    table = given.tables[0]
    if table.primary_key != (_KEY,) or table.unique_keys or not table.clustered:
        yield _with_tables_changed(given, _with_plain_key)
    for column in table.columns:
        plain = replace(column, nullable=True, default=ABSENT, comment=None)
        is_free = column.name not in table.primary_key and not any(_adds_column(e, column.name) for e in given.events)
        if column.name != _KEY and column != plain and is_free:
            yield _with_tables_changed(given, partial(_with_column, old=column, new=plain))


def _plainer_settings(given: Input) -> Iterator[Input]:
    settings = given.settings
    if settings.timezone != "UTC":
        yield replace(given, settings=replace(settings, timezone="UTC"))
    if settings.partitions != 1:
        yield replace(given, settings=replace(settings, partitions=1))
    if settings.cluster_id != NOW.cluster_id:
        yield replace(given, settings=replace(settings, cluster_id=NOW.cluster_id))
