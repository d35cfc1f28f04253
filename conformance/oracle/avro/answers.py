"""Predicates of the checks of Avro on an answer as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.oracle.avro.conditions import rows, versions
from conformance.oracle.conditions import event_count, has_key_change, has_statements, has_watermarks
from conformance.oracle.counts import differ_in_splits, extra_kinds, lost_kinds, read_of
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import part_in
from reference_impl.model import DdlEvent, Watermark
from reference_impl.names import sanitized

__all__ = ["PREDICATES", "unread_for"]

# -- messages of an encoder --------------------------------------------------------------------------------------------


def _kind_sent(message: Any) -> str:
    """`row`, `ddl` or `watermark`."""
    marker = part_in(message, "value", "marker")
    return marker if marker in ("ddl", "watermark") else "row"


_are_statements_lost = lost_kinds(_kind_sent, "ddl")
_are_watermarks_lost = lost_kinds(_kind_sent, "watermark")
_are_rows_lost = lost_kinds(_kind_sent, "row")
_are_rows_extra = extra_kinds(_kind_sent, "row")
_are_unasked = extra_kinds(_kind_sent, "ddl", "watermark")


def _is_lost_everywhere(place: Place, count: int) -> bool:
    """So many messages are missing as `count` events have in all partitions, or in all but one."""
    partitions = place.case.settings.partitions
    return place.expected - place.got in (count * partitions, count * (partitions - 1))


def has_rows(place: Place) -> bool:
    """The case has row changes, or the only difference is additional messages of rows."""
    return rows(place.case, "insert", "update", "delete") > 0 or _are_rows_extra(place)


def has_control_events(place: Place) -> bool:
    """The case has DDL statements or watermarks."""
    return has_statements(place) or has_watermarks(place)


def are_rows_miscounted(place: Place) -> bool:
    """Only rows are missing, or only rows are additional."""
    return _are_rows_lost(place) or _are_rows_extra(place)


def are_statements_unsent(place: Place) -> bool:
    """Only DDL statements are missing: all of them, in all partitions or in all but one."""
    return _is_lost_everywhere(place, event_count(place, DdlEvent)) and _are_statements_lost(place)


def are_watermarks_unsent(place: Place) -> bool:
    """Only watermarks are missing: all of them, in all partitions or in all but one."""
    return _is_lost_everywhere(place, event_count(place, Watermark)) and _are_watermarks_lost(place)


def are_control_events_sent(place: Place) -> bool:
    """Only DDL statements and watermarks are additional, at most as many as the case has in all partitions."""
    count = event_count(place, DdlEvent) + event_count(place, Watermark)
    return place.got - place.expected <= count * place.case.settings.partitions and _are_unasked(place)


def _identity(message: Any) -> Any:
    """The content of a message: its row or statement and the names of its records, without schemas."""
    value = message.get("value")
    members = ("row", "before", "extension", "marker", "ddl", "commit_ts")
    content = {name: value.get(name) for name in members} if isinstance(value, dict) else value
    names = [part_in(message, part, "schema", name) for part in ("key", "value") for name in ("namespace", "name")]
    return [part_in(message, "key", "row"), names, content]


def _is_delete(message: Any) -> bool:
    operation = part_in(message, "value", "extension", "_tidb_op")
    return message.get("value") is None or part_in(message, "value", "marker") == "delete" or operation == "d"


def _is_whole(delete: Any, insert: Any, update: Any) -> bool:
    """Whether a delete and an insert can be the halves of an update, by the content that the messages have."""
    if not _is_delete(delete) or _is_delete(insert) or not isinstance(part_in(update, "value", "row"), dict):
        return False
    deleted, before = part_in(delete, "value", "row"), part_in(update, "value", "before")
    common = (("schema", "name"), ("extension", "_tidb_commit_ts"), ("row",))
    return (
        all(part_in(insert, "value", *path) == part_in(update, "value", *path) for path in common)
        and part_in(update, "key", "row") in [part_in(half, "key", "row") for half in (delete, insert)]
        and part_in(delete, "key", "schema", "name") == part_in(update, "key", "schema", "name")
        and part_in(update, "value", "extension", "_tidb_op") in (None, "u")
        and (deleted is None or before is None or before == deleted)
    )


def is_split_otherwise(place: Place) -> bool:
    """The sides differ only in updates of keys, which are two events on one side and one on the other."""
    # Without `_tidb_op` an update looks like its insert: then only the delete makes a difference.
    return differ_in_splits(place, _identity, _is_whole)


def states_limit(place: Place) -> bool:
    """The case states `max-message-bytes`."""
    return "max-message-bytes" in place.case.options


# -- records that cannot be read ---------------------------------------------------------------------------------------


def _in(*phrases: str, parts: Sequence[str] = ("key", "value")) -> tuple[str, ...]:
    """The beginnings of reasons with these phrases for a key or value."""
    return tuple(f"{part}: {phrase}" for part in parts for phrase in phrases)


_NO_SCHEMA = ("no header", "an id that is read backwards", "the id of another schema", "not a schema")
_ANY_NO_SCHEMA = "has no header, or its id is reversed, that of another schema, or that of an invalid schema"
_COMPRESSED = ("the body", "no header", "a mark", "nothing has the id")
# Argument of `unread_for` → what `explain` says of it, and the beginnings of the reasons of `reading`.
_REASONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "no-header": ("A key or value has no header of the registry.", _in("no header")),
    "backward-id": (
        "The bytes of an id are reversed: a schema has the id that they are in the other order.",
        _in("an id that is read backwards"),
    ),
    "other-id": (
        "The schema of an id cannot read the body, and another schema can.",
        _in("the id of another schema"),
    ),
    "unknown-id": ("The registry has no schema with the id in a header.", _in("nothing has the id")),
    "no-key-schema": (f"The key {_ANY_NO_SCHEMA}.", _in(*_NO_SCHEMA, parts=["key"])),
    "no-value-schema": (f"The value {_ANY_NO_SCHEMA}.", _in(*_NO_SCHEMA, parts=["value"])),
    "mark": (
        "A datum has the magic bytes of an Avro file or of single-object encoding before it.",
        _in("a mark"),
    ),
    "exchanged-branches": (
        "A datum is readable if the two branches of its unions are exchanged.",
        _in("the branches"),
    ),
    "no-datum": ("The bytes after a header are no datum of the schema.", _in("the body", "a mark", "the branches")),
    "compressed": ("A key or value is unreadable for a reason that compressed bytes have.", _in(*_COMPRESSED)),
    "broken-statement": ("The value begins as a DDL statement but is not one.", _in("a DDL", parts=["value"])),
    "broken-watermark": ("The value begins as a watermark but is not one.", _in("a watermark", parts=["value"])),
    "broken-delete": (
        "The value begins as a delete with a time stamp but is not one.",
        _in("a delete", parts=["value"]),
    ),
}


def unread_for(name: str) -> Condition:
    """The record could not be read, for the named reason."""
    said, beginnings = _REASONS[name]

    def is_unread(place: Place) -> bool:
        return place.delivery is None and isinstance(place.got, str) and place.got.startswith(beginnings)

    is_unread.__doc__ = said
    return is_unread


# -- events of a decoder -----------------------------------------------------------------------------------------------


# The first byte of a value: of the registry's header before a row, or of a value of the test mode.
_ROW, _DDL, _WATERMARK, _DELETE = b"\0", b"\1", b"\2", b"\3"


def _records(place: Place, first: bytes | None, *, has_key: bool) -> int:
    """The number of the case's records with or without a key whose value begins so; None stands for no value."""
    records = (record for record in place.case.records if (record.key is not None) is has_key)
    if first is None:
        return sum(record.value is None for record in records)
    return sum(record.value is not None and record.value.startswith(first) for record in records)


