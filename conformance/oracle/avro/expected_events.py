"""Makes the deliveries of a case in Avro, and the expected event of each.

Names are those that Avro can write.

[AV-004, AV-006, AV-009, AV-037, AV-110 … AV-112, AV-120 … AV-122, AV-130, AV-131, AV-202, AV-203]
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.errors import SuiteError
from conformance.oracle.actions import statement_with_code
from conformance.oracle.avro.reading import read
from conformance.oracle.events import ANY_WRITE
from conformance.oracle.rules import Delivery
from conformance.oracle.tree import Maybe, part_in
from reference_impl.avro.style import Style, style_of
from reference_impl.keys import handle_key, split_update
from reference_impl.model import DdlEvent, Event, Key, Row, RowChange, Table, Watermark
from reference_impl.names import sanitized
from reference_impl.partitions import every_partition, partition_of_row
from reference_impl.profiles import PROFILES, Profile
from reference_impl.values import to_wire
from reference_impl.wire import event_to_json

__all__ = ["CARRIED", "deliveries", "expected_event", "renamed", "with_written_names"]

CARRIED = (
    ("schema, table", "always; a character that is no letter, digit or underscore has become an underscore"),
    (
        "operation",
        "with enable-tidb-extension or avro-include-before-value; a delete always, an insert or update alike",
    ),
    ("commit time stamp", "with enable-tidb-extension, not of a delete; of one with avro-enable-watermark in newarch"),
    (
        "columns of an insert or update",
        "all but virtual generated ones, which are null in newarch and missing in classic",
    ),
    ("columns of a delete", "the key alone; all of them with avro-include-before-value in newarch"),
    ("before image of an update", "with avro-include-before-value in newarch"),
    ("BIGINT UNSIGNED from 2^63 on", "as a negative long, which stands for 2^64 more; as it is in mode string"),
    ("length, fractional digits", "from the tables; digits as they are written"),
    ("precision and scale of DECIMAL", "in mode precise; in mode string digits as they are written"),
    ("labels of ENUM and SET", "always, as texts"),
    ("bytes that are not valid UTF-8 in a text", "not carried: the row cannot be written"),
    ("DDL, watermark", "with enable-tidb-extension and avro-enable-watermark, the statement with its action code"),
    ("start time stamp, row id, physical partition", "not carried"),
)


# -- names -------------------------------------------------------------------------------------------------------------


def renamed(table: Table) -> Table:
    """The table with the names of the fields in place of those of its columns."""
    if all(sanitized(column.name) == column.name for column in table.columns):
        return table
    return replace(
        table,
        columns=tuple(replace(column, name=sanitized(column.name)) for column in table.columns),
        primary_key=tuple(map(sanitized, table.primary_key)),
        unique_keys=tuple(Key(key.name, tuple(map(sanitized, key.columns))) for key in table.unique_keys),
    )


def _renamed_row(row: Row | None) -> Row | None:
    return None if row is None else {sanitized(name): value for name, value in row.items()}


def _renamed_change(change: RowChange) -> RowChange:
    return replace(change, before=_renamed_row(change.before), after=_renamed_row(change.after))


def with_written_names(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event of the harness protocol with its names as Avro writes them; a decoder may restore the original ones."""
    tree = dict(event)
    for name in ("schema", "table"):
        if isinstance(tree.get(name), str):
            tree[name] = sanitized(tree[name])
    for image in ("before", "after"):
        if isinstance(tree.get(image), dict):
            tree[image] = {sanitized(name): value for name, value in tree[image].items()}
    return tree


# -- deliveries --------------------------------------------------------------------------------------------------------


def _deliveries(case: Case, options: Any) -> Iterator[Delivery]:
    tables = {table.id: (table, renamed(table)) for table in case.tables}
    partitions = case.settings.partitions
    everywhere = every_partition(partitions)
    for event in case.events:
        if not isinstance(event, RowChange):
            if isinstance(event, DdlEvent):
                tables |= {table.id: (table, renamed(table)) for table in event.tables_after}
            if options.watermarks:
                yield from (Delivery(event, None, partition) for partition in everywhere)
            continue
        table, table_of_fields = tables.get((event.schema, event.table), (None, None))
        partition = partition_of_row(event.schema, event.table, partitions)
        if table is None:
            yield Delivery(event, None, partition)
            continue
        parts: Iterable[RowChange] = (event,) if options.output_raw_change_event else split_update(event, table)
        if table_of_fields is not table:
            parts = map(_renamed_change, parts)
        yield from (Delivery(part, table_of_fields, partition) for part in parts)


