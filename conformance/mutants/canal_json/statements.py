"""Encoders with wrong DDL messages or another spelling of JSON."""

from __future__ import annotations

import re
from collections.abc import Callable

from conformance.mutants.canal_json.edits import Tree, ddl, encoder
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, edit_bytes

__all__ = ["MUTANTS"]

Bytes = bytes | None

# -- names -------------------------------------------------------------------------------------------------------


def _old_name(tree: Tree, context: Context) -> None:
    events = (e for e in context.request["events"] if e["kind"] == "ddl" and e["query"] == tree["sql"])
    before = next((e.get("table_before") for e in events), None)
    if before:
        tree["database"], tree["table"] = before["schema"], before["name"]


# -- JSON text ---------------------------------------------------------------------------------------------------


_UNIT = re.compile(rb"\\u[0-9a-f]{4}|\\.|/", re.DOTALL)


def _spelled(*pairs: tuple[bytes, bytes]) -> Callable[[Answerer], Answerer]:
    """Replaces escapes and characters in the JSON text by other spellings."""
    spelling = dict(pairs)

    def edit(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
        if value and value[:1] == b"{":
            value = _UNIT.sub(lambda match: spelling.get(match[0], match[0]), value)
        return key, value

    return edit_bytes(edit)


MUTANTS: tuple[Mutant, ...] = (
    encoder("ddl-old-name", "CJ-623", "a RENAME TABLE has the old name", ddl(_old_name)),
    encoder(
        "controls-short",
        "CJ-704",
        "U+0008 and U+000C are \\b and \\f",
        _spelled((rb"\u0008", rb"\b"), (rb"\u000c", rb"\f")),
    ),
    encoder("lines-long", "CJ-703", "line feeds are \\u000a", _spelled((rb"\n", rb"\u000a"))),
    encoder(
        "separators-unescaped",
        "CJ-705",
        "U+2028 is not escaped",
        _spelled((rb"\u2028", "\u2028".encode())),
    ),
    encoder("slash-escaped", "CJ-707", "slashes are escaped", _spelled((b"/", rb"\/"))),
)