def _rowless_deletes(place: Place) -> int:
    """The number of deletes without a key."""
    return _records(place, None, has_key=False) + _records(place, _DELETE, has_key=False)


def has_rowless_delete(place: Place) -> bool:
    """A record of the case is a delete of a row without a key, which no decoder can answer."""
    return _rowless_deletes(place) > 0


def has_statement_record(place: Place) -> bool:
    """A record of the case is a DDL statement."""
    return _records(place, _DDL, has_key=False) > 0


def has_watermark_record(place: Place) -> bool:
    """A record of the case is a watermark."""
    return _records(place, _WATERMARK, has_key=False) > 0


def has_marked_delete(place: Place) -> bool:
    """A record of the case is a delete with a key and a time stamp."""
    return _records(place, _DELETE, has_key=True) > 0


def has_keyless_row(place: Place) -> bool:
    """A record of the case is a row without a key."""
    return _records(place, _ROW, has_key=False) > 0


def has_null_delete(place: Place) -> bool:
    """A record of the case has a key and no value."""
    return _records(place, None, has_key=True) > 0


_SPECIAL = (
    *(has_rowless_delete, has_statement_record, has_watermark_record),
    *(has_marked_delete, has_keyless_row, has_null_delete),
)


def has_special_record(place: Place) -> bool:
    """A record of the case is a delete, a row without a key, a DDL statement or a watermark."""
    return any(predicate(place) for predicate in _SPECIAL)


