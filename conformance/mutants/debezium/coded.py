"""A decoder that skips foreign characters in base64."""

from __future__ import annotations

import base64
import json
import re

from conformance.mutants.debezium.edits import Tree, decoder
from conformance.mutants.wrappers import Context, edit_request
from reference_impl.column_types import BINARY

__all__ = ["MUTANTS"]

_OTHERS = re.compile(r"[^A-Za-z0-9+/]")


def _mended(coded: str) -> str:
    digits = _OTHERS.sub("", coded)
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    return digits + "=" * (-len(digits) % 4)


def _skip_foreign(request: Tree) -> None:
    if request["op"] != "decode":
        return
    context = Context({}, request)
    for record in request["records"]:
        try:
            tree = json.loads(base64.b64decode(record["value"] or ""))
            payload = tree["payload"]
            table = str(payload["source"]["db"]), str(payload["source"]["table"])
        except (ValueError, KeyError, TypeError):
            continue
        changed = False
        for image in (payload.get("before"), payload.get("after")):
            for name, value in image.items() if isinstance(image, dict) else ():
                column = context.column(*table, name)
                if column is not None and column.type.family in BINARY and isinstance(value, str):
                    changed = changed or _mended(value) != value
                    image[name] = _mended(value)
        if changed:
            record["value"] = base64.b64encode(json.dumps(tree).encode()).decode()


MUTANTS = (
    decoder(
        "read-no-base64-passed-over",
        "DBZ-451q",
        "characters that base64 does not have are skipped",
        edit_request(_skip_foreign),
    ),
)
