"""Encoders that write wrong DDL messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mutants.debezium.edits import Edit, Message, ddl, encoder, set_member
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import Context, Json
from reference_impl.column_types import Family
from reference_impl.debezium_json.statement import renamings
from reference_impl.wire import table_from_json

__all__ = ["MUTANTS"]

_PAYLOAD = "value.payload"
_CHANGE = f"{_PAYLOAD}.tableChanges.0"

# -- kinds of change ---------------------------------------------------------------------------------------------------


def _event(message: Message, context: Context) -> Json:
    """The event of a DDL message; {} if the message has only a part of the event's statement."""
    statements = (e for e in context.request["events"] if e["kind"] == "ddl")
    return next((e for e in statements if e["query"] == message.payload["ddl"]), {})


def _of_codes(codes: Sequence[int], edit: Edit) -> Wrap:
    """Edits the DDL messages of statements with one of these action codes."""
    return ddl(lambda message, c: edit(message, c) if _event(message, c).get("action_code") in codes else None)


# -- names -------------------------------------------------------------------------------------------------------------


def _renamed(edit: Callable[[Message, str, str], Any]) -> Wrap:
    """Edits the messages of a RENAME of one table; `edit` gets the old names of schema and table."""

    def edited(message: Message, context: Context) -> None:
        renames = renamings(message.payload["ddl"])
        if len(renames) == 1:
            edit(message, renames[0].old.schema or message.table[0], renames[0].old.table)

    return ddl(edited)


def _source_of_old(message: Message, schema: str, table: str) -> None:
    message.source["db"], message.source["table"] = schema, table


def _id_of_new_name(message: Message, schema: str, table: str) -> None:
    entry = message.find(_CHANGE)
    entry["id"] = entry["id"].partition(",")[2]


def _id_without_schema(message: Message, context: Context) -> None:
    entry = message.find(_CHANGE)
    if entry and not renamings(message.payload["ddl"]):
        entry["id"] = f'"{message.table[1]}"'


# -- the table ---------------------------------------------------------------------------------------------------------

_TABLE = f"{_CHANGE}.table"


def _no_unique_key(message: Message, context: Context) -> None:
    table, after = message.find(_TABLE), _event(message, context).get("table_after")
    if table and after and not after["primary_key"]:
        table["primaryKeyColumnNames"] = []


_DIGITS_OF_FLOAT = 12


def _length_of_float(message: Message, context: Context) -> None:
    """Set the length of FLOAT columns without a declared scale."""
    table, after = message.find(_TABLE), _event(message, context).get("table_after")
    if not table or not after:
        return
    types = {column.name: column.type for column in table_from_json(after).columns}
    for described in table["columns"]:
        column_type = types.get(described["name"])
        if column_type is not None and column_type.family is Family.FLOAT and column_type.scale is None:
            described["length"] = _DIGITS_OF_FLOAT


_RENAME, _RENAME_SEVERAL, _CREATE, _ADD_COLUMN, _MODIFY_COLUMN, _DROP_VIEW = 14, 47, 3, 5, 12, 24
"""Action codes."""

MUTANTS: tuple[Mutant, ...] = (
    encoder("ddl-rename-word", "DBZ-300a", "the type of RENAME TABLE is RENAME")(
        _of_codes((_RENAME, _RENAME_SEVERAL), set_member(f"{_CHANGE}.type", "RENAME"))
    ),
    encoder("ddl-source-without-db", "DBZ-321d", "source.db of DDL is empty")(
        ddl(set_member(f"{_PAYLOAD}.source.db", ""))
    ),
    encoder("ddl-source-without-table", "DBZ-321", "source.table of DDL is empty")(
        ddl(set_member(f"{_PAYLOAD}.source.table", ""))
    ),
    encoder("ddl-source-of-old", "DBZ-321a", "source of a RENAME has the old names")(_renamed(_source_of_old)),
    encoder("ddl-id-of-table", "DBZ-323", "id is the table without its schema")(ddl(_id_without_schema)),
    encoder("ddl-id-new-alone", "DBZ-323a", "id of a RENAME is the new name")(_renamed(_id_of_new_name)),
    encoder("ddl-drop-view-null", "DBZ-324a", "table of DROP VIEW is null")(
        _of_codes((_DROP_VIEW,), set_member(_TABLE, None))
    ),
    encoder("ddl-table-null", "DBZ-302", "table of what is created or altered is null")(
        _of_codes((_CREATE, _ADD_COLUMN, _MODIFY_COLUMN), set_member(_TABLE, None))
    ),
    encoder("ddl-key-unique-lost", "DBZ-326", "a unique key is no key of a table")(ddl(_no_unique_key)),
    encoder("change-length-of-float", "DBZ-339", "length of FLOAT is 12")(ddl(_length_of_float)),
)