def has_schema_versions(place: Place) -> bool:
    """A subject of the registry has several schemas, such as before and after a statement."""
    subjects = {(schema.subject, schema.schema) for schema in place.case.schemas}
    return len(subjects) > len({subject for subject, _ in subjects})


def is_in_another_encoding(place: Place) -> bool:
    """The case's records are written in another encoding."""
    return bool(place.case.axes.get("encoding"))


def _class_of(event: Mapping[str, Any]) -> str:
    """The kind of an event; `delete` for a row that is deleted."""
    return "delete" if event.get("op") == "delete" else str(event.get("kind"))


def _named_class(event: Mapping[str, Any]) -> str:
    """The kind of an event, as in `_class_of`, and its table."""
    return f"{_class_of(event)} {sanitized(str(event.get('schema')))}.{sanitized(str(event.get('table')))}"


def _are_all_lost(place: Place, count: int, *kinds: str, kind_of: Callable[[Any], str] = _class_of) -> bool:
    """Exactly `count` events are missing, all of these kinds, and nothing else differs."""
    are_lost = lost_kinds(kind_of, *kinds)
    return bool(count == place.expected - place.got) and are_lost(place)


def are_rowless_deletes_read(place: Place) -> bool:
    """The additional events are deletes without a row, one for each record that is such a delete."""
    records = _rowless_deletes(place)
    rowless_events = sum(
        _class_of(event) == "delete" and not event.get("before") and not event.get("after")
        for event in read_of(place.got_tree)
    )
    are_only_deletes = extra_kinds(_class_of, "delete")
    return place.got - place.expected == records and are_only_deletes(place) and rowless_events >= records


def are_statements_unread(place: Place) -> bool:
    """All DDL statements are missing, and nothing else."""
    return _are_all_lost(place, event_count(place, DdlEvent) * place.case.settings.partitions, "ddl")


def are_watermarks_unread(place: Place) -> bool:
    """All watermarks are missing, and nothing else."""
    return _are_all_lost(place, event_count(place, Watermark) * place.case.settings.partitions, "watermark")


def are_marked_deletes_unread(place: Place) -> bool:
    """All deletes with a time stamp are missing, and nothing else."""
    return _are_all_lost(place, _records(place, _DELETE, has_key=True), "delete")


def are_null_deletes_unread(place: Place) -> bool:
    """All deletes without a value are missing, and nothing else."""
    return _are_all_lost(place, _records(place, None, has_key=True), "delete")


def are_keyless_rows_unread(place: Place) -> bool:
    """All rows of tables without a primary key are missing, and nothing else."""
    keyless = (t for t in versions(place.case) if not t.primary_key)
    names = {f"row {sanitized(table.schema)}.{sanitized(table.name)}" for table in keyless}
    return _are_all_lost(place, _records(place, _ROW, has_key=False), *names, kind_of=_named_class)


PREDICATES: Sequence[Condition] = (
    *(are_control_events_sent, are_keyless_rows_unread, are_marked_deletes_unread, are_null_deletes_unread),
    *(are_rowless_deletes_read, are_rows_miscounted, are_statements_unread, are_statements_unsent),
    *(are_watermarks_unread, are_watermarks_unsent, has_control_events, has_key_change, has_keyless_row),
    *(has_marked_delete, has_null_delete, has_rowless_delete, has_rows, has_schema_versions, has_special_record),
    *(has_statement_record, has_statements, has_watermark_record, has_watermarks, is_in_another_encoding),
    *(is_split_otherwise, states_limit),
)
