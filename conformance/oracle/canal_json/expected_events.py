"""Makes the deliveries of a case in Canal-JSON, and the expected event of each.

[CJ-030, CJ-034, CJ-042, CJ-051, CJ-102 … CJ-104, CJ-131, CJ-140, CJ-886]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.cases.model import Case
from conformance.oracle.actions import statement_of_type
from conformance.oracle.events import with_replacement_characters
from conformance.oracle.rules import Delivery
from conformance.oracle.tree import Maybe
from reference_impl import canal_json
from reference_impl.canal_json.ddl import ddl_type
from reference_impl.canal_json.style import style_of
from reference_impl.keys import handle_key, split_update
from reference_impl.model import DdlEvent, RawText, Row, RowChange, Table, Value, Watermark
from reference_impl.partitions import partition_of_table
from reference_impl.profiles import Profile
from reference_impl.values import same_value, to_wire
from reference_impl.wire import event_to_json

__all__ = ["CARRIED", "changed_columns", "deliveries", "expected_event"]

CARRIED = (
    ("schema, table, operation", "always"),
    ("commit time stamp", "with enable-tidb-extension"),
    ("columns", "all but virtual generated ones"),
    ("columns of a delete", "the handle key alone with delete-only-output-handle-key-columns"),
    ("columns of a row that is too large", "the handle key alone with handle-key-only; all of them with claim-check"),
    (
        "before image of an update",
        "all columns; with only-output-updated-columns or content-compatible the changed ones, the others may be "
        "answered as they are in the after image",
    ),
    ("ENUM and SET", "numbers: labels where the members are known from the tables or the full mysqlType"),
    ("length, scale, fractional digits", "with content-compatible, or from the tables"),
    ("bytes that are not valid UTF-8 in a text", "not carried: U+FFFD for each"),
    ("DDL", "schema, table and statement; of the action its type, so that an action may be left out"),
    ("watermark", "with enable-tidb-extension"),
    ("start time stamp, row id, physical partition", "not carried"),
)


def deliveries(case: Case, options: Any, profile: Profile) -> list[Delivery]:
    """The deliveries of the case's events, in order of production; `profile` does not matter in this protocol."""
    return list(_deliveries(case, options))


def _deliveries(case: Case, options: Any) -> Iterator[Delivery]:
    partitions = case.settings.partitions
    versions = {table.id: table for table in case.tables}

    def named(partition: int) -> int | None:
        return partition if partitions > 1 else None  # records of a single partition do not name it

    for event in case.events:
        if isinstance(event, RowChange):
            table = versions.get((event.schema, event.table))
            parts: Iterable[RowChange] = (event,)
            if table is not None and not options.output_raw_change_event:
                parts = split_update(event, table)
            partition = named(partition_of_table(event.schema, event.table, partitions))
            yield from (Delivery(part, table, partition) for part in parts)
        elif isinstance(event, DdlEvent):
            yield Delivery(event, None, named(0))
            versions |= {table.id: table for table in event.tables_after}
        elif options.enable_tidb_extension:
            yield from (Delivery(event, None, named(partition)) for partition in range(partitions))


def _wire_value(value: Value) -> Any:
    """The value that a decoder can answer: bytes of a text that are not UTF-8 are lost.  [CJ-402]"""
    return with_replacement_characters(value) if isinstance(value, RawText) else to_wire(value)


def changed_columns(change: RowChange, table: Table) -> frozenset[str]:
    """The columns whose value an update changes."""
    before, after = change.before or {}, change.after or {}
    return frozenset(c.name for c in table.columns if not same_value(c.type, before.get(c.name), after.get(c.name)))


def _is_reduced(change: RowChange, table: Table, case: Case, options: Any, profile: Profile) -> bool:
    """Whether a message has only the handle key, by option or because the whole row is too large."""
    if change.op == "delete" and options.delete_only_output_handle_key_columns:
        return True
    if options.large_message_handle_option != "handle-key-only":
        return False
    encoder = canal_json.Encoder(options, profile, settings=case.settings)
    [record] = encoder.encode([change], [table]).records
    [decoded] = canal_json.Decoder(options).decode([record], [table])
    assert isinstance(decoded, RowChange)
    row = decoded.before if change.op == "delete" else decoded.after
    return len(row or ()) < len(_sent_columns(table, None))


def _sent_columns(table: Table, only: frozenset[str] | None) -> list[str]:
    return [c.name for c in table.columns if c.generated != "virtual" and (only is None or c.name in only)]


def _row_event(event: RowChange, table: Table, case: Case, options: Any, profile: Profile) -> dict[str, Any]:
    key = frozenset(handle_key(table, virtual_counts=profile.name != "classic"))
    names = _sent_columns(table, key if _is_reduced(event, table, case, options, profile) else None)

    def image(row: Row | None) -> dict[str, Any] | None:
        return None if row is None else {name: _wire_value(row[name]) for name in names if name in row}

    before, after = image(event.before), image(event.after)
    if (
        event.op == "update"
        and before is not None
        and (options.only_output_updated_columns or options.content_compatible)
    ):
        changed = changed_columns(event, table)
        before = {name: value if name in changed else Maybe(value) for name, value in before.items()}
    return {
        "kind": "row",
        "op": event.op,
        "schema": event.schema,
        "table": event.table,
        "before": before,
        "after": after,
    }


def _codes_of_type(event: DdlEvent, profile: Profile) -> list[int]:
    """The codes of all actions that have the `type` of the event's message."""
    style = style_of(profile)
    type_of_event = ddl_type(event, style)
    return [code for code in range(256) if ddl_type(replace(event, action_code=code), style) == type_of_event]


def expected_event(delivery: Delivery, case: Case, options: Any, profile: Profile) -> Mapping[str, Any]:
    """The event, as JSON of the harness protocol, that a decoder must answer for a delivery."""
    event = delivery.event
    if isinstance(event, Watermark):
        return event_to_json(event)
    if isinstance(event, DdlEvent):
        answer = statement_of_type(event, _codes_of_type(event, profile))
    else:
        assert delivery.table is not None
        answer = _row_event(event, delivery.table, case, options, profile)
    if options.enable_tidb_extension and event.commit_ts:
        answer["commit_ts"] = str(event.commit_ts)
    return answer
