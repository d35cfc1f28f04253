"""Records of an answer taken apart, and put together again: what `options`, `large` and `streams` are made with."""

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
    """Bytes as a record has them, in base64."""
    return base64.b64encode(data).decode("ascii")


def pairs_of(record: Json) -> list[Pair]:
    """The events of a record: key and value of each."""
    return unframe(base64.b64decode(record["key"]), base64.b64decode(record["value"]))


def record_of(given: list[Pair], like: Json) -> Json:
    """A record of these events, in the place of another."""
    key, value = frame(given)
    return {**like, "key": text_of(key), "value": text_of(value)}


def kind_of(record: Json) -> int:
    """What the first event of a record is: 1 a row, 2 a DDL event, 3 a resolved event."""
    return int(exact_json.loads(pairs_of(record)[0][0])["t"])


def table_of(pair: Pair) -> tuple[str, str]:
    """Schema and table of an event."""
    key = exact_json.loads(pair[0])
    return key.get("scm", ""), key.get("tbl", "")


def records(edit: Callable[[list[Json], Context], list[Json]]) -> Wrap:
    """The records of an answer are others."""
    return edit_answer("encode", lambda ok, context: {**ok, "records": edit(ok["records"], context)})
