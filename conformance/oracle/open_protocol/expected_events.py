"""Makes the deliveries of a case in Open Protocol, and the expected event of each."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.errors import SuiteError
from conformance.oracle.actions import statement_with_code
from conformance.oracle.events import ANY_WRITE, with_replacement_characters
from conformance.oracle.open_protocol.reading import read
from conformance.oracle.rules import Delivery, Message
from conformance.oracle.tree import Maybe
from reference_impl.column_types import Family
from reference_impl.floats import vector_text
from reference_impl.keys import handle_key, split_update
from reference_impl.model import Column, DdlEvent, RawText, Row, RowChange, Table, Value, Watermark
from reference_impl.partitions import every_partition, partition_of_row
from reference_impl.profiles import Profile
from reference_impl.values import same_value, to_wire
from reference_impl.wire import event_to_json

__all__ = ["CARRIED", "changed", "deliveries", "expected_event", "handle_columns"]

CARRIED = (
    ("schema, table, operation, commit time stamp", "always"),
    ("columns", "all but virtual generated ones"),
    ("columns of a delete", "the handle key alone with delete-only-output-handle-key-columns"),
    ("columns of a row that is too large", "the handle key alone with handle-key-only; all of them with claim-check"),
    (
        "before image of an update",
        "all columns; none with open-output-old-value=false, and the update may read as an insert; with "
        "only-output-updated-columns the changed ones, the others may be answered as they are in the after image",
    ),
    ("physical partition of a partitioned table", "always"),
    ("row id", "in the profile classic; it is information"),
    ("ENUM and SET", "numbers: labels where the members are known from the tables"),
    ("length, members, scale, fractional digits", "from the tables; digits as they are written"),
    ("TEXT or BLOB, CHAR or BINARY", "by the binary flag"),
    ("bytes that are not valid UTF-8", "of the TEXT types; of CHAR and VARCHAR they become U+FFFD"),
    ("DDL", "schema, table, statement, action code, whose name may be left out; table definitions are not carried"),
    ("resolved event", "always, as a watermark"),
    ("start time stamp", "not carried"),
)

_COMPARED_BY_VALUE = frozenset({Family.FLOAT, Family.DOUBLE, Family.ENUM, Family.SET, Family.VECTOR})
_COMPARED_AS_TEXTS: Mapping[str, frozenset[Family]] = {"classic": frozenset({Family.VECTOR})}


def handle_columns(table: Table, profile: Profile) -> tuple[str, ...]:
    """The columns of the handle key; classic ignores unique keys with virtual columns.  [OP-250]"""
    return handle_key(table, virtual_counts=profile.name != "classic")


def changed(column: Column, before: Value, after: Value, profile: Profile) -> bool:
    """Whether a column's two values differ on the wire; classic compares vectors as texts.  [OP-055, OP-058]"""
    if before == after:
        return False
    if column.type.family not in _COMPARED_BY_VALUE or not same_value(column.type, before, after):
        return True
    if column.type.family not in _COMPARED_AS_TEXTS.get(profile.name, ()):
        return False
    return vector_text(str(before)) != vector_text(str(after))


def _deliveries(case: Case, options: Any) -> Iterator[Delivery]:
    tables = {table.id: table for table in case.tables}
    partitions = case.settings.partitions
    everywhere = every_partition(partitions)
    for event in case.events:
        if not isinstance(event, RowChange):
            yield from (Delivery(event, None, partition) for partition in everywhere)
            if isinstance(event, DdlEvent):
                tables |= {table.id: table for table in event.tables_after}
            continue
        table = tables.get((event.schema, event.table))
        partition = partition_of_row(event.schema, event.table, partitions)
        parts: Iterable[RowChange] = (event,)
        if table is not None and not options.output_raw_change_event:
            parts = split_update(event, table)
        yield from (Delivery(part, table, partition) for part in parts)


def _reduced(delivery: Delivery, profile: Profile) -> Delivery:
    """The delivery with only the handle columns.  [OP-160]"""
    event, table = delivery.event, delivery.table
    if not isinstance(event, RowChange) or table is None:
        return delivery
    names = handle_columns(table, profile)

    def handle(row: Row | None) -> Row | None:
        return None if row is None else {name: row[name] for name in names if name in row}

    return replace(delivery, event=replace(event, before=handle(event.before), after=handle(event.after)))


