"""Encoders that get DDL messages wrong, the columns of tables apart.  [DBZ-300 … DBZ-327]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Edit,
    Message,
    Tree,
    change,
    ddl,
    drop,
    encoder,
    insert,
    put,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.debezium_json.statement import renamings

__all__ = ["MUTANTS"]

_PAYLOAD = "value.payload"
_CHANGE = f"{_PAYLOAD}.tableChanges.0"

# -- which kind of change ----------------------------------------------------------------------------------------------


def _event(message: Message, context: Context) -> Tree:
    """The event of a DDL message, {} where it is one of several."""
    given = (e for e in context.request["events"] if e["kind"] == "ddl")
    return next((e for e in given if e["query"] == message.payload["ddl"]), {})


def _of_codes(codes: frozenset[int], edit: Edit) -> Edit:
    """DDL messages of statements with one of these action codes are edited."""

    def edited(message: Message, context: Context) -> None:
        if _event(message, context).get("action_code") in codes:
            edit(message, context)

    return edited


def _codes(*codes: int) -> frozenset[int]:
    return frozenset(codes)


# (requirement, name, what is wrong, action codes, type written)
_TYPES: tuple[tuple[str, str, str, frozenset[int], str], ...] = (
    ("DBZ-300", "create-word", "the type of CREATE TABLE is CREATE TABLE", _codes(3, 60), "CREATE TABLE"),
    ("DBZ-300", "create-as-alter", "the type of CREATE TABLE is ALTER", _codes(3, 60), "ALTER"),
    ("DBZ-300a", "add-column-as-create", "the type of ADD COLUMN is CREATE", _codes(5), "CREATE"),
    ("DBZ-300a", "modify-word", "the type of MODIFY COLUMN is MODIFY", _codes(12), "MODIFY"),
    ("DBZ-300a", "drop-column-as-drop", "the type of DROP COLUMN is DROP", _codes(6), "DROP"),
    ("DBZ-300a", "rename-word", "the type of RENAME TABLE is RENAME", _codes(14, 47), "RENAME"),
    ("DBZ-300b", "drop-as-alter", "the type of DROP TABLE is ALTER", _codes(4), "ALTER"),
    ("DBZ-300c", "drop-index-as-alter", "the type of DROP INDEX is ALTER", _codes(8), "ALTER"),
    ("DBZ-300c", "add-index-as-create", "the type of ADD INDEX is CREATE", _codes(7), "CREATE"),
    ("DBZ-300c", "view-as-alter", "the type of CREATE VIEW is ALTER", _codes(21), "ALTER"),
)


def _upper(message: Message, context: Context) -> None:
    message.payload["ddl"] = message.payload["ddl"].upper()


def _first_line(message: Message, context: Context) -> None:
    message.payload["ddl"] = message.payload["ddl"] + ";"


def _empty_table(message: Message, context: Context) -> None:
    """An entry where there is none."""
    if not message.payload["tableChanges"]:
        message.payload["tableChanges"] = [
            {"type": "ALTER", "id": ".".join(f'"{n}"' for n in message.table), "table": None}
        ]


def _second_entry(message: Message, context: Context) -> None:
    changes = message.payload["tableChanges"]
    if changes:
        changes.append(changes[0])


def _table_before(message: Message, context: Context) -> None:
    """The table as it was before the statement."""
    change_of = message.find(_CHANGE)
    before = _table_of(message, context)
    if change_of and change_of.get("table") and before:
        known = {column["name"] for column in before["columns"]}
        columns = change_of["table"]["columns"]
        columns[:] = [column for column in columns if column["name"] in known]


def _table_of(message: Message, context: Context) -> Tree | None:
    tables = context.request.get("tables") or ()
    return next((t for t in tables if (t["schema"], t["name"]) == message.table), None)


def _changes() -> Iterator[Mutant]:
    for requirement, name, description, codes, word in _TYPES:
        yield encoder(f"ddl-{name}", requirement, description, ddl(_of_codes(codes, put(f"{_CHANGE}.type", word))))
    yield encoder(
        "ddl-type-lower-case",
        "DBZ-300",
        "the type of CREATE TABLE in lower case",
        ddl(change(f"{_CHANGE}.type", str.lower)),
        "DBZ-300a",
        "DBZ-300b",
    )
    yield encoder("ddl-entry-of-schemas", "DBZ-301", "statements about schemas have an entry", ddl(_empty_table))
    yield encoder("ddl-changes-null", "DBZ-302", "tableChanges is null", ddl(put(f"{_PAYLOAD}.tableChanges", None)))
    yield encoder("ddl-changes-lost", "DBZ-302", "tableChanges is left out", ddl(drop(f"{_PAYLOAD}.tableChanges")))
    yield encoder("ddl-changes-empty", "DBZ-302", "tableChanges is empty", ddl(put(f"{_PAYLOAD}.tableChanges", [])))
    yield encoder(
        "ddl-changes-bare",
        "DBZ-302",
        "tableChanges is an object",
        ddl(change(f"{_PAYLOAD}.tableChanges", lambda given: given[0] if given else {})),
    )
    yield encoder("ddl-changes-twice", "DBZ-302a", "tableChanges has its entry twice", ddl(_second_entry))
    yield encoder("ddl-op", "DBZ-304a", "DDL messages have an op", ddl(insert(f"{_PAYLOAD}.op", "")))


# -- names -------------------------------------------------------------------------------------------------------------


def _old_names(message: Message, context: Context) -> tuple[str, str] | None:
    """Schema and table before a RENAME."""
    found = renamings(message.payload["ddl"])
    if len(found) != 1:
        return None
    return found[0].old.schema or message.table[0], found[0].old.table


def _renamed(edit: Callable[[Message, str, str], Any]) -> Edit:
    """Messages of a RENAME are edited, told the old names."""

    def edited(message: Message, context: Context) -> None:
        old = _old_names(message, context)
        if old is not None:
            edit(message, *old)

    return edited


def _key_of_old(message: Message, schema: str, table: str) -> None:
    message.key["databaseName"] = schema


def _source_of_old(message: Message, schema: str, table: str) -> None:
    message.source["db"], message.source["table"] = schema, table


def _id_turned(message: Message, schema: str, table: str) -> None:
    entry = message.find(_CHANGE)
    entry["id"] = ",".join(reversed(entry["id"].split(",")))


def _id_of_new(message: Message, schema: str, table: str) -> None:
    entry = message.find(_CHANGE)
    entry["id"] = entry["id"].partition(",")[2]


def _plain_id(message: Message, context: Context) -> None:
    entry = message.find(_CHANGE)
    if entry and not renamings(message.payload["ddl"]):
        entry["id"] = ".".join(message.table)


def _escaped_id(message: Message, context: Context) -> None:
    entry = message.find(_CHANGE)
    if entry and any('"' in name for name in message.table):
        entry["id"] = ".".join('"' + name.replace('"', '""') + '"' for name in message.table)


def _table_alone(message: Message, context: Context) -> None:
    entry = message.find(_CHANGE)
    if entry and not renamings(message.payload["ddl"]):
        entry["id"] = f'"{message.table[1]}"'


def _schema_as_table(message: Message, context: Context) -> None:
    source = message.source
    source["table"] = source["table"] or source["db"]


def _no_table(message: Message, context: Context) -> None:
    message.source["table"] = ""


def _lower_names(message: Message, context: Context) -> None:
    message.source["table"] = message.source["table"].lower() + "_"


def _names() -> Iterator[Mutant]:
    database = "key.payload.databaseName"
    yield encoder("ddl-key-with-table", "DBZ-310", "keys of DDL name the table", ddl(_key_with_table))
    yield encoder("ddl-key-empty", "DBZ-310", "keys of DDL are empty", ddl(drop(database)))
    yield encoder(
        "ddl-key-upper-case", "DBZ-311", "databaseName of keys in upper case", ddl(change(database, str.upper))
    )
    yield encoder("ddl-key-null", "DBZ-311", "databaseName of keys is null", ddl(put(database, None)))
    yield encoder(
        "ddl-key-of-old", "DBZ-311a", "databaseName of a RENAME is the old schema", ddl(_renamed(_key_of_old))
    )
    yield encoder("ddl-upper-case", "DBZ-320", "the statement in upper case", ddl(_upper))
    yield encoder("ddl-semicolon", "DBZ-320", "a semicolon follows the statement", ddl(_first_line))
    yield encoder("ddl-null", "DBZ-320", "ddl is null", ddl(put(f"{_PAYLOAD}.ddl", None)))
    yield encoder("ddl-database-null", "DBZ-320a", "databaseName is null", ddl(put(f"{_PAYLOAD}.databaseName", None)))
    yield encoder("ddl-database-lost", "DBZ-320a", "databaseName is left out", ddl(drop(f"{_PAYLOAD}.databaseName")))
    yield encoder(
        "ddl-schema-name-empty", "DBZ-320b", "schemaName is an empty text", ddl(put(f"{_PAYLOAD}.schemaName", ""))
    )
    yield encoder("ddl-schema-name-lost", "DBZ-320b", "schemaName is left out", ddl(drop(f"{_PAYLOAD}.schemaName")))
    yield encoder("ddl-changes-first", "DBZ-320c", "tableChanges stands before the statement", ddl(_ddl_last))
    yield encoder("ddl-source-table-other", "DBZ-321", "source.table of DDL is changed", ddl(_lower_names), "DBZ-321b")
    yield encoder(
        "ddl-source-db-lower-case",
        "DBZ-321d",
        "source.db of DDL in lower case",
        ddl(change(f"{_PAYLOAD}.source.db", str.lower)),
    )
    yield encoder(
        "ddl-source-without-db", "DBZ-321d", "source.db of DDL is empty", ddl(put(f"{_PAYLOAD}.source.db", ""))
    )
    yield encoder("ddl-source-without-table", "DBZ-321", "source.table of DDL is empty", ddl(_no_table))
    yield encoder(
        "ddl-source-of-old",
        "DBZ-321a",
        "source of a RENAME has the old names",
        ddl(_renamed(_source_of_old)),
        "DBZ-321",
    )
    yield encoder("ddl-source-of-schema", "DBZ-321b", "source.table of a schema is its name", ddl(_schema_as_table))
    yield encoder("ddl-entry-order", "DBZ-322", "an entry has its table first", ddl(_table_first))
    yield encoder("ddl-id-bare", "DBZ-323", "id has no quotes", ddl(_plain_id))
    yield encoder("ddl-id-of-table", "DBZ-323", "id is the table alone", ddl(_table_alone))
    yield encoder("ddl-id-new-first", "DBZ-323c", "id of a RENAME has the new name first", ddl(_renamed(_id_turned)))
    yield encoder("ddl-id-new-alone", "DBZ-323a", "id of a RENAME is the new name", ddl(_renamed(_id_of_new)))
    yield encoder("ddl-id-escaped", "DBZ-323b", "quotes in id are doubled", ddl(_escaped_id))


def _key_with_table(message: Message, context: Context) -> None:
    message.key["tableName"] = message.table[1]


def _ddl_last(message: Message, context: Context) -> None:
    message.payload["ddl"] = message.payload.pop("ddl")


def _table_first(message: Message, context: Context) -> None:
    entry = message.find(_CHANGE)
    if entry:
        entry["type"] = entry.pop("type")


# -- the table ---------------------------------------------------------------------------------------------------------

_TABLE = f"{_CHANGE}.table"
_NO_TABLE: Tree = {"defaultCharsetName": "", "primaryKeyColumnNames": [], "columns": [], "comment": None}


def _charset_of_server(message: Message, context: Context) -> None:
    table = message.find(_TABLE)
    if table:
        table["defaultCharsetName"] = "latin1" if table["defaultCharsetName"] != "latin1" else "utf8mb4"


def _unique_as_key(message: Message, context: Context) -> None:
    table, after = message.find(_TABLE), _event(message, context).get("table_after")
    if table and after and not table["primaryKeyColumnNames"]:
        table["primaryKeyColumnNames"] = [column["name"] for column in table["columns"][:1]]


def _key_without(message: Message, context: Context) -> None:
    table, after = message.find(_TABLE), _event(message, context).get("table_after")
    if table and after and not after["primary_key"]:
        table["primaryKeyColumnNames"] = []


def _last_column_lost(message: Message, context: Context) -> None:
    table = message.find(_TABLE)
    if table and len(table["columns"]) > 1:
        table["columns"].pop()


def _columns_sorted(message: Message, context: Context) -> None:
    table = message.find(_TABLE)
    if table:
        table["columns"].sort(key=lambda column: str(column["name"]), reverse=True)


def _tables() -> Iterator[Mutant]:
    keys = f"{_TABLE}.primaryKeyColumnNames"
    yield encoder(
        "ddl-drop-table-described",
        "DBZ-324",
        "DROP TABLE describes a table",
        ddl(_of_codes(_codes(4), put(_TABLE, _NO_TABLE))),
    )
    yield encoder(
        "ddl-drop-index-null", "DBZ-324a", "table of DROP INDEX is null", ddl(_of_codes(_codes(8), put(_TABLE, None)))
    )
    yield encoder(
        "ddl-drop-view-null", "DBZ-324a", "table of DROP VIEW is null", ddl(_of_codes(_codes(24), put(_TABLE, None)))
    )
    yield encoder(
        "ddl-table-null",
        "DBZ-302",
        "table of what is altered is null",
        ddl(_of_codes(_codes(3, 5, 12), put(_TABLE, None))),
    )
    yield encoder("ddl-table-before", "DBZ-325b", "the table lacks the new columns", ddl(_table_before))
    yield encoder("ddl-charset-other", "DBZ-325", "the charset of tables is another", ddl(_charset_of_server))
    yield encoder(
        "ddl-charset-lost", "DBZ-325", "the charset of tables is left out", ddl(drop(f"{_TABLE}.defaultCharsetName"))
    )
    yield encoder(
        "ddl-charset-null", "DBZ-325", "the charset of tables is null", ddl(put(f"{_TABLE}.defaultCharsetName", None))
    )
    yield encoder("ddl-key-joined", "DBZ-325a", "primaryKeyColumnNames is a text", ddl(change(keys, ",".join)))
    yield encoder("ddl-key-lost", "DBZ-325a", "primaryKeyColumnNames is empty", ddl(put(keys, [])), "DBZ-326")
    yield encoder(
        "ddl-key-in-order-of-columns",
        "DBZ-326",
        "primaryKeyColumnNames is in the order of the columns",
        ddl(_key_in_order_of_columns),
    )
    yield encoder("ddl-columns-lost", "DBZ-325b", "the last column is not described", ddl(_last_column_lost))
    yield encoder("ddl-columns-null", "DBZ-325b", "columns is null", ddl(put(f"{_TABLE}.columns", None)))
    yield encoder("ddl-columns-sorted", "DBZ-325b", "columns are sorted by name", ddl(_columns_sorted))
    yield encoder("ddl-comment-empty", "DBZ-325d", "comment of tables is empty", ddl(put(f"{_TABLE}.comment", "")))
    yield encoder("ddl-comment-lost", "DBZ-325d", "comment of tables is left out", ddl(drop(f"{_TABLE}.comment")))
    yield encoder("ddl-table-order", "DBZ-325e", "comment is the first member of tables", ddl(_columns_last))
    yield encoder("ddl-key-unique-lost", "DBZ-326", "a unique key is no key of a table", ddl(_key_without))
    yield encoder("ddl-key-any", "DBZ-326", "a table without a key has its first column as one", ddl(_unique_as_key))


def _key_in_order_of_columns(message: Message, context: Context) -> None:
    table = message.find(_TABLE)
    if table:
        names = [column["name"] for column in table["columns"]]
        table["primaryKeyColumnNames"].sort(key=names.index)


def _columns_last(message: Message, context: Context) -> None:
    table = message.find(_TABLE)
    if table:
        table["defaultCharsetName"] = table.pop("defaultCharsetName")


MUTANTS: tuple[Mutant, ...] = (*_changes(), *_names(), *_tables())
