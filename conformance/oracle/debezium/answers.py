"""Predicates of the checks on answers as a whole, and on unreadable records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.oracle.conditions import event_count, has_key_change, has_statements, has_watermarks
from conformance.oracle.counts import MESSAGES, differ_in_splits, differences, extra_kinds, lost_kinds, read_of
from conformance.oracle.debezium.expected_events import SILENT, deliveries, has_message
from conformance.oracle.debezium.reading import COMPRESSION, NO_VALUE
from conformance.oracle.rules import Condition, Place
from reference_impl.model import DdlEvent, RowChange, Watermark

__all__ = ["PREDICATES"]

_DEFAULT_LIMIT = "10485760"

# -- what a case has ---------------------------------------------------------------------------------------------------


def has_row_changes(place: Place) -> bool:
    """The case has row changes."""
    return any(isinstance(event, RowChange) for event in place.case.events)


def has_control_messages(place: Place) -> bool:
    """The case has DDL statements, or with the extension watermarks."""
    return has_statements(place) or (place.options.enable_tidb_extension and has_watermarks(place))


def has_deletes(place: Place) -> bool:
    """Messages of deletes are expected, including halves of split updates."""
    sent = deliveries(place.case, place.options, place.profile)
    return any(isinstance(d.event, RowChange) and d.event.op == "delete" for d in sent)


def _statement_count(place: Place) -> int:
    """The number of expected DDL messages, without their copies for several partitions."""
    sent = deliveries(place.case, place.options, place.profile)
    return sum(isinstance(d.event, DdlEvent) and not d.partition for d in sent)


def has_ddl_messages(place: Place) -> bool:
    """DDL messages are expected."""
    return _statement_count(place) > 0


def _unsent_count(place: Place) -> int:
    """The number of statements of the case that have no message."""
    return sum(isinstance(event, DdlEvent) and not has_message(event, place.profile) for event in place.case.events)


def has_unsent_statements(place: Place) -> bool:
    """The case has statements that have no message."""
    return _unsent_count(place) > 0


def has_own_limit(place: Place) -> bool:
    """`max-message-bytes` is not the default."""
    return place.case.options.get("max-message-bytes", _DEFAULT_LIMIT) != _DEFAULT_LIMIT


def is_silent(place: Place) -> bool:
    """The profile sends neither DDL messages nor watermarks."""
    return place.profile.name in SILENT


def is_blind(place: Place) -> bool:
    """The decoder has no tables, but the messages have schemas."""
    return not place.case.send_tables and not place.options.debezium_disable_schema


# -- how many messages there are ---------------------------------------------------------------------------------------


def _extra_count(place: Place) -> int:
    """The number of messages beyond the expected ones, negative if some are missing; 0 if either side has no count."""
    expected, got = place.expected, place.got
    return got - expected if isinstance(expected, int) and isinstance(got, int) else 0


# The functions below compare the number of messages with that of `events`, which are sent to every partition. Callers
# also check the kinds of the messages.


def _message_count(place: Place, events: int) -> int:
    """The number of messages of so many events."""
    return events * place.case.settings.partitions


def _are_all_extra(place: Place, events: int) -> bool:
    """Whether as many messages are extra as so many events have once, or in all partitions."""
    return _extra_count(place) in (events, _message_count(place, events))


def _are_all_missing(place: Place, events: int) -> bool:
    """Whether as many messages are missing as so many events have in all partitions."""
    return -_extra_count(place) == _message_count(place, events)


def _lacks_copies(place: Place, events: int) -> bool:
    """Whether messages are missing, but so few that each of so many events may still be in one partition."""
    return 0 < -_extra_count(place) <= _message_count(place, events) - events


# -- what the messages show --------------------------------------------------------------------------------------------


def _payload(message: Any, part: str = "value") -> Any:
    tree = message.get(part)
    payload = tree.get("payload") if isinstance(tree, dict) else None
    return payload if isinstance(payload, dict) else {}


def _kind(message: Any) -> str:
    payload = _payload(message)
    if "ddl" in payload:
        return "ddl"
    return "watermark" if payload.get("op") == "m" else "row"


def _origin(message: Any) -> list[Any]:
    """Table and commit time stamp."""
    source = _payload(message).get("source")
    return [source.get(name) for name in ("db", "table", "commit_ts")] if isinstance(source, dict) else []


def _identity(message: Any) -> Any:
    """The content of a message, without what depends on the style of its writer."""
    payload = _payload(message)
    change = [payload.get(name) for name in ("op", "before", "after", "ddl")]
    return [change, _origin(message), _payload(message, "key")]


def is_split_otherwise(place: Place) -> bool:
    """The sides differ only in updates of keys, which are two events on one side and one on the other."""
    is_update_expected = place.options.output_raw_change_event  # whole; else the answer has it

    def are_halves_of(delete: Any, insert: Any, update: Any) -> bool:
        """Whether a delete and an insert together say what the update says."""
        if [_payload(m).get("op") for m in (delete, insert, update)] != ["d", "c", "u"]:
            return False
        deleted, before = _payload(delete).get("before"), _payload(update).get("before")
        keys = [_payload(half, "key") for half in (delete, insert)]
        return (
            _origin(delete) == _origin(insert) == _origin(update)
            and _payload(insert).get("after") == _payload(update).get("after")
            # In an answer, an update with another key and no row before it has lost the row that is gone.
            and (before == deleted or (before is None and (is_update_expected or keys[0] == keys[1])))
            and _payload(update, "key") in keys
        )

    return differ_in_splits(place, _identity, are_halves_of)


def are_tombstones_added(place: Place) -> bool:
    """The answer differs only in additional records without a value, each of them after a delete."""
    if _extra_count(place) <= 0 or any(differences(place, _identity)):
        return False
    answered = list(place.got_tree[MESSAGES])
    return all(
        message == NO_VALUE and not isinstance(last, str) and _payload(last).get("op") == "d"
        for last, message in zip([NO_VALUE, *answered], answered, strict=False)
        if isinstance(message, str)
    )


def _has_every_watermark(place: Place) -> bool:
    """The answer has every watermark, in at least one partition."""
    expected, got = (
        {str(_origin(m)) for m in read_of(side) if _kind(m) == "watermark"}
        for side in (place.expected_tree, place.got_tree)
    )
    return expected == got


_lacks_watermarks_alone, _has_extra_watermarks_alone = lost_kinds(_kind, "watermark"), extra_kinds(_kind, "watermark")
_lacks_statements_alone, _has_extra_statements_alone = lost_kinds(_kind, "ddl"), extra_kinds(_kind, "ddl")
_has_extra_control_events_alone = extra_kinds(_kind, "ddl", "watermark")


def are_control_events_added(place: Place) -> bool:
    """The answer differs only in additional DDL messages and watermarks."""
    return _has_extra_control_events_alone(place)


def are_watermarks_lost(place: Place) -> bool:
    """The answer differs only in missing watermarks."""
    return _lacks_watermarks_alone(place)


def lacks_watermarks(place: Place) -> bool:
    """The answer differs only in missing all watermarks, with all copies."""
    return _are_all_missing(place, event_count(place, Watermark)) and _lacks_watermarks_alone(place)


def lacks_watermarks_elsewhere(place: Place) -> bool:
    """The answer differs only in missing watermarks; another partition has each of them."""
    return _lacks_watermarks_alone(place) and _has_every_watermark(place)


def are_watermarks_added(place: Place) -> bool:
    """The answer differs only in additional watermarks: each of the case once, or in every partition."""
    return _are_all_extra(place, event_count(place, Watermark)) and _has_extra_watermarks_alone(place)


def are_statements_lost(place: Place) -> bool:
    """The answer differs only in missing DDL messages."""
    return _lacks_statements_alone(place)


def lacks_statements(place: Place) -> bool:
    """The answer differs only in missing all DDL messages, with all copies."""
    return _are_all_missing(place, _statement_count(place)) and _lacks_statements_alone(place)


def lacks_statements_elsewhere(place: Place) -> bool:
    """The answer differs only in missing DDL messages, few enough that another partition may have each of them."""
    return _lacks_copies(place, _statement_count(place)) and _lacks_statements_alone(place)


def are_unsent_statements_sent(place: Place) -> bool:
    """The answer differs only in additional DDL messages, of statements that should have none."""
    return _are_all_extra(place, _unsent_count(place)) and _has_extra_statements_alone(place)


# -- refusals ----------------------------------------------------------------------------------------------------------


def is_refused(place: Place) -> bool:
    """The answer has no messages: it is a refusal."""
    return not isinstance(place.got, int)


def is_schema_missed(place: Place) -> bool:
    """The refusal is for the schema, by its class or its words."""
    refusal = place.got
    if not isinstance(refusal, Mapping):
        return False
    return refusal.get("class") == "schema" or "schema" in str(refusal.get("message")).lower()


def _is_unreadable(place: Place, phrase: str) -> bool:
    """Whether the record is unreadable, for a reason that begins with the phrase."""
    return isinstance(place.got, str) and place.got.startswith(phrase)


def has_no_value(place: Place) -> bool:
    """The record has no value."""
    return _is_unreadable(place, NO_VALUE)


def is_not_decompressed(place: Place) -> bool:
    """The value cannot be decompressed."""
    return _is_unreadable(place, COMPRESSION)


PREDICATES: tuple[Condition, ...] = (
    *(are_control_events_added, are_statements_lost, are_tombstones_added, are_unsent_statements_sent),
    *(are_watermarks_added, are_watermarks_lost, has_control_messages, has_ddl_messages, has_deletes, has_key_change),
    *(has_no_value, has_own_limit, has_row_changes, has_statements, has_unsent_statements, has_watermarks, is_blind),
    *(is_not_decompressed, is_refused, is_schema_missed, is_silent, is_split_otherwise, lacks_statements),
    *(lacks_statements_elsewhere, lacks_watermarks, lacks_watermarks_elsewhere),
)
