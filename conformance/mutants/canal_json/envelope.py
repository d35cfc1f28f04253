"""Encoders that get the record, the envelope, the keys or the extension wrong.  [CJ-010 … CJ-052, CJ-201 …]"""

from __future__ import annotations

from typing import Any

from conformance.mutants.canal_json.edits import Tree, encoder, put, rows, tidb, watermark
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_json

__all__ = ["MUTANTS"]

Json = dict[str, Any]

_MEMBERS = ("id", "ts", "mysqlType")


def _without(name: str) -> Mutant:
    def edit(tree: Tree, context: Context) -> None:
        del tree[name]

    return encoder(f"without-{name.lower()}", "CJ-010", f"the member {name} is left out", edit_json(edit))


def _shape() -> tuple[Mutant, ...]:
    return (
        *map(_without, _MEMBERS),
        encoder("gtid", "CJ-010a", "a member gtid as in Canal", edit_json(put("gtid", ""))),
        encoder("null-table", "CJ-010c", "table is null in watermarks", watermark(put("table", None))),
        encoder("isddl-watermark", "CJ-010d", "isDdl is true in watermarks", watermark(put("isDdl", True))),
        encoder("sql-in-rows", "CJ-010e", "sql of rows is a statement", rows(put("sql", "INSERT INTO t VALUES (1)"))),
        encoder("sql-in-watermarks", "CJ-010e", "sql of watermarks has a word", watermark(put("sql", "WATERMARK"))),
        encoder("committs-double", "CJ-014", "commitTs went through a 64-bit float", tidb(_rounded_times)),
    )


def _rounded_times(extension: Tree, tree: Tree) -> None:
    if "commitTs" in extension:
        extension["commitTs"] = int(float(extension["commitTs"]))


def _lower_names(tree: Tree, context: Context) -> None:
    tree["database"], tree["table"] = tree["database"].lower(), tree["table"].lower()


def _names() -> tuple[Mutant, ...]:
    return (encoder("names-lower-case", "CJ-015", "schema and table in lower case", rows(_lower_names)),)


# -- keys --------------------------------------------------------------------------------------------------------


def _table(tree: Tree, context: Context) -> Json:
    tables = context.request.get("tables") or ()
    return next((t for t in tables if (t["schema"], t["name"]) == (tree["database"], tree["table"])), {})


def _first_of_key(tree: Tree, context: Context) -> None:
    tree["pkNames"] = tree["pkNames"][:1]


def _unique_too(tree: Tree, context: Context) -> None:
    if tree["pkNames"]:
        columns = [name for key in _table(tree, context).get("unique_keys", ()) for name in key["columns"]]
        tree["pkNames"] += [name for name in dict.fromkeys(columns) if name not in tree["pkNames"]]


def _unique_instead(tree: Tree, context: Context) -> None:
    keys = _table(tree, context).get("unique_keys", ())
    if keys and not tree["pkNames"]:
        tree["pkNames"] = list(keys[0]["columns"])


def _key_order(tree: Tree, context: Context) -> None:
    key = _table(tree, context).get("primary_key") or tree["pkNames"]
    tree["pkNames"] = key if sorted(key) == sorted(tree["pkNames"]) else tree["pkNames"]


def _keys() -> tuple[Mutant, ...]:
    return (
        encoder("key-first-column", "CJ-020", "pkNames has the first column of the key alone", rows(_first_of_key)),
        encoder("key-with-unique", "CJ-020", "pkNames has the unique keys, too", rows(_unique_too)),
        encoder("key-order", "CJ-020a", "pkNames in the order of the key", rows(_key_order)),
        encoder("key-unique", "CJ-021", "pkNames is a unique key where there is no primary key", rows(_unique_instead)),
        encoder("key-of-watermark", "CJ-022", "pkNames of watermarks is an empty array", watermark(put("pkNames", []))),
    )


# -- the extension -----------------------------------------------------------------------------------------------


def _extension_on(named: bool) -> Any:
    def edit(tree: Tree, context: Context) -> None:
        if ("enable-tidb-extension" in context.options) == named and "_tidb" not in tree:
            tree["_tidb"] = {"commitTs": tree["es"] << 18}

    return edit_json(edit)


def _marked(name: str, value: Any) -> Any:
    def edit(extension: Tree, tree: Tree) -> None:
        if tree["type"] != "TIDB_WATERMARK":
            extension.setdefault(name, value)

    return tidb(edit)


def _watermark_time(change: Any) -> Any:
    return watermark(lambda tree, context: change(tree["_tidb"]))


def _extension() -> tuple[Mutant, ...]:
    return (
        encoder("extension-on", "CJ-040", "_tidb is written though it is switched off", _extension_on(named=True)),
        encoder("extension-default", "CJ-101", "_tidb is written by default", _extension_on(named=False)),
        encoder("onlyhandlekey-false", "CJ-043", "onlyHandleKey is there as false", _marked("onlyHandleKey", False)),
        encoder("location-empty", "CJ-044", "claimCheckLocation is there empty", _marked("claimCheckLocation", "")),
        encoder(
            "watermark-with-more",
            "CJ-046",
            "_tidb of a watermark has commitTs, too",
            _watermark_time(lambda extension: extension.update(commitTs=extension["watermarkTs"])),
        ),
        encoder("table-id", "CJ-047", "_tidb has a table id", _marked("tableId", 104)),
    )


# -- watermarks and records --------------------------------------------------------------------------------------


def _sorted_row(tree: Tree, context: Context) -> None:
    tree["data"] = [dict(sorted(tree["data"][0].items(), reverse=True))]


def _late_time(extension: Tree, tree: Tree) -> None:
    if "commitTs" in extension:
        extension["commitTs"] = extension.pop("commitTs")


def _sending() -> tuple[Mutant, ...]:
    return (
        encoder("watermark-database", "CJ-052", "watermarks name a schema", watermark(put("database", "test"))),
        encoder(
            "es-tso",
            "CJ-660",
            "es is the TSO itself",
            watermark(lambda tree, context: tree.__setitem__("es", tree["es"] << 18)),
        ),
        encoder("columns-sorted", "CJ-033", "columns are not in the order of the table", rows(_sorted_row)),
        encoder("committs-last", "CJ-041", "commitTs is the last member of _tidb", tidb(_late_time)),
    )


MUTANTS: tuple[Mutant, ...] = (*_shape(), *_names(), *_keys(), *_extension(), *_sending())
