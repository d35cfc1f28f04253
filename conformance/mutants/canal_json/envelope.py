"""Encoders that get the record, the envelope, the keys or the extension wrong.  [CJ-010 … CJ-052, CJ-201 …]"""

from __future__ import annotations

import base64
from typing import Any

from conformance.mutants.canal_json.edits import Tree, ddl, encoder, put, rows, tidb, watermark
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_answer, edit_bytes, edit_json, with_header

__all__ = ["MUTANTS"]

Json = dict[str, Any]

_MEMBERS = (
    *("id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql"),
    *("sqlType", "mysqlType", "data", "old"),
)
_ROW_MEMBERS = ("sqlType", "mysqlType", "data", "old")


def _without(name: str) -> Mutant:
    def edit(tree: Tree, context: Context) -> None:
        del tree[name]

    return encoder(f"without-{name.lower()}", "CJ-010", f"the member {name} is left out", edit_json(edit))


def _no_nulls(tree: Tree, context: Context) -> Tree:
    return {name: value for name, value in tree.items() if value is not None}


def _twice(key: bytes | None, value: bytes | None, context: Context) -> tuple[bytes | None, bytes | None]:
    return key, value.replace(b'{"id":0,', b'{"id":0,"id":0,', 1) if value and value[:1] == b"{" else value


def _column_twice(key: bytes | None, value: bytes | None, context: Context) -> tuple[bytes | None, bytes | None]:
    return key, value.replace(b'"mysqlType":{"id":"int"', b'"mysqlType":{"id":"int","id":"int"', 1) if value and value[
        :1
    ] == b"{" else value


def _as_text(name: str) -> Any:
    return edit_json(lambda tree, context: tree.__setitem__(name, str(tree[name])))


def _shape() -> tuple[Mutant, ...]:
    return (
        *map(_without, _MEMBERS),
        encoder("without-nulls", "CJ-010", "members that are null are left out", edit_json(_no_nulls)),
        encoder("gtid", "CJ-010a", "a member gtid as in Canal", edit_json(put("gtid", ""))),
        encoder("id-twice", "CJ-010b", "the member id stands there twice", edit_bytes(_twice)),
        encoder("column-twice", "CJ-010b", "a column has its type twice", edit_bytes(_column_twice)),
        encoder("null-sql", "CJ-010c", "sql is null where there is none", rows(put("sql", None))),
        encoder("null-table", "CJ-010c", "table is null in watermarks", watermark(put("table", None))),
        encoder(
            "isddl-text",
            "CJ-010c",
            "isDdl is a text",
            edit_json(lambda tree, context: tree.__setitem__("isDdl", "true" if tree["isDdl"] else "false")),
        ),
        encoder("isddl-never", "CJ-010d", "isDdl is false in DDL messages", ddl(put("isDdl", False))),
        encoder("isddl-watermark", "CJ-010d", "isDdl is true in watermarks", watermark(put("isDdl", True))),
        encoder("sql-in-rows", "CJ-010e", "sql of rows is a statement", rows(put("sql", "INSERT INTO t VALUES (1)"))),
        encoder("sql-in-watermarks", "CJ-010e", "sql of watermarks has a word", watermark(put("sql", "WATERMARK"))),
        encoder("ddl-data-empty", "CJ-010f", "data of DDL messages is an empty array", ddl(put("data", []))),
        encoder("ddl-old-empty", "CJ-010f", "old of DDL messages is an empty array", ddl(put("old", []))),
        encoder("ddl-types-empty", "CJ-010f", "sqlType of DDL messages is an empty object", ddl(put("sqlType", {}))),
        encoder("id-counts", "CJ-013", "id counts the messages", edit_json(_counted)),
        encoder("id-text", "CJ-014", "id is a text", _as_text("id")),
        encoder("es-text", "CJ-014", "es is a text", _as_text("es")),
        encoder("ts-text", "CJ-014", "ts is a text", _as_text("ts")),
        encoder("committs-text", "CJ-014", "commitTs is a text", tidb(_texts_of_times)),
        encoder("committs-double", "CJ-014", "commitTs went through a 64-bit float", tidb(_rounded_times)),
        encoder("id-null", "CJ-014", "id is null", edit_json(put("id", None))),
    )


def _counted(tree: Tree, context: Context) -> None:
    tree["id"] = context.position + 1


def _texts_of_times(extension: Tree, tree: Tree) -> None:
    for name in {"commitTs", "watermarkTs"} & extension.keys():
        extension[name] = str(extension[name])


def _rounded_times(extension: Tree, tree: Tree) -> None:
    if "commitTs" in extension:
        extension["commitTs"] = int(float(extension["commitTs"]))


def _lower_names(tree: Tree, context: Context) -> None:
    tree["database"], tree["table"] = tree["database"].lower(), tree["table"].lower()


