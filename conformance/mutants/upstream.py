"""Mutants of the upstream dialects: lost and repeated records, other bytes, and decoders that are too lenient.

Faults in the content of a record are pinned (`fixtures/pinned_faults.json`).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant, MutantBuilder, Wrap
from conformance.mutants.wrappers import Context, Json, accepts, edit_answer, edit_records
from reference_impl import exact_json
from reference_impl.protocols import CANAL, CONNECTOR

__all__ = ["MUTANTS"]


def _sent(times: int, is_meant: Callable[[Any], bool]) -> Wrap:
    """An encoder that sends matching records `times` times; `is_meant` gets the payload, None without a value."""

    return edit_records(
        lambda records, context: [r for r in records for _ in range(times if is_meant(_payload(r)) else 1)]
    )


def _payload(record: Json) -> Any:
    if record["value"] is None:
        return None
    tree = exact_json.loads(base64.b64decode(record["value"]))
    return tree["payload"] if tree.keys() == {"schema", "payload"} else tree


def _escaped_slashes(records: list[Json], context: Context) -> list[Json]:
    for record in records:
        if record["value"] is not None:
            data = base64.b64decode(record["value"]).replace(b"/", b"\\/")
            record["value"] = base64.b64encode(data).decode("ascii")
    return records


def _last_lost(ok: Json, context: Context) -> None:
    del ok["events"][-1:]


def _is_of_kind(kind: str) -> Callable[[Any], bool]:
    """Whether a message of Canal is a `ddl`, has `rows`, or has the `text` of a statement that changes rows."""
    return lambda tree: kind == ("ddl" if tree["isDdl"] else "rows" if tree["data"] is not None else "text")


def _has(member: str, value: object = None) -> Callable[[Any], bool]:
    """Whether the payload has the member, and the value unless this is None."""
    return lambda tree: tree is not None and member in tree and value in (None, tree[member])


_canal, _connector = MutantBuilder(CANAL.name, "encode"), MutantBuilder(CONNECTOR.name, "encode")
_canal_decoder, _connector_decoder = MutantBuilder(CANAL.name, "decode"), MutantBuilder(CONNECTOR.name, "decode")
_LAST_LOST = edit_answer("decode", _last_lost)

MUTANTS: tuple[Mutant, ...] = (
    _canal("sends-messages-twice", "CJ-901", "every message of rows is sent twice")(_sent(2, _is_of_kind("rows"))),
    _canal("leaves-out-statements-of-rows", "CJ-655", "no QUERY message before rows")(_sent(0, _is_of_kind("text"))),
    _canal("key-of-zero-bytes", "CJ-204", "the key is empty instead of null")(
        edit_records(lambda records, context: [{**record, "key": ""} for record in records])
    ),
    _canal("escapes-slashes", "CJ-723", "a slash is escaped")(edit_records(_escaped_slashes)),
    _canal("writes-vectors", "CJ-428", "the producer goes on at a VECTOR column")(accepts("type", "Canal stops")),
    _canal_decoder("loses-the-last-row", "CJ-901", "the last event of an answer is lost")(_LAST_LOST),
    _canal_decoder("reads-what-lacks-a-member", "CJ-881", "members may be missing")(
        accepts("schema", "there is no member")
    ),
    _connector("no-tombstones", "DBZ-022", "no tombstone follows a delete")(_sent(0, lambda tree: tree is None)),
    _connector("no-truncations", "DBZ-024", "a truncation has no record")(_sent(0, _has("op", "t"))),
    _connector("no-statements", "DBZ-350", "statements have no record")(_sent(0, _has("ddl"))),
    _connector("rows-twice", "DBZ-251", "every row is sent twice")(_sent(2, _has("op"))),
    _connector("escapes-slashes", "DBZ-425", "a slash is escaped")(edit_records(_escaped_slashes)),
    _connector_decoder("loses-the-last-row", "DBZ-251", "the last event of an answer is lost")(_LAST_LOST),
    _connector_decoder("reads-what-lacks-a-source", "DBZ-451", "source may be missing")(
        accepts("schema", "'source' is missing")
    ),
)
