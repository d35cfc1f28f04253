"""Decoders that refuse or leave out more than they should.  [CJ-889, CJ-890]"""

from __future__ import annotations

import base64
import json
from typing import Any

from conformance.mutants.canal_json.edits import decoder
from conformance.mutants.model import Answerer
from conformance.mutants.wrappers import unread_up_to_watermarks

__all__ = ["MUTANTS"]

Json = dict[str, Any]

_MEMBERS = frozenset(
    {"id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType", "old", "data"}
    | {"_tidb", "commitTs", "watermarkTs", "onlyHandleKey", "claimCheckLocation", "rowkey"}
)


def _has_unknown(record: Json) -> bool:
    try:
        tree = json.loads(base64.b64decode(record["value"] or ""))
    except ValueError:
        return False
    extension = tree.get("_tidb") if isinstance(tree, dict) else None
    return isinstance(extension, dict) and not {*tree, *extension} <= _MEMBERS


def _only_known(inner: Answerer) -> Answerer:
    def answer(request: Json) -> Json:
        if request["op"] == "decode" and any(map(_has_unknown, request["records"])):
            return {"id": request["id"], "rejected": {"class": "schema", "message": "not understood"}}
        return inner(request)

    return answer


MUTANTS = (
    decoder("read-unknown-members-refused", "CJ-889", "members that are not known are refused", _only_known),
    decoder(
        "read-up-to-the-watermark-lost",
        "CJ-890",
        "rows at a watermark before them are left out",
        unread_up_to_watermarks,
    ),
)
