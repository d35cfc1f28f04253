"""Decoders that misread messages, or refuse valid ones."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Any

from conformance.mutants.canal_json.edits import Tree, decoder, read_rows
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, edit_request

__all__ = ["MUTANTS"]

Json = dict[str, Any]

# -- events ------------------------------------------------------------------------------------------------------


def _last_value_lost(event: Tree, context: Context) -> None:
    names = [name for name, value in (event.get("after") or {}).items() if value is not None]
    if names:
        del event["after"][names[-1]]


# -- decoders that refuse ----------------------------------------------------------------------------------------


def _refuses(is_refused: Callable[[bytes], bool], reason: str = "schema") -> Callable[[Answerer], Answerer]:
    """A decoder that refuses a request if `is_refused(value)` holds for a record in it."""

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json) -> Json:
            values = [base64.b64decode(r["value"] or "") for r in request.get("records") or ()]
            if request["op"] == "decode" and any(map(is_refused, values)):
                return {"id": request["id"], "rejected": {"class": reason, "message": "not understood"}}
            return inner(request)

        return answer

    return wrap


def _has_data_first(value: bytes) -> bool:
    return re.search(rb'"isDdl":false.*"data":\[.*"old":', value, re.DOTALL) is not None


def _contradicts(value: bytes) -> bool:
    match = re.search(rb'"es":(\d+).*"(?:commitTs|watermarkTs)":(\d+)', value, re.DOTALL)
    return match is not None and int(match[1]) != int(match[2]) >> 18


def _without_claims(request: Json) -> None:
    request.pop("claims", None)


_KNOWN = frozenset(
    {"id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType", "old", "data"}
    | {"_tidb", "commitTs", "watermarkTs", "onlyHandleKey", "claimCheckLocation", "rowkey"}
)


def _has_unknown(value: bytes) -> bool:
    try:
        tree = json.loads(value)
    except ValueError:
        return False
    if not isinstance(tree, dict):
        return False
    extension = tree.get("_tidb")
    return not {*tree, *(extension if isinstance(extension, dict) else ())} <= _KNOWN


MUTANTS: tuple[Mutant, ...] = (
    decoder(
        "read-type-as-it-is",
        "CJ-016",
        "op is the text of type",
        read_rows(lambda event, context: event.update(op=event["op"].upper())),
    ),
    decoder("read-column-lost", "CJ-030a", "the last column is not answered", read_rows(_last_value_lost)),
    decoder(
        "read-without-storage",
        "CJ-133",
        "claim-check files are not looked for",
        edit_request(_without_claims),
    ),
    decoder("read-old-first", "CJ-880", "data before old is refused", _refuses(_has_data_first)),
    decoder(
        "read-exact-time",
        "CJ-882",
        "an es that is not the time of commitTs is refused",
        _refuses(_contradicts, "semantics"),
    ),
    decoder("read-unknown-members-refused", "CJ-889", "unknown members are refused", _refuses(_has_unknown)),
)
