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


def _meanings() -> tuple[Mutant, ...]:
    return (
        decoder(
            "read-type-as-it-is",
            "CJ-016",
            "op is the text of type",
            read_rows(lambda e, c: e.update(op=e["op"].upper())),
        ),
        decoder("read-column-lost", "CJ-030a", "the last column is not answered", read_rows(_last_value_lost)),
    )


# -- decoders that refuse ----------------------------------------------------------------------------------------


def _refuses(pattern: bytes) -> Callable[[Answerer], Answerer]:
    """A decoder that refuses a request if the pattern occurs in the value of a record."""
    matcher = re.compile(pattern, re.DOTALL)

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json) -> Json:
            values = [base64.b64decode(r["value"] or "") for r in request.get("records") or ()]
            if request["op"] == "decode" and any(map(matcher.search, values)):
                return {"id": request["id"], "rejected": {"class": "schema", "message": "not as expected"}}
            return inner(request)

        return answer

    return wrap


def _contradicts(value: bytes) -> bool:
    match = re.search(rb'"es":(\d+).*"(?:commitTs|watermarkTs)":(\d+)', value, re.DOTALL)
    return match is not None and int(match[1]) != int(match[2]) >> 18


def _refuses_contradictions(inner: Answerer) -> Answerer:
    def answer(request: Json) -> Json:
        values = [base64.b64decode(r["value"] or "") for r in request.get("records") or ()]
        if request["op"] == "decode" and any(map(_contradicts, values)):
            return {
                "id": request["id"],
                "rejected": {"class": "semantics", "message": "es is not the time of commitTs"},
            }
        return inner(request)

    return answer


def _without_claims(request: Json) -> None:
    request.pop("claims", None)


def _refusing() -> tuple[Mutant, ...]:
    return (
        decoder(
            "read-without-storage",
            "CJ-133",
            "claim-check files are not looked for",
            edit_request(_without_claims),
        ),
        decoder(
            "read-old-first",
            "CJ-880",
            "data before old is refused",
            _refuses(rb'"isDdl":false.*"data":\[.*"old":'),
        ),
        decoder(
            "read-exact-time",
            "CJ-882",
            "an es that is not the time of commitTs is refused",
            _refuses_contradictions,
        ),
        decoder("read-unknown-members-refused", "CJ-889", "unknown members are refused", _only_known),
    )


_KNOWN = frozenset(
    {"id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType", "old", "data"}
    | {"_tidb", "commitTs", "watermarkTs", "onlyHandleKey", "claimCheckLocation", "rowkey"}
)


def _has_unknown(record: Json) -> bool:
    try:
        tree = json.loads(base64.b64decode(record["value"] or ""))
    except ValueError:
        return False
    extension = tree.get("_tidb") if isinstance(tree, dict) else None
    return isinstance(extension, dict) and not {*tree, *extension} <= _KNOWN


def _only_known(inner: Answerer) -> Answerer:
    def answer(request: Json) -> Json:
        if request["op"] == "decode" and any(map(_has_unknown, request["records"])):
            return {"id": request["id"], "rejected": {"class": "schema", "message": "not understood"}}
        return inner(request)

    return answer


MUTANTS: tuple[Mutant, ...] = (*_meanings(), *_refusing())
