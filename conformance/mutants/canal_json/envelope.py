"""Encoders with a wrong envelope or extension, wrong names in a DDL message, or another spelling of JSON.

`encoder(name, requirement, description)(defect)` makes a mutant; `edits` and `wrappers` make the defect from an edit.
"""

from __future__ import annotations

import re

from conformance.mutants.canal_json.edits import ddl, encoder, rows, tidb
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import Context, Json, KeyAndValue, edit_bytes, edit_json

__all__ = ["MUTANTS"]

# -- members -----------------------------------------------------------------------------------------------------------


def _without(name: str) -> Mutant:
    def edit(message: Json, context: Context) -> None:
        del message[name]

    return encoder(f"without-{name.lower()}", "CJ-010", f"the member {name} is left out")(edit_json(edit))


def _with_extension(message: Json, context: Context) -> None:
    # A message without `_tidb`, though the option is given, shows that the option is given as false.
    if "enable-tidb-extension" in context.options and "_tidb" not in message:
        message["_tidb"] = {"commitTs": message["es"] << 18}


def _with_table_id(extension: Json, message: Json) -> None:
    if message["type"] != "TIDB_WATERMARK":
        extension.setdefault("tableId", 104)


def _sorted_columns(message: Json, context: Context) -> None:
    """Sorts the columns of the only row of a message from Z to A."""
    message["data"] = [dict(sorted(message["data"][0].items(), reverse=True))]


def _old_name(message: Json, context: Context) -> None:
    """Gives a DDL message the name that the table had before the statement."""
    events = (e for e in context.request["events"] if e["kind"] == "ddl" and e["query"] == message["sql"])
    before = next((e.get("table_before") for e in events), None)
    if before:
        message["database"], message["table"] = before["schema"], before["name"]


# -- JSON text ---------------------------------------------------------------------------------------------------------

_ESCAPE = re.compile(rb"\\u[0-9a-f]{4}|\\.", re.DOTALL)


def _spelled(spellings: dict[bytes, bytes]) -> Wrap:
    """Replaces escapes in the JSON text: `spellings` are escape → its other spelling."""

    def edit(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
        if value and value[:1] == b"{":  # else it is compressed
            value = _ESCAPE.sub(lambda match: spellings.get(match[0], match[0]), value)
        return key, value

    return edit_bytes(edit)


MUTANTS: tuple[Mutant, ...] = (
    _without("ts"),
    _without("mysqlType"),
    encoder("extension-on", "CJ-040", "_tidb is written though it is switched off")(edit_json(_with_extension)),
    encoder("table-id", "CJ-047", "_tidb has a table id")(tidb(_with_table_id)),
    encoder("columns-sorted", "CJ-033", "columns are not in the order of the table")(rows(_sorted_columns)),
    encoder("ddl-old-name", "CJ-623", "a RENAME TABLE has the old name")(ddl(_old_name)),
    encoder("controls-short", "CJ-704", "U+0008 and U+000C are \\b and \\f")(
        _spelled({rb"\u0008": rb"\b", rb"\u000c": rb"\f"})
    ),
    encoder("lines-long", "CJ-703", "line feeds are \\u000a")(_spelled({rb"\n": rb"\u000a"})),
    encoder("separators-unescaped", "CJ-705", "U+2028 is not escaped")(_spelled({rb"\u2028": "\u2028".encode()})),
)
