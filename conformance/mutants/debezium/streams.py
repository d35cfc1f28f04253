"""Encoders that send the wrong DDL messages or watermarks, or in a wrong order."""

from __future__ import annotations

import base64
from collections.abc import Callable

from conformance.mutants.debezium.edits import encoder
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.record_lists import in_reverse, sent_first, to_partition_0, value_of
from conformance.mutants.wrappers import Context, Json, edit_records
from reference_impl.partitions import every_partition

__all__ = ["MUTANTS"]

_EMPTY = base64.b64encode(b'{"payload":{}}').decode()
_BARE = {
    "watermark": base64.b64encode(b'{"payload":{"op":"m"}}').decode(),
    "ddl": base64.b64encode(b'{"payload":{"ddl":"","tableChanges":[]}}').decode(),
}


def _is_watermark(record: Json) -> bool:
    return b'"transaction":null,"op":"m"' in value_of(record)


def _more_for(is_meant: Callable[[Json, Context], bool]) -> Wrap:
    """An encoder that sends one more message for every matching event, to every partition."""

    def edit(records: list[Json], context: Context) -> list[Json]:
        partitions = every_partition(context.partitions)
        more = [e for e in context.request["events"] if is_meant(e, context)]
        bodies = [{"key": _EMPTY, "value": _BARE[e["kind"]]} for e in more]
        return [*records, *({**body, "partition": partition} for body in bodies for partition in partitions)]

    return edit_records(edit)


_UNSENT = frozenset({9, 10, 34, 35, 36, 37, 45, 46, 51, 52, 62, 63, 65, 66})


MUTANTS: tuple[Mutant, ...] = (
    encoder("classic-sends", "DBZ-001a", "classic sends DDL messages", profile="classic")(
        _more_for(lambda event, context: event["kind"] == "ddl")
    ),
    encoder("ddl-unlisted-sent", "DBZ-300d", "statements outside the list are sent")(
        _more_for(lambda event, context: event["kind"] == "ddl" and event.get("action_code") in _UNSENT)
    ),
    encoder("watermark-always", "DBZ-400a", "watermarks are sent without the extension")(
        _more_for(lambda event, context: event["kind"] == "watermark" and not context.is_on("enable-tidb-extension"))
    ),
    encoder("watermark-once", "DBZ-403", "watermarks go to the first partition only")(to_partition_0(_is_watermark)),
    encoder("watermark-before-rows", "DBZ-404", "watermarks overtake rows")(sent_first(_is_watermark)),
    encoder("watermark-falls", "DBZ-404", "watermarks are sent in reverse order")(in_reverse(_is_watermark)),
)
