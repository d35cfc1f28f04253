"""Takes the records of an answer apart, and puts them together: for `options` and `streams`."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from conformance.mutants.open_protocol.edits import Pair, Wrap
from conformance.mutants.wrappers import Context, edit_answer
from reference_impl import exact_json
from reference_impl.open_protocol.framing import frame, unframe

__all__ = ["kind_of", "pairs_of", "record_of", "records", "table_of", "text_of"]

Json = dict[str, Any]


def text_of(data: bytes) -> str:
    """Bytes in base64, as records of the harness protocol have them."""
    return base64.b64encode(data).decode("ascii")


def pairs_of(record: Json) -> list[Pair]:
    """The pairs of event key and event value of a record."""
    return unframe(base64.b64decode(record["key"]), base64.b64decode(record["value"]))


def record_of(events: list[Pair], like: Json) -> Json:
    """The record `like` with these events instead of its own."""
    key, value = frame(events)
    return {**like, "key": text_of(key), "value": text_of(value)}


def kind_of(record: Json) -> int:
    """The kind of the first event of a record: 1 a row, 2 a DDL event, 3 a resolved event."""
    return int(exact_json.loads(pairs_of(record)[0][0])["t"])


def table_of(pair: Pair) -> tuple[str, str]:
    """Schema and table of an event."""
    key = exact_json.loads(pair[0])
    return key.get("scm", ""), key.get("tbl", "")


def records(edit: Callable[[list[Json], Context], list[Json]]) -> Wrap:
    """Replaces the list of records in an answer."""
    return edit_answer("encode", lambda ok, context: {**ok, "records": edit(ok["records"], context)})