def _as_written(delivery: Delivery, message: Message, profile: Profile) -> Delivery:
    """The delivery as its message shows it: reduced because of its size, or with columns of `p` whose name is lost."""
    key, value = message.tree["key"], message.tree.get("value", {})
    if key.get("ohk") and "ccl" not in key:
        delivery = _reduced(delivery, profile)
    previous = value.get("p", {})
    if delivery.table is None or all(isinstance(member, dict) for member in previous.values()):
        return delivery
    named = {name for name, member in previous.items() if isinstance(member, dict)}
    return replace(delivery, missing_before=frozenset(c.name for c in delivery.table.columns if c.name not in named))


def deliveries(case: Case, options: Any, profile: Profile) -> list[Delivery]:
    """The deliveries of the case's events: updates of keys split, DDL and resolved events once for each partition.

    For a decoder they are in the order of the case's records, with the content that these show.  [OP-058, OP-160,
    OP-180, OP-203, OP-204]
    """
    produced = list(_deliveries(case, options))
    are_complete = options.large_message_handle_option == "none" and not options.only_output_updated_columns
    if case.role == "encode" or (case.settings.partitions == 1 and are_complete):
        return produced
    waiting: dict[int | None, deque[Delivery]] = defaultdict(deque)
    for delivery in produced:
        waiting[delivery.partition].append(delivery)
    ordered: list[Delivery] = []
    for record in case.records:
        queue = waiting[record.partition if case.settings.partitions > 1 else None]
        for message in read(record, options).messages:
            if not queue:
                raise SuiteError(f"case {case.id}: its records hold more messages than its events make")
            delivery = queue.popleft()
            ordered.append(_as_written(delivery, message, profile))
    return ordered


def _wire(column: Column, value: Value) -> Any:
    """The value that a decoder can answer: bytes of CHAR and VARCHAR that are not UTF-8 are lost.  [OP-077]"""
    if isinstance(value, RawText) and column.type.family in (Family.CHAR, Family.VARCHAR):
        return with_replacement_characters(value)
    return to_wire(value)


def _image(row: Row, table: Table, names: frozenset[str] | None = None) -> dict[str, Any]:
    return {
        column.name: _wire(column, row[column.name])
        for column in table.columns
        if column.name in row and column.generated != "virtual" and (names is None or column.name in names)
    }


def _delete_image(row: Row, table: Table, options: Any, profile: Profile) -> dict[str, Any]:
    """The image of a delete: all columns, or only the handle columns.  [OP-048, OP-048a, OP-048b]"""
    keys_only = options.delete_only_output_handle_key_columns or (
        profile.name == "doc" and not options.open_output_old_value
    )
    return _image(row, table, frozenset(handle_columns(table, profile)) if keys_only else None)


def _before_image(before: Row, after: Row, table: Table, options: Any, profile: Profile) -> dict[str, Any] | None:
    """The image `p` of an update; None if it is left out or empty.  [OP-042, OP-055 … OP-057]"""
    if not options.open_output_old_value:
        return None
    if not options.only_output_updated_columns:
        return _image(before, table)
    differing = (
        column.name
        for column in table.columns
        if column.name in before
        and (column.name not in after or changed(column, before[column.name], after[column.name], profile))
    )
    return _image(before, table, frozenset(differing)) or None


def _row(delivery: Delivery, event: RowChange, table: Table, options: Any, profile: Profile) -> dict[str, Any]:
    before: dict[str, Any] | None = None
    after = None if event.after is None else _image(event.after, table)
    op: str | frozenset[str] = event.op
    if event.before is not None and event.after is not None:
        before = _before_image(event.before, event.after, table, options, profile)
        if before is None:
            op = ANY_WRITE
        else:
            lost = delivery.missing_before
            before = {name: Maybe(value) if name in lost else value for name, value in before.items()}
    elif event.before is not None:
        before = _delete_image(event.before, table, options, profile)
    tree: dict[str, Any] = {"kind": "row", "op": op, "schema": event.schema, "table": event.table}
    tree |= {"commit_ts": str(event.commit_ts), "before": before, "after": after}
    partition_id = event.partition_id or table.partition_id
    return tree | ({"partition_id": partition_id} if partition_id else {})


def expected_event(delivery: Delivery, case: Case, options: Any, profile: Profile) -> Mapping[str, Any]:
    """The event that a decoder must answer for a delivery, as JSON of the harness protocol."""
    event = delivery.event
    if isinstance(event, Watermark):
        return event_to_json(event)
    if isinstance(event, DdlEvent):
        return statement_with_code(event)
    assert delivery.table is not None
    return _row(delivery, event, delivery.table, options, profile)