def deliveries(case: Case, options: Any, profile: Profile) -> list[Delivery]:
    """The deliveries of the case's events, in order of production.

    Updates that change a key are split. DDL statements and watermarks are delivered only in the test mode, once for
    each partition. For a decoder the deliveries have the content and the order of the case's records.
    """
    produced = list(_deliveries(case, options))
    return produced if case.role == "encode" else _all_as_shown(produced, case, options, profile)


# -- what records show -------------------------------------------------------------------------------------------------


def _has_record(delivery: Delivery, options: Any, style: Style) -> bool:
    """Whether a delivery has a record: a delete of a row without a key has neither key nor value.  [AV-004, AV-112b]"""
    change, table = delivery.event, delivery.table
    if not isinstance(change, RowChange) or change.op != "delete" or table is None:
        return True
    key = handle_key(table, virtual_counts=style.virtual_handle_key) if style.handle_key else table.primary_key
    return bool(key) or bool(options.avro_include_before_value and style.before_value)


def _is_shown(tree: Mapping[str, Any]) -> bool:
    """Whether a record has an event: without a key it must have a value, and must not be a delete."""
    return tree["key"] is not None or (bool(tree["value"]) and part_in(tree, "value", "marker") != "delete")


def _image(row: Row, fields: Iterable[str], table: Table) -> dict[str, Any]:
    """The columns of a row that a record has as fields; virtual columns are NULL."""
    virtual = {column.name for column in table.columns if column.generated == "virtual"}
    return {name: None if name in virtual else row[name] for name in fields if name in row}


def _as_shown(delivery: Delivery, tree: Mapping[str, Any]) -> Delivery:
    """A delivery with the content that its record shows of the row change.  [AV-121, AV-131b, AV-202a, AV-203]"""
    change, table, value = delivery.event, delivery.table, tree["value"]
    if not isinstance(change, RowChange) or table is None:
        return delivery
    row, extension = part_in(value, "row"), part_in(value, "extension") or {}
    if row is None:
        assert change.before is not None
        before = _image(change.before, part_in(tree, "key", "row") or (), table)
        commit_ts = change.commit_ts if part_in(value, "marker") else None
        return replace(delivery, event=replace(change, before=before, commit_ts=commit_ts))
    shown = replace(
        change,
        op=change.op if "_tidb_op" in extension or change.op == "delete" else "upsert",
        commit_ts=change.commit_ts if "_tidb_commit_ts" in extension else None,
        before=_image(change.before, row, table) if change.before and part_in(value, "before") else None,
        after=None if change.after is None else _image(change.after, row, table),
    )
    return replace(delivery, event=shown)


def _all_as_shown(produced: Sequence[Delivery], case: Case, options: Any, profile: Profile) -> list[Delivery]:
    """The deliveries that have a record, in the order of the records.

    The records may have the style of any profile: it is the first that makes as many records.
    """
    schemas = {schema.id: schema.schema for schema in case.schemas}
    trees = [(record.partition, read(record, options, schemas).messages[0].tree) for record in case.records]
    shown = [(partition, tree) for partition, tree in trees if _is_shown(tree)]
    for writer in (profile, *PROFILES.values()):
        recorded = [delivery for delivery in produced if _has_record(delivery, options, style_of(writer))]
        if len(recorded) == len(shown):
            break
    else:
        raise SuiteError(f"case {case.id}: {len(shown)} records for {len(produced)} deliveries")
    waiting: dict[int | None, deque[Delivery]] = defaultdict(deque)
    for delivery in recorded:
        waiting[delivery.partition].append(delivery)
    several = case.settings.partitions > 1
    return [_as_shown(waiting[partition if several else None].popleft(), tree) for partition, tree in shown]


def _wire(row: Row | None, table: Table) -> dict[str, Any] | None:
    """An image as a decoder answers it. A virtual column may be left out or be null.  [AV-110]"""
    if row is None:
        return None
    virtual = {column.name for column in table.columns if column.generated == "virtual"}
    return {name: Maybe(None) if name in virtual else to_wire(value) for name, value in row.items()}


def expected_event(delivery: Delivery, case: Case, options: Any, profile: Profile) -> Mapping[str, Any]:
    """The event that a decoder must answer for a delivery, as JSON of the harness protocol."""
    event: Event = delivery.event
    if isinstance(event, Watermark):
        return event_to_json(event)
    if isinstance(event, DdlEvent):
        return with_written_names(statement_with_code(event))
    assert delivery.table is not None
    tree: dict[str, Any] = {
        "kind": "row",
        "op": ANY_WRITE if event.op == "upsert" else event.op,
        "schema": sanitized(event.schema),
        "table": sanitized(event.table),
        "before": _wire(event.before, delivery.table),
        "after": _wire(event.after, delivery.table),
    }
    if event.commit_ts is not None:
        tree["commit_ts"] = str(event.commit_ts)
    return tree
