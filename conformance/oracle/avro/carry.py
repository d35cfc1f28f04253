"""What Avro delivers of a stream of events, and what a decoder must answer: by the names that Avro can write.

[AV-004, AV-006, AV-009, AV-037, AV-110 … AV-112, AV-120 … AV-122, AV-130, AV-131, AV-202, AV-203]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.rules import Delivery
from conformance.oracle.tree import Maybe
from reference_impl.actions import action_code
from reference_impl.avro.style import Style, style_of
from reference_impl.keys import handle_key, split_update
from reference_impl.model import DdlEvent, Event, Key, Row, RowChange, Table, Watermark
from reference_impl.names import sanitized
from reference_impl.partitions import partition_of_table
from reference_impl.profiles import Profile
from reference_impl.values import to_wire

__all__ = ["CARRY", "UNTOLD", "carried", "deliveries", "key_of", "named", "renamed"]

CARRY = (
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

UNTOLD = frozenset({"insert", "update", "upsert"})  # a value that does not say which  [AV-203]


# -- names -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def renamed(table: Table) -> Table:
    """The table with its columns called as their fields are."""
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


def _renamed_change(change: RowChange, table: Table) -> RowChange:
    if renamed(table) is table:
        return change
    return replace(change, before=_renamed_row(change.before), after=_renamed_row(change.after))


def named(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event of the harness protocol with its names as Avro writes them: a decoder may give back lost characters."""
    tree = dict(event)
    for name in ("schema", "table"):
        if isinstance(tree.get(name), str):
            tree[name] = sanitized(tree[name])
    for image in ("before", "after"):
        if isinstance(tree.get(image), dict):
            tree[image] = {sanitized(name): value for name, value in tree[image].items()}
    return tree


# -- deliveries --------------------------------------------------------------------------------------------------------


def key_of(table: Table, style: Style) -> tuple[str, ...]:
    """The columns of the key.  [AV-112, AV-112a, AV-112b]"""
    return handle_key(table, virtual_counts=style.virtual_handle_key) if style.handle_key else table.primary_key


def _has_record(change: RowChange, table: Table | None, options: Any, style: Style) -> bool:
    """Whether anything is left of it: a delete of a row without a key has neither key nor value."""
    if change.op != "delete" or table is None or key_of(table, style):
        return True
    return bool(options.avro_include_before_value and style.before_value)


def _deliveries(case: Case, options: Any, profile: Profile) -> Iterator[Delivery]:
    tables = {table.id: table for table in case.tables}
    partitions = case.settings.partitions
    everywhere = range(partitions) if partitions > 1 else (None,)
    style = style_of(profile)
    for event in case.events:
        if isinstance(event, RowChange):
            table = tables.get((event.schema, event.table))
            partition = partition_of_table(event.schema, event.table, partitions) if partitions > 1 else None
            parts: Iterable[RowChange] = (event,)
            if table is not None and not options.output_raw_change_event:
                parts = split_update(event, table)
            for part in parts:
                if case.role == "decode" and not _has_record(part, table, options, style):
                    continue
                if table is not None:
                    part = _renamed_change(part, table)
                yield Delivery(part, table and renamed(table), partition)
            continue
        if isinstance(event, DdlEvent):
            tables.update((t.id, t) for t in (event.table_after, *event.other_tables) if t is not None)
        if options.watermarks:
            yield from (Delivery(event, None, partition) for partition in everywhere)


def deliveries(case: Case, options: Any, profile: Profile) -> list[Delivery]:
    """The case's events as they are delivered, in order of production: key changes split, DDL statements and watermarks
    in the test mode alone, once a partition."""
    return list(_deliveries(case, options, profile))


# -- what is carried ---------------------------------------------------------------------------------------------------


def _image(row: Row, table: Table, style: Style) -> dict[str, Any]:
    """A whole row. Of a virtual column nothing is carried: it may be left out or be null.  [AV-110]"""
    image: dict[str, Any] = {}
    for column in table.columns:
        if column.generated == "virtual":
            if style.virtual_columns and column.nullable:
                image[column.name] = Maybe(None)
        elif column.name in row:
            image[column.name] = to_wire(row[column.name])
    return image


def _row(event: RowChange, table: Table, options: Any, style: Style) -> dict[str, Any]:
    has_before = options.avro_include_before_value and style.before_value
    has_value = event.op != "delete" or has_before
    before = event.before and _image(event.before, table, style)
    if before is not None and not has_value:
        names = key_of(table, style)
        before = {name: value for name, value in before.items() if name in names}
    elif event.op == "update" and not has_before:
        before = None
    told = event.op == "delete" or has_before or options.enable_tidb_extension
    tree: dict[str, Any] = {
        "kind": "row",
        "op": event.op if told else UNTOLD,
        "schema": sanitized(event.schema),
        "table": sanitized(event.table),
        "before": before,
        "after": None if event.after is None else _image(event.after, table, style),
    }
    if options.enable_tidb_extension if has_value else options.watermarks and style.delete_marker:
        tree["commit_ts"] = str(event.commit_ts)
    return tree


def carried(delivery: Delivery, case: Case, options: Any, profile: Profile) -> Mapping[str, Any]:
    """The event that a decoder must answer: the truth, as far as format and options carry it."""
    event: Event = delivery.event
    if isinstance(event, Watermark):
        return {"kind": "watermark", "commit_ts": str(event.commit_ts)}
    if isinstance(event, DdlEvent):
        return {
            "kind": "ddl",
            "schema": sanitized(event.schema),
            "table": sanitized(event.table),
            "query": event.query,
            "action_code": action_code(event),
            "commit_ts": str(event.commit_ts),
        }
    assert delivery.table is not None
    return _row(event, delivery.table, options, style_of(profile))
