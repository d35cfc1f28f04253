"""Encoders with a wrong record, envelope, key or extension."""

from __future__ import annotations

from typing import Any

from conformance.mutants.canal_json.edits import Tree, encoder, rows, tidb
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_json

__all__ = ["MUTANTS"]

Json = dict[str, Any]


def _without(name: str) -> Mutant:
    def edit(tree: Tree, context: Context) -> None:
        del tree[name]

    return encoder(f"without-{name.lower()}", "CJ-010", f"the member {name} is left out", edit_json(edit))


# -- keys --------------------------------------------------------------------------------------------------------


def _table(tree: Tree, context: Context) -> Json:
    tables = context.request.get("tables") or ()
    return next((t for t in tables if (t["schema"], t["name"]) == (tree["database"], tree["table"])), {})


def _key_order(tree: Tree, context: Context) -> None:
    key = _table(tree, context).get("primary_key") or tree["pkNames"]
    tree["pkNames"] = key if sorted(key) == sorted(tree["pkNames"]) else tree["pkNames"]


# -- the extension -----------------------------------------------------------------------------------------------


def _with_extension(tree: Tree, context: Context) -> None:
    if "enable-tidb-extension" in context.options and "_tidb" not in tree:
        tree["_tidb"] = {"commitTs": tree["es"] << 18}


def _with_table_id(extension: Tree, tree: Tree) -> None:
    if tree["type"] != "TIDB_WATERMARK":
        extension.setdefault("tableId", 104)


# -- the order of columns ----------------------------------------------------------------------------------------


def _sorted_row(tree: Tree, context: Context) -> None:
    tree["data"] = [dict(sorted(tree["data"][0].items(), reverse=True))]


MUTANTS: tuple[Mutant, ...] = (
    _without("ts"),
    _without("mysqlType"),
    encoder("key-order", "CJ-020a", "pkNames in the order of the key", rows(_key_order)),
    encoder("extension-on", "CJ-040", "_tidb is written though it is switched off", edit_json(_with_extension)),
    encoder("table-id", "CJ-047", "_tidb has a table id", tidb(_with_table_id)),
    encoder("columns-sorted", "CJ-033", "columns are not in the order of the table", rows(_sorted_row)),
)