def _swapped_names(tree: Tree, context: Context) -> None:
    tree["database"], tree["table"] = tree["table"], tree["database"]


def _qualified(tree: Tree, context: Context) -> None:
    tree["table"] = f"{tree['database']}.{tree['table']}"


def _names() -> tuple[Mutant, ...]:
    return (
        encoder("names-lower-case", "CJ-015", "schema and table in lower case", rows(_lower_names)),
        encoder("names-swapped", "CJ-015", "schema and table change places", rows(_swapped_names)),
        encoder("names-qualified", "CJ-015", "the table with its schema before it", rows(_qualified)),
        encoder(
            "type-lower-case",
            "CJ-016",
            "type in lower case",
            rows(lambda tree, context: tree.__setitem__("type", tree["type"].lower())),
        ),
        encoder("update-as-insert", "CJ-016", "type of updates is INSERT", rows(put("type", "INSERT"), "UPDATE")),
        encoder("delete-as-update", "CJ-016", "type of deletes is UPDATE", rows(put("type", "UPDATE"), "DELETE")),
    )


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


def _all_columns(tree: Tree, context: Context) -> None:
    if not tree["pkNames"]:
        tree["pkNames"] = list(tree["mysqlType"] or ())


def _key_order(tree: Tree, context: Context) -> None:
    key = _table(tree, context).get("primary_key") or tree["pkNames"]
    tree["pkNames"] = key if sorted(key) == sorted(tree["pkNames"]) else tree["pkNames"]


def _none_is_null(tree: Tree, context: Context) -> None:
    tree["pkNames"] = tree["pkNames"] or None


def _joined(tree: Tree, context: Context) -> None:
    tree["pkNames"] = ",".join(tree["pkNames"])


def _keys() -> tuple[Mutant, ...]:
    return (
        encoder("key-first-column", "CJ-020", "pkNames has the first column of the key alone", rows(_first_of_key)),
        encoder("key-with-unique", "CJ-020", "pkNames has the unique keys, too", rows(_unique_too)),
        encoder("key-joined", "CJ-020", "pkNames is one text with commas", rows(_joined), "CJ-021"),
        encoder("key-order", "CJ-020a", "pkNames in the order of the key", rows(_key_order)),
        encoder("key-null", "CJ-021", "pkNames is null where there is no primary key", rows(_none_is_null)),
        encoder("key-unique", "CJ-021", "pkNames is a unique key where there is no primary key", rows(_unique_instead)),
        encoder("key-all", "CJ-021", "pkNames is every column where there is no primary key", rows(_all_columns)),
        encoder("key-of-ddl", "CJ-022", "pkNames of DDL messages is an empty array", ddl(put("pkNames", []))),
        encoder("key-of-watermark", "CJ-022", "pkNames of watermarks is an empty array", watermark(put("pkNames", []))),
    )


# -- the extension -----------------------------------------------------------------------------------------------


def _extension_off(tree: Tree, context: Context) -> None:
    tree.pop("_tidb", None)


def _extension_on(named: bool) -> Any:
    def edit(tree: Tree, context: Context) -> None:
        if ("enable-tidb-extension" in context.options) == named and "_tidb" not in tree:
            tree["_tidb"] = {"commitTs": tree["es"] << 18}

    return edit_json(edit)


def _time(change: Any) -> Any:
    def edit(extension: Tree, tree: Tree) -> None:
        if "commitTs" in extension:
            extension["commitTs"] = change(extension["commitTs"])

    return tidb(edit)


def _marked(name: str, value: Any) -> Any:
    def edit(extension: Tree, tree: Tree) -> None:
        if tree["type"] != "TIDB_WATERMARK":
            extension.setdefault(name, value)

    return tidb(edit)


def _watermark_time(change: Any) -> Any:
    return watermark(lambda tree, context: change(tree["_tidb"]))


def _named_commit(extension: Tree) -> None:
    extension["commitTs"] = extension.pop("watermarkTs")


def _extension() -> tuple[Mutant, ...]:
    return (
        encoder("extension-off", "CJ-040", "_tidb is never written", edit_json(_extension_off)),
        encoder("extension-on", "CJ-040", "_tidb is written though it is switched off", _extension_on(named=True)),
        encoder("extension-default", "CJ-101", "_tidb is written by default", _extension_on(named=False)),
        encoder(
            "committs-physical",
            "CJ-042",
            "commitTs without its logical part",
            _time(lambda ts: ts >> 18 << 18),
            "CJ-014",
        ),
        encoder("committs-ms", "CJ-042", "commitTs is a time in milliseconds", _time(lambda ts: ts >> 18)),
        encoder(
            "committs-of-start", "CJ-042", "commitTs is that of the start", _time(lambda ts: max(ts - (5 << 18), 1))
        ),
        encoder("onlyhandlekey-false", "CJ-043", "onlyHandleKey is there as false", _marked("onlyHandleKey", False)),
        encoder("location-empty", "CJ-044", "claimCheckLocation is there empty", _marked("claimCheckLocation", "")),
        encoder(
            "watermark-committs", "CJ-046", "the TSO of a watermark is in commitTs", _watermark_time(_named_commit)
        ),
        encoder(
            "watermark-ms",
            "CJ-046",
            "watermarkTs is a time in milliseconds",
            _watermark_time(lambda extension: extension.update(watermarkTs=extension["watermarkTs"] >> 18)),
        ),
        encoder(
            "watermark-with-more",
            "CJ-046",
            "_tidb of a watermark has commitTs, too",
            _watermark_time(lambda extension: extension.update(commitTs=extension["watermarkTs"])),
        ),
        encoder("table-id", "CJ-047", "_tidb has a table id", _marked("tableId", 104)),
    )


