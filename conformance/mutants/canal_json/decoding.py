"""Decoders that refuse valid messages, or do not look for claim-check files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from conformance.mutants.canal_json.edits import decoder
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import edit_request, refuses

__all__ = ["MUTANTS"]


def _refuses(is_refused: Callable[[bytes], bool], reason: str = "schema") -> Wrap:
    """A decoder that refuses a request if `is_refused(value)` holds for a record in it."""
    return refuses(reason, lambda key, value, context: is_refused(value or b""))


def _contradicts(value: bytes) -> bool:
    match = re.search(rb'"es":(\d+).*"(?:commitTs|watermarkTs)":(\d+)', value, re.DOTALL)
    return match is not None and int(match[1]) != int(match[2]) >> 18


_KNOWN = frozenset(
    {"id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType", "old", "data"}
    | {"_tidb", "commitTs", "watermarkTs", "onlyHandleKey", "claimCheckLocation", "rowkey"}
)


def _has_unknown(value: bytes) -> bool:
    try:
        message = json.loads(value)
    except ValueError:
        return False
    if not isinstance(message, dict):
        return False
    extension = message.get("_tidb")
    return not {*message, *(extension if isinstance(extension, dict) else ())} <= _KNOWN


MUTANTS: tuple[Mutant, ...] = (
    decoder("read-without-storage", "CJ-133", "claim-check files are not looked for")(
        edit_request(lambda request: {name: part for name, part in request.items() if name != "claims"})
    ),
    decoder("read-old-first", "CJ-880", "data before old is refused")(
        _refuses(lambda value: re.search(rb'"isDdl":false.*"data":\[.*"old":', value, re.DOTALL) is not None)
    ),
    decoder("read-exact-time", "CJ-882", "an es that is not the time of commitTs is refused")(
        _refuses(_contradicts, "semantics")
    ),
    decoder("read-unknown-members-refused", "CJ-889", "unknown members are refused")(_refuses(_has_unknown)),
)