# -- watermarks and records --------------------------------------------------------------------------------------


def _bytes(record: Json) -> bytes:
    return base64.b64decode(record["value"] or "")


def _joined_records(ok: Json, context: Context) -> None:
    if len(ok["records"]) > 1 and "large-message-handle-compression" not in context.options:
        value = b"\r\n".join(map(_bytes, ok["records"]))
        ok["records"] = [{**ok["records"][0], "value": base64.b64encode(value).decode()}]


def _listed(key: bytes | None, value: bytes | None, context: Context) -> tuple[bytes | None, bytes | None]:
    return key, b"[" + value + b"]" if value and value[:1] == b"{" else value


def _in_order(tree: Tree, context: Context) -> Tree:
    return {name: tree[name] for name in (*(m for m in _MEMBERS if m in tree), *(m for m in tree if m not in _MEMBERS))}


def _sorted_row(tree: Tree, context: Context) -> None:
    tree["data"] = [dict(sorted(tree["data"][0].items(), reverse=True))]


def _late_time(extension: Tree, tree: Tree) -> None:
    if "commitTs" in extension:
        extension["commitTs"] = extension.pop("commitTs")


def _spaced(key: bytes | None, value: bytes | None, context: Context) -> tuple[bytes | None, bytes | None]:
    return key, value + b"\n" if value and value[:1] == b"{" else value


def _sending() -> tuple[Mutant, ...]:
    return (
        encoder("watermark-word", "CJ-052", "type of watermarks is WATERMARK", watermark(put("type", "WATERMARK"))),
        encoder("watermark-database", "CJ-052", "watermarks name a schema", watermark(put("database", "test"))),
        encoder("watermark-data", "CJ-052", "data of watermarks is an empty array", watermark(put("data", []))),
        encoder(
            "watermark-types", "CJ-052", "mysqlType of watermarks is an empty object", watermark(put("mysqlType", {}))
        ),
        encoder("key-of-record", "CJ-201", "records have a key", edit_bytes(lambda k, v, context: (b"test.t", v))),
        encoder("key-empty", "CJ-202", "the key of records is empty", edit_bytes(lambda k, v, context: (b"", v))),
        encoder("headers", "CJ-203", "records have a header", with_header),
        encoder(
            "several-in-one",
            "CJ-207",
            "all events of a call in one record",
            edit_answer("encode", _joined_records),
            "CJ-888",
        ),
        encoder("in-an-array", "CJ-207", "the value is an array of one object", edit_bytes(_listed)),
        encoder("es-seconds", "CJ-660", "es is in seconds", edit_json(_seconds), "CJ-626"),
        encoder(
            "es-of-now",
            "CJ-660",
            "es is the time of writing",
            rows(lambda tree, context: tree.__setitem__("es", tree["ts"] + 1)),
        ),
        encoder(
            "es-tso",
            "CJ-660",
            "es is the TSO itself",
            watermark(lambda tree, context: tree.__setitem__("es", tree["es"] << 18)),
        ),
        encoder(
            "ts-seconds",
            "CJ-661",
            "ts is in seconds",
            edit_json(lambda tree, context: tree.__setitem__("ts", tree["ts"] // 1000)),
        ),
        encoder(
            "ts-nanoseconds",
            "CJ-661",
            "ts is in nanoseconds",
            edit_json(lambda tree, context: tree.__setitem__("ts", tree["ts"] * 10**6)),
        ),
        encoder("data-before-old", "CJ-011", "data stands before old", rows(_in_order)),
        encoder("trailing-line-feed", "CJ-012", "a line feed follows the object", edit_bytes(_spaced)),
        encoder("columns-sorted", "CJ-033", "columns are not in the order of the table", rows(_sorted_row)),
        encoder("committs-last", "CJ-041", "commitTs is the last member of _tidb", tidb(_late_time)),
    )


def _seconds(tree: Tree, context: Context) -> None:
    tree["es"] //= 1000


MUTANTS: tuple[Mutant, ...] = (*_shape(), *_names(), *_keys(), *_extension(), *_sending())
